//! What a terminal is shown. Others' bytes may be in it, and these may not speak to the terminal.
//!
//! Files and pipes get all bytes as they are. [`Screened`] is the one place where a terminal's are
//! changed: standard output and standard error go through it.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::bytes::harmless;

/// True if the program's own text has colors.
static HAS_STYLES: AtomicBool = AtomicBool::new(false);

/// Lets colors through, for a command whose text is free of others' control characters.
pub fn allow_styles() {
    HAS_STYLES.store(true, Ordering::Relaxed);
}

/// A stream that may lead to a terminal. Then control characters, and those that have no width or
/// change the direction of text, are replaced.
pub struct Screened<W: Write> {
    out: W,
    is_terminal: bool,
    /// The beginning of a character whose end has not come yet.
    held: Vec<u8>,
}

impl<W: Write> Screened<W> {
    pub fn new(out: W, is_terminal: bool) -> Screened<W> {
        Screened { out, is_terminal, held: Vec::new() }
    }

    fn show(&mut self, bytes: &[u8]) -> io::Result<()> {
        let has_styles = HAS_STYLES.load(Ordering::Relaxed);
        let mut shown = String::with_capacity(bytes.len());
        let held = std::mem::take(&mut self.held);
        let all = [&held[..], bytes].concat();
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            let mut text = chunk.valid().chars();
            while let Some(c) = text.next() {
                match style(c, text.as_str()).filter(|_| has_styles) {
                    Some(style) => {
                        shown.push(c);
                        shown.push_str(style);
                        text = text.as_str()[style.len()..].chars();
                    }
                    None if c == '\n' => shown.push(c),
                    None => shown.push(harmless(c)),
                }
            }
            match chunks.peek() {
                None if is_begun(chunk.invalid()) => self.held = chunk.invalid().to_vec(),
                _ if chunk.invalid().is_empty() => {}
                _ => shown.push(char::REPLACEMENT_CHARACTER),
            }
        }
        self.out.write_all(shown.as_bytes())
    }
}

/// What follows an escape character and makes it a change of color: `[1;31m`.
fn style(c: char, rest: &str) -> Option<&str> {
    let numbers = rest.strip_prefix('[').filter(|_| c == '\x1b')?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[end..].starts_with('m').then(|| &rest[..end + 2])
}

/// True if bytes that are no character may become one.
fn is_begun(bytes: &[u8]) -> bool {
    !bytes.is_empty() && str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

impl<W: Write> Write for Screened<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        self.show(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Drop for Screened<W> {
    fn drop(&mut self) {
        if !self.held.is_empty() {
            // It will not be completed. Whoever has to know of errors flushes before.
            let _ = self.out.write_all("\u{FFFD}".as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]], is_terminal: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let mut screened = Screened::new(&mut out, is_terminal);
        for piece in pieces {
            screened.write_all(piece).unwrap();
        }
        drop(screened);
        out
    }

    #[test]
    fn a_terminal_gets_no_control_characters() {
        let hostile = "a\t\x1b]0;x\x07\u{9b}31m\u{202e}\u{feff}é\n".as_bytes();
        assert_eq!(shown(&[hostile], false), hostile);
        let safe = "a\t\u{241b}]0;x\u{2407}\u{FFFD}31m\u{FFFD}\u{FFFD}é\n".as_bytes();
        assert_eq!(shown(&[hostile], true), safe);
        // Wherever it is cut.
        for at in 0..hostile.len() {
            assert_eq!(shown(&[&hostile[..at], &hostile[at..]], true), safe, "{at}");
        }
        assert_eq!(shown(&[b"\x9b31m\xc3"], true), "\u{FFFD}31m\u{FFFD}".as_bytes());
    }

    #[test]
    fn styles_are_changes_of_color() {
        for (rest, is) in [("[1;31mx", Some("[1;31m")), ("[m", Some("[m"))] {
            assert_eq!(style('\x1b', rest), is);
        }
        for rest in ["[2J", "[1", "]0;m", "m", ""] {
            assert_eq!(style('\x1b', rest), None, "{rest}");
        }
    }
}
