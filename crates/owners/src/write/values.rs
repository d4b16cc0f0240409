//! The values of records other than rules, checked.

use std::borrow::Cow;

use robotsieve::internals::typed;
use robotsieve::records::{Kind, Value};
use robotsieve::{Field, Profile, Robots};
use robotsieve_rights::{ContentSignals, ContentUsage, Vocabulary};
use robotsieve_shown::short;

use super::fault::{Fault, Place};

/// The longest value, in bytes.
const MAX_BYTES: usize = 8_000;

/// A record: the name of its field, and its value.
pub(super) type Line = (Cow<'static, str>, String);

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
                Ok(value) => self.push((name.into(), value)),
                Err(message) => self.faults.push(Fault::new(place(number), message)),
            }
        }
    }

    /// Adds lines of fields that have no name here, unless they are there.
    pub(super) fn add_others(&mut self, lines: &[String], place: impl Fn(usize) -> Place) {
        for (number, line) in lines.iter().enumerate() {
            match other(line) {
                Ok(line) => self.push(line),
                Err(message) => self.faults.push(Fault::new(place(number), message)),
            }
        }
    }

    fn push(&mut self, line: Line) {
        if !self.lines.contains(&line) {
            self.lines.push(line);
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

/// A line of another field.
fn other(line: &str) -> Result<Line, String> {
    /// Fields of intentions, by the name of their records.
    const OWN: [(&str, &str); 9] = [
        ("allow", "allow"),
        ("disallow", "disallow"),
        ("sitemap", "sitemap"),
        ("user-agent", "crawlers"),
        ("crawl-delay", "crawl_delay"),
        ("content-signal", "content_signal"),
        ("content-usage", "content_usage"),
        ("host", "host"),
        ("license", "license"),
    ];
    let said = short(line.as_bytes());
    let (name, value) = line.split_once(':').ok_or_else(|| {
        format!(
            "'{said}' is no record: write a name, a colon and a value, as in 'Request-rate: 1/5'"
        )
    })?;
    let name = name.trim();
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    let lower = name.to_ascii_lowercase();
    if let Some((_, field)) = OWN.iter().find(|(own, _)| *own == lower) {
        return Err(format!("'{said}' has a field of its own here: give its value as '{field}'"));
    }
    if !is_name || lower.starts_with("user") || means_more(&lower) {
        return Err(format!(
            "'{said}' has no name that another record can have: letters and '-', and the fields that are \
             described have names of their own"
        ));
    }
    Ok((name.to_owned().into(), checked(name, value)?))
}

/// Returns true if some reader takes the name for that of a rule, a crawler or a sitemap, as google/robotstxt
/// does with `disalow`, and with all names that begin with that of a rule.
fn means_more(name: &str) -> bool {
    let line = format!("{name}: /\n");
    Profile::NAMED.iter().any(|(_, profile)| {
        let robots = Robots::parse(line.as_bytes(), profile);
        robots.records().any(|record| {
            matches!(
                record.field,
                Field::UserAgent | Field::Allow | Field::Disallow | Field::Sitemap
            )
        })
    })
}

/// A value as it is written.
fn checked(name: &str, value: &str) -> Result<String, String> {
    let value = value.trim();
    let said = short(value.as_bytes());
    if value.len() > MAX_BYTES {
        return Err(format!("the value '{said}' is longer than {MAX_BYTES} bytes"));
    }
    if matches!(name, "Sitemap" | "License") {
        return absolute(value).ok_or_else(|| {
            format!(
                "'{said}' is no absolute URL of the web without a fragment: write it like \
                 https://example.com/file.xml, with the host in ASCII"
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
            let example = "write such as 'train-ai=n, search=y'";
            let usage = ContentUsage::of_record(&usage)
                .map_err(|wrong| format!("'{said}': {wrong}; {example}"))?;
            if let Some(note) = usage.notes(Vocabulary::default()).iter().next() {
                return Err(format!(
                    "the preferences '{said}' are not all defined ({}): {example}",
                    note.as_str()
                ));
            }
        }
        _ => {}
    }
    Ok(value.to_owned())
}

/// A URL of the web with what no URL has escaped.
fn absolute(value: &str) -> Option<String> {
    let (scheme, rest) = value.split_once("://")?;
    let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let of_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:[]@%".contains(&byte);
    let is_fine = |c: char| c != '#' && !c.is_control();
    if !is_web || host.is_empty() || !host.bytes().all(of_host) || !rest.chars().all(is_fine) {
        return None;
    }
    let escaped = value.bytes().map(|byte| match byte {
        b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => format!("%{byte:02X}"),
        b'!'..=b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    Some(escaped.collect())
}

/// Seconds as they are written.
pub(super) fn seconds(delay: f64) -> Result<String, String> {
    let text = delay.to_string();
    match typed(Kind::CrawlDelay, text.as_bytes()) {
        Ok(_) => Ok(text),
        Err(wrong) => Err(format!("the crawl delay {delay}: {wrong}")),
    }
}
