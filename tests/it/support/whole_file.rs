//! Asks everything that can be asked of a file, in every profile, and checks what must hold
//! whatever its bytes are.
//!
//! The fuzz targets include this file by path, so it must not use other modules of the tests except
//! the naive oracle, which they include too.

use robotsieve::explain::compare_profiles;
use robotsieve::{Crawler, Field, Profile, Reason, Robots, Verdict, is_allowed_once};

use super::naive;

/// Reads `file` in every profile and asks for verdicts on these URLs, for each product token in the
/// file and for some other names.
///
/// # Panics
/// Panics if an invariant does not hold.
pub fn look_at(file: &[u8], urls: &[&[u8]]) {
    for &(name, profile) in Profile::NAMED {
        look_at_in(file, urls, name, &profile);
    }
}

fn look_at_in(file: &[u8], urls: &[&[u8]], name: &str, profile: &Profile) {
    let robots = Robots::parse(file, profile);
    let extent = robots.extent();
    assert!(extent.start <= extent.end && extent.end <= file.len(), "{name}: extent");
    records(file, &robots, name);
    let diagnostics = robots.diagnostics();
    assert!(diagnostics.is_sorted_by_key(|d| d.line), "{name}: diagnostics out of order");
    for diagnostic in diagnostics {
        let span = &diagnostic.span;
        assert!(span.start <= span.end && span.end <= file.len(), "{name}: {diagnostic:?}");
        assert!(diagnostic.line > 0 && !diagnostic.to_string().is_empty(), "{name}");
    }
    let tokens: Vec<&[u8]> = robots.tokens().collect();
    // Limited, because a file of nothing but tokens would make this quadratic.
    let mut names: Vec<&[u8]> = tokens.iter().take(64).copied().collect();
    names.extend([&b""[..], b"*", b"bot", b"Googlebot-News/2.1 (x; y)", b"\xFF\0"]);
    for agent in &names {
        policy(&robots, &Crawler::name(agent), urls, name, profile);
    }
    once(file, &robots, &Crawler::name(names[0]), urls, profile);
    once(file, &robots, &Crawler::name("bot"), urls, profile);
    once(file, &robots, &Crawler::names(&names), urls, profile);
    explained(file, &robots, &Crawler::name(names[0]), urls, name);
    explained(file, &robots, &Crawler::names(&names), urls, name);
    policy(&robots, &Crawler::names(&names), urls, name, profile);
    policy(&robots, &Crawler::from_user_agent(&file[..file.len().min(300)]), urls, name, profile);
}

/// Records come in the order of the file, and their spans are right.
fn records(file: &[u8], robots: &Robots<'_>, name: &str) {
    let extent = robots.extent();
    let (mut line, mut end) = (0, extent.start);
    let mut others = robots.other_records();
    let mut sitemaps = robots.sitemaps();
    for record in robots.records() {
        let span = record.value_span();
        assert!(record.line > line, "{name}: two records on line {line}");
        assert!(span.start >= end && span.end <= extent.end, "{name}: {record:?}");
        assert_eq!(&file[span.clone()], record.value, "{name}: {record:?}");
        assert!(!record.name.is_empty(), "{name}: {record:?}");
        let parts = [record.name, record.value];
        let line_ends = parts.iter().any(|part| part.iter().any(|o| matches!(o, b'\r' | b'\n')));
        assert!(!line_ends, "{name}: {record:?}");
        (line, end) = (record.line, span.end);
        if matches!(record.field, Field::Sitemap | Field::Other) {
            assert_eq!(others.next(), Some(record), "{name}");
        }
        if record.field == Field::Sitemap {
            assert_eq!(sitemaps.next(), Some(record.value), "{name}");
        }
    }
    assert!(others.next().is_none() && sitemaps.next().is_none(), "{name}");
    let typed = robots.typed_records();
    assert!(typed.iter().map(|typed| typed.record).eq(robots.other_records()), "{name}");
}

/// `is_allowed_once` gives the policy's verdict.
fn once(file: &[u8], robots: &Robots<'_>, crawler: &Crawler, urls: &[&[u8]], profile: &Profile) {
    let policy = robots.policy(crawler);
    for url in urls {
        let once = is_allowed_once(file, profile, crawler, url);
        assert_eq!(once, policy.is_allowed(url), "{profile:?}: {}", url.escape_ascii());
    }
}

/// Explanations agree with decisions, and their spans are right.
fn explained(file: &[u8], robots: &Robots<'_>, crawler: &Crawler, urls: &[&[u8]], name: &str) {
    let policy = robots.policy(crawler);
    for url in urls {
        let (explained, decided) = (robots.explain(crawler, url), policy.decide(url));
        let (why, decision) = match (explained, decided) {
            (Ok(why), Ok(decision)) => (why, decision),
            (explained, decided) => {
                assert!(explained.is_err() && decided.is_err(), "{name}: {}", url.escape_ascii());
                continue;
            }
        };
        assert_eq!(why.verdict, decision.verdict, "{name}");
        let line = decision.rule().map(|rule| rule.line);
        assert_eq!(why.winner().map(|rule| rule.line), line, "{name}");
        assert!(why.selection.chosen().map(|l| (l.line, l.value)).eq(policy.group()), "{name}");
        for rule in &why.matches {
            assert_eq!(&file[rule.value_span.clone()], rule.value, "{name}");
            assert!(rule.line_span.start <= rule.value_span.start, "{name}: {rule:?}");
            assert!(rule.value_span.end <= rule.line_span.end, "{name}: {rule:?}");
            let (mut in_file, mut in_target) = (rule.value_span.start, 0);
            for piece in &rule.pieces {
                let (starts, ends) = (&piece.file_span, &piece.target_span);
                assert_eq!((starts.start, ends.start), (in_file, in_target), "{name}: {rule:?}");
                (in_file, in_target) = (starts.end, ends.end);
                assert!(why.target.in_url(ends.clone()).end <= url.len(), "{name}: {rule:?}");
            }
            assert!(in_file <= rule.value_span.end, "{name}: {rule:?}");
            assert!(in_target <= why.target.bytes.len(), "{name}: {rule:?}");
        }
    }
    if let Some(url) = urls.first() {
        let compared = compare_profiles(file, crawler, url).to_string();
        assert!(!compared.is_empty() && !compared.ends_with('.'), "{name}: {compared}");
    }
}

fn policy(robots: &Robots<'_>, crawler: &Crawler, urls: &[&[u8]], name: &str, profile: &Profile) {
    let policy = robots.policy(crawler);
    assert!(robots.policy(crawler).is_same(&policy), "{name}: built twice");
    assert_eq!(policy.group().collect::<Vec<_>>(), robots.group_of(crawler), "{name}");
    let has_group = policy.group().next().is_some();
    assert!(has_group || policy.rule_count() == 0, "{name}: rules without a group");
    assert!(
        policy.rules().is_sorted_by(|one, next| {
            let key = |r: &robotsieve::Rule<'_>| (r.precedence, r.verdict == Verdict::Allow);
            (key(next), one.line) <= (key(one), next.line) || key(next) < key(one)
        }),
        "{name}: rules out of order"
    );
    for url in urls {
        let Ok(decision) = policy.decide(url) else {
            assert_ne!(name, "google", "no URL is invalid in this profile");
            assert!(policy.is_allowed(url).is_err(), "{name}");
            continue;
        };
        let target = policy.target(url).expect("decided above");
        let bytes = target.to_vec();
        assert_eq!(bytes.first(), Some(&b'/'), "{name}");
        assert_eq!(policy.is_allowed(url), Ok(decision.verdict.is_allow()), "{name}");
        assert_eq!(decision.verdict, naive::verdict(&policy, profile, &bytes), "{name}");
        let deciding = naive::deciding(&policy, profile, &bytes);
        match decision.reason {
            Reason::Rule(rule) => {
                assert_eq!(deciding.map(|rule| rule.line), Some(rule.line), "{name}");
                assert_eq!(rule.verdict, decision.verdict, "{name}");
            }
            Reason::RobotsTxt => assert_eq!(bytes, b"/robots.txt", "{name}"),
            Reason::NoGroup => assert!(!has_group && deciding.is_none(), "{name}"),
            Reason::EmptyRule { .. } => assert_eq!(policy.rule_count(), 0, "{name}"),
            _ => assert!(deciding.is_none() && has_group, "{name}"),
        }
    }
    policy.compile();
    policy.validate().unwrap_or_else(|invalid| panic!("{name}: {invalid:?}"));
    for url in urls {
        if let Ok(target) = policy.target(url) {
            let expected = naive::verdict(&policy, profile, &target.to_vec());
            assert_eq!(policy.verdict(&target), expected, "{name}: {}", url.escape_ascii());
        }
    }
}
