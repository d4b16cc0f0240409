//! Where a writer puts entries into the lines of an index.

use std::collections::VecDeque;

use crate::sites::layout::{EntryBytes, LINE_LEN, Line, ROOM, home, set_more};

use super::format::MAX_REACH;

/// Puts entries, which come in the order of their hashes, into lines. An entry is in its home if there
/// is room when those that come before it, and have the same home, are there. The others wait, and
/// fill up the lines behind in their order.
pub(super) struct Placing {
    /// The lines that a hash names.
    lines: u64,
    /// The line that is filled, its number, and its bytes in use.
    line: Line,
    number: u64,
    used: usize,
    /// Those that wait, with their home.
    waiting: VecDeque<(u64, EntryBytes)>,
    reach: u64,
}

impl Placing {
    pub(super) fn new(lines: u64) -> Placing {
        let waiting = VecDeque::new();
        Placing { lines, line: [0; LINE_LEN], number: 0, used: 0, waiting, reach: 0 }
    }

    /// Adds an entry. `out` gets all lines that are full before it.
    pub(super) fn push<E>(
        &mut self,
        hash: u64,
        entry: &[u8],
        mut out: impl FnMut(&Line) -> Result<(), E>,
    ) -> Result<(), E> {
        let home = home(hash, self.lines);
        while self.number < home {
            self.end_line(&mut out)?;
        }
        if self.used + entry.len() <= ROOM {
            self.put(entry);
        } else {
            self.waiting.push_back((home, EntryBytes::from_slice(entry)));
        }
        Ok(())
    }

    /// `out` gets the rest of the lines. Returns how many there are behind those that a hash names.
    pub(super) fn finish<E>(
        &mut self,
        mut out: impl FnMut(&Line) -> Result<(), E>,
    ) -> Result<u64, E> {
        while self.number < self.lines + self.reach || !self.waiting.is_empty() {
            self.end_line(&mut out)?;
        }
        Ok(self.reach)
    }

    /// Returns true if an entry is further behind its home than [`MAX_REACH`], or is going to be.
    pub(super) fn is_too_far(&self) -> bool {
        // No line has room for so many.
        let most = ROOM / 4 * (MAX_REACH as usize + 1);
        self.reach > u64::from(MAX_REACH) || self.waiting.len() > most
    }

    fn put(&mut self, entry: &[u8]) {
        self.line[self.used..][..entry.len()].copy_from_slice(entry);
        self.used += entry.len();
    }

    fn end_line<E>(&mut self, out: &mut impl FnMut(&Line) -> Result<(), E>) -> Result<(), E> {
        while let Some((home, entry)) = self.waiting.front()
            && self.used + entry.len() <= ROOM
        {
            self.reach = self.reach.max(self.number - home);
            let Some((_, entry)) = self.waiting.pop_front() else { break };
            self.put(&entry);
        }
        if !self.waiting.is_empty() {
            set_more(&mut self.line);
        }
        out(&self.line)?;
        (self.line, self.used) = ([0; LINE_LEN], 0);
        self.number += 1;
        Ok(())
    }
}
