//! Rights before and after the fetch.

use http::HeaderMap;
use robotsieve::rights::{Note, PolicyToken, Purpose, Rights, Ruling, TagReading};
use robotsieve_client::outcome::{Outcome, Why};
use robotsieve_client::sieve::{Override, Overrides, RightsOptions};

use super::*;

const USAGE: &str = "User-agent: *\nDisallow: /private\nContent-Usage: train-ai=n, search=y\n\
    License: https://e.com/license.xml\n";

fn builder(web: &Web) -> SieveBuilder {
    web.builder().rights(RightsOptions::new())
}

/// A sign for each purpose: crawl, index, snippet, ai-input, ai-train.
fn shown(rights: &Rights) -> String {
    let sign = |purpose: &Purpose| match rights.ruling(*purpose) {
        Ruling::Allow => '+',
        Ruling::Disallow => '-',
        Ruling::Unknown => '?',
    };
    Purpose::ALL[..5].iter().map(sign).collect()
}

fn notes(rights: &Rights) -> Vec<Note> {
    rights.notes().iter().collect()
}

fn by(rights: &Rights, purpose: Purpose) -> Vec<String> {
    rights.by(purpose).map(|statement| statement.place.to_string()).collect()
}

fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(*name, HeaderValue::from_static(value));
    }
    headers
}

#[tokio::test]
async fn before_and_after_the_fetch() {
    let web = Web::of([
        ("https://e.com", Site::Answers(200, USAGE)),
        ("https://plain.com", Site::Answers(200, RULES)),
    ]);
    let sieve = builder(&web).build();
    let open = sieve.rights("https://e.com/a").await.unwrap();
    assert_eq!(shown(open.rights()), "+++?-");
    assert_eq!(by(open.rights(), Purpose::AiTrain), ["robots.txt:3"]);
    assert_eq!(notes(open.rights()), [Note::LicenceNotGiven]);
    assert!(open.decision().is_allowed());

    // What the response says counts too, and the most restrictive wins.
    let fields = [("Content-Usage", "search=n"), ("Content-Usage", "ai-use=y")];
    let page = b"<meta name=robots content=noai>";
    let after = open.with_response(&headers(&fields), page);
    assert_eq!(shown(&after), "+--+-");
    assert_eq!(by(&after, Purpose::AiTrain), ["robots.txt:3", "html:meta:1"]);
    assert_eq!(open.with_response(&HeaderMap::new(), b""), *open.rights());

    // Content-Usage in robots.txt is only about what may be crawled.
    let private = sieve.rights("https://e.com/private/x".to_owned()).await.unwrap();
    assert_eq!((shown(private.rights()), private.decision().is_allowed()), ("-????".into(), false));
    assert_eq!(by(private.rights(), Purpose::Crawl), ["robots.txt:2"]);

    // A file that says nothing of rights is asked about crawling alone.
    for (url, wanted, line) in [
        ("https://plain.com/", "+????", None),
        ("https://plain.com/private", "-????", Some("robots.txt:2")),
    ] {
        let rights = sieve.rights(url).await.unwrap();
        assert_eq!(shown(rights.rights()), wanted, "{url}");
        assert_eq!(by(rights.rights(), Purpose::Crawl), Vec::from_iter(line), "{url}");
        assert!(rights.rights().notes().is_empty());
        let after = rights.with_response(&headers(&[("tdm-reservation", "1")]), b"");
        assert_eq!(shown(&after)[1..], *"??--", "{url}");
    }
    assert_eq!(web.asked(), 2);
    assert!(matches!(sieve.rights("x").await, Err(SieveError::Origin(_))));
    assert!(matches!(web.sieve().rights("https://e.com/").await, Err(SieveError::NoRights)));
}

/// Where no robots.txt applies, nothing is known of what it says, and crawling is as decided.
#[tokio::test]
async fn without_a_robots_txt() {
    let web = Web::of([
        ("https://down.com", Site::Answers(503, "")),
        ("https://none.com", Site::Answers(404, "")),
        ("https://mute.com", Site::Fails),
        ("https://unasked.com", Site::Unasked),
        ("https://copy.com", Site::Answers(200, USAGE)),
    ]);
    let sieve = builder(&web).build();
    let unread = [Note::RobotsNotRead];
    for (url, wanted, why, noted) in [
        ("https://down.com/", "-????", Why::UnreachableWithoutCopy, &unread[..]),
        ("https://mute.com/", "-????", Why::UnreachableWithoutCopy, &unread),
        ("https://none.com/", "+????", Why::Absent, &[]),
    ] {
        let rights = sieve.rights(url).await.unwrap();
        assert_eq!((shown(rights.rights()), notes(rights.rights())), (wanted.into(), noted.into()));
        assert_eq!(rights.decision().site().ruling().why, why, "{url}");
        assert_eq!(by(rights.rights(), Purpose::Crawl), [""; 0], "no line stands for an outcome");
        // A statement of the response counts all the same.
        let after = rights.with_response(&headers(&[("x-robots-tag", "noai")]), b"");
        assert_eq!((&shown(&after)[1..], notes(&after)), ("???-", noted.into()), "{url}");
    }
    // A fault of this side is no knowledge at all.
    assert!(matches!(sieve.rights("https://unasked.com/").await, Err(SieveError::Local(_))));

    // The last copy goes on to apply while its site is unreachable, and then no more.
    assert_eq!(shown(sieve.rights("https://copy.com/").await.unwrap().rights()), "+++?-");
    web.set("https://copy.com", Site::Answers(500, ""));
    web.later(DAY + 1);
    let rights = sieve.rights("https://copy.com/").await.unwrap();
    assert_eq!(rights.decision().site().ruling().why, Why::CopyWhileUnreachable);
    assert_eq!(
        (shown(rights.rights()), notes(rights.rights())),
        ("+++?-".into(), vec![Note::LicenceNotGiven])
    );
    assert!(matches!(rights.decision().site().state().last, Outcome::Unreachable(_)));
}

#[tokio::test]
async fn overrides_and_options() {
    let web = Web::of([]);
    let mut overrides = Overrides::new();
    overrides.insert("yes.com", Override::Allow).unwrap();
    overrides.insert("no.com", Override::Disallow).unwrap();
    let file = "User-agent: bot\nContent-Signal: ai-train=no\nAllow: /\n\
        User-agent: Google-Extended\nDisallow: /\n";
    overrides.insert("file.com", Override::Body(file.into())).unwrap();
    let options = RightsOptions::new()
        .with_reading(TagReading::Google)
        .with_policy_tokens(PolicyToken::of_name("google-extended"));
    let sieve = web.builder().overrides(overrides).rights(options).build();
    for (url, wanted, noted) in [
        ("https://yes.com/", "+????", &[Note::RobotsNotRead][..]),
        ("https://no.com/", "-????", &[Note::RobotsNotRead]),
        ("https://file.com/", "+??--", &[]),
    ] {
        let rights = sieve.rights(url).await.unwrap();
        assert_eq!((shown(rights.rights()), notes(rights.rights())), (wanted.into(), noted.into()));
    }
    let rights = sieve.rights("https://yes.com/").await.unwrap();
    // Google's reading, and the sieve's clock.
    let fields = [("x-robots-tag", "nosnippet"), ("x-robots-tag", "unavailable_after: 2020-01-01")];
    assert_eq!(shown(&rights.with_response(&headers(&fields), b"")), "+---?");
    assert_eq!(web.asked(), 0);
}

/// From the store, and from memory with a bound: what files say of rights is kept with their policies.
#[tokio::test]
async fn kept() {
    let folder = in_memory();
    let web = Web::of([("https://e.com", Site::Answers(200, USAGE))]);
    let path = folder.path().join("store");
    let sieve = builder(&web).store(Store::open(&path).unwrap()).build();
    assert_eq!(shown(sieve.rights("https://e.com/").await.unwrap().rights()), "+++?-");
    let with_rights = sieve.metrics().bytes;
    sieve.shutdown().await;
    drop(sieve);
    let plain = web.builder().store(Store::open_read_only(&path).unwrap()).build();
    assert!(allowed(&plain, "https://e.com/").await);
    assert!(plain.metrics().bytes + 200 < with_rights, "{with_rights}");
    let sieve = builder(&web).store(Store::open_read_only(&path).unwrap()).build();
    assert_eq!(shown(sieve.rights("https://e.com/").await.unwrap().rights()), "+++?-");
    assert_eq!(web.asked(), 1);
}
