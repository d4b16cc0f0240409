//! Bytes of files as `Debug` shows them.

use std::fmt;

/// Shows bytes as the text that they nearly always are, with escapes.
pub(crate) struct BytesShown<'a>(pub &'a [u8]);

impl fmt::Debug for BytesShown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match str::from_utf8(self.0) {
            Ok(text) => text.fmt(f),
            Err(_) => write!(f, "\"{}\"", self.0.escape_ascii()),
        }
    }
}
