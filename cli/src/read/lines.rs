//! Lines of bounded length.

use std::io::{self, BufRead, Read};

/// The longest line that is read: room for a URL and a target of several megabytes.
pub const LINE_BYTES: usize = 16 << 20;

/// The lines of an input without their line ends; empty lines are skipped.
pub struct Lines<R> {
    input: R,
    number: u64,
    line: Vec<u8>,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'l> {
    Whole(&'l [u8]),
    /// Longer than [`LINE_BYTES`], and skipped.
    TooLong,
}

impl<R: BufRead> Lines<R> {
    pub fn of(input: R) -> Lines<R> {
        Lines { input, number: 0, line: Vec::new() }
    }

    /// The next line with its 1-based number, or `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read.
    pub fn next(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        loop {
            self.line.clear();
            self.number += 1;
            let mut limited = self.input.by_ref().take(LINE_BYTES as u64 + 1);
            if limited.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            if self.line.len() > LINE_BYTES && !self.line.ends_with(b"\n") {
                self.input.skip_until(b'\n')?;
                return Ok(Some((self.number, Line::TooLong)));
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some((self.number, Line::Whole(self.line.trim_ascii()))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_length() {
        let long = "x".repeat(LINE_BYTES + 1);
        let text = format!("a\r\n\n{long}\nb");
        let mut lines = Lines::of(text.as_bytes());
        assert_eq!(lines.next().unwrap(), Some((1, Line::Whole(b"a"))));
        assert_eq!(lines.next().unwrap(), Some((3, Line::TooLong)));
        assert_eq!(lines.next().unwrap(), Some((4, Line::Whole(b"b"))));
        assert_eq!(lines.next().unwrap(), None);
    }
}
