//! Records that are neither user-agent lines nor rules: none is lost, whatever the bytes.
//! Also counts what real files have.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::support::{corpus, say};
use proptest::prelude::*;
use robotsieve::records::{Kind, Pace, RequestRate, Scope, Value};
use robotsieve::{Config, Crawler, Field, Profile, Robots};
use robotsieve_corpora::effort;

/// What must hold for any file.
fn look_at(file: &[u8], profile: &Profile) {
    let robots = Robots::parse(file, profile);
    let typed = robots.typed_records();
    // Every record once, as written.
    let others: Vec<_> = robots.other_records().collect();
    assert_eq!(typed.iter().map(|record| record.record).collect::<Vec<_>>(), others);
    for record in &typed {
        let raw = record.record;
        assert_eq!(&file[raw.value_span()], raw.value);
        if raw.field == Field::Sitemap {
            assert_eq!(record.kind, Kind::Sitemap);
        }
        match record.scope {
            Scope::Group(group) => {
                assert!((group as usize) < robots.group_count(), "{record:?}");
                assert!(!record.kind.is_per_file());
            }
            Scope::Run(run) => {
                assert!(record.kind.is_of_pace(), "{record:?}");
                assert!((run as usize) < robots.records().count());
            }
            // A licence outside all groups is for those that name none.
            Scope::File => assert!(record.kind.is_per_file() || record.kind == Kind::License),
            _ => assert!(!record.kind.is_per_file()),
        }
        match &record.value {
            Ok(Value::Unknown(value)) => {
                assert_eq!((record.kind, *value), (Kind::Unknown, raw.value));
            }
            Ok(value) => assert_eq!(kind_of(value), record.kind),
            Err(invalid) => {
                assert_eq!(invalid.kind(), record.kind);
                assert!(!invalid.to_string().is_empty());
            }
        }
    }
    for name in [&b"bot"[..], b"a", b"*", b""] {
        let crawler = Crawler::name(name);
        let of_crawler = robots.typed_records_for(&crawler);
        assert!(of_crawler.iter().all(|record| typed.contains(record)));
        pace_holds(file, profile, &crawler);
    }
}

/// The slowest pace of the typed records that are for a crawler.
fn slowest(robots: &Robots<'_>, crawler: &Crawler) -> Pace {
    let mut pace = Pace::default();
    for record in robots.typed_records_for(crawler) {
        match record.value {
            _ if !matches!(record.scope, Scope::Group(_) | Scope::Run(_)) => {}
            Ok(Value::CrawlDelay(delay)) => pace.crawl_delay = pace.crawl_delay.max(Some(delay)),
            Ok(Value::RequestRate(rate)) => {
                let nanos = |rate: RequestRate| rate.period.as_nanos();
                let is_slower = |old: RequestRate| {
                    nanos(rate) * u128::from(old.requests) > nanos(old) * u128::from(rate.requests)
                };
                if pace.request_rate.is_none_or(is_slower) {
                    pace.request_rate = Some(rate);
                }
            }
            _ => {}
        }
    }
    pace
}

/// The crawl delay of a crawler by SPEC's sentence alone: that of the user-agent lines directly above,
/// and what a crawler obeys are the lines that name it, else those of `*`.
fn delay_by_the_sentence(robots: &Robots<'_>, name: &[u8]) -> Option<Duration> {
    let mut above: Vec<Vec<u8>> = Vec::new();
    let (mut ended, mut named) = (true, false);
    let mut delays = [None; 2];
    for record in robots.records() {
        let kind = Kind::of_field(record.name);
        match record.field {
            Field::UserAgent => {
                if std::mem::take(&mut ended) {
                    above.clear();
                }
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
                let len = record.value.iter().position(|byte| !is_part(byte));
                let token = &record.value[..len.unwrap_or(record.value.len())];
                let token = if record.value == b"*" { b"*" } else { token };
                above.push(token.to_ascii_lowercase());
                named |= !name.is_empty() && token.eq_ignore_ascii_case(name);
            }
            Field::Allow | Field::Disallow => ended = true,
            Field::Other if kind.is_of_pace() => {
                ended = true;
                let said = Pace::of_line(kind, record.value).crawl_delay;
                for (delay, whose) in delays.iter_mut().zip([name, b"*"]) {
                    if above.iter().any(|token| !token.is_empty() && token == whose) {
                        *delay = said.max(*delay);
                    }
                }
            }
            _ => {}
        }
    }
    if named { delays[0] } else { delays[1] }
}

/// A crawler's pace is what the typed records of its lines say, wherever it is asked for.
fn pace_holds(file: &[u8], profile: &Profile, crawler: &Crawler) {
    let mut config = Config::default();
    config.max_interval = Duration::MAX;
    let robots = Robots::parse_with(file, profile, &config);
    let wanted = slowest(&robots, crawler);
    if let (Some("rfc9309"), Some(name)) = (profile.name(), crawler.iter().next())
        && name != b"*"
    {
        let by_sentence = delay_by_the_sentence(&robots, name);
        assert_eq!(wanted.crawl_delay, by_sentence, "{}", file.escape_ascii());
    }
    let policy = robots.policy(crawler);
    assert_eq!(policy.pace(), wanted, "{}", file.escape_ascii());
    assert_eq!(robots.pace(crawler), wanted);
    assert_eq!(
        (policy.crawl_delay(), policy.request_rate()),
        (wanted.crawl_delay, wanted.request_rate)
    );
    let delay = wanted.crawl_delay.unwrap_or_default();
    assert!(wanted.min_interval().is_none_or(|interval| interval >= delay));

    // Nothing is slower than the cap, and what is not is as before.
    let cap = Duration::from_secs(7);
    config.max_interval = cap;
    config.keep_rules = false;
    let capped = Robots::parse_with(file, profile, &config).policy(crawler).pace();
    assert_eq!(capped.crawl_delay, wanted.crawl_delay.map(|delay| delay.min(cap)));
    assert_eq!(capped.min_interval(), wanted.min_interval().map(|interval| interval.min(cap)));

    // A crawler with groups that say nothing takes what '*' says, if it is told to.
    config.max_interval = Duration::MAX;
    config.inherit_pace = true;
    let robots = Robots::parse_with(file, profile, &config);
    let everybody = slowest(&robots, &Crawler::name("~"));
    let inherited = robots.pace(crawler);
    assert_eq!(robots.policy(crawler).pace(), inherited);
    if !wanted.is_none() {
        assert_eq!(inherited, wanted);
    } else if !robots.group_of(crawler).is_empty() {
        assert_eq!(inherited, everybody);
    }
}

fn kind_of(value: &Value<'_>) -> Kind {
    match value {
        Value::Sitemap(_) => Kind::Sitemap,
        Value::CrawlDelay(_) => Kind::CrawlDelay,
        Value::RequestRate(_) => Kind::RequestRate,
        Value::VisitTime(_) => Kind::VisitTime,
        Value::Host(_) => Kind::Host,
        Value::CleanParam(_) => Kind::CleanParam,
        Value::License(_) => Kind::License,
        Value::NoIndex(_) => Kind::NoIndex,
        Value::ContentSignal(_) => Kind::ContentSignal,
        Value::ContentUsage(_) => Kind::ContentUsage,
        _ => Kind::Unknown,
    }
}

/// Lines that look like records, with values close to what their fields ask for.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    const PARTS: [&str; 52] = [
        "User-agent: *\n",
        "User-agent: a\n",
        "\n",
        "Disallow: /a\n",
        "Sitemap:",
        "Crawl-delay:",
        "Request-rate:",
        "Visit-time:",
        "Host:",
        "Clean-param:",
        "Noindex:",
        "Content-Signal:",
        "Content-Usage:",
        "content_usage :",
        "foo:",
        " ",
        " ",
        "/",
        "/a",
        "/*",
        "$",
        "1",
        "0600-0845",
        ".",
        "-",
        "1/5",
        "m",
        "http://e.com",
        ":80",
        "a&b",
        "search=yes",
        "search=y",
        "ai-train=no",
        "train-ai=n",
        "ai-use=y",
        ",",
        ", ",
        "=",
        ";",
        "\"",
        "(",
        ")",
        "\\",
        "%",
        "#",
        "é",
        "?1",
        "@",
        "99999999999999999999",
        "\t",
        "*",
        "\r",
    ];
    let part = prop_oneof![
        8 => proptest::sample::select(&PARTS[..]).prop_map(|part| part.as_bytes().to_vec()),
        2 => Just(b"\n".to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    proptest::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: effort::cases(2_000) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes(file in any::<Vec<u8>>()) {
        Profile::NAMED.iter().for_each(|(_, profile)| look_at(&file, profile));
    }

    #[test]
    fn nearly_records(file in lines()) {
        Profile::NAMED.iter().for_each(|(_, profile)| look_at(&file, profile));
    }
}

/// Counts the records of the corpus by kind, for the table in docs/records.md.
#[corpus::test]
fn corpus_counts() {
    let files = corpus::files();
    #[derive(Default)]
    struct Count {
        files: usize,
        records: usize,
        invalid: usize,
        outside: usize,
    }
    let mut counts: BTreeMap<Kind, Count> = BTreeMap::new();
    let mut unknown: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for (_, file) in &files {
        let robots = Robots::parse(file, &Profile::RFC9309);
        let mut in_file: BTreeMap<Kind, ()> = BTreeMap::new();
        for record in robots.typed_records() {
            let count = counts.entry(record.kind).or_default();
            count.records += 1;
            count.invalid += usize::from(record.value.is_err());
            count.outside += usize::from(record.scope == Scope::Outside);
            if in_file.insert(record.kind, ()).is_none() {
                count.files += 1;
            }
            if record.kind == Kind::Unknown {
                *unknown.entry(record.record.name.to_ascii_lowercase()).or_default() += 1;
            }
        }
        look_at(file, &Profile::GOOGLE);
        look_at(file, &Profile::ORIGINAL_1994);
    }
    say(&format!("| {:14} |  files | records | invalid | in no group |", "kind"));
    say("|---|---:|---:|---:|---:|");
    for (kind, count) in &counts {
        let Count { files, records, invalid, outside } = count;
        let kind = kind.as_str();
        say(&format!("| {kind:14} | {files:6} | {records:7} | {invalid:7} | {outside:11} |"));
    }
    let mut unknown: Vec<_> = unknown.into_iter().collect();
    unknown.sort_unstable_by_key(|(_, count)| std::cmp::Reverse(*count));
    let unknown = unknown.iter().take(12);
    let unknown: Vec<_> =
        unknown.map(|(n, count)| format!("{} {count}", n.escape_ascii())).collect();
    say(&format!("of {} files; unknown fields: {}", files.len(), unknown.join(", ")));
}
