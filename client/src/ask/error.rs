//! Why nothing can be said of a URL.

use std::error::Error;
use std::fmt;

use robotsieve_shown::shown;

use crate::outcome::{Failure, Response};

/// Why nothing can be said of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError {
    /// It is the wrong URL, or the answer means different things in the profiles.
    Wrong(String),
    /// There is no answer, or none with a file that is whole.
    Unanswered {
        /// The URL.
        url: String,
        /// Why.
        cause: String,
        /// What the user can do about it.
        advice: Option<&'static str>,
    },
    /// The system does not allow it.
    System(String),
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Wrong(what) => f.write_str(what),
            AskError::Unanswered { url, cause, advice: None } => {
                write!(f, "cannot fetch {url}: {cause}")
            }
            AskError::Unanswered { url, cause, advice: Some(advice) } => {
                write!(f, "cannot fetch {url}: {cause}; {advice}")
            }
            AskError::System(cause) => write!(f, "cannot fetch: {cause}"),
        }
    }
}

impl Error for AskError {}

/// The whole answer.
pub(super) fn whole(response: Response, url: &str) -> Result<Response, AskError> {
    if !response.is_truncated {
        return Ok(response);
    }
    let cause =
        if response.is_part() { "the site sent a part of it" } else { "it is longer than 64 MiB" };
    Err(unanswered(url, cause.to_owned(), None))
}

/// An error for a URL without a usable answer, with what can be done about it.
pub(super) fn unanswered(url: &str, cause: String, failure: Option<&Failure>) -> AskError {
    let advice = match failure {
        Some(Failure::Dns(_)) => Some("check the name of the host"),
        Some(Failure::Refused(_)) => Some(
            "an address that is not public is asked only if the URL given names it itself, or \
             localhost: give the URL with that address, or download the file and give that",
        ),
        _ => None,
    };
    AskError::Unanswered { url: shown(url.as_bytes()), cause: shown(cause.as_bytes()), advice }
}
