//! Findings as JSON Lines. `docs/lint/README.md` documents the fields.

use robotsieve::lint::{Effect, Fix};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::lint::Linted;
use crate::write::bytes::put;
use crate::write::stdout::Stdout;

/// The version of the fields' meaning.
const VERSION: u32 = 1;

pub fn write(linted: &Linted, out: &mut Stdout) -> Result<(), Failure> {
    let mut text = String::new();
    for finding in &linted.findings {
        let columns = linted.lines.columns(&linted.bytes, finding.line, &finding.span);
        let related = finding.related.iter().map(|related| {
            json!({
                "line": related.line,
                "span": [related.span.start, related.span.end],
                "message": related.message,
            })
        });
        let value = json!({
            "version": VERSION,
            "file": linted.name,
            "code": finding.code.number(),
            "name": finding.code.name(),
            "severity": finding.severity.as_str(),
            "message": finding.message,
            "line": finding.line,
            "column": columns.start,
            "end_column": columns.end,
            "span": [finding.span.start, finding.span.end],
            "related": related.collect::<Vec<Value>>(),
            "help": finding.help,
            "fix": finding.fix.as_ref().map(fix_value),
            "profiles": finding.profiles,
        });
        text.push_str(&value.to_string());
        text.push('\n');
    }
    out.print(&text)
}

/// A fix with its effect.
fn fix_value(fix: &Fix) -> Value {
    let mut value = json!({
        "what": fix.what,
        "span": [fix.span.start, fix.span.end],
        "effect": fix.effect.to_string(),
        "changes_verdicts": fix.effect != Effect::None,
        "profiles": fix.profiles,
    });
    put(&mut value, "replacement", &fix.replacement);
    value
}
