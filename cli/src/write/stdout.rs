//! Standard output. A reader that goes away is not an error.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use super::screen::{self, When};
use super::terminal::{self, Screened};
use crate::closed;
use crate::error::{Failure, Status};

/// Standard output for as long as somebody reads it. The exit status is an answer too, so a
/// command goes on without a reader to find it.
///
/// A write that ends with a line feed is flushed at once, so that another program can ask line by
/// line.
pub struct Stdout {
    has_reader: bool,
}

impl Stdout {
    pub fn new() -> Stdout {
        Stdout { has_reader: true }
    }

    /// Returns true if somebody still reads the output; if not, there is no need to produce it.
    pub fn has_reader(&self) -> bool {
        self.has_reader
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// Returns an error if they cannot be written for another reason than a missing reader.
    pub fn print(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.write_all(bytes.as_ref()).map_err(failed)
    }

    /// Calls `act` with standard output if it has a reader.
    fn with_reader(
        &mut self,
        act: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if !self.has_reader {
            return Ok(());
        }
        let write = || act(&mut lock()?);
        // The bar is in the way only if both are on the same screen.
        let done = if io::stdout().is_terminal() { screen::without_bar(write) } else { write() };
        match done {
            Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {
                self.has_reader = false;
                Ok(())
            }
            done => done,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with_reader(|out| out.write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with_reader(|out| out.flush())
    }
}

/// Prints the whole output of a command.
///
/// # Errors
/// See [`Stdout::print`].
pub fn print(bytes: impl AsRef<[u8]>) -> Result<Status, Failure> {
    Stdout::new().print(bytes)?;
    Ok(Status::Done)
}

/// Standard output itself, for a command that ends when its reader goes away.
///
/// # Errors
/// Returns an error if it is closed.
pub fn lock() -> io::Result<Screened<io::StdoutLock<'static>>> {
    if closed::was(closed::Stream::Output) {
        return Err(io::Error::other("it is closed"));
    }
    let out = io::stdout().lock();
    let is_terminal = out.is_terminal();
    Ok(Screened::new(out, is_terminal))
}

/// The failure to report if standard output cannot be written.
pub fn failed(cause: io::Error) -> Failure {
    Failure::io("cannot write to standard output", cause)
}

/// Returns true if to use colors on standard output. `auto` uses them on a terminal that can show them,
/// unless the user opted out (<https://no-color.org>).
pub fn has_color(when: When) -> bool {
    let has_color = match when {
        When::Always => true,
        When::Never => false,
        When::Auto => wants_color(io::stdout().is_terminal(), |name| std::env::var_os(name)),
    };
    if has_color {
        terminal::allow_styles();
    }
    has_color
}

fn wants_color(is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    is_terminal
        && variable("NO_COLOR").is_none_or(|value| value.is_empty())
        && variable("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn color() {
        let with = |is_terminal, name: &'static str, value: &'static str| {
            wants_color(is_terminal, |asked| (asked == name).then(|| value.into()))
        };
        assert!(with(true, "NO_COLOR", ""));
        assert!(!with(true, "NO_COLOR", "1"));
        assert!(!with(true, "TERM", "dumb"));
        assert!(with(true, "TERM", "xterm"));
        assert!(!with(false, "TERM", "xterm"));
    }
}
