//! Stepping through a table byte by byte, for `lookahead` and for `diff`, which steps two
//! tables in lockstep. The walk is faster.
//!
//! A [`Cursor`] is a state of the DFA: a record and, in a literal, how many of its bytes have
//! matched. It reads normalised bytes, from the one after the first `/`.

use std::cmp::Ordering;

use crate::automaton::table::format::{LAST_FINAL, LITERAL, RawTable, WAIT};
use crate::verdict::Verdict;

/// A state: a record and, in a literal, how many of its bytes have matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cursor {
    record: u32,
    matched: u8,
}

impl Cursor {
    /// The state in which a record begins, or the final state of a verdict.
    pub(super) fn at(target: u32) -> Cursor {
        Cursor { record: target, matched: 0 }
    }

    pub(crate) fn is_final(self) -> bool {
        self.record <= LAST_FINAL
    }

    /// The record, or the verdict if the cursor is final.
    pub(super) fn record(self) -> u32 {
        self.record
    }

    /// How many bytes of a literal have matched.
    pub(super) fn matched(self) -> u8 {
        self.matched
    }
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(crate) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
    }
}

impl RawTable<'_> {
    /// The state after the first `/`.
    pub(crate) fn first_cursor(self) -> Cursor {
        Cursor::at(self.start())
    }

    /// The verdict on a haystack that ends here.
    pub(crate) fn verdict_at(self, cursor: Cursor) -> Verdict {
        match cursor.record {
            0 => Verdict::Allow,
            1 => Verdict::Disallow,
            record => self.head(record).at_end(),
        }
    }

    /// The state that a byte leads to.
    ///
    /// `O(log n)` for `n` transitions.
    pub(crate) fn step(self, cursor: Cursor, byte: u8) -> Cursor {
        if cursor.is_final() {
            return cursor;
        }
        if let Some(next) = self.step_on_transition(cursor, byte) {
            return next;
        }
        let otherwise = Cursor::at(self.otherwise(cursor.record));
        if otherwise.is_final() || otherwise.record == cursor.record {
            return otherwise;
        }
        self.step_on_transition(otherwise, byte).unwrap_or(otherwise)
    }

    /// Adds the bytes that the state distinguishes. All others lead to the same state.
    pub(crate) fn add_bytes(self, cursor: Cursor, set: &mut ByteSet) {
        if cursor.is_final() {
            return;
        }
        self.transitions(cursor).for_each(|(byte, _)| set.add(byte));
        if self.head(cursor.record).kind() == WAIT {
            return;
        }
        // A byte without a transition is read again by `otherwise`, which is a wait.
        let otherwise = Cursor::at(self.otherwise(cursor.record));
        if !otherwise.is_final() {
            self.transitions(otherwise).for_each(|(byte, _)| set.add(byte));
        }
    }

    /// How many bytes a state has transitions for.
    pub(super) fn transition_count(self, cursor: Cursor) -> usize {
        match self.head(cursor.record).kind() {
            LITERAL => 1,
            _ => self.count(cursor.record),
        }
    }

    /// The byte of a transition, and the state it leads to.
    pub(super) fn transition(self, cursor: Cursor, index: usize) -> (u8, Cursor) {
        let Cursor { record, matched } = cursor;
        if self.head(record).kind() != LITERAL {
            return (self.byte(record, index), Cursor::at(self.target(record, index)));
        }
        let next = matched + 1;
        let to = if usize::from(next) < self.count(record) {
            Cursor { record, matched: next }
        } else {
            Cursor::at(self.then(record))
        };
        (self.byte(record, usize::from(matched)), to)
    }

    /// The transitions of a state, by byte in ascending order.
    pub(super) fn transitions(self, cursor: Cursor) -> impl Iterator<Item = (u8, Cursor)> {
        (0..self.transition_count(cursor)).map(move |index| self.transition(cursor, index))
    }

    /// The state that the transition on a byte leads to, if there is one.
    pub(super) fn step_on_transition(self, cursor: Cursor, byte: u8) -> Option<Cursor> {
        let (mut from, mut to) = (0, self.transition_count(cursor));
        while from < to {
            let middle = from.midpoint(to);
            let (found, next) = self.transition(cursor, middle);
            match found.cmp(&byte) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Some(next),
                Ordering::Greater => to = middle,
            }
        }
        None
    }
}
