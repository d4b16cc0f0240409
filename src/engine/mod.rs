//! Chooses the engine that decides: the DFA if it fits its budget, else the lazy DFA, and if
//! that gives up the segment matcher. Before any of them is built the rules are tried one
//! after another.

mod lazy;
pub(crate) mod scan;
mod segments;

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::automaton::{Automaton, Compiler, LimitHit, Limits};
use crate::rules::RuleSet;
use crate::rules::normalise::Encoding;
use crate::rules::target::Target;
use crate::verdict::Verdict;

use lazy::Lazy;
use segments::Segments;

pub(crate) use scan::{questions_before_compiling, weight_before_compiling};
pub use segments::AllMatching;

/// Which engine a policy uses.
///
/// All engines give the same verdict on every input. They differ in time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Engine {
    /// Tries the rules one after another, highest precedence first. For policies that are
    /// asked only a few times.
    Scan,
    /// One DFA that carries the rules' precedence (`docs/automaton.md`).
    Dfa,
    /// regex-automata's lazy DFA, which builds a state when a target first visits it and
    /// keeps it in a pool with one bound for the whole process. For rule sets whose DFA would
    /// be over the budget.
    Lazy,
    /// Looks for the rules' literal pieces in one pass over the target. It builds no states,
    /// so neither time nor memory can explode. The last resort.
    Segments,
}

/// A rule set after compiling: a DFA, or what decides if that is over the budget.
#[derive(Debug)]
pub(crate) enum Compiled {
    Dfa(Automaton),
    /// Boxed, since it is three times the size of an `Automaton`, which most policies are.
    Over(Box<Over>),
}

/// What decides without a DFA.
#[derive(Debug)]
pub(crate) struct Over {
    /// The limit that was hit, if a DFA was tried.
    limit: Option<LimitHit>,
    lazy: Option<Lazy>,
    lazy_gave_up: AtomicBool,
    segments: OnceLock<Segments>,
}

/// The most pattern bytes for which a lazy DFA is tried. Larger rule sets are hostile, or so
/// large that its states would not pay, and the segment matcher decides at once.
const LAZY_PATTERN_BYTES: usize = 128 << 10;

/// The most stars for which a lazy DFA is tried. Real files that are over the budget have up
/// to 650. More stars make larger states, and some question pays for those that are built
/// before the lazy DFA gives up.
const LAZY_STARS: usize = 4096;

thread_local! {
    /// The scratch space for compiling, which each thread keeps.
    static COMPILER: RefCell<Compiler> = RefCell::default();
}

impl Compiled {
    pub(crate) fn new(
        rules: &RuleSet,
        encoding: Encoding,
        engine: Option<Engine>,
        limits: &Limits,
    ) -> Compiled {
        let limit = match engine {
            None | Some(Engine::Dfa | Engine::Scan) => {
                match COMPILER.with_borrow_mut(|c| c.compile(rules, encoding, limits)) {
                    Ok(automaton) => return Compiled::Dfa(automaton),
                    Err(limit) => Some(limit),
                }
            }
            Some(Engine::Lazy | Engine::Segments) => None,
        };
        Compiled::over(rules, encoding, engine, limit)
    }

    /// What decides without a DFA, for a rule set of which it is known that it is over a limit.
    pub(crate) fn over(
        rules: &RuleSet,
        encoding: Encoding,
        engine: Option<Engine>,
        limit: Option<LimitHit>,
    ) -> Compiled {
        let lazy = match engine {
            Some(Engine::Segments) => false,
            Some(Engine::Lazy) => true,
            _ => rules.pattern_bytes() <= LAZY_PATTERN_BYTES && rules.stars() <= LAZY_STARS,
        };
        let over = Over {
            limit,
            lazy: lazy.then(|| {
                let build_after = match engine {
                    Some(Engine::Lazy) => 0,
                    _ => questions_before_compiling(rules),
                };
                Lazy::new(encoding, build_after)
            }),
            lazy_gave_up: AtomicBool::new(false),
            segments: OnceLock::new(),
        };
        if !lazy {
            over.segments.get_or_init(|| Segments::new(rules));
        }
        Compiled::Over(Box::new(over))
    }

    #[inline(always)]
    pub(crate) fn verdict(&self, rules: &RuleSet, target: &Target<'_>) -> Verdict {
        match self {
            Compiled::Dfa(automaton) => automaton.table().verdict(target.unended()),
            Compiled::Over(over) => over.verdict(rules, target),
        }
    }

    /// The automaton, if it is a DFA.
    pub(crate) fn automaton(&self) -> Option<&Automaton> {
        match self {
            Compiled::Dfa(automaton) => Some(automaton),
            Compiled::Over(_) => None,
        }
    }

    pub(crate) fn engine(&self) -> Engine {
        match self {
            Compiled::Dfa(_) => Engine::Dfa,
            Compiled::Over(over) if over.lazy().is_some() => Engine::Lazy,
            Compiled::Over(_) => Engine::Segments,
        }
    }

    pub(crate) fn limit_hit(&self) -> Option<LimitHit> {
        match self {
            Compiled::Dfa(_) => None,
            Compiled::Over(over) => over.limit,
        }
    }

    /// The occupied bytes, without `self` and without what the pool holds.
    pub(crate) fn memory_usage(&self) -> usize {
        match self {
            Compiled::Dfa(automaton) => automaton.memory_usage(),
            Compiled::Over(over) => {
                size_of::<Over>() + over.segments.get().map_or(0, Segments::memory_usage)
            }
        }
    }
}

impl Over {
    fn lazy(&self) -> Option<&Lazy> {
        self.lazy.as_ref().filter(|_| !self.lazy_gave_up.load(Ordering::Relaxed))
    }

    #[cold]
    fn verdict(&self, rules: &RuleSet, target: &Target<'_>) -> Verdict {
        if let Some(lazy) = self.lazy() {
            if let Ok(verdict) = lazy.verdict(rules, target) {
                return verdict;
            }
            self.lazy_gave_up.store(true, Ordering::Relaxed);
        }
        let segments = self.segments.get_or_init(|| Segments::new(rules));
        segments.verdict(&target.to_buffer())
    }
}

/// The indices of all rules that match a normalised target that begins with `/`, from highest
/// to lowest precedence.
///
/// Tries the rules or asks the segment matcher, whichever costs less, so that files made to be
/// slow take `O(target · d + pattern bytes)`: see [`segments`].
pub(crate) fn matching(rules: &RuleSet, target: &[u8]) -> Vec<usize> {
    /// The most bytes that trying the rules may look at.
    const TRIED_BYTES: usize = 8 << 20;
    if rules.len().saturating_mul(target.len()) <= TRIED_BYTES {
        rules.matching(target).collect()
    } else {
        AllMatching::new(rules).matching(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::rules::RawRule;

    /// Both ways find the same rules.
    #[test]
    fn matching_both_ways() {
        let mut seed = 7u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        let mut found = 0;
        for round in 0..400 {
            let mut word = |max: u32| -> Vec<u8> {
                (0..=random(max)).map(|_| b"aab*b*/$"[random(8) as usize]).collect()
            };
            let values: Vec<Vec<u8>> = (0..40).map(|_| [b"/", &word(7)[..]].concat()).collect();
            let targets: Vec<Vec<u8>> = (0..20).map(|_| [b"/", &word(9)[..]].concat()).collect();
            let rules = values.iter().zip(1..).map(|(value, line)| RawRule {
                line,
                verdict: if line % 2 == 0 { Verdict::Allow } else { Verdict::Disallow },
                value,
            });
            let profile = Profile::NAMED[round % 4].1;
            let rules = RuleSet::new(rules, &profile);
            for target in targets {
                let tried: Vec<usize> = rules.matching(&target).collect();
                let matches =
                    |index: &usize| rules.get(*index).pattern.matches(&target, rules.wildcards());
                let matching: Vec<usize> = (0..rules.len()).filter(matches).collect();
                assert_eq!(tried, matching);
                assert_eq!(AllMatching::new(&rules).matching(&target), matching);
                found += matching.len();
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
