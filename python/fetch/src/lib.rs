//! The Python module `robotsieve_fetch`: the native half of `robotsieve.aio`.
//!
//! A sieve has a Tokio runtime of its own, on which it makes its attempts. No thread of the runtime
//! that does network I/O ever waits for the interpreter: what is ready for an event loop goes into the
//! loop's [`inbox`], and one call wakes the loop for all that has gathered there.
//!
//! [`engine`] has to do with the objects of the package `robotsieve`, which are those of another module.

mod clock;
mod core;
mod decision;
mod engine;
mod errors;
mod fetcher;
mod inbox;
mod outside;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod robotsieve_fetch {
    use super::*;

    #[pymodule_export]
    use self::core::{Core, Task};
    #[pymodule_export]
    use clock::Clock;
    #[pymodule_export]
    use decision::{Decision, Site};
    #[pymodule_export]
    use fetcher::Fetcher;
    #[pymodule_export]
    use inbox::Inbox;
    #[pymodule_export]
    use outside::Reply;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
