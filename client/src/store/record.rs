//! What is known of an origin, as bytes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Fault;
use crate::Timestamp;
use crate::outcome::{ContentHash, Copy, Known, Outcome};

/// [`Known`] in few bytes, written by postcard: points in time as distances from the last
/// attempt, a body by its number in the store. It is part of the file's format, as is the
/// order of the variants of [`Outcome`], `Cause`, `Failure` and `Stage`: a change needs
/// another [`SCHEMA_VERSION`](super::SCHEMA_VERSION), but for variants added behind the others.
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
}

/// [`Copy`] in few bytes; hash and length stand with the body.
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
    /// Of what is known, where the body of its copy has this number.
    pub(super) fn of(known: &Known, body: Option<u64>) -> Record<'_> {
        let from_attempt = |time: Timestamp| time.0.wrapping_sub(known.attempted.0).cast_signed();
        Record {
            attempted: known.attempted.0,
            last: Cow::Borrowed(&known.last),
            copy: known.copy.as_ref().zip(body).map(|(copy, body)| CopyRecord {
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
            unreachable_since: known.unreachable_since.map(from_attempt),
            failures: known.failures,
            retry_after: known.retry_after.map(from_attempt),
            site_answered: known.site_answered.map(from_attempt),
            errors_mean_absent: known.errors_mean_absent,
        }
    }

    /// What is known, where the body of the copy has this hash and length.
    pub(super) fn into_known(self, body: Option<(ContentHash, u32)>) -> Known {
        let attempted = self.attempted;
        let time = |distance: i64| Timestamp(attempted.wrapping_add(distance.cast_unsigned()));
        Known {
            attempted: Timestamp(attempted),
            last: self.last.into_owned(),
            copy: self.copy.zip(body).map(|(copy, (content, len))| Copy {
                content,
                len,
                at: time(copy.at),
                lifetime: copy.lifetime,
                final_url: copy.final_url.map(Cow::into_owned),
                etag: copy.etag.map(Cow::into_owned),
                last_modified: copy.last_modified.map(Cow::into_owned),
                is_truncated: copy.is_truncated,
                is_blank: copy.is_blank,
                looks_like_html: copy.looks_like_html,
            }),
            unreachable_since: self.unreachable_since.map(time),
            failures: self.failures,
            retry_after: self.retry_after.map(time),
            site_answered: self.site_answered.map(time),
            errors_mean_absent: self.errors_mean_absent,
        }
    }

    /// What the last attempt meant.
    pub(super) fn last(&self) -> &Outcome {
        &self.last
    }

    /// The row of the table: a checksum of the origin and the record, then the record.
    pub(super) fn encode(&self, origin: &str) -> Vec<u8> {
        let mut row = postcard::to_extend(self, vec![0; CHECKSUM_BYTES])
            .expect("a vector takes all, and nothing in a record is refused");
        let checksum = checksum(origin, &row[CHECKSUM_BYTES..]);
        row[..CHECKSUM_BYTES].copy_from_slice(&checksum);
        row
    }

    /// The record of a row.
    pub(super) fn decode<'r>(origin: &str, row: &'r [u8]) -> Result<Record<'r>, Fault> {
        row.split_first_chunk()
            .filter(|(found, bytes)| **found == checksum(origin, bytes))
            .and_then(|(_, bytes)| postcard::from_bytes(bytes).ok())
            .ok_or_else(|| {
                Fault::damaged(format!("the record of {origin} is not as it was written"))
            })
    }
}

const CHECKSUM_BYTES: usize = 4;

fn checksum(origin: &str, bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(origin.as_bytes());
    hasher.update(bytes);
    hasher.finalize().to_le_bytes()
}
