//! From a target to the verdict: the walk through the table.

use crate::automaton::table::{
    Automaton, BRANCH, Head, LITERAL, OTHERWISE_TARGET, SET_LEN, StopSet, THEN_BEHIND, THEN_TARGET,
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
    /// What costs is not the octets but the branches that no one can predict: one or two for
    /// each record. So the fields of a record are found by arithmetic, and the wait that
    /// follows a literal or branch without success is entered without asking for its kind.
    fn walk<const WIDTH: usize>(&self, target: &Target<'_>) -> Verdict {
        let table = &*self.octets;
        let given = target.unended();
        let mut at = self.start as usize;
        let mut read = 0;
        loop {
            if let Some(verdict) = final_verdict(at) {
                return verdict;
            }
            let head = Head(table[at]);
            let n = usize::from(table[at + 1]);
            let wait = match head.kind() {
                LITERAL => {
                    let p = at + 2 + head.targets_len(WIDTH);
                    let left = &given[read..];
                    let same = common_prefix_len(&table[p..p + n], left);
                    if same == n {
                        read += n;
                        at = match head.then() {
                            THEN_BEHIND => p + n,
                            THEN_TARGET => number::<WIDTH>(table, p - WIDTH),
                            verdict => usize::from(verdict - 1),
                        };
                        continue;
                    }
                    let Some(&octet) = left.get(same) else { return head.at_end() };
                    if self.encoding.is_special(octet) {
                        return self.meet_special(target, at, read, same);
                    }
                    read += same;
                    otherwise::<WIDTH>(table, at, head)
                }
                BRANCH => {
                    let p = at + 2 + head.targets_len(WIDTH);
                    let Some(&octet) = given.get(read) else { return head.at_end() };
                    if self.encoding.is_special(octet) {
                        return self.meet_special(target, at, read, 0);
                    }
                    if let Some(exit) = position(table, p, n, octet) {
                        read += 1;
                        at = number::<WIDTH>(table, p + n + WIDTH * exit);
                        continue;
                    }
                    otherwise::<WIDTH>(table, at, head)
                }
                _ => at,
            };
            if let Some(verdict) = final_verdict(wait) {
                return verdict;
            }
            let (head, n) = (Head(table[wait]), usize::from(table[wait + 1]));
            let p = wait + 2 + SET_LEN;
            let stops = StopSet::at(table, wait + 2);
            at = loop {
                let left = &given[read..];
                let Some(stop) = left.iter().position(|octet| stops.may_hold(*octet)) else {
                    return head.at_end();
                };
                read += stop;
                let octet = left[stop];
                if self.encoding.is_special(octet) {
                    return self.meet_special(target, wait, read, 0);
                }
                read += 1;
                if let Some(exit) = position(table, p, n, octet) {
                    break number::<WIDTH>(table, p + n + WIDTH * exit);
                }
            };
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
            let mut p = at + 2 + head.targets_len(width);
            let otherwise = match head.otherwise() {
                OTHERWISE_TARGET => number(at + 2),
                verdict => usize::from(verdict),
            };
            match head.kind() {
                LITERAL => {
                    for &wanted in &table[p..p + n] {
                        match next {
                            None => return head.at_end(),
                            Some(octet) if octet == wanted => next = octets.next(),
                            Some(_) => {
                                at = otherwise;
                                continue 'records;
                            }
                        }
                    }
                    at = match head.then() {
                        THEN_BEHIND => p + n,
                        THEN_TARGET => number(p - width),
                        verdict => usize::from(verdict - 1),
                    };
                }
                BRANCH => {
                    let Some(octet) = next else { return head.at_end() };
                    match position(table, p, n, octet) {
                        Some(exit) => {
                            next = octets.next();
                            at = number(p + n + width * exit);
                        }
                        None => at = otherwise,
                    }
                }
                _ => {
                    p += SET_LEN;
                    loop {
                        let Some(octet) = next else { return head.at_end() };
                        next = octets.next();
                        if let Some(exit) = position(table, p, n, octet) {
                            at = number(p + n + width * exit);
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

/// Where the literal or branch at `at` leads without success.
#[inline(always)]
fn otherwise<const WIDTH: usize>(table: &[u8], at: usize, head: Head) -> usize {
    match head.otherwise() {
        OTHERWISE_TARGET => number::<WIDTH>(table, at + 2),
        verdict => usize::from(verdict),
    }
}

/// The little-endian number of `WIDTH` octets at an offset.
#[inline(always)]
fn number<const WIDTH: usize>(table: &[u8], at: usize) -> usize {
    let octets: [u8; WIDTH] = table[at..at + WIDTH].try_into().expect("WIDTH octets");
    octets.iter().rev().fold(0, |number, octet| number << 8 | usize::from(*octet))
}

/// Where `octet` stands among the `n` octets at `at`: sixteen are compared at once. The
/// padding of the table lets the last sixteen run over the end.
#[inline(always)]
fn position(table: &[u8], at: usize, n: usize, octet: u8) -> Option<usize> {
    let mut from = 0;
    while from < n {
        let sixteen = &table[at + from..at + from + 16];
        if let Some(found) = first_equal(sixteen.try_into().expect("16 octets"), octet) {
            return (from + found < n).then_some(from + found);
        }
        from += 16;
    }
    None
}

/// By words: safe SIMD is not to be had on every target, and this is half as fast as it.
#[inline(always)]
fn first_equal(octets: &[u8; 16], octet: u8) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let wanted = LOW * u64::from(octet);
    // The lowest octet that is zero is marked for sure; higher marks may be false.
    let zeros = |at| {
        let differing = half(octets, at) ^ wanted;
        differing.wrapping_sub(LOW) & !differing & HIGH
    };
    let (first, second) = (zeros(0), zeros(8));
    let (zeros, before) = if first != 0 { (first, 0) } else { (second, 8) };
    (zeros != 0).then(|| before + zeros.trailing_zeros() as usize / 8)
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
        let mut table = [0u8; 48];
        for n in 0..=32usize {
            for first in [0u8, 1, 100, 235] {
                for (i, octet) in table.iter_mut().enumerate() {
                    *octet = if i < n { first.wrapping_add(i as u8) } else { 77 };
                }
                for octet in 0..=255 {
                    let naive = table[..n].iter().position(|o| *o == octet);
                    assert_eq!(position(&table, 0, n, octet), naive, "{octet} {n}");
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
