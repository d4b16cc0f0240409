//! The URLs of `check` and `explain`: given as arguments, or one a line on standard input.

use std::ffi::{OsStr, OsString};
use std::io::BufRead;
use std::path::Path;

use crate::args::Progress;
use crate::error::{Failure, Status, say};
use crate::read::stdin;
use crate::write::progress::{Bar, Measure};

/// Whether the URLs come from standard input. Among others a `-` is no URL.
fn are_on_stdin(urls: &[OsString]) -> bool {
    urls == [OsStr::new("-")]
}

/// # Errors
/// Both the URLs and the robots.txt are to come from standard input.
pub fn not_where_robots_is(urls: &[OsString], robots: &Path) -> Result<(), Failure> {
    let urls = are_on_stdin(urls).then_some(OsStr::new("-"));
    stdin::at_most_once([robots.as_os_str()].into_iter().chain(urls))
}

/// Calls `act` with one URL after another. A CR at the end of a line is dropped, and empty lines
/// are passed over.
///
/// # Errors
/// Standard input cannot be read, and what `act` fails with.
pub fn each(
    urls: &[OsString],
    progress: Progress,
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

/// How the verdicts went.
#[derive(Default)]
pub struct Tally {
    pub disallowed: u64,
    pub invalid: u64,
}

impl Tally {
    /// What that comes to; tells the user about what is no URL.
    pub fn status(&self) -> Status {
        if self.invalid > 0 {
            say(&format_args!(
                "{} of the URLs: neither scheme://authority… nor a path that begins with '/' \
                 (marked 'invalid'); with --profile google no URL is invalid",
                self.invalid
            ));
            Status::Usage
        } else if self.disallowed > 0 {
            Status::Disallowed
        } else {
            Status::Done
        }
    }
}
