//! What goes to standard error: errors, warnings, the progress bar and the summary.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use super::input::is_standard_input;
use super::tally::Sum;
use crate::args::Progress;
use crate::error::{Status, say};
use robotsieve::Answer;

/// How long `auto` waits before it shows the bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Standard error, for all threads.
pub struct Report {
    start: Instant,
    /// Whether something could not be read.
    failed: AtomicBool,
    bar: ProgressBar,
    /// Whether the bar is still to be shown.
    waits: AtomicBool,
}

impl Report {
    /// `inputs`: for the octets to read in all, where their sizes are known.
    pub fn new(progress: Progress, inputs: &[OsString]) -> Report {
        let shown = match progress {
            Progress::Always => true,
            Progress::Auto => io::stderr().is_terminal(),
            Progress::Never => false,
        };
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = match total_octets(inputs).filter(|_| shown) {
            Some(total) => {
                bar.set_length(total);
                "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}"
            }
            None => "{spinner} {bytes} {bytes_per_sec} {elapsed}",
        };
        bar.set_style(ProgressStyle::with_template(template).expect("a template that parses"));
        if shown && progress == Progress::Always {
            bar.set_draw_target(draw_target());
        }
        Report {
            start: Instant::now(),
            failed: AtomicBool::new(false),
            bar,
            waits: AtomicBool::new(shown && progress == Progress::Auto),
        }
    }

    /// Octets were read from an input.
    pub fn read(&self, octets: usize) {
        self.bar.inc(octets as u64);
        if self.waits.load(Ordering::Relaxed) && self.start.elapsed() > PATIENCE {
            self.waits.store(false, Ordering::Relaxed);
            self.bar.set_draw_target(draw_target());
        }
    }

    /// Something could not be read: the exit status will say so.
    pub fn error(&self, message: &dyn Display) {
        self.failed.store(true, Ordering::Relaxed);
        self.warning(message);
    }

    /// Something that the user should know.
    pub fn warning(&self, message: &dyn Display) {
        self.bar.suspend(|| say(message));
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
        self.waits.store(false, Ordering::Relaxed);
        self.bar.finish_and_clear();
        if self.failed.load(Ordering::Relaxed) { Status::Io } else { Status::Done }
    }
}

/// The octets of all inputs, if all are files whose size is known.
fn total_octets(inputs: &[OsString]) -> Option<u64> {
    let size = |name: &OsString| {
        let found = fs::metadata(name).ok().filter(|_| !is_standard_input(name))?;
        found.is_file().then_some(found.len())
    };
    if inputs.is_empty() { None } else { inputs.iter().map(size).sum() }
}

/// A terminal, or for `--progress always` anything that takes the same octets: indicatif
/// itself draws on terminals only.
fn draw_target() -> ProgressDrawTarget {
    if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::term_like_with_hz(Box::new(PlainStderr), 1)
    }
}

/// Standard error that is no terminal, written to as if it were one of 80 columns.
#[derive(Debug)]
struct PlainStderr;

impl TermLike for PlainStderr {
    fn width(&self) -> u16 {
        80
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        if lines == 0 { Ok(()) } else { write!(io::stderr(), "\x1b[{lines}A") }
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        if lines == 0 { Ok(()) } else { write!(io::stderr(), "\x1b[{lines}B") }
    }

    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        if columns == 0 { Ok(()) } else { write!(io::stderr(), "\x1b[{columns}C") }
    }

    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        if columns == 0 { Ok(()) } else { write!(io::stderr(), "\x1b[{columns}D") }
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        writeln!(io::stderr(), "{text}")
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        write!(io::stderr(), "{text}")
    }

    fn clear_line(&self) -> io::Result<()> {
        write!(io::stderr(), "\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }
}
