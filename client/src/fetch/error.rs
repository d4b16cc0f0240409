//! Invalid settings of a fetcher.

use std::error::Error;
use std::fmt;

/// The setting because of which no fetcher can be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidFetcher {
    /// The user agent is empty, or contains characters other than printable ASCII.
    UserAgent(String),
    /// A number is zero or too large.
    Size {
        /// The builder method that sets it.
        setting: &'static str,
        /// The value it was set to.
        value: usize,
        /// The largest value it may have.
        max: usize,
    },
    /// A timeout is zero or more than a day.
    Timeout {
        /// The builder method that sets it.
        setting: &'static str,
    },
    /// A setting has a value that cannot be used.
    Setting {
        /// The builder method that sets it.
        setting: &'static str,
        /// The fault of the value, and the remedy.
        cause: String,
    },
    /// There are no certificate authorities to trust, or the given ones cannot be read.
    Authorities(String),
    /// No name servers are given, or the system's configuration of them cannot be read.
    NameServers(String),
    /// The HTTP client could not be built.
    Client(String),
}

impl fmt::Display for InvalidFetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidFetcher::UserAgent(text) if text.is_empty() => f.write_str(
                "the user agent is empty: name the crawler for the sites it visits, as in \
                 \"MyCrawler/1.0 (+https://example.com/bot)\"",
            ),
            InvalidFetcher::UserAgent(text) => {
                write!(f, "the user agent {text:?} may contain only printable ASCII characters")
            }
            InvalidFetcher::Size { setting, value, max } => {
                write!(f, "{setting} is {value} but must be from 1 to {max}")
            }
            InvalidFetcher::Timeout { setting } => {
                write!(f, "{setting} must be more than zero and at most a day")
            }
            InvalidFetcher::Setting { setting, cause } => write!(f, "{setting}: {cause}"),
            InvalidFetcher::Authorities(cause) => write!(
                f,
                "no certificate authorities to trust: {cause}; install the system's (the \
                 package ca-certificates) or pass some to trust_pem"
            ),
            InvalidFetcher::NameServers(cause) => write!(
                f,
                "no name servers to ask: {cause}; give the addresses of some to name_servers"
            ),
            InvalidFetcher::Client(cause) => {
                write!(f, "the HTTP client could not be built: {cause}")
            }
        }
    }
}

impl Error for InvalidFetcher {}
