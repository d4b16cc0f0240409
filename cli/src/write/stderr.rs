//! Messages on standard error. Each starts with `robotsieve: `.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use robotsieve_client::Timestamp;
use robotsieve_client::report::rfc3339;
use serde_json::json;

use super::bytes::harmless;
use super::screen;
pub use super::screen::{is_quiet, set_quiet};
use super::terminal::Screened;

/// Prints why something failed, also with `--quiet`: on one line, whatever the names in it are.
///
/// If standard error is closed the message is lost; `eprintln!` would panic.
pub fn error(message: &dyn Display) {
    say("error", message);
}

/// Prints something good to know, unless `--quiet` was given.
pub fn note(message: &dyn Display) {
    if !is_quiet() {
        say("info", message);
    }
}

/// True with `--message-format json`.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Makes each message a JSON object from here on.
pub fn set_json() {
    IS_JSON.store(true, Ordering::Relaxed);
}

pub fn is_json() -> bool {
    IS_JSON.load(Ordering::Relaxed)
}

fn say(level: &str, message: &dyn Display) {
    let message = message.to_string();
    if is_json() {
        let time = rfc3339(Timestamp::now());
        return plain(&json!({ "time": time, "level": level, "message": message }));
    }
    let shown = |c: char| if c == '\t' { ' ' } else { harmless(c) };
    plain(&format_args!("robotsieve: {}", message.chars().map(shown).collect::<String>()));
}

/// Prints lines that do not all start with `robotsieve: `, also with `--quiet`.
pub fn plain(text: &dyn Display) {
    screen::without_bar(|| {
        let _ = writeln!(lock(), "{text}");
    });
}

/// Standard error itself.
pub fn lock() -> Screened<io::StderrLock<'static>> {
    let err = io::stderr().lock();
    let is_terminal = err.is_terminal();
    Screened::new(err, is_terminal)
}
