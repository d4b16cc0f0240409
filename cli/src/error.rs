//! What ends a command early, and the exit statuses that scripts rely on.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use robotsieve_client::store::StoreError;

use crate::write::progress;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All was done; for `check`: all URLs are allowed.
    Done = 0,
    /// `check` and `explain`: some URL is disallowed; `replay`: a record does not hold; `diff`:
    /// something changed, or may have; `lint`: a finding is denied.
    Disallowed = 1,
    /// The command was called wrongly, a URL is none, or `dot` cannot draw.
    Usage = 2,
    /// A file cannot be read or written.
    Io = 3,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Why a command ends before its work is done. The text names the file or the option, and
/// the way out where there is one.
#[derive(Debug)]
pub enum Failure {
    /// The user must call it otherwise.
    Usage(String),
    /// Something cannot be read or written.
    Io {
        /// What was being done, with the name of the file: `cannot read robots.txt 'x'`.
        action: String,
        /// Why it failed.
        cause: io::Error,
    },
    /// A store cannot be opened, read or written; the text names it.
    Store(Arc<StoreError>),
    /// A thread ended before its work did: a defect of the program.
    Thread(&'static str),
}

impl Failure {
    /// An action that failed; the action names the file.
    pub fn io(action: impl Into<String>, cause: io::Error) -> Failure {
        Failure::Io { action: action.into(), cause }
    }

    /// The exit status that it means.
    pub fn status(&self) -> Status {
        match self {
            Failure::Usage(_) => Status::Usage,
            Failure::Io { .. } | Failure::Store(_) | Failure::Thread(_) => Status::Io,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) => f.write_str(text),
            Failure::Io { action, cause } => write!(f, "{action}: {cause}"),
            Failure::Store(cause) => cause.fmt(f),
            Failure::Thread(name) => write!(
                f,
                "the {name} thread ended early, so the output is not complete: this is a defect \
                 of robotsieve, please report it with the message above"
            ),
        }
    }
}

/// Writes a message to standard error.
///
/// Where that is closed the message is lost, which must not end the program as the panic
/// of `eprintln!` would.
pub fn say(message: &dyn fmt::Display) {
    progress::aside(|| {
        let _ = writeln!(io::stderr().lock(), "robotsieve: {message}");
    });
}
