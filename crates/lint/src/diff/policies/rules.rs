//! Paths for the rules that the walk of the automata found none for.
//!
//! The automata know verdicts, not rules: where several rules lead to the same states, the walk comes
//! there once. So each rule that only one of the policies has is asked for by itself, first with paths
//! made from it, then with an automaton that knows which targets it decides.

use std::collections::HashSet;

use robotsieve::Verdict;
use robotsieve::internals::{Compiler, PolicyInternals as _, RuleRef, target_of_path};

use super::{Found, LEAST_PAIRS};
use crate::diff::product::{End, Product};
use crate::diff::samples::path_of;

/// What stars are replaced with, and what is added to the end, one after the other.
const WAYS: [[&[u8]; 2]; 4] = [[b"", b""], [b"a", b""], [b"", b"a"], [b"a", b"a"]];

/// The most states of an automaton for one rule.
const STATES: u32 = 1 << 16;

/// The most pairs of states to visit with such an automaton.
const PAIRS: usize = 1 << 16;

/// A rule: that of the old policy (0) or of the new one (1) at this place.
#[derive(Clone, Copy)]
struct Place {
    side: usize,
    index: usize,
}

/// By what rules are equal that decide the same targets.
fn key(rule: RuleRef<'_>) -> (&[u8], bool, Verdict) {
    (rule.pattern.bytes, rule.pattern.anchored, rule.verdict)
}

/// What is known of a rule.
enum Asked {
    /// A path is known that it decides, or that there is none.
    Told,
    /// The budget was used up before.
    Unknown,
}

impl Found<'_> {
    /// Looks for a path for each rule that only one of the policies has, and has none yet. Counts
    /// those for which the budget did not suffice.
    pub(super) fn by_rules(&mut self, product: Product<'_>) {
        if !self.budget.pay_for_samples([self.old, self.new]) {
            self.unexamined = self.untold(&self.changed()).count();
            return;
        }
        let changed = self.changed();
        let mut left: Vec<Place> = self.untold(&changed).collect();
        left.retain(|place| !self.by_paths_of(product, *place));
        // Part of it is for other comparisons.
        let nodes = self.budget.nodes / 2;
        let kept = self.budget.nodes - nodes;
        self.budget.nodes = nodes;
        for (number, place) in left.iter().enumerate() {
            if self.is_told(*place) {
                continue;
            }
            if let Asked::Unknown = self.by_automaton_of(product, *place, left.len() - number) {
                self.unexamined += 1;
            }
        }
        self.budget.nodes += kept;
    }

    /// The rules that only one of the policies has, those that stand twice once.
    fn changed(&self) -> Vec<Place> {
        let sets = [self.old, self.new].map(|policy| policy.rule_set());
        let all = sets.map(|set| set.iter().map(key).collect::<HashSet<_>>());
        let mut places = Vec::new();
        for side in [1, 0] {
            let mut known = HashSet::new();
            for (index, rule) in sets[side].iter().enumerate() {
                if !all[1 - side].contains(&key(rule)) && known.insert(key(rule)) {
                    places.push(Place { side, index });
                }
            }
        }
        places
    }

    fn untold<'f>(&'f self, places: &'f [Place]) -> impl Iterator<Item = Place> + 'f {
        places.iter().copied().filter(|place| !self.is_told(*place))
    }

    fn is_told(&self, Place { side, index }: Place) -> bool {
        let policy = [self.old, self.new][side];
        self.told[side].contains(&policy.rule_set().get(index).line)
    }

    /// Tries paths made from a rule. Returns whether it decides one that flips.
    fn by_paths_of(&mut self, product: Product<'_>, place: Place) -> bool {
        let policies = [self.old, self.new];
        for [fill, tail] in WAYS {
            if self.is_told(place) {
                return true;
            }
            let rule = policies[place.side].rule_set().get(place.index);
            let Some(path) = path_of(rule.pattern.bytes, fill, tail) else { return false };
            let rules = policies.map(|policy| policy.rule_count()).iter().sum();
            if !self.budget.pay_for_sample(path.len(), rules) {
                return false;
            }
            let Ok(target) = target_of_path(&path, self.old.reading().encoding) else { continue };
            let allowed = policies.map(|policy| policy.verdict(&target).is_allow());
            if allowed[0] != allowed[1] {
                let verdict = if allowed[1] { Verdict::Allow } else { Verdict::Disallow };
                if !self.tell(product, target.to_vec(), verdict) {
                    return false;
                }
            }
        }
        self.is_told(place)
    }

    /// Walks the other policy's automaton beside one for the targets that this rule decides.
    fn by_automaton_of(&mut self, product: Product<'_>, place: Place, left: usize) -> Asked {
        let policy = [self.old, self.new][place.side];
        let rule = policy.rule_set().get(place.index);
        let pairs = (self.pairs_left(product) / left).min(PAIRS);
        if pairs < LEAST_PAIRS || !self.budget.pay_for_trie(policy) {
            return Asked::Unknown;
        }
        let mut limits = robotsieve::Limits::default();
        limits.states = Some(STATES);
        limits.work = Some(self.budget.nodes / left as u64);
        let mut compiler = Compiler::default();
        let alone = policy.rule_set().alone(place.index);
        let compiled = compiler.compile(&alone, policy.reading().encoding, &limits);
        self.budget.nodes = self.budget.nodes.saturating_sub(compiler.work());
        let Ok(alone) = compiled else { return Asked::Unknown };
        let (product_of_rule, wanted) = match place.side {
            1 => (Product { new: alone.table(), ..product }, rule.verdict),
            // What it decides in the old policy flips to the other verdict.
            _ => (Product { old: alone.table(), ..product }, rule.verdict.opposite()),
        };
        let mut found = None;
        let end = product_of_rule.flips(pairs, |target, verdict| {
            if verdict == wanted {
                found = Some(target());
            }
            found.is_none()
        });
        match (found, end) {
            (Some(target), _) if self.tell(product, target.clone(), wanted) => Asked::Told,
            (None, End::Exhausted) => Asked::Told,
            _ => Asked::Unknown,
        }
    }

    /// Adds a target that flips. Returns `false` if the budget is used up.
    fn tell(&mut self, product: Product<'_>, target: Vec<u8>, verdict: Verdict) -> bool {
        let policies = [self.old, self.new];
        let is_counted = self.direction(verdict).flips.len() >= self.limits.flips.max(1);
        let is_paid = match is_counted {
            true => self.budget.pay_for_counting(policies, target.len()),
            false => self.budget.pay_for_rules(policies, target.len(), false),
        };
        if is_paid {
            let is_shortest = self.direction(verdict).nearest == Some(target.len());
            self.keep(Some(product), target, verdict, is_shortest);
        }
        is_paid
    }
}
