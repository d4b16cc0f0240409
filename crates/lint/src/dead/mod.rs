//! Rules that can be removed without changing a verdict, decided by automata.
//!
//! A rule is *dead* if removing it changes the verdict on no target. Three steps find out, the
//! cheapest first:
//!
//! 1. `witness` builds targets from the rule's own pattern and looks for one whose verdict
//!    depends on the rule. Most rules are alive, and most of those are settled here.
//! 2. `patterns` compares the rule with the others of its policy: one that matches wherever this
//!    rule does, and outranks it, makes it dead.
//! 3. `search` walks this rule and all that can match beside it as one automaton, and visits
//!    every state in which the rule might still matter. If none shows an effect, the rule is dead.
//!
//! `fates` puts the answers for all policies together and says what became of each rule.
//!
//! Targets are taken to be any bytes after a `/`. Real URLs are fewer, so a rule that is dead here
//! is dead for them too. The work has a budget; a rule that exceeds it is reported as undecided.
//!
//! The product automaton of `diff` can't take the place of `search`, because it needs the complete
//! DFAs with and without the rule. On the 2,384 files of the corpus (profile `rfc9309`) `search`
//! answers 373 questions in 0.2 s; the product takes 1.7 s with the automaton's default limits and
//! 62 s with 65,536 states, either way hits those limits for 50 of the 57 rules that `search`
//! proves dead, and names none of the rules that are the cause.

mod fates;
mod patterns;
mod search;
mod witness;
mod work;

use std::collections::BTreeSet;

use robotsieve::{Policy, Profile};

use fates::Rules;
use work::Work;
pub(super) use work::{Dead, Fate};

/// The budget of a file's searches, in pattern positions looked at.
const FILE_WORK: u64 = 800_000;

/// The budget of one rule's search, by attempt.
const RULE_WORK: [u64; 3] = [2_000, 20_000, 200_000];

/// The budget for trying targets made from patterns, for a whole file.
const WITNESS_WORK: u64 = 800_000;

/// The dead rules of a file.
#[derive(Debug, Default)]
pub(super) struct DeadRules {
    /// By line. All of them that end no group can be removed together.
    pub(super) dead: Vec<Dead>,
    /// The lines of rules that exceeded the budget, ascending.
    pub(super) undecided: Vec<u32>,
}

impl DeadRules {
    /// The lines of rules that can each be removed alone: dead rules have no effect in the file as
    /// it stands. One that never matches may still be the one that ends its group.
    pub(super) fn removable(&self) -> impl Iterator<Item = u32> {
        let is_removable = |dead: &&Dead| dead.fate != Fate::NeverMatches && !dead.ends_group;
        self.dead.iter().filter(is_removable).map(|dead| dead.line)
    }
}

/// Finds the dead rules of a file, given all its policies.
///
/// A rule is dead if it is dead in each policy that it belongs to. Of two rules that are each dead
/// only while the other one stays, one is found.
///
/// `group_of` gives the group of a rule's line, `rules_left` the number of rules in each group. A
/// group that is followed by another one keeps one rule, because its user-agent lines would
/// otherwise join the next group's. `undecided` are lines whose rules belong to other policies too.
pub(super) fn dead_rules(
    policies: &[Policy],
    profile: &Profile,
    group_of: impl Fn(u32) -> Option<u32>,
    mut rules_left: Vec<u32>,
    mut undecided: BTreeSet<u32>,
) -> DeadRules {
    let mut found = DeadRules::default();
    let mut rules = Rules::new(policies, profile, &mut undecided);
    let mut order = rules.order();
    order.retain(|line| !undecided.contains(line));
    let mut work = Work::with_limit(WITNESS_WORK);
    order.retain(|line| !rules.shows_effect(*line, &mut work));
    // Rules that are quick to decide come first, so that slow ones can't use up their share.
    let last_group = rules_left.len().checked_sub(1);
    let mut file_work = FILE_WORK;
    for limit in RULE_WORK {
        order.retain(|line| {
            let group = group_of(*line).map(|group| group as usize);
            let is_last = group == last_group;
            let removable = is_last || group.is_none_or(|group| rules_left[group] > 1);
            let mut work = Work::with_limit(limit.min(file_work));
            let fate = rules.fate(*line, removable, &mut work);
            file_work -= work.done.min(file_work);
            let Ok(fate) = fate else { return true };
            if let Some(mut dead) = fate {
                if dead.stays {
                    dead.ends_group = true;
                    found.dead.push(dead);
                    return false;
                }
                if let Some(group) = group {
                    dead.ends_group = rules_left[group] <= 1;
                    rules_left[group] = rules_left[group].saturating_sub(1);
                }
                rules.remove(*line);
                found.dead.push(dead);
            }
            false
        });
    }
    undecided.extend(order);
    found.dead.sort_by_key(|dead| dead.line);
    found.undecided = undecided.into_iter().collect();
    found
}
