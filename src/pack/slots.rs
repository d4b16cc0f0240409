//! The slots of an index that is being written. Those that memory has no room for wait in sorted
//! runs elsewhere.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use crate::sites::layout::{self, PLACES, Schemes};

/// A slot of the index, before it is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) hash: u64,
    /// Another hash of the authority. Both together tell authorities apart.
    check: u64,
    /// From the lowest bit: the place, and the schemes.
    rest: u64,
}

impl Slot {
    const SCHEMES_AT: u32 = PLACES.trailing_ones() + 1;
    const BYTES: usize = 24;

    /// `check` is another hash of the authority, with random keys: 64 bits, so that even authorities
    /// that were chosen for their equal `hash` are not taken for one. `place` counts from where the pages that are
    /// not written yet will be.
    pub(super) fn new(hash: u64, check: u64, schemes: Schemes, place: u64) -> Slot {
        let schemes = u64::from(schemes.0) << Slot::SCHEMES_AT;
        Slot { hash, check, rest: place | schemes }
    }

    pub(super) fn place(self) -> u64 {
        layout::place_of(self.rest)
    }

    fn schemes(self) -> u8 {
        (self.rest >> Slot::SCHEMES_AT) as u8 & Schemes::BITS
    }

    /// By hash; of equal ones the latest first: its place is the greatest.
    fn order(self) -> (u64, Reverse<u64>) {
        (self.hash, Reverse(self.place()))
    }

    fn to_bytes(self) -> [u8; Slot::BYTES] {
        let mut bytes = [0; Slot::BYTES];
        bytes[..8].copy_from_slice(&self.hash.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.check.to_le_bytes());
        bytes[16..].copy_from_slice(&self.rest.to_le_bytes());
        bytes
    }

    fn of(bytes: &[u8; Slot::BYTES]) -> Slot {
        let number = |at| u64::from_le_bytes(*bytes[at..].first_chunk().expect("eight bytes"));
        Slot { hash: number(0), check: number(8), rest: number(16) }
    }
}

/// Where runs wait.
trait Scratch: Read + Write + Seek + Send + Sync {}

impl<S: Read + Write + Seek + Send + Sync> Scratch for S {}

/// The slots of an index.
pub(super) struct Slots {
    memory: Vec<Slot>,
    /// Those before this one have their final places.
    placed: usize,
    /// The most that memory holds before they go elsewhere.
    most: usize,
    scratch: Option<Box<dyn Scratch>>,
    /// Where the runs are, in bytes.
    runs: Vec<Range<u64>>,
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Slots { memory, runs, .. } = self;
        f.debug_struct("Slots").field("memory", &memory.len()).field("runs", runs).finish()
    }
}

impl Slots {
    /// 256 MiB.
    const MOST: usize = (256 << 20) / Slot::BYTES;

    pub(super) fn new() -> Slots {
        let (memory, runs) = (Vec::new(), Vec::new());
        Slots { memory, placed: 0, most: Slots::MOST, scratch: None, runs }
    }

    pub(super) fn set_scratch(
        &mut self,
        scratch: impl Read + Write + Seek + Send + Sync + 'static,
    ) {
        self.scratch = Some(Box::new(scratch));
    }

    pub(super) fn push(&mut self, slot: Slot) {
        self.memory.push(slot);
    }

    /// Sets where the pages begin that the places of the last slots count from.
    pub(super) fn place(&mut self, first: u64) -> io::Result<()> {
        for slot in &mut self.memory[self.placed..] {
            slot.rest += first;
        }
        if self.scratch.is_some() && self.memory.len() >= self.most {
            self.write_run()?;
        }
        self.placed = self.memory.len();
        Ok(())
    }

    fn write_run(&mut self) -> io::Result<()> {
        let Some(scratch) = &mut self.scratch else { return Ok(()) };
        self.memory.sort_unstable_by_key(|slot| slot.order());
        let begin = self.runs.last().map_or(0, |run| run.end);
        scratch.seek(SeekFrom::Start(begin))?;
        for slots in self.memory.chunks(Cursor::SLOTS) {
            let bytes: Vec<u8> = slots.iter().flat_map(|slot| slot.to_bytes()).collect();
            scratch.write_all(&bytes)?;
        }
        self.runs.push(begin..begin + (self.memory.len() * Slot::BYTES) as u64);
        self.memory.clear();
        Ok(())
    }

    /// Sorts what is in memory. All slots must be placed.
    pub(super) fn sort(&mut self) {
        self.memory.sort_unstable_by_key(|slot| slot.order());
    }

    /// Calls `act` with all slots in their order, but not with those whose origins were all added
    /// again later, and with the number of origins that each has then. They must be sorted.
    pub(super) fn each(
        &mut self,
        mut act: impl FnMut(Slot, u32) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut last: Option<Slot> = None;
        // Schemes by the check of their authority, of those with the hash of the last one. Empty as
        // long as that is the only one, as it is of nearly all hashes.
        let mut met: HashMap<u64, u8> = HashMap::new();
        self.merged(|slot| {
            let is_first = last.is_none_or(|last| last.hash != slot.hash);
            if is_first {
                met.clear();
            } else if let Some(last) = last.filter(|_| met.is_empty()) {
                met.insert(last.check, last.schemes());
            }
            last = Some(slot);
            let mut new = slot.schemes();
            if !is_first {
                let known = met.entry(slot.check).or_default();
                new &= !*known;
                *known |= new;
            }
            if new == 0 { Ok(()) } else { act(slot, new.count_ones()) }
        })
    }

    /// Calls `act` with all slots in their order.
    fn merged(&mut self, mut act: impl FnMut(Slot) -> io::Result<()>) -> io::Result<()> {
        let Some(scratch) = self.scratch.as_mut().filter(|_| !self.runs.is_empty()) else {
            return self.memory.iter().try_for_each(|slot| act(*slot));
        };
        let mut cursors: Vec<Cursor> = self.runs.iter().cloned().map(Cursor::new).collect();
        let mut memory = self.memory.iter().copied();
        let mut next = |run: usize| match cursors.get_mut(run) {
            Some(cursor) => cursor.next(&mut **scratch),
            None => Ok(memory.next()),
        };
        let mut heads = BinaryHeap::new();
        for run in 0..=self.runs.len() {
            if let Some(slot) = next(run)? {
                heads.push(Reverse((slot.order(), run, slot.check, slot.rest)));
            }
        }
        while let Some(mut head) = heads.peek_mut() {
            let Reverse(((hash, _), run, check, rest)) = *head;
            match next(run)? {
                Some(slot) => *head = Reverse((slot.order(), run, slot.check, slot.rest)),
                None => drop(std::collections::binary_heap::PeekMut::pop(head)),
            }
            act(Slot { hash, check, rest })?;
        }
        Ok(())
    }
}

/// Reads a run.
struct Cursor {
    left: Range<u64>,
    /// What was read and is not taken yet, the last first.
    slots: Vec<Slot>,
}

impl Cursor {
    /// The number that are read at once.
    const SLOTS: usize = 1 << 14;

    fn new(left: Range<u64>) -> Cursor {
        Cursor { left, slots: Vec::new() }
    }

    fn next(&mut self, scratch: &mut dyn Scratch) -> io::Result<Option<Slot>> {
        if self.slots.is_empty() && !self.left.is_empty() {
            let end = self.left.end.min(self.left.start + (Cursor::SLOTS * Slot::BYTES) as u64);
            let mut bytes = vec![0; (end - self.left.start) as usize];
            scratch.seek(SeekFrom::Start(self.left.start))?;
            scratch.read_exact(&mut bytes)?;
            self.left.start = end;
            self.slots.extend(bytes.as_chunks().0.iter().rev().map(Slot::of));
        }
        Ok(self.slots.pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether slots wait elsewhere or not, the same come in the same order.
    #[test]
    fn runs_are_merged() {
        let slots = |most: usize, scratch: bool| {
            let mut slots = Slots { most, ..Slots::new() };
            if scratch {
                slots.set_scratch(io::Cursor::new(Vec::new()));
            }
            let (mut random, mut at) = (1_u64, 0);
            for page in 0..400 {
                for place in 0..100 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    // Many authorities come again, some with another scheme, some only with an equal
                    // hash.
                    let name = (random >> 33) % 9_000;
                    let (hash, check) = ((name / 2) << 40, name);
                    slots.push(Slot::new(hash, check, Schemes(1 << ((random >> 62) & 1)), place));
                }
                slots.place(at).unwrap();
                at += 100 + page;
            }
            slots.sort();
            let mut all = Vec::new();
            for _ in 0..2 {
                all.clear();
                slots
                    .each(|slot, origins| {
                        all.push((slot, origins));
                        Ok(())
                    })
                    .unwrap();
            }
            (all, slots.runs.len())
        };
        let (in_memory, runs) = slots(10, false);
        assert_eq!(runs, 0);
        assert!(in_memory.len() > 9_000 && in_memory.len() < 18_001, "{}", in_memory.len());
        assert!(in_memory.is_sorted_by_key(|(slot, _)| slot.order()));
        for (most, wanted) in [(100, 400), (777, 50), (39_999, 1), (Slots::MOST, 0)] {
            let (merged, runs) = slots(most, true);
            assert_eq!(runs, wanted);
            assert!(merged == in_memory, "{most}");
        }
    }
}
