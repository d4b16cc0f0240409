//! What is on the screen: the progress bar, if there is one, and nothing else with `--quiet`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;
use indicatif::ProgressBar;

/// When to do something that is for terminals only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Only on a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Whether `--quiet` was given.
static QUIET: AtomicBool = AtomicBool::new(false);

/// The bar on the screen, if there is one.
static ON_SCREEN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Suppresses notes, summaries and the progress bar from here on.
pub fn set_quiet(is_quiet: bool) {
    QUIET.store(is_quiet, Ordering::Relaxed);
}

pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Says which bar is on the screen.
pub fn has_bar(bar: Option<ProgressBar>) {
    *ON_SCREEN.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Writes to the terminal while the bar is hidden.
pub fn without_bar<T>(write: impl FnOnce() -> T) -> T {
    let bar = ON_SCREEN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
