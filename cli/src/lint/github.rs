//! Findings as workflow commands, which GitHub Actions shows next to the lines of a change.

use robotsieve::lint::Severity;

use crate::error::Failure;
use crate::lint::Linted;
use crate::write::stdout::Stdout;

pub fn write(linted: &Linted, out: &mut Stdout) -> Result<(), Failure> {
    let mut text = String::new();
    for finding in &linted.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let columns = linted.lines.columns(&linted.bytes, finding.line, &finding.span);
        let title = format!("{} {}", finding.code, finding.code.name());
        let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        let fix = finding.fix.as_ref().map(|fix| format!("; {fix}"));
        let fix = fix.unwrap_or_default();
        text.push_str(&format!(
            "::{command} file={},line={},col={},endColumn={},title={}::{}\n",
            property(&linted.name),
            finding.line,
            columns.start,
            columns.end,
            property(&title),
            escaped(&format!("{}{help}{fix}", finding.message)),
        ));
    }
    out.print(&text)
}

/// Escapes a message, in which `%` and line ends have a meaning.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property, which also ends at a comma or a colon.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
