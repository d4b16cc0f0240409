//! How much work the comparisons of two files may take together.

use robotsieve::Policy;
use robotsieve::internals::PolicyInternals as _;

use super::limits::Limits;

/// The work that is left. Counted, not timed, so that the result is the same in every run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Pairs of states to visit.
    pub(super) pairs: usize,
    /// Nodes to look at while automata are built that are larger than those of policies.
    pub(super) nodes: u64,
    /// For finding the rules that decide: rules and bytes to look at.
    pub(super) rules: u64,
    /// The same for paths that are not reported, only counted.
    pub(super) counted: u64,
    /// For paths that are tried: their bytes times the rules they are put to.
    pub(super) samples: u64,
}

impl Budget {
    /// Half a second, for the costliest files that we know.
    pub(super) fn of(limits: &Limits) -> Budget {
        let pairs = limits.pairs.saturating_mul(2);
        Budget { pairs, nodes: 1 << 24, rules: 1 << 27, counted: 1 << 25, samples: 1 << 29 }
    }

    /// Takes out the part of one of the comparisons that are left.
    pub(super) fn share(&mut self, comparisons: usize) -> Budget {
        let parts = comparisons.max(1);
        let share = Budget {
            pairs: self.pairs / parts,
            nodes: self.nodes / parts as u64,
            rules: self.rules / parts as u64,
            counted: self.counted / parts as u64,
            samples: self.samples / parts as u64,
        };
        self.pairs -= share.pairs;
        self.nodes -= share.nodes;
        self.rules -= share.rules;
        self.counted -= share.counted;
        self.samples -= share.samples;
        share
    }

    /// Puts back what is left of a share.
    pub(super) fn put_back(&mut self, share: Budget) {
        self.pairs += share.pairs;
        self.nodes += share.nodes;
        self.rules += share.rules;
        self.counted += share.counted;
        self.samples += share.samples;
    }

    /// Pays for finding the rule that decides about a path in each of these policies. `false` if
    /// too little is left. What is cheap is always paid for if it `is_needed`.
    pub(super) fn pay_for_rules(
        &mut self,
        policies: [&Policy; 2],
        path_len: usize,
        is_needed: bool,
    ) -> bool {
        const CHEAP: u64 = 2_000;
        let cost = cost_of_deciding(policies, path_len);
        pay(&mut self.rules, cost) || is_needed && cost <= CHEAP
    }

    /// The same for a path that is only counted.
    pub(super) fn pay_for_counting(&mut self, policies: [&Policy; 2], path_len: usize) -> bool {
        pay(&mut self.counted, cost_of_deciding(policies, path_len))
    }

    /// Pays for the trie of a policy's rules, which has as many nodes as they have bytes.
    pub(super) fn pay_for_trie(&mut self, policy: &Policy) -> bool {
        pay(&mut self.nodes, policy.rule_set().memory_usage() as u64)
    }

    /// Pays for a path that is tried with so many rules. `false` if too little is left.
    pub(super) fn pay_for_sample(&mut self, path_len: usize, rules: usize) -> bool {
        /// What making a path costs beside that.
        const MAKING: usize = 4_000;
        pay(&mut self.samples, (MAKING + path_len * rules) as u64)
    }

    /// Pays for making samples of the rules of these policies.
    pub(super) fn pay_for_samples(&mut self, policies: [&Policy; 2]) -> bool {
        /// Measured: hashing a rule and sorting it takes as long as looking at so many.
        const COST: usize = 32;
        let rules: usize = policies.into_iter().map(Policy::rule_count).sum();
        pay(&mut self.rules, (rules * COST) as u64)
    }
}

/// Takes a cost out of a part of the budget, if there is enough.
fn pay(left: &mut u64, cost: u64) -> bool {
    let rest = left.checked_sub(cost);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

/// In nanoseconds, roughly, with what a question costs beside the rules: most rules without a star
/// are ruled out by their first bytes; each piece of one with stars is searched.
fn cost_of_deciding(policies: [&Policy; 2], path_len: usize) -> u64 {
    let cost = |policy: &Policy| {
        let rules = policy.rule_set();
        let cost = if rules.stars() == 0 {
            4 * rules.len() + path_len
        } else {
            2 * rules.memory_usage() + rules.len() * (1 + path_len / 32)
        };
        300 + cost as u64
    };
    policies.into_iter().map(cost).sum()
}
