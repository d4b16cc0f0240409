//! The logs, one after another, in blocks of lines.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;
use std::slice;
use std::sync::Arc;

use robotsieve_owners::audit::{Block, Log, LogFormat};

use super::lines::{Lines, Next};
use crate::read::{inputs, robots_file};
use crate::write::report::Report;

/// The logs named on the command line.
pub struct Input<'r> {
    names: slice::Iter<'r, OsString>,
    /// `None`: each log's is told by its first lines.
    format: Option<LogFormat>,
    current: Option<Current<'r>>,
    /// The number of blocks that were given.
    given: u64,
    /// The names of those of which nothing, or not all, could be read.
    unread: Vec<String>,
    /// True if lines are not kept waiting for more.
    is_live: bool,
    errors: Arc<Report>,
}

/// A log that is being read.
struct Current<'r> {
    name: &'r OsString,
    log: Log,
    lines: Lines<Box<dyn Read + Send>>,
}

impl<'r> Input<'r> {
    /// If it `is_live`, lines are not kept waiting for more, once the format of their log is known.
    pub fn new(
        names: &'r [OsString],
        format: Option<LogFormat>,
        is_live: bool,
        errors: Arc<Report>,
    ) -> Input<'r> {
        let names = names.iter();
        Input { names, format, current: None, given: 0, unread: Vec::new(), is_live, errors }
    }

    /// The names of the logs of which nothing, or not all, could be read.
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// The next block, with its number, counted from 0. `None` at the end of all logs. `buffer` is for its
    /// lines.
    ///
    /// A log that cannot be read, breaks off, or has no known format is reported.
    pub fn next<'b>(&mut self, buffer: &'b mut Vec<u8>) -> Option<(u64, Block<'b>)> {
        loop {
            let Some(current) = &mut self.current else {
                self.current = Some(self.open_next()?);
                continue;
            };
            let number = self.given;
            let is_live = self.is_live && current.log.has_format();
            let next = current.lines.next(buffer, is_live).unwrap_or_else(|cause| {
                let name = inputs::shown(current.name);
                self.errors.error(&format_args!("{name} breaks off: {cause}"));
                self.unread.push(log_name(current.name));
                Next::End
            });
            match next {
                Next::Lines => {
                    self.given += 1;
                    return Some((number, current.log.block(buffer)));
                }
                Next::TooLong => {
                    self.given += 1;
                    return Some((number, current.log.too_long()));
                }
                Next::End => {
                    if !current.log.is_told() {
                        let why = match current.log.is_utf16() {
                            true => "it is UTF-16: convert it, as with 'iconv -f UTF-16 -t UTF-8'",
                            false => {
                                "it is not combined, common, the W3C's, HAProxy's, Envoy's, that of ALB or S3, or JSON with \
                                 the usual names; describe it with --format-string"
                            }
                        };
                        let name = inputs::shown(current.name);
                        self.errors.error(&format_args!("cannot tell the format of {name}: {why}"));
                    }
                    self.current = None;
                }
            }
        }
    }

    /// The next log that can be opened.
    fn open_next(&mut self) -> Option<Current<'r>> {
        loop {
            let name = self.names.next()?;
            match inputs::open(name, &self.errors) {
                Ok(bytes) => {
                    let log = Log::new(&log_name(name), self.format.clone());
                    return Some(Current { name, log, lines: Lines::new(bytes) });
                }
                Err(cause) => {
                    self.errors.error(&cannot_read(name, &cause));
                    self.unread.push(log_name(name));
                }
            }
        }
    }
}

/// Says that a log cannot be read.
fn cannot_read(name: &OsStr, cause: &io::Error) -> String {
    let advice = match cause.kind() {
        io::ErrorKind::NotFound => {
            "; give the path of the log, or pipe the log to standard input, which is '-'"
        }
        _ => "",
    };
    format!("cannot read {}: {cause}{advice}", inputs::shown(name))
}

/// The name of a log in the report.
fn log_name(name: &OsStr) -> String {
    robots_file::shown(Path::new(name))
}
