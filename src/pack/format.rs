//! What the reader and the writer of a pack share: constants and the trailer.

use crate::policy::Reading;
use crate::profile::TargetForm;
use crate::rules::normalise::Encoding;
use crate::sites::layout::{RECORD_HEAD, RECORD_UNIT};

// So `u32 as usize` and `usize as u64` lose nothing, here and beside.
const _: () = assert!(usize::BITS >= u32::BITS && usize::BITS <= u64::BITS);

/// The first bytes of every pack. The first is not ASCII and the last is a line end, so that it
/// shows if a program has treated the file as text.
pub const MAGIC: [u8; 8] = *b"\x89rsieve\n";
/// The version of the format. No other version is read.
pub(super) const VERSION: u32 = 6;
/// Bytes of the magic, the version and the mark. The first layer begins after them.
pub(super) const HEADER_LEN: usize = 16;

/// The first bytes of a file whose hash has this seed. No update changes them.
pub(super) fn header(seed: u64) -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..].copy_from_slice(&mark_of(seed));
    header
}

/// What the header and each trailer of a file have in common, and nothing else: whoever does not know
/// the seed, such as the author of a robots.txt, cannot write bytes that are taken for a trailer.
fn mark_of(seed: u64) -> [u8; 4] {
    crc32fast::hash(&seed.to_le_bytes()).to_le_bytes()
}

/// Returns true if a file that begins with `header` has a trailer here, perhaps a damaged one.
///
/// A trailer has three marks: the mark of the file twice, and the magic. Two of them are enough. So a
/// trailer with a flipped bit is still known as one, and the file is damaged; it is not taken for the
/// file before the update that wrote the trailer.
pub(super) fn is_trailer(header: &[u8], bytes: &[u8; TRAILER_LEN]) -> bool {
    let mark = header.get(MAGIC.len() + 4..HEADER_LEN);
    let marks = [&bytes[MARKS_AT..MARKS_AT + 4], &bytes[MARKS_AT + 4..MARKS_AT + 8]];
    let right = marks.iter().filter(|found| Some(**found) == mark).count();
    right + usize::from(bytes.ends_with(&MAGIC)) >= 2
}
/// A record's body is the rules of a policy that has a table, for explanations.
pub(super) const KIND_EXPLAIN: u8 = 5;
/// A record's body is the sitemaps of a file.
pub(super) const KIND_SITEMAPS: u8 = 6;
/// A record's body is the numbers of the records for explanations: that of the sitemaps, if the pack
/// keeps rights that of them, and for each policy that of its rules.
pub(super) const KIND_ABOUT: u8 = 7;
/// A record's body is what a file says of rights.
pub(super) const KIND_RIGHTS: u8 = 9;
/// Indexes begin at a multiple of this. Each block of an index of this length has a checksum, so that
/// what is in use can be checked without reading the rest.
pub(super) const BLOCK_LEN: usize = 4096;
/// The most crawlers. Where each has a policy of its own, telling these apart takes a step for each
/// pair of them.
pub(super) const MAX_CRAWLERS: u32 = 4096;
/// The number of lines an origin may be behind the one that its hash names, at most: looking up a name
/// reads as many.
pub(super) const MAX_REACH: u32 = 1024;
/// The most layers.
pub(super) const MAX_LAYERS: usize = 64;
/// Bytes at the end of every layer.
pub(super) const TRAILER_LEN: usize = 160;
/// Every trailer ends at a multiple of this, so that it lies within one sector of a disk and one page of
/// memory: it is there as a whole, or it is missing.
pub(super) const TRAILER_UNIT: usize = 256;
/// Where the two marks are in a trailer.
const MARKS_AT: usize = 136;

/// Encodes the switches of a profile that are needed to decide, in four bytes.
pub(super) fn reading_to_bytes(reading: Reading, wildcards: bool) -> [u8; 4] {
    let form = match reading.form {
        TargetForm::Strict => 0,
        TargetForm::Google => 1,
    };
    let [classes, switches] = reading.encoding.to_bytes();
    [form, u8::from(reading.robots_txt_allowed) | u8::from(wildcards) << 1, classes, switches]
}

pub(super) fn reading_from_bytes(
    [form, bits, classes, switches]: [u8; 4],
) -> Option<(Reading, bool)> {
    let form = match form {
        0 => TargetForm::Strict,
        1 => TargetForm::Google,
        _ => return None,
    };
    let encoding = Encoding::from_bytes([classes, switches])?;
    let reading = Reading { form, encoding, robots_txt_allowed: bits & 1 != 0 };
    (bits < 4).then_some((reading, bits & 2 != 0))
}

/// The last bytes of a layer: where its parts are, and how large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trailer {
    pub(super) reading: [u8; 4],
    pub(super) keeps_rules: bool,
    pub(super) keeps_sitemaps: bool,
    pub(super) keeps_rights: bool,
    pub(super) crawlers: u32,
    /// The number of lines the index has behind those that a hash names.
    pub(super) reach: u32,
    /// The checksums of the checksums of all blocks, and of the description.
    pub(super) checksums: [u32; 2],
    /// Which of how many files this is, whose origins are shared out.
    pub(super) shard: [u32; 2],
    /// Where the layer begins.
    pub(super) begin: u64,
    pub(super) index_at: u64,
    /// The lines of the index that a hash names.
    pub(super) lines: u64,
    pub(super) blocks_at: u64,
    pub(super) about_at: u64,
    pub(super) about_len: u64,
    /// Where the layer before this one ends; 0 if this is the first.
    pub(super) previous: u64,
    /// Where this layer ends.
    pub(super) end: u64,
    /// The number of origins of this layer and those before it together.
    pub(super) origins: u64,
    /// The entries of the index.
    pub(super) entries: u64,
    pub(super) records: u64,
    /// The robots.txt files that were told apart.
    pub(super) files: u64,
    /// The seed of the hash; the same in all layers.
    pub(super) seed: u64,
}

impl Trailer {
    /// What the pack keeps of each file beside its policies.
    pub(super) fn keeps(&self) -> [bool; 3] {
        [self.keeps_rules, self.keeps_sitemaps, self.keeps_rights]
    }

    /// Returns true if an entry has the number of a record for explanations.
    pub(super) fn has_about(&self) -> bool {
        self.keeps() != [false; 3]
    }

    pub(super) fn to_bytes(&self) -> [u8; TRAILER_LEN] {
        let mut bytes = Vec::with_capacity(TRAILER_LEN);
        bytes.extend(self.reading);
        let keeps = self.keeps().iter().rev().fold(0, |bits, keeps| bits << 1 | u32::from(*keeps));
        let [blocks, about] = self.checksums;
        let [shard, shards] = self.shard;
        let small = [keeps, self.crawlers, self.reach, blocks, about, shard, shards];
        bytes.extend(small.iter().flat_map(|number| number.to_le_bytes()));
        let large = [
            self.begin,
            self.index_at,
            self.lines,
            self.blocks_at,
            self.about_at,
            self.about_len,
            self.previous,
            self.end,
            self.origins,
            self.entries,
            self.records,
            self.files,
            self.seed,
        ];
        bytes.extend(large.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend([mark_of(self.seed); 2].as_flattened());
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes.extend(MAGIC);
        bytes.try_into().expect("TRAILER_LEN bytes")
    }

    /// Decodes a trailer. `None` unless these are the bytes of one.
    pub(super) fn from_bytes(bytes: &[u8; TRAILER_LEN]) -> Option<Trailer> {
        let small = |index: usize| u32_at(bytes, 4 + 4 * index);
        let large = |index: usize| u64_at(bytes, 32 + 8 * index);
        let trailer = Trailer {
            reading: *bytes.first_chunk()?,
            keeps_rules: small(0)? & 1 != 0,
            keeps_sitemaps: small(0)? & 2 != 0,
            keeps_rights: small(0)? & 4 != 0,
            crawlers: small(1)?,
            reach: small(2)?,
            checksums: [small(3)?, small(4)?],
            shard: [small(5)?, small(6)?],
            begin: large(0)?,
            index_at: large(1)?,
            lines: large(2)?,
            blocks_at: large(3)?,
            about_at: large(4)?,
            about_len: large(5)?,
            previous: large(6)?,
            end: large(7)?,
            origins: large(8)?,
            entries: large(9)?,
            records: large(10)?,
            files: large(11)?,
            seed: large(12)?,
        };
        (trailer.to_bytes() == *bytes).then_some(trailer)
    }
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Where a record begins, in bytes from the beginning of its file.
pub(super) fn record_offset(record: u32) -> u64 {
    u64::from(record) * RECORD_UNIT as u64
}

/// Where the body of a record begins.
pub(super) fn body_offset(record: u32) -> u64 {
    record_offset(record) + RECORD_HEAD as u64
}
