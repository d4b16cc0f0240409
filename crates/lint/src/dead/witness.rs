//! Targets made from a rule's own pattern, tried before anything else: most rules that are alive
//! show it on one of these.

use robotsieve::internals::Pattern;

use super::patterns::{MASKS_PER_WORK, PolicyRules, RankedRule, mask};
use super::work::{BYTES_PER_WORK, OverBudget, Question, Work};

/// The most rules of the other verdict that a target is made with.
const PARTNERS: usize = 8;

/// Looking at this many rules for partners costs as much work as matching one pattern.
const SCANNED_PER_WORK: usize = 64;

impl RankedRule<'_> {
    fn has_star(&self) -> bool {
        self.head.len() < self.pattern.bytes.len()
    }

    /// Returns true if what follows the first star of `end` can be put after a target of this rule.
    fn joins(&self, end: &RankedRule<'_>) -> bool {
        !self.pattern.anchored && end.has_star() && self.head.starts_with(end.head)
    }
}

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
            if !own.has_star() {
                break;
            }
        }
        // Without the rule, the other verdict may need another rule. So one rule's target is put
        // before what follows the other's first star, both ways round.
        if question == Question::Decides {
            return Ok(false);
        }
        let join = |target: &mut Vec<u8>, start: &RankedRule<'_>, end: &RankedRule<'_>| {
            let mut before = Vec::new();
            self.fill(&mut before, b"", start.pattern, &unused);
            let bytes = &end.pattern.bytes[end.head.len()..];
            self.fill(target, &before, Pattern { bytes, ..end.pattern }, &unused);
        };
        for other in self.partners(rank, work)? {
            let other = &self.ranked[other];
            for (start, end) in [(own, other), (other, own)] {
                if start.joins(end) {
                    join(&mut target, start, end);
                    if self.is_witness(rank, &target, question, work)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// The first rules of lower precedence and the other verdict that a target can be joined with.
    fn partners(&self, rank: usize, work: &mut Work) -> Result<Vec<usize>, OverBudget> {
        let own = &self.ranked[rank];
        // Neighbours with the same verdict form a run, so these begin where the next one does.
        let from = self.ranked.partition_point(|rule| rule.run <= own.run);
        let is_partner = |other: &usize| {
            let other = &self.ranked[*other];
            other.verdict != own.verdict && (own.joins(other) || other.joins(own))
        };
        let mut partners = Vec::new();
        if from == self.ranked.len() {
            return Ok(partners);
        }
        if own.has_star() {
            for others in (from..self.ranked.len()).collect::<Vec<_>>().chunks(SCANNED_PER_WORK) {
                work.add(1)?;
                partners.extend(others.iter().copied().filter(is_partner));
                if partners.len() >= PARTNERS {
                    break;
                }
            }
        } else {
            // Only a rule with a star can join, and only if its head is no longer.
            for (number, other) in self.heads_of(own.head).enumerate() {
                work.add(usize::from(number % SCANNED_PER_WORK == 0))?;
                partners.extend(Some(other).filter(|other| *other >= from && is_partner(other)));
            }
            partners.sort_unstable();
        }
        partners.truncate(PARTNERS);
        Ok(partners)
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
        work.add(target.len() / BYTES_PER_WORK)?;
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
            work.add(1 + (rule.pattern.bytes.len() + target.len()) / BYTES_PER_WORK)?;
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
