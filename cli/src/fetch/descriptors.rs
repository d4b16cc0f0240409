//! How many requests fit into the limit of open files.

use crate::write::stderr;

/// Open files besides those of the fetcher: standard streams, inputs, the store.
const BESIDES: usize = 16;

/// The number of names that are looked up at the same time, and how many if open files are few.
const LOOKUPS: [usize; 2] = [4096, 256];

/// The number of requests and look-ups of names at the same time fit into the limit of open files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fitting {
    pub parallel: u16,
    pub lookups: usize,
}

/// How many of the `wanted` requests fit, if the fetcher needs as many open files as `need` says.
/// Raises the limit of open files towards its hard limit where that is needed, and says so if it is
/// not enough.
pub fn fitting(wanted: u16, is_explicit: bool, need: impl Fn(Fitting) -> usize) -> Fitting {
    let [most, few] = LOOKUPS;
    let need = |parallel, lookups| BESIDES + need(Fitting { parallel, lookups });
    let needed = need(wanted, most);
    let limit = raised_to(needed);
    if limit >= needed {
        return Fitting { parallel: wanted, lookups: most };
    }
    // The more requests, the more open files.
    let (mut fits, mut too_many) = (0, wanted);
    while too_many - fits > 1 {
        let middle = fits + (too_many - fits) / 2;
        if need(middle, few) <= limit { fits = middle } else { too_many = middle }
    }
    // Look-ups seldom need all that is set aside for them, and a site that finds no open file left
    // is asked again a little later.
    let at_least = (limit.saturating_sub(2 * BESIDES) / 4).clamp(1, wanted.into()) as u16;
    let parallel = fits.max(at_least);
    let given = if is_explicit { format!("--parallel {wanted}") } else { wanted.to_string() };
    stderr::note(&format_args!(
        "no more than {parallel} requests run at the same time, because this process may have only \
         {limit} open files: {given} would need {needed} (ulimit -n {needed})"
    ));
    Fitting { parallel, lookups: few }
}

/// The limit of open files, raised to `need` as far as the hard limit allows.
#[cfg(unix)]
fn raised_to(need: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    // No limit is `None`.
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = need as u64;
    let Some(soft) = current.filter(|soft| *soft < wanted) else { return usize::MAX };
    let raised = maximum.map_or(wanted, |hard| hard.min(wanted));
    let raise = Rlimit { current: Some(raised), maximum };
    let is_raised = raised > soft && setrlimit(Resource::Nofile, raise).is_ok();
    if is_raised { raised as usize } else { soft as usize }
}

#[cfg(not(unix))]
fn raised_to(_: usize) -> usize {
    usize::MAX
}
