//! A buffer that JavaScript writes URLs into. It is kept, so that a question allocates nothing. And
//! the memory that all of it is in.

use std::cell::{Cell, RefCell};

use wasm_bindgen::prelude::*;

use crate::memory;

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes the buffer have a length, and returns where it is. What it held is lost, and a view of the
/// memory that JavaScript has may be detached.
#[wasm_bindgen]
pub fn scratch(len: usize) -> *mut u8 {
    SCRATCH.with_borrow_mut(|scratch| {
        // Not `resize`, which would copy what is lost anyway.
        *scratch = Vec::new();
        *scratch = vec![0; len];
        scratch.as_mut_ptr()
    })
}

/// The first bytes of the buffer.
#[inline]
pub fn with<T>(len: usize, ask: impl FnOnce(&[u8]) -> T) -> T {
    SCRATCH.with_borrow(|scratch| ask(&scratch[..len]))
}

/// The module's memory. Not `memory`: that is the name under which the module exports it.
#[wasm_bindgen(js_name = moduleMemory)]
pub fn module_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// Makes the memory grow by an eighth at least wherever it has grown since the last time. Engines
/// collect garbage each time it grows: page by page, that takes longer than all else.
pub fn reserve() {
    thread_local! {
        static PAGES: Cell<usize> = const { Cell::new(0) };
    }
    const PAGE: usize = 1 << 16;
    #[cfg(target_arch = "wasm32")]
    let pages = core::arch::wasm32::memory_size::<0>;
    #[cfg(not(target_arch = "wasm32"))]
    let pages = || 0;
    if pages() > PAGES.get() {
        // Given back at once, to the end of the memory that is free.
        let mut room: Vec<u8> = Vec::new();
        let _ = memory::attempt(|| room.try_reserve_exact(pages() / 8 * PAGE));
        drop(room);
        PAGES.set(pages());
    }
}
