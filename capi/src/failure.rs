//! What went wrong, and the border that no panic crosses.

use std::borrow::Cow;
use std::ffi::c_char;
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All went well.
    Ok = 0,
    /// A pointer is NULL that must not be.
    NullPointer = 1,
    /// Another argument is not what it may be: a length, a number of an enumeration, a count, a
    /// pointer that is not aligned.
    Argument = 2,
    /// The crawler's name is none that a robots.txt can name; the message has the one that was
    /// probably meant.
    Name = 3,
    /// What was given is no URL; where a path may stand, it does not begin with `/` either.
    Url = 4,
    /// The bytes are not those of a pack, or the pack is damaged.
    Pack = 5,
    /// A file cannot be opened.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "it opens none"))]
    File = 6,
    /// There is not enough memory.
    Memory = 7,
    /// A bug in robotsieve. The handles of the call can only be freed.
    Internal = 8,
}

/// What went wrong in a call. The caller has it, usually on the stack, and passes its address, or
/// NULL. Each call writes it anew, also when all went well. There is nothing to free.
#[repr(C)]
pub struct Error {
    /// The kind of failure, `ROBOTSIEVE_STATUS_OK` if there was none.
    pub status: Status,
    /// The failure in a sentence, in UTF-8, with a NUL at its end. A longer one is cut. Empty if all
    /// went well.
    pub message: [c_char; 508],
}

/// The bytes of a message, the NUL at its end among them.
const MESSAGE_BYTES: usize = size_of::<Error>() - offset_of!(Error, message);

/// Why a call has no result.
pub struct Failure {
    pub status: Status,
    message: Cow<'static, str>,
}

impl Failure {
    pub fn new(status: Status, message: impl Into<Cow<'static, str>>) -> Failure {
        Failure { status, message: message.into() }
    }
}

/// Writes what went wrong.
///
/// # Safety
/// `error` is NULL, or leads to memory that may be written.
unsafe fn tell(error: *mut Error, status: Status, message: &str) {
    if error.is_null() {
        return;
    }
    let mut len = message.len().min(MESSAGE_BYTES - 1);
    while !message.is_char_boundary(len) {
        len -= 1;
    }
    // SAFETY: both fields lie in the caller's memory, and nothing is asked of its alignment. At most
    // `MESSAGE_BYTES - 1` bytes are copied from a text that is not in it, and a NUL is put behind them.
    unsafe {
        error.byte_add(offset_of!(Error, status)).cast::<Status>().write_unaligned(status);
        let to = error.byte_add(offset_of!(Error, message)).cast::<u8>();
        to.copy_from_nonoverlapping(message.as_ptr(), len);
        // A name may have a NUL, which would end the message.
        (0..len).filter(|at| message.as_bytes()[*at] == 0).for_each(|at| to.add(at).write(b'?'));
        to.add(len).write(0);
    }
}

/// Runs a call behind the border: what goes wrong in it is told, and `otherwise` is returned.
///
/// # Safety
/// `error` is NULL, or leads to memory that may be written.
#[inline(always)]
pub unsafe fn guard<T>(
    error: *mut Error,
    otherwise: T,
    run: impl FnOnce() -> Result<T, Failure>,
) -> T {
    // Unwind safe: what could be left half done, a set, is behind a lock that remembers it.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(value)) => {
            // SAFETY: the caller's promise.
            unsafe { tell(error, Status::Ok, "") };
            value
        }
        Ok(Err(failure)) => {
            // SAFETY: the caller's promise.
            unsafe { tell(error, failure.status, &failure.message) };
            otherwise
        }
        Err(panic) => {
            // Dropping it could panic again.
            std::mem::forget(panic);
            let message = "a bug in robotsieve: please report it with what was asked";
            // SAFETY: the caller's promise.
            unsafe { tell(error, Status::Internal, message) };
            otherwise
        }
    }
}

/// The same for calls whose result is the status itself.
///
/// # Safety
/// `error` is NULL, or leads to memory that may be written.
#[inline(always)]
pub unsafe fn status(error: *mut Error, run: impl FnOnce() -> Result<(), Failure>) -> Status {
    let mut failed = Status::Internal;
    let run = || {
        run().inspect_err(|failure| failed = failure.status)?;
        Ok(Status::Ok)
    };
    // SAFETY: the caller's promise.
    match unsafe { guard(error, None, || run().map(Some)) } {
        Some(status) => status,
        None => failed,
    }
}
