//! All engines give the same verdict on every input: the naive oracle, regex-automata's dense
//! DFA and PikeVM, and every engine in every configuration, on generated rule sets.

use std::path::Path;

use crate::support::configs::{self, Named};
use crate::support::every_config::EveryConfig;
use crate::support::generate::{self, Generated, Size};
use crate::support::random::Random;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use robotsieve::{
    Config, Crawler, Engine, LimitHit, Limits, Policy, Profile, Reason, Robots, RulePrecedence,
    Target, Verdict,
};
use robotsieve_corpora::effort;

/// How many cases a property is tried with: all of these or a quarter, see `effort`. PROPTEST_CASES overrides it, for
/// longer runs.
fn cases(all: usize) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    // What fails becomes a case in corpora/cases or a fixed test, not a line of seeds.
    ProptestConfig {
        cases: cases.unwrap_or_else(|| effort::cases(all) as u32),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// The configurations for rule sets of up to some 40 rules: a DFA without limits could take
/// gigabytes there.
fn for_any_rules() -> Vec<Named> {
    let mut all = configs::bounded();
    all.push(("dfa, lifted limits", configs::dfa_within(configs::lifted(20_000, 4_000_000))));
    all
}

fn for_few_rules() -> Vec<Named> {
    let mut all = configs::bounded();
    all.push(configs::unlimited());
    all
}

/// All engines and oracles agree in all profiles.
fn agree(generated: &Generated, configs: &[Named]) -> TestCaseResult {
    for &named in Profile::NAMED {
        let mut panel = EveryConfig::new(&generated.file, named, configs);
        for path in &generated.paths {
            panel.check(path).map_err(TestCaseError::fail)?;
        }
        panel.check_engines().map_err(TestCaseError::fail)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn many_rules(generated in generate::generated(Size { rules: 40, words: 4 })) {
        agree(&generated, &for_any_rules())?;
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn long_rules(generated in generate::generated(Size { rules: 6, words: 12 })) {
        agree(&generated, &for_any_rules())?;
    }
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn few_rules(generated in generate::generated(Size { rules: 5, words: 3 })) {
        agree(&generated, &for_few_rules())?;
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// A file of the normalised patterns means the same as the file that they came from.
    #[test]
    fn normalised_patterns_are_their_own_normal_form(
        generated in generate::generated(Size { rules: 12, words: 4 }),
    ) {
        for &(name, profile) in Profile::NAMED {
            let policy = policy(&generated.file, &profile);
            let rules: Vec<_> = policy.rules().map(|r| (r.verdict.is_allow(), value(&r, &profile))).collect();
            let again_file = generate::file(&rules);
            let again = self::policy(&again_file, &profile);
            let place = || format!("{name}\n{}", again_file.escape_ascii());
            // One `Allow: …/index.htm` is two patterns, and each time anew.
            if !profile.index_htm_is_directory {
                let patterns = |policy: &Policy| -> Vec<_> {
                    let pattern = |r: robotsieve::Rule<'_>| {
                        (r.precedence, r.verdict, r.pattern().to_vec(), r.anchored())
                    };
                    policy.rules().map(pattern).collect()
                };
                prop_assert_eq!(patterns(&policy), patterns(&again), "{}", place());
            }
            for path in &generated.paths {
                let target = Target::from_path(path, &profile).expect("a path");
                prop_assert_eq!(
                    policy.verdict(&target),
                    again.verdict(&target),
                    "{} {}", path.escape_ascii(), place()
                );
            }
        }
    }

    /// Normalising a target twice changes nothing.
    #[test]
    fn normalised_targets_are_their_own_normal_form(bytes in any::<Vec<u8>>()) {
        let path = [b"/", &bytes[..]].concat();
        for &(name, profile) in Profile::NAMED {
            let once = Target::from_path(&path, &profile).expect("a path").to_vec();
            let twice = Target::from_path(&once, &profile).expect("a path").to_vec();
            prop_assert_eq!(once, twice, "{}", name);
        }
    }
}

fn policy(file: &[u8], profile: &Profile) -> Policy {
    Robots::parse(file, profile).policy(&Crawler::name("bot"))
}

/// A value that is normalised to this rule again, precedence included: what the canonical
/// form dropped of stars is put back where it changes nothing.
fn value(rule: &robotsieve::Rule<'_>, profile: &Profile) -> Vec<u8> {
    let mut value = rule.pattern().to_vec();
    if !profile.wildcards {
        return value;
    }
    let anchor = usize::from(rule.anchored());
    let missing = match profile.rule_precedence {
        RulePrecedence::Longest => rule.precedence as usize - value.len() - anchor,
        RulePrecedence::AnyDisallow => 0,
    };
    if rule.anchored() {
        // Only neighbouring stars can have been dropped.
        double_star(&mut value, missing);
        value.push(b'$');
    } else if !profile.trailing_stars_dropped {
        value.resize(value.len() + missing, b'*');
    } else if missing >= 2 && !value.contains(&b'*') {
        // Trailing stars do not count, but those before an anchor do, and it.
        value.resize(value.len() + missing - 1, b'*');
        value.push(b'$');
    } else {
        double_star(&mut value, missing);
        // Keeps a `$` before it plain, and a space from being dropped.
        value.push(b'*');
    }
    value
}

/// Makes one star of the value `more` stars longer.
fn double_star(value: &mut Vec<u8>, more: usize) {
    if let Some(star) = value.iter().position(|byte| *byte == b'*') {
        value.splice(star..star, std::iter::repeat_n(b'*', more));
    }
}

/// A counterexample to pruning by one number per node, and one to taking a node's
/// highest rival run for the next one (found by changing the code so).
#[test]
fn best_run_between_the_runs_ahead() {
    let files: [(&str, &[(&str, bool)]); 2] = [
        ("Disallow: /b\nAllow: /*b\nDisallow: /ab$\n", &[("/b", true), ("/ab", false)]),
        (
            "Allow: /*a\nDisallow: /ab*\nAllow: /*ab\nDisallow: /aa\nDisallow: /aaa*\n",
            &[("/ab", true), ("/aa", true), ("/aaa", false), ("/aaab", false)],
        ),
    ];
    for (rules, verdicts) in files {
        let file = format!("User-agent: *\n{rules}");
        // The 1994 profile knows neither Allow nor stars.
        for named in &Profile::NAMED[..3] {
            let mut panel = EveryConfig::new(file.as_bytes(), *named, &for_few_rules());
            for path in ["/b", "/ab", "/abb", "/bb", "/", "/a", "/aab", "/aa", "/aaa", "/aaab"] {
                panel.check(path.as_bytes()).unwrap_or_else(|fault| panic!("{fault}"));
            }
            panel.check_engines().unwrap_or_else(|fault| panic!("{fault}"));
            // Trailing stars do not count in google-classic.
            if named.0 == "google-classic" {
                continue;
            }
            for (name, policy) in panel.policies() {
                for (path, allowed) in verdicts {
                    assert_eq!(policy.is_allowed(path), Ok(*allowed), "{name}, {path}");
                }
            }
        }
    }
}

/// Every path of up to six bytes over a, b and `/`, against small random rule sets.
#[test]
fn every_short_path() {
    let rule_sets = effort::cases(300);
    let mut paths: Vec<Vec<u8>> = vec![b"/".to_vec()];
    let mut from = 0;
    for _ in 1..6 {
        let to = paths.len();
        for at in from..to {
            for byte in b"ab/" {
                paths.push([&paths[at][..], &[*byte]].concat());
            }
        }
        from = to;
    }
    assert_eq!(paths.len(), (3usize.pow(6) - 1) / 2);
    let mut random = Random(2);
    let mut failures = Vec::new();
    for set in 0..rule_sets {
        let rules: Vec<(bool, Vec<u8>)> = (0..1 + random.below(7))
            .map(|_| {
                let alphabet = *random.of(&[b"ab/*".as_slice(), b"a**", b"ab*", b"aab/"]);
                let mut value = b"/".to_vec();
                value.extend(random.word(5, alphabet));
                value.extend_from_slice(random.of::<&[u8]>(&[b"", b"", b"$", b"*$"]));
                (random.below(2) == 0, value)
            })
            .collect();
        let file = generate::file(&rules);
        // All profiles in turn: what they read differently is not in these files but for
        // trailing stars, wildcards and Allow.
        let named = Profile::NAMED[if set % 8 == 7 { 3 } else { set % 3 }];
        let mut panel = EveryConfig::new(&file, named, &for_few_rules());
        failures.extend(paths.iter().filter_map(|path| panel.check(path).err()).take(1));
        failures.extend(panel.check_engines().err());
    }
    assert!(failures.is_empty(), "{} rule sets fail:\n{}", failures.len(), failures.join("\n"));
}

/// The project's own corpora: files in the shapes that the web serves, with their URLs.
#[test]
fn own_corpora() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("corpora");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder.join("robots")).expect("corpora/robots") {
        let path = entry.expect("a folder").path();
        let file = std::fs::read(&path).expect("a file");
        let host = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let name = host.split('.').next().unwrap_or_default();
        let urls = std::fs::read(folder.join(format!("urls/{name}.txt"))).expect("its URLs");
        let urls: Vec<&[u8]> = urls.split(|o| *o == b'\n').filter(|url| !url.is_empty()).collect();
        // Each file in every second profile, or in all.
        let every = effort::step(2);
        for &named in Profile::NAMED.iter().skip(file.len() % every).step_by(every) {
            // regex-automata's DFAs of those with many stars take too long.
            let mut panel = if file.len() < 3_000 && name != "hostile" {
                EveryConfig::new(&file, named, &for_any_rules())
            } else {
                EveryConfig::without_regex(&file, named, &configs::bounded())
            };
            for url in &urls {
                panel.check(url).unwrap_or_else(|fault| panic!("{name}: {fault:.3000}"));
                checked += 1;
            }
            panel.check_engines().unwrap_or_else(|fault| panic!("{name}: {fault:.3000}"));
        }
    }
    assert!(checked > 1_000, "only {checked} URLs");
}

/// What the random tests found: paths that no engine is asked about, `/robots.txt` itself.
#[test]
fn asked_for_robots_txt_only() {
    for &named in Profile::NAMED {
        let mut panel = EveryConfig::new(b"User-agent: *\nDisallow: \n", named, &for_few_rules());
        panel.check(b"/robots.txt").unwrap_or_else(|fault| panic!("{fault}"));
        panel.check_engines().unwrap_or_else(|fault| panic!("{fault}"));
    }
}

/// Where no rule is, or none has a value, everything is allowed by every engine.
#[test]
fn nothing_to_compile() {
    for file in [&b""[..], b"User-agent: *\n", b"User-agent: *\nDisallow:\n", b"Disallow: /\n"] {
        for &named in Profile::NAMED {
            let mut panel = EveryConfig::new(file, named, &for_few_rules());
            panel.check(b"/").unwrap_or_else(|fault| panic!("{fault}"));
            panel.check(b"/a%61\xFF").unwrap_or_else(|fault| panic!("{fault}"));
            for (name, policy) in panel.policies() {
                let target = policy.target("/a").expect("a path");
                assert_eq!(policy.verdict(&target), Verdict::Allow, "{name}");
            }
        }
    }
}

/// A policy that threads ask while it compiles itself answers all of them alike.
#[test]
fn compiled_while_asked() {
    let file = b"User-agent: *\nDisallow: /*a*b$\nAllow: /c\n";
    for (name, config) in configs::bounded() {
        let policy =
            Robots::parse_with(file, &Profile::RFC9309, &config).policy(&Crawler::name("bot"));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        assert_eq!(policy.is_allowed("/xaxb"), Ok(false), "{name}");
                        assert_eq!(policy.is_allowed("/xaxc"), Ok(true), "{name}");
                    }
                });
            }
        });
    }
}

/// Each limit, where it is hit, is named with its value; the verdicts stay.
#[test]
fn limits_are_reported() {
    let file = b"User-agent: *\nDisallow: /*a*b*c$\nAllow: /*b*c\nDisallow: /x\n";
    let within = |change: fn(&mut Limits)| {
        let mut limits = Limits::NONE;
        change(&mut limits);
        let config = configs::dfa_within(limits);
        let policy =
            Robots::parse_with(file, &Profile::RFC9309, &config).policy(&Crawler::name("bot"));
        assert_eq!(policy.limit_hit(), None, "nothing is compiled before it is asked for");
        assert_eq!(policy.is_allowed("/abc"), Ok(false));
        assert_eq!(policy.is_allowed("/bc"), Ok(true));
        assert_eq!(policy.engine() == Engine::Dfa, policy.limit_hit().is_none());
        policy.limit_hit()
    };
    assert_eq!(within(|_| ()), None);
    assert_eq!(within(|limits| limits.states = Some(3)), Some(LimitHit::States(3)));
    assert_eq!(within(|limits| limits.work = Some(5)), Some(LimitHit::Work(5)));
    assert_eq!(within(|limits| limits.table_bytes = 10), Some(LimitHit::TableBytes(10)));
    assert_eq!(within(|limits| limits.pattern_bytes = 9), Some(LimitHit::PatternBytes(9)));
    // 7 + 5 + 2 bytes: a limit that is just kept is not hit.
    assert_eq!(within(|limits| limits.pattern_bytes = 14), None);
}

/// A policy without its rules decides alike and says that it cannot tell why; one that is over
/// the limits keeps them.
#[test]
fn rules_not_kept() {
    let file = b"User-agent: *\nDisallow: /*a*b*c$\nAllow: /*b*c\n";
    let mut config = Config::default();
    config.keep_rules = false;
    let policy = |config: &Config| {
        Robots::parse_with(file, &Profile::RFC9309, config).policy(&Crawler::name("bot"))
    };
    let without = policy(&config);
    assert_eq!(without.engine(), Engine::Dfa);
    assert_eq!(without.rules().len(), 0);
    assert_eq!(without.rule_count(), 2);
    let decision = without.decide("/abc").expect("a path");
    assert_eq!(decision.verdict, Verdict::Disallow);
    assert!(matches!(decision.reason, Reason::RulesNotKept), "{:?}", decision.reason);
    config.limits.states = Some(1);
    let over = policy(&config);
    assert_ne!(over.engine(), Engine::Dfa);
    assert_eq!(over.decide("/abc").expect("a path").rule().map(|rule| rule.line), Some(2));
}
