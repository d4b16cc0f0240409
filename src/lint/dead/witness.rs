//! Targets made from a rule's own pattern, tried before anything else: most rules that are alive
//! show it on one of these.

use super::patterns::{MASKS_PER_WORK, PolicyRules, RankedRule, mask};
use super::{OverBudget, Question, Work};
use crate::rules::Pattern;

/// The most rules of the other verdict that a target is made with.
const PARTNERS: usize = 8;

impl PolicyRules<'_> {
    /// Whether a target made from the rule's pattern shows that the answer to the question is yes.
    pub(super) fn shows_effect(
        &self,
        rank: usize,
        question: Question,
        work: &mut Work,
    ) -> Result<bool, OverBudget> {
        let own = &self.ranked[rank];
        let unused: Vec<u8> = self.unused_byte.into_iter().collect();
        let mut target = Vec::new();
        let fills = [unused.as_slice(), b""];
        for fill in fills {
            for end in fills {
                self.fill(&mut target, b"", own.pattern, fill);
                if !own.pattern.anchored {
                    target.extend_from_slice(end);
                }
                if self.is_witness(rank, &target, question, work)? {
                    return Ok(true);
                }
                if own.pattern.anchored || unused.is_empty() {
                    break;
                }
            }
            if !self.wildcards || own.head.len() == own.pattern.bytes.len() {
                break;
            }
        }
        // Without the rule, the other verdict may need another rule. So one rule's target is put
        // before what follows the other's first star, both ways round.
        let lower = match question {
            Question::ChangesVerdict => &self.ranked[rank + 1..],
            Question::Decides => &[],
        };
        let join = |target: &mut Vec<u8>, start: &RankedRule<'_>, end: &RankedRule<'_>| {
            let mut before = Vec::new();
            self.fill(&mut before, b"", start.pattern, &unused);
            let bytes = &end.pattern.bytes[end.head.len()..];
            self.fill(target, &before, Pattern { bytes, ..end.pattern }, &unused);
        };
        let joins = |start: &RankedRule<'_>, end: &RankedRule<'_>| {
            !start.pattern.anchored
                && end.head.len() < end.pattern.bytes.len()
                && start.head.starts_with(end.head)
        };
        let partners = lower
            .iter()
            .filter(|other| other.verdict != own.verdict)
            .filter(|other| joins(own, other) || joins(other, own));
        for other in partners.take(PARTNERS) {
            for (start, end) in [(own, other), (other, own)] {
                if joins(start, end) {
                    join(&mut target, start, end);
                    if self.is_witness(rank, &target, question, work)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Makes `target` of `start` and a text that the pattern matches, with `fill` for each star.
    fn fill(&self, target: &mut Vec<u8>, start: &[u8], pattern: Pattern<'_>, fill: &[u8]) {
        target.clear();
        target.extend_from_slice(start);
        for byte in pattern.bytes {
            match byte {
                b'*' if self.wildcards => {
                    if target.is_empty() {
                        target.push(b'/');
                    }
                    target.extend_from_slice(fill);
                }
                byte => target.push(*byte),
            }
        }
        if target.is_empty() {
            target.push(b'/');
        }
    }

    /// Whether the answer to the question is yes for this target.
    fn is_witness(
        &self,
        rank: usize,
        target: &[u8],
        question: Question,
        work: &mut Work,
    ) -> Result<bool, OverBudget> {
        let own = &self.ranked[rank];
        if !own.pattern.matches(target, self.wildcards) {
            return Ok(false);
        }
        let mut run = self.default_run;
        let bytes = mask(target);
        for (number, other) in self.heads_of(target).enumerate() {
            work.add(usize::from(number % MASKS_PER_WORK == 0))?;
            let rule = &self.ranked[other];
            let counts = other < rank || question == Question::ChangesVerdict && rule.run < run;
            if !counts || rule.mask & !bytes != 0 || rule.line == own.line {
                continue;
            }
            work.add(1)?;
            if rule.pattern.matches(target, self.wildcards) {
                if other < rank {
                    return Ok(false);
                }
                run = rule.run;
            }
        }
        Ok(question == Question::Decides || self.verdict_of(run) != own.verdict)
    }
}
