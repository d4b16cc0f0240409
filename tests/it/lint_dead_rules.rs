//! Rules that are said to have no effect, checked on every short target.

use std::collections::BTreeSet;

use crate::lint_corpus::without;
use crate::support::naive;
use crate::support::random::Random;
use crate::support::say;
use crate::support::thread_time::ThreadTime;
use robotsieve::{Crawler, Policy, Profile, Robots, Verdict};
use robotsieve_corpora::effort;
use robotsieve_lint::{Code, Finding, Options, Report, lint};

const CODES: [Code; 3] = [Code::NeverWins, Code::RedundantRule, Code::DuplicateRule];

/// A file of one or more groups. Its rules have a small alphabet, so that many of them overlap.
fn generated(random: &mut Random, groups: usize) -> Vec<u8> {
    const WORDS: [&str; 12] = ["a", "b", "/", "*", "*", "ab", "/a", "a", "b", "ba", "*a", "b*"];
    const ENDS: [&str; 6] = ["", "", "", "$", "*", "*$"];
    let mut file = String::new();
    for group in 0..groups {
        for agent in [["*", "x"], ["x", "y"], ["y", "*"]][group % 3] {
            file.push_str(&format!("User-agent: {agent}\n"));
            if random.below(2) == 0 {
                break;
            }
        }
        for _ in 0..=random.below(6) {
            let start = ["/", "/", "/", "/", "*"][random.below(5)];
            let mut value = start.to_owned();
            for _ in 0..random.below(4) {
                value.push_str(random.of::<&str>(&WORDS));
            }
            value.push_str(random.of::<&str>(&ENDS));
            let field = ["Allow", "Disallow", "Disallow"][random.below(3)];
            file.push_str(&format!("{field}: {value}\n"));
        }
    }
    file.into_bytes()
}

/// `/robots.txt`, and all targets of at most `len` bytes. No rule has their `c`.
fn targets(len: usize) -> Vec<Vec<u8>> {
    let mut all = vec![b"/".to_vec(), b"/robots.txt".to_vec()];
    let mut last = vec![b"/".to_vec()];
    for _ in 1..len {
        let longer = |t: &Vec<u8>| b"ab/c".map(|byte| [t.as_slice(), &[byte]].concat());
        last = last.iter().flat_map(longer).collect();
        all.extend_from_slice(&last);
    }
    all
}

/// The policies of crawlers that together see all groups of a generated file.
fn policies(file: &[u8], profile: &Profile) -> Vec<Policy> {
    let robots = Robots::parse(file, profile);
    ["x", "y", "z"].map(|name| robots.policy(&Crawler::name(name))).to_vec()
}

/// The lines whose removal, one at a time, would change a verdict.
fn needed(file: &[u8], profile: &Profile, targets: &[Vec<u8>]) -> BTreeSet<u32> {
    let mut needed = BTreeSet::new();
    for policy in policies(file, profile) {
        let rules: Vec<_> = policy.rules().collect();
        for target in targets {
            if profile.robots_txt_allowed && target == b"/robots.txt" {
                continue;
            }
            let mut matching = rules.iter().filter(|rule| {
                naive::matches(rule.pattern(), rule.anchored(), profile.wildcards, target)
            });
            let Some(first) = matching.next() else { continue };
            let next = matching.find(|rule| rule.line != first.line);
            if next.map_or(Verdict::Allow, |rule| rule.verdict) != first.verdict {
                needed.insert(first.line);
            }
        }
    }
    needed
}

fn verdicts(file: &[u8], profile: &Profile, targets: &[Vec<u8>]) -> Vec<bool> {
    let mut verdicts = Vec::new();
    for policy in policies(file, profile) {
        verdicts.extend(targets.iter().map(|target| policy.is_path_allowed(target).unwrap()));
    }
    verdicts
}

fn report(file: &[u8], name: &'static str, profile: &Profile) -> Report {
    lint(file, &Options::new([(name, *profile)]))
}

fn dead(report: &Report) -> BTreeSet<u32> {
    // One that ends its group says so, and stays.
    let stays = |finding: &Finding| {
        finding.help.as_ref().is_some_and(|help| help.contains("ends its group"))
    };
    let dead =
        report.findings.iter().filter(|finding| CODES.contains(&finding.code) && !stays(finding));
    dead.map(|finding| finding.line).collect()
}

/// The lines that could be removed beside those found: they have a value, can match, change no
/// verdict, and are not the only rule left in a group that is followed by another one.
fn missed(
    file: &[u8],
    found: &BTreeSet<u32>,
    profile: &Profile,
    targets: &[Vec<u8>],
) -> BTreeSet<u32> {
    let in_file = needed(file, profile, targets);
    // Removed lines stay as blank ones, so that the others keep their numbers.
    let mut rest: Vec<u8> = Vec::new();
    for (text, line) in file.split_inclusive(|o| *o == b'\n').zip(1..) {
        rest.extend_from_slice(if found.contains(&line) { b"\n" } else { text });
    }
    let in_rest = if profile.blank_line_ends_group {
        in_file.clone()
    } else {
        needed(&rest, profile, targets)
    };
    let mut missed = BTreeSet::new();
    let lines: Vec<&[u8]> = rest.split(|o| *o == b'\n').collect();
    let is_rule = |line: &&[u8]| line.starts_with(b"Allow") || line.starts_with(b"Disallow");
    let groups: Vec<(usize, usize)> = {
        let starts: Vec<usize> = (0..lines.len())
            .filter(|at| {
                lines[*at].starts_with(b"User") && (*at == 0 || !lines[at - 1].starts_with(b"User"))
            })
            .collect();
        starts
            .iter()
            .enumerate()
            .map(|(i, from)| (*from, starts.get(i + 1).copied().unwrap_or(lines.len())))
            .collect()
    };
    for (i, &(from, to)) in groups.iter().enumerate() {
        let left = lines[from..to].iter().filter(|line| is_rule(line)).count();
        for (text, line) in lines[from..to].iter().zip(from as u32 + 1..) {
            let is_unknown = !profile.allow_rules && text.starts_with(b"Allow");
            let can_match = profile.wildcards || !text.ends_with(b": *");
            if is_rule(text)
                && !is_unknown
                && can_match
                && (left > 1 || i + 1 == groups.len())
                && !in_file.contains(&line)
                && !in_rest.contains(&line)
            {
                missed.insert(line);
            }
        }
    }
    missed
}

/// In generated files the rules that are found can be removed, one by one and all together, and
/// nearly all rules that can be removed are found.
#[test]
fn found_ones_change_no_verdict_and_few_are_missed() {
    let short = targets(7);
    let mut random = Random(9309);
    // Some rules show an effect only on longer targets.
    let long: Vec<Vec<u8>> =
        (0..2000).map(|_| [b"/".to_vec(), random.word(30, b"ab/c")].concat()).collect();
    for &(name, profile) in Profile::NAMED {
        let (mut found, mut not_found, mut undecided) = (0, 0, 0);
        let count = effort::cases(250);
        for number in 0..count {
            let file = generated(&mut random, 1 + number % 3);
            let report = report(&file, name, &profile);
            undecided += report.undecided.len();
            let dead = dead(&report);
            let text = String::from_utf8_lossy(&file);
            let needed = needed(&file, &profile, &short);
            assert!(dead.is_disjoint(&needed), "{name}: {dead:?} {needed:?}\n{text}");
            for paths in [&short, &long] {
                let before = verdicts(&file, &profile, paths);
                let after = verdicts(&without(&file, &dead), &profile, paths);
                assert_eq!(before, after, "{name}: without {dead:?}\n{text}");
            }
            let before = verdicts(&file, &profile, &long);
            for line in &dead {
                let after = verdicts(&without(&file, &[*line].into()), &profile, &long);
                assert_eq!(before, after, "{name}: without {line}\n{text}");
            }
            found += dead.len();
            if profile.wildcards {
                let missed = missed(&file, &dead, &profile, &short);
                if !missed.is_empty() && std::env::var_os("SHOW_MISSED").is_some() {
                    say(&format!("{name}: missed {missed:?}, found {dead:?}\n{text}"));
                }
                not_found += missed.len();
            }
        }
        say(&format!("{name}: {found} dead rules found, {not_found} not, {undecided} undecided"));
        assert!(5 * found > 2 * count || !profile.wildcards, "{name}: {found}");
        // Some of those not found are needed after all, on targets that are not tried.
        assert!(100 * found >= 95 * (found + not_found), "{name}: {found} {not_found}");
        assert_eq!(undecided, 0, "{name}");
    }
}

/// A file with the shape of large real ones.
#[test]
fn many_rules() {
    let mut file = b"User-agent: *\n".to_vec();
    for i in 0..2000 {
        file.extend(format!("Disallow: /folder{i}/\nDisallow: /folder{i}/page*x\n").bytes());
    }
    let report = report(&file, "rfc9309", &Profile::RFC9309);
    let wanted: BTreeSet<u32> = (0..2000).map(|i| 2 * i + 3).collect();
    assert_eq!(dead(&report), wanted);
    assert_eq!(report.undecided, [0; 0]);
}

/// The work is bounded whatever the stars, and undecided rules are reported as undecided.
#[test]
fn over_the_bound_nothing_is_said() {
    // The first of each three is dead because of the other two together, so comparing patterns
    // pairwise does not show it.
    let mut file = b"User-agent: *\n".to_vec();
    for a in b'a'..=b'z' {
        let (a, b) = (char::from(a), char::from(a.to_ascii_uppercase()));
        let rest = format!("/{a}x*{b}y*{a}z");
        file.extend(format!("Disallow: *{rest}\nDisallow: {rest}\nDisallow: /*{rest}\n").bytes());
    }
    let started = ThreadTime::start();
    let report = report(&file, "rfc9309", &Profile::RFC9309);
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    assert!(!report.undecided.is_empty());
    let undecided: BTreeSet<u32> = report.undecided.iter().copied().collect();
    assert!(dead(&report).is_disjoint(&undecided));
}
