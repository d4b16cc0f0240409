//! The walk for processors with AVX2: the same steps as [`super::walk`], without bounds
//! checks and with as few branches as can be.
//!
//! What a walk costs is the branches that no processor can foresee, some 20 cycles each. So
//! the start is left by one look at four bytes (the table's entries); a branch finds its
//! exit, or that there is none, without asking; and a wait looks at 32 bytes at once for
//! three in a row that its filter lets pass.
//!
//! # Safety
//!
//! Two things are read without a check: the target, always by an offset and a length that
//! are compared with its length right before; and the table. The table is valid
//! ([`Table::validate`], which every table passes that was not built by this process, and in
//! debug builds every one). So (numbers of its invariants in `table`):
//!
//! * Every offset of a record that the walk holds is the start's, a target's, or that behind
//!   a literal that says so: each is where a record begins (2, 4).
//! * All that is read of a record by its own lengths lies in it, and so before the padding
//!   (1).
//! * A vector that is loaded from within a record, a target behind the last exit (there may be
//!   none: then what is read is not used), and a vector of entries run over the end of the
//!   records or of the entries by less than the [`PADDING`](super::table::PADDING) of 32.
//!
//! [`Bytes`] checks each of these reads in debug builds, thus in all tests and when fuzzing.

#![expect(unsafe_code, reason = "reads without bounds checks: see the module's Safety")]

use std::arch::x86_64::*;

use crate::automaton::lookahead::{FILTER_LEN, PREFIX_LEN};
use crate::automaton::table::{
    BRANCH, Head, LITERAL, NO_PEEK, OTHERWISE_TARGET, THEN_BEHIND, THEN_TARGET, Table, header_len,
};
use crate::automaton::walk::{common_prefix_len, final_verdict, is_final, verdict_of};
use crate::rules::target::Target;
use crate::verdict::Verdict;

/// Whether this processor can walk so.
#[inline(always)]
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
}

/// The verdict of a valid table; only where [`is_available`].
#[inline(always)]
pub(super) fn verdict(table: Table<'_>, target: &Target<'_>) -> Verdict {
    debug_assert!(is_available());
    // SAFETY: the processor has AVX2.
    unsafe {
        match table.width() {
            2 => enter::<2>(table, target),
            _ => enter::<4>(table, target),
        }
    }
}

/// Bytes that are read without a check. Each method's caller knows that what it reads lies
/// within.
#[derive(Clone, Copy)]
struct Bytes<'o>(&'o [u8]);

impl Bytes<'_> {
    #[inline(always)]
    fn pointer<const LEN: usize>(self, at: usize) -> *const u8 {
        debug_assert!(at + LEN <= self.0.len(), "{at} + {LEN} > {}", self.0.len());
        // SAFETY: `at` lies within the bytes, by the callers' word (module documentation).
        unsafe { self.0.as_ptr().add(at) }
    }

    #[inline(always)]
    fn byte(self, at: usize) -> u8 {
        // SAFETY: one byte is there, by the callers' word.
        unsafe { *self.pointer::<1>(at) }
    }

    /// A target.
    #[inline(always)]
    fn number<const WIDTH: usize>(self, at: usize) -> usize {
        let pointer = self.pointer::<WIDTH>(at);
        // SAFETY: `WIDTH` bytes are there, by the callers' word; unaligned.
        unsafe {
            match WIDTH {
                2 => usize::from(u16::from_le(pointer.cast::<u16>().read_unaligned())),
                _ => u32::from_le(pointer.cast::<u32>().read_unaligned()) as usize,
            }
        }
    }

    #[inline(always)]
    fn word<const LEN: usize>(self, at: usize) -> u64 {
        let pointer = self.pointer::<LEN>(at);
        // SAFETY: `LEN` bytes are there, by the callers' word; unaligned.
        unsafe {
            match LEN {
                4 => u64::from(u32::from_le(pointer.cast::<u32>().read_unaligned())),
                _ => u64::from_le(pointer.cast::<u64>().read_unaligned()),
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load16(self, at: usize) -> __m128i {
        // SAFETY: 16 bytes are there, by the callers' word; unaligned.
        unsafe { _mm_loadu_si128(self.pointer::<16>(at).cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load32(self, at: usize) -> __m256i {
        // SAFETY: 32 bytes are there, by the callers' word; unaligned.
        unsafe { _mm256_loadu_si256(self.pointer::<32>(at).cast()) }
    }
}

/// Looks at the first four bytes of the target. For most targets there is no more to do.
#[target_feature(enable = "avx2")]
fn enter<const WIDTH: usize>(table: Table<'_>, target: &Target<'_>) -> Verdict {
    let bytes = Bytes(table.bytes);
    let given = Bytes(target.unended());
    debug_assert_eq!(header_len(WIDTH), 2 + 3 * table.width());
    let n = usize::from(bytes.byte(1));
    let (mut at, mut read) = (bytes.number::<WIDTH>(2), 0);
    if n > 0 && given.0.len() >= PREFIX_LEN {
        let four = given.word::<4>(0) as u32;
        let prefixes = bytes.number::<WIDTH>(2 + 2 * WIDTH);
        let entry = entry(bytes, prefixes, n, four);
        if entry < n {
            let skips = prefixes + PREFIX_LEN * n;
            read = usize::from(bytes.byte(skips + entry));
            at = bytes.number::<WIDTH>(skips + n + WIDTH * entry);
        } else if !any_special(table, four) {
            at = bytes.number::<WIDTH>(2 + WIDTH);
        }
    }
    if is_final(at) { final_verdict(at) } else { walk::<WIDTH>(table, given, at, read) }
}

/// The entry that begins like these four bytes; `n` or more where none does.
#[inline]
#[target_feature(enable = "avx2")]
fn entry(bytes: Bytes<'_>, prefixes: usize, n: usize, four: u32) -> usize {
    let (wanted, open) = (_mm256_set1_epi32(four as i32), _mm256_set1_epi8(NO_PEEK as i8));
    let mut from = 0;
    while from < n {
        let eight = bytes.load32(prefixes + PREFIX_LEN * from);
        let same =
            _mm256_or_si256(_mm256_cmpeq_epi8(eight, wanted), _mm256_cmpeq_epi8(eight, open));
        let same = _mm256_cmpeq_epi32(same, _mm256_set1_epi8(-1));
        let found = _mm256_movemask_ps(_mm256_castsi256_ps(same)) as u32;
        if found != 0 {
            // What stands behind the last prefix is none: `n` or more.
            return from + found.trailing_zeros() as usize;
        }
        from += 8;
    }
    n
}

/// Whether one of four bytes is special.
#[inline]
#[target_feature(enable = "avx2")]
fn any_special(table: Table<'_>, four: u32) -> bool {
    let [low_table, high_table] = table.encoding.special_nibbles();
    let (four, four_bits) = (_mm_set1_epi32(four as i32), _mm_set1_epi8(15));
    let low = _mm_and_si128(four, four_bits);
    let high = _mm_and_si128(_mm_srli_epi16(four, 4), four_bits);
    let low = _mm_shuffle_epi8(Bytes(low_table).load16(0), low);
    let high = _mm_shuffle_epi8(Bytes(high_table).load16(0), high);
    _mm_testz_si128(low, high) == 0
}

/// The place of a byte among the `n` at `at` which are followed by their peeks.
struct Found {
    /// Of the byte, if the one behind it is what its peek asks for; else `n`.
    exit: usize,
    /// Whether the byte is there at all.
    is_there: bool,
}

/// `next`: the byte behind it, `None` at the end of the target, where every peek is content.
#[inline]
#[target_feature(enable = "avx2")]
fn find(bytes: Bytes<'_>, at: usize, n: usize, byte: u8, next: Option<u8>) -> Found {
    if n > 16 {
        return find_among_many(bytes, at, n, byte, next);
    }
    let (bytes, peeks) = (bytes.load16(at), bytes.load16(at + n));
    let same = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8));
    let content = match next {
        Some(next) => _mm_or_si128(
            _mm_cmpeq_epi8(peeks, _mm_set1_epi8(next as i8)),
            _mm_cmpeq_epi8(peeks, _mm_set1_epi8(NO_PEEK as i8)),
        ),
        None => _mm_set1_epi8(-1),
    };
    let behind_last = 1 << n;
    let found = _mm_movemask_epi8(_mm_and_si128(same, content)) as u32 | behind_last;
    Found {
        exit: found.trailing_zeros() as usize,
        is_there: _mm_movemask_epi8(same) as u32 & (behind_last - 1) != 0,
    }
}

#[target_feature(enable = "avx2")]
fn find_among_many(bytes: Bytes<'_>, at: usize, n: usize, byte: u8, next: Option<u8>) -> Found {
    let wanted = _mm_set1_epi8(byte as i8);
    for from in (0..n).step_by(16) {
        let same = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes.load16(at + from), wanted)) as u32;
        let exit = from + same.trailing_zeros() as usize;
        if same != 0 && exit < n {
            let peek = bytes.byte(at + n + exit);
            let is_content = peek == NO_PEEK || next.is_none_or(|next| next == peek);
            return Found { exit: if is_content { exit } else { n }, is_there: true };
        }
    }
    Found { exit: n, is_there: false }
}

/// 32 bytes of the target or fewer.
struct Window {
    bytes: __m256i,
    /// Where its first byte stands in the target.
    from: usize,
    /// All ones behind the end of the target.
    behind_end: __m256i,
    /// The places that are to be looked at, as bits.
    places: u32,
    /// How far the next window lies from this one.
    step: usize,
}

/// The window that begins at `read`, or which ends with the target.
#[inline]
#[target_feature(enable = "avx2")]
fn window(given: Bytes<'_>, read: usize) -> Window {
    /// Moves bytes to the front by as many places as it is loaded from; zeros come behind.
    static SHIFT: [u8; 32] = {
        let mut shift = [0x80; 32];
        let mut at = 0;
        while at < 16 {
            shift[at] = at as u8;
            at += 1;
        }
        shift
    };
    static PLACES: [u8; 32] = {
        let mut places = [0; 32];
        let mut at = 0;
        while at < 32 {
            places[at] = at as u8;
            at += 1;
        }
        places
    };
    let len = given.0.len();
    if len >= 32 {
        let inside = _mm256_setzero_si256();
        if len - read > 32 {
            // The two bytes behind each are looked at too: the last two come again.
            let (from, places, step) = (read, u32::MAX >> 2, 30);
            return Window { bytes: given.load32(read), from, behind_end: inside, places, step };
        }
        let from = len - 32;
        let (bytes, places) = (given.load32(from), u32::MAX << ((read - from) & 31));
        let places = if read == len { 0 } else { places };
        return Window { bytes, from, behind_end: inside, places, step: 32 };
    }
    let (low, high) = if len >= 16 {
        // The last sixteen, without those that the first sixteen have.
        let shift = Bytes(&SHIFT).load16(32 - len);
        (given.load16(0), _mm_shuffle_epi8(given.load16(len - 16), shift))
    } else {
        let (first, second) = if len > 8 {
            (given.word::<8>(0), given.word::<8>(len - 8) >> (8 * (16 - len)))
        } else if len >= 4 {
            (given.word::<4>(0) | given.word::<4>(len - 4) << (8 * (len - 4)), 0)
        } else {
            (given.0.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0)
        };
        (_mm_set_epi64x(second as i64, first as i64), _mm_setzero_si128())
    };
    Window {
        bytes: _mm256_set_m128i(high, low),
        from: 0,
        behind_end: _mm256_cmpgt_epi8(Bytes(&PLACES).load32(0), _mm256_set1_epi8(len as i8 - 1)),
        places: (u32::MAX << read) & !(u32::MAX << len),
        step: 32,
    }
}

/// The filter of a wait, and the special bytes, in both halves of vectors.
struct Filter {
    low: [__m256i; 3],
    high: [__m256i; 3],
    special: [__m256i; 2],
}

impl Filter {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(table: Table<'_>, at: usize) -> Filter {
        let bytes = Bytes(table.bytes);
        let at = |table: usize| _mm256_broadcastsi128_si256(bytes.load16(at + 16 * table));
        let [low, high] = table.encoding.special_nibbles();
        let special = |tables: &[u8; 16]| _mm256_broadcastsi128_si256(Bytes(tables).load16(0));
        Filter {
            low: [at(0), at(2), at(4)],
            high: [at(1), at(3), at(5)],
            special: [special(low), special(high)],
        }
    }

    /// The places of a window at which there may be something, as bits: those that the filter
    /// lets pass, and those of special bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn places(&self, window: &Window) -> u32 {
        /// Moves bytes to the front by so many places; all ones come behind.
        macro_rules! front {
            ($bytes:expr, $by:literal) => {{
                let ones = _mm256_set1_epi8(-1);
                let next_half = _mm256_permute2x128_si256($bytes, ones, 0x21);
                _mm256_alignr_epi8(next_half, $bytes, $by)
            }};
        }
        let four_bits = _mm256_set1_epi8(15);
        let low = _mm256_and_si256(window.bytes, four_bits);
        let high = _mm256_and_si256(_mm256_srli_epi16(window.bytes, 4), four_bits);
        let in_tables = |low_table, high_table| {
            _mm256_and_si256(
                _mm256_shuffle_epi8(low_table, low),
                _mm256_shuffle_epi8(high_table, high),
            )
        };
        let zero = _mm256_setzero_si256();
        let plain = _mm256_cmpeq_epi8(in_tables(self.special[0], self.special[1]), zero);
        let special =
            _mm256_or_si256(_mm256_xor_si256(plain, _mm256_set1_epi8(-1)), window.behind_end);
        // A special byte, or the end, may be anything.
        let first = in_tables(self.low[0], self.high[0]);
        let second = _mm256_or_si256(in_tables(self.low[1], self.high[1]), special);
        let third = _mm256_or_si256(in_tables(self.low[2], self.high[2]), special);
        let second_special = front!(special, 1);
        let passes = _mm256_and_si256(
            _mm256_and_si256(first, front!(second, 1)),
            _mm256_or_si256(front!(third, 2), second_special),
        );
        let none = _mm256_cmpeq_epi8(_mm256_or_si256(passes, special), zero);
        !(_mm256_movemask_epi8(none) as u32) & window.places
    }
}

/// Goes on from the record `at` behind the first `read` bytes.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn walk<const WIDTH: usize>(
    table: Table<'_>,
    given: Bytes<'_>,
    mut at: usize,
    mut read: usize,
) -> Verdict {
    let bytes = Bytes(table.bytes);
    let encoding = table.encoding;
    let len = given.0.len();
    loop {
        let head = Head(bytes.byte(at));
        let n = usize::from(bytes.byte(at + 1));
        match head.kind() {
            BRANCH => {
                if read == len {
                    return head.at_end();
                }
                let byte = given.byte(read);
                let next = if read + 1 < len { Some(given.byte(read + 1)) } else { None };
                let found = find(bytes, at + 2, n, byte, next);
                if encoding.is_special(byte)
                    || found.exit == n
                        && found.is_there
                        && next.is_some_and(|next| encoding.is_special(next))
                {
                    return table.meet_special(given.0, at, read, 0);
                }
                // Behind the last exit's target stands `otherwise`, if it is no verdict.
                let to = bytes.number::<WIDTH>(at + 2 + 2 * n + WIDTH * found.exit);
                let otherwise = head.otherwise();
                let is_verdict = found.exit == n && otherwise != OTHERWISE_TARGET;
                at = if is_verdict { usize::from(otherwise) } else { to };
                read += usize::from(found.is_there);
            }
            LITERAL => {
                let same = if len - read >= 16 {
                    let same = _mm_cmpeq_epi8(given.load16(read), bytes.load16(at + 2));
                    let same = (!(_mm_movemask_epi8(same) as u32)).trailing_zeros() as usize;
                    if same == 16 && n > 16 {
                        let literal = &table.bytes[at + 2..at + 2 + n];
                        16 + common_prefix_len(&literal[16..], &given.0[read + 16..])
                    } else {
                        same.min(n)
                    }
                } else {
                    common_prefix_len(&table.bytes[at + 2..at + 2 + n], &given.0[read..])
                };
                let behind = at + 2 + n;
                if same == n {
                    read += n;
                    at = match head.then() {
                        THEN_BEHIND => behind + head.targets_len(WIDTH),
                        THEN_TARGET => bytes.number::<WIDTH>(behind),
                        verdict => usize::from(verdict - 1),
                    };
                    if is_final(at) {
                        return final_verdict(at);
                    }
                    continue;
                }
                if read + same == len {
                    return head.at_end();
                }
                if encoding.is_special(given.byte(read + same)) {
                    return table.meet_special(given.0, at, read, same);
                }
                read += same;
                at = match head.otherwise() {
                    OTHERWISE_TARGET => bytes.number::<WIDTH>(behind + head.then_len(WIDTH)),
                    verdict => return verdict_of(verdict),
                };
            }
            _ => {
                let filter = Filter::of(table, at + 2);
                let exits = at + 2 + FILTER_LEN;
                at = 'scan: loop {
                    let window = window(given, read);
                    let mut places = filter.places(&window);
                    while places != 0 {
                        read = window.from + places.trailing_zeros() as usize;
                        let byte = given.byte(read);
                        if encoding.is_special(byte) {
                            return table.meet_special(given.0, at, read, 0);
                        }
                        let next = if read + 1 < len { Some(given.byte(read + 1)) } else { None };
                        let found = find(bytes, exits, n, byte, next);
                        if found.exit < n {
                            read += 1;
                            break 'scan bytes.number::<WIDTH>(exits + 2 * n + WIDTH * found.exit);
                        }
                        if found.is_there && next.is_some_and(|next| encoding.is_special(next)) {
                            return table.meet_special(given.0, at, read, 0);
                        }
                        places &= places - 1;
                    }
                    read = window.from + window.step;
                    if read >= len {
                        return head.at_end();
                    }
                };
            }
        }
        if is_final(at) {
            return final_verdict(at);
        }
    }
}
