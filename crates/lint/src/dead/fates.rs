//! What became of each rule of a file, over all its policies.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use robotsieve::{Policy, Profile, Verdict};

use super::patterns::{PolicyRules, RankedRule};
use super::work::{BYTES_PER_WORK, Dead, Fate, MAX_RULES, OverBudget, Question, Work};

/// The most causes that are named.
const NAMED_CAUSES: usize = 4;

/// A rule of a policy: the policy's number and the rule's rank.
type RuleId = (usize, usize);

/// The rules of a file.
pub(super) struct Rules<'p> {
    policies: Vec<PolicyRules<'p>>,
    /// By policy: the first one with the same patterns and verdicts. Many files repeat a group for
    /// each crawler.
    first_alike: Vec<usize>,
    /// By line.
    ids: HashMap<u32, Vec<RuleId>>,
    /// By line: the lines of earlier rules that are the same in every respect, from the policies
    /// that leave this one out for that reason.
    twins: HashMap<u32, BTreeSet<u32>>,
    /// The lines of rules that were found dead.
    removed: HashSet<u32>,
    /// Whether a target made from the pattern shows an effect, by rule of a `first_alike` policy.
    shown: HashMap<RuleId, bool>,
    /// Whether the rule has an effect in the file as it stands, and if not, the ranks of rules
    /// that are the cause, by rule of a `first_alike` policy.
    known: HashMap<RuleId, (bool, BTreeSet<usize>)>,
}

impl<'p> Rules<'p> {
    /// Takes policies until [`MAX_RULES`] is reached. The rules of the others are undecided.
    pub(super) fn new(
        policies: &'p [Policy],
        profile: &Profile,
        undecided: &mut BTreeSet<u32>,
    ) -> Rules<'p> {
        let mut room = MAX_RULES;
        let mut rules = Rules {
            policies: Vec::new(),
            first_alike: Vec::new(),
            ids: HashMap::new(),
            twins: HashMap::new(),
            removed: HashSet::new(),
            shown: HashMap::new(),
            known: HashMap::new(),
        };
        let mut firsts = HashMap::new();
        for policy in policies {
            if policy.rule_count() > room {
                undecided.extend(policy.rules().map(|rule| rule.line));
                continue;
            }
            room -= policy.rule_count();
            let number = rules.policies.len();
            let of_policy = PolicyRules::new(policy, profile, &mut rules.twins);
            let ranked = of_policy.ranked.iter().enumerate();
            for (rank, rule) in ranked.filter(|(_, rule)| rule.line != 0) {
                rules.ids.entry(rule.line).or_default().push((number, rank));
            }
            for rule in policy.rules() {
                rules.ids.entry(rule.line).or_default();
            }
            let key = |r: &RankedRule<'p>| (r.verdict, r.pattern.bytes, r.pattern.anchored);
            // A line with two patterns counts as one rule, which the key doesn't say.
            let mut lines = HashSet::new();
            let repeats_line = !of_policy.ranked.iter().all(|rule| lines.insert(rule.line));
            let key: Vec<_> = of_policy.ranked.iter().map(key).collect();
            let first = if repeats_line { number } else { *firsts.entry(key).or_insert(number) };
            rules.first_alike.push(first);
            rules.policies.push(of_policy);
        }
        rules
    }

    /// The lines from the highest precedence to the lowest; of equal ones the last line comes
    /// first. So the longer of two rules is found dead, and of equal ones the later.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = self.ids.keys().copied().collect();
        let precedence =
            |line: &u32| self.ids[line].iter().map(|id| self.rule(id).precedence).max();
        order.sort_by_cached_key(|line| Reverse((precedence(line), *line)));
        order
    }

    /// Takes a dead rule out. Later questions are asked without it.
    pub(super) fn remove(&mut self, line: u32) {
        self.removed.insert(line);
    }

    fn rule(&self, &(policy, rank): &RuleId) -> &RankedRule<'p> {
        &self.policies[policy].ranked[rank]
    }

    /// Returns true if a target made from a rule's pattern shows that the rule has an effect.
    pub(super) fn shows_effect(&mut self, line: u32, work: &mut Work) -> bool {
        let Rules { policies, first_alike, ids, shown, .. } = self;
        ids[&line].iter().filter(|id| policies[id.0].can_match(id.1)).any(|&(policy, rank)| {
            *shown.entry((first_alike[policy], rank)).or_insert_with(|| {
                let shows = policies[policy].shows_effect(rank, Question::ChangesVerdict, work);
                matches!(shows, Ok(true))
            })
        })
    }

    /// Whether a rule has an effect in the file as it stands. If not, adds the lines of rules that
    /// are the cause.
    fn has_effect(
        &mut self,
        &(policy, rank): &RuleId,
        work: &mut Work,
        causes: &mut BTreeSet<u32>,
    ) -> Result<bool, OverBudget> {
        let id = (self.first_alike[policy], rank);
        let rules = &self.policies[policy];
        if let Some((has_effect, ranks)) = self.known.get(&id) {
            causes.extend(ranks.iter().map(|rank| rules.ranked[*rank].line));
            return Ok(*has_effect);
        }
        let mut ranks = BTreeSet::new();
        let none = HashSet::new();
        let has_effect =
            rules.has_effect(rank, Question::ChangesVerdict, &none, work, &mut ranks)?;
        causes.extend(ranks.iter().map(|rank| rules.ranked[*rank].line));
        self.known.insert(id, (has_effect, ranks));
        Ok(has_effect)
    }

    /// What became of a rule, if it is dead.
    pub(super) fn fate(
        &mut self,
        line: u32,
        removable: bool,
        work: &mut Work,
    ) -> Result<Option<Dead>, OverBudget> {
        let can_match = |&(policy, rank): &RuleId| self.policies[policy].can_match(rank);
        let live: Vec<RuleId> = self.ids[&line].iter().copied().filter(can_match).collect();
        let twin = self.twins.get(&line).and_then(|lines| lines.first()).copied();
        let twin_can_match = twin.is_some_and(|twin| self.ids[&twin].iter().any(can_match));
        if live.is_empty() && !twin_can_match {
            return Ok(Some(Dead {
                line,
                fate: Fate::NeverMatches,
                causes: Vec::new(),
                ends_group: false,
                stays: false,
            }));
        }
        if let Some(twin) = twin.filter(|_| live.is_empty()) {
            if !removable {
                return Ok(None);
            }
            return Ok(Some(Dead {
                line,
                fate: Fate::Duplicate,
                causes: vec![twin],
                ends_group: false,
                stays: false,
            }));
        }
        let Some(causes) = self.causes(&live, work)? else { return Ok(None) };
        let own = self.rule(&live[0]);
        let is_same = |line: &u32| {
            self.rules_of(*line).any(|r| (r.verdict, r.pattern) == (own.verdict, own.pattern))
        };
        let same = causes.iter().copied().find(|cause| *cause < line && is_same(cause));
        if let Some(same) = same.filter(|_| removable) {
            return Ok(Some(Dead {
                line,
                fate: Fate::Duplicate,
                causes: vec![same],
                ends_group: false,
                stays: false,
            }));
        }
        let (decides, winners) = self.winners(&live, work);
        // Line 0 is the rule of `/robots.txt`.
        let contradicts =
            |line: &u32| *line == 0 || self.rules_of(*line).any(|r| r.verdict != own.verdict);
        let (fate, causes) = if !decides && winners.iter().any(contradicts) {
            (Fate::NeverWins, winners.into_iter().filter(contradicts).collect())
        } else if let Some(over) = self.outranks(&live, &causes, work) {
            (Fate::Outranked, BTreeSet::from([over]))
        } else {
            (Fate::Redundant, causes)
        };
        // What ends its group stays. That it decides nothing is worth telling if the verdict is another one.
        if !removable && fate != Fate::NeverWins {
            return Ok(None);
        }
        let causes = causes.into_iter().filter(|line| *line != 0).take(NAMED_CAUSES).collect();
        Ok(Some(Dead { line, fate, causes, ends_group: false, stays: !removable }))
    }

    /// The lines of rules that leave a rule without effect; `None` if it has one.
    fn causes(
        &mut self,
        live: &[RuleId],
        work: &mut Work,
    ) -> Result<Option<BTreeSet<u32>>, OverBudget> {
        let mut causes = BTreeSet::new();
        for id in live {
            if self.has_effect(id, work, &mut causes)? {
                return Ok(None);
            }
        }
        // Once other rules are removed, this one may be needed.
        let mut touched = Vec::new();
        for &(policy, rank) in live {
            let rules = &self.policies[policy];
            let others = rules.compatible(rank, work)?;
            if others.iter().any(|other| self.removed.contains(&rules.ranked[*other].line)) {
                touched.push((rules, rank));
            }
        }
        if !touched.is_empty() {
            causes.clear();
        }
        for (rules, rank) in touched {
            let mut ranks = BTreeSet::new();
            let question = Question::ChangesVerdict;
            if rules.has_effect(rank, question, &self.removed, work, &mut ranks)? {
                return Ok(None);
            }
            causes.extend(ranks.iter().map(|rank| rules.ranked[*rank].line));
        }
        Ok(Some(causes))
    }

    /// Whether a dead rule decides some target, and the lines of rules that decide instead.
    fn winners(&self, live: &[RuleId], work: &mut Work) -> (bool, BTreeSet<u32>) {
        let mut winners = BTreeSet::new();
        let mut decides = false;
        for &(policy, rank) in live {
            let rules = &self.policies[policy];
            let mut ranks = BTreeSet::new();
            let question = Question::Decides;
            // If the budget runs out here, the rule is dead all the same: it counts as redundant.
            decides |= rules.shows_effect(rank, question, work).unwrap_or(true)
                || rules
                    .has_effect(rank, question, &self.removed, work, &mut ranks)
                    .unwrap_or(true);
            winners.extend(ranks.iter().map(|rank| rules.ranked[*rank].line));
        }
        (decides, winners)
    }

    /// The line of a rule that outranks a dead one and says the opposite of a target that both match, where
    /// the verdict of all other targets is that of the dead rule anyway: then it was to change that of these.
    ///
    /// Found with a target made from both patterns: where one of them has its first star, the other's goes on.
    fn outranks(&self, live: &[RuleId], causes: &BTreeSet<u32>, work: &mut Work) -> Option<u32> {
        let is_all = |rule: &RankedRule<'p>| {
            !rule.pattern.anchored
                && rule.pattern.bytes.iter().all(|byte| b"/*".contains(byte))
                && rule.pattern.bytes.iter().filter(|byte| **byte == b'/').count() <= 1
        };
        if !causes.iter().all(|line| self.rules_of(*line).all(is_all)) {
            return None;
        }
        for &(policy, rank) in live {
            let rules = &self.policies[policy];
            let own = &rules.ranked[rank];
            // What an Allow does not open opens no door.
            if !rules.wildcards || own.verdict == Verdict::Allow {
                continue;
            }
            let others = rules.compatible(rank, work).ok()?;
            for other in others.into_iter().filter(|other| *other < rank) {
                let over = &rules.ranked[other];
                if over.verdict == own.verdict || over.line == 0 || over.pattern.anchored {
                    continue;
                }
                let len = over.pattern.bytes.len() + own.pattern.bytes.len();
                work.add(1 + len / BYTES_PER_WORK).ok()?;
                let without_stars = |bytes: &[u8]| {
                    bytes.iter().copied().filter(|byte| *byte != b'*').collect::<Vec<u8>>()
                };
                // `/*/raw` below `/user` is `/user/raw`.
                let Some(star) = memchr::memchr(b'*', own.pattern.bytes) else { continue };
                let mut target = without_stars(over.pattern.bytes);
                target.extend(without_stars(&own.pattern.bytes[star + 1..]));
                let matches = |rule: &RankedRule<'_>| rule.pattern.matches(&target, true);
                let decides = rules.ranked[..rank].iter().position(matches);
                if matches(own) && decides == Some(other) && target.first() == Some(&b'/') {
                    return Some(over.line);
                }
            }
        }
        None
    }

    /// The rules of a line.
    fn rules_of(&self, line: u32) -> impl Iterator<Item = &RankedRule<'p>> {
        self.ids.get(&line).into_iter().flatten().map(|id| self.rule(id))
    }
}
