//! What was found in all files, by code and by file: a line each.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use robotsieve_lint::{Code, Severity};
use robotsieve_report::counts;

use crate::lint::linted::Linted;
use crate::write::bytes::harmless;

/// Numbers of errors, warnings and notes. The larger of two is the worse one.
type Counts = [usize; 3];

/// The place of a severity among the counts.
pub fn place(severity: Severity) -> usize {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    }
}

/// The findings by code and by file.
#[derive(Debug, Default)]
pub struct Summary {
    codes: BTreeMap<Code, Counts>,
    files: Vec<(String, Counts)>,
}

impl Summary {
    pub fn add(&mut self, linted: &Linted) {
        let mut of_file = Counts::default();
        for finding in &linted.report.findings {
            of_file[place(finding.severity)] += 1;
            self.codes.entry(finding.code).or_default()[place(finding.severity)] += 1;
        }
        if of_file != Counts::default() {
            self.files.push((linted.name.chars().map(harmless).collect(), of_file));
        }
    }

    /// The lines, the worst first; empty if nothing was found.
    pub fn shown(mut self) -> String {
        let mut codes: Vec<_> = self.codes.into_iter().collect();
        codes.sort_by_key(|(code, counts)| (Reverse(*counts), *code));
        self.files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let codes = codes.iter().map(|(code, found)| (format!("{code} {}", code.name()), found));
        let files = self.files.iter().map(|(name, found)| (name.clone(), found));
        let line = |(what, found): (String, &Counts)| {
            format!("{what}: {}\n", counts(*found).unwrap_or_default())
        };
        codes.chain(files).map(line).collect()
    }
}
