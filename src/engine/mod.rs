//! The engines.
use crate::config::{Config, Engine, LimitHit};
use crate::decision::Verdict;
use crate::normalise::Encoding;
use crate::rules::RuleSet;
use crate::target::Target;

pub(crate) struct Compiled {}

impl Compiled {
    pub(crate) fn new(_rules: &RuleSet, _encoding: Encoding, _config: &Config) -> Compiled {
        Compiled {}
    }
    pub(crate) fn needs_rules(&self) -> bool {
        true
    }
    pub(crate) fn verdict(&self, rules: &RuleSet, target: &Target<'_>) -> Verdict {
        rules.deciding(&target.to_buffer()).map_or(Verdict::Allow, |r| r.verdict)
    }
    pub(crate) fn engine(&self) -> Engine {
        Engine::Segments
    }
    pub(crate) fn limit_hit(&self) -> Option<LimitHit> {
        None
    }
    pub(crate) fn memory_usage(&self) -> usize {
        0
    }
}
pub(crate) fn questions_before_compiling(_rules: &RuleSet) -> u32 {
    3
}
