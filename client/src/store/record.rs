//! The rows of origins: their states as bytes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::error::Fault;
use crate::outcome::{CachedCopy, ContentHash, OriginState, Outcome, StatedLifetime};
use crate::time::Timestamp;

/// An [`OriginState`] in few bytes, written by postcard: times are differences from the last
/// attempt, and the body is its number in the store.
///
/// This is part of the file's format, and so is the order of the variants of [`Outcome`],
/// `Cause`, `Failure` and `Stage`. New variants may be added at the end, and new fields behind the
/// record: older programs read no further, and older rows end there. Any other change needs a new
/// [`SCHEMA_VERSION`](super::SCHEMA_VERSION).
#[derive(Serialize, Deserialize)]
pub(super) struct Record<'k> {
    /// Seconds since 1970.
    pub(super) attempted: u64,
    #[serde(borrow)]
    last: Cow<'k, Outcome>,
    pub(super) copy: Option<CopyRecord<'k>>,
    unreachable_since: Option<i64>,
    failures: u32,
    retry_after: Option<i64>,
    site_answered: Option<i64>,
    errors_mean_absent: bool,
    #[serde(skip)]
    behind: Behind<'k>,
}

/// What was added to the format, behind the record.
#[derive(Default, Serialize, Deserialize)]
struct Behind<'k> {
    /// That of the copy.
    stated: Stated,
    #[serde(borrow)]
    invalid_certificate: Option<Cow<'k, str>>,
    no_file_at: Option<i64>,
}

/// A [`StatedLifetime`], if there is one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Stated {
    MaxAge(u32),
    Expires(u32),
    #[default]
    None,
}

impl From<Option<StatedLifetime>> for Stated {
    fn from(stated: Option<StatedLifetime>) -> Stated {
        match stated {
            Some(StatedLifetime::MaxAge(seconds)) => Stated::MaxAge(seconds),
            Some(StatedLifetime::Expires(seconds)) => Stated::Expires(seconds),
            None => Stated::None,
        }
    }
}

impl From<Stated> for Option<StatedLifetime> {
    fn from(stated: Stated) -> Option<StatedLifetime> {
        match stated {
            Stated::MaxAge(seconds) => Some(StatedLifetime::MaxAge(seconds)),
            Stated::Expires(seconds) => Some(StatedLifetime::Expires(seconds)),
            Stated::None => None,
        }
    }
}

impl<'k> Behind<'k> {
    /// Appends what there is to a row, up to the last that there is: so rows remain those of older programs.
    fn append(&self, row: Vec<u8>) -> postcard::Result<Vec<u8>> {
        match (self.stated, &self.invalid_certificate, self.no_file_at) {
            (_, _, Some(_)) => postcard::to_extend(self, row),
            (stated, Some(certificate), None) => {
                postcard::to_extend(&(stated, Some(certificate)), row)
            }
            (Stated::None, None, None) => Ok(row),
            (stated, None, None) => postcard::to_extend(&stated, row),
        }
    }

    /// Reads the rest of a row.
    fn read(rest: &'k [u8]) -> Option<Behind<'k>> {
        if rest.is_empty() {
            return Some(Behind::default());
        }
        let (stated, rest) = postcard::take_from_bytes(rest).ok()?;
        let (invalid_certificate, rest) = match rest {
            [] => (None, rest),
            rest => postcard::take_from_bytes(rest).ok()?,
        };
        let no_file_at = match rest {
            [] => None,
            rest => postcard::from_bytes(rest).ok()?,
        };
        Some(Behind { stated, invalid_certificate, no_file_at })
    }
}

/// A [`CachedCopy`] in few bytes. Hash and length are in the body's row.
#[derive(Serialize, Deserialize)]
pub(super) struct CopyRecord<'k> {
    pub(super) body: u64,
    at: i64,
    lifetime: u32,
    final_url: Option<Cow<'k, str>>,
    etag: Option<Cow<'k, [u8]>>,
    last_modified: Option<Cow<'k, [u8]>>,
    is_truncated: bool,
    is_blank: bool,
    looks_like_html: bool,
}

impl Record<'_> {
    /// The record of a state whose copy's body has this number.
    pub(super) fn of(state: &OriginState, body: Option<u64>) -> Record<'_> {
        let from_attempt = |time: Timestamp| time.0.wrapping_sub(state.attempted.0).cast_signed();
        Record {
            attempted: state.attempted.0,
            last: Cow::Borrowed(&state.last),
            copy: state.copy.as_ref().zip(body).map(|(copy, body)| CopyRecord {
                body,
                at: from_attempt(copy.at),
                lifetime: copy.lifetime,
                final_url: copy.final_url.as_deref().map(Cow::Borrowed),
                etag: copy.etag.as_deref().map(Cow::Borrowed),
                last_modified: copy.last_modified.as_deref().map(Cow::Borrowed),
                is_truncated: copy.is_truncated,
                is_blank: copy.is_blank,
                looks_like_html: copy.looks_like_html,
            }),
            unreachable_since: state.unreachable_since.map(from_attempt),
            failures: state.failures,
            retry_after: state.retry_after.map(from_attempt),
            site_answered: state.site_answered.map(from_attempt),
            errors_mean_absent: state.errors_mean_absent,
            behind: Behind {
                stated: state.copy.as_ref().and_then(|copy| copy.stated).into(),
                invalid_certificate: state.invalid_certificate.as_deref().map(Cow::Borrowed),
                no_file_at: state.no_file_at.map(from_attempt),
            },
        }
    }

    /// The state, given the hash and length of its copy's body.
    pub(super) fn into_state(self, body: Option<(ContentHash, u32)>) -> OriginState {
        let attempted = self.attempted;
        let time = |distance: i64| Timestamp(attempted.wrapping_add(distance.cast_unsigned()));
        let mut state = OriginState::new(Timestamp(attempted), self.last.into_owned());
        state.copy = self.copy.zip(body).map(|(copy, (content, len))| CachedCopy {
            content,
            len,
            at: time(copy.at),
            lifetime: copy.lifetime,
            stated: self.behind.stated.into(),
            final_url: copy.final_url.map(Cow::into_owned),
            etag: copy.etag.map(Cow::into_owned),
            last_modified: copy.last_modified.map(Cow::into_owned),
            is_truncated: copy.is_truncated,
            is_blank: copy.is_blank,
            looks_like_html: copy.looks_like_html,
        });
        state.unreachable_since = self.unreachable_since.map(time);
        state.failures = self.failures;
        state.retry_after = self.retry_after.map(time);
        state.site_answered = self.site_answered.map(time);
        state.errors_mean_absent = self.errors_mean_absent;
        state.invalid_certificate = self.behind.invalid_certificate.map(Cow::into_owned);
        state.no_file_at = self.behind.no_file_at.map(time);
        state
    }

    /// The meaning of the last attempt.
    pub(super) fn last(&self) -> &Outcome {
        &self.last
    }

    /// The row of the table: a checksum of the origin's key and the record, then the record.
    pub(super) fn encode(&self, origin: &str) -> Vec<u8> {
        let row = postcard::to_extend(self, vec![0; CHECKSUM_BYTES]);
        let mut row = row
            .and_then(|row| self.behind.append(row))
            .expect("a vector takes any length, and postcard can write every field");
        let checksum = checksum(origin, &row[CHECKSUM_BYTES..]);
        row[..CHECKSUM_BYTES].copy_from_slice(&checksum);
        row
    }

    /// The record of a row.
    pub(super) fn decode<'r>(origin: &str, row: &'r [u8]) -> Result<Record<'r>, Fault> {
        row.split_first_chunk()
            .filter(|(found, bytes)| **found == checksum(origin, bytes))
            .and_then(|(_, bytes)| {
                let (record, rest) = postcard::take_from_bytes::<Record<'_>>(bytes).ok()?;
                Some(Record { behind: Behind::read(rest)?, ..record })
            })
            .ok_or_else(|| Fault::damaged(format!("the record of {origin} is corrupt")))
    }
}

/// The row of a file: the hash of its body, which tells whether the number is still that of the body, and
/// the record. The hash of a file without a copy is zero.
pub(super) fn encode_file(url: &str, state: &OriginState, body: Option<u64>) -> Vec<u8> {
    let content = state.copy.as_ref().map_or([0; HASH_BYTES], |copy| copy.content.0);
    let mut row = content.to_vec();
    row.extend(Record::of(state, body).encode(url));
    row
}

/// Hash and record of a file's row.
pub(super) fn decode_file<'r>(
    url: &str,
    row: &'r [u8],
) -> Result<(ContentHash, Record<'r>), Fault> {
    let (content, row) = row
        .split_first_chunk::<HASH_BYTES>()
        .ok_or_else(|| Fault::damaged(format!("the record of {url} is corrupt")))?;
    Ok((ContentHash(*content), Record::decode(url, row)?))
}

const HASH_BYTES: usize = 32;

/// The key of an origin as text.
pub(super) fn origin_key(key: &[u8]) -> Result<&str, Fault> {
    str::from_utf8(key).map_err(|_| Fault::damaged("the key of an origin is not UTF-8"))
}

const CHECKSUM_BYTES: usize = 4;

fn checksum(origin: &str, bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(origin.as_bytes());
    hasher.update(bytes);
    hasher.finalize().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows written before a copy's stated lifetime was kept end where the record does.
    #[test]
    fn rows_of_older_programs() {
        let mut state = OriginState::present(CachedCopy::new(b"", Timestamp(1_800_000_000)));
        let body = state.copy.as_ref().map(|copy| (copy.content, copy.len));
        let old = Record::of(&state, Some(7)).encode("a");
        state.copy.as_mut().unwrap().stated = Some(StatedLifetime::Expires(3600));
        let new = Record::of(&state, Some(7)).encode("a");
        assert_eq!(old[CHECKSUM_BYTES..], new[CHECKSUM_BYTES..old.len()]);
        let stated = |row: &[u8]| {
            let read = Record::decode("a", row).unwrap().into_state(body);
            assert_eq!(read.last, Outcome::Present);
            read.copy.unwrap().stated
        };
        assert_eq!((stated(&old), stated(&new)), (None, Some(StatedLifetime::Expires(3600))));
        // A certificate stands behind either.
        for stated in [None, Some(StatedLifetime::Expires(3600))] {
            state.copy.as_mut().unwrap().stated = stated;
            state.invalid_certificate = Some("it has expired".to_owned());
            let row = Record::of(&state, Some(7)).encode("a");
            assert_eq!(Record::decode("a", &row).unwrap().into_state(body), state);
        }
        // And behind that when there was no file.
        for certificate in [None, Some("it has expired".to_owned())] {
            let mut state = OriginState::unknown(Timestamp(1_800_000_000));
            state.invalid_certificate = certificate;
            let older = Record::of(&state, None).encode("a");
            assert_eq!(Record::decode("a", &older).unwrap().into_state(None), state);
            state.no_file_at = Some(Timestamp(1_700_000_000));
            let row = Record::of(&state, None).encode("a");
            assert_eq!(Record::decode("a", &row).unwrap().into_state(None), state);
        }
    }
}
