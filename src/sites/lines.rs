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
    /// Those that a hash names, and so many behind them; or none.
    lines: Vec<CacheLine>,
    /// The bytes of all entries.
    taken: u64,
}

/// A line at a cache line of its own.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct CacheLine(Line);

/// Where an entry is: its line, and its offset there.
#[derive(Clone, Copy)]
pub(super) struct Place {
    line: usize,
    at: usize,
}

impl Lines {
    /// So many lines that a hash names.
    fn new(count: u64) -> Lines {
        Lines { lines: vec![CacheLine([0; LINE_LEN]); count as usize + BEHIND], taken: 0 }
    }

    /// The lines that a hash names.
    #[inline]
    fn count(&self) -> u64 {
        self.lines.len().saturating_sub(BEHIND) as u64
    }

    /// The line that a hash names.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        home(hash, self.count()) as usize
    }

    /// Prefetches the line that a hash names.
    #[inline]
    pub(super) fn read_ahead(&self, hash: u64) {
        read_ahead::line(self.lines.as_ptr().wrapping_add(self.home(hash)));
    }

    /// The entry of an origin, and its place. `long_name` returns the name that a record has.
    // So that only what the caller needs of an entry is read.
    #[inline(always)]
    pub(super) fn find<'l>(
        &'l self,
        key: &Key<'_>,
        long_name: impl Fn(u32) -> &'l [u8],
    ) -> Option<(Place, Entry<'l>)> {
        let mut number = self.home(key.hash);
        loop {
            let CacheLine(line) = self.lines.get(number)?;
            let name = |record| Ok::<_, Infallible>(long_name(record));
            let Ok(found) = layout::find(line, key, HAS_ABOUT, name);
            if let Some((at, entry)) = found {
                return Some((Place { line: number, at }, entry));
            }
            if !has_more(line) {
                return None;
            }
            number += 1;
        }
    }

    /// All entries.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.lines
            .iter()
            .flat_map(|CacheLine(line)| entries(line, HAS_ABOUT))
            .map(|(_, entry, _)| entry)
    }

    /// Adds an entry that is not there. `hash_of` returns the hash of any other that is.
    pub(super) fn insert(
        &mut self,
        hash: u64,
        entry: &Entry<'_>,
        hash_of: impl Fn(&Entry<'_>) -> u64,
    ) {
        let len = entry.bytes(HAS_ABOUT).len() as u64;
        let mut count = self.count();
        loop {
            // At most half of the bytes are in use.
            if lines_for(self.taken + len) <= self.count() && self.try_insert(hash, entry) {
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
        let home = self.home(hash);
        let lines = &mut self.lines[home..home + BEHIND];
        let room = |CacheLine(line): &CacheLine| ROOM - used(line, HAS_ABOUT) >= bytes.len();
        let Some(number) = lines.iter().position(room) else { return false };
        lines[..number].iter_mut().for_each(|CacheLine(line)| set_more(line));
        let at = used(&lines[number].0, HAS_ABOUT);
        lines[number].0[at..][..bytes.len()].copy_from_slice(&bytes);
        self.taken += bytes.len() as u64;
        true
    }

    /// Replaces an entry by another one of the same name.
    pub(super) fn replace(&mut self, Place { line, at }: Place, entry: &Entry<'_>) {
        let bytes = entry.bytes(HAS_ABOUT);
        self.lines[line].0[at..][..bytes.len()].copy_from_slice(&bytes);
    }

    /// Removes an entry.
    pub(super) fn remove(&mut self, Place { line, at }: Place) {
        let CacheLine(line) = &mut self.lines[line];
        let Some((_, len)) = Entry::read(&line[at..ROOM], HAS_ABOUT) else { return };
        line.copy_within(at + len..ROOM, at);
        line[ROOM - len..ROOM].fill(0);
        self.taken -= len as u64;
    }

    /// Changes the records that entries lead to: that of the policies, and that of a long name.
    pub(super) fn move_records(&mut self, moved: impl Fn(u32) -> u32) {
        for CacheLine(line) in &mut self.lines {
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
        self.lines.capacity() * LINE_LEN
    }
}
