//! Asking the processor for memory that will be read soon, so that the waits for several
//! pieces overlap.

/// Bytes that a processor fetches at once.
const LINE: usize = 64;

/// Asks for the first lines of a value, up to three of them.
#[inline(always)]
pub(crate) fn value<T>(value: &T) {
    let start = std::ptr::from_ref(value).cast::<u8>();
    for line in 0..size_of::<T>().div_ceil(LINE).min(3) {
        hint(start.wrapping_add(line * LINE));
    }
}

/// Asks for the first lines of some bytes, where a table has its head, and for the last ones,
/// where it begins to be read.
#[inline(always)]
pub(crate) fn ends(bytes: &[u8]) {
    let start = bytes.as_ptr();
    hint(start);
    hint(start.wrapping_add(LINE));
    let tail = start.wrapping_add(bytes.len().saturating_sub(LINE + LINE / 2));
    hint(tail);
    hint(tail.wrapping_add(LINE));
}

/// Asks for the line that an address is in.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn hint(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the instruction is part of SSE, which every x86-64 processor has. It reads
    // nothing that the program can see and never faults, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
fn hint(_: *const u8) {}
