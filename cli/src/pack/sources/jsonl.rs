//! Captures as lines of JSON.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robotsieve_client::captures::{At, Fields, Place};
use serde::Deserialize;
use serde_json::Value;

use super::{Faults, Source, time_of};
use crate::error::Failure;
use crate::options::When;
use crate::pack::gather::Input;
use crate::read::inputs;
use crate::read::lines::{Line, Lines};
use crate::write::report::Report;

/// The longest line: room for a body of 64 MiB, written with escapes or in base64.
const LINE_BYTES: usize = 128 << 20;

/// The lines of a file.
pub struct Jsonl {
    name: OsString,
    file: Arc<Path>,
    lines: Option<Lines<BufReader<Box<dyn Read + Send>>>>,
}

/// A line.
#[derive(Debug, Deserialize)]
struct Members<'l> {
    #[serde(borrow)]
    url: Cow<'l, str>,
    status: u16,
    #[serde(borrow, default)]
    body: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    body_base64: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    time: Option<Time<'l>>,
    #[serde(borrow, default)]
    location: Option<Cow<'l, str>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Time<'l> {
    Seconds(u64),
    /// As clocks of programs give it.
    Fraction(f64),
    #[serde(borrow)]
    Text(Cow<'l, str>),
}

impl Jsonl {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// Returns an error if that cannot be done.
    pub fn open(name: &OsStr) -> Result<Jsonl, Failure> {
        let report = Arc::new(Report::new(When::Never, &[]));
        let bytes = inputs::open(name, &report)
            .map_err(|cause| Failure::io(format!("cannot read {}", inputs::shown(name)), cause))?;
        let lines = Some(Lines::of(BufReader::with_capacity(1 << 18, bytes), LINE_BYTES));
        Ok(Jsonl { name: name.to_owned(), file: Arc::from(Path::new(name)), lines })
    }
}

impl Source for Jsonl {
    fn next(&mut self, faults: &Faults) -> Option<Input> {
        loop {
            let next = self.lines.as_mut()?.next();
            let wrong = |number: u64, what: &str| {
                faults.add(&format_args!("{}, line {number}: {what}", inputs::shown(&self.name)));
            };
            match next {
                Ok(None) => {
                    self.lines = None;
                    return None;
                }
                Err(cause) => {
                    faults.breaks_off(&inputs::shown(&self.name), &cause);
                    self.lines = None;
                    return None;
                }
                Ok(Some((number, Line::TooLong(_)))) => {
                    wrong(number, &format!("longer than {} MiB", LINE_BYTES >> 20));
                }
                Ok(Some((number, Line::Whole(line)))) => {
                    let place = Place { file: Arc::clone(&self.file), at: At::Line(number) };
                    match capture(line, place) {
                        Ok(input) => return Some(input),
                        Err(what) => wrong(number, &what),
                    }
                }
            }
        }
    }
}

fn capture(line: &[u8], place: Place) -> Result<Input, String> {
    let members: Members<'_> =
        serde_json::from_slice(line).map_err(|error| what_is_wrong(line, &error))?;
    let body = match (members.body, members.body_base64) {
        (Some(_), Some(_)) => return Err("it has both 'body' and 'body_base64'".to_owned()),
        (Some(body), None) => body.into_owned().into_bytes(),
        (None, Some(body)) => STANDARD.decode(&*body).map_err(|_| {
            "'body_base64' is no base64 (RFC 4648, section 4, with padding)".to_owned()
        })?,
        (None, None) if (200..300).contains(&members.status) => {
            return Err(format!(
                "'status' is {}, but it has no 'body' or 'body_base64'; an empty file is \"\"",
                members.status
            ));
        }
        (None, None) => Vec::new(),
    };
    let at = match members.time {
        None => None,
        Some(Time::Seconds(seconds)) => Some(seconds),
        Some(Time::Fraction(seconds)) if seconds >= 0.0 => Some(seconds as u64),
        Some(Time::Fraction(seconds)) => {
            return Err(format!("'time' is before 1970, {seconds}; {} is expected", Fields::TIME));
        }
        Some(Time::Text(text)) => Some(time_of(&text)?),
    };
    let location = members.location.as_deref();
    let fields = Fields { url: &members.url, status: members.status, body, at, location };
    fields.capture(place).map(Input::Capture)
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
        Ok(other) => return format!("it is {}, not a JSON object", kind(&other)),
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
            return format!("'{name}' is {}; {expected} is expected", kind(value));
        }
    }
    format!("one of its members is there twice (see column {})", error.column())
}

/// A value, or what kind of value it is if that may be long.
fn kind(value: &Value) -> String {
    match value {
        Value::String(text) if text.len() <= 20 => format!("the text {value}"),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        short => short.to_string(),
    }
}
