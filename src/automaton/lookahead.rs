//! What the next bytes tell without a visit to the records: the filters of waits and the
//! entries of a table, computed from its records.
//!
//! Both rest on one thought. A state fails to a wait (or to a verdict) when no byte that it
//! looks for comes. Where several states in a row would all fail to the same one, only the
//! last of them needs to be found to fail: so some bytes can be compared at once, and where
//! they do not fit, the walk is where it would have come to anyway.
//!
//! With one thing to be careful about: the walk then goes on with the wait behind the *first*
//! of those bytes, not behind the last, so the wait reads the others too, and one of them may
//! lead it elsewhere. That must make no difference: [`Table::resumes`] says whether it does.

use std::cmp::Ordering;

use crate::automaton::table::{LITERAL, NO_PEEK, OTHERWISE_TARGET, THEN_BEHIND, Table, WAIT};

/// Bytes of a filter: for each of three bytes in a row a table by its low and one by its
/// high four bits.
pub(super) const FILTER_LEN: usize = 6 * 16;
/// Bytes of an entry's prefix.
pub(super) const PREFIX_LEN: usize = 4;
/// So many entries at most: eight are compared at once.
pub(super) const MAX_ENTRIES: usize = 64;
/// So many exits are looked at for one filter; those of the wait for which none are left take
/// all bytes. Real files need less; it bounds what hostile ones cost.
const FILTER_EXITS: usize = 4096;

/// What the start of a table leads to by up to four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Filled up with `#`.
    pub(super) prefix: [u8; PREFIX_LEN],
    /// How many bytes lie before those that the target reads: less than the prefix has
    /// where the target is a literal that begins within it.
    pub(super) skip: u8,
    pub(super) target: u32,
}

/// A state: a record, and of a literal how many bytes it has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cursor {
    pub(super) record: u32,
    seen: u8,
}

impl Cursor {
    pub(super) fn at(record: u32) -> Cursor {
        Cursor { record, seen: 0 }
    }

    pub(crate) fn is_final(self) -> bool {
        self.record < 2
    }
}

/// A set of bytes as the walk can ask for it: by low and by high four bits, as bits.
#[derive(Clone, Copy, Default)]
struct Nibbles {
    low: u16,
    high: u16,
}

impl Nibbles {
    const ALL: Nibbles = Nibbles { low: u16::MAX, high: u16::MAX };

    fn add(&mut self, byte: u8) {
        self.low |= 1 << (byte & 15);
        self.high |= 1 << (byte >> 4);
    }
}

impl Table<'_> {
    /// How many bytes a state looks for.
    pub(super) fn exit_count(self, place: Cursor) -> usize {
        match self.head(place.record).kind() {
            LITERAL => 1,
            _ => self.count(place.record),
        }
    }

    /// A byte that a state looks for, and where it leads. They ascend.
    pub(super) fn exit(self, place: Cursor, exit: usize) -> (u8, Cursor) {
        let Cursor { record, seen } = place;
        let bytes = self.exit_bytes(record);
        if self.head(record).kind() != LITERAL {
            let at = bytes + 2 * self.count(record) + self.width() * exit;
            return (self.bytes[bytes + exit], Cursor::at(self.target_at(at)));
        }
        let next = seen + 1;
        let to = if usize::from(next) < self.count(record) {
            Cursor { record, seen: next }
        } else {
            Cursor::at(self.then(record))
        };
        (self.bytes[bytes + usize::from(seen)], to)
    }

    pub(super) fn head(self, record: u32) -> super::table::Head {
        super::table::Head(self.bytes[record as usize])
    }

    /// Bytes of a literal, or exits.
    fn count(self, record: u32) -> usize {
        usize::from(self.bytes[record as usize + 1])
    }

    /// Where the bytes of a literal or of the exits begin.
    fn exit_bytes(self, record: u32) -> usize {
        let filter = if self.head(record).kind() == WAIT { FILTER_LEN } else { 0 };
        record as usize + 2 + filter
    }

    fn target_at(self, at: usize) -> u32 {
        super::table::number(&self.bytes[at..at + self.width()])
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

    /// Where a state leads by a byte that it does not look for; a wait stays.
    pub(super) fn failing(self, record: u32) -> u32 {
        let head = self.head(record);
        let behind = self.exit_bytes(record);
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

    /// Where a state leads by a byte that it looks for.
    fn found(self, place: Cursor, byte: u8) -> Option<Cursor> {
        let (mut from, mut to) = (0, self.exit_count(place));
        while from < to {
            let middle = from.midpoint(to);
            let (found, place) = self.exit(place, middle);
            match found.cmp(&byte) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Some(place),
                Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// Where a state leads by a byte.
    pub(crate) fn step(self, place: Cursor, byte: u8) -> Cursor {
        if place.is_final() {
            return place;
        }
        if let Some(to) = self.found(place, byte) {
            return to;
        }
        let failing = Cursor::at(self.failing(place.record));
        if failing.is_final() || failing.record == place.record {
            return failing;
        }
        self.found(failing, byte).unwrap_or(failing)
    }

    /// Whether a wait that has read some bytes and come to `resumed` is, where `place` fails
    /// to it, as good as one that has read none of them.
    ///
    /// That is so if whatever `place` does not look for leads both to the same state.
    fn resumes(self, place: Cursor, resumed: Cursor, wait: u32) -> bool {
        if resumed == Cursor::at(wait) {
            return true;
        }
        if resumed.is_final() || self.failing(resumed.record) != wait {
            return false;
        }
        (0..self.exit_count(resumed)).all(|exit| {
            let (byte, to) = self.exit(resumed, exit);
            self.found(place, byte).is_some() || self.step(Cursor::at(wait), byte) == to
        })
    }

    /// The filter of a wait.
    pub(super) fn filter(self, wait: u32) -> [u8; FILTER_LEN] {
        let mut filter = [0; FILTER_LEN];
        let exits = self.exit_count(Cursor::at(wait));
        let mut left = FILTER_EXITS;
        for exit in 0..exits {
            let (byte, to) = self.exit(Cursor::at(wait), exit);
            let mut sets = [Nibbles::default(); 3];
            sets[0].add(byte);
            let behind = &mut sets[1..];
            if !self.follow(to, Cursor::at(wait), wait, behind, &mut left) {
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

    /// Adds to `sets`, one for each byte in a row, those with which a state does not fail to
    /// the wait. `resumed` is where the wait itself has come to. `false`: too many exits.
    fn follow(
        self,
        place: Cursor,
        resumed: Cursor,
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
            let (byte, to) = self.exit(place, exit);
            set.add(byte);
            behind.is_empty() || self.follow(to, self.step(resumed, byte), wait, behind, left)
        })
    }

    /// Finds the entries of a table, and where the walk is when none fits: 0 where there are
    /// none. With prefixes of four bytes, or of fewer where that makes too many.
    pub(super) fn entries(self, entries: &mut Vec<Entry>) -> u32 {
        entries.clear();
        let start = Cursor::at(self.start());
        if start.is_final() || self.head(start.record).kind() == WAIT {
            return 0;
        }
        let missed = self.failing(start.record);
        for len in (2..=PREFIX_LEN).rev() {
            let none = ([NO_PEEK; PREFIX_LEN], 0);
            if self.enter(start, Cursor::at(missed), missed, none, len, entries) {
                return missed;
            }
            entries.clear();
        }
        0
    }

    /// Adds the entries with a prefix, of which `len` bytes are set. `false`: too many, or
    /// one without a prefix.
    fn enter(
        self,
        place: Cursor,
        resumed: Cursor,
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
            // A special byte (the `%` of an escape) is the record's own affair.
            && !(0..self.exit_count(place))
                .any(|exit| self.encoding.is_special(self.exit(place, exit).0));
        if goes_on {
            return (0..self.exit_count(place)).all(|exit| {
                let (byte, to) = self.exit(place, exit);
                let mut prefix = prefix;
                prefix[len] = byte;
                let resumed = if missed < 2 { resumed } else { self.step(resumed, byte) };
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
