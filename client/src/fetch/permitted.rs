//! The addresses that a fetcher may connect to.

use std::net::IpAddr;

use crate::network::{IpNetwork, contain, ipv4_within, is_public, isatap};

/// The addresses that the caller permits: all, or the public ones and those of some networks, but
/// none of those that the caller denies.
#[derive(Clone, Debug, Default)]
pub(super) struct Permitted {
    pub(super) all: bool,
    pub(super) networks: Vec<IpNetwork>,
    pub(super) denied: Vec<IpNetwork>,
}

impl Permitted {
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        !self.is_denied(address)
            && (self.all || is_public(address) || contain(&self.networks, address))
    }

    /// Denying an IPv4 network also denies all IPv6 addresses that contain one of its addresses.
    fn is_denied(&self, address: IpAddr) -> bool {
        let within = match address {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => ipv4_within(address).or(isatap(address)),
        };
        contain(&self.denied, address)
            || within.is_some_and(|within| contain(&self.denied, within.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap_or_else(|_| panic!("{text} is not an address"))
    }

    #[test]
    fn the_caller_permits_more() {
        let networks = vec!["10.1.0.0/16".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let some = Permitted { all: false, networks, denied: Vec::new() };
        for (text, permitted) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("10.2.0.1", false),
            ("fd12::1", true),
            ("fc12::1", false),
            ("8.8.8.8", true),
        ] {
            assert_eq!(some.contains(address(text)), permitted, "{text}");
        }
        let all = Permitted { all: true, ..Permitted::default() };
        assert!(all.contains(address("127.0.0.1")));
    }

    #[test]
    fn denied_networks_are_denied_in_every_form() {
        let denied = vec!["1.2.0.0/16".parse().unwrap(), "2600:1::/32".parse().unwrap()];
        let permitted = Permitted { all: true, networks: denied.clone(), denied };
        for text in
            ["1.2.3.4", "::ffff:1.2.3.4", "64:ff9b::1.2.3.4", "2002:102:304::1", "2600:1::9"]
        {
            assert!(!permitted.contains(address(text)), "{text}");
        }
        for text in ["1.3.3.4", "2600:2::9", "127.0.0.1"] {
            assert!(permitted.contains(address(text)), "{text}");
        }
    }
}
