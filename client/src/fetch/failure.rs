//! Which [`Failure`] an error of the network libraries means.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use super::progress;
use super::resolve::LookupError;
use crate::outcome::LocalKind::{Descriptors, Memory};
use crate::outcome::{Failure, LocalFault, LocalKind};

/// The longest text of a cause. It may contain what a server sent, and is stored.
const MAX_TEXT_CHARS: usize = 200;

/// Texts of [`Failure::Dns`] that a name server stated.
const NO_SUCH_NAME: &str = "no such name";
const NO_ADDRESS: &str = "the name has no address";

/// Why there is no address to connect to.
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

/// Whether a failure may as well be the fault of our network.
///
/// Refused addresses and redirects were decided by what the site sent, and so were names that a
/// name server says do not exist.
pub(super) fn is_ambiguous(failure: &Failure) -> bool {
    match failure {
        Failure::Dns(text) => text != NO_SUCH_NAME && text != NO_ADDRESS,
        Failure::Connect(_) | Failure::Tls(_) | Failure::TimedOut(_) | Failure::Broken(_) => true,
        _ => false,
    }
}

/// Whether this machine has a route to an address, or why that cannot be told.
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
        Err(cause) => match shortage(&cause) {
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
    UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).err().as_ref().and_then(shortage)
}

/// An error and the chain of its sources.
pub(super) struct Cause<'e>(pub(super) &'e (dyn Error + 'static));

impl<'e> Cause<'e> {
    fn chain(&self) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
        std::iter::successors(Some(self.0), |error: &&'e (dyn Error + 'static)| {
            let error: &'e (dyn Error + 'static) = *error;
            // `source` of an `io::Error` skips the error that it wraps.
            match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
                Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
                None => error.source(),
            }
        })
    }

    pub(super) fn find<T: Error + 'static>(&self) -> Option<&'e T> {
        self.chain().find_map(|error| error.downcast_ref())
    }

    /// The text of the innermost error, which is the most specific, in one line.
    pub(super) fn text(&self) -> String {
        line(&self.chain().last().unwrap_or(self.0).to_string())
    }
}

/// A text from outside, as one short line.
pub(super) fn line(text: &str) -> String {
    let text = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    text.take(MAX_TEXT_CHARS).collect()
}

/// What an error in a TLS handshake means.
pub(super) fn of_handshake(error: &io::Error) -> Failure {
    let cause = Cause(error);
    if let Some(tls) = cause.find::<rustls::Error>() {
        return Failure::Tls(line(&tls.to_string()));
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

/// What an error before the end of an answer's head means.
pub(super) fn of_request(error: &hyper::Error) -> Failure {
    let cause = Cause(error);
    let fault = cause.find::<io::Error>().and_then(|io| local_fault(io, &progress::tried()));
    match fault {
        Some(fault) => Failure::Local(fault),
        None => Failure::Broken(cause.text()),
    }
}

/// What an error in an answer's body means.
pub(super) fn of_body(error: &hyper::Error) -> Failure {
    let cause = Cause(error);
    match cause.find::<io::Error>().and_then(shortage) {
        Some(fault) => Failure::Local(fault),
        None => Failure::Broken(cause.text()),
    }
}

/// The fault, if an error shows one of this machine: something ran out, or is forbidden.
pub(super) fn shortage(error: &io::Error) -> Option<LocalFault> {
    let kind = match error.kind() {
        io::ErrorKind::AddrNotAvailable => LocalKind::Address,
        io::ErrorKind::OutOfMemory => LocalKind::Memory,
        io::ErrorKind::PermissionDenied => LocalKind::Permission,
        // These have no `ErrorKind`.
        _ => match error.raw_os_error()? {
            #[cfg(unix)]
            ENFILE | EMFILE => LocalKind::Descriptors,
            #[cfg(unix)]
            ENOBUFS => LocalKind::Memory,
            #[cfg(windows)]
            WSAEMFILE => LocalKind::Descriptors,
            #[cfg(windows)]
            WSAENOBUFS => LocalKind::Memory,
            _ => return None,
        },
    };
    Some(LocalFault::new(kind, Cause(error).text()))
}

/// Whether an error says that an address cannot be reached from here: there is no route, no such
/// family of addresses, or somebody on the way says so.
fn is_unreachable(error: &io::Error) -> bool {
    use io::ErrorKind::{HostUnreachable, NetworkDown, NetworkUnreachable};
    matches!(error.kind(), HostUnreachable | NetworkDown | NetworkUnreachable)
        || error.raw_os_error().is_some_and(|code| code == EAFNOSUPPORT || code == EINVAL)
}

/// The fault, if an error of a connection to one of these addresses is this machine's.
pub(super) fn local_fault(error: &io::Error, tried: &[IpAddr]) -> Option<LocalFault> {
    if let Some(fault) = shortage(error) {
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
    Some(LocalFault::new(LocalKind::Route, Cause(error).text()))
}

#[cfg(unix)]
const ENFILE: i32 = 23;
#[cfg(unix)]
const EMFILE: i32 = 24;
#[cfg(any(target_os = "linux", target_os = "android"))]
const ENOBUFS: i32 = 105;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const ENOBUFS: i32 = 55;
#[cfg(windows)]
const WSAEMFILE: i32 = 10024;
#[cfg(windows)]
const WSAENOBUFS: i32 = 10055;

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
    fn an_error_within_an_io_error_is_found() {
        let tls = rustls::Error::General("inner".to_owned());
        let error = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, tls));
        let cause = Cause(&error);
        assert!(cause.find::<rustls::Error>().is_some());
        assert_eq!(cause.text(), "unexpected error: inner");
    }

    #[test]
    #[cfg(unix)]
    fn a_shortage_is_local() {
        let kind = |code| shortage(&io::Error::from_raw_os_error(code)).map(|fault| fault.kind);
        assert_eq!(kind(EMFILE), Some(LocalKind::Descriptors));
        assert_eq!(kind(ENFILE), Some(LocalKind::Descriptors));
        assert_eq!(kind(ENOBUFS), Some(LocalKind::Memory));
        // ENOMEM, EACCES, EPERM.
        assert_eq!(kind(12), Some(LocalKind::Memory));
        assert_eq!(kind(13), Some(LocalKind::Permission));
        assert_eq!(kind(1), Some(LocalKind::Permission));
        let none = shortage(&io::ErrorKind::AddrNotAvailable.into());
        assert_eq!(none.map(|fault| fault.kind), Some(LocalKind::Address));
        assert_eq!(shortage(&io::ErrorKind::ConnectionRefused.into()), None);
    }

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

    #[test]
    fn texts_are_one_short_line() {
        assert_eq!(line(" a\r\n\x1bb\n"), "a   b");
        assert_eq!(line(&"ü".repeat(1000)).chars().count(), MAX_TEXT_CHARS);
    }
}
