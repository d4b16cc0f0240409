//! Logs in blocks of lines.

use std::sync::Arc;

use memchr::memchr_iter;

use super::formats::LogFormat;

/// A log that is read in blocks, in order.
///
/// It gives each [`Block`] what was said before it: a log in the format of the W3C names its columns in
/// any line. So blocks can be judged in any order.
#[derive(Debug)]
pub struct Log {
    name: Arc<str>,
    format: Option<LogFormat>,
    is_begun: bool,
    /// True if there were lines before the format was told.
    has_untold: bool,
    /// True if it begins like UTF-16.
    is_utf16: bool,
}

/// Lines of a log, to be judged.
#[derive(Debug)]
pub struct Block<'b> {
    pub(super) log: Arc<str>,
    pub(super) is_first: bool,
    /// At its beginning.
    pub(super) format: Option<LogFormat>,
    /// `None` if this is one line that is too long to be read.
    pub(super) lines: Option<&'b [u8]>,
}

impl Log {
    /// Begins a log. If its format is not given, it is told by the lines of the first block that has some
    /// in a format that is known.
    #[must_use]
    pub fn new(name: &str, format: Option<LogFormat>) -> Log {
        Log { name: name.into(), format, is_begun: false, has_untold: false, is_utf16: false }
    }

    /// The next lines of the log, each with its line feed, which only the last line of the log may lack.
    pub fn block<'b>(&mut self, lines: &'b [u8]) -> Block<'b> {
        if !self.is_begun {
            let is_zero = |at: usize| lines.get(at) == Some(&0);
            self.is_utf16 = lines.starts_with(b"\xFF\xFE")
                || lines.starts_with(b"\xFE\xFF")
                || is_zero(0) && is_zero(2)
                || is_zero(1) && is_zero(3);
        }
        if self.format.is_none() {
            self.format = LogFormat::detect(lines);
            self.has_untold |= self.format.is_none() && has_line(lines);
        }
        let block = self.next(Some(lines));
        if let Some(format) = &mut self.format {
            format.read_directives(lines);
        }
        block
    }

    /// In the place of a line that is too long to be read.
    pub fn too_long(&mut self) -> Block<'static> {
        self.has_untold |= self.format.is_none();
        self.next(None)
    }

    fn next<'b>(&mut self, lines: Option<&'b [u8]>) -> Block<'b> {
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        Block { log: Arc::clone(&self.name), is_first, format: self.format.clone(), lines }
    }

    /// Returns true if the format is known.
    #[must_use]
    pub fn has_format(&self) -> bool {
        self.format.is_some()
    }

    /// Returns true if it begins like a text in UTF-16, which no format is read in.
    #[must_use]
    pub fn is_utf16(&self) -> bool {
        self.is_utf16
    }

    /// Returns true if the format is known, or does not matter because there was no line.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.format.is_some() || !self.has_untold
    }
}

/// Returns true if a line is not empty.
fn has_line(lines: &[u8]) -> bool {
    let mut from = 0;
    let ends = memchr_iter(b'\n', lines).chain([lines.len()]);
    let mut lines = ends.map(|to| &lines[std::mem::replace(&mut from, to + 1)..to]);
    lines.any(|line| !matches!(line, [] | [b'\r']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told() {
        for (blocks, is_told) in [
            (&[][..], true),
            (&[&b"\n\r\n"[..], b"\r\n\n"], true),
            (&[b"\n", b"x\n"], false),
            (&[b"\r\nx"], false),
            (&[b"x\n", b"#Fields: cs-uri-stem\n"], true),
        ] {
            let mut log = Log::new("log", None);
            for block in blocks {
                log.block(block);
            }
            assert_eq!(log.is_told(), is_told, "{blocks:?}");
        }
        let mut log = Log::new("log", None);
        log.too_long();
        assert!(!log.is_told());
    }

    /// Each block has the columns that were named last before it.
    #[test]
    fn columns_are_named_in_any_line() {
        let mut log = Log::new("log", None);
        let columns = |block: &Block<'_>| format!("{:?}", block.format);
        let named = |names: &str| {
            let mut log = Log::new("log", None);
            log.block(format!("#Fields: {names}\n").as_bytes());
            columns(&log.block(b""))
        };
        log.block(b"#Fields: date cs-uri-stem\r\n/ #Fields: c-ip\n#Fields:x\n");
        assert_eq!(columns(&log.block(b"a\n#Fields: c-ip\r\n#Date: x\n")), named("x"));
        assert_eq!(columns(&log.block(b"a\n #Fields: x\n")), named("c-ip"));
        assert_eq!(columns(&log.block(b"")), named("c-ip"));
    }
}
