//! Lines that RFC 9309 and google/robotstxt read differently, or a crawler in a way of its own.

use std::collections::BTreeMap;
use std::ops::Range;

use robotsieve::internals::{
    Content, Extent, GroupRule, Lines, Names, RawRule, RobotsInternals as _, RuleSet,
};
use robotsieve::{Crawler, Field, Profile, Record, Robots, Verdict};
use robotsieve_known::internals::{OWN_READINGS, OwnReading, OwnWay};

use crate::Code;
use crate::shown::shown;
use crate::site;
use crate::subject::Subject;
use crate::tokens::is_known;

/// What a line means to a parser.
#[derive(PartialEq)]
enum Meaning<'a> {
    Nothing,
    Everybody,
    /// In lower case.
    Token(Vec<u8>),
    /// Pattern, whether it is anchored, precedence.
    Rule(Verdict, Vec<(Vec<u8>, bool, u32)>),
    Sitemap(&'a [u8]),
}

/// Finds them in the profiles of the two. The readers of other profiles read neither way.
pub(super) fn find(subject: &mut Subject<'_>) {
    let (rfc, google) = (Profile::RFC9309, Profile::GOOGLE);
    if subject.profile != rfc && subject.profile != google {
        return;
    }
    let file = subject.file;
    let other_profile = if subject.profile == rfc { google } else { rfc };
    let other_robots = Robots::parse(file, &other_profile);
    // Lines beyond the size limit of one of the two are left out.
    let to = Extent::of(file, &rfc).to.min(Extent::of(file, &google).to);
    let lines = |profile: &'static Profile| {
        let extent = Extent { from: Extent::of(file, profile).from.min(to), to };
        Lines::of(file, extent, profile)
    };
    let mut differing = Vec::new();
    for (by_rfc, by_google) in lines(&Profile::RFC9309).zip(lines(&Profile::GOOGLE)) {
        let number = by_rfc.number;
        let (in_rfc, in_google) = if subject.profile == rfc {
            (&subject.robots, &other_robots)
        } else {
            (&other_robots, &subject.robots)
        };
        if is_plain(&by_rfc.content, &by_google.content)
            && in_rfc.groups().group_of_line(number).is_some()
                == in_google.groups().group_of_line(number).is_some()
        {
            continue;
        }
        let means_rfc = meaning(&by_rfc.content, in_rfc, &rfc);
        let means_google = meaning(&by_google.content, in_google, &google);
        if means_rfc != means_google && !is_known_token(&by_rfc.content) {
            let message =
                format!("RFC 9309 {}, Googlebot {}", read(&means_rfc), read(&means_google));
            let span = by_rfc.offset..by_rfc.offset + by_rfc.bytes.len();
            let is_rule = |meaning: &Meaning<'_>| matches!(meaning, Meaning::Rule(..));
            let is_nothing = |meaning: &Meaning<'_>| *meaning == Meaning::Nothing;
            let loses = is_rule(&means_rfc) && is_nothing(&means_google)
                || is_nothing(&means_rfc) && is_rule(&means_google);
            differing.push((number, span, message, loses));
        }
    }
    for (number, span, message, loses) in differing {
        subject.add(Code::ReadersDiffer, number, span, message).loses(loses);
    }
    for reading in &OWN_READINGS {
        match reading.way {
            OwnWay::DelayOfEverybody => delay_of_everybody(subject, reading),
            OwnWay::SplitRuns => split_runs(subject, reading),
        }
    }
}

/// A group of a crawler that keeps the crawl delay of `*` beside it.
fn delay_of_everybody(subject: &mut Subject<'_>, reading: &OwnReading) {
    let Some(known) = reading.crawler() else { return };
    let crawler = known.crawler();
    let everybody = subject.robots.pace(&Crawler::names([""; 0])).crawl_delay;
    let (Some(delay), None) = (everybody, subject.robots.pace(&crawler).crawl_delay) else {
        return;
    };
    let groups = subject.robots.groups();
    // Who is shut out needs no delay.
    let policy = subject.policies.of(groups.select_named(&crawler).groups());
    if policy.is_some_and(|policy| site::blocking(policy, subject).is_some()) {
        return;
    }
    let run = groups.runs_of(&crawler).first().copied();
    let is_of_run = |line: u32| groups.run_of_line(line).map(|(_, run)| run) == run;
    let own = groups.agent_lines().find(|(line, ..)| is_of_run(*line));
    let Some((line, span, _)) = own.filter(|_| known.is_named(&subject.robots)) else { return };
    let (name, operator) = (&known.name, &known.operator);
    let message = format!(
        "{name} keeps the Crawl-delay of '*', {} s, beside this group, as {operator} says",
        delay.as_secs_f64()
    );
    subject.add(Code::ReadersDiffer, line, span, message).help(format!(
        "other crawlers do not; for another delay, write one into this group: {}",
        reading.source
    ));
}

/// User-agent lines of a crawler for which the next one begins another group.
fn split_runs(subject: &mut Subject<'_>, reading: &OwnReading) {
    let groups = subject.robots.groups();
    // By group: the crawler's last line, and the next one that is not for everybody.
    let mut found: BTreeMap<u32, (u32, Range<usize>, u32)> = BTreeMap::new();
    let mut last = None;
    for (line, span, group) in groups.agent_lines() {
        match Names::of(&subject.file[span.clone()], &subject.profile) {
            Names::Everybody => {}
            Names::Token(token) if token.eq_ignore_ascii_case(reading.token.as_bytes()) => {
                found.remove(&group);
                last = Some((line, span, group));
            }
            _ => {
                if let Some((own, span, _)) = last.take().filter(|(_, _, of)| *of == group) {
                    found.insert(group, (own, span, line));
                }
            }
        }
    }
    let forbids = |rule: &GroupRule| rule.verdict == Verdict::Disallow && !rule.is_empty();
    found.retain(|group, _| groups.rules(*group).iter().any(forbids));
    let (token, versions) = (reading.token, reading.versions);
    for (line, span, next) in found.into_values() {
        let message = format!(
            "{token}{versions} takes line {next} for the next group, so it does not obey the rules below"
        );
        let related = subject.related(next, "another group begins here, by its reading");
        subject.add(Code::ReadersDiffer, line, span, message).related([related]).help(format!(
            "put its line last above the rules, or give it a group of its own: {}",
            reading.source
        ));
    }
}

/// Returns true if a line is of a known crawler: how others read its name is of no use to them.
fn is_known_token(content: &Content<'_>) -> bool {
    matches!(content, Content::Record(record) if record.field == Field::UserAgent && is_known(record.value))
}

/// Returns true if both found the same record, with a value that both take as written.
fn is_plain(a: &Content<'_>, b: &Content<'_>) -> bool {
    if a != b {
        return false;
    }
    let Content::Record(record) = a else { return true };
    match record.field {
        Field::UserAgent => {
            record.value == b"*" || {
                let bytes = record.value;
                !bytes.is_empty()
                    && bytes.iter().all(|o| o.is_ascii_alphabetic() || b"-_".contains(o))
            }
        }
        Field::Allow | Field::Disallow => {
            let is_plain = |o: &u8| o.is_ascii_graphic() && !b"%\"<>\\^`{|}".contains(o);
            let inside = &record.value[..record.value.len().saturating_sub(1)];
            record.value.iter().all(is_plain)
                && !inside.contains(&b'$')
                && (record.field == Field::Disallow
                    || memchr::memmem::find(record.value, b"/index.htm").is_none())
        }
        Field::Sitemap | Field::Other => true,
    }
}

fn meaning<'a>(content: &Content<'a>, robots: &Robots<'_>, profile: &Profile) -> Meaning<'a> {
    let Content::Record(record) = content else { return Meaning::Nothing };
    let in_group = || robots.groups().group_of_line(record.line).is_some();
    match record.field {
        Field::UserAgent => match Names::of(record.value, profile) {
            Names::Everybody => Meaning::Everybody,
            // No crawler has an empty name.
            Names::Nobody | Names::Token(b"") => Meaning::Nothing,
            Names::Token(token) => Meaning::Token(token.to_ascii_lowercase()),
        },
        Field::Allow | Field::Disallow if !in_group() => Meaning::Nothing,
        Field::Allow => rule(record, Verdict::Allow, profile),
        Field::Disallow => rule(record, Verdict::Disallow, profile),
        Field::Sitemap => Meaning::Sitemap(record.value),
        Field::Other => Meaning::Nothing,
    }
}

fn rule<'a>(record: &Record<'a>, verdict: Verdict, profile: &Profile) -> Meaning<'a> {
    let raw = RawRule { line: record.line, verdict, value: record.value };
    let raw = Some(raw).filter(|raw| !raw.value.is_empty());
    let rules = RuleSet::new(raw.into_iter(), profile);
    let pattern = |rule: robotsieve::internals::RuleRef<'_>| {
        (rule.pattern.bytes.to_vec(), rule.pattern.anchored, rule.precedence)
    };
    Meaning::Rule(verdict, rules.iter().map(pattern).collect())
}

/// What a parser does with a line of this meaning.
fn read(meaning: &Meaning<'_>) -> String {
    match meaning {
        Meaning::Nothing => "ignores the line".to_owned(),
        Meaning::Everybody => "reads all crawlers".to_owned(),
        Meaning::Token(token) => format!("reads the crawler '{}'", shown(token)),
        Meaning::Rule(verdict, patterns) => {
            let pattern = |(bytes, anchored, _): &(Vec<u8>, bool, u32)| {
                format!("'{}{}'", shown(bytes), if *anchored { "$" } else { "" })
            };
            let patterns: Vec<String> = patterns.iter().map(pattern).collect();
            match patterns.as_slice() {
                [] => format!("reads an empty {verdict}"),
                patterns => format!("reads {verdict} {}", patterns.join(" and ")),
            }
        }
        Meaning::Sitemap(url) => format!("reads the sitemap '{}'", shown(url)),
    }
}
