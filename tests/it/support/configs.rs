//! Configurations that must all give the same verdicts.
//!
//! The fuzz targets include this file by path, so it must not use other modules of the tests.

use robotsieve::{Config, Engine, Limits};

/// A configuration and its name in messages.
pub type Named = (&'static str, Config);

/// Uses this engine from the first question on, with default limits.
pub fn forced(engine: Engine) -> Config {
    let mut config = Config::default();
    config.engine = Some(engine);
    config
}

/// Uses a DFA from the first question on, within these limits.
pub fn dfa_within(limits: Limits) -> Config {
    let mut config = forced(Engine::Dfa);
    config.limits = limits;
    config
}

/// Limits that nearly every real policy stays within, but that still stop a hostile one after
/// seconds.
pub fn lifted(states: u32, work: u64) -> Limits {
    let mut limits = Limits::NONE;
    limits.states = Some(states);
    limits.work = Some(work);
    limits
}

/// Every way to build a policy that finishes soon, whatever the rules.
///
/// First each engine; then the automatic choice before and after it compiles, and without its
/// rules; then a DFA under each limit, set so low that the policy exceeds it. Exceeding a limit
/// must change the engine and nothing else.
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

/// A DFA without limits, for small rule sets only.
pub fn unlimited() -> Named {
    ("dfa, no limits", dfa_within(Limits::NONE))
}
