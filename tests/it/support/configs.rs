//! The configurations in which every verdict must be the same.
//!
//! The fuzz targets include this file by path, so it must not use anything else of the test
//! suite.

use robotsieve::{Config, Engine, Limits};

/// A configuration with a name for messages.
pub type Named = (&'static str, Config);

/// This engine from the first question on, limits at their defaults.
pub fn forced(engine: Engine) -> Config {
    let mut config = Config::default();
    config.engine = Some(engine);
    config
}

/// A forced DFA within these limits.
pub fn dfa_within(limits: Limits) -> Config {
    let mut config = forced(Engine::Dfa);
    config.limits = limits;
    config
}

/// Limits that hold nearly every real policy and still end a hostile one in seconds.
pub fn lifted(states: u32, work: u64) -> Limits {
    let mut limits = Limits::NONE;
    limits.states = Some(states);
    limits.work = Some(work);
    limits
}

/// Every way to build a policy that ends soon, whatever the rules.
///
/// One of each engine, first; the automatic choice before and after it compiles, and without its
/// rules; and a DFA under each limit set so low that it is hit, which must change the engine
/// and nothing else.
pub fn bounded() -> Vec<Named> {
    let mut at_once = Config::default();
    at_once.build_after = Some(0);
    let mut after_two = Config::default();
    after_two.build_after = Some(2);
    let mut without_rules = Config::default();
    without_rules.keep_rules = false;
    let low = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        dfa_within(limits)
    };
    vec![
        ("scan", forced(Engine::Scan)),
        ("dfa", forced(Engine::Dfa)),
        ("lazy", forced(Engine::Lazy)),
        ("segments", forced(Engine::Segments)),
        ("automatic", Config::default()),
        ("automatic, compiled at once", at_once),
        ("automatic, compiled after two questions", after_two),
        ("automatic, rules not kept", without_rules),
        ("dfa, few states", low(|limits| limits.states = Some(2))),
        ("dfa, little work", low(|limits| limits.work = Some(3))),
        ("dfa, small table", low(|limits| limits.table_bytes = 8)),
        ("dfa, few pattern bytes", low(|limits| limits.pattern_bytes = 2)),
    ]
}

/// The DFA without any limit: only for rule sets that are known to be small.
pub fn unlimited() -> Named {
    ("dfa, no limits", dfa_within(Limits::NONE))
}
