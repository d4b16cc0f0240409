//! Captures as lines of JSON.

use std::ffi::{OsStr, OsString};
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use robotsieve_captures::packs::GatherInput;
use robotsieve_captures::{At, RecordPlace, capture_of_json};

use super::source::{CaptureSource, Faults};
use crate::error::Failure;
use crate::options::When;
use crate::read::inputs;
use crate::write::report::Report;
use robotsieve_client::lines::{Line, Lines};

/// The longest line: room for a body of 64 MiB, written with escapes or in base64.
const LINE_BYTES: usize = 128 << 20;

/// The lines of a file.
pub struct Jsonl {
    name: OsString,
    file: Arc<Path>,
    lines: Option<Lines<BufReader<Box<dyn Read + Send>>>>,
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

impl CaptureSource for Jsonl {
    fn next(&mut self, faults: &Faults) -> Option<GatherInput> {
        loop {
            let next = self.lines.as_mut()?.next_line();
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
                    let place = RecordPlace { file: Arc::clone(&self.file), at: At::Line(number) };
                    match capture_of_json(line, place) {
                        Ok(capture) => return Some(GatherInput::Capture(capture)),
                        Err(what) => wrong(number, &what),
                    }
                }
            }
        }
    }
}
