//! The lines of a log, in blocks, each line of bounded length.

use std::io::{self, Read};

use memchr::memrchr;

/// The longest line that is read: servers limit what they take, and so what they log, to far less.
pub const LINE_BYTES: usize = 1 << 20;

/// How much is read at once: it stays in a core's second-level cache.
const BLOCK_BYTES: usize = 256 << 10;

/// Whole lines of a log.
pub enum Block<'b> {
    /// Each ends with a line feed.
    Lines(&'b [u8]),
    /// A line that is longer than [`LINE_BYTES`] was skipped.
    TooLong,
}

/// Calls `found` for all lines of an input, in order.
///
/// A last line without a line feed gets one. An input that breaks off ends with its last whole line:
/// the beginning of a line may look like another line.
///
/// # Errors
/// Returns an error if the input cannot be read to its end, or if `found` does.
pub fn each<E: From<io::Error>>(
    mut input: impl Read,
    mut found: impl FnMut(Block<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = vec![0; BLOCK_BYTES];
    // The beginning of a line is before `len`; the rest of a line is skipped if it is too long.
    let (mut len, mut skips) = (0, false);
    loop {
        if len == buffer.len() {
            if len > LINE_BYTES {
                found(Block::TooLong)?;
                (len, skips) = (0, true);
            } else {
                // A line of the longest length with its line feed, and one byte that shows that a line is longer.
                buffer.resize((2 * len).min(LINE_BYTES + 1), 0);
            }
        }
        let read = match input.read(&mut buffer[len..]) {
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            if len > 0 && !skips {
                buffer.truncate(len);
                buffer.push(b'\n');
                found(Block::Lines(&buffer))?;
            }
            return Ok(());
        }
        let Some(last) = memrchr(b'\n', &buffer[len..len + read]) else {
            // What is skipped needs no room.
            len = if skips { 0 } else { len + read };
            continue;
        };
        let (mut from, to) = (0, len + last + 1);
        if skips {
            from = memchr::memchr(b'\n', &buffer[..to]).map_or(to, |at| at + 1);
            skips = false;
        }
        if from < to {
            found(Block::Lines(&buffer[from..to]))?;
        }
        buffer.copy_within(to..len + read, 0);
        len = len + read - to;
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
        let mut lines = Vec::new();
        each::<io::Error>(Slow(text, at_once), |block| {
            match block {
                Block::TooLong => lines.push("too long".to_owned()),
                Block::Lines(block) => {
                    let block = str::from_utf8(block).unwrap().strip_suffix('\n').unwrap();
                    lines.extend(block.split('\n').map(str::to_owned));
                }
            }
            Ok(())
        })
        .unwrap();
        lines
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
    }
}
