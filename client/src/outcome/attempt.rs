//! What happened when a robots.txt was asked for.

use std::fmt;
use std::net::IpAddr;

use http::HeaderMap;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// One attempt to fetch a robots.txt, redirects included.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// When it ended.
    pub at: Timestamp,
    /// The redirects that were followed, in order.
    pub redirects: Vec<Redirect>,
    /// What stood at their end.
    pub result: Result<Response, Failure>,
}

/// A redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The status: 301, 302, 303, 307 or 308.
    pub status: u16,
    /// Where it led: an absolute URL.
    pub to: String,
}

/// A final answer: one that was no redirect.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status; over FTP 200 for a file, 404 for none.
    pub status: u16,
    /// All headers of the answer; none over FTP.
    pub headers: HeaderMap,
    /// The body of a 2xx, content encodings undone. Other bodies are not read: they are not
    /// the file.
    pub body: Vec<u8>,
    /// Whether the body goes on beyond what was kept: it was larger than the caller's limit.
    pub is_truncated: bool,
}

/// Why there is no final answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Failure {
    /// The host's name has no address, or it could not be found out.
    Dns(String),
    /// An address that the caller forbids: private, loopback, link-local and the like.
    Refused(IpAddr),
    /// No connection.
    Connect(String),
    /// TLS could not be agreed upon, or the certificate is not valid for the host.
    Tls(String),
    /// A deadline passed.
    TimedOut(Stage),
    /// The connection ended before the answer did, or what came is no HTTP or FTP.
    Broken(String),
    /// The body's content encoding is unknown, or the body is not so encoded.
    Encoding(String),
    /// More redirects than are followed.
    TooManyRedirects,
    /// A redirect to a URL that was asked before.
    RedirectLoop,
    /// A redirect to nowhere: no or no usable `Location`, or another scheme than the ones
    /// that are fetched.
    BadRedirect(String),
    /// The fetcher itself could not go on: the process is short of something.
    Local(String),
}

/// Which deadline passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Until there is a connection, TLS included.
    Connect,
    /// Until the next bytes come.
    Read,
    /// Until all is done.
    Total,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Dns(cause) => write!(f, "the host's address was not found: {cause}"),
            Failure::Refused(address) => write!(f, "the address {address} is not public"),
            Failure::Connect(cause) => write!(f, "no connection: {cause}"),
            Failure::Tls(cause) => write!(f, "TLS failed: {cause}"),
            Failure::TimedOut(Stage::Connect) => f.write_str("no connection in time"),
            Failure::TimedOut(Stage::Read) => f.write_str("no answer in time"),
            Failure::TimedOut(Stage::Total) => f.write_str("the answer did not end in time"),
            Failure::Broken(cause) => write!(f, "the answer is broken: {cause}"),
            Failure::Encoding(cause) => write!(f, "the content encoding is broken: {cause}"),
            Failure::TooManyRedirects => f.write_str("too many redirects"),
            Failure::RedirectLoop => f.write_str("redirects lead in a circle"),
            Failure::BadRedirect(cause) => write!(f, "a redirect leads nowhere: {cause}"),
            Failure::Local(cause) => write!(f, "it could not be fetched from here: {cause}"),
        }
    }
}

impl std::error::Error for Failure {}
