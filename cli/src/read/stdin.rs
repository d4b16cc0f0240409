//! Standard input, which `-` names wherever a file is read.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;

use same_file::Handle;

use crate::closed;
use crate::error::Failure;
use crate::write::stderr;

/// Returns true if this name on the command line means standard input.
pub fn is_meant(name: impl AsRef<OsStr>) -> bool {
    name.as_ref() == "-"
}

/// What a file is called after "cannot read …": `'PATH'`, or `from standard input`.
pub fn source(name: &Path) -> String {
    if is_meant(name) { "from standard input".to_owned() } else { format!("'{}'", name.display()) }
}

/// Standard input. If it is a terminal, a note says that input is expected.
///
/// # Errors
/// Returns an error if it is closed, or is the file that standard output is written to.
pub fn open() -> io::Result<io::Stdin> {
    if closed::was(closed::Stream::Input) {
        return Err(io::Error::other("it is closed"));
    }
    refuse_output(Handle::stdin)?;
    let input = io::stdin();
    #[cfg(target_os = "linux")]
    widen(&input);
    if input.is_terminal() {
        stderr::note(&"reading from this terminal; end the input with Ctrl-D on a line of its own");
    }
    Ok(input)
}

/// The size of a pipe that is read: as large as Linux allows everyone.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1 << 20;

/// Gives a pipe more room, so that its two ends wake each other less often.
#[cfg(target_os = "linux")]
fn widen(input: &io::Stdin) {
    // It is no pipe, or it is not allowed: then it stays as it is.
    let _ = rustix::pipe::fcntl_setpipe_size(input, PIPE_BYTES);
}

/// Returns true if reading standard input is certain not to wait: there are bytes, or it has ended.
#[cfg(unix)]
pub fn is_ready() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let input = io::stdin();
    let mut asked = [PollFd::new(&input, PollFlags::IN)];
    poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}

#[cfg(not(unix))]
pub fn is_ready() -> bool {
    false
}

/// Refuses an input that is the file that standard output is written to: the command would read
/// what it writes, without end.
///
/// # Errors
/// Returns an error if it is.
pub fn refuse_output(input: impl FnOnce() -> io::Result<Handle>) -> io::Result<()> {
    // Terminals, pipes and devices may be both.
    let is_file = |handle: &Handle| handle.as_file().metadata().is_ok_and(|found| found.is_file());
    let Ok(output) = Handle::stdout() else { return Ok(()) };
    if is_file(&output) && input().is_ok_and(|input| input == output) {
        let message = "it is also the file that standard output is written to, and '>' empties \
                       a file before it is read: write to another file";
        return Err(io::Error::other(message));
    }
    Ok(())
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
