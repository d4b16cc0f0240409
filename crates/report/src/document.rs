//! What every document has.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use robotsieve_shown::shown;
use serde::Serialize;

/// The value of the member `schema` of every report. The number rises when a member is removed or
/// changes its meaning, but not when one is added.
pub const SCHEMA: &str = "robotsieve-report-1";

/// The value of the member `tool_version` of every report.
pub const TOOL_VERSION: &str = env!("CARGO_PKG_VERSION");

/// A sentence of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Sentence {
    /// Without a full stop, and with a small letter first unless a name begins it.
    pub text: String,
    /// The line of the file that it is about, if it is about one.
    pub line: Option<u32>,
}

impl Sentence {
    /// A sentence about a line, or about none.
    #[must_use]
    pub fn new(text: impl Into<String>, line: Option<u32>) -> Sentence {
        Sentence { text: text.into(), line }
    }
}

/// Bytes for two members of a report: the text, and base64 if they are not UTF-8.
#[must_use]
pub fn text(bytes: &[u8]) -> (String, Option<String>) {
    match str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), Some(STANDARD.encode(bytes))),
    }
}

/// A list of bytes for two members of a report: the texts, and if not all are UTF-8, all of them
/// in base64.
#[must_use]
pub fn texts<B: AsRef<[u8]>>(all: &[B]) -> (Vec<String>, Option<Vec<String>>) {
    let texts = all.iter().map(|bytes| String::from_utf8_lossy(bytes.as_ref()).into_owned());
    let is_text = all.iter().all(|bytes| str::from_utf8(bytes.as_ref()).is_ok());
    let base64 = || all.iter().map(|bytes| STANDARD.encode(bytes.as_ref())).collect();
    (texts.collect(), (!is_text).then(base64))
}

/// The bytes of two such members. Bad base64 counts as none.
#[must_use]
pub fn bytes(text: &str, base64: Option<&str>) -> Vec<u8> {
    let decoded = base64.and_then(|base64| STANDARD.decode(base64).ok());
    decoded.unwrap_or_else(|| text.as_bytes().to_vec())
}

/// [`shown`] for two members of a report.
#[must_use]
pub fn shown_text(text: &str, base64: Option<&str>) -> String {
    shown(&bytes(text, base64))
}

/// A span as reports write it.
#[must_use]
pub fn span(span: &Range<usize>) -> [usize; 2] {
    [span.start, span.end]
}

/// `1 rule`, `2 rules`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
