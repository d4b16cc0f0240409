//! A table read byte by byte: for who compares two of them, not for who wants a verdict.
//!
//! A [`Cursor`] is a state of the DFA: a record, and of a literal how many bytes it has seen.
//! Here the bytes are normalised ones; what begins every target, its first `/`, has been
//! read at the start.

use crate::automaton::lookahead::Cursor;
use crate::automaton::table::{Table, WAIT};
use crate::verdict::Verdict;

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

impl Table<'_> {
    /// Where a target begins, behind its first `/`.
    pub(crate) fn first_place(self) -> Cursor {
        Cursor::at(self.start())
    }

    /// The verdict on a target that ends here.
    pub(crate) fn verdict_at(self, place: Cursor) -> Verdict {
        match place.record {
            0 => Verdict::Allow,
            1 => Verdict::Disallow,
            record => self.head(record).at_end(),
        }
    }

    /// Adds the bytes that lead elsewhere than most do; all others lead to one place.
    pub(crate) fn add_bytes(self, place: Cursor, set: &mut ByteSet) {
        if place.is_final() {
            return;
        }
        (0..self.exit_count(place)).for_each(|exit| set.add(self.exit(place, exit).0));
        if self.head(place.record).kind() == WAIT {
            return;
        }
        // A byte that is not looked for is read again behind `otherwise`, which is a wait.
        let failing = Cursor::at(self.failing(place.record));
        if !failing.is_final() {
            (0..self.exit_count(failing)).for_each(|exit| set.add(self.exit(failing, exit).0));
        }
    }
}
