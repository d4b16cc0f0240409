//! Makes paths from the rules of two policies, for use when the automata give no proof.

use std::collections::HashSet;

use robotsieve::{Policy, Verdict};

/// What stars are replaced with.
const FILLS: [&[u8]; 6] = [b"", b"a", b"/", b"a/b", b"?", b"index.html"];
/// What is added to the end of a path.
const TAILS: [&[u8]; 6] = [b"", b"a", b"/", b"/a", b"?a=b", b".html"];
/// Longer paths are skipped: a verdict on one may read each byte once for each rule.
const MAX_PATH_BYTES: usize = 4_096;

/// Paths made from rules, the same ones in every run.
///
/// First come single rules, with all stars replaced by the same bytes, and with something added to
/// the end or cut off. Then come rules that are joined, filled and changed at random. Rules that
/// only one of the policies has come first and are used most often.
pub(super) struct Samples<'p> {
    /// The patterns of rules that only one policy has.
    changed: Vec<&'p [u8]>,
    /// All patterns.
    all: Vec<&'p [u8]>,
    limit: usize,
    made: usize,
    random: u64,
}

impl<'p> Samples<'p> {
    pub(super) fn new(old: &'p Policy, new: &'p Policy, limit: usize) -> Samples<'p> {
        let [old, new] = [old, new].map(|policy| {
            let short = policy.rules().filter(|rule| rule.pattern().len() <= MAX_PATH_BYTES);
            short.map(|rule| (rule.pattern(), rule.anchored(), rule.verdict)).collect()
        });
        let (old, new): (HashSet<_>, HashSet<_>) = (old, new);
        let patterns = |rules: Vec<&(&'p [u8], bool, Verdict)>| {
            let mut patterns: Vec<&[u8]> = rules.iter().map(|(pattern, ..)| *pattern).collect();
            patterns.sort_unstable();
            patterns.dedup();
            patterns
        };
        Samples {
            changed: patterns(old.symmetric_difference(&new).collect()),
            all: patterns(old.union(&new).collect()),
            limit,
            made: 0,
            random: 0x9E37_79B9_7F4A_7C15,
        }
    }

    /// The next path; it begins with `/`.
    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        while self.made < self.limit && !self.all.is_empty() {
            let number = self.made;
            self.made += 1;
            let mut path = match self.of_one_rule(number) {
                Some(path) => path,
                None => self.of_several(),
            };
            if path.first() != Some(&b'/') {
                path.insert(0, b'/');
            }
            if path.len() <= MAX_PATH_BYTES {
                return Some(path);
            }
        }
        None
    }

    /// The path of this number made from a single rule: all rules with the first fill and tail,
    /// then all rules with the next. At most a quarter of all paths are made from the changed
    /// rules in this way, and then another quarter from all rules. `None` after that.
    fn of_one_rule(&self, mut number: usize) -> Option<Vec<u8>> {
        let ways = FILLS.len() * (TAILS.len() + 1);
        let quarter = self.limit.div_ceil(4);
        let of_changed = (self.changed.len() * ways).min(quarter);
        let patterns = if number < of_changed {
            &self.changed
        } else {
            number -= of_changed;
            &self.all
        };
        if number >= quarter.min(patterns.len() * ways) {
            return None;
        }
        let (way, rule) = (number / patterns.len(), number % patterns.len());
        let mut path = Vec::new();
        fill(patterns[rule], &mut path, || FILLS[way % FILLS.len()]);
        match TAILS.get(way / FILLS.len()) {
            Some(tail) => path.extend_from_slice(tail),
            None => {
                path.pop();
            }
        }
        Some(path)
    }

    fn of_several(&mut self) -> Vec<u8> {
        let mut path = Vec::new();
        for _ in 0..1 + self.below(3) {
            let pattern = self.pattern();
            // A rule after the first may go without its `/`.
            let at = if path.is_empty() { 0 } else { self.below(2).min(pattern.len()) };
            let mut fills = [&b""[..]; 8];
            for fill in &mut fills {
                let mut pieces = self.pattern().split(|byte| *byte == b'*');
                *fill = match self.below(3) {
                    0 => FILLS[self.below(FILLS.len())],
                    _ => pieces.nth(self.below(3)).unwrap_or_default(),
                };
            }
            let mut next = 0;
            fill(&pattern[at..], &mut path, || {
                next += 1;
                fills[next % fills.len()]
            });
        }
        match self.below(4) {
            0 => path.extend_from_slice(TAILS[self.below(TAILS.len())]),
            1 => path.truncate(self.below(path.len() + 1)),
            2 if !path.is_empty() => {
                let at = self.below(path.len());
                path[at] = b"ab/?x"[self.below(5)];
            }
            _ => {}
        }
        path
    }

    /// A random pattern. In half of the cases, one of the changed ones.
    fn pattern(&mut self) -> &'p [u8] {
        let changed = !self.changed.is_empty() && self.below(2) == 0;
        let len = if changed { self.changed.len() } else { self.all.len() };
        let at = self.below(len);
        if changed { self.changed[at] } else { self.all[at] }
    }

    /// SplitMix64 (Steele, Lea and Flood, 2014); the slight bias does not matter here.
    fn below(&mut self, bound: usize) -> usize {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// A path that a pattern matches, with this in the place of each star and that at its end. `None` if it
/// is too long.
pub(super) fn path_of(pattern: &[u8], star: &[u8], tail: &[u8]) -> Option<Vec<u8>> {
    let mut path = Vec::new();
    fill(pattern, &mut path, || star);
    path.extend_from_slice(tail);
    if path.first() != Some(&b'/') {
        path.insert(0, b'/');
    }
    (path.len() <= MAX_PATH_BYTES).then_some(path)
}

/// Adds a pattern to a path, with each star replaced by what `next` returns.
fn fill<'f>(pattern: &[u8], path: &mut Vec<u8>, mut next: impl FnMut() -> &'f [u8]) {
    for (i, piece) in pattern.split(|byte| *byte == b'*').enumerate() {
        if i > 0 {
            path.extend_from_slice(next());
        }
        path.extend_from_slice(piece);
    }
}
