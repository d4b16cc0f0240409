//! The index of a set: lines of entries, which grow.

use std::convert::Infallible;

use super::layout::{
    self, Entry, Key, LINE_LEN, Line, NO_RECORD, ROOM, entries, has_more, home, lines_for,
    set_more, used,
};
use crate::read_ahead;

/// Lines behind those that a hash names, so that the last of these may be full too.
const BEHIND: usize = 64;

/// Entries of a set have the number of a file.
const HAS_ABOUT: bool = true;

/// An index of entries by hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// Where the first line begins: at a cache line of its own.
    at: usize,
    /// The lines that a hash names.
    count: u64,
    /// The bytes of all entries.
    taken: u64,
}

/// Where an entry is: its line, and its offset there.
#[derive(Clone, Copy)]
pub(super) struct Place {
    line: usize,
    at: usize,
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
    fn lines(&self) -> &[Line] {
        match self.count {
            0 => &[],
            count => {
                let len = (count as usize + BEHIND) * LINE_LEN;
                self.bytes[self.at..][..len].as_chunks().0
            }
        }
    }

    fn lines_mut(&mut self) -> &mut [Line] {
        match self.count {
            0 => &mut [],
            count => {
                let len = (count as usize + BEHIND) * LINE_LEN;
                self.bytes[self.at..][..len].as_chunks_mut().0
            }
        }
    }

    /// Prefetches the line that a hash names.
    #[inline]
    pub(super) fn read_ahead(&self, hash: u64) {
        read_ahead::at(&self.bytes, self.at + home(hash, self.count) as usize * LINE_LEN);
    }

    /// The entry of an origin, and its place. `long_name` returns the name that a record has.
    // So that only what the caller needs of an entry is read.
    #[inline(always)]
    pub(super) fn find<'l>(
        &'l self,
        key: &Key<'_>,
        long_name: impl Fn(u32) -> &'l [u8],
    ) -> Option<(Place, Entry<'l>)> {
        let from = home(key.hash, self.count) as usize;
        for (number, line) in (from..).zip(self.lines().get(from..)?) {
            let name = |record| Ok::<_, Infallible>(long_name(record));
            let Ok(found) = layout::find(line, key, HAS_ABOUT, name);
            if let Some((at, entry)) = found {
                return Some((Place { line: number, at }, entry));
            }
            if !has_more(line) {
                break;
            }
        }
        None
    }

    /// All entries.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.lines().iter().flat_map(|line| entries(line, HAS_ABOUT)).map(|(_, entry, _)| entry)
    }

    /// Adds an entry that is not there. `hash_of` returns the hash of any other that is.
    pub(super) fn insert(
        &mut self,
        hash: u64,
        entry: &Entry<'_>,
        hash_of: impl Fn(&Entry<'_>) -> u64,
    ) {
        let len = entry.bytes(HAS_ABOUT).len() as u64;
        let mut count = self.count;
        loop {
            // At most half of the bytes are in use.
            if lines_for(self.taken + len) <= self.count && self.try_insert(hash, entry) {
                return;
            }
            // Half as many lines again as are needed, unless that has just been tried.
            count = (count + count / 2).max(lines_for(self.taken + len) * 3 / 2);
            let old = std::mem::replace(self, Lines::new(count));
            if !old.entries().all(|entry| self.try_insert(hash_of(&entry), &entry)) {
                *self = old;
            }
        }
    }

    /// Adds an entry. Returns `false` if all lines where it may be are full.
    fn try_insert(&mut self, hash: u64, entry: &Entry<'_>) -> bool {
        let bytes = entry.bytes(HAS_ABOUT);
        let home = home(hash, self.count) as usize;
        let lines = &mut self.lines_mut()[home..home + BEHIND];
        let room = |line: &Line| ROOM - used(line, HAS_ABOUT) >= bytes.len();
        let Some(number) = lines.iter().position(room) else { return false };
        lines[..number].iter_mut().for_each(set_more);
        let at = used(&lines[number], HAS_ABOUT);
        lines[number][at..][..bytes.len()].copy_from_slice(&bytes);
        self.taken += bytes.len() as u64;
        true
    }

    /// Replaces an entry by another one of the same name.
    pub(super) fn replace(&mut self, Place { line, at }: Place, entry: &Entry<'_>) {
        let bytes = entry.bytes(HAS_ABOUT);
        self.lines_mut()[line][at..][..bytes.len()].copy_from_slice(&bytes);
    }

    /// Removes an entry.
    pub(super) fn remove(&mut self, Place { line, at }: Place) {
        let line = &mut self.lines_mut()[line];
        let Some((_, len)) = Entry::read(&line[at..ROOM], HAS_ABOUT) else { return };
        line.copy_within(at + len..ROOM, at);
        line[ROOM - len..ROOM].fill(0);
        self.taken -= len as u64;
    }

    /// Changes the records that entries lead to: that of the policies, and that of a long name.
    pub(super) fn move_records(&mut self, moved: impl Fn(u32) -> u32) {
        for line in self.lines_mut() {
            let old = *line;
            for (at, mut entry, len) in entries(&old, HAS_ABOUT) {
                if entry.policies != NO_RECORD {
                    entry.policies = moved(entry.policies);
                }
                if let layout::Name::Long { record, .. } = &mut entry.name {
                    *record = moved(*record);
                }
                let bytes = entry.bytes(HAS_ABOUT);
                line[at..][..len].copy_from_slice(&bytes);
            }
        }
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.bytes.capacity()
    }
}
