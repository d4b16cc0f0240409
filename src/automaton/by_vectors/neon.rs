//! The same by NEON: two vectors of 16 bytes.

use std::arch::aarch64::*;

use crate::sixteen::Sixteen;

/// Thirty-two bytes.
#[derive(Clone, Copy)]
pub(super) struct Thirty(uint8x16_t, uint8x16_t);

functions! {
    load(bytes: &[u8; 32]) -> Thirty = Thirty(vld1q_u8(bytes.as_ptr()), vld1q_u8(bytes[16..].as_ptr()));
    all(byte: u8) -> Thirty = twice(Sixteen(vdupq_n_u8(byte)));
    all_words(word: u32) -> Thirty = twice(Sixteen(vreinterpretq_u8_u32(vdupq_n_u32(word))));
    halves(low: Sixteen, high: Sixteen) -> Thirty = Thirty(low.0, high.0);
    twice(half: Sixteen) -> Thirty = Thirty(half.0, half.0);
    equal(a: Thirty, b: Thirty) -> Thirty = Thirty(vceqq_u8(a.0, b.0), vceqq_u8(a.1, b.1));
    or(a: Thirty, b: Thirty) -> Thirty = Thirty(vorrq_u8(a.0, b.0), vorrq_u8(a.1, b.1));
    and(a: Thirty, b: Thirty) -> Thirty = Thirty(vandq_u8(a.0, b.0), vandq_u8(a.1, b.1));
    not(a: Thirty) -> Thirty = Thirty(vmvnq_u8(a.0), vmvnq_u8(a.1));
    front<const BY: i32>(a: Thirty) -> Thirty =
        Thirty(vextq_u8::<BY>(a.0, a.1), vextq_u8::<BY>(a.1, vdupq_n_u8(0xFF)));
    nibbles(a: Thirty) -> [Thirty; 2] =
        [and(a, all(15)), Thirty(vshrq_n_u8::<4>(a.0), vshrq_n_u8::<4>(a.1))];
    look_up(table: Thirty, indices: Thirty) -> Thirty =
        Thirty(vqtbl1q_u8(table.0, indices.0), vqtbl1q_u8(table.1, indices.1));
    bits(a: Thirty) -> u32 = Sixteen::bits([Sixteen(a.0), Sixteen(a.1)]) as u32;
    first_word(a: Thirty) -> Option<usize> = {
        let whole = |half| vmovn_u32(vceqq_u32(vreinterpretq_u32_u8(half), vdupq_n_u32(u32::MAX)));
        let whole = vmovn_u16(vcombine_u16(whole(a.0), whole(a.1)));
        match vget_lane_u64::<0>(vreinterpret_u64_u8(whole)) {
            0 => None,
            words => Some(words.trailing_zeros() as usize / 8),
        }
    };
    look_up_sixteen(table: Sixteen, indices: Sixteen) -> Sixteen = Sixteen(vqtbl1q_u8(table.0, indices.0));
    shifted(a: Sixteen, by: u8, mask: u8) -> Sixteen =
        Sixteen(vandq_u8(vshlq_u8(a.0, vdupq_n_s8(-(by as i8))), vdupq_n_u8(mask)));
    words(first: u64, second: u64) -> Sixteen =
        Sixteen(vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(first), vcreate_u64(second))));
    any_in_tables(low_table: Sixteen, high_table: Sixteen, four: u32) -> bool = {
        let four = vreinterpretq_u8_u32(vdupq_n_u32(four));
        let low = vqtbl1q_u8(low_table.0, vandq_u8(four, vdupq_n_u8(15)));
        let high = vqtbl1q_u8(high_table.0, vshrq_n_u8::<4>(four));
        vmaxvq_u8(vandq_u8(low, high)) != 0
    };
}
