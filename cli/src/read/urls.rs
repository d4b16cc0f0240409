//! The URLs of `check` and `explain`: arguments, or lines of standard input.

use std::ffi::{OsStr, OsString};
use std::io::BufRead;
use std::path::Path;

use super::stdin;
use crate::error::{Failure, Status};
use crate::options::When;
use crate::write::progress::{Bar, Measure};
use crate::write::stderr;

/// Whether the URLs come from standard input. Among other URLs `-` is an (invalid) URL.
pub fn are_on_stdin(urls: &[OsString]) -> bool {
    urls == [OsStr::new("-")]
}

/// Checks that the URLs and the robots.txt do not both come from standard input.
///
/// # Errors
/// Returns an error if they do.
pub fn not_where_robots_is(urls: &[OsString], robots: &Path) -> Result<(), Failure> {
    let urls = are_on_stdin(urls).then_some(OsStr::new("-"));
    stdin::at_most_once([robots.as_os_str()].into_iter().chain(urls))
}

/// Calls `act` with each URL. On standard input a CR at the end of a line is dropped, and empty
/// lines are skipped.
///
/// # Errors
/// Returns an error if standard input cannot be read or `act` fails.
pub fn each(
    urls: &[OsString],
    progress: When,
    mut act: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if !are_on_stdin(urls) {
        return urls.iter().try_for_each(|url| act(url.as_encoded_bytes()));
    }
    let bar = Bar::new(progress, Measure::Bytes(None));
    for line in stdin::open().lock().split(b'\n') {
        let line = line.map_err(|cause| Failure::io("cannot read standard input", cause))?;
        let url = line.strip_suffix(b"\r").unwrap_or(&line);
        if !url.is_empty() {
            act(url)?;
        }
        bar.add(line.len() as u64 + 1);
    }
    Ok(())
}

/// How many URLs were disallowed or invalid.
#[derive(Default)]
pub struct Tally {
    pub disallowed: u64,
    pub invalid: u64,
}

impl Tally {
    /// The exit status; prints an error if there were invalid URLs.
    pub fn status(&self) -> Status {
        if self.invalid > 0 {
            let (number, are) = match self.invalid {
                1 => ("1 URL".to_owned(), "is"),
                n => (format!("{n} URLs"), "are"),
            };
            stderr::error(&format_args!(
                "{number} {are} invalid: a URL is scheme://host/path, or a path that starts with \
                 '/' (with --profile google anything is a URL)"
            ));
            Status::Usage
        } else if self.disallowed > 0 {
            Status::No
        } else {
            Status::Done
        }
    }
}
