//! Standard input, which `-` names wherever a file is read.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};

use crate::error::Failure;
use crate::write::stderr;

/// Whether this name on the command line means standard input.
pub fn is_meant(name: impl AsRef<OsStr>) -> bool {
    name.as_ref() == "-"
}

/// Standard input. If it is a terminal, a note says that input is expected.
pub fn open() -> io::Stdin {
    let input = io::stdin();
    if input.is_terminal() {
        stderr::note(&"reading from this terminal; end the input with Ctrl-D on a line of its own");
    }
    input
}

/// Checks that at most one of `names` is standard input.
///
/// # Errors
/// Returns an error if several are, since it can be read only once.
pub fn at_most_once<N: AsRef<OsStr>>(names: impl IntoIterator<Item = N>) -> Result<(), Failure> {
    if names.into_iter().filter(|name| is_meant(name)).count() > 1 {
        let message = "standard input can be read only once, but it is used twice ('-', or no \
                       input at all): name a file for one of them ('./-' is a file)";
        return Err(Failure::Usage(message.into()));
    }
    Ok(())
}
