//! Why a command ends early, and the exit statuses that scripts rely on.

use std::fmt;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use robotsieve_captures::exchange::ExchangeError;
use robotsieve_captures::warc::Panicked;
use robotsieve_client::store::{Fault, StoreError};

/// The exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The command did its work; the answer to a question is yes, or nothing was found.
    Done = 0,
    /// The answer is no, or something was found: `check` and `explain` found a disallowed URL,
    /// `diff` a change or no proof that there is none, `lint` a denied finding, `test` an
    /// expectation that does not hold, `replay` a record that no longer holds, `block`, `enforce` and
    /// `write` no proof.
    No = 1,
    /// The command line is wrong, or a URL is invalid.
    Usage = 2,
    /// Something could not be read, written, fetched or done.
    Failed = 3,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Why a command ended before its work was done. The text names the file or the option, and what
/// to do about it.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// Something cannot be read or written.
    Io {
        /// What was attempted, with the name of the file: `cannot read robots.txt 'x'`.
        action: String,
        /// Why it failed.
        cause: io::Error,
        /// What the user can do about it, if that is known.
        advice: Option<String>,
    },
    /// A store cannot be opened, read or written; the text names it.
    Store(Arc<StoreError>),
    /// Something was not done because something else failed, which was reported.
    Incomplete(String),
    /// What was asked for cannot be done within its limits.
    Limit(String),
    /// A thread ended before its work did: a bug in robotsieve.
    Thread(&'static str),
}

impl Failure {
    /// An action that failed; `action` names the file.
    pub fn io(action: impl Into<String>, cause: io::Error) -> Failure {
        Failure::Io { action: action.into(), cause, advice: None }
    }

    /// The same failure with this advice, if a file or a stream could not be read or written.
    pub fn advise(mut self, text: impl Into<String>) -> Failure {
        if let Failure::Io { advice, .. } = &mut self {
            *advice = Some(text.into());
        }
        self
    }

    /// The exit status for it.
    pub fn status(&self) -> Status {
        match self {
            Failure::Usage(_) => Status::Usage,
            _ => Status::Failed,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(cause: StoreError) -> Failure {
        Failure::Store(Arc::new(cause))
    }
}

impl From<ExchangeError> for Failure {
    fn from(cause: ExchangeError) -> Failure {
        match cause {
            ExchangeError::Store(cause) => cause.into(),
            ExchangeError::Io(cause) => Failure::io("cannot use a temporary file", cause),
            other => Failure::io("cannot export", io::Error::other(other)),
        }
    }
}

impl From<Panicked> for Failure {
    fn from(_: Panicked) -> Failure {
        Failure::Thread("WARC")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) | Failure::Incomplete(text) | Failure::Limit(text) => {
                f.write_str(text)
            }
            Failure::Io { action, cause, advice: None } => write!(f, "{action}: {cause}"),
            Failure::Io { action, cause, advice: Some(advice) } => {
                write!(f, "{action}: {cause}; {advice}")
            }
            Failure::Store(cause) => {
                write!(f, "cannot use store '{}': {}", cause.path().display(), cause.fault())?;
                match cause.fault() {
                    Fault::NotAStore => f.write_str("; 'robotsieve fetch --store' makes stores"),
                    _ => Ok(()),
                }
            }
            Failure::Thread(name) => write!(
                f,
                "the {name} thread ended early, so the output is incomplete: this is a bug in \
                 robotsieve, please report it with the message above"
            ),
        }
    }
}
