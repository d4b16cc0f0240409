//! Faults of this side: they say nothing about a site.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

use crate::cause::ErrorChain;

/// A fault of this machine, of its network or of this program. It says nothing about the site, so
/// it is no outcome: nothing follows from it, and it is never stored.
///
/// Serialised as its text: `out of file descriptors: Too many open files`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
#[non_exhaustive]
pub struct LocalFault {
    /// The kind of the fault.
    pub kind: LocalKind,
    /// The details, in one line: usually the text of the system's error.
    pub text: String,
}

/// A kind of fault on this side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LocalKind {
    /// The process or the system has no file descriptors left.
    Descriptors,
    /// There is no memory, or no room in the system's buffers.
    Memory,
    /// This machine has no route to the address.
    Route,
    /// There is no local address or port to connect from.
    Address,
    /// The system forbids the connection: a firewall or a sandbox.
    Permission,
    /// The name servers do not answer, refuse to, or know no name.
    Resolver,
    /// The proxy cannot be reached, or refuses to work.
    Proxy,
    /// The network is down: sites that answered before do not answer either.
    Network,
    /// Anything else, such as a fetcher that panicked.
    Other,
    /// This program stood still for a while: it was stopped, or the machine slept or stalled. What
    /// sites answered, or waited for, meanwhile is unknown.
    Suspended,
    /// Nothing shows that the network here works: no site has answered yet. A site that fails may be
    /// well.
    Unconfirmed,
    /// No https site has shown a valid certificate yet: the clock may be wrong here, or somebody
    /// intercepts TLS.
    Certificates,
}

impl LocalKind {
    /// All kinds.
    pub const ALL: [LocalKind; 12] = [
        LocalKind::Descriptors,
        LocalKind::Memory,
        LocalKind::Route,
        LocalKind::Address,
        LocalKind::Permission,
        LocalKind::Resolver,
        LocalKind::Proxy,
        LocalKind::Network,
        LocalKind::Other,
        LocalKind::Suspended,
        LocalKind::Unconfirmed,
        LocalKind::Certificates,
    ];

    /// The fault in a few words, for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LocalKind::Descriptors => "out of file descriptors",
            LocalKind::Memory => "out of memory",
            LocalKind::Route => "no route to the address",
            LocalKind::Address => "no local address to connect from",
            LocalKind::Permission => "connections are forbidden here",
            LocalKind::Resolver => "names cannot be looked up",
            LocalKind::Proxy => "the proxy does not work",
            LocalKind::Network => "the network is down",
            LocalKind::Other => "the request could not be made",
            LocalKind::Suspended => "this program was stopped",
            LocalKind::Unconfirmed => {
                "nothing else has answered, so the network here may be at fault"
            }
            LocalKind::Certificates => {
                "no https site has shown a valid certificate yet, so the clock here may be wrong, or \
                 TLS intercepted"
            }
        }
    }
}

impl LocalKind {
    /// True for a fault that is inferred from the silence of others, and that an answer of anybody
    /// speaks against. The system states the other kinds.
    #[must_use]
    pub fn is_inferred(self) -> bool {
        use LocalKind::{Certificates, Network, Proxy, Resolver, Unconfirmed};
        matches!(self, Network | Proxy | Resolver | Unconfirmed | Certificates)
    }

    /// The kind's name, for programs: `descriptors`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LocalKind::Descriptors => "descriptors",
            LocalKind::Memory => "memory",
            LocalKind::Route => "route",
            LocalKind::Address => "address",
            LocalKind::Permission => "permission",
            LocalKind::Resolver => "resolver",
            LocalKind::Proxy => "proxy",
            LocalKind::Network => "network",
            LocalKind::Other => "other",
            LocalKind::Suspended => "suspended",
            LocalKind::Unconfirmed => "unconfirmed",
            LocalKind::Certificates => "certificates",
        }
    }
}

impl fmt::Display for LocalKind {
    /// [`LocalKind::as_str`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl LocalFault {
    /// A fault of this kind, with details.
    #[must_use]
    pub fn new(kind: LocalKind, text: impl Into<String>) -> LocalFault {
        LocalFault { kind, text: text.into() }
    }

    /// The fault that an error of the system shows: something ran out on this machine, or is
    /// forbidden. `None` if the error may be the site's.
    ///
    /// An HTTP stack of your own gives such errors as [`Failure::Local`](super::Failure::Local).
    ///
    /// ```
    /// use std::io;
    /// use robotsieve_client::outcome::{LocalFault, LocalKind};
    ///
    /// let fault = LocalFault::from_io(&io::ErrorKind::PermissionDenied.into());
    /// assert_eq!(fault.map(|fault| fault.kind), Some(LocalKind::Permission));
    /// assert_eq!(LocalFault::from_io(&io::ErrorKind::ConnectionRefused.into()), None);
    /// ```
    #[must_use]
    pub fn from_io(error: &io::Error) -> Option<LocalFault> {
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
        Some(LocalFault::new(kind, ErrorChain(error).text()))
    }
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

impl fmt::Display for LocalFault {
    /// The kind, and the details if there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.as_str())?;
        if self.text.is_empty() { Ok(()) } else { write!(f, ": {}", self.text) }
    }
}

impl std::error::Error for LocalFault {}

impl From<LocalFault> for String {
    fn from(fault: LocalFault) -> String {
        fault.to_string()
    }
}

impl From<String> for LocalFault {
    /// Reads what [`LocalFault`]'s `Display` writes. Any other text is a fault of the kind
    /// [`LocalKind::Other`].
    fn from(text: String) -> LocalFault {
        let read = LocalKind::ALL.into_iter().find_map(|kind| {
            let rest = text.strip_prefix(kind.as_str())?;
            let details = if rest.is_empty() { rest } else { rest.strip_prefix(": ")? };
            Some(LocalFault::new(kind, details))
        });
        read.unwrap_or_else(|| LocalFault::new(LocalKind::Other, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_shortage_is_local() {
        let kind =
            |code| LocalFault::from_io(&io::Error::from_raw_os_error(code)).map(|fault| fault.kind);
        assert_eq!(kind(EMFILE), Some(LocalKind::Descriptors));
        assert_eq!(kind(ENFILE), Some(LocalKind::Descriptors));
        assert_eq!(kind(ENOBUFS), Some(LocalKind::Memory));
        // ENOMEM, EACCES, EPERM.
        assert_eq!(kind(12), Some(LocalKind::Memory));
        assert_eq!(kind(13), Some(LocalKind::Permission));
        assert_eq!(kind(1), Some(LocalKind::Permission));
        let none = LocalFault::from_io(&io::ErrorKind::AddrNotAvailable.into());
        assert_eq!(none.map(|fault| fault.kind), Some(LocalKind::Address));
        assert_eq!(LocalFault::from_io(&io::ErrorKind::ConnectionRefused.into()), None);
    }

    #[test]
    fn a_text_is_read_back() {
        for kind in LocalKind::ALL {
            for details in ["", "Too many open files (os error 24)"] {
                let fault = LocalFault::new(kind, details);
                assert_eq!(LocalFault::from(fault.to_string()), fault);
            }
        }
        let old = LocalFault::from("no file descriptors".to_owned());
        assert_eq!(old, LocalFault::new(LocalKind::Other, "no file descriptors"));
    }
}
