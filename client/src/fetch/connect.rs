//! Connections: TCP from the chosen local address, and TLS.

use std::io;
use std::net::{IpAddr, SocketAddr};

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use url::Host;

use super::{failure, progress};
use crate::cause::ErrorChain;
use crate::outcome::Failure;

/// A connection of any kind.
pub(super) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Io for S {}

/// A connection of any kind.
pub(super) type Stream = Box<dyn Io>;

/// The end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// An address that was checked.
    Address(IpAddr),
    /// A name that the proxy resolves.
    Name(String),
}

/// The protocols that are offered in a TLS handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    Http2,
    Http1,
}

/// TLS, by what is offered.
pub(super) struct Tls {
    pub(super) http2: TlsConnector,
    pub(super) http1: TlsConnector,
}

/// Connects to addresses.
pub(super) struct Dialer {
    pub(super) tls: Tls,
    /// For attempts in which a site's certificate need not be valid: see
    /// [`Accepting`](super::certificate::Accepting).
    pub(super) accepting: Option<Tls>,
    /// At most one IPv4 and one IPv6 address. Any address of the machine if there are none.
    pub(super) local: Vec<IpAddr>,
}

/// A connection from one of these addresses of this machine, or from any if there are none.
pub(super) async fn tcp(local: &[IpAddr], to: SocketAddr) -> io::Result<TcpStream> {
    let socket = match to {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    if !local.is_empty() {
        let same = local.iter().find(|local| local.is_ipv4() == to.is_ipv4());
        let Some(local) = same else { return Err(io::ErrorKind::AddrNotAvailable.into()) };
        socket.bind(SocketAddr::new(*local, 0))?;
    }
    let stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

impl Dialer {
    /// A connection to an address.
    pub(super) async fn tcp(&self, to: SocketAddr) -> Result<TcpStream, Failure> {
        tcp(&self.local, to).await.map_err(|cause: io::Error| {
            match failure::local_fault(&cause, &[to.ip()]) {
                Some(fault) => Failure::Local(fault),
                None => Failure::Connect(ErrorChain(&cause).text()),
            }
        })
    }

    /// TLS over a connection to a site. Returns whether the server chose HTTP/2.
    pub(super) async fn tls_of_site(
        &self,
        stream: Stream,
        host: &Host<&str>,
        offer: Offer,
    ) -> Result<(Stream, bool), Failure> {
        let accepting = self.accepting.as_ref().filter(|_| progress::accepts());
        self.shake(accepting.unwrap_or(&self.tls), stream, host, offer).await
    }

    /// TLS over a connection to a proxy or a canary, whose certificate must be valid.
    pub(super) async fn tls(
        &self,
        stream: Stream,
        host: &Host<&str>,
        offer: Offer,
    ) -> Result<(Stream, bool), Failure> {
        self.shake(&self.tls, stream, host, offer).await
    }

    async fn shake(
        &self,
        tls: &Tls,
        stream: Stream,
        host: &Host<&str>,
        offer: Offer,
    ) -> Result<(Stream, bool), Failure> {
        let name = match host {
            Host::Domain(name) => ServerName::try_from((*name).to_owned())
                .map_err(|cause| Failure::Tls(ErrorChain(&cause).text()))?,
            Host::Ipv4(address) => ServerName::from(IpAddr::from(*address)),
            Host::Ipv6(address) => ServerName::from(IpAddr::from(*address)),
        };
        let connector = match offer {
            Offer::Http2 => &tls.http2,
            Offer::Http1 => &tls.http1,
        };
        let stream = connector.connect(name, stream).await;
        let stream = stream.map_err(|cause| failure::of_handshake(&cause))?;
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok((Box::new(stream), is_http2))
    }
}
