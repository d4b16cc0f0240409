//! The linter on the corpus of real files: it takes bounded time, and the rules that it says can be
//! removed can be removed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::support::{corpus, say};
use robotsieve::{Crawler, Profile, Robots};
use robotsieve_corpora::effort;
use robotsieve_lint::{Code, Options, Report, lint};

const DEAD: [Code; 3] = [Code::NeverWins, Code::RedundantRule, Code::DuplicateRule];

/// The file without some lines. Lines end where the parser ends them.
pub fn without(file: &[u8], lines: &BTreeSet<u32>) -> Vec<u8> {
    let mut kept = Vec::new();
    let (mut at, mut number) = (0, 1);
    while at < file.len() {
        let len = file[at..].iter().position(|o| b"\r\n".contains(o)).unwrap_or(file.len() - at);
        let end_len = if file[at + len..].starts_with(b"\r\n") { 2 } else { 1 };
        let end = (at + len + end_len).min(file.len());
        if !lines.contains(&number) {
            kept.extend_from_slice(&file[at..end]);
        }
        (at, number) = (end, number + 1);
    }
    kept
}

/// Findings are about a place in the file, in few words.
fn are_well_formed(report: &Report, file: &[u8], host: &str) {
    for finding in &report.findings {
        assert!(finding.span.end <= file.len(), "{host}: {finding:?}");
        assert!(finding.span.start <= finding.span.end, "{host}: {finding:?}");
        assert!(finding.message.len() < 1000, "{host}: {finding:?}");
    }
}

/// Removing the rules that are said to have no effect changes no verdict of the corpus, for any of
/// its crawlers, in any profile. Each file in one of the profiles, or in all.
#[corpus::test]
fn dead_rules_can_be_removed() {
    let hosts = corpus::hosts();
    let tallies = corpus::tally(hosts, |host, tally: &mut (usize, usize, usize, usize)| {
        let turn = host.file.len() % Profile::NAMED.len();
        for (number, &(name, profile)) in Profile::NAMED.iter().enumerate() {
            if number != turn && !effort::everything() {
                continue;
            }
            let options = Options::new([(name, profile)]);
            let report = lint(&host.file, &options);
            are_well_formed(&report, &host.file, host.name);
            tally.2 += report.undecided.len();
            // One that ends its group says so, and stays.
            let stays = |help: &String| help.contains("ends its group");
            let dead = report.findings.iter().filter(|finding| {
                DEAD.contains(&finding.code) && !finding.help.as_ref().is_some_and(stays)
            });
            let dead: BTreeSet<u32> = dead.map(|finding| finding.line).collect();
            tally.3 += Robots::parse(&host.file, &profile)
                .records()
                .filter(|r| {
                    matches!(r.field, robotsieve::Field::Allow | robotsieve::Field::Disallow)
                })
                .count();
            if dead.is_empty() {
                continue;
            }
            tally.0 += dead.len();
            let less = without(&host.file, &dead);
            let (before, after) =
                (Robots::parse(&host.file, &profile), Robots::parse(&less, &profile));
            for questions in &host.crawlers {
                let crawler = Crawler::name(questions.agent);
                let (before, after) = (before.policy(&crawler), after.policy(&crawler));
                for (url, _) in &questions.verdicts {
                    let verdict = before.is_allowed(url);
                    assert_eq!(
                        verdict,
                        after.is_allowed(url),
                        "{name} {}: {} without {dead:?}",
                        host.name,
                        url.escape_ascii()
                    );
                    tally.1 += 1;
                }
            }
        }
    });
    let sum =
        tallies.iter().fold((0, 0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2, a.3 + b.3));
    say(&format!(
        "{} dead rules of {}, {} undecided; {} verdicts compared",
        sum.0, sum.3, sum.2, sum.1
    ));
}

/// Prints how often each code fires, and the slowest files. In a release build no file may take
/// longer than 50 ms, or 500 ms if its rules are over the automaton's budget.
#[corpus::test]
fn all_files() {
    let files = corpus::files();
    let mut fired: BTreeMap<Code, [(usize, usize); 4]> = BTreeMap::new();
    for (number, (name, profile)) in Profile::NAMED.iter().copied().enumerate() {
        let options = Options::new([(name, profile)]);
        let mut times: Vec<(Duration, bool, &str)> = Vec::new();
        let mut undecided = 0;
        for (place, (host, file)) in files.iter().enumerate() {
            // By default every fourth file, in one of the profiles: the test above takes all.
            if !effort::everything() && place % 16 != 4 * number {
                continue;
            }
            // Where times count, the best of a few runs, because other programs run too.
            let runs = if cfg!(debug_assertions) { 1 } else { 5 };
            let mut best = Duration::MAX;
            let mut report = None;
            for _ in 0..runs {
                let started = Instant::now();
                report = Some(lint(file, &options));
                best = best.min(started.elapsed());
                if best < Duration::from_millis(20) {
                    break;
                }
            }
            let report = report.expect("it was linted");
            undecided += report.undecided.len();
            let codes = report.findings.iter().map(|finding| finding.code);
            let over = codes.clone().any(|code| code == Code::OverBudget);
            times.push((best, over, host));
            for code in codes.clone() {
                fired.entry(code).or_default()[number].0 += 1;
            }
            for code in codes.collect::<BTreeSet<_>>() {
                fired.entry(code).or_default()[number].1 += 1;
            }
            are_well_formed(&report, file, host);
            if !cfg!(debug_assertions) {
                let bar = if over { 500 } else { 50 };
                assert!(best < Duration::from_millis(bar), "{name} {host}: {best:?}");
            }
        }
        times.sort();
        let total: Duration = times.iter().map(|(time, ..)| *time).sum();
        say(&format!(
            "{name}: {} files in {total:?}, {undecided} rules undecided; the slowest:",
            times.len()
        ));
        for (time, over, host) in times.iter().rev().take(5) {
            say(&format!("{time:?} {host}{}", if *over { " (over budget)" } else { "" }));
        }
    }
    say("| code | name | rfc9309 | google | google-classic | original-1994 |");
    say("|---|---|---:|---:|---:|---:|");
    for code in Code::ALL {
        let cells = fired.get(code).copied().unwrap_or_default();
        let cells = cells.map(|(findings, files)| match findings {
            0 => String::new(),
            _ => format!("{findings} in {files}"),
        });
        say(&format!("| {code} | {} | {} |", code.name(), cells.join(" | ")));
    }
}
