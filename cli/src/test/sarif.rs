//! Failures as one SARIF 2.1.0 log.

use std::io::{self, Write};

use robotsieve_owners::test::{TestReport, TestResult};
use robotsieve_report::Lines;
use serde_json::{Value, json};

use crate::write::sarif::{location, log, pascal_case};

/// The one rule of the log.
const RULE: &str = "failed-expectation";

/// Prints the log. Each failure is at the rule that decides; if none does, at the expectation.
pub fn print(bytes: &[u8], report: &TestReport, out: &mut impl Write) -> io::Result<()> {
    let lines = Lines::of(bytes);
    let rules = json!({
        "id": RULE,
        "name": pascal_case(RULE),
        "shortDescription": { "text": "An expectation does not hold" },
        "fullDescription": {
            "text": "The robots.txt gives another verdict than a line of the expectations says.",
        },
        "defaultConfiguration": { "level": "error" },
        "helpUri": format!("{}/blob/main/docs/testing.md", env!("CARGO_PKG_REPOSITORY")),
    });
    let failed = report.results.iter().filter(|result| !result.holds);
    let results: Vec<Value> =
        failed.map(|failed| result(&report.robots, bytes, failed, &lines)).collect();
    out.write_all(log(&[rules], &results, true).as_bytes())
}

fn result(robots: &str, bytes: &[u8], failed: &TestResult, lines: &Lines) -> Value {
    let expected = location(&failed.file, failed.line, None);
    let mut result = json!({
        "ruleId": RULE,
        "ruleIndex": 0,
        "level": "error",
        "message": { "text": failed.message },
    });
    match failed.rule_line {
        Some(line) => {
            let rule = location(robots, u64::from(line), Some(lines.trimmed(bytes, line)));
            let mut expected = expected;
            expected["id"] = json!(0);
            expected["message"] = json!({ "text": "expected here" });
            result["locations"] = json!([rule]);
            result["relatedLocations"] = json!([expected]);
        }
        None => result["locations"] = json!([expected]),
    }
    result
}
