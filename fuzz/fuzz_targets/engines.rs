//! A small rule set and paths out of bytes: every engine in every configuration decides as
//! the naive oracle does.
//!
//! The input is text, so that seeds can be written and findings read: the first byte's last
//! two bits choose the profile, the others a configuration; then one line for each rule, `+`
//! allow and anything else disallow before the value, up to an empty line; then one line for
//! each path.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robotsieve::{Config, Crawler, Engine, LimitHit, Profile, Robots, Target, Verdict};

// The tests use more of it.
#[allow(dead_code)]
#[path = "../../tests/it/support/configs.rs"]
mod configs;
#[path = "../../tests/it/support/naive.rs"]
mod naive;

/// So many configurations at the head of the list force one engine each.
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
            let target = Target::from_path(path, profile).expect("it begins with `/`");
            let bytes = target.to_vec();
            let again = Target::from_path(&bytes, profile).expect("it begins with `/`");
            assert_eq!(bytes, again.to_vec(), "{name}: normalised twice");
            (target, naive::verdict(&rules, profile, &bytes))
        })
        .collect();
    let mut all = configs::bounded();
    // Each engine always, and one of the others: they compile the same again.
    let other = all.swap_remove(ENGINES + other % (all.len() - ENGINES));
    all.truncate(ENGINES);
    all.push(other);
    // Without limits a few rules would take all memory.
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
