//! Ctrl-C ends a run politely, and a second one at once.

use std::sync::Arc;

use crate::error::Failure;
use crate::write::stderr;
use robotsieve_client::sieve::watch::{Stop, Watch};

/// Stops the run at the first SIGINT or SIGTERM; the second one ends the program at once. Signals
/// that are ignored, as by `nohup`, stay so.
///
/// # Errors
/// Returns an error if that cannot be arranged.
#[cfg(unix)]
pub fn stop_politely(watch: &Arc<Watch>) -> Result<(), Failure> {
    let watch = Arc::clone(watch);
    let act = move |signal, is_first| {
        if is_first {
            stderr::note(&"stopping: outcomes that are known are kept; once more ends at once");
            watch.stop(Stop::Signal(signal));
        }
        !is_first
    };
    crate::write::signals::on_request_to_end(act)
        .map_err(|cause| Failure::io("cannot watch for signals", cause))
}

#[cfg(not(unix))]
pub fn stop_politely(_: &Arc<Watch>) -> Result<(), Failure> {
    Ok(())
}

/// Ends the program as the signal would have, if one stopped the run: so a shell sees it.
pub fn end_by(stop: Option<&Stop>) {
    #[cfg(unix)]
    if let Some(Stop::Signal(signal)) = stop {
        let _ = signal_hook::low_level::emulate_default_handler(*signal);
    }
    #[cfg(not(unix))]
    let _ = stop;
}
