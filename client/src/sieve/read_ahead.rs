//! Asks the processor to fetch memory that will be read soon, so that the waits for several
//! pieces overlap.

/// The size of a cache line, in bytes.
const LINE: usize = 64;

/// Fetches the cache lines of so many bytes from an address on, at least one.
#[inline(always)]
pub(super) fn lines<T>(start: *const T, bytes: usize) {
    let start = start.cast::<u8>();
    for at in (0..bytes).step_by(LINE) {
        hint(start.wrapping_add(at));
    }
    hint(start.wrapping_add(bytes - 1));
}

/// Fetches the cache line of an address.
#[inline(always)]
pub(super) fn line<T>(address: *const T) {
    hint(address.cast());
}

#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
fn hint(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the instruction is part of SSE, which every x86-64 processor has. It has no effect
    // that the program can observe, and it never faults, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
fn hint(_: *const u8) {}
