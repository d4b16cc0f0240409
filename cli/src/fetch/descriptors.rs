//! How many requests fit into the limit of open files.

use crate::write::stderr;

/// Open files for each request: its connection, and a second one while the addresses of a name are
/// tried side by side, or the sockets that look the name up.
const FOR_EACH: u64 = 2;

/// Open files besides: standard streams, inputs, the store, the runtime.
const BESIDES: u64 = 32;

/// How many of the `wanted` requests at the same time fit. Raises the limit of open files towards
/// its hard limit where that is needed, and says so if it is not enough.
pub fn fitting(wanted: u16, is_explicit: bool) -> u16 {
    let need = BESIDES + FOR_EACH * u64::from(wanted);
    let limit = raised_to(need);
    if limit >= need {
        return wanted;
    }
    let fitting = (limit.saturating_sub(BESIDES) / FOR_EACH).max(1) as u16;
    let given = if is_explicit { format!("--parallel {wanted}") } else { wanted.to_string() };
    stderr::note(&format_args!(
        "no more than {fitting} requests run at the same time, because this process may have only \
         {limit} open files: {given} would need {need} (ulimit -n {need})"
    ));
    fitting
}

/// The limit of open files, raised to `need` as far as the hard limit allows.
#[cfg(unix)]
fn raised_to(need: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    // No limit is `None`.
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let Some(soft) = current.filter(|soft| *soft < need) else { return u64::MAX };
    let raised = maximum.map_or(need, |hard| hard.min(need));
    let raise = Rlimit { current: Some(raised), maximum };
    if raised > soft && setrlimit(Resource::Nofile, raise).is_ok() { raised } else { soft }
}

#[cfg(not(unix))]
fn raised_to(_: u64) -> u64 {
    u64::MAX
}
