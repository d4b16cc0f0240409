//! Failures as workflow commands, which GitHub Actions shows next to the lines of a change.

use std::io::{self, Write};

use super::Tested;
use super::failure::columns;
use crate::write::place::Lines;
use crate::write::workflow::{Annotation, Level};

/// Prints a line for each failure, at the rule that decides; if none does, at the expectation.
pub fn print(tested: &Tested<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let lines = Lines::of(tested.file.bytes);
    for failed in &tested.failed {
        let expectation = tested.expectation(failed);
        let (message, why) = tested.message(failed);
        let (file, line) = (tested.expectations.file(expectation), expectation.line);
        let at_rule = why.line.map(|line| {
            let columns = columns(&lines, tested.file.bytes, line);
            (u64::from(line), Some(columns))
        });
        let annotation = Annotation {
            level: Level::Error,
            file: if at_rule.is_some() { &tested.file.name } else { file },
            place: Some(at_rule.unwrap_or((line, None))),
            title: "robots.txt: an expectation does not hold",
            message: &match at_rule {
                Some(_) => format!("{message} (expected by {file}, line {line})"),
                None => message,
            },
        };
        write!(out, "{annotation}")?;
    }
    Ok(())
}
