//! From a host to the addresses that the fetcher may connect to.
//!
//! A name is looked up once for each connection, and the connection goes to the addresses that
//! were checked. There is no second look-up in which they could change.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name};
use url::Host;

use super::address::Permitted;
use super::failure::NoAddress;

/// A future of a host's addresses.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks up the addresses of hosts.
///
/// An implementation may return any addresses: the [`Fetcher`](super::Fetcher) checks them.
pub trait Resolve: Send + Sync + 'static {
    /// The addresses of a name, which is in lower case and Punycode. Returns an empty list if
    /// it has none.
    fn resolve(&self, name: &str) -> Resolving;
}

/// The system's resolver, called on Tokio's threads for blocking work.
///
/// Such a thread stays busy until the system gives up, even if the fetch has timed out long
/// before. To fetch from very many slow domains, implement [`Resolve`] with an asynchronous
/// resolver.
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

/// A resolver, and the addresses of its answers that may be used.
#[derive(Clone)]
pub(super) struct CheckedResolver {
    pub(super) resolver: Arc<dyn Resolve>,
    pub(super) permitted: Arc<Permitted>,
}

impl CheckedResolver {
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

/// The address of a host that is an address itself, and so needs no resolver.
pub(super) fn literal(host: &Host<&str>) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some((*address).into()),
        Host::Ipv6(address) => Some((*address).into()),
    }
}

impl reqwest::dns::Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> reqwest::dns::Resolving {
        let looking_up = self.clone().of_name(name.as_str().to_owned());
        Box::pin(async move {
            // The connector fills in the URL's port.
            let addresses =
                looking_up.await?.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
