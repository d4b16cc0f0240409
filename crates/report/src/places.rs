//! Positions in a file as people and tools count them: lines and columns.

use std::ops::Range;

/// Where the lines of a file start and end.
#[derive(Clone, Debug)]
pub struct Lines {
    /// At least one, without line ends.
    spans: Vec<Range<usize>>,
}

/// A part of one line. Columns are 1-based and count characters; bytes that are not UTF-8 count as
/// they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The first character.
    pub start: usize,
    /// After the last character.
    pub end: usize,
}

impl Lines {
    /// CR, LF and CRLF each end a line, as in the parser.
    #[must_use]
    pub fn of(file: &[u8]) -> Lines {
        let mut spans = Vec::new();
        let mut from = 0;
        while from < file.len() {
            let left = &file[from..];
            let len = memchr::memchr2(b'\n', b'\r', left).unwrap_or(left.len());
            spans.push(from..from + len);
            from += len + if left[len..].starts_with(b"\r\n") { 2 } else { 1 };
        }
        if spans.is_empty() {
            spans.push(0..0);
        }
        Lines { spans }
    }

    /// The byte range of a 1-based line; of the last line if the number is larger.
    #[must_use]
    pub fn span(&self, line: u32) -> Range<usize> {
        let at = (line.max(1) as usize).min(self.spans.len()) - 1;
        self.spans[at].clone()
    }

    /// The part of `span` that is on the line.
    #[must_use]
    pub fn on_line(&self, line: u32, span: &Range<usize>) -> Range<usize> {
        let of_line = self.span(line);
        let start = span.start.clamp(of_line.start, of_line.end);
        start..span.end.clamp(start, of_line.end)
    }

    /// The line and the column of an offset. The end of a line that has another one after it is the
    /// start of that.
    #[must_use]
    pub fn place(&self, file: &[u8], at: usize) -> (u32, usize) {
        let line = self.spans.partition_point(|span| span.start <= at).max(1);
        let of_line = &self.spans[line - 1];
        if at > of_line.end || at == file.len() && file.ends_with(b"\n") {
            return (line as u32 + 1, 1);
        }
        let before = String::from_utf8_lossy(&file[of_line.start..at]);
        (line as u32, 1 + before.chars().count())
    }

    /// The columns of a line, without white space around what is in it.
    #[must_use]
    pub fn trimmed(&self, file: &[u8], line: u32) -> Columns {
        let span = self.span(line);
        let text = &file[span.clone()];
        let start = span.start + (text.len() - text.trim_ascii_start().len());
        self.columns(file, line, &(start..start + text.trim_ascii().len()))
    }

    /// The columns of the part of `span` that is on the line.
    #[must_use]
    pub fn columns(&self, file: &[u8], line: u32, span: &Range<usize>) -> Columns {
        let (of_line, part) = (self.span(line), self.on_line(line, span));
        let chars = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
        let start = 1 + chars(&file[of_line.start..part.start]);
        Columns { start, end: start + chars(&file[part]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let file = "ä: b\r\nc\rd\n\nlast".as_bytes();
        let lines = Lines::of(file);
        let texts: Vec<&[u8]> = (1..=5).map(|line| &file[lines.span(line)]).collect();
        assert_eq!(texts, ["ä: b".as_bytes(), b"c", b"d", b"", b"last"]);
        assert_eq!(lines.span(9), lines.span(5));
        assert_eq!(lines.columns(file, 1, &(4..5)), Columns { start: 4, end: 5 });
        // Only what is on the line.
        assert_eq!(lines.columns(file, 2, &(0..file.len())), Columns { start: 1, end: 2 });
        assert_eq!(Lines::of(b"").span(1), 0..0);
        let places =
            [(0, (1, 1)), (3, (1, 3)), (5, (1, 5)), (7, (2, 1)), (9, (3, 1)), (16, (5, 5))];
        for (at, place) in places {
            assert_eq!(lines.place(file, at), place, "{at}");
        }
        assert_eq!(Lines::of(b"a\n").place(b"a\n", 2), (2, 1));
    }
}
