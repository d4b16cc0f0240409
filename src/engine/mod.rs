//! Which engine decides: the DFA where it fits the budget, else the lazy DFA, else the
//! segment matcher.

mod lazy;
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

pub use lazy::lazy_pool_bytes;

/// Which engine a policy uses.
///
/// All give the same verdict on every input; they differ in time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Engine {
    /// No automaton: the rules are tried one after another, highest precedence first. For
    /// a policy that is asked only a few times.
    Scan,
    /// One DFA that carries the rules' precedence (`docs/automaton.md`).
    Dfa,
    /// The DFA's states built when a target first visits them and kept, in a pool under one
    /// bound for the whole process. For rule sets that are over the budget of the DFA.
    Lazy,
    /// One pass over the target that looks for the rules' literal pieces. Never builds
    /// states, so nothing can explode: the last resort, and a guarantee.
    Segments,
}

/// A rule set that was compiled, or found to be over the budget.
#[derive(Debug)]
pub(crate) enum Compiled {
    Dfa(Automaton),
    /// Boxed: most policies are DFAs, and this would be three times their size.
    Over(Box<Over>),
}

/// What decides where there is no DFA.
#[derive(Debug)]
pub(crate) struct Over {
    /// The limit that was hit, if a DFA was tried.
    limit: Option<LimitHit>,
    lazy: Option<Lazy>,
    lazy_gave_up: AtomicBool,
    segments: OnceLock<Segments>,
}

/// Rule sets with more bytes than this are hostile, or so large that a lazy DFA would
/// thrash: the segment matcher decides at once.
const LAZY_PATTERN_BYTES: usize = 128 << 10;

/// The same for stars. Real files that are over the budget have 650 at most; more make the
/// states of a lazy DFA large, and what they cost before it gives up falls on a question.
const LAZY_STARS: usize = 4096;

/// To compile a rule set that is within the budget costs about as much as to build the states on
/// demand that some questions need, times this.
const QUESTIONS_TO_COMPILE_PER_TO_BUILD: u32 = 4;

thread_local! {
    /// Each thread keeps the scratch space of its compilations.
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
                    _ => questions_before_compiling(rules) / QUESTIONS_TO_COMPILE_PER_TO_BUILD,
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

    /// The automaton, where it is one.
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

    /// The occupied bytes, without `self` and without what lies in the pool.
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
/// One by one or by the segment matcher, whichever costs less: `O(target + pattern bytes)`
/// for files that are made to be slow.
pub(crate) fn matching(rules: &RuleSet, target: &[u8]) -> Vec<usize> {
    /// So many bytes may be looked at by trying the rules one after another.
    const TRIED_BYTES: usize = 8 << 20;
    if rules.len().saturating_mul(target.len()) <= TRIED_BYTES {
        matching_one_by_one(rules, target)
    } else {
        matching_by_segments(rules, target)
    }
}

fn matching_one_by_one(rules: &RuleSet, target: &[u8]) -> Vec<usize> {
    let matches = |index: &usize| rules.get(*index).pattern.matches(target, rules.wildcards());
    (0..rules.len()).filter(matches).collect()
}

fn matching_by_segments(rules: &RuleSet, target: &[u8]) -> Vec<usize> {
    // Equal patterns get the same run.
    let key = |index: &usize| {
        let pattern = rules.get(*index).pattern;
        (pattern.bytes, pattern.anchored)
    };
    let mut by_pattern: Vec<usize> = (0..rules.len()).collect();
    by_pattern.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    let mut runs = vec![0; rules.len()];
    for (same, run) in by_pattern.chunk_by(|a, b| key(a) == key(b)).zip(1..) {
        same.iter().for_each(|index| runs[*index] = run);
    }
    let segments = Segments::with_runs(rules, |index, _| runs[index]);
    // 0 is nobody's.
    let mut is_met = vec![false; rules.len() + 1];
    for run in segments.matching(target) {
        is_met[run as usize] = true;
    }
    (0..rules.len()).filter(|index| is_met[runs[*index] as usize]).collect()
}

/// After how many questions compiling a rule set pays: when they have cost three quarters of
/// what compiling is thought to cost. So the total is at most about twice the better of "never"
/// and "at once", whatever the number of questions: the sums over hosts say three quarters, since
/// most hosts that are asked that often are asked more.
///
/// The costs are means over real files, from `cargo bench --bench first -- fit`, which prints
/// them anew; single sets with many stars cost several times as much.
pub(crate) fn questions_before_compiling(rules: &RuleSet) -> u32 {
    /// To compile, in nanoseconds: any set, and for each byte and star of its patterns.
    const COMPILE: [usize; 3] = [400, 24, 1_300];
    /// To try the rules one after another, in nanoseconds: any set, and for each rule and each
    /// star.
    const QUESTION: [usize; 3] = [70, 2, 8];
    let cost =
        |[fixed, each, star]: [usize; 3], count: usize| fixed + each * count + star * rules.stars();
    let questions = cost(COMPILE, rules.pattern_bytes()) * 3 / 4 / cost(QUESTION, rules.len());
    // The largest number stands for "never".
    u32::try_from(questions).unwrap_or(u32::MAX).min(u32::MAX - 1)
}

/// For how many questions one counts before compiling: for more than one where stars are many
/// and the target is long, so that none costs more than building what answers it.
#[inline]
pub(crate) fn weight_before_compiling(rules: &RuleSet, target_bytes: usize) -> u32 {
    let weight = 1 + target_bytes.saturating_mul(rules.stars()) / 65_536;
    u32::try_from(weight).unwrap_or(u32::MAX)
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
                let matching = matching_one_by_one(&rules, &target);
                assert_eq!(matching_by_segments(&rules, &target), matching);
                found += matching.len();
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
