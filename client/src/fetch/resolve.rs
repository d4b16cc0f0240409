//! From a host to the addresses that may be connected to.
//!
//! A name is looked up once for each connection, and the addresses of that very answer are
//! judged and connected to: there is no second look-up in which they could have changed.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name};
use url::Host;

use super::address::Permitted;
use super::failure::Cause;
use crate::outcome::Failure;

/// The addresses of a host, to come.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks up the addresses of hosts.
///
/// The [`Fetcher`](super::Fetcher) judges what comes, so an implementation need not.
pub trait Resolve: Send + Sync + 'static {
    /// The addresses of a name, which is in lower case and Punycode; an empty list where it
    /// has none.
    fn resolve(&self, name: &str) -> Resolving;
}

/// The system's resolver, which asks in a thread of Tokio's for blocking work.
///
/// Such a thread stays busy until the system gives up, also where the fetch has long been
/// timed out; who fetches from very many slow domains may want a resolver of their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: &str) -> Resolving {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// A resolver whose answers are judged.
#[derive(Clone)]
pub(super) struct Judged {
    pub(super) resolver: Arc<dyn Resolve>,
    pub(super) permitted: Arc<Permitted>,
}

/// Why there is no address to connect to.
#[derive(Debug)]
pub(super) enum NoAddress {
    Lookup(io::Error),
    None,
    Refused(IpAddr),
}

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAddress::Lookup(cause) => cause.fmt(f),
            NoAddress::None => f.write_str("the name has no address"),
            NoAddress::Refused(address) => write!(f, "the address {address} is not permitted"),
        }
    }
}

impl Error for NoAddress {}

impl NoAddress {
    pub(super) fn failure(&self) -> Failure {
        match self {
            NoAddress::Refused(address) => Failure::Refused(*address),
            NoAddress::Lookup(cause) if super::failure::is_local(cause) => {
                Failure::Local(Cause(cause).text())
            }
            NoAddress::Lookup(_) | NoAddress::None => Failure::Dns(Cause(self).text()),
        }
    }
}

impl Judged {
    /// The permitted addresses of a name, each once.
    async fn of_name(self, name: String) -> Result<Vec<IpAddr>, NoAddress> {
        let found = self.resolver.resolve(&name).await.map_err(NoAddress::Lookup)?;
        let mut permitted: Vec<IpAddr> = Vec::new();
        for address in &found {
            if self.permitted.contains(*address) && !permitted.contains(address) {
                permitted.push(*address);
            }
        }
        match (permitted.is_empty(), found.first()) {
            (false, _) => Ok(permitted),
            (true, None) => Err(NoAddress::None),
            (true, Some(address)) => Err(NoAddress::Refused(*address)),
        }
    }

    /// The permitted addresses of a URL's host.
    pub(super) async fn of_host(&self, host: Host<&str>) -> Result<Vec<IpAddr>, NoAddress> {
        match literal(&host) {
            Some(address) if self.permitted.contains(address) => Ok(vec![address]),
            Some(address) => Err(NoAddress::Refused(address)),
            None => self.clone().of_name(host.to_string()).await,
        }
    }
}

/// The address that stands in a URL itself, for which nobody asks a resolver.
pub(super) fn literal(host: &Host<&str>) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some((*address).into()),
        Host::Ipv6(address) => Some((*address).into()),
    }
}

impl reqwest::dns::Resolve for Judged {
    fn resolve(&self, name: Name) -> reqwest::dns::Resolving {
        let judging = self.clone().of_name(name.as_str().to_owned());
        Box::pin(async move {
            // The connector puts in the URL's port.
            let addresses = judging.await?.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
