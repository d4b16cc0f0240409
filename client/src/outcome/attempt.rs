//! Attempts to request a robots.txt, and their results.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use http::HeaderMap;
use robotsieve::internals::{Compression, says_part};
use serde::{Deserialize, Serialize};

use super::cut::{is_line_end, whole_lines};
use super::local::LocalFault;
use crate::time::Timestamp;

/// One attempt to fetch a robots.txt, with its redirects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The end of the attempt.
    pub at: Timestamp,
    /// The redirects that were followed, in order.
    pub redirects: Vec<Redirect>,
    /// The final answer, or why there is none.
    pub result: Result<Response, Failure>,
    /// False if a fault of our network would have the same result, and nothing shows that ours
    /// worked: nobody has answered this fetcher yet, or sites of many networks
    /// ask for a login (511). True otherwise.
    ///
    /// [`Protocol::after`](super::Protocol::after) concludes nothing from an attempt that is not
    /// confirmed.
    pub is_confirmed: bool,
    /// The number of times that the robots.txt was requested: more than once after failures that
    /// passed, or might have.
    pub tries: u32,
    /// The time that the requests took, of all tries together, without the waits: for a turn at the
    /// host and at its address, for a place among the parallel attempts, before a further try.
    /// `None` if the fetcher does not say.
    pub took: Option<Duration>,
    /// What is wrong with a certificate that was accepted all the same, where the fetcher was told to.
    pub invalid_certificate: Option<String>,
}

impl Attempt {
    /// An attempt that followed no redirects. It is confirmed, unless the status is 511: with that
    /// a network asks for a login, in the place of the site (RFC 6585, section 6).
    #[must_use]
    pub fn new(at: Timestamp, result: Result<Response, Failure>) -> Attempt {
        let is_confirmed = !asks_for_login(&result);
        Attempt {
            at,
            redirects: Vec::new(),
            result,
            is_confirmed,
            tries: 1,
            took: None,
            invalid_certificate: None,
        }
    }

    /// Says what is wrong with a certificate that was accepted all the same.
    #[must_use]
    pub fn with_invalid_certificate(mut self, what: Option<String>) -> Attempt {
        self.invalid_certificate = what;
        self
    }

    /// Says whether the result is the site's: for an HTTP stack of your own that knows whether its
    /// network worked.
    ///
    /// ```
    /// use robotsieve_client::Timestamp;
    /// use robotsieve_client::outcome::{Attempt, Failure, Protocol, Stage};
    ///
    /// let silence = Attempt::new(Timestamp::now(), Err(Failure::TimedOut(Stage::Connect)));
    /// assert!(Protocol::RFC9309.after(None, &silence).is_ok());
    /// let fault = Protocol::RFC9309.after(None, &silence.confirmed(false));
    /// assert!(fault.unwrap_err().to_string().starts_with("nothing else has answered"));
    /// ```
    #[must_use]
    pub fn confirmed(mut self, is_confirmed: bool) -> Attempt {
        self.is_confirmed = is_confirmed;
        self
    }

    /// Adds the redirects that led to the result, in order.
    #[must_use]
    pub fn with_redirects(mut self, redirects: Vec<Redirect>) -> Attempt {
        self.redirects = redirects;
        self
    }

    /// Says how many times the robots.txt was requested.
    #[must_use]
    pub fn with_tries(mut self, tries: u32) -> Attempt {
        self.tries = tries;
        self
    }

    /// True if the answer may be to the condition of a request instead of to the request: 412, or
    /// another 4xx, with which some servers and firewalls meet `If-None-Match` and
    /// `If-Modified-Since`. If there was a condition, this is no outcome yet: ask again without it.
    /// `fetch::Fetcher` does so, and a sieve with any fetcher.
    ///
    /// ```
    /// use robotsieve_client::Timestamp;
    /// use robotsieve_client::outcome::{Attempt, Response};
    ///
    /// let failed = Attempt::new(Timestamp::now(), Ok(Response::new(412, *b"")));
    /// assert!(failed.may_answer_condition());
    /// ```
    #[must_use]
    pub fn may_answer_condition(&self) -> bool {
        matches!(&self.result, Ok(response) if (400..500).contains(&response.status))
    }

    /// Adds the tries and the time of the request before this one, which was conditional.
    #[cfg(any(feature = "fetch", feature = "sieve"))]
    pub(crate) fn after_condition(mut self, before: &Attempt) -> Attempt {
        self.tries = self.tries.saturating_add(before.tries);
        self.took = self.took.map(|took| took.saturating_add(before.took.unwrap_or_default()));
        self
    }

    /// Says how long the requests took, without the waits before them.
    #[must_use]
    pub fn with_time(mut self, took: Duration) -> Attempt {
        self.took = Some(took);
        self
    }
}

/// The details of the fault of a network that asks for a login.
pub(crate) const ASKS_FOR_LOGIN: &str = "HTTP 511, it asks for a login";

/// True if a result is the status 511, which a network here may have sent in the place of the site.
pub(crate) fn asks_for_login(result: &Result<Response, Failure>) -> bool {
    matches!(result, Ok(Response { status: 511, .. }))
}

/// A redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Redirect {
    /// The status: 301, 302, 303, 307 or 308.
    pub status: u16,
    /// The target, as an absolute URL.
    pub to: String,
}

impl Redirect {
    /// A redirect with this status to this absolute URL.
    #[must_use]
    pub fn new(status: u16, to: impl Into<String>) -> Redirect {
        Redirect { status, to: to.into() }
    }
}

impl fmt::Display for Redirect {
    /// Status and target: `301 https://example.com/robots.txt`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.to)
    }
}

/// True if the body of an answer with this status is the file: [`Response::is_file`] before there is
/// a response.
#[must_use]
pub fn has_file(status: u16) -> bool {
    matches!(status, 200..=205 | 207..=299)
}

/// True if an answer with this status says that there is no file. Any other but a file says nothing of what a
/// file may hold, even if crawling is allowed then.
#[must_use]
pub fn has_none(status: u16) -> bool {
    matches!(status, 404 | 410)
}

/// The failure of a 304 to a request without a condition.
#[must_use]
pub fn unasked() -> Failure {
    Failure::Broken("304 to an unconditional request".to_owned())
}

/// A final answer: one that is not a redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The HTTP status. Over FTP, 200 if the file exists and 404 if it does not.
    pub status: u16,
    /// All headers of the answer. Empty over FTP.
    pub headers: HeaderMap,
    /// The body of a 2xx answer other than 206, with content encodings undone, in UTF-8. The bodies
    /// of other answers are not the file, and are not read.
    pub body: Vec<u8>,
    /// True if the body was cut off because it exceeded the fetcher's limit. It then ends with its
    /// last whole line.
    pub is_truncated: bool,
    /// True if the body came in UTF-16, and [`Response::new`] turned it into UTF-8.
    pub is_transcoded: bool,
    /// The body as it came, if it was turned into UTF-8 and is whole.
    as_sent: Option<Vec<u8>>,
}

impl Response {
    /// A complete answer without headers.
    ///
    /// A body in UTF-16 with a byte order mark is turned into UTF-8. Robots.txt files are UTF-8
    /// (RFC 9309, §2.2), and read as that, one in UTF-16 has no rules at all: it would allow
    /// everything, which its author certainly did not mean.
    ///
    /// ```
    /// use robotsieve_client::outcome::Response;
    ///
    /// let mut response = Response::new(200, b"User-agent: *\nDisallow: /private".to_vec());
    /// response.headers.insert("cache-control", "max-age=3600".parse()?);
    /// let response = Response::new(200, *b"\xff\xfeU\0s\0e\0r\0");
    /// assert_eq!((&response.body[..], response.is_transcoded), (&b"User"[..], true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Response {
        let body = body.into();
        let utf8 = robotsieve::internals::to_utf8(&body);
        let is_transcoded = utf8.is_some();
        let (body, as_sent) = match utf8 {
            Some(utf8) => (utf8, Some(body)),
            None => (body, None),
        };
        let headers = HeaderMap::new();
        Response { status, headers, body, is_truncated: false, is_transcoded, as_sent }
    }

    /// The body as it came: in UTF-16, if it did and is whole.
    #[cfg(feature = "ask")]
    pub(crate) fn into_sent(self) -> Vec<u8> {
        self.as_sent.unwrap_or(self.body)
    }

    /// True if the body is the file. A 206 has a part of it, which nobody asked for (RFC 9110,
    /// section 15.3.7): what it lacks may forbid.
    #[must_use]
    pub fn is_file(&self) -> bool {
        has_file(self.status)
    }

    /// Why nobody has read the file, whose rules are then not known: it was cut off before its first line ended, or
    /// it is still compressed once what the headers name is undone. Read as a text it would have no rules at all,
    /// so such an answer counts as a broken one.
    ///
    /// ```
    /// use robotsieve_client::outcome::Response;
    ///
    /// let unread = Response::new(200, *b"\x1f\x8b\x08").unread().expect("it is no text");
    /// assert!(unread.to_string().ends_with("the file is compressed with gzip, which the headers do not say"));
    /// assert_eq!(Response::new(200, *b"User-agent: *").unread(), None);
    /// ```
    #[must_use]
    pub fn unread(&self) -> Option<Failure> {
        match Compression::of(&self.body) {
            _ if !self.is_file() => None,
            Compression::None if self.body.is_empty() && (self.is_truncated || self.is_part()) => {
                Some(Failure::Broken("the file was cut off before its first line ended".to_owned()))
            }
            Compression::None => None,
            compression => {
                let (name, _) = compression.unpacked_by();
                let what =
                    format!("the file is compressed with {name}, which the headers do not say");
                Some(Failure::Encoding(what))
            }
        }
    }

    /// True if the header says that the body is a part of the file, whatever the status is: a
    /// `Content-Range` that does not have all of it.
    #[must_use]
    pub fn is_part(&self) -> bool {
        let mut fields = self.headers.iter();
        fields.any(|(name, value)| says_part(name.as_str().as_bytes(), value.as_bytes()))
    }

    /// A complete answer without headers, with a body that is kept as it is: one that was read before, or
    /// a file that nobody sent. It may begin like UTF-16.
    #[must_use]
    pub fn as_is(status: u16, body: Vec<u8>) -> Response {
        Response { body, ..Response::new(status, Vec::new()) }
    }

    /// The answer with a body that was cut off, or is now, after at most `len` bytes. It ends with
    /// its last whole line: half a line, such as `Allow: /` of `Allow: /public`, would be another
    /// rule. What follows a body of `len` bytes or fewer counts as unknown. `O(n)`.
    ///
    /// ```
    /// use robotsieve_client::outcome::Response;
    ///
    /// let body = b"User-agent: *\nDisallow: /\nAllow: /";
    /// let response = Response::new(200, *body).cut(body.len());
    /// assert_eq!(response.body, b"User-agent: *\nDisallow: /\n");
    /// assert!(response.is_truncated);
    /// ```
    #[must_use]
    pub fn cut(mut self, len: usize) -> Response {
        let is_before_line_end = self.body.get(len).is_some_and(|byte| is_line_end(*byte));
        self.body.truncate(len);
        self.body.truncate(whole_lines(&self.body, is_before_line_end));
        (self.is_truncated, self.as_sent) = (true, None);
        self
    }
}

/// The cause for which there is no final answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Failure {
    /// The host name has no address, or the look-up failed.
    Dns(String),
    /// The fetcher's settings forbid the address: it is private, loopback, link-local or the
    /// like. That is our own condition: the site [was not asked](super::OriginState::was_asked), unless
    /// a redirect of it led there.
    Refused(IpAddr),
    /// No connection could be made.
    Connect(String),
    /// The TLS handshake failed, or the certificate is not valid for the host.
    Tls(String),
    /// A deadline passed.
    TimedOut(Stage),
    /// The connection ended before the answer did, or the answer is not valid HTTP or FTP.
    Broken(String),
    /// The body's content encoding is unknown, or the body does not follow it.
    Encoding(String),
    /// The site sent more redirects than the fetcher follows.
    TooManyRedirects,
    /// A redirect led to a URL that this attempt had already requested.
    RedirectLoop,
    /// A redirect has no usable `Location`, or leads to a scheme that is not followed.
    BadRedirect(String),
    /// The fault is on this side, so nothing follows for the site.
    Local(LocalFault),
    /// A redirect leads to a port that the fetcher's settings do not allow. The site counts as
    /// unreachable: it has a robots.txt, which the settings forbid to read.
    RefusedRedirect(String),
}

/// A deadline of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// The connection, TLS included, was not established in time.
    Connect,
    /// The next bytes did not come in time.
    Read,
    /// The attempt as a whole took too long.
    Total,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stage::Connect => "connect",
            Stage::Read => "read",
            Stage::Total => "total",
        })
    }
}

impl Failure {
    /// The name of the kind of failure, for programs: `dns`, or `local` for a fault on this side.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Failure::Dns(_) => "dns",
            Failure::Refused(_) => "refused",
            Failure::Connect(_) => "connect",
            Failure::Tls(_) => "tls",
            Failure::TimedOut(Stage::Connect) => "connect-timeout",
            Failure::TimedOut(Stage::Read) => "read-timeout",
            Failure::TimedOut(Stage::Total) => "timeout",
            Failure::Broken(_) => "broken",
            Failure::Encoding(_) => "encoding",
            Failure::TooManyRedirects => "too-many-redirects",
            Failure::RedirectLoop => "redirect-loop",
            Failure::BadRedirect(_) => "bad-redirect",
            Failure::RefusedRedirect(_) => "refused-redirect",
            Failure::Local(_) => "local",
        }
    }

    /// True if a fault of our own network could have caused it as well: no address, no connection, no
    /// answer in time, or a broken one.
    ///
    /// Refused addresses and redirects were decided by what the site sent. That a name does not
    /// exist was said by a name server of ours, which may say so of all names.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        use Failure::{Broken, Connect, Dns, TimedOut, Tls};
        matches!(self, Dns(_) | Connect(_) | Tls(_) | TimedOut(_) | Broken(_))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Dns(cause) => write!(f, "the host name could not be resolved: {cause}"),
            Failure::Refused(address) => write!(f, "the address {address} is not public"),
            Failure::Connect(cause) => write!(f, "no connection: {cause}"),
            Failure::Tls(cause) => write!(f, "TLS failed: {cause}"),
            Failure::TimedOut(Stage::Connect) => f.write_str("no connection in time"),
            Failure::TimedOut(Stage::Read) => f.write_str("no answer in time"),
            Failure::TimedOut(Stage::Total) => f.write_str("the answer took too long"),
            Failure::Broken(cause) => write!(f, "the answer is broken: {cause}"),
            Failure::Encoding(cause) => write!(f, "the content encoding is broken: {cause}"),
            Failure::TooManyRedirects => f.write_str("too many redirects"),
            Failure::RedirectLoop => f.write_str("the redirects form a loop"),
            Failure::BadRedirect(cause) => write!(f, "a redirect is invalid: {cause}"),
            Failure::Local(fault) => fault.fmt(f),
            Failure::RefusedRedirect(to) => {
                write!(f, "a redirect leads to a port that is not allowed: {to}")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl From<LocalFault> for Failure {
    fn from(fault: LocalFault) -> Failure {
        Failure::Local(fault)
    }
}
