//! The values of records other than rules, checked.

use url::Url;

use super::fault::{Fault, Place};
use crate::read::fields::{Kind, Value, typed};
use crate::rights::{ContentSignals, ContentUsage};
use crate::shown::short;

/// The longest value, in bytes.
const MAX_BYTES: usize = 8_000;

/// A record: the name of its field, and its value.
pub(super) type Line = (&'static str, String);

/// Lines made of values, and what is wrong with the others.
pub(super) struct Values<'f> {
    pub(super) lines: Vec<Line>,
    faults: &'f mut Vec<Fault>,
}

impl<'f> Values<'f> {
    pub(super) fn new(faults: &'f mut Vec<Fault>) -> Values<'f> {
        Values { lines: Vec::new(), faults }
    }

    /// Adds a line for each value of a field, unless it is there.
    pub(super) fn add(
        &mut self,
        name: &'static str,
        values: &[String],
        place: impl Fn(usize) -> Place,
    ) {
        for (number, value) in values.iter().enumerate() {
            match checked(name, value) {
                Ok(value) if self.lines.contains(&(name, value.clone())) => {}
                Ok(value) => self.lines.push((name, value)),
                Err(message) => self.faults.push(Fault::new(place(number), message)),
            }
        }
    }
}

/// The lines of a comment, each with its `#`.
pub(super) fn comment(text: &str) -> Result<Vec<String>, String> {
    let line = |line: &str| {
        let line = line.trim_end();
        if line.chars().any(|c| c != '\t' && c.is_control()) {
            return Err(format!(
                "the comment '{}' has a control character",
                short(line.as_bytes())
            ));
        }
        Ok(if line.is_empty() { "#".to_owned() } else { format!("# {line}") })
    };
    if text.len() > MAX_BYTES {
        return Err(format!("a comment is longer than {MAX_BYTES} bytes"));
    }
    text.trim_end().lines().map(line).collect()
}

/// A value as it is written.
fn checked(name: &'static str, value: &str) -> Result<String, String> {
    let value = value.trim();
    let said = short(value.as_bytes());
    if value.len() > MAX_BYTES {
        return Err(format!("the value '{said}' is longer than {MAX_BYTES} bytes"));
    }
    if matches!(name, "Sitemap" | "License") {
        return absolute(value).ok_or_else(|| {
            format!(
                "'{said}' is no absolute URL of the web without a fragment: write it like \
                 https://example.com/file.xml"
            )
        });
    }
    // What follows a '#' would be a comment.
    if value.chars().any(|c| c == '#' || !(' '..='~').contains(&c)) {
        return Err(format!(
            "'{said}' has a character that cannot stand in this record: write it as %XX"
        ));
    }
    let kind = Kind::of_field(name.as_bytes());
    let read = typed(kind, value.as_bytes()).map_err(|wrong| format!("'{said}': {wrong}"))?;
    match read {
        Value::ContentSignal(signals) => {
            let notes = ContentSignals::parse(signals.statement).notes();
            if let Some(note) = notes.iter().next() {
                return Err(format!(
                    "the signals '{said}' are not all defined ({}): write such as 'search=yes, \
                     ai-input=yes, ai-train=no, use=reference'",
                    note.as_str()
                ));
            }
        }
        Value::ContentUsage(usage) => {
            ContentUsage::of_record(&usage).map_err(|wrong| {
                format!("'{said}': {wrong}; write such as 'train-ai=n, search=y'")
            })?;
        }
        _ => {}
    }
    Ok(value.to_owned())
}

/// A URL in the form of a link, if it is one of the web.
fn absolute(value: &str) -> Option<String> {
    let url = Url::parse(value).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    (is_web && url.fragment().is_none()).then(|| url.into())
}

/// Seconds as they are written.
pub(super) fn seconds(delay: f64) -> Result<String, String> {
    let text = delay.to_string();
    match typed(Kind::CrawlDelay, text.as_bytes()) {
        Ok(_) => Ok(text),
        Err(wrong) => Err(format!("the crawl delay {delay}: {wrong}")),
    }
}
