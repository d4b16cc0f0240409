//! What a command that reads inputs says on standard error while it runs.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use robotsieve::Profile;
use robotsieve_client::sieve::watch::Watch;

use super::progress::{Bar, Measure};
use super::screen::When;
use super::stderr;
use crate::error::Status;

/// Errors, notes and the progress bar, shared by all threads.
pub struct Report {
    start: Instant,
    /// True if something could not be read.
    failed: AtomicBool,
    /// The number of lines that were too long to be URLs.
    long_lines: AtomicU64,
    /// The number of those which were judged as invalid ones all the same.
    judged_long_lines: AtomicU64,
    /// The number of robots.txt files that are longer than the profile's limit.
    cut_files: AtomicU64,
    bar: Bar,
}

/// The number of messages of one kind are printed before the rest is only counted.
pub const MOST_ALIKE: u64 = 3;

impl Report {
    /// The bar shows how much of `inputs` was read, if their sizes are known.
    pub fn new(progress: When, inputs: &[OsString]) -> Report {
        Report::with(Bar::new(progress, Measure::Bytes(total_bytes(inputs))))
    }

    /// The bar shows how many of the sites that were read are known.
    pub fn of_sites(progress: When, watch: &Arc<Watch>) -> Report {
        Report::with(Bar::of_sites(progress, watch))
    }

    fn with(bar: Bar) -> Report {
        Report {
            start: Instant::now(),
            failed: AtomicBool::new(false),
            long_lines: AtomicU64::new(0),
            judged_long_lines: AtomicU64::new(0),
            cut_files: AtomicU64::new(0),
            bar,
        }
    }

    /// Counts bytes that were read from an input.
    pub fn read(&self, bytes: usize) {
        self.bar.add(bytes as u64);
    }

    /// Prints what could not be read, and makes the exit status say so.
    pub fn error(&self, message: &dyn Display) {
        self.failed.store(true, Ordering::Relaxed);
        stderr::error(message);
    }

    /// Counts a line that was skipped because it is too long, and prints the message about it if it
    /// is one of the first.
    pub fn long_line(&self, message: &dyn Display) {
        if self.long_lines.fetch_add(1, Ordering::Relaxed) < MOST_ALIKE {
            stderr::note(message);
        }
    }

    /// [`Report::long_line`] for a line that is passed on, and is counted as invalid by who judges it.
    pub fn long_line_judged(&self, message: &dyn Display) {
        self.judged_long_lines.fetch_add(1, Ordering::Relaxed);
        self.long_line(message);
    }

    /// Notes that a robots.txt is longer than the profile's limit, if it is one of the first.
    pub fn cut_file(&self, name: &dyn Display, bytes: usize, profile: &Profile) {
        let Some(limit) = profile.size_limit.filter(|limit| *limit < bytes) else { return };
        if self.cut_files.fetch_add(1, Ordering::Relaxed) < MOST_ALIKE {
            stderr::note(&format_args!(
                "the robots.txt of {name} has {bytes} bytes, of which only the first {limit} count: \
                 that is the size limit of profile {}; --profile google has none",
                profile.name().unwrap_or("custom"),
            ));
        }
    }

    /// The number of lines that were skipped because they are too long.
    pub fn long_lines(&self) -> u64 {
        self.long_lines.load(Ordering::Relaxed)
    }

    /// The number of those that nobody judges.
    pub fn unjudged_long_lines(&self) -> u64 {
        self.long_lines() - self.judged_long_lines.load(Ordering::Relaxed)
    }

    /// Returns true if [`Report::error`] was called.
    pub fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Removes the bar and returns the exit status.
    pub fn end(&self) -> Status {
        self.bar.end();
        if let Some(more) = self.long_lines().checked_sub(MOST_ALIKE).filter(|more| *more > 0) {
            stderr::note(&format_args!("{more} more lines were skipped because they are too long"));
        }
        let cut = self.cut_files.load(Ordering::Relaxed);
        if let Some(more) = cut.checked_sub(MOST_ALIKE).filter(|more| *more > 0) {
            stderr::note(&format_args!(
                "{more} more robots.txt files are longer than the profile's size limit"
            ));
        }
        if self.failed() { Status::Failed } else { Status::Done }
    }
}

/// The size of all inputs in bytes, if all of them are files.
fn total_bytes(inputs: &[OsString]) -> Option<u64> {
    let size = |name: &OsString| {
        let found = fs::metadata(name).ok().filter(|_| name != "-")?;
        found.is_file().then_some(found.len())
    };
    if inputs.is_empty() { None } else { inputs.iter().map(size).sum() }
}
