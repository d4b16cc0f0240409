//! The rules of a policy: normalised patterns in order of precedence.
//!
//! A pattern is kept in a canonical form that matches exactly what the rule as written
//! matches: neighbouring stars are one, stars at the end and a `$` after a star are gone.
//! What was dropped still counts for the precedence, which is computed before.

use std::cmp::Reverse;

use crate::Verdict;
use crate::normalise::Encoding;
use crate::profile::{Profile, RulePrecedence};

/// A rule as it stands in the file, before it is normalised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawRule<'a> {
    pub(crate) line: u32,
    pub(crate) verdict: Verdict,
    /// Not empty.
    pub(crate) value: &'a [u8],
}

/// What a rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern<'a> {
    /// Normalised octets; where the set has wildcards, `*` is one.
    pub(crate) octets: &'a [u8],
    /// Whether the target must end where the pattern does.
    pub(crate) anchored: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    line: u32,
    precedence: u32,
    pattern_at: u32,
    pattern_len: u32,
    value_at: u32,
    value_len: u32,
    verdict: Verdict,
    anchored: bool,
}

/// Rules from highest to lowest precedence; of equal ones allow first, then the order of
/// the file. So the first rule that matches decides.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleSet {
    /// Patterns and values; a pattern that equals its value shares its octets.
    octets: Box<[u8]>,
    entries: Box<[Entry]>,
    wildcards: bool,
}

/// One rule of a [`RuleSet`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleRef<'s> {
    pub(crate) line: u32,
    pub(crate) verdict: Verdict,
    pub(crate) precedence: u32,
    pub(crate) pattern: Pattern<'s>,
    /// The value as written.
    pub(crate) value: &'s [u8],
}

impl RuleSet {
    pub(crate) fn new<'a>(rules: impl Iterator<Item = RawRule<'a>>, profile: &Profile) -> RuleSet {
        let mut builder = Builder {
            profile,
            encoding: Encoding::of_rule(profile),
            octets: Vec::new(),
            entries: Vec::new(),
            scratch: Vec::new(),
        };
        for rule in rules {
            builder.add(rule);
        }
        // Stable: equal keys stay in the order of the file.
        builder.entries.sort_by_key(|e| (Reverse(e.precedence), e.verdict == Verdict::Disallow));
        RuleSet {
            octets: builder.octets.into_boxed_slice(),
            entries: builder.entries.into_boxed_slice(),
            wildcards: profile.wildcards,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn wildcards(&self) -> bool {
        self.wildcards
    }

    pub(crate) fn get(&self, index: usize) -> RuleRef<'_> {
        let e = &self.entries[index];
        let text = |at: u32, len: u32| &self.octets[at as usize..at as usize + len as usize];
        RuleRef {
            line: e.line,
            verdict: e.verdict,
            precedence: e.precedence,
            pattern: Pattern { octets: text(e.pattern_at, e.pattern_len), anchored: e.anchored },
            value: text(e.value_at, e.value_len),
        }
    }

    /// From highest to lowest precedence.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = RuleRef<'_>> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The octets of all patterns together.
    pub(crate) fn pattern_octets(&self) -> usize {
        self.entries.iter().map(|e| e.pattern_len as usize).sum()
    }

    /// The rule that decides, if one matches. `target` is normalised and begins with `/`.
    ///
    /// `O(n · target + pattern octets)` for `n` rules: no automaton, the way for a policy
    /// that is asked only a few times.
    pub(crate) fn deciding(&self, target: &[u8]) -> Option<RuleRef<'_>> {
        self.iter().find(|rule| rule.pattern.matches(target, self.wildcards))
    }

    /// The occupied octets, without `self`.
    pub(crate) fn memory_usage(&self) -> usize {
        self.octets.len() + size_of_val(&*self.entries)
    }
}

struct Builder<'p> {
    profile: &'p Profile,
    encoding: Encoding,
    octets: Vec<u8>,
    entries: Vec<Entry>,
    scratch: Vec<u8>,
}

impl Builder<'_> {
    fn add(&mut self, rule: RawRule<'_>) {
        let profile = self.profile;
        // Values come from a file in memory; a set of more than 4 GiB of rules keeps what
        // fits. (The default size limit is 500 KiB.)
        if self.octets.len() + 4 * rule.value.len() + 2 > u32::MAX as usize {
            return;
        }
        let mut value = rule.value;
        self.scratch.clear();
        if profile.leading_slash_assumed && value[0] != b'/' {
            self.scratch.push(b'/');
        }
        if profile.wildcards && profile.trailing_stars_dropped {
            let stars = value.iter().rev().take_while(|o| **o == b'*').count();
            value = &value[..value.len() - stars];
        }
        // A `$` that trailing stars followed is not the value's last character.
        let anchored =
            profile.wildcards && value.len() == rule.value.len() && value.ends_with(b"$");
        let body = if anchored { &value[..value.len() - 1] } else { value };
        if profile.wildcards {
            for (i, piece) in body.split(|o| *o == b'*').enumerate() {
                if i > 0 {
                    self.scratch.push(b'*');
                }
                self.scratch.extend(self.encoding.normalised(piece));
            }
        } else {
            self.scratch.extend(self.encoding.normalised(body));
        }
        self.finish(rule, anchored);
    }

    /// The scratch holds the normalised pattern, all stars kept, the anchor cut off.
    fn finish(&mut self, rule: RawRule<'_>, anchored: bool) {
        let len = self.scratch.len() + usize::from(anchored);
        let precedence = match self.profile.rule_precedence {
            RulePrecedence::Longest => len as u32,
            RulePrecedence::AnyDisallow => u32::from(rule.verdict == Verdict::Disallow),
        };
        let value_at = self.octets.len() as u32;
        self.octets.extend_from_slice(rule.value);
        let entry = Entry {
            line: rule.line,
            precedence,
            pattern_at: value_at,
            pattern_len: 0,
            value_at,
            value_len: rule.value.len() as u32,
            verdict: rule.verdict,
            anchored,
        };
        let pattern = std::mem::take(&mut self.scratch);
        if self.profile.index_htm_is_directory && rule.verdict == Verdict::Allow {
            let slash = pattern.iter().rposition(|o| *o == b'/');
            if let Some(slash) = slash.filter(|s| pattern[*s..].starts_with(b"/index.htm")) {
                let directory = pattern[..=slash].to_vec();
                let precedence = match self.profile.rule_precedence {
                    RulePrecedence::Longest => slash as u32 + 2,
                    RulePrecedence::AnyDisallow => precedence,
                };
                self.push(Entry { precedence, anchored: true, ..entry }, directory, rule.value);
            }
        }
        self.push(entry, pattern, rule.value);
    }

    /// Brings the pattern into its canonical form and stores it.
    fn push(&mut self, mut entry: Entry, mut pattern: Vec<u8>, value: &[u8]) {
        if self.profile.wildcards {
            pattern.dedup_by(|a, b| *a == b'*' && *b == b'*');
            if pattern.last() == Some(&b'*') {
                pattern.pop();
                entry.anchored = false;
            }
        }
        entry.pattern_len = pattern.len() as u32;
        if !value.starts_with(&pattern) {
            entry.pattern_at = self.octets.len() as u32;
            self.octets.extend_from_slice(&pattern);
        }
        self.entries.push(entry);
        pattern.clear();
        self.scratch = pattern;
    }
}

impl Pattern<'_> {
    /// Whether the pattern matches the target from its first octet on.
    ///
    /// Greedy: the first place where a piece fits leaves the most room for the next ones.
    pub(crate) fn matches(self, target: &[u8], wildcards: bool) -> bool {
        let (head, mut rest) = match memchr::memchr(b'*', self.octets) {
            Some(star) if wildcards => (&self.octets[..star], Some(&self.octets[star + 1..])),
            _ => (self.octets, None),
        };
        let Some(mut left) = target.strip_prefix(head) else { return false };
        while let Some(pieces) = rest {
            let star = memchr::memchr(b'*', pieces);
            let piece = &pieces[..star.unwrap_or(pieces.len())];
            if star.is_none() && self.anchored {
                return left.ends_with(piece);
            }
            let Some(at) = memchr::memmem::find(left, piece) else { return false };
            left = &left[at + piece.len()..];
            rest = star.map(|star| &pieces[star + 1..]);
        }
        !self.anchored || left.is_empty()
    }
}
