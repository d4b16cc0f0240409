//! The changes that findings propose do to verdicts what they say.

use std::collections::BTreeSet;

use crate::support::random::Random;
use crate::support::{corpus, naive, say};
use robotsieve::{Crawler, Policy, Profile, Robots, Verdict};
use robotsieve_corpora::effort;
use robotsieve_lint::diff::{self, Limits};
use robotsieve_lint::{Apply, Code, Effect, Finding, MAX_PER_CODE, Options, fix, lint};
use robotsieve_report::FixReport;

/// The profiles in which fixes are proven, whatever the options.
fn proven(options: &Options) -> Vec<(String, Profile)> {
    let mut profiles: Vec<(String, Profile)> =
        options.profiles.iter().map(|(name, profile)| (name.to_string(), *profile)).collect();
    for (name, profile) in [("rfc9309", Profile::RFC9309), ("google", Profile::GOOGLE)] {
        if !profiles.iter().any(|(known, _)| known == name) {
            profiles.push((name.to_owned(), profile));
        }
    }
    profiles
}

/// A profile and a crawler for whom something changed.
type Changed = BTreeSet<(String, Vec<u8>)>;

/// For whom the verdicts of two files differ, by `diff`.
fn measured(old: &[u8], new: &[u8], options: &Options) -> Changed {
    let mut changed = Changed::new();
    for (name, profile) in proven(options) {
        let (old, new) = (Robots::parse(old, &profile), Robots::parse(new, &profile));
        for compared in diff::files(&old, &new, &Limits::default()).crawlers {
            if !compared.difference.is_equal() {
                let crawlers = compared.crawlers.iter().map(|crawler| crawler.to_ascii_lowercase());
                changed.extend(crawlers.map(|crawler| (name.clone(), crawler)));
            }
        }
    }
    changed
}

/// For whom the pace of two files differs.
fn measured_paces(old: &[u8], new: &[u8], options: &Options) -> Changed {
    let mut changed = Changed::new();
    for (name, profile) in proven(options) {
        let (old, new) = (Robots::parse(old, &profile), Robots::parse(new, &profile));
        let mut tokens = BTreeSet::from([b"*".to_vec()]);
        tokens.extend(old.tokens().map(<[u8]>::to_ascii_lowercase));
        tokens.extend(new.tokens().map(<[u8]>::to_ascii_lowercase));
        for token in tokens {
            let crawler = Crawler::names(Some(&token[..]).filter(|token| *token != b"*"));
            if old.pace(&crawler) != new.pace(&crawler) {
                changed.insert((name.clone(), token));
            }
        }
    }
    changed
}

fn policy(file: &[u8], profile: &Profile, crawler: &[u8]) -> Policy {
    let name = Some(crawler).filter(|crawler| *crawler != b"*");
    Robots::parse(file, profile).policy(&Crawler::names(name))
}

/// The verdict by trying the rules one by one, with wildcards matched naively.
fn by_hand(policy: &Policy, profile: &Profile, path: &[u8]) -> Verdict {
    let decided = policy.decide_path(path).unwrap();
    let target = policy.target(path).map(|target| target.to_vec());
    match target {
        // A path that begins with `//` is no URL of this host for `target`.
        Ok(target) if !path.starts_with(b"//") => {
            let verdict = naive::verdict(policy, profile, &target);
            assert_eq!(verdict, decided.verdict, "{}", path.escape_ascii());
            verdict
        }
        _ => decided.verdict,
    }
}

/// Checks that an effect is what happens if the file becomes `new`.
fn check(old: &[u8], new: &[u8], effect: &Effect, options: &Options, about: &str) {
    let (mut announced, mut announced_paces) = (Changed::new(), Changed::new());
    if let Effect::Verdicts(changes) = effect {
        assert!(!changes.is_empty(), "{about}: no change");
        for change in changes {
            if let Some(pace) = change.pace {
                assert_ne!(pace[0], pace[1], "{about}");
                for name in &change.profiles {
                    let lower = change.crawlers.iter().map(|crawler| crawler.to_ascii_lowercase());
                    announced_paces.extend(lower.map(|crawler| (name.to_string(), crawler)));
                }
                continue;
            }
            assert!(
                !change.newly_allowed.is_empty() || !change.newly_disallowed.is_empty(),
                "{about}: {change:?}"
            );
            for name in &change.profiles {
                let (_, profile) =
                    proven(options).into_iter().find(|(known, _)| known == name).unwrap();
                for crawler in &change.crawlers {
                    announced.insert((name.to_string(), crawler.to_ascii_lowercase()));
                    let policies = [old, new].map(|file| policy(file, &profile, crawler));
                    let verdicts =
                        |path: &[u8]| [0, 1].map(|i: usize| by_hand(&policies[i], &profile, path));
                    for path in &change.newly_disallowed {
                        let both = [Verdict::Allow, Verdict::Disallow];
                        assert_eq!(verdicts(path), both, "{about}: {}", path.escape_ascii());
                    }
                    for path in &change.newly_allowed {
                        let both = [Verdict::Disallow, Verdict::Allow];
                        assert_eq!(verdicts(path), both, "{about}: {}", path.escape_ascii());
                    }
                    // No site is closed or opened, but for a misspelt crawler.
                    let [before, after] = verdicts(b"/");
                    let is_nobody = crawler.eq_ignore_ascii_case(b"Googlbot");
                    assert!(before == after || is_nobody, "{about}: the start page");
                }
            }
        }
    }
    assert_eq!(measured(old, new, options), announced, "{about}: {effect}");
    assert_eq!(measured_paces(old, new, options), announced_paces, "{about}: {effect}");
}

fn about(finding: &Finding) -> String {
    finding.to_string()
}

/// Checks the fixes of a file, each alone and all together. Returns how many change nothing, how
/// many change verdicts, and how many were applied together.
fn check_file(file: &[u8], options: &Options, most: usize) -> [usize; 3] {
    let report = lint(file, options);
    let mut counts = [0; 3];
    let offered: Vec<&Finding> = report.findings.iter().filter(|f| f.fix.is_some()).collect();
    // Evenly over the file.
    let step = offered.len().div_ceil(most).max(1);
    for finding in offered.iter().step_by(step) {
        let fix = finding.fix.as_ref().unwrap();
        let new = fix.applied_to(file);
        check(file, &new, &fix.effect, options, &about(finding));
        counts[usize::from(fix.effect != Effect::None)] += 1;
        // It is not offered again.
        let again = lint(&new, options);
        let same = again.findings.iter().find(|other| {
            (other.code, other.line, &other.message)
                == (finding.code, finding.line, &finding.message)
                && other
                    .fix
                    .as_ref()
                    .is_some_and(|other| (&other.what, &other.span) == (&fix.what, &fix.span))
        });
        // Of many equal lines one goes at a time.
        let removes = fix.replacement.is_empty() && fix.what == "remove the line";
        assert!(removes || same.is_none(), "offered again: {}", about(finding));
    }
    for apply in [Apply::Unchanging, Apply::All] {
        let fixed = fix(file, options, apply);
        counts[2] += fixed.applied.len();
        match &fixed.effect {
            Some(effect) => check(file, &fixed.file, effect, options, &format!("{apply:?}")),
            None => assert_eq!(apply, Apply::All),
        }
        if apply == Apply::Unchanging {
            assert_eq!(fixed.effect, Some(Effect::None));
        }
        let twice = fix(&fixed.file, options, apply);
        assert_eq!(twice.file, fixed.file, "{apply:?}: a second time");
    }
    counts
}

#[corpus::test]
fn fixes_of_real_files() {
    // A debug build takes some of the files, and by default half of those.
    let (step, most) = if cfg!(debug_assertions) { (40 * effort::step(2), 4) } else { (1, 40) };
    let mut sum = [0; 3];
    for (number, (_, file)) in corpus::files().into_iter().enumerate() {
        if number % step == 0 && file.len() < 100_000 {
            let options = match number / step % 2 {
                0 => Options::default(),
                _ => Options::new(Profile::NAMED.iter().copied()),
            };
            let counts = check_file(&file, &options, most);
            sum = [0, 1, 2].map(|i: usize| sum[i] + counts[i]);
        }
    }
    say(&format!(
        "{} fixes change nothing, {} change verdicts, {} applied",
        sum[0], sum[1], sum[2]
    ));
}

/// Files made of what people get wrong.
fn generated(random: &mut Random) -> Vec<u8> {
    const LINES: [&str; 44] = [
        "User-agent: *",
        "User-agent: *",
        "User-agent: FooBot",
        "User-agent: FooBot/2.1",
        "User-agent: FooBot, BarBot",
        "User-agent: Googlbot",
        "User-agent: 200Bot",
        "User-agent: Big Brother",
        "User-agen: FooBot",
        "User-agent: * Disallow: /a",
        "User-agent Foobot",
        "Disallow: /",
        "Disallow:",
        "Disallow: /a/",
        "Disallow: /a/b",
        "Disallow: /a/b",
        "Disallow: a/",
        "Disallow: *a",
        "Disallow: */b",
        "Disallow: .pdf$",
        "Disallow: ?sort=",
        "Disallow: https://other.example/*",
        "Disallow: /%61",
        "Disallow: /%zz",
        "Disallow: /ä",
        "Disallow: /a$b",
        "Disallow: /a$*",
        "Disallow: /(a|b)/",
        "Disalow: /",
        "Disalow: /c",
        "Disallow /d",
        "Dissallow : /e",
        "Allow: /a/",
        "Allow: /",
        "Allow: /a/b$",
        "Alow: /a/c",
        "Sitemap: https://example.com/a/sitemap.xml",
        "Sitemap: /sitemap.xml",
        "Crawl-delay: 1",
        "Crawl-delay: 1",
        "Crawl delay: 9",
        "Request-rate: 1/7",
        "Useragent: BarBot",
        "prose",
    ];
    let ends = ["\n", "\n", "\n", "\r\n", "\n\n"];
    let mut file = String::new();
    for _ in 0..=random.below(12) {
        file.push_str(random.of::<&str>(&LINES));
        file.push_str(random.of::<&str>(&ends));
    }
    if random.below(4) == 0 {
        file.pop();
    }
    file.into_bytes()
}

#[test]
fn fixes_of_generated_files() {
    let rounds = effort::cases(if cfg!(debug_assertions) { 600 } else { 20_000 });
    let mut random = Random(11);
    let mut sum = [0; 3];
    for round in 0..rounds {
        let file = generated(&mut random);
        let options = match round % 2 {
            0 => Options::default(),
            _ => Options::new(Profile::NAMED.iter().copied()),
        };
        let counts = std::panic::catch_unwind(|| check_file(&file, &options, usize::MAX));
        let counts =
            counts.unwrap_or_else(|_| panic!("round {round}: {}", String::from_utf8_lossy(&file)));
        sum = [0, 1, 2].map(|i: usize| sum[i] + counts[i]);
    }
    say(&format!(
        "{} fixes change nothing, {} change verdicts, {} applied",
        sum[0], sum[1], sum[2]
    ));
    assert!(sum.iter().all(|count| *count > rounds / 4), "{sum:?}");
}

fn only(file: &str, code: Code) -> Finding {
    let report = lint(file.as_bytes(), &Options::default());
    let mut found = report.findings.iter().filter(|finding| finding.code == code);
    let finding = found.next().unwrap_or_else(|| panic!("no {code}: {:#?}", report.findings));
    assert!(found.next().is_none(), "{code} twice: {:#?}", report.findings);
    finding.clone()
}

/// What would block or open a site is never offered. The finding says what was maybe meant.
#[test]
fn no_fix_closes_or_opens_a_site() {
    for (file, code, wanted) in [
        (
            "User-agent: *\nDisalow: /\n",
            Code::MisspeltField,
            "to write 'Disallow' would block the whole site for crawlers without a group of their \
             own (rfc9309), and to remove the line would open the whole site for crawlers without a \
             group of their own (google)",
        ),
        (
            "User-agent: *\nDisallow: /a\nDisallow: https://staging.example/*\n",
            Code::OtherHost,
            "if https://staging.example is another host, put the rule into \
             https://staging.example/robots.txt and remove the line; if it is this one, the path is \
             '/*'; to write '/*' would block the whole site for crawlers without a group of their \
             own (rfc9309, google): if that is not meant, remove the line",
        ),
        (
            "User-agent: * Disallow: /\nDisallow: /x\n",
            Code::TwoRecords,
            "to put each on a line of its own would block the whole site for crawlers without a \
             group of their own (rfc9309, google): do so only if that is meant",
        ),
    ] {
        let finding = only(file, code);
        assert_eq!(finding.fix, None, "{finding}");
        assert_eq!(finding.help.as_deref(), Some(wanted), "{file}");
    }
}

/// A rule about all URLs with some byte does not open a site.
#[test]
fn only_a_whole_site_is_called_one() {
    let finding = only("User-agent: *\nDisallow: /*%g\n", Code::PercentEncoding);
    assert_eq!(finding.help, None);
    assert!(matches!(finding.fix.unwrap().effect, Effect::Verdicts(_)));
    // What is said of a misspelt crawler is nobody's harm.
    let file = "User-agent: acebookexternalhit\nUser-agent: facebookexternalhit\nDisallow: /\n";
    let finding = only(file, Code::MisspeltCrawler);
    assert_eq!((&finding.help, finding.fix.is_some()), (&None, true));
}

/// A byte order mark, or the beginning of one, is skipped where a file begins and not where a line does.
#[test]
fn a_mark_within_the_file() {
    for mark in [&b"\xEF\xBB\xBF"[..], b"\xEF\xBB", b"\xEF"] {
        let head = &b"User-agent: *\nDisallow: /x\n\n"[..];
        let file = [head, mark, b"User-agent: FooBot\nDisallow: /a\n"].concat();
        let report = lint(&file, &Options::default());
        let found = report.findings.iter().find(|found| found.line == 4).unwrap();
        let effects = found.fix.iter().map(|fix| &fix.effect);
        assert!(effects.clone().all(|effect| *effect != Effect::None), "{found:?}");
        assert_eq!(effects.count(), usize::from(mark.len() == 3), "{found:?}");
    }
}

/// What looks like a slip of several kinds is a question; what is clear is a fix.
#[test]
fn questions_and_fixes() {
    let group = |line: &str| format!("User-agent: *\n{line}\n");
    for (file, code, fix, help) in [
        // A field with another sign than a colon, not a comment.
        ("User-agent = *\nDisallow: /x\n".into(), Code::MissingColon, "write 'User-agent:'", ""),
        (group("Disallow=/x"), Code::MissingColon, "write 'Disallow:'", ""),
        (group("Disallow ; /x"), Code::MissingColon, "write 'Disallow:'", ""),
        (group("Allowances are made"), Code::NotARecord, "make the line a comment", ""),
        // The beginning of an encoded character.
        (group("Disallow: /g/*/%*"), Code::PercentEncoding, "", "any encoded character"),
        (group("Disallow: /g/%e"), Code::PercentEncoding, "", "encoded characters that begin so"),
        (group("Disallow: /g/%%"), Code::PercentEncoding, "write '%25'", ""),
        (group("Disallow: /g/%$"), Code::PercentEncoding, "write '%25'", ""),
        (group("Disallow: /g/%zz"), Code::PercentEncoding, "write '%25'", ""),
        // Several values, a comment, HTML, a slip.
        (group("Disallow: /a /b"), Code::SeveralPaths, "write a rule for each path", ""),
        (group("Disallow: /y // comment"), Code::UnescapedBytes, "", "put '#' before it"),
        (group("Disallow: /x<br>"), Code::UnescapedBytes, "", "HTML"),
        (group("Disallow: / private/"), Code::UnescapedBytes, "", "by mistake"),
        (group("Disallow: / *&o= *"), Code::UnescapedBytes, "", "several rules"),
        (group("Disallow: /my file"), Code::UnescapedBytes, "write '/my%20file'", ""),
        (group("Disallow: /page#section"), Code::UnescapedBytes, "", "put a blank before the '#'"),
        // Known names, and one name of two words.
        (
            "User-agent: GPTBot CCBot ClaudeBot\nDisallow: /x\n".into(),
            Code::AfterToken,
            "write a line for each crawler",
            "",
        ),
        ("User-agent: Big Brother\nDisallow: /x\n".into(), Code::AfterToken, "", "'Big'"),
        ("User-agent: GTPBot\nDisallow: /x\n".into(), Code::MisspeltCrawler, "write 'GPTBot'", ""),
        (
            "User-agent: ChatGPT\nDisallow: /x\n".into(),
            Code::MisspeltCrawler,
            "write 'ChatGPT-User'",
            "",
        ),
        (
            "User-agent: Claude\nDisallow: /x\n".into(),
            Code::MisspeltCrawler,
            "write 'ClaudeBot'",
            "",
        ),
        (group("Sitemap: htp://e.com/s"), Code::SitemapNotAbsolute, "", "scheme and host"),
        // It may be prose: nobody knows.
        (group("https://e.com/s"), Code::UnknownField, "", "write 'Sitemap:' before it"),
    ] {
        let finding = only(&file, code);
        let what = finding.fix.as_ref().map_or("", |fix| &*fix.what);
        assert_eq!(what, fix, "{file}: {finding}");
        assert!(finding.help.as_deref().unwrap_or_default().contains(help), "{file}: {finding}");
    }
    let three = "User-agent: GPTBot CCBot ClaudeBot\nDisallow: /x\n";
    let fixed = fix(three.as_bytes(), &Options::default(), Apply::All);
    assert_eq!(
        String::from_utf8_lossy(&fixed.file),
        "User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: ClaudeBot\nDisallow: /x\n"
    );
    // What is a comment without doubt.
    for line in ["Disallow: /a #b", "Disallow: /a# b", "Disallow: /a##", "Disallow: #b"] {
        let report = lint(group(line).as_bytes(), &Options::default());
        assert!(report.findings.iter().all(|f| f.code != Code::UnescapedBytes), "{line}");
    }
}

/// A path that begins with two slashes is shown as commands take it.
#[test]
fn paths_of_two_slashes() {
    let finding = only("User-agent: *\nDisallow: //x y\n", Code::UnescapedBytes);
    let effect = finding.fix.unwrap().effect.to_string();
    assert!(effect.contains("'https://example.com//x%20y'"), "{effect}");
}

/// A report on fixes says that some are left out.
#[test]
fn reports_say_what_is_left_out() {
    let options = Options::default();
    for (file, is_short) in [("a\n".repeat(255_000), true), ("a\n".repeat(3), false)] {
        let fixed = fix(file.as_bytes(), &options, Apply::Unchanging);
        let report = FixReport::new(None, &options, &fixed);
        assert_eq!((fixed.is_cut_short, report.cut_short), (is_short, is_short));
        assert_eq!(report.sentences.len(), 1 + usize::from(is_short));
    }
}

/// One user-agent line above the first of several rules is enough, unless blank lines end groups.
#[test]
fn one_group_for_rules_without_one() {
    let file = b"Disallow: /a\n\nDisallow: /b\n# x\nSitemap: https://e.com/s\n\nAllow: /c\n";
    for (profile, wanted) in [(Profile::RFC9309, 1), (Profile::ORIGINAL_1994, 2)] {
        let options = Options::new([("a", profile)]);
        let fixed = fix(file, &options, Apply::All);
        let lines = fixed.file.split(|byte| *byte == b'\n');
        let agents = lines.filter(|line| *line == b"User-agent: *").count();
        assert_eq!(agents, wanted, "{}", String::from_utf8_lossy(&fixed.file));
    }
}

/// The tokens of one search engine: the first that a group names counts.
#[test]
fn yandex_has_two_names() {
    let names = |file: &str| -> Vec<String> {
        let report = lint(file.as_bytes(), &Options::default());
        let found = report.findings.iter().filter(|f| f.code == Code::BlocksEverything);
        found.map(|finding| finding.message.clone()).collect()
    };
    let blocked = |token: &str| names(&format!("User-agent: {token}\nDisallow: /\n"));
    assert_eq!(blocked("YandexBot"), ["this blocks the whole site for Yandex (yandexbot)"]);
    assert_eq!(blocked("Yandex"), ["this blocks the whole site for Yandex (yandex)"]);
    assert!(
        names("User-agent: Yandex\nDisallow: /\n\nUser-agent: YandexBot\nDisallow:\n").is_empty()
    );
    // The group that Yandex's crawler obeys lets it read what the one for everybody does not.
    let file = "User-agent: *\nDisallow: /*.css\n\nUser-agent: YandexBot\nDisallow: /x\n";
    let resources = only(file, Code::BlocksResources);
    assert!(!resources.message.contains("Yandex"), "{resources}");
    let resources = only(&file.replace("YandexBot", "FooBot"), Code::BlocksResources);
    assert!(resources.message.contains("Yandex"), "{resources}");
}

/// UTF-16 is known by its zeros too, and nothing else is said of such a file.
#[test]
fn utf_16_without_a_mark() {
    let file = "User-agent: *\nDisallow: /x\n";
    let of = |order: fn(u16) -> [u8; 2]| file.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    for bytes in [of(u16::to_le_bytes), of(u16::to_be_bytes)] {
        let report = lint(&bytes, &Options::default());
        let codes: Vec<Code> = report.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [Code::Utf16]);
    }
    let nul = lint(b"User-agent: *\nDisallow: /\0x\n", &Options::default());
    assert!(nul.findings.iter().all(|finding| finding.code != Code::Utf16));
}

/// A list of who may come is no error.
#[test]
fn lists_of_who_may_come() {
    let severity = |others: &str| {
        let file = format!("{others}User-agent: *\nDisallow: /\n");
        only(&file, Code::BlocksEverything).severity.as_str()
    };
    assert_eq!(severity(""), "error");
    assert_eq!(severity("User-agent: Googlebot\nDisallow: /private\n\n"), "note");
    assert_eq!(severity("User-agent: bingbot\nDisallow:\n\n"), "note");
    assert_eq!(severity("User-agent: FooBot\nDisallow:\n\n"), "error");
    // One that joins the group for everybody is not let in.
    assert_eq!(severity("User-agent: Googlebot\nCrawl-delay: 1\n\n"), "error");
}

/// What cannot be seen is shown escaped.
#[test]
fn invisible_characters() {
    let finding = only("User-agent: *\nDisallow: /a\u{a0}b\n", Code::UnescapedBytes);
    assert!(
        finding.message.contains("\\u{a0}") && !finding.message.contains('\u{a0}'),
        "{finding}"
    );
}

/// Which groups are joined, and what it costs whom.
#[test]
fn joined_groups() {
    for (file, wanted) in [
        ("User-agent: a\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /\n", Some((4, "error"))),
        (
            "User-agent: a\nSitemap: https://e.com/s\nUser-agent: b\nDisallow: /x\n",
            Some((3, "error")),
        ),
        ("User-agent: a\nSitemap: https://e.com/s\nUser-agent: b\nDisallow:\n", Some((3, "note"))),
        // A pace is that of the lines above it alone, so nothing is lost.
        ("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow:\n", Some((3, "note"))),
        (
            "User-agent: a\nCrawl-delay: 120\nUser-agent: b\nCrawl-delay: 1\nDisallow:\n",
            Some((3, "note")),
        ),
        (
            "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 1\nDisallow:\n",
            Some((3, "note")),
        ),
        ("User-agent: a\nDisallow:\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /x\n", None),
        // Many files have a blank line between names that belong together.
        ("User-agent: a\n\nUser-agent: b\nDisallow: /x\n", None),
        ("User-agent: a\nUser-agent: b\nCrawl-delay: 1\nDisallow: /x\n", None),
    ] {
        let report = lint(file.as_bytes(), &Options::default());
        let found = report.findings.iter().find(|finding| finding.code == Code::JoinedGroups);
        let found = found.map(|finding| (finding.line, finding.severity.as_str()));
        assert_eq!(found, wanted, "{file}");
    }
    let file = "User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nDisallow: /x\n";
    let fixed = fix(file.as_bytes(), &Options::default(), Apply::All);
    let wanted = "User-agent: a\nDisallow:\nCrawl-delay: 1\n\nUser-agent: b\nDisallow: /x\n";
    assert_eq!(String::from_utf8_lossy(&fixed.file), wanted);
    let googlebot = only(
        "User-agent: Googlebot\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /\n",
        Code::JoinedGroups,
    );
    assert_eq!(
        googlebot.message,
        "this joins the group of 'Googlebot', so the rules below shut 'Googlebot' out"
    );
    // Opening a whole site is no fix, but what that would do is proven and said.
    let advice = "to give 'Googlebot' a group with an empty 'Disallow:' would open the whole site for \
                  Googlebot (rfc9309, google): do so only if that is meant";
    assert!(googlebot.fix.is_none() && googlebot.help.unwrap().ends_with(advice));
    let split = only(file, Code::JoinedGroups).fix.unwrap();
    assert_eq!(
        split.to_string(),
        "give 'a' a group with an empty 'Disallow:'; this allows URLs such as '/x' for a (rfc9309, google)"
    );
    // Where the group is for everybody too, RS307 names the others.
    let report = lint(
        b"User-agent: Googlebot\nCrawl-delay: 1\nUser-agent: *\nDisallow: /\n",
        &Options::default(),
    );
    let blocks = report.findings.iter().find(|finding| finding.code == Code::BlocksEverything);
    assert_eq!(
        blocks.unwrap().message,
        "this blocks the whole site for every crawler without a group of its own and for 'Googlebot'"
    );
    // Unless another group lets them in.
    let file = "User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: *\nDisallow: /\n\nUser-agent: GPTBot\n\
                Allow: /\n";
    let report = lint(file.as_bytes(), &Options::default());
    let blocks = report.findings.iter().find(|finding| finding.code == Code::BlocksEverything);
    assert_eq!(
        blocks.unwrap().message,
        "this blocks the whole site for every crawler without a group of its own and for 'CCBot'"
    );
}

/// The advice for rules without a slash, and what it does.
#[test]
fn where_a_path_begins() {
    for (value, wanted) in [
        ("admin/", Some("/admin/")),
        ("index.php", Some("/index.php")),
        ("?sort=", Some("/*?sort=")),
        (".pdf$", Some("/*.pdf$")),
        ("&id=", Some("/*&id=")),
        (";x", None),
        ("www.example.com/x", None),
        ("example.com/x", None),
        ("www.example.com", None),
        ("~", None),
    ] {
        let file = format!("User-agent: *\nDisallow: /z\nDisallow: {value}\n");
        let finding = only(&file, Code::NoLeadingSlash);
        let written = finding.fix.as_ref().map(|fix| str::from_utf8(&fix.replacement).unwrap());
        assert_eq!(written, wanted, "{value}");
        assert_eq!(finding.help.is_none(), wanted.is_some(), "{value}");
    }
    // A star at the start works. The slash makes the rule longer, so it is offered only if no
    // verdict changes.
    let finding = only("User-agent: *\nDisallow: *.pdf$\n", Code::NoLeadingSlash);
    assert_eq!(finding.fix.unwrap().effect, Effect::None);
    let finding = only("User-agent: *\nDisallow: *\nAllow: /\n", Code::NoLeadingSlash);
    assert_eq!((finding.fix, finding.help), (None, None));
    // What is cut off or quoted is not what was meant.
    for value in ["ftp://e.com/x", "./x", "../x", "\\x\\", "C:\\x", "\"/x\"", "'/x'", "\u{a0}/x"] {
        let file = format!("User-agent: *\nDisallow: /z\nDisallow: {value}\n");
        let report = lint(file.as_bytes(), &Options::default());
        let fixes = report.findings.iter().filter(|finding| finding.fix.is_some()).count();
        assert_eq!(fixes, 0, "{value}: {:#?}", report.findings);
    }
}

/// Following fixes leaves a file in which nothing new is wrong.
#[test]
fn fixes_lay_no_traps() {
    // UTF-16 is no text to be mended byte by byte.
    for mark in ["\u{feff}", ""] {
        let text = format!("{mark}User-agent: *\nDisallow: /a\n");
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(fix(&utf16, &Options::default(), Apply::All).file, utf16);
    }
    // What is redundant beside a rule that blocks the site is needed once that is gone.
    let file = b"User-agent: *\nDisallow: /admin\nDisallow: /\n";
    assert_eq!(fix(file, &Options::default(), Apply::All).file, file);
    // The last rule of the last group stays: what comes later would belong to the group.
    let file = b"User-agent: *\nDisallow: /a\n\nUser-agent: Googlebot\nAllow: /\n";
    assert_eq!(fix(file, &Options::default(), Apply::All).file, file);
    let file = b"User-agent: *\nDisallow:\nAllow: /*.css$\n";
    let fixed = fix(file, &Options::default(), Apply::All);
    assert!(fixed.report.findings.iter().all(|f| f.code != Code::GroupWithoutRules));
    // What stands behind a comment is no record that was meant.
    for file in ["User-agent: *\n//Disallow: /x\n", "User-agent: *\n\"Disallow: /x\"\n"] {
        let fixed = fix(file.as_bytes(), &Options::default(), Apply::All);
        assert_eq!(fixed.file, file.as_bytes(), "{file}");
    }
    let fixed = fix(b"User-agent: *\nDisallow= /x\n", &Options::default(), Apply::All);
    assert_eq!(fixed.file, b"User-agent: *\nDisallow: /x\n");
}

/// The start page and nearly all is blocked, whatever a few rules allow.
#[test]
fn a_leftover_of_a_test_site() {
    let file =
        "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\nDisallow: /\n";
    let finding = only(file, Code::BlocksEverything);
    assert_eq!(
        finding.message,
        "this blocks the start page '/' and all that no other rule allows for every crawler without \
         a group of its own"
    );
    let open = "User-agent: *\nDisallow: /\nAllow: /$\n";
    let report = lint(open.as_bytes(), &Options::default());
    assert!(report.findings.iter().all(|finding| finding.code != Code::BlocksEverything));
}

#[test]
fn effects_are_said() {
    let finding = only("User-agent: *\nDisallow: /z\nDisalow: /x/\n", Code::MisspeltField);
    assert_eq!(
        finding.fix.unwrap().effect.to_string(),
        "disallows URLs such as '/x/' for crawlers without a group of their own (rfc9309)"
    );
    let finding = only("User-agent: *\nDisallow: /x\nDisallow: /x/y\n", Code::RedundantRule);
    assert_eq!(finding.fix.unwrap().effect, Effect::None);
}

/// What asks a crawler for another pace is no fix that changes nothing, and says whose pace changes.
#[test]
fn whose_pace_a_fix_changes() {
    for (file, code, wanted) in [
        (
            "Disallow:\nCrawl-delay: 300\n",
            Code::RuleOutsideGroup,
            "changes the pace of crawlers without a group of their own from none to Crawl-delay 300 \
             (rfc9309, google)",
        ),
        (
            "User-agent: b\nFoo: 1\n\nUser-agent: *\nRequest-rate: 1/7\nDisallow:\n",
            Code::JoinedGroups,
            "changes the pace of b from Request-rate 1/7s to none (rfc9309, google)",
        ),
        (
            "User-agent: a\nUser-agent: b\nUseragent: c\nCrawl-delay: 9\n",
            Code::MisspeltField,
            "changes the pace of c from none to Crawl-delay 9 (rfc9309)",
        ),
        (
            "User-agent: FooBot, BarBot\nCrawl-delay: 2.5\nRequest-rate: 1/5 0600-0845\n\
             Disallow: /x\n",
            Code::AfterToken,
            "disallows URLs such as '/x' for BarBot (rfc9309, google); changes the pace of BarBot from \
             none to Crawl-delay 2.5 and Request-rate 1/5s 0600-0845 (rfc9309, google)",
        ),
    ] {
        let fixed = only(file, code).fix.unwrap();
        assert_eq!(fixed.effect.to_string(), wanted, "{file}");
        let options = Options::default();
        let unchanging = fix(file.as_bytes(), &options, Apply::Unchanging);
        assert_eq!(unchanging.file, file.as_bytes(), "{file}");
        let all = fix(file.as_bytes(), &options, Apply::All);
        assert_eq!(all.file, fixed.applied_to(file.as_bytes()), "{file}");
        assert_eq!(all.effect.unwrap().to_string(), wanted, "{file}");
        // Nor is anything said of verdicts that do not change.
        let report = FixReport::new(None, &options, &fix(file.as_bytes(), &options, Apply::All));
        let has_verdicts = wanted.starts_with("disallows");
        assert_eq!(!report.changes.is_empty(), has_verdicts, "{file}");
        assert!(report.applied[0].changes_verdicts, "{file}");
    }
    // A pace that stays, however its line is written, and one that nobody is asked for.
    for file in [
        "User-agent: FooBot/2.1\nCrawl-delay: 5\nDisallow: /x\n",
        "User-agent: b\nFoo: 1\nUser-agent: *\nDisallow:\n",
        "User-agent: b\nCrawl-delay: 5\nUser-agent: *\nDisallow:\n",
    ] {
        let fixed = fix(file.as_bytes(), &Options::default(), Apply::Unchanging);
        assert_eq!(fixed.applied.len(), 1, "{file}");
    }
    // A pace and a line about use would both move: nobody is told the half of it.
    let file = "User-agent: b\nContent-Signal: ai-train=no\nFoo: 1\nUser-agent: *\nCrawl-delay: 5\n\
                Disallow:\n";
    assert_eq!(only(file, Code::JoinedGroups).fix, None);
}

/// Two rules may each be removed as long as the other one stays: together they are not.
#[test]
fn together_is_proven_too() {
    let file = b"User-agent: *\nDisallow: /a\nDisalow: /b\nAllow: /b/c\nDisallow: /a/b\n";
    let fixed = fix(file, &Options::default(), Apply::All);
    // 'Allow: /b/c' has an effect once '/b' is forbidden, so it stays.
    assert_eq!(
        String::from_utf8(fixed.file).unwrap(),
        "User-agent: *\nDisallow: /a\nDisallow: /b\nAllow: /b/c\n"
    );
    let file = b"User-agent: *\nAllow: /b/c\nDisallow: /a\n";
    let fixed = fix(file, &Options::default(), Apply::Unchanging);
    assert_eq!(fixed.file, b"User-agent: *\nDisallow: /a\n");
}

#[test]
fn comments_silence_findings() {
    let silenced = |file: &str| {
        let report = lint(file.as_bytes(), &Options::default());
        let codes: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
        (codes, report.silenced)
    };
    for file in [
        "User-agent: *\nDisallow: / # robotsieve: ignore RS307\n",
        "User-agent: *\n# robotsieve: ignore blocks-everything\n\n# why\nDisallow: /\n",
        "# robotsieve: ignore-file RS307, RS402\nUser-agent: *\nDisallow: /\n",
    ] {
        assert_eq!(silenced(file), (vec![], 1), "{file}");
    }
    // Only the codes that it names.
    let glued = "User-agent: *\nDisallow: /#/x # robotsieve: ignore RS307\n";
    assert_eq!(silenced(glued), (vec![Code::UnescapedBytes], 1));
    assert_eq!(silenced(&glued.replace("RS307", "RS307, RS407")), (vec![], 2));
    let elsewhere = "# robotsieve: ignore RS307\nUser-agent: *\nDisallow: /\n";
    assert_eq!(silenced(elsewhere), (vec![Code::BlocksEverything], 0));
    for (comment, message) in [
        ("ignore RS999", "there is no code 'RS999'"),
        ("ignore", "the comment names no code"),
        ("SILENCE RS307", "the comment says neither 'ignore' nor 'ignore-file'"),
    ] {
        let file = format!("User-agent: *\nDisallow: /x # robotsieve: {comment}\n");
        assert_eq!(only(&file, Code::Comment).message, message);
    }
    // Thousands of them take as long as they are many, and are at most as many as of any code.
    let many = "# robotsieve: x\n".repeat(30_000);
    let report = lint(many.as_bytes(), &Options::default());
    assert_eq!(report.findings.len(), MAX_PER_CODE);
    assert!(report.findings.is_sorted_by_key(|finding| finding.line));
}
