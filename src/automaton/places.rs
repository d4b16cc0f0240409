//! A table read octet by octet: for who compares two of them, not for who wants a verdict.
//!
//! A [`Place`] is a state of the DFA: a record, and of a literal how many octets it has seen.
//! Here the octets are normalised ones; what begins every target, its first `/`, has been
//! read at the start.

use crate::automaton::lookahead::Place;
use crate::automaton::table::{Table, WAIT};
use crate::decision::Verdict;

/// A set of octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OctetSet([u64; 4]);

impl OctetSet {
    pub(crate) fn add(&mut self, octet: u8) {
        self.0[usize::from(octet >> 6)] |= 1 << (octet & 63);
    }

    pub(crate) fn has(&self, octet: u8) -> bool {
        self.0[usize::from(octet >> 6)] >> (octet & 63) & 1 != 0
    }
}

impl Table<'_> {
    /// Where a target begins, behind its first `/`.
    pub(crate) fn first_place(self) -> Place {
        Place::at(self.start())
    }

    /// The verdict on a target that ends here.
    pub(crate) fn verdict_at(self, place: Place) -> Verdict {
        match place.record {
            0 => Verdict::Allow,
            1 => Verdict::Disallow,
            record => self.head(record).at_end(),
        }
    }

    /// Adds the octets that lead elsewhere than most do; all others lead to one place.
    pub(crate) fn add_octets(self, place: Place, set: &mut OctetSet) {
        if place.is_final() {
            return;
        }
        (0..self.exit_count(place)).for_each(|exit| set.add(self.exit(place, exit).0));
        if self.head(place.record).kind() == WAIT {
            return;
        }
        // An octet that is not looked for is read again behind `otherwise`, which is a wait.
        let failing = Place::at(self.failing(place.record));
        if !failing.is_final() {
            (0..self.exit_count(failing)).for_each(|exit| set.add(self.exit(failing, exit).0));
        }
    }
}
