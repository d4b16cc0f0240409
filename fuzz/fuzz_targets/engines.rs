//! Reads a small rule set and paths from the input, and checks that every engine in every
//! configuration gives the verdicts of the naive oracle.
//!
//! The input is text, so that seeds can be written and findings read by hand. The lowest two bits
//! of the first byte choose the profile, the other bits a configuration. Then comes one line for
//! each rule (`+` for allow or any other byte for disallow, then the value), an empty line, and one
//! line for each path.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robotsieve::{Config, Crawler, Engine, LimitHit, Profile, Robots, Target, Verdict};

// The integration tests use all of it.
#[allow(dead_code)]
#[path = "../../tests/it/support/configs.rs"]
mod configs;
#[path = "../../tests/it/support/naive.rs"]
mod naive;

/// The first configurations of the list each force one engine; this is how many.
const ENGINES: usize = 4;
const MAX_RULES: usize = 16;
const MAX_RULE_BYTES: usize = 40;
const MAX_PATHS: usize = 16;
const MAX_PATH_BYTES: usize = 200;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let (name, profile) = Profile::NAMED[usize::from(choice & 3)];
    let mut lines = text.split(|byte| *byte == b'\n');
    let rules = lines.by_ref().take_while(|line| !line.is_empty()).take(MAX_RULES);
    let mut file = b"User-agent: *\n".to_vec();
    for rule in rules {
        let (allow, value) = match rule.split_first() {
            Some((b'+', value)) => (true, value),
            Some((_, value)) => (false, value),
            None => continue,
        };
        file.extend_from_slice(if allow { b"Allow: " } else { b"Disallow: " });
        file.extend_from_slice(&value[..value.len().min(MAX_RULE_BYTES)]);
        file.push(b'\n');
    }
    let mut paths = vec![b"/".to_vec()];
    for line in lines.take(MAX_PATHS) {
        paths.push([b"/", &line[..line.len().min(MAX_PATH_BYTES)]].concat());
    }
    check(name, &profile, usize::from(choice >> 2), &file, &paths);
});

fn check(name: &str, profile: &Profile, other: usize, file: &[u8], paths: &[Vec<u8>]) {
    let crawler = Crawler::name("bot");
    let policy = |config: &Config| Robots::parse_with(file, profile, config).policy(&crawler);
    let rules = policy(&configs::forced(Engine::Scan));
    let judged: Vec<(Target<'_>, Verdict)> = paths
        .iter()
        .map(|path| {
            let target = Target::from_path(path, profile).expect("a path begins with `/`");
            let bytes = target.to_vec();
            let again = Target::from_path(&bytes, profile).expect("a path begins with `/`");
            assert_eq!(bytes, again.to_vec(), "{name}: normalised twice differs");
            (target, naive::verdict(&rules, profile, &bytes))
        })
        .collect();
    let mut all = configs::bounded();
    // Every engine, and one other configuration: those mostly compile the same things again.
    let other = all.swap_remove(ENGINES + other % (all.len() - ENGINES));
    all.truncate(ENGINES);
    all.push(other);
    // Without limits a few rules could take all memory.
    all.push(("dfa, lifted limits", configs::dfa_within(configs::lifted(1_000, 100_000))));
    for (config_name, config) in all {
        let policy = policy(&config);
        for (target, expected) in &judged {
            let got = policy.verdict(target);
            let decided = policy.decision(target).verdict;
            assert!(
                got == *expected && decided == *expected,
                "{name}, {config_name} ({:?}): {got} and {decided} for {}, should be {expected}\n{}",
                policy.engine(),
                target.to_vec().escape_ascii(),
                String::from_utf8_lossy(file),
            );
        }
        if let Err(invalid) = policy.validate() {
            panic!("{name}, {config_name}: {invalid:?}\n{}", String::from_utf8_lossy(file));
        }
        let limit: Option<LimitHit> = policy.limit_hit();
        assert!(limit.is_none() || policy.engine() != Engine::Dfa, "{config_name}: {limit:?}");
    }
}
