//! Places in the robots.txt.

use robotsieve::report::{Columns, Lines};

/// The columns of a line of the robots.txt, without white space around what is in it.
pub fn columns(lines: &Lines, bytes: &[u8], line: u32) -> Columns {
    let span = lines.span(line);
    let text = &bytes[span.clone()];
    let start = span.start + (text.len() - text.trim_ascii_start().len());
    let end = start + text.trim_ascii().len();
    lines.columns(bytes, line, &(start..end))
}
