//! Lines of bounded length.

use std::io::{self, BufRead, Read};

/// The longest URL that is read, in a line of its own. Browsers and servers refuse far shorter ones.
pub const URL_BYTES: usize = 1 << 20;

/// The longest record that is read: room for a URL of [`URL_BYTES`], its target and a rule, each with
/// its bytes escaped.
pub const RECORD_BYTES: usize = 16 << 20;

/// The most bytes that are shown of a line that is too long.
pub const SHOWN_BYTES: usize = 60;

/// The byte order mark that some programs write before the first line of a text in UTF-8.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a text without the [`MARK`] before them. Reads no byte more than it takes to see it,
/// for the first line of a pipe may be short.
#[derive(Debug)]
pub struct Unmarked<R> {
    bytes: R,
    /// What was read to see the mark, until it is passed on.
    begun: Vec<u8>,
    is_past: bool,
}

impl<R: Read> Unmarked<R> {
    /// Leaves the mark out of these bytes.
    pub fn of(bytes: R) -> Unmarked<R> {
        Unmarked { bytes, begun: Vec::new(), is_past: false }
    }
}

impl<R: Read> Read for Unmarked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.is_past {
            let is_open = self.begun.len() < MARK.len() && MARK.starts_with(&self.begun);
            if !is_open || self.bytes.by_ref().take(1).read_to_end(&mut self.begun)? == 0 {
                self.is_past = true;
                if self.begun == MARK {
                    self.begun.clear();
                }
            }
        }
        if self.begun.is_empty() {
            return self.bytes.read(buffer);
        }
        let len = self.begun.len().min(buffer.len());
        buffer[..len].copy_from_slice(&self.begun[..len]);
        self.begun.drain(..len);
        Ok(len)
    }
}

/// The lines of an input without their line ends; empty lines are skipped, and so is a [`MARK`]
/// before the first.
pub struct Lines<R> {
    input: R,
    max_bytes: usize,
    number: u64,
    line: Vec<u8>,
    /// True if the rest of a line that is too long is still to be skipped: it may never end.
    is_within: bool,
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
        Lines { input, max_bytes, number: 0, line: Vec::new(), is_within: false }
    }

    /// The input of the lines.
    #[must_use]
    pub fn input(&self) -> &R {
        &self.input
    }

    /// The next line with its 1-based number, or `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        if std::mem::take(&mut self.is_within) {
            self.input.skip_until(b'\n')?;
        }
        loop {
            self.line.clear();
            self.number += 1;
            let mut limited = self.input.by_ref().take(self.max_bytes as u64 + 1);
            if limited.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            if self.line.len() > self.max_bytes && !self.line.ends_with(b"\n") {
                self.is_within = true;
                return Ok(Some((self.number, Line::TooLong(&self.line[..SHOWN_BYTES]))));
            }
            let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
            let end = line.strip_suffix(b"\r").unwrap_or(line).len();
            let is_marked = self.number == 1 && line.starts_with(MARK);
            let begin = if is_marked { MARK.len() } else { 0 };
            if begin < end {
                return Ok(Some((self.number, Line::Whole(&self.line[begin..end]))));
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

    #[test]
    fn marks() {
        for (text, wanted) in [
            (&b"\xef\xbb\xbfa\nb"[..], &b"a\nb"[..]),
            (b"\xef\xbb\xbf", b""),
            (b"\xef\xbb\xbf\xef\xbb\xbfa", b"\xef\xbb\xbfa"),
            (b"\xef\xbb", b"\xef\xbb"),
            (b"\xefa", b"\xefa"),
            (b"", b""),
        ] {
            let mut read = Vec::new();
            Unmarked::of(text).read_to_end(&mut read).unwrap();
            assert_eq!(read, wanted);
        }
        let mut lines = Lines::of(&b"\xef\xbb\xbf\r\n\xef\xbb\xbfa\n"[..], 100);
        assert_eq!(lines.next_line().unwrap(), Some((2, Line::Whole(b"\xef\xbb\xbfa"))));
        let mut lines = Lines::of(&b"\xef\xbb\xbfa\n"[..], 100);
        assert_eq!(lines.next_line().unwrap(), Some((1, Line::Whole(b"a"))));
    }
}
