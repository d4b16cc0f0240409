//! What yields captures, and what could not be read of it.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use robotsieve_captures::packs::{GatherInput, Unread};

use crate::error::Failure;
use crate::read::robots_dir::COUNTS_AS_UNKNOWN;
use crate::write::stderr;

/// Something that yields captures.
pub trait CaptureSource: Send {
    /// The next one. What cannot be read is told to `faults`, and left out.
    fn next(&mut self, faults: &Faults) -> Option<GatherInput>;
}

/// The number of faults that are told one by one.
const NAMED: u64 = 20;

/// What could not be read.
#[derive(Debug, Default)]
pub struct Faults {
    count: AtomicU64,
    /// What is told whatever its number.
    told: AtomicU64,
}

impl Faults {
    /// Tells that something is left out.
    pub fn add(&self, what: &dyn Display) {
        if self.count.fetch_add(1, Ordering::Relaxed) < NAMED {
            stderr::error(&format_args!("{what}; left out"));
        }
    }

    /// Tells that a source cannot be read to its end, however much was told before.
    pub fn breaks_off(&self, source: &dyn Display, cause: &dyn Display) {
        self.told(1);
        stderr::error(&format_args!("{source} breaks off: {cause}; the rest of it is left out"));
    }

    /// Tells that what a site says is not known, because it could not be read.
    pub fn unknown(&self, cause: &dyn Display) {
        self.told(1);
        stderr::error(&format_args!("{cause}; {COUNTS_AS_UNKNOWN}"));
    }

    /// Counts what was told already.
    pub fn told(&self, count: u64) {
        self.told.fetch_add(count, Ordering::Relaxed);
    }

    /// How many there were. Says so if they were not told one by one.
    pub fn end(&self) -> u64 {
        let count = self.count.load(Ordering::Relaxed);
        if let Some(more) = count.checked_sub(NAMED).filter(|more| *more > 0) {
            stderr::error(&format_args!("left out: {more} more"));
        }
        count + self.told.load(Ordering::Relaxed)
    }
}

/// A robots.txt of these origins, which is read when it is compiled.
pub fn file_of(
    keys: Vec<String>,
    path: PathBuf,
    read: fn(&Path) -> Result<Vec<u8>, Failure>,
) -> GatherInput {
    let read = move || read(&path).map_err(|failure| Box::new(failure) as Unread);
    GatherInput::File { keys, read: Box::new(read) }
}
