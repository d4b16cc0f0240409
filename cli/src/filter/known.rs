//! A worker's cache of recent hosts.

use std::iter;

use super::sites::Site;
use crate::read::hosts::HostHash;
use robotsieve::Answer;

/// What the URLs of a host are judged by.
#[derive(Clone, Copy)]
pub enum Ruling<'s> {
    /// Its robots.txt.
    Site(&'s Site),
    /// The same answer for all URLs.
    All(Answer),
}

/// Rulings by the start of the URL up to the end of its authority, byte for byte: a table of fixed
/// size in which an entry replaces another one.
///
/// A recent host is not normalized, looked up or counted again, and memory shared by threads is not
/// touched.
pub struct KnownHosts<'s>(Box<[Slot<'s>]>);

/// Enough for most crawls, 256 KiB.
const SLOTS: usize = 1 << 12;

/// The longest start in the table; with it a slot fills a cache line.
const ROOM: usize = 47;

#[repr(align(64))]
#[derive(Clone, Copy)]
struct Slot<'s> {
    ruling: Ruling<'s>,
    /// The length of the start, which is never empty; 0 for a free slot.
    len: u8,
    start: [u8; ROOM],
}

impl Default for KnownHosts<'_> {
    fn default() -> Self {
        let empty = Slot { ruling: Ruling::All(Answer::Unknown), len: 0, start: [0; ROOM] };
        KnownHosts(iter::repeat_n(empty, SLOTS).collect())
    }
}

impl<'s> KnownHosts<'s> {
    /// The ruling for URLs with this start.
    #[inline]
    pub fn get(&self, start: &[u8], hash: HostHash) -> Option<Ruling<'s>> {
        let slot = &self.0[hash.slot(SLOTS)];
        let is_it = usize::from(slot.len) == start.len() && begins_with(&slot.start, start);
        is_it.then_some(slot.ruling)
    }

    /// Stores a ruling, unless the start is too long.
    pub fn put(&mut self, start: &[u8], hash: HostHash, ruling: Ruling<'s>) {
        if start.len() <= ROOM {
            let slot = &mut self.0[hash.slot(SLOTS)];
            slot.start[..start.len()].copy_from_slice(start);
            slot.len = start.len() as u8;
            slot.ruling = ruling;
        }
    }
}

/// Whether a text starts with another one. Does the same as `starts_with` without a call to
/// `memcmp`, which is faster for a few dozen bytes.
#[inline(always)]
pub fn begins_with(text: &[u8], start: &[u8]) -> bool {
    let Some(text) = text.get(..start.len()) else { return false };
    let (Some(last), Some(last_wanted)) = (text.last_chunk::<8>(), start.last_chunk::<8>()) else {
        return text == start;
    };
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let pairs = text.as_chunks::<8>().0.iter().zip(start.as_chunks::<8>().0);
    let differing = word(last) ^ word(last_wanted);
    pairs.fold(differing, |differing, (a, b)| differing | word(a) ^ word(b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_with_is_starts_with() {
        let text: Vec<u8> = (0..40).collect();
        for len in 0..40 {
            assert!(begins_with(&text, &text[..len]));
            assert!(begins_with(&text[..len], &text[..len]));
            assert!(!begins_with(&text[..len], &text));
            for differs in 0..len {
                let mut other = text.clone();
                other[differs] ^= 0x80;
                assert!(!begins_with(&other, &text[..len]), "{len} {differs}");
            }
        }
    }
}
