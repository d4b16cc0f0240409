//! The fetcher's own resolver: asks name servers over DNS.
//!
//! | step | what |
//! |---|---|
//! | `localhost`, the system's file of hosts | answered here |
//! | ask | A and AAAA together, at one name server; the next is asked as well if the first is silent for a while or fails |
//! | judge | silence, failures and refusals: is it the name, or the name servers? So too if no name is said to exist |
//!
//! hickory-resolver speaks to each server and caches its answers by their TTL. Which server is
//! asked when, and what their answers mean together, is decided here.
//!
//! There is no thread for names that wait for an answer, and hardly a socket: see `sockets`. How
//! many there are, and how fast they come, is up to `visit`.
//! Servers are asked in their configured order, but those that owe an answer since their last one
//! come last.

mod heard;
mod sockets;

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream::{FuturesUnordered, StreamExt};
use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::{Query, ResponseCode};
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::{Hosts, Resolver, system_conf};
use tokio::sync::Mutex as Turn;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use self::heard::{Debt, Heard};
use self::sockets::{Connections, Sockets};
use super::events::TARGET;
use super::lookup::{LookupError, Resolve, Resolving};
use crate::cause::ErrorChain;
use crate::outcome::{LocalFault, LocalKind};

/// The number of answers that each name server's cache has room for.
const CACHED: u64 = 8192;
/// After the addresses of one family, how long those of the other may take.
const GRACE: Duration = Duration::from_millis(300);
/// The time that a silent query waits for an answer to any other before the servers are probed.
const PATIENCE: Duration = Duration::from_millis(100);
/// Between the beginnings of two probes.
const SPACING: Duration = Duration::from_millis(500);
/// The port of name servers.
const PORT: u16 = 53;

/// The most servers that a system is configured with: of more, the C library ignores the rest.
pub(super) const MAX_SYSTEM_SERVERS: usize = 3;

/// The most file descriptors that look-ups need: for each server the sockets that take queries,
/// those that wait for the last answers of a queue of look-ups (two queries each), and one for TCP.
pub(super) fn descriptors(servers: usize, lookups: usize) -> usize {
    let waiting = lookups.saturating_mul(2).div_ceil(sockets::USES);
    waiting.saturating_add(sockets::SOCKETS + 1).saturating_mul(servers)
}

/// Asks name servers.
#[derive(Clone)]
pub(super) struct DnsResolver(Arc<NameServers>);

struct NameServers {
    servers: Vec<Server>,
    hosts: Hosts,
    /// The time that a look-up may take.
    limit: Duration,
    /// After how long the next server is asked too.
    next_after: Duration,
    /// The time that a probe may take.
    probe_limit: Duration,
    heard: Arc<Heard>,
    /// The last probe of each kind: its beginning, and true if it was answered. Whoever has the lock
    /// may begin one.
    probed: [Turn<Option<(Instant, bool)>>; 2],
}

struct Server {
    address: SocketAddr,
    resolver: Resolver<Connections>,
    sockets: Sockets,
    debt: Arc<Debt>,
}

/// A question whose answer shows that servers work.
#[derive(Clone, Copy)]
enum Probe {
    /// The name servers of the root, which every resolver knows, even if all that it asks are gone.
    Root,
    /// A name that nobody has, so that no resolver knows it without asking others.
    Stranger,
}

/// The answer of a server about a name.
#[derive(Clone, Debug)]
enum ServerSaid {
    Addresses(Vec<IpAddr>),
    NoSuchName,
    Failed(String),
    Refused,
    Silent,
    /// It cannot be reached.
    Unreachable(String),
    Local(LocalFault),
}

impl DnsResolver {
    /// Asks the servers that the system is configured with: on Unix those of `/etc/resolv.conf`.
    /// Without any, 127.0.0.1, as the C library does. A look-up takes at most `limit`.
    ///
    /// Returns an error if the configuration cannot be read.
    pub(super) fn of_system(limit: Duration, local: &[IpAddr]) -> Result<DnsResolver, String> {
        let (servers, options) = match system_conf::read_system_conf() {
            Ok((config, options)) => {
                let servers = config.name_servers().iter();
                let servers = servers.map(|server| SocketAddr::new(server.ip, PORT));
                (servers.take(MAX_SYSTEM_SERVERS).collect(), options)
            }
            Err(cause) => match shortage_of(&cause) {
                Some(fault) => return Err(fault.to_string()),
                // No file, or no server in it.
                None => (Vec::new(), ResolverOpts::default()),
            },
        };
        let servers = match servers.is_empty() {
            true => vec![SocketAddr::from((Ipv4Addr::LOCALHOST, PORT))],
            false => servers,
        };
        DnsResolver::new(servers, options, limit, local)
    }

    /// Asks these servers, from one of these addresses of this machine.
    pub(super) fn of_servers(
        servers: Vec<SocketAddr>,
        limit: Duration,
        local: &[IpAddr],
    ) -> Result<DnsResolver, String> {
        DnsResolver::new(servers, ResolverOpts::default(), limit, local)
    }

    fn new(
        servers: Vec<SocketAddr>,
        mut options: ResolverOpts,
        limit: Duration,
        local: &[IpAddr],
    ) -> Result<DnsResolver, String> {
        // The rest is for a probe if nobody answers.
        let (probe_limit, limit) = (limit / 5, limit / 4 * 3);
        // Every server has its turn within the first half.
        let turns = u32::try_from(servers.len()).unwrap_or(u32::MAX).saturating_mul(2).max(1);
        let next_after = options.timeout.min(limit / turns);
        options.timeout = limit;
        options.attempts = 0;
        options.ndots = 0;
        options.num_concurrent_reqs = 1;
        options.cache_size = CACHED;
        options.use_hosts_file = ResolveHosts::Never;
        let heard = Arc::new(Heard::default());
        let server = |address: SocketAddr| {
            let mut connections = vec![ConnectionConfig::udp(), ConnectionConfig::tcp()];
            for connection in &mut connections {
                connection.port = address.port();
            }
            let server = NameServerConfig::new(address.ip(), true, connections);
            let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
            let debt = Arc::new(Debt::default());
            let local = local.iter().copied().find(|local| {
                // A name server on this machine is asked from this machine.
                local.is_ipv4() == address.is_ipv4()
                    && (local.is_loopback() || !address.ip().is_loopback())
            });
            let sockets = Sockets::new(address, local, Arc::clone(&heard), Arc::clone(&debt));
            let connections = Connections(sockets.clone());
            let builder = Resolver::builder_with_config(config, connections);
            let resolver = builder.with_options(options.clone()).build();
            let resolver = resolver.map_err(|cause| cause.to_string())?;
            Ok(Server { address, resolver, sockets, debt })
        };
        let servers = servers.into_iter().map(server).collect::<Result<_, String>>()?;
        Ok(DnsResolver(Arc::new(NameServers {
            servers,
            hosts: Hosts::from_system().unwrap_or_default(),
            limit,
            next_after,
            probe_limit,
            heard,
            probed: [Turn::new(None), Turn::new(None)],
        })))
    }
}

impl Resolve for DnsResolver {
    fn resolve(&self, name: &str) -> Resolving {
        let (shared, name) = (Arc::clone(&self.0), name.to_owned());
        Box::pin(async move { shared.look_up(&name).await })
    }
}

impl NameServers {
    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, LookupError> {
        // RFC 6761, section 6.3.
        let host = name.strip_suffix('.').unwrap_or(name);
        if host == "localhost" || host.ends_with(".localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        // No server knows a name that does not fit into a query.
        let Ok(mut name) = Name::from_ascii(name) else { return Err(LookupError::NoSuchName) };
        // Absolute: no search domains.
        name.set_fqdn(true);
        let of_hosts = [RecordType::A, RecordType::AAAA].into_iter().filter_map(|kind| {
            let found = self.hosts.lookup_static_host(&Query::query(name.clone(), kind))?;
            Some(addresses(&found))
        });
        let of_hosts: Vec<IpAddr> = of_hosts.flatten().collect();
        if !of_hosts.is_empty() {
            return Ok(of_hosts);
        }
        let began = Instant::now();
        let said = timeout(self.limit, self.ask(&name)).await.unwrap_or(ServerSaid::Silent);
        let has_none = match &said {
            ServerSaid::Addresses(addresses) => addresses.is_empty(),
            ServerSaid::NoSuchName => true,
            _ => false,
        };
        if has_none && !self.knows_names(began).await {
            let text = format!("{} no name, not even the root", self.who("knows", "know"));
            return Err(resolver_fault(text));
        }
        match said {
            ServerSaid::Addresses(addresses) => Ok(addresses),
            ServerSaid::NoSuchName => Err(LookupError::NoSuchName),
            // Every server says so of every name if what it asks itself is gone.
            ServerSaid::Failed(text) if !self.find_names().await => {
                let who = self.who("fails", "fail");
                Err(resolver_fault(format!("{who} for every name: {text}")))
            }
            ServerSaid::Failed(text) => Err(LookupError::Failed(text)),
            ServerSaid::Local(fault) => Err(LookupError::Local(fault)),
            ServerSaid::Unreachable(text) => {
                Err(resolver_fault(format!("{}: {text}", self.names())))
            }
            ServerSaid::Silent if !self.find_names().await => {
                Err(resolver_fault(format!("no answer from {}", self.names())))
            }
            ServerSaid::Refused if !self.find_names().await => {
                Err(resolver_fault(format!("{} every name", self.who("refuses", "refuse"))))
            }
            ServerSaid::Refused => Err(LookupError::Failed("refused".to_owned())),
            ServerSaid::Silent => Err(LookupError::Silent),
        }
    }

    /// The servers and what they do, of one or of many.
    fn who(&self, does: &str, they_do: &str) -> String {
        match self.servers.len() {
            1 => format!("the name server {} {does}", self.names()),
            _ => format!("the name servers {} {they_do}", self.names()),
        }
    }

    /// The servers, for messages.
    fn names(&self) -> String {
        let names: Vec<String> =
            self.servers.iter().map(|server| server.address.to_string()).collect();
        names.join(", ")
    }

    /// Asks one server after another until one knows. What none knows is what most shows that
    /// the name is at fault.
    async fn ask(&self, name: &Name) -> ServerSaid {
        let mut servers: Vec<&Server> = self.servers.iter().collect();
        servers.sort_by_key(|server| server.debt.is_older_than(self.next_after));
        let mut waiting = servers.into_iter();
        let mut asked = FuturesUnordered::new();
        let mut worst: Option<ServerSaid> = None;
        loop {
            if let Some(server) = waiting.next() {
                asked.push(server.ask(self, name));
            }
            let next = match waiting.len() {
                0 => Either::Left(std::future::pending()),
                _ => Either::Right(sleep(self.next_after)),
            };
            tokio::select! {
                Some(said) = asked.next() => match said {
                    ServerSaid::Addresses(_) | ServerSaid::NoSuchName => return said,
                    said => worst = Some(match worst {
                        Some(worst) if worst.weight() >= said.weight() => worst,
                        _ => said,
                    }),
                },
                () = next => continue,
            }
            if asked.is_empty() && waiting.len() == 0 {
                return worst.unwrap_or(ServerSaid::Silent);
            }
        }
    }

    /// True if the servers find out about names now: they answer for another one within a moment, or
    /// else for one that nobody has. That they know the root shows nothing.
    async fn find_names(&self) -> bool {
        let since = Instant::now();
        if timeout(PATIENCE, self.heard.wait(since)).await.is_ok() {
            return true;
        }
        let heard = std::pin::pin!(self.heard.wait(since));
        let asked = std::pin::pin!(self.probe(Probe::Stranger, since));
        match select(heard, asked).await {
            Either::Left(_) => true,
            Either::Right((works, _)) => works,
        }
    }

    /// True if the servers know names: they gave records for another one since a time, or within a
    /// moment, or else for the root.
    ///
    /// What they knew before that shows nothing: servers that lose what they ask themselves say of
    /// every name that it does not exist, or has no address, from one moment to the next.
    async fn knows_names(&self, since: Instant) -> bool {
        if timeout(PATIENCE, self.heard.wait_for_records(since)).await.is_ok() {
            return true;
        }
        // If nobody answers now, nothing speaks against what was said.
        !self.probe(Probe::Root, Instant::now()).await || self.heard.found_since(since)
    }

    async fn probe(&self, kind: Probe, since: Instant) -> bool {
        // Whoever waits here shares the probe that began meanwhile.
        let mut last = self.probed[kind as usize].lock().await;
        if let Some((began, works)) = *last {
            if began >= since || (!works && began.elapsed() < SPACING) {
                return works;
            }
            sleep_until(began + SPACING).await;
        }
        let began = Instant::now();
        let asked: FuturesUnordered<_> =
            self.servers.iter().map(|server| server.probe(kind)).collect();
        let all = std::pin::pin!(asked.for_each(|()| std::future::ready(())));
        let answered = std::pin::pin!(self.heard.wait(began));
        let _ = timeout(self.probe_limit, select(all, answered)).await;
        let works = self.heard.since(began);
        if !works {
            tracing::warn!(target: TARGET, servers = self.names(), "the name servers do not work");
        }
        *last = Some((began, works));
        works
    }
}

impl ServerSaid {
    /// The higher, the more it is about the name.
    fn weight(&self) -> u8 {
        match self {
            ServerSaid::Addresses(_) | ServerSaid::NoSuchName => 5,
            ServerSaid::Failed(_) => 4,
            ServerSaid::Local(_) => 3,
            ServerSaid::Silent => 2,
            ServerSaid::Refused => 1,
            ServerSaid::Unreachable(_) => 0,
        }
    }
}

impl Server {
    /// Asks for the addresses of both families.
    async fn ask(&self, shared: &NameServers, name: &Name) -> ServerSaid {
        let v4 = std::pin::pin!(self.ask_for(name, RecordType::A));
        let v6 = std::pin::pin!(self.ask_for(name, RecordType::AAAA));
        let (first, other) = match select(v4, v6).await {
            Either::Left((said, v6)) => (said, Either::Left(v6)),
            Either::Right((said, v4)) => (said, Either::Right(v4)),
        };
        let patience = match &first {
            // The name has no addresses of any family.
            ServerSaid::NoSuchName => return first,
            ServerSaid::Addresses(some) if !some.is_empty() => GRACE,
            _ => shared.limit,
        };
        let other = timeout(patience, other).await.unwrap_or(ServerSaid::Silent);
        match (first, other) {
            (ServerSaid::Addresses(first), ServerSaid::Addresses(other)) => {
                ServerSaid::Addresses([first, other].concat())
            }
            (ServerSaid::Addresses(some), _) | (_, ServerSaid::Addresses(some))
                if !some.is_empty() =>
            {
                ServerSaid::Addresses(some)
            }
            // One family has none, and nothing is known of the other.
            (ServerSaid::Addresses(_), said) | (said, ServerSaid::Addresses(_)) => said,
            (_, ServerSaid::NoSuchName) => ServerSaid::NoSuchName,
            (first, other) if first.weight() >= other.weight() => first,
            (_, other) => other,
        }
    }

    async fn ask_for(&self, name: &Name, kind: RecordType) -> ServerSaid {
        match self.resolver.lookup(name.clone(), kind).await {
            Ok(found) => ServerSaid::Addresses(addresses(&found)),
            // hickory-resolver hides errors of sockets.
            Err(NetError::NoConnections) => match self.sockets.trouble() {
                Some(cause) => said_by(&cause),
                None => said(&NetError::NoConnections),
            },
            Err(cause) => said(&cause),
        }
    }

    /// Asks a question. What it hears is noted where it arrives.
    async fn probe(&self, kind: Probe) {
        match kind {
            Probe::Root => {
                self.resolver.clear_lookup_cache(Name::root(), RecordType::NS);
                let _ = self.resolver.lookup(Name::root(), RecordType::NS).await;
            }
            Probe::Stranger => {
                let number = RandomState::new().hash_one(0);
                let _ =
                    self.resolver.lookup(format!("robotsieve.{number:016x}."), RecordType::A).await;
            }
        }
    }
}

fn addresses(found: &Lookup) -> Vec<IpAddr> {
    found.answers().iter().filter_map(|record| record.data.ip_addr()).collect()
}

fn resolver_fault(text: String) -> LookupError {
    LookupError::Local(LocalFault::new(LocalKind::Resolver, text))
}

fn shortage_of(cause: &NetError) -> Option<LocalFault> {
    match cause {
        NetError::Io(cause) => LocalFault::from_io(cause),
        _ => None,
    }
}

/// The meaning of an error of a look-up.
fn said(cause: &NetError) -> ServerSaid {
    match cause {
        NetError::Dns(DnsError::NoRecordsFound(none)) => match none.response_code {
            ResponseCode::NXDomain => ServerSaid::NoSuchName,
            ResponseCode::NoError => ServerSaid::Addresses(Vec::new()),
            code => ServerSaid::Failed(code.to_string()),
        },
        NetError::Dns(DnsError::ResponseCode(ResponseCode::Refused)) => ServerSaid::Refused,
        NetError::Dns(DnsError::ResponseCode(code)) => ServerSaid::Failed(code.to_string()),
        NetError::Dns(_) | NetError::Proto(_) => ServerSaid::Failed(cause.to_string()),
        NetError::Timeout => ServerSaid::Silent,
        NetError::Io(cause) => said_by(cause),
        other => ServerSaid::Unreachable(other.to_string()),
    }
}

/// The meaning of an error of a socket.
fn said_by(cause: &io::Error) -> ServerSaid {
    match LocalFault::from_io(cause) {
        Some(fault) => ServerSaid::Local(fault),
        None if cause.kind() == io::ErrorKind::TimedOut => ServerSaid::Silent,
        None => ServerSaid::Unreachable(ErrorChain(cause).text()),
    }
}
