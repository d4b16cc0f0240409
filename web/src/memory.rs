//! The allocator, which remembers that it had no more memory to give.
//!
//! A failed allocation stops the module as a panic does. Only this tells JavaScript which of the two
//! it was.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

use wasm_bindgen::prelude::*;

struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

/// True once an allocation has failed.
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// True if the module has stopped because its memory is full.
#[wasm_bindgen(js_name = isFull)]
pub fn is_full() -> bool {
    IS_FULL.load(Ordering::Relaxed)
}

/// Asks without consequences: a failure is not remembered.
pub fn attempt<T>(ask: impl FnOnce() -> T) -> T {
    let asked = ask();
    IS_FULL.store(false, Ordering::Relaxed);
    asked
}

fn noted(place: *mut u8) -> *mut u8 {
    if place.is_null() {
        IS_FULL.store(true, Ordering::Relaxed);
    }
    place
}

// SAFETY: each call is the system allocator's, whose result is returned as it is.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises what the system allocator asks for.
        noted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `alloc`.
        noted(unsafe { System.realloc(place, layout, size) })
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(place, layout) }
    }
}
