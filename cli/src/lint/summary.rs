//! What was found in all files, by code and by file: a line each.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use robotsieve::lint::{Code, Severity};

use crate::lint::Linted;
use crate::write::bytes::harmless;

/// Numbers of errors, warnings and notes. The larger of two is the worse one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Counts {
    errors: usize,
    warnings: usize,
    notes: usize,
}

impl Counts {
    fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => self.notes += 1,
        }
    }

    fn shown(&self) -> String {
        let all = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let all = all
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }));
        all.collect::<Vec<_>>().join(", ")
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
        for finding in &linted.findings {
            of_file.add(finding.severity);
            self.codes.entry(finding.code).or_default().add(finding.severity);
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
        let mut text = String::new();
        for (code, counts) in codes {
            text.push_str(&format!("{code} {}: {}\n", code.name(), counts.shown()));
        }
        for (name, counts) in self.files {
            text.push_str(&format!("{name}: {}\n", counts.shown()));
        }
        text
    }
}
