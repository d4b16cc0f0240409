//! Crawl delays, request rates and sitemaps where a crawler stands: in policies and sets of them.
//! `records` compares paces with the typed records, `pack` those of packs with these.

use std::time::Duration;

use robotsieve::pack::{Pack, Writer};
use robotsieve::records::{Pace, Value};
use robotsieve::{Answer, Config, Crawler, CrawlerId, CrawlerPolicies, Profile, Reason, Robots};
use robotsieve::{Origin, PolicySet, SiteRules};
use serde_json::Value as Json;

const FILE: &[u8] = b"Crawl-delay: 99\nSitemap: https://e.com/1.xml\nUser-agent: a\nDisallow: /x\n\
    Crawl-delay: 2\n\nUser-agent: b\nDisallow: /x\ncrawl_delay: 3.5\nRequest-rate: 1/10m\n\n\
    User-agent: c\nDisallow: /y\nCrawl-delay: -1\nCrawl-delay: NaN\n\nUser-agent: *\n\
    Crawl-delay: 40\nDisallow: /x\n\nUser-agent: a\nCrawl-delay: 5\nSitemap: /2.xml\n";

fn seconds(robots: &Robots<'_>, name: &str) -> Option<u64> {
    robots.policy(&Crawler::name(name)).pace().min_interval().map(|interval| interval.as_secs())
}

fn origin_of(host: &str) -> Origin<'static> {
    Origin::of(&format!("https://{host}")).expect("a host").into_owned()
}

#[test]
fn each_profile_takes_the_groups_that_decide() {
    let of = |profile, name| seconds(&Robots::parse(FILE, profile), name);
    for (name, profile) in Profile::NAMED {
        // Both groups of a are merged, except in 1994: there the first one counts.
        let merged = if *name == "original-1994" { 2 } else { 5 };
        assert_eq!(of(profile, "a"), Some(merged), "{name}");
        assert_eq!(of(profile, "b"), Some(600), "{name}");
        assert_eq!(of(profile, "c"), None, "{name}");
        assert_eq!(of(profile, "other"), Some(40), "{name}");
    }
    // A crawl delay is no rule: with google/robotstxt too, the group goes on after it, for its rules.
    let file = b"User-agent: a\nCrawl-delay: 7\nUser-agent: b\nDisallow: /";
    let robots = Robots::parse(file, &Profile::GOOGLE);
    assert_eq!([seconds(&robots, "a"), seconds(&robots, "b")], [Some(7), None]);
    assert_eq!(robots.group_count(), 1);
}

/// The table of whose delay it is: every place that has a pace gives the same answer. Python's tests
/// read the same table.
#[test]
fn whose_delay_it_is() {
    let cases: Vec<Json> = serde_json::from_str(include_str!("../../corpora/delays.json")).unwrap();
    for case in &cases {
        let profiles = case.get("profiles").and_then(Json::as_array);
        for (name, profile) in Profile::NAMED {
            if profiles.map_or(*name != "original-1994", |all| all.contains(&(*name).into())) {
                one_case(case, profile);
            }
        }
    }
}

fn one_case(case: &Json, profile: &Profile) {
    let file = case["robots"].as_str().unwrap().as_bytes();
    let expect = case["expect"].as_object().unwrap();
    let crawlers: Vec<Crawler> = expect.keys().map(|name| Crawler::name(&**name)).collect();
    let id = format!("{}, {:?}", case["id"], profile.name());
    let config = Config::default().with_max_interval(Duration::MAX);
    let robots = Robots::parse_with(file, profile, &config);
    let policies = CrawlerPolicies::of(&robots, &crawlers);
    let mut set = PolicySet::new(profile, &config, crawlers.clone());
    set.insert(&origin_of("a"), file);
    let set = set.get(&origin_of("a")).unwrap();
    let mut writer = Writer::new(Vec::new(), profile, crawlers.clone(), &config).unwrap();
    let packed = writer.recipe().pack(file);
    let rules = SiteRules::Rules(writer.put(&packed).unwrap());
    writer.add(&origin_of("a"), rules, None).unwrap();
    let bytes = writer.finish().unwrap();
    let pack = Pack::open(&bytes).unwrap();
    let site = pack.get(&origin_of("a")).unwrap().unwrap();
    for (at, (crawler, wanted)) in crawlers.iter().zip(expect.values()).enumerate() {
        let pace = robots.pace(crawler);
        let delay = |wanted: &Json| match wanted {
            Json::String(_) => Some(Duration::MAX),
            wanted => wanted.as_f64().map(Duration::from_secs_f64),
        };
        let rate = pace.request_rate.map(|rate| (rate.requests, rate.period));
        if let Some(wanted) = wanted.get("rate") {
            let wanted = match wanted {
                Json::String(_) => Some((1, Duration::from_secs(u64::MAX))),
                Json::Array(of) => Some((of[0].as_u64().unwrap() as u32, delay(&of[1]).unwrap())),
                _ => None,
            };
            assert_eq!(rate, wanted, "{id}, {crawler:?}");
        }
        let records = robots.typed_records_for(crawler);
        if let Some(wanted) = wanted.get("visit") {
            let visits =
                records.iter().filter(|record| matches!(record.value, Ok(Value::VisitTime(_))));
            let visits: Vec<&[u8]> = visits.map(|record| record.record.value).collect();
            let wanted: Vec<&[u8]> = wanted.as_str().map(str::as_bytes).into_iter().collect();
            assert_eq!(visits, wanted, "{id}, {crawler:?}");
        }
        if !wanted.is_object() || wanted.get("delay").is_some() {
            let wanted = delay(wanted.get("delay").unwrap_or(wanted));
            assert_eq!(pace.crawl_delay, wanted, "{id}, {crawler:?}");
        }
        assert_eq!(robots.policy(crawler).pace(), pace, "{id}");
        assert_eq!(policies.pace(at), pace, "{id}");
        assert_eq!(set.pace(CrawlerId::at(at)), pace, "{id}");
        assert_eq!(site.pace(CrawlerId::at(at)).unwrap(), pace, "{id}");
    }
}

/// A site that asks for more than the crawler is ready to wait is left alone, in every place that has
/// verdicts, and each that can say why does.
#[test]
fn slow_sites_are_left_alone() {
    let file = b"User-agent: a\nCrawl-delay: 300\nUser-agent: b\nCrawl-delay: 60\nUser-agent: *\nDisallow: /x";
    let crawlers = ["a", "b", "c"].map(Crawler::name);
    for keep_rules in [true, false] {
        // The cap is on the pace that is told, not on the one that is compared.
        let config = Config::default()
            .with_skip_above(Some(Duration::from_secs(60)))
            .with_max_interval(Duration::from_secs(10))
            .with_keep_rules(keep_rules);
        let robots = Robots::parse_with(file, &Profile::RFC9309, &config);
        let mut set = PolicySet::new(&Profile::RFC9309, &config, crawlers.clone());
        set.insert(&origin_of("a"), file);
        let mut writer =
            Writer::new(Vec::new(), &Profile::RFC9309, crawlers.clone(), &config).unwrap();
        let packed = writer.recipe().pack(file);
        let rules = SiteRules::Rules(writer.put(&packed).unwrap());
        writer.add(&origin_of("a"), rules, None).unwrap();
        let bytes = writer.finish().unwrap();
        let pack = Pack::open(&bytes).unwrap();
        let (site, set) =
            (pack.get(&origin_of("a")).unwrap().unwrap(), set.get(&origin_of("a")).unwrap());
        let url = "https://a/y";
        for (at, (crawler, alone)) in crawlers.iter().zip([true, false, false]).enumerate() {
            let policy = robots.policy(crawler);
            let decision = policy.decide(url).unwrap();
            assert_eq!(decision.verdict.is_allow(), !alone);
            assert_eq!(decision.reason == Reason::LeftAlone, alone);
            assert_eq!(policy.is_allowed("https://a/robots.txt"), Ok(true));
            for url in [url, "https://a/x", "https://a/robots.txt"] {
                let why = robots.explain(crawler, url).unwrap();
                let (decision, told) = (policy.decide(url).unwrap(), why.decision());
                assert_eq!(told.verdict, decision.verdict);
                assert_eq!(told.reason == Reason::LeftAlone, decision.reason == Reason::LeftAlone);
                if alone {
                    assert_eq!(why.winner(), None);
                    assert_eq!(why.matches.len(), usize::from(url.ends_with("/x")));
                    let otherwise = why.verdict_otherwise.unwrap();
                    assert_eq!(otherwise.is_allow(), !url.ends_with("/x"));
                }
            }
            let paces = [
                robots.pace(crawler),
                policy.pace(),
                set.pace(CrawlerId::at(at)),
                site.pace(CrawlerId::at(at)).unwrap(),
            ];
            assert!(paces.iter().all(|pace| *pace == paces[0]), "{paces:?}");
            assert_eq!(paces[0].left_alone, alone);
            assert!(paces[0].min_interval() <= Some(Duration::from_secs(10)));
            let packed = site.policy(CrawlerId::at(at)).unwrap();
            assert_eq!(packed.is_some_and(|policy| policy.pace().left_alone), alone);
        }
        let mut answers = [Answer::Unknown; 3];
        CrawlerPolicies::of(&robots, &crawlers).ask_into(url, &mut answers);
        assert_eq!(answers, [Answer::Disallow, Answer::Allow, Answer::Allow]);
    }
}

/// A delay between user-agent lines changes no verdict: crawlers of one group obey the same rules.
#[test]
fn a_pace_of_its_own_and_shared_rules() {
    let file = b"User-agent: a\nCrawl-delay: 10\nUser-agent: b\nUser-agent: *\nDisallow: /x";
    let robots = Robots::parse(file, &Profile::RFC9309);
    let [a, b, c] = ["a", "b", "c"].map(|name| robots.policy(&Crawler::name(name)));
    assert!(!a.is_same(&b) && b.is_same(&c));
    for policy in [&a, &b, &c] {
        assert_eq!(policy.is_path_allowed("/x"), Ok(false));
        assert_eq!(policy.group().count(), 3);
    }
    // Without a pace anywhere, the crawlers of a group share a policy.
    let robots =
        Robots::parse(b"User-agent: a\nFoo: 1\nUser-agent: b\nDisallow: /", &Profile::RFC9309);
    assert!(robots.policy(&"a".into()).is_same(&robots.policy(&"b".into())));
}

#[test]
fn settings() {
    let with = |change: fn(&mut Config)| {
        let mut config = Config::default();
        change(&mut config);
        move |name| seconds(&Robots::parse_with(FILE, &Profile::RFC9309, &config), name)
    };
    let inherits = with(|config| config.inherit_pace = true);
    assert_eq!([inherits("a"), inherits("c"), inherits("d")], [Some(5), Some(40), Some(40)]);
    let capped = with(|config| config.max_interval = Duration::from_secs(30));
    assert_eq!([capped("a"), capped("b"), capped("d")], [Some(5), Some(30), Some(30)]);
    // A crawler without any group has nothing to inherit.
    let mut config = Config::default();
    config.inherit_pace = true;
    let file = b"Crawl-delay: 1\nUser-agent: a\nCrawl-delay: 2";
    assert_eq!(seconds(&Robots::parse_with(file, &Profile::RFC9309, &config), "b"), None);
}

#[test]
fn huge_values_are_capped() {
    for delay in [
        "86401",
        "9999999999",
        "18446744073709549568",
        "0000000000000086400.9",
        "1e9",
        "18446744073709551616",
        &"9".repeat(500),
    ] {
        let file = format!("User-agent: *\nCrawl-delay: {delay}");
        let robots = Robots::parse(file.as_bytes(), &Profile::RFC9309);
        assert_eq!(seconds(&robots, "bot"), Some(86_400), "{delay}");
    }
    for delay in ["inf", "-5", "NaN", "", "1e", "e9"] {
        let file = format!("User-agent: *\nCrawl-delay: {delay}");
        let robots = Robots::parse(file.as_bytes(), &Profile::RFC9309);
        assert_eq!(seconds(&robots, "bot"), None, "{delay}");
    }
}

/// Crawlers with equal rules are asked once, but each has its own pace.
#[test]
fn equal_rules_with_different_paces() {
    for keep_rules in [true, false] {
        let mut config = Config::default();
        config.keep_rules = keep_rules;
        let robots = Robots::parse_with(FILE, &Profile::RFC9309, &config);
        let crawlers = ["a", "b", "c", "other", "another"].map(Crawler::name);
        let policies = CrawlerPolicies::of(&robots, &crawlers);
        if keep_rules {
            assert_eq!(policies.distinct_count(), 2, "those for /x and for /y");
        }
        for (place, crawler) in crawlers.iter().enumerate() {
            assert_eq!(policies.pace(place), robots.pace(crawler));
        }
        assert!(policies.policy(3).is_same(policies.policy(4)));
    }
}

/// Files that differ only in a delay are two files of a set.
#[test]
fn equal_rules_with_different_paces_in_sets() {
    for keep_rules in [true, false] {
        let mut config = Config::default();
        config.keep_rules = keep_rules;
        let mut set = PolicySet::new(&Profile::RFC9309, &config, [Crawler::name("bot")]);
        for (origin, delay) in [("a", 1), ("b", 2), ("c", 1)] {
            let file = format!("User-agent: *\nDisallow: /x\nCrawl-delay: {delay}");
            set.insert(&origin_of(origin), file.as_bytes());
        }
        let delay = |origin| {
            set.get(&origin_of(origin))?.pace(CrawlerId::at(0)).crawl_delay.map(|d| d.as_secs())
        };
        assert_eq!([delay("a"), delay("b"), delay("c")], [Some(1), Some(2), Some(1)]);
        assert_eq!(set.file_count(), 2);
    }
}

#[test]
fn sets_keep_sitemaps_if_told_to() {
    let mut config = Config::default();
    let set = |config: &Config| {
        let mut set = PolicySet::new(&Profile::RFC9309, config, [Crawler::name("bot")]);
        set.insert(&origin_of("a"), FILE);
        set.insert(&origin_of("b"), b"User-agent: *\nDisallow: /x");
        set
    };
    let without = set(&config);
    assert_eq!(without.get(&origin_of("a")).expect("is there").sitemaps().count(), 0);
    config.keep_sitemaps = true;
    let with = set(&config);
    let found: Vec<&[u8]> = with.get(&origin_of("a")).expect("is there").sitemaps().collect();
    assert_eq!(found, [&b"https://e.com/1.xml"[..], b"/2.xml"]);
    assert_eq!(with.get(&origin_of("b")).expect("is there").sitemaps().count(), 0);
    let text = "https://e.com/1.xml".len() + "/2.xml".len();
    assert_eq!(with.memory_usage() - without.memory_usage(), text + 8 + 32);
}

/// A policy without a pace is as large as before there were any.
#[test]
fn memory() {
    let rest = |delay: &str, config: &Config| {
        let file = format!("User-agent: *\nDisallow: /x\n{delay}");
        let policy = Robots::parse_with(file.as_bytes(), &Profile::RFC9309, config)
            .policy(&Crawler::name("bot"));
        (policy.memory_usage().rest_bytes, policy.pace())
    };
    let mut config = Config::default();
    let (without, pace) = rest("", &config);
    assert_eq!(pace, Pace::default());
    let (with, _) = rest("Crawl-delay: 1", &config);
    assert!(with - without <= 128, "{without} {with}");
    // Settings that no policy needs later cost nothing.
    config.inherit_pace = true;
    config.keep_sitemaps = true;
    config.max_interval = Duration::from_secs(60);
    config.build_after = Some(3);
    assert_eq!(rest("", &config).0, without);
}
