//! Messages on standard error. Each starts with `robotsieve: `.

use std::fmt::Display;
use std::io::{self, Write};

use super::bytes::harmless;
use super::screen;
pub use super::screen::{is_quiet, set_quiet};

/// Prints why something failed, also with `--quiet`: on one line, whatever the names in it are.
///
/// If standard error is closed the message is lost; `eprintln!` would panic.
pub fn error(message: &dyn Display) {
    let message = message.to_string();
    let shown = |c: char| if c == '\t' { ' ' } else { harmless(c) };
    plain(&format_args!("robotsieve: {}", message.chars().map(shown).collect::<String>()));
}

/// Prints something good to know, unless `--quiet` was given.
pub fn note(message: &dyn Display) {
    if !is_quiet() {
        error(message);
    }
}

/// Prints lines that do not all start with `robotsieve: `, also with `--quiet`.
pub fn plain(text: &dyn Display) {
    screen::without_bar(|| {
        let _ = writeln!(io::stderr().lock(), "{text}");
    });
}
