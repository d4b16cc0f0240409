//! The [`Failure`] that an error of the network libraries means.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use super::lookup::LookupError;
use super::progress::Between;
use super::{certificate, progress};
use crate::cause::{ErrorChain, line};
use crate::outcome::LocalKind::{Descriptors, Memory};
use crate::outcome::{Failure, LocalFault, LocalKind};

/// Texts of [`Failure::Dns`] that a name server stated.
const NO_SUCH_NAME: &str = "no such name";
const NO_ADDRESS: &str = "the name has no address";

/// True if a name server stated that there is no such name, or no address.
pub(super) fn is_stated(failure: &Failure) -> bool {
    matches!(failure, Failure::Dns(text) if text == NO_SUCH_NAME || text == NO_ADDRESS)
}

/// The reason for having no address to connect to.
#[derive(Clone, Debug)]
pub(super) enum NoAddress {
    Lookup(LookupError),
    None,
    Refused(IpAddr),
}

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAddress::Lookup(cause) => cause.fmt(f),
            NoAddress::None => f.write_str(NO_ADDRESS),
            NoAddress::Refused(address) => write!(f, "the address {address} is not permitted"),
        }
    }
}

impl Error for NoAddress {}

impl NoAddress {
    pub(super) fn failure(&self) -> Failure {
        match self {
            NoAddress::Refused(address) => Failure::Refused(*address),
            NoAddress::Lookup(LookupError::Local(fault)) => Failure::Local(fault.clone()),
            NoAddress::Lookup(LookupError::NoSuchName) => Failure::Dns(NO_SUCH_NAME.to_owned()),
            NoAddress::Lookup(_) | NoAddress::None => Failure::Dns(line(&self.to_string())),
        }
    }
}

/// The failure of a look-up that did not end in time.
pub(super) fn silence() -> Failure {
    NoAddress::Lookup(LookupError::Silent).failure()
}

/// True if this machine has a route to an address. An error if that cannot be told.
///
/// Connecting a UDP socket sends nothing. It fails at once if there is no route.
pub(super) fn has_route(address: IpAddr) -> Result<bool, LocalFault> {
    let any: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let connected = UdpSocket::bind((any, 0)).and_then(|socket| socket.connect((address, 9)));
    match connected {
        Ok(()) => Ok(true),
        Err(cause) => match LocalFault::from_io(&cause) {
            Some(LocalFault { kind: kind @ (Descriptors | Memory), text, .. }) => {
                Err(LocalFault::new(kind, text))
            }
            // Without IPv6 the socket itself cannot be made.
            _ => Ok(false),
        },
    }
}

/// The fault, if this process cannot open a socket now. Some libraries hide it.
pub(super) fn hidden_shortage() -> Option<LocalFault> {
    UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).err().as_ref().and_then(LocalFault::from_io)
}

/// The meaning of an error in a TLS handshake.
pub(super) fn of_handshake(error: &io::Error) -> Failure {
    let cause = ErrorChain(error);
    if let Some(tls) = cause.find::<rustls::Error>() {
        if matches!(tls, rustls::Error::InvalidCertificate(_)) {
            progress::between(Between::Certificate);
        }
        return Failure::Tls(line(&certificate::in_words(tls)));
    }
    if let Some(fault) = local_fault(error, &progress::tried()) {
        return Failure::Local(fault);
    }
    // TCP reports no end of file while it connects, so the TLS handshake was cut off.
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Failure::Tls(cause.text()),
        _ => Failure::Connect(cause.text()),
    }
}

/// The meaning of an error before the end of an answer's head.
pub(super) fn of_request(error: &hyper::Error) -> Failure {
    let cause = ErrorChain(error);
    let fault = cause.find::<io::Error>().and_then(|io| local_fault(io, &progress::tried()));
    match fault {
        Some(fault) => Failure::Local(fault),
        None => Failure::Broken(cause.text()),
    }
}

/// The meaning of an error in an answer's body.
pub(super) fn of_body(error: &hyper::Error) -> Failure {
    let cause = ErrorChain(error);
    match cause.find::<io::Error>().and_then(LocalFault::from_io) {
        Some(fault) => Failure::Local(fault),
        None => Failure::Broken(cause.text()),
    }
}

/// True if an error says that an address cannot be reached from here: there is no route, no such
/// family of addresses, or somebody on the way says so.
fn is_unreachable(error: &io::Error) -> bool {
    use io::ErrorKind::{HostUnreachable, NetworkDown, NetworkUnreachable};
    matches!(error.kind(), HostUnreachable | NetworkDown | NetworkUnreachable)
        || error.raw_os_error().is_some_and(|code| code == EAFNOSUPPORT || code == EINVAL)
}

/// The fault, if an error of a connection to one of these addresses is this machine's.
pub(super) fn local_fault(error: &io::Error, tried: &[IpAddr]) -> Option<LocalFault> {
    if let Some(fault) = LocalFault::from_io(error) {
        return Some(fault);
    }
    if !is_unreachable(error) || tried.is_empty() {
        return None;
    }
    // A router's answer gives the same error. Then there is a route.
    for address in tried {
        match has_route(*address) {
            Ok(true) => return None,
            Ok(false) => {}
            Err(fault) => return Some(fault),
        }
    }
    Some(LocalFault::new(LocalKind::Route, ErrorChain(error).text()))
}

const EINVAL: i32 = if cfg!(windows) { 10022 } else { 22 };
const EAFNOSUPPORT: i32 = if cfg!(windows) {
    10047
} else if cfg!(any(target_os = "linux", target_os = "android")) {
    97
} else {
    47
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_without_a_route_is_local() {
        let unreachable: io::Error = io::ErrorKind::HostUnreachable.into();
        let here = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
        assert_eq!(local_fault(&unreachable, &here), None);
        // A broadcast address: nothing is sent, for these sockets may not broadcast.
        let nowhere = [IpAddr::V4(Ipv4Addr::new(127, 255, 255, 255))];
        let fault = local_fault(&unreachable, &nowhere).map(|fault| fault.kind);
        assert_eq!(fault, Some(LocalKind::Route));
        assert_eq!(local_fault(&unreachable, &[nowhere, here].concat()), None);
        assert_eq!(local_fault(&unreachable, &[]), None);
        assert_eq!(local_fault(&io::ErrorKind::ConnectionRefused.into(), &nowhere), None);
    }
}
