//! `--metrics`: counts and times in a file, in Prometheus' text format.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use robotsieve_client::sieve::{Metrics, Sieve, Times};

use super::watch::Watch;
use crate::error::Failure;
use crate::write::report::Report;

/// How often the file is replaced.
const EVERY: Duration = Duration::from_secs(5);

/// A file of metrics, kept up to date until this is dropped.
pub struct MetricsFile {
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsFile {
    /// Writes the file now and then.
    ///
    /// # Errors
    /// Returns an error if it cannot be written now.
    pub fn keep(
        path: &Path,
        sieve: &Sieve,
        watch: &Arc<Watch>,
        report: &Arc<Report>,
    ) -> Result<MetricsFile, Failure> {
        let (path, sieve, watch, report) =
            (path.to_owned(), sieve.clone(), Arc::clone(watch), Arc::clone(report));
        let write = move |path: &Path| replace(path, &text(&sieve.metrics(), watch.open()));
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

/// Replaces a file as a whole.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut new = OsString::from(path);
    new.push(".new");
    let new = PathBuf::from(new);
    fs::write(&new, text).and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

/// The metrics, as version 0.0.4 of the text format has them.
fn text(metrics: &Metrics, open: u64) -> String {
    let mut text = String::new();
    let head = |name: &str, kind: &str, help: &str| {
        format!("# HELP robotsieve_{name} {help}\n# TYPE robotsieve_{name} {kind}\n")
    };
    text += &head("attempts_total", "counter", "Attempts to fetch a robots.txt, by outcome.");
    for (outcome, count) in [
        ("present", metrics.present),
        ("absent", metrics.absent),
        ("unreachable", metrics.unreachable),
        ("local_fault", metrics.local_faults),
    ] {
        let _ = writeln!(text, "robotsieve_attempts_total{{outcome=\"{outcome}\"}} {count}");
    }
    text += &head("attempt_seconds", "histogram", "How long attempts took.");
    histogram(&mut text, "robotsieve_attempt_seconds", &metrics.attempt_times);
    let errors = metrics.store_errors;
    let (sites, bytes) = (metrics.sites, metrics.bytes);
    for (name, kind, help, value) in [
        ("store_errors_total", "counter", "Reads and writes of the store that failed.", errors),
        ("sites_open", "gauge", "Sites that are waited for.", open),
        ("sites_in_memory", "gauge", "Sites in memory.", sites),
        ("memory_bytes", "gauge", "Memory of the sites and their policies.", bytes),
    ] {
        text += &head(name, kind, help);
        let _ = writeln!(text, "robotsieve_{name} {value}");
    }
    text
}

/// The smallest and the largest limit of a histogram's buckets, as powers of two of a microsecond:
/// a millisecond and two minutes.
const LIMITS: [usize; 2] = [10, 27];

fn histogram(text: &mut String, name: &str, times: &Times) {
    let [first, last] = LIMITS;
    let mut sum = 0;
    for (power, count) in times.buckets.iter().enumerate() {
        sum += count;
        if (first..=last).contains(&power) {
            let seconds = (1u64 << power) as f64 / 1e6;
            let _ = writeln!(text, "{name}_bucket{{le=\"{seconds}\"}} {sum}");
        }
    }
    let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {sum}");
    let _ = writeln!(text, "{name}_sum {}", times.total.as_secs_f64());
    let _ = writeln!(text, "{name}_count {sum}");
}
