//! A file and its report.

use robotsieve_report::LintReport;

/// A file with what was found in it.
pub struct Linted {
    /// The path as given, or `<stdin>`.
    pub name: String,
    pub bytes: Vec<u8>,
    pub report: LintReport,
}
