//! Memory that the caller gets, and gives back. A block remembers its own size, so that its address is
//! enough to free it.

use std::alloc::{Layout, alloc, dealloc};

use crate::failure::{Failure, Status};
use crate::given::put;

/// The bytes before a block, which have its size. As many as its alignment.
const HEAD: usize = 16;

/// The layout of a block with its head.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEAD)?, HEAD).ok()
}

/// A block of memory, NULL if there is none.
fn block(size: usize) -> *mut u8 {
    let Some(layout) = layout(size) else { return std::ptr::null_mut() };
    // SAFETY: the size is not 0, because of the head. The head has room for a `usize` and is aligned
    // for one.
    unsafe {
        let head = alloc(layout);
        if head.is_null() {
            return head;
        }
        head.cast::<usize>().write(size);
        head.add(HEAD)
    }
}

/// Bytes for the caller, with a NUL behind them.
fn give(bytes: &[u8]) -> Result<*mut u8, Failure> {
    let given = block(bytes.len() + 1);
    if given.is_null() {
        return Err(full(bytes.len()));
    }
    // SAFETY: the block is new and has room for the bytes and the NUL.
    unsafe {
        given.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        given.add(bytes.len()).write(0);
    }
    Ok(given)
}

/// [`give`], with the number of bytes for the caller.
///
/// # Safety
/// `len` is NULL or leads to memory for a `usize`.
pub unsafe fn give_with_len<T>(bytes: &[u8], len: *mut usize) -> Result<*mut T, Failure> {
    let given = give(bytes)?;
    // SAFETY: the caller's promise.
    unsafe { put(len, bytes.len()) };
    Ok(given.cast())
}

/// A copy of bytes of the caller.
pub fn copy(bytes: &[u8]) -> Result<Box<[u8]>, Failure> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| full(bytes.len()))?;
    copy.extend_from_slice(bytes);
    Ok(copy.into_boxed_slice())
}

fn full(bytes: usize) -> Failure {
    Failure::new(Status::Memory, format!("there is no memory for {bytes} bytes"))
}

/// Allocates `len` bytes at an address that 16 divides, for a host that has no other memory than the
/// module's. `robotsieve_free` frees them. NULL if there is no more memory.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub extern "C" fn robotsieve_alloc(len: usize) -> *mut std::ffi::c_void {
    block(len).cast()
}

/// Frees memory that a function of this library gave to the caller: a text, or the bytes of a pack.
/// NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_free(memory: *mut std::ffi::c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: the caller promises that `block` gave it and that it is used no more, so its size stands
    // before it, with which its layout was made.
    unsafe {
        let head = memory.cast::<u8>().sub(HEAD);
        if let Some(layout) = layout(head.cast::<usize>().read()) {
            dealloc(head, layout);
        }
    }
}
