//! Failures as workflow commands, which GitHub Actions shows next to the lines of a change.

use std::io::{self, Write};

use robotsieve_owners::test::TestReport;
use robotsieve_report::Lines;

use crate::write::workflow::{Annotation, Level};

/// Prints a line for each failure, at the rule that decides; if none does, at the expectation.
pub fn print(bytes: &[u8], report: &TestReport, out: &mut impl Write) -> io::Result<()> {
    let lines = Lines::of(bytes);
    for result in &report.results {
        let Some(message) = &result.message else { continue };
        let at_rule =
            result.rule_line.map(|line| (u64::from(line), Some(lines.trimmed(bytes, line))));
        let annotation = Annotation {
            level: Level::Error,
            file: if at_rule.is_some() { &report.robots } else { &result.file },
            place: Some(at_rule.unwrap_or((result.line, None))),
            title: "robots.txt: an expectation does not hold",
            message: &match at_rule {
                Some(_) => {
                    format!("{message} (expected by {}, line {})", result.file, result.line)
                }
                None => message.clone(),
            },
        };
        write!(out, "{annotation}")?;
    }
    Ok(())
}
