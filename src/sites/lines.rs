//! The index of a set: lines that grow.

use super::layout::{
    FREE, LINE_LEN, Matches, PLACES, REMOVED, SLOTS, home, lines_for, place_of, slot, slots,
};
use crate::read_ahead;

/// Lines behind those that a hash names, so that the last of these may be full too.
const BEHIND: usize = 64;

/// An index of entries by hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// Where the first line begins: at a cache line of its own.
    at: usize,
    /// The lines that a hash names.
    count: u64,
    /// Slots that are not free.
    taken: usize,
}

impl Lines {
    /// So many lines that a hash names.
    fn new(count: u64) -> Lines {
        let len = (count as usize + BEHIND) * LINE_LEN;
        let bytes = vec![0; len + LINE_LEN];
        let at = bytes.as_ptr().align_offset(LINE_LEN).min(LINE_LEN);
        Lines { bytes, at, count, taken: 0 }
    }

    #[inline]
    fn lines(&self) -> &[[u8; LINE_LEN]] {
        match self.count {
            0 => &[],
            count => {
                let len = (count as usize + BEHIND) * LINE_LEN;
                self.bytes[self.at..][..len].as_chunks().0
            }
        }
    }

    fn lines_mut(&mut self) -> &mut [[u8; LINE_LEN]] {
        let len = (self.count as usize + BEHIND) * LINE_LEN;
        self.bytes[self.at..][..len].as_chunks_mut().0
    }

    /// Prefetches the line that a hash names.
    #[inline]
    pub(super) fn read_ahead(&self, hash: u64) {
        read_ahead::at(&self.bytes, self.at + home(hash, self.count) as usize * LINE_LEN);
    }

    /// The places of the entries that may have this hash.
    #[inline]
    pub(super) fn candidates(&self, hash: u64) -> impl Iterator<Item = u64> {
        let lines = self.lines();
        let lines = lines.get(home(hash, self.count) as usize..).unwrap_or_default();
        let mut is_over = false;
        lines
            .iter()
            .map_while(move |line| {
                let matches = Matches::of(line, hash);
                (!std::mem::replace(&mut is_over, !matches.is_full)).then_some(matches)
            })
            .flatten()
    }

    /// The places of all entries.
    pub(super) fn places(&self) -> impl Iterator<Item = u64> {
        let slots = self.lines().iter().flat_map(slots);
        slots.filter(|slot| *slot != FREE && *slot != REMOVED).map(place_of)
    }

    /// Adds an entry that is not there. `hash_of` returns the hash of any other that is.
    ///
    /// # Panics
    /// Panics if there is no such place in a slot.
    pub(super) fn insert(&mut self, hash: u64, place: u64, hash_of: impl Fn(u64) -> u64) {
        assert!(place < PLACES, "4 TiB of names at most");
        let most = |count: u64| count as usize * SLOTS * 3 / 5;
        let mut count = self.count;
        loop {
            if self.taken < most(self.count) && self.try_insert(hash, place) {
                return;
            }
            // Twice as many lines as those in use need, unless that has just been tried.
            let live = self.places().count() as u64;
            count = (2 * count).max(2 * lines_for(live + 1));
            let old = std::mem::replace(self, Lines::new(count));
            if !old.places().all(|place| self.try_insert(hash_of(place), place)) {
                *self = old;
            }
        }
    }

    /// Adds an entry. Returns `false` if all lines where it may be are full.
    fn try_insert(&mut self, hash: u64, place: u64) -> bool {
        let home = home(hash, self.count) as usize;
        for line in &mut self.lines_mut()[home..=home + BEHIND - 1] {
            let free = slots(line).iter().position(|slot| *slot == FREE || *slot == REMOVED);
            let Some(free) = free else { continue };
            let was_free = slots(line)[free] == FREE;
            line[8 * free..][..8].copy_from_slice(&slot(hash, place).to_le_bytes());
            self.taken += usize::from(was_free);
            return true;
        }
        false
    }

    /// Removes an entry that is there.
    pub(super) fn remove(&mut self, hash: u64, place: u64) {
        let home = home(hash, self.count) as usize;
        let wanted = slot(hash, place);
        for line in &mut self.lines_mut()[home..] {
            if let Some(at) = slots(line).iter().position(|slot| *slot == wanted) {
                line[8 * at..][..8].copy_from_slice(&REMOVED.to_le_bytes());
                return;
            }
        }
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.bytes.capacity()
    }
}
