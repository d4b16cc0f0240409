//! Panics of redb on damaged files, turned into errors.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::error::Fault;

thread_local! {
    /// True while this thread runs guarded work.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Sees to it that panics of guarded work are not printed: they are errors, and are told as such.
/// Others go to the hook that was there before.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // The thread may be ending.
            if !IS_GUARDED.try_with(Cell::get).unwrap_or_default() {
                before(panic);
            }
        }));
    });
}

/// Runs work on the database. A panic, which redb may raise on a damaged file, becomes
/// [`Fault::Damaged`].
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    silence();
    let was_guarded = IS_GUARDED.replace(true);
    let done = caught(work);
    IS_GUARDED.set(was_guarded);
    done
}

fn caught<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
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
