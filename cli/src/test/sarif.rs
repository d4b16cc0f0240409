//! Failures as one SARIF 2.1.0 log.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Tested;
use super::failure::{Failed, columns};
use crate::write::place::Lines;
use crate::write::sarif::{location, log, pascal_case};

/// The one rule of the log.
const RULE: &str = "failed-expectation";

/// Prints the log. Each failure is at the rule that decides; if none does, at the expectation.
pub fn print(tested: &Tested<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let lines = Lines::of(tested.file.bytes);
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
    let results: Vec<Value> =
        tested.failed.iter().map(|failed| result(tested, failed, &lines)).collect();
    out.write_all(log(&[rules], &results, true).as_bytes())
}

fn result(tested: &Tested<'_, '_>, failed: &Failed, lines: &Lines) -> Value {
    let expectation = tested.expectation(failed);
    let (message, why) = tested.message(failed);
    let expected = location(tested.expectations.file(expectation), expectation.line, None);
    let mut result = json!({
        "ruleId": RULE,
        "ruleIndex": 0,
        "level": "error",
        "message": { "text": message },
    });
    match why.line {
        Some(line) => {
            let columns = columns(lines, tested.file.bytes, line);
            let rule = location(&tested.file.name, u64::from(line), Some(columns));
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
