//! From an error of the network libraries to the failure that it means.

use std::error::Error;
use std::io;

use super::resolve::NoAddress;
use crate::outcome::{Failure, Stage};

/// The longest text of a cause: what a server said may be in it, and it is kept.
const MAX_TEXT_CHARS: usize = 200;

/// An error and the errors behind it.
pub(super) struct Cause<'e>(pub(super) &'e (dyn Error + 'static));

impl<'e> Cause<'e> {
    fn chain(&self) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
        std::iter::successors(Some(self.0), |error: &&'e (dyn Error + 'static)| {
            let error: &'e (dyn Error + 'static) = *error;
            // An `io::Error` passes over the error that it wraps.
            match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
                Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
                None => error.source(),
            }
        })
    }

    fn find<T: Error + 'static>(&self) -> Option<&'e T> {
        self.chain().find_map(|error| error.downcast_ref())
    }

    /// What the innermost error says, which is the one that knows, in one line.
    pub(super) fn text(&self) -> String {
        line(&self.chain().last().unwrap_or(self.0).to_string())
    }
}

/// A text of elsewhere as one short line.
pub(super) fn line(text: &str) -> String {
    let text = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    text.take(MAX_TEXT_CHARS).collect()
}

/// What an error before the head of an answer means.
pub(super) fn of_request(error: &reqwest::Error) -> Failure {
    let cause = Cause(error);
    if let Some(none) = cause.find::<NoAddress>() {
        return none.failure();
    }
    if let Some(tls) = cause.find::<rustls::Error>() {
        return Failure::Tls(line(&tls.to_string()));
    }
    let io = cause.find::<io::Error>();
    if io.is_some_and(is_local) {
        return Failure::Local(cause.text());
    }
    if error.is_connect() && error.is_timeout() {
        return Failure::TimedOut(Stage::Connect);
    }
    if error.is_connect() {
        // A TCP connection has no end before it begins: this is one of TLS.
        return match io.map(io::Error::kind) {
            Some(io::ErrorKind::UnexpectedEof) => Failure::Tls(cause.text()),
            _ => Failure::Connect(cause.text()),
        };
    }
    if error.is_builder() {
        return Failure::Local(cause.text());
    }
    Failure::Broken(cause.text())
}

/// What an error after the head of an answer means.
pub(super) fn of_body(error: &reqwest::Error) -> Failure {
    Failure::Broken(Cause(error).text())
}

/// Whether the process or the machine is short of something: files, ports, memory.
pub(super) fn is_local(error: &io::Error) -> bool {
    // ENFILE and EMFILE, for which there is no kind; the numbers are the same on all Unixes.
    let is_short_of_files = cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24));
    is_short_of_files
        || matches!(error.kind(), io::ErrorKind::AddrNotAvailable | io::ErrorKind::OutOfMemory)
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
        assert!(is_local(&io::Error::from_raw_os_error(24)));
        assert!(is_local(&io::ErrorKind::AddrNotAvailable.into()));
        assert!(!is_local(&io::ErrorKind::ConnectionRefused.into()));
    }

    #[test]
    fn texts_are_one_short_line() {
        assert_eq!(line(" a\r\n\x1bb\n"), "a   b");
        assert_eq!(line(&"ü".repeat(1000)).chars().count(), MAX_TEXT_CHARS);
    }
}
