//! Explanations agree with decisions, with the naive oracle and with themselves: for every
//! verdict of the corpus, for generated files, and in bounded time for hostile ones.

use std::time::{Duration, Instant};

use crate::support::corpus::{self, Host, VERDICTS};
use crate::support::generate::{self, Size};
use crate::support::{configs, naive, say};
use proptest::prelude::*;
use robotsieve::explain::{Explanation, MatchedRule, PieceKind, compare_profiles};
use robotsieve::{Config, Crawler, Engine, Policy, Profile, Reason, Robots, Verdict};
use robotsieve_corpora::effort;

/// Checks that an explanation is consistent and agrees with `policy`.
fn check(why: &Explanation<'_>, file: &[u8], url: &[u8], policy: &Policy) -> Result<(), String> {
    let wrong =
        |what: &str| Err(format!("{what}: {} in\n{}", url.escape_ascii(), file.escape_ascii()));
    let target = policy.target(url).map_err(|invalid| invalid.to_string())?;
    if why.target.bytes != target.to_vec() {
        return wrong("target");
    }
    let (decided, explained) = (policy.decision(&target), why.decision());
    let reason = |reason: &Reason<'_>| match reason {
        Reason::Rule(rule) => format!("{} {} {:?}", rule.line, rule.precedence, rule.pattern()),
        reason => format!("{reason:?}"),
    };
    if decided.verdict != why.verdict
        || explained.verdict != why.verdict
        || reason(&decided.reason) != reason(&explained.reason)
    {
        return wrong("decision");
    }
    let decided_line = decided.rule().map(|rule| rule.line);
    if why.winner().map(|rule| rule.line) != decided_line {
        return wrong("winner");
    }
    let key = |rule: &MatchedRule<'_>| {
        (std::cmp::Reverse(rule.precedence), rule.verdict == Verdict::Disallow, rule.line)
    };
    if !why.matches.is_sorted_by_key(key) || why.match_count < why.matches.len() {
        return wrong("order");
    }
    let lines: Vec<(u32, &[u8])> = why.selection.chosen().map(|l| (l.line, l.value)).collect();
    if !lines.into_iter().eq(policy.group()) {
        return wrong("group");
    }
    for rule in &why.matches {
        if !is_laid_out(rule, why, file) {
            return wrong("pieces");
        }
    }
    Ok(())
}

/// Whether the pieces of a rule follow one another without gaps in the value and in the target,
/// and literal pieces match themselves.
fn is_laid_out(rule: &MatchedRule<'_>, why: &Explanation<'_>, file: &[u8]) -> bool {
    let target = &why.target.bytes;
    let (mut in_file, mut in_target) = (rule.value_span.start, 0);
    for piece in &rule.pieces {
        if piece.target_span.start != in_target || piece.file_span.start != in_file {
            return false;
        }
        (in_file, in_target) = (piece.file_span.end, piece.target_span.end);
        let (part, text) = (&file[piece.file_span.clone()], &target[piece.target_span.clone()]);
        let fits = match piece.kind {
            PieceKind::Literal => {
                // The normalised bytes must be a part of the pattern.
                let plain = part == text || part.is_empty() && text == b"/";
                let pattern = &rule.pattern;
                plain || pattern.windows(text.len().max(1)).any(|window| window == text)
            }
            PieceKind::Star => part.iter().all(|byte| *byte == b'*') && !part.is_empty(),
            PieceKind::End => (part == b"$" || part.is_empty()) && in_target == target.len(),
        };
        if !fits {
            return false;
        }
    }
    let is_whole = in_file == rule.value_span.end || why.profile.index_htm_is_directory;
    is_whole && file[rule.value_span.clone()] == *rule.value
}

/// The rules that match by the naive oracle, in its order of precedence.
fn naive_matches(policy: &Policy, profile: &Profile, target: &[u8]) -> Vec<u32> {
    let mut rules: Vec<_> = policy
        .rules()
        .filter(|r| naive::matches(r.pattern(), r.anchored(), profile.wildcards, target))
        .collect();
    rules.sort_by_key(|rule| {
        (std::cmp::Reverse(rule.precedence), rule.verdict == Verdict::Disallow, rule.line)
    });
    rules.iter().map(|rule| rule.line).collect()
}

#[derive(Default)]
struct Run {
    verdicts: usize,
    matches: usize,
    wrong: Vec<String>,
}

/// For every verdict of the corpus, the explanation has the verdict of the reference and of
/// `decide`, and its winner is the rule that the naive oracle finds.
#[corpus::test]
fn google_agrees_with_the_corpus() {
    let hosts = corpus::hosts();
    let profile = Profile::GOOGLE;
    let judge = |host: &Host, run: &mut Run| {
        let robots = Robots::parse(&host.file, &profile);
        for questions in &host.crawlers {
            let crawler = Crawler::name(questions.agent);
            let policy = robots.policy(&crawler);
            for (url, allowed) in &questions.verdicts {
                run.verdicts += 1;
                let why = robots.explain(&crawler, *url).expect("nothing is invalid for google");
                if why.verdict.is_allow() != *allowed {
                    run.wrong.push(format!("{}: {}", host.name, url.escape_ascii()));
                }
                run.wrong.extend(check(&why, &host.file, url, &policy).err());
                run.matches += why.match_count;
                let oracle = naive::deciding(&policy, &profile, &why.target.bytes);
                let winner = why.winner().map(|rule| (rule.line, rule.precedence));
                if winner != oracle.map(|rule| (rule.line, rule.precedence)) {
                    run.wrong.push(format!("naive, {}: {}", host.name, url.escape_ascii()));
                }
            }
        }
    };
    assert_eq!(report("google", &corpus::tally(hosts, judge)), VERDICTS);
}

/// The same in the other profiles, compared with `decide`: each host in one of them, or in all. For every tenth URL the
/// whole list of rules is compared with that of the naive oracle.
#[corpus::test]
fn other_profiles_agree_with_decide() {
    let hosts = corpus::hosts();
    let others = Profile::NAMED.iter().copied().filter(|(name, _)| *name != "google");
    for (turn, (name, profile)) in others.enumerate() {
        let judge = |host: &Host, run: &mut Run| {
            if !(host.file.len() + turn).is_multiple_of(effort::step(3)) {
                return;
            }
            let robots = Robots::parse(&host.file, &profile);
            for questions in &host.crawlers {
                let crawler = Crawler::name(questions.agent);
                let policy = robots.policy(&crawler);
                for (number, (url, _)) in questions.verdicts.iter().enumerate() {
                    run.verdicts += 1;
                    let Ok(why) = robots.explain(&crawler, *url) else {
                        if policy.target(*url).is_ok() {
                            run.wrong.push(format!("valid: {}", url.escape_ascii()));
                        }
                        continue;
                    };
                    run.wrong.extend(check(&why, &host.file, url, &policy).err());
                    run.matches += why.match_count;
                    if number % 10 == 0 {
                        let lines: Vec<u32> = why.matches.iter().map(|rule| rule.line).collect();
                        let oracle = naive_matches(&policy, &profile, &why.target.bytes);
                        if why.match_count != oracle.len() || !oracle.starts_with(&lines) {
                            run.wrong.push(format!("naive, {}", url.escape_ascii()));
                        }
                    }
                }
            }
        };
        // About a third of all, or all.
        let verdicts = report(name, &corpus::tally(hosts, judge));
        assert!(verdicts >= VERDICTS.div_ceil(2 * effort::step(3) - 1), "{verdicts}");
    }
}

#[track_caller]
fn report(name: &str, runs: &[Run]) -> usize {
    let verdicts: usize = runs.iter().map(|run| run.verdicts).sum();
    let matches: usize = runs.iter().map(|run| run.matches).sum();
    let wrong: Vec<&String> = runs.iter().flat_map(|run| &run.wrong).collect();
    say(&format!(
        "{name}: {verdicts} explained, {matches} rules that match, {} wrong",
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{:#?}", &wrong[..wrong.len().min(5)]);
    verdicts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(400) as u32, ..ProptestConfig::default() })]

    #[test]
    fn generated_files(
        generated in generate::generated(Size { rules: 24, words: 4 }),
        profile in 0..4usize,
    ) {
        let profile = Profile::NAMED[profile].1;
        let robots = Robots::parse(&generated.file, &profile);
        let crawler = Crawler::name("a");
        let policy = robots.policy(&crawler);
        for path in &generated.paths {
            let why = robots.explain(&crawler, path).expect("a path is a URL");
            prop_assert_eq!(check(&why, &generated.file, path, &policy), Ok(()));
            let lines: Vec<u32> = why.matches.iter().map(|rule| rule.line).collect();
            prop_assert_eq!(lines, naive_matches(&policy, &profile, &why.target.bytes));
            // Without the winner's line, the verdict is what the explanation says it would be.
            if let Some(winner) = why.winner() {
                let mut without = generated.file.clone();
                without[winner.value_span.clone()].fill(b' ');
                let policy = Robots::parse(&without, &profile).policy(&crawler);
                prop_assert_eq!(Some(policy.decide(path).unwrap().verdict), why.verdict_otherwise);
            }
        }
    }
}

/// Beyond the size limit nothing is read; the explanation says so, and whether it matters.
#[test]
fn files_that_are_cut() {
    let comments = "# a comment of some length, to fill the file\n".repeat(12_000);
    let file = format!("user-agent: a\ndisallow: /x\n{comments}disallow: /\nallow: /x/y\n");
    let cut = |profile: &Profile, url: &str| {
        let robots = Robots::parse(file.as_bytes(), profile);
        let why = robots.explain(&Crawler::name("a"), url).unwrap();
        (why.verdict, why.cut)
    };
    let (verdict, found) = cut(&Profile::RFC9309, "/z");
    let found = found.unwrap();
    assert_eq!((verdict, found.verdict), (Verdict::Allow, Verdict::Disallow));
    assert_eq!(
        (found.matters, found.winner_line, found.limit_bytes),
        (true, Some(12_003), 512_000)
    );
    let read = &file[..found.bytes_read];
    assert!(read.ends_with('\n') && read.len() > 511_900 && read.len() <= 512_000);
    assert_eq!(read.lines().count() as u32 + 1, found.line);
    // The same verdict by the same line, whatever comes after.
    let (verdict, found) = cut(&Profile::RFC9309, "/x");
    assert_eq!((verdict, found.unwrap().matters), (Verdict::Disallow, false));
    let (_, found) = cut(&Profile::RFC9309, "/x/y");
    let found = found.unwrap();
    assert_eq!(
        (found.matters, found.verdict, found.winner_line),
        (true, Verdict::Allow, Some(12_004))
    );
    assert_eq!(cut(&Profile::GOOGLE, "/z"), (Verdict::Disallow, None));
}

/// A rule is counted once, even if it makes two patterns.
#[test]
fn rules_are_counted_by_line() {
    let file = b"user-agent: a\nallow: /a/index.htm\ndisallow: /b\n";
    let robots = Robots::parse(file, &Profile::GOOGLE);
    assert_eq!(robots.explain(&Crawler::name("a"), "/").unwrap().rule_count(), 2);
}

#[test]
fn rules_that_are_not_kept_are_found_again() {
    let file = b"user-agent: *\ndisallow: /a\n";
    let mut config = Config::default();
    config.keep_rules = false;
    let robots = Robots::parse_with(file, &Profile::RFC9309, &config);
    let why = robots.explain(&Crawler::name("b"), "/ab").unwrap();
    assert_eq!(why.winner().map(|rule| rule.line), Some(2));
    assert!(matches!(why.decision().reason, Reason::Rule(_)));
}

#[test]
fn reasons_without_a_rule() {
    let reason = |file: &str, url: &str| {
        let robots = Robots::parse(file.as_bytes(), &Profile::RFC9309);
        let why = robots.explain(&Crawler::name("b"), url).unwrap();
        let otherwise = why.verdict_otherwise;
        let reason = format!("{:?}", why.decision().reason);
        assert!(why.winner().is_none() && why.verdict.is_allow());
        (reason, otherwise)
    };
    assert_eq!(reason("user-agent: a\ndisallow: /", "/"), ("NoGroup".into(), None));
    assert_eq!(reason("user-agent: b\ndisallow: /a", "/"), ("NoMatch".into(), None));
    let (empty, _) = reason("user-agent: b\ndisallow:", "/");
    assert_eq!(empty, "EmptyRule { line: 2 }");
    let (itself, otherwise) = reason("user-agent: b\ndisallow: /", "/robots.txt");
    assert_eq!((itself.as_str(), otherwise), ("RobotsTxt", Some(Verdict::Disallow)));
}

/// Files made to be slow, with long URLs, are explained in bounded time in all profiles.
#[test]
fn hostile_files() {
    let long_url: Vec<u8> = [b"/".to_vec(), b"ab".repeat(32 << 10)].concat();
    let stars = |piece: &str, rules: usize| {
        let rule = format!("disallow: /{}\n", format!("*{piece}").repeat(60));
        format!("user-agent: *\n{}", rule.repeat(rules)).into_bytes()
    };
    let mut distinct = b"user-agent: *\n".to_vec();
    for number in 0.. {
        if distinct.len() > 500 << 10 {
            break;
        }
        distinct
            .extend(format!("allow:*{number:05b}\n").replace('0', "a").replace('1', "b").bytes());
    }
    let files: [(&str, Vec<u8>); 7] = [
        (
            "one line of stars",
            [b"user-agent: *\ndisallow: /", &b"*a".repeat(250 << 10)[..]].concat(),
        ),
        (
            "nothing but stars",
            [b"user-agent: *\ndisallow: /", &b"*".repeat(500 << 10)[..]].concat(),
        ),
        ("many lines of stars", stars("a", 3_900)),
        ("stars that just miss", stars("bab", 1_990)),
        ("short distinct rules", distinct),
        ("agents", b"user-agent: a\n".repeat(35_000)),
        ("nothing but colons", b":\n".repeat(250 << 10)),
    ];
    for (name, file) in &files {
        let begin = Instant::now();
        let compared = compare_profiles(file, &Crawler::names(["c", "a"]), &long_url);
        let took = begin.elapsed();
        say(&format!("{name}: {took:?} for four profiles: {compared}"));
        assert!(took < Duration::from_secs(60), "{name}: {took:?}");
        for (_, why) in &compared.explanations {
            let why = why.as_ref().expect("a path is a URL");
            assert!(why.matches.len() <= Explanation::MAX_MATCHES);
            let robots = Robots::parse_with(file, &why.profile, &configs::forced(Engine::Segments));
            let policy = robots.policy(&why.crawler);
            assert_eq!(policy.is_allowed(&long_url), Ok(why.verdict.is_allow()), "{name}");
        }
    }
}

/// The groups that apply are told where they seem to end and go on.
#[test]
fn groups_that_seem_to_end() {
    let file =
        b"User-agent: a\nCrawl-delay: 1\n\nUser-agent: *\nUser-agent: b\nSitemap: /s\nFoo: x\n\
        User-agent: c\nDisallow: /\n\nUser-agent: d\nCrawl-delay: 1\nUser-agent: e\nDisallow:\n";
    for (_, profile) in Profile::NAMED {
        let robots = Robots::parse(file, profile);
        let joints = |name: &str| -> Vec<(u32, u32, String)> {
            let why = robots.explain(&Crawler::name(name), "/").unwrap();
            let joints = why.selection.joints.iter();
            joints
                .map(|j| (j.line, j.after, String::from_utf8_lossy(j.field).into_owned()))
                .collect()
        };
        if profile.blank_line_ends_group || profile.sitemap_ends_agents {
            continue;
        }
        let first = [(4, 2, "Crawl-delay".to_owned()), (8, 7, "Foo".to_owned())];
        assert_eq!(joints("a"), first);
        assert_eq!(joints("x"), first);
        assert_eq!(joints("d"), [(13, 12, "Crawl-delay".to_owned())]);
    }
}
