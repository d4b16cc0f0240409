//! Rights before and after the fetch.

use http::HeaderMap;
use robotsieve_client::outcome::{Outcome, Why};
use robotsieve_client::sieve::{FileOutcome, Override, Overrides, RightsOptions, SieveRights};
use robotsieve_rights::{Note, PolicyToken, Purpose, Rights, Ruling, TagReading};

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
    assert_eq!(shown(open.rights()), "+???-");
    assert_eq!(by(open.rights(), Purpose::AiTrain), ["robots.txt:3"]);
    assert_eq!(notes(open.rights()), [Note::LicenceNotGiven]);
    assert!(open.decision().is_allowed());

    // What the response says counts too, and the most restrictive wins.
    let fields = [("Content-Usage", "search=n"), ("Content-Usage", "ai-use=y")];
    let page = b"<meta name=robots content=noai>";
    let after = open.with_response(&headers(&fields), page);
    // The licence that the file names is not read, and could forbid what the response allows.
    assert_eq!(shown(&after), "+--?-");
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
    // A URL that only Google takes.
    let google = builder(&web).profile(Profile::GOOGLE).build();
    let rights = google.rights("http:e.com/private").await.unwrap();
    let after = rights.with_response(&headers(&[("x-robots-tag", "noindex")]), b"");
    assert_eq!((shown(rights.rights()), shown(&after)), ("+????".into(), "+-???".into()));
    // What a robots.txt says of it is not read, so no response permits what that may refuse.
    let web = Web::of([("http://e.com", Site::Answers(200, USAGE))]);
    let google = builder(&web).profile(Profile::GOOGLE).build();
    let rights = google.rights("http:e.com/private").await.unwrap();
    let after = rights.with_response(&headers(&[("content-usage", "train-ai=y")]), b"");
    assert_eq!(shown(&after), "-????");
    assert_eq!(notes(&after), [Note::RobotsNotRead]);
    assert!(matches!(web.sieve().rights("https://e.com/").await, Err(SieveError::NoRights)));
}

/// Where no robots.txt applies, nothing is known of what it says, and crawling is as decided.
#[tokio::test]
async fn without_a_robots_txt() {
    let web = Web::of([
        ("https://down.com", Site::Answers(503, "")),
        ("https://none.com", Site::Answers(404, "")),
        ("https://shut.com", Site::Answers(403, "")),
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
        ("https://shut.com/", "+????", Why::Absent, &unread),
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
    assert_eq!(shown(sieve.rights("https://copy.com/").await.unwrap().rights()), "+???-");
    web.set("https://copy.com", Site::Answers(500, ""));
    web.later(DAY + 1);
    let rights = sieve.rights("https://copy.com/").await.unwrap();
    assert_eq!(rights.decision().site().ruling().why, Why::CopyWhileUnreachable);
    assert_eq!(
        (shown(rights.rights()), notes(rights.rights())),
        ("+???-".into(), vec![Note::LicenceNotGiven])
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
    assert_eq!(shown(sieve.rights("https://e.com/").await.unwrap().rights()), "+???-");
    let with_rights = sieve.metrics().bytes;
    sieve.shutdown().await;
    drop(sieve);
    let plain = web.builder().store(Store::open_read_only(&path).unwrap()).build();
    assert!(allowed(&plain, "https://e.com/").await);
    assert!(plain.metrics().bytes + 200 < with_rights, "{with_rights}");
    let sieve = builder(&web).store(Store::open_read_only(&path).unwrap()).build();
    assert_eq!(shown(sieve.rights("https://e.com/").await.unwrap().rights()), "+???-");
    assert_eq!(web.asked(), 1);
}

/// A web with other files than robots.txt.
#[derive(Clone)]
struct Files {
    web: Web,
    /// By URL, status and body. What is not here is 404.
    files: Arc<Mutex<HashMap<String, (u16, String)>>>,
    asked: Arc<Mutex<Vec<String>>>,
    gate: Arc<Semaphore>,
}

impl Files {
    fn of<const N: usize>(robots: [(&str, Site); N]) -> Files {
        let gate = Arc::new(Semaphore::new(1 << 20));
        Files { web: Web::of(robots), files: Arc::default(), asked: Arc::default(), gate }
    }

    fn set(&self, url: &str, status: u16, body: &str) {
        self.files.lock().unwrap().insert(url.into(), (status, body.into()));
    }

    fn builder(&self) -> SieveBuilder {
        self.web.builder().fetcher(self.clone()).rights(RightsOptions::new().with_site_files(true))
    }

    /// The files that were asked for since the last call, sorted.
    fn asked(&self) -> Vec<String> {
        let mut asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.sort();
        asked
    }
}

impl Fetch for Files {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        self.web.fetch(origin, conditional)
    }

    fn fetch_file<'f>(
        &'f self,
        url: &'f str,
        conditional: Option<&'f CachedCopy>,
        max_bytes: usize,
    ) -> Option<Pin<Box<dyn Future<Output = Attempt> + Send + 'f>>> {
        self.asked.lock().unwrap().push(url.into());
        let found = self.files.lock().unwrap().get(url).cloned();
        Some(Box::pin(async move {
            drop(self.gate.acquire().await);
            let (status, mut body) = found.unwrap_or((404, String::new()));
            let is_truncated = body.len() > max_bytes;
            body.truncate(max_bytes);
            let mut response = match conditional {
                Some(_) => Response::new(304, ""),
                None => Response::new(status, body),
            };
            response.is_truncated = is_truncated;
            response.headers.insert("etag", HeaderValue::from_static("\"x\""));
            Attempt::new(Timestamp(0), Ok(response))
        }))
    }
}

const TDM: &str = r#"[{"location": "/", "tdm-reservation": 1}]"#;
const TDM_URL: &str = "https://e.com/.well-known/tdmrep.json";
const LICENCE_URL: &str = "https://e.com/license.xml";

fn rsl(prohibited: &str) -> String {
    format!(
        "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license>\
         <prohibits type='usage'>{prohibited}</prohibits></license></content></rsl>"
    )
}

/// URL and what became of it.
fn outcomes<U: robotsieve::AsUrl>(rights: &SieveRights<U>) -> Vec<String> {
    rights.files().iter().map(|file| format!("{} {}", file.url, file.outcome)).collect()
}

#[tokio::test]
async fn tdmrep_files() {
    let long = format!("[{}]", " ".repeat(5 << 20));
    for (status, body, wanted, outcome, noted) in [
        (200, TDM, "+??--", "read", &[][..]),
        (200, "[]", "+????", "read", &[]),
        (200, "<html>", "+????", "read", &[Note::TdmFile]),
        (200, &long[..], "+????", "longer than 4 MiB", &[Note::TdmNotRead]),
        (404, "", "+????", "there is none", &[]),
        (403, "", "+????", "HTTP 403", &[Note::TdmNotRead]),
        (503, TDM, "+????", "HTTP 503", &[Note::TdmNotRead]),
        (429, "", "+????", "HTTP 429", &[Note::TdmNotRead]),
    ] {
        let files = Files::of([("https://e.com", Site::Answers(200, RULES))]);
        files.set(TDM_URL, status, body);
        let sieve = files.builder().build();
        for _ in 0..2 {
            let rights = sieve.rights("https://e.com/a").await.unwrap();
            assert_eq!(shown(rights.rights()), wanted, "{status} {body:.20}");
            assert_eq!(notes(rights.rights()), noted, "{status} {body:.20}");
            assert_eq!(outcomes(&rights), [format!("{TDM_URL} {outcome}")]);
        }
        assert_eq!(files.asked(), [TDM_URL], "once");
        // Each property of the response comes before the file's.
        let rights = sieve.rights("https://e.com/a").await.unwrap();
        let after = rights.with_response(&headers(&[("tdm-reservation", "0")]), b"");
        assert_eq!(after.ruling(Purpose::AiTrain), Ruling::Allow);
    }
}

#[tokio::test]
async fn licences_of_robots_and_responses() {
    let files = Files::of([
        ("https://e.com", Site::Answers(200, USAGE)),
        ("https://l.org", Site::Answers(200, "User-agent: *\nDisallow: /no/\n")),
        ("https://down.org", Site::Answers(500, "")),
        ("https://unasked.org", Site::Unasked),
    ]);
    files.set(LICENCE_URL, 200, &rsl("search"));
    files.set("https://l.org/a.xml", 200, &rsl("ai-input"));
    files.set("https://l.org/bad.xml", 200, "<!DOCTYPE rsl><rsl/>");
    files.set("https://l.org/no/a.xml", 200, &rsl("ai-input"));
    let sieve = files.builder().build();
    let mut rights = sieve.rights("https://e.com/a").await.unwrap();
    assert_eq!(
        outcomes(&rights),
        [format!("{TDM_URL} there is none"), format!("{LICENCE_URL} read")]
    );
    // The document forbids what robots.txt allows, and allows what nobody else is about.
    assert_eq!((shown(rights.rights()), notes(rights.rights())), ("+--+-".into(), vec![]));
    assert_eq!(by(rights.rights(), Purpose::Index), [format!("rsl:{LICENCE_URL}:1.1")]);
    assert_eq!(files.asked(), [TDM_URL, LICENCE_URL]);

    let link = |url: &str| {
        let value = format!("<{url}>; rel=license; type=\"application/rsl+xml\"");
        HeaderMap::from_iter([(http::header::LINK, value.parse().unwrap())])
    };
    let named = link("https://l.org/a.xml#x");
    // Without fetching it is unknown.
    let before = rights.with_response(&named, b"");
    assert_eq!((shown(&before), notes(&before)), ("+--?-".into(), vec![Note::LicenceNotGiven]));
    let after = rights.with_response_and_files(&named, b"").await;
    assert_eq!((shown(&after), notes(&after)), ("+----".into(), vec![]));
    assert_eq!(shown(&rights.with_response(&named, b"")), "+----", "it is kept");
    assert_eq!(files.asked(), ["https://l.org/a.xml"]);

    for (url, outcome, noted) in [
        ("https://l.org/bad.xml", "read", &[Note::LicenceInvalid][..]),
        ("https://l.org/none.xml", "there is none", &[Note::FileNotRead, Note::LicenceNotGiven]),
        (
            "https://l.org/no/a.xml",
            "the robots.txt of its site does not allow it to be fetched",
            &[Note::FileNotRead, Note::LicenceNotGiven],
        ),
        (
            "https://down.org/a.xml",
            "the robots.txt of its site does not allow it to be fetched",
            &[Note::FileNotRead, Note::LicenceNotGiven],
        ),
        (
            "https://l.org:22/a.xml",
            "not a URL of http or https with its usual port or that of the site",
            &[Note::FileNotRead, Note::LicenceNotGiven],
        ),
        ("/a.xml", "", &[Note::LicenceRelative]),
    ] {
        let mut rights = sieve.rights("https://e.com/a").await.unwrap();
        let after = rights.with_response_and_files(&link(url), b"").await;
        assert_eq!((shown(&after), notes(&after)), ("+--?-".into(), noted.into()), "{url}");
        let found = rights.files().get(2).map(|file| file.outcome.to_string());
        assert_eq!(found.unwrap_or_default(), outcome, "{url}");
    }
    assert_eq!(files.asked(), ["https://l.org/bad.xml", "https://l.org/none.xml"]);
    // A fault of this side is told, and is asked for again.
    let mut rights = sieve.rights("https://e.com/a").await.unwrap();
    rights.with_response_and_files(&link("https://unasked.org/a.xml"), b"").await;
    assert!(matches!(&rights.files()[2].outcome, FileOutcome::Error(SieveError::Local(_))));
}

/// A site that names very many licences has few fetched.
#[tokio::test]
async fn licences_are_bounded() {
    let files = Files::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = files.builder().build();
    let page = |from: usize, to: usize| {
        let link =
            |n| format!("<link rel=license type=application/rsl+xml href=https://l.org/{n}>");
        (from..to).map(link).collect::<String>()
    };
    let none = HeaderMap::new();
    let mut rights = sieve.rights("https://e.com/").await.unwrap();
    let after = rights.with_response_and_files(&none, page(0, 3000).as_bytes()).await;
    assert!(after.notes().contains(Note::LicencesLeftOut));
    assert_eq!((files.asked().len(), rights.files().len()), (9, 9));
    // Other pages name others.
    for page_number in 1..20 {
        let mut rights = sieve.rights("https://e.com/").await.unwrap();
        let (from, to) = (page_number * 8, page_number * 8 + 8);
        let after = rights.with_response_and_files(&none, page(from, to).as_bytes()).await;
        assert_eq!(after.notes().contains(Note::LicencesLeftOut), page_number >= 8);
    }
    assert_eq!(files.asked().len(), 64 - 8);
    // A licence that was admitted stays so, and so does another site.
    files.web.later(DAY);
    let mut rights = sieve.rights("https://e.com/").await.unwrap();
    let after = rights.with_response_and_files(&none, page(0, 2).as_bytes()).await;
    assert!(!after.notes().contains(Note::LicencesLeftOut));
    let mut rights = sieve.rights("https://f.com/").await.unwrap();
    let after = rights.with_response_and_files(&none, page(1000, 1002).as_bytes()).await;
    assert!(!after.notes().contains(Note::LicencesLeftOut));
    // Neither is a site's list of other sites without a bound.
    let before = files.web.asked();
    for number in 0..100 {
        let mut rights = sieve.rights("https://g.com/").await.unwrap();
        let page =
            format!("<link rel=license type=application/rsl+xml href=https://h{number}.org/>");
        rights.with_response_and_files(&none, page.as_bytes()).await;
    }
    assert_eq!(files.web.asked() - before, 1 + 64);
}

#[tokio::test]
async fn files_are_kept() {
    let folder = in_memory();
    let path = folder.path().join("store");
    let files = Files::of([("https://e.com", Site::Answers(200, USAGE))]);
    files.set(TDM_URL, 200, TDM);
    files.set(LICENCE_URL, 200, &rsl("search"));
    let sieve = files.builder().store(Store::open(&path).unwrap()).build();
    let ask = async |sieve: &Sieve| shown(sieve.rights("https://e.com/a").await.unwrap().rights());
    assert_eq!(ask(&sieve).await, "+----");
    sieve.shutdown().await;
    drop(sieve);
    assert_eq!(files.asked().len(), 2);
    Store::verify(&path).unwrap();

    // From the store, read-only and without a fetcher too.
    let read_only = || files.builder().store(Store::open_read_only(&path).unwrap());
    assert_eq!(ask(&read_only().build()).await, "+----");
    let offline = Sieve::builder(Crawler::name("bot")).store(Store::open_read_only(&path).unwrap());
    let offline = offline.rights(RightsOptions::new().with_site_files(true)).build();
    assert_eq!(ask(&offline).await, "+----");
    drop(offline);
    assert!(files.asked().is_empty());

    // When they have expired, their validators are sent; a store that cannot be written is no obstacle.
    files.web.later(DAY);
    let sieve = read_only().build();
    assert_eq!(ask(&sieve).await, "+----");
    assert_eq!(files.asked().len(), 2);
    sieve.settled().await;
    assert_eq!(sieve.metrics().store_errors, 3);
    drop(sieve);

    // What is found unchanged is stored without its body.
    let sieve = files.builder().store(Store::open(&path).unwrap()).build();
    assert_eq!(ask(&sieve).await, "+----");
    sieve.settled().await;
    drop(sieve);

    // Origins are counted without them, and pruning knows them.
    let store = Store::open(&path).unwrap();
    let stat = store.stat().unwrap();
    assert_eq!((stat.origins, stat.files, stat.bodies, stat.unused_bodies), (1, 2, 3, 0));
    assert_eq!(store.iter().unwrap().count(), 1);
    let copy = folder.path().join("copy");
    store.copy_to(&copy, Timestamp(0)).unwrap();
    assert_eq!(Store::open(&copy).unwrap().stat().unwrap().files, 2);
    let pruned = store.prune(Timestamp(START + DAY)).unwrap();
    assert_eq!((pruned.origins, pruned.files, pruned.bodies), (0, 0, 0));
    let pruned = store.prune(Timestamp(START + 2 * DAY)).unwrap();
    assert_eq!((pruned.origins, pruned.files, pruned.bodies), (1, 2, 3));
    assert!(store.file(TDM_URL).unwrap().is_none());
}

#[tokio::test]
async fn many_ask_for_files_and_each_is_fetched_once() {
    let files = Files::of([("https://e.com", Site::Answers(200, USAGE))]);
    files.set(TDM_URL, 200, TDM);
    files.set(LICENCE_URL, 200, &rsl("search"));
    let gate = Arc::clone(&files.gate);
    let held = gate.acquire_many(1 << 20).await.unwrap();
    let sieve = files.builder().build();
    let tasks: Vec<_> = (0..500)
        .map(|n| {
            let sieve = sieve.clone();
            tokio::spawn(async move {
                let rights = sieve.rights(format!("https://e.com/{n}")).await.unwrap();
                shown(rights.rights())
            })
        })
        .collect();
    while sieve.running_attempts() < 2 {
        tokio::task::yield_now().await;
    }
    drop(held);
    for task in tasks {
        assert_eq!(task.await.unwrap(), "+----");
    }
    assert_eq!(files.asked().len(), 2);
}

/// A fetcher for robots.txt alone, and none: nothing is known, and it is told.
#[tokio::test]
async fn without_a_fetcher_of_files() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.builder().rights(RightsOptions::new().with_site_files(true)).build();
    let rights = sieve.rights("https://e.com/").await.unwrap();
    assert_eq!(
        (shown(rights.rights()), notes(rights.rights())),
        ("+????".into(), vec![Note::TdmNotRead])
    );
    assert!(matches!(rights.files()[0].outcome, FileOutcome::NoFetcher));
    assert!(!sieve.is_paused());
}

/// Over the network, with the fetcher's bounds.
#[cfg(feature = "fetch")]
#[tokio::test]
async fn by_the_fetcher() {
    use crate::support::servers::{settings, site};
    let server = site::Site::http(|request| {
        let path = request.uri.path();
        let answer = http::Response::builder();
        match path {
            "/robots.txt" => answer.body(b"User-agent: *\nAllow: /\n".to_vec()),
            "/.well-known/tdmrep.json" => {
                answer.status(302).header("location", "/tdm.json").body(Vec::new())
            }
            "/tdm.json" => answer.body(TDM.into()),
            _ => answer.body(vec![b'\n'; 5 << 20]),
        }
        .unwrap()
    })
    .await;
    let url = format!("http://site.test:{}/a", server.address.port());
    let sieve = Sieve::builder(Crawler::name("bot"))
        .fetcher(settings().build().unwrap())
        .rights(RightsOptions::new().with_site_files(true))
        .build();
    let mut rights = sieve.rights(&*url).await.unwrap();
    assert_eq!(shown(rights.rights()), "+??--");
    // Longer than is read; and an address that is not public, named by its URL.
    let page = format!(
        "<link rel=license type=application/rsl+xml href=http://site.test:{}/license.xml>\
         <link rel=license type=application/rsl+xml href=http://10.0.0.1/license.xml>",
        server.address.port()
    );
    rights.with_response_and_files(&HeaderMap::new(), page.as_bytes()).await;
    let outcomes: Vec<_> = rights.files().iter().map(|file| file.outcome.to_string()).collect();
    let wanted = ["read", "longer than 4 MiB", "the robots.txt of its site"];
    assert_eq!(outcomes.len(), wanted.len(), "{outcomes:?}");
    for (outcome, wanted) in outcomes.iter().zip(wanted) {
        assert!(outcome.starts_with(wanted), "{outcomes:?}");
    }
}
