//! Questions without a decision.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use robotsieve::{InvalidOrigin, InvalidUrl};

use crate::outcome::LocalFault;
use crate::store::StoreError;

/// The reason for having no decision.
///
/// An unreachable site is not an error: what follows from that is the decision.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SieveError {
    /// The URL has no origin that could have a robots.txt.
    Origin(InvalidOrigin),
    /// The URL is invalid in the sieve's profile.
    Url(InvalidUrl),
    /// The site is unknown, and the sieve has no fetcher.
    Unknown,
    /// The store could not be read, and the sieve has no fetcher.
    Store(Arc<StoreError>),
    /// The site could not be asked, and the fault is on this side, or may be
    /// ([`LocalKind::Unconfirmed`](crate::outcome::LocalKind::Unconfirmed)). It says nothing about
    /// the site. After many faults in a row the sieve [pauses](super::Sieve::is_paused), and
    /// returns the last one without asking. A site that did not answer before any other did is
    /// asked again after a second, and then after twice as long each time, up to a minute.
    Local(LocalFault),
    /// The site would have to be fetched, and the call was made outside a Tokio runtime.
    NoRuntime,
    /// As many URLs as [`Decisions::max_waiting_per_site`](super::Decisions::max_waiting_per_site)
    /// allows are waiting for this site already. Ask for this one later.
    Busy,
    /// The attempt ended without an outcome: the runtime is shutting down.
    Gone,
    /// The sieve was built without [`SieveBuilder::rights`](super::SieveBuilder::rights).
    #[cfg(feature = "rights")]
    NoRights,
    /// The site would have to be fetched, after [`Sieve::shutdown`](super::Sieve::shutdown).
    ShutDown,
}

impl fmt::Display for SieveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SieveError::Origin(cause) => cause.fmt(f),
            SieveError::Url(cause) => cause.fmt(f),
            SieveError::Store(cause) => cause.fmt(f),
            SieveError::Unknown => f.write_str("nothing is known of the site"),
            SieveError::Local(fault) => fault.fmt(f),
            SieveError::NoRuntime => f.write_str(
                "fetching needs a Tokio runtime: call this inside one, or use `build_blocking`",
            ),
            SieveError::Busy => f.write_str("too many URLs are waiting for the site"),
            SieveError::Gone => f.write_str("the attempt to fetch ended without an outcome"),
            #[cfg(feature = "rights")]
            SieveError::NoRights => {
                f.write_str("the sieve was built without rights: call `SieveBuilder::rights`")
            }
            SieveError::ShutDown => f.write_str("the sieve was shut down"),
        }
    }
}

impl Error for SieveError {
    /// The source of the wrapped error, whose own text is already this error's.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SieveError::Origin(cause) => cause.source(),
            SieveError::Url(cause) => cause.source(),
            SieveError::Store(cause) => cause.source(),
            _ => None,
        }
    }
}

impl From<InvalidOrigin> for SieveError {
    fn from(cause: InvalidOrigin) -> SieveError {
        SieveError::Origin(cause)
    }
}

impl From<InvalidUrl> for SieveError {
    fn from(cause: InvalidUrl) -> SieveError {
        SieveError::Url(cause)
    }
}
