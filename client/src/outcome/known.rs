//! What is known of an origin.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Failure;
use crate::Timestamp;

/// The SHA-256 of a body: what it is kept and shared by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Of a body.
    pub fn of(body: &[u8]) -> ContentHash {
        ContentHash(Sha256::digest(body).into())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// What is known of an origin: all that must be kept between attempts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// When the last attempt ended.
    pub attempted: Timestamp,
    /// What the last attempt meant.
    pub last: Outcome,
    /// The last good copy, if one is held.
    pub copy: Option<Copy>,
    /// Since when the origin has been unreachable without a break, if it is.
    pub unreachable_since: Option<Timestamp>,
    /// Attempts without an answer that counts, in a row.
    pub failures: u32,
    /// The site asked not to be asked before.
    pub retry_after: Option<Timestamp>,
    /// When the caller last saw other pages of the site answered.
    pub site_answered: Option<Timestamp>,
    /// The site answers 5xx for pages that are not there, says the caller.
    pub errors_mean_absent: bool,
}

/// What an attempt meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Outcome {
    /// There is a robots.txt: the one of [`Known::copy`].
    Present,
    /// There is none: the site said so by this status, or by redirects without an end.
    Absent(Cause),
    /// Whether there is one could not be found out.
    Unreachable(Cause),
}

/// What made an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// An HTTP status.
    Status(u16),
    /// No final answer.
    Failure(Failure),
}

/// A robots.txt that was fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copy {
    /// The body, by its hash: whoever keeps this keeps that too.
    pub content: ContentHash,
    /// Its length in bytes.
    pub len: u32,
    /// When it was fetched, or last found unchanged.
    pub at: Timestamp,
    /// For how many seconds from then it serves, without regard to failed attempts.
    pub lifetime: u32,
    /// The URL of the answer, where redirects led elsewhere.
    pub final_url: Option<String>,
    /// The validator `ETag`, as it was received.
    pub etag: Option<Vec<u8>>,
    /// The validator `Last-Modified`, as it was received.
    pub last_modified: Option<Vec<u8>>,
    /// The body was larger than what is kept.
    pub is_truncated: bool,
    /// The body is white space, if anything.
    pub is_blank: bool,
    /// The body looks like an HTML page.
    pub looks_like_html: bool,
}
