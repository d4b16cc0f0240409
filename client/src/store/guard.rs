//! Panics of redb on damaged files, turned into errors.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::error::Fault;

/// Runs work on the database. A panic, which redb may raise on a damaged file, becomes
/// [`Fault::Damaged`].
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    // The only state that a panic can leave half-changed is the database's, and redb notices.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Fault::Damaged(text(&*panic))))
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("the database panicked").into()
}
