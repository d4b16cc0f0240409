//! Lines of bounded length.

use std::io::{self, BufRead, Read};

/// The longest URL that is read, in a line of its own. Browsers and servers refuse far shorter ones.
pub const URL_BYTES: usize = 1 << 20;

/// The longest record that is read: room for a URL of [`URL_BYTES`], its target and a rule, each with
/// its bytes escaped.
pub const RECORD_BYTES: usize = 16 << 20;

/// How much of a line that is too long is shown.
pub const SHOWN_BYTES: usize = 60;

/// The lines of an input without their line ends; empty lines are skipped.
pub struct Lines<R> {
    input: R,
    max_bytes: usize,
    number: u64,
    line: Vec<u8>,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// All of it.
    Whole(&'l [u8]),
    /// Longer than it may be, and skipped. This is its beginning.
    TooLong(&'l [u8]),
}

impl<R: BufRead> Lines<R> {
    /// The lines of an input, each of at most `max_bytes` without its line feed.
    #[must_use]
    pub fn of(input: R, max_bytes: usize) -> Lines<R> {
        Lines { input, max_bytes, number: 0, line: Vec::new() }
    }

    /// What the lines are read from.
    #[must_use]
    pub fn input(&self) -> &R {
        &self.input
    }

    /// The next line with its 1-based number, or `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        loop {
            self.line.clear();
            self.number += 1;
            let mut limited = self.input.by_ref().take(self.max_bytes as u64 + 1);
            if limited.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            if self.line.len() > self.max_bytes && !self.line.ends_with(b"\n") {
                self.input.skip_until(b'\n')?;
                return Ok(Some((self.number, Line::TooLong(&self.line[..SHOWN_BYTES]))));
            }
            let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
            let len = line.strip_suffix(b"\r").unwrap_or(line).len();
            if len > 0 {
                return Ok(Some((self.number, Line::Whole(&self.line[..len]))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_length() {
        let longest = "x".repeat(100);
        let long = format!("{longest}x");
        let text = format!("a\r\n\n{long}\n{longest}\nb");
        let mut lines = Lines::of(text.as_bytes(), 100);
        assert_eq!(lines.next_line().unwrap(), Some((1, Line::Whole(b"a"))));
        assert_eq!(lines.next_line().unwrap(), Some((3, Line::TooLong(&[b'x'; 60]))));
        assert_eq!(lines.next_line().unwrap(), Some((4, Line::Whole(longest.as_bytes()))));
        assert_eq!(lines.next_line().unwrap(), Some((5, Line::Whole(b"b"))));
        assert_eq!(lines.next_line().unwrap(), None);
    }
}
