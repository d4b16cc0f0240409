//! Findings as workflow commands, which GitHub Actions shows next to the lines of a change.

use robotsieve_lint::Severity;
use robotsieve_report::Columns;

use crate::error::Failure;
use crate::lint::linted::Linted;
use crate::write::stdout::Stdout;
use crate::write::workflow::{Annotation, Level};

pub fn write(linted: &Linted, out: &mut Stdout) -> Result<(), Failure> {
    let mut text = String::new();
    for finding in &linted.report.findings {
        let level = match finding.severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Note => Level::Notice,
        };
        let columns = Columns { start: finding.column, end: finding.end_column };
        let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        let fix = finding.fix.as_ref().map(|fix| format!("; {fix}")).unwrap_or_default();
        let annotation = Annotation {
            level,
            file: &linted.name,
            place: Some((u64::from(finding.line), Some(columns))),
            title: &format!("{} {}", finding.code, finding.name),
            message: &format!("{}{help}{fix}", finding.message),
        };
        text.push_str(&annotation.to_string());
    }
    out.print(&text)
}
