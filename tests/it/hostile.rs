//! Hostile input never panics and stays bounded.
//!
//! The times are the requirement's bars with a wide allowance: they are here to find what
//! explodes, not to measure; the benches do that.
//!
//! They are times that the processor worked for the thread of the test, so other tests may run beside.

use std::time::Duration;

use robotsieve::{Config, Crawler, Engine, Policy, Profile, Robots};
use robotsieve_corpora::effort;

use crate::support::configs;
use crate::support::hostile_packs;
use crate::support::random::Random;
use crate::support::say;
use crate::support::thread_time::ThreadTime;
use crate::support::whole_file::look_at;

/// By how much a bar may be missed before a test fails: other processes slow the processor down,
/// and assertions and a missing optimisation cost.
const ALLOWANCE: u32 = if cfg!(debug_assertions) { 50 } else { 10 };

/// A file as sites serve it, with something of everything.
const REAL_LOOKING: &[u8] = b"\xEF\xBB\xBF# robots.txt for http://shop.example/\r\n\
User-agent: Googlebot-Image\r\n\
User-agent: MJ12bot/1.4 # two of them\r\n\
Crawl-delay: 10\r\n\
Disallow: /cart\r\n\
Disallow: /*?sort=*&dir=%c3%a9$\r\n\
Allow: /cart/index.html\r\n\
\r\n\
User-agent: *\r\n\
Disallow:\r\n\
Allow: /p*/caf\xC3\xA9$\r\n\
Disallow: /*.pdf$\r\n\
Noindex: /x\r\n\
Sitemap: http://shop.example/sitemap.xml\r\n\
Dissallow: /typo\r\n\
disallow /no-colon\r\n";

const URLS: [&[u8]; 7] = [
    b"http://shop.example/cart/index.html?x#y",
    b"/a?sort=1&dir=%C3%A9",
    b"/p/caf\xC3\xA9",
    b"/robots.txt",
    b"",
    b"shop.example;x",
    b"/%",
];

#[test]
fn random_bytes() {
    let mut random = Random(1);
    for _ in 0..300 {
        let file: Vec<u8> = (0..random.below(1_500)).map(|_| random.below(256) as u8).collect();
        let url: Vec<u8> = (0..random.below(50)).map(|_| random.below(256) as u8).collect();
        look_at(&file, &[&url, &[b"/", &url[..]].concat()]);
    }
}

/// Bytes alone seldom make a record; pieces of records do.
#[test]
fn random_pieces() {
    const PIECES: [&[u8]; 28] = [
        b"User-agent",
        b"Disallow",
        b"Allow",
        b"Sitemap",
        b"Useragent",
        b":",
        b":",
        b":",
        b" ",
        b"\t",
        b"\n",
        b"\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"#",
        b"*",
        b"*",
        b"$",
        b"/",
        b"/a",
        b"bot",
        b"%61",
        b"%",
        b"\0",
        b"\xEF\xBB\xBF",
        b"\xFF",
        b"index.htm",
    ];
    let mut random = Random(2);
    for _ in 0..1_500 {
        let pieces = (0..random.below(60)).map(|_| *random.of(&PIECES));
        let file: Vec<u8> = pieces.collect::<Vec<_>>().concat();
        let url: Vec<u8> = (0..6).map(|_| *random.of(&PIECES)).collect::<Vec<_>>().concat();
        look_at(&file, &[&[b"/", &url[..]].concat(), &url, b"/a", b"/"]);
    }
}

#[test]
fn one_byte_changed() {
    look_at(REAL_LOOKING, &URLS);
    for at in (0..REAL_LOOKING.len()).step_by(effort::step(9)) {
        for byte in *b"\0\n\r\t #:*$%/\x7F\xEF\xFF" {
            let mut file = REAL_LOOKING.to_vec();
            file[at] = byte;
            look_at(&file, &URLS[..3]);
        }
        look_at(&REAL_LOOKING[..at], &URLS[..3]);
        look_at(&REAL_LOOKING[at..], &URLS[..3]);
    }
}

#[test]
fn one_byte_repeated() {
    for byte in *b"\r\n\0*#:$% /\t\xEF\xFF\x0Ba" {
        look_at(&vec![byte; 5_000], &URLS);
        let started = ThreadTime::start();
        let file = vec![byte; 1_000_000];
        for &(_, profile) in Profile::NAMED {
            let robots = Robots::parse(&file, &profile);
            robots.diagnostics();
            let policy = robots.policy(&Crawler::name("bot"));
            assert_eq!(policy.is_allowed("/x"), Ok(true));
        }
        let bar = Duration::from_millis(400);
        within(&format!("a file of {:?}", char::from(byte)), started.elapsed(), bar);
    }
    for line in
        [&b"*\r\n"[..], b":\n", b"a:\n", b"user-agent:\n", b"disallow:\n", b"\0\n", b"\r\r\n"]
    {
        look_at(&line.repeat(2_000), &URLS[..2]);
    }
    for value in [&b"*"[..], b"$", b"%", b"**$", b"$$", b"/", b"\xFF"] {
        let value = value.repeat(3_000);
        let file = [b"User-agent: *\nDisallow: ", &value[..], b"\nAllow: /", &value].concat();
        look_at(&file, &URLS);
    }
}

/// The hostile files of `robotsieve_corpora::hostile`, with the requirement's bars: parse and compile, and one
/// decision on a URL of 2 kB.
#[test]
fn hostile_files() {
    let mut random = Random(3);
    let digits = |n: usize| format!("{n:05}");
    let prefixes = (0..20_000).map(|n| format!("/{}/{}", random.below(100), digits(n))).collect();
    let stars = (0..25_000).map(|n| {
        let at = |i: u32| char::from(b'a' + (n / 26usize.pow(i) % 26) as u8);
        format!("/*{}*{}*{}*{}", at(0), at(1), at(2), at(3))
    });
    let explosive =
        (0..14).map(|n| format!("/*{}x*{}y", char::from(b'a' + n), char::from(b'A' + n)));
    let bombs = (0..14_300).map(|n| format!("/*a*a*a*a*a*a*a*a*a*{}", digits(n)));
    let bombs_of_a = (0..100).map(|n| format!("/{}*a*a*a*a*a*a*a*b", "*a".repeat(n)));
    let millis = Duration::from_millis;
    let long = |end: char| format!("{}{end}", "a".repeat(200_000));
    let stars_of_one = |end: char| format!("/{}{end}", "*a".repeat(100_000));
    let codes = (0..22_000).map(|n| format!("/*{}*{}", code(n), code(n * 7 % 22_000)));
    let all: [(&str, Vec<String>, Duration); 10] = [
        ("20,000 prefixes", prefixes, millis(60)),
        ("25,000 /*a*b*c*d", stars.collect(), millis(60)),
        ("14 /*ax*Ay", explosive.collect(), millis(60)),
        ("14,300 star bombs", bombs.collect(), millis(60)),
        ("100 deeper and deeper", bombs_of_a.collect(), millis(60)),
        ("nested pieces", nested_pieces(), millis(20)),
        ("/aaa…*XY", long_runs(), millis(600)),
        // Found by these tests to cost far more than they look.
        (
            "two long literals",
            vec![format!("/{}", long('b')), format!("/*{}", long('c'))],
            millis(60),
        ),
        ("200,000 stars", vec![stars_of_one('b'), stars_of_one('c')], millis(60)),
        ("22,000 pairs of codes", codes.collect(), millis(60)),
    ];
    for (name, values, bar) in all {
        // One verdict alone would come down to one run.
        let verdict = |n: usize| if n.is_multiple_of(3) { "Allow" } else { "Disallow" };
        let lines = values.iter().enumerate().map(|(n, v)| format!("{}: {v}\n", verdict(n)));
        let lines: String = lines.collect();
        let file = format!("User-agent: *\n{lines}").into_bytes();
        let mut config = Config::default();
        config.build_after = Some(0);
        let built = quickest(|| {
            let robots = Robots::parse_with(&file, &Profile::RFC9309, &config);
            robots.policy(&Crawler::name("bot")).compile();
        });
        let robots = Robots::parse_with(&file, &Profile::RFC9309, &config);
        let policy = robots.policy(&Crawler::name("bot"));
        policy.compile();
        policy.validate().expect(name);
        let scan = with_engine(&file, Engine::Scan);
        let others = [Engine::Lazy, Engine::Segments].map(|engine| with_engine(&file, engine));
        let engine = policy.engine();
        let mut slowest = [Duration::ZERO; 2];
        for (i, len) in [2_000, 64_000].into_iter().enumerate() {
            for url in urls(len, &values, &mut random) {
                let expected = scan.is_allowed(&url);
                for policy in others.iter().chain([&policy]) {
                    let got = policy.is_allowed(&url);
                    let shown = url[..url.len().min(200)].escape_ascii();
                    assert_eq!(got, expected, "{name}, {:?}, {shown}", policy.engine());
                }
                slowest[i] = slowest[i].max(quickest(|| {
                    let _ = policy.is_allowed(&url);
                }));
            }
        }
        say(&format!(
            "{name}: {:?} to parse and compile, {engine:?}, a decision {:?}, on 64 kB {:?}",
            built, slowest[0], slowest[1]
        ));
        within(&format!("{name}: parse and compile"), built, bar);
        within(&format!("{name}: 2 kB"), slowest[0], millis(1));
        within(&format!("{name}: 64 kB"), slowest[1], millis(20));
    }
}

/// Few bytes with very many stars: no lazy DFA is tried, whose states would be so large that
/// a question waits for some milliseconds before it gives up.
#[test]
fn many_stars_in_few_bytes() {
    for (rules, engine) in [(409, Engine::Lazy), (410, Engine::Segments), (3_312, Engine::Segments)]
    {
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        let rule = |n| format!("Disallow: /*a*a{}*a*a{}*a*a*a*a*a*b\n", letter(n), letter(n / 26));
        let file = format!("User-agent: *\n{}", (0..rules).map(rule).collect::<String>());
        assert!(file.len() < 128 << 10);
        let policy =
            Robots::parse(file.as_bytes(), &Profile::RFC9309).policy(&Crawler::name("bot"));
        policy.compile();
        let scan = with_engine(file.as_bytes(), Engine::Scan);
        let mut random = Random(rules as u64);
        for _ in 0..20 {
            let path: Vec<u8> = (1..2_000).map(|_| b"aaab"[random.below(4)]).collect();
            let path = [b"/", &path[..]].concat();
            let begun = ThreadTime::start();
            let verdict = policy.is_path_allowed(&path);
            within(
                &format!("{rules} rules of ten stars"),
                begun.elapsed(),
                Duration::from_millis(1),
            );
            assert_eq!(verdict, scan.is_path_allowed(&path));
        }
        assert_eq!(policy.engine(), engine, "{rules} rules");
    }
}

/// A number in base 36.
fn code(mut n: usize) -> String {
    let mut code = String::new();
    while n > 0 || code.is_empty() {
        code.extend(char::from_digit((n % 36) as u32, 36));
        n /= 36;
    }
    code
}

/// 987 rules `/*a*Z…`, `/*aa*Z…`, …: every byte of a URL of `a` ends all pieces.
fn nested_pieces() -> Vec<String> {
    (1..=987).map(|n| format!("/*{}*Z{n}", "a".repeat(n))).collect()
}

/// 980 rules `/aaa…*XY`.
fn long_runs() -> Vec<String> {
    (1..=980)
        .map(|n| {
            let at = |n: usize| char::from(b'A' + (n % 26) as u8);
            format!("/{}*{}{}", "a".repeat(n), at(n), at(n / 26))
        })
        .collect()
}

fn urls(len: usize, values: &[String], random: &mut Random) -> Vec<Vec<u8>> {
    let random_letters: Vec<u8> = (1..len).map(|_| b'a' + random.below(26) as u8).collect();
    let mut of_a = vec![b'a'; len];
    of_a[0] = b'/';
    let explosive = b"axbxcxdxexfxgxhxixjxkxlxmxnxAyx".iter().cycle().take(len - 1);
    let value = values[random.below(values.len())].replace('*', "aXYa").into_bytes();
    let escapes = b"%61%C3%a9\xC3\xA9%".iter().cycle().take(len - 1);
    let slashed = |bytes: Vec<u8>| [b"/", &bytes[..]].concat();
    let mut all = vec![
        slashed(random_letters),
        of_a.clone(),
        slashed(explosive.copied().collect()),
        [&value[..], &of_a].concat(),
        slashed(escapes.copied().collect()),
        [&of_a[..len - 5], b"00042"].concat(),
    ];
    // What comes of a long rule is longer.
    all.iter_mut().for_each(|url| url.truncate(len));
    all
}

fn with_engine(file: &[u8], engine: Engine) -> Policy {
    let config = configs::forced(engine);
    Robots::parse_with(file, &Profile::RFC9309, &config).policy(&Crawler::name("bot"))
}

/// The least of three times: what is slow every time is slow.
fn quickest(mut act: impl FnMut()) -> Duration {
    (0..3)
        .map(|_| {
            let started = ThreadTime::start();
            act();
            started.elapsed()
        })
        .min()
        .expect("three times")
}

fn within(what: &str, took: Duration, bar: Duration) {
    assert!(took <= bar * ALLOWANCE, "{what}: {took:?}, the bar is {bar:?} × {ALLOWANCE}");
}

#[test]
fn ten_thousand_groups() {
    let mut file = Vec::new();
    for n in 0..10_000 {
        file.extend_from_slice(
            format!("User-agent: bot-{n:05}\nDisallow: /{n}\nAllow: /{n}/a\n").as_bytes(),
        );
    }
    let started = ThreadTime::start();
    for &(name, mut profile) in Profile::NAMED {
        profile.size_limit = None;
        let robots = Robots::parse(&file, &profile);
        assert_eq!(robots.group_count(), 10_000, "{name}");
        for n in (0..10_000).step_by(7) {
            let policy = robots.policy(&Crawler::name(format!("BOT-{n:05}")));
            // Google's tokens end before the digits, so all groups are one there and none
            // is this crawler's.
            let disallowed = name != "google";
            assert_eq!(policy.is_allowed(&format!("/{n}/b")), Ok(!disallowed), "{name}");
        }
        let everyone = robots.policy(&Crawler::name("bot-"));
        assert_eq!(everyone.rule_count(), if name == "google" { 20_000 } else { 0 });
        assert_eq!(everyone.is_allowed("/9999/b"), Ok(name != "google"), "{name}");
        assert_eq!(robots.policy(&Crawler::name("x")).is_allowed("/1"), Ok(true), "{name}");
    }
    within("10,000 groups, four times", started.elapsed(), Duration::from_millis(400));
}

/// One group with 10,000 user-agent lines, and 10,000 groups for one crawler.
#[test]
fn ten_thousand_names_and_groups_of_one() {
    let names: String = (0..10_000).map(|n| format!("User-agent: b{n}\n")).collect();
    let names = format!("{names}Disallow: /\n").into_bytes();
    let groups: String = (0..10_000).map(|n| format!("User-agent: b\nDisallow: /{n}\n")).collect();
    let groups = groups.into_bytes();
    let started = ThreadTime::start();
    for &(name, mut profile) in Profile::NAMED {
        profile.size_limit = None;
        let robots = Robots::parse(&names, &profile);
        let policies: Vec<Policy> = (0..10_000)
            .step_by(99)
            .map(|n| robots.policy(&Crawler::name(format!("b{n}"))))
            .collect();
        assert!(policies.iter().all(|policy| policy.is_same(&policies[0])), "{name}");
        robots.diagnostics();
        let robots = Robots::parse(&groups, &profile);
        let policy = robots.policy(&Crawler::name("b"));
        let merged = name != "original-1994";
        assert_eq!(policy.rule_count(), if merged { 10_000 } else { 1 }, "{name}");
        assert_eq!(policy.is_allowed("/9999"), Ok(!merged), "{name}");
        robots.diagnostics();
    }
    within("10,000 names and groups", started.elapsed(), Duration::from_millis(400));
}

/// The crafted files of `robotsieve_corpora::crafted`, with the bar for linting a file in all
/// profiles and for comparing two: one second. Where assertions are checked only those that have
/// been the slowest, or every sixth of them, since all take minutes.
#[test]
fn lint_and_diff() {
    use robotsieve_corpora::crafted;
    use robotsieve_lint::diff::{self, Limits};
    use robotsieve_lint::{Options, lint};

    const SLOWEST: [&str; 13] = [
        "two_rules",
        "one_rule",
        "star_common_prefix",
        "dollars",
        "short_prefixes",
        "nested_names_longest_first",
        "merged_with_large",
        "merged_with_few_long",
        "crawlers",
        "crawlers_over_budget",
        "everybody",
        "lines_nul",
        "long_percent",
    ];
    let bar = Duration::from_secs(1);
    // Not as wide as for what takes milliseconds.
    let allowance = if cfg!(debug_assertions) { 10 } else { 3 };
    let options = Options::new(Profile::NAMED.iter().copied());
    let all = crafted::all();
    for (number, (name, file)) in all.iter().enumerate() {
        let slowest = SLOWEST.iter().position(|slow| slow == name);
        let is_tried = slowest.is_some_and(|slow| slow % effort::step(6) == 0);
        if cfg!(debug_assertions) && !is_tried {
            continue;
        }
        let started = ThreadTime::start();
        let report = lint(file, &options);
        let linted = started.elapsed();
        let undecided = report.undecided.len();
        say(&format!(
            "{name}: {linted:?}, {} findings, {undecided} undecided",
            report.findings.len()
        ));
        assert!(linted < bar * allowance, "{name}: {linted:?} to lint");
        let mut changed = file.clone();
        let at = file.len() - file.len() / 3;
        changed[at] = if file[at] == b'z' { b'y' } else { b'z' };
        let other = &all[(number + 1) % all.len()].1;
        let profiles = if cfg!(debug_assertions) { [0, 3].as_slice() } else { &[0, 1, 2, 3] };
        for (profile, new) in profiles.iter().map(|number| (*number, &changed)).chain([(0, other)])
        {
            let (profile_name, profile) = Profile::NAMED[profile];
            let started = ThreadTime::start();
            let [old, new] = [file, new].map(|file| Robots::parse(file, &profile));
            let compared = diff::files(&old, &new, &Limits::default());
            let took = started.elapsed();
            assert!(took < bar * allowance, "{name}, {profile_name}: {took:?} to compare");
            assert!(!compared.crawlers.is_empty());
        }
    }
}

/// Tokens that are prefixes and suffixes of one another, very long, not ASCII, or look like
/// patterns: the index over them is one aho-corasick automaton.
#[test]
fn tokens_that_nest() {
    let mut tokens: Vec<Vec<u8>> = (1..120).map(|len| vec![b'a'; len]).collect();
    tokens.extend((1..100).map(|len| [&vec![b'b'; len][..], b"a"].concat()));
    tokens.extend([
        vec![b'z'; 100_000],
        b".*".to_vec(),
        b"(?i)a|b".to_vec(),
        b"\xFF\xFE".to_vec(),
        "ünïcode".as_bytes().to_vec(),
        b"a b c".to_vec(),
        b"a\\".to_vec(),
        b"-_-".to_vec(),
        Vec::new(),
    ]);
    let mut file = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        file.extend([b"User-agent: ", &token[..], b"\nDisallow: /"].concat());
        file.extend(format!("{n}$\n\n").into_bytes());
    }
    let started = ThreadTime::start();
    for &(name, profile) in Profile::NAMED {
        let robots = Robots::parse(&file, &profile);
        for (n, token) in tokens.iter().enumerate().take(119) {
            let policy = robots.policy(&Crawler::name(token.to_ascii_uppercase()));
            // In the profile of 1994 the first group with a token that occurs in the name is
            // that of `a`, and `$` is plain.
            let (n, end) = if name == "original-1994" { (0, "$") } else { (n, "") };
            assert_eq!(policy.is_allowed(&format!("/{n}{end}")), Ok(false), "{name}, {n}");
            // `a b c` and the like are `a` too in most profiles.
            assert!(policy.rule_count() == 1 || n == 0, "{name}, {n}");
        }
        for token in &tokens {
            robots.policy(&Crawler::from_user_agent(token));
            robots.policy(&Crawler::name([&token[..], b"/1"].concat()));
        }
        robots.diagnostics();
    }
    within("tokens that nest", started.elapsed(), Duration::from_millis(400));
    look_at(&file[..5_000], &URLS);
}

/// Headers that a server may see: never a panic, never more names than words.
#[test]
fn hostile_headers() {
    let mut random = Random(4);
    for _ in 0..3_000 {
        let header = random.word(80, b"()();,/ \\\"ab1.\x00\xFFMozilla compatible");
        let crawler = Crawler::from_user_agent(&header);
        assert!(crawler.iter().count() <= header.len());
        assert!(crawler.iter().all(|name| !name.is_empty()));
    }
    let started = ThreadTime::start();
    for piece in ["(", ")", "((a;", "a ", "a/1 (b) ", "\\", "compatible;"] {
        Crawler::from_user_agent(piece.repeat(20_000));
    }
    within("headers of 20,000 pieces", started.elapsed(), Duration::from_millis(400));
    let words: String = (0..20_000).map(|n| format!("a{n} ")).collect();
    let started = ThreadTime::start();
    Crawler::from_user_agent(&words);
    within("a header of 20,000 names", started.elapsed(), Duration::from_millis(400));
}

/// Whatever a pack of `n` bytes holds, opening, checking, asking and copying it takes `O(n)`.
#[test]
fn hostile_packs() {
    use robotsieve::pack::{Pack, Writer};
    use robotsieve::{Answer, CrawlerId, Origin};

    let mut all = String::new();
    for (name, make) in hostile_packs::ALL {
        for bytes in [16 << 10, 128 << 10] {
            let bytes = make(bytes);
            // Each time the same work, so that the pack has not been checked before.
            let verified = time(|| {
                if let Ok(pack) = Pack::open(&bytes) {
                    let _ = pack.verify();
                }
            });
            let asked = time(|| {
                let Ok(pack) = Pack::open(&bytes) else { return };
                let _ = pack.stat();
                let mut answers = vec![Answer::Unknown; pack.crawlers().len()];
                for site in pack.sites() {
                    let Ok(site) = site else { continue };
                    let _ = site.ask_into("/a/b", &mut answers);
                    let _ = site
                        .policy(CrawlerId::at(0))
                        .map(|policy| policy.map(|policy| policy.with_rules()));
                    let _ =
                        (site.pace(CrawlerId::at(0)), site.sitemaps().map(|mut list| list.next()));
                    for origin in site.origins() {
                        let _ = pack.get(&origin);
                    }
                }
            });
            // Names that it has, and one that it is full of.
            let urls: Vec<String> = (0..bytes.len() / 64)
                .map(|number| format!("https://{}.com/a/b", number * usize::from(number % 2 > 0)))
                .chain(["https://e.com/a".to_owned()])
                .collect();
            let in_batches = time(|| {
                let Ok(pack) = Pack::open(&bytes) else { return };
                for urls in urls.chunks(64) {
                    let mut answers = vec![Answer::Unknown; urls.len()];
                    let _ = pack.answers_into(urls, &[CrawlerId::at(0)], &mut answers);
                }
            });
            let copied = time(|| {
                let Ok(pack) = Pack::open(&bytes) else { return };
                let profile = Profile::named(pack.profile_name()).expect("a profile with a name");
                let mut config = Config::default();
                config.keep_rules = pack.keeps_rules();
                config.keep_sitemaps = pack.keeps_sitemaps();
                let crawlers = pack.crawlers().to_vec();
                let mut copy = Writer::new(Vec::new(), &profile, crawlers, &config).expect("a Vec");
                for site in pack.sites().flatten() {
                    let Ok(outcome) = copy.put_site(&site) else { continue };
                    for origin in site.origins() {
                        copy.add(&origin, outcome, site.captured()).expect("a Vec");
                    }
                }
                let copy = copy.finish().expect("a Vec");
                assert!(copy.len() < 3 * bytes.len() + 16_384, "{name}: {}", copy.len());
                let layer = Writer::append(&pack, Vec::new(), &profile, &config);
                let Ok(mut layer) = layer else { return };
                for url in &urls {
                    layer.forget(&Origin::of(url).expect("a URL")).expect("a Vec");
                }
                let _ = layer.finish();
            });
            let times = [verified, asked, in_batches, copied];
            all += &format!("{name}: {} bytes, {times:?}\n", bytes.len());
            let bar = Duration::from_nanos(150) * u32::try_from(bytes.len()).expect("small");
            within(name, *times.iter().max().expect("four"), bar);
        }
    }
    say(&format!("verified, asked, asked in batches, copied and updated:\n{all}"));
}

fn time(act: impl FnOnce()) -> Duration {
    let started = ThreadTime::start();
    act();
    started.elapsed()
}

/// Headers, pages and documents of a megabyte, or of a quarter, that are made to be slow.
mod rights {
    use super::*;
    use robotsieve_rights::{
        ContentSignals, ContentUsage, Documents, Response, RightsReader, RobotsTagHeader, Rsl,
        TdmFile,
    };

    /// What takes the square of this takes far longer than the bar, too.
    fn bytes() -> usize {
        1_000_000 / effort::step(4)
    }

    /// The bar for each of them.
    const BAR: Duration = Duration::from_millis(50);

    fn repeated(before: &str, part: &str, after: &str) -> Vec<u8> {
        let count = (bytes() - before.len() - after.len()) / part.len();
        [before, &part.repeat(count), after].concat().into_bytes()
    }

    fn numbered(before: &str, part: impl Fn(usize) -> String, after: &str) -> Vec<u8> {
        let mut text = before.to_owned();
        for number in 0.. {
            text += &part(number);
            if text.len() > bytes() {
                break;
            }
        }
        (text + after).into_bytes()
    }

    fn within_the_bar(what: &str, input: &[u8], read: impl Fn(&[u8])) {
        let begun = ThreadTime::start();
        read(input);
        let taken = begun.elapsed();
        let head = input[..input.len().min(40)].escape_ascii();
        say(&format!("{what}: {taken:?} for {head}…"));
        assert!(taken < BAR * ALLOWANCE, "{what} took {taken:?} for {head}…");
    }

    /// Asks for the rights of a URL, so that what was read is also settled.
    fn settle(response: &Response, documents: &Documents) {
        let reader = RightsReader::new(&Crawler::name("bot")).with_now(0);
        let url = format!("https://e.com/{}", "a/".repeat(500));
        reader.rights(&url, None, response, documents).expect("a URL");
    }

    #[test]
    fn headers() {
        for value in [
            repeated("", "a=y,", "a=y"),
            repeated("", "(", ""),
            repeated("a=(", "b ", ")"),
            repeated("a=\"", "\\\"", "\""),
            repeated("a", ";b", ""),
            repeated("", "*;noindex, ", "*"),
            numbered("", |number| format!("a{number}=y, "), "b=y"),
        ] {
            within_the_bar("Content-Usage", &value, |value| {
                let _ = ContentUsage::parse(value);
            });
            within_the_bar("Robots-Tag", &value, |value| drop(RobotsTagHeader::parse(value)));
        }
        for value in [repeated("", ",", ""), repeated("", "=", ""), repeated("", "search=no,", "")]
        {
            within_the_bar("Content-Signal", &value, |value| {
                let _ = ContentSignals::parse(value);
            });
        }
        for (name, value) in [
            ("X-Robots-Tag", repeated("", "noindex,", "")),
            ("X-Robots-Tag", repeated("", "a:", "noindex")),
            ("X-Robots-Tag", repeated("bot:", "noai,", "")),
            ("X-Robots-Tag", repeated("", "unavailable_after: Sun, ", "")),
            ("X-Robots-Tag", repeated("", "unavailable_after: 1 Jan 2000 00:00:00 GMT,", "")),
            ("X-Robots-Tag", repeated("max-snippet:", "9", "")),
            ("Link", repeated("", "<", "")),
            ("Link", repeated("", "<a>", "")),
            ("Link", repeated("<a>", ";", "")),
            ("Link", repeated("<a>; rel=\"", "license ", "\"")),
            ("Link", repeated("", "<a>; rel=license,", "")),
            ("Link", repeated("<a>; x=\"", "\\\\", "")),
            ("tdm-policy", repeated("https://e.com/", "a", "")),
        ] {
            within_the_bar(name, &value, |value| {
                settle(&Response::new().with_headers([(name, value)]), &Documents::new());
            });
        }
        let lines: Vec<_> =
            (0..bytes() / 20).map(|_| ("X-Robots-Tag", "a: noindex, noai")).collect();
        within_the_bar("many lines", b"", |_| {
            settle(&Response::new().with_headers(lines.iter().copied()), &Documents::new());
        });
    }

    #[test]
    fn pages() {
        for page in [
            repeated("", "<", ""),
            repeated("", "<meta>", ""),
            repeated("", "<meta name=bot content='noindex, noai'>", ""),
            repeated("<meta", " a=b", ">"),
            repeated("<meta content='", "&amp;", "'>"),
            repeated("<meta content='", "&", "'>"),
            repeated("<meta content='", "noindex,", "' name=robots>"),
            repeated("", "<div>", "<meta>"),
            repeated("", "<p>", "<meta>"),
            repeated(&"<b>".repeat(600), "</i>", "<meta>"),
            repeated("", "<template>", "<meta>"),
            repeated("", "<!--", "<meta>"),
            repeated("<!--", "-", "<meta>"),
            repeated("<title>", "</titl", "<meta>"),
            repeated("<script>", "<!--<script>", "<meta>"),
            repeated("", "<script ", ""),
            repeated("", "<script src=rs>", ""),
            repeated("", "<script type=application/rsl+xml>", "<meta>"),
            repeated("", "<script type=application/rsl+xml></script>", ""),
            repeated("", "<link rel=license href=https://e.com type=application/rsl+xml>", ""),
            repeated("<a ", "x=\"<\"", "><meta>"),
            repeated("<plaintext>", "<meta>", ""),
        ] {
            within_the_bar("a page", &page, |page| {
                settle(&Response::new().with_html(page), &Documents::new());
            });
            within_the_bar("a page in XML", &page, settle_xml);
        }
        for page in [
            repeated("", "<a>", "<meta/>"),
            repeated("", "<a xmlns='urn:x'>", "<meta/>"),
            repeated("", "<a xmlns:a='urn:x'/>", "<meta/>"),
            repeated("<a:", "a", ":meta/>"),
            repeated("", "<a:meta/>", ""),
            repeated("", "<?x", "<meta/>"),
            repeated("<!DOCTYPE x [", "<!ENTITY a 'a'>", "]><meta/>"),
            repeated("", "<meta content='&a;'/>", ""),
            repeated("", "<script type='application/rsl+xml'><rsl/></script>", ""),
        ] {
            within_the_bar("a page in XML", &page, settle_xml);
        }
    }

    fn settle_xml(page: &[u8]) {
        let xml = Response::new().with_headers([("Content-Type", "application/xhtml+xml")]);
        settle(&xml.with_html(page), &Documents::new());
    }

    /// Whatever an RSL document of 512 kB says, it is settled once, and a URL then costs a walk, or it is refused.
    #[test]
    fn settled_documents() {
        const BYTES: usize = 512 << 10;
        const URL_BAR: Duration = Duration::from_micros(5);
        const URLS: u32 = 1_000;
        let document = |part: &dyn Fn(usize) -> String| {
            let mut text = "<rsl xmlns='https://rslstandard.org/rsl'>".to_owned();
            for number in 0.. {
                let part = part(number);
                if text.len() + part.len() > BYTES {
                    break;
                }
                text += &part;
            }
            (text + "</rsl>").into_bytes()
        };
        let content = |url: &str, terms: &str| {
            format!("<content url='{url}'><license>{terms}</license></content>")
        };
        let geo = |count: usize, from: usize| {
            let all: String = (from..from + count).map(|n| format!("{n} ")).collect();
            format!("<prohibits type='geo'>{all}</prohibits>")
        };
        let no = "<prohibits type='usage'>ai-train</prohibits>";
        // Of one length.
        let alike = |n: usize| format!("/{}*{}", "a".repeat(n), "a".repeat(40 - n));
        let documents: [(&str, Vec<u8>); 16] = [
            ("one path", document(&|_| content("/", no))),
            ("one path, conditions", document(&|n| content("/", &geo(400, 400 * n)))),
            ("a path in the other", document(&|n| content(&format!("/{}", "a".repeat(n)), no))),
            ("stars at the end", document(&|n| content(&format!("/a{}", "*".repeat(n)), no))),
            (
                "as many, other texts",
                document(&|n| {
                    content(&format!("/{}{}", "a".repeat(n % 500), "*".repeat(500 - n % 500)), no)
                }),
            ),
            ("many paths", document(&|n| content(&format!("/a/{n}"), no))),
            (
                "wide conditions",
                document(&|n| match n {
                    0 => content("/", &geo(256, 0)),
                    1 => content("/a", &geo(1, 999)),
                    n => content(&format!("/a/{n}"), &geo(1, n)),
                }),
            ),
            (
                "conditions below conditions",
                document(&|n| content(&format!("/{}", "a".repeat(n)), &geo(256, 256 * n))),
            ),
            ("exact paths", document(&|n| content(&format!("/a/{n}$"), no))),
            (
                "stars",
                document(&|n| {
                    if n < 16 { content(&format!("/*a*a*{n}*"), no) } else { content("/", no) }
                }),
            ),
            (
                "stars with conditions",
                document(&|n| match n {
                    0..16 => content(&alike(n), &geo(5, 5 * n)),
                    _ => content("/", &geo(256, 1_000)),
                }),
            ),
            (
                "stars with the same conditions",
                document(&|n| match n {
                    0..16 => content(&alike(n), &geo(5, 0)),
                    _ => content("/", &geo(16, 0)),
                }),
            ),
            (
                "stars below one that permits",
                document(&|n| match n {
                    0 => content(
                        &format!("/*{}", "a".repeat(50)),
                        "<permits type='usage'>all</permits>",
                    ),
                    1..16 => content(&alike(n), &geo(5, 5 * n)),
                    _ => content("/", &geo(256, 1_000)),
                }),
            ),
            ("too many stars", document(&|n| content(&format!("/*{n}a*b"), no))),
            (
                "too many conditions",
                document(&|n| content(&format!("/*{}", "a".repeat(n % 15)), &geo(6, 6 * n))),
            ),
            (
                "stars below one that permits some",
                document(&|n| match n {
                    0 => content(
                        &format!("/*{}", "a".repeat(50)),
                        "<permits type='usage'>ai-train</permits>",
                    ),
                    1..16 => content(&alike(n), &geo(5, 5 * n)),
                    _ => content("/", &geo(256, 1_000)),
                }),
            ),
        ];
        for (what, document) in &documents {
            let begun = ThreadTime::start();
            let read = Rsl::parse(document, "https://e.com/l");
            let compiled = begun.elapsed();
            assert_eq!(read.is_err(), what.starts_with("too many"), "{what}");
            assert!(compiled < BAR * ALLOWANCE, "{what}: {compiled:?}");
            let documents = Documents::new().with("https://e.com/l", document);
            let link = [("Link", "<https://e.com/l>; rel=license; type=application/rsl+xml")];
            let response = Response::new().with_headers(link);
            let reader = RightsReader::new(&Crawler::name("bot"));
            for url in ["/a/123", &format!("/{}", "a".repeat(400))] {
                let begun = ThreadTime::start();
                for _ in 0..URLS {
                    reader.rights(&url, None, &response, &documents).expect("a URL");
                }
                let each = begun.elapsed() / URLS;
                say(&format!("{what}: {compiled:?} to settle, {each:?} a URL"));
                assert!(each < URL_BAR * ALLOWANCE, "{what}: {each:?}");
            }
        }
        let errors = [&documents[13], &documents[14]]
            .map(|(_, document)| Rsl::parse(document, "x").unwrap_err().to_string());
        assert!(errors[0].contains("at most 16 for a site"), "{errors:?}");
        assert!(errors[1].contains("at most 80 for a site"), "{errors:?}");
    }

    #[test]
    fn documents() {
        let rsl = "<rsl xmlns='https://rslstandard.org/rsl'>";
        for document in [
            repeated("", "<", ""),
            repeated("", "<a>", ""),
            repeated("<a", " b=''", "/>"),
            numbered("<a", |number| format!(" b{number}=''"), "/>"),
            numbered("<a", |number| format!(" xmlns:b{number}='u'"), "/>"),
            numbered(rsl, |number| format!("<b:a xmlns:b='{number}'/>"), "</rsl>"),
            repeated(rsl, "<content url='/'><license/></content>", "</rsl>"),
            numbered(rsl, |n| format!("<content url='/*a*{n}'><license/></content>"), "</rsl>"),
            repeated(&[rsl, "<content url='/'>"].concat(), "<license/>", "</content></rsl>"),
            repeated(
                &[rsl, "<content url='/'><license><prohibits type='geo'>"].concat(),
                "US ",
                "</prohibits></license></content></rsl>",
            ),
            repeated(
                &[rsl, "<content url='/'>"].concat(),
                "<license><prohibits type='geo'>US CN DE</prohibits></license>",
                "</content></rsl>",
            ),
            repeated(rsl, "&amp;", "</rsl>"),
            repeated(rsl, "&#x41;", "</rsl>"),
            repeated(rsl, "<!---->", "</rsl>"),
            repeated("<!DOCTYPE rsl [", "<!ENTITY a 'b'>", "]><rsl/>"),
            repeated("<!--", "-", "-->"),
            repeated("<![CDATA[", "]", ""),
        ] {
            within_the_bar("an RSL document", &document, |document| {
                drop(Rsl::parse(document, "d"));
                let headers =
                    [("Link", "<https://e.com/l>; rel=license; type=application/rsl+xml")];
                let documents = Documents::new().with("https://e.com/l", document);
                settle(&Response::new().with_headers(headers), &documents);
            });
        }
        let begin = "<?xpacket begin=''?><x xmlns:p='http://ns.useplus.org/ldf/xmp/1.0/' xmlns:rdf=\
                     'http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:RDF><rdf:Description>";
        let end = "<?xpacket end='r'?>";
        let names: String = (0..60).map(|n| format!(" xmlns:n{n}='{n}'")).collect();
        for file in [
            repeated("", "<?xpacket begin", ""),
            repeated("", "<?xpacket begin='x'?><?xpacket end='r'?>", ""),
            repeated("", "<x:xmpmeta/></x:xmpmeta>", ""),
            repeated("%PDF-1.7", "/XML", ""),
            repeated("%PDF-1.7", "/XML>>stream\n<", ""),
            repeated(begin, "<p:DataMining>DMI-PROHIBITED</p:DataMining>", end),
            repeated(begin, "<p:DataMining/>", end),
            repeated(&format!("{begin}<p:DataMining>"), "DMI-PROHIBITED ", end),
            repeated(&format!("{begin}<p:DataMining>"), "&amp;", end),
            repeated(&format!("{begin}<rdf:li{names}>"), "<n0:a/>", end),
            numbered(&format!("{begin}<rdf:li"), |n| format!(" a{n}='b'"), &format!("/>{end}")),
        ] {
            within_the_bar("XMP", &file, |file| {
                settle(&Response::new().with_xmp(file), &Documents::new());
            });
        }
        for file in [
            repeated("", "[", ""),
            repeated("[", "[],", "0]"),
            repeated("[", "0,", "0]"),
            repeated("[\"", "\\u0041", "\"]"),
            repeated("[", "{},", "{}]"),
            repeated("[", "{\"location\": \"/\", \"tdm-reservation\": 1},", "{}]"),
            numbered("[", |number| format!("{{\"location\": \"/*a*{number}*b$\"}},"), "{}]"),
            repeated("[{\"location\": \"/", "*a", "\"}]"),
            numbered("[{", |number| format!("\"a{number}\": {{}},"), "\"a\": 1}]"),
        ] {
            within_the_bar("tdmrep.json", &file, |file| {
                drop(TdmFile::parse(file));
                let documents = Documents::new().with("/.well-known/tdmrep.json", file);
                settle(&Response::new(), &documents);
            });
        }
    }

    #[test]
    fn robots() {
        for file in [
            numbered("User-agent: *\n", |n| format!("Content-Usage: /*a*{n} train-ai=n\n"), ""),
            numbered("User-agent: *\n", |n| format!("Content-Signal: /{n}*a$ ai-train=no\n"), ""),
            repeated("User-agent: *\n", "Content-Usage: train-ai=n\n", ""),
            repeated("", "User-agent: *\nContent-Usage: a=y\n", ""),
            repeated("", "License: https://e.com/\n", ""),
        ] {
            let url = format!("https://e.com/{}", "a1".repeat(500));
            let mut profile = Profile::RFC9309;
            profile.size_limit = None;
            within_the_bar("a robots.txt", &file, |file| {
                let reader = RightsReader::new(&Crawler::name("bot"));
                let robots = reader.robots(&Robots::parse(file, &profile));
                let (response, documents) = (Response::new(), Documents::new());
                for _ in 0..3 {
                    reader.rights(&url, Some(&robots), &response, &documents).expect("a URL");
                }
            });
        }
    }
}
