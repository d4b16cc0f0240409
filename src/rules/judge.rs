//! Deciding a target while rules are read, without building a rule set.

use crate::profile::Profile;
use crate::rules::pattern::{HEAD, Pattern, PatternReader, RankedPattern, RawRule, first, head};
use crate::verdict::Verdict;

/// Decides one target. Takes rules one at a time, in any order, and keeps only the precedence and
/// verdict of the best match so far. Gives the verdict that a [`RuleSet`](super::RuleSet) of the
/// same rules would give.
pub(crate) struct Judge<'p, 't> {
    reader: PatternReader<'p>,
    /// Normalised; begins with `/`.
    target: &'t [u8],
    head: u64,
    /// How many of the target's first bytes, up to [`HEAD`], are plain: the same in a rule's value
    /// as in its pattern.
    plain_len: usize,
    /// Precedence and verdict of the best match so far.
    best: Option<(u32, Verdict)>,
}

impl<'p, 't> Judge<'p, 't> {
    pub(crate) fn new(target: &'t [u8], profile: &'p Profile) -> Judge<'p, 't> {
        let reader = PatternReader::new(profile);
        let plain = |o: &&u8| reader.encoding.is_plain_byte(**o);
        let plain_len = target.iter().take(HEAD).take_while(plain).count();
        Judge { reader, target, head: head(target), plain_len, best: None }
    }

    /// Starts again with no rules.
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

    /// Returns true if the rule's first bytes already show that it does not match. Spares most rules the
    /// work of building their pattern.
    #[inline]
    fn differs_early(&self, rule: RawRule<'_>) -> bool {
        let differences = first(head(rule.value) ^ self.head, rule.value.len());
        if differences == 0 {
            return false;
        }
        // The first byte that differs. The bytes before it equal the target's. If they and this
        // byte are plain, normalising changes none of them, so the pattern differs here too.
        let at = differences.trailing_zeros() as usize / 8;
        if at > self.plain_len || !self.reader.encoding.is_plain_byte(rule.value[at]) {
            return false;
        }
        let profile = self.reader.profile;
        let slash_assumed = at == 0 && profile.leading_slash_assumed;
        // The pattern for the directory is shorter than the value: it may end where the target
        // does.
        let directory = at >= self.target.len() && profile.index_htm_is_directory;
        !(slash_assumed || directory && rule.verdict == Verdict::Allow)
    }

    fn compare(&mut self, rule: RawRule<'_>) {
        let Judge { reader, target, best, .. } = self;
        let wildcards = reader.profile.wildcards;
        let mut consider = |pattern: Pattern<'_>, precedence| {
            // Of equal precedence, allow wins.
            let key = |(precedence, verdict)| (precedence, verdict == Verdict::Allow);
            let candidate = (precedence, rule.verdict);
            if best.is_none_or(|best| key(candidate) > key(best))
                && pattern.matches(target, wildcards)
            {
                *best = Some(candidate);
            }
        };
        match reader.as_written(rule) {
            Some((pattern, precedence)) => consider(pattern, precedence),
            None => reader.read(rule, |RankedPattern { pattern, precedence, .. }| {
                consider(pattern, precedence);
            }),
        }
    }
}
