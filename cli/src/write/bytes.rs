//! Bytes as text, for people and for JSON.

use std::borrow::Cow;

pub use robotsieve_report::text;
pub use robotsieve_shown::{harmless, shown};

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

/// Returns true if two bytes are one of the control characters U+0080 to U+009F in UTF-8.
fn is_c1(pair: &[u8]) -> bool {
    matches!(pair, [0xC2, 0x80..=0x9F])
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
}
