//! Workflow commands: lines that GitHub Actions shows next to the lines of a change.

use std::fmt;

use super::bytes::harmless;
use robotsieve_report::Columns;

/// How severe an annotation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    Notice,
}

/// An annotation. Its `Display` is a whole line.
#[derive(Clone, Copy, Debug)]
pub struct Annotation<'a> {
    pub level: Level,
    pub file: &'a str,
    /// A line, and the columns on it; `None` if it is about the file as a whole.
    pub place: Option<(u64, Option<Columns>)>,
    pub title: &'a str,
    pub message: &'a str,
}

impl fmt::Display for Annotation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Notice => "notice",
        };
        write!(f, "::{command} file={}", property(self.file))?;
        if let Some((line, columns)) = self.place {
            write!(f, ",line={line}")?;
            if let Some(Columns { start, end }) = columns {
                write!(f, ",col={start},endColumn={end}")?;
            }
        }
        writeln!(f, ",title={}::{}", property(self.title), escaped(self.message))
    }
}

/// Escapes a message, in which `%` and line ends have a meaning. Other control characters are
/// replaced, because the log is shown on terminals too.
fn escaped(text: &str) -> String {
    let shown = |c| if c == '\r' || c == '\n' { c } else { harmless(c) };
    let text: String = text.chars().map(shown).collect();
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property, which also ends at a comma or a colon.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        let mut annotation = Annotation {
            level: Level::Notice,
            file: "a,b:c\n",
            place: None,
            title: "50%",
            message: "x\n::error::y, z: 1",
        };
        let line = "::notice file=a%2Cb%3Ac%0A,title=50%25::x%0A::error::y, z: 1\n";
        assert_eq!(annotation.to_string(), line);
        annotation.place = Some((7, Some(Columns { start: 2, end: 5 })));
        assert!(annotation.to_string().contains(",line=7,col=2,endColumn=5,title="));
    }
}
