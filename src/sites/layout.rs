//! The layout that packs and sets share. It is made for memory that is not in a cache.
//!
//! ```text
//! authority ─hash─▶ line of 64 bytes ─▶ entry ─▶ record: table │ rules │ panel ─▶ tables
//! ```
//!
//! A *line* of the index has 8 slots, as many as the processor fetches at a time, so an origin costs
//! one fetch there. Open addressing was chosen over a perfect hash function because a line is one
//! fetch with either, while a set can grow and an update of a pack can add to what is there. At most
//! three fifths of the slots are taken, so that 19 of 20 origins are in the line that their hash
//! names. The others are in the lines behind it.
//!
//! A *slot* has 24 bits of the hash and the place of an entry. An *entry* has the name, so that no
//! origin is taken for another, and the number of the record that a verdict needs. What only
//! explanations need is in records of its own.

use crate::origin::{Origin, Scheme};

/// Bytes of a line of the index: those of a cache line.
pub(crate) const LINE_LEN: usize = 64;
/// Slots of a line.
pub(crate) const SLOTS: usize = LINE_LEN / size_of::<u64>();
/// An entry begins at a multiple of this, in bytes. Its place is the quotient.
pub(crate) const PLACE_UNIT: usize = 4;
/// Every record begins at a multiple of this, in bytes. Its number is the quotient.
pub(crate) const RECORD_UNIT: usize = 16;
/// Bytes before a record's body: its length and its checksum.
pub(crate) const RECORD_HEAD: usize = 8;
/// The number of no record.
pub(crate) const NO_RECORD: u32 = 0;
/// The bytes of the longest authority. Names in the DNS have 253 at most.
#[cfg(feature = "pack")]
pub(crate) const MAX_AUTHORITY: usize = 2048;

const PLACE_BITS: u32 = 40;
/// The slot that is free.
pub(crate) const FREE: u64 = 0;
/// The slot whose entry was removed.
pub(crate) const REMOVED: u64 = u64::MAX;
/// The first place that does not fit into a slot.
pub(crate) const PLACES: u64 = (1 << PLACE_BITS) - 1;

/// The number of lines in which the slots of so many entries are not too crowded.
pub(crate) fn lines_for(entries: u64) -> u64 {
    (entries * 5).div_ceil(3 * SLOTS as u64).max(1)
}

/// The hash of an authority. Mixes in eight bytes at a time with a multiplication. Part of the
/// format of packs.
#[inline]
pub(crate) fn hash(authority: &[u8], seed: u64) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word).wrapping_mul(u128::from(FACTOR));
        // The two halves.
        (product as u64) ^ (product >> 64) as u64
    };
    let len = authority.len() as u64;
    let mut hash = mix(seed ^ FACTOR, len ^ FACTOR.rotate_left(32));
    let mut left = authority;
    while let Some((word, after)) = left.split_first_chunk::<8>() {
        hash = mix(hash, u64::from_le_bytes(*word) ^ FACTOR.rotate_left(17));
        left = after;
    }
    if !left.is_empty() {
        let mut word = [0; 8];
        word[..left.len()].copy_from_slice(left);
        hash = mix(hash, u64::from_le_bytes(word) ^ FACTOR.rotate_left(17));
    }
    mix(hash, FACTOR.rotate_left(47))
}

/// The line that a hash names, of so many lines.
#[inline]
pub(crate) fn home(hash: u64, lines: u64) -> u64 {
    ((u128::from(hash) * u128::from(lines)) >> 64) as u64
}

/// The slot of an entry.
#[inline]
pub(crate) fn slot(hash: u64, place: u64) -> u64 {
    hash << PLACE_BITS | place
}

/// The place of the entry in a slot.
#[inline]
pub(crate) fn place_of(slot: u64) -> u64 {
    slot & (u64::MAX >> (u64::BITS - PLACE_BITS))
}

/// The slots of a line, in order.
#[inline]
pub(crate) fn slots(line: &[u8; LINE_LEN]) -> [u64; SLOTS] {
    std::array::from_fn(|slot| {
        u64::from_le_bytes(*line[8 * slot..].first_chunk().expect("eight bytes"))
    })
}

/// What a line says of a hash.
#[derive(Clone, Copy)]
pub(crate) struct Matches {
    slots: [u64; SLOTS],
    /// A bit for each slot that may lead to the entry, the lowest for the first.
    left: u32,
    /// True if the next line may have more.
    pub(crate) is_full: bool,
}

impl Matches {
    #[inline]
    pub(crate) fn of(line: &[u8; LINE_LEN], hash: u64) -> Matches {
        let slots = slots(line);
        let wanted = hash << PLACE_BITS;
        let mut left = 0;
        for (number, slot) in slots.iter().enumerate() {
            let differs = (slot ^ wanted) >> PLACE_BITS;
            left |= u32::from(differs == 0 && *slot != FREE && *slot != REMOVED) << number;
        }
        Matches { slots, left, is_full: slots[SLOTS - 1] != FREE }
    }
}

impl Iterator for Matches {
    /// The place of an entry.
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let slot = self.left.checked_sub(1).map(|_| self.left.trailing_zeros() as usize)?;
        self.left &= self.left - 1;
        Some(place_of(self.slots[slot]))
    }
}

/// Schemes of origins: a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schemes(pub(crate) u8);

impl Schemes {
    const ALL: [Scheme; 3] = [Scheme::Http, Scheme::Https, Scheme::Ftp];
    /// The bits that mean something.
    #[cfg(feature = "pack")]
    pub(crate) const BITS: u8 = 7;

    #[inline]
    pub(crate) fn of(scheme: Scheme) -> Schemes {
        Schemes(1 << scheme as u8)
    }

    #[inline]
    pub(crate) fn has(self, other: Schemes) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Scheme> {
        Schemes::ALL.into_iter().filter(move |scheme| self.has(Schemes::of(*scheme)))
    }

    #[cfg(feature = "pack")]
    pub(crate) fn len(self) -> u64 {
        u64::from(self.0.count_ones())
    }
}

/// An origin, as it is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'k> {
    pub(crate) authority: &'k [u8],
    pub(crate) scheme: Schemes,
    pub(crate) hash: u64,
}

impl<'k> Key<'k> {
    #[inline]
    pub(crate) fn of(origin: &'k Origin<'_>, seed: u64) -> Key<'k> {
        let authority = origin.authority().as_bytes();
        Key { authority, scheme: Schemes::of(origin.scheme()), hash: hash(authority, seed) }
    }
}

/// Bytes of an entry before its name, without the number of the record for explanations.
const ENTRY_HEAD: usize = 12;

/// The bit of an entry's schemes for [`Entry::is_later`].
const LATER: u8 = 8;

/// What is known of origins that differ in their schemes at most.
///
/// ```text
/// length of the authority: 2, schemes: 1, kind: 1, time: 4, record of the policies: 4,
/// [record for explanations: 4], authority, zeros up to a multiple of 4
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'e> {
    pub(crate) authority: &'e [u8],
    pub(crate) schemes: Schemes,
    pub(crate) kind: u8,
    /// In seconds since the UNIX epoch; 0 if it is not told.
    pub(crate) captured: u32,
    /// True if it was captured not then, but later, and it is not told when.
    pub(crate) is_later: bool,
    pub(crate) policies: u32,
    pub(crate) about: u32,
}

impl<'e> Entry<'e> {
    /// An entry of no origin.
    pub(crate) const NOTHING: Entry<'static> = Entry {
        authority: b"",
        schemes: Schemes(0),
        kind: 0,
        captured: 0,
        is_later: false,
        policies: NO_RECORD,
        about: NO_RECORD,
    };

    /// Reads an entry that begins there. `None` if the bytes end before it does.
    #[inline]
    pub(crate) fn read(bytes: &'e [u8], has_about: bool) -> Option<Entry<'e>> {
        let (head, mut rest) = bytes.split_first_chunk::<ENTRY_HEAD>()?;
        let number =
            |at: usize| u32::from_le_bytes(*head[at..].first_chunk().expect("within the head"));
        let mut about = NO_RECORD;
        if has_about {
            let (number, after) = rest.split_first_chunk()?;
            (about, rest) = (u32::from_le_bytes(*number), after);
        }
        let len = usize::from(u16::from_le_bytes([head[0], head[1]]));
        Some(Entry {
            authority: rest.get(..len)?,
            schemes: Schemes(head[2] & !LATER),
            kind: head[3],
            captured: number(4),
            is_later: head[2] & LATER != 0,
            policies: number(8),
            about,
        })
    }

    /// Returns true if this is the entry of an origin.
    #[inline]
    pub(crate) fn is_of(&self, key: &Key<'_>) -> bool {
        self.schemes.has(key.scheme) && self.authority == key.authority
    }

    /// The bytes of the entry.
    pub(crate) fn len(&self, has_about: bool) -> usize {
        let head = if has_about { ENTRY_HEAD + 4 } else { ENTRY_HEAD };
        (head + self.authority.len()).next_multiple_of(PLACE_UNIT)
    }

    /// Appends the entry. Its authority has at most [`MAX_AUTHORITY`] bytes.
    pub(crate) fn write(&self, has_about: bool, to: &mut Vec<u8>) {
        let end = to.len() + self.len(has_about);
        to.extend((self.authority.len() as u16).to_le_bytes());
        to.extend([self.schemes.0 | if self.is_later { LATER } else { 0 }, self.kind]);
        to.extend(self.captured.to_le_bytes());
        to.extend(self.policies.to_le_bytes());
        if has_about {
            to.extend(self.about.to_le_bytes());
        }
        to.extend_from_slice(self.authority);
        to.resize(end, 0);
    }
}

/// A record's body is a table.
pub(crate) const KIND_TABLE: u8 = 0;
/// A record's body is the rules of a policy that has no table.
pub(crate) const KIND_RULES: u8 = 1;
/// A bit of those kinds: the body ends with the pace of the policy's groups.
pub(crate) const HAS_PACE: u8 = 2;
/// A record's body is the policies of several crawlers.
pub(crate) const KIND_PANEL: u8 = 4;

/// The policies of several crawlers that do not all have the same one.
///
/// ```text
/// number of policies: 2, their records: 4 each, for each crawler the index of its policy: 2
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panel<'p> {
    records: &'p [[u8; 4]],
    columns: &'p [[u8; 2]],
}

impl<'p> Panel<'p> {
    /// Reads the body of a record behind its kind. `None` if it is not as it is written.
    #[cfg(any(feature = "pack", test))]
    pub(crate) fn read(body: &'p [u8], crawlers: usize) -> Option<Panel<'p>> {
        let (count, rest) = body.split_first_chunk()?;
        let count = usize::from(u16::from_le_bytes(*count));
        let (records, columns) = rest.split_at_checked(4 * count)?;
        let (columns, more) = columns.as_chunks();
        let panel = Panel { records: records.as_chunks().0, columns };
        let are_right = (0..columns.len()).all(|crawler| panel.index(crawler) < count);
        // Each policy is some crawler's.
        let are_right = are_right && count <= crawlers;
        (columns.len() == crawlers && more.is_empty() && are_right).then_some(panel)
    }

    /// The same of a body that was read before.
    #[inline]
    pub(crate) fn read_again(body: &'p [u8]) -> Panel<'p> {
        let (count, rest) = body.split_first_chunk().expect("read before");
        let (records, columns) = rest.split_at(4 * usize::from(u16::from_le_bytes(*count)));
        Panel { records: records.as_chunks().0, columns: columns.as_chunks().0 }
    }

    /// Appends a panel.
    pub(crate) fn write(records: &[u32], columns: &[usize], to: &mut Vec<u8>) {
        to.extend((records.len() as u16).to_le_bytes());
        to.extend(records.iter().flat_map(|record| record.to_le_bytes()));
        to.extend(columns.iter().flat_map(|column| (*column as u16).to_le_bytes()));
    }

    /// The records of the policies.
    #[inline]
    pub(crate) fn records(&self) -> impl ExactSizeIterator<Item = u32> + use<'p> {
        self.records.iter().map(|record| u32::from_le_bytes(*record))
    }

    /// Which of the policies is a crawler's.
    #[inline]
    pub(crate) fn index(&self, crawler: usize) -> usize {
        usize::from(u16::from_le_bytes(self.columns[crawler]))
    }

    /// The record of a crawler's policy.
    #[inline]
    pub(crate) fn record(&self, crawler: usize) -> u32 {
        u32::from_le_bytes(self.records[self.index(crawler)])
    }
}

/// A policy of a record, or those of several crawlers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Policies<'p> {
    One(u32),
    Panel(Panel<'p>),
}

impl Policies<'_> {
    /// The record of a crawler's policy.
    #[inline]
    pub(crate) fn record(&self, crawler: usize) -> u32 {
        match self {
            Policies::One(record) => *record,
            Policies::Panel(panel) => panel.record(crawler),
        }
    }

    /// The records of all policies.
    #[cfg(feature = "pack")]
    pub(crate) fn records(&self) -> impl Iterator<Item = u32> {
        let (one, several) = match self {
            Policies::One(record) => (Some(*record), None),
            Policies::Panel(panel) => (None, Some(panel.records())),
        };
        one.into_iter().chain(several.into_iter().flatten())
    }

    /// The number of a crawler's policy among those of the panel.
    #[cfg(feature = "pack")]
    pub(crate) fn index(&self, crawler: usize) -> usize {
        match self {
            Policies::One(_) => 0,
            Policies::Panel(panel) => panel.index(crawler),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries() {
        for has_about in [false, true] {
            let mut bytes = Vec::new();
            let entries: Vec<Entry<'_>> = [&b"e.com"[..], b"", b"a.e.com:8080"]
                .map(|authority| Entry {
                    authority,
                    schemes: Schemes(5),
                    kind: 1,
                    captured: 7,
                    is_later: authority.is_empty(),
                    policies: 9,
                    about: if has_about { 3 } else { NO_RECORD },
                })
                .to_vec();
            let mut places = Vec::new();
            for entry in &entries {
                places.push(bytes.len());
                entry.write(has_about, &mut bytes);
            }
            for (entry, place) in entries.iter().zip(places) {
                assert!(place.is_multiple_of(PLACE_UNIT));
                assert_eq!(Entry::read(&bytes[place..], has_about), Some(*entry));
            }
            for len in 0..entries[0].len(has_about) - PLACE_UNIT {
                assert_eq!(Entry::read(&bytes[..len], has_about), None, "{len}");
            }
        }
    }

    #[test]
    fn lines() {
        let mut line = [0; LINE_LEN];
        let hash = |fingerprint: u64| fingerprint | 0xABCD << 40;
        let put = |line: &mut [u8; LINE_LEN], at: usize, slot: u64| {
            line[8 * at..][..8].copy_from_slice(&slot.to_le_bytes());
        };
        assert_eq!(Matches::of(&line, hash(0)).next(), None);
        put(&mut line, 0, slot(hash(0), 1));
        put(&mut line, 1, slot(hash(0xFF_FFFF), 5));
        put(&mut line, 2, REMOVED);
        put(&mut line, 3, slot(hash(0xFF_FFFF), PLACES - 1));
        let places =
            |line: &_, fingerprint| Matches::of(line, hash(fingerprint)).collect::<Vec<_>>();
        assert_eq!(places(&line, 0), [1]);
        assert_eq!(places(&line, 0xFF_FFFF), [5, PLACES - 1]);
        assert!(places(&line, 1).is_empty() && !Matches::of(&line, 0).is_full);
        put(&mut line, 7, REMOVED);
        assert!(Matches::of(&line, 0).is_full);
    }

    /// Every byte of an authority counts, and so does its length.
    #[test]
    fn hashes_differ() {
        let mut hashes = std::collections::HashSet::new();
        let mut texts = 0;
        for len in 0..=40 {
            for at in 0..=len {
                for byte in b'a'..=b'z' {
                    let mut text = vec![0; len];
                    if at < len {
                        text[at] = byte;
                    } else if byte > b'a' {
                        continue;
                    }
                    texts += 1;
                    hashes.insert(hash(&text, 0));
                }
            }
        }
        assert_eq!(hashes.len(), texts);
        assert_ne!(hash(b"e.com", 0), hash(b"e.com", 1));
    }

    #[test]
    fn panels() {
        let mut body = Vec::new();
        Panel::write(&[70_000, 3], &[1, 0, 1], &mut body);
        let panel = Panel::read(&body, 3).expect("as written");
        assert_eq!([0, 1, 2].map(|crawler| panel.record(crawler)), [3, 70_000, 3]);
        assert_eq!(Panel::read_again(&body).records().collect::<Vec<_>>(), [70_000, 3]);
        assert!(Panel::read(&body, 2).is_none() && Panel::read(&body[..15], 3).is_none());
        let mut wrong = body.clone();
        *wrong.last_mut().expect("a byte") = 1;
        assert!(Panel::read(&wrong, 3).is_none());
    }
}
