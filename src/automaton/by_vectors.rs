//! The walk for processors with AVX2 or NEON: the same steps as [`super::portable`], without bounds checks
//! and with as few branches as possible.
//!
//! Most of a walk's time goes into branches that no processor can predict, some 20 cycles each.
//! So one look at four bytes decides which entry of the table the haystack begins with; a
//! branch finds its transition, or that there is none, without a conditional jump; and a wait
//! looks at 32 bytes at once for three in a row that its filter accepts.
//!
//! # Safety
//!
//! Vector instructions are safe here because a [`Vectors`] exists only on processors that have
//! them.
//!
//! Unchecked reads go through [`Unchecked`], whose methods are unsafe: each caller says what
//! keeps the read within the bytes. For the haystack that is a comparison with its length just
//! before. For the table it is one of the invariants of
//! [`format`](super::table::format#invariants), by their numbers, which hold because [`walk`]
//! is given a [`Table`]:
//!
//! * A place at which the walk reads a record is the start, a target that is not a verdict, or
//!   the end of a literal that says so. A record is there (2, 4).
//! * A part of a record whose length the record itself gives lies within the record (1).
//! * At least [`PADDING`] bytes follow each record (1). So a vector of 16 bytes that begins within a
//!   record ends within the table, and so does a target that would come right after a record. A
//!   vector of 32 bytes that begins at an eighth prefix of the entries ends within the table (8).
//!
//! Debug builds check every read, hence so do all tests and the fuzzers.

#![expect(unsafe_code, reason = "reads without bounds checks: see the module's Safety")]

use crate::automaton::portable::{Begun, common_prefix_len, final_verdict, is_final, verdict_of};
use crate::automaton::table::Table;
use crate::automaton::table::format::{
    BRANCH, FilterForm, Head, LITERAL, NO_PEEK, OTHERWISE_MISSED, OTHERWISE_TARGET, PADDING,
    PREFIX_LEN, THEN_NEXT, THEN_TARGET, entries_len, header_len,
};
use crate::processor::Vectors;
use crate::sixteen::Sixteen;
use crate::verdict::Verdict;

/// Functions on vectors: the same for each kind of processor.
macro_rules! functions {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<const $n:ident: i32>)? ($($argument:ident: $type:ty),*) -> $to:ty = $value:expr;
    )*) => {
        $(
            $(#[$doc])*
            #[inline]
            #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
            #[allow(unused_unsafe, reason = "with AVX2 only loads are unsafe here")]
            pub(super) fn $name $(<const $n: i32>)? ($($argument: $type),*) -> $to {
                // SAFETY: the function asks for AVX2 itself, and AArch64 has NEON wherever Rust's standard library runs.
                // A load reads through a reference to as many bytes, and needs no alignment.
                unsafe { $value }
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
use avx2::*;
#[cfg(target_arch = "aarch64")]
use neon::*;

impl Vectors {
    /// The verdict on a haystack: see [`Table::verdict`].
    #[inline(always)]
    pub(super) fn verdict(self, table: &Table<'_>, haystack: &[u8]) -> Verdict {
        // SAFETY: a table begins with its width (1).
        match unsafe { Unchecked(table.bytes()).byte(0) } {
            // SAFETY: `self` shows that the processor has the vectors, and the width is 2.
            2 => unsafe { enter::<2>(table, haystack) },
            // SAFETY: `self` shows that the processor has the vectors, and the width is 2 or 4 (1).
            _ => unsafe { enter::<4>(table, haystack) },
        }
    }

    /// Matches the entries: see [`Table::begin`].
    #[inline(always)]
    pub(super) fn begin<'b>(self, table: Table<'b>, haystack: &'b [u8]) -> Begun<'b> {
        // SAFETY: a table begins with its width (1), which is 2 or 4; and `self` shows that the
        // processor has the vectors.
        let (at, read) = unsafe {
            match Unchecked(table.bytes()).byte(0) {
                2 => begin::<2>(&table, haystack),
                _ => begin::<4>(&table, haystack),
            }
        };
        // A target has at most four bytes (1).
        Begun { table, haystack, at: at as u32, read: read as u32 }
    }

    /// Goes on from where the entries lead: see [`Begun::finish`].
    #[inline(always)]
    pub(super) fn finish(self, begun: &Begun<'_>) -> Verdict {
        let (at, read) = (begun.at as usize, begun.read as usize);
        if is_final(at) {
            return final_verdict(at);
        }
        let given = Unchecked(begun.haystack);
        // SAFETY: a table begins with its width (1), which is 2 or 4; and `self` shows that the
        // processor has the vectors. `Vectors::begin` or `Begun::at_start` made `begun`, from the same
        // table and haystack: a record is at `at`, and the haystack has `read` bytes.
        unsafe {
            match Unchecked(begun.table.bytes()).byte(0) {
                2 => walk::<2>(&begun.table, given, at, read),
                _ => walk::<4>(&begun.table, given, at, read),
            }
        }
    }
}

// A vector of 16 bytes that begins before the padding ends within it; so does a target.
const _: () = assert!(PADDING >= 16);

/// Bytes that are read without bounds checks; debug builds check them.
#[derive(Clone, Copy)]
struct Unchecked<'b>(&'b [u8]);

impl Unchecked<'_> {
    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }

    /// The bytes from an offset on.
    ///
    /// # Safety
    /// `at` must not exceed the length.
    #[inline(always)]
    unsafe fn from(self, at: usize) -> Self {
        debug_assert!(at <= self.0.len(), "{at} > {}", self.0.len());
        // SAFETY: the caller guarantees that the range lies within the bytes.
        Unchecked(unsafe { self.0.get_unchecked(at..) })
    }

    /// # Safety
    /// `at + LEN` must not exceed the length.
    #[inline(always)]
    unsafe fn pointer<const LEN: usize>(self, at: usize) -> *const u8 {
        debug_assert!(at + LEN <= self.0.len(), "{at} + {LEN} > {}", self.0.len());
        // SAFETY: the caller guarantees that `at` does not exceed the length.
        unsafe { self.0.as_ptr().add(at) }
    }

    /// # Safety
    /// `at + 1` must not exceed the length.
    #[inline(always)]
    unsafe fn byte(self, at: usize) -> u8 {
        // SAFETY: the caller guarantees that there is a byte.
        unsafe { *self.pointer::<1>(at) }
    }

    /// A target.
    ///
    /// # Safety
    /// `at + WIDTH` must not exceed the length; `WIDTH` must be 2 or 4.
    #[inline(always)]
    unsafe fn number<const WIDTH: usize>(self, at: usize) -> usize {
        const { assert!(WIDTH == 2 || WIDTH == 4) };
        // SAFETY: the caller guarantees that there are `WIDTH` bytes; the reads need no
        // alignment.
        unsafe {
            let pointer = self.pointer::<WIDTH>(at);
            match WIDTH {
                2 => usize::from(u16::from_le(pointer.cast::<u16>().read_unaligned())),
                _ => u32::from_le(pointer.cast::<u32>().read_unaligned()) as usize,
            }
        }
    }

    /// The little-endian number of four or eight bytes.
    ///
    /// # Safety
    /// `at + LEN` must not exceed the length.
    #[inline(always)]
    unsafe fn word<const LEN: usize>(self, at: usize) -> u64 {
        const { assert!(LEN == 4 || LEN == 8) };
        // SAFETY: the caller guarantees that there are `LEN` bytes; the reads need no alignment.
        unsafe {
            let pointer = self.pointer::<LEN>(at);
            match LEN {
                4 => u64::from(u32::from_le(pointer.cast::<u32>().read_unaligned())),
                _ => u64::from_le(pointer.cast::<u64>().read_unaligned()),
            }
        }
    }

    /// # Safety
    /// `at + 16` must not exceed the length.
    #[inline]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    unsafe fn load16(self, at: usize) -> Sixteen {
        // SAFETY: the caller guarantees that there are 16 bytes.
        Sixteen::load(unsafe { &*self.pointer::<16>(at).cast() })
    }

    /// # Safety
    /// `at + 32` must not exceed the length.
    #[inline]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    unsafe fn load32(self, at: usize) -> Thirty {
        // SAFETY: the caller guarantees that there are 32 bytes.
        load(unsafe { &*self.pointer::<32>(at).cast() })
    }
}

/// Looks at the first four bytes of the haystack. For most haystacks that is enough.
///
/// The table is passed by reference, so that the call of [`walk`] need not copy it.
///
/// # Safety
/// `WIDTH` must be the table's.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn enter<const WIDTH: usize>(table: &Table<'_>, haystack: &[u8]) -> Verdict {
    // SAFETY: the same contract.
    let (at, read) = unsafe { begin::<WIDTH>(table, haystack) };
    if is_final(at) {
        return final_verdict(at);
    }
    // SAFETY: `WIDTH` is the table's, a record is at `at`, and the haystack has `read` bytes.
    unsafe { walk::<WIDTH>(table, Unchecked(haystack), at, read) }
}

/// Where the first four bytes of the haystack lead: a verdict or the place of a record, and how
/// many bytes come before those that it reads. The haystack has so many.
///
/// # Safety
/// `WIDTH` must be the table's.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn begin<const WIDTH: usize>(table: &Table<'_>, haystack: &[u8]) -> (usize, usize) {
    debug_assert_eq!(WIDTH, table.width());
    let bytes = Unchecked(table.bytes());
    let given = Unchecked(haystack);
    // SAFETY: these are the number of entries and the start, in the header (1).
    let (n, mut at) = unsafe { (usize::from(bytes.byte(1)), bytes.number::<WIDTH>(2)) };
    let mut read = 0;
    if n > 0 && given.len() >= PREFIX_LEN {
        // SAFETY: the haystack has four bytes, by the comparison above.
        let four = unsafe { given.word::<4>(0) } as u32;
        let prefixes = header_len(WIDTH);
        // SAFETY: `n` prefixes follow the header (1), and after them come so many bytes (8).
        let entry = unsafe { entry(bytes, prefixes, n, four) };
        if entry < n {
            let skips = prefixes + PREFIX_LEN * n;
            // SAFETY: `n` skips and `n` targets follow the prefixes (1), and `entry < n`.
            (read, at) = unsafe {
                let skip = usize::from(bytes.byte(skips + entry));
                (skip, bytes.number::<WIDTH>(skips + n + WIDTH * entry))
            };
        } else if !any_special(table, four) {
            // SAFETY: this is `missed`, in the header (1).
            at = unsafe { bytes.number::<WIDTH>(2 + WIDTH) };
        }
    }
    // A record is at the start, at `missed` and at the target of an entry, if they are not final
    // (2, 8). `read` is 0, or the skip of an entry: at most four (8), and the haystack has four
    // bytes.
    (at, read)
}

/// The index of the entry that begins with these four bytes; `n` or more if none does.
///
/// # Safety
/// `prefixes + 4 * from + 32` must not exceed the length for any multiple of eight `from` below `n`.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn entry(bytes: Unchecked<'_>, prefixes: usize, n: usize, four: u32) -> usize {
    let (wanted, open) = (all_words(four), all(NO_PEEK));
    let mut from = 0;
    while from < n {
        // SAFETY: `from` is a multiple of eight and below `n`, so 32 bytes follow by the caller's
        // word.
        let eight = unsafe { bytes.load32(prefixes + PREFIX_LEN * from) };
        let same = or(equal(eight, wanted), equal(eight, open));
        if let Some(found) = first_word(same) {
            // This may be in what follows the last prefix: then it is `n` or more.
            return from + found;
        }
        from += 8;
    }
    n
}

/// Returns true if one of four bytes is special.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn any_special(table: &Table<'_>, four: u32) -> bool {
    let [low, high] = table.encoding().special_nibbles();
    any_in_tables(Sixteen::load(low), Sixteen::load(high), four)
}

/// What a byte finds among the transitions of a record.
struct Found {
    /// The index of its transition, if that has the right peek; else `n`. Never more.
    index: usize,
    /// True if there is a transition on the byte at all.
    has_transition: bool,
}

/// Looks up a byte among the `n` at an offset that are followed by their peeks. `next` is the
/// byte that comes next; at the end of the haystack it is `None`, and every peek is right.
///
/// # Safety
/// `at + 2 * n + 16` must not exceed the length.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn find(bytes: Unchecked<'_>, at: usize, n: usize, byte: u8, next: Option<u8>) -> Found {
    if n > 16 {
        // SAFETY: the same contract.
        return unsafe { find_among_many(bytes, at, n, byte, next) };
    }
    // SAFETY: 16 bytes follow `at + 2 * n`, by the caller's word, so also `at` and `at + n`.
    let (bytes, peeks) = unsafe { (bytes.load16(at), bytes.load16(at + n)) };
    let same = bytes.is(byte);
    let right = match next {
        Some(next) => same.and(peeks.is(next).or(peeks.is(NO_PEEK))),
        None => same,
    };
    let after_last = 1 << n;
    let [same, right] = Sixteen::bits_of_each([same, right]);
    let found = right | after_last;
    Found { index: found.trailing_zeros() as usize, has_transition: same & (after_last - 1) != 0 }
}

/// [`find`] for more than 16 transitions.
///
/// # Safety
/// `at + 2 * n + 16` must not exceed the length.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn find_among_many(
    bytes: Unchecked<'_>,
    at: usize,
    n: usize,
    byte: u8,
    next: Option<u8>,
) -> Found {
    for from in (0..n).step_by(16) {
        // SAFETY: `from < n`, and 16 bytes follow `at + 2 * n`, by the caller's word.
        let sixteen = unsafe { bytes.load16(at + from) };
        let same = Sixteen::bits([sixteen.is(byte)]) as u32;
        let index = from + same.trailing_zeros() as usize;
        if same != 0 && index < n {
            // SAFETY: `index < n`, so this is before `at + 2 * n`.
            let peek = unsafe { bytes.byte(at + n + index) };
            let is_right = peek == NO_PEEK || next.is_none_or(|next| next == peek);
            return Found { index: if is_right { index } else { n }, has_transition: true };
        }
    }
    Found { index: n, has_transition: false }
}

/// Up to 32 bytes of the haystack.
struct Window {
    bytes: Thirty,
    /// The offset of the first byte in the haystack.
    from: usize,
    /// All ones where a byte would be after the end of the haystack.
    past_end: Thirty,
    /// The bytes to be looked at, a bit each. All of them are in the haystack.
    wanted: u32,
    /// How far the next window is from this one.
    step: usize,
}

/// The window that begins at `read`, or the last 32 bytes of the haystack, or all of it if it
/// has fewer.
///
/// # Safety
/// `read` must not exceed the length.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn window(given: Unchecked<'_>, read: usize) -> Window {
    /// Loaded from the offset `n` and used to shuffle, moves bytes to the front by `n` and fills
    /// up with zeros.
    static SHIFT: [u8; 32] = {
        let mut shift = [0x80; 32];
        let mut at = 0;
        while at < 16 {
            shift[at] = at as u8;
            at += 1;
        }
        shift
    };
    /// Loaded from the offset `32 - n`, all ones in bytes from `n` on.
    static PAST: [u8; 64] = {
        let mut past = [0; 64];
        let mut at = 32;
        while at < 64 {
            past[at] = 0xFF;
            at += 1;
        }
        past
    };
    let len = given.len();
    debug_assert!(read <= len, "{read} > {len}");
    if len >= 32 {
        let inside = all(0);
        if len - read > 32 {
            // SAFETY: more than 32 bytes follow `read`, by the comparison above: the caller
            // guarantees that the subtraction does not wrap.
            let bytes = unsafe { given.load32(read) };
            // A byte is judged together with the next two, so the last two come again.
            let (wanted, step) = (u32::MAX >> 2, 30);
            return Window { bytes, from: read, past_end: inside, wanted, step };
        }
        let from = len - 32;
        // SAFETY: these are the last 32 bytes.
        let bytes = unsafe { given.load32(from) };
        let wanted = if read == len { 0 } else { u32::MAX << ((read - from) & 31) };
        return Window { bytes, from, past_end: inside, wanted, step: 32 };
    }
    let (low, high) = if len >= 16 {
        // SAFETY: `len` is 16 to 31, by the comparisons above, so these are the first and the
        // last 16 bytes; and 16 bytes of `SHIFT` follow `32 - len`, which is 16 at most.
        unsafe {
            let shift = Unchecked(&SHIFT).load16(32 - len);
            // The second half is the last 16 bytes without those that the first half has.
            (given.load16(0), look_up_sixteen(given.load16(len - 16), shift))
        }
    } else {
        let (first, second) = if len > 8 {
            // SAFETY: these are the first and the last eight bytes, by the comparison above.
            unsafe { (given.word::<8>(0), given.word::<8>(len - 8) >> (8 * (16 - len))) }
        } else if len >= 4 {
            // SAFETY: these are the first and the last four bytes, by the comparison above.
            unsafe { (given.word::<4>(0) | given.word::<4>(len - 4) << (8 * (len - 4)), 0) }
        } else {
            (given.0.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0)
        };
        (words(first, second), words(0, 0))
    };
    Window {
        bytes: halves(low, high),
        from: 0,
        // SAFETY: `len` is less than 32, by the comparison above, so 32 bytes follow.
        past_end: unsafe { Unchecked(&PAST).load32(32 - len) },
        wanted: (u32::MAX << read) & !(u32::MAX << len),
        step: 32,
    }
}

/// The filter of a wait, and the special bytes, in both halves of vectors.
struct Filter {
    low: [Thirty; 3],
    high: [Thirty; 3],
    special: [Thirty; 2],
}

impl Filter {
    /// # Safety
    /// `at` and the filter's length must not exceed the length of `bytes` together.
    #[inline]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    unsafe fn load(
        table: &Table<'_>,
        bytes: Unchecked<'_>,
        at: usize,
        form: &FilterForm,
    ) -> Filter {
        let at = |table: usize| {
            // SAFETY: the 16 bytes that a table is in are part of the filter, which is there by
            // the caller's word.
            let shared = unsafe { bytes.load16(at + usize::from(form.offsets[table])) };
            twice(shifted(shared, form.shifts[table], form.mask()))
        };
        let [low, high] = table.encoding().special_nibbles();
        let special = |nibbles: &[u8; 16]| twice(Sixteen::load(nibbles));
        Filter {
            low: [at(0), at(2), at(4)],
            high: [at(1), at(3), at(5)],
            special: [special(low), special(high)],
        }
    }

    /// The bytes of a window at which the walk must stop, a bit each: those that the filter
    /// accepts, and special ones. Only bits of [`Window::wanted`] are set.
    #[inline]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn stops(&self, window: &Window) -> u32 {
        let [low, high] = nibbles(window.bytes);
        let in_tables =
            |low_table, high_table| and(look_up(low_table, low), look_up(high_table, high));
        let zero = all(0);
        let plain = equal(in_tables(self.special[0], self.special[1]), zero);
        let special = or(not(plain), window.past_end);
        // A special byte, or one past the end, counts as any byte.
        let first = in_tables(self.low[0], self.high[0]);
        let second = or(in_tables(self.low[1], self.high[1]), special);
        let third = or(in_tables(self.low[2], self.high[2]), special);
        let accepted =
            and(and(first, front::<1>(second)), or(front::<2>(third), front::<1>(special)));
        let skipped = equal(or(accepted, special), zero);
        !bits(skipped) & window.wanted
    }
}

/// Goes on from the record at a place after `read` bytes of the haystack.
///
/// # Safety
/// `WIDTH` must be the table's, a record must be at `at`, and `read` must not exceed the length
/// of the haystack.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn walk<const WIDTH: usize>(
    table: &Table<'_>,
    given: Unchecked<'_>,
    mut at: usize,
    mut read: usize,
) -> Verdict {
    // SAFETY: a table begins with its width and the number of entries, which follow the header
    // (1).
    let bytes = unsafe {
        let bytes = Unchecked(table.bytes());
        bytes.from(entries_len(WIDTH, usize::from(bytes.byte(1))))
    };
    // SAFETY: this is in the header (1).
    let missed = unsafe { Unchecked(table.bytes()).number::<WIDTH>(2 + WIDTH) };
    let encoding = table.encoding();
    let len = given.len();
    // Whenever the loop begins, a record is at `at` and `read <= len`: first by the caller's
    // word, then as the comments below show.
    loop {
        debug_assert!(read <= len, "{read} > {len}");
        // SAFETY: each record begins with these two bytes (1).
        let (head, n) = unsafe { (Head(bytes.byte(at)), usize::from(bytes.byte(at + 1))) };
        match head.kind() {
            BRANCH => {
                let Some(&byte) = given.0.get(read) else { return head.at_end() };
                let next = given.0.get(read + 1).copied();
                // SAFETY: `n` bytes and `n` peeks are in the record, and the padding after it
                // (1).
                let found = unsafe { find(bytes, at + 2, n, byte, next) };
                if encoding.is_special(byte)
                    || found.index == n
                        && found.has_transition
                        && next.is_some_and(|next| encoding.is_special(next))
                {
                    return table.at_special(given.0, at, read, 0);
                }
                // The first transition has no target if it leads to the next record, so this is
                // where its target would be: not before the record, which has a transition then
                // (4).
                let untargeted = head.untargeted();
                let targets = at + 2 + 2 * n - WIDTH * untargeted;
                // SAFETY: the other targets follow bytes and peeks, and after the last one comes
                // `otherwise` if it is a target; else this is the next record or the padding (1),
                // and not used. `found.index` is `n` at most.
                let to = unsafe { bytes.number::<WIDTH>(targets + WIDTH * found.index) };
                let next = targets + WIDTH * n + head.otherwise_len(WIDTH);
                // The record says that one follows it, and so it does (4).
                let to = if found.index < untargeted { next } else { to };
                let otherwise = head.otherwise();
                let without = if otherwise == OTHERWISE_MISSED { missed } else { otherwise.into() };
                let has_none = found.index == n && otherwise != OTHERWISE_TARGET;
                // A target, or final (2).
                at = if has_none { without } else { to };
                // There is a byte at `read`, so this is `len` at most.
                read += usize::from(found.has_transition);
            }
            LITERAL => {
                // This is `n` at most, and `len - read` at most.
                let same = if len - read >= 16 {
                    // SAFETY: 16 bytes follow `read` by the condition; and the padding follows
                    // the record (1).
                    let (haystack, literal) = unsafe { (given.load16(read), bytes.load16(at + 2)) };
                    let same = Sixteen::bits([haystack.equal(literal)]) as u32;
                    let same = (!same).trailing_zeros() as usize;
                    if same == 16 && n > 16 {
                        let literal = &bytes.0[at + 2..at + 2 + n];
                        16 + common_prefix_len(&literal[16..], &given.0[read + 16..])
                    } else {
                        same.min(n)
                    }
                } else {
                    common_prefix_len(&bytes.0[at + 2..at + 2 + n], &given.0[read..])
                };
                let end = at + 2 + n;
                if same == n {
                    read += n;
                    at = match head.then() {
                        // The record says that one follows it, and so it does (4).
                        THEN_NEXT => end + head.targets_len(WIDTH),
                        // SAFETY: the target follows the bytes (1).
                        THEN_TARGET => unsafe { bytes.number::<WIDTH>(end) },
                        verdict => usize::from(verdict - 1),
                    };
                    if is_final(at) {
                        return final_verdict(at);
                    }
                    continue;
                }
                let Some(&byte) = given.0.get(read + same) else { return head.at_end() };
                if encoding.is_special(byte) {
                    return table.at_special(given.0, at, read, same);
                }
                read += same;
                at = match head.otherwise() {
                    // SAFETY: the target follows the bytes and the target of `then` (1).
                    OTHERWISE_TARGET => unsafe {
                        bytes.number::<WIDTH>(end + head.then_len(WIDTH))
                    },
                    OTHERWISE_MISSED => missed,
                    verdict => return verdict_of(verdict),
                };
            }
            _ => {
                let form = FilterForm::of(n);
                // SAFETY: the filter of the wait is there (1).
                let filter = unsafe { Filter::load(table, bytes, at + 2, form) };
                let bytes_at = at + 2 + form.len();
                at = 'scan: loop {
                    // SAFETY: `read <= len`: at first as in every record, then by the
                    // comparison at the end of this loop.
                    let window = unsafe { window(given, read) };
                    let mut stops = filter.stops(&window);
                    while stops != 0 {
                        read = window.from + stops.trailing_zeros() as usize;
                        // SAFETY: `read < len`, since all stops are in the haystack.
                        let byte = unsafe { given.byte(read) };
                        if encoding.is_special(byte) {
                            return table.at_special(given.0, at, read, 0);
                        }
                        let next = given.0.get(read + 1).copied();
                        // SAFETY: `n` bytes and `n` peeks are in the record, and the padding
                        // after it (1).
                        let found = unsafe { find(bytes, bytes_at, n, byte, next) };
                        if found.index < n {
                            read += 1;
                            // SAFETY: `n` targets follow bytes and peeks (1), and
                            // `found.index < n`.
                            break 'scan unsafe {
                                bytes.number::<WIDTH>(bytes_at + 2 * n + WIDTH * found.index)
                            };
                        }
                        if found.has_transition
                            && next.is_some_and(|next| encoding.is_special(next))
                        {
                            return table.at_special(given.0, at, read, 0);
                        }
                        stops &= stops - 1;
                    }
                    read = window.from + window.step;
                    if read >= len {
                        return head.at_end();
                    }
                };
            }
        }
        // `at` came from a target, so it is final or the place of a record (2).
        if is_final(at) {
            return final_verdict(at);
        }
    }
}
