//! Captures: what is known of robots.txt files from elsewhere than our own fetcher.
//!
//! Every source of a pack or of a store (a folder, a list, lines of JSON, Parquet, a store, WARC
//! files) yields [`Capture`]s, in any order and several for an origin. What follows from them:
//!
//! 1. Captures with equal [`Capture::key`] belong together. A key is that of an origin, or the URL
//!    of something else that redirects may lead to ([`Key`]).
//! 2. A redirect stands for the capture of its target's key that is [`nearest`] in time, which may
//!    be a redirect again. After [`MAX_HOPS`] redirects it is [`Said::NoTarget`]: so loops need no
//!    other care. If there is no capture of the target, the redirect says nothing: it is left out
//!    of the history and counted; an origin of which nothing else is known is unknown.
//!    The answer counts at the time of the *first* redirect, with the number of redirects.
//! 3. A revisit ([`Answer::Same`]) stands for the capture of its key at just its time, with no
//!    redirect more. If there is no such capture, it says nothing, and is counted likewise.
//! 4. The history of an origin is its [`Event`]s, and [`Protocol::judge`] says what holds, and
//!    which of them has the rules ([`Judged::event`]).
//!
//! An [`Event`] is small and has no body, so whoever groups more captures than fit in memory can
//! keep events beside the place of the body.
//!
//! Captures come from WARC files ([`warc`]), or from columns and members ([`Fields`]).
//!
//! [`Event`]: crate::outcome::Event
//! [`Said::NoTarget`]: crate::outcome::Said::NoTarget
//! [`Protocol::judge`]: crate::outcome::Protocol::judge
//! [`Judged::event`]: crate::outcome::Judged::event

mod fields;
mod text;
pub mod warc;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use robotsieve::Origin;
use url::Url;

use crate::Timestamp;
use crate::outcome::{Failure, Redirect, Response, Said};

pub use fields::Fields;
pub use text::{harmless, shown};

/// How many redirects are followed, as in the standard (RFC 9309, section 2.3.1.2).
pub const MAX_HOPS: u8 = 5;

/// Longer URLs are not followed.
pub const MAX_URL_BYTES: usize = 8 << 10;

/// How far apart two clocks may be. A capture from later than that has a wrong time.
pub const CLOCK_TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// Whether this status is that of a redirect, if there is a `Location`.
#[must_use]
pub fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// What a site answered when it was asked for a URL.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The origin that was asked.
    pub origin: Origin<'static>,
    /// The URL that was asked for, without a fragment, if it is not the origin's `/robots.txt`.
    /// Such a capture counts only as the target of redirects.
    pub other: Option<Box<str>>,
    /// When it was asked, if that is known. A capture without a time comes before all others, and
    /// of two without a time the later one in the input is the newer.
    pub at: Option<Timestamp>,
    /// What happened.
    pub answer: Answer,
    /// Where the capture stands.
    pub place: Place,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A final answer; only 2xx have a body, of whole lines and in UTF-8.
    Final(Response),
    /// A redirect to an absolute URL, without a fragment.
    Redirect(Redirect),
    /// No answer, or a broken one.
    Failed(Failure),
    /// The same answer as another capture, which the archive keeps only once.
    Same(Same),
}

/// Another capture: a revisit refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Same {
    /// Its [`Capture::key`].
    pub key: Box<str>,
    /// Its time.
    pub at: Timestamp,
}

/// Where a capture stands, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path of its file, or what it is called in messages.
    pub file: Arc<Path>,
    /// Where in it.
    pub at: At,
}

/// Where in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// It is the whole file.
    Whole,
    /// At this byte, from 0; in a compressed file the first byte of its member.
    Byte(u64),
    /// In this line or row, from 1.
    Line(u64),
}

impl Capture {
    /// What captures are grouped by, and redirects lead to.
    #[must_use]
    pub fn key(&self) -> &str {
        self.other.as_deref().unwrap_or(self.origin.key())
    }

    /// Its time, with the beginning of 1970 for one that is not known.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.at.unwrap_or_default()
    }
}

impl Answer {
    /// A redirect from a URL to the value of its `Location`. What has none that can be followed is
    /// a [`Failure::BadRedirect`], as for a fetcher: the site has no robots.txt.
    #[must_use]
    pub fn redirect(status: u16, url: &str, location: Option<&str>) -> Answer {
        let to = location.and_then(|to| Url::parse(url).ok()?.join(to.trim_ascii()).ok());
        let is_usable = |to: &Url| {
            matches!(to.scheme(), "http" | "https") && to.as_str().len() <= MAX_URL_BYTES
        };
        match to.filter(is_usable) {
            Some(mut to) => {
                to.set_fragment(None);
                Answer::Redirect(Redirect::new(status, to))
            }
            None => Answer::Failed(Failure::BadRedirect("no usable Location".to_owned())),
        }
    }

    /// What the answer says of its site. Returns `None` for a redirect or a revisit, which say what
    /// another capture says, and for a fault that was not the site's.
    #[must_use]
    pub fn said(&self, at: Timestamp) -> Option<Said> {
        match self {
            Answer::Final(response) => Said::of(Ok(response), at),
            Answer::Redirect(_) | Answer::Same(_) => None,
            Answer::Failed(failure) => Said::of(Err(failure), at),
        }
    }

    /// The file, if there is one.
    #[must_use]
    pub fn body(&self) -> Option<&[u8]> {
        match self {
            Answer::Final(response) if (200..300).contains(&response.status) => {
                Some(&response.body)
            }
            _ => None,
        }
    }
}

/// The key of what a URL names: an origin, if it is the URL of its robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// An origin: the URL is that of its robots.txt.
    Origin(Origin<'static>),
    /// Another URL, without a fragment, and its origin.
    Other(Origin<'static>, Box<str>),
}

impl Key {
    /// The key of a URL. Returns `None` if it has no origin.
    ///
    /// `/robots.txt` with a query is something else: a site may answer it differently.
    #[must_use]
    pub fn of(url: &str) -> Option<Key> {
        let origin = Origin::of(url).ok()?;
        // Nearly always it is spelt so.
        let rest = url.strip_prefix(origin.key());
        if rest == Some("/robots.txt") {
            return Some(Key::Origin(origin.into_owned()));
        }
        let mut parsed = Url::parse(url).ok()?;
        parsed.set_fragment(None);
        let origin = origin.into_owned();
        if parsed.path() == "/robots.txt" && parsed.query().is_none() {
            return Some(Key::Origin(origin));
        }
        let _ = parsed.set_username("");
        let _ = parsed.set_password(None);
        Some(Key::Other(origin, String::from(parsed).into()))
    }

    /// The origin, and the URL if it is that of something else than its robots.txt: the first two
    /// fields of a [`Capture`].
    #[must_use]
    pub fn into_parts(self) -> (Origin<'static>, Option<Box<str>>) {
        match self {
            Key::Origin(origin) => (origin, None),
            Key::Other(origin, url) => (origin, Some(url)),
        }
    }

    /// The key as text: that of the origin, or the other URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Key::Origin(origin) => origin.key(),
            Key::Other(_, url) => url,
        }
    }
}

/// Of the times of a target's captures, in ascending order, the one that answers a redirect at
/// this time: the nearest; of two as near, the later; of equal ones, the last. `O(log n)`.
///
/// ```
/// use robotsieve_client::Timestamp;
/// use robotsieve_client::captures::nearest;
///
/// let times = [10, 20, 20, 30].map(Timestamp);
/// assert_eq!(nearest(&times, Timestamp(15)), Some(2));
/// assert_eq!(nearest(&[], Timestamp(15)), None);
/// ```
#[must_use]
pub fn nearest(times: &[Timestamp], at: Timestamp) -> Option<usize> {
    // The last one up to `at`, and the last of the equal ones that come next.
    let after = times.partition_point(|time| *time <= at);
    let before = after.checked_sub(1);
    let next = times.get(after).map(|next| times.partition_point(|time| time <= next) - 1);
    match (before, next) {
        (Some(before), Some(next)) if times[next].since(at) <= at.since(times[before]) => {
            Some(next)
        }
        (Some(before), _) => Some(before),
        (None, next) => next,
    }
}

impl fmt::Display for Place {
    /// `crawl.warc.gz, byte 4711`, `list.jsonl, line 12` or the name of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match self.at {
            At::Whole => write!(f, "{file}"),
            At::Byte(byte) => write!(f, "{file}, byte {byte}"),
            At::Line(line) => write!(f, "{file}, line {line}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for (url, wanted) in [
            ("https://e.com/robots.txt", "https://e.com"),
            ("HTTPS://u:p@E.com:443/robots.txt#x", "https://e.com"),
            ("http://e.com:81/x/../robots.txt", "http://e.com:81"),
            ("https://e.com/robots.txt?", "https://e.com/robots.txt?"),
            ("https://e.com/robots.txt?x#y", "https://e.com/robots.txt?x"),
            ("https://u@E.com/en/robots.txt#y", "https://e.com/en/robots.txt"),
            ("https://e.com", "https://e.com/"),
            ("https://e.com/Robots.txt", "https://e.com/Robots.txt"),
        ] {
            assert_eq!(Key::of(url).unwrap().as_str(), wanted, "{url}");
        }
        assert_eq!(Key::of("dns:e.com"), None);
        assert_eq!(Key::of("https:///"), None);
    }

    #[test]
    fn the_nearest_in_time() {
        let times: Vec<Timestamp> = [10, 20, 20, 30].map(Timestamp).to_vec();
        for (at, wanted) in [(0, 0), (10, 0), (14, 0), (15, 2), (20, 2), (25, 3), (29, 3), (99, 3)]
        {
            assert_eq!(nearest(&times, Timestamp(at)), Some(wanted), "{at}");
        }
        assert_eq!(nearest(&[], Timestamp(0)), None);
    }
}
