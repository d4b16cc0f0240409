//! Findings as one SARIF 2.1.0 log (Static Analysis Results Interchange Format, OASIS).

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use robotsieve::lint::{Code, Fix, Severity};
use serde_json::{Value, json};

use crate::lint::Linted;
use crate::write::sarif::{self, pascal_case, uri};

/// The results of all files.
#[derive(Default)]
pub struct Log {
    results: Vec<Value>,
}

impl Log {
    pub fn add(&mut self, linted: &Linted) {
        for finding in &linted.findings {
            let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
            let mut related = Vec::new();
            for (id, place) in finding.related.iter().enumerate() {
                let mut location = location(linted, place.line, &place.span);
                location["id"] = json!(id);
                location["message"] = json!({ "text": place.message });
                related.push(location);
            }
            let mut result = json!({
                "ruleId": finding.code.number(),
                "ruleIndex": index(finding.code),
                "level": level(finding.severity),
                "message": { "text": format!("{}{help}", finding.message) },
                "locations": [location(linted, finding.line, &finding.span)],
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

fn location(linted: &Linted, line: u32, span: &Range<usize>) -> Value {
    let columns = linted.lines.columns(&linted.bytes, line, span);
    sarif::location(&linted.name, u64::from(line), Some(columns))
}

fn fix_of(linted: &Linted, fix: &Fix) -> Value {
    let start = linted.lines.place(&linted.bytes, fix.span.start);
    let end = linted.lines.place(&linted.bytes, fix.span.end);
    let inserted = match str::from_utf8(&fix.replacement) {
        Ok(text) => json!({ "text": text }),
        Err(_) => json!({ "binary": BASE64.encode(&fix.replacement) }),
    };
    json!({
        "description": { "text": fix.to_string() },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(&linted.name) },
            "replacements": [{
                "deletedRegion": {
                    "startLine": start.0,
                    "startColumn": start.1,
                    "endLine": end.0,
                    "endColumn": end.1,
                },
                "insertedContent": inserted,
            }],
        }],
    })
}
