//! `Serialize` for records: what serde cannot derive.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::bytes_as_text::BytesAsText;

use super::{InvalidValue, License, Sitemap, TypedRecord};

/// The field's name and the value as written are `field` and `raw`. An invalid value is a message
/// in `error`, any other is in `value`; the other one of these two is `null`.
impl Serialize for TypedRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("TypedRecord", 7)?;
        out.serialize_field("line", &self.record.line)?;
        out.serialize_field("kind", &self.kind)?;
        out.serialize_field("field", &BytesAsText(self.record.name))?;
        out.serialize_field("raw", &BytesAsText(self.record.value))?;
        out.serialize_field("scope", &self.scope)?;
        out.serialize_field("value", &self.value.as_ref().ok())?;
        out.serialize_field("error", &self.value.as_ref().err())?;
        out.end()
    }
}

/// Its message.
impl Serialize for InvalidValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The value as written.
impl Serialize for Sitemap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        BytesAsText(self.as_written()).serialize(serializer)
    }
}

/// The value as written.
impl Serialize for License<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        BytesAsText(self.as_written()).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use crate::{Profile, Robots};

    #[test]
    fn typed_records() {
        let file = b"Sitemap: /s\nUser-agent: *\nCrawl-delay: 2.5\nRequest-rate: often\n\
            Host: http://e.com\nClean-param: a&\xE9 /x\nNoindex: /y\nVisit-time: 0600-0845\n\
            Content-Usage: /y train-ai=n\nContent-Signal: ai-train=no\n";
        let records = Robots::parse(file, &Profile::RFC9309).typed_records();
        let wanted = json!([
            { "line": 1, "kind": "sitemap", "field": "Sitemap", "raw": "/s", "scope": "file",
              "value": { "sitemap": "/s" }, "error": null },
            { "line": 3, "kind": "crawl-delay", "field": "Crawl-delay", "raw": "2.5",
              "scope": { "group": 0 },
              "value": { "crawl-delay": { "secs": 2, "nanos": 500_000_000 } }, "error": null },
            { "line": 4, "kind": "request-rate", "field": "Request-rate", "raw": "often",
              "scope": { "group": 0 }, "value": null,
              "error": records[2].value.as_ref().unwrap_err().to_string() },
            { "line": 5, "kind": "host", "field": "Host", "raw": "http://e.com", "scope": "file",
              "value": { "host": { "scheme": "http", "name": "e.com", "port": null } },
              "error": null },
            { "line": 6, "kind": "clean-param", "field": "Clean-param",
              "raw": [97, 38, 233, 32, 47, 120], "scope": "file",
              "value": { "clean-param": { "params": ["a", [233]], "path": "/x" } },
              "error": null },
            { "line": 7, "kind": "noindex", "field": "Noindex", "raw": "/y",
              "scope": { "group": 0 }, "value": { "noindex": "/y" }, "error": null },
            { "line": 8, "kind": "visit-time", "field": "Visit-time", "raw": "0600-0845",
              "scope": { "group": 0 },
              "value": { "visit-time": { "from_minute": 360, "to_minute": 525 } },
              "error": null },
            { "line": 9, "kind": "content-usage", "field": "Content-Usage", "raw": "/y train-ai=n",
              "scope": { "group": 0 },
              "value": { "content-usage": { "path": "/y", "statement": "train-ai=n" } },
              "error": null },
            { "line": 10, "kind": "content-signal", "field": "Content-Signal",
              "raw": "ai-train=no", "scope": { "group": 0 },
              "value": { "content-signal": { "path": null, "statement": "ai-train=no" } },
              "error": null },
        ]);
        assert_eq!(to_value(&records).unwrap(), wanted);
    }
}
