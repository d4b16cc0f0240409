//! The refusals of an HTTP proxy: whether it tunnels at all, and whose answer a forwarded 4xx is.
//!
//! A proxy may refuse to connect to a site for two reasons. It connects to no site with this port:
//! Squid and tinyproxy tunnel to port 443 alone, and forward http. Or it denies this one site, and
//! then what it answers to the whole URL is a denial too, which must not look like the site's
//! "there is no robots.txt". Only other sites tell the two apart. So until several different hosts
//! were refused and none was not, a refusal counts for its own host alone.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::header::SERVER;
use http::{HeaderMap, HeaderValue, StatusCode};

/// When this many hosts were refused, and none was not, the proxy connects to no site with their
/// port.
const REFUSED: usize = 3;

/// What a proxy has said to requests for a tunnel, and through them.
#[derive(Default)]
pub(super) struct Tunnels(Mutex<Known>);

#[derive(Default)]
struct Known {
    ports: HashMap<u16, Port>,
    /// True if it does not know the method.
    knows_none: bool,
    /// The name that its own answers give.
    server: Option<HeaderValue>,
    /// True if it has forwarded an answer that is hardly its own.
    has_forwarded: bool,
}

#[derive(Default)]
struct Port {
    is_permitted: bool,
    /// The first hosts that were refused.
    refused: Vec<String>,
}

/// A request that goes to the proxy itself, with the whole URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Forwarded {
    /// The status with which the proxy refused a tunnel to the host, if it was asked and answered.
    refusal: Option<StatusCode>,
    port: u16,
}

impl Tunnels {
    fn known(&self) -> MutexGuard<'_, Known> {
        // No code panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if it is no use to ask for a tunnel.
    pub(super) fn knows_none(&self) -> bool {
        self.known().knows_none
    }

    /// Notes that the proxy connects to some host with this port.
    pub(super) fn permitted(&self, port: u16) {
        self.known().ports.entry(port).or_default().is_permitted = true;
    }

    /// Notes that it refuses to connect to a host. Returns none if it connects to others: then it
    /// is the host that is refused.
    pub(super) fn refused(
        &self,
        host: &str,
        port: u16,
        status: Option<StatusCode>,
        headers: &HeaderMap,
    ) -> Option<Forwarded> {
        let mut known = self.known();
        if let Some(server) = headers.get(SERVER) {
            known.server = Some(server.clone());
        }
        let of_port = known.ports.entry(port).or_default();
        if of_port.is_permitted {
            return None;
        }
        if of_port.refused.len() < REFUSED && !of_port.refused.iter().any(|other| other == host) {
            of_port.refused.push(host.to_owned());
        }
        // RFC 9110, sections 15.5.6 and 15.6.2.
        known.knows_none |= status.is_some_and(|status| matches!(status.as_u16(), 405 | 501))
            && !known.ports.values().any(|port| port.is_permitted);
        Some(Forwarded { refusal: status, port })
    }

    /// The request of a whole URL without asking for a tunnel.
    pub(super) fn unasked(port: u16) -> Forwarded {
        Forwarded { refusal: None, port }
    }

    /// Notes the answer to a whole URL. Returns true if it may as well be the proxy's own.
    pub(super) fn may_be_its_own(
        &self,
        forwarded: Forwarded,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> bool {
        let mut known = self.known();
        let is_same = forwarded.refusal == Some(status);
        // Hardly any proxy says "not found" where it denies, and very many sites do.
        let is_missing = matches!(status.as_u16(), 404 | 410);
        if !is_same && (!status.is_client_error() || is_missing) {
            known.has_forwarded |= !status.is_server_error();
            return false;
        }
        // As in its refusals, where a site has its own, or none.
        let server = headers.get(SERVER);
        if server.is_some() && server == known.server.as_ref() {
            return true;
        }
        let is_for_all = known.knows_none
            || known
                .ports
                .get(&forwarded.port)
                .is_some_and(|port| !port.is_permitted && port.refused.len() >= REFUSED);
        !(is_for_all && known.has_forwarded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENIED: StatusCode = StatusCode::FORBIDDEN;

    fn own() -> HeaderMap {
        HeaderMap::from_iter([(SERVER, HeaderValue::from_static("tinyproxy/1.11.1"))])
    }

    fn refuse(tunnels: &Tunnels, host: &str, status: StatusCode) -> Option<Forwarded> {
        tunnels.refused(host, 80, Some(status), &HeaderMap::new())
    }

    /// One host that is refused says nothing of others, and its 403 is never the site's.
    #[test]
    fn a_host_that_is_denied() {
        let tunnels = Tunnels::default();
        let none = HeaderMap::new();
        for _ in 0..10 {
            let forwarded = refuse(&tunnels, "denied.test", DENIED).unwrap();
            assert!(tunnels.may_be_its_own(forwarded, DENIED, &none));
        }
        // Another one is forwarded: that shows nothing of the first.
        let other = refuse(&tunnels, "other.test", DENIED).unwrap();
        assert!(!tunnels.may_be_its_own(other, StatusCode::OK, &none));
        let again = refuse(&tunnels, "denied.test", DENIED).unwrap();
        for status in [DENIED, StatusCode::UNAUTHORIZED, StatusCode::IM_A_TEAPOT] {
            assert!(tunnels.may_be_its_own(again, status, &none), "{status}");
        }
        assert!(!tunnels.may_be_its_own(again, StatusCode::NOT_FOUND, &none));
        // Once it connects to any, whom it refuses is refused.
        tunnels.permitted(80);
        assert_eq!(refuse(&tunnels, "denied.test", DENIED), None);
        assert!(!tunnels.knows_none());
        assert!(refuse(&Tunnels::default(), "x", StatusCode::METHOD_NOT_ALLOWED).is_some());
    }

    /// Squid and tinyproxy as they are installed: a tunnel to port 80 is refused to everybody.
    #[test]
    fn a_port_that_is_denied() {
        let tunnels = Tunnels::default();
        tunnels.permitted(443);
        let none = HeaderMap::new();
        for host in ["a.test", "b.test"] {
            let forwarded = tunnels.refused(host, 80, Some(DENIED), &own()).unwrap();
            assert!(tunnels.may_be_its_own(forwarded, DENIED, &none), "{host}");
            assert!(!tunnels.may_be_its_own(forwarded, StatusCode::OK, &none));
        }
        let forwarded = tunnels.refused("c.test", 80, Some(DENIED), &own()).unwrap();
        assert!(!tunnels.may_be_its_own(forwarded, DENIED, &none), "the site's");
        assert!(tunnels.may_be_its_own(forwarded, DENIED, &own()), "a filter's");
        assert!(!tunnels.may_be_its_own(forwarded, StatusCode::NOT_FOUND, &own()));
    }

    /// A proxy that answers "not found" for what it does not forward, as Envoy does.
    #[test]
    fn the_same_answer_as_to_the_tunnel() {
        for status in [StatusCode::NOT_FOUND, StatusCode::GONE, StatusCode::INTERNAL_SERVER_ERROR] {
            let tunnels = Tunnels::default();
            for host in ["a.test", "b.test", "c.test", "d.test"] {
                let forwarded = refuse(&tunnels, host, status).unwrap();
                assert!(tunnels.may_be_its_own(forwarded, status, &HeaderMap::new()), "{status}");
            }
        }
    }

    #[test]
    fn a_method_that_is_not_known() {
        for status in [StatusCode::METHOD_NOT_ALLOWED, StatusCode::NOT_IMPLEMENTED] {
            let tunnels = Tunnels::default();
            assert!(refuse(&tunnels, "a.test", status).is_some() && tunnels.knows_none());
            let forwarded = Tunnels::unasked(80);
            let none = HeaderMap::new();
            assert!(tunnels.may_be_its_own(forwarded, DENIED, &none));
            assert!(!tunnels.may_be_its_own(forwarded, StatusCode::OK, &none));
            assert!(!tunnels.may_be_its_own(forwarded, DENIED, &none));
        }
    }
}
