//! The progress bar on standard error, the same for all sub-commands.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use crate::args::Progress;

/// How long `auto` waits before it shows the bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a bar moves that has nothing to count.
const TICK: Duration = Duration::from_millis(120);

/// The bar on the screen, of which there is one at most.
static ON_SCREEN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// What there is to do.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// Bytes to be read: so many, if that is known.
    Bytes(Option<u64>),
    /// So many things of this name.
    Count(u64, &'static str),
}

/// How far the work is.
pub struct Bar {
    bar: ProgressBar,
    start: Instant,
    /// Whether the bar is still to be shown.
    waits: AtomicBool,
}

impl Bar {
    pub fn new(progress: Progress, measure: Measure) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = match measure {
            Measure::Bytes(Some(total)) => {
                bar.set_length(total);
                "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}"
            }
            Measure::Bytes(None) => "{spinner} {bytes} {bytes_per_sec} {elapsed}",
            Measure::Count(total, name) => {
                bar.set_length(total);
                bar.set_message(name);
                "{wide_bar} {pos}/{len} {msg} {eta}"
            }
        };
        bar.set_style(style(template));
        let bar = Bar {
            bar,
            start: Instant::now(),
            waits: AtomicBool::new(progress == Progress::Auto && io::stderr().is_terminal()),
        };
        if progress == Progress::Always {
            show(&bar.bar);
        }
        bar
    }

    /// So much more is done.
    pub fn add(&self, done: u64) {
        self.bar.inc(done);
        if self.waits.load(Ordering::Relaxed) && self.start.elapsed() > PATIENCE {
            self.waits.store(false, Ordering::Relaxed);
            show(&self.bar);
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.waits.store(false, Ordering::Relaxed);
        hide(&self.bar);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.end();
    }
}

/// Does work that cannot say how far it is, with a spinner if it takes long.
pub fn beside<T>(progress: Progress, name: &'static str, work: impl FnOnce() -> T) -> T {
    let patience = match progress {
        Progress::Always => Duration::ZERO,
        Progress::Auto if io::stderr().is_terminal() => PATIENCE,
        Progress::Auto | Progress::Never => return work(),
    };
    thread::scope(|scope| {
        let (working, done) = mpsc::channel::<()>();
        scope.spawn(move || {
            if done.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            bar.set_style(style("{spinner} {msg} {elapsed}"));
            bar.set_message(name);
            show(&bar);
            while done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            hide(&bar);
        });
        let result = work();
        drop(working);
        result
    })
}

/// Writes to the terminal while the bar is out of the way.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    let bar = ON_SCREEN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a template that parses")
}

fn show(bar: &ProgressBar) {
    *ON_SCREEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    bar.set_draw_target(draw_target());
    bar.tick();
}

fn hide(bar: &ProgressBar) {
    if !bar.is_hidden() {
        bar.finish_and_clear();
        *ON_SCREEN.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A terminal, or for `--progress always` anything that takes the same bytes: indicatif
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
