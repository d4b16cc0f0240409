//! What goes to standard error: errors, warnings, the progress bar and the summary.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::args::Progress;
use crate::error::{Status, say};
use crate::filter::tally::Sum;
use crate::read::stdin;
use crate::write::progress::{Bar, Measure};
use robotsieve::Answer;

/// Standard error, for all threads.
pub struct Report {
    start: Instant,
    /// Whether something could not be read.
    failed: AtomicBool,
    bar: Bar,
}

impl Report {
    /// `inputs`: for the bytes to read in all, where their sizes are known.
    pub fn new(progress: Progress, inputs: &[OsString]) -> Report {
        Report {
            start: Instant::now(),
            failed: AtomicBool::new(false),
            bar: Bar::new(progress, Measure::Bytes(total_bytes(inputs))),
        }
    }

    /// Bytes were read from an input.
    pub fn read(&self, bytes: usize) {
        self.bar.add(bytes as u64);
    }

    /// Something could not be read: the exit status will say so.
    pub fn error(&self, message: &dyn Display) {
        self.failed.store(true, Ordering::Relaxed);
        self.warning(message);
    }

    /// Something that the user should know.
    pub fn warning(&self, message: &dyn Display) {
        say(message);
    }

    /// Whether something could not be read.
    pub fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Prints the summary and says how the command ends.
    pub fn finish(&self, sum: &Sum, crawlers: usize) -> Status {
        let status = self.end();
        let seconds = self.start.elapsed().as_secs_f64();
        let several = match crawlers {
            1 => String::new(),
            _ => format!(" crawlers {crawlers} verdicts {}", sum.urls * crawlers as u64),
        };
        let _ = writeln!(
            io::stderr().lock(),
            "urls {}{several} allowed {} disallowed {} unknown {} invalid {} hosts {} \
             seconds {seconds:.3} urls_per_second {:.0}",
            sum.urls,
            sum.count(Answer::Allow),
            sum.count(Answer::Disallow),
            sum.count(Answer::Unknown),
            sum.count(Answer::Invalid),
            sum.hosts(),
            sum.urls as f64 / seconds.max(1e-9),
        );
        status
    }

    /// Takes the bar away and says whether everything could be read.
    pub fn end(&self) -> Status {
        self.bar.end();
        if self.failed.load(Ordering::Relaxed) { Status::Io } else { Status::Done }
    }
}

/// The bytes of all inputs, if all are files whose size is known.
fn total_bytes(inputs: &[OsString]) -> Option<u64> {
    let size = |name: &OsString| {
        let found = fs::metadata(name).ok().filter(|_| !stdin::is_meant(name))?;
        found.is_file().then_some(found.len())
    };
    if inputs.is_empty() { None } else { inputs.iter().map(size).sum() }
}
