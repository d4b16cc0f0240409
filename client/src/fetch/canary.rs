//! Canaries: who is asked to see if the network works, and the proxy, if there is one.
//!
//! Without a proxy a canary is a TCP connection to an address that answered before. Through a proxy
//! that would show nothing but the proxy: there it is what only a site can answer. For https that is
//! the TLS handshake, for http the head of an answer.

use std::net::{IpAddr, SocketAddr};

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Duration, sleep, timeout};
use url::{Host, Url};

use super::connect::{Offer, Target};
use super::connector::Connector;
use super::headers::Headers;
use crate::cause::ErrorChain;
use crate::outcome::{Failure, LocalFault, LocalKind};

/// The time that a canary may take.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The next canary of a round is asked after this time.
const STAGGER: Duration = Duration::from_millis(250);
/// The number of canaries that are asked one after another. All others are asked with the last.
pub(super) const ASKED: usize = 3;

/// What it takes to ask.
#[derive(Clone, Copy)]
pub(super) struct Asker<'c> {
    pub(super) connector: &'c Connector,
    pub(super) headers: &'c Headers,
}

/// Who is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Canary {
    target: Target,
    port: u16,
    speaks: Speaks,
}

/// What is expected through a proxy, beside the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Speaks {
    Nothing,
    Tls(Host),
    Http(String),
}

impl Canary {
    /// An address that accepts connections.
    pub(super) fn at(address: SocketAddr) -> Canary {
        let (target, port) = (Target::Address(address.ip()), address.port());
        Canary { target, port, speaks: Speaks::Nothing }
    }

    /// The site of a URL behind a proxy.
    pub(super) fn behind_proxy(target: Target, url: &Url) -> Option<Canary> {
        let (host, port) = (url.host()?.to_owned(), url.port_or_known_default()?);
        let speaks = match url.scheme() {
            "https" => Speaks::Tls(host),
            _ => Speaks::Http(host.to_string()),
        };
        Some(Canary { target, port, speaks })
    }

    /// The address that is connected to, if it is known here.
    pub(super) fn address(&self) -> Option<IpAddr> {
        match self.target {
            Target::Address(address) => Some(address),
            Target::Name(_) => None,
        }
    }

    /// True if it is one of these addresses, or has this name: whoever failed is not asked.
    pub(super) fn is_one_of(&self, tried: &[IpAddr], host: &str) -> bool {
        let is_host = match &self.speaks {
            Speaks::Nothing => false,
            Speaks::Tls(own) => own.to_string() == host,
            Speaks::Http(own) => own == host,
        };
        is_host || self.address().is_some_and(|address| tried.contains(&address))
    }

    /// What it probably shares a route and an owner with.
    pub(super) fn block(&self) -> String {
        match &self.target {
            Target::Address(address) => block(*address).to_string(),
            Target::Name(name) => site(name),
        }
    }

    async fn ask(&self, asker: Asker<'_>) -> Result<(), Failure> {
        let connector = asker.connector;
        let (proxy, name) = match (&connector.proxy, &self.speaks) {
            (None, _) | (_, Speaks::Nothing) => {
                connector.open(self.target.clone(), self.port).await?;
                return Ok(());
            }
            (Some(_), Speaks::Tls(host)) => {
                let stream = connector.open(self.target.clone(), self.port).await?;
                let host = match host {
                    Host::Domain(name) => Host::Domain(name.as_str()),
                    Host::Ipv4(address) => Host::Ipv4(*address),
                    Host::Ipv6(address) => Host::Ipv6(*address),
                };
                connector.dialer.tls(stream, &host, Offer::Http1).await?;
                return Ok(());
            }
            (Some(proxy), Speaks::Http(name)) => (proxy, name),
        };
        let (mut stream, forwarded) =
            proxy.http(&connector.dialer, name, self.target.clone(), self.port).await?;
        let authority = match self.port {
            80 => name.clone(),
            port => format!("{name}:{port}"),
        };
        let (mut to, mut login) = (String::new(), None);
        if forwarded.is_some() {
            to = format!("http://{authority}");
            login = proxy.authorization();
        }
        let mut head = format!("HEAD {to}/robots.txt HTTP/1.1\r\nHost: {authority}\r\n");
        head += "Connection: close\r\n";
        let mut head = head.into_bytes();
        for (name, value) in
            [("User-Agent", asker.headers.user_agent()), ("Proxy-Authorization", login.as_ref())]
        {
            if let Some(value) = value {
                head.extend([name.as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
            }
        }
        head.extend(b"\r\n");
        let broken = |cause: std::io::Error| Failure::Broken(ErrorChain(&cause).text());
        stream.write_all(&head).await.map_err(broken)?;
        // `HTTP/1.1 200`
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.map_err(broken)?;
        let is_gateway_error = matches!(&start[9..], b"407" | b"502" | b"503" | b"504");
        match start.starts_with(b"HTTP/1.") && !(forwarded.is_some() && is_gateway_error) {
            true => Ok(()),
            false => Err(Failure::Broken("no answer of a site".to_owned())),
        }
    }
}

/// The block of addresses that probably share a route.
pub(super) fn block(address: IpAddr) -> u32 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_bits() >> 16,
        IpAddr::V6(address) => (address.to_bits() >> 96) as u32,
    }
}

/// What names of one owner probably share: their last two labels.
pub(super) fn site(name: &str) -> String {
    let name = name.trim_end_matches('.');
    let dot = name.rmatch_indices('.').nth(1);
    dot.map_or(name, |(at, _)| &name[at + 1..]).to_owned()
}

/// The result of a round of canaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Round {
    Works,
    Fails,
    /// The canaries could not be asked.
    Impossible(LocalFault),
}

/// Asks canaries, one after another, until one answers. Returns those that failed meanwhile, too.
pub(super) async fn ask(asker: Asker<'_>, canaries: &[Canary]) -> (Round, Vec<Canary>) {
    let ask = |(n, canary): (usize, &Canary)| {
        let canary = canary.clone();
        async move {
            sleep(STAGGER * n.min(ASKED) as u32).await;
            let asked = timeout(TIMEOUT, canary.ask(asker)).await;
            (canary, asked)
        }
    };
    let mut asked: FuturesUnordered<_> = canaries.iter().enumerate().map(ask).collect();
    let (mut fault, mut deaf) = (None, Vec::new());
    // Dropping the others ends them.
    while let Some((canary, answer)) = asked.next().await {
        match answer {
            Ok(Ok(())) => return (Round::Works, deaf),
            // A proxy that does not let this one through is as one that fails.
            Ok(Err(Failure::Local(cause))) if cause.kind != LocalKind::Proxy => {
                fault = fault.or(Some(cause));
            }
            _ => deaf.push(canary),
        }
    }
    (fault.map_or(Round::Fails, Round::Impossible), deaf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_last_labels() {
        for (name, of) in [("a.b.test.", "b.test"), ("b.test", "b.test"), ("test", "test")] {
            assert_eq!(site(name), of);
        }
    }
}
