//! Captures as lines of JSON.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::{Faults, Fields, Source, time_of};
use crate::captures::{At, Place};
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
                    faults.add(&format_args!(
                        "{} breaks off: {cause}; the rest of it is",
                        inputs::shown(&self.name)
                    ));
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
    let members: Members<'_> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let body = match (members.body, members.body_base64) {
        (Some(_), Some(_)) => return Err("it has both 'body' and 'body_base64'".to_owned()),
        (Some(body), None) => body.into_owned().into_bytes(),
        (None, Some(body)) => {
            STANDARD.decode(&*body).map_err(|error| format!("'body_base64': {error}"))?
        }
        (None, None) if (200..300).contains(&members.status) => {
            return Err("a file without 'body' or 'body_base64'".to_owned());
        }
        (None, None) => Vec::new(),
    };
    let at = match members.time {
        None => None,
        Some(Time::Seconds(seconds)) => Some(seconds),
        Some(Time::Text(text)) => {
            Some(time_of(&text).ok_or_else(|| format!("'{text}' is no time"))?)
        }
    };
    let location = members.location.as_deref();
    let fields = Fields { url: &members.url, status: members.status, body, at, location };
    fields.capture(place).map(Input::Capture)
}
