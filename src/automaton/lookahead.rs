//! Computes the filters of waits and the entries of a table from its records.
//!
//! Both let the walk compare several bytes at once. They rest on one observation: a state
//! without a transition for the next byte fails to a wait (or to a verdict). Where several
//! states in a row all fail to the same wait, it does not matter which of them fails: the walk
//! continues at that wait in any case.
//!
//! There is one trap. The walk continues at the wait after the *first* of those bytes, whereas
//! the automaton would continue there after the last. So the wait also reads the bytes in
//! between, and one of them may lead it elsewhere. [`RawTable::is_same_as_wait`] says whether
//! that could make a difference.

use crate::automaton::cursor::Cursor;
use crate::automaton::table::format::{
    Entry, FilterForm, MAX_FILTER_LEN, NO_PEEK, PADDING, PREFIX_LEN, RawTable, WAIT, header_len,
};

/// The maximal number of entries. The walk compares eight at once.
const MAX_ENTRIES: usize = 64;
/// Tables whose records have fewer bytes than this have no entries, because the walk loads 32 bytes
/// at the first prefix: four of the prefix, three of its skip and target, the records, the padding.
/// The first two are more if there are more entries; at each later eighth prefix, those in front of
/// it have skips and targets of 24 bytes and more.
const MIN_RECORDS: usize = 32 - PREFIX_LEN - 1 - 2 - PADDING;
/// The maximal number of transitions looked at for one filter. Those of the wait that are left
/// then accept any bytes. Real files need fewer; the limit bounds what hostile ones cost.
const FILTER_TRANSITIONS: usize = 4096;
/// The maximal number of transitions looked at for all filters and entries of a table, for each
/// byte of its records. The tables of real files take up to 1.5, generated ones up to 5.
const WORK_PER_BYTE: usize = 8;

/// The number of transitions that may still be looked at. Filters and entries are part of a table's format,
/// so the writer and [`RawTable::validate`] give up at the same place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    left: usize,
}

impl Work {
    /// For the filters of a table, in the order of its waits, and then for its entries.
    pub(super) fn of(table: RawTable<'_>) -> Work {
        Work { left: table.records_end().saturating_mul(WORK_PER_BYTE) }
    }

    /// Takes up to `most` of it away, as a part of its own.
    fn part(&mut self, most: usize) -> Work {
        let part = Work { left: self.left.min(most) };
        self.left -= part.left;
        part
    }

    /// Puts back what is left of a part.
    fn put_back(&mut self, part: Work) {
        self.left += part.left;
    }

    /// Returns true if so many more transitions may be looked at.
    fn spend(&mut self, transitions: usize) -> bool {
        match self.left.checked_sub(transitions) {
            Some(left) => self.left = left,
            None => return false,
        }
        true
    }
}

/// A search for entries with prefixes of one length.
struct Search<'s> {
    /// Where the start fails to.
    missed: u32,
    max_len: usize,
    entries: &'s mut Vec<Entry>,
    work: &'s mut Work,
}

/// A set of bytes as the walk looks it up: the low and the high four bits of its members, each
/// as a set of bits. The set holds every byte that combines a low and a high half.
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

impl RawTable<'_> {
    /// Returns true if a walk at `resumed` decides like one at the wait.
    ///
    /// This is the situation after `state` failed to the wait: the automaton is at the wait,
    /// while the walk has gone back there and read the bytes that led to `state` once more,
    /// which brought it to `resumed`. It makes no difference if every byte that `state` has no
    /// transition for leads both to the same state.
    fn is_same_as_wait(self, state: Cursor, resumed: Cursor, wait: u32) -> bool {
        if resumed == Cursor::at(wait) {
            return true;
        }
        if resumed.is_final() || self.otherwise(resumed.record()) != wait {
            return false;
        }
        self.all_transitions(resumed, |byte, to| {
            self.step_by_transition(state, byte).is_some()
                || self.step(Cursor::at(wait), byte) == to
        })
    }

    /// The filter of a wait, which has as many bytes as [`FilterForm::len`] says.
    pub(super) fn filter(self, wait: u32, work: &mut Work) -> [u8; MAX_FILTER_LEN] {
        let mut filter = [0; MAX_FILTER_LEN];
        let count = self.count(wait);
        let form = FilterForm::of(count);
        let mut left = work.part(FILTER_TRANSITIONS);
        for (index, (byte, to)) in self.transitions(wait).enumerate() {
            let mut sets = [Nibbles::default(); 3];
            sets[0].add(byte);
            let following = &mut sets[1..];
            if !self.collect_following(Cursor::at(to), Cursor::at(wait), wait, following, &mut left)
            {
                following.fill(Nibbles::ALL);
            }
            let bit: u8 = 1 << if count <= 8 { index } else { index * 8 / count };
            let tables = sets.iter().flat_map(|set| [set.low, set.high]);
            for ((mut members, offset), shift) in tables.zip(form.offsets).zip(form.shifts) {
                let table = &mut filter[usize::from(offset)..][..16];
                while members != 0 {
                    table[members.trailing_zeros() as usize] |= bit << shift;
                    members &= members - 1;
                }
            }
        }
        work.put_back(left);
        filter
    }

    /// Adds to `sets`, one for each byte in a row, the bytes with which `state` does not fail to
    /// the wait. `resumed` is where the wait itself has come to by the same bytes. Returns
    /// `false` if there are more transitions than `left`.
    fn collect_following(
        self,
        state: Cursor,
        resumed: Cursor,
        wait: u32,
        sets: &mut [Nibbles],
        left: &mut Work,
    ) -> bool {
        let Some((set, following)) = sets.split_first_mut() else { return true };
        if state.is_final() || state.record() == wait || self.otherwise(state.record()) != wait {
            sets.fill(Nibbles::ALL);
            return true;
        }
        let count = self.transition_count(state);
        let resumed_count = if resumed.is_final() { 0 } else { self.transition_count(resumed) };
        if !left.spend(count + resumed_count) {
            return false;
        }
        if !self.is_same_as_wait(state, resumed, wait) {
            sets.fill(Nibbles::ALL);
            return true;
        }
        self.all_transitions(state, |byte, to| {
            set.add(byte);
            following.is_empty()
                || self.collect_following(to, self.step(resumed, byte), wait, following, left)
        })
    }

    /// Finds the entries of a table.
    ///
    /// Prefixes have four bytes, or fewer if that makes too many entries or takes too much work.
    pub(super) fn entries(self, entries: &mut Vec<Entry>, work: &mut Work) {
        entries.clear();
        let start = self.first_cursor();
        if start.is_final() || self.head(start.record()).kind() == WAIT {
            return;
        }
        if self.records_end() - header_len(self.width()) < MIN_RECORDS {
            return;
        }
        let missed = self.missed();
        for len in (2..=PREFIX_LEN).rev() {
            let empty = ([NO_PEEK; PREFIX_LEN], 0);
            let search = &mut Search { missed, max_len: len, entries, work };
            if self.add_entries(start, Cursor::at(missed), empty, search) {
                return;
            }
            entries.clear();
        }
    }

    /// Adds the entries whose prefix begins with the first `len` bytes of `prefix`, which lead
    /// to `state`. Returns `false` if there are too many, if one has an empty prefix, or if it
    /// takes too much work.
    fn add_entries(
        self,
        state: Cursor,
        resumed: Cursor,
        (prefix, len): ([u8; PREFIX_LEN], usize),
        search: &mut Search<'_>,
    ) -> bool {
        let missed = search.missed;
        // A branch without transitions adds no entry, so the number of entries alone would not
        // bound how often one is reached.
        let count =
            |cursor: Cursor| if cursor.is_final() { 0 } else { self.transition_count(cursor) };
        if !search.work.spend(1 + count(state) + count(resumed)) {
            return false;
        }
        let goes_on = len < search.max_len
            && !state.is_final()
            && state.record() != missed
            && self.otherwise(state.record()) == missed
            && (missed < 2 || self.is_same_as_wait(state, resumed, missed))
            // Special bytes (the `%` of an escape) are left to the record.
            && self.all_transitions(state, |byte, _| !self.encoding().is_special(byte));
        if goes_on {
            return self.all_transitions(state, |byte, to| {
                let mut prefix = prefix;
                prefix[len] = byte;
                let resumed = if missed < 2 { resumed } else { self.step(resumed, byte) };
                self.add_entries(to, resumed, (prefix, len + 1), search)
            });
        }
        if len == 0 || search.entries.len() == MAX_ENTRIES {
            return false;
        }
        // A literal in whose middle the prefix ends is compared from its first byte on.
        let skip = len as u8 - state.matched();
        search.entries.push(Entry { prefix, skip, target: state.record() });
        true
    }
}
