//! Bytes as text that is safe for a terminal, with a mapping of positions in one to the other.

use std::ops::Range;

use robotsieve_shown::harmless;
pub use robotsieve_shown::short;

/// The most bytes of a line that are shown.
const BYTES: usize = 1_000;

/// Bytes as text.
pub struct Shown {
    pub text: String,
    /// Where each byte starts in the text, and where the last one ends.
    places: Vec<usize>,
}

impl Shown {
    /// Replaces bytes that are not UTF-8, control characters and characters that change the
    /// direction of text, so that no file can manipulate a terminal. Truncates very long text.
    pub fn of(bytes: &[u8]) -> Shown {
        let cut = &bytes[..bytes.len().min(BYTES)];
        let mut shown = Shown { text: String::new(), places: Vec::with_capacity(cut.len() + 1) };
        for chunk in cut.utf8_chunks() {
            for c in chunk.valid().chars() {
                shown.places.extend([shown.text.len()].repeat(c.len_utf8()));
                shown.text.push(harmless(c));
            }
            for _ in chunk.invalid() {
                shown.places.push(shown.text.len());
                shown.text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        shown.places.push(shown.text.len());
        if cut.len() < bytes.len() {
            shown.text.push('…');
        }
        shown
    }

    /// The position of these bytes in the text; truncated bytes are at its end.
    pub fn span(&self, bytes: Range<usize>) -> Range<usize> {
        let last = self.places.len() - 1;
        self.places[bytes.start.min(last)]..self.places[bytes.end.min(last)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_not_manipulated() {
        let shown = Shown::of("a\x1b[31m\u{9b}é\u{202e}".as_bytes());
        assert_eq!(shown.text, "a␛[31m\u{FFFD}é\u{FFFD}");
        let shown = Shown::of(b"a\xFFb\xC3");
        assert_eq!(shown.text, "a\u{FFFD}b\u{FFFD}");
        assert_eq!(shown.span(1..2), 1..4);
        assert_eq!(shown.span(2..3), 4..5);
        assert_eq!(shown.span(0..99), 0..8);
    }

    #[test]
    fn spans_are_whole_characters() {
        let shown = Shown::of("é\x01z".as_bytes());
        assert_eq!(shown.text, "é␁z");
        assert_eq!(shown.span(0..2), 0..2);
        assert_eq!(shown.span(2..3), 2..5);
        assert_eq!(shown.span(3..4), 5..6);
    }

    #[test]
    fn long_lines_are_truncated() {
        let shown = Shown::of(&b"a".repeat(1_000_000));
        assert_eq!(shown.text.len(), BYTES + '…'.len_utf8());
        assert_eq!(shown.span(5_000..6_000), BYTES..BYTES);
    }
}
