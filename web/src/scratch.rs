//! A buffer that JavaScript writes URLs into. It is kept, so that a question allocates nothing.

use std::cell::RefCell;

use wasm_bindgen::prelude::*;

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
