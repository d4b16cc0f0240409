//! Finds the bytes of a file that the parser must look at, 64 at a time.
//!
//! A *mark* is such a byte: a line end, a `#`, or another control character, except the tab.
//! Everything between two marks is plain text, and most lines hold no mark but their end. What
//! a mark means depends on the profile.

use crate::sixteen::Sixteen;

/// The number of bytes looked at together.
pub(crate) const BLOCK: usize = 64;

/// How many places of a part are kept at most. There is room for four more, which are written together.
const MOST: usize = 128;
const ROOM: usize = MOST + 4;

/// A block is read only if there is room for as many marks as it has bytes.
const FULL: usize = MOST - BLOCK;

/// Where lines begin in a part of a file, and where marks are that are no line ends. Offsets have 32 bits: a file is read
/// up to less than 4 GiB.
pub(crate) struct Marks {
    /// Where the line begins that the part begins in or with, then where others begin, each after a line end.
    starts: [u32; ROOM],
    starts_len: usize,
    /// Where a `#` or a control character is, then a number that no place has.
    notes: [u32; ROOM],
    notes_len: usize,
}

impl Marks {
    /// Those before a file of which the first line begins here.
    pub(crate) fn new(begin: u32) -> Marks {
        let mut marks = Marks { starts: [0; ROOM], starts_len: 1, notes: [0; ROOM], notes_len: 0 };
        (marks.starts[0], marks.notes[0]) = (begin, u32::MAX);
        marks
    }

    /// Where lines begin: each ends at the byte before the next one, and the last one is not ended.
    #[inline(always)]
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts[..self.starts_len]
    }

    /// Where `#` and control characters are, then a number that no place has.
    #[inline(always)]
    pub(crate) fn notes(&self) -> &[u32] {
        &self.notes[..=self.notes_len]
    }

    /// Begins the next part: the line that is not ended stays, and the first mark in it.
    #[inline]
    pub(crate) fn next_part(&mut self) {
        let open = self.starts[self.starts_len - 1];
        let note = self.notes[..self.notes_len].iter().find(|note| **note >= open).copied();
        (self.starts[0], self.starts_len) = (open, 1);
        self.notes[0] = note.unwrap_or(u32::MAX);
        self.notes_len = usize::from(note.is_some());
    }

    /// Adds the marks of the blocks, which begin at `base`, as many as there is room for. Returns how many that are: at
    /// least one at the beginning of a part. `after` is the byte that follows the blocks.
    ///
    /// Unless `all_controls`, those control characters may be left out that no profile takes for white space or for an
    /// end: it is two thirds of the work.
    #[inline]
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_variables, reason = "only the vector code leaves marks out")
    )]
    pub(crate) fn fill(
        &mut self,
        blocks: &[[u8; BLOCK]],
        base: usize,
        after: Option<u8>,
        all_controls: bool,
    ) -> usize {
        #[cfg(target_arch = "x86_64")]
        let avx2 = crate::processor::Avx2AndBits::detect();
        #[cfg(target_arch = "x86_64")]
        let filled = match avx2 {
            Some(avx2) => avx2.fill(blocks, base, after, all_controls, self),
            None => self.fill_by_blocks(blocks, base, after),
        };
        #[cfg(not(target_arch = "x86_64"))]
        let filled = self.fill_by_blocks(blocks, base, after);
        self.notes[self.notes_len] = u32::MAX;
        filled
    }

    fn fill_by_blocks(&mut self, blocks: &[[u8; BLOCK]], base: usize, after: Option<u8>) -> usize {
        for (number, block) in blocks.iter().enumerate() {
            if self.starts_len > FULL || self.notes_len > FULL {
                return number;
            }
            let BlockMarks { lf, cr, other } = of_block(block);
            let at = (base + number * BLOCK) as u32;
            let next = blocks.get(number + 1).map(|next| next[0]).or(after);
            let ends = lf | ends_by_cr(lf, cr, next);
            self.starts_len = put_all(&mut self.starts, self.starts_len, at + 1, ends);
            self.notes_len = put_all(&mut self.notes, self.notes_len, at, other);
        }
        blocks.len()
    }
}

/// The CRs that end a line: not those before a LF. Each of those is dropped with the white space around values.
#[inline(always)]
fn ends_by_cr(lf: u64, cr: u64, next: Option<u8>) -> u64 {
    cr & !(lf >> 1 | u64::from(next == Some(b'\n')) << (BLOCK - 1))
}

/// Puts `base` and the number of each bit that is set after the first `len` places. Returns how many places there
/// are then.
#[inline(always)]
fn put_all(places: &mut [u32; ROOM], mut len: usize, base: u32, mut bits: u64) -> usize {
    while bits != 0 {
        places[len] = base + bits.trailing_zeros();
        bits &= bits - 1;
        len += 1;
    }
    len
}

/// The marks of a block: bit `i` for byte `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BlockMarks {
    lf: u64,
    cr: u64,
    /// `#` and control characters.
    other: u64,
}

#[inline(always)]
fn of_block(block: &[u8; BLOCK]) -> BlockMarks {
    if !Sixteen::IS_FAST {
        return portable::marks(block);
    }
    let (quarters, _) = block.as_chunks::<16>();
    let quarters: [Sixteen; 4] = std::array::from_fn(|at| Sixteen::load(&quarters[at]));
    let lf = Sixteen::bits(quarters.map(|bytes| bytes.is(b'\n')));
    let all = Sixteen::bits(quarters.map(|bytes| {
        let control = bytes.is_within(0, 0x1F).without(bytes.is(b'\t'));
        control.or(bytes.is(b'#')).or(bytes.is(0x7F))
    }));
    if all == lf {
        return BlockMarks { lf, ..BlockMarks::default() };
    }
    let cr = Sixteen::bits(quarters.map(|bytes| bytes.is(b'\r')));
    BlockMarks { lf, cr, other: all & !(lf | cr) }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BLOCK, FULL, MOST, Marks, ROOM, ends_by_cr};
    use crate::processor::Avx2AndBits;

    impl Avx2AndBits {
        #[inline(always)]
        pub(super) fn fill(
            self,
            blocks: &[[u8; BLOCK]],
            base: usize,
            after: Option<u8>,
            all_controls: bool,
            to: &mut Marks,
        ) -> usize {
            #[expect(unsafe_code, reason = "instructions that this processor has")]
            // SAFETY: `self` shows that the processor has these instructions. The function reads and writes through
            // references.
            unsafe {
                if all_controls {
                    fill::<true>(blocks, base, after, to)
                } else {
                    fill::<false>(blocks, base, after, to)
                }
            }
        }
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn fill<const ALL_CONTROLS: bool>(
        blocks: &[[u8; BLOCK]],
        base: usize,
        after: Option<u8>,
        to: &mut Marks,
    ) -> usize {
        let mut starts_len = to.starts_len;
        let mut filled = blocks.len();
        for (number, block) in blocks.iter().enumerate() {
            if starts_len > FULL {
                filled = number;
                break;
            }
            let at = (base + number * BLOCK) as u32;
            let (low, high) = (half(block, 0), half(block, 32));
            let lf = whole(is(low, b'\n'), is(high, b'\n'));
            let all = whole(marked::<ALL_CONTROLS>(low), marked::<ALL_CONTROLS>(high));
            let mut ends = lf;
            // In files without CR only where a comment is.
            if all != lf {
                let cr = whole(is(low, b'\r'), is(high, b'\r'));
                let next = blocks.get(number + 1).map(|next| next[0]).or(after);
                ends |= ends_by_cr(lf, cr, next);
                let other = all & !(lf | cr);
                if other != 0 {
                    if to.notes_len > FULL {
                        filled = number;
                        break;
                    }
                    to.notes_len = put_all(&mut to.notes, to.notes_len, at, other);
                }
            }
            starts_len = put_all(&mut to.starts, starts_len, at + 1, ends);
        }
        to.starts_len = starts_len;
        filled
    }

    /// As [`super::put_all`], four at a time: what is beyond the last bit is written over later. So no branch depends on
    /// how many lines a block has.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn put_all(places: &mut [u32; ROOM], mut len: usize, base: u32, mut bits: u64) -> usize {
        let end = len + bits.count_ones() as usize;
        loop {
            // `len` is less than `MOST` whenever a bit is left. So the compiler sees that there is room.
            let len_seen = len % MOST;
            debug_assert!(bits == 0 || len_seen == len, "a block is read only if there is room");
            for place in &mut places[len_seen..len_seen + 4] {
                *place = base.wrapping_add(bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
            }
            len += 4;
            if bits == 0 {
                return end;
            }
        }
    }

    /// The compiler makes one load of the four.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn half(block: &[u8; BLOCK], at: usize) -> __m256i {
        let (words, _) = block[at..at + 32].as_chunks::<8>();
        let word = |number: usize| i64::from_le_bytes(words[number]);
        _mm256_set_epi64x(word(3), word(2), word(1), word(0))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn whole(low: __m256i, high: __m256i) -> u64 {
        let [low, high] = [_mm256_movemask_epi8(low) as u32, _mm256_movemask_epi8(high) as u32];
        u64::from(low) | u64::from(high) << 32
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn is(bytes: __m256i, byte: u8) -> __m256i {
        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8))
    }

    /// The bytes that are marks.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn marked<const ALL_CONTROLS: bool>(bytes: __m256i) -> __m256i {
        // By the lower four bits of a byte, the one byte with these bits that is looked for: NUL, `#`, LF,
        // vertical tab, form feed, CR. For a byte above 0x7F the look-up gives 0, and 0xFF is one.
        const NONE: i8 = -1;
        let wanted = _mm_setr_epi8(
            0, NONE, NONE, b'#' as i8, NONE, NONE, NONE, NONE, NONE, NONE, 0x0A, 0x0B, 0x0C, 0x0D,
            NONE, NONE,
        );
        let wanted = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(wanted), bytes);
        let marked = _mm256_cmpeq_epi8(wanted, bytes);
        if !ALL_CONTROLS {
            return marked;
        }
        let below_space = _mm256_min_epu8(bytes, _mm256_set1_epi8(0x1F));
        let below_space = _mm256_cmpeq_epi8(below_space, bytes);
        let control =
            _mm256_or_si256(_mm256_andnot_si256(is(bytes, b'\t'), below_space), is(bytes, 0x7F));
        _mm256_or_si256(marked, control)
    }
}

/// Eight bytes at a time in a word.
mod portable {
    use super::{BLOCK, BlockMarks};

    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;

    pub(super) fn marks(block: &[u8; BLOCK]) -> BlockMarks {
        let (words, _) = block.as_chunks::<8>();
        let mut marks = BlockMarks::default();
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
                    let wanted = |other: &dyn Fn(u8) -> bool| BlockMarks {
                        lf: one_by_one(&block, |byte| byte == b'\n'),
                        cr: one_by_one(&block, |byte| byte == b'\r'),
                        other: one_by_one(&block, |byte| byte == b'#' || other(byte)),
                    };
                    let all = |byte: u8| byte.is_ascii_control() && byte != b'\t' && !is_end(byte);
                    let few = |byte: u8| matches!(byte, 0 | 0x0B | 0x0C);
                    let shown = format!("{byte} at {at} in {around}");
                    assert_eq!(of_block(&block), wanted(&all), "{shown}");
                    assert_eq!(portable::marks(&block), wanted(&all), "{shown}");
                    for after in [None, Some(b'\n'), Some(b'a')] {
                        let BlockMarks { lf, cr, other } = wanted(&all);
                        let places = |first: Option<u32>, base: u32, bits: u64| {
                            let places = (0..64).filter(move |bit| bits >> bit & 1 != 0);
                            first.into_iter().chain(places.map(move |bit| base + bit)).collect()
                        };
                        let ends = lf | ends_by_cr(lf, cr, after);
                        let starts: Vec<u32> = places(Some(90), 101, ends);
                        let notes: Vec<u32> = places(None, 100, other);
                        let mut marks = Marks::new(90);
                        assert_eq!(marks.fill(&[block], 100, after, true), 1);
                        assert_eq!(marks.starts(), starts, "{shown}");
                        assert_eq!(marks.notes().split_last(), Some((&u32::MAX, &notes[..])));
                        let mut marks = Marks::new(90);
                        marks.fill(&[block], 100, after, false);
                        assert_eq!(marks.starts(), starts, "{shown}");
                        // At least these, and no others than all.
                        let least: Vec<u32> = places(None, 100, wanted(&few).other);
                        assert!(least.iter().all(|note| marks.notes().contains(note)), "{shown}");
                        let (_, some) = marks.notes().split_last().expect("never empty");
                        assert!(some.iter().all(|note| notes.contains(note)), "{shown}");
                    }
                }
            }
        }
    }
}
