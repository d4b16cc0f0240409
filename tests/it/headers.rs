//! User-Agent headers: which names are read from them, and which groups those find.

use std::collections::HashSet;

use proptest::prelude::*;
use robotsieve::{Certainty, Crawler, NameError, Profile, Robots, UserAgent};

use crate::support::corpus;

fn names(header: &[u8]) -> Vec<String> {
    let read = UserAgent::read(header);
    read.names().iter().map(|found| String::from_utf8_lossy(found.name).into_owned()).collect()
}

/// Whether the only group of a file is the crawler's.
fn finds(crawler: &Crawler, token: &str, profile: &Profile) -> bool {
    let file = format!("User-agent: {token}\nDisallow: /");
    let is_allowed = Robots::parse(file.as_bytes(), profile).policy(crawler).is_allowed("/x");
    is_allowed == Ok(false)
}

/// Headers and their names, the surest first.
const HEADERS: &[(&str, &[&str])] = &[
    ("", &[]),
    ("FooBot", &["FooBot"]),
    ("FooBot/2.1", &["FooBot"]),
    ("FooBot/", &["FooBot"]),
    ("FooBot/v2", &["FooBot"]),
    ("FooBot/2.1/beta", &["FooBot"]),
    ("FooBot;", &["FooBot"]),
    ("FooBot/1.0; (+http://foo.example/bot.html)", &["FooBot"]),
    ("FooBot/1.0,BarBot/1.0", &["FooBot", "BarBot"]),
    ("\"FooBot/1.0\"", &["FooBot"]),
    ("'FooBot'", &["FooBot"]),
    ("@FooBot robot", &["FooBot"]),
    ("FooBot:", &["FooBot"]),
    ("-FooBot-", &["FooBot"]),
    ("Foo::Bot::Fetcher/0.01 (master)", &["Foo", "master"]),
    ("Foo_Bot-2 (x; en; en-US)", &["Foo_Bot-2"]),
    ("008/0.83", &["008"]),
    ("1.0 2.0 v3 10_15_7", &[]),
    ("360Foo", &["360Foo"]),
    ("Mozilla/5.0 (compatible; FooBot/1.0; +http://foo.example/)", &["FooBot"]),
    ("Mozilla/5.0 (compatible;FooBot)", &["FooBot"]),
    ("Mozilla/5.0 (COMPATIBLE; FooBot", &["FooBot"]),
    ("Mozilla/5.0+(compatible;+FooBot/1.0;++http://foo.example/)", &["FooBot"]),
    ("Mozilla/5.0+(X11)+Chrome/1.0+Safari/5.0+FooBot/1.0", &["FooBot"]),
    ("Mozilla/4.0 compatible FooBot/1.0 (x-1.foo@bar.example)", &["FooBot"]),
    ("Mozilla/5.0 (compatible; +https://foo.example) FooBot/1.0", &["FooBot"]),
    ("Mozilla/5.0 (KHTML, like Gecko); compatible; FooBot/1.0; +https://foo.example", &["FooBot"]),
    (
        "Mozilla/5.0 (KHTML, like Gecko; compatible; FooBot/1.0) Chrome/W.X.Y.Z Safari/1",
        &["FooBot"],
    ),
    ("Mozilla/5.0 (compatible; Ask Foo/Bar; +http://foo.example)", &["Ask", "Foo", "Bar"]),
    ("Mozilla/5.0 (compatible; FooBot/BarBot/1.0)", &["FooBot", "BarBot"]),
    ("Mozilla/5.0 (compatible; Foo! Bar/3.0)", &["Foo", "Bar"]),
    ("Mozilla/5.0 (compatible; Foo! Bar China)", &["Foo", "Bar", "China"]),
    ("Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; FooBot", &["FooBot"]),
    ("Alpha-1/1.0 (compatible; BetaBot/2.0) Gamma/3.0", &["BetaBot", "Alpha-1", "Gamma"]),
    ("Foo web spider/4.0(+http://www.foo.example/#07)", &["Foo"]),
    ("Foo News Spider 4.0", &["Foo", "News"]),
    ("Zoo foo Bar thebot of it", &["Zoo", "Bar", "thebot"]),
    ("_.foo Foo-.bar/1", &["_.foo", "Foo-.bar", "Foo"]),
    ("venus/foobar", &["venus", "foobar"]),
    ("foo.example robot a.b@c.example", &["foo.example", "foo"]),
    ("Mozilla/5.0 (compatible; Foo.ru/2.0; +http://foo.example)", &["Foo.ru", "Foo"]),
    ("Mozilla/5.0 (compatible; foo.example; 1 subscribers)", &["foo.example", "foo"]),
    ("FooBot (www.bar.example; +bar.example; bar.example/x; mailto:bar@foo.example)", &["FooBot"]),
    ("Mozilla/5.0 (compatible; foo.bar_bot +http://foo.example/bar_bot)", &["foo.bar_bot"]),
    ("FooBot (like BarBot)", &["FooBot"]),
    ("FooBot/1 (BarBot; like Gecko)", &["FooBot", "BarBot"]),
    ("Mozilla/5.0 (Windows NT 6.1) Gecko/1 Firefox/38.0 (FooBot 1.1)", &["FooBot"]),
    ("Mozilla/5.0 (X11; Foo; Linux x86_64; rv:1.9; en-US) Gecko/1", &["Foo"]),
    ("Mozilla/5.0 (Linux; U; Android 4.0; de-de; Foo Bar Build/X1) Safari/5; FooBot", &["FooBot"]),
    ("Mozilla/5.0 (Linux; Android 7.0; Moto G (4)) Chrome/98 Mobile Safari/5 FooBot", &["FooBot"]),
    ("Mozilla/5.0 (Linux; Android 5.0; SM-G900P Build/LRX21T) Safari/5", &[]),
    ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/15.1 Safari/605.1.15", &[]),
    ("Mozilla/5.0 (X11) Mobile/11A465 Twitter for iPhone FooBot/1.0", &["FooBot", "Twitter"]),
    ("Spider/1.0", &["Spider"]),
    ("Spider/1.0 (FooBot)", &["FooBot"]),
    ("Foo (crawler/bot; http://foo.example", &["Foo"]),
    ("\u{dc}bot F\u{f6}o", &["F"]),
    (") ( ((( FooBot/1 ]]", &["FooBot"]),
    ("/global /b key=value", &[]),
];

#[test]
fn names_of_headers() {
    let mut wrong = Vec::new();
    for (header, wanted) in HEADERS {
        let read = names(header.as_bytes());
        if read != *wanted {
            wrong.push(format!("{header}: {read:?}, not {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn certainties_and_spans() {
    let header = "Lone (compatible; Meant/1; Other) Shop 2.0 (Word) Zed FooBot/1.0";
    let read = UserAgent::read(header);
    let found: Vec<_> = read
        .names()
        .iter()
        .map(|name| (&header[name.span.clone()], name.certainty.as_str()))
        .collect();
    let wanted = [
        ("Meant", "compatible"),
        ("Lone", "product"),
        ("Shop", "product"),
        ("Zed", "product"),
        ("FooBot", "product"),
        ("Other", "word"),
        ("Word", "word"),
    ];
    assert_eq!(found, wanted);
    assert_eq!(read.crawler(), Crawler::from_user_agent(header));
    assert_eq!(read.header(), header.as_bytes());
    // The same name twice counts as the surer.
    let read = UserAgent::read("foobot (compatible; FooBot)");
    assert_eq!(read.names().len(), 1);
    assert_eq!(
        (read.names()[0].span.clone(), read.names()[0].certainty),
        (20..26, Certainty::Compatible)
    );
}

proptest! {
    /// Names lie in the header, are made of token characters, come by certainty, and differ.
    #[test]
    fn any_bytes(header in proptest::collection::vec(any::<u8>(), 0..300)) {
        look_at(&header);
    }

    #[test]
    fn likely_bytes(header in "(Mozilla/5.0|compatible|like|Foo|bot|Android|a.b|[a-zA-Z0-9./;:,()+@\"' _=-]|://){0,40}") {
        look_at(header.as_bytes());
    }
}

fn look_at(header: &[u8]) {
    let read = UserAgent::read(header);
    assert!(read.names().is_sorted_by_key(|name| name.certainty));
    let mut seen = HashSet::new();
    for name in read.names() {
        assert_eq!(&header[name.span.clone()], name.name);
        assert!(seen.insert(name.name.to_ascii_lowercase()), "twice: {name:?}");
        assert!(Crawler::try_name(name.name, &Profile::RFC9309).is_ok(), "{name:?}");
        assert!(name.name.iter().any(u8::is_ascii_alphanumeric));
    }
    assert_eq!(read.crawler(), Crawler::from_user_agent(header));
}

/// The published headers: nearly all find the group of the name by which the crawler is known,
/// also in a file with a group for every one of these names.
#[corpus::test]
fn published_headers() {
    let text = corpus::crawlers("headers.tsv");
    let rows: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
    assert_eq!(rows.len(), 743);
    let mut tokens = HashSet::new();
    let all: String = rows
        .iter()
        .filter(|(token, _)| tokens.insert(token.to_ascii_lowercase()))
        .map(|(token, _)| format!("User-agent: {token}\nDisallow: /{token}/\n"))
        .collect();
    for (name, profile) in Profile::NAMED {
        let of_all = Robots::parse(all.as_bytes(), profile);
        let (mut missed, mut other) = (Vec::new(), Vec::new());
        for (token, header) in &rows {
            let crawler = Crawler::from_user_agent(header);
            if !finds(&crawler, token, profile) {
                missed.push(header);
            }
            if of_all.policy(&crawler).is_allowed(&format!("/{token}/")) != Ok(false) {
                other.push(header);
            }
        }
        println!("{name}: {} of 743 found, {} among all", 743 - missed.len(), 743 - other.len());
        assert!(missed.is_empty(), "{name}: {missed:#?}");
        // In `original-1994` other tokens are substrings of some names.
        assert!(other.len() < 25, "{name}: {other:#?}");
        assert!(other.is_empty() || *name == "original-1994", "{name}: {other:#?}");
    }
}

/// Ordinary browsers obey no group of a crawler.
#[corpus::test]
fn browsers() {
    let crawlers: serde_json::Value =
        serde_json::from_str(&corpus::crawlers("ai-crawlers.json")).unwrap();
    let crawlers = crawlers.as_object().unwrap();
    assert_eq!(crawlers.len(), 166);
    let mut file: String = crawlers.keys().map(|name| format!("User-agent: {name}\n")).collect();
    file += "Disallow: /";
    let text = corpus::crawlers("browsers.txt");
    assert_eq!(text.lines().count(), 500);
    for (name, profile) in Profile::NAMED {
        let robots = Robots::parse(file.as_bytes(), profile);
        for header in text.lines() {
            let crawler = Crawler::from_user_agent(header);
            assert!(robots.group_of(&crawler).is_empty(), "{name}: {header}");
        }
    }
}

const NAMED: [&str; 4] = ["rfc9309", "google", "google-classic", "original-1994"];

/// Which names are refused in which profiles, and what was probably meant.
#[test]
fn checked_names() {
    let cases: &[(&str, [Option<&str>; 4])] = &[
        ("", [None; 4]),
        ("*", [None; 4]),
        ("GPTBot", [None; 4]),
        ("foo_bot-x", [None; 4]),
        ("MJ12bot", [None, Some("MJ"), None, None]),
        ("archive.org_bot", [None, Some("archive"), None, None]),
        ("008", [None, Some(""), None, None]),
        ("GPTBot/1.0", [Some("GPTBot"), Some("GPTBot"), None, None]),
        ("Sogou web spider", [Some("Sogou"), Some("Sogou"), None, None]),
        ("Big Brother", [Some("Big"), Some("Big"), None, None]),
        (" FooBot", [Some("FooBot"), Some("FooBot"), Some("FooBot"), None]),
        ("+FooBot", [Some("FooBot"), Some("FooBot"), Some("FooBot"), None]),
        ("/x", [Some(""); 4]),
        ("Mozilla/5.0 (compatible; GPTBot/1.1)", [Some("GPTBot"); 4]),
        ("Mozilla/5.0 (X11)", [Some(""); 4]),
        ("Foo;", [Some("Foo"); 4]),
    ];
    for (name, wanted) in cases {
        for (profile, wanted) in NAMED.iter().zip(wanted) {
            let checked = Crawler::try_name(name, &Profile::named(profile).unwrap());
            let got = checked.as_ref().err().map(|error| {
                assert_eq!(error.name(), name.as_bytes());
                String::from_utf8_lossy(error.probably_meant().unwrap_or_default()).into_owned()
            });
            assert_eq!(got.as_deref(), *wanted, "{name} in {profile}");
            assert!(checked.is_err() || checked == Ok(Crawler::name(name)));
        }
    }
    let error = |name| -> NameError { Crawler::try_name(name, &Profile::RFC9309).unwrap_err() };
    assert_eq!(
        error("GPTBot/1.0").to_string(),
        "'GPTBot/1.0' is not a product token, so no group can name it; did you mean 'GPTBot'?"
    );
    for url in ["https://e.com/x", "/x"] {
        let said = format!("'{url}' is a URL, not a crawler's name: name the crawler first");
        assert_eq!((error(url).to_string(), error(url).probably_meant()), (said, None));
    }
    assert_eq!(
        error("Mozilla (x)").to_string(),
        "'Mozilla (x)' is a User-Agent header, not a crawler's name"
    );
    assert!(error("Big Brother").is_evident() && !error("Big!").is_evident());
    let names = Crawler::try_names(["a", "b c"], &Profile::RFC9309);
    assert_eq!(names.unwrap_err().name(), b"b c");
}

proptest! {
    /// A name that is refused, and is no header, finds no group: not even that of a line with
    /// this very name, or with a part of it.
    #[test]
    fn refused_names_find_no_group(name in "[ -~\u{e9}\t]{1,12}", cut in 0..12_usize) {
        for (profile_name, profile) in Profile::NAMED {
            let Err(error) = Crawler::try_name(&name, profile) else { continue };
            if error.is_header() {
                continue;
            }
            let part = name.char_indices().nth(cut).map_or("", |(at, _)| &name[at..]);
            let file = format!("User-agent: {name}\nUser-agent: {part}\nDisallow: /");
            let robots = Robots::parse(file.as_bytes(), profile);
            let found = robots.group_of(&Crawler::name(&name));
            // `*` may be the part.
            prop_assert!(found.is_empty() || part.trim().starts_with('*') || name.trim().starts_with('*'),
                "{profile_name}: {name:?} {found:?}");
        }
    }
}
