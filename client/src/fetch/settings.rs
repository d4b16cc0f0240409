//! What a fetcher is told when it is made.

use std::error::Error;
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
use super::connect::NoticeLayer;
use super::failure::Cause;
use super::resolve::{Judged, Resolve, SystemResolver};
use super::{Fetcher, Shared};

/// The settings that a fetcher keeps at hand.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) max_redirects: usize,
    pub(super) limits: Limits,
    pub(super) connect_timeout: Duration,
    pub(super) read_timeout: Duration,
    pub(super) total_timeout: Duration,
}

/// The settings of a [`Fetcher`] that is to be made.
#[derive(Clone)]
pub struct FetcherBuilder {
    user_agent: String,
    settings: Settings,
    max_parallel: usize,
    permitted: Permitted,
    resolver: Arc<dyn Resolve>,
    authorities_pem: Vec<u8>,
}

impl FetcherBuilder {
    pub(super) fn new(user_agent: String) -> FetcherBuilder {
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
            permitted: Permitted::default(),
            resolver: Arc::new(SystemResolver),
            authorities_pem: Vec::new(),
        }
    }

    /// How many redirects are followed: 5 if this is not called, the number that RFC 9309,
    /// section 2.3.1.2, asks for at least. More than
    /// [`Protocol::max_redirects`](crate::outcome::Protocol::max_redirects) do not count.
    pub fn max_redirects(mut self, max_redirects: usize) -> FetcherBuilder {
        self.settings.max_redirects = max_redirects;
        self
    }

    /// How many bytes of a body are taken from the wire: 1 MiB if this is not called. The
    /// rest is not fetched.
    pub fn max_wire_bytes(mut self, bytes: usize) -> FetcherBuilder {
        self.settings.limits.wire_bytes = bytes;
        self
    }

    /// How many bytes of a body are kept, encodings undone: 1 MiB if this is not called.
    /// RFC 9309, section 2.5, asks for 512,000 at least.
    pub fn max_body_bytes(mut self, bytes: usize) -> FetcherBuilder {
        self.settings.limits.body_bytes = bytes;
        self
    }

    /// How long a connection may take, the look-up of the name and TLS included: 10 seconds
    /// if this is not called. For each request of an attempt.
    pub fn connect_timeout(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.connect_timeout = limit;
        self
    }

    /// How long the whole head of an answer may take from when the connection stands, and
    /// then the next bytes of the body: 15 seconds if this is not called.
    pub fn read_timeout(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.read_timeout = limit;
        self
    }

    /// How long an attempt may take with all its redirects: 60 seconds if this is not called.
    /// Time spent in waiting for [`FetcherBuilder::max_parallel`] does not count.
    pub fn total_timeout(mut self, limit: Duration) -> FetcherBuilder {
        self.settings.total_timeout = limit;
        self
    }

    /// How many attempts run at a time: 256 if this is not called. Others wait.
    ///
    /// Each may hold a body of [`FetcherBuilder::max_body_bytes`], and what undoing an
    /// encoding takes: 8 MiB with zstd and 16 MiB with brotli at worst, of which only what
    /// a body fills comes to be used.
    pub fn max_parallel(mut self, attempts: usize) -> FetcherBuilder {
        self.max_parallel = attempts;
        self
    }

    /// Whether addresses that are not public may be connected to: private, loopback,
    /// link-local and the like (see [`is_public`](super::is_public)). They may not if this is
    /// not called, since any site can redirect there, or give its name such an address.
    pub fn allow_private(mut self, allow: bool) -> FetcherBuilder {
        self.permitted.all = allow;
        self
    }

    /// Permits the addresses of networks that are not public, such as `10.1.0.0/16`.
    pub fn allow_networks(mut self, networks: impl IntoIterator<Item = IpNet>) -> FetcherBuilder {
        self.permitted.networks.extend(networks);
        self
    }

    /// Looks up names by something else than the system.
    pub fn resolver(mut self, resolver: impl Resolve) -> FetcherBuilder {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Trusts the certificate authorities of a PEM text, besides those of the system.
    pub fn trust_pem(mut self, pem: &[u8]) -> FetcherBuilder {
        self.authorities_pem.extend_from_slice(pem);
        self.authorities_pem.push(b'\n');
        self
    }

    /// The fetcher.
    ///
    /// # Errors
    /// [`InvalidFetcher`] where a setting makes no sense, or the system has no certificate
    /// authorities and none were given.
    pub fn build(self) -> Result<Fetcher, InvalidFetcher> {
        let headers = headers(&self.user_agent)?;
        self.check()?;
        let permitted = Arc::new(self.permitted);
        let judged = Judged { resolver: self.resolver, permitted };
        let client = reqwest::Client::builder()
            .default_headers(headers)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            // Origins are asked once a day: a connection serves one request, so none can
            // outlive the judgement on its address.
            .pool_max_idle_per_host(0)
            .dns_resolver(judged.clone())
            .connect_timeout(self.settings.connect_timeout)
            .connector_layer(NoticeLayer)
            .tls_backend_preconfigured(tls(&self.authorities_pem)?)
            .build()
            .map_err(|cause| InvalidFetcher::Client(Cause(&cause).text()))?;
        Ok(Fetcher {
            shared: Arc::new(Shared {
                client,
                judged,
                settings: self.settings,
                parallel: Semaphore::new(self.max_parallel),
            }),
        })
    }

    fn check(&self) -> Result<(), InvalidFetcher> {
        let Settings { limits, connect_timeout, read_timeout, total_timeout, .. } = &self.settings;
        let sizes = [
            ("max_wire_bytes", limits.wire_bytes, u32::MAX as usize),
            ("max_body_bytes", limits.body_bytes, u32::MAX as usize),
            ("max_parallel", self.max_parallel, Semaphore::MAX_PERMITS),
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

/// More is a mistake, and two of them together must stay a time.
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

/// Settings of which no fetcher can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidFetcher {
    /// The user agent is empty, or has characters that a header cannot carry.
    UserAgent(String),
    /// A number is zero or too large.
    Size {
        /// The method that sets it.
        setting: &'static str,
        /// What it was set to.
        value: usize,
        /// The most that it can be.
        max: usize,
    },
    /// A time is zero or more than a day.
    Timeout {
        /// The method that sets it.
        setting: &'static str,
    },
    /// There are no certificate authorities to trust, or those given cannot be read.
    Authorities(String),
    /// The HTTP client cannot be made.
    Client(String),
}

impl fmt::Display for InvalidFetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidFetcher::UserAgent(text) if text.is_empty() => f.write_str(
                "the user agent is empty: sites must be able to tell who asks, as in \
                 \"MyCrawler/1.0 (+https://example.com/bot)\"",
            ),
            InvalidFetcher::UserAgent(text) => {
                write!(f, "the user agent {text:?} is not of printable ASCII characters alone")
            }
            InvalidFetcher::Size { setting, value, max } => {
                write!(f, "{setting} is {value}, and must be from 1 to {max}")
            }
            InvalidFetcher::Timeout { setting } => {
                write!(f, "{setting} must be more than zero, and a day at most")
            }
            InvalidFetcher::Authorities(cause) => write!(
                f,
                "no certificate authorities to trust: {cause}; install the system's (the \
                 package ca-certificates), or give some with trust_pem"
            ),
            InvalidFetcher::Client(cause) => write!(f, "no HTTP client can be made: {cause}"),
        }
    }
}

impl Error for InvalidFetcher {}
