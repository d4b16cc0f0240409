//! Which engine decides: the DFA where it fits the budget, else the lazy DFA, else the
//! segment matcher.

mod lazy;
mod segments;

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::automaton::{Automaton, Compiler};
use crate::config::{Config, Engine, LimitHit};
use crate::decision::Verdict;
use crate::normalise::Encoding;
use crate::rules::RuleSet;
use crate::target::Target;

use lazy::Lazy;
use segments::Segments;

pub use lazy::lazy_pool_bytes;

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

/// Rule sets with more octets than this are hostile, or so large that a lazy DFA would
/// thrash: the segment matcher decides at once.
const LAZY_PATTERN_OCTETS: usize = 128 << 10;

thread_local! {
    /// Each thread keeps the scratch space of its compilations.
    static COMPILER: RefCell<Compiler> = RefCell::default();
}

impl Compiled {
    pub(crate) fn new(rules: &RuleSet, encoding: Encoding, config: &Config) -> Compiled {
        let limit = match config.engine {
            None | Some(Engine::Dfa | Engine::Scan) => {
                let limits = &config.limits;
                match COMPILER.with_borrow_mut(|c| c.compile(rules, encoding, limits)) {
                    Ok(automaton) => return Compiled::Dfa(automaton),
                    Err(limit) => Some(limit),
                }
            }
            Some(Engine::Lazy | Engine::Segments) => None,
        };
        let lazy = match config.engine {
            Some(Engine::Segments) => false,
            Some(Engine::Lazy) => true,
            _ => rules.pattern_octets() <= LAZY_PATTERN_OCTETS,
        };
        let over = Over {
            limit,
            lazy: lazy.then(Lazy::new),
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
            Compiled::Dfa(automaton) => automaton.table().verdict(target),
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

    /// The occupied octets, without `self` and without what lies in the pool.
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
            let verdict = if target.encoding().changes_in(target.rest()) {
                lazy.verdict(rules, &target.to_buffer()[1..])
            } else {
                lazy.verdict(rules, target.rest())
            };
            if let Ok(verdict) = verdict {
                return verdict;
            }
            self.lazy_gave_up.store(true, Ordering::Relaxed);
        }
        let segments = self.segments.get_or_init(|| Segments::new(rules));
        segments.verdict(&target.to_buffer())
    }
}

/// After how many questions compiling a rule set pays: when they have cost three quarters of
/// what compiling is thought to cost. So the total is at most about twice the better of "never"
/// and "at once", whatever the number of questions: the sums over hosts say three quarters, since
/// most hosts that are asked that often are asked more.
///
/// The costs are means over real files, from `cargo bench --bench first -- fit`, which prints
/// them anew; single sets with many stars cost several times as much.
pub(crate) fn questions_before_compiling(rules: &RuleSet) -> u32 {
    /// To compile, in nanoseconds: any set, and for each octet and star of its patterns.
    const COMPILE: [usize; 3] = [400, 24, 1_300];
    /// To try the rules one after another, in nanoseconds: any set, and for each rule and each
    /// star.
    const QUESTION: [usize; 3] = [70, 2, 8];
    /// With more stars, one question for a long target could cost more than building what
    /// answers it.
    const STARS_COMPILED_AT_ONCE: usize = 1_024;
    let cost =
        |[fixed, each, star]: [usize; 3], count: usize| fixed + each * count + star * rules.stars();
    if rules.stars() > STARS_COMPILED_AT_ONCE {
        return 0;
    }
    let questions = cost(COMPILE, rules.pattern_octets()) * 3 / 4 / cost(QUESTION, rules.len());
    // The largest number stands for "never".
    u32::try_from(questions).unwrap_or(u32::MAX).min(u32::MAX - 1)
}
