//! What the reader and the writer of a pack share: constants, the hash, the trailer.

use std::time::Duration;

use crate::policy::Reading;
use crate::profile::TargetForm;
use crate::records::{Pace, RequestRate, TimeWindow};
use crate::rules::normalise::Encoding;

// So `u32 as usize` and `usize as u64` lose nothing, here and beside.
const _: () = assert!(usize::BITS >= u32::BITS && usize::BITS <= u64::BITS);

/// The first bytes of every pack. The first is not ASCII and the last is a line end, so that it
/// shows if a program has treated the file as text.
pub const MAGIC: [u8; 8] = *b"\x89rsieve\n";
/// The version of the format. No other version is read.
pub(super) const VERSION: u32 = 2;
/// Bytes of the magic, the version and four zeros. The records begin after them.
pub(super) const HEADER_LEN: usize = 16;
/// Every record begins at a multiple of this. Its number is the quotient.
pub(super) const RECORD_UNIT: usize = 8;
/// Bytes before a record's body: its length and its checksum.
pub(super) const RECORD_HEAD: usize = 8;
/// A record's body is a table, and perhaps rules after it.
pub(super) const KIND_TABLE: u8 = 0;
/// A record's body is rules alone.
pub(super) const KIND_RULES: u8 = 1;
/// A bit of a policy's kind: the body ends with the pace of its groups, in [`PACE_LEN`] bytes.
pub(super) const HAS_PACE: u8 = 2;
/// A record's body is the sitemaps of a file.
pub(super) const KIND_SITEMAPS: u8 = 4;
/// In the column of the sitemaps: the file has none. The header is where this record would be.
pub(super) const NO_SITEMAPS: u32 = 0;
/// Bytes of a pace.
pub(super) const PACE_LEN: usize = 32;
/// Bytes of a slot of the index: hash, row, where the name begins, and its length.
pub(super) const SLOT_LEN: usize = 16;
/// The row in a free slot.
pub(super) const FREE: u32 = u32::MAX;
/// The most crawlers. Where each has a policy of its own, telling these apart takes a step for each
/// pair of them.
pub(super) const MAX_CRAWLERS: u32 = 4096;
/// How far an origin may be from the slot that its hash names, in slots, at most: looking up a
/// name reads as many slots. In an index that is three quarters full, 2³² origins stay within some
/// 600.
pub(super) const MAX_REACH: u32 = 1024;
/// Rows, names and index have a checksum for each block of this many bytes, so that the parts in
/// use can be checked without reading the rest.
pub(super) const BLOCK_LEN: usize = 4096;
/// Bytes at the end of every pack.
pub(super) const TRAILER_LEN: usize = 144;

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

/// The hash of an origin's name: mixes in eight bytes at a time with a multiplication. It is part
/// of the format. The writer chooses the seed so that no origin is far from its slot.
pub(super) fn hash(name: &[u8], seed: u32) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word).wrapping_mul(u128::from(FACTOR));
        // The two halves.
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

/// Encodes a pace.
pub(super) fn pace_to_bytes(pace: Pace) -> [u8; PACE_LEN] {
    let mut bytes = Vec::with_capacity(PACE_LEN);
    let delay = pace.crawl_delay;
    bytes.extend(delay.map_or(0, |delay| delay.as_secs()).to_le_bytes());
    bytes.extend(delay.map_or(u32::MAX, |delay| delay.subsec_nanos()).to_le_bytes());
    let rate = pace.request_rate;
    let period = rate.map_or(Duration::ZERO, |rate| rate.period);
    bytes.extend(rate.map_or(0, |rate| rate.requests).to_le_bytes());
    bytes.extend(period.as_secs().to_le_bytes());
    bytes.extend(period.subsec_nanos().to_le_bytes());
    let window = rate.and_then(|rate| rate.window);
    bytes.extend(window.map_or(u16::MAX, |window| window.from_minute).to_le_bytes());
    bytes.extend(window.map_or(u16::MAX, |window| window.to_minute).to_le_bytes());
    bytes.try_into().expect("PACE_LEN bytes")
}

/// Decodes a pace. `None` unless these are the bytes of one that says something.
pub(super) fn pace_from_bytes(bytes: &[u8; PACE_LEN]) -> Option<Pace> {
    const DAY: u16 = 24 * 60;
    let [secs, period_secs] = [u64_at(bytes, 0)?, u64_at(bytes, 16)?];
    let [nanos, requests, period_nanos, window] =
        [8, 12, 24, 28].map(|at| u32_at(bytes, at).expect("within 32 bytes"));
    let duration = |secs, nanos: u32| (nanos < 1_000_000_000).then(|| Duration::new(secs, nanos));
    let window = match [window as u16, (window >> 16) as u16] {
        [u16::MAX, u16::MAX] => None,
        [from, to] if from < DAY && to <= DAY => {
            Some(TimeWindow { from_minute: from, to_minute: to })
        }
        _ => return None,
    };
    let pace = Pace {
        crawl_delay: if nanos == u32::MAX { None } else { Some(duration(secs, nanos)?) },
        request_rate: match requests {
            0 => None,
            _ => {
                Some(RequestRate { requests, period: duration(period_secs, period_nanos)?, window })
            }
        },
    };
    // What is not there is written in one way only.
    (!pace.is_none() && pace_to_bytes(pace) == *bytes).then_some(pace)
}

/// The last bytes of a pack: where its parts are, and how large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trailer {
    pub(super) reading: [u8; 4],
    pub(super) keeps_rules: bool,
    pub(super) keeps_sitemaps: bool,
    pub(super) crawlers: u32,
    /// The number of distinct robots.txt files, which is that of the rows.
    pub(super) files: u64,
    pub(super) origins: u64,
    pub(super) records: u64,
    /// The number of slots of the index: a power of two.
    pub(super) slots: u64,
    pub(super) seed: u32,
    /// How far an origin may be from the slot that its hash names, in slots.
    pub(super) reach: u32,
    pub(super) rows_at: u64,
    pub(super) names_at: u64,
    pub(super) index_at: u64,
    pub(super) blocks_at: u64,
    pub(super) about_at: u64,
    /// The checksums of the checksums of all blocks, and of the description.
    pub(super) checksums: [u32; 2],
}

impl Trailer {
    /// The numbers of records in a row: one for each crawler, and one for the sitemaps.
    pub(super) fn columns(&self) -> u32 {
        // A reader refuses more crawlers than 4096 before it asks for the columns.
        self.crawlers.saturating_add(u32::from(self.keeps_sitemaps))
    }

    pub(super) fn to_bytes(&self) -> [u8; TRAILER_LEN] {
        let mut bytes = Vec::with_capacity(TRAILER_LEN);
        bytes.extend(self.reading);
        let keeps = u32::from(self.keeps_rules) | u32::from(self.keeps_sitemaps) << 1;
        bytes.extend(keeps.to_le_bytes());
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

    /// Decodes a trailer. `None` unless these are the bytes of one.
    pub(super) fn from_bytes(bytes: &[u8; TRAILER_LEN]) -> Option<Trailer> {
        let small = |at: usize| u32_at(bytes, at);
        let number = |index: usize| u64_at(bytes, 28 + 8 * index);
        let trailer = Trailer {
            reading: *bytes.first_chunk()?,
            keeps_rules: small(4)? & 1 != 0,
            keeps_sitemaps: small(4)? & 2 != 0,
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

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Kind;

    #[test]
    fn paces() {
        let lines = |delay: &str, rate: &str| {
            let delay = Pace::of_line(Kind::CrawlDelay, delay.as_bytes());
            delay.and(Pace::of_line(Kind::RequestRate, rate.as_bytes()))
        };
        for pace in [
            lines("0", ""),
            lines("2.5", "1/5 0600-2400"),
            lines("18446744073709549568", "4294967295/4294967295d 2359-0000"),
            lines("", "1/1"),
            lines("", "3/9").within(Duration::new(1, 1)),
        ] {
            assert!(!pace.is_none());
            let bytes = pace_to_bytes(pace);
            assert_eq!(pace_from_bytes(&bytes), Some(pace));
            // Every other byte string is another pace, or none.
            for at in 0..PACE_LEN {
                let mut changed = bytes;
                changed[at] ^= 0x80;
                assert_ne!(pace_from_bytes(&changed), Some(pace));
            }
        }
        assert_eq!(pace_from_bytes(&pace_to_bytes(Pace::NONE)), None);
        assert_eq!(pace_from_bytes(&[0xFF; PACE_LEN]), None);
    }
}
