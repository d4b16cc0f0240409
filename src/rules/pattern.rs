//! From a rule's value to the pattern that is compared.
//!
//! A pattern is kept in a canonical form that matches exactly what the rule as written
//! matches: neighbouring stars are one, stars at the end and a `$` after a star are gone.
//! What was dropped still counts for the precedence, which is computed before.

use crate::profile::{Profile, RulePrecedence};
use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

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
    /// Normalised bytes; where the set has wildcards, `*` is one.
    pub(crate) bytes: &'a [u8],
    /// Whether the target must end where the pattern does.
    pub(crate) anchored: bool,
}

impl Pattern<'_> {
    /// Whether the pattern matches the target from its first byte on.
    ///
    /// Greedy: the first place where a piece fits leaves the most room for the next ones.
    pub(crate) fn matches(self, target: &[u8], wildcards: bool) -> bool {
        let (head, mut rest) = match memchr::memchr(b'*', self.bytes) {
            Some(star) if wildcards => (&self.bytes[..star], Some(&self.bytes[star + 1..])),
            _ => (self.bytes, None),
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

/// Reads rules as they stand in the file.
pub(super) struct Reader<'p> {
    pub(super) profile: &'p Profile,
    pub(super) encoding: Encoding,
    scratch: Vec<u8>,
}

/// What [`Reader::read`] makes of a rule.
pub(super) struct Read<'r> {
    /// In its canonical form.
    pub(super) pattern: Pattern<'r>,
    pub(super) precedence: u32,
    /// Whether the value is the pattern and has no star.
    pub(super) plain: bool,
}

impl<'p> Reader<'p> {
    pub(super) fn new(profile: &'p Profile) -> Reader<'p> {
        Reader { profile, encoding: Encoding::of_rule(profile), scratch: Vec::new() }
    }

    /// The pattern of a rule, or its patterns: one that allows `…/index.htm…` may have a
    /// second one, which comes first.
    pub(super) fn read(&mut self, rule: RawRule<'_>, mut found: impl FnMut(Read<'_>)) {
        let profile = self.profile;
        let mut value = rule.value;
        let directories = profile.index_htm_is_directory && rule.verdict == Verdict::Allow;
        let slash = profile.leading_slash_assumed && value[0] != b'/';
        if !directories && !slash && self.encoding.is_plain(value) {
            let precedence = self.precedence(rule.verdict, value.len());
            let pattern = Pattern { bytes: value, anchored: false };
            return found(Read { pattern, precedence, plain: true });
        }
        self.scratch.clear();
        if slash {
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
                self.normalise(piece);
            }
        } else {
            self.normalise(body);
        }
        // All stars are still there; the anchor counts too.
        let len = self.scratch.len() + usize::from(anchored);
        if directories {
            let slash = self.scratch.iter().rposition(|o| *o == b'/');
            if let Some(slash) = slash.filter(|s| self.scratch[*s..].starts_with(b"/index.htm")) {
                let directory = canonical(self.scratch[..=slash].to_vec(), true, profile);
                let (bytes, anchored) = &directory;
                let pattern = Pattern { bytes, anchored: *anchored };
                let precedence = self.precedence(rule.verdict, slash + 2);
                found(Read { pattern, precedence, plain: false });
            }
        }
        let precedence = self.precedence(rule.verdict, len);
        let (bytes, anchored) = canonical(std::mem::take(&mut self.scratch), anchored, profile);
        let pattern = Pattern { bytes: &bytes, anchored };
        found(Read { pattern, precedence, plain: false });
        self.scratch = bytes;
    }

    fn normalise(&mut self, piece: &[u8]) {
        if self.encoding.changes_in(piece) {
            self.scratch.extend(self.encoding.normalised(piece));
        } else {
            self.scratch.extend_from_slice(piece);
        }
    }

    fn precedence(&self, verdict: Verdict, len: usize) -> u32 {
        match self.profile.rule_precedence {
            RulePrecedence::Longest => len as u32,
            RulePrecedence::AnyDisallow => u32::from(verdict == Verdict::Disallow),
        }
    }
}

/// Brings a pattern into its canonical form.
fn canonical(mut pattern: Vec<u8>, mut anchored: bool, profile: &Profile) -> (Vec<u8>, bool) {
    if profile.wildcards {
        pattern.dedup_by(|a, b| *a == b'*' && *b == b'*');
        if pattern.last() == Some(&b'*') {
            pattern.pop();
            anchored = false;
        }
    }
    (pattern, anchored)
}
