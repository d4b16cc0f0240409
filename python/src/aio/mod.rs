//! The front door for asyncio: the native half of `robotsieve.aio`.
//!
//! A sieve has a Tokio runtime of its own, on which it makes its attempts. No thread of the runtime
//! that does network I/O ever waits for the interpreter: what is ready for an event loop goes into the
//! loop's [`inbox`], and one call wakes the loop for all that has gathered there.

mod clock;
mod core;
mod decision;
mod errors;
mod fetcher;
mod inbox;
mod outside;

use pyo3::prelude::*;

/// Adds the classes. Their names in the module begin with `Sieve`.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("SieveClock", py.get_type::<clock::Clock>())?;
    module.add("SieveCore", py.get_type::<core::Core>())?;
    module.add("SieveDecision", py.get_type::<decision::Decision>())?;
    module.add("SieveFetcher", py.get_type::<fetcher::Fetcher>())?;
    module.add("SieveInbox", py.get_type::<inbox::Inbox>())?;
    module.add("SieveReply", py.get_type::<outside::Reply>())?;
    module.add("SieveSite", py.get_type::<decision::Site>())?;
    module.add("SieveTask", py.get_type::<core::Task>())
}
