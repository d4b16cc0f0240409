//! Stepping through a table byte by byte, for `lookahead` and for `diff`, which steps two
//! tables in lockstep. The walk is faster.
//!
//! A [`Cursor`] is a state of the DFA: a record and, in a literal, how many of its bytes have
//! matched. It reads normalised bytes, from the one after the first `/`.

use crate::automaton::table::format::{LAST_FINAL, LITERAL, RawTable, WAIT};
use crate::verdict::Verdict;

/// A state: a record and, in a literal, how many of its bytes have matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cursor {
    record: u32,
    matched: u8,
}

impl Cursor {
    /// The state in which a record begins, or the final state of a verdict.
    pub(super) fn at(target: u32) -> Cursor {
        Cursor { record: target, matched: 0 }
    }

    pub fn is_final(self) -> bool {
        self.record <= LAST_FINAL
    }

    /// The record, or the verdict if the cursor is final.
    pub(super) fn record(self) -> u32 {
        self.record
    }

    /// The number of bytes of a literal that have matched.
    pub(super) fn matched(self) -> u8 {
        self.matched
    }
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    pub fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
    }
}

impl RawTable<'_> {
    /// The state after the first `/`.
    pub fn first_cursor(self) -> Cursor {
        Cursor::at(self.start())
    }

    /// The verdict on a haystack that ends here.
    pub fn verdict_at(self, cursor: Cursor) -> Verdict {
        match cursor.record {
            0 => Verdict::Allow,
            1 => Verdict::Disallow,
            record => self.head(record).at_end(),
        }
    }

    /// The state that a byte leads to.
    ///
    /// `O(n)` for `n` transitions, of which there are 255 at most.
    pub fn step(self, cursor: Cursor, byte: u8) -> Cursor {
        if cursor.is_final() {
            return cursor;
        }
        if let Some(next) = self.step_by_transition(cursor, byte) {
            return next;
        }
        let otherwise = Cursor::at(self.otherwise(cursor.record));
        if otherwise.is_final() || otherwise.record == cursor.record {
            return otherwise;
        }
        self.step_by_transition(otherwise, byte).unwrap_or(otherwise)
    }

    /// Adds the bytes that the state distinguishes. All others lead to the same state.
    pub fn add_bytes(self, cursor: Cursor, set: &mut ByteSet) {
        if cursor.is_final() {
            return;
        }
        self.add_transition_bytes(cursor, set);
        if self.head(cursor.record).kind() == WAIT {
            return;
        }
        // A byte without a transition is read again by `otherwise`, which is a wait.
        let otherwise = Cursor::at(self.otherwise(cursor.record));
        if !otherwise.is_final() {
            self.add_transition_bytes(otherwise, set);
        }
    }

    fn add_transition_bytes(self, cursor: Cursor, set: &mut ByteSet) {
        if self.head(cursor.record).kind() == LITERAL {
            set.add(self.next_byte(cursor));
        } else {
            self.transition_bytes(cursor.record).iter().for_each(|byte| set.add(*byte));
        }
    }

    /// The number of bytes a state has transitions for.
    pub(super) fn transition_count(self, cursor: Cursor) -> usize {
        match self.head(cursor.record).kind() {
            LITERAL => 1,
            _ => self.count(cursor.record),
        }
    }

    /// Returns true if a condition holds for all transitions of a state: each one's byte, and the state it
    /// leads to.
    ///
    /// Stops at the first one for which it does not hold.
    pub(super) fn all_transitions(
        self,
        cursor: Cursor,
        mut condition: impl FnMut(u8, Cursor) -> bool,
    ) -> bool {
        if self.head(cursor.record).kind() == LITERAL {
            return condition(self.next_byte(cursor), self.after_next_byte(cursor));
        }
        self.transitions(cursor.record).all(|(byte, target)| condition(byte, Cursor::at(target)))
    }

    /// The state that the transition on a byte leads to, if there is one.
    pub(super) fn step_by_transition(self, cursor: Cursor, byte: u8) -> Option<Cursor> {
        let record = cursor.record;
        if self.head(record).kind() == LITERAL {
            return (self.next_byte(cursor) == byte).then(|| self.after_next_byte(cursor));
        }
        let index = memchr::memchr(byte, self.transition_bytes(record))?;
        Some(Cursor::at(self.target(record, index)))
    }

    /// The byte that a literal compares next.
    fn next_byte(self, cursor: Cursor) -> u8 {
        self.literal_byte(cursor.record, usize::from(cursor.matched))
    }

    /// The state that [`RawTable::next_byte`] leads to.
    fn after_next_byte(self, cursor: Cursor) -> Cursor {
        let Cursor { record, matched } = cursor;
        if usize::from(matched) + 1 < self.count(record) {
            Cursor { record, matched: matched + 1 }
        } else {
            Cursor::at(self.then(record))
        }
    }
}
