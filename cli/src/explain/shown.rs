//! Octets as text that a terminal can be given, with the way from their places to the text's.

use std::ops::Range;

use crate::octets::harmless;

/// So many octets of a line are shown.
const OCTETS: usize = 1_000;

/// Octets as text.
pub struct Shown {
    pub text: String,
    /// Where each octet begins in the text; one more for the end.
    places: Vec<usize>,
}

impl Shown {
    /// Octets that are not UTF-8, control characters and what changes the direction of text are
    /// replaced, so that no file can steer a terminal. What is very long is cut.
    pub fn of(octets: &[u8]) -> Shown {
        let cut = &octets[..octets.len().min(OCTETS)];
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
        if cut.len() < octets.len() {
            shown.text.push('…');
        }
        shown
    }

    /// The place of these octets in the text; what was cut is at its end.
    pub fn span(&self, octets: Range<usize>) -> Range<usize> {
        let last = self.places.len() - 1;
        self.places[octets.start.min(last)]..self.places[octets.end.min(last)]
    }
}

/// A short text, within a sentence: at most 60 octets.
pub fn short(octets: &[u8]) -> String {
    const SHORT: usize = 60;
    let mut text = Shown::of(&octets[..octets.len().min(SHORT)]).text.replace('\t', " ");
    if octets.len() > SHORT {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
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
    fn long_lines_are_cut() {
        let shown = Shown::of(&b"a".repeat(1_000_000));
        assert_eq!(shown.text.len(), OCTETS + '…'.len_utf8());
        assert_eq!(shown.span(5_000..6_000), OCTETS..OCTETS);
        assert_eq!(short(&b"a".repeat(100)).chars().count(), 61);
    }
}
