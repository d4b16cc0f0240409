//! The walk for every processor, and what all walks share.

use crate::automaton::table::Table;
use crate::automaton::table::format::{
    BRANCH, FilterForm, Head, LITERAL, NO_PEEK, OTHERWISE_MISSED, OTHERWISE_TARGET, THEN_NEXT,
    THEN_TARGET,
};
use crate::verdict::Verdict;

/// What the first bytes of a haystack lead to in a table: half of a walk. The other half is
/// [`Begun::finish`].
#[derive(Clone, Copy)]
pub(crate) struct Begun<'b> {
    pub(super) table: Table<'b>,
    pub(super) haystack: &'b [u8],
    /// A verdict, or the place of a record of the table.
    pub(super) at: u32,
    /// How many bytes of the haystack come before those that the record reads. It has so many.
    pub(super) read: u32,
}

impl<'b> Begun<'b> {
    /// A walk that has read nothing.
    pub(super) fn at_start(table: Table<'b>, haystack: &'b [u8]) -> Begun<'b> {
        Begun { table, haystack, at: table.start(), read: 0 }
    }

    /// The verdict, if the first bytes decide.
    #[cfg(feature = "url")]
    #[inline(always)]
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        is_final(self.at as usize).then(|| final_verdict(self.at as usize))
    }

    /// What it walks through, from its beginning.
    #[cfg(feature = "url")]
    #[inline(always)]
    pub(crate) fn haystack(&self) -> &'b [u8] {
        self.haystack
    }

    /// The walk for every processor.
    // In WebAssembly the crate that asks compiles it, for speed, and this one is made for size.
    #[cfg_attr(not(target_family = "wasm"), inline(never))]
    #[cfg_attr(target_family = "wasm", inline)]
    pub(super) fn finish_portable(&self) -> Verdict {
        match self.table.width() {
            2 => self.table.walk::<2>(self.haystack, self.at as usize, self.read as usize),
            _ => self.table.walk::<4>(self.haystack, self.at as usize, self.read as usize),
        }
    }
}

impl Table<'_> {
    /// Goes on from a verdict, or from the record at a place after so many bytes of the haystack.
    /// Compares the bytes as they are given, until a special one matters.
    ///
    /// The time goes into look-ups that wait for one another, and into branches that cannot be
    /// predicted. So each field of a record is fetched only when it is needed, and the wait to
    /// which a literal or branch fails is entered without asking for its kind.
    fn walk<const WIDTH: usize>(&self, haystack: &[u8], mut at: usize, read: usize) -> Verdict {
        let table = self.records();
        let encoding = self.encoding();
        let mut left = &haystack[read..];
        loop {
            if is_final(at) {
                return final_verdict(at);
            }
            let head = Head(table[at]);
            let n = usize::from(table[at + 1]);
            let wait = match head.kind() {
                LITERAL => {
                    let same = common_prefix_len(&table[at + 2..at + 2 + n], left);
                    let Some((_, after)) = left.split_at_checked(same) else { unreachable!() };
                    if same == n {
                        left = after;
                        at = match head.then() {
                            THEN_NEXT => at + 2 + n + head.targets_len(WIDTH),
                            THEN_TARGET => number::<WIDTH>(table, at + 2 + n),
                            verdict => usize::from(verdict - 1),
                        };
                        continue;
                    }
                    let Some(&byte) = after.first() else { return head.at_end() };
                    if encoding.is_special(byte) {
                        return self.at_special(haystack, at, haystack.len() - left.len(), same);
                    }
                    left = after;
                    match head.otherwise() {
                        OTHERWISE_TARGET => {
                            number::<WIDTH>(table, at + 2 + n + head.then_len(WIDTH))
                        }
                        OTHERWISE_MISSED => self.missed() as usize,
                        verdict => return verdict_of(verdict),
                    }
                }
                BRANCH => {
                    let Some((&byte, after)) = left.split_first() else { return head.at_end() };
                    if encoding.is_special(byte) {
                        return self.at_special(haystack, at, haystack.len() - left.len(), 0);
                    }
                    if let Some(index) = position(&table[at + 2..at + 2 + n], byte) {
                        left = after;
                        if !self.peek_rules_out(table[at + 2 + n + index], left) {
                            at = branch_target::<WIDTH>(table, at, index);
                            continue;
                        }
                    }
                    match head.otherwise() {
                        OTHERWISE_TARGET => branch_target::<WIDTH>(table, at, n),
                        OTHERWISE_MISSED => self.missed() as usize,
                        verdict => return verdict_of(verdict),
                    }
                }
                _ => at,
            };
            let n = usize::from(table[wait + 1]);
            let form = FilterForm::of(n);
            let bytes_at = wait + 2 + form.len();
            let filter = &table[wait + 2..bytes_at];
            let [(low_table, low_shift), (high_table, high_shift)] =
                [0, 1].map(|at| (&filter[usize::from(form.offsets[at])..][..16], form.shifts[at]));
            at = loop {
                let stops = |byte: &u8| {
                    let low = low_table[usize::from(byte & 15)] >> low_shift;
                    let high = high_table[usize::from(byte >> 4)] >> high_shift;
                    encoding.is_special(*byte) || low & high & form.mask() != 0
                };
                let Some(stop) = left.iter().position(stops) else {
                    return Head(table[wait]).at_end();
                };
                let from_stop = &left[stop..];
                let Some((&byte, after)) = from_stop.split_first() else { unreachable!() };
                if encoding.is_special(byte) {
                    return self.at_special(haystack, wait, haystack.len() - from_stop.len(), 0);
                }
                left = after;
                if let Some(index) = position(&table[bytes_at..bytes_at + n], byte)
                    && !self.peek_rules_out(table[bytes_at + n + index], left)
                {
                    break number::<WIDTH>(table, bytes_at + 2 * n + WIDTH * index);
                }
            };
        }
    }

    /// Returns true if the literal that a transition with this peek leads to cannot match: another
    /// byte comes next, and stands for itself.
    #[inline(always)]
    fn peek_rules_out(&self, peek: u8, left: &[u8]) -> bool {
        match left.first() {
            Some(&next) => next != peek && peek != NO_PEEK && !self.encoding().is_special(next),
            None => false,
        }
    }

    /// Goes on after a record met a special byte. The record is at the place `at` and was
    /// entered after `read` bytes of the haystack; the special byte comes `further` bytes later.
    #[cold]
    pub(super) fn at_special(
        &self,
        haystack: &[u8],
        at: usize,
        read: usize,
        further: usize,
    ) -> Verdict {
        if self.encoding().ends(haystack[read + further]) {
            return Head(self.records()[at]).at_end();
        }
        self.walk_normalised(self.encoding().up_to_end(&haystack[read..]), at)
    }

    /// Goes on from the record at a place with what is left of the haystack, normalising it on
    /// the way.
    #[cfg_attr(target_family = "wasm", inline)]
    fn walk_normalised(&self, left: &[u8], mut at: usize) -> Verdict {
        let mut bytes = self.encoding().normalised(left);
        let mut next = bytes.next();
        let table = self.records();
        let width = self.width();
        let number = |at| if width == 2 { number::<2>(table, at) } else { number::<4>(table, at) };
        let branch_target = |at, index| match width {
            2 => branch_target::<2>(table, at, index),
            _ => branch_target::<4>(table, at, index),
        };
        'records: loop {
            if is_final(at) {
                return final_verdict(at);
            }
            let head = Head(table[at]);
            let n = usize::from(table[at + 1]);
            let p = at + 2;
            match head.kind() {
                LITERAL => {
                    for &wanted in &table[p..p + n] {
                        match next {
                            None => return head.at_end(),
                            Some(byte) if byte == wanted => next = bytes.next(),
                            Some(_) => {
                                at = match head.otherwise() {
                                    OTHERWISE_TARGET => number(p + n + head.then_len(width)),
                                    OTHERWISE_MISSED => self.missed() as usize,
                                    verdict => return verdict_of(verdict),
                                };
                                continue 'records;
                            }
                        }
                    }
                    at = match head.then() {
                        THEN_NEXT => p + n + head.targets_len(width),
                        THEN_TARGET => number(p + n),
                        verdict => usize::from(verdict - 1),
                    };
                }
                BRANCH => {
                    let Some(byte) = next else { return head.at_end() };
                    at = match position(&table[p..p + n], byte) {
                        Some(index) => {
                            next = bytes.next();
                            branch_target(at, index)
                        }
                        None => match head.otherwise() {
                            OTHERWISE_TARGET => branch_target(at, n),
                            OTHERWISE_MISSED => self.missed() as usize,
                            verdict => return verdict_of(verdict),
                        },
                    };
                }
                _ => {
                    let p = p + FilterForm::of(n).len();
                    loop {
                        let Some(byte) = next else { return head.at_end() };
                        next = bytes.next();
                        if let Some(index) = position(&table[p..p + n], byte) {
                            at = number(p + 2 * n + width * index);
                            break;
                        }
                    }
                }
            }
        }
    }
}

/// Returns true if a target is a verdict.
#[inline(always)]
pub(super) fn is_final(target: usize) -> bool {
    target < 2
}

/// The verdict that a final target is.
#[inline(always)]
pub(super) fn final_verdict(target: usize) -> Verdict {
    if target == 0 { Verdict::Allow } else { Verdict::Disallow }
}

/// The verdict of a final `otherwise`.
#[inline(always)]
pub(super) fn verdict_of(otherwise: u8) -> Verdict {
    if otherwise == 0 { Verdict::Allow } else { Verdict::Disallow }
}

/// The little-endian number of `WIDTH` bytes at a place.
#[inline(always)]
fn number<const WIDTH: usize>(table: &[u8], at: usize) -> usize {
    let bytes: [u8; WIDTH] = table[at..at + WIDTH].try_into().expect("WIDTH bytes");
    bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Where a transition of the branch at a place leads, or its `otherwise` if that is a target and the
/// index is one more than that of the last transition.
#[inline(always)]
fn branch_target<const WIDTH: usize>(table: &[u8], branch: usize, index: usize) -> usize {
    let (head, n) = (Head(table[branch]), usize::from(table[branch + 1]));
    let untargeted = head.untargeted();
    let targets = branch + 2 + 2 * n - WIDTH * untargeted;
    if index < untargeted {
        return targets + WIDTH * n + head.otherwise_len(WIDTH);
    }
    number::<WIDTH>(table, targets + WIDTH * index)
}

/// The index of a byte.
#[inline(always)]
fn position(bytes: &[u8], byte: u8) -> Option<usize> {
    if bytes.len() <= 8 {
        return bytes.iter().position(|o| *o == byte);
    }
    memchr::memchr(byte, bytes)
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

/// The number of bytes that two slices have in common at their beginning.
#[inline(always)]
pub(super) fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut at = 0;
    while at + 8 <= len {
        let differing = word(a, at) ^ word(b, at);
        if differing != 0 {
            return at + differing.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while at < len && a[at] == b[at] {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_prefixes() {
        let text: Vec<u8> = (0..30).collect();
        for len in 0..30 {
            for differs in 0..30usize {
                let mut other = text.clone();
                other[differs] ^= 1;
                let wanted = len.min(differs);
                assert_eq!(common_prefix_len(&text[..len], &other), wanted);
            }
        }
    }
}
