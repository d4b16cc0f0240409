//! Compares the rights of a case with what is expected of it. The command's tests use it too.

use std::collections::BTreeSet;

use serde_json::Value;

/// What differs from the document that is expected.
pub fn differences(expected: &Value, found: &Value) -> Vec<String> {
    let keys = |value: &Value| {
        value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect::<BTreeSet<_>>()
    };
    let mut differences = Vec::new();
    for key in keys(expected).union(&keys(found)) {
        let (wanted, got) = (comparable(&expected[key]), comparable(&found[key]));
        let is_so = match (key.as_str(), &wanted, &got) {
            ("notes", Some(Compared::Set(wanted)), Some(Compared::Set(got))) => {
                wanted.is_subset(got)
            }
            ("notes", None, _) => true,
            _ => wanted == got,
        };
        if !is_so {
            differences.push(format!("{key}: {wanted:?}, not {got:?}"));
        }
    }
    differences
}

/// A value in a form in which order does not count.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Compared {
    Simple(String),
    Set(BTreeSet<Compared>),
    Map(Vec<(String, Compared)>),
}

/// `None` if it is empty.
fn comparable(value: &Value) -> Option<Compared> {
    match value {
        Value::Null => None,
        Value::Array(values) => {
            let all: BTreeSet<_> = values.iter().filter_map(comparable).collect();
            (!all.is_empty()).then_some(Compared::Set(all))
        }
        Value::Object(map) => {
            let all = map.iter().filter_map(|(key, value)| Some((key.clone(), comparable(value)?)));
            let mut all: Vec<_> = all.collect();
            all.sort_unstable();
            (!all.is_empty()).then_some(Compared::Map(all))
        }
        simple => Some(Compared::Simple(simple.to_string())),
    }
}
