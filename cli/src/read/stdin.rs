//! Standard input, for which `-` stands wherever a file is read.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};

use crate::error::{Failure, say};

/// Whether this name on the command line means standard input.
pub fn is_meant(name: impl AsRef<OsStr>) -> bool {
    name.as_ref() == "-"
}

/// Standard input; who sits at a terminal is told that it is waited for.
pub fn open() -> io::Stdin {
    let input = io::stdin();
    if input.is_terminal() {
        say(&"reading from this terminal until Ctrl-D on a line of its own; 'robotsieve help \
              COMMAND' says what is read");
    }
    input
}

/// # Errors
/// Standard input is meant by several of the names: it can be read once only.
pub fn at_most_once<N: AsRef<OsStr>>(names: impl IntoIterator<Item = N>) -> Result<(), Failure> {
    if names.into_iter().filter(|name| is_meant(name)).count() > 1 {
        let message = "standard input can be read once only, but it is meant twice ('-', or no \
                       input given): name a file instead of one of them ('./-' is a file)";
        return Err(Failure::Usage(message.into()));
    }
    Ok(())
}
