//! A pack gives the same verdicts as the policies it was made from, and damage is found.

use std::collections::HashSet;

use robotsieve::pack::{FileError, Pack, PackError, Site, Unfinished, Writer};
use robotsieve::records::Pace;
use robotsieve::{
    Answer, Config, Crawler, CrawlerId, CrawlerPolicies, Origin, PolicySet, Profile, Robots,
    Scheme, SiteKind, SiteRules, UrlRun,
};
use robotsieve_corpora::effort;

use crate::support::crafted::TRAILER_LEN;

const CRAWLERS: [&str; 3] = ["GPTBot", "Googlebot", "MyCrawler"];

fn crawlers() -> [Crawler; 3] {
    CRAWLERS.map(Crawler::name)
}

/// Various files: one is there twice, and one is over the limits of a DFA.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = (0..12)
        .map(|host| (robotsieve_corpora::host_name(host), robotsieve_corpora::robots(1, host)))
        .collect();
    files.push(("empty.example".into(), Vec::new()));
    files.push(("copy.example:8080".into(), files[0].1.clone()));
    let delays =
        b"User-agent: GPTBot\nDisallow: /a\nCrawl-delay: 2.5\n\nUser-agent: *\nDisallow: /a\n\
        Request-rate: 1/5 0600-0845\nSitemap: https://delay.example/1.xml\nSitemap: /2.xml\n";
    files.push(("delay.example".into(), delays.to_vec()));
    let mut hostile = b"User-agent: *\n".to_vec();
    hostile.extend(b"Crawl-delay: 7\n");
    for letter in b'a'..b'u' {
        let letter = char::from(letter);
        hostile.extend(format!("Disallow: /*{letter}x*A{letter}y\nAllow: /é*{letter}$\n").bytes());
    }
    files.push(("hostile.example".into(), hostile));
    files
}

/// Packs with rules keep sitemaps too.
fn config(keep_rules: bool) -> Config {
    let mut config = Config::default();
    config.keep_rules = keep_rules;
    config.keep_sitemaps = keep_rules;
    config
}

pub fn origin(host: &str) -> Origin<'static> {
    Origin::of(&format!("https://{host}")).expect("a host").into_owned()
}

/// What the pack has for a host; `None` if nothing.
fn site<'p>(pack: &'p Pack<'_>, host: &str) -> Option<Site<'p>> {
    pack.get(&origin(host)).expect("no damage")
}

fn packed(files: &[(String, Vec<u8>)], profile: &Profile, keep_rules: bool) -> Vec<u8> {
    let config = config(keep_rules);
    let writer = Writer::new(Vec::new(), profile, crawlers(), &config).expect("a Vec");
    let mut writer = writer.with_seed(1);
    for (number, (host, file)) in (0..).zip(files) {
        let known = writer.known(writer.recipe().content(file));
        let written = known.unwrap_or_else(|| {
            let packed = writer.recipe().pack(file);
            writer.put(&packed).expect("a Vec")
        });
        writer.add(&origin(host), SiteRules::Rules(written), Some(number)).expect("a Vec");
    }
    writer.finish().expect("a Vec")
}

fn urls(host: &str, number: u64) -> Vec<Vec<u8>> {
    let mut urls: Vec<Vec<u8>> =
        (0..30).map(|url| robotsieve_corpora::url(1, number, url)).collect();
    for path in ["", "/", "/robots.txt", "/ax/Aay", "/%C3%A9a", "/x#y", "/bx*Aby", "?q"] {
        urls.push(format!("https://{host}{path}").into_bytes());
    }
    urls
}

/// All that a pack says: answers, paces and sitemaps.
type Said = (Vec<Answer>, Vec<Pace>, Vec<Vec<u8>>);

/// All that a pack says, or the first damage.
fn answers(pack: &Pack<'_>, files: &[(String, Vec<u8>)]) -> Result<Said, PackError> {
    let (mut answers, mut paces, mut sitemaps) = Said::default();
    for (number, (host, _)) in files.iter().enumerate() {
        let Some(site) = pack.get(&origin(host))? else {
            answers.push(Answer::Unknown);
            continue;
        };
        for crawler in 0..3 {
            paces.push(site.pace(CrawlerId::at(crawler))?);
        }
        sitemaps.extend(site.sitemaps()?.map(<[u8]>::to_vec));
        for url in urls(host, number as u64) {
            let mut row = [Answer::Unknown; 3];
            site.ask_into(&url, &mut row)?;
            answers.extend(row);
        }
    }
    Ok((answers, paces, sitemaps))
}

#[test]
fn same_as_the_policies() {
    let files = files();
    for &(name, profile) in Profile::NAMED {
        for keep_rules in [false, true] {
            let bytes = packed(&files, &profile, keep_rules);
            // The same files give the same bytes.
            assert_eq!(bytes, packed(&files, &profile, keep_rules));
            let pack = Pack::open(&bytes).expect("a pack");
            pack.verify().expect("no damage");
            assert_eq!((pack.profile_name(), pack.len()), (name, files.len() as u64));
            assert_eq!(pack.crawlers(), crawlers());
            let stat = pack.stat().expect("no damage");
            let distinct: HashSet<&[u8]> = files.iter().map(|(_, file)| &file[..]).collect();
            assert_eq!(stat.files, distinct.len() as u64);
            assert!(stat.files < stat.origins);
            assert_eq!(stat.kinds, [stat.sites, 0, 0, 0]);
            assert_eq!(stat.captured, Some((1, files.len() as u64 - 1)));
            assert_eq!(stat.total_bytes, bytes.len() as u64);
            assert!(stat.tables > 5, "{stat:?}");
            assert!(stat.paces > 0, "{stat:?}");
            assert_eq!(stat.sitemap_lists > 0, keep_rules, "{stat:?}");
            assert!(site(&pack, "nobody.example").is_none());
            assert_eq!(pack.sites().count(), files.len());
            let mut set = PolicySet::new(&profile, &config(keep_rules), crawlers());
            for (host, file) in &files {
                set.insert(&origin(host), file);
            }
            for (number, (host, file)) in files.iter().enumerate() {
                let site = site(&pack, host).expect("was added");
                assert_eq!((site.authority(), site.kind()), (&host[..], SiteKind::Rules));
                assert_eq!(site.schemes().collect::<Vec<_>>(), [Scheme::Https]);
                assert_eq!(site.captured(), Some(number as u64).filter(|number| *number > 0));
                let robots = Robots::parse_with(file, &profile, &config(keep_rules));
                let policies = CrawlerPolicies::of(&robots, &crawlers());
                let sitemaps: Vec<&[u8]> = site.sitemaps().expect("no damage").collect();
                assert_eq!(sitemaps, policies.sitemaps().collect::<Vec<_>>(), "{name} {host}");
                let wanted = if keep_rules { robots.sitemaps().collect() } else { Vec::new() };
                assert_eq!(sitemaps, wanted, "{name} {host}");
                for (crawler, agent) in crawlers().iter().enumerate() {
                    let pace = site.pace(CrawlerId::at(crawler)).expect("no damage");
                    assert_eq!(pace, robots.pace(agent), "{name} {host}");
                    assert_eq!(pace, policies.pace(crawler), "{name} {host}");
                    let policy =
                        site.policy(CrawlerId::at(crawler)).expect("no damage").expect("known");
                    let with_rules = policy.with_rules().expect("no damage");
                    assert!(with_rules.is_none_or(|policy| policy.pace() == pace));
                }
                for url in urls(host, number as u64) {
                    let (mut wanted, mut got) = ([Answer::Unknown; 3], [Answer::Unknown; 3]);
                    policies.ask_into(&url, &mut wanted);
                    site.ask_into(&url, &mut got).expect("no damage");
                    assert_eq!(got, wanted, "{name} {host} {}", url.escape_ascii());
                    if Origin::of(&url) == Ok(origin(host)) {
                        // Wherever a batch begins, and for any choice of crawlers.
                        let urls = [&b"x"[..], &url, b"https://nobody.example/", &url];
                        let mut got = [Answer::Allow; 8];
                        pack.answers_into(&urls, &[CrawlerId::at(2), CrawlerId::at(0)], &mut got)
                            .expect("no damage");
                        let [a, _, c] = wanted;
                        let one = |crawler| pack.answer(&url, CrawlerId::at(crawler));
                        assert_eq!([0, 1, 2].map(one), wanted.map(Ok), "{name} {host}");
                        let one = |crawler: &CrawlerId| set.answer(&url, *crawler);
                        assert_eq!(set.crawler_ids().iter().map(one).collect::<Vec<_>>(), wanted);
                        let [invalid, unknown] = [Answer::Invalid, Answer::Unknown];
                        assert_eq!(got, [invalid, invalid, c, a, unknown, unknown, c, a]);
                        let mut got = [Answer::Allow; 12];
                        set.answers_into(&urls, set.crawler_ids(), &mut got);
                        assert_eq!((&got[..3], &got[3..6]), (&[invalid; 3][..], &wanted[..]));
                        assert_eq!((&got[6..9], &got[9..]), (&[unknown; 3][..], &wanted[..]));
                    }
                    for crawler in 0..3 {
                        let policy =
                            site.policy(CrawlerId::at(crawler)).expect("no damage").expect("known");
                        let allowed = policy.is_allowed(&url).map(|allowed| match allowed {
                            true => Answer::Allow,
                            false => Answer::Disallow,
                        });
                        assert_eq!(allowed.unwrap_or(Answer::Invalid), wanted[crawler]);
                        let verdict = policy.decide(&url).map(|d| Answer::from(d.verdict));
                        assert_eq!(verdict.unwrap_or(Answer::Invalid), wanted[crawler]);
                        let with_rules = policy.with_rules().expect("no damage");
                        assert_eq!(with_rules.is_some(), keep_rules || !policy.is_table());
                        let line = with_rules.as_ref().map(|policy| {
                            let decision = policy.decide(&url).ok();
                            decision.and_then(|d| d.rule().map(|r| (r.line, r.value.to_vec())))
                        });
                        let decision = policies.policy(crawler).decide(&url).ok();
                        let wanted = decision
                            .and_then(|d| d.rule().map(|rule| (rule.line, rule.value.to_vec())));
                        assert!(line.is_none_or(|line| line == wanted), "{name} {host}");
                    }
                }
            }
        }
    }
}

/// Whichever bit is changed, the result is an error, or all answers stay the same.
#[test]
fn every_bit_changed() {
    let mut files = files();
    files.drain(1..11);
    let bytes = packed(&files, &Profile::RFC9309, true);
    let right = answers(&Pack::open(&bytes).expect("a pack"), &files).expect("no damage");
    let mut changed = bytes.clone();
    for at in (0..bytes.len()).step_by(effort::step(9)) {
        // One bit of each of these bytes, but all bits of those at the beginning and at the end.
        let bits = if (256..bytes.len() - 512).contains(&at) { at % 8..at % 8 + 1 } else { 0..8 };
        for bit in bits {
            changed[at] ^= 1 << bit;
            if let Ok(pack) = Pack::open(&changed) {
                assert!(pack.verify().is_err(), "byte {at}, bit {bit} is not verified");
                if let Ok(answers) = answers(&pack, &files) {
                    assert_eq!(answers, right, "byte {at}, bit {bit}");
                }
            }
            changed[at] ^= 1 << bit;
        }
    }
}

#[test]
fn cut_short() {
    let bytes = packed(&files()[..2], &Profile::GOOGLE, false);
    for len in 0..bytes.len() {
        assert!(Pack::open(&bytes[..len]).is_err(), "{len}");
        assert!(Pack::open(&bytes[len + 1..]).is_err(), "{len}");
    }
}

#[test]
fn other_files() {
    assert_eq!(Pack::open(b"").unwrap_err(), PackError::NotAPack);
    assert_eq!(Pack::open([b'x'; 1000]).unwrap_err(), PackError::NotAPack);
    let mut bytes = packed(&[], &Profile::RFC9309, false);
    let pack = Pack::open(&bytes).expect("a pack of nothing");
    assert!(pack.is_empty() && site(&pack, "e.com").is_none());
    pack.verify().expect("no damage");
    drop(pack);
    for version in [1, 2, 3, 5, 7] {
        bytes[8] = version;
        let error = Pack::open(&bytes).unwrap_err();
        assert_eq!(error, PackError::Version(version.into()));
        assert!(error.to_string().ends_with("this program reads version 6; write the pack again"));
    }
}

/// Each of many origins is found, and no other.
#[test]
fn many_origins() {
    let file = b"User-agent: *\nDisallow: /a";
    let config = config(false);
    let mut writer = Writer::new(Vec::new(), &Profile::GOOGLE, crawlers(), &config).expect("a Vec");
    let packed = writer.recipe().pack(file);
    let rules = SiteRules::Rules(writer.put(&packed).expect("a Vec"));
    for number in 0..20_000 {
        writer.add(&origin(&format!("host{number}.example")), rules, None).expect("a Vec");
    }
    // Added twice: the last answer counts.
    writer.add(&origin("host7.example"), SiteRules::AllowAll, None).expect("a Vec");
    let bytes = writer.finish().expect("a Vec");
    let pack = Pack::open(&bytes).expect("a pack");
    pack.verify().expect("no damage");
    assert_eq!(pack.len(), 20_000);
    let hosts: Vec<String> = (0..40_000).map(|number| format!("host{number}.example")).collect();
    let urls: Vec<String> = hosts.iter().map(|host| format!("https://{host}/a")).collect();
    let mut answers = vec![Answer::Invalid; urls.len()];
    pack.answers_into(&urls, &[CrawlerId::at(2)], &mut answers).expect("no damage");
    for (number, (host, answer)) in hosts.iter().zip(answers).enumerate() {
        let wanted = match number {
            7 => Answer::Allow,
            0..20_000 => Answer::Disallow,
            _ => Answer::Unknown,
        };
        assert_eq!(answer, wanted, "{host}");
        let site = site(&pack, host);
        assert_eq!(site.is_some(), number < 20_000);
        if let Some(site) = site {
            let policy = site.policy(CrawlerId::at(2)).expect("no damage").expect("known");
            assert_eq!(policy.is_allowed("https://e.com/a"), Ok(number == 7));
        }
    }
}

/// http, https and each port are origins of their own. Those that differ only in the scheme share
/// an entry if they have the same answer.
#[test]
fn schemes_and_ports() {
    let mut writer =
        Writer::new(Vec::new(), &Profile::RFC9309, [Crawler::name("bot")], &config(true))
            .expect("a Vec");
    let mut rules = |file: &[u8]| {
        let packed = writer.recipe().pack(file);
        SiteRules::Rules(writer.put(&packed).expect("a Vec"))
    };
    let (closed, half) =
        (rules(b"User-agent: *\nDisallow: /"), rules(b"User-agent: *\nDisallow: /a"));
    for (origin, outcome) in [
        ("http://e.com", closed),
        ("https://e.com", closed),
        ("ftp://e.com", closed),
        ("http://f.com", closed),
        ("https://f.com", half),
        ("https://f.com:8443", SiteRules::AllowAll),
        ("http://g.com", SiteRules::DisallowAll),
        ("https://g.com", SiteRules::Unknown),
    ] {
        let origin = Origin::of(origin).expect("an origin");
        writer.add(&origin, outcome, Some(9)).expect("a Vec");
    }
    let bytes = writer.finish().expect("a Vec");
    let pack = Pack::open(&bytes).expect("a pack");
    pack.verify().expect("no damage");
    let stat = pack.stat().expect("no damage");
    assert_eq!((pack.len(), stat.sites, stat.kinds), (8, 6, [3, 1, 1, 1]));
    assert_eq!(stat.captured, Some((9, 9)));
    let (allow, disallow, unknown) = (Answer::Allow, Answer::Disallow, Answer::Unknown);
    for (url, wanted) in [
        ("http://e.com/b", disallow),
        ("https://e.com/b", disallow),
        ("ftp://e.com/b", disallow),
        ("http://e.com/robots.txt", allow),
        ("http://f.com/b", disallow),
        ("https://f.com/b", allow),
        ("https://f.com/a", disallow),
        ("https://f.com:8443/a", allow),
        ("http://f.com:8443/a", unknown),
        ("http://g.com/b", disallow),
        ("http://g.com/robots.txt", allow),
        ("https://g.com/b", unknown),
        ("https://g.com/robots.txt", unknown),
        ("ftp://f.com/b", unknown),
    ] {
        let mut answers = [Answer::Invalid];
        pack.answers_into(&[url], &[CrawlerId::at(0)], &mut answers).expect("no damage");
        assert_eq!(answers, [wanted], "{url}");
        if let Some(site) = pack.get(&Origin::of(url).expect("an origin")).expect("no damage") {
            site.ask_into(url, &mut answers).expect("no damage");
            assert_eq!(answers, [wanted], "{url}");
        }
    }
    let origins: HashSet<String> = pack
        .sites()
        .flat_map(|site| site.expect("no damage").origins().map(|o| o.key().to_owned()))
        .collect();
    assert_eq!(origins.len(), 8);
}

/// What a pack says of each origin.
fn all(pack: &Pack<'_>) -> Vec<(String, SiteKind, Option<u64>, Vec<Answer>)> {
    let mut all = Vec::new();
    for site in pack.sites() {
        let site = site.expect("no damage");
        let mut answers = [Answer::Invalid; 3];
        site.ask_into("/a", &mut answers).expect("no damage");
        for origin in site.origins() {
            all.push((origin.key().to_owned(), site.kind(), site.captured(), answers.to_vec()));
        }
    }
    all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    all
}

/// A layer changes what it says, and nothing else; a pack with a part of a layer is the one before.
#[test]
fn updates() {
    let files = files();
    let bytes = packed(&files, &Profile::RFC9309, true);
    let pack = Pack::open(&bytes).expect("a pack");
    let before = all(&pack);
    let config = config(true);
    let wrong = Writer::append(&pack, Vec::new(), &Profile::GOOGLE, &config).map(|_| ());
    assert!(wrong.unwrap_err().to_string().contains("another profile"));
    let update = |pack: &Pack<'_>| {
        let mut writer =
            Writer::append(pack, Vec::new(), &Profile::RFC9309, &config).expect("a layer");
        let new = writer.recipe().pack(b"User-agent: GPTBot\nDisallow: /a\nSitemap: /s");
        let site = pack.get(&origin("empty.example")).expect("no damage").expect("is there");
        assert!(!site.holds(&new).expect("no damage"));
        let same = writer.recipe().pack(b"");
        assert!(site.holds(&same).expect("no damage"));
        let rules = SiteRules::Rules(writer.put(&new).expect("a Vec"));
        writer.add(&origin("empty.example"), rules, Some(100)).expect("a Vec");
        writer.add(&origin("new.example"), rules, Some(100)).expect("a Vec");
        writer
            .add(&Origin::of("http://new.example").expect("an origin"), rules, Some(100))
            .expect("a Vec");
        writer.forget(&origin("delay.example")).expect("a Vec");
        writer.forget(&origin("never.example")).expect("a Vec");
        writer.add(&origin("hostile.example"), SiteRules::Unknown, None).expect("a Vec");
        writer.finish().expect("a Vec")
    };
    let layer = update(&pack);
    let whole = [&bytes[..], &layer].concat();
    let updated = Pack::open(&whole).expect("a pack of two layers");
    updated.verify().expect("no damage");
    assert_eq!((updated.layer_count(), updated.len()), (2, before.len() as u64 + 1));
    let after = all(&updated);
    assert_eq!(after.len() as u64, updated.len());
    for entry in &after {
        let old = before.iter().find(|old| old.0 == entry.0);
        let (allow, disallow) = (Answer::Allow, Answer::Disallow);
        let changed = vec![disallow, allow, allow];
        match &entry.0[..] {
            "https://empty.example" | "https://new.example" | "http://new.example" => {
                assert_eq!((entry.1, entry.2, &entry.3), (SiteKind::Rules, Some(100), &changed));
            }
            "https://hostile.example" => {
                assert_eq!((entry.1, &entry.3), (SiteKind::Unknown, &vec![Answer::Unknown; 3]));
            }
            _ => assert_eq!(Some(entry), old),
        }
    }
    assert!(!after.iter().any(|entry| entry.0 == "https://delay.example"));
    let sitemaps = updated.get(&origin("empty.example")).expect("no damage").expect("is there");
    assert_eq!(sitemaps.sitemaps().expect("no damage").next(), Some(&b"/s"[..]));
    // The same update again changes no answer.
    let third = update(&Pack::open(&bytes).expect("a pack"));
    assert_eq!(third, layer, "the same update of the same pack");
    // Cut anywhere, it is the pack before the update, and that is not hidden.
    let unfinished = |pack: &Pack<'_>| -> Vec<(usize, u64, u64)> {
        let all = pack.unfinished();
        all.map(|Unfinished { file, complete, bytes, .. }| (file, complete, bytes)).collect()
    };
    assert_eq!(unfinished(&updated), []);
    for len in bytes.len()..whole.len() {
        let pack = Pack::open(&whole[..len]).expect("the pack before the update");
        assert!(pack.files().eq([&bytes[..]]), "{len}");
        match len - bytes.len() {
            0 => assert_eq!(unfinished(&pack), []),
            more => assert_eq!(unfinished(&pack), [(0, bytes.len() as u64, more as u64)]),
        }
    }
    let pack = Pack::open(&whole[..whole.len() - 1]).expect("the pack before the update");
    assert_eq!(all(&pack), before);
    // From then on no flipped bit brings the pack before the update back, whatever is behind it.
    let trailer = whole.len() - TRAILER_LEN;
    for at in (12..16).chain(trailer..whole.len()) {
        for bit in 0..8 {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << bit;
            for tail in [&b""[..], &[0; 300], &layer[..layer.len() - 1]] {
                let flipped = [&flipped, tail].concat();
                let error = Pack::open(&flipped).expect_err("damaged");
                assert!(matches!(error, PackError::Damaged { .. }), "{at} {bit}: {error}");
            }
        }
    }
    // Nor is anything else that stands behind a pack taken for a layer: a part of one, zeros, noise, or
    // the trailer of another pack. A layer that was written for another place is damage.
    let other = Writer::new(Vec::new(), &Profile::RFC9309, crawlers(), &config)
        .and_then(|writer| writer.with_seed(9).finish())
        .expect("a Vec");
    let noise: Vec<u8> = (0..5_000u32).map(|number| ((number * number) >> 7) as u8).collect();
    for tail in [&b"x"[..], &[0; 70_000], &noise, &layer[..layer.len() - 7], &other] {
        for gap in [0, 1, 255, 256, 4096] {
            let more = [&whole, &vec![0; gap], tail].concat();
            let pack = Pack::open(&more).expect("the pack before what is behind it");
            assert!(pack.files().eq([&whole[..]]));
            let more = (more.len() - whole.len()) as u64;
            assert_eq!(unfinished(&pack), [(0, whole.len() as u64, more)]);
        }
    }
    let error = Pack::open([&whole[..], &layer].concat()).expect_err("a layer of another place");
    assert!(matches!(error, PackError::Damaged { .. }), "{error}");
    // A copy in one layer says the same.
    let mut writer =
        Writer::new(Vec::new(), &Profile::RFC9309, crawlers(), &config).expect("a Vec");
    for site in updated.sites() {
        let site = site.expect("no damage");
        let outcome = writer.put_site(&site).expect("a Vec");
        for origin in site.origins() {
            writer.add(&origin, outcome, site.captured()).expect("a Vec");
        }
    }
    let merged = writer.finish().expect("a Vec");
    let merged = Pack::open(&merged).expect("a pack");
    merged.verify().expect("no damage");
    assert_eq!((merged.layer_count(), all(&merged)), (1, after));
}

#[test]
fn shards() {
    let files = files();
    let whole = packed(&files, &Profile::RFC9309, false);
    let whole = Pack::open(&whole).expect("a pack");
    let write = |shards: u32, crawlers: &[Crawler]| -> Vec<Vec<u8>> {
        let mut writers: Vec<_> = (0..shards)
            .map(|shard| {
                let crawlers = crawlers.to_vec();
                let (profile, config) = (Profile::RFC9309, config(false));
                Writer::shard(Vec::new(), &profile, crawlers, &config, shard, shards)
                    .expect("a Vec")
            })
            .collect();
        for (number, (host, file)) in (0..).zip(&files) {
            let origin = origin(host);
            let writer = &mut writers[origin.shard(shards) as usize];
            let packed = writer.recipe().pack(file);
            let rules = SiteRules::Rules(writer.put(&packed).expect("a Vec"));
            writer.add(&origin, rules, Some(number)).expect("a Vec");
        }
        writers.into_iter().map(|writer| writer.finish().expect("a Vec")).collect()
    };
    let parts = write(3, &crawlers());
    let mut parts: Vec<&[u8]> = parts.iter().map(|part| &part[..]).collect();
    for _ in 0..3 {
        parts.rotate_left(1);
        let pack = Pack::open_shards(&parts).expect("three files");
        pack.verify().expect("no damage");
        assert_eq!((pack.shard_count(), all(&pack)), (3, all(&whole)));
        assert_eq!(answers(&pack, &files), answers(&whole, &files));
        let urls: Vec<Vec<u8>> =
            (0..).zip(&files).flat_map(|(number, (host, _))| urls(host, number)).collect();
        let mut rows = [vec![Answer::Allow; urls.len()], vec![Answer::Allow; urls.len()]];
        pack.answers_into(&urls, &[CrawlerId::at(1)], &mut rows[0]).expect("no damage");
        whole.answers_into(&urls, &[CrawlerId::at(1)], &mut rows[1]).expect("no damage");
        assert_eq!(rows[0], rows[1]);
    }
    assert_eq!(Pack::open(parts[0]).unwrap_err(), PackError::OneOf { shard: 0, shards: 3 });
    let missing = Pack::open_shards([parts[0], parts[2]]).unwrap_err();
    let wanted = FileError { file: 0, error: PackError::OneOf { shard: 0, shards: 3 } };
    assert_eq!(missing, wanted);
    assert!(Pack::open_shards([parts[0], parts[1], parts[1]]).is_err());
    let others = write(3, &crawlers()[..2]);
    let error = Pack::open_shards([parts[0], parts[1], &others[2]]).unwrap_err();
    assert_eq!(error, FileError { file: 2, error: PackError::OtherShards });
    assert!(Pack::open_shards([b""; 0]).is_err());
}

/// A pack that owns its bytes borrows nothing, and outlives what made it.
#[test]
fn owned_bytes() {
    let crawlers = [Crawler::name("bot")];
    let config = Config::default();
    let mut writer = Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &config).expect("a Vec");
    writer.add(&origin("a.example"), SiteRules::DisallowAll, None).expect("a Vec");
    let bytes = writer.finish().expect("a Vec");
    let pack: Pack<'static> = Pack::open(bytes.clone()).expect("a pack");
    assert_eq!(pack.files().collect::<Vec<_>>(), [&bytes[..]]);
    drop(bytes);
    let answers = std::thread::spawn(move || {
        let mut answers = [Answer::Unknown; 2];
        let urls = ["https://a.example/", "https://b.example/"];
        pack.answers_into(&urls, &[CrawlerId::at(0)], &mut answers).expect("no damage");
        answers
    });
    assert_eq!(answers.join().expect("no panic"), [Answer::Disallow, Answer::Unknown]);
}

/// A set becomes a pack that says the same, of files, outcomes and what is not known.
#[test]
fn sets_become_packs() {
    let files = files();
    for &(_, profile) in Profile::NAMED {
        for keep_rules in [false, true] {
            let mut set = PolicySet::new(&profile, &config(keep_rules), crawlers());
            for (host, file) in &files {
                set.insert(&origin(host), file);
            }
            let outcomes = [
                SiteRules::AllowAll,
                SiteRules::DisallowAll,
                SiteRules::Unknown,
                SiteRules::Rules(&b""[..]),
            ];
            for (number, outcome) in outcomes.into_iter().enumerate() {
                // Replaces another one.
                let origin = origin(&format!("outcome{number}.example"));
                set.insert(&origin, outcomes[(number + 1) % 4]);
                set.insert(&origin, outcome);
            }
            let pack = Pack::open(set.write_pack(Vec::new()).expect("a Vec")).expect("a pack");
            pack.verify().expect("no damage");
            assert_eq!(pack.len(), set.len() as u64);
            assert_eq!(pack.keeps_rules(), keep_rules);
            let mut urls: Vec<Vec<u8>> =
                (0..).zip(&files).flat_map(|(number, (host, _))| urls(host, number)).collect();
            for number in 0..5 {
                let host = format!("https://outcome{number}.example");
                urls.extend(["/", "/robots.txt"].map(|path| format!("{host}{path}").into()));
            }
            let mut of_set = vec![Answer::Invalid; 3 * urls.len()];
            let mut of_pack = of_set.clone();
            set.answers_into(&urls, set.crawler_ids(), &mut of_set);
            pack.answers_into(
                &urls,
                &[CrawlerId::at(0), CrawlerId::at(1), CrawlerId::at(2)],
                &mut of_pack,
            )
            .expect("no damage");
            assert_eq!(of_set, of_pack);
            let last: Vec<Answer> = of_set.chunks(3).map(|row| row[0]).rev().take(10).collect();
            let closed = if profile.robots_txt_allowed { Answer::Allow } else { Answer::Disallow };
            let (allow, unknown) = (Answer::Allow, Answer::Unknown);
            let wanted =
                [unknown, unknown, allow, allow, unknown, unknown, closed, Answer::Disallow];
            assert_eq!(last[..8], wanted);
            assert_eq!(last[8..], [allow, allow]);
            for site in set.iter() {
                let packed = pack.get(&site.origin()).expect("no damage").expect("is there");
                assert_eq!(packed.kind(), site.kind());
                let sitemaps: Vec<&[u8]> = packed.sitemaps().expect("no damage").collect();
                assert_eq!(sitemaps, site.sitemaps().collect::<Vec<_>>());
                for crawler in 0..3 {
                    assert_eq!(
                        packed.pace(CrawlerId::at(crawler)).expect("no damage"),
                        site.pace(CrawlerId::at(crawler))
                    );
                    let policy = packed.policy(CrawlerId::at(crawler)).expect("no damage");
                    let rules = policy.and_then(|policy| policy.with_rules().expect("no damage"));
                    let Some(kept) = site.policies().map(|kept| kept.policy(crawler)) else {
                        continue;
                    };
                    let rules = rules.expect("kept");
                    assert_eq!(rules.rules().collect::<Vec<_>>(), kept.rules().collect::<Vec<_>>());
                }
            }
        }
    }
}

/// Origins that are given once: the same answers, and that for what is unknown.
#[test]
fn answers_for_known_origins() {
    let files = files();
    let bytes = packed(&files, &Profile::RFC9309, false);
    let pack = Pack::open(&bytes).expect("a pack");
    let mut urls: Vec<Vec<u8>> =
        (0..).zip(&files).flat_map(|(number, (host, _))| urls(host, number)).collect();
    urls.extend([b"https://unknown.example/".to_vec(), b"no URL".to_vec()]);
    let crawlers = pack.crawler_ids();
    for crawlers in [crawlers, &crawlers[..1]] {
        let mut wanted = vec![Answer::Invalid; urls.len() * crawlers.len()];
        pack.answers_into(&urls, crawlers, &mut wanted).expect("no damage");
        for otherwise in [Answer::Unknown, Answer::Allow] {
            let runs: Vec<UrlRun<'_>> = (1..)
                .zip(&urls)
                .map(|(end, url)| match Origin::of(url) {
                    Ok(origin) => UrlRun { origin: Some(origin), otherwise, end },
                    Err(_) => UrlRun { origin: None, otherwise: Answer::Invalid, end },
                })
                .collect();
            let mut found = vec![Answer::Invalid; wanted.len()];
            let damaged = |error| panic!("{error}");
            pack.answers_for(&runs, &urls, crawlers, &mut found, damaged);
            let wanted = wanted.iter().map(|answer| match answer {
                Answer::Unknown => otherwise,
                other => *other,
            });
            assert!(wanted.eq(found.iter().copied()));
        }
    }
}

/// Files that speak of rights to all, to some, outside any group, at length, or wrongly.
fn files_about_rights() -> Vec<(String, Vec<u8>)> {
    let mut long = "User-agent: *\nContent-Usage: train-ai=n\n".to_owned();
    for number in 0..200 {
        long += &format!(
            "Content-Usage: /{number}/ train-ai=y\nContent-Signal: /*{number} ai-input=no\n"
        );
    }
    let texts = [
        "User-agent: *\nDisallow: /x\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y, search=y\n",
        "User-agent: GPTBot\nContent-Usage: train-ai=n\nUser-agent: *\nContent-Signal: ai-input=no, use=reference\n",
        "Content-Signal: ai-train=no\nLicense: https://e.com/license.xml\nLicense: /relative\nUser-agent: GPTBot\nDisallow: /",
        "User-agent: *\nContent-Usage: Train-AI=n\nContent_Usage: train-ai=n\nContent-Signal: ai-train=perhaps",
        "User-agent: *\nDisallow: /\n",
        &long,
    ];
    (0..).zip(texts).map(|(n, text)| (format!("rights{n}.example"), text.into())).collect()
}

/// What a pack keeps of rights is what the files say, whatever else it keeps, and after it was copied.
#[test]
fn rights_as_the_files_say_them() {
    use robotsieve_rights::packed::{self, PackRights};
    use robotsieve_rights::{Purpose, RightsReader, Vocabulary};

    let files: Vec<_> = files_about_rights().into_iter().chain(files()).collect();
    for (_, profile) in Profile::NAMED {
        for keep_rules in [false, true] {
            let config = config(keep_rules).with_keep_rights(true);
            let mut writer = Writer::new(Vec::new(), profile, crawlers(), &config).unwrap();
            for (host, file) in &files {
                let packed = packed::pack(writer.recipe(), file, false);
                let rules = SiteRules::Rules(writer.put(&packed).unwrap());
                writer.add(&origin(host), rules, None).unwrap();
            }
            writer.add(&origin("open.example"), SiteRules::AllowAll, None).unwrap();
            writer.add(&origin("unknown.example"), SiteRules::Unknown, None).unwrap();
            let bytes = writer.finish().unwrap();
            let pack = Pack::open(&bytes).unwrap();
            pack.verify().unwrap();
            assert!(pack.keeps_rights());
            // Copied, as merging does.
            let mut writer = Writer::new(Vec::new(), profile, crawlers(), &config).unwrap();
            for (host, file) in &files {
                let site = site(&pack, host).unwrap();
                assert!(site.holds(&packed::pack(writer.recipe(), file, false)).unwrap());
                let outcome = writer.put_site(&site).unwrap();
                writer.add(&origin(host), outcome, None).unwrap();
            }
            let copy = writer.finish().unwrap();
            let copy = Pack::open(&copy).unwrap();
            copy.verify().unwrap();
            PackRights::new(&copy).verify().unwrap();
            for (host, file) in &files {
                let robots = Robots::parse(file, profile);
                for pack in [&pack, &copy] {
                    let rights = PackRights::new(pack);
                    let site = site(pack, host).unwrap();
                    if host.starts_with("rights") {
                        let speaks = host != "rights4.example";
                        assert_eq!(site.speaks_of_rights().unwrap(), speaks, "{host}");
                    }
                    for (number, crawler) in crawlers().iter().enumerate() {
                        for vocabulary in [Vocabulary::V08, Vocabulary::V01] {
                            let reader = RightsReader::new(crawler).with_vocabulary(vocabulary);
                            let wanted = reader.robots(&robots);
                            let found = match keep_rules {
                                true => rights.with_rules(&site, CrawlerId::at(number), vocabulary),
                                false => rights.of(&site, CrawlerId::at(number), vocabulary),
                            };
                            let found = found.unwrap().unwrap();
                            for path in ["/", "/open/1", "/x", "/3/33", "/robots.txt"] {
                                let url = format!("https://{host}{path}");
                                let wanted = wanted.rights(&url).unwrap();
                                let found = found.rights(&url).unwrap();
                                assert_eq!(found.notes(), wanted.notes(), "{url}");
                                assert_eq!(found.licences(), wanted.licences(), "{url}");
                                assert_eq!(found.use_ceiling(), wanted.use_ceiling(), "{url}");
                                for purpose in Purpose::ALL {
                                    let ruling = wanted.ruling(*purpose);
                                    assert_eq!(found.ruling(*purpose), ruling, "{purpose} {url}");
                                    if keep_rules || *purpose != Purpose::Crawl {
                                        assert!(found.by(*purpose).eq(wanted.by(*purpose)));
                                    }
                                }
                            }
                        }
                    }
                }
            }
            let open = site(&pack, "open.example").unwrap();
            let rights = PackRights::new(&pack)
                .of(&open, CrawlerId::at(0), Vocabulary::V08)
                .unwrap()
                .unwrap();
            assert_eq!(rights.rights("/").unwrap().ruling(Purpose::Crawl).as_str(), "allow");
            assert!(!open.speaks_of_rights().unwrap());
            let unknown = site(&pack, "unknown.example").unwrap();
            assert!(
                PackRights::new(&pack)
                    .of(&unknown, CrawlerId::at(0), Vocabulary::V08)
                    .unwrap()
                    .is_none()
            );
        }
    }
}

/// A pack that keeps no rights says so, and a profile without a name cannot keep them.
#[test]
fn rights_that_are_not_kept() {
    use robotsieve_rights::Vocabulary;
    use robotsieve_rights::packed::PackRights;

    let bytes = packed(&files_about_rights(), &Profile::RFC9309, true);
    let pack = Pack::open(&bytes).unwrap();
    let site = site(&pack, "rights0.example").unwrap();
    assert!(!pack.keeps_rights() && !site.speaks_of_rights().unwrap());
    assert!(PackRights::new(&pack).of(&site, CrawlerId::at(0), Vocabulary::V08).unwrap().is_none());
    let mut profile = Profile::RFC9309;
    profile.sitemap_ends_agents = !profile.sitemap_ends_agents;
    let config = Config::default().with_keep_rights(true);
    let error = Writer::new(Vec::new(), &profile, crawlers(), &config).unwrap_err();
    assert!(error.to_string().contains("profiles that have a name"), "{error}");
}

/// Whatever byte of a record of rights is changed, it is noticed.
#[test]
fn damaged_rights() {
    use robotsieve_rights::Vocabulary;
    use robotsieve_rights::packed::{self, PackRights};

    let (host, file) = &files_about_rights()[0];
    let config = config(false).with_keep_rights(true);
    let mut writer =
        Writer::new(Vec::new(), &Profile::RFC9309, crawlers(), &config).unwrap().with_seed(1);
    let rules = SiteRules::Rules(writer.put(&packed::pack(writer.recipe(), file, false)).unwrap());
    writer.add(&origin(host), rules, None).unwrap();
    let bytes = writer.finish().unwrap();
    let at = bytes.windows(10).position(|window| window == b"train-ai=n").unwrap();
    for at in at - 20..at + 10 {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        let pack = Pack::open(&damaged).unwrap();
        assert!(pack.verify().is_err() || PackRights::new(&pack).verify().is_err(), "{at}");
        let site = site(&pack, host).unwrap();
        assert!(
            PackRights::new(&pack).of(&site, CrawlerId::at(0), Vocabulary::V08).is_err(),
            "{at}"
        );
    }
}
