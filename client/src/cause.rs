//! The texts of errors.

use std::error::Error;
use std::io;

/// The longest text of a cause. It may contain what a server sent, and is stored.
const MAX_TEXT_CHARS: usize = 200;

/// An error and the chain of its sources.
pub(crate) struct ErrorChain<'e>(pub(crate) &'e (dyn Error + 'static));

impl<'e> ErrorChain<'e> {
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

    #[cfg(feature = "fetch")]
    pub(crate) fn find<T: Error + 'static>(&self) -> Option<&'e T> {
        self.chain().find_map(|error| error.downcast_ref())
    }

    /// The text of the innermost error, which is the most specific, in one line.
    pub(crate) fn text(&self) -> String {
        line(&self.chain().last().unwrap_or(self.0).to_string())
    }
}

/// A text from outside, as one short line.
pub(crate) fn line(text: &str) -> String {
    let text = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    text.take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "fetch")]
    fn an_error_within_an_io_error_is_found() {
        let tls = rustls::Error::General("inner".to_owned());
        let error = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, tls));
        let cause = ErrorChain(&error);
        assert!(cause.find::<rustls::Error>().is_some());
        assert_eq!(cause.text(), "unexpected error: inner");
    }

    #[test]
    fn texts_are_one_short_line() {
        assert_eq!(line(" a\r\n\x1bb\n"), "a   b");
        assert_eq!(line(&"ü".repeat(1000)).chars().count(), MAX_TEXT_CHARS);
    }
}
