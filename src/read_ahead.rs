//! Asks the processor to fetch memory that will be read soon, so that the waits for several
//! pieces overlap.

/// The size of a cache line, in bytes.
const LINE: usize = 64;

/// Fetches the first cache lines of a value, up to three.
#[cfg(feature = "pack")]
#[inline(always)]
pub(crate) fn value<T>(value: &T) {
    let start = std::ptr::from_ref(value).cast::<u8>();
    for line in 0..size_of::<T>().div_ceil(LINE).min(3) {
        self::line(start.wrapping_add(line * LINE));
    }
}

/// Fetches the cache lines of so many bytes from an address on, at least one.
#[inline(always)]
pub fn span<T>(start: *const T, bytes: usize) {
    let start = start.cast::<u8>();
    for at in (0..bytes).step_by(LINE) {
        line(start.wrapping_add(at));
    }
    line(start.wrapping_add(bytes - 1));
}

/// Fetches so many cache lines of some bytes, from the one with the byte at an offset on.
#[inline(always)]
pub(crate) fn lines(bytes: &[u8], from: usize, count: usize) {
    for line in 0..count {
        self::line(bytes.as_ptr().wrapping_add(from + line * LINE));
    }
}

/// Fetches the cache line of an offset in some bytes, which need not be within them.
#[inline(always)]
#[cfg(feature = "pack")]
pub(crate) fn at(bytes: &[u8], offset: usize) {
    line(bytes.as_ptr().wrapping_add(offset));
}

/// Fetches the cache line of an address, whatever that is. Does nothing on processors for which stable Rust has no such
/// instruction.
#[inline(always)]
#[cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "an instruction that takes an address")
)]
pub fn line<T>(address: *const T) {
    // SAFETY: the instruction is part of SSE, which every x86-64 processor has. It has no effect
    // that the program can observe, and it never faults, whatever the address.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    // SAFETY: the same holds for this instruction, which every AArch64 processor has.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}
