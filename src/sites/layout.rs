//! The layout that packs and sets share. It is made for memory that is not in a cache.
//!
//! ```text
//! authority ─hash─▶ line of 64 bytes: entries ─▶ record: table │ rules │ panel ─▶ tables
//! ```
//!
//! A *line* of the index has as many bytes as the processor fetches at a time, and the entries
//! themselves, as many as it has room for: so finding an origin costs one fetch, and its verdict is
//! one more away, or none. Half of the bytes are in use, so that six of seven entries are in the
//! line that their hash names, their *home*. The others are in one of the next lines that has room,
//! and lines tell whether to look there. Open addressing was chosen over a perfect hash function
//! because a line is one fetch with either, while a set can grow and an update of a pack can add to
//! what is there.
//!
//! An *entry* has the name, so that no origin is taken for another; the number of the record that a
//! verdict needs; and the verdict itself where that is always the same. A name that is too long
//! for a line is in a record of its own. What only explanations need is in records, too.

use smallvec::SmallVec;

use crate::origin::{Scheme, are_equal};
use crate::verdict::Verdict;

/// Bytes of a line of the index: those of a cache line.
pub(crate) const LINE_LEN: usize = 64;
/// The bytes of a line that entries have: all but the last, which has its [`MORE`].
pub(crate) const ROOM: usize = LINE_LEN - 1;
/// In the last byte of a line: an entry with its home here, or before, is in a line behind it.
const MORE: u8 = 1;
/// Every record begins at a multiple of this, in bytes. Its number is the quotient.
pub(crate) const RECORD_UNIT: usize = 16;
/// Bytes before a record's body: its length and its checksum.
pub(crate) const RECORD_HEAD: usize = 8;
/// The number of no record.
pub(crate) const NO_RECORD: u32 = 0;
/// The bytes of the longest authority. Names in the DNS have 253 at most.
#[cfg(feature = "pack")]
pub(crate) const MAX_AUTHORITY: usize = 2048;

/// A line of the index.
pub(crate) type Line = [u8; LINE_LEN];

/// The bytes of an entry.
pub(crate) type EntryBytes = SmallVec<[u8; ROOM]>;

/// The number of lines in which entries with so many bytes are not too crowded.
pub(crate) fn lines_for(bytes: u64) -> u64 {
    bytes.div_ceil(LINE_LEN as u64 / 2).max(1)
}

/// Returns true if an entry with its home here, or before, is in a line behind it.
#[inline]
pub(crate) fn has_more(line: &Line) -> bool {
    line[ROOM] & MORE != 0
}

/// Says that one is.
pub(crate) fn set_more(line: &mut Line) {
    line[ROOM] |= MORE;
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
        let word = match authority.last_chunk() {
            // Without those that were mixed in before.
            Some(last) => u64::from_le_bytes(*last) >> (64 - 8 * left.len()),
            None => left.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        hash = mix(hash, word ^ FACTOR.rotate_left(17));
    }
    mix(hash, FACTOR.rotate_left(47))
}

/// The line that a hash names, of so many lines.
#[inline]
pub(crate) fn home(hash: u64, lines: u64) -> u64 {
    ((u128::from(hash) * u128::from(lines)) >> 64) as u64
}

/// Schemes of origins: a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Schemes(pub(crate) u8);

impl Schemes {
    const ALL: [Scheme; 3] = [Scheme::Http, Scheme::Https, Scheme::Ftp];
    /// The bits that mean something.
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
    /// Which of the files it is in, if they are several.
    #[cfg(feature = "pack")]
    pub(crate) shard: u32,
}

impl<'k> Key<'k> {
    #[inline]
    pub(crate) fn of(authority: &'k [u8], scheme: Scheme, seed: u64) -> Key<'k> {
        Key {
            authority,
            scheme: Schemes::of(scheme),
            hash: hash(authority, seed),
            #[cfg(feature = "pack")]
            shard: 0,
        }
    }
}

/// The verdict that some policies have on every URL of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Always {
    /// None: it depends on the URL, or on the crawler.
    Neither,
    Allow,
    /// Of `/robots.txt` too, unless the profile always allows that.
    Disallow,
}

impl Always {
    /// What two policies have in common.
    pub(crate) fn and(self, other: Always) -> Always {
        if self == other { self } else { Always::Neither }
    }

    #[inline]
    pub(crate) fn verdict(self) -> Option<Verdict> {
        match self {
            Always::Neither => None,
            Always::Allow => Some(Verdict::Allow),
            Always::Disallow => Some(Verdict::Disallow),
        }
    }
}

/// The first two bytes of an entry.
///
/// ```text
/// bits 0–5 bytes of the name, 63 if a record has it; 6–8 kind, 5 more with a second time; 9–11 schemes;
/// 12 captured later; 13 with a time; 14–15 the verdict on every URL: 0 none, 1 allow, 2 disallow
/// ```
#[derive(Clone, Copy)]
struct Head(u16);

/// In the place of a name's length: a record has the name.
const LONG: usize = 63;
/// Bytes in the place of such a name: 32 bits of its hash, and the number of the record.
const LONG_LEN: usize = 8;

impl Head {
    const KIND: u32 = 6;
    /// What is added to a kind if there is a second time.
    const TWICE: u8 = 5;
    const SCHEMES: u32 = 9;
    const LATER: u16 = 1 << 12;
    const TIMED: u16 = 1 << 13;
    const ALWAYS: u32 = 14;

    #[inline]
    fn name_len(self) -> usize {
        usize::from(self.0 & 63)
    }

    /// The bytes that stand for the name.
    #[inline]
    fn name_bytes(self) -> usize {
        match self.name_len() {
            LONG => LONG_LEN,
            len => len,
        }
    }

    #[inline]
    fn schemes(self) -> Schemes {
        Schemes((self.0 >> Head::SCHEMES) as u8 & Schemes::BITS)
    }

    /// The kind, and 5 more if there is a second time.
    #[inline]
    fn kind(self) -> u8 {
        (self.0 >> Head::KIND) as u8 & 7
    }

    #[inline]
    fn is_timed(self) -> bool {
        self.0 & Head::TIMED != 0
    }

    #[inline]
    fn is_timed_twice(self) -> bool {
        self.kind() >= Head::TWICE
    }

    /// The bytes before the name.
    #[inline]
    fn before_name(self, has_about: bool) -> usize {
        let parts = [self.is_timed(), self.is_timed_twice(), has_about];
        6 + 4 * parts.into_iter().map(usize::from).sum::<usize>()
    }
}

/// What is known of origins that differ in their schemes at most.
///
/// ```text
/// head: 2, record of the policies: 4, [time: 4], [second time: 4], [record for explanations: 4], authority
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry<'e> {
    pub(crate) name: Name<'e>,
    pub(crate) schemes: Schemes,
    pub(crate) kind: u8,
    /// In seconds since the UNIX epoch; 0 if it is not told.
    pub(crate) captured: u32,
    /// True if it was captured not then, but later, and it is not told when.
    pub(crate) is_later: bool,
    /// The time of the other of two answers that the outcome rests on; 0 if it rests on one.
    pub(crate) other: u32,
    pub(crate) always: Always,
    pub(crate) policies: u32,
    pub(crate) about: u32,
}

/// The name of an entry: an authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name<'e> {
    Here(&'e [u8]),
    /// Another record has it.
    Long {
        hash: u32,
        record: u32,
    },
}

impl<'e> Name<'e> {
    /// That of an authority with this hash, in an entry of these times. `record` writes a record for one
    /// that is long.
    #[inline]
    pub(crate) fn of<E>(
        authority: &'e [u8],
        hash: u64,
        times: [u32; 2],
        has_about: bool,
        record: impl FnOnce() -> Result<u32, E>,
    ) -> Result<Name<'e>, E> {
        let [captured, other] = times;
        let head = Entry { captured, other, ..Entry::NOTHING }.head();
        if head.before_name(has_about) + authority.len() <= ROOM {
            return Ok(Name::Here(authority));
        }
        Ok(Name::Long { hash: hash as u32, record: record()? })
    }

    /// The record that has it, if it is long.
    #[inline]
    pub(crate) fn record(self) -> Option<u32> {
        match self {
            Name::Here(_) => None,
            Name::Long { record, .. } => Some(record),
        }
    }
}

impl<'e> Entry<'e> {
    /// An entry of no origin.
    pub(crate) const NOTHING: Entry<'static> = Entry {
        name: Name::Here(b""),
        schemes: Schemes(0),
        kind: 0,
        captured: 0,
        is_later: false,
        other: 0,
        always: Always::Neither,
        policies: NO_RECORD,
        about: NO_RECORD,
    };

    fn head(&self) -> Head {
        let len = match self.name {
            Name::Here(name) => name.len(),
            Name::Long { .. } => LONG,
        };
        let flag = |is_set: bool, bit: u16| if is_set { bit } else { 0 };
        Head(
            len as u16
                | u16::from(self.kind + if self.other != 0 { Head::TWICE } else { 0 })
                    << Head::KIND
                | u16::from(self.schemes.0) << Head::SCHEMES
                | flag(self.is_later, Head::LATER)
                | flag(self.captured != 0, Head::TIMED)
                | (self.always as u16) << Head::ALWAYS,
        )
    }

    /// Its bytes.
    pub(crate) fn bytes(&self, has_about: bool) -> EntryBytes {
        let mut bytes = EntryBytes::new();
        bytes.extend_from_slice(&self.head().0.to_le_bytes());
        bytes.extend_from_slice(&self.policies.to_le_bytes());
        if self.captured != 0 {
            bytes.extend_from_slice(&self.captured.to_le_bytes());
        }
        if self.other != 0 {
            bytes.extend_from_slice(&self.other.to_le_bytes());
        }
        if has_about {
            bytes.extend_from_slice(&self.about.to_le_bytes());
        }
        match self.name {
            Name::Here(name) => bytes.extend_from_slice(name),
            Name::Long { hash, record } => {
                bytes.extend_from_slice(&hash.to_le_bytes());
                bytes.extend_from_slice(&record.to_le_bytes());
            }
        }
        bytes
    }

    /// The entry that some bytes begin with, and its length. `None` if none does.
    #[inline(always)]
    pub(crate) fn read(bytes: &'e [u8], has_about: bool) -> Option<(Entry<'e>, usize)> {
        let head = Head(u16::from_le_bytes(*bytes.first_chunk()?));
        let (before, len) = (head.before_name(has_about), head.name_bytes());
        let name = bytes.get(before..before + len).filter(|_| len > 0)?;
        Some((Entry::of(head, &bytes[..before], name, has_about)?, before + len))
    }

    /// The entry of these parts. `None` if it is none.
    #[inline(always)]
    fn of(head: Head, before: &[u8], name: &'e [u8], has_about: bool) -> Option<Entry<'e>> {
        let number = |bytes: &[u8], at: usize| {
            u32::from_le_bytes(*bytes[at..].first_chunk().expect("within the entry"))
        };
        let other_at = if head.is_timed() { 10 } else { 6 };
        Some(Entry {
            name: match head.name_len() {
                LONG => Name::Long { hash: number(name, 0), record: number(name, 4) },
                _ => Name::Here(name),
            },
            schemes: head.schemes(),
            kind: if head.is_timed_twice() { head.kind() - Head::TWICE } else { head.kind() },
            captured: match head.is_timed().then(|| number(before, 6)) {
                Some(0) => return None,
                captured => captured.unwrap_or(0),
            },
            is_later: head.0 & Head::LATER != 0,
            other: match head.is_timed_twice().then(|| number(before, other_at)) {
                Some(0) => return None,
                other => other.unwrap_or(0),
            },
            // A look-up, not a branch that depends on the site.
            always: *[Always::Neither, Always::Allow, Always::Disallow]
                .get(usize::from(head.0 >> Head::ALWAYS))?,
            policies: number(before, 2),
            about: if has_about { number(before, before.len() - 4) } else { NO_RECORD },
        })
    }
}

/// Changes the schemes of an entry.
#[cfg(feature = "pack")]
pub(crate) fn set_schemes(entry: &mut [u8], schemes: Schemes) {
    if let Some(head) = entry.first_chunk_mut() {
        let others = u16::from_le_bytes(*head) & !(u16::from(Schemes::BITS) << Head::SCHEMES);
        *head = (others | u16::from(schemes.0) << Head::SCHEMES).to_le_bytes();
    }
}

/// The entries of a line, each with its offset and its length, up to the first bytes that are none.
#[inline]
pub(crate) fn entries(
    line: &Line,
    has_about: bool,
) -> impl Iterator<Item = (usize, Entry<'_>, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (entry, len) = Entry::read(&line[at..ROOM], has_about)?;
        at += len;
        Some((at - len, entry, len))
    })
}

/// How many bytes of a line its entries have.
pub(crate) fn used(line: &Line, has_about: bool) -> usize {
    entries(line, has_about).last().map_or(0, |(at, _, len)| at + len)
}

/// Finds the entry of an origin in a line, and where it begins. `long_name` returns the name that a
/// record has.
///
/// # Errors
/// Returns the error of `long_name`.
#[inline(always)]
pub(crate) fn find<'l, E>(
    line: &'l Line,
    key: &Key<'_>,
    has_about: bool,
    long_name: impl Fn(u32) -> Result<&'l [u8], E>,
) -> Result<Option<(usize, Entry<'l>)>, E> {
    // The head of its entry, of which these bits are known, if the name is there.
    let known = LONG as u16 | u16::from(key.scheme.0) << Head::SCHEMES;
    let wanted = known & !(LONG as u16) | key.authority.len().min(LONG) as u16;
    let mut at = 0;
    while at + 2 <= ROOM {
        let head = Head(u16::from_le_bytes([line[at], line[at + 1]]));
        let name_at = at + head.before_name(has_about);
        let end = name_at + head.name_bytes();
        if head.name_len() == 0 || end > ROOM {
            break;
        }
        let is_found = match head.name_len() {
            LONG => match Entry::read(&line[at..ROOM], has_about) {
                Some((Entry { name: Name::Long { hash, record }, schemes, .. }, _)) => {
                    schemes.has(key.scheme)
                        && hash == key.hash as u32
                        && long_name(record)? == key.authority
                }
                _ => false,
            },
            _ => head.0 & known == wanted && are_equal(&line[name_at..end], key.authority),
        };
        if is_found {
            let entry = Entry::of(head, &line[at..name_at], &line[name_at..end], has_about);
            return Ok(entry.map(|entry| (at, entry)));
        }
        at = end;
    }
    Ok(None)
}

/// A record's body is a table.
pub(crate) const KIND_TABLE: u8 = 0;
/// A record's body is the rules of a policy that has no table.
pub(crate) const KIND_RULES: u8 = 1;
/// A bit of those kinds: the body ends with the pace of the policy's groups.
pub(crate) const HAS_PACE: u8 = 2;
/// A record's body is the policies of several crawlers.
pub(crate) const KIND_PANEL: u8 = 4;
/// A record's body is the name of an entry.
pub(crate) const KIND_NAME: u8 = 8;

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
    use std::collections::HashMap;
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn entries_of_a_line() {
        for has_about in [false, true] {
            let entry = |name: &'static [u8], captured: u32| Entry {
                name: Name::Here(name),
                schemes: Schemes(5),
                kind: if captured == 1 { 2 } else { 4 },
                captured,
                is_later: captured == 7,
                other: if captured == 1 { 9 } else { 0 },
                always: [Always::Neither, Always::Allow, Always::Disallow][captured as usize % 3],
                policies: u32::MAX,
                about: if has_about { 3 } else { NO_RECORD },
            };
            let long = Name::Long { hash: 0xABCD_EF01, record: 77 };
            let all =
                [entry(b"e.com", 0), entry(b"e.com:81", 7), Entry { name: long, ..entry(b"", 1) }];
            let mut bytes = Vec::new();
            for entry in &all {
                let begin = bytes.len();
                bytes.extend(entry.bytes(has_about));
                let len = bytes.len() - begin;
                assert_eq!(Entry::read(&bytes[begin..], has_about), Some((*entry, len)));
                for len in begin..bytes.len() {
                    assert_eq!(Entry::read(&bytes[begin..len], has_about), None);
                }
            }
            let mut line: Line = [0; LINE_LEN];
            line[..bytes.len()].copy_from_slice(&bytes);
            assert!(entries(&line, has_about).map(|(_, entry, _)| entry).eq(all));
            assert_eq!(used(&line, has_about), bytes.len());
            let names: HashMap<u32, &[u8]> = HashMap::from([(77, &b"long"[..])]);
            let find = |authority: &[u8], scheme, hash| {
                let key = Key { scheme, hash, ..Key::of(authority, Scheme::Http, 0) };
                let name = |record| Ok::<_, Infallible>(names[&record]);
                let Ok(found) = find(&line, &key, has_about, name);
                found.map(|(_, entry)| entry)
            };
            let hash = 0x1234_5678_ABCD_EF01;
            assert_eq!(find(b"e.com", Schemes(1), 0), Some(all[0]));
            assert_eq!(find(b"e.com", Schemes(2), 0), None);
            assert_eq!(find(b"e.com:81", Schemes(4), 0), Some(all[1]));
            assert_eq!(find(b"f.com:81", Schemes(4), 0), None);
            assert_eq!(find(b"long", Schemes(4), hash), Some(all[2]));
            assert_eq!(find(b"long", Schemes(4), hash + 1), None);
            assert_eq!(find(b"lang", Schemes(4), hash), None);
            assert!(!has_more(&line));
            set_more(&mut line);
            assert!(has_more(&line) && entries(&line, has_about).count() == 3);
        }
    }

    /// The longest names that a line has room for, and what is longer.
    #[test]
    fn long_names() {
        let text = [b'a'; 80];
        for has_about in [false, true] {
            for (captured, other) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let of = |len: usize| {
                    let record = || Ok::<_, Infallible>(9);
                    let Ok(name) =
                        Name::of(&text[..len], 1 << 32 | 5, [captured, other], has_about, record);
                    Entry { name, captured, other, ..Entry::NOTHING }
                };
                let longest = (0..80).rfind(|len| of(*len).name == Name::Here(&text[..*len]));
                let longest = longest.expect("some are short");
                assert_eq!(of(longest).bytes(has_about).len(), ROOM);
                assert_eq!(of(longest + 1).name, Name::Long { hash: 5, record: 9 });
            }
        }
    }

    #[test]
    fn equal_names() {
        let text: Vec<u8> = (0..40).collect();
        for len in 0..40 {
            assert!(are_equal(&text[..len], &text[..len]) && !are_equal(&text[..len], &text));
            for at in 0..len {
                let mut other = text.clone();
                other[at] ^= 1;
                assert!(!are_equal(&text[..len], &other[..len]), "{len} {at}");
            }
        }
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
