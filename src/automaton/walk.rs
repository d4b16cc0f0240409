//! From a target to the verdict: the walk through the table.

use crate::automaton::lookahead::FILTER_LEN;
use crate::automaton::table::{
    BRANCH, Head, LITERAL, NO_PEEK, OTHERWISE_TARGET, THEN_BEHIND, THEN_TARGET, Table,
};
use crate::rules::target::Target;
use crate::verdict::Verdict;

impl Table<'_> {
    /// The verdict on a target. Reads its bytes once at most, from first to last, stops
    /// as soon as the verdict is final, allocates nothing.
    ///
    /// The table must be valid: another one makes it panic, or worse.
    #[inline(always)]
    pub(crate) fn verdict(self, target: &Target<'_>) -> Verdict {
        #[cfg(target_arch = "x86_64")]
        if super::avx2::is_available() {
            let verdict = super::avx2::verdict(self, target);
            // So every test and every fuzzed input checks one walk by the other.
            debug_assert_eq!(verdict, self.verdict_anywhere(target));
            return verdict;
        }
        self.verdict_anywhere(target)
    }

    /// The walk for every processor.
    #[inline(never)]
    fn verdict_anywhere(self, target: &Target<'_>) -> Verdict {
        match self.width() {
            2 => self.walk::<2>(target),
            _ => self.walk::<4>(target),
        }
    }

    /// Compares the bytes as they were given, until a special one matters.
    ///
    /// What costs is the latency of one look-up after another and the branches that no one
    /// can predict. So a record's other fields are fetched only when they are needed, and the
    /// wait that follows a literal or branch without success is entered without asking for
    /// its kind.
    fn walk<const WIDTH: usize>(self, target: &Target<'_>) -> Verdict {
        let table = self.bytes;
        let given = target.unended();
        let mut left = given;
        let mut at = self.start() as usize;
        loop {
            if is_final(at) {
                return final_verdict(at);
            }
            let head = Head(table[at]);
            let n = usize::from(table[at + 1]);
            let wait = match head.kind() {
                LITERAL => {
                    let same = common_prefix_len(&table[at + 2..at + 2 + n], left);
                    let Some((_, behind)) = left.split_at_checked(same) else { unreachable!() };
                    if same == n {
                        left = behind;
                        at = match head.then() {
                            THEN_BEHIND => at + 2 + n + head.targets_len(WIDTH),
                            THEN_TARGET => number::<WIDTH>(table, at + 2 + n),
                            verdict => usize::from(verdict - 1),
                        };
                        continue;
                    }
                    let Some(&byte) = behind.first() else { return head.at_end() };
                    if self.encoding.is_special(byte) {
                        return self.meet_special(given, at, given.len() - left.len(), same);
                    }
                    left = behind;
                    match head.otherwise() {
                        OTHERWISE_TARGET => {
                            number::<WIDTH>(table, at + 2 + n + head.then_len(WIDTH))
                        }
                        verdict => return verdict_of(verdict),
                    }
                }
                BRANCH => {
                    let Some((&byte, behind)) = left.split_first() else { return head.at_end() };
                    if self.encoding.is_special(byte) {
                        return self.meet_special(given, at, given.len() - left.len(), 0);
                    }
                    if let Some(exit) = position(&table[at + 2..at + 2 + n], byte) {
                        left = behind;
                        if !self.sees_another(table[at + 2 + n + exit], left) {
                            at = number::<WIDTH>(table, at + 2 + 2 * n + WIDTH * exit);
                            continue;
                        }
                    }
                    match head.otherwise() {
                        OTHERWISE_TARGET => number::<WIDTH>(table, at + 2 + (2 + WIDTH) * n),
                        verdict => return verdict_of(verdict),
                    }
                }
                _ => at,
            };
            let filter = &table[wait + 2..wait + 2 + FILTER_LEN];
            let n = usize::from(table[wait + 1]);
            let bytes_at = wait + 2 + FILTER_LEN;
            at = loop {
                let stops = |byte: &u8| {
                    self.encoding.is_special(*byte)
                        || filter[usize::from(byte & 15)] & filter[16 + usize::from(byte >> 4)] != 0
                };
                let Some(stop) = left.iter().position(stops) else {
                    return Head(table[wait]).at_end();
                };
                let from_stop = &left[stop..];
                let Some((&byte, behind)) = from_stop.split_first() else { unreachable!() };
                if self.encoding.is_special(byte) {
                    return self.meet_special(given, wait, given.len() - from_stop.len(), 0);
                }
                left = behind;
                if let Some(exit) = position(&table[bytes_at..bytes_at + n], byte)
                    && !self.sees_another(table[bytes_at + n + exit], left)
                {
                    break number::<WIDTH>(table, bytes_at + 2 * n + WIDTH * exit);
                }
            };
        }
    }

    /// Whether the byte that comes next is certain to fail where an exit with this peek
    /// leads.
    #[inline(always)]
    fn sees_another(self, peek: u8, left: &[u8]) -> bool {
        match left.first() {
            Some(&next) => next != peek && peek != NO_PEEK && !self.encoding.is_special(next),
            None => false,
        }
    }

    /// Goes on where the record `at`, entered behind the first `read` bytes, met a special
    /// byte `further` bytes on.
    #[cold]
    pub(super) fn meet_special(
        self,
        given: &[u8],
        at: usize,
        read: usize,
        further: usize,
    ) -> Verdict {
        if self.encoding.ends(given[read + further]) {
            return Head(self.bytes[at]).at_end();
        }
        self.walk_normalised(self.encoding.up_to_end(&given[read..]), at)
    }

    /// Goes on from the record `at` with the normalised bytes of what is left of the target.
    fn walk_normalised(self, left: &[u8], mut at: usize) -> Verdict {
        let mut bytes = self.encoding.normalised(left);
        let mut next = bytes.next();
        let table = self.bytes;
        let width = self.width();
        let number = |at| if width == 2 { number::<2>(table, at) } else { number::<4>(table, at) };
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
                                    verdict => return verdict_of(verdict),
                                };
                                continue 'records;
                            }
                        }
                    }
                    at = match head.then() {
                        THEN_BEHIND => p + n + head.targets_len(width),
                        THEN_TARGET => number(p + n),
                        verdict => usize::from(verdict - 1),
                    };
                }
                BRANCH => {
                    let Some(byte) = next else { return head.at_end() };
                    at = match position(&table[p..p + n], byte) {
                        Some(exit) => {
                            next = bytes.next();
                            number(p + 2 * n + width * exit)
                        }
                        None => match head.otherwise() {
                            OTHERWISE_TARGET => number(p + 2 * n + width * n),
                            verdict => return verdict_of(verdict),
                        },
                    };
                }
                _ => {
                    let p = p + FILTER_LEN;
                    loop {
                        let Some(byte) = next else { return head.at_end() };
                        next = bytes.next();
                        if let Some(exit) = position(&table[p..p + n], byte) {
                            at = number(p + 2 * n + width * exit);
                            break;
                        }
                    }
                }
            }
        }
    }
}

/// Whether a target is a verdict.
#[inline(always)]
pub(super) fn is_final(at: usize) -> bool {
    at < 2
}

/// The verdict that a target is.
#[inline(always)]
pub(super) fn final_verdict(at: usize) -> Verdict {
    if at == 0 { Verdict::Allow } else { Verdict::Disallow }
}

/// The verdict of a final `otherwise`.
#[inline(always)]
pub(super) fn verdict_of(otherwise: u8) -> Verdict {
    if otherwise == 0 { Verdict::Allow } else { Verdict::Disallow }
}

/// The little-endian number of `WIDTH` bytes at an offset.
#[inline(always)]
fn number<const WIDTH: usize>(table: &[u8], at: usize) -> usize {
    let bytes: [u8; WIDTH] = table[at..at + WIDTH].try_into().expect("WIDTH bytes");
    bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Where a byte stands among others.
#[inline(always)]
fn position(bytes: &[u8], byte: u8) -> Option<usize> {
    if bytes.len() <= 8 {
        return bytes.iter().position(|o| *o == byte);
    }
    memchr::memchr(byte, bytes)
}

#[inline(always)]
fn half(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

/// How many bytes two runs have in common from the first on.
#[inline(always)]
pub(super) fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut at = 0;
    while at + 8 <= len {
        let differing = half(a, at) ^ half(b, at);
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
