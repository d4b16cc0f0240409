//! The JSON Schema of the reports: those of this crate, and those of `robotsieve-report`.

use robotsieve_report::{
    CompareReport, DiffReport, ExplainReport, FixReport, LintReport, RecordsReport, SCHEMA,
};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::audit::AuditReport;
use crate::reach::{KnownReport, ReachReport};
use crate::test::TestReport;
use crate::write::BuildReport;

/// The types of the documents. Everything else that they have follows.
fn add_roots(generator: &mut SchemaGenerator) -> Vec<Value> {
    macro_rules! roots {
        ($($root:ty),* $(,)?) => { vec![$(generator.subschema_for::<$root>().into()),*] };
    }
    roots![
        ExplainReport,
        CompareReport,
        LintReport,
        FixReport,
        DiffReport,
        RecordsReport,
        ReachReport,
        KnownReport,
        BuildReport,
        TestReport,
        AuditReport,
    ]
}

/// The schema of all documents.
#[must_use]
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let roots = add_roots(&mut generator);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "description": "The reports of robotsieve: what the command prints with --format json, what \
            to_dict() returns in Python, and the objects of the npm package. A span has the offset of \
            the first byte and that of the one after the last. Where the bytes of a member X are not \
            UTF-8, X has U+FFFD for those that are not, and a second member X_base64 has all of them. \
            Members may be added without a new version.",
        "oneOf": roots,
        "$defs": Value::Object(generator.take_definitions(true)),
    });
    tidy(&mut schema);
    schema
}

/// Removes what only says how Rust holds a number, and what only rustdoc reads.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("format");
            if let Some(Value::String(text)) = members.get_mut("description") {
                let links = text.replace("[`", "`").replace("`]", "`");
                let paragraphs = links.split("\n\n").map(|text| text.replace('\n', " "));
                *text = paragraphs.collect::<Vec<_>>().join("\n\n");
            }
            members.values_mut().for_each(tidy);
        }
        Value::Array(all) => all.iter_mut().for_each(tidy),
        _ => {}
    }
}
