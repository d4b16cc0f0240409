//! What lint finds in lines about use, and that its fixes do what they say of rights and nothing else.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::thread_time::ThreadTime;

use robotsieve::{Crawler, Profile, Robots};
use robotsieve_lint::{Apply, Code, Effect, Options, fix, lint};
use robotsieve_rights::{Purpose, RightsReader, Ruling};

/// The findings about use, as code and line.
fn found(file: &str) -> Vec<(Code, u32)> {
    let report = lint(file.as_bytes(), &Options::default());
    let is_of_use = |code: Code| code.number() >= "RS5" || code == Code::LicenseNotHttps;
    let findings = report.findings.iter().filter(|finding| is_of_use(finding.code));
    findings.map(|finding| (finding.code, finding.line)).collect()
}

#[test]
fn what_is_found() {
    use Code::*;
    for (file, wanted) in [
        ("User-agent: *\nContent-Usage: train-ai=n\nDisallow: /x", &[][..]),
        ("User-agent: *\nContent-Usage:\nContent-Signal:\nDisallow: /x", &[]),
        ("User-agent: *\nContent-Signal: search=yes,ai-train=no,\nDisallow: /x", &[]),
        ("User-agent: *\nContent-Signal: Search = YES, AI-Train=NO\nAllow: /", &[]),
        ("License: https://e.com/l.xml\nUser-agent: *\nDisallow: /x", &[]),
        ("License: HTTP://e.com/l.xml\nUser-agent: *\nDisallow: /x", &[(LicenseNotHttps, 1)]),
        ("User-agent: *\nContent-Usage: /a\nDisallow: /x", &[(VoidPreferences, 2)]),
        ("User-agent: *\nContent-Usage: /a Train-ai=n\nDisallow: /x", &[(VoidPreferences, 2)]),
        ("User-agent: *\nContent-Usage: bots=n\nDisallow: /x", &[(UndefinedPreference, 2)]),
        ("User-agent: *\nContent-Usage: train-ai\nDisallow: /x", &[(UndefinedPreference, 2)]),
        (
            "User-agent: *\nContent-Signal: train-ai=n, use=some\nDisallow: /x",
            &[(UndefinedPreference, 2), (UndefinedPreference, 2)],
        ),
        ("Content-Usage: search=y\nUser-agent: *\nDisallow: /x", &[(PreferenceOutsideGroup, 1)]),
        // The groups of crawlers that may fetch nothing, as of those that say something, are no loss.
        (
            "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\nUser-agent: a\nDisallow: /\n\
             User-agent: b\nContent-Signal: search=yes\nDisallow: /x",
            &[],
        ),
        (
            "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\nUser-agent: a\nDisallow: /x",
            &[(LosesPreferences, 2)],
        ),
        // What a rule or a star may open is not reported.
        ("User-agent: *\nContent-Usage: /a/ train-ai=n\nDisallow: /a\nAllow: /a/b", &[]),
        ("User-agent: *\nContent-Usage: /a/ train-ai=n\nDisallow: /a\nAllow: /*b", &[]),
        ("User-agent: *\nContent-Usage: /a train-ai=n\nDisallow: /a/", &[]),
        ("User-agent: *\nContent-Usage: train-ai=n\nDisallow: /a/", &[]),
        (
            "User-agent: *\nContent-Usage: /a/* train-ai=n\nDisallow: /a\nAllow: /c",
            &[(UsageNotCrawlable, 2)],
        ),
        (
            "User-agent: a\nUser-agent: b\nContent-Usage: train-ai=n\nDisallow: /\n\
             User-agent: b\nAllow: /b",
            &[],
        ),
        // Another path, another group, the same preference: nothing contradicts.
        (
            "User-agent: *\nContent-Usage: /a train-ai=n\nContent-Signal: ai-train=yes\nDisallow: /x\n\
             User-agent: b\nContent-Usage: train-ai=y\nContent-Signal: search=yes\nDisallow: /x",
            &[],
        ),
        (
            "User-agent: *\nContent-Usage: / search=n\nContent-Signal: search=yes\nDisallow: /x",
            &[(ContradictingPreferences, 3)],
        ),
        (
            "User-agent: *\nContent-Signal: /a ai-train=no\nContent-Signal: /a ai-train=yes\nDisallow: /x",
            &[(ContradictingPreferences, 3)],
        ),
        (
            "User-agent: *\nContent-Signal: ai-train=no, ai-train=yes\nDisallow: /x",
            &[(ContradictingPreferences, 2)],
        ),
        (
            "User-agent: *\nContent-Usage: /*a train-ai=n\nContent-Usage: /b* train-ai=y\nDisallow: /x",
            &[(ContradictingPreferences, 3)],
        ),
        (
            "User-agent: *\nContent-Usage: /*a$ train-ai=n\nContent-Usage: /*b$ train-ai=y\nDisallow: /x",
            &[],
        ),
    ] {
        assert_eq!(found(file), wanted, "{file}");
    }
}

/// Fields of headers mean nothing in robots.txt, and a misspelt field refuses nothing.
#[test]
fn fields() {
    let lint = |line: &str| {
        let file = format!("User-agent: *\n{line}\nDisallow: /x\n");
        let mut report = lint(file.as_bytes(), &Options::default());
        assert_eq!(report.findings.len(), 1, "{line}: {:?}", report.findings);
        let finding = report.findings.remove(0);
        let fix = finding.fix.map(|fix| fix.to_string()).unwrap_or_default();
        format!("{} {} {fix}", finding.code, finding.severity)
    };
    for line in ["X-Robots-Tag: noindex", "Robots-Tag: *;noindex", "tdm-reservation: 1"] {
        assert_eq!(lint(line), "RS205 warning ");
    }
    assert_eq!(
        lint("Content_Usage: train-ai=n"),
        "RS204 warning write 'content-usage'; this makes line 2 count, which disallows ai-train \
         (rfc9309, google)"
    );
    assert_eq!(
        lint("Content-Signals: search=yes, ai-train=no"),
        "RS204 warning write 'content-signal'; this makes line 2 count, which allows index, snippet \
         and disallows ai-train (rfc9309, google)"
    );
    assert_eq!(
        lint("Licence: https://e.com/l.xml"),
        "RS204 warning write 'license'; this makes line 2 count (rfc9309, google)"
    );
}

/// The rulings on each purpose, for some crawlers and URLs.
fn rulings(file: &[u8]) -> Vec<((&'static str, &'static str, Purpose), Ruling)> {
    let robots = Robots::parse(file, &Profile::RFC9309);
    let mut all = Vec::new();
    for name in ["a", "b", "other"] {
        let rights = RightsReader::new(&Crawler::name(name)).robots(&robots);
        for url in ["/", "/a", "/a/b", "/b", "/x/y", "/a.pdf"] {
            for purpose in Purpose::ALL {
                all.push(((name, url, *purpose), rights.ruling(*purpose, url).unwrap()));
            }
        }
    }
    all
}

#[test]
fn fixes_make_one_line_count() {
    for file in [
        "User-agent: *\nContent-Usage: Train-AI=n\nDisallow: /x\n",
        "User-agent: a\nDisallow: /x\nContent-Usage: /a train-ai = N, search=y\n\
         Content-Usage: search=n\nUser-agent: *\nContent-Usage: ai-use=n\nDisallow: /b\n",
        "User-agent: a\nUser-agent: b\nContent_Usage: train-ai=n\nDisallow: /x\n",
        "User-agent: *\nContent-Usage: train-ai=n search=y,\nContent-Signal: ai-train=yes\nAllow: /\n",
        "User-agent: *\r\nContent-Usage: Train-AI=n\r\nDisallow: /x\r\n",
        // Two things are to be mended, each of which makes it count.
        "User-agent: *\nDisallow: /x\n\x01Content-Usage: train-ai=n\n",
        "User-agent: *\nDisallow: /x\nContent\x02-Signal: ai-train=no\n",
    ] {
        let report = lint(file.as_bytes(), &Options::default());
        let fixes = report.findings.iter().filter_map(|finding| finding.fix.as_ref());
        let fixes: Vec<_> = fixes.filter(|fix| matches!(fix.effect, Effect::Rights(_))).collect();
        assert!(!fixes.is_empty(), "{file}");
        let Effect::Rights(changes) = &fixes[0].effect else { unreachable!() };
        let about: BTreeSet<Purpose> = changes
            .iter()
            .flat_map(|change| change.allows.iter().chain(&change.disallows))
            .copied()
            .collect();
        assert!(!about.is_empty(), "{file}");
        let new = fixes[0].applied_to(file.as_bytes());
        for ((asked, before), (_, after)) in rulings(file.as_bytes()).into_iter().zip(rulings(&new))
        {
            assert!(before == after || about.contains(&asked.2), "{file}: {asked:?}");
        }
        // What changes nothing is applied without asking; this does change something.
        let fixed = fix(file.as_bytes(), &Options::default(), Apply::Unchanging);
        assert_eq!(rulings(&fixed.file), rulings(file.as_bytes()), "{file}");
        let fixed = fix(file.as_bytes(), &Options::default(), Apply::All);
        let is_rights = matches!(fixed.effect, Some(Effect::Rights(_)));
        assert!(is_rights, "{file}: {:?}", fixed.effect);
        assert_eq!(rulings(&fixed.file), rulings(&new), "{file}");
    }
}

/// Where a line that begins to count would open a group, nothing is proven.
#[test]
fn no_fix_that_changes_groups() {
    let file = b"User-agent: a\nContent_Usage: train-ai=n\nUser-agent: b\nContent-Usage: search=n\nAllow: /\n";
    let report = lint(file, &Options::default());
    let misspelt = report.findings.iter().find(|finding| finding.code == Code::UnknownField);
    assert!(misspelt.is_some_and(|finding| finding.fix.is_none()), "{:?}", report.findings);
    // Outside every group it would still hold for nobody.
    for line in ["Content-Usage: Train-AI=n", "Content_Usage: train-ai=n"] {
        let file = format!("{line}\nUser-agent: *\nDisallow: /x\n");
        let report = lint(file.as_bytes(), &Options::default());
        assert!(report.findings.iter().all(|finding| finding.fix.is_none()), "{file}");
    }
}

/// A fix that changes no verdict of crawling, but the crawlers of a line about use, is none.
#[test]
fn no_fix_moves_preferences() {
    let file = "User-agent: a\nContent-Signal: ai-train=no\nUser-agent: b\nAllow: /\n";
    let joined = |file: &str| {
        let report = lint(file.as_bytes(), &Options::default());
        let joined = report.findings.into_iter().find(|one| one.code == Code::JoinedGroups);
        joined.expect("the groups are joined").fix.map(|fix| fix.effect)
    };
    assert_eq!(joined(file), None);
    assert_eq!(joined(&file.replace("Content-Signal", "Foo")), Some(Effect::None));
    // A group of Content-Usage ends there anyway.
    let usage = file.replace("Content-Signal: ai-train=no", "Content-Usage: train-ai=n");
    assert_eq!(joined(&usage), Some(Effect::None));
    let fixed = fix(file.as_bytes(), &Options::default(), Apply::Unchanging);
    assert_eq!(rulings(&fixed.file), rulings(file.as_bytes()));
}

/// Files made to be slow are linted in bounded time.
#[test]
fn hostile() {
    for line in [
        "Content-Usage: /a{n} Train-ai=n\n",
        "Content-Usage: /*a{n}* train-ai=n\nContent-Usage: /*{n}a* train-ai=y\n",
        "User-agent: a{n}\nContent-Usage: train-ai=n\n",
        "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\nUser-agent: a{n}\nAllow: /{n}\n",
        "Content-Signal: /{n} a{n}=b, ai-train=yes, ai-train=no\n",
        "Disallow: /a\nContent-Usage: /a/{n} train-ai=n\n",
        "Content_Usage: train-ai=n\n",
    ] {
        let mut file = "User-agent: *\n".to_owned();
        let mut number = 0;
        while file.len() < 500_000 {
            file += &line.replace("{n}", &number.to_string());
            number += 1;
        }
        let began = ThreadTime::start();
        let report = lint(file.as_bytes(), &Options::default());
        assert!(began.elapsed() < Duration::from_secs(10), "{line}: {:?}", began.elapsed());
        assert!(report.findings.len() < 100_000, "{line}");
    }
    let long = format!("User-agent: *\nContent-Usage: {}\n", "A=n,".repeat(100_000));
    let signals = format!("User-agent: *\nContent-Signal: {}\n", "a=n,".repeat(100_000));
    for file in [long, signals] {
        let began = ThreadTime::start();
        let _ = lint(file.as_bytes(), &Options::default());
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
}

/// Any bytes in these fields are linted without a panic.
#[test]
fn odd_bytes() {
    for value in [
        &b"\xff\xfe=n"[..],
        b"/\xff \xff=y",
        b"=,=,=",
        b"/ ,",
        b"a;",
        b";",
        b";;=",
        b"\"\xc3\"=n",
        b"/*$ $=n",
        b"/",
        b"//",
        b"*",
        b"train-ai=",
        b"use=",
        b"use",
        b"\t=\t",
        b"train-ai=n;\xe9=1",
    ] {
        for field in ["Content-Usage", "Content-Signal", "License", "Content_Usage"] {
            for before in ["", "User-agent: *\n"] {
                let file =
                    [before.as_bytes(), field.as_bytes(), b": ", value, b"\nDisallow: /x"].concat();
                let _ = lint(&file, &Options::default());
                let _ = fix(&file, &Options::default(), Apply::All);
            }
        }
    }
}
