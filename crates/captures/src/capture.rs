//! A capture: what a site answered when it was asked for a URL.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::internals::target;
pub use robotsieve_client::internals::{CLOCK_TOLERANCE, MAX_URL_BYTES};
use robotsieve_client::outcome::{Failure, Redirect, Response, Said};
use url::Url;

use super::history::{RepeatedAt, Repeats, Says};
use super::payload::{self, PayloadClaim};

/// A site's answer when it was asked for a URL.
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
    /// The outcome.
    pub answer: SiteAnswer,
    /// Where the capture stands.
    pub place: RecordPlace,
    /// The names by which revisits may refer to it.
    pub names: RecordNames,
}

/// The names of a record of an archive, in the form in which they are compared. They are no keys of
/// captures, and look like none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordNames {
    /// The id of the record (`WARC-Record-ID`).
    pub id: Option<Box<str>>,
    /// The digest of its payload (`WARC-Payload-Digest`).
    pub payload: Option<Box<str>>,
}

impl RecordNames {
    /// Of what the head of a record says; empty texts are no names.
    ///
    /// ```
    /// use robotsieve_captures::RecordNames;
    ///
    /// let names = RecordNames::of("<urn:uuid:1f0a>", "SHA1:FD2Q");
    /// assert_eq!(names, RecordNames::of("urn:uuid:1F0A", "sha1:fd2q"));
    /// assert_eq!(RecordNames::of("", "").id, None);
    /// ```
    #[must_use]
    pub fn of(id: &str, payload_digest: &str) -> RecordNames {
        let id = id.strip_prefix('<').unwrap_or(id);
        let name =
            |kind: &str, text: String| (!text.is_empty()).then(|| format!("{kind} {text}").into());
        let id = id.strip_suffix('>').unwrap_or(id).trim_ascii().to_ascii_lowercase();
        RecordNames {
            id: name("record", id),
            payload: name("payload", payload::normal(payload_digest)),
        }
    }

    /// What the digest says of the payload.
    #[must_use]
    pub fn claim(&self) -> PayloadClaim {
        let digest = self.payload.as_deref().and_then(|name| name.strip_prefix("payload "));
        digest.map_or(PayloadClaim::Nothing, PayloadClaim::of)
    }

    /// Returns true if a text is such a name.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        // A URL has no space.
        text.contains(' ')
    }
}

/// The outcome.
#[derive(Clone, Debug)]
pub enum SiteAnswer {
    /// A final answer; only 2xx have a body, of whole lines and in UTF-8.
    Final(Response),
    /// A redirect to an absolute URL, without a fragment.
    Redirect(Redirect),
    /// No answer, or a broken one.
    Failed(Failure),
    /// A revisit: the archive has its payload, or all of it, in another record. Without a place it is not
    /// known what the site answered.
    Same(Box<Same>),
}

impl SiteAnswer {
    /// An answer that is not known.
    #[must_use]
    pub fn unknown() -> SiteAnswer {
        let payload = PayloadClaim::Nothing;
        SiteAnswer::Same(Box::new(Same { own: None, places: [None, None, None], payload }))
    }
}

/// A revisit.
#[derive(Clone, Debug)]
pub struct Same {
    /// Its own status and header: 2xx or 304. `None` if the archive kept none: then the whole answer is
    /// the other's.
    pub own: Option<Response>,
    /// Where the other may be, the best place first.
    pub places: [Option<RepeatedAt<Box<str>>>; 3],
    /// What the revisit says of the payload.
    pub payload: PayloadClaim,
}

/// Where a capture stands, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPlace {
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
    /// The key by which captures are grouped, and to which redirects lead.
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

impl SiteAnswer {
    /// A redirect from a URL to the value of its `Location`. What has none that can be followed is
    /// a [`Failure::BadRedirect`], as for a fetcher: the site has no robots.txt.
    #[must_use]
    pub fn redirect(status: u16, url: &str, location: Option<&[u8]>) -> SiteAnswer {
        let from = Url::parse(url).map_err(|cause| Failure::BadRedirect(cause.to_string()));
        match from.and_then(|from| target(&from, location)) {
            Ok(to) => SiteAnswer::Redirect(Redirect::new(status, to)),
            Err(failure) => SiteAnswer::Failed(failure),
        }
    }

    /// The meaning of the answer for its site, at the time at which it was captured. Returns `None` for what says
    /// nothing of the site: a fault that was not its own, and a 412, which answers the condition of a request (an
    /// archive cannot ask again without it). The body stays here.
    #[must_use]
    pub fn says<B>(&self, at: Timestamp) -> Option<Says<Box<str>, B>> {
        let answer = |said| Says::Answer(said, None);
        match self {
            SiteAnswer::Final(response) if response.status == 412 => None,
            SiteAnswer::Final(response) => Said::of(Ok(response), at).map(answer),
            SiteAnswer::Failed(failure) => Said::of(Err(failure), at).map(answer),
            SiteAnswer::Redirect(redirect) => Some(match Key::of(&redirect.to) {
                Some(key) => Says::Redirect(key.as_str().into()),
                None => answer(Said::NoTarget),
            }),
            SiteAnswer::Same(same) => Some(Says::Same(Repeats {
                own: same.own.as_ref().and_then(|own| Said::of(Ok(own), at)),
                places: same.places.clone(),
                payload: same.payload,
            })),
        }
    }

    /// The file, if there is one.
    #[must_use]
    pub fn body(&self) -> Option<&[u8]> {
        match self {
            SiteAnswer::Final(response) if response.is_file() => Some(&response.body),
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

impl fmt::Display for RecordPlace {
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
}
