//! Statements by path: which of them are about a URL.
//!
//! Patterns are those of rules, with the same normalisation (RFC 9309 §2.2.2): `*`, `$` and
//! percent-encoding. What differs between mechanisms is which of several matches counts.
//!
//! A set has no DFA: the best known sites have a handful of such patterns, which are tried faster than a
//! DFA is walked, and with ties a winner is a set. Sets too large to be tried are left to the segment
//! matcher, as large rule sets are.

use std::sync::{Arc, OnceLock};

use robotsieve::internals::{AllMatching, RawRule, RuleSet};
use robotsieve::{Profile, RulePrecedence, Verdict};
use smallvec::SmallVec;

/// Paths, each with the number that it was added with.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// The numbers of those without a path: they match everything, with length 0.
    everywhere: Vec<u32>,
    /// The others, the longest first. The line of a rule is its number.
    rules: RuleSet,
    /// What finds all matches in one pass, once there is a target for which that pays.
    all_matching: Arc<OnceLock<AllMatching>>,
}

/// What decides among paths that match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Longest {
    /// The numbers of all that match and are of the greatest length.
    pub numbers: SmallVec<[u32; 4]>,
    /// True if they are not all the same pattern.
    pub differ: bool,
}

impl Paths {
    /// `paths` are a pattern, `None` if there is none, and a number.
    pub fn new<'a>(
        paths: impl Iterator<Item = (Option<&'a [u8]>, u32)> + Clone,
        profile: &Profile,
    ) -> Paths {
        let mut profile = *profile;
        // In every profile the longest path counts, and a path is one pattern: so they are Disallow.
        profile.rule_precedence = RulePrecedence::Longest;
        let everywhere = |path: &Option<&[u8]>| path.is_none_or(<[u8]>::is_empty);
        let without = paths.clone().filter(|(path, _)| everywhere(path)).map(|(_, number)| number);
        let rules = paths.clone().filter_map(|(path, number)| {
            let value = path.filter(|path| !path.is_empty())?;
            Some(RawRule { line: number, verdict: Verdict::Disallow, value })
        });
        Paths {
            everywhere: without.collect(),
            rules: RuleSet::new(rules, &profile),
            all_matching: Arc::default(),
        }
    }

    /// Returns true if there is no path.
    pub(super) fn is_empty(&self) -> bool {
        self.everywhere.is_empty() && self.rules.len() == 0
    }

    /// Returns true if a target has to be compared at all.
    pub(super) fn has_patterns(&self) -> bool {
        self.rules.len() > 0
    }

    /// The bytes of memory beside the value itself.
    pub(super) fn memory_usage(&self) -> usize {
        let all_matching = self.all_matching.get().map_or(0, AllMatching::memory_usage);
        let everywhere = self.everywhere.capacity() * size_of::<u32>();
        everywhere + self.rules.memory_usage() + size_of::<OnceLock<AllMatching>>() + all_matching
    }

    /// The longest paths that match a normalised target.
    pub fn longest(&self, target: &[u8]) -> Longest {
        let mut found = Longest::default();
        let mut best: Option<(u32, _)> = None;
        for index in self.matching(target) {
            let rule = self.rules.get(index);
            match best {
                None => best = Some((rule.precedence, rule.pattern)),
                Some((precedence, _)) if precedence != rule.precedence => break,
                Some((_, pattern)) => found.differ |= pattern != rule.pattern,
            }
            found.numbers.push(rule.line);
        }
        if best.is_none() {
            found.numbers.extend_from_slice(&self.everywhere);
        }
        found
    }

    /// The lowest number of a path that matches.
    pub(super) fn first(&self, target: &[u8]) -> Option<u32> {
        let numbers = self.matching(target).map(|index| self.rules.get(index).line);
        numbers.chain(self.everywhere.iter().copied()).min()
    }

    /// The indices of the patterns that match, the longest first.
    ///
    /// Tries them, most by one comparison of eight bytes, or finds all in one pass where there are too
    /// many: `O(target · d + patterns)`, see [`AllMatching`].
    fn matching(&self, target: &[u8]) -> impl Iterator<Item = usize> {
        /// The most bytes that trying the patterns may look at. Building what finds them in one pass
        /// takes longer than a hundred targets do.
        const TRIED_BYTES: usize = 128 << 10;
        let is_tried = self.rules.len().saturating_mul(target.len()) <= TRIED_BYTES;
        let tried = is_tried.then(|| self.rules.matching(target));
        let in_one_pass = (!is_tried).then(|| {
            self.all_matching.get_or_init(|| AllMatching::new(&self.rules)).matching(target)
        });
        tried.into_iter().flatten().chain(in_one_pass.into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(all: &[&'static str]) -> Paths {
        let with_numbers = all.iter().zip(0..);
        Paths::new(
            with_numbers
                .map(|(path, number)| ((!path.is_empty()).then_some(path.as_bytes()), number)),
            &Profile::RFC9309,
        )
    }

    fn longest(paths: &Paths, target: &str) -> Vec<u32> {
        let mut numbers = paths.longest(target.as_bytes()).numbers.into_vec();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn the_longest_counts() {
        let all = paths(&["", "/", "/a", "/%61", "/*b", "/a/", "/a/$"]);
        assert_eq!(longest(&all, "/x"), [1]);
        assert_eq!(longest(&all, "/a"), [2, 3]);
        assert_eq!(longest(&all, "/ab"), [4]);
        assert_eq!(longest(&all, "/a/x"), [5]);
        assert_eq!(longest(&all, "/a/"), [6]);
        assert!(!all.longest(b"/a").differ);
        assert_eq!(longest(&paths(&["", "/a"]), "/x"), [0]);
        assert_eq!(longest(&paths(&["/a"]), "/x"), [0; 0]);
        let equal = paths(&["/*a", "/b*"]);
        assert_eq!(longest(&equal, "/ba"), [0, 1]);
        assert!(equal.longest(b"/ba").differ);
    }

    #[test]
    fn the_first_counts() {
        let all = paths(&["/a/b/", "/a", "/", "/a/b/c"]);
        assert_eq!(all.first(b"/a/b/c"), Some(0));
        assert_eq!(all.first(b"/a/x"), Some(1));
        assert_eq!(all.first(b"/x"), Some(2));
        assert_eq!(paths(&["/a"]).first(b"/x"), None);
    }

    /// Many patterns are matched in another way.
    #[test]
    fn many_patterns() {
        let texts: Vec<String> = (0..5_000).map(|n| format!("/*{n}*a$")).collect();
        let texts: Vec<&'static str> = texts.into_iter().map(|text| &*text.leak()).collect();
        let all = paths(&texts);
        let target = format!("/{}4321x1234a", "x".repeat(100));
        assert_eq!(longest(&all, &target), [1234, 4321]);
        assert_eq!(all.first(target.as_bytes()), Some(1));
    }
}
