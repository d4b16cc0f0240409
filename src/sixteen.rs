//! Sixteen bytes that are looked at together, by instructions that every processor of the target has: SSE2 on x86, NEON on
//! AArch64. Elsewhere there are none; arrays stand in, so that callers compile, but who asks has a better way there.

#![expect(unsafe_code, reason = "instructions that every processor of the target has")]

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use std::arch::aarch64::*;
#[cfg(all(target_arch = "x86", target_feature = "sse2"))]
use std::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Sixteen bytes. In what a comparison gives, those bytes for which it holds have all bits set, the others none.
#[derive(Clone, Copy)]
pub struct Sixteen(pub(crate) Register);

/// The same functions for each of the three.
macro_rules! functions {
    ($($name:ident $(<const $n:ident: usize>)? ($($argument:ident $(: $type:ty)?),*) -> $to:ty = $value:expr;)*) => {
        impl Sixteen {
            $(
                #[inline(always)]
                #[allow(unused_unsafe, reason = "arrays need nothing")]
                pub fn $name $(<const $n: usize>)? ($($argument $(: $type)?),*) -> $to {
                    // SAFETY: by `cfg` this is compiled only if the whole program requires SSE2, as it always does on
                    // x86-64, or for AArch64, which has NEON wherever Rust's standard library runs. Loads read through a
                    // reference to 16 bytes and need no alignment.
                    unsafe { $value }
                }
            )*
        }
    };
}

#[cfg(target_feature = "sse2")]
pub(crate) type Register = __m128i;
#[cfg(target_feature = "sse2")]
functions! {
    load(bytes: &[u8; 16]) -> Sixteen = Sixteen(_mm_loadu_si128(bytes.as_ptr().cast()));
    is(self, byte: u8) -> Sixteen = Sixteen(_mm_cmpeq_epi8(self.0, _mm_set1_epi8(byte as i8)));
    equal(self, other: Sixteen) -> Sixteen = Sixteen(_mm_cmpeq_epi8(self.0, other.0));
    and(self, other: Sixteen) -> Sixteen = Sixteen(_mm_and_si128(self.0, other.0));
    or(self, other: Sixteen) -> Sixteen = Sixteen(_mm_or_si128(self.0, other.0));
    without(self, other: Sixteen) -> Sixteen = Sixteen(_mm_andnot_si128(other.0, self.0));
    // As signed numbers, of which the range is moved to the lowest. The range must not be of all 256.
    is_within(self, low: u8, high: u8) -> Sixteen = Sixteen(_mm_cmplt_epi8(
        _mm_add_epi8(self.0, _mm_set1_epi8(0x80_u8.wrapping_sub(low) as i8)),
        _mm_set1_epi8(0x80_u8.wrapping_add(high - low + 1) as i8),
    ));
    bits<const N: usize>(found: [Sixteen; N]) -> u64 = (0..N).fold(0, |bits, at| {
        bits | u64::from(_mm_movemask_epi8(found[at].0) as u16) << (16 * at)
    });
    first(self) -> Option<usize> = match _mm_movemask_epi8(self.0) {
        0 => None,
        bits => Some(bits.trailing_zeros() as usize),
    };
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
pub(crate) type Register = uint8x16_t;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
functions! {
    load(bytes: &[u8; 16]) -> Sixteen = Sixteen(vld1q_u8(bytes.as_ptr()));
    is(self, byte: u8) -> Sixteen = Sixteen(vceqq_u8(self.0, vdupq_n_u8(byte)));
    equal(self, other: Sixteen) -> Sixteen = Sixteen(vceqq_u8(self.0, other.0));
    and(self, other: Sixteen) -> Sixteen = Sixteen(vandq_u8(self.0, other.0));
    or(self, other: Sixteen) -> Sixteen = Sixteen(vorrq_u8(self.0, other.0));
    without(self, other: Sixteen) -> Sixteen = Sixteen(vbicq_u8(self.0, other.0));
    is_within(self, low: u8, high: u8) -> Sixteen =
        Sixteen(vcleq_u8(vsubq_u8(self.0, vdupq_n_u8(low)), vdupq_n_u8(high - low)));
    // Leaves a bit of each byte, then adds neighbours three times. Fewer than four come again, and are added once.
    bits<const N: usize>(found: [Sixteen; N]) -> u64 = {
        let mut bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        // No instruction. If the compiler knew the bits, it would take three instructions for an addition: as an `or`.
        std::arch::asm!("/* {0:v} */", inout(vreg) bit, options(pure, nomem, nostack, preserves_flags));
        let [a, b, c, d] = [0, 1, 2, 3].map(|at| vandq_u8(found[at % N].0, bit));
        let pairs = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
        let bits = vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)));
        bits & (u64::MAX >> (64 - 16 * N))
    };
    // Half of each byte.
    first(self) -> Option<usize> =
        match vget_lane_u64::<0>(vreinterpret_u64_u8(vshrn_n_u16::<4>(vreinterpretq_u16_u8(self.0)))) {
            0 => None,
            halves => Some(halves.trailing_zeros() as usize / 4),
        };
}

#[cfg(not(any(target_feature = "sse2", all(target_arch = "aarch64", target_endian = "little"))))]
pub(crate) type Register = [u8; 16];
#[cfg(not(any(target_feature = "sse2", all(target_arch = "aarch64", target_endian = "little"))))]
functions! {
    load(bytes: &[u8; 16]) -> Sixteen = Sixteen(*bytes);
    is(self, byte: u8) -> Sixteen = self.is_within(byte, byte);
    equal(self, other: Sixteen) -> Sixteen =
        Sixteen(std::array::from_fn(|at| if self.0[at] == other.0[at] { 0xFF } else { 0 }));
    and(self, other: Sixteen) -> Sixteen = Sixteen(std::array::from_fn(|at| self.0[at] & other.0[at]));
    or(self, other: Sixteen) -> Sixteen = Sixteen(std::array::from_fn(|at| self.0[at] | other.0[at]));
    without(self, other: Sixteen) -> Sixteen = Sixteen(std::array::from_fn(|at| self.0[at] & !other.0[at]));
    is_within(self, low: u8, high: u8) -> Sixteen =
        Sixteen(self.0.map(|byte| if (low..=high).contains(&byte) { 0xFF } else { 0 }));
    bits<const N: usize>(found: [Sixteen; N]) -> u64 =
        (0..16 * N).fold(0, |bits, at| bits | u64::from(found[at / 16].0[at % 16] & 1) << at);
    first(self) -> Option<usize> = self.0.iter().position(|found| *found != 0);
}

impl Sixteen {
    /// The bits of two comparisons, got together.
    #[inline(always)]
    pub fn bits_of_each(found: [Sixteen; 2]) -> [u32; 2] {
        let bits = Sixteen::bits(found) as u32;
        [bits & 0xFFFF, bits >> 16]
    }

    /// Whether there are such instructions.
    pub const IS_FAST: bool =
        cfg!(any(target_feature = "sse2", all(target_arch = "aarch64", target_endian = "little")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_byte_by_byte() {
        let bits =
            |is: &dyn Fn(usize) -> bool| (0..16).fold(0, |bits, at| bits | u64::from(is(at)) << at);
        let a: [u8; 16] = std::array::from_fn(|at| (at * 17) as u8);
        for byte in 0..=255u8 {
            for shift in 0..16 {
                let b: [u8; 16] = std::array::from_fn(|at| a[at].rotate_left(shift % 8) ^ byte);
                let (first, second) = (Sixteen::load(&a), Sixteen::load(&b));
                let (low, high) = (byte / 2, byte / 2 + byte % 128);
                let (equal, within) = (first.equal(second), second.is_within(low, high));
                let is = second.is(byte);
                let wanted_is = bits(&|at| b[at] == byte);
                let wanted_equal = bits(&|at| a[at] == b[at]);
                let wanted_within = bits(&|at| (low..=high).contains(&b[at]));
                assert_eq!(Sixteen::bits([is]), wanted_is);
                assert_eq!(Sixteen::bits([equal, is]), wanted_equal | wanted_is << 16);
                let four = Sixteen::bits([is, within, equal, is.or(equal)]);
                let wanted = [wanted_is, wanted_within, wanted_equal, wanted_is | wanted_equal];
                assert_eq!(four, (0..4).fold(0, |four, at| four | wanted[at] << (16 * at)));
                assert_eq!(Sixteen::bits([within.without(is)]), wanted_within & !wanted_is);
                let place = Some(wanted_within.trailing_zeros() as usize);
                assert_eq!(within.first(), place.filter(|place| *place < 64));
            }
        }
    }
}
