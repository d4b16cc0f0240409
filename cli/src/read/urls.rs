//! The URLs of `check` and `explain`: arguments, or lines of standard input.

use std::ffi::{OsStr, OsString};
use std::io::BufRead;
use std::path::Path;

use super::stdin;
use crate::error::{Failure, Status};
use crate::options::When;
use crate::write::progress::{Bar, Measure};
use crate::write::{bytes, stderr};

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
    let failed = |cause| Failure::io("cannot read standard input", cause);
    let input = stdin::open().map_err(failed)?;
    for line in input.lock().split(b'\n') {
        let line = line.map_err(failed)?;
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
    invalid: u64,
    first_invalid: String,
}

impl Tally {
    /// Counts an invalid URL.
    pub fn add_invalid(&mut self, url: &[u8]) {
        if self.invalid == 0 {
            self.first_invalid = bytes::shown(url);
        }
        self.invalid += 1;
    }

    /// The exit status; prints an error if there were invalid URLs.
    pub fn status(&self) -> Status {
        if self.invalid > 0 {
            let first = &self.first_invalid;
            let what = match self.invalid {
                1 => format!("'{first}' is invalid"),
                n => format!("{n} URLs are invalid, the first is '{first}'"),
            };
            stderr::error(&format_args!(
                "{what}: a URL is scheme://host/path, or a path that starts with \
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
