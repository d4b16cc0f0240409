//! Asks the processor to fetch memory that will be read soon, so that the waits for several
//! pieces overlap.

/// The size of a cache line, in bytes.
const LINE: usize = 64;

/// Fetches the first cache lines of a value, up to three.
#[inline(always)]
pub(crate) fn value<T>(value: &T) {
    let start = std::ptr::from_ref(value).cast::<u8>();
    for line in 0..size_of::<T>().div_ceil(LINE).min(3) {
        hint(start.wrapping_add(line * LINE));
    }
}

/// Fetches the first and the last cache lines of a table: its header, and its entries, where a
/// walk begins.
#[inline(always)]
pub(crate) fn ends(bytes: &[u8]) {
    let start = bytes.as_ptr();
    hint(start);
    hint(start.wrapping_add(LINE));
    let tail = start.wrapping_add(bytes.len().saturating_sub(LINE + LINE / 2));
    hint(tail);
    hint(tail.wrapping_add(LINE));
}

/// Fetches the cache line of an address.
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
