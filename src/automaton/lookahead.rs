//! What the next octets tell without a visit to the records: the filters of waits and the
//! entries of a table, computed from its records.
//!
//! Both rest on one thought. A state fails to a wait (or to a verdict) when no octet that it
//! looks for comes. Where several states in a row would all fail to the same one, only the
//! last of them needs to be found to fail: so some octets can be compared at once, and where
//! they do not fit, the walk is where it would have come to anyway.
//!
//! With one thing to be careful about: the walk then goes on with the wait behind the *first*
//! of those octets, not behind the last, so the wait reads the others too, and one of them may
//! lead it elsewhere. That must make no difference: [`Table::resumes`] says whether it does.

use std::cmp::Ordering;

use crate::automaton::table::{LITERAL, NO_PEEK, OTHERWISE_TARGET, THEN_BEHIND, Table, WAIT};

/// Octets of a filter: for each of three octets in a row a table by its low and one by its
/// high four bits.
pub(super) const FILTER_LEN: usize = 6 * 16;
/// Octets of an entry's prefix.
pub(super) const PREFIX_LEN: usize = 4;
/// So many entries at most: eight are compared at once.
pub(super) const MAX_ENTRIES: usize = 64;
/// So many exits are looked at for one filter; those of the wait for which none are left take
/// all octets. Real files need less; it bounds what hostile ones cost.
const FILTER_EXITS: usize = 4096;

/// What the start of a table leads to by up to four octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Filled up with `#`.
    pub(super) prefix: [u8; PREFIX_LEN],
    /// How many octets lie before those that the target reads: less than the prefix has
    /// where the target is a literal that begins within it.
    pub(super) skip: u8,
    pub(super) target: u32,
}

/// A state: a record, and of a literal how many octets it has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(super) record: u32,
    seen: u8,
}

impl Place {
    pub(super) fn at(record: u32) -> Place {
        Place { record, seen: 0 }
    }

    pub(crate) fn is_final(self) -> bool {
        self.record < 2
    }
}

/// A set of octets as the walk can ask for it: by low and by high four bits, as bits.
#[derive(Clone, Copy, Default)]
struct Nibbles {
    low: u16,
    high: u16,
}

impl Nibbles {
    const ALL: Nibbles = Nibbles { low: u16::MAX, high: u16::MAX };

    fn add(&mut self, octet: u8) {
        self.low |= 1 << (octet & 15);
        self.high |= 1 << (octet >> 4);
    }
}

impl Table<'_> {
    /// How many octets a state looks for.
    pub(super) fn exit_count(self, place: Place) -> usize {
        match self.head(place.record).kind() {
            LITERAL => 1,
            _ => self.count(place.record),
        }
    }

    /// An octet that a state looks for, and where it leads. They ascend.
    pub(super) fn exit(self, place: Place, exit: usize) -> (u8, Place) {
        let Place { record, seen } = place;
        let octets = self.exit_octets(record);
        if self.head(record).kind() != LITERAL {
            let at = octets + 2 * self.count(record) + self.width() * exit;
            return (self.octets[octets + exit], Place::at(self.target_at(at)));
        }
        let next = seen + 1;
        let to = if usize::from(next) < self.count(record) {
            Place { record, seen: next }
        } else {
            Place::at(self.then(record))
        };
        (self.octets[octets + usize::from(seen)], to)
    }

    pub(super) fn head(self, record: u32) -> super::table::Head {
        super::table::Head(self.octets[record as usize])
    }

    /// Octets of a literal, or exits.
    fn count(self, record: u32) -> usize {
        usize::from(self.octets[record as usize + 1])
    }

    /// Where the octets of a literal or of the exits begin.
    fn exit_octets(self, record: u32) -> usize {
        let filter = if self.head(record).kind() == WAIT { FILTER_LEN } else { 0 };
        record as usize + 2 + filter
    }

    fn target_at(self, at: usize) -> u32 {
        super::table::number(&self.octets[at..at + self.width()])
    }

    /// Where a literal leads.
    fn then(self, record: u32) -> u32 {
        let head = self.head(record);
        let behind = record as usize + 2 + self.count(record);
        match head.then() {
            THEN_BEHIND => (behind + head.targets_len(self.width())) as u32,
            super::table::THEN_TARGET => self.target_at(behind),
            verdict => u32::from(verdict - 1),
        }
    }

    /// Where a state leads by an octet that it does not look for; a wait stays.
    pub(super) fn failing(self, record: u32) -> u32 {
        let head = self.head(record);
        let behind = self.exit_octets(record);
        match (head.kind(), head.otherwise()) {
            (WAIT, _) => record,
            (LITERAL, OTHERWISE_TARGET) => {
                self.target_at(behind + self.count(record) + head.then_len(self.width()))
            }
            (_, OTHERWISE_TARGET) => {
                self.target_at(behind + (2 + self.width()) * self.count(record))
            }
            (_, verdict) => u32::from(verdict),
        }
    }

    /// Where a state leads by an octet that it looks for.
    fn found(self, place: Place, octet: u8) -> Option<Place> {
        let (mut from, mut to) = (0, self.exit_count(place));
        while from < to {
            let middle = from.midpoint(to);
            let (found, place) = self.exit(place, middle);
            match found.cmp(&octet) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Some(place),
                Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// Where a state leads by an octet.
    pub(crate) fn step(self, place: Place, octet: u8) -> Place {
        if place.is_final() {
            return place;
        }
        if let Some(to) = self.found(place, octet) {
            return to;
        }
        let failing = Place::at(self.failing(place.record));
        if failing.is_final() || failing.record == place.record {
            return failing;
        }
        self.found(failing, octet).unwrap_or(failing)
    }

    /// Whether a wait that has read some octets and come to `resumed` is, where `place` fails
    /// to it, as good as one that has read none of them.
    ///
    /// That is so if whatever `place` does not look for leads both to the same state.
    fn resumes(self, place: Place, resumed: Place, wait: u32) -> bool {
        if resumed == Place::at(wait) {
            return true;
        }
        if resumed.is_final() || self.failing(resumed.record) != wait {
            return false;
        }
        (0..self.exit_count(resumed)).all(|exit| {
            let (octet, to) = self.exit(resumed, exit);
            self.found(place, octet).is_some() || self.step(Place::at(wait), octet) == to
        })
    }

    /// The filter of a wait.
    pub(super) fn filter(self, wait: u32) -> [u8; FILTER_LEN] {
        let mut filter = [0; FILTER_LEN];
        let exits = self.exit_count(Place::at(wait));
        let mut left = FILTER_EXITS;
        for exit in 0..exits {
            let (octet, to) = self.exit(Place::at(wait), exit);
            let mut sets = [Nibbles::default(); 3];
            sets[0].add(octet);
            let behind = &mut sets[1..];
            if !self.follow(to, Place::at(wait), wait, behind, &mut left) {
                behind.fill(Nibbles::ALL);
            }
            let bit = 1 << if exits <= 8 { exit } else { exit * 8 / exits };
            for (set, tables) in sets.iter().zip(filter.chunks_exact_mut(32)) {
                let (low, high) = tables.split_at_mut(16);
                for (bits, table) in [(set.low, low), (set.high, high)] {
                    for (nibble, bits_of) in table.iter_mut().enumerate() {
                        if bits >> nibble & 1 != 0 {
                            *bits_of |= bit;
                        }
                    }
                }
            }
        }
        filter
    }

    /// Adds to `sets`, one for each octet in a row, those with which a state does not fail to
    /// the wait. `resumed` is where the wait itself has come to. `false`: too many exits.
    fn follow(
        self,
        place: Place,
        resumed: Place,
        wait: u32,
        sets: &mut [Nibbles],
        left: &mut usize,
    ) -> bool {
        let Some((set, behind)) = sets.split_first_mut() else { return true };
        if place.is_final() || place.record == wait || self.failing(place.record) != wait {
            sets.fill(Nibbles::ALL);
            return true;
        }
        let exits = self.exit_count(place);
        let resumed_exits = if resumed.is_final() { 0 } else { self.exit_count(resumed) };
        match left.checked_sub(exits + resumed_exits) {
            Some(fewer) => *left = fewer,
            None => return false,
        }
        if !self.resumes(place, resumed, wait) {
            sets.fill(Nibbles::ALL);
            return true;
        }
        (0..exits).all(|exit| {
            let (octet, to) = self.exit(place, exit);
            set.add(octet);
            behind.is_empty() || self.follow(to, self.step(resumed, octet), wait, behind, left)
        })
    }

    /// Finds the entries of a table, and where the walk is when none fits: 0 where there are
    /// none. With prefixes of four octets, or of fewer where that makes too many.
    pub(super) fn entries(self, entries: &mut Vec<Entry>) -> u32 {
        entries.clear();
        let start = Place::at(self.start());
        if start.is_final() || self.head(start.record).kind() == WAIT {
            return 0;
        }
        let missed = self.failing(start.record);
        for len in (2..=PREFIX_LEN).rev() {
            let none = ([NO_PEEK; PREFIX_LEN], 0);
            if self.enter(start, Place::at(missed), missed, none, len, entries) {
                return missed;
            }
            entries.clear();
        }
        0
    }

    /// Adds the entries with a prefix, of which `len` octets are set. `false`: too many, or
    /// one without a prefix.
    fn enter(
        self,
        place: Place,
        resumed: Place,
        missed: u32,
        (prefix, len): ([u8; PREFIX_LEN], usize),
        max_len: usize,
        entries: &mut Vec<Entry>,
    ) -> bool {
        let goes_on = len < max_len
            && !place.is_final()
            && place.record != missed
            && self.failing(place.record) == missed
            && (missed < 2 || self.resumes(place, resumed, missed))
            // A special octet (the `%` of an escape) is the record's own affair.
            && !(0..self.exit_count(place))
                .any(|exit| self.encoding.is_special(self.exit(place, exit).0));
        if goes_on {
            return (0..self.exit_count(place)).all(|exit| {
                let (octet, to) = self.exit(place, exit);
                let mut prefix = prefix;
                prefix[len] = octet;
                let resumed = if missed < 2 { resumed } else { self.step(resumed, octet) };
                self.enter(to, resumed, missed, (prefix, len + 1), max_len, entries)
            });
        }
        if len == 0 || entries.len() == MAX_ENTRIES {
            return false;
        }
        let skip = len as u8 - place.seen;
        entries.push(Entry { prefix, skip, target: place.record });
        true
    }
}
