//! SARIF 2.1.0 logs (Static Analysis Results Interchange Format, OASIS): what all of them have in
//! common.

use serde_json::{Value, json};

use robotsieve_report::Columns;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A whole log. `complete` says whether everything could be read.
pub fn log(rules: &[Value], results: &[Value], complete: bool) -> String {
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "robotsieve",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": complete }],
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// A line of a file, or a part of it.
pub fn location(file: &str, line: u64, columns: Option<Columns>) -> Value {
    let mut region = json!({ "startLine": line });
    if let Some(Columns { start, end }) = columns {
        region["startColumn"] = json!(start);
        region["endColumn"] = json!(end);
    }
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(file) },
        "region": region,
    } })
}

/// The name of a rule in the form that SARIF requires.
pub fn pascal_case(name: &str) -> String {
    let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    name.split('-').map(word).collect()
}

/// A path as a URI reference. An absolute one becomes a `file:` URI.
pub fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    // A colon in the first segment would look like the end of a scheme.
    for byte in path.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
        if plain {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris() {
        assert_eq!(uri("a b/c:d.txt"), "a%20b/c%3Ad.txt");
        assert_eq!(uri("/x/é"), "file:///x/%C3%A9");
    }

    #[test]
    fn names() {
        assert_eq!(pascal_case("never-wins"), "NeverWins");
    }
}
