//! Which standard streams were closed when the program started, as by `<&-` in a shell.
//!
//! Before `main`, the standard library opens `/dev/null` in their place, so that no other file gets
//! their numbers. But then a closed input reads as empty, and a verdict that is written to a closed
//! output is lost without an error. So this looks before the standard library does.
//!
//! `main` is too late: the standard library opens `/dev/null` to read and write, as Python's `DEVNULL` and
//! Node's `ignore` do, which are no mistakes. Nothing tells these apart by then.

/// A standard stream.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    Input,
    Output,
}

/// Returns true if the stream was closed when the program started.
#[cfg(unix)]
pub fn was(stream: Stream) -> bool {
    unix::CLOSED[stream as usize].load(std::sync::atomic::Ordering::Relaxed)
}

/// Returns true if the stream was closed when the program started. Windows' standard library says so itself
/// when the stream is used.
#[cfg(not(unix))]
pub fn was(_: Stream) -> bool {
    false
}

#[cfg(unix)]
mod unix {
    #![expect(unsafe_code, reason = "runs before main: see Safety")]

    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::io::fcntl_getfd;
    use rustix::stdio::{stdin, stdout};

    /// By number: standard input and standard output.
    pub static CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

    // SAFETY: the section holds pointers to functions that the system calls before `main`, in C's
    // calling convention. This one needs nothing that is not ready by then: it asks the system, and
    // writes to statics.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        for (stream, closed) in [stdin(), stdout()].into_iter().zip(&CLOSED) {
            closed.store(fcntl_getfd(stream).is_err(), Ordering::Relaxed);
        }
    }
}
