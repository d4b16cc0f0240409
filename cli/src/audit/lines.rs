//! The lines of a log, in blocks, each line of bounded length.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

/// The longest line that is read: servers limit what they take, and so what they log, to far less.
pub const LINE_BYTES: usize = 1 << 20;

/// How much is read at once: it stays in a core's second-level cache.
const BLOCK_BYTES: usize = 256 << 10;

/// The next of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Whole lines, each of which ends with a line feed.
    Lines,
    /// A line that is longer than [`LINE_BYTES`] was skipped.
    TooLong,
    End,
}

/// An input that is read in blocks of whole lines.
pub struct Lines<R> {
    input: R,
    /// The beginning of a line whose end has not been read yet.
    rest: Vec<u8>,
    /// True if the rest of a line is skipped, because it is too long.
    skips: bool,
    /// How it ended.
    end: Option<io::Result<()>>,
}

impl<R: Read> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines { input, rest: Vec::new(), skips: false, end: None }
    }

    /// Replaces the contents of a buffer with the next lines, if that is what comes next.
    ///
    /// A block depends on the input's bytes alone, not on how many it gives at a time, unless it `is_live`:
    /// then never waits for more if there is a whole line.
    ///
    /// A last line without a line feed gets one. An input that breaks off ends with its last whole line:
    /// the beginning of a line may look like another line.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read to its end, after its last whole line.
    pub fn next(&mut self, block: &mut Vec<u8>, is_live: bool) -> io::Result<Next> {
        let mut len = self.rest.len();
        block.resize(block.len().max(len), 0);
        block[..len].copy_from_slice(&self.rest);
        self.rest.clear();
        let mut room = BLOCK_BYTES;
        // True if there is a whole line, which does not wait.
        let mut is_ready = false;
        loop {
            if len >= room || self.end.is_some() || is_ready {
                if let Some(last) = memrchr(b'\n', &block[..len]) {
                    self.rest.extend_from_slice(&block[last + 1..len]);
                    block.truncate(last + 1);
                    return Ok(Next::Lines);
                }
                if len > LINE_BYTES {
                    self.skips = true;
                    return Ok(Next::TooLong);
                }
                if let Some(end) = &mut self.end {
                    return std::mem::replace(end, Ok(())).map(|()| Next::End);
                }
                // A line of the longest length with its line feed, and one byte that shows that a line is
                // longer.
                room = (2 * room).min(LINE_BYTES + 1);
                continue;
            }
            // Old bytes are overwritten; only new room is zeroed.
            block.resize(block.len().max(room), 0);
            match self.input.read(&mut block[len..room]) {
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => self.end = Some(Err(cause)),
                Ok(0) => {
                    if len > 0 && block[len - 1] != b'\n' {
                        block.insert(len, b'\n');
                        len += 1;
                    }
                    self.end = Some(Ok(()));
                }
                // What is skipped needs no room.
                Ok(read) if self.skips => {
                    if let Some(at) = memchr(b'\n', &block[..read]) {
                        self.skips = false;
                        block.copy_within(at + 1..read, 0);
                        len = read - at - 1;
                        is_ready = is_live && memchr(b'\n', &block[..len]).is_some();
                    }
                }
                Ok(read) => {
                    is_ready = is_live && memchr(b'\n', &block[len..len + read]).is_some();
                    len += read;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at a time.
    struct Slow<'b>(&'b [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = buffer.len().min(self.1).min(self.0.len());
            let (now, later) = self.0.split_at(len);
            buffer[..len].copy_from_slice(now);
            self.0 = later;
            Ok(len)
        }
    }

    fn lines(text: &[u8], at_once: usize) -> Vec<String> {
        let lines = lines_of(text, at_once, false);
        assert!(lines_of(text, at_once, true) == lines);
        lines
    }

    fn lines_of(text: &[u8], at_once: usize, is_live: bool) -> Vec<String> {
        let mut lines = Vec::new();
        let (mut input, mut block) = (Lines::new(Slow(text, at_once)), Vec::new());
        loop {
            match input.next(&mut block, is_live).unwrap() {
                Next::End => return lines,
                Next::TooLong => lines.push("too long".to_owned()),
                Next::Lines => {
                    let block = str::from_utf8(&block).unwrap().strip_suffix('\n').unwrap();
                    lines.extend(block.split('\n').map(str::to_owned));
                }
            }
        }
    }

    #[test]
    fn lines_of_any_length() {
        let longest = "x".repeat(LINE_BYTES);
        let text =
            format!("a\n\n{longest}\nb\n{longest}y\nc\n{longest}{longest}{longest}\n{longest}");
        let wanted = ["a", "", &longest, "b", "too long", "c", "too long", &longest];
        for at_once in [1000, 4096, 65_537, usize::MAX] {
            assert!(lines(text.as_bytes(), at_once) == wanted, "{at_once}");
        }
        for at_once in [1, 2, 3] {
            assert_eq!(lines(b"a\nbcd\n\ne", at_once), ["a", "bcd", "", "e"]);
            assert_eq!(lines(b"a\n", at_once), ["a"]);
            assert!(lines(b"", at_once).is_empty());
        }
        assert_eq!(lines(format!("{longest}{longest}").as_bytes(), 7777), ["too long"]);
        // What is left of a long block is longer than a usual one.
        let (long, longer) = ("x".repeat(400 << 10), "y".repeat(700 << 10));
        let text = format!("{long}\n{longer}\n{longest}y\n{long}\nz");
        for at_once in [10_000, usize::MAX] {
            assert!(lines(text.as_bytes(), at_once) == [&long, &longer, "too long", &long, "z"]);
        }
    }

    #[test]
    fn lines_do_not_wait() {
        let (mut input, mut block) = (Lines::new(Slow(b"a\nb\nccc\ndd", 5)), Vec::new());
        for wanted in ["a\nb\n", "ccc\n", "dd\n"] {
            assert_eq!(input.next(&mut block, true).unwrap(), Next::Lines);
            assert_eq!(str::from_utf8(&block).unwrap(), wanted);
        }
        assert_eq!(input.next(&mut block, true).unwrap(), Next::End);
    }

    /// What is read before an input breaks off is read to its last whole line.
    #[test]
    fn an_input_that_breaks_off() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("damaged"))
            }
        }
        let mut input = Lines::new(Read::chain(&b"a\nb\nc"[..], Broken));
        let mut block = b"old".to_vec();
        assert_eq!(input.next(&mut block, false).unwrap(), Next::Lines);
        assert_eq!(block, b"a\nb\n");
        assert_eq!(input.next(&mut block, false).unwrap_err().to_string(), "damaged");
        assert_eq!(input.next(&mut block, false).unwrap(), Next::End);
    }

    /// Blocks are the same however many bytes come at a time.
    #[test]
    fn blocks_of_any_input() {
        let text: String = (0..200_000).map(|number| format!("{number}\n")).collect();
        let blocks = |at_once| {
            let (mut input, mut block) = (Lines::new(Slow(text.as_bytes(), at_once)), Vec::new());
            let mut blocks = Vec::new();
            while input.next(&mut block, false).unwrap() == Next::Lines {
                blocks.push(block.clone());
            }
            blocks
        };
        let wanted = blocks(usize::MAX);
        assert!(wanted.len() > 4 && wanted.concat() == text.as_bytes());
        for at_once in [1, 1000, 65_536] {
            assert!(blocks(at_once) == wanted, "{at_once}");
        }
    }
}
