//! The entries of an index that is being written. Those that memory has no room for wait in sorted
//! runs elsewhere.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use crate::sites::layout::{EntryBytes, ROOM, Schemes, set_schemes};

/// An entry of the index, before it is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PendingEntry {
    hash: u64,
    /// Another hash of the authority. Both together tell authorities apart.
    check: u64,
    /// From the lowest bit: the schemes, and how many came before.
    rest: u64,
    /// Where its bytes are in memory.
    at: usize,
}

impl PendingEntry {
    fn schemes(self) -> u8 {
        self.rest as u8 & Schemes::BITS
    }

    /// By hash; of equal ones the latest first.
    fn order(self) -> (u64, Reverse<u64>) {
        (self.hash, Reverse(self.rest))
    }
}

/// Where an entry's bytes are: they begin with their length.
fn entry_at(bytes: &[u8], at: usize) -> &[u8] {
    &bytes[at + 1..][..usize::from(bytes[at])]
}

/// Where runs wait.
trait Scratch: Read + Write + Seek + Send + Sync {}

impl<S: Read + Write + Seek + Send + Sync> Scratch for S {}

/// Entries that wait to be sorted.
pub(super) struct Pending {
    memory: Vec<PendingEntry>,
    /// The bytes of those, each entry with its length before it.
    bytes: Vec<u8>,
    /// How many came so far.
    count: u64,
    /// The most bytes that memory holds before they go elsewhere.
    most: usize,
    scratch: Option<Box<dyn Scratch>>,
    /// Where the runs are, in bytes.
    runs: Vec<Range<u64>>,
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pending { memory, runs, .. } = self;
        f.debug_struct("Pending").field("memory", &memory.len()).field("runs", runs).finish()
    }
}

impl Pending {
    const MOST: usize = 256 << 20;

    pub(super) fn new() -> Pending {
        let (memory, bytes, runs) = (Vec::new(), Vec::new(), Vec::new());
        Pending { memory, bytes, count: 0, most: Pending::MOST, scratch: None, runs }
    }

    pub(super) fn set_scratch(
        &mut self,
        scratch: impl Read + Write + Seek + Send + Sync + 'static,
    ) {
        self.scratch = Some(Box::new(scratch));
    }

    /// Adds an entry. `check` is another hash of the authority, with random keys: 64 bits, so that
    /// even authorities that were chosen for their equal `hash` are not taken for one.
    ///
    /// # Errors
    /// Returns an error if the scratch does.
    pub(super) fn push(
        &mut self,
        hash: u64,
        check: u64,
        schemes: Schemes,
        entry: &[u8],
    ) -> io::Result<()> {
        let used = self.memory.len() * size_of::<PendingEntry>() + self.bytes.len();
        if self.scratch.is_some() && used >= self.most {
            self.write_run()?;
        }
        let at = self.bytes.len();
        let rest = self.count << Schemes::BITS.count_ones() | u64::from(schemes.0);
        self.memory.push(PendingEntry { hash, check, rest, at });
        self.bytes.push(entry.len() as u8);
        self.bytes.extend_from_slice(entry);
        self.count += 1;
        Ok(())
    }

    fn write_run(&mut self) -> io::Result<()> {
        let Some(scratch) = &mut self.scratch else { return Ok(()) };
        self.memory.sort_unstable_by_key(|pending| pending.order());
        let begin = self.runs.last().map_or(0, |run| run.end);
        scratch.seek(SeekFrom::Start(begin))?;
        let mut end = begin;
        let mut block = Vec::with_capacity(Cursor::BLOCK);
        for (number, pending) in (1..).zip(&self.memory) {
            let entry = entry_at(&self.bytes, pending.at);
            block.extend(
                [pending.hash, pending.check, pending.rest].map(u64::to_le_bytes).as_flattened(),
            );
            block.push(entry.len() as u8);
            block.extend_from_slice(entry);
            if block.len() + Cursor::MOST > Cursor::BLOCK || number == self.memory.len() {
                scratch.write_all(&block)?;
                end += block.len() as u64;
                block.clear();
            }
        }
        self.runs.push(begin..end);
        self.memory.clear();
        self.bytes.clear();
        Ok(())
    }

    /// Sorts what is in memory.
    pub(super) fn sort(&mut self) {
        self.memory.sort_unstable_by_key(|pending| pending.order());
    }

    /// Calls `act` with the hash and the bytes of all entries in the order of their hashes, and with
    /// the number of origins of each. Origins that were added again later are not among them, nor
    /// are entries without any left. They must be sorted.
    pub(super) fn each(
        &mut self,
        mut act: impl FnMut(u64, &[u8], u32) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut last: Option<PendingEntry> = None;
        // Schemes by the check of their authority, of those with the hash of the last one. Empty as
        // long as that is the only one, as it is of nearly all hashes.
        let mut met: HashMap<u64, u8> = HashMap::new();
        self.merged(|pending, entry| {
            let is_first = last.is_none_or(|last| last.hash != pending.hash);
            if is_first {
                met.clear();
            } else if let Some(last) = last.filter(|_| met.is_empty()) {
                met.insert(last.check, last.schemes());
            }
            last = Some(pending);
            let mut new = pending.schemes();
            if !is_first {
                let known = met.entry(pending.check).or_default();
                new &= !*known;
                *known |= new;
            }
            match new {
                0 => Ok(()),
                new if new == pending.schemes() => act(pending.hash, entry, new.count_ones()),
                new => {
                    let mut entry = EntryBytes::from_slice(entry);
                    set_schemes(&mut entry, Schemes(new));
                    act(pending.hash, &entry, new.count_ones())
                }
            }
        })
    }

    /// Calls `act` with all entries in their order.
    fn merged(
        &mut self,
        mut act: impl FnMut(PendingEntry, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let bytes = &self.bytes;
        let in_memory = self.memory.iter().map(|pending| (*pending, entry_at(bytes, pending.at)));
        let Some(scratch) = self.scratch.as_mut().filter(|_| !self.runs.is_empty()) else {
            let mut in_memory = in_memory;
            return in_memory.try_for_each(|(pending, entry)| act(pending, entry));
        };
        let mut cursors: Vec<Cursor> = self.runs.iter().cloned().map(Cursor::new).collect();
        let mut in_memory =
            in_memory.map(|(pending, entry)| (pending, EntryBytes::from_slice(entry)));
        let mut next = |run: usize| match cursors.get_mut(run) {
            Some(cursor) => cursor.next(&mut **scratch),
            None => Ok(in_memory.next()),
        };
        let mut heads = BinaryHeap::new();
        // By the order of the next entry: the run, and that entry.
        let mut entries: Vec<Option<(PendingEntry, EntryBytes)>> = Vec::new();
        for run in 0..=self.runs.len() {
            let entry = next(run)?;
            heads.extend(entry.as_ref().map(|(pending, _)| Reverse((pending.order(), run))));
            entries.push(entry);
        }
        while let Some(Reverse((_, run))) = heads.pop() {
            let following = next(run)?;
            heads.extend(following.as_ref().map(|(pending, _)| Reverse((pending.order(), run))));
            if let Some((pending, entry)) = std::mem::replace(&mut entries[run], following) {
                act(pending, &entry)?;
            }
        }
        Ok(())
    }
}

/// Reads a run.
struct Cursor {
    left: Range<u64>,
    block: Vec<u8>,
    at: usize,
}

impl Cursor {
    /// The bytes that are read at once.
    const BLOCK: usize = 1 << 18;
    /// The bytes of an entry and what stands before it, at most.
    const MOST: usize = 25 + ROOM;

    fn new(left: Range<u64>) -> Cursor {
        Cursor { left, block: Vec::new(), at: 0 }
    }

    fn next(
        &mut self,
        scratch: &mut dyn Scratch,
    ) -> io::Result<Option<(PendingEntry, EntryBytes)>> {
        if self.block.len() - self.at < Cursor::MOST && !self.left.is_empty() {
            self.block.drain(..self.at);
            self.at = 0;
            let kept = self.block.len();
            let more = (Cursor::BLOCK - kept).min((self.left.end - self.left.start) as usize);
            self.block.resize(kept + more, 0);
            scratch.seek(SeekFrom::Start(self.left.start))?;
            scratch.read_exact(&mut self.block[kept..])?;
            self.left.start += more as u64;
        }
        let Some((head, rest)) = self.block[self.at..].split_first_chunk::<24>() else {
            return Ok(None);
        };
        let [hash, check, order] = [0, 8, 16]
            .map(|at| u64::from_le_bytes(*head[at..].first_chunk().expect("eight bytes")));
        let entry = EntryBytes::from_slice(entry_at(rest, 0));
        self.at += head.len() + 1 + entry.len();
        Ok(Some((PendingEntry { hash, check, rest: order, at: 0 }, entry)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::layout::{Entry, Name};

    /// No two entries stand for an origin, wherever they are put: the older one loses it.
    #[test]
    fn origins_that_were_added_again() {
        let entry = |schemes: u8, captured| {
            let (name, schemes) = (Name::Here(b"e.com"), Schemes(schemes));
            Entry { name, schemes, captured, ..Entry::NOTHING }
        };
        let added = [entry(3, 0), entry(4, 1), entry(6, 2)];
        let mut pending = Pending::new();
        for entry in &added {
            pending.push(7, 7, entry.schemes, &entry.bytes(false)).unwrap();
        }
        pending.sort();
        let mut left = Vec::new();
        pending
            .each(|_, bytes, origins| {
                let (entry, _) = Entry::read(bytes, false).unwrap();
                left.push((entry.captured, entry.schemes.0, origins));
                Ok(())
            })
            .unwrap();
        assert_eq!(left, [(2, 6, 2), (0, 1, 1)]);
    }

    /// Whether entries wait elsewhere or not, the same come in the same order.
    #[test]
    fn runs_are_merged() {
        let pending = |most: usize, scratch: bool| {
            let mut pending = Pending { most, ..Pending::new() };
            if scratch {
                pending.set_scratch(io::Cursor::new(Vec::new()));
            }
            let mut random = 1_u64;
            for number in 0..40_000_u32 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Many authorities come again, some with another scheme, some only with an equal
                // hash.
                let name = (random >> 33) % 9_000;
                let (hash, check) = ((name / 2) << 40, name);
                let entry =
                    [&number.to_le_bytes()[..], &[7; ROOM][..number as usize % 60]].concat();
                pending.push(hash, check, Schemes(1 << ((random >> 62) & 1)), &entry).unwrap();
            }
            pending.sort();
            let mut all = Vec::new();
            for _ in 0..2 {
                all.clear();
                pending
                    .each(|hash, entry, origins| {
                        all.push((hash, entry.to_vec(), origins));
                        Ok(())
                    })
                    .unwrap();
            }
            (all, pending.runs.len())
        };
        let (in_memory, runs) = pending(10, false);
        assert_eq!(runs, 0);
        assert!(in_memory.len() > 9_000 && in_memory.len() < 18_001, "{}", in_memory.len());
        assert!(in_memory.is_sorted_by_key(|(hash, ..)| *hash));
        for (most, least, wanted) in [(10_000, 200, 400), (2 << 20, 1, 2), (Pending::MOST, 0, 0)] {
            let (merged, runs) = pending(most, true);
            assert!((least..=wanted).contains(&runs), "{runs}");
            assert!(merged == in_memory, "{most}");
        }
    }
}
