//! Which [`Failure`] an error of the network libraries means.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::IpAddr;

use crate::outcome::{Failure, LocalFault, LocalKind, Stage};

/// The longest text of a cause. It may contain what a server sent, and is stored.
const MAX_TEXT_CHARS: usize = 200;

/// Why there is no address to connect to.
#[derive(Debug)]
pub(super) enum NoAddress {
    Lookup(io::Error),
    None,
    Refused(IpAddr),
}

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAddress::Lookup(cause) => cause.fmt(f),
            NoAddress::None => f.write_str("the name has no address"),
            NoAddress::Refused(address) => write!(f, "the address {address} is not permitted"),
        }
    }
}

impl Error for NoAddress {}

impl NoAddress {
    pub(super) fn failure(&self) -> Failure {
        match self {
            NoAddress::Refused(address) => Failure::Refused(*address),
            NoAddress::Lookup(cause) => {
                local_fault(cause).unwrap_or_else(|| Failure::Dns(Cause(self).text()))
            }
            NoAddress::None => Failure::Dns(Cause(self).text()),
        }
    }
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

    fn find<T: Error + 'static>(&self) -> Option<&'e T> {
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

/// What an error before the end of an answer's head means.
pub(super) fn of_request(error: &reqwest::Error) -> Failure {
    let cause = Cause(error);
    if let Some(none) = cause.find::<NoAddress>() {
        return none.failure();
    }
    if let Some(tls) = cause.find::<rustls::Error>() {
        return Failure::Tls(line(&tls.to_string()));
    }
    let io = cause.find::<io::Error>();
    if let Some(local) = io.and_then(local_fault) {
        return local;
    }
    if error.is_connect() && error.is_timeout() {
        return Failure::TimedOut(Stage::Connect);
    }
    if error.is_connect() {
        // TCP reports no end of file while it connects, so the TLS handshake was cut off.
        return match io.map(io::Error::kind) {
            Some(io::ErrorKind::UnexpectedEof) => Failure::Tls(cause.text()),
            _ => Failure::Connect(cause.text()),
        };
    }
    if error.is_builder() {
        return Failure::Local(LocalFault::new(LocalKind::Other, cause.text()));
    }
    Failure::Broken(cause.text())
}

/// What an error in an answer's body means.
pub(super) fn of_body(error: &reqwest::Error) -> Failure {
    Failure::Broken(Cause(error).text())
}

/// The failure, if the process or the machine ran out of something: files, ports, memory.
pub(super) fn local_fault(error: &io::Error) -> Option<Failure> {
    // ENFILE and EMFILE have no `ErrorKind`. Their numbers are the same on every Unix.
    let kind = match error.kind() {
        _ if cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24)) => LocalKind::Descriptors,
        io::ErrorKind::AddrNotAvailable => LocalKind::Address,
        io::ErrorKind::OutOfMemory => LocalKind::Memory,
        _ => return None,
    };
    Some(Failure::Local(LocalFault::new(kind, Cause(error).text())))
}

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
        assert!(local_fault(&io::Error::from_raw_os_error(24)).is_some());
        assert!(local_fault(&io::ErrorKind::AddrNotAvailable.into()).is_some());
        assert!(local_fault(&io::ErrorKind::ConnectionRefused.into()).is_none());
    }

    #[test]
    fn texts_are_one_short_line() {
        assert_eq!(line(" a\r\n\x1bb\n"), "a   b");
        assert_eq!(line(&"ü".repeat(1000)).chars().count(), MAX_TEXT_CHARS);
    }
}
