//! From a rule's value to its pattern.
//!
//! A pattern has a canonical form that matches exactly what the rule as written matches:
//! neighbouring stars become one, and stars at the end and a `$` after a star are dropped.
//! Precedence is computed before that, so what was dropped still counts.

use crate::profile::{Profile, RulePrecedence};
use std::fmt;

use crate::bytes_shown::BytesShown;
use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

/// A rule as it stands in the file.
#[derive(Clone, Copy, Debug)]
pub struct RawRule<'a> {
    pub line: u32,
    pub verdict: Verdict,
    /// Not empty.
    pub value: &'a [u8],
}

/// What a rule matches.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pattern<'a> {
    /// Normalised. In a profile with wildcards every `*` in it is a wildcard.
    pub bytes: &'a [u8],
    /// True if the target must end where the pattern ends.
    pub anchored: bool,
}

impl fmt::Debug for Pattern<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern")
            .field("bytes", &BytesShown(self.bytes))
            .field("anchored", &self.anchored)
            .finish()
    }
}

impl Pattern<'_> {
    /// Returns true if the pattern matches the target, beginning at its first byte.
    ///
    /// Takes the first place where each piece between two stars fits: that leaves the most room
    /// for the pieces after it, so no other place needs to be tried.
    pub fn matches(self, target: &[u8], wildcards: bool) -> bool {
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
            let Some(at) = find(left, piece) else { return false };
            left = &left[at + piece.len()..];
            rest = star.map(|star| &pieces[star + 1..]);
        }
        !self.anchored || left.is_empty()
    }

    /// Returns true if a rule can have this pattern where `encoding` normalises targets: it is in canonical
    /// form, and normalising changes nothing of it.
    #[cfg(feature = "pack")]
    pub(super) fn is_canonical(self, wildcards: bool, encoding: Encoding) -> bool {
        let is_normal = |piece: &[u8]| {
            !encoding.changes_in(piece) || encoding.normalised(piece).eq(piece.iter().copied())
        };
        if !wildcards {
            return !self.anchored && !self.bytes.is_empty() && is_normal(self.bytes);
        }
        !self.bytes.windows(2).any(|pair| pair == b"**")
            && self.bytes.last() != Some(&b'*')
            && self.bytes.split(|byte| *byte == b'*').all(is_normal)
    }
}

/// Where the first place is at which `text` holds `piece`.
fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    /// In more text than this, looking for the first byte alone could take long.
    const SHORT: usize = 64;
    let Some(first) = piece.first() else { return Some(0) };
    if text.len() > SHORT {
        return memchr::memmem::find(text, piece);
    }
    let mut at = 0;
    while at + piece.len() <= text.len() {
        at += memchr::memchr(*first, &text[at..=text.len() - piece.len()])?;
        if text[at..].starts_with(piece) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// The number of bytes that [`head`] takes.
pub(super) const HEAD: usize = 8;

/// The first bytes of a text as one word, filled up with zeros.
#[inline]
pub(super) fn head(text: &[u8]) -> u64 {
    match text.first_chunk::<HEAD>() {
        Some(head) => u64::from_le_bytes(*head),
        None => {
            let mut head = [0; HEAD];
            head[..text.len()].copy_from_slice(text);
            u64::from_le_bytes(head)
        }
    }
}

/// The first `len` bytes of a word made by [`head`].
#[inline]
pub(super) fn first(word: u64, len: usize) -> u64 {
    if len >= HEAD { word } else { word & !(u64::MAX << (8 * len)) }
}

/// Turns rules into patterns. Reuses one buffer for all of them.
pub(super) struct PatternReader<'p> {
    pub(super) profile: &'p Profile,
    pub(super) encoding: Encoding,
    scratch: Vec<u8>,
}

/// A pattern with what decides between it and others that match.
pub(super) struct RankedPattern<'r> {
    /// In canonical form.
    pub(super) pattern: Pattern<'r>,
    pub(super) precedence: u32,
    /// True if the pattern is the rule's value, unchanged and without a star.
    pub(super) plain: bool,
}

impl<'p> PatternReader<'p> {
    pub(super) fn new(profile: &'p Profile) -> PatternReader<'p> {
        PatternReader { profile, encoding: Encoding::of_rule(profile), scratch: Vec::new() }
    }

    /// Calls `found` with the pattern of a rule. A rule that allows `…/index.htm…` may have two
    /// ([`Profile::index_htm_is_directory`]); the one for the directory comes first.
    pub(super) fn read(&mut self, rule: RawRule<'_>, mut found: impl FnMut(RankedPattern<'_>)) {
        let profile = self.profile;
        let mut value = rule.value;
        let directories = profile.index_htm_is_directory && rule.verdict == Verdict::Allow;
        let slash = profile.leading_slash_assumed && value[0] != b'/';
        if !directories && !slash && self.encoding.is_plain(value) {
            let precedence = self.precedence(rule.verdict, value.len());
            let pattern = Pattern { bytes: value, anchored: false };
            return found(RankedPattern { pattern, precedence, plain: true });
        }
        self.scratch.clear();
        if slash {
            self.scratch.push(b'/');
        }
        if profile.wildcards && profile.trailing_stars_dropped {
            let stars = value.iter().rev().take_while(|o| **o == b'*').count();
            value = &value[..value.len() - stars];
        }
        // Only a value that ended in `$` before stars were dropped has an anchor.
        let anchored =
            profile.wildcards && value.len() == rule.value.len() && value.ends_with(b"$");
        let body = if anchored { &value[..value.len() - 1] } else { value };
        if profile.wildcards && !self.encoding.changes_besides_stars(body) {
            self.scratch.extend_from_slice(body);
        } else if profile.wildcards {
            for (i, piece) in body.split(|o| *o == b'*').enumerate() {
                if i > 0 {
                    self.scratch.push(b'*');
                }
                self.normalise(piece);
            }
        } else {
            self.normalise(body);
        }
        // Before stars are dropped; the anchor counts too.
        let len = self.scratch.len() + usize::from(anchored);
        if directories {
            let slash = self.scratch.iter().rposition(|o| *o == b'/');
            if let Some(slash) = slash.filter(|s| self.scratch[*s..].starts_with(b"/index.htm")) {
                let directory = canonical(self.scratch[..=slash].to_vec(), true, profile);
                let (bytes, anchored) = &directory;
                let pattern = Pattern { bytes, anchored: *anchored };
                let precedence = self.precedence(rule.verdict, slash + 2);
                found(RankedPattern { pattern, precedence, plain: false });
            }
        }
        let precedence = self.precedence(rule.verdict, len);
        let (bytes, anchored) = canonical(std::mem::take(&mut self.scratch), anchored, profile);
        let pattern = Pattern { bytes: &bytes, anchored };
        found(RankedPattern { pattern, precedence, plain: false });
        self.scratch = bytes;
    }

    /// A pattern that matches what the rule's pattern matches, and its precedence, if normalising changes nothing
    /// of the rule. It is the rule as written, so it may not be in canonical form.
    pub(super) fn as_written<'r>(&self, rule: RawRule<'r>) -> Option<(Pattern<'r>, u32)> {
        let RawRule { verdict, value, .. } = rule;
        let profile = self.profile;
        let directories = profile.index_htm_is_directory && verdict == Verdict::Allow;
        let slash = profile.leading_slash_assumed && value[0] != b'/';
        if !profile.wildcards || profile.trailing_stars_dropped || directories || slash {
            return None;
        }
        let body = value.strip_suffix(b"$");
        let (bytes, anchored) = (body.unwrap_or(value), body.is_some());
        let pattern = Pattern { bytes, anchored };
        let is_normal = !self.encoding.changes_besides_stars(bytes);
        is_normal.then(|| (pattern, self.precedence(verdict, value.len())))
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
