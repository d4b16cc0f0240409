//! Captures as lines of JSON.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robotsieve_client::internals::has_file;
use serde::Deserialize;
use serde_json::Value;

use super::capture::{Capture, RecordPlace};
use super::fields::{Fields, time_of};

/// A line.
#[derive(Debug, Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    url: Cow<'l, str>,
    status: u16,
    #[serde(borrow, default)]
    body: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    body_base64: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    time: Option<LineTime<'l>>,
    #[serde(borrow, default)]
    location: Option<Cow<'l, str>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum LineTime<'l> {
    Seconds(u64),
    /// As clocks of programs give it.
    Fraction(f64),
    #[serde(borrow)]
    Text(Cow<'l, str>),
}

/// The capture in a line: an object with `url`, `status`, `body` or `body_base64`, `time` and
/// `location`.
///
/// # Errors
/// Returns what is wrong with the line.
pub fn capture_of_json(line: &[u8], place: RecordPlace) -> Result<Capture, String> {
    let members: Line<'_> =
        serde_json::from_slice(line).map_err(|error| what_is_wrong(line, &error))?;
    let body = match (members.body, members.body_base64) {
        (Some(_), Some(_)) => return Err("it has both 'body' and 'body_base64'".to_owned()),
        (Some(body), None) => body.into_owned().into_bytes(),
        (None, Some(body)) => STANDARD.decode(&*body).map_err(|_| {
            "'body_base64' is no base64 (RFC 4648, section 4, with padding)".to_owned()
        })?,
        (None, None) if has_file(members.status) => {
            return Err(format!(
                "'status' is {}, but it has no 'body' or 'body_base64'; an empty file is \"\"",
                members.status
            ));
        }
        (None, None) => Vec::new(),
    };
    let at = match members.time {
        None => None,
        Some(LineTime::Seconds(seconds)) => Some(seconds),
        Some(LineTime::Fraction(seconds)) if seconds >= 0.0 => Some(seconds as u64),
        Some(LineTime::Fraction(seconds)) => {
            return Err(format!("'time' is before 1970, {seconds}; {} is expected", Fields::TIME));
        }
        Some(LineTime::Text(text)) => Some(time_of(&text)?),
    };
    let location = members.location.as_deref();
    let fields = Fields { url: &members.url, status: members.status, body, at, location };
    fields.capture(place)
}

/// The members with what is expected of them, and whether they must be there.
const MEMBERS: [(&str, &str, bool); 6] = [
    ("url", Fields::URL, true),
    ("status", Fields::STATUS, true),
    ("body", "text", false),
    ("body_base64", "text", false),
    ("time", Fields::TIME, false),
    ("location", "text", false),
];

/// Why a line could not be read, for people who never heard of the parser.
fn what_is_wrong(line: &[u8], error: &serde_json::Error) -> String {
    let object = match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => object,
        Ok(other) => return format!("it is {}, not a JSON object", kind_of(&other)),
        Err(error) if error.is_eof() => return "its JSON has no end".to_owned(),
        Err(error) => return format!("it is no JSON object: see column {}", error.column()),
    };
    for (name, expected, is_required) in MEMBERS {
        let value = match object.get(name) {
            Some(Value::Null) | None if !is_required => continue,
            Some(value) => value,
            None => return format!("it has no '{name}': {expected} is expected"),
        };
        let is_right = match name {
            "status" => value.as_u64().is_some_and(|status| u16::try_from(status).is_ok()),
            "time" => value.is_number() || value.is_string(),
            _ => value.is_string(),
        };
        if !is_right {
            return format!("'{name}' is {}; {expected} is expected", kind_of(value));
        }
    }
    format!("one of its members is there twice (see column {})", error.column())
}

/// A value, or what kind of value it is if that may be long.
fn kind_of(value: &Value) -> String {
    match value {
        Value::String(text) if text.len() <= 20 => format!("the text {value}"),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        short => short.to_string(),
    }
}
