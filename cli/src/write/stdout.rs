//! Standard output: that its reader goes away is no error.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use crate::error::{Failure, Status};
use crate::write::progress;

/// Standard output, as long as anybody reads it. The exit status is an answer too, so a command
/// whose output nobody reads any more goes on to find it.
///
/// What is written at once is out at once if it ends with a line feed: a program may ask line by
/// line.
pub struct Stdout {
    heard: bool,
}

impl Stdout {
    pub fn new() -> Stdout {
        Stdout { heard: true }
    }

    /// Whether anybody still reads what is printed; else it need not be made.
    pub fn is_heard(&self) -> bool {
        self.heard
    }

    /// Writes these bytes.
    ///
    /// # Errors
    /// They cannot be written, for another reason than that nobody reads them.
    pub fn print(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.write_all(bytes.as_ref()).map_err(failed)
    }

    /// Acts if anybody still listens.
    fn heed(&mut self, act: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if !self.heard {
            return Ok(());
        }
        let write = || act(&mut io::stdout().lock());
        // A bar is in the way only on the same screen.
        let done = if io::stdout().is_terminal() { progress::aside(write) } else { write() };
        match done {
            Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {
                self.heard = false;
                Ok(())
            }
            done => done,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.heed(|out| out.write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.heed(|out| out.flush())
    }
}

/// Prints what a command was called for, which is then done.
///
/// # Errors
/// As those of [`Stdout::print`].
pub fn print(bytes: impl AsRef<[u8]>) -> Result<Status, Failure> {
    Stdout::new().print(bytes)?;
    Ok(Status::Done)
}

/// The failure that it is if standard output cannot be written for another reason.
pub fn failed(cause: io::Error) -> Failure {
    Failure::io("cannot write to standard output", cause)
}

/// Whether to colour what is printed: on a terminal that can, if the user has not said no
/// (<https://no-color.org>).
pub fn has_colour() -> bool {
    wants_colour(io::stdout().is_terminal(), |name| std::env::var_os(name))
}

fn wants_colour(is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    is_terminal
        && variable("NO_COLOR").is_none_or(|value| value.is_empty())
        && variable("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour() {
        let with = |is_terminal, name: &'static str, value: &'static str| {
            wants_colour(is_terminal, |asked| (asked == name).then(|| value.into()))
        };
        assert!(with(true, "NO_COLOR", ""));
        assert!(!with(true, "NO_COLOR", "1"));
        assert!(!with(true, "TERM", "dumb"));
        assert!(with(true, "TERM", "xterm"));
        assert!(!with(false, "TERM", "xterm"));
    }
}
