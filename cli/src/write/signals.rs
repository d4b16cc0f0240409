//! Signals that end the program.

#![expect(unsafe_code, reason = "asks what a signal does: see Safety")]

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Calls `act` before an interrupt, a hang-up or a request to terminate ends the program. Signals
/// that are ignored, as by `nohup`, stay so.
///
/// # Errors
/// Returns an error if that cannot be arranged.
pub fn before_the_end(act: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let heeded: Vec<i32> =
        [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)).collect();
    let mut signals = Signals::new(heeded)?;
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            act();
            // Ends the program as if nobody had looked at the signal, so that a shell sees it.
            let _ = emulate_default_handler(signal);
        }
    };
    thread::Builder::new().name("signals".into()).spawn(wait).map(|_| ())
}

/// Calls `act` at each interrupt or request to terminate, with its number and whether it is the
/// first. If it returns `true`, the program ends. Signals that are ignored stay so.
///
/// # Errors
/// Returns an error if that cannot be arranged.
pub fn on_request_to_end(
    mut act: impl FnMut(i32, bool) -> bool + Send + 'static,
) -> io::Result<()> {
    let heeded: Vec<i32> =
        [SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)).collect();
    let mut signals = Signals::new(heeded)?;
    let wait = move || {
        let mut is_first = true;
        for signal in signals.forever() {
            if act(signal, is_first) {
                let _ = emulate_default_handler(signal);
            }
            is_first = false;
        }
    };
    thread::Builder::new().name("signals".into()).spawn(wait).map(|_| ())
}

fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action, `sigaction` only writes the present one to where `action` is.
    // It is read only if that was done.
    unsafe {
        libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
