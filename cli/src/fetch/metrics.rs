//! `--metrics`: counts and times in a file, in Prometheus' text format.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use robotsieve::Answer;
use robotsieve_client::sieve::{Metrics, Sieve};

use crate::error::Failure;
use crate::read::output::Output;
use crate::write::file;
use crate::write::report::Report;
use robotsieve_client::sieve::watch::Watch;

/// How often the file is replaced.
const EVERY: Duration = Duration::from_secs(5);

/// A file of metrics, kept up to date until this is dropped.
pub struct MetricsFile {
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsFile {
    /// Refuses to write over a file that is read, or over a store.
    ///
    /// # Errors
    /// Returns an error if the file is one of these, or if the one beside it is that is written first.
    pub fn refuse_inputs<N: AsRef<OsStr>>(
        path: &Path,
        inputs: impl IntoIterator<Item = N> + Clone,
    ) -> Result<(), Failure> {
        const WAY_OUT: &str = "name another file with --metrics FILE";
        Output::named_by(path, WAY_OUT).refuse_inputs(inputs.clone())?;
        // What cannot be replaced is told when it is tried.
        let Ok(target) = file::target(path) else { return Ok(()) };
        Output::named_by(&beside(&target), WAY_OUT).refuse_inputs(inputs)
    }

    /// Writes the file now and then.
    ///
    /// # Errors
    /// Returns an error if it cannot be written now.
    pub fn keep(
        path: &Path,
        sieve: &Sieve,
        watch: &Arc<Watch>,
        report: &Arc<Report>,
        verdicts: Option<&Arc<Verdicts>>,
    ) -> Result<MetricsFile, Failure> {
        let verdicts = verdicts.cloned();
        let (path, sieve, watch, report) =
            (path.to_owned(), sieve.clone(), Arc::clone(watch), Arc::clone(report));
        let write = move |path: &Path| {
            replace(path, &text(&sieve.metrics(), watch.open(), verdicts.as_deref()))
        };
        let failed = |path: &Path, cause| {
            Failure::io(format!("cannot write --metrics '{}'", path.display()), cause)
        };
        write(&path).map_err(|cause| failed(&path, cause))?;
        let (ended, end) = channel();
        let thread = thread::Builder::new().name("metrics".into()).spawn(move || {
            let mut fails = false;
            loop {
                let goes_on = end.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout);
                match write(&path) {
                    Ok(()) => fails = false,
                    // Told once, until it works again.
                    Err(cause) if !fails => {
                        fails = true;
                        report.error(&failed(&path, cause));
                    }
                    Err(_) => {}
                }
                if !goes_on {
                    return;
                }
            }
        });
        let thread = thread.map_err(|cause| Failure::io("cannot start a thread", cause))?;
        Ok(MetricsFile { ended: Some(ended), thread: Some(thread) })
    }
}

impl Drop for MetricsFile {
    /// Writes the file for the last time.
    fn drop(&mut self) {
        drop(self.ended.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Replaces a file as a whole: `path`, or what it links to. Refuses devices and pipes.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = file::target(path)?;
    let new = beside(&target);
    fs::write(&new, text).and_then(|()| fs::rename(&new, &target)).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

/// The file that is written first, and takes the place of this one.
fn beside(target: &Path) -> PathBuf {
    let mut new = OsString::from(target);
    new.push(".new");
    PathBuf::from(new)
}

/// The verdicts on URLs so far, by [`Answer`]: one for each URL and crawler.
#[derive(Default)]
pub struct Verdicts([AtomicU64; 4]);

impl Verdicts {
    /// Adds verdicts, by [`Answer`].
    pub fn add(&self, counts: &[u64; 4]) {
        for (sum, count) in self.0.iter().zip(counts) {
            sum.fetch_add(*count, Ordering::Relaxed);
        }
    }
}

/// The library's metrics, and what only the command knows.
fn text(metrics: &Metrics, open: u64, verdicts: Option<&Verdicts>) -> String {
    let mut text = metrics.to_prometheus();
    text += "# HELP robotsieve_sites_open Sites that are waited for.\n\
             # TYPE robotsieve_sites_open gauge\n";
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "robotsieve_sites_open {open}");
    if let Some(Verdicts(counts)) = verdicts {
        text += "# HELP robotsieve_verdicts_total Verdicts, one for each URL and crawler.\n\
                 # TYPE robotsieve_verdicts_total counter\n";
        for answer in [Answer::Allow, Answer::Disallow, Answer::Unknown, Answer::Invalid] {
            let (name, count) = (answer.as_str(), counts[answer as usize].load(Ordering::Relaxed));
            let _ = writeln!(text, "robotsieve_verdicts_total{{verdict=\"{name}\"}} {count}");
        }
    }
    text
}
