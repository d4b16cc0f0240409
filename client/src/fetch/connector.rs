//! Connections to sites, through the proxy if there is one.

use std::net::SocketAddr;
use std::sync::Arc;

use super::connect::{Dialer, Stream, Target};
use super::proxy::Proxy;
use crate::outcome::{Failure, LocalFault, LocalKind};

/// Connects to sites.
pub(super) struct Connector {
    pub(super) dialer: Dialer,
    pub(super) proxy: Option<Arc<Proxy>>,
}

impl Connector {
    /// A connection to the target, through the proxy if there is one.
    pub(super) async fn open(&self, target: Target, port: u16) -> Result<Stream, Failure> {
        match (&self.proxy, target) {
            (Some(proxy), target) => proxy.tunnel(&self.dialer, target, port).await,
            (None, Target::Address(address)) => {
                let stream = self.dialer.tcp(SocketAddr::new(address, port)).await?;
                Ok(Box::new(stream))
            }
            (None, Target::Name(name)) => {
                let text = format!("{name} was not resolved");
                Err(Failure::Local(LocalFault::new(LocalKind::Other, text)))
            }
        }
    }
}
