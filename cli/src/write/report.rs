//! What a command that reads inputs says on standard error while it runs.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::progress::{Bar, Measure};
use super::stderr;
use crate::error::Status;
use crate::options::When;
use crate::read::stdin;

/// Errors, notes and the progress bar, shared by all threads.
pub struct Report {
    start: Instant,
    /// Whether something could not be read.
    failed: AtomicBool,
    bar: Bar,
}

impl Report {
    /// The bar shows how much of `inputs` was read, if their sizes are known.
    pub fn new(progress: When, inputs: &[OsString]) -> Report {
        Report {
            start: Instant::now(),
            failed: AtomicBool::new(false),
            bar: Bar::new(progress, Measure::Bytes(total_bytes(inputs))),
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

    /// Whether [`Report::error`] was called.
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
        if self.failed() { Status::Failed } else { Status::Done }
    }
}

/// The size of all inputs in bytes, if all of them are files.
fn total_bytes(inputs: &[OsString]) -> Option<u64> {
    let size = |name: &OsString| {
        let found = fs::metadata(name).ok().filter(|_| !stdin::is_meant(name))?;
        found.is_file().then_some(found.len())
    };
    if inputs.is_empty() { None } else { inputs.iter().map(size).sum() }
}
