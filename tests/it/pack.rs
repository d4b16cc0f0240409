//! A pack gives the same verdicts as the policies it was made from, and damage is found.

use std::collections::HashSet;

use robotsieve::pack::{Pack, PackError, Writer};
use robotsieve::records::Pace;
use robotsieve::{Answer, Config, Crawler, CrawlerPolicies, Profile, Robots};

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

fn packed(files: &[(String, Vec<u8>)], profile: &Profile, keep_rules: bool) -> Vec<u8> {
    let config = config(keep_rules);
    let mut writer = Writer::new(Vec::new(), profile, crawlers(), &config).expect("a Vec");
    for (host, file) in files {
        if !writer.add_known(host.as_bytes(), writer.recipe().content(file)).expect("a Vec") {
            let packed = writer.recipe().pack(file);
            writer.add(host.as_bytes(), &packed).expect("a Vec");
        }
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
        let Some(site) = pack.get(host.as_bytes())? else {
            answers.push(Answer::Unknown);
            continue;
        };
        for crawler in 0..3 {
            paces.push(site.pace(crawler)?);
        }
        sitemaps.extend(site.sitemaps()?.map(<[u8]>::to_vec));
        for url in urls(host, number as u64) {
            let mut row = [Answer::Unknown; 3];
            site.ask(&url, &mut row)?;
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
            assert!(stat.tables > 5, "{stat:?}");
            assert!(stat.paces > 0, "{stat:?}");
            assert_eq!(stat.sitemap_lists > 0, keep_rules, "{stat:?}");
            assert!(pack.get(b"nobody.example").expect("no damage").is_none());
            assert_eq!(pack.origins().count(), files.len());
            for (number, (host, file)) in files.iter().enumerate() {
                let site = pack.get(host.as_bytes()).expect("no damage").expect("was added");
                let robots = Robots::parse_with(file, &profile, &config(keep_rules));
                let policies = CrawlerPolicies::of(&robots, &crawlers());
                let sitemaps: Vec<&[u8]> = site.sitemaps().expect("no damage").collect();
                assert_eq!(sitemaps, policies.sitemaps().collect::<Vec<_>>(), "{name} {host}");
                let wanted = if keep_rules { robots.sitemaps().collect() } else { Vec::new() };
                assert_eq!(sitemaps, wanted, "{name} {host}");
                for (crawler, agent) in crawlers().iter().enumerate() {
                    let pace = site.pace(crawler).expect("no damage");
                    assert_eq!(pace, robots.pace(agent), "{name} {host}");
                    assert_eq!(pace, policies.pace(crawler), "{name} {host}");
                    let policy = site.policy(crawler).expect("no damage");
                    let with_rules = policy.with_rules().expect("no damage");
                    assert!(with_rules.is_none_or(|policy| policy.pace() == pace));
                }
                for url in urls(host, number as u64) {
                    let (mut wanted, mut got) = ([Answer::Unknown; 3], [Answer::Unknown; 3]);
                    policies.ask(&url, &mut wanted);
                    site.ask(&url, &mut got).expect("no damage");
                    assert_eq!(got, wanted, "{name} {host} {}", url.escape_ascii());
                    for crawler in 0..3 {
                        let policy = site.policy(crawler).expect("no damage");
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
    for at in 0..bytes.len() {
        // One bit of each byte, but all bits of the first and the last bytes.
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
    assert_eq!(Pack::open(&[b'x'; 1000]).unwrap_err(), PackError::NotAPack);
    let mut bytes = packed(&[], &Profile::RFC9309, false);
    let pack = Pack::open(&bytes).expect("a pack of nothing");
    assert!(pack.is_empty() && pack.get(b"e.com").expect("no damage").is_none());
    pack.verify().expect("no damage");
    for version in [1, 7] {
        bytes[8] = version;
        let error = Pack::open(&bytes).unwrap_err();
        assert_eq!(error, PackError::Version(version.into()));
        assert!(error.to_string().ends_with("this program reads version 2; write the pack again"));
    }
}

/// Each of many origins is found, and no other.
#[test]
fn many_origins() {
    let file = b"User-agent: *\nDisallow: /a";
    let config = config(false);
    let mut writer = Writer::new(Vec::new(), &Profile::GOOGLE, crawlers(), &config).expect("a Vec");
    let packed = writer.recipe().pack(file);
    for number in 0..20_000 {
        writer.add(format!("host{number}.example").as_bytes(), &packed).expect("a Vec");
    }
    // Added twice: the first file counts.
    let other = writer.recipe().pack(b"");
    writer.add(b"host7.example", &other).expect("a Vec");
    let bytes = writer.finish().expect("a Vec");
    let pack = Pack::open(&bytes).expect("a pack");
    pack.verify().expect("no damage");
    assert_eq!(pack.len(), 20_000);
    for number in 0..40_000 {
        let site = pack.get(format!("host{number}.example").as_bytes()).expect("no damage");
        assert_eq!(site.is_some(), number < 20_000);
        if let Some(site) = site {
            let policy = site.policy(2).expect("no damage");
            assert_eq!(policy.is_allowed("https://e.com/a"), Ok(false));
        }
    }
}
