//! The knowledge of an origin.

use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::attempt::{Attempt, Failure};
use super::local::LocalFault;
use crate::time::Timestamp;

/// The time for which a copy may be used unless its headers say otherwise: RFC 9309, section 2.4.
pub(super) const DEFAULT_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The SHA-256 of a body. Equal bodies are stored once, under this hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The hash of a body.
    #[must_use]
    pub fn of(body: &[u8]) -> ContentHash {
        ContentHash(Sha256::digest(body).into())
    }
}

impl From<[u8; 32]> for ContentHash {
    fn from(hash: [u8; 32]) -> ContentHash {
        ContentHash(hash)
    }
}

impl FromStr for ContentHash {
    type Err = InvalidHash;

    /// Reads 64 hex digits, as `Display` writes them.
    fn from_str(text: &str) -> Result<ContentHash, InvalidHash> {
        let (pairs, rest) = text.as_bytes().as_chunks();
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let byte = |[high, low]: &[u8; 2]| Some((digit(*high)? << 4 | digit(*low)?) as u8);
        let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
        let bytes = bytes.filter(|_| rest.is_empty()).and_then(|bytes| bytes.try_into().ok());
        bytes.map(ContentHash).ok_or(InvalidHash(()))
    }
}

/// The error of a text that is no [`ContentHash`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidHash(());

impl fmt::Display for InvalidHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the 64 hex digits of a hash")
    }
}

impl Error for InvalidHash {}

impl fmt::Display for ContentHash {
    /// 64 hex digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// The knowledge of an origin: everything to remember between two attempts.
///
/// [`Protocol::after`](super::Protocol::after) makes it from an attempt. Make one yourself to
/// import files that something else has fetched:
///
/// ```
/// use robotsieve_client::Timestamp;
/// use robotsieve_client::outcome::{CachedCopy, Condition, OriginState};
///
/// let body = b"User-agent: *\nDisallow: /private";
/// let state = OriginState::present(CachedCopy::new(body, Timestamp(1_800_000_000)));
/// assert_eq!(state.condition(), Condition::Parsed);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OriginState {
    /// The end of the last attempt.
    pub attempted: Timestamp,
    /// The meaning of the last attempt.
    pub last: Outcome,
    /// The last good copy, if there is one.
    pub copy: Option<CachedCopy>,
    /// If the origin is unreachable, the first of the failed attempts in a row. They begin anew if
    /// nobody has asked for too long ([`Protocol::unreachable_limit`](super::Protocol)).
    pub unreachable_since: Option<Timestamp>,
    /// The number of attempts that have failed in a row, from then on.
    pub failures: u32,
    /// The time before which the site asked for no further request.
    pub retry_after: Option<Timestamp>,
    /// The last time that the caller saw the site answer a request for another page.
    pub site_answered: Option<Timestamp>,
    /// True if the site answers 5xx for pages that do not exist, as the caller has found.
    pub errors_mean_absent: bool,
    /// What is wrong with a certificate behind which the robots.txt was found, or none, and which was
    /// accepted all the same: anybody on the way may have answered.
    #[serde(default)]
    pub invalid_certificate: Option<String>,
    /// If the origin is unreachable without a copy: when it last had no file, or may have had any. A file
    /// from before then no longer counts.
    #[serde(default)]
    pub no_file_at: Option<Timestamp>,
}

impl OriginState {
    /// The state after a first attempt at `attempted` with this outcome, without a copy.
    #[must_use]
    pub fn new(attempted: Timestamp, last: Outcome) -> OriginState {
        OriginState {
            attempted,
            last,
            copy: None,
            unreachable_since: None,
            failures: 0,
            retry_after: None,
            site_answered: None,
            errors_mean_absent: false,
            invalid_certificate: None,
            no_file_at: None,
        }
    }

    /// The state of an origin whose answer at that time is not known, such as a redirect to what an archive
    /// does not have. It may have said anything: what was known before no longer holds.
    #[must_use]
    pub fn unknown(at: Timestamp) -> OriginState {
        OriginState::new(at, Outcome::Unknown)
    }

    /// True if nothing is known of the origin's robots.txt: its answer is not, or each attempt failed on this
    /// side.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        let says_nothing = matches!(self.last, Outcome::Present | Outcome::Unknown);
        self.copy.is_none() && (says_nothing || !self.was_asked())
    }

    /// False if the last attempt ended on this side, so that it is no failure of the site's: the fetcher's settings forbid the address ([`Failure::Refused`], which
    /// is then none of the site's), or [a fault](Outcome::local_fault). Other settings can ask
    /// at once. A copy goes on to count; an answer without a copy, and failures, are forgotten, and then
    /// nothing is known.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        let is_refused =
            matches!(&self.last, Outcome::Unreachable(Cause::Failure(Failure::Refused(_))));
        // Where the site led to such an address, it counts as failed.
        let is_ours = is_refused && self.failures == 0;
        !is_ours && self.last.local_fault().is_none()
    }

    /// The state after a first attempt that found this copy, at the time of the copy.
    #[must_use]
    pub fn present(copy: CachedCopy) -> OriginState {
        let state = OriginState::new(copy.at, Outcome::Present);
        OriginState { copy: Some(copy), ..state }
    }

    /// The file that came with an attempt, if it is now the copy.
    #[must_use]
    pub fn body_of<'a>(&self, attempt: &'a Attempt) -> Option<&'a [u8]> {
        let file = attempt.result.as_ref().ok().filter(|response| response.is_file())?;
        let is_copy = self.copy.as_ref().is_some_and(|copy| copy.at == attempt.at);
        (is_copy && file.unread().is_none()).then_some(&file.body)
    }

    /// The looks of the origin's robots.txt.
    #[must_use]
    pub fn condition(&self) -> Condition {
        match (&self.last, &self.copy) {
            (Outcome::Absent(_), _) => Condition::Absent,
            (Outcome::Unreachable(_), _) | (_, None) => Condition::Unreachable,
            (Outcome::Present | Outcome::Unknown, Some(copy)) => copy.condition(),
        }
    }
}

/// The meaning of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The site has a robots.txt: the one in [`OriginState::copy`].
    Present,
    /// The site has no robots.txt, or does not show it: it answered with this status, or with
    /// redirects that lead to nothing.
    Absent(Cause),
    /// The attempt could not tell whether there is one.
    Unreachable(Cause),
    /// The site has answered, and it is not known what: [`OriginState::unknown`].
    Unknown,
}

impl Outcome {
    /// The fault of this side that the outcome was made from. Only old stores have such outcomes;
    /// they say nothing about the site.
    #[must_use]
    pub fn local_fault(&self) -> Option<&LocalFault> {
        match self {
            Outcome::Absent(Cause::Failure(Failure::Local(fault)))
            | Outcome::Unreachable(Cause::Failure(Failure::Local(fault))) => Some(fault),
            _ => None,
        }
    }
}

impl Outcome {
    /// The cause, on one line, whatever a server or a library said: `HTTP 404`, or the failure.
    /// Empty if the site has a robots.txt.
    #[must_use]
    pub fn why(&self) -> String {
        match self {
            Outcome::Absent(cause) | Outcome::Unreachable(cause) => {
                cause.to_string().replace(|c: char| c.is_control(), " ")
            }
            Outcome::Present => String::new(),
            Outcome::Unknown => "its answer leads to what is not known".to_owned(),
        }
    }
}

impl fmt::Display for Outcome {
    /// `present`, or the outcome and its cause: `absent: HTTP 404`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Present => f.write_str("present"),
            Outcome::Absent(cause) => write!(f, "absent: {cause}"),
            Outcome::Unreachable(cause) => write!(f, "unreachable: {cause}"),
            Outcome::Unknown => f.write_str("unknown"),
        }
    }
}

/// The cause of an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// An HTTP status.
    Status(u16),
    /// There was no final answer.
    Failure(Failure),
}

impl fmt::Display for Cause {
    /// `HTTP 503`, or the failure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Status(status) => write!(f, "HTTP {status}"),
            Cause::Failure(failure) => failure.fmt(f),
        }
    }
}

/// A robots.txt that was fetched. Its body is kept elsewhere, under [`CachedCopy::content`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CachedCopy {
    /// The hash of the body. Whoever keeps this value must keep that body too.
    pub content: ContentHash,
    /// The length of the body in bytes.
    pub len: u32,
    /// The time at which the file was fetched, or last found unchanged.
    pub at: Timestamp,
    /// The seconds from then on for which the copy is fresh.
    pub lifetime: u32,
    /// The lifetime that the site stated, before its `Age` was subtracted and the protocol's bounds
    /// were applied.
    pub stated: Option<StatedLifetime>,
    /// The URL of the answer, if redirects led elsewhere.
    pub final_url: Option<String>,
    /// The validator `ETag`, as received.
    pub etag: Option<Vec<u8>>,
    /// The validator `Last-Modified`, as received.
    pub last_modified: Option<Vec<u8>>,
    /// True if the body was cut off because it was too large, or is a part of the file.
    pub is_truncated: bool,
    /// True if the body is empty or only white space.
    pub is_blank: bool,
    /// True if the body looks like an HTML page.
    pub looks_like_html: bool,
}

impl CachedCopy {
    /// A complete copy of this body, fetched at `at` without redirects or validators. It is
    /// fresh for a day.
    #[must_use]
    pub fn new(body: &[u8], at: Timestamp) -> CachedCopy {
        CachedCopy {
            content: ContentHash::of(body),
            len: u32::try_from(body.len()).unwrap_or(u32::MAX),
            at,
            lifetime: DEFAULT_LIFETIME.as_secs() as u32,
            stated: None,
            final_url: None,
            etag: None,
            last_modified: None,
            is_truncated: false,
            is_blank: text_of(body).is_empty(),
            looks_like_html: looks_like_html(body),
        }
    }

    /// The headers that make a request conditional on this copy (`If-None-Match`,
    /// `If-Modified-Since`). They are valid only for the URL that the copy came from:
    /// [`CachedCopy::final_url`], or that of the robots.txt itself. Empty if the site sent no validator
    /// that can be asked with: an `ETag` that is empty or `*`, which would match any file, and a
    /// `Last-Modified` that is no date are not sent back.
    #[must_use]
    pub fn validators(&self) -> HeaderMap {
        let etag = self.etag.as_deref().filter(|etag| !matches!(etag.trim_ascii(), b"" | b"*"));
        let date =
            self.last_modified.as_deref().filter(|date| Timestamp::of_http_date(date).is_some());
        let all = [(IF_NONE_MATCH, etag), (IF_MODIFIED_SINCE, date)];
        let valid = all.into_iter().filter_map(|(name, value)| {
            // It came as a header's value, so it can be sent as one.
            Some((name, HeaderValue::from_bytes(value?).ok()?))
        });
        valid.collect()
    }

    /// The looks of the file.
    #[must_use]
    pub fn condition(&self) -> Condition {
        if self.is_truncated {
            Condition::Truncated
        } else if self.looks_like_html {
            Condition::LooksLikeHtml
        } else if self.is_blank {
            Condition::Empty
        } else {
            Condition::Parsed
        }
    }

    /// The time at which the copy stops being fresh, also if attempts fail before.
    #[must_use]
    pub fn fresh_until(&self) -> Timestamp {
        self.at + Duration::from_secs(self.lifetime.into())
    }
}

/// The lifetime that a site stated for a file, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StatedLifetime {
    /// By `Cache-Control`. A later answer that finds the file unchanged ends it only by another
    /// `Cache-Control`: RFC 9111, section 3.2.
    MaxAge(u32),
    /// By `Expires`, which counts only without the other.
    Expires(u32),
}

impl StatedLifetime {
    pub(super) fn max_age(lifetime: Duration) -> StatedLifetime {
        StatedLifetime::MaxAge(seconds_of(lifetime))
    }

    pub(super) fn expires(lifetime: Duration) -> StatedLifetime {
        StatedLifetime::Expires(seconds_of(lifetime))
    }

    pub(super) fn as_duration(self) -> Duration {
        let (StatedLifetime::MaxAge(seconds) | StatedLifetime::Expires(seconds)) = self;
        Duration::from_secs(seconds.into())
    }
}

/// Whole seconds. Many are very many.
pub(super) fn seconds_of(lifetime: Duration) -> u32 {
    u32::try_from(lifetime.as_secs()).unwrap_or(u32::MAX)
}

/// The looks of a robots.txt, for statistics and reports. It changes no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Condition {
    /// A text that is not blank.
    Parsed,
    /// Nothing, or only white space.
    Empty,
    /// It begins like an HTML page. Its valid lines still count.
    #[serde(rename = "html")]
    LooksLikeHtml,
    /// It was longer than the limit, and the rest was cut off.
    Truncated,
    /// There is no robots.txt.
    Absent,
    /// It could not be fetched.
    Unreachable,
}

impl Condition {
    /// One word: `parsed`, `empty`, `html`, `truncated`, `absent` or `unreachable`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Condition::Parsed => "parsed",
            Condition::Empty => "empty",
            Condition::LooksLikeHtml => "html",
            Condition::Truncated => "truncated",
            Condition::Absent => "absent",
            Condition::Unreachable => "unreachable",
        }
    }
}

impl fmt::Display for Condition {
    /// [`Condition::as_str`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A body without a byte order mark and leading white space.
fn text_of(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start()
}

/// True if a body begins like an HTML page. The `Content-Type` header is not consulted: many
/// servers send `text/html` for every file, or never.
fn looks_like_html(body: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 7] =
        [b"<!doctype", b"<html", b"<head", b"<body", b"<script", b"<title", b"<?xml"];
    let text = text_of(body);
    BEGINNINGS.iter().any(|beginning| {
        text.get(..beginning.len()).is_some_and(|text| text.eq_ignore_ascii_case(beginning))
    })
}
