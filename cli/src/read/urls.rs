//! The URLs of `check` and `explain`: arguments, or lines of standard input.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use robotsieve::Origin;

use super::{stdin, web};
use crate::error::{Failure, Status};
use crate::options::When;
use crate::write::progress::{Bar, Measure};
use crate::write::{bytes, stderr};
use robotsieve_client::lines::{Line, Lines, URL_BYTES};

/// Returns true if the URLs come from standard input. Among other URLs `-` is an (invalid) URL.
pub fn are_on_stdin(urls: &[OsString]) -> bool {
    urls == [OsStr::new("-")]
}

/// The error for a URL that is none, and what to give in its place. `option` is the one that it was
/// given with, if any, such as `--path `.
pub fn invalid(option: &str, url: &[u8]) -> Failure {
    Failure::Usage(format!(
        "{option}'{}' is invalid: give scheme://host/path, or a path that starts with '/'",
        bytes::shown(url)
    ))
}

/// Checks that the URLs and the robots.txt do not both come from standard input.
///
/// # Errors
/// Returns an error if they do.
pub fn not_where_robots_is(urls: &[OsString], robots: &Path) -> Result<(), Failure> {
    let urls = are_on_stdin(urls).then_some(OsStr::new("-"));
    stdin::at_most_once([robots.as_os_str()].into_iter().chain(urls))
}

/// The site of the robots.txt that is asked, where ROBOTS is a URL. What is of another site it does not
/// govern (RFC 9309 §2.3).
#[derive(Debug)]
pub struct Governed {
    /// The key of its origin.
    site: Option<String>,
    is_told: AtomicBool,
}

impl Governed {
    pub fn by(robots: &Path) -> Governed {
        let origin = web::url(robots).and_then(|url| Origin::of(url).ok());
        Governed {
            site: origin.map(|origin| origin.key().to_owned()),
            is_told: AtomicBool::new(false),
        }
    }

    /// Why nothing is known about a URL: it is of another site. `None` for paths, and where ROBOTS is a file.
    pub fn elsewhere(&self, url: &[u8]) -> Option<String> {
        let site = self.site.as_ref()?;
        // A path has no site, and what is invalid is told as that.
        let other = Origin::of(url).ok().filter(|other| other.key() != site)?;
        Some(format!("it is of {}, and this robots.txt is that of {site}", other.key()))
    }

    /// Returns true if a URL is of another site, with a note on standard error for the first such URL.
    #[inline]
    pub fn is_elsewhere(&self, url: &[u8]) -> bool {
        self.site.is_some() && self.noted_elsewhere(url)
    }

    #[cold]
    fn noted_elsewhere(&self, url: &[u8]) -> bool {
        let Some(why) = self.elsewhere(url) else { return false };
        if !self.is_told.swap(true, Ordering::Relaxed) {
            stderr::note(&format_args!(
                "'{}' is not judged: {why}; nor is any other URL of another site",
                bytes::shown(url)
            ));
        }
        true
    }
}

/// Calls `act` with each URL. On standard input a CR at the end of a line is dropped, empty lines
/// are skipped, and so are lines of more than [`URL_BYTES`], whose number is returned.
///
/// # Errors
/// Returns an error if standard input cannot be read or `act` fails.
pub fn each(
    urls: &[OsString],
    progress: When,
    mut act: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    if !are_on_stdin(urls) {
        return urls.iter().try_for_each(|url| act(url.as_encoded_bytes())).map(|()| 0);
    }
    let mut too_long = 0;
    let bar = Bar::new(progress, Measure::Bytes(None));
    let failed = |cause| Failure::io("cannot read standard input", cause);
    let input = stdin::open().map_err(failed)?;
    let mut lines = Lines::of(input.lock(), URL_BYTES);
    while let Some((number, line)) = lines.next_line().map_err(failed)? {
        match line {
            Line::Whole(url) => {
                act(url)?;
                bar.add(url.len() as u64 + 1);
            }
            Line::TooLong(beginning) => {
                too_long += 1;
                if too_long == 1 {
                    stderr::error(&too_long_line("standard input", number, beginning));
                }
            }
        }
    }
    Ok(too_long)
}

/// Says that a line is too long.
pub fn too_long_line(input: &str, number: u64, beginning: &[u8]) -> String {
    format!(
        "{input}, line {number}: longer than {} MiB, so it is skipped as an invalid URL: '{}…'",
        URL_BYTES >> 20,
        bytes::shown(beginning)
    )
}

/// The number of URLs that were disallowed, unknown or invalid.
#[derive(Default)]
pub struct Tally {
    pub disallowed: u64,
    /// URLs of whose site nothing is known.
    pub unknown: u64,
    /// True if URLs need a host.
    pub needs_host: bool,
    invalid: u64,
    first_invalid: String,
    too_long: u64,
}

impl Tally {
    /// Counts an invalid URL.
    pub fn add_invalid(&mut self, url: &[u8]) {
        if self.invalid == 0 {
            self.first_invalid = bytes::shown(url);
        }
        self.invalid += 1;
    }

    /// Counts lines that were too long to be URLs.
    pub fn add_too_long(&mut self, lines: u64) {
        self.too_long += lines;
    }

    /// The exit status; prints an error if there were invalid URLs.
    pub fn status(&self) -> Status {
        if self.too_long > 1 {
            let more = self.too_long - 1;
            let lines = if more == 1 { "line is" } else { "lines are" };
            stderr::error(&format_args!("{more} more {lines} too long"));
        }
        if self.invalid > 0 {
            let first = &self.first_invalid;
            let what = match self.invalid {
                1 => format!("'{first}' is invalid"),
                n => format!("{n} URLs are invalid, the first is '{first}'"),
            };
            stderr::error(&if self.needs_host {
                format!("{what}: with a store a URL is scheme://host/path")
            } else {
                let host = first.split('/').next().unwrap_or_default();
                // With a scheme, neither the scheme nor the slash is missing.
                let meant = if host.contains(':') {
                    String::new()
                } else {
                    let start = if host.contains('.') { "https://" } else { "/" };
                    format!("; did you mean '{start}{first}'?")
                };
                format!(
                    "{what}: a URL is scheme://host/path, or a path that starts with '/' (with \
                     --profile google anything is a URL){meant}"
                )
            });
            Status::Usage
        } else if self.too_long > 0 {
            Status::Usage
        } else if self.disallowed > 0 || self.unknown > 0 {
            Status::No
        } else {
            Status::Done
        }
    }
}
