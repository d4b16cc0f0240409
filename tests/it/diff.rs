//! What a comparison says is true: no URL differs between policies that are "equal", every flip
//! flips, the first one is a shortest one, and a direction without flips has none.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::support::random::Random;
use crate::support::{corpus, generate, say};
use robotsieve::{Config, Crawler, Engine, Policy, Profile, Robots, Target, Verdict};
use robotsieve_corpora::effort;
use robotsieve_lint::diff::{self, Difference, Extent, Flip, Limits, Unproven, WholeSite};

/// How many pairs of files to compare, and how many URLs to try for each. The environment variable
/// ROBOTSIEVE_DIFF_URLS overrides the latter.
const PAIRS: usize = 1_000;
const URLS: usize = 10_000;

fn policy(file: &[u8], profile: &Profile) -> Policy {
    Robots::parse(file, profile).policy(&Crawler::name("bot"))
}

/// A file for everybody with these lines.
fn of_lines(lines: &str) -> Vec<u8> {
    format!("User-agent: *\n{lines}\n").into_bytes()
}

fn compare(old: &str, new: &str, profile: &Profile) -> Difference {
    let [old, new] = [old, new].map(|lines| policy(&of_lines(lines), profile));
    diff::policies(&old, &new, &Limits::default())
}

/// The first newly disallowed and the first newly allowed path.
fn first(difference: &Difference) -> [Option<String>; 2] {
    let flips = difference.flips().unwrap_or_else(|| panic!("{difference:?}"));
    assert_eq!(flips.unproven, None);
    [&flips.newly_disallowed, &flips.newly_allowed]
        .map(|flips| Some(flips.first()?.path.escape_ascii().to_string()))
}

#[test]
fn equal_meaning() {
    for (old, new) in [
        ("", "Disallow:"),
        ("Disallow: /a\nAllow: /b", "Allow: /b\nDisallow: /a"),
        ("Disallow: /a", "Disallow: /a*"),
        ("Disallow: /a", "Disallow: /a\nDisallow: /a/b"),
        ("Disallow: /a\nAllow: /ab", "Disallow: /a\nAllow: /ab\nDisallow: /abc\nAllow: /abc"),
        ("Disallow: /*a*", "Disallow: /**a"),
        // The first rule alone matches whatever the second does.
        ("Disallow: /*a\nDisallow: /*/a", "Disallow: /*a"),
        ("Allow: /x", ""),
        // The same after normalising.
        ("Disallow: /é%7e", "Disallow: /%c3%a9~"),
        // No target has a space, a star, or an escape of a letter.
        ("Disallow: /x\nAllow: /x%61", "Disallow: /x\nAllow: /xa"),
        // This path is always allowed.
        ("Disallow: /robots.txt$", ""),
    ] {
        assert_eq!(compare(old, new, &Profile::RFC9309), Difference::Equal, "{old} | {new}");
        assert_eq!(compare(new, old, &Profile::RFC9309), Difference::Equal, "{new} | {old}");
    }
}

#[test]
fn shortest_flips() {
    for (old, new, disallowed, allowed) in [
        ("", "Disallow: /", Some("/"), None),
        ("Disallow: /", "", None, Some("/")),
        ("Disallow: /a", "Disallow: /b", Some("/b"), Some("/a")),
        ("Disallow: /a", "Disallow: /a/", None, Some("/a")),
        ("Disallow: /a/", "Disallow: /a", Some("/a"), None),
        ("Disallow: /*.pdf", "Disallow: /*.pdf$", None, Some("/.pdfa")),
        ("Disallow: /x$", "Disallow: /x", Some("/xa"), None),
        ("Allow: /a", "Disallow: /", Some("/"), None),
        ("Disallow: /\nAllow: /a*c", "Disallow: /\nAllow: /a*b", Some("/ac"), Some("/ab")),
        // The path of the file itself is always allowed, so a byte more is needed.
        ("", "Disallow: /robots.txt", Some("/robots.txta"), None),
        ("", "Disallow: /%20", Some("/%20"), None),
        ("", "Disallow: /*%2a", Some("/%2A"), None),
        ("", "Disallow: /%25", Some("/%25"), None),
        ("", "Disallow: /%zz", Some("/%zz"), None),
        // The shortest that a valid URL has.
        ("", "Disallow: /*%", Some("/%00"), None),
        ("", "Disallow: /%e", Some("/%E0"), None),
    ] {
        let wanted = [disallowed, allowed].map(|path| path.map(str::to_owned));
        let difference = compare(old, new, &Profile::RFC9309);
        assert_eq!(first(&difference), wanted, "{old} | {new}");
    }
    // Paths are as the profile compares them.
    let raw = compare("", "Disallow: /%2a*é", &Profile::GOOGLE);
    assert_eq!(first(&raw)[0].as_deref(), Some("/%2A%C3%A9"));
    let raw = compare("", "Disallow: /é", &Profile::ORIGINAL_1994);
    assert_eq!(first(&raw)[0].as_deref(), Some("/\\xc3\\xa9"));
}

/// An escaped digit stays escaped where it would complete an escape.
#[test]
fn escapes_that_decoding_would_make() {
    let profile = Profile::RFC9309;
    let policies = ["", "Disallow: /%%34"].map(|lines| policy(&of_lines(lines), &profile));
    let difference = diff::policies(&policies[0], &policies[1], &Limits::default());
    let path = first(&difference)[0].clone().unwrap();
    assert_eq!(policies[1].is_path_allowed(&path), Ok(false), "{path}");
}

#[test]
fn deciding_rules() {
    let difference = compare(
        "Disallow: /a\nDisallow: /b\nAllow: /a/x",
        "Disallow: /c\nDisallow: /b/d",
        &Profile::RFC9309,
    );
    let flips = difference.flips().unwrap();
    let lines = |flip: &Flip| {
        let line = |rule: &Option<diff::DecidingRule>| rule.as_ref().map(|rule| rule.line);
        (flip.path.escape_ascii().to_string(), line(&flip.old), line(&flip.new))
    };
    let allowed: Vec<_> = flips.newly_allowed.iter().map(lines).collect();
    assert_eq!(allowed, [("/a".into(), Some(2), None), ("/b".into(), Some(3), None)]);
    let disallowed: Vec<_> = flips.newly_disallowed.iter().map(lines).collect();
    assert_eq!(disallowed, [("/c".into(), None, Some(2))]);
    assert!(flips.newly_allowed.iter().all(|flip| flip.is_shortest));
    let rule = flips.newly_disallowed[0].new.as_ref().unwrap();
    assert_eq!((rule.verdict, &rule.value[..]), (Verdict::Disallow, &b"/c"[..]));
    // Longer flips by other rules are found too.
    let difference = compare("", "Disallow: /abc\nDisallow: /*.pdf", &Profile::RFC9309);
    let flips = &difference.flips().unwrap().newly_disallowed;
    let found: Vec<_> = flips.iter().map(|flip| (&flip.path[..], flip.is_shortest)).collect();
    assert_eq!(found, [(&b"/abc"[..], true), (b"/.pdf", false)]);
}

#[test]
fn crawlers() {
    let old = b"User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n";
    let new = b"User-agent: A\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n\nUser-agent: c\nDisallow: /y";
    let [old, new] = [&old[..], new].map(|file| Robots::parse(file, &Profile::RFC9309));
    let all = diff::files(&old, &new, &Limits::default()).crawlers;
    let names: Vec<Vec<&[u8]>> = all.iter().map(|same| same.crawlers.clone()).collect();
    assert_eq!(names, [vec![&b"*"[..], b"c"], vec![b"a"], vec![b"b"]]);
    assert!(all[0].difference.is_equal() && all[1].difference.is_equal());
    assert_eq!(first(&all[2].difference), [Some("/y".into()), Some("/x".into())]);
    let asked = [("one", Crawler::names(["x", "b"])), ("two", Crawler::name("b"))];
    let asked = diff::crawlers(&old, &new, asked, &Limits::default());
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].crawlers, ["one", "two"]);
}

/// What is said to flip beyond the limit does.
fn counts_hold(old: &Policy, new: &Policy) {
    let mut limits = Limits::default();
    limits.flips = 1;
    let few = diff::policies(old, new, &limits);
    limits.flips = 10_000;
    let many = diff::policies(old, new, &limits);
    let (Some(few), Some(many)) = (few.flips(), many.flips()) else {
        assert_eq!(few, many);
        return;
    };
    assert_eq!(few.whole_site, many.whole_site);
    for (shown, more, all) in [
        (&few.newly_disallowed, few.more_disallowed, &many.newly_disallowed),
        (&few.newly_allowed, few.more_allowed, &many.newly_allowed),
    ] {
        assert!(shown.len() <= 1 && shown.is_empty() == all.is_empty());
        // What is counted has a budget of its own.
        if many.unproven.is_none() && many.unexamined == 0 {
            assert!(shown.len() + more <= all.len(), "{more} more of {all:?}");
        }
    }
    assert_eq!((many.more_disallowed, many.more_allowed), (0, 0));
}

#[test]
fn extents() {
    let extent = |old, new| {
        let difference = compare(old, new, &Profile::RFC9309);
        let flips = difference.flips().unwrap();
        let flip = flips.newly_disallowed.iter().chain(&flips.newly_allowed).next().unwrap();
        (flip.path.escape_ascii().to_string(), flip.extent, flips.whole_site)
    };
    let path = str::to_owned;
    let wanted = (path("/"), Extent::From, Some(WholeSite::Closed));
    assert_eq!(extent("", "Disallow: /"), wanted);
    assert_eq!(extent("Disallow: /x", "Disallow: /").2, Some(WholeSite::Closed));
    assert_eq!(extent("Disallow: /", "Disallow: /$").2, Some(WholeSite::PartlyOpened));
    let wanted = (path("/"), Extent::From, Some(WholeSite::Opened));
    assert_eq!(extent("Disallow: /", "Disallow:"), wanted);
    // All of the rules together close the site.
    assert_eq!(extent("", "Disallow: /$\nDisallow: /*").2, Some(WholeSite::Closed));
    assert_eq!(extent("", "Disallow: /a"), (path("/a"), Extent::From, None));
    assert_eq!(extent("", "Disallow: /a$"), (path("/a"), Extent::Path, None));
    assert_eq!(extent("", "Disallow: /*b"), (path("/b"), Extent::From, None));
    assert_eq!(extent("", "Disallow: /a\nAllow: /ab"), (path("/a"), Extent::Path, None));
    let wanted = (path("/aa"), Extent::Below(2), None);
    assert_eq!(extent("Allow: /a\nDisallow: /", "Allow: /a$\nDisallow: /"), wanted);
    // Nothing is said about a part of an escape.
    assert_eq!(extent("", "Disallow: /%2F"), (path("/%2F"), Extent::From, None));
}

#[test]
fn more_flips() {
    let rules: String = ('a'..='i').map(|c| format!("Disallow: /{c}\n")).collect();
    let mut limits = Limits::default();
    limits.flips = 3;
    let [old, new] = ["", &rules].map(|lines| policy(&of_lines(lines), &Profile::RFC9309));
    let difference = diff::policies(&old, &new, &limits);
    let flips = difference.flips().unwrap();
    assert_eq!((flips.newly_disallowed.len(), flips.more_disallowed), (3, 6));
    assert_eq!((flips.newly_allowed.len(), flips.more_allowed), (0, 0));
}

/// Where the automata prove a difference, a path shows it, even if the search for the shortest
/// ones ends before it gets there.
#[test]
fn proven_differences_are_shown() {
    let mut limits = Limits::default();
    (limits.pairs, limits.samples) = (0, 0);
    let far = format!("Disallow: /{}\n", "z".repeat(30));
    let mut cut_short = 0;
    for last in 'c'..='o' {
        let stars: String = ('b'..=last).map(|x| format!("Disallow: /*a{x}*A{x}*x\n")).collect();
        let [old, new] =
            [stars.clone(), stars + &far].map(|lines| policy(&of_lines(&lines), &Profile::RFC9309));
        let difference = diff::policies(&old, &new, &limits);
        flips_flip(&difference, &old, &new);
        match &difference {
            Difference::Different(flips) => {
                assert!(!flips.newly_disallowed.is_empty());
                cut_short += usize::from(!flips.newly_disallowed[0].is_shortest);
            }
            Difference::Unknown { unproven, .. } => {
                assert!(matches!(unproven, Unproven::Pairs(_) | Unproven::Old(_)), "{unproven}");
            }
            _ => panic!("they differ"),
        }
    }
    assert!(cut_short > 0, "no search ended early");
}

#[test]
fn other_records() {
    use robotsieve::records::Kind;
    let old = b"Sitemap: https://e.com/a.xml\nSitemap: https://e.com/b.xml\nFoo: 1\n\
        User-agent: a\nUser-agent: b\nCrawl-delay: 10\nContent-Signal: search=yes, ai-train=no\n\
        Disallow: /x\n\nUser-agent: *\nCrawl-delay: 1\nDisallow: /y\nHost: e.com\n";
    let compare = |new: &[u8]| {
        let [old, new] = [&old[..], new].map(|file| Robots::parse(file, &Profile::RFC9309));
        let all = diff::files(&old, &new, &Limits::default());
        assert!(all.crawlers.iter().all(|same| same.difference.is_equal()));
        assert_eq!(all.is_equal(), all.records.is_empty());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut changes = Vec::new();
        for changed in &all.records {
            let crawlers = changed.crawlers.as_ref();
            let crawlers: Option<Vec<String>> =
                crawlers.map(|c| c.iter().map(|c| text(c)).collect());
            for change in &changed.changes {
                let lines = [&change.removed, &change.added]
                    .map(|all| all.iter().map(|one| one.line).collect::<Vec<u32>>());
                changes.push((crawlers.clone().unwrap_or_default().join(","), change.kind, lines));
            }
        }
        changes
    };
    let change = |crawlers: &str, kind, removed: &[u32], added: &[u32]| {
        (crawlers.to_owned(), kind, [removed.to_vec(), added.to_vec()])
    };
    let with = |from: &str, to: &str| {
        let changed = String::from_utf8(old.to_vec()).unwrap().replace(from, to);
        assert_ne!(changed.as_bytes(), old);
        compare(changed.as_bytes())
    };
    // Other text, the same meaning; fields that mean nothing.
    for (from, to) in [
        ("delay: 10\n", "delay:  10.0 # s\n"),
        ("search=yes, ai-train=no", "ai-train=no,search=yes"),
        (
            "https://e.com/a.xml\nSitemap: https://e.com/b.xml",
            "https://e.com/b.xml\nSitemap: https://e.com/a.xml",
        ),
        ("Foo: 1\n", "Bar: 2\n"),
        ("Host: e.com", "host: E.com"),
        ("Crawl-delay: 1\n", "Crawl_delay: 1\ncrawldelay: 1\n"),
    ] {
        assert_eq!(with(from, to), [], "{from} {to}");
    }
    let sitemap = Kind::Sitemap;
    assert_eq!(with("Sitemap: https://e.com/b.xml\n", ""), [change("", sitemap, &[2], &[])]);
    assert_eq!(with("b.xml", "c.xml"), [change("", sitemap, &[2], &[2])]);
    let delay = Kind::CrawlDelay;
    assert_eq!(with("delay: 10\n", "delay: 9000\n"), [change("a,b", delay, &[6], &[6])]);
    assert_eq!(with("delay: 10\n", "delay: 9,000\n"), [change("a,b", delay, &[6], &[6])]);
    assert_eq!(with("delay: 1\n", "delay: 2\n"), [change("*", delay, &[11], &[11])]);
    let signal = Kind::ContentSignal;
    assert_eq!(with("train=no", "train=yes"), [change("a,b", signal, &[7], &[7])]);
    assert_eq!(with("Host: e.com", ""), [change("", Kind::Host, &[13], &[])]);
    // A crawler gets a group of its own with the same rules but another delay.
    assert_eq!(
        with("User-agent: b\n", "Crawl-delay: 3\nDisallow: /x\nUser-agent: b\n"),
        [change("a", delay, &[6], &[5]), change("a", signal, &[7], &[])]
    );
    // Only so many are listed; the others are counted.
    let many: String = (0..9).map(|n| format!("Sitemap: /{n}\n")).collect();
    let mut limits = Limits::default();
    limits.records = 2;
    let [old, new] = ["", &many].map(|file| Robots::parse(file.as_bytes(), &Profile::RFC9309));
    let changed = diff::records(&old, &new, [("x", Crawler::name("x"))], &limits);
    let change = &changed[0].changes[0];
    assert_eq!((changed.len(), change.added.len(), change.more_added), (1, 2, 7));
}

/// The other records that changed are those that a comparison one by one finds.
#[test]
fn other_records_of_generated_files() {
    use robotsieve::records::{Kind, Scope};
    const LINES: [&str; 14] = [
        "User-agent: a",
        "User-agent: a",
        "User-agent: b",
        "User-agent: *",
        "Disallow: /x",
        "Disallow: /x",
        "Crawl-delay: 1",
        "Crawl-delay: 2",
        "Crawl-delay: soon",
        "Sitemap: /1",
        "Sitemap: /2",
        "Host: e.com",
        "Request-rate: 1/5",
        "Foo: bar",
    ];
    let mut random = Random(11);
    for round in 0..2_000 {
        let file = |random: &mut Random| -> Vec<u8> {
            let lines: Vec<&str> = (0..random.below(16)).map(|_| *random.of(&LINES)).collect();
            lines.join("\n").into_bytes()
        };
        let files = [file(&mut random), file(&mut random)];
        let (_, profile) = Profile::NAMED[round % 4];
        let [old, new] = [0, 1].map(|side: usize| Robots::parse(&files[side], &profile));
        let names = ["a", "b", "c"];
        let asked = names.map(|name| (name, Crawler::name(name)));
        let changed = diff::records(&old, &new, asked, &Limits::default());
        for name in [None, Some("a"), Some("b"), Some("c")] {
            // Where no meaning is written in two ways, the text is the meaning.
            let said = |robots: &Robots<'_>| -> BTreeMap<(Kind, bool, Vec<u8>), u32> {
                let records = match name {
                    Some(name) => robots.typed_records_for(&Crawler::name(name)),
                    None => robots.typed_records(),
                };
                let mut said = BTreeMap::new();
                for record in records.into_iter().filter(|one| one.kind != Kind::Unknown) {
                    if matches!(record.scope, Scope::Group(_) | Scope::Run(_)) == name.is_some() {
                        let key = (
                            record.kind,
                            record.scope == Scope::Outside,
                            record.record.value.to_vec(),
                        );
                        said.entry(key).or_insert(record.record.line);
                    }
                }
                said
            };
            let (old, new) = (said(&old), said(&new));
            let mut lines = BTreeMap::<Kind, [Vec<u32>; 2]>::new();
            for (side, one, other) in [(0, &old, &new), (1, &new, &old)] {
                for (key, line) in one.iter().filter(|(key, _)| !other.contains_key(*key)) {
                    lines.entry(key.0).or_default()[side].push(*line);
                }
            }
            lines.values_mut().flatten().for_each(|lines| lines.sort_unstable());
            let found = changed.iter().find(|changed| match (&changed.crawlers, name) {
                (None, None) => true,
                (Some(crawlers), Some(name)) => crawlers.contains(&name),
                _ => false,
            });
            let found: BTreeMap<Kind, [Vec<u32>; 2]> = found
                .into_iter()
                .flat_map(|changed| &changed.changes)
                .map(|change| {
                    let lines = [&change.removed, &change.added]
                        .map(|all| all.iter().map(|one| one.line).collect());
                    (change.kind, lines)
                })
                .collect();
            assert_eq!(
                found,
                lines,
                "{name:?} {}",
                files.map(|f| f.escape_ascii().to_string()).join("\n")
            );
        }
    }
}

/// Beyond the limits, only what was seen is reported, and it is true.
#[test]
fn over_the_bounds() {
    let stars = |verdict: &str, last: char| -> String {
        let rule = |x: char| format!("{verdict}: /*a{x}*A{x}*{last}\n");
        ('b'..='o').map(rule).collect()
    };
    let mut limits = Limits::default();
    limits.pairs = 2_000;
    // A DFA with millions of states.
    let large: String = (0..40).map(|i| format!("Disallow: /*a{i}b*c{i}d*e{i}f\n")).collect();
    let old = policy(&of_lines(&large), &Profile::RFC9309);
    let changed = policy(&of_lines(&large.replace("e7f", "e7g")), &Profile::RFC9309);
    let difference = diff::policies(&old, &changed, &limits);
    let flips = difference.flips().expect("samples find it");
    assert!(matches!(flips.unproven, Some(Unproven::Old(_))), "{flips:?}");
    flips_flip(&difference, &old, &changed);
    assert!(flips.newly_allowed.iter().all(|flip| !flip.is_shortest));
    // One more rule, which never decides: equal, but it cannot be proven.
    let redundant =
        policy(&of_lines(&format!("{large}Disallow: /*a7b*c7d*e7f*x")), &Profile::RFC9309);
    let unknown = diff::policies(&old, &redundant, &limits);
    let Difference::Unknown { unproven: Unproven::Old(_), sampled } = unknown else {
        panic!("{unknown:?}")
    };
    assert_eq!(sampled, limits.samples);
    // Two DFAs whose pairs are too many.
    let [one, other] = [stars("Disallow", 'x'), stars("Disallow", 'y')];
    let [one, other] = [one, other].map(|lines| policy(&of_lines(&lines), &Profile::RFC9309));
    flips_flip(&diff::policies(&one, &other, &limits), &one, &other);
    // Different profiles.
    let google = policy(&of_lines("Disallow: /%41"), &Profile::GOOGLE);
    let rfc = policy(&of_lines("Disallow: /%41"), &Profile::RFC9309);
    let difference = diff::policies(&rfc, &google, &limits);
    flips_flip(&difference, &rfc, &google);
    assert!(!difference.is_equal(), "{difference:?}");
}

/// Policies that are as large as the square of the file are not all made, and that is said. The
/// small ones are compared all the same.
#[test]
fn policies_over_the_budget() {
    let name = |n: usize| format!("bot{}", "x".repeat(n));
    let agents: String = (0..200).map(|n| format!("User-agent: {}\n", name(n))).collect();
    let rules: String = (0..2_000).map(|n| format!("Disallow: /{n}/\n")).collect();
    let own: String =
        (0..200).map(|n| format!("User-agent: {}\nDisallow: /y\n", name(n))).collect();
    let old = format!("{agents}{rules}{own}User-agent: z\nDisallow: /a\n");
    let new = format!("{agents}{rules}Disallow: /new\n{own}User-agent: z\nDisallow: /b\n");
    let [old, new] = [&old, &new].map(|file| Robots::parse(file.as_bytes(), &Profile::RFC9309));
    let compared = diff::files(&old, &new, &Limits::default()).crawlers;
    let work = Difference::Unknown { unproven: Unproven::Work, sampled: 0 };
    let unknown = compared.iter().filter(|same| same.difference == work).count();
    let different = compared.iter().filter(|same| same.difference.flips().is_some()).count();
    assert!(unknown > 50 && different >= 2, "{unknown} {different}");
    let [.., last] = compared.as_slice() else { panic!("{compared:?}") };
    assert_eq!(last.crawlers, [b"z"]);
    assert_eq!(first(&last.difference), [Some("/b".into()), Some("/a".into())]);
}

/// Policies can be compared whatever their engine.
#[test]
fn policies_of_other_engines() {
    for engine in [Engine::Scan, Engine::Lazy, Engine::Segments] {
        let mut config = Config::default();
        config.engine = Some(engine);
        let policy = |lines| {
            Robots::parse_with(&of_lines(lines), &Profile::RFC9309, &config)
                .policy(&Crawler::name("bot"))
        };
        let difference =
            diff::policies(&policy("Disallow: /*a"), &policy("Disallow: /*b"), &Limits::default());
        assert_eq!(first(&difference), [Some("/b".into()), Some("/a".into())]);
    }
    let mut config = Config::default();
    config.keep_rules = false;
    let without = Robots::parse_with(b"User-agent: *\nDisallow: /a", &Profile::RFC9309, &config)
        .policy(&Crawler::name("bot"));
    let difference = diff::policies(&without, &policy(b"", &Profile::RFC9309), &Limits::default());
    assert_eq!(first(&difference), [None, Some("/a".into())]);
    assert_eq!(difference.flips().unwrap().newly_allowed[0].old, None);
}

/// Every flip flips.
fn flips_flip(difference: &Difference, old: &Policy, new: &Policy) {
    let Some(flips) = difference.flips() else { return };
    assert!(!flips.newly_disallowed.is_empty() || !flips.newly_allowed.is_empty());
    let both = [(&flips.newly_disallowed, false), (&flips.newly_allowed, true)];
    for (flip, allowed) in both.iter().flat_map(|(flips, now)| flips.iter().map(|f| (f, *now))) {
        assert_eq!(flip.path.first(), Some(&b'/'));
        assert_eq!(old.is_path_allowed(&flip.path), Ok(!allowed), "{flip:?}");
        assert_eq!(new.is_path_allowed(&flip.path), Ok(allowed), "{flip:?}");
        let line = |policy: &Policy| policy.decide_path(&flip.path).unwrap().rule().map(|r| r.line);
        assert_eq!(flip.old.as_ref().map(|rule| rule.line), line(old));
        assert_eq!(flip.new.as_ref().map(|rule| rule.line), line(new));
        for end in [&b""[..], b"a", b"/", b"x/y.html", b"?q=1", b"%2A", b".pdf", b"b", b"*$"] {
            let prefix = match flip.extent {
                Extent::From => &flip.path[..],
                Extent::Below(len) if !end.is_empty() => &flip.path[..len],
                _ => continue,
            };
            let path = [prefix, end].concat();
            assert_eq!(old.is_path_allowed(&path), Ok(!allowed), "{flip:?} {end:?}");
            assert_eq!(new.is_path_allowed(&path), Ok(allowed), "{flip:?} {end:?}");
        }
    }
}

/// What is said about the extent of a difference and about the whole site is true for this path.
fn extent_holds(difference: &Difference, profile: &Profile, path: &[u8], [old, new]: [bool; 2]) {
    let Some(flips) = difference.flips() else { return };
    let target = Target::from_path(path, profile).unwrap().to_vec();
    if profile.robots_txt_allowed && target == b"/robots.txt" {
        return;
    }
    let shown = path.escape_ascii();
    match flips.whole_site {
        Some(WholeSite::Closed) => assert!(!new, "{shown} is open: {flips:?}"),
        Some(WholeSite::Opened) => assert!(!old && new, "{shown} was open, or is not: {flips:?}"),
        Some(WholeSite::PartlyOpened) => assert!(!old, "{shown} was open: {flips:?}"),
        _ => {}
    }
    for (flips, allowed) in [(&flips.newly_disallowed, false), (&flips.newly_allowed, true)] {
        for flip in flips {
            let begins = |len: usize| target.starts_with(&flip.path[..len]);
            let is_in = match flip.extent {
                Extent::From => begins(flip.path.len()),
                Extent::Below(len) => begins(len) && target.len() > len,
                _ => false,
            };
            assert!(!is_in || (old, new) == (!allowed, allowed), "{shown}: {flip:?}");
        }
    }
}

/// What the comparison says is true for these paths.
fn holds_for(
    difference: &Difference,
    profile: &Profile,
    [old, new]: [&Policy; 2],
    paths: &[Vec<u8>],
) {
    flips_flip(difference, old, new);
    let proven = difference.flips().is_none_or(|flips| flips.unproven.is_none());
    if !proven || matches!(difference, Difference::Unknown { .. }) {
        return;
    }
    let target_len = |path: &[u8]| Target::from_path(path, profile).unwrap().to_vec().len();
    let nearest = |flips: &[Flip]| {
        let first = flips.first()?;
        assert!(first.is_shortest);
        Some((target_len(&first.path), !has_stray(&first.path)))
    };
    let nearest = difference
        .flips()
        .map_or([None; 2], |f| [nearest(&f.newly_disallowed), nearest(&f.newly_allowed)]);
    for path in paths {
        let allowed = [old, new].map(|policy| policy.is_path_allowed(path).unwrap());
        extent_holds(difference, profile, path, allowed);
        if allowed[0] != allowed[1] {
            let shown = path.escape_ascii();
            let nearest = nearest[usize::from(allowed[1])];
            let (nearest, is_valid) =
                nearest.unwrap_or_else(|| panic!("{shown} flips: {difference:?}"));
            // Where valid URLs flip, the others do not count.
            let counts = !is_valid || !has_stray(path);
            assert!(!counts || nearest <= target_len(path), "{shown} is nearer: {difference:?}");
            assert!(is_valid || has_stray(path), "{shown} is valid: {difference:?}");
        }
    }
}

/// Returns true if a `%` in a path begins no escape, so that no valid URL has it.
fn has_stray(path: &[u8]) -> bool {
    let is_escape = |at: usize| matches!(path.get(at + 1..at + 3), Some([high, low]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit());
    (0..path.len()).any(|at| path[at] == b'%' && !is_escape(at))
}

/// Rules over a small alphabet, so that they often match the same paths.
fn rules(random: &mut Random) -> Vec<(bool, Vec<u8>)> {
    const WORDS: [&[u8]; 18] = [
        b"a",
        b"b",
        b"/",
        b"ab",
        b"/a",
        b"a",
        b"b",
        b"*",
        b"*",
        b"/",
        b"%61",
        b"%2a",
        b"%2F",
        b"\xC3\xA9",
        b"%",
        b" ",
        b"?",
        b"robots.txt",
    ];
    const ENDS: [&[u8]; 6] = [b"", b"", b"", b"$", b"*", b"*$"];
    let words: &[&[u8]] = if random.below(3) == 0 { &WORDS } else { &WORDS[..10] };
    let most = if random.below(4) == 0 { 30 } else { 6 };
    (0..1 + random.below(most))
        .map(|_| {
            let mut value = b"/".to_vec();
            (0..random.below(6))
                .for_each(|_| value.extend_from_slice(words[random.below(words.len())]));
            value.extend_from_slice(ENDS[random.below(ENDS.len())]);
            (random.below(2) == 0, value)
        })
        .collect()
}

/// The same rules with small changes, many of which do not change the meaning.
fn mutated(rules: &[(bool, Vec<u8>)], random: &mut Random) -> Vec<(bool, Vec<u8>)> {
    let mut rules = rules.to_vec();
    for _ in 0..1 + random.below(2) {
        let at = random.below(rules.len());
        match random.below(9) {
            0 => {
                let other = random.below(rules.len());
                rules.swap(at, other);
            }
            1 | 2 => {
                // Redundant, unless another rule takes precedence there.
                let (allow, mut value) = rules[at].clone();
                value.extend(random.word(2, b"ab/*"));
                rules.push((allow, value));
            }
            3 => {
                let place = random.below(rules[at].1.len());
                rules[at].1[place] = *random.of(b"ab/*$%");
            }
            4 => drop(rules.remove(at)),
            5 => rules[at].0 ^= true,
            6 => {
                let value = String::from_utf8_lossy(&rules[at].1).replace('a', "%61");
                rules[at].1 = value.into_bytes();
            }
            7 => rules[at].1.extend_from_slice(b"**"),
            _ => rules.push(rules[at].clone()),
        }
        if rules.is_empty() {
            return vec![(false, b"/b".to_vec())];
        }
    }
    rules
}

/// Two files, and a name for how they were made.
fn pair(number: usize, random: &mut Random) -> (&'static str, Vec<u8>, Vec<u8>) {
    if number.is_multiple_of(10) {
        let old = robotsieve_corpora::robots(7, number as u64);
        if number.is_multiple_of(20) {
            return ("invented hosts", old, robotsieve_corpora::robots(7, number as u64 + 1));
        }
        let new = changed_file(&old, random);
        return ("invented host, changed", old, new);
    }
    let old = rules(random);
    let new = if number.is_multiple_of(4) { rules(random) } else { mutated(&old, random) };
    let mut files = [generate::file(&old), generate::file(&new)];
    if random.below(3) == 0 && new.len() > 1 {
        // The same group in two parts.
        let [one, other] = [&new[..1], &new[1..]].map(generate::file);
        files[1] = [one, b"User-agent: else\nDisallow: /\n".to_vec(), other].concat();
    }
    let [old_file, new_file] = files;
    (
        if number.is_multiple_of(4) { "unrelated rules" } else { "rules, changed" },
        old_file,
        new_file,
    )
}

/// A file with some of its lines changed, moved, dropped or doubled.
fn changed_file(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = file.split(|o| *o == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(lines.len());
        match random.below(5) {
            0 => {
                let other = random.below(lines.len());
                lines.swap(at, other);
            }
            1 if !lines[at].is_empty() => {
                let place = random.below(lines[at].len());
                lines[at][place] = *random.of(b"a/*$%B");
            }
            2 if lines.len() > 1 => drop(lines.remove(at)),
            3 => lines.insert(at, lines[at].clone()),
            _ => lines.insert(at, b"# said again".to_vec()),
        }
    }
    lines.join(&b'\n')
}

/// Paths that the rules of both match or nearly match, and some random ones.
fn paths(old: &Policy, new: &Policy, count: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let values: Vec<Vec<u8>> = old.rules().chain(new.rules()).map(|r| r.value.to_vec()).collect();
    let words: [&[u8]; 10] =
        [b"a", b"b", b"/", b"ab", b"", b"%61", b"*", b"\xC3\xA9", b"robots.txt", b"?"];
    let mut paths = Vec::with_capacity(count);
    for _ in 0..count {
        let mut path = Vec::new();
        if values.is_empty() || random.below(8) == 0 {
            path.extend(random.word(8, b"ab/a%6?*$"));
        } else {
            for _ in 0..1 + random.below(2) {
                let value = random.of(&values);
                let value = value.strip_suffix(b"$").unwrap_or(value);
                let fills: Vec<&[u8]> = (0..3).map(|_| *random.of(&words)).collect();
                path.extend(generate::filled(value, fills.into_iter().cycle()));
            }
        }
        match random.below(6) {
            0 => path.truncate(random.below(path.len() + 1)),
            1 => path.extend(random.word(3, b"ab/")),
            2 if !path.is_empty() => {
                let at = random.below(path.len());
                path[at] = *random.of(b"ab/%\xE9");
            }
            _ => {}
        }
        if path.first() != Some(&b'/') {
            path.insert(0, b'/');
        }
        paths.push(path);
    }
    paths
}

/// Runs the work for each number, on all cores.
fn over_all_cores(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    work(number);
                }
            });
        }
    });
}

/// In a thousand pairs, policies that are said to be equal differ on none of the URLs, every flip
/// flips, and no URL flips in a direction that has no flips.
#[test]
fn generated_pairs() {
    let urls = std::env::var("ROBOTSIEVE_DIFF_URLS").ok().and_then(|urls| urls.parse().ok());
    let urls = urls.unwrap_or(URLS);
    let counts: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let slowest = Mutex::new(Duration::ZERO);
    let pairs = effort::cases(PAIRS);
    over_all_cores(pairs, |number| {
        let mut random = Random(number as u64);
        let (kind, old_file, new_file) = pair(number, &mut random);
        let (profile_name, profile) = Profile::NAMED[number / 10 % 4];
        let [old, new] = [&old_file, &new_file].map(|file| Robots::parse(file, &profile));
        let began = Instant::now();
        let all = diff::files(&old, &new, &Limits::default()).crawlers;
        let took = began.elapsed();
        let mut worst = slowest.lock().unwrap_or_else(PoisonError::into_inner);
        *worst = worst.max(took);
        drop(worst);
        for same in &all {
            let crawler = match same.crawlers[0] {
                b"*" => Crawler::names([""; 0]),
                token => Crawler::name(token),
            };
            let [old, new] = [&old, &new].map(|robots| robots.policy(&crawler));
            let paths = paths(&old, &new, urls / all.len().min(10), &mut random);
            holds_for(&same.difference, &profile, [&old, &new], &paths);
            if number % 3 == 0 {
                counts_hold(&old, &new);
            }
            let outcome = match &same.difference {
                Difference::Equal
                    if old.rules().map(|r| r.value).eq(new.rules().map(|r| r.value)) =>
                {
                    "equal, the same rules"
                }
                Difference::Equal => "equal, other rules",
                Difference::Different(flips) if flips.unproven.is_some() => "different, unproven",
                Difference::Different(_) => "different",
                _ => "unknown",
            };
            let counted = format!("{kind}, {profile_name}: {outcome}");
            *counts.lock().unwrap_or_else(PoisonError::into_inner).entry(counted).or_default() += 1;
        }
    });
    for (outcome, count) in counts.into_inner().unwrap_or_else(PoisonError::into_inner) {
        say(&format!("{count:6}  {outcome}"));
    }
    let slowest = slowest.into_inner().unwrap_or_else(PoisonError::into_inner);
    say(&format!("{pairs} pairs, {urls} URLs each; slowest comparison {slowest:?}"));
}

/// Every file of the corpus, compared with the same file after a few changes.
#[corpus::test]
fn corpus_pairs() {
    let mut hosts = corpus::files();
    // Spread over all of them.
    if !effort::everything() {
        hosts = hosts.into_iter().step_by(4).collect();
    }
    let outcomes: Mutex<[usize; 4]> = Mutex::default();
    let slowest: Mutex<Vec<(Duration, &str)>> = Mutex::default();
    over_all_cores(hosts.len(), |number| {
        let (name, file) = &hosts[number];
        let mut random = Random(number as u64);
        let changed = changed_file(file, &mut random);
        let profile = Profile::NAMED[number % 4].1;
        let [old, new] = [file, &changed].map(|file| Robots::parse(file, &profile));
        let began = Instant::now();
        let all = diff::files(&old, &new, &Limits::default()).crawlers;
        let took = began.elapsed();
        slowest.lock().unwrap_or_else(PoisonError::into_inner).push((took, name));
        for same in &all {
            let crawler = match same.crawlers[0] {
                b"*" => Crawler::names([""; 0]),
                token => Crawler::name(token),
            };
            let [old, new] = [&old, &new].map(|robots| robots.policy(&crawler));
            let paths = paths(&old, &new, 200, &mut random);
            holds_for(&same.difference, &profile, [&old, &new], &paths);
            let outcome = match &same.difference {
                Difference::Equal => 0,
                Difference::Different(flips) if flips.unproven.is_none() => 1,
                Difference::Different(_) => 2,
                _ => 3,
            };
            outcomes.lock().unwrap_or_else(PoisonError::into_inner)[outcome] += 1;
        }
    });
    let [equal, proven, unproven, unknown] =
        outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut slowest = slowest.into_inner().unwrap_or_else(PoisonError::into_inner);
    slowest.sort_unstable_by(|a, b| b.cmp(a));
    slowest.truncate(5);
    say(&format!(
        "{} files, policies: {equal} equal, {proven} different, {unproven} different but not \
         searched to the end, {unknown} unknown; slowest files {slowest:?}",
        hosts.len(),
    ));
}

/// Files made to cost as much as they can, compared with the same file with one more rule and with
/// one rule changed.
#[test]
fn hostile_pairs() {
    let files = robotsieve_corpora::hostile::all();
    // By default each file with one of the two.
    over_all_cores(2 * files.len() / effort::step(2), |number| {
        let (name, file) = &files[number % files.len()];
        let changed = if (number + number / files.len()).is_multiple_of(2) {
            [&file[..], b"Disallow: /zzz*\n"].concat()
        } else {
            let mut changed = file.clone();
            let at = changed.len() - 2;
            changed[at] = if changed[at] == b'q' { b'r' } else { b'q' };
            changed
        };
        let [old, new] = [file, &changed].map(|file| policy(file, &Profile::RFC9309));
        let began = Instant::now();
        let difference = diff::policies(&old, &new, &Limits::default());
        let took = began.elapsed();
        flips_flip(&difference, &old, &new);
        let outcome = match &difference {
            Difference::Equal => "equal",
            Difference::Different(flips) if flips.unproven.is_none() => "different",
            Difference::Different(_) => "different, not searched to the end",
            _ => "unknown",
        };
        say(&format!("{name}: {outcome}, {took:?}"));
        assert!(took.as_secs() < 60, "{name}: {took:?}");
    });
}

/// The lines of the deciding rules in the old file and in the new one, over all flips.
fn lines_told(flips: &diff::Flips) -> [std::collections::BTreeSet<u32>; 2] {
    let all = || flips.newly_disallowed.iter().chain(&flips.newly_allowed);
    [
        all().filter_map(|flip| flip.old.as_ref()).map(|rule| rule.line).collect(),
        all().filter_map(|flip| flip.new.as_ref()).map(|rule| rule.line).collect(),
    ]
}

/// Rules whose automata have states in common are told each by itself.
#[test]
fn each_rule_is_told() {
    for (old, new, wanted) in [
        ("", "Disallow: /cart$\nDisallow: /login$", [&[][..], &[2, 3]]),
        (
            "Disallow: /",
            "Disallow: /\nAllow: /$\nAllow: /about$\nAllow: /press$",
            [&[2], &[3, 4, 5]],
        ),
        ("", "Disallow: /*?sort=\nDisallow: /*&sort=", [&[], &[2, 3]]),
        ("", "Disallow: /docs/*.pdf$\nDisallow: /files/*.pdf$", [&[], &[2, 3]]),
        ("", "Disallow: /*.pdf$\nDisallow: /*.doc$\nDisallow: /*.xls$", [&[], &[2, 3, 4]]),
        ("Disallow: /*?", "Disallow: /*?\nDisallow: /tmp/*\nDisallow: /products/*", [&[], &[3, 4]]),
        ("Disallow: /cart$\nDisallow: /login$", "", [&[2, 3], &[]]),
        // The second decides only where neither the longer nor the shorter one matches better.
        ("", "Disallow: /*a*a\nDisallow: /*b\nAllow: /*/b$", [&[], &[2, 3]]),
        // It matches nothing that the first does not decide.
        ("", "Disallow: /abc\nDisallow: /ab$\nAllow: /a*b$", [&[], &[2]]),
    ] {
        let difference = compare(old, new, &Profile::RFC9309);
        let flips = difference.flips().unwrap();
        assert_eq!(flips.unexamined, 0);
        let told = lines_told(flips).map(|lines| lines.into_iter().collect::<Vec<_>>());
        assert_eq!(told, wanted, "{old} | {new}: {difference:?}");
    }
}

/// Every rule of one file alone that decides a path that flips is told: compared with all short
/// paths.
#[test]
fn no_rule_is_missing() {
    let mut random = Random(16);
    let mut paths = vec![String::from("/")];
    for len in 0..5 {
        let longest: Vec<String> =
            paths.iter().filter(|path| path.len() == len + 1).cloned().collect();
        paths.extend(longest.iter().flat_map(|path| ["a", "b", "/"].map(|c| format!("{path}{c}"))));
    }
    let mut rules_told = 0;
    for number in 0..400 {
        let mut lines = |most: usize| {
            let mut lines = String::new();
            for _ in 0..random.below(most) {
                let verdict = if random.below(3) == 0 { "Allow" } else { "Disallow" };
                let mut value = String::from("/");
                for _ in 0..random.below(5) {
                    value.push(['a', 'b', '*', '/'][random.below(4)]);
                }
                let end = if random.below(3) == 0 { "$" } else { "" };
                lines += &format!("{verdict}: {value}{end}\n");
            }
            lines
        };
        let [old_lines, new_lines] = [lines(3), lines(7)];
        let profile = Profile::NAMED[number % 4].1;
        let [old, new] = [&old_lines, &new_lines].map(|lines| policy(&of_lines(lines), &profile));
        let mut limits = Limits::default();
        limits.flips = 1_000;
        let difference = diff::policies(&old, &new, &limits);
        let told = match difference.flips() {
            Some(flips) => {
                assert_eq!((flips.unexamined, flips.unproven), (0, None));
                lines_told(flips)
            }
            None => Default::default(),
        };
        rules_told += told[0].len() + told[1].len();
        let of = |policy: &Policy| -> Vec<(Vec<u8>, bool, Verdict)> {
            let rules = policy.rules();
            rules.map(|rule| (rule.pattern().to_vec(), rule.anchored(), rule.verdict)).collect()
        };
        let rules = [of(&old), of(&new)];
        for path in &paths {
            let decided = [&old, &new].map(|policy| policy.decide_path(path).unwrap());
            if decided[0].verdict == decided[1].verdict {
                continue;
            }
            for side in 0..2 {
                let Some(rule) = decided[side].rule() else { continue };
                let own = (rule.pattern().to_vec(), rule.anchored(), rule.verdict);
                assert!(
                    rules[1 - side].contains(&own) || told[side].contains(&rule.line),
                    "line {} decides {path} and is not told: {old_lines} | {new_lines}",
                    rule.line
                );
            }
        }
    }
    assert!(rules_told > 400, "{rules_told}");
}

/// Of the paths that the same rules decide, those are told that a valid URL can have.
#[test]
fn valid_urls_are_preferred() {
    let shortest = |rule: &str| {
        let file = format!("User-agent: *\nDisallow: {rule}\n");
        let [old, new] = [file.as_bytes(), b""].map(|file| policy(file, &Profile::GOOGLE));
        let difference = diff::policies(&old, &new, &Limits::default());
        let flip = difference.flips().unwrap().newly_allowed[0].clone();
        assert!(flip.is_shortest, "{rule}");
        String::from_utf8(flip.path).unwrap()
    };
    assert_eq!(shortest("/a%"), "/a%aa");
    assert_eq!(shortest("/g/*/%*/y"), "/g//%aa/y");
    assert_eq!(shortest("/%41"), "/%41");
    // There is no other.
    assert_eq!(shortest("/a%zz"), "/a%zz");
    assert_eq!(shortest("/a%$"), "/a%");
}
