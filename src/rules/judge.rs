//! Judging a target by rules that come one by one, without building a rule set.

use crate::profile::Profile;
use crate::rules::pattern::{RawRule, Read, Reader};
use crate::rules::set::{HEAD, first, head};
use crate::verdict::Verdict;

/// Judges a target by rules that come one by one as they stand in the file: as the
/// [`RuleSet`](super::RuleSet) of them would, which is never built.
pub(crate) struct Judge<'p, 't> {
    reader: Reader<'p>,
    /// Normalised; begins with `/`.
    target: &'t [u8],
    head: u64,
    /// So many of its first bytes are what they are in a rule too.
    plain_len: usize,
    /// Precedence and verdict of the rule that decides so far.
    best: Option<(u32, Verdict)>,
}

impl<'p, 't> Judge<'p, 't> {
    pub(crate) fn new(target: &'t [u8], profile: &'p Profile) -> Judge<'p, 't> {
        let reader = Reader::new(profile);
        let plain = |o: &&u8| reader.encoding.is_plain(std::slice::from_ref(*o));
        let plain_len = target.iter().take(HEAD).take_while(plain).count();
        Judge { reader, target, head: head(target), plain_len, best: None }
    }

    /// Forgets all rules.
    pub(crate) fn reset(&mut self) {
        self.best = None;
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.best.map_or(Verdict::Allow, |(_, verdict)| verdict)
    }

    #[inline]
    pub(crate) fn add(&mut self, rule: RawRule<'_>) {
        if !self.differs_early(rule) {
            self.compare(rule);
        }
    }

    /// Whether the rule does not match, as far as its first bytes tell.
    #[inline]
    fn differs_early(&self, rule: RawRule<'_>) -> bool {
        let differences = first(head(rule.value) ^ self.head, rule.value.len());
        if differences == 0 {
            return false;
        }
        // The bytes before this one are those of the target. Where they are plain and this
        // one is plain too, so begins the pattern.
        let at = differences.trailing_zeros() as usize / 8;
        if at > self.plain_len || !self.reader.encoding.is_plain(&rule.value[at..=at]) {
            return false;
        }
        let profile = self.reader.profile;
        let slash_assumed = at == 0 && profile.leading_slash_assumed;
        // The target may end where a directory does whose index is allowed.
        let directory = at >= self.target.len() && profile.index_htm_is_directory;
        !(slash_assumed || directory && rule.verdict == Verdict::Allow)
    }

    fn compare(&mut self, rule: RawRule<'_>) {
        let Judge { reader, target, best, .. } = self;
        let wildcards = reader.profile.wildcards;
        reader.read(rule, |Read { pattern, precedence, .. }| {
            // Of equal ones allow decides.
            let key = |(precedence, verdict)| (precedence, verdict == Verdict::Allow);
            let candidate = (precedence, rule.verdict);
            if best.is_none_or(|best| key(candidate) > key(best))
                && pattern.matches(target, wildcards)
            {
                *best = Some(candidate);
            }
        });
    }
}
