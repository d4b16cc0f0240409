//! The progress bar on standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use super::screen::{self, When};

/// How long `--progress auto` waits before it shows the bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the spinner of [`with_spinner`] moves.
const TICK: Duration = Duration::from_millis(120);

/// How much there is to do.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// Bytes to read, if their number is known.
    Bytes(Option<u64>),
    /// This many things with this name.
    Count(u64, &'static str),
    /// Records to read, whose number is unknown.
    Records,
}

/// A progress bar, hidden until it is due.
pub struct Bar {
    bar: ProgressBar,
    start: Instant,
    /// True if the bar is hidden only because it is too early.
    waits: AtomicBool,
}

impl Bar {
    pub fn new(progress: When, measure: Measure) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = match measure {
            Measure::Bytes(Some(total)) => {
                bar.set_length(total);
                "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}"
            }
            Measure::Bytes(None) => "{spinner} {bytes} {bytes_per_sec} {elapsed}",
            Measure::Records => "{spinner} {pos} records {elapsed}",
            Measure::Count(total, name) => {
                bar.set_length(total);
                bar.set_message(name);
                "{wide_bar} {pos}/{len} {msg} {eta}"
            }
        };
        bar.set_style(style(template));
        let bar = Bar { bar, start: Instant::now(), waits: AtomicBool::new(is_auto(progress)) };
        if is_always(progress) {
            show(&bar.bar);
        }
        bar
    }

    /// Advances the bar, and shows it if it is due.
    pub fn add(&self, done: u64) {
        self.bar.inc(done);
        if self.waits.load(Ordering::Relaxed) && self.start.elapsed() > PATIENCE {
            self.waits.store(false, Ordering::Relaxed);
            show(&self.bar);
        }
    }

    /// Removes the bar.
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

/// Does work whose progress is unknown, with a spinner if it takes long.
pub fn with_spinner<T>(progress: When, name: &'static str, work: impl FnOnce() -> T) -> T {
    let patience = match progress {
        _ if is_always(progress) => Duration::ZERO,
        _ if is_auto(progress) => PATIENCE,
        _ => return work(),
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

/// Returns true if progress is shown at once.
fn is_always(progress: When) -> bool {
    progress == When::Always && !screen::is_quiet()
}

/// Returns true if progress is shown once the work takes long.
fn is_auto(progress: When) -> bool {
    progress == When::Auto && !screen::is_quiet() && io::stderr().is_terminal()
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a template that parses")
}

fn show(bar: &ProgressBar) {
    screen::has_bar(Some(bar.clone()));
    bar.set_draw_target(draw_target());
    bar.tick();
}

fn hide(bar: &ProgressBar) {
    if !bar.is_hidden() {
        bar.finish_and_clear();
        screen::has_bar(None);
    }
}

/// Where the bar is drawn: on the terminal, or with `--progress always` wherever standard error
/// goes. indicatif itself draws on terminals only.
fn draw_target() -> ProgressDrawTarget {
    if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::term_like_with_hz(Box::new(PlainStderr), 1)
    }
}

/// Standard error that is not a terminal, treated as one of 80 columns.
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
