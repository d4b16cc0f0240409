//! What explanations say is true: each reason for a difference between profiles is checked by changing
//! the switch that it names, and each remark on a user-agent line by asking a file of this line only.

use crate::support::corpus::{self, Host};
use crate::support::say;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use robotsieve::explain::{AgentLine, GroupChoice, NamedCrawlers, Standing, compare_profiles};
use robotsieve::{Crawler, Profile, Robots, Verdict};
use robotsieve_corpora::effort;

#[derive(Default)]
struct Run {
    questions: usize,
    differences: usize,
    wrong: Vec<String>,
}

/// The answer in a profile, by the policy: the verdict, and the line that decides.
type Answer = (Option<Verdict>, Option<u32>);

fn answer(file: &[u8], crawler: &Crawler, url: &[u8], profile: &Profile) -> Answer {
    let policy = Robots::parse(file, profile).policy(crawler);
    match policy.decide(url) {
        Err(_) => (None, None),
        Ok(decision) => (Some(decision.verdict), decision.rule().map(|rule| rule.line)),
    }
}

/// A profile with these switches as another one has them. Goes by the names of the switches in the
/// serialised form, so it shares no code with the comparison.
fn changed(from: &Profile, switches: &[&str], to: &Profile) -> Profile {
    let [mut changed, to] = [from, to].map(|profile| serde_json::to_value(profile).unwrap());
    for switch in switches {
        assert!(changed.get(switch).is_some(), "{switch}");
        assert_ne!(changed[switch], to[switch], "{switch} does not differ");
        changed[switch] = to[switch].clone();
    }
    serde_json::from_value(changed).unwrap()
}

/// Checks each reason for a difference by changing the switches that it names. Returns how many
/// differences there are.
fn reasons_hold(file: &[u8], crawler: &Crawler, url: &[u8]) -> Result<usize, String> {
    let compared = compare_profiles(file, crawler, url);
    let wrong = |what: &str| {
        Err(format!("{what}: {compared} {} in\n{}", url.escape_ascii(), file.escape_ascii()))
    };
    let rfc = answer(file, crawler, url, &Profile::RFC9309);
    let sentence = compared.to_string();
    for (name, profile) in Profile::NAMED {
        let theirs = answer(file, crawler, url, profile);
        if !sentence.contains(theirs.0.map_or("invalid", Verdict::as_str)) {
            return wrong("a verdict is missing");
        }
        let difference = compared.differences.iter().find(|other| other.profile == *name);
        let Some(difference) = difference else {
            if theirs != rfc {
                return wrong("a difference is missing");
            }
            continue;
        };
        if difference.of_verdict != (theirs.0 != rfc.0) || theirs == rfc {
            return wrong("there is no such difference");
        }
        let is_theirs = |switches: &[&str]| {
            let given = answer(file, crawler, url, &changed(&Profile::RFC9309, switches, profile));
            if difference.of_verdict { given.0 == theirs.0 } else { given == theirs }
        };
        let switches: Vec<&str> =
            difference.causes.iter().map(|cause| cause.switch().as_str()).collect();
        match &switches[..] {
            [] => return wrong("no reason"),
            [_] if difference.together => return wrong("one reason is not several"),
            _ => {}
        }
        // Each alone gives the answer of the profile, or all together do and none alone.
        if switches.iter().any(|switch| is_theirs(&[switch]) == difference.together) {
            return wrong("alone");
        }
        if difference.together {
            if !is_theirs(&switches) {
                return wrong("together");
            }
            for at in 0..switches.len() {
                let mut others = switches.clone();
                others.remove(at);
                if is_theirs(&others) {
                    return wrong("one too many");
                }
            }
        }
    }
    Ok(compared.differences.len())
}

/// Every reason for a difference between profiles is checked by changing the switch it names.
#[corpus::test]
fn reasons_of_the_corpus() {
    let hosts = corpus::hosts();
    let judge = |host: &Host, run: &mut Run| {
        for questions in &host.crawlers {
            let crawler = Crawler::name(questions.agent);
            // Each difference takes dozens of parses, so this takes a sample.
            for (url, _) in questions.verdicts.iter().step_by(97) {
                run.questions += 1;
                match reasons_hold(&host.file, &crawler, url) {
                    Ok(differences) => run.differences += differences,
                    Err(wrong) => run.wrong.push(format!("{}: {wrong}", host.name)),
                }
            }
        }
    };
    let runs = corpus::tally(hosts, judge);
    let sum = |of: fn(&Run) -> usize| runs.iter().map(of).sum::<usize>();
    say(&format!(
        "{} questions in four profiles, {} differences explained",
        sum(|run| run.questions),
        sum(|run| run.differences)
    ));
    let wrong: Vec<&String> = runs.iter().flat_map(|run| &run.wrong).collect();
    assert!(wrong.is_empty(), "{:#?}", &wrong[..wrong.len().min(5)]);
}

/// Lines that profiles read differently.
const LINES: [&[u8]; 41] = [
    b"User-agent: *",
    b"User-agent: * foo",
    b"User-agent: a",
    b"User-agent: ab",
    b"User-agent: a1b",
    b"User-agent: 1a",
    b"User-agent: a b",
    b"User-agent: a/1",
    b"User-agent:",
    b"\xEF\xBBUser-agent: a",
    b"\xEF\xBB\xBFUser-agent: a",
    b"useragent: *",
    b"",
    b"# x",
    b"Sitemap: /s",
    b"Crawl-delay: 1",
    b"Disallow: /",
    b"Disallow:",
    b"Disallow: /a",
    b"Disallow: a",
    b"Disallow: /a*",
    b"Disallow: /a**$",
    b"Disallow: /*b",
    b"Disallow: /$",
    b"Disallow: *",
    b"Disallow: /caf\xC3\xA9",
    b"Disallow: /caf%C3%A9",
    b"Disallow: /caf%c3%a9",
    b"Disallow: /%7e",
    b"Disallow: /~",
    b"Disallow: /%zz",
    b"Disallow: /%20",
    b"Disallow: /%2A",
    b"Disallow: /a\0b",
    b"Disallow: /a\x01",
    b"Disallow: \x0C/a",
    b"Disalow: /a",
    b"Disallowed: /a",
    b"Disallow /a",
    b"Allow: /a/index.html",
    b"Allow: /a",
];

const URLS: [&[u8]; 21] = [
    b"/",
    b"/a",
    b"/ab",
    b"/a/",
    b"/a/index.html",
    b"/aXb",
    b"/a$",
    b"/ ",
    b"/caf\xC3\xA9",
    b"/caf%C3%A9",
    b"/caf%c3%a9",
    b"/%7E",
    b"/~",
    b"/%zz",
    b"/*",
    b"/a%01",
    b"/robots.txt",
    b"//a/b",
    b"a/a",
    b"https://a.b;c/a",
    b"http://a",
];

/// Checks what is said about each user-agent line, by asking files with this line only.
fn standings_hold(file: &[u8], names: &[&str], profile: &Profile) -> Result<(), String> {
    let robots = Robots::parse(file, profile);
    let crawler = Crawler::names(names);
    let why = robots.explain(&crawler, "/").map_err(|invalid| invalid.to_string())?;
    let lines = &why.selection.lines;
    let finds = |line: &AgentLine<'_>, names: &[&str]| {
        let alone = [b"User-agent: ", line.value, b"\nDisallow: /"].concat();
        !Robots::parse(&alone, profile).group_of(&Crawler::names(names)).is_empty()
    };
    let token_len = |line: &AgentLine<'_>| match line.names {
        NamedCrawlers::Token(token) => Some(token.len()),
        _ => None,
    };
    let is_named = why.selection.choice == GroupChoice::Named;
    for line in lines {
        let is_found = finds(line, names);
        let everybody = line.names == NamedCrawlers::Everybody;
        let chosen = || lines.iter().filter(|other| other.standing == Standing::Chosen);
        let fits = match line.standing {
            // "this group"
            Standing::Chosen => is_found && everybody != is_named,
            Standing::InChosenGroup => chosen().any(|other| other.group == line.group),
            // "for other crawlers" and "for nobody"
            Standing::Unrelated => !is_found,
            // "not this group: another group names the crawler"
            Standing::EverybodyElse => everybody && is_named,
            // "not this group: a name before it has a group"
            Standing::LaterName => {
                let by = line.found_by.unwrap();
                let before = Crawler::names(&names[..by]);
                let before = robots.explain(&before, "/").unwrap().selection.choice;
                is_found && by > 0 && before == GroupChoice::Named
            }
            // "not this group: a longer token matches"
            Standing::ShorterToken => {
                is_found && chosen().any(|other| token_len(other) > token_len(line))
            }
            // "not this group: the first one is used"
            Standing::FurtherDown => is_found && chosen().any(|other| other.line < line.line),
        };
        if !fits {
            return Err(format!("{names:?}, {line:?} in {profile:?}\n{}", file.escape_ascii()));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(1_500) as u32, ..ProptestConfig::default() })]

    /// The same for files of lines that profiles read differently.
    #[test]
    fn reasons_of_generated_files(
        lines in vec(select(&LINES[..]), 1..9),
        names in vec(select(&["a", "ab", "abc", "a1b", "A", "", "b", "a b"][..]), 1..3),
        url in select(&URLS[..]),
    ) {
        let file = lines.join(&b"\n"[..]);
        prop_assert_eq!(reasons_hold(&file, &Crawler::names(&names), url).err(), None);
        for (_, profile) in Profile::NAMED {
            prop_assert_eq!(standings_hold(&file, &names, profile), Ok(()));
        }
    }
}
