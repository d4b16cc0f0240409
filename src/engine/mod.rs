//! The engines.
use std::cell::RefCell;
use crate::automaton::{Automaton, Compiler};
use crate::config::{Config, Engine, LimitHit};
use crate::decision::Verdict;
use crate::normalise::Encoding;
use crate::rules::RuleSet;
use crate::target::Target;

pub(crate) enum Compiled { Dfa(Automaton), Over(LimitHit) }

thread_local! {
    static COMPILER: RefCell<Compiler> = RefCell::default();
}

impl Compiled {
    pub(crate) fn new(rules: &RuleSet, encoding: Encoding, config: &Config) -> Compiled {
        match COMPILER.with_borrow_mut(|c| c.compile(rules, encoding, &config.limits)) {
            Ok(a) => Compiled::Dfa(a),
            Err(e) => Compiled::Over(e)
        }
    }
    pub(crate) fn needs_rules(&self) -> bool {
        true
    }
    pub(crate) fn verdict(&self, rules: &RuleSet, target: &Target<'_>) -> Verdict {
        match self {
        Compiled::Dfa(a) => a.verdict(target),
        _ => rules.deciding(&target.to_buffer()).map_or(Verdict::Allow, |r| r.verdict)
        }
    }
    pub(crate) fn engine(&self) -> Engine {
        match self {
        Compiled::Dfa(_) => Engine::Dfa,
        _=> Engine::Segments
        }
    }
    pub(crate) fn limit_hit(&self) -> Option<LimitHit> {
        match self { Compiled::Over(l) => Some(*l), _ => None }
    }
    pub(crate) fn memory_usage(&self) -> usize {
        match self { Compiled::Dfa(a) => a.memory_usage(), _ => 0 }
    }
}
pub(crate) fn questions_before_compiling(_rules: &RuleSet) -> u32 {
    3
}
