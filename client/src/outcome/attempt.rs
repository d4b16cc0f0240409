//! What happened when a robots.txt was requested.

use std::fmt;
use std::net::IpAddr;

use http::HeaderMap;
use serde::{Deserialize, Serialize};

use super::local::LocalFault;
use crate::time::Timestamp;

/// One attempt to fetch a robots.txt, with its redirects.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// When the attempt ended.
    pub at: Timestamp,
    /// The redirects that were followed, in order.
    pub redirects: Vec<Redirect>,
    /// The final answer, or why there is none.
    pub result: Result<Response, Failure>,
    /// False if the result is a failure that a network that is down would cause as well, and
    /// nothing shows that ours worked: no site has ever answered this fetcher. Such an attempt is
    /// not worth keeping. True otherwise.
    pub is_confirmed: bool,
    /// How many times the robots.txt was requested: more than once after failures that passed, or
    /// might have.
    pub tries: u32,
}

impl Attempt {
    /// A confirmed attempt that followed no redirects.
    #[must_use]
    pub fn new(at: Timestamp, result: Result<Response, Failure>) -> Attempt {
        Attempt { at, redirects: Vec::new(), result, is_confirmed: true, tries: 1 }
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

/// A final answer: one that is not a redirect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response {
    /// The HTTP status. Over FTP, 200 if the file exists and 404 if it does not.
    pub status: u16,
    /// All headers of the answer. Empty over FTP.
    pub headers: HeaderMap,
    /// The body of a 2xx answer, with content encodings undone. The bodies of other answers are
    /// not the file, and are not read.
    pub body: Vec<u8>,
    /// Whether the body was cut off because it exceeded the fetcher's limit.
    pub is_truncated: bool,
}

impl Response {
    /// A complete answer without headers.
    ///
    /// ```
    /// use robotsieve_client::outcome::Response;
    ///
    /// let mut response = Response::new(200, b"User-agent: *\nDisallow: /private".to_vec());
    /// response.headers.insert("cache-control", "max-age=3600".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Response {
        Response { status, headers: HeaderMap::new(), body: body.into(), is_truncated: false }
    }
}

/// Why there is no final answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Failure {
    /// The host name has no address, or the look-up failed.
    Dns(String),
    /// The fetcher's settings forbid the address: it is private, loopback, link-local or the
    /// like.
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

/// Which deadline passed.
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
