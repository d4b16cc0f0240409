//! Messages on standard error. Each starts with `robotsieve: `.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::progress;

/// Whether `--quiet` was given.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Suppresses notes, summaries and the progress bar from here on.
pub fn set_quiet(is_quiet: bool) {
    QUIET.store(is_quiet, Ordering::Relaxed);
}

pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints why something failed, also with `--quiet`.
///
/// If standard error is closed the message is lost; `eprintln!` would panic.
pub fn error(message: &dyn Display) {
    plain(&format_args!("robotsieve: {message}"));
}

/// Prints something good to know, unless `--quiet` was given.
pub fn note(message: &dyn Display) {
    if !is_quiet() {
        error(message);
    }
}

/// Prints a line of a summary that does not start with `robotsieve: `, unless `--quiet` was given.
pub fn summary(text: &dyn Display) {
    if !is_quiet() {
        plain(text);
    }
}

/// Prints a text that does not start with `robotsieve: `, also with `--quiet`.
pub fn plain(text: &dyn Display) {
    progress::without_bar(|| {
        let _ = writeln!(io::stderr().lock(), "{text}");
    });
}
