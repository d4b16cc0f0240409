//! From a target to the verdict: the walk through the table.

use crate::automaton::table::{
    Automaton, BRANCH, Head, LITERAL, NO_PEEK, OTHERWISE_TARGET, SET_LEN, StopSet, THEN_BEHIND,
    THEN_TARGET, WINDOW,
};
use crate::decision::Verdict;
use crate::target::Target;

impl Automaton {
    /// The verdict on a target. Reads its octets once at most, from first to last, stops
    /// as soon as the verdict is final, allocates nothing.
    #[inline]
    pub(crate) fn verdict(&self, target: &Target<'_>) -> Verdict {
        match self.width {
            2 => self.walk::<2>(target),
            _ => self.walk::<4>(target),
        }
    }

    /// Compares the octets as they were given, until a special one matters.
    ///
    /// What costs is the latency of one look-up after another and the branches that no one
    /// can predict: one or two for each record. So a record is fetched with its first
    /// octets at once, its other fields only when they are needed, and the wait that follows
    /// a literal or branch without success is entered without asking for its kind.
    fn walk<const WIDTH: usize>(&self, target: &Target<'_>) -> Verdict {
        let table = &*self.octets;
        let given = target.unended();
        let mut left = given;
        let mut at = self.start as usize;
        loop {
            if let Some(verdict) = final_verdict(at) {
                return verdict;
            }
            let record = window(table, at);
            let head = Head(record[0]);
            let n = usize::from(record[1]);
            let wait = match head.kind() {
                LITERAL => {
                    let same = match left.first_chunk::<8>() {
                        Some(eight) => {
                            let differing = word(record, 2) ^ u64::from_le_bytes(*eight);
                            let same = differing.trailing_zeros() as usize / 8;
                            if same == 8 && n > 8 {
                                8 + common_prefix_len(&table[at + 10..at + 2 + n], &left[8..])
                            } else {
                                same.min(n)
                            }
                        }
                        None => common_prefix_len(&table[at + 2..at + 2 + n], left),
                    };
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
                    let Some(&octet) = behind.first() else { return head.at_end() };
                    if self.encoding.is_special(octet) {
                        return self.meet_special(target, at, given.len() - left.len(), same);
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
                    let Some((&octet, behind)) = left.split_first() else { return head.at_end() };
                    if self.encoding.is_special(octet) {
                        return self.meet_special(target, at, given.len() - left.len(), 0);
                    }
                    if let Some(exit) = position(table, record, at + 2, n, octet) {
                        left = behind;
                        if !self.sees_another(table[at + 2 + n + exit], left) {
                            at = number::<WIDTH>(table, at + 2 + 2 * n + WIDTH * exit);
                            continue;
                        }
                    }
                    match head.otherwise() {
                        OTHERWISE_TARGET => number::<WIDTH>(table, at + 2 + 2 * n + WIDTH * n),
                        verdict => return verdict_of(verdict),
                    }
                }
                _ => at,
            };
            let record = window(table, wait);
            let stops = StopSet(word(record, 2));
            let n = usize::from(record[1]);
            let octets_at = wait + 2 + SET_LEN;
            at = loop {
                let Some(stop) = stops.first_in(left) else { return Head(record[0]).at_end() };
                let from_stop = &left[stop..];
                let Some((&octet, behind)) = from_stop.split_first() else { unreachable!() };
                if self.encoding.is_special(octet) {
                    return self.meet_special(target, wait, given.len() - from_stop.len(), 0);
                }
                left = behind;
                let octets = window(table, octets_at - 2);
                if let Some(exit) = position(table, octets, octets_at, n, octet)
                    && !self.sees_another(table[octets_at + n + exit], left)
                {
                    break number::<WIDTH>(table, octets_at + 2 * n + WIDTH * exit);
                }
            };
        }
    }

    /// Whether the octet that comes next is certain to fail where an exit with this peek
    /// leads.
    #[inline(always)]
    fn sees_another(&self, peek: u8, left: &[u8]) -> bool {
        match left.first() {
            Some(&next) => next != peek && peek != NO_PEEK && !self.encoding.is_special(next),
            None => false,
        }
    }

    /// Goes on where the record `at`, entered behind the first `read` octets, met a special
    /// octet `further` octets on.
    #[cold]
    fn meet_special(&self, target: &Target<'_>, at: usize, read: usize, further: usize) -> Verdict {
        if self.encoding.ends(target.unended()[read + further]) {
            return Head(self.octets[at]).at_end();
        }
        self.walk_normalised(target, at, read)
    }

    /// Goes on from the record `at` with the normalised octets of what is left of the
    /// target behind its first `read` octets.
    fn walk_normalised(&self, target: &Target<'_>, mut at: usize, read: usize) -> Verdict {
        let mut octets = self.encoding.normalised(&target.rest()[read..]);
        let mut next = octets.next();
        let table = &*self.octets;
        let width = usize::from(self.width);
        let number = |at| if width == 2 { number::<2>(table, at) } else { number::<4>(table, at) };
        'records: loop {
            if let Some(verdict) = final_verdict(at) {
                return verdict;
            }
            let head = Head(table[at]);
            let n = usize::from(table[at + 1]);
            let p = at + 2;
            match head.kind() {
                LITERAL => {
                    for &wanted in &table[p..p + n] {
                        match next {
                            None => return head.at_end(),
                            Some(octet) if octet == wanted => next = octets.next(),
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
                    let Some(octet) = next else { return head.at_end() };
                    at = match position(table, window(table, at), p, n, octet) {
                        Some(exit) => {
                            next = octets.next();
                            number(p + 2 * n + width * exit)
                        }
                        None => match head.otherwise() {
                            OTHERWISE_TARGET => number(p + 2 * n + width * n),
                            verdict => return verdict_of(verdict),
                        },
                    };
                }
                _ => {
                    let p = p + SET_LEN;
                    loop {
                        let Some(octet) = next else { return head.at_end() };
                        next = octets.next();
                        if let Some(exit) = position(table, window(table, p - 2), p, n, octet) {
                            at = number(p + 2 * n + width * exit);
                            break;
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn final_verdict(at: usize) -> Option<Verdict> {
    match at {
        0 => Some(Verdict::Allow),
        1 => Some(Verdict::Disallow),
        _ => None,
    }
}

/// The verdict of a final `otherwise`.
#[inline(always)]
fn verdict_of(otherwise: u8) -> Verdict {
    if otherwise == 0 { Verdict::Allow } else { Verdict::Disallow }
}

/// A record's first two octets and the sixteen behind them, which may belong to the next
/// record or to the padding.
#[inline(always)]
fn window(table: &[u8], at: usize) -> &[u8; WINDOW] {
    table[at..at + WINDOW].try_into().expect("WINDOW octets")
}

#[inline(always)]
fn word(octets: &[u8; WINDOW], at: usize) -> u64 {
    u64::from_le_bytes(octets[at..at + 8].try_into().expect("8 octets"))
}

/// The little-endian number of `WIDTH` octets at an offset.
#[inline(always)]
fn number<const WIDTH: usize>(table: &[u8], at: usize) -> usize {
    let octets: [u8; WIDTH] = table[at..at + WIDTH].try_into().expect("WIDTH octets");
    octets.iter().rev().fold(0, |number, octet| number << 8 | usize::from(*octet))
}

/// Where `octet` stands among the `n` octets at `at`, the first sixteen of which are in the
/// window behind its first two. Eight or sixteen are compared at once; the padding of the
/// table lets the last ones run over the end.
#[inline(always)]
fn position(table: &[u8], first: &[u8; WINDOW], at: usize, n: usize, octet: u8) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let wanted = LOW * u64::from(octet);
    // The lowest octet that is zero is marked for sure; higher marks may be false.
    let zeros = |eight: u64| {
        let differing = eight ^ wanted;
        differing.wrapping_sub(LOW) & !differing & HIGH
    };
    if n <= 8 {
        let found = zeros(word(first, 2)).trailing_zeros() as usize / 8;
        return (found < n).then_some(found);
    }
    let mut from = 0;
    while from < n {
        let pair = (zeros(half(table, at + from)), zeros(half(table, at + from + 8)));
        let (found, before) = if pair.0 != 0 { (pair.0, 0) } else { (pair.1, 8) };
        if found != 0 {
            let found = from + before + found.trailing_zeros() as usize / 8;
            return (found < n).then_some(found);
        }
        from += 16;
    }
    None
}

#[inline(always)]
fn half(octets: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(octets[at..at + 8].try_into().expect("8 octets"))
}

/// How many octets two runs have in common from the first on.
#[inline(always)]
fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
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
    fn position_is_the_naive_one() {
        let mut table = [0u8; 64];
        for n in 0..=32usize {
            for first in [0u8, 1, 100, 235] {
                for (i, octet) in table.iter_mut().enumerate() {
                    let key = i.wrapping_sub(2);
                    *octet = if key < n { first.wrapping_add(key as u8) } else { 77 };
                }
                for octet in 0..=255 {
                    let naive = table[2..2 + n].iter().position(|o| *o == octet);
                    assert_eq!(
                        position(&table, window(&table, 0), 2, n, octet),
                        naive,
                        "{octet} {n}"
                    );
                }
            }
        }
    }

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
