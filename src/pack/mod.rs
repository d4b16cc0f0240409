//! Policy sets as files that are used where they lie (feature `pack`).
//!
//! A *pack* holds the policies of many origins for some crawlers, compiled. It is written once,
//! by [`Writer`], and used from a memory map, or from any other bytes, without decoding:
//! [`Pack::open`] looks at its last few bytes, an origin costs a look into a hash table,
//! and a verdict is the same walk as that of a [`Policy`](crate::Policy). Many processes
//! share one file; of it only what is asked for becomes resident.
//!
//! Equal robots.txt files are stored once, and so are equal policies of different files. A
//! policy that is over the limits of a DFA is stored as its normalised rules, and becomes an
//! ordinary policy when it is first asked.
//!
//! ```
//! use robotsieve::pack::{Pack, Packed, Writer};
//! use robotsieve::{Answer, Crawler, Profile};
//!
//! let crawlers = ["GPTBot", "Googlebot"].map(Crawler::name);
//! let mut writer = Writer::new(Vec::new(), &Profile::RFC9309, crawlers, false)?;
//! let file = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /search";
//! let packed = writer.recipe().pack(file);
//! writer.add(b"example.com", &packed)?;
//! writer.add(b"www.example.com", &packed)?;
//! let bytes = writer.finish()?;
//!
//! let pack = Pack::open(&bytes)?;
//! let site = pack.get(b"example.com")?.expect("was added");
//! let mut answers = [Answer::Unknown; 2];
//! site.ask("https://example.com/search?q=x", &mut answers)?;
//! assert_eq!(answers, [Answer::Disallow, Answer::Disallow]);
//! assert!(site.policy(1)?.is_allowed("https://example.com/")?);
//! assert!(pack.get(b"example.org")?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Trust
//!
//! A damaged or hostile pack gives errors, never a panic, and costs bounded time and memory.
//! The trailer with the bounds of all parts is checked when the pack is opened, each part of the
//! index and each policy when it is first used (a checksum, and every invariant of the table,
//! on which the walk relies), and everything at once by [`Pack::verify`]. A checksum tells damage,
//! not intent: who can write the file can make it say anything.
//!
//! The bytes must not change while the pack is open. For a `&[u8]` the language sees to that;
//! who maps a file must see to it that nobody writes to it: replace packs by renaming a new
//! one over the old one.
//!
//! The format, byte by byte, is in `docs/pack.md`.

mod read;
mod write;

use std::fmt;

use crate::policy::Reading;
use crate::profile::TargetForm;
use crate::rules::normalise::Encoding;

pub use read::{Pack, PackedPolicy, Site, Stat};
pub use write::{Packed, Recipe, Writer};

/// The first bytes of every pack. The first one is no ASCII, the last one a line end, so that
/// what treats the file as text is found out.
const MAGIC: [u8; 8] = *b"\x89rsieve\n";
/// The version of the format that is written, and the only one that is read.
const VERSION: u32 = 1;
/// Magic, version and four zeros: where the records begin.
const HEADER_LEN: usize = 16;
/// Records begin at multiples of this, and are known by the quotient.
const RECORD_UNIT: usize = 8;
/// Bytes before a record's body: its length and its checksum.
const RECORD_HEAD: usize = 8;
/// A record's body is a table, perhaps with rules behind it.
const KIND_TABLE: u8 = 0;
/// A record's body is rules alone.
const KIND_RULES: u8 = 1;
/// Bytes of a slot of the index: hash, row, where the name begins, its length.
const SLOT_LEN: usize = 16;
/// The row of a slot that is free.
const FREE: u32 = u32::MAX;
/// Rows, names and index have a checksum for each so many bytes, so that what is used of them
/// can be checked without reading all.
const BLOCK_LEN: usize = 4096;
/// Bytes at the end of every pack.
const TRAILER_LEN: usize = 144;

/// Why bytes are no pack, or not one that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// They do not begin and end like a pack: another kind of file, or one cut short.
    NoPack,
    /// A pack of a version that this library does not read.
    Version(u32),
    /// Damaged: where, in bytes from the beginning, and what is wrong there.
    Damaged {
        /// In bytes from the beginning.
        offset: u64,
        /// What is wrong.
        what: &'static str,
    },
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::NoPack => f.write_str("not a pack, or one that was cut short"),
            PackError::Version(version) => {
                write!(f, "a pack of version {version}; this program reads version {VERSION}")
            }
            PackError::Damaged { offset, what } => {
                write!(f, "damaged pack: at offset {offset}: {what}")
            }
        }
    }
}

impl std::error::Error for PackError {}

/// What of a profile is needed to decide, as four bytes.
fn reading_to_bytes(reading: Reading, wildcards: bool) -> [u8; 4] {
    let form = match reading.form {
        TargetForm::Strict => 0,
        TargetForm::Google => 1,
    };
    let [classes, switches] = reading.encoding.to_bytes();
    [form, u8::from(reading.robots_txt_allowed) | u8::from(wildcards) << 1, classes, switches]
}

fn reading_from_bytes([form, bits, classes, switches]: [u8; 4]) -> Option<(Reading, bool)> {
    let form = match form {
        0 => TargetForm::Strict,
        1 => TargetForm::Google,
        _ => return None,
    };
    let encoding = Encoding::from_bytes([classes, switches])?;
    let reading = Reading { form, encoding, robots_txt_allowed: bits & 1 != 0 };
    (bits < 4).then_some((reading, bits & 2 != 0))
}

/// The hash of an origin's name: eight bytes at a time, each multiplied in. Everybody who
/// reads packs computes the same; the seed is chosen so that no origin is far from its place.
fn hash(name: &[u8], seed: u32) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word).wrapping_mul(u128::from(FACTOR));
        (product as u64) ^ (product >> 64) as u64
    };
    let mut hash = mix(u64::from(seed) ^ FACTOR, name.len() as u64 ^ FACTOR.rotate_left(32));
    for part in name.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        hash = mix(hash, u64::from_le_bytes(word) ^ FACTOR.rotate_left(17));
    }
    mix(hash, FACTOR.rotate_left(47))
}

/// The fixed part of a pack, at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Trailer {
    reading: [u8; 4],
    keeps_rules: bool,
    crawlers: u32,
    /// Distinct robots.txt files: rows.
    files: u64,
    origins: u64,
    records: u64,
    /// Slots of the index: a power of two.
    slots: u64,
    seed: u32,
    /// How far an origin may be from its place, in slots.
    reach: u32,
    rows_at: u64,
    names_at: u64,
    index_at: u64,
    blocks_at: u64,
    about_at: u64,
    /// Of the blocks' checksums, and of what the pack is about.
    checksums: [u32; 2],
}

impl Trailer {
    fn to_bytes(&self) -> [u8; TRAILER_LEN] {
        let mut bytes = Vec::with_capacity(TRAILER_LEN);
        bytes.extend(self.reading);
        bytes.extend(u32::from(self.keeps_rules).to_le_bytes());
        bytes.extend(self.crawlers.to_le_bytes());
        bytes.extend(self.seed.to_le_bytes());
        bytes.extend(self.reach.to_le_bytes());
        bytes.extend(self.checksums.iter().flat_map(|checksum| checksum.to_le_bytes()));
        let numbers = [
            self.files,
            self.origins,
            self.records,
            self.slots,
            self.rows_at,
            self.names_at,
            self.index_at,
            self.blocks_at,
            self.about_at,
        ];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.resize(TRAILER_LEN - 16, 0);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes.extend(MAGIC);
        bytes.try_into().expect("TRAILER_LEN bytes")
    }

    /// `None` where no trailer has such bytes.
    fn from_bytes(bytes: &[u8; TRAILER_LEN]) -> Option<Trailer> {
        let small = |at: usize| u32_at(bytes, at);
        let number = |index: usize| u64_at(bytes, 28 + 8 * index);
        let trailer = Trailer {
            reading: *bytes.first_chunk()?,
            keeps_rules: small(4)? == 1,
            crawlers: small(8)?,
            seed: small(12)?,
            reach: small(16)?,
            checksums: [small(20)?, small(24)?],
            files: number(0)?,
            origins: number(1)?,
            records: number(2)?,
            slots: number(3)?,
            rows_at: number(4)?,
            names_at: number(5)?,
            index_at: number(6)?,
            blocks_at: number(7)?,
            about_at: number(8)?,
        };
        (trailer.to_bytes() == *bytes).then_some(trailer)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
