//! Files built from intentions: what they look like, that they mean what was asked for, and what is
//! refused.

use robotsieve::{Crawler, Profile, Robots};
use robotsieve_corpora::effort;
use robotsieve_known::{KnownCrawlers, Purpose};
use robotsieve_lint::{Options, Severity, lint};
use robotsieve_owners::block::Block;
use robotsieve_owners::write::{Changes, Group, Intentions, RobotsTxt, literal};

use crate::support::random::Random;

fn known() -> &'static KnownCrawlers {
    KnownCrawlers::built_in()
}

/// Groups of crawlers, allowed and disallowed patterns, each with blanks between them.
fn intentions(groups: &[(&str, &str, &str)]) -> Intentions {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    groups.iter().fold(RobotsTxt::builder(), |all, (crawlers, allow, disallow)| {
        all.group(Group::of(words(crawlers)).allow(words(allow)).disallow(words(disallow)))
    })
}

#[track_caller]
fn text(intentions: &Intentions) -> String {
    let built = intentions.build(known()).unwrap_or_else(|wrong| panic!("{wrong}"));
    // What is written has no mistake.
    let report = lint(built.text().as_bytes(), &Options::new(Profile::NAMED[..3].iter().copied()));
    let found = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let found: Vec<_> = found.map(|finding| finding.code.to_string()).collect();
    assert!(found.iter().all(|code| code.contains("RS307")), "{found:?}\n{}", built.text());
    // Nor anything else of note, but what the wishes themselves are: a site or its style sheets that are blocked,
    // rules and preferences that are for others, records that few obey, names that nobody knows.
    let wished = ["RS205", "RS206", "RS303", "RS307", "RS309", "RS310", "RS505"];
    let report = lint(built.text().as_bytes(), &Options::default());
    let other = report.findings.iter().find(|found| {
        !wished.contains(&found.code.number())
            && !found.message.starts_with("RFC 9309 reads the crawler")
    });
    assert!(other.is_none(), "{other:?}\n{}", built.text());
    built.text().to_owned()
}

#[track_caller]
fn faults(intentions: &Intentions, wanted: &[&str]) {
    let wrong = intentions.build(known()).map(|built| built.text().to_owned()).unwrap_err();
    let found: Vec<String> = wrong.faults().iter().map(ToString::to_string).collect();
    let fits = found.iter().zip(wanted).all(|(found, wanted)| found.starts_with(wanted));
    assert!(found.len() == wanted.len() && fits, "{found:#?}");
}

#[test]
fn the_shortest_plain_file() {
    for (groups, wanted) in [
        (&[][..], ""),
        (&[("*", "", "/x")], "User-agent: *\nDisallow: /x\n"),
        // Nothing is forbidden.
        (&[("*", "", "")], "User-agent: *\nDisallow:\n"),
        (
            &[("a", "/x", ""), ("*", "", "/")],
            "User-agent: a\nDisallow:\n\nUser-agent: *\nDisallow: /\n",
        ),
        // Equal rules share a group, in the order of the first; everybody comes last.
        (
            &[("*", "", "/x"), ("a", "", "/y /z"), ("b", "/q", "/x"), ("c A", "", "/z /y")],
            "User-agent: a\nUser-agent: c\nDisallow: /y\nDisallow: /z\n\nUser-agent: *\nDisallow: /x\n",
        ),
        // Named like everybody: only a crawler that ignores '*' stays.
        (
            &[("a * AdsBot-Google", "", "/x")],
            "User-agent: AdsBot-Google\nUser-agent: *\nDisallow: /x\n",
        ),
        // Googlebot-Image obeys the group of Googlebot, so it has to be named.
        (
            &[("Googlebot", "", "/g"), ("Googlebot-Image *", "", "/x")],
            "User-agent: Googlebot-Image\nUser-agent: *\nDisallow: /x\n\n\
             User-agent: Googlebot\nDisallow: /g\n",
        ),
        // Two groups for a crawler are one, each rule once, those without effect left out.
        (
            &[("a", "/x/y /x/y", "/x"), ("A", "/ /x/y/z", "/x /x/z /x/y")],
            "User-agent: a\nAllow: /x/y\nDisallow: /x\n",
        ),
        // The longest name first.
        (
            &[("Foo", "", "/x"), ("Foo-Bar", "", "/y")],
            "User-agent: Foo-Bar\nDisallow: /y\n\nUser-agent: Foo\nDisallow: /x\n",
        ),
    ] {
        assert_eq!(text(&intentions(groups)), wanted, "{groups:?}");
    }
}

#[test]
fn other_records() {
    let all = RobotsTxt::builder()
        .comment(["Ask us:\nrobots@e.com"])
        .license(["https://e.com/l.xml"])
        .sitemap(["https://e.com/s.xml", "https://xn--9ca.com/a b", "https://e.com/s.xml"])
        .host(["e.com"])
        .group(
            Group::of(["FooBot"])
                .comment(["Slow"])
                .crawl_delay(2.5)
                .content_signal(["search=yes, ai-train=no"])
                .content_usage(["/x train-ai=n"])
                .license(["https://e.com/foo.xml"])
                .other(["Request-rate:1/5", "Clean-param: ref /a/"])
                .disallow(["/x"]),
        )
        .group(Group::of(["@archive"]).disallow(["/"]))
        .group(Group::of(["*"]).disallow(["/x"]));
    let text = text(&all);
    let (head, rest) = text.split_once("# Crawlers for archives\nUser-agent: ").unwrap();
    assert_eq!(
        head,
        "# Ask us:\n# robots@e.com\n\nLicense: https://e.com/l.xml\n\n# Slow\nUser-agent: FooBot\n\
         License: https://e.com/foo.xml\nContent-Signal: search=yes, ai-train=no\n\
         Content-Usage: /x train-ai=n\nRequest-rate: 1/5\nClean-param: ref /a/\nDisallow: /x\n\
         Crawl-delay: 2.5\n\n"
    );
    assert!(rest.ends_with(
        "\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n\nHost: e.com\nSitemap: https://e.com/s.xml\n\
         Sitemap: https://xn--9ca.com/a%20b\n"
    ));
}

/// A purpose gives way to a name, and '@all' to both.
#[test]
fn the_surest_name_counts() {
    let file = text(&intentions(&[
        ("@all", "", "/all"),
        ("@ai-training", "", "/"),
        ("CCBot", "", "/cc"),
        ("*", "", "/star"),
    ]));
    let robots = Robots::parse(file.as_bytes(), &Profile::RFC9309);
    let allows = |name: &str| {
        let policy =
            robots.policy(&known().by_token(name).map_or_else(|| name.into(), |k| k.crawler()));
        ["/", "/cc", "/all", "/star"].map(|path| policy.is_allowed(path).unwrap())
    };
    assert_eq!(allows("CCBot"), [true, false, true, true]);
    assert_eq!(allows("GPTBot"), [false; 4]);
    assert_eq!(allows("Googlebot"), [true, true, false, true]);
    assert_eq!(allows("nobody"), [true, true, true, false]);
}

#[test]
fn what_is_wrong_with_values() {
    let hostile = "x\nUser-agent: *\rDisallow: /";
    for (all, wanted) in [
        (
            RobotsTxt::builder().sitemap([hostile, "/s.xml", "https://e.com/#x", "javascript:x"]),
            &[
                "sitemap[0]: ",
                "sitemap[1]: '/s.xml' is no absolute URL",
                "sitemap[2]: ",
                "sitemap[3]: ",
            ][..],
        ),
        (RobotsTxt::builder().comment(["a\u{b}b"]), &["comment[0]: the comment 'a"]),
        (RobotsTxt::builder().license(["l.xml"]), &["license[0]: 'l.xml' is no absolute URL"]),
        (RobotsTxt::builder().host([hostile, "e.com # x"]), &["host[0]: ", "host[1]: "]),
        // All at once, wherever they stand.
        (
            RobotsTxt::builder().sitemap(["/s.xml"]).group(Group::of(["Foo Bar"])),
            &["sitemap[0]: ", "groups[0].crawlers[0]: "],
        ),
        (
            RobotsTxt::builder().group(Group::default().disallow(["/"])),
            &["groups[0]: the group has no crawlers"],
        ),
        (
            RobotsTxt::builder().group(
                Group::of(["a", "Foo Bar", "@spam", "a/1", "", "\u{feff}a", hostile])
                    .allow(["", "x", "https://e.com/"])
                    .disallow([hostile, "/\0"])
                    .allow_path(["*x"])
                    .crawl_delay(f64::NAN)
                    .content_signal(["search=maybe", "search=yes # x", "ai-train=no\nAllow: /"])
                    .content_usage(["train-ai = n"])
                    .license([hostile])
                    .other(["Request-rate", "Request-rate: x", "Allowed: /", "A b: c", "X: a\nb"])
                    .comment(["fine", "\u{7f}"]),
            ),
            &[
                "groups[0].crawlers[1]: 'Foo Bar' is not a product token",
                "groups[0].crawlers[2]: '@spam' is no purpose: there are @search, ",
                "groups[0].crawlers[3]: ",
                "groups[0].crawlers[4]: ",
                "groups[0].crawlers[5]: ",
                "groups[0].crawlers[6]: ",
                "groups[0].allow[1]: the pattern 'x' does not begin with '/', or with '*': write '/x'",
                "groups[0].allow[2]: ",
                "groups[0].disallow[0]: ",
                "groups[0].disallow[1]: ",
                "groups[0].allow_path[0]: the path '*x' does not begin with '/': write",
                "groups[0].license[0]: ",
                "groups[0].content_signal[0]: the signals 'search=maybe' are not all defined",
                "groups[0].content_signal[1]: ",
                "groups[0].content_signal[2]: ",
                "groups[0].content_usage[0]: 'train-ai = n': ",
                "groups[0].other[0]: 'Request-rate' is no record",
                "groups[0].other[1]: 'x': ",
                "groups[0].other[2]: ",
                "groups[0].other[3]: ",
                "groups[0].other[4]: ",
                "groups[0].crawl_delay: the crawl delay NaN: ",
                "groups[0].comment[1]: ",
            ],
        ),
        (
            RobotsTxt::builder()
                .group(Group::of(["a", "b"]).crawl_delay(1.0))
                .group(Group::of(["c", "B"]).crawl_delay(2.0)),
            &["groups[1].crawl_delay: another group asks the same crawlers for another"],
        ),
        (
            RobotsTxt::builder().group(Group::of(["*"]).disallow(["/x"])).expect([
                "allow * /",
                "allow * /x/y",
                "disallow @search /",
                "permit * /",
            ]),
            &["expect[3]: 'permit' is no verdict"],
        ),
        (
            RobotsTxt::builder()
                .group(Group::of(["*"]).disallow(["/x"]))
                .expect(["allow * /", "allow * /x/y"]),
            &["expect[1]: expected allow, got disallow: *, /x/y (profiles rfc9309, google and \
               google-classic); line 2 decides, Disallow: /x"],
        ),
    ] {
        faults(&all, wanted);
    }
}

/// What some profile reads otherwise is refused where it stands, and built without that profile.
#[test]
fn what_profiles_read_otherwise() {
    for (groups, refused_by, place) in [
        // google/robotstxt: `Allow: /index.html` allows `/`. 1994 knows no Allow.
        (
            &[("*", "/index.html", "/")][..],
            &["google", "original-1994"][..],
            "groups[0].allow[0]: profile google would allow / for *",
        ),
        // Only RFC 9309 escapes the star of a URL.
        (
            &[("*", "", "/a%2Ab")],
            &["google", "google-classic", "original-1994"],
            "groups[0].disallow[0]: no rule can name a '*' in a URL for profile google: write the \
             pattern '/a*b', which matches more",
        ),
        // A trailing star does not count for precedence.
        (&[("*", "/ab/", "/ab/*")], &["google-classic", "original-1994"], "groups[0]."),
        // A '$' is three bytes long in RFC 9309.
        (
            &[("*", "/$x", "/*/y")],
            &["google", "google-classic", "original-1994"],
            "groups[0].disallow[0]: profile google would disallow /$x/y for *, which is to be allowed",
        ),
        (
            &[("*", "", "/*.pdf")],
            &["original-1994"],
            "groups[0].disallow[0]: profile original-1994 would allow",
        ),
        (
            &[("*", "/x/y", "/x")],
            &["original-1994"],
            "groups[0].disallow[0]: profile original-1994 would disallow",
        ),
    ] {
        let mut first = None;
        for (name, profile) in Profile::NAMED {
            let is_refused = refused_by.contains(name);
            match intentions(groups).profiles([*profile]).build(known()) {
                Ok(built) => assert!(!is_refused, "{name}: {}", built.text()),
                Err(wrong) => {
                    assert!(is_refused, "{name}: {wrong}");
                    first.get_or_insert(wrong.to_string());
                }
            }
        }
        assert!(first.as_ref().unwrap().starts_with(place), "{first:?}");
    }
}

/// Of two wishes of one group that contradict each other, none is dropped without a word.
#[test]
fn contradicted_wishes() {
    let wrong = intentions(&[("*", "/a", "/a")]).build(known()).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "groups[0].disallow[0]: '/a' is allowed and disallowed in one group, and only one of the two can be: \
         leave groups[0].allow[0] or this one out"
    );
    // Groups for the same crawler are put together, and of equally long rules the one that allows wins.
    assert!(intentions(&[("FooBot", "/a", ""), ("FooBot", "", "/a /b")]).build(known()).is_ok());
    // What matches the same is written once.
    for disallow in ["/a* /a", "/a /a*"] {
        let written = intentions(&[("FooBot", disallow, "")]).build(known()).unwrap();
        assert_eq!(written.text().matches("Disallow").count(), 1, "{disallow}");
    }
}

/// The lines that a fault names are those of a file that is not written, so the error has them.
#[test]
fn a_file_that_is_not_written_is_shown() {
    let wrong = intentions(&[("*", "", "/cart")])
        .expect(["allow Googlebot /cart/x"])
        .build(known())
        .unwrap_err();
    assert_eq!(wrong.numbered(), "1 | User-agent: *\n2 | Disallow: /cart\n");
    let text = wrong.to_string();
    assert!(
        text.ends_with("\nthe file, which is not written:\n1 | User-agent: *\n2 | Disallow: /cart"),
        "{text}"
    );
    let wrong = intentions(&[("a b c d", "", "x")]).build(known()).unwrap_err();
    assert_eq!(wrong.numbered(), "");
}

/// The 1994 standard looks for names inside names: groups are parted if no other order does.
#[test]
fn groups_are_parted() {
    let groups = [("Foo Bar-News", "", "/x"), ("Bar Foo-News", "", "/y")];
    let joined = text(&intentions(&groups));
    assert_eq!(
        joined,
        "User-agent: Foo\nUser-agent: Bar-News\nDisallow: /x\n\n\
         User-agent: Bar\nUser-agent: Foo-News\nDisallow: /y\n"
    );
    let parted = intentions(&groups).profiles([Profile::RFC9309, Profile::ORIGINAL_1994]);
    assert_eq!(
        text(&parted),
        "User-agent: Bar-News\nDisallow: /x\n\nUser-agent: Bar\nDisallow: /y\n\n\
         User-agent: Foo-News\nDisallow: /y\n\n\
         User-agent: Foo\nDisallow: /x\n"
    );
}

/// A crawler that profile google cannot name is not asked there.
#[test]
fn expectations_where_crawlers_can_be_named() {
    let all = intentions(&[("Bot9", "", "/")]).expect(["disallow Bot9 /", "allow * /"]);
    assert_eq!(text(&all), "User-agent: Bot9\nDisallow: /\n");
    faults(
        &all.expect(["allow Bot9 /x"]),
        &["expect[2]: expected allow, got disallow: Bot9, /x \
        (profiles rfc9309 and google-classic); line 2 decides"],
    );
}

#[test]
fn names_that_some_reader_takes_for_others() {
    for name in ["Allowed", "Disallow-all", "Disalow", "Sitemaps", "Site-map", "Useragent", "User"]
    {
        let group = Group::of(["*"]).other([format!("{name}: /x")]);
        let wrong = RobotsTxt::builder().group(group).build(known()).unwrap_err().to_string();
        assert!(wrong.contains("has no name that another record can have"), "{name}: {wrong}");
    }
}

#[test]
fn notes() {
    let built =
        intentions(&[("@ai-training Applebot", "", "/"), ("*", "", "/x")]).build(known()).unwrap();
    let notes = built.notes().join("\n");
    for wanted in [
        "robots.txt only asks. By what their operators say, these do not obey it: LAIONDownloader",
        "profile google cannot name these, so nothing is proven of them there: AI2Bot",
    ] {
        assert!(notes.contains(wanted), "{notes}");
    }
    assert_eq!(built.profiles(), [Profile::RFC9309, Profile::GOOGLE, Profile::GOOGLE_CLASSIC]);
}

#[test]
fn changes() {
    let built = |groups| text(&intentions(groups)).into_bytes();
    let old = built(&[("a GPTBot b", "", "/"), ("*", "", "/x")]);
    let new = built(&[("a CCBot c", "", "/"), ("*", "", "/y")]);
    let changes = Changes::between(&old, &new, known());
    assert_eq!(
        changes.sentences,
        [
            "1 crawler that the file does not name would be named: CCBot",
            "1 crawler that the file does not name would be named, not known ones: c",
            "1 crawler that the file names would not be named: GPTBot",
            "1 crawler that the file names would not be named, not known ones: b",
            "other rules or records for *",
        ]
    );
    assert_eq!(Changes::between(&old, &old, known()), Changes::default());
    let same = [b"# hand-made\n", &old[..]].concat();
    let changes = Changes::between(&same, &old, known());
    assert_eq!(changes.sentences, ["the file says the same in another text"]);
    let changes = Changes::between(
        b"User-agent: *\r\nDisallow: /\r\n",
        b"User-agent: *\nDisallow: /\n",
        known(),
    );
    assert_eq!(changes.sentences, ["the file says the same with other line ends"]);
    let utf16: Vec<u8> =
        "\u{feff}User-agent: *\nDisallow: /\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let changes = Changes::between(&utf16, b"User-agent: *\nDisallow: /\n", known());
    assert_eq!(
        changes.sentences,
        ["the file is UTF-16, in which most crawlers find no rule, and would be UTF-8"]
    );
}

/// A `%` of a path is escaped, and one of a pattern stays as it was given: profiles read `%b` and `%B` differently.
#[test]
fn percents() {
    let of_path = |path: &str| RobotsTxt::builder().group(Group::of(["*"]).disallow_path([path]));
    for (path, line, url) in [
        ("/50% off/", "/50%25%20off/", "/50%25%20off/x"),
        ("/100%-free", "/100%25-free", "/100%25-free"),
        ("/a%b", "/a%25b", "/a%25b"),
        ("/a%20b", "/a%20b", "/a%20b/c"),
    ] {
        let file = text(&of_path(path));
        assert_eq!(file, format!("User-agent: *\nDisallow: {line}\n"));
        for (_, profile) in &Profile::NAMED[..3] {
            let robots = Robots::parse(file.as_bytes(), profile);
            assert_eq!(robots.policy(&"x".into()).is_allowed(url), Ok(false), "{path}");
        }
    }
    let built = intentions(&[("*", "", "/a%b")]).build(known()).unwrap();
    assert_eq!(built.text(), "User-agent: *\nDisallow: /a%b\n");
}

/// The size limit, names, rules: what is too large is refused, in bounded time.
#[test]
fn too_large() {
    let many = |count: usize| (0..count).map(|number| format!("/{number}-{}", "x".repeat(90)));
    let wrong = RobotsTxt::builder().group(Group::of(["*"]).disallow(many(6_000))).build(known());
    let wrong = wrong.unwrap_err().to_string();
    assert!(wrong.starts_with("the file would be 6"), "{wrong}");
    assert!(wrong.contains(" bytes long, and profile rfc9309 reads 51"), "{wrong}");
    let names = (0..6_000).map(|number| format!("a{number}"));
    let wrong =
        RobotsTxt::builder().group(Group::of(names)).build(known()).unwrap_err().to_string();
    assert!(wrong.contains("more than 5000 names"), "{wrong}");
    // Each crawler in a set of its own.
    let groups = (0..1_000).map(|number| {
        Group::of((0..5).map(|of| format!("a{}", (number * (of + 1)) % 977))).disallow(many(100))
    });
    let wrong = groups.fold(RobotsTxt::builder(), Intentions::group).build(known()).unwrap_err();
    assert!(wrong.to_string().contains("more than 100000 rules"), "{wrong}");
    // Names within names, patterns with many stars.
    let names = (1..200).map(|len| "a".repeat(len));
    let stars = (0..200).map(|number| format!("/{}{number}", "*a".repeat(number)));
    let _ = RobotsTxt::builder().group(Group::of(names).disallow(stars)).build(known());
}

/// A generated group: its names, and its rules as the oracle knows them.
struct Generated {
    names: Vec<&'static str>,
    rules: Vec<(bool, String)>,
}

/// The bytes of a pattern or path as a URL has them.
fn escaped(text: &str) -> String {
    text.replace('é', "%C3%A9").replace(' ', "%20").replace('#', "%23")
}

fn generated(random: &mut Random) -> (Intentions, Vec<Generated>) {
    const NAMES: [&str; 8] =
        ["*", "a", "ab", "Foo", "Foo-Bar", "xFoo", "GPTBot", "Googlebot-Image"];
    const PIECES: [&str; 10] = ["a", "b", "/", "/ab", "*", "$", "é", " ", "#", "a/b"];
    let mut all = RobotsTxt::builder();
    let mut groups = Vec::new();
    for _ in 0..=random.below(4) {
        let names: Vec<&str> = (0..=random.below(3)).map(|_| *random.of(&NAMES)).collect();
        let mut group = Group::of(names.iter().copied());
        let mut rules = Vec::new();
        for _ in 0..random.below(6) {
            let text: String = (0..random.below(5)).map(|_| *random.of(&PIECES)).collect();
            let text = format!("/{text}");
            let is_allow = random.below(3) == 0;
            // A literal path, mostly without a star, which few profiles can name.
            let is_literal = random.below(4) == 0 && (!text.contains('*') || random.below(20) == 0);
            let pattern = if is_literal { literal(&text).unwrap() } else { escaped(&text) };
            rules.push((is_allow, pattern));
            group = match (is_allow, is_literal) {
                (true, true) => group.allow_path([text]),
                (true, false) => group.allow([text]),
                (false, true) => group.disallow_path([text]),
                (false, false) => group.disallow([text]),
            };
        }
        all = all.group(group);
        groups.push(Generated { names, rules });
    }
    (all, groups)
}

/// Whether the longest rule that matches allows a path; the groups are those that name the crawler, or
/// else those of `*`.
fn oracle(groups: &[Generated], names: &[&str], path: &str) -> bool {
    let of = |wanted: &str| -> Vec<&Generated> {
        let is_it = |name: &&str| name.eq_ignore_ascii_case(wanted);
        groups.iter().filter(|group| group.names.iter().any(is_it)).collect()
    };
    let own = names.iter().map(|name| of(name)).find(|own| !own.is_empty());
    let own = own.unwrap_or_else(|| of("*"));
    let rules = own.iter().flat_map(|group| &group.rules);
    let deciding = rules
        .filter(|(_, pattern)| {
            let body = pattern.strip_suffix('$');
            let bytes = body.unwrap_or(pattern).as_bytes();
            crate::support::naive::matches(bytes, body.is_some(), true, path.as_bytes())
        })
        // A '$' that is no anchor counts as '%24'.
        .max_by_key(|(is_allow, pattern)| {
            let body = pattern.strip_suffix('$').unwrap_or(pattern);
            (pattern.len() + 2 * body.matches('$').count(), *is_allow)
        });
    deciding.is_none_or(|(is_allow, _)| *is_allow)
}

/// 1,000 generated intentions are built, and mean what was asked for in all their profiles.
#[test]
fn generated_intentions() {
    const PIECES: [&str; 8] = ["a", "b", "/", "$", "%C3%A9", "%20", "%23", "a/b"];
    let mut random = Random(32);
    let (mut built_count, mut refused) = (0, 0);
    let wanted = effort::cases(1_000);
    while built_count < wanted {
        let (mut all, groups) = generated(&mut random);
        let mut profiles: Vec<Profile> = Vec::new();
        if random.below(2) == 0 {
            let some = Profile::NAMED.iter().filter(|_| random.below(2) == 0);
            profiles = some.map(|(_, profile)| *profile).collect();
            all = all.profiles(profiles.iter().copied());
        }
        let Ok(built) = all.build(known()) else {
            refused += 1;
            continue;
        };
        built_count += 1;
        assert!(profiles.is_empty() || profiles == built.profiles());
        for profile in built.profiles() {
            let robots = Robots::parse(built.text().as_bytes(), profile);
            for names in [
                &["nobody"][..],
                &["a"],
                &["ab"],
                &["foo"],
                &["Foo-Bar"],
                &["xFoo"],
                &["GPTBot"],
                &["Googlebot-Image", "Googlebot"],
            ] {
                // A name that no group has may be taken for another one's in the older profiles.
                let is_named = groups.iter().any(|group| {
                    group.names.iter().any(|name| name.eq_ignore_ascii_case(names[0]))
                });
                if !is_named && names[0] != "nobody" {
                    continue;
                }
                let policy = robots.policy(&Crawler::first_of(names));
                for _ in 0..60 {
                    let path: String = (0..random.below(6)).map(|_| *random.of(&PIECES)).collect();
                    let path = format!("/{path}");
                    assert_eq!(
                        policy.is_path_allowed(&path).unwrap(),
                        oracle(&groups, names, &path),
                        "{names:?} {path} {:?} {:?}\n{}",
                        profile.name(),
                        groups.iter().map(|g| (&g.names, &g.rules)).collect::<Vec<_>>(),
                        built.text()
                    );
                }
            }
        }
    }
    println!("{built_count} built, {refused} refused");
    assert!(refused < built_count, "{refused} of {built_count}");
}

/// The findings of a file: code and text of the line, each as often as there are.
fn findings(file: &[u8]) -> Vec<(String, String)> {
    let report = lint(file, &Options::default());
    let line = |number: u32| {
        let mut lines = file.split(|byte| *byte == b'\n' || *byte == b'\r');
        let line = lines.nth(number as usize - 1).unwrap_or_default();
        String::from_utf8_lossy(line).into_owned()
    };
    report.findings.iter().map(|found| (found.code.to_string(), line(found.line))).collect()
}

/// What shuts crawlers out of a file raises no finding that the file had not.
#[test]
fn blocked_files_have_no_new_findings() {
    let mut blocked = 0;
    for file in std::fs::read_dir("../corpora/robots").unwrap() {
        let path = file.unwrap().path();
        let old = std::fs::read(&path).unwrap();
        // The proofs of longer ones take seconds.
        if old.len() > 4_000 {
            continue;
        }
        let mut block = Block::new(known());
        [Purpose::AiTraining, Purpose::Archive, Purpose::Seo, Purpose::Other]
            .into_iter()
            .for_each(|purpose| block.add_purpose(purpose));
        let Ok(edited) = block.edit(&old) else { continue };
        blocked += 1;
        let mut known = findings(&old);
        for found in findings(&edited.file) {
            let at = known.iter().position(|known| *known == found);
            assert!(at.is_some(), "{}: {found:?}", path.display());
            known.swap_remove(at.unwrap());
        }
    }
    assert!(blocked > 4, "{blocked}");
}
