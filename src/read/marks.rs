//! Finds the bytes of a file that the parser must look at, 64 at a time.
//!
//! A *mark* is such a byte: a line end, a `#`, or another control character, except the tab.
//! Everything between two marks is plain text, and most lines hold no mark but their end. What
//! a mark means depends on the profile.

/// The number of bytes looked at together.
pub(crate) const BLOCK: usize = 64;

/// The marks of a block: bit `i` for byte `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) lf: u64,
    pub(crate) cr: u64,
    /// `#` and control characters.
    pub(crate) other: u64,
}

/// Finds the marks of each block. Unless `all_controls`, those control characters may be left out that no profile
/// takes for white space or for an end: it is two thirds of the work.
#[inline]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(unused_variables, reason = "only the vector code leaves marks out")
)]
pub(crate) fn fill(blocks: &[[u8; BLOCK]], all_controls: bool, marks: &mut [Marks]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = crate::processor::Avx2::detect() {
        return avx2.fill(blocks, all_controls, marks);
    }
    for (block, marks) in blocks.iter().zip(marks) {
        *marks = of_block(block);
    }
}

#[inline(always)]
fn of_block(block: &[u8; BLOCK]) -> Marks {
    #[cfg(target_feature = "sse2")]
    #[expect(unsafe_code, reason = "intrinsics of a feature that the whole program requires")]
    // SAFETY: calling `sse2::marks` is unsafe only on processors that may lack SSE2. By
    // `cfg(target_feature)` this call is compiled only if the whole program requires SSE2, as it
    // always does on x86-64. The function itself reads through a reference.
    return unsafe { sse2::marks(block) };
    #[cfg(not(target_feature = "sse2"))]
    return portable::marks(block);
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BLOCK, Marks};
    use crate::processor::Avx2;

    impl Avx2 {
        #[inline(always)]
        pub(super) fn fill(self, blocks: &[[u8; BLOCK]], all_controls: bool, to: &mut [Marks]) {
            #[expect(unsafe_code, reason = "instructions that this processor has")]
            // SAFETY: `self` shows that the processor has AVX2. The function reads through
            // references.
            unsafe {
                fill(blocks, all_controls, to);
            }
        }
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn fill(blocks: &[[u8; BLOCK]], all_controls: bool, to: &mut [Marks]) {
        for (block, marks) in blocks.iter().zip(to) {
            let halves = [0, 32].map(|at| {
                let (words, _) = block[at..at + 32].as_chunks::<8>();
                let [a, b, c, d] = [0, 1, 2, 3].map(|word| i64::from_le_bytes(words[word]));
                // The compiler makes one load of the four.
                _mm256_set_epi64x(d, c, b, a)
            });
            let [low, high] = halves.map(|half| of_half(half, all_controls));
            let whole = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
            *marks = Marks {
                lf: whole(low[0], high[0]),
                cr: whole(low[1], high[1]),
                other: whole(low[2], high[2]),
            };
        }
    }

    /// LF, CR, others.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of_half(bytes: __m256i, all_controls: bool) -> [u32; 3] {
        // By the lower four bits of a byte, the one byte with these bits that is looked for: NUL, `#`,
        // vertical tab, form feed. For a byte above 0x7F the look-up gives 0, and 0xFF is one.
        const NONE: i8 = -1;
        let wanted = _mm_setr_epi8(
            0, NONE, NONE, b'#' as i8, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 0x0B, 0x0C, NONE,
            NONE, NONE,
        );
        let is = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
        let bits = |found| _mm256_movemask_epi8(found) as u32;
        let wanted = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(wanted), bytes);
        let [lf, cr] = [is(b'\n'), is(b'\r')].map(bits);
        let mut other = bits(_mm256_cmpeq_epi8(wanted, bytes));
        if all_controls {
            let below_space = _mm256_min_epu8(bytes, _mm256_set1_epi8(0x1F));
            let below_space = _mm256_cmpeq_epi8(below_space, bytes);
            let control = _mm256_or_si256(_mm256_andnot_si256(is(b'\t'), below_space), is(0x7F));
            other |= bits(control) & !(lf | cr);
        }
        [lf, cr, other]
    }
}

#[cfg(target_feature = "sse2")]
mod sse2 {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::*;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::*;

    use super::{BLOCK, Marks};

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn marks(block: &[u8; BLOCK]) -> Marks {
        let (quarters, _) = block.as_chunks::<16>();
        let mut marks = Marks::default();
        for (number, quarter) in quarters.iter().enumerate() {
            let (halves, _) = quarter.as_chunks::<8>();
            let [low, high] = [halves[0], halves[1]].map(i64::from_le_bytes);
            // The compiler makes one load of the two halves.
            let bytes = _mm_set_epi64x(high, low);
            let is = |byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8));
            let bits = |found| u64::from(_mm_movemask_epi8(found) as u16) << (16 * number);
            let below_space = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
            let other = _mm_or_si128(_mm_andnot_si128(is(b'\t'), below_space), is(b'#'));
            marks.lf |= bits(is(b'\n'));
            marks.cr |= bits(is(b'\r'));
            marks.other |= bits(_mm_or_si128(other, is(0x7F)));
        }
        marks.other &= !(marks.lf | marks.cr);
        marks
    }
}

/// Eight bytes at a time in a word, for processors without SSE2.
#[cfg(any(not(target_feature = "sse2"), test))]
mod portable {
    use super::{BLOCK, Marks};

    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;

    pub(super) fn marks(block: &[u8; BLOCK]) -> Marks {
        let (words, _) = block.as_chunks::<8>();
        let mut marks = Marks::default();
        for (number, word) in words.iter().enumerate() {
            let [lf, cr, other] = of_word(u64::from_le_bytes(*word));
            marks.lf |= lf << (8 * number);
            marks.cr |= cr << (8 * number);
            marks.other |= other << (8 * number);
        }
        marks.other &= !(marks.lf | marks.cr);
        marks
    }

    fn of_word(word: u64) -> [u64; 3] {
        // Each of these has the highest bit of a byte clear if the byte is what it looks for. No
        // sum carries into the next byte, since the highest bits are masked out.
        let low = word & !HIGH;
        let not = |byte: u8| ((low ^ (LOW * u64::from(byte))) + !HIGH) | word;
        let not_below_space = (low + LOW * (0x80 - 0x20)) | word;
        let other = (!not_below_space & not(b'\t')) | !not(b'#') | !not(0x7F);
        // Moves the eight highest bits side by side.
        let bits = |found: u64| ((found & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        [!not(b'\n'), !not(b'\r'), other].map(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_by_one(block: &[u8; BLOCK], is_mark: impl Fn(u8) -> bool) -> u64 {
        (0..BLOCK).fold(0, |marks, i| marks | u64::from(is_mark(block[i])) << i)
    }

    #[test]
    fn every_byte_at_every_place() {
        let is_end = |byte: u8| matches!(byte, b'\n' | b'\r');
        for byte in 0..=255 {
            for at in 0..BLOCK {
                for around in [b'a', 0xFF, b'\n', 0x80, b' ', 0x0F] {
                    let mut block = [around; BLOCK];
                    block[at] = byte;
                    let wanted = |other: &dyn Fn(u8) -> bool| Marks {
                        lf: one_by_one(&block, |byte| byte == b'\n'),
                        cr: one_by_one(&block, |byte| byte == b'\r'),
                        other: one_by_one(&block, |byte| byte == b'#' || other(byte)),
                    };
                    let all = |byte: u8| byte.is_ascii_control() && byte != b'\t' && !is_end(byte);
                    let few = |byte: u8| matches!(byte, 0 | 0x0B | 0x0C);
                    let shown = format!("{byte} at {at} in {around}");
                    assert_eq!(of_block(&block), wanted(&all), "{shown}");
                    assert_eq!(portable::marks(&block), wanted(&all), "{shown}");
                    let mut marks = [Marks::default(); 2];
                    fill(&[block, block], true, &mut marks);
                    assert_eq!(marks, [wanted(&all); 2], "{shown}");
                    fill(&[block], false, &mut marks);
                    // At least these, and no others than all.
                    let least = Marks { other: marks[0].other & wanted(&few).other, ..marks[0] };
                    assert_eq!(least, wanted(&few), "{shown}");
                    assert_eq!(marks[0].other & !wanted(&all).other, 0, "{shown}");
                }
            }
        }
    }
}
