//! The progress bar on standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use robotsieve_client::sieve::watch::Watch;

use super::screen::{self, When};
use super::stderr;

/// How long `--progress auto` waits before it shows the bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a bar moves that shows time.
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
    /// What moves the bar, if that is not [`Bar::add`].
    ticker: Mutex<Option<Ticker>>,
    is_ticked: bool,
}

/// A thread that ends, and hides its bar, when its channel does.
struct Ticker {
    goes_on: Sender<()>,
    thread: JoinHandle<()>,
}

impl Bar {
    /// A bar of sites that moves with the time, whether or not anything is done. When all are done is
    /// estimated only once it is known how many there are.
    pub fn of_sites(progress: When, watch: &Arc<Watch>) -> Bar {
        let mut bar = Bar::new(When::Never, Measure::Records);
        bar.is_ticked = true;
        let Some(patience) = patience(progress) else { return bar };
        let (goes_on, ended) = mpsc::channel();
        let (shown, watch) = (bar.bar.clone(), Arc::clone(watch));
        shown.set_style(style("{spinner} {pos} of {len} sites read so far {elapsed}"));
        let mut has_read_all = false;
        let move_on = move |bar: &ProgressBar| {
            let now = watch.progress();
            bar.set_length(now.read);
            bar.set_position(now.done);
            if now.has_read_all && !has_read_all {
                has_read_all = true;
                bar.set_style(style("{wide_bar} {pos}/{len} sites {eta}"));
            }
        };
        let tick = move || tick(&shown, patience, &ended, move_on);
        if let Ok(thread) = thread::Builder::new().name("progress".into()).spawn(tick) {
            bar.ticker = Mutex::new(Some(Ticker { goes_on, thread }));
        }
        bar
    }

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
        let bar = Bar {
            bar,
            start: Instant::now(),
            waits: AtomicBool::new(is_auto(progress)),
            ticker: Mutex::default(),
            is_ticked: false,
        };
        if is_always(progress) {
            show(&bar.bar);
        }
        bar
    }

    /// Advances the bar, and shows it if it is due.
    pub fn add(&self, done: u64) {
        if self.is_ticked {
            return;
        }
        self.bar.inc(done);
        if self.waits.load(Ordering::Relaxed) && self.start.elapsed() > PATIENCE {
            self.waits.store(false, Ordering::Relaxed);
            show(&self.bar);
        }
    }

    /// Removes the bar.
    pub fn end(&self) {
        self.waits.store(false, Ordering::Relaxed);
        let ticker = self.ticker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Ticker { goes_on, thread }) = ticker {
            drop(goes_on);
            let _ = thread.join();
        }
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
    let Some(patience) = patience(progress) else { return work() };
    thread::scope(|scope| {
        let (working, done) = mpsc::channel::<()>();
        // Without a thread there is no spinner.
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            bar.set_style(style("{spinner} {msg} {elapsed}"));
            bar.set_message(name);
            tick(&bar, patience, &done, |_| ());
        });
        let result = work();
        drop(working);
        result
    })
}

/// Shows a bar after a while, and moves it until the channel ends.
fn tick(
    bar: &ProgressBar,
    patience: Duration,
    ended: &Receiver<()>,
    mut move_on: impl FnMut(&ProgressBar),
) {
    let mut wait = patience;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        wait = TICK;
        move_on(bar);
        if bar.is_hidden() {
            show(bar);
        }
        bar.tick();
    }
    hide(bar);
}

/// How long the work goes on before its progress is shown; `None` if it is not shown.
fn patience(progress: When) -> Option<Duration> {
    match progress {
        _ if is_always(progress) => Some(Duration::ZERO),
        _ if is_auto(progress) => Some(PATIENCE),
        _ => None,
    }
}

/// Returns true if progress is shown at once.
fn is_always(progress: When) -> bool {
    progress == When::Always && !screen::is_quiet() && !stderr::is_json()
}

/// Returns true if progress is shown once the work takes long.
fn is_auto(progress: When) -> bool {
    progress == When::Auto
        && !screen::is_quiet()
        && !stderr::is_json()
        && io::stderr().is_terminal()
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
