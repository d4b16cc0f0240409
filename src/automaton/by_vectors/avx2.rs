//! The vectors of AVX2.

use std::arch::x86_64::*;

use crate::sixteen::Sixteen;

/// Thirty-two bytes.
pub(super) type Thirty = __m256i;

functions! {
    load(bytes: &[u8; 32]) -> Thirty = _mm256_loadu_si256(bytes.as_ptr().cast());
    all(byte: u8) -> Thirty = _mm256_set1_epi8(byte as i8);
    all_words(word: u32) -> Thirty = _mm256_set1_epi32(word as i32);
    halves(low: Sixteen, high: Sixteen) -> Thirty = _mm256_set_m128i(high.0, low.0);
    /// The same bytes in both halves.
    twice(half: Sixteen) -> Thirty = _mm256_broadcastsi128_si256(half.0);
    equal(a: Thirty, b: Thirty) -> Thirty = _mm256_cmpeq_epi8(a, b);
    or(a: Thirty, b: Thirty) -> Thirty = _mm256_or_si256(a, b);
    and(a: Thirty, b: Thirty) -> Thirty = _mm256_and_si256(a, b);
    not(a: Thirty) -> Thirty = _mm256_xor_si256(a, all(0xFF));
    /// Moves bytes to the front by `BY` places and fills up with ones.
    front<const BY: i32>(a: Thirty) -> Thirty =
        _mm256_alignr_epi8::<BY>(_mm256_permute2x128_si256::<0x21>(a, all(0xFF)), a);
    /// The lower and the higher four bits of each byte.
    nibbles(a: Thirty) -> [Thirty; 2] = [and(a, all(15)), and(_mm256_srli_epi16::<4>(a), all(15))];
    /// By each index below 16 the byte of a table, which is there twice.
    look_up(table: Thirty, indices: Thirty) -> Thirty = _mm256_shuffle_epi8(table, indices);
    /// A bit for each byte, of which all bits are set or none.
    bits(a: Thirty) -> u32 = _mm256_movemask_epi8(a) as u32;
    /// The first word of four bytes in which all bits are set.
    first_word(a: Thirty) -> Option<usize> = {
        let whole = _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, all(0xFF)));
        match _mm256_movemask_ps(whole) as u32 {
            0 => None,
            words => Some(words.trailing_zeros() as usize),
        }
    };
    /// By each index below 16 the byte of a table; by 0x80, zero.
    look_up_sixteen(table: Sixteen, indices: Sixteen) -> Sixteen =
        Sixteen(_mm_shuffle_epi8(table.0, indices.0));
    /// The bits of a mask in each byte, moved to the right before by so many places; no others may come into them.
    shifted(a: Sixteen, by: u8, mask: u8) -> Sixteen = {
        let shifted = _mm_srl_epi16(a.0, _mm_cvtsi32_si128(i32::from(by)));
        Sixteen(_mm_and_si128(shifted, _mm_set1_epi8(mask as i8)))
    };
    /// Two words of eight bytes.
    words(first: u64, second: u64) -> Sixteen =
        Sixteen(_mm_set_epi64x(second as i64, first as i64));
    /// Whether for one of four bytes a table by the lower four bits and one by the higher have a bit in common.
    any_in_tables(low_table: Sixteen, high_table: Sixteen, four: u32) -> bool = {
        let (four, four_bits) = (_mm_set1_epi32(four as i32), _mm_set1_epi8(15));
        let low = _mm_and_si128(four, four_bits);
        let high = _mm_and_si128(_mm_srli_epi16::<4>(four), four_bits);
        _mm_testz_si128(_mm_shuffle_epi8(low_table.0, low), _mm_shuffle_epi8(high_table.0, high)) == 0
    };
}
