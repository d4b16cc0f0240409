//! From a host to the addresses that the fetcher may connect to.
//!
//! A name is looked up once for each visit to its host, and connections go to the addresses that
//! were checked. There is no second look-up in which they could change.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hickory_resolver::Hosts;
use hickory_resolver::proto::op::Query;
use hickory_resolver::proto::rr::{Name, RecordType};
use tokio::time::Instant;
use url::Host;

use super::failure::{NoAddress, has_route, hidden_shortage, is_stated};
use super::lookup::{LookupError, Resolve, Resolving};
use super::permitted::Permitted;
use super::progress;
use crate::outcome::{Failure, LocalFault, LocalKind};

/// The time for which an answer about a name shows that later look-ups can work.
const RECENT: Duration = Duration::from_secs(10);
/// The number of look-ups that may fail in a row before an answer from before them shows nothing
/// any more.
const MAX_IN_A_ROW: u32 = 5;

/// The system's resolver, `getaddrinfo`, called on Tokio's threads for blocking work.
///
/// Use it where names come from sources that only the system knows: mDNS, NIS, `nsswitch.conf`.
/// Otherwise the default is better (see
/// [`name_servers`](super::FetcherBuilder::name_servers)): here a thread stays busy until the system gives up, even if the fetch has timed out long before, so silent names
/// soon occupy all of them. The system does not tell a silent name from silent name servers.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: &str) -> Resolving {
        // The final dot makes it absolute, so that no search domain is appended. `localhost` is
        // absolute anyway, and the file of hosts knows it without the dot.
        let name = match name.ends_with('.') || !name.contains('.') {
            true => name.to_owned(),
            false => format!("{name}."),
        };
        Box::pin(async move {
            match tokio::net::lookup_host((name, 0)).await {
                Ok(found) => Ok(found.map(|address| address.ip()).collect()),
                // The system has no other error for a process without file descriptors.
                Err(cause) => {
                    Err(hidden_shortage().map_or_else(|| of_system(cause), LookupError::Local))
                }
            }
        })
    }
}

/// The meaning of an error of `getaddrinfo`. Rust gives only its text.
fn of_system(error: io::Error) -> LookupError {
    let text = error.to_string();
    let has = |part: &str| text.contains(part);
    if has("not known") || has("No address associated") || has("nodename nor servname") {
        return LookupError::NoSuchName;
    }
    if has("Temporary failure") || has("Try again") {
        return LookupError::Silent;
    }
    error.into()
}

/// A resolver, and the addresses of its answers that may be used.
#[derive(Clone)]
pub(super) struct CheckedResolver {
    pub(super) resolver: Arc<dyn Resolve>,
    pub(super) permitted: Arc<Permitted>,
    /// The signs of life of a resolver that cannot tell a name's fault from its own.
    pub(super) answers: Option<Arc<Answers>>,
}

/// The last answers about names that a resolver gave.
pub(super) struct Answers {
    hosts: Hosts,
    state: Mutex<Answered>,
}

#[derive(Default)]
struct Answered {
    last: Sign,
    /// The last time that a name had an address.
    found: Sign,
}

/// The last sign of life of some kind.
#[derive(Default)]
struct Sign {
    at: Option<Instant>,
    /// The number of look-ups that ended otherwise since.
    missed: u32,
}

impl Sign {
    fn now() -> Sign {
        Sign { at: Some(Instant::now()), missed: 0 }
    }

    /// Counts a look-up that ended otherwise. Returns whether the sign still stands.
    fn holds(&mut self, began: Instant) -> bool {
        self.missed = self.missed.saturating_add(1);
        self.at
            .is_some_and(|at| at > began || (at.elapsed() < RECENT && self.missed <= MAX_IN_A_ROW))
    }
}

impl Answers {
    pub(super) fn new() -> Answers {
        Answers { hosts: Hosts::from_system().unwrap_or_default(), state: Mutex::default() }
    }

    /// Notes how the look-up of a name ended.
    fn note(&self, name: &str, found: &Result<Vec<IpAddr>, LookupError>) {
        if self.is_known_here(name) {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match found {
            Ok(addresses) if !addresses.is_empty() => {
                *state = Answered { last: Sign::now(), found: Sign::now() };
            }
            Ok(_) | Err(LookupError::NoSuchName) => state.last = Sign::now(),
            Err(_) => {}
        }
    }

    /// True if no name server is asked for a name.
    fn is_known_here(&self, name: &str) -> bool {
        let host = name.strip_suffix('.').unwrap_or(name);
        if matches!(host.rsplit('.').next(), Some("localhost" | "local")) {
            return true;
        }
        // No server is asked for what does not fit into a query.
        let Ok(mut name) = Name::from_ascii(host) else { return true };
        name.set_fqdn(true);
        [RecordType::A, RecordType::AAAA]
            .into_iter()
            .any(|kind| self.hosts.lookup_static_host(&Query::query(name.clone(), kind)).is_some())
    }

    /// Counts a look-up that failed. Returns the fault, if it is the resolver that seems to: it
    /// answers nobody, or has an address for no name.
    fn fault(&self, failure: &Failure, began: Instant) -> Option<LocalFault> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match is_stated(failure) {
            true if !state.found.holds(began) => format!("no name has an address: {failure}"),
            false if failure.is_ambiguous() && !state.last.holds(began) => failure.to_string(),
            _ => return None,
        };
        Some(LocalFault::new(LocalKind::Resolver, text))
    }
}

impl CheckedResolver {
    /// The permitted addresses of a name, each once.
    async fn of_name(self, name: String) -> Result<Vec<IpAddr>, NoAddress> {
        progress::looking_up();
        let addresses = self.permitted_of(&name).await?;
        progress::trying(&addresses);
        Ok(addresses)
    }

    async fn permitted_of(&self, name: &str) -> Result<Vec<IpAddr>, NoAddress> {
        let found = self.resolver.resolve(name).await;
        if let Some(answers) = &self.answers {
            answers.note(name, &found);
        }
        let found = found.map_err(NoAddress::Lookup)?;
        let mut permitted: Vec<IpAddr> = Vec::new();
        for address in &found {
            if self.permitted.contains(*address) && !permitted.contains(address) {
                permitted.push(*address);
            }
        }
        match (permitted.is_empty(), found.first()) {
            (false, _) => Ok(reachable(permitted)),
            (true, None) => Err(NoAddress::None),
            (true, Some(address)) => Err(NoAddress::Refused(*address)),
        }
    }

    /// The failure of a look-up that began at a time. It is the site's only if the resolver
    /// seems to work.
    pub(super) fn blame(&self, failure: Failure, began: Instant) -> Failure {
        let fault = self.answers.as_ref().and_then(|answers| answers.fault(&failure, began));
        fault.map_or(failure, Failure::Local)
    }

    /// The permitted addresses of a URL's host.
    pub(super) async fn of_host(&self, host: Host<&str>) -> Result<Vec<IpAddr>, NoAddress> {
        match literal(&host) {
            Some(address) if self.permitted.contains(address) => {
                progress::trying(&[address]);
                Ok(vec![address])
            }
            Some(address) => Err(NoAddress::Refused(address)),
            None => self.clone().of_name(host.to_string()).await,
        }
    }
}

/// Leaves out the addresses to which this machine has no route, if some are left: usually those
/// of IPv6. So the site is judged by the addresses that can be tried.
fn reachable(addresses: Vec<IpAddr>) -> Vec<IpAddr> {
    let families = (addresses.iter().any(IpAddr::is_ipv4), addresses.iter().any(IpAddr::is_ipv6));
    if families != (true, true) {
        return addresses;
    }
    // What cannot be told is tried.
    let is_reachable = |address: &IpAddr| has_route(*address).unwrap_or(true);
    let reachable: Vec<IpAddr> = addresses.iter().copied().filter(is_reachable).collect();
    if reachable.is_empty() { addresses } else { reachable }
}

/// The address of a host that is an address itself, and so needs no resolver.
pub(super) fn literal(host: &Host<&str>) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some((*address).into()),
        Host::Ipv6(address) => Some((*address).into()),
    }
}
