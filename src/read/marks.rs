//! Finds the bytes of a file that the parser must look at, 64 at a time.
//!
//! A *mark* is such a byte: a line end, a `#`, or any other control character except the tab.
//! Everything between two marks is plain text, and most lines hold no mark but their end. What
//! a mark means depends on the profile; here they are one set, so one pass finds them all.

/// The number of bytes looked at together.
pub(crate) const BLOCK: usize = 64;

/// The marks of a block: bit `i` for byte `i`.
#[inline(always)]
pub(crate) fn marks(block: &[u8; BLOCK]) -> u64 {
    #[cfg(target_feature = "sse2")]
    #[expect(unsafe_code, reason = "intrinsics of a feature that the whole program requires")]
    // SAFETY: calling `sse2::marks` is unsafe only on processors that may lack SSE2. By
    // `cfg(target_feature)` this call is compiled only if the whole program requires SSE2, as it
    // always does on x86-64. The function itself reads through a reference.
    return unsafe { sse2::marks(block) };
    #[cfg(not(target_feature = "sse2"))]
    return portable::marks(block);
}

#[cfg(target_feature = "sse2")]
mod sse2 {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::*;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::*;

    use super::BLOCK;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn marks(block: &[u8; BLOCK]) -> u64 {
        let (quarters, _) = block.as_chunks::<16>();
        let mut marks = 0;
        for (number, quarter) in quarters.iter().enumerate() {
            let (halves, _) = quarter.as_chunks::<8>();
            let [low, high] = [halves[0], halves[1]].map(i64::from_le_bytes);
            // The compiler makes one load of the two halves.
            let bytes = _mm_set_epi64x(high, low);
            let below_space = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
            let tab = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\t' as i8));
            let hash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'#' as i8));
            let delete = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F));
            let found = _mm_or_si128(_mm_andnot_si128(tab, below_space), hash);
            let found = _mm_movemask_epi8(_mm_or_si128(found, delete));
            marks |= u64::from(found as u16) << (16 * number);
        }
        marks
    }
}

/// Eight bytes at a time in a word, for processors without SSE2.
#[cfg(any(not(target_feature = "sse2"), test))]
mod portable {
    use super::BLOCK;

    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;

    pub(super) fn marks(block: &[u8; BLOCK]) -> u64 {
        let (words, _) = block.as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        words.enumerate().fold(0, |marks, (number, word)| marks | of_word(word) << (8 * number))
    }

    fn of_word(word: u64) -> u64 {
        // Each of these has the highest bit of a byte clear if the byte is what it looks for. No
        // sum carries into the next byte, since the highest bits are masked out.
        let low = word & !HIGH;
        let not = |byte: u8| ((low ^ (LOW * u64::from(byte))) + !HIGH) | word;
        let not_below_space = (low + LOW * (0x80 - 0x20)) | word;
        let found = (!not_below_space & not(b'\t')) | !not(b'#') | !not(0x7F);
        // Moves the eight highest bits side by side.
        ((found & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_by_one(block: &[u8; BLOCK]) -> u64 {
        let is_mark = |o: u8| o == b'#' || o.is_ascii_control() && o != b'\t';
        (0..BLOCK).fold(0, |marks, i| marks | u64::from(is_mark(block[i])) << i)
    }

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=255 {
            for at in 0..BLOCK {
                for around in [b'a', 0xFF, b'\n', 0x80, b' '] {
                    let mut block = [around; BLOCK];
                    block[at] = byte;
                    let wanted = one_by_one(&block);
                    assert_eq!(marks(&block), wanted, "{byte} at {at} in {around}");
                    assert_eq!(portable::marks(&block), wanted, "{byte} at {at} in {around}");
                }
            }
        }
    }
}
