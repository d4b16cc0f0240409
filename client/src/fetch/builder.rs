//! The settings of a fetcher, and its construction.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, ACCEPT_ENCODING, USER_AGENT};
use http::{HeaderMap, HeaderValue};
use ipnet::IpNet;
use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use tokio::sync::Semaphore;

use super::address::Permitted;
use super::body::Limits;
use super::client::{Client, Settings};
use super::connect::NoticeLayer;
use super::error::InvalidFetcher;
use super::failure::Cause;
use super::fetcher::Fetcher;
use super::health::Network;
use super::resolve::{CheckedResolver, Resolve, SystemResolver};

impl Fetcher {
    /// Starts the settings of a fetcher.
    ///
    /// `user_agent` is sent with each request. It should begin with the product token that sites
    /// can name in their robots.txt, and say where to read about the crawler.
    pub fn builder(user_agent: impl Into<String>) -> FetcherBuilder {
        FetcherBuilder::new(user_agent.into())
    }
}

/// The settings of a [`Fetcher`].
#[derive(Clone)]
#[must_use]
pub struct FetcherBuilder {
    user_agent: String,
    settings: Settings,
    max_parallel: usize,
    max_lookups: usize,
    permitted: Permitted,
    resolver: Arc<dyn Resolve>,
    authorities_pem: Vec<u8>,
}

impl fmt::Debug for FetcherBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetcherBuilder")
            .field("user_agent", &self.user_agent)
            .field("settings", &self.settings)
            .field("max_parallel", &self.max_parallel)
            .field("permitted", &self.permitted)
            .finish_non_exhaustive()
    }
}

impl FetcherBuilder {
    fn new(user_agent: String) -> FetcherBuilder {
        FetcherBuilder {
            user_agent,
            settings: Settings {
                max_redirects: 5,
                limits: Limits { wire_bytes: 1 << 20, body_bytes: 1 << 20 },
                connect_timeout: Duration::from_secs(10),
                read_timeout: Duration::from_secs(15),
                total_timeout: Duration::from_secs(60),
            },
            max_parallel: 256,
            max_lookups: 1024,
            permitted: Permitted::default(),
            resolver: Arc::new(SystemResolver),
            authorities_pem: Vec::new(),
        }
    }

    /// How many redirects are followed. The default is 5, the least that RFC 9309, section
    /// 2.3.1.2, asks for. A file behind more than
    /// [`Protocol::max_redirects`](crate::outcome::Protocol::max_redirects) counts as absent.
    pub fn max_redirects(mut self, max_redirects: usize) -> FetcherBuilder {
        self.settings.max_redirects = max_redirects;
        self
    }

    /// How many bytes of a body are taken from the wire. The rest is not fetched. The default
    /// is 1 MiB.
    pub fn max_wire_bytes(mut self, bytes: usize) -> FetcherBuilder {
        self.settings.limits.wire_bytes = bytes;
        self
    }

    /// How many bytes of a decoded body are kept. The default is 1 MiB; RFC 9309, section 2.5,
    /// asks for at least 512,000.
    pub fn max_body_bytes(mut self, bytes: usize) -> FetcherBuilder {
        self.settings.limits.body_bytes = bytes;
        self
    }

    /// How long a name may take to be looked up, and then how long each request of an attempt may
    /// take to connect, including TLS. The default is 10 seconds.
    pub fn connect_timeout(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.connect_timeout = limit;
        self
    }

    /// How long the head of an answer may take once the connection is established, and after
    /// that each next piece of the body. The default is 15 seconds.
    pub fn read_timeout(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.read_timeout = limit;
        self
    }

    /// How long an attempt may take with all its redirects. Time spent waiting for a turn
    /// ([`FetcherBuilder::max_parallel`]) does not count. The default is 60 seconds.
    pub fn total_timeout(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.total_timeout = limit;
        self
    }

    /// How many attempts run at a time. Further ones wait for a turn. The default is 256.
    ///
    /// Each attempt may hold a body of [`FetcherBuilder::max_body_bytes`] and the window of a
    /// decoder: at worst 8 MiB for zstd and 16 MiB for brotli, of which a body touches only as
    /// much as it fills.
    pub fn max_parallel(mut self, attempts: usize) -> FetcherBuilder {
        self.max_parallel = attempts;
        self
    }

    /// How many names are looked up at a time, beside the attempts of
    /// [`FetcherBuilder::max_parallel`]. Further ones wait. The default is 1024.
    ///
    /// A name is looked up before its attempt takes a turn, so names whose servers are silent
    /// hold up nobody as long as there are fewer of them than this.
    pub fn max_lookups(mut self, names: usize) -> FetcherBuilder {
        self.max_lookups = names;
        self
    }

    /// Whether the fetcher may connect to addresses that are not public: private, loopback,
    /// link-local and the like (see [`is_public`](super::is_public)). By default it may not,
    /// because any site can redirect there or give its name such an address.
    pub fn allow_private(mut self, allow: bool) -> FetcherBuilder {
        self.permitted.all = allow;
        self
    }

    /// Permits the addresses of these networks, such as `10.1.0.0/16`, though they are not
    /// public.
    pub fn allow_networks(mut self, networks: impl IntoIterator<Item = IpNet>) -> FetcherBuilder {
        self.permitted.networks.extend(networks);
        self
    }

    /// Looks up names with this resolver instead of the system's.
    pub fn resolver(mut self, resolver: impl Resolve) -> FetcherBuilder {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Trusts the certificate authorities in a PEM text, in addition to the system's.
    pub fn trust_pem(mut self, pem: &[u8]) -> FetcherBuilder {
        self.authorities_pem.extend_from_slice(pem);
        self.authorities_pem.push(b'\n');
        self
    }

    /// Builds the fetcher.
    ///
    /// # Errors
    /// Returns an error if a setting is out of range, or if there are no certificate authorities,
    /// neither the system's nor given ones.
    pub fn build(self) -> Result<Fetcher, InvalidFetcher> {
        let headers = headers(&self.user_agent)?;
        self.check()?;
        let permitted = Arc::new(self.permitted);
        let resolver = CheckedResolver { resolver: self.resolver, permitted };
        let http = reqwest::Client::builder()
            .default_headers(headers)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            // Each origin is fetched about once a day, so reuse would save nothing. Without it,
            // no connection outlives the check of its address.
            .pool_max_idle_per_host(0)
            .dns_resolver(resolver.clone())
            .connect_timeout(self.settings.connect_timeout)
            .connector_layer(NoticeLayer)
            .tls_backend_preconfigured(tls(&self.authorities_pem)?)
            .build()
            .map_err(|cause| InvalidFetcher::Client(Cause(&cause).text()))?;
        let network = Network::default();
        let client = Client { http, resolver, settings: self.settings, network };
        Ok(Fetcher::new(client, self.max_parallel, self.max_lookups))
    }

    fn check(&self) -> Result<(), InvalidFetcher> {
        let Settings { limits, connect_timeout, read_timeout, total_timeout, .. } = &self.settings;
        let sizes = [
            ("max_wire_bytes", limits.wire_bytes, u32::MAX as usize),
            ("max_body_bytes", limits.body_bytes, u32::MAX as usize),
            ("max_parallel", self.max_parallel, Semaphore::MAX_PERMITS),
            ("max_lookups", self.max_lookups, Semaphore::MAX_PERMITS),
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
        match times.into_iter().find(|(_, time)| time.is_zero() || **time > MAX_TIMEOUT) {
            Some((setting, _)) => Err(InvalidFetcher::Timeout { setting }),
            None => Ok(()),
        }
    }
}

/// The longest timeout. A longer one is a mistake, and the sum of two must not overflow.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The headers of each request.
fn headers(user_agent: &str) -> Result<HeaderMap, InvalidFetcher> {
    let user_agent = user_agent.trim();
    let is_text = user_agent.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let user_agent = match HeaderValue::from_str(user_agent) {
        Ok(value) if is_text && !value.is_empty() => value,
        _ => return Err(InvalidFetcher::UserAgent(user_agent.to_owned())),
    };
    Ok(HeaderMap::from_iter([
        (USER_AGENT, user_agent),
        (ACCEPT, HeaderValue::from_static("text/plain, */*;q=0.5")),
        (ACCEPT_ENCODING, HeaderValue::from_static("gzip, br, zstd")),
    ]))
}

fn tls(authorities_pem: &[u8]) -> Result<ClientConfig, InvalidFetcher> {
    let authorities: Vec<_> = CertificateDer::pem_slice_iter(authorities_pem)
        .collect::<Result<_, _>>()
        .map_err(|cause| InvalidFetcher::Authorities(cause.to_string()))?;
    if authorities.is_empty() && !authorities_pem.trim_ascii().is_empty() {
        return Err(InvalidFetcher::Authorities("there is no certificate in it".to_owned()));
    }
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(authorities, Arc::clone(&provider))
        .map_err(|cause| InvalidFetcher::Authorities(cause.to_string()))?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| InvalidFetcher::Client(cause.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}
