//! What fetches.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use robotsieve::Origin;
use tokio::runtime::{self, Runtime};
use url::{Host, Url};

use super::error::{AskError, unanswered, whole};
use crate::fetch::Fetcher;
use crate::network::{IpNetwork, is_public};
use crate::outcome::Attempt;

/// The header of these requests.
const USER_AGENT: &str =
    concat!("robotsieve/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");

/// The most that is read of a file, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// How long all of it may take.
const TIME: Duration = Duration::from_secs(30);

/// Fetches what belongs to one site.
pub struct Web {
    runtime: Runtime,
    fetcher: Fetcher,
}

impl Web {
    /// For a URL, and the one that the user gave, which may be another: that of the file that names
    /// this one. If the URL given names an address that is not public, or this machine, that one is
    /// asked and no other: neither files nor redirects nor names lead elsewhere in a private network.
    ///
    /// # Errors
    /// Returns an error if the system does not allow it.
    pub fn of(url: &Url, given: Option<&Url>) -> Result<Web, AskError> {
        let failed = |cause: io::Error| AskError::System(cause.to_string());
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let _entered = runtime.enter();
        let private = given.map(private).unwrap_or_default();
        let is_private = !private.is_empty();
        let builder = Fetcher::builder(USER_AGENT)
            .total_timeout(TIME)
            .max_wire_bytes(MAX_BYTES)
            .max_body_bytes(MAX_BYTES)
            .allow_networks(private);
        let builder = if is_private {
            // There sites are on any port.
            builder.redirect_ports(1..=u16::MAX)
        } else {
            builder.redirect_ports([80, 443].into_iter().chain(url.port()))
        };
        let fetcher = builder.build().map_err(|cause| failed(io::Error::other(cause)))?;
        drop(_entered);
        Ok(Web { runtime, fetcher })
    }

    /// One request for the robots.txt of a site.
    pub(super) fn attempt(&self, origin: &Origin<'_>) -> Attempt {
        self.runtime.block_on(self.fetcher.fetch(origin, None))
    }

    /// The body of a file at this URL, and the URL to which redirects led.
    ///
    /// # Errors
    /// Returns an error if there is no answer, or none with a file of at most 64 MiB.
    pub fn get(&self, url: Url) -> Result<(Vec<u8>, String), AskError> {
        let name = url.to_string();
        let attempt = self.runtime.block_on(self.fetcher.get(&name));
        match attempt.result {
            Ok(response) if response.is_file() => {
                let end = attempt.redirects.last().map(|redirect| redirect.to.clone());
                whole(response, &name).map(|response| (response.body, end.unwrap_or(name)))
            }
            Ok(response) => Err(unanswered(&name, format!("HTTP {}", response.status), None)),
            Err(failure) => Err(unanswered(&name, failure.to_string(), Some(&failure))),
        }
    }
}

/// The addresses that are not public and that a URL names: one, or those of this machine.
fn private(url: &Url) -> Vec<IpNetwork> {
    let one = |address: IpAddr| match is_public(address) {
        true => Vec::new(),
        false => vec![IpNetwork::from(address)],
    };
    match url.host() {
        Some(Host::Ipv4(address)) => one(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => one(IpAddr::V6(address)),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let is_here = name == "localhost" || name.ends_with(".localhost");
            let here = ["127.0.0.1/32", "::1/128"].into_iter().filter(|_| is_here);
            here.filter_map(|network| network.parse().ok()).collect()
        }
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_only_if_named() {
        for (name, networks) in [
            ("http://127.0.0.1:8080/", "127.0.0.1/32"),
            ("http://[::1]/", "::1/128"),
            ("http://localhost/", "127.0.0.1/32 ::1/128"),
            ("http://shop.localhost./", "127.0.0.1/32 ::1/128"),
            ("http://notlocalhost/", ""),
            ("http://192.168.1.1/", "192.168.1.1/32"),
            ("http://8.8.8.8/", ""),
            ("http://intranet/", ""),
        ] {
            let private = private(&Url::parse(name).unwrap());
            let private: Vec<String> = private.iter().map(ToString::to_string).collect();
            assert_eq!(private.join(" "), networks, "{name}");
        }
    }
}
