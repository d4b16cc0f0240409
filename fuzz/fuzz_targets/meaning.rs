//! Reads a small rule set and paths from the input, in the form that the target `engines` reads.
//! Checks that rules which lint calls dead have no effect, that fixes do what they say, and that what
//! diff reports about two files agrees with their verdicts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robotsieve::{Crawler, Policy, Profile, Robots};
use robotsieve_lint as lint;
use robotsieve_lint::diff::{self, Difference, Limits};
use robotsieve_lint::{Apply, Code, Effect, Options};

const MAX_RULES: usize = 16;
const MAX_RULE_BYTES: usize = 40;
const MAX_PATHS: usize = 16;
const MAX_PATH_BYTES: usize = 200;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let (name, profile) = Profile::NAMED[usize::from(choice & 3)];
    let mut lines = text.split(|byte| *byte == b'\n');
    let rules = lines.by_ref().take_while(|line| !line.is_empty()).take(MAX_RULES);
    let rules: Vec<Vec<u8>> = rules.map(rule).collect();
    let mut paths = vec![b"/".to_vec()];
    for line in lines.take(MAX_PATHS) {
        paths.push([b"/", &line[..line.len().min(MAX_PATH_BYTES)]].concat());
    }
    let old = file(rules.iter());
    let options = Options::new([(name, profile)]);
    let report = lint::lint(&old, &options);
    for finding in &report.findings {
        assert!(old.get(finding.span.clone()).is_some(), "{finding:?}");
    }
    let is_dead = |line: u32| {
        report.findings.iter().any(|finding| {
            finding.line == line
                && matches!(
                    finding.code,
                    Code::NeverMatches
                        | Code::NeverWins
                        | Code::RedundantRule
                        | Code::DuplicateRule
                )
        })
    };
    // Line 1 is the user-agent line; each rule has a line of its own.
    let alive = rules.iter().zip(2..).filter(|(_, line)| !is_dead(*line)).map(|(rule, _)| rule);
    let without_dead = file(alive);
    let difference = compare(&profile, &old, &without_dead, &paths);
    assert!(
        difference.flips().is_none(),
        "{name}: {difference:?}\n{}\n{}",
        old.escape_ascii(),
        without_dead.escape_ascii()
    );
    // Fixes that change no verdict, each alone and all together.
    let unchanging = report.findings.iter().filter_map(|finding| finding.fix.as_ref());
    for fix in unchanging.filter(|fix| fix.effect == Effect::None) {
        same_verdicts(&profile, &old, &fix.applied_to(&old), &paths);
    }
    let fixed = lint::fix(&old, &options, Apply::Unchanging);
    same_verdicts(&profile, &old, &fixed.file, &paths);
    // Compare with other files too: one without the first rule, and one in reverse order.
    compare(&profile, &old, &file(rules.iter().skip(1)), &paths);
    compare(&profile, &old, &file(rules.iter().rev()), &paths);
});

fn rule(line: &[u8]) -> Vec<u8> {
    let (field, value) = match line.split_first() {
        Some((b'+', value)) => (&b"Allow: "[..], value),
        Some((_, value)) => (&b"Disallow: "[..], value),
        None => (&b"Disallow: "[..], line),
    };
    let value = &value[..value.len().min(MAX_RULE_BYTES)];
    // A line end inside the value would start another line.
    [field, value]
        .concat()
        .into_iter()
        .map(|byte| if byte == b'\r' { b' ' } else { byte })
        .collect()
}

fn file<'r>(rules: impl Iterator<Item = &'r Vec<u8>>) -> Vec<u8> {
    let mut file = b"User-agent: *\n".to_vec();
    for rule in rules {
        file.extend_from_slice(rule);
        file.push(b'\n');
    }
    file
}

fn same_verdicts(profile: &Profile, old: &[u8], new: &[u8], paths: &[Vec<u8>]) {
    let difference = compare(profile, old, new, paths);
    let (old, new) = (old.escape_ascii(), new.escape_ascii());
    assert!(difference.flips().is_none(), "{difference:?}\n{old}\n{new}");
}

fn compare(profile: &Profile, old: &[u8], new: &[u8], paths: &[Vec<u8>]) -> Difference {
    let crawler = Crawler::name("bot");
    let policy = |file| Robots::parse(file, profile).policy(&crawler);
    let (old_policy, new_policy) = (policy(old), policy(new));
    let difference = diff::policies(&old_policy, &new_policy, &Limits::default());
    let is_allowed = |policy: &Policy, path: &[u8]| {
        policy.is_path_allowed(path).expect("a path begins with `/`")
    };
    if difference.is_equal() {
        for path in paths {
            assert_eq!(
                is_allowed(&old_policy, path),
                is_allowed(&new_policy, path),
                "diff reports no change, but the verdict on {} differs:\n{}\n{}",
                path.escape_ascii(),
                old.escape_ascii(),
                new.escape_ascii()
            );
        }
    }
    if let Some(flips) = difference.flips() {
        let directions = [(&flips.newly_disallowed, true), (&flips.newly_allowed, false)];
        for (flips, was_allowed) in directions {
            for flip in flips {
                assert_eq!(is_allowed(&old_policy, &flip.path), was_allowed, "{flip:?}");
                assert_eq!(is_allowed(&new_policy, &flip.path), !was_allowed, "{flip:?}");
            }
        }
    }
    difference
}
