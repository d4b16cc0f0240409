//! robotsieve as a C library, and as a WebAssembly module without imports.
//!
//! `include/robotsieve.h`, which cbindgen makes of these files, is what callers read; `docs/c.md` and
//! `docs/wasm.md` are their guides. Rust programs use the crate `robotsieve`.
//!
//! | module | what |
//! |---|---|
//! | `failure` | what went wrong, and the border that no panic crosses |
//! | `given` | the arguments of the caller, checked |
//! | `memory` | memory that the caller gets, and gives back |
//! | `choice` | profiles, and what is known of a site |
//! | `crawler`, `robots`, `policy`, `set`, `pack` | the functions, by their handles |
//!
//! # Safety
//!
//! What the caller must promise is the same for all functions: a pointer is NULL or leads to what its
//! type says, for as long as the function says; a handle was made by this library and is not freed
//! yet; and bytes that are read are not written at the same time.

// In the order of the header.
mod failure;
mod given;
mod memory;

mod choice;

mod crawler;

mod robots;

mod policy;

mod set;

mod pack;

mod origin;

use std::ffi::c_char;

/// The version of the library, such as `0.1.0`. Static: never freed.
#[unsafe(no_mangle)]
pub extern "C" fn robotsieve_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
