//! Bytes as text, for people and for JSON.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

pub use robotsieve::report::{harmless, shown};

/// Bytes for a line that people and programs read: unchanged but for control characters, which are
/// escaped.
pub fn on_one_line(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.iter().any(u8::is_ascii_control) && !bytes.windows(2).any(is_c1) {
        return Cow::Borrowed(bytes);
    }
    let mut line = Vec::with_capacity(bytes.len() + 16);
    for (at, byte) in bytes.iter().enumerate() {
        let is_second = at > 0 && is_c1(&bytes[at - 1..=at]);
        if byte.is_ascii_control() || is_second || bytes.get(at..at + 2).is_some_and(is_c1) {
            line.extend(byte.escape_ascii());
        } else {
            line.push(*byte);
        }
    }
    Cow::Owned(line)
}

/// Whether two bytes are one of the control characters U+0080 to U+009F in UTF-8.
fn is_c1(pair: &[u8]) -> bool {
    matches!(pair, [0xC2, 0x80..=0x9F])
}

/// A text for JSON, and the bytes as base64 if they are not UTF-8.
pub fn text(bytes: &[u8]) -> (String, Option<String>) {
    match str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), Some(BASE64.encode(bytes))),
    }
}

/// The bytes that [`put`] or [`text`] turned into a member.
///
/// # Errors
/// Returns a description of what is wrong with the base64.
pub fn taken(text: &str, base64: Option<&str>, name: &str) -> Result<Vec<u8>, String> {
    match base64 {
        None => Ok(text.as_bytes().to_vec()),
        Some(base64) => {
            BASE64.decode(base64).map_err(|cause| format!("'{name}_base64' is not base64: {cause}"))
        }
    }
}

/// The lines of `bytes` without a CR at their ends, and without the empty ones.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line() {
        for bytes in ["/é?x\\y".as_bytes(), b"/\xFF", b""] {
            assert_eq!(*on_one_line(bytes), *bytes);
        }
        assert_eq!(*on_one_line(b"/\n\x1b\t\0\x7f\xff"), *b"/\\n\\x1b\\t\\x00\\x7f\xff");
        assert_eq!(*on_one_line("é\u{9b}é".as_bytes()), *"é\\xc2\\x9bé".as_bytes());
    }

    #[test]
    fn there_and_back() {
        for bytes in [&b"plain"[..], b"\xFF\xFE", b""] {
            let (text, base64) = text(bytes);
            assert_eq!(taken(&text, base64.as_deref(), "x").unwrap(), bytes);
        }
    }
}
