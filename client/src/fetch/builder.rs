//! The settings of a fetcher, and its construction.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use tokio::sync::Semaphore;
use tokio_rustls::TlsConnector;

use super::certificate::Accepting;
use super::client::{Client, Settings};
use super::connect::{Dialer, Tls};
use super::connector::Connector;
use super::dns::{self, DnsResolver};
use super::error::InvalidFetcher;
use super::fetcher::Fetcher;
use super::headers::{Added, Headers};
use super::health::Network;
use super::lookup::Resolve;
use super::permitted::Permitted;
use super::proxy::Proxy;
use super::pulse::Pulse;
use super::resolve::{Answers, CheckedResolver};
use super::turns::{Pace, Turns};
use super::visit;
use crate::body::BodyLimits;
use crate::network::{IpNetwork, RedirectRules};

impl Fetcher {
    /// Starts the settings of a fetcher.
    ///
    /// `user_agent` is sent with each request. It should begin with the product token that sites
    /// can name in their robots.txt, and say where to read about the crawler.
    pub fn builder(user_agent: impl Into<String>) -> FetcherBuilder {
        FetcherBuilder::new(user_agent.into())
    }
}

/// The file descriptors that each of [`FetcherBuilder::max_parallel`] attempts adds: one for its
/// connection, and one for further connections, which all attempts share. FTP needs one for its
/// data, and up to seven are opened to other addresses of a name whose first one is silent.
pub const DESCRIPTORS_PER_ATTEMPT: usize = 2;

/// The resolver that looks up names.
#[derive(Clone)]
enum Names {
    System,
    Servers(Vec<SocketAddr>),
    Custom(Arc<dyn Resolve>),
}

/// The settings of a [`Fetcher`].
#[derive(Clone)]
#[must_use]
pub struct FetcherBuilder {
    user_agent: String,
    headers: Vec<Added>,
    redirects: RedirectRules,
    settings: Settings,
    max_parallel: usize,
    max_lookups: usize,
    max_per_host: Option<usize>,
    max_per_address: Option<usize>,
    request_delay: Duration,
    permitted: Permitted,
    names: Names,
    authorities_pem: Vec<u8>,
    accepts_invalid_certificates: bool,
    local: Vec<IpAddr>,
    proxy: Option<String>,
    proxy_resolves: bool,
    canaries: Vec<SocketAddr>,
}

impl fmt::Debug for FetcherBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetcherBuilder")
            .field("user_agent", &self.user_agent)
            .field("redirects", &self.redirects)
            .field("settings", &self.settings)
            .field("max_parallel", &self.max_parallel)
            .field("max_per_host", &self.max_per_host)
            .field("max_per_address", &self.max_per_address)
            .field("request_delay", &self.request_delay)
            .field("local", &self.local)
            .field("permitted", &self.permitted)
            .finish_non_exhaustive()
    }
}

impl FetcherBuilder {
    fn new(user_agent: String) -> FetcherBuilder {
        FetcherBuilder {
            user_agent,
            headers: Vec::new(),
            redirects: RedirectRules { max_redirects: 5, ports: BTreeSet::from([80, 443]) },
            settings: Settings {
                redirects: Arc::new(RedirectRules { max_redirects: 0, ports: BTreeSet::new() }),
                limits: BodyLimits { wire_bytes: 1 << 20, body_bytes: 1 << 20 },
                connect_timeout: Duration::from_secs(10),
                read_timeout: Duration::from_secs(15),
                total_timeout: Duration::from_secs(60),
                max_retry_after: Duration::from_secs(60),
                retries: 0,
                retry_wait: Duration::from_secs(1),
            },
            max_parallel: 256,
            max_lookups: 4096,
            max_per_host: Some(2),
            max_per_address: Some(2),
            request_delay: Duration::from_millis(100),
            permitted: Permitted::default(),
            names: Names::System,
            authorities_pem: Vec::new(),
            accepts_invalid_certificates: false,
            local: Vec::new(),
            proxy: None,
            proxy_resolves: false,
            canaries: Vec::new(),
        }
    }

    /// The number of redirects that are followed. The default is 5, the least that RFC 9309,
    /// section 2.3.1.2, asks for. A file behind more than
    /// [`Protocol::max_redirects`](crate::outcome::Protocol::max_redirects) counts as absent.
    pub fn max_redirects(mut self, max_redirects: usize) -> FetcherBuilder {
        self.redirects.max_redirects = max_redirects;
        self
    }

    /// The ports that redirects may lead to, beside the origin's own. The default is 80 and 443:
    /// on other ports there are rarely sites, but there are services that a crawler should not
    /// talk to. A redirect to another port is
    /// [`Failure::RefusedRedirect`](crate::outcome::Failure::RefusedRedirect), and the site counts
    /// as unreachable. `1..=u16::MAX` allows all ports.
    pub fn redirect_ports(mut self, ports: impl IntoIterator<Item = u16>) -> FetcherBuilder {
        self.redirects.ports = ports.into_iter().collect();
        self
    }

    /// Sends a header with each request. A header of the same name, such as `Accept`, is replaced.
    ///
    /// All sites get it, but no redirect carries it to another host or port than that of the site, or
    /// from https to http, as it may have a password in it; only `From`, `Accept` and other headers that
    /// have none go everywhere.
    ///
    /// [`FetcherBuilder::build`] refuses headers that the fetcher sets itself (`User-Agent`,
    /// `Host`, `If-None-Match` and the like) and those that concern one connection only.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> FetcherBuilder {
        self.headers.push((None, name.into(), value.into()));
        self
    }

    /// Sends a header with each request to one host, such as `e.com`, or `e.com:8080` for another port
    /// than those of http and https: for credentials. It replaces a [`FetcherBuilder::header`] of the
    /// same name. Where a redirect leads to the host, it is sent over https only.
    pub fn header_for(
        mut self,
        host: impl Into<String>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> FetcherBuilder {
        self.headers.push((Some(host.into()), name.into(), value.into()));
        self
    }

    /// The bytes of a body that are taken from the wire. The rest is not fetched. The default is 1
    /// MiB.
    pub fn max_wire_bytes(mut self, bytes: usize) -> FetcherBuilder {
        self.settings.limits.wire_bytes = bytes;
        self
    }

    /// The bytes of a decoded body that are kept. The default is 1 MiB; RFC 9309, section 2.5, asks
    /// for at least 512,000.
    pub fn max_body_bytes(mut self, bytes: usize) -> FetcherBuilder {
        self.settings.limits.body_bytes = bytes;
        self
    }

    /// The time that the look-up of a name may take, and then each connection of an attempt,
    /// including TLS. The default is 10 seconds.
    pub fn connect_timeout(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.connect_timeout = limit;
        self
    }

    /// The time that the head of an answer may take once the connection is established, and after
    /// that each next piece of the body. The default is 15 seconds.
    pub fn read_timeout(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.read_timeout = limit;
        self
    }

    /// The time that an attempt may take with all its redirects. Time spent waiting for a turn or a
    /// place ([`FetcherBuilder::max_per_address`], [`FetcherBuilder::max_parallel`]) does not
    /// count, and each retry has its own deadline. The default is 60 seconds.
    pub fn total_timeout(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.total_timeout = limit;
        self
    }

    /// The number of attempts that run at a time. Further ones wait for a place. The default is
    /// 256.
    ///
    /// Each attempt may hold a body of [`FetcherBuilder::max_body_bytes`] and the window of a
    /// decoder: at worst 8 MiB for zstd and 16 MiB for brotli, of which a body touches only as
    /// much as it fills.
    pub fn max_parallel(mut self, attempts: usize) -> FetcherBuilder {
        self.max_parallel = attempts;
        self
    }

    /// The number of names that are looked up at a time, beside the attempts of
    /// [`FetcherBuilder::max_parallel`]. Further ones wait. The default is 4096.
    ///
    /// A name is looked up before its attempt takes a turn, so names whose servers are silent
    /// hold up nobody as long as there are fewer of them than this. With three silent name
    /// servers, a look-up takes about 80 kB.
    pub fn max_lookups(mut self, names: usize) -> FetcherBuilder {
        self.max_lookups = names;
        self
    }

    /// The number of requests that run at a time to one host name, whatever the scheme and port.
    /// The default is 2. `None` lifts the limit, the delay between two requests to a host, and the
    /// pause that a host asks for.
    ///
    /// Whoever waits takes no place of [`FetcherBuilder::max_parallel`]. A redirect within the same
    /// host keeps its turn, and waits only for the delay.
    pub fn max_per_host(mut self, requests: impl Into<Option<usize>>) -> FetcherBuilder {
        self.max_per_host = requests.into();
        self
    }

    /// The number of requests that run at a time to one IP address, which may serve very many
    /// sites. The default is 2. `None` lifts the limit, the delay between two requests to an
    /// address, and the pause that an address asks for.
    ///
    /// With the default delay, an address with 10,000 sites takes 17 minutes, if its answers come
    /// within 200 ms. Through a proxy that resolves names, addresses are unknown, and only
    /// [`FetcherBuilder::max_per_host`] applies.
    pub fn max_per_address(mut self, requests: impl Into<Option<usize>>) -> FetcherBuilder {
        self.max_per_address = requests.into();
        self
    }

    /// The least time between the beginnings of two requests to the same host or the same
    /// address. The default is 100 ms: 10 requests a second, which any web server can bear. Zero
    /// is allowed.
    pub fn request_delay(mut self, delay: Duration) -> FetcherBuilder {
        self.request_delay = delay;
        self
    }

    /// The longest time for which a host is left alone if it asks for it, by `Retry-After` in a 429,
    /// 502, 503 or 504. The default is a minute; zero ignores the header. After a 429 the host's address is
    /// left alone too, because other sites may share it: for no more than 10 seconds at a time, and 30
    /// in ten minutes, whatever its sites ask for.
    ///
    /// When the origin itself is asked again, beyond this run, is the matter of
    /// [`Protocol`](crate::outcome::Protocol).
    pub fn max_retry_after(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.max_retry_after = limit;
        self
    }

    /// The number of times that an attempt is tried again if it failed in a way that may pass: no
    /// connection, a broken answer, a time-out, or the status 429, 502, 503 or 504. The default is
    /// 0: the [`Protocol`](crate::outcome::Protocol) says when to ask again, and a dead site costs
    /// no more than one deadline.
    ///
    /// Before each retry the attempt waits ([`FetcherBuilder::retry_wait`]), or as long as
    /// `Retry-After` says; if that is longer than [`FetcherBuilder::max_retry_after`], there is no
    /// retry. The wait takes no place.
    pub fn retries(mut self, retries: u32) -> FetcherBuilder {
        self.settings.retries = retries;
        self
    }

    /// The wait before the first retry. It doubles with each further one, up to a minute, and is
    /// shortened by up to a half at random. The default is a second.
    pub fn retry_wait(mut self, wait: Duration) -> FetcherBuilder {
        self.settings.retry_wait = wait;
        self
    }

    /// Lets the fetcher connect to addresses that are not public: private, loopback, link-local and
    /// the like (see [`is_public`](crate::network::is_public)). By default it may not, because any
    /// site can redirect there or give its name such an address.
    pub fn allow_private(mut self, allow: bool) -> FetcherBuilder {
        self.permitted.all = allow;
        self
    }

    /// Permits the addresses of these networks, such as `10.1.0.0/16`, though they are not
    /// public.
    pub fn allow_networks(
        mut self,
        networks: impl IntoIterator<Item = IpNetwork>,
    ) -> FetcherBuilder {
        self.permitted.networks.extend(networks);
        self
    }

    /// Forbids the addresses of these networks, even if they are public or otherwise permitted.
    /// An IPv4 network includes the IPv6 addresses that contain its addresses.
    pub fn deny_networks(
        mut self,
        networks: impl IntoIterator<Item = IpNetwork>,
    ) -> FetcherBuilder {
        self.permitted.denied.extend(networks);
        self
    }

    /// An address that accepts TCP connections as long as the network here works, such as that of a
    /// server of yours elsewhere. May be called several times.
    ///
    /// If a site fails before any other has answered, it is tried: connected to, and nothing sent.
    /// Without it nothing follows from such a failure ([`Attempt::is_confirmed`]). It need not be
    /// permitted ([`FetcherBuilder::allow_networks`]). Through a proxy it is not asked.
    ///
    /// [`Attempt::is_confirmed`]: crate::outcome::Attempt::is_confirmed
    pub fn canary(mut self, address: SocketAddr) -> FetcherBuilder {
        self.canaries.push(address);
        self
    }

    /// Connects from this address of the machine. With one IPv4 and one IPv6 address, both
    /// families are used; with one alone, only its family is.
    pub fn local_address(mut self, address: IpAddr) -> FetcherBuilder {
        self.local.push(address);
        self
    }

    /// Sends all requests through a proxy: `http://`, `https://`, `socks5://` or `socks5h://`,
    /// with an optional `user:password@` and port. FTP is not fetched through a proxy. Proxies
    /// that the environment names are ignored.
    ///
    /// An HTTP proxy is asked to connect to the site (`CONNECT`), for http URLs too. If it refuses that
    /// for an http URL, it gets the whole URL, unless it connects to other sites: then it denies this
    /// one. A 4xx in answer to the whole URL is its own fault, and not the site's, if it says so, if
    /// its refusals look alike, or as long as it may deny this site alone. A proxy that
    /// cannot be reached, asks for a password or refuses its service is a
    /// [local fault](crate::outcome::LocalKind::Proxy). If it says that it could not reach the
    /// site (502, 503 or 504 in answer to `CONNECT`; host unreachable or connection refused over
    /// SOCKS5), that is [`Failure::Connect`](crate::outcome::Failure::Connect), as if the fetcher
    /// had tried itself. If it says so of all, or hangs, as a canary through it shows, that is its own
    /// fault.
    ///
    /// Names are still resolved here, and the proxy is asked to connect to an address that was
    /// checked. There are two gaps. With `socks5h` or [`FetcherBuilder::proxy_resolves`] the proxy
    /// resolves the names, so only addresses within URLs are checked. And an HTTP proxy that gets a
    /// whole http URL resolves the name in it again. In both cases the proxy itself must refuse
    /// private addresses. The proxy's own address is not checked.
    pub fn proxy(mut self, url: impl Into<String>) -> FetcherBuilder {
        self.proxy = Some(url.into());
        self
    }

    /// Lets the proxy resolve the names of sites. By default the fetcher does, unless the proxy's
    /// scheme is `socks5h`. Needed where only the proxy reaches name servers, and for proxies that
    /// refuse to connect to bare addresses.
    pub fn proxy_resolves(mut self, resolves: bool) -> FetcherBuilder {
        self.proxy_resolves = resolves;
        self
    }

    /// Looks up names with this resolver, such as [`SystemResolver`](super::SystemResolver).
    ///
    /// By default the fetcher asks the system's name servers itself (see
    /// [`FetcherBuilder::name_servers`]).
    pub fn resolver(mut self, resolver: impl Resolve) -> FetcherBuilder {
        self.names = Names::Custom(Arc::new(resolver));
        self
    }

    /// Asks these name servers, in this order, instead of the system's. Their addresses may be
    /// private.
    ///
    /// The system's are those of `/etc/resolv.conf` (or of what the system has in its place), or
    /// 127.0.0.1 if there are none. Of its options `timeout` and `edns0` apply. Either way the
    /// file of hosts comes first, names are absolute (no search domains apply), and A and AAAA
    /// are asked for together. The next server is asked as well if one fails, or is silent for
    /// `timeout` or its share of half the time, whichever is shorter. A name gets three quarters
    /// of [`FetcherBuilder::connect_timeout`]. The rest is for finding out whether the servers
    /// answer at all: silent servers are a [`LocalFault`](crate::outcome::LocalFault), a silent
    /// name is the site's failure.
    pub fn name_servers(mut self, servers: impl IntoIterator<Item = SocketAddr>) -> FetcherBuilder {
        self.names = Names::Servers(servers.into_iter().collect());
        self
    }

    /// Trusts the certificate authorities in a PEM text, in addition to the system's.
    pub fn trust_pem(mut self, pem: &[u8]) -> FetcherBuilder {
        self.authorities_pem.extend_from_slice(pem);
        self.authorities_pem.push(b'\n');
        self
    }

    /// Fetches the robots.txt of sites whose certificate is not valid: expired, for another name, signed
    /// by nobody who is trusted. By default such a site is unreachable.
    ///
    /// Anybody on the way can then say what a site allows. So this holds for robots.txt files alone,
    /// also behind redirects, and not for sitemaps, other files and proxies; such a site gets no header
    /// that may have a password in it; and each outcome tells what is wrong with the certificate
    /// ([`OriginState::invalid_certificate`](crate::outcome::OriginState::invalid_certificate)).
    pub fn accept_invalid_certificates(mut self, accept: bool) -> FetcherBuilder {
        self.accepts_invalid_certificates = accept;
        self
    }

    /// The number of file descriptors that a fetcher with these settings may need at a time, so
    /// that the process's limit can be raised or the settings be lowered: for each attempt
    /// [`DESCRIPTORS_PER_ATTEMPT`](super::DESCRIPTORS_PER_ATTEMPT), some for the look-ups, and 32
    /// for canaries and the runtime. For a resolver of your own, one for each look-up is counted.
    #[must_use]
    pub fn descriptors(&self) -> usize {
        let lookups = match &self.names {
            Names::Custom(_) => self.max_lookups,
            Names::System => dns::descriptors(dns::MAX_SYSTEM_SERVERS, self.max_lookups),
            Names::Servers(servers) => dns::descriptors(servers.len(), self.max_lookups),
        };
        let attempts = self.max_parallel.saturating_mul(DESCRIPTORS_PER_ATTEMPT);
        attempts.saturating_add(lookups).saturating_add(32)
    }

    /// Builds the fetcher.
    ///
    /// # Errors
    /// Returns an error if a setting is out of range, or if there are no certificate authorities,
    /// neither the system's nor given ones. The error names the setting.
    pub fn build(self) -> Result<Fetcher, InvalidFetcher> {
        let headers = Headers::new(&self.user_agent, &self.headers)?;
        self.check()?;
        let permitted = Arc::new(self.permitted);
        let limit = self.settings.connect_timeout;
        let answers = matches!(self.names, Names::Custom(_)).then(|| Arc::new(Answers::new()));
        let names: Arc<dyn Resolve> = match self.names {
            Names::Custom(resolver) => resolver,
            Names::System => Arc::new(
                DnsResolver::of_system(limit, &self.local).map_err(InvalidFetcher::NameServers)?,
            ),
            Names::Servers(servers) if servers.is_empty() => {
                return Err(InvalidFetcher::NameServers("there are none".to_owned()));
            }
            Names::Servers(servers) => Arc::new(
                DnsResolver::of_servers(servers, limit, &self.local)
                    .map_err(InvalidFetcher::NameServers)?,
            ),
        };
        let resolver = Arc::clone(&names);
        let proxy = self
            .proxy
            .map(|url| {
                let timeout = self.settings.connect_timeout;
                Proxy::of(&url, self.proxy_resolves, resolver, timeout).map(Arc::new)
            })
            .transpose()
            .map_err(|cause| InvalidFetcher::Setting { setting: "proxy", cause })?;
        let strict = tls(&self.authorities_pem, false)?;
        let accepting = self.accepts_invalid_certificates;
        let accepting = accepting.then(|| tls(&self.authorities_pem, true)).transpose()?;
        let pace = |places| Pace { places, delay: self.request_delay };
        let network = Network::new(&self.canaries, proxy.is_some());
        let client = Client {
            connector: Connector {
                dialer: Dialer { tls: strict, accepting, local: self.local },
                proxy,
            },
            resolver: CheckedResolver { resolver: names, permitted, answers },
            headers,
            turns: Turns::new(pace(self.max_per_host), pace(self.max_per_address)),
            places: Semaphore::new(self.max_parallel),
            further: Semaphore::new(self.max_parallel),
            lookups: Semaphore::new(self.max_lookups),
            young: Semaphore::new(visit::MAX_YOUNG),
            network,
            pulse: Pulse::default(),
            settings: Settings { redirects: Arc::new(self.redirects), ..self.settings },
        };
        Ok(Fetcher::new(client))
    }

    fn check(&self) -> Result<(), InvalidFetcher> {
        let Settings { limits, connect_timeout, read_timeout, total_timeout, .. } = &self.settings;
        let sizes = [
            ("max_wire_bytes", limits.wire_bytes, u32::MAX as usize),
            ("max_body_bytes", limits.body_bytes, u32::MAX as usize),
            ("max_parallel", self.max_parallel, Semaphore::MAX_PERMITS),
            ("max_lookups", self.max_lookups, Semaphore::MAX_PERMITS),
            ("max_per_host", self.max_per_host.unwrap_or(1), Semaphore::MAX_PERMITS),
            ("max_per_address", self.max_per_address.unwrap_or(1), Semaphore::MAX_PERMITS),
        ];
        for (setting, value, max) in sizes {
            if value == 0 || value > max {
                return Err(InvalidFetcher::Size { setting, value, max });
            }
        }
        let times = [
            ("connect_timeout", connect_timeout),
            ("read_timeout", read_timeout),
            ("total_timeout", total_timeout),
        ];
        if let Some((setting, _)) =
            times.into_iter().find(|(_, time)| time.is_zero() || **time > MAX_TIMEOUT)
        {
            return Err(InvalidFetcher::Timeout { setting });
        }
        let waits = [
            ("request_delay", self.request_delay),
            ("max_retry_after", self.settings.max_retry_after),
            ("retry_wait", self.settings.retry_wait),
        ];
        let invalid = |setting, cause| Err(InvalidFetcher::Setting { setting, cause });
        if let Some((setting, _)) = waits.into_iter().find(|(_, wait)| *wait > MAX_TIMEOUT) {
            return invalid(setting, "must be at most a day".to_owned());
        }
        for (at, local) in self.local.iter().enumerate() {
            if self.local[..at].iter().any(|other| other.is_ipv4() == local.is_ipv4()) {
                let cause = format!("{local}: there is another address of its family already");
                return invalid("local_address", cause);
            }
            if let Err(cause) = std::net::UdpSocket::bind((*local, 0)) {
                let cause = format!("{local} is not an address of this machine: {cause}");
                return invalid("local_address", cause);
            }
        }
        Ok(())
    }
}

/// The longest timeout. A longer one is a mistake, and the sum of two must not overflow.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

fn tls(authorities_pem: &[u8], accepts_invalid: bool) -> Result<Tls, InvalidFetcher> {
    let authorities: Vec<_> = CertificateDer::pem_slice_iter(authorities_pem)
        .collect::<Result<_, _>>()
        .map_err(|cause| InvalidFetcher::Authorities(cause.to_string()))?;
    if authorities.is_empty() && !authorities_pem.trim_ascii().is_empty() {
        return Err(InvalidFetcher::Authorities("there is no certificate in it".to_owned()));
    }
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(authorities, Arc::clone(&provider))
        .map_err(|cause| InvalidFetcher::Authorities(cause.to_string()))?;
    let verifier: Arc<dyn ServerCertVerifier> = match accepts_invalid {
        true => Arc::new(Accepting(Arc::new(verifier))),
        false => Arc::new(verifier),
    };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| InvalidFetcher::Client(cause.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    let http1 = TlsConnector::from(Arc::new(config.clone()));
    config.alpn_protocols.insert(0, b"h2".to_vec());
    Ok(Tls { http2: TlsConnector::from(Arc::new(config)), http1 })
}
