//! From a target to the verdict: the walk through the table.

use crate::automaton::table::{
    Automaton, BRANCH, Head, LITERAL, OTHERWISE_TARGET, SET_LEN, THEN_BEHIND, THEN_TARGET,
};
use crate::decision::Verdict;
use crate::target::Target;

impl Automaton {
    /// The verdict on a target. Reads its octets once at most, from first to last, stops
    /// as soon as the verdict is final, allocates nothing.
    #[inline]
    pub(crate) fn verdict(&self, target: &Target<'_>) -> Verdict {
        match (self.width, self.encoding.changes_any()) {
            (2, false) => self.walk::<2, false>(target),
            (2, true) => self.walk::<2, true>(target),
            (_, false) => self.walk::<4, false>(target),
            (_, true) => self.walk::<4, true>(target),
        }
    }

    /// Compares the octets as they were given. Where normalising may change one
    /// (`NORMALISES`) that matters, the rest of the way is done octet by octet.
    fn walk<const WIDTH: usize, const NORMALISES: bool>(&self, target: &Target<'_>) -> Verdict {
        let table = &*self.octets;
        let given = target.rest();
        let mut at = self.start as usize;
        let mut read = 0;
        loop {
            if let Some(verdict) = final_verdict(at) {
                return verdict;
            }
            let head = Head(table[at]);
            let n = usize::from(table[at + 1]);
            let mut p = at + 2;
            match head.kind() {
                LITERAL => {
                    let mut otherwise = usize::from(head.otherwise());
                    if otherwise == usize::from(OTHERWISE_TARGET) {
                        otherwise = number::<WIDTH>(table, p);
                        p += WIDTH;
                    }
                    let then = match head.then() {
                        THEN_BEHIND => None,
                        THEN_TARGET => {
                            p += WIDTH;
                            Some(number::<WIDTH>(table, p - WIDTH))
                        }
                        verdict => Some(usize::from(verdict - 1)),
                    };
                    let literal = &table[p..p + n];
                    let left = &given[read..];
                    let same = common_prefix_len(literal, left);
                    if same == n {
                        read += n;
                        at = then.unwrap_or(p + n);
                        continue;
                    }
                    if same == left.len() {
                        return head.at_end();
                    }
                    if NORMALISES && self.encoding.changes(left[same]) {
                        return self.walk_normalised(target, at, read);
                    }
                    read += same;
                    at = otherwise;
                }
                BRANCH => {
                    let Some(&octet) = given.get(read) else { return head.at_end() };
                    if NORMALISES && self.encoding.changes(octet) {
                        return self.walk_normalised(target, at, read);
                    }
                    let mut otherwise = usize::from(head.otherwise());
                    if otherwise == usize::from(OTHERWISE_TARGET) {
                        otherwise = number::<WIDTH>(table, p);
                        p += WIDTH;
                    }
                    match position(table, p, n, octet) {
                        Some(exit) => {
                            read += 1;
                            at = number::<WIDTH>(table, p + n + WIDTH * exit);
                        }
                        None => at = otherwise,
                    }
                }
                _ => {
                    let set: &[u8; SET_LEN] = table[p..p + SET_LEN].try_into().expect("16 octets");
                    p += SET_LEN;
                    loop {
                        let Some(&octet) = given.get(read) else { return head.at_end() };
                        if octet.is_ascii() && set[usize::from(octet >> 3)] >> (octet & 7) & 1 == 0
                        {
                            read += 1;
                            continue;
                        }
                        if NORMALISES && self.encoding.changes(octet) {
                            return self.walk_normalised(target, at, read);
                        }
                        read += 1;
                        if let Some(exit) = position(table, p, n, octet) {
                            at = number::<WIDTH>(table, p + n + WIDTH * exit);
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Goes on from the record `at` with the normalised octets of what is left of the
    /// target behind its first `read` octets.
    #[cold]
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
            let mut p = at + 2;
            let mut otherwise = usize::from(head.otherwise());
            if otherwise == usize::from(OTHERWISE_TARGET) {
                otherwise = number(p);
                p += width;
            }
            match head.kind() {
                LITERAL => {
                    let then = match head.then() {
                        THEN_BEHIND => None,
                        THEN_TARGET => {
                            p += width;
                            Some(number(p - width))
                        }
                        verdict => Some(usize::from(verdict - 1)),
                    };
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
                    at = then.unwrap_or(p + n);
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

/// The little-endian number of `WIDTH` octets at an offset.
#[inline(always)]
fn number<const WIDTH: usize>(table: &[u8], at: usize) -> usize {
    let octets: [u8; WIDTH] = table[at..at + WIDTH].try_into().expect("WIDTH octets");
    octets.iter().rev().fold(0, |number, octet| number << 8 | usize::from(*octet))
}

/// Where `octet` stands among the `n` octets at `at`: eight are compared at once. The
/// padding of the table lets the last eight run over the end.
#[inline(always)]
fn position(table: &[u8], at: usize, n: usize, octet: u8) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let wanted = LOW * u64::from(octet);
    let mut from = 0;
    while from < n {
        let eight: [u8; 8] = table[at + from..at + from + 8].try_into().expect("8 octets");
        let differing = u64::from_le_bytes(eight) ^ wanted;
        // The lowest octet that is zero is marked for sure; higher marks may be false.
        let zeros = differing.wrapping_sub(LOW) & !differing & HIGH;
        if zeros != 0 {
            let found = from + zeros.trailing_zeros() as usize / 8;
            return (found < n).then_some(found);
        }
        from += 8;
    }
    None
}

/// How many octets two runs have in common from the first on.
#[inline(always)]
fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut at = 0;
    while at + 8 <= len {
        let eight = |s: &[u8]| u64::from_le_bytes(s[at..at + 8].try_into().expect("8 octets"));
        let differing = eight(a) ^ eight(b);
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
        let mut table = [0u8; 40];
        for n in 0..=20usize {
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
