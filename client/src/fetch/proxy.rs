//! Proxies: HTTP and HTTPS (RFC 9110, section 9.3.6), SOCKS5 (RFC 1928).
//!
//! A proxy that cannot be reached or refuses to work is a fault of this side. What it says of the
//! target is the target's.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::header::PROXY_AUTHORIZATION;
use http::response::Parts;
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_socks::TargetAddr;
use tokio_socks::tcp::Socks5Stream;
use url::{Host, Url};

use super::connect::{Dialer, Offer, Stream, Target};
use super::lookup::Resolve;
use super::tasks::Tasks;
use super::tunnels::{Forwarded, Tunnels};
use crate::cause::{ErrorChain, line};
use crate::outcome::{Failure, LocalFault, LocalKind};

/// Headers by which a proxy says that an answer is its own and not the site's: RFC 9209, and Squid.
/// With a 4xx it refuses the request, and nothing is known of the site.
const PROXY_ERRORS: [&str; 2] = ["proxy-status", "x-squid-error"];

/// The details of the fault of a proxy that wants a login.
const LOGIN: &str = "it asks for a user and a password, or refuses those given (407)";

/// The proxy that all requests go through.
pub(super) struct Proxy {
    scheme: ProxyScheme,
    host: Host,
    port: u16,
    /// User and password.
    login: Option<(String, String)>,
    /// True if the proxy resolves the names of sites.
    pub(super) resolves: bool,
    /// The addresses of the proxy's own name, and how long connecting to them may take.
    resolver: Arc<dyn Resolve>,
    connect_timeout: Duration,
    /// What it said to requests to connect, for http URLs.
    tunnels: Tunnels,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProxyScheme {
    Http,
    Https,
    Socks5,
}

impl Proxy {
    /// The proxy at a URL, or what is wrong with it.
    pub(super) fn of(
        url: &str,
        resolves: bool,
        resolver: Arc<dyn Resolve>,
        connect_timeout: Duration,
    ) -> Result<Proxy, String> {
        let bad = |cause: &str| format!("{}: {cause}", without_login(url));
        let parsed = Url::parse(url).map_err(|cause| bad(&cause.to_string()))?;
        let (scheme, default_port, resolves) = match parsed.scheme() {
            "http" => (ProxyScheme::Http, Some(80), resolves),
            "https" => (ProxyScheme::Https, Some(443), resolves),
            "socks5" => (ProxyScheme::Socks5, Some(1080), resolves),
            "socks5h" => (ProxyScheme::Socks5, Some(1080), true),
            _ => return Err(bad("the scheme must be http, https, socks5 or socks5h")),
        };
        // Outside the schemes that the standard names, a host is not parsed as an address.
        let host = match parsed.host() {
            Some(Host::Domain(name)) if !name.is_empty() => {
                Host::parse(name).map_err(|cause| bad(&cause.to_string()))?
            }
            Some(Host::Ipv4(address)) => Host::Ipv4(address),
            Some(Host::Ipv6(address)) => Host::Ipv6(address),
            _ => return Err(bad("there is no host")),
        };
        if !matches!(parsed.path(), "" | "/") || parsed.query().is_some() {
            return Err(bad("a proxy has no path"));
        }
        let login = match (parsed.username(), parsed.password()) {
            ("", None) => None,
            (user, password) => Some((decoded(user), decoded(password.unwrap_or_default()))),
        };
        if let Some((user, password)) = &login
            && scheme == ProxyScheme::Socks5
            && ![user, password].iter().all(|text| (1..=255).contains(&text.len()))
        {
            return Err(bad("SOCKS5 needs a user and a password of 1 to 255 bytes"));
        }
        let port = parsed.port().or(default_port).unwrap_or_default();
        Ok(Proxy {
            scheme,
            host,
            port,
            login,
            resolves,
            resolver,
            connect_timeout,
            tunnels: Tunnels::default(),
        })
    }

    /// A connection for an http URL of a host. It leads to the proxy itself, which is asked with the
    /// whole URL, only if it refuses to connect, and not just to this host. What comes through a
    /// tunnel is the site's answer.
    pub(super) async fn http(
        &self,
        dialer: &Dialer,
        host: &str,
        target: Target,
        port: u16,
    ) -> Result<(Stream, Option<Forwarded>), Failure> {
        if self.scheme == ProxyScheme::Socks5 {
            return Ok((self.tunnel(dialer, target, port).await?, None));
        }
        if self.tunnels.knows_none() {
            return Ok((self.reach(dialer).await?, Some(Tunnels::unasked(port))));
        }
        let authority = authority(&target, port);
        let stream = self.reach(dialer).await?;
        let (status, headers, fault) = match self.connect(stream, &authority).await {
            Ok(Ok(stream)) => {
                self.tunnels.permitted(port);
                return Ok((stream, None));
            }
            Ok(Err(head)) => (Some(head.status), head.headers, refusal(&authority, head.status)),
            // Perhaps it does not know how to.
            Err(Failure::Local(fault)) if fault.text != LOGIN => {
                (None, HeaderMap::new(), Failure::Local(fault))
            }
            Err(failure) => return Err(failure),
        };
        match self.tunnels.refused(host, port, status, &headers) {
            Some(forwarded) => Ok((self.reach(dialer).await?, Some(forwarded))),
            None => Err(fault),
        }
    }

    /// The fault, if the answer to a whole URL may as well be the proxy's own: it refuses.
    pub(super) fn refusal_in(
        &self,
        forwarded: Forwarded,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Option<LocalFault> {
        let text = match status {
            StatusCode::PROXY_AUTHENTICATION_REQUIRED => LOGIN.to_owned(),
            _ => {
                let own = PROXY_ERRORS.iter().find_map(|name| headers.get(*name));
                let own = own.filter(|_| status.is_client_error());
                let code = status.as_u16();
                match own {
                    Some(refusal) => {
                        let refusal = String::from_utf8_lossy(refusal.as_bytes());
                        format!("it answers {code} itself: {}", line(&refusal))
                    }
                    None if self.tunnels.may_be_its_own(forwarded, status, headers) => {
                        format!("it answers {code}, and that may be its own answer, not the site's")
                    }
                    None => return None,
                }
            }
        };
        Some(LocalFault::new(LocalKind::Proxy, text))
    }

    /// The header that tells an HTTP proxy who asks.
    pub(super) fn authorization(&self) -> Option<HeaderValue> {
        let (user, password) = self.login.as_ref()?;
        let text = format!("Basic {}", base64(format!("{user}:{password}").as_bytes()));
        let mut value = HeaderValue::try_from(text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// A connection to the proxy.
    pub(super) async fn reach(&self, dialer: &Dialer) -> Result<Stream, Failure> {
        let connecting = async {
            let tcp = self.tcp(dialer).await?;
            match self.scheme {
                ProxyScheme::Http | ProxyScheme::Socks5 => Ok(Box::new(tcp) as Stream),
                ProxyScheme::Https => {
                    let host = match &self.host {
                        Host::Domain(name) => Host::Domain(name.as_str()),
                        Host::Ipv4(address) => Host::Ipv4(*address),
                        Host::Ipv6(address) => Host::Ipv6(*address),
                    };
                    let tls = dialer.tls(Box::new(tcp), &host, Offer::Http1).await;
                    tls.map(|(stream, _)| stream).map_err(|cause| fault(&cause.to_string()))
                }
            }
        };
        // Less than the whole time, or the site would be blamed for it.
        let done = timeout(self.connect_timeout.mul_f32(0.75), connecting).await;
        done.unwrap_or_else(|_| Err(fault("no connection to it in time")))
    }

    async fn tcp(&self, dialer: &Dialer) -> Result<TcpStream, Failure> {
        let addresses: Vec<IpAddr> = match &self.host {
            Host::Ipv4(address) => vec![(*address).into()],
            Host::Ipv6(address) => vec![(*address).into()],
            Host::Domain(name) => {
                let found = self.resolver.resolve(name).await;
                found.map_err(|cause| fault(&format!("its name {name}: {cause}")))?
            }
        };
        let mut failure = fault("its name has no address");
        for address in addresses {
            match dialer.tcp(SocketAddr::new(address, self.port)).await {
                Ok(stream) => return Ok(stream),
                // A lack of descriptors and the like is no fault of the proxy.
                Err(Failure::Local(cause)) => failure = Failure::Local(cause),
                Err(cause) => failure = fault(&cause.to_string()),
            }
        }
        Err(failure)
    }

    /// A connection to a target through the proxy.
    pub(super) async fn tunnel(
        &self,
        dialer: &Dialer,
        target: Target,
        port: u16,
    ) -> Result<Stream, Failure> {
        let stream = self.reach(dialer).await?;
        match self.scheme {
            ProxyScheme::Http | ProxyScheme::Https => {
                let authority = authority(&target, port);
                let opened = self.connect(stream, &authority).await?;
                opened.map_err(|head| refusal(&authority, head.status))
            }
            ProxyScheme::Socks5 => self.socks(stream, target, port).await,
        }
    }

    /// A tunnel, or the head of the answer with which the proxy refuses it.
    async fn connect(
        &self,
        stream: Stream,
        authority: &str,
    ) -> Result<Result<Stream, Parts>, Failure> {
        let mut request = Request::connect(authority).header(http::header::HOST, authority);
        if let Some(value) = self.authorization() {
            request = request.header(PROXY_AUTHORIZATION, value);
        }
        let request =
            request.body(String::new()).map_err(|cause| fault(&ErrorChain(&cause).text()))?;
        let broken = |cause: hyper::Error| fault(&ErrorChain(&cause).text());
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        let tasks = Tasks::default();
        tasks.spawn(async move {
            let _ = connection.with_upgrades().await;
        });
        let answer = sender.send_request(request).await.map_err(broken)?;
        let status = answer.status();
        match status.as_u16() {
            200..=299 => {
                let stream = hyper::upgrade::on(answer).await.map_err(broken)?;
                Ok(Ok(Box::new(TokioIo::new(stream))))
            }
            407 => Err(fault(LOGIN)),
            // It did not reach the target. That it reaches nothing cannot be told from one
            // answer.
            502..=504 => Err(Failure::Connect(format!("the proxy answered {status}"))),
            _ => Ok(Err(answer.into_parts().0)),
        }
    }

    async fn socks(&self, stream: Stream, target: Target, port: u16) -> Result<Stream, Failure> {
        use tokio_socks::Error::{ConnectionRefused, HostUnreachable, TtlExpired};
        let target = match target {
            Target::Address(address) => TargetAddr::Ip(SocketAddr::new(address, port)),
            Target::Name(name) => TargetAddr::Domain(name.into(), port),
        };
        let opened = match &self.login {
            None => Socks5Stream::connect_with_socket(stream, target).await,
            Some((user, password)) => {
                let (user, password) = (user.as_str(), password.as_str());
                Socks5Stream::connect_with_password_and_socket(stream, target, user, password).await
            }
        };
        match opened {
            Ok(stream) => Ok(stream.into_inner()),
            Err(cause @ (HostUnreachable | ConnectionRefused | TtlExpired)) => {
                Err(Failure::Connect(format!("the proxy answered: {cause}")))
            }
            Err(cause) => Err(fault(&cause.to_string())),
        }
    }
}

impl std::fmt::Debug for Proxy {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} proxy at {}:{}", self.scheme, self.host, self.port)
    }
}

/// What a proxy is asked to connect to.
fn authority(target: &Target, port: u16) -> String {
    match target {
        Target::Address(address) => SocketAddr::new(*address, port).to_string(),
        Target::Name(name) => format!("{name}:{port}"),
    }
}

fn refusal(authority: &str, status: StatusCode) -> Failure {
    fault(&format!("it refuses to connect to {authority}: {status}"))
}

fn fault(cause: &str) -> Failure {
    Failure::Local(LocalFault::new(LocalKind::Proxy, line(cause)))
}

/// A URL in an error message.
fn without_login(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        _ => url.to_owned(),
    }
}

/// Undoes percent-encoding.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            text.push(match digit <= three.len() {
                true => char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63]),
                false => '=',
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Result<Proxy, String> {
        let resolver = Arc::new(super::super::resolve::SystemResolver);
        Proxy::of(url, false, resolver, Duration::from_secs(1))
    }

    #[test]
    fn urls_of_proxies() {
        for (url, shown, resolves) in [
            ("http://proxy.test", "Http proxy at proxy.test:80", false),
            ("https://user:secret@proxy.test:8443/", "Https proxy at proxy.test:8443", false),
            ("socks5://127.0.0.1", "Socks5 proxy at 127.0.0.1:1080", false),
            ("socks5h://[::1]:9050", "Socks5 proxy at [::1]:9050", true),
        ] {
            let proxy = of(url).unwrap();
            assert_eq!((format!("{proxy:?}").as_str(), proxy.resolves), (shown, resolves));
        }
        for (url, cause) in [
            ("proxy.test:3128", "the scheme must be"),
            ("proxy", "relative URL without a base"),
            ("socks4://proxy.test", "the scheme must be"),
            ("http://user:secret@proxy.test/path", "http://…@proxy.test/path: a proxy has no path"),
            ("socks5://user@proxy.test", "SOCKS5 needs a user and a password"),
        ] {
            let text = of(url).unwrap_err();
            assert!(text.contains(cause) && !text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn logins_are_encoded() {
        let proxy = of("http://Aladdin:open%20sesame@proxy.test").unwrap();
        assert_eq!(proxy.authorization().unwrap(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
