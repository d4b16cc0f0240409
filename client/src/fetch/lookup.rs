//! Look-ups of host names: their errors, and who makes them.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

use crate::cause::ErrorChain;
use crate::outcome::LocalFault;

/// A future of a host's addresses.
pub type Resolving = Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, LookupError>> + Send>>;

/// The cause for which a look-up gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError {
    /// A name server says that the name does not exist (NXDOMAIN).
    NoSuchName,
    /// A name server answers, but cannot find out: for example SERVFAIL. The text says why.
    Failed(String),
    /// No answer came in time.
    Silent,
    /// The fault is on this side: the name servers cannot be reached or refuse, or the process
    /// has no file descriptors left. It says nothing about the name.
    Local(LocalFault),
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LookupError::NoSuchName => f.write_str("no such name"),
            LookupError::Failed(text) => f.write_str(text),
            LookupError::Silent => f.write_str("no name server answered in time"),
            LookupError::Local(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for LookupError {}

impl From<io::Error> for LookupError {
    /// [`LookupError::Local`] if the error is one of this machine, [`LookupError::Silent`] for a
    /// time-out, and otherwise [`LookupError::Failed`].
    fn from(error: io::Error) -> LookupError {
        match LocalFault::from_io(&error) {
            Some(fault) => LookupError::Local(fault),
            None if error.kind() == io::ErrorKind::TimedOut => LookupError::Silent,
            None => LookupError::Failed(ErrorChain(&error).text()),
        }
    }
}

/// Looks up the addresses of hosts.
///
/// An implementation may return any addresses: the [`Fetcher`](super::Fetcher) checks them. It
/// need not limit its time: the fetcher ends a look-up that takes longer than
/// [`connect_timeout`](super::FetcherBuilder::connect_timeout), and counts it as
/// [`LookupError::Silent`].
///
/// The fetcher blames [`LookupError::Failed`] and [`LookupError::Silent`] on the site only if
/// the resolver gave an answer about some name since the look-up began, or in the 10 seconds
/// before and fewer than 5 look-ups in a row have failed since. Otherwise the failure is
/// [`LocalKind::Resolver`](crate::outcome::LocalKind::Resolver). The same holds of
/// [`LookupError::NoSuchName`] and of an empty list, if no name had an address in that time. Names of `localhost`, of the system's file of hosts and under `.local`
/// do not count, for no name server is asked for them.
pub trait Resolve: Send + Sync + 'static {
    /// The addresses of a name, which is in lower case and Punycode and has no final dot unless
    /// the URL has one. Returns an empty list if it has none. The name is absolute: no search
    /// domains apply.
    fn resolve(&self, name: &str) -> Resolving;
}
