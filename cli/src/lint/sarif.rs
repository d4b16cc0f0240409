//! Findings as one SARIF 2.1.0 log (Static Analysis Results Interchange Format, OASIS).

use robotsieve_lint::{Code, Severity};
use robotsieve_report::{Columns, Fix};
use serde_json::{Value, json};

use crate::lint::linted::Linted;
use crate::write::sarif::{self, pascal_case, uri};

/// The results of all files.
#[derive(Default)]
pub struct Log {
    results: Vec<Value>,
}

impl Log {
    pub fn add(&mut self, linted: &Linted) {
        for finding in &linted.report.findings {
            let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
            let columns = Columns { start: finding.column, end: finding.end_column };
            let mut related = Vec::new();
            for (id, place) in finding.related.iter().enumerate() {
                let columns = Columns { start: place.column, end: place.end_column };
                let mut location = location(linted, place.line, columns);
                location["id"] = json!(id);
                location["message"] = json!({ "text": place.message });
                related.push(location);
            }
            let mut result = json!({
                "ruleId": finding.code.number(),
                "ruleIndex": index(finding.code),
                "level": level(finding.severity),
                "message": { "text": format!("{}{help}", finding.message) },
                "locations": [location(linted, finding.line, columns)],
                "properties": { "profiles": finding.profiles },
            });
            if let Some(fix) = &finding.fix {
                result["fixes"] = json!([fix_of(linted, fix)]);
            }
            if !related.is_empty() {
                result["relatedLocations"] = json!(related);
            }
            self.results.push(result);
        }
    }

    /// The whole log; `complete` says whether all files could be read.
    pub fn finish(self, complete: bool) -> String {
        let rules: Vec<Value> = Code::ALL
            .iter()
            .map(|code| {
                json!({
                    "id": code.number(),
                    "name": pascal_case(code.name()),
                    "shortDescription": { "text": code.title() },
                    "fullDescription": { "text": code.explanation() },
                    "defaultConfiguration": { "level": level(code.severity()) },
                    "helpUri": format!(
                        "{}/blob/main/docs/lint/{}.md",
                        env!("CARGO_PKG_REPOSITORY"),
                        code.name()
                    ),
                })
            })
            .collect();
        sarif::log(&rules, &self.results, complete)
    }
}

fn index(code: Code) -> Option<usize> {
    Code::ALL.iter().position(|known| *known == code)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn location(linted: &Linted, line: u32, columns: Columns) -> Value {
    sarif::location(&linted.name, u64::from(line), Some(columns))
}

fn fix_of(linted: &Linted, fix: &Fix) -> Value {
    let inserted = match &fix.replacement_base64 {
        None => json!({ "text": fix.replacement }),
        Some(base64) => json!({ "binary": base64 }),
    };
    json!({
        "description": { "text": fix.to_string() },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(&linted.name) },
            "replacements": [{
                "deletedRegion": {
                    "startLine": fix.line,
                    "startColumn": fix.column,
                    "endLine": fix.end_line,
                    "endColumn": fix.end_column,
                },
                "insertedContent": inserted,
            }],
        }],
    })
}
