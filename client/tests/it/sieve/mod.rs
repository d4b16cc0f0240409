//! The sieve, with a web and a clock that the tests control.

mod faults;
mod metrics;
#[cfg(feature = "fetch")]
mod offline;
mod overrides;
#[cfg(feature = "rights")]
mod rights;
mod streams;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use robotsieve::{Answer, Config, Crawler, Origin, Profile, Reason, SiteKind};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    AsOf, Attempt, CachedCopy, Condition, Failure, LocalFault, LocalKind, OriginState, Outcome,
    Protocol, Redirect, Response, Why,
};
use robotsieve_client::sieve::{Fetch, Grounds, Metrics, Sieve, SieveBuilder, SieveError};
use robotsieve_client::store::Store;
use tokio::sync::Semaphore;

use crate::support::folder::in_memory;

const START: u64 = 1_700_000_000;
const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;
const RULES: &str = "User-agent: *\nDisallow: /private\n";

/// What a site answers.
#[derive(Clone)]
enum Site {
    Answers(u16, &'static str),
    /// With an ETag, and 304 to whoever sends it.
    Tagged(&'static str),
    /// With an ETag, and with this status whoever sends it.
    DislikesConditions(u16),
    /// Answers after this many redirects.
    Redirects(usize, &'static str),
    Fails,
    /// Fails, and nothing shows that the network works.
    Unconfirmed,
    /// Cannot be asked, for a reason on this side.
    Unasked,
    /// Waits until the gate is closed, then fails.
    FailsLate(Arc<Semaphore>),
    /// Waits until the gate is closed, then answers.
    Waits(Arc<Semaphore>),
    Panics,
}

#[derive(Clone, Default)]
struct Web {
    sites: Arc<Mutex<HashMap<String, Site>>>,
    asked: Arc<AtomicUsize>,
    conditional: Arc<AtomicUsize>,
    seconds: Arc<AtomicU64>,
}

impl Web {
    fn of<const N: usize>(sites: [(&str, Site); N]) -> Web {
        let web = Web::default();
        web.seconds.store(START, SeqCst);
        for (key, site) in sites {
            web.set(key, site);
        }
        web
    }

    fn set(&self, key: &str, site: Site) {
        self.sites.lock().unwrap().insert(key.into(), site);
    }

    fn builder(&self) -> SieveBuilder {
        let seconds = Arc::clone(&self.seconds);
        Sieve::builder(Crawler::name("bot"))
            .fetcher(self.clone())
            .clock(move || Timestamp(seconds.load(SeqCst)))
            // A large table takes longer to build and to drop than anything here.
            .slots(1024)
    }

    fn sieve(&self) -> Sieve {
        self.builder().build()
    }

    fn later(&self, seconds: u64) {
        self.seconds.fetch_add(seconds, SeqCst);
    }

    fn asked(&self) -> usize {
        self.asked.load(SeqCst)
    }
}

impl Fetch for Web {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        self.asked.fetch_add(1, SeqCst);
        let site = self.sites.lock().unwrap().get(origin.key()).cloned();
        Box::pin(async move {
            let mut headers = HeaderMap::new();
            let mut redirects = vec![];
            let (status, body) = match site {
                None => (404, ""),
                Some(Site::Redirects(count, body)) => {
                    let to = "https://elsewhere.com/robots.txt".to_owned();
                    redirects = vec![Redirect::new(301, to); count];
                    (200, body)
                }
                Some(Site::Answers(status, body)) => (status, body),
                Some(Site::Tagged(body)) => {
                    headers.insert("etag", HeaderValue::from_static("\"x\""));
                    if conditional.is_some() {
                        self.conditional.fetch_add(1, SeqCst);
                        (304, "")
                    } else {
                        (200, body)
                    }
                }
                Some(Site::DislikesConditions(status)) => {
                    headers.insert("etag", HeaderValue::from_static("\"x\""));
                    if conditional.is_some() { (status, "") } else { (200, RULES) }
                }
                Some(Site::Waits(gate)) => {
                    drop(gate.acquire().await);
                    (200, RULES)
                }
                Some(Site::Panics) => panic!("on purpose"),
                Some(Site::FailsLate(gate)) => {
                    drop(gate.acquire().await);
                    let result = Err(Failure::Connect("refused".into()));
                    return Attempt::new(Timestamp(0), result);
                }
                Some(Site::Unasked) => {
                    let fault = LocalFault::new(LocalKind::Descriptors, "");
                    return Attempt::new(Timestamp(0), Err(Failure::Local(fault)));
                }
                Some(Site::Unconfirmed) => {
                    let result = Err(Failure::Connect("refused".into()));
                    return Attempt::new(Timestamp(0), result).confirmed(false);
                }
                Some(Site::Fails) => {
                    let result = Err(Failure::Connect("refused".into()));
                    return Attempt::new(Timestamp(0), result);
                }
            };
            let mut response = Response::new(status, body);
            response.headers = headers;
            Attempt::new(Timestamp(0), Ok(response)).with_redirects(redirects)
        })
    }
}

async fn allowed(sieve: &Sieve, url: &str) -> bool {
    sieve.decide(url).await.unwrap().is_allowed()
}

/// A 4xx to a request with a condition may be an answer to the condition, whoever fetched.
#[tokio::test]
async fn a_condition_that_fails_opens_no_site() {
    for status in [412, 400, 403, 404, 429] {
        let web = Web::of([("https://e.com", Site::DislikesConditions(status))]);
        let sieve = web.sieve();
        for day in 1..=3 {
            assert!(!allowed(&sieve, "https://e.com/private").await, "{status} on day {day}");
            web.later(DAY + HOUR);
        }
        assert_eq!(web.asked(), 5, "once, then with a condition and without");
        web.set("https://e.com", Site::Answers(status, ""));
        assert!(allowed(&sieve, "https://e.com/private").await, "{status} without a condition");
    }
}

#[tokio::test]
async fn verdicts_and_grounds() {
    let web = Web::of([
        ("https://e.com", Site::Answers(200, RULES)),
        ("https://down.com", Site::Answers(500, "")),
    ]);
    let sieve = web.sieve();
    let decision = sieve.decide("https://E.com:443/private/x").await.unwrap();
    assert!(!decision.is_allowed());
    assert_eq!(decision.site().origin(), "https://e.com");
    assert_eq!(decision.profile(), &Profile::RFC9309);
    assert!(matches!(decision.grounds(), Grounds::Rules(Reason::Rule(rule)) if rule.line == 2));
    assert_eq!(decision.age(), Some(Duration::ZERO));
    web.later(100);
    let decision = sieve.decide("https://e.com/").await.unwrap();
    assert!(decision.is_allowed());
    assert_eq!(decision.age(), Some(Duration::from_secs(100)));
    assert!(matches!(decision.grounds(), Grounds::Rules(Reason::NoMatch)));
    let decision = sieve.decide("http://e.com/private").await.unwrap();
    assert!(decision.is_allowed(), "another origin");
    assert_eq!((decision.site().ruling().why, decision.age()), (Why::Absent, None));
    let decision = sieve.decide("https://down.com/").await.unwrap();
    assert!(!decision.is_allowed());
    assert!(matches!(decision.grounds(), Grounds::Outcome(ruling)
        if ruling.why == Why::UnreachableWithoutCopy && ruling.holds == SiteKind::DisallowAll));
    assert_eq!(decision.site().state().condition(), Condition::Unreachable);
    assert!(
        allowed(&sieve, "https://down.com/robots.txt").await,
        "robots.txt itself is always allowed"
    );
    assert_eq!(web.asked(), 3);
    let metrics = sieve.metrics();
    assert_eq!((metrics.lookups, metrics.from_table, metrics.waited), (5, 2, 3));
    assert_eq!((metrics.present, metrics.absent, metrics.unreachable), (1, 1, 1));
    assert_eq!((metrics.attempts, metrics.attempt_times.count(), metrics.sites), (3, 3, 3));
    for url in ["", "/x", "mailto:x@e.com", "http://"] {
        assert!(matches!(sieve.decide(url).await, Err(SieveError::Origin(_))), "{url}");
    }
    // Valid by the URL standard, but not in this profile.
    assert!(matches!(sieve.decide("http:e.com/x").await, Err(SieveError::Url(_))));
}

/// The names and values that people store.
#[tokio::test]
async fn serialised_decisions_and_metrics() {
    let web = Web::of([
        ("https://e.com", Site::Answers(200, RULES)),
        ("https://down.com", Site::Answers(503, "")),
    ]);
    let sieve = web.sieve();
    let decision = sieve.decide("https://e.com/private").await.unwrap();
    let wanted = serde_json::json!({
        "url": "https://e.com/private", "verdict": "disallow", "origin": "https://e.com",
        "holds": "rules", "why": "copy", "line": 2, "reason": "rule", "age_seconds": 0,
    });
    assert_eq!(serde_json::to_value(&decision).unwrap(), wanted);
    let decision = sieve.decide("https://down.com/").await.unwrap();
    let wanted = serde_json::json!({
        "url": "https://down.com/", "verdict": "disallow", "origin": "https://down.com",
        "holds": "disallow-all", "why": "unreachable_without_copy", "line": null, "reason": null,
        "age_seconds": null,
    });
    assert_eq!(serde_json::to_value(&decision).unwrap(), wanted);

    let state = decision.site().state();
    let json = serde_json::to_value(state).unwrap();
    assert_eq!(json["last"], serde_json::json!({ "unreachable": { "status": 503 } }));
    assert_eq!(serde_json::from_value::<OriginState>(json).unwrap(), *state);
    let metrics = sieve.metrics();
    let json = serde_json::to_string(&metrics).unwrap();
    assert_eq!(serde_json::from_str::<Metrics>(&json).unwrap(), metrics);
}

#[tokio::test]
async fn a_thousand_callers_share_one_attempt() {
    let gate = Arc::new(Semaphore::new(0));
    let slow = Site::Waits(Arc::clone(&gate));
    let web = Web::of([("https://slow.com", slow), ("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.sieve();
    let waiting: Vec<_> = (0..1000)
        .map(|number| {
            let sieve = sieve.clone();
            tokio::spawn(async move {
                let url = format!("https://slow.com/private/{number}");
                allowed(&sieve, &url).await
            })
        })
        .collect();
    tokio::task::yield_now().await;
    // Other sites need not wait for it.
    assert!(allowed(&sieve, "https://e.com/").await);
    assert_eq!(web.asked(), 2);
    gate.close();
    for task in waiting {
        assert!(!task.await.unwrap());
    }
    assert_eq!(web.asked(), 2);
    sieve.settled().await;
}

/// Dropping a future does not cancel the attempt that others wait for.
#[tokio::test]
async fn dropped_futures() {
    let gate = Arc::new(Semaphore::new(0));
    let web = Web::of([("https://slow.com", Site::Waits(Arc::clone(&gate)))]);
    let sieve = web.sieve();
    let url = "https://slow.com/private";
    let impatient = tokio::time::timeout(Duration::from_millis(10), sieve.decide(url)).await;
    assert!(impatient.is_err());
    gate.close();
    sieve.settled().await;
    assert!(!sieve.try_decide(url).unwrap().unwrap().is_allowed());
    assert_eq!(web.asked(), 1);
}

#[tokio::test]
async fn expiry_and_refresh() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.sieve();
    let url = "https://e.com/private";
    assert!(!allowed(&sieve, url).await);
    web.set("https://e.com", Site::Answers(200, ""));
    // The last tenth of a day has not begun.
    web.later(DAY - DAY / 10 - 1);
    assert!(!allowed(&sieve, url).await);
    sieve.settled().await;
    assert_eq!(web.asked(), 1);
    // Now it has: the old answer is used while a new one is fetched.
    web.later(1);
    assert!(!allowed(&sieve, url).await);
    assert!(!allowed(&sieve, url).await);
    sieve.settled().await;
    assert_eq!((web.asked(), sieve.metrics().refreshes), (2, 1));
    assert!(allowed(&sieve, url).await);
    // Nobody asked before it expired, so the next caller waits.
    web.set("https://e.com", Site::Answers(200, RULES));
    web.later(DAY);
    assert!(!allowed(&sieve, url).await);
    assert_eq!((web.asked(), sieve.metrics().waited), (3, 2));
}

#[tokio::test]
async fn unreachable_sites() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.builder().protocol(Protocol::GOOGLE).build();
    let url = "https://e.com/x";
    assert!(allowed(&sieve, url).await);
    web.set("https://e.com", Site::Fails);
    web.later(DAY);
    assert!(!allowed(&sieve, url).await, "the first twelve hours");
    assert_eq!(web.asked(), 2);
    // It is fetched again no earlier than is due, and then in the background.
    web.later(5 * 60 - 1);
    assert!(!allowed(&sieve, url).await);
    sieve.settled().await;
    assert_eq!(web.asked(), 2);
    web.later(1);
    assert!(!allowed(&sieve, url).await);
    sieve.settled().await;
    assert_eq!(web.asked(), 3);
    // After the twelve hours the last good copy applies, once another attempt has failed.
    web.later(12 * HOUR - 5 * 60);
    assert!(allowed(&sieve, url).await);
    assert!(!allowed(&sieve, "https://e.com/private").await);
    let decision = sieve.decide(url).await.unwrap();
    assert_eq!(decision.site().ruling().why, Why::CopyWhileUnreachable);
    assert_eq!(decision.age(), Some(Duration::from_secs(DAY + 12 * HOUR)));
    sieve.settled().await;
    // After 30 days of attempts it depends on whether other pages of the site are answered.
    for is_allowed in [true, true, false] {
        web.later(10 * DAY);
        assert_eq!(allowed(&sieve, url).await, is_allowed);
        sieve.settled().await;
    }
    sieve.site_answered(&Origin::of(url).unwrap()).unwrap();
    assert!(allowed(&sieve, "https://e.com/private").await);
    sieve.errors_mean_absent(&Origin::of(url).unwrap(), true).unwrap();
    web.set("https://e.com", Site::Answers(500, ""));
    let fetched = sieve.fetch(&Origin::of(url).unwrap()).await.unwrap();
    assert_eq!(fetched.state().condition(), Condition::Absent);
    assert_eq!(fetched.ruling().holds, SiteKind::AllowAll);
}

#[tokio::test]
async fn restarts() {
    let folder = in_memory();
    let path = folder.path().join("robots.redb");
    let web = Web::of([
        ("https://e.com", Site::Tagged(RULES)),
        ("https://none.com", Site::Answers(410, "")),
        ("https://down.com", Site::Fails),
    ]);
    let urls = ["https://e.com/private", "https://none.com/", "https://down.com/"];
    let wanted = [false, true, false];
    let sieve = web.builder().store(Store::open(&path).unwrap()).build();
    for (url, wanted) in urls.iter().zip(wanted) {
        let fetched = sieve.fetch(&Origin::of(url).unwrap()).await.unwrap();
        fetched.stored.unwrap();
        assert_eq!(allowed(&sieve, url).await, wanted);
    }
    assert_eq!(web.asked(), 3);
    sieve.settled().await;
    drop(sieve);
    let sieve = web.builder().store(Store::open(&path).unwrap()).build();
    for (url, wanted) in urls.iter().zip(wanted) {
        assert_eq!(allowed(&sieve, url).await, wanted);
    }
    let metrics = sieve.metrics();
    assert_eq!((web.asked(), metrics.from_store, metrics.store_times.count()), (3, 3, 3));
    // Expired: fetched again, with the validators of the copy in the store.
    web.later(DAY);
    sieve.settled().await;
    drop(sieve);
    let sieve = web.builder().store(Store::open(&path).unwrap()).build();
    assert!(!allowed(&sieve, urls[0]).await);
    assert_eq!((web.asked(), web.conditional.load(SeqCst)), (4, 1));
    let state = sieve.state(&Origin::of(urls[0]).unwrap()).unwrap().unwrap();
    assert_eq!(state.copy.unwrap().at, Timestamp(START + DAY));
    sieve.settled().await;
    drop(sieve);
    // Without a fetcher known answers stay in use, and other sites have no decision.
    web.later(10 * DAY);
    let seconds = Arc::clone(&web.seconds);
    let sieve = Sieve::builder(Crawler::name("bot"))
        .clock(move || Timestamp(seconds.load(SeqCst)))
        .store(Store::open_read_only(&path).unwrap())
        .build();
    assert!(!allowed(&sieve, urls[0]).await);
    assert!(matches!(sieve.decide("https://new.com/").await, Err(SieveError::Unknown)));
    let new = Origin::of("https://new.com").unwrap();
    assert!(matches!(sieve.fetch(&new).await, Err(SieveError::Unknown)));
    assert_eq!(sieve.state(&new).unwrap(), None);
}

/// The store prunes a site that is still in memory. Its validators are not sent, because the
/// store could not keep an unchanged copy without its body.
#[tokio::test]
async fn pruned_from_the_store_but_in_memory() {
    let folder = in_memory();
    let store = Store::open(folder.path().join("robots.redb")).unwrap();
    let web = Web::of([("https://e.com", Site::Tagged(RULES))]);
    let sieve = web.builder().store(store.clone()).build();
    let origin = Origin::of("https://e.com").unwrap();
    sieve.fetch(&origin).await.unwrap().stored.unwrap();
    web.later(DAY);
    assert_eq!(store.prune(Timestamp(START + DAY)).unwrap().origins, 1);
    assert!(!allowed(&sieve, "https://e.com/private").await);
    sieve.settled().await;
    assert_eq!((web.asked(), web.conditional.load(SeqCst)), (2, 0));
    assert_eq!(sieve.metrics().store_errors, 0);
    assert!(store.get_with_body("https://e.com").unwrap().unwrap().1.is_some());
    // From then on they are sent again.
    sieve.fetch(&origin).await.unwrap().stored.unwrap();
    assert_eq!((web.asked(), web.conditional.load(SeqCst)), (3, 1));
}

#[tokio::test]
async fn a_file_behind_too_many_redirects() {
    let folder = in_memory();
    let store = Store::open(folder.path().join("robots.redb")).unwrap();
    let web = Web::of([
        ("https://five.com", Site::Redirects(5, RULES)),
        ("https://six.com", Site::Redirects(6, RULES)),
    ]);
    let sieve = web.builder().store(store).build();
    for (url, wanted) in [("https://five.com/private", false), ("https://six.com/private", true)] {
        let fetched = sieve.fetch(&Origin::of(url).unwrap()).await.unwrap();
        fetched.stored.unwrap();
        assert_eq!(allowed(&sieve, url).await, wanted);
    }
}

#[tokio::test]
async fn many_urls_in_one_call() {
    let web = Web::of([
        ("https://a.com", Site::Answers(200, RULES)),
        ("https://b.com", Site::Answers(200, "User-agent: *\nDisallow: /")),
    ]);
    let sieve = web.sieve();
    let urls: Vec<String> = (0..300)
        .map(|number| match number % 4 {
            0 => format!("https://a.com/{number}"),
            1 => format!("https://b.com/{number}"),
            2 => format!("https://a.com/private/{number}"),
            _ => format!("no URL {number}"),
        })
        .collect();
    let decisions = sieve.decide_many(&urls).await;
    assert_eq!((decisions.len(), web.asked()), (urls.len(), 2));
    let own: &String = decisions[0].as_ref().unwrap().url();
    assert!(std::ptr::eq(own, &urls[0]));
    let metrics = sieve.metrics();
    assert_eq!((metrics.lookups, metrics.from_table, metrics.waited), (225, 223, 2));
    for (number, decision) in decisions.iter().enumerate() {
        match (number % 4, decision) {
            (3, Err(SieveError::Origin(_))) => {}
            (kind, Ok(decision)) => assert_eq!(decision.is_allowed(), kind == 0),
            (_, other) => panic!("{number}: {other:?}"),
        }
    }
    assert_eq!(sieve.decide_many::<&str>(&[]).await.len(), 0);
}

/// In every spelling, in any order, and whether the policies are compiled or not.
#[tokio::test]
async fn many_urls_have_the_decisions_of_each() {
    let keys =
        ["https://a.com", "http://a.com", "https://a.com:8443", "ftp://a.com", "https://b.com"];
    let web = Web::of(keys.map(|key| (key, Site::Answers(200, RULES))));
    let paths = ["", "/", "/x", "/private", "/private/a;b", "?/private", "#/private", "//private"];
    let mut urls: Vec<String> =
        keys.iter().flat_map(|key| paths.map(|path| format!("{key}{path}"))).collect();
    for odd in ["HTTPS://A.com/private", "https://a.com:443/private", "https://u@a.com/private"] {
        urls.push(odd.to_owned());
    }
    urls.extend(
        ["https://a.com./private", "https://a.com;/private", "/private", ""].map(Into::into),
    );
    for profile in [Profile::RFC9309, Profile::GOOGLE] {
        let sieve = web.builder().profile(profile).build();
        for step in [1, 1, 7, 40] {
            let urls: Vec<&String> =
                (0..urls.len()).map(|number| &urls[number * step % urls.len()]).collect();
            let before = sieve.metrics().lookups;
            let many = sieve.decide_many(&urls).await;
            let lookups = sieve.metrics().lookups - before;
            assert_eq!(lookups, many.iter().filter(|decision| decision.is_ok()).count() as u64);
            for (url, decision) in urls.iter().zip(many) {
                match (decision, sieve.decide(*url).await) {
                    (Ok(of_many), Ok(alone)) => {
                        assert_eq!(of_many.is_allowed(), alone.is_allowed(), "{url}");
                        assert_eq!(of_many.site().origin(), alone.site().origin(), "{url}");
                        alone.site().policy(0).compile();
                    }
                    (Err(of_many), Err(alone)) => {
                        assert_eq!(of_many.to_string(), alone.to_string(), "{url}");
                    }
                    (of_many, alone) => panic!("{url}: {of_many:?} {alone:?}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn equal_bodies_share_a_policy() {
    let keys = ["https://a.com", "https://b.com"];
    let web = Web::of(keys.map(|key| (key, Site::Answers(200, RULES))));
    let sieve = web.builder().crawler(Crawler::name("other")).build();
    let a = sieve.decide("https://a.com/private").await.unwrap();
    let b = sieve.decide("https://b.com/private").await.unwrap();
    assert!(a.site().policy(0).is_same(b.site().policy(0)));
    assert_eq!(*a.answers(), [Answer::Disallow; 2]);
    assert_eq!(sieve.crawler_count(), 2);
}

/// A site that asks for a longer delay than the crawler is ready to wait is left alone, and the
/// decision says so; another crawler's delay counts for nobody else.
#[tokio::test]
async fn slow_sites_are_left_alone() {
    const FILE: &str = "User-agent: bot\nCrawl-delay: 300\nUser-agent: *\nDisallow: /x";
    let web = Web::of([("https://e.com", Site::Answers(200, FILE))]);
    let config = Config::default().with_skip_above(Some(Duration::from_secs(60)));
    let sieve = web.builder().crawler(Crawler::name("other")).config(config).build();
    let decision = sieve.decide("https://e.com/").await.unwrap();
    assert_eq!(*decision.answers(), [Answer::Disallow, Answer::Allow]);
    assert!(matches!(decision.grounds(), Grounds::Rules(Reason::LeftAlone)));
    assert_eq!(serde_json::to_value(&decision).unwrap()["reason"], "left-alone");
    let paces = [0, 1].map(|crawler| decision.site().pace(crawler));
    assert_eq!(paces.map(|pace| pace.left_alone), [true, false]);
    assert_eq!(paces[1].min_interval(), None);
}

/// What a site asks of a crawler beyond its rules, without the file being parsed again.
#[tokio::test]
async fn paces_and_sitemaps() {
    const FILE: &str = "Sitemap: https://e.com/a.xml\nUser-agent: bot\nCrawl-delay: 2.5\n\
        Request-rate: 1/10\nDisallow: /private\n\nUser-agent: *\nDisallow: /\nSitemap: /b.xml";
    let web = Web::of([
        ("https://e.com", Site::Answers(200, FILE)),
        ("https://down.com", Site::Answers(503, "")),
    ]);
    let mut config = Config::default();
    config.keep_sitemaps = true;
    let sieve = web.builder().crawler(Crawler::name("other")).config(config).build();
    let decision = sieve.decide("https://e.com/").await.unwrap();
    assert_eq!(decision.crawl_delay(), Some(Duration::from_millis(2_500)));
    let site = decision.site();
    assert_eq!(site.crawl_delay(0), decision.crawl_delay());
    let rate = site.request_rate(0).unwrap();
    assert_eq!((rate.requests, rate.period), (1, Duration::from_secs(10)));
    assert_eq!(site.pace(0).min_interval(), Some(Duration::from_secs(10)));
    assert_eq!((site.crawl_delay(1), site.request_rate(1)), (None, None));
    let sitemaps: Vec<_> = site.sitemaps().collect();
    assert_eq!(sitemaps, [&b"https://e.com/a.xml"[..], b"/b.xml"]);
    let decision = sieve.decide("https://down.com/").await.unwrap();
    assert_eq!((decision.crawl_delay(), decision.site().sitemaps().count()), (None, 0));
    // By default sitemaps take no memory.
    let sieve = web.sieve();
    let site = sieve.site(&Origin::of("https://e.com").unwrap()).await.unwrap();
    assert_eq!(site.sitemaps().count(), 0);
    assert_eq!(site.crawl_delay(0), Some(Duration::from_millis(2_500)));
}

/// What has expired is asked before it is used: one old failure opens no site, and closes none.
#[tokio::test]
async fn old_failures() {
    for (days, site, wanted) in [
        (31, Site::Answers(200, "User-agent: *\nDisallow: /"), Some(SiteKind::Rules)),
        (1, Site::Answers(200, RULES), Some(SiteKind::Rules)),
        (1, Site::Fails, Some(SiteKind::DisallowAll)),
        (31, Site::Fails, None),
    ] {
        for protocol in [Protocol::RFC9309, Protocol::GOOGLE] {
            let folder = in_memory();
            let store = Store::open(folder.path().join("robots.store")).unwrap();
            let web = Web::of([("https://e.com", Site::Fails)]);
            let builder = || web.builder().protocol(protocol.clone()).store(store.clone());
            let origin = Origin::of("https://e.com").unwrap();
            builder().build().fetch(&origin).await.unwrap().stored.unwrap();
            web.later(days * DAY);
            web.set("https://e.com", site.clone());
            let sieve = builder().build();
            for round in 0..3 {
                let decision = sieve.decide("https://e.com/public").await.unwrap();
                let holds = decision.site().ruling().holds;
                match (wanted, &site) {
                    (Some(SiteKind::Rules), _) => {
                        assert_eq!(holds, SiteKind::Rules);
                        assert_eq!(decision.is_allowed(), days == 1, "{round}");
                    }
                    (Some(wanted), _) if protocol == Protocol::RFC9309 => assert_eq!(holds, wanted),
                    // After a day, or two failures in 31 days, it is for the protocol to say.
                    _ => assert_eq!(
                        holds,
                        protocol
                            .ruling(decision.site().state(), Timestamp(web.seconds.load(SeqCst),))
                            .holds
                    ),
                }
                assert_eq!(web.asked(), 2, "once, and before the first decision");
                sieve.settled().await;
            }
        }
    }
}

/// A store made of an archive is judged as of its captures, and nothing of it is asked again.
#[tokio::test]
async fn as_of_captures() {
    let folder = in_memory();
    let store = Store::open(folder.path().join("robots.store")).unwrap();
    let mut fresh = Response::new(200, RULES);
    fresh.headers.insert("cache-control", HeaderValue::from_static("max-age=864000"));
    let busy = || Response::new(503, *b"");
    for (key, captures) in [
        ("https://busy.com", vec![(0, busy())]),
        ("https://fresh.com", vec![(0, fresh.clone()), (2, busy())]),
        ("https://stale.com", vec![(0, fresh), (20, busy())]),
        ("https://none.com", vec![(0, Response::new(404, *b""))]),
    ] {
        let mut state = None;
        for (day, response) in captures {
            let attempt = Attempt::new(Timestamp(START + day * DAY), Ok(response));
            state = Protocol::GOOGLE.after(state.as_ref(), &attempt).ok();
        }
        let state = state.unwrap();
        let body = state.copy.is_some().then_some(RULES.as_bytes());
        store.put(key, &state, body).unwrap();
    }
    let web = Web::of([]);
    web.later(51 * DAY);
    let builder = web.builder().protocol(Protocol::GOOGLE).store(store.clone());
    let capture = builder.as_of(AsOf::Capture).build();
    let today =
        Sieve::builder(Crawler::name("bot")).protocol(Protocol::GOOGLE).store(store.clone());
    let today = today.as_of(AsOf::Time(Timestamp(START + 51 * DAY))).build();
    for (host, then, now) in [
        ("busy.com", SiteKind::DisallowAll, SiteKind::DisallowAll),
        ("fresh.com", SiteKind::Rules, SiteKind::DisallowAll),
        ("stale.com", SiteKind::DisallowAll, SiteKind::DisallowAll),
        ("none.com", SiteKind::AllowAll, SiteKind::AllowAll),
    ] {
        for (sieve, wanted) in [(&capture, then), (&today, now)] {
            for _ in 0..3 {
                let url = format!("https://{host}/public");
                let decision = sieve.decide(&url).await.unwrap();
                assert_eq!(decision.site().ruling().holds, wanted, "{host}");
                assert_eq!(decision.is_allowed(), wanted != SiteKind::DisallowAll, "{host}");
            }
        }
    }
    assert_eq!(web.asked(), 0);
}

/// More sites than memory has room for: the bound holds.
#[tokio::test]
async fn bounded_memory() {
    let web = Web::of([]);
    let sieve = web.builder().max_bytes(100_000).slots(16).build();
    for number in 0..5_000 {
        assert!(allowed(&sieve, &format!("https://host{number}.com/")).await);
    }
    let metrics = sieve.metrics();
    assert!(metrics.bytes <= 100_000, "{metrics:?}");
    assert!((50..1000).contains(&metrics.sites), "{metrics:?}");
    sieve.settled().await;
}

/// A policy that has compiled itself is weighed again.
#[tokio::test]
async fn growing_policies() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.builder().slots(1).build();
    assert!(allowed(&sieve, "https://e.com/").await);
    let before = sieve.metrics().bytes;
    for number in 0..10_000 {
        allowed(&sieve, &format!("https://e.com/{number}")).await;
    }
    // Other sites have taken all places in the table, so this one is looked up in the cache.
    let absent = |number: usize| format!("https://other{number:03}.com/");
    for number in 0..200 {
        assert!(allowed(&sieve, &absent(number)).await);
    }
    assert!(allowed(&sieve, "https://e.com/").await);
    let with_both = sieve.metrics();
    let absent_alone = web.builder().build();
    assert!(allowed(&absent_alone, &absent(0)).await);
    let grown = with_both.bytes - 200 * absent_alone.metrics().bytes;
    assert!(grown > before, "{before} {grown}");
    assert!(with_both.from_memory > 0);
}

#[test]
fn without_a_runtime() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.builder().build_blocking().unwrap();
    assert!(!sieve.decide("https://e.com/private").unwrap().is_allowed());
    assert!(sieve.decide("https://e.com/").unwrap().is_allowed());
    let urls = ["https://e.com/", "https://e.com/private", "https://f.com/"];
    let decisions = sieve.decide_many(&urls).into_iter();
    let verdicts = decisions.map(|decision| decision.unwrap().is_allowed());
    assert_eq!(verdicts.collect::<Vec<_>>(), [true, false, true]);
    sieve.block_on(sieve.as_async().settled());
    let fetched = sieve.fetch(&Origin::of("https://e.com").unwrap()).unwrap();
    assert_eq!(fetched.state().last, Outcome::Present);
    assert_eq!((web.asked(), sieve.metrics().attempts), (3, 3));
    assert_eq!(sieve.as_async().crawler_count(), 1);
}

/// An answer from before or after a leap of the clock by years does not apply.
#[tokio::test]
async fn clocks_that_leap() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.sieve();
    let url = "https://e.com/private";
    assert!(!allowed(&sieve, url).await);
    for (asked, seconds) in
        [(2, START - 3_000 * DAY), (3, START), (4, START + 3_000 * DAY), (5, START)]
    {
        web.set("https://e.com", Site::Answers(200, if asked % 2 == 0 { "" } else { RULES }));
        web.seconds.store(seconds, SeqCst);
        assert_eq!(allowed(&sieve, url).await, asked % 2 == 0, "{asked}");
        assert_eq!(web.asked(), asked);
    }
    // A few minutes are no leap.
    web.seconds.store(START - 250, SeqCst);
    assert!(!allowed(&sieve, url).await);
    assert_eq!(web.asked(), 5);
    // While it cannot be asked, nothing is known of it.
    web.set("https://e.com", Site::Unasked);
    web.seconds.store(START - DAY, SeqCst);
    assert!(matches!(sieve.decide(url).await, Err(SieveError::Local(_))));
}

/// Once a sieve has settled and is dropped, nothing has its store open any more. Three hundred
/// times, in twelve stores at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn settled_sieves_close_their_store() {
    let folder = Arc::new(in_memory());
    let web = Web::of([]);
    let tasks = (0..12).map(|task| {
        let (folder, web) = (Arc::clone(&folder), web.clone());
        tokio::spawn(async move {
            let path = folder.path().join(task.to_string());
            for number in 0..25 {
                let sieve = web.builder().store(Store::open(&path).unwrap()).build();
                assert!(allowed(&sieve, &format!("https://host{number}.com/")).await);
                sieve.settled().await;
                drop(sieve);
            }
            // The same for a sieve with a runtime of its own, even if it has not settled.
            for number in 0..2 {
                let store = Store::open(&path).unwrap();
                let sieve = web.builder().store(store).build_blocking().unwrap();
                let url = format!("https://other{number}.com/");
                assert!(sieve.decide(&url).unwrap().is_allowed());
            }
            Store::open(&path).unwrap();
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

/// Attempts that run are finished and stored, and no other begins.
#[tokio::test]
async fn shutdown() {
    let folder = in_memory();
    let store = Store::open(folder.path().join("robots.redb")).unwrap();
    let gate = Arc::new(Semaphore::new(0));
    let web = Web::of([
        ("https://slow.com", Site::Waits(Arc::clone(&gate))),
        ("https://e.com", Site::Answers(200, RULES)),
    ]);
    let sieve = web.builder().store(store.clone()).build();
    assert!(!allowed(&sieve, "https://e.com/private").await);
    let waiting = tokio::spawn({
        let sieve = sieve.clone();
        async move { allowed(&sieve, "https://slow.com/private").await }
    });
    while web.asked() < 2 {
        tokio::task::yield_now().await;
    }
    let ending = tokio::spawn({
        let sieve = sieve.clone();
        async move { sieve.shutdown().await }
    });
    tokio::task::yield_now().await;
    let new = sieve.decide("https://new.com/").await;
    assert!(matches!(new, Err(SieveError::ShutDown)), "{new:?}");
    let fetched = sieve.fetch(&Origin::of("https://new.com").unwrap()).await;
    assert!(matches!(fetched, Err(SieveError::ShutDown)), "{fetched:?}");
    // What is known stays in use.
    assert!(!allowed(&sieve, "https://e.com/private").await);
    assert!(!ending.is_finished());
    gate.close();
    ending.await.unwrap();
    assert!(!waiting.await.unwrap());
    assert!(store.get("https://slow.com").unwrap().is_some());
    assert_eq!((web.asked(), sieve.running_attempts()), (2, 0));
    // A refresh that is due is not made.
    web.later(DAY - HOUR);
    assert!(!allowed(&sieve, "https://e.com/private").await);
    assert_eq!((web.asked(), sieve.metrics().refreshes), (2, 0));
    assert!(!store.clone().close());
    drop(sieve);
    assert!(store.close());
}

/// The clock is set back between two lookups of the same site: the second one, under the lock of
/// the running attempts, finds a site that is usable and due.
#[test]
fn clocks_that_are_set_back() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let set_back = Arc::new(AtomicU64::new(0));
    let seconds = Arc::clone(&web.seconds);
    let once = Arc::clone(&set_back);
    let builder = Sieve::builder(Crawler::name("bot")).fetcher(web.clone()).clock(move || {
        let now = seconds.load(SeqCst);
        // After the next reading the clock goes back.
        seconds.fetch_sub(once.swap(0, SeqCst), SeqCst);
        Timestamp(now)
    });
    let (done, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let sieve = builder.build_blocking().unwrap();
        assert!(!sieve.decide("https://e.com/private").unwrap().is_allowed());
        sieve.block_on(sieve.as_async().settled());
        web.later(DAY);
        set_back.store(HOUR, SeqCst);
        // In one call, so that the clock is read as often as the test needs.
        let decision = sieve.block_on(sieve.as_async().site(&Origin::of("https://e.com").unwrap()));
        drop(decision.unwrap());
        sieve.block_on(sieve.as_async().settled());
        done.send((web.asked(), sieve.metrics().refreshes)).unwrap();
    });
    assert_eq!(told.recv_timeout(Duration::from_secs(20)), Ok((2, 1)));
}

/// What the caller reports of a site during an attempt is kept.
#[tokio::test]
async fn reports_during_an_attempt() {
    let folder = in_memory();
    let store = Store::open(folder.path().join("robots.redb")).unwrap();
    let web = Web::of([("https://e.com", Site::Answers(500, ""))]);
    let sieve = web.builder().store(store.clone()).build();
    let origin = Origin::of("https://e.com").unwrap();
    sieve.fetch(&origin).await.unwrap();
    for late in [true, false] {
        let gate = Arc::new(Semaphore::new(0));
        let site = if late { Site::FailsLate } else { Site::Waits };
        web.set("https://e.com", site(Arc::clone(&gate)));
        let fetching = tokio::spawn({
            let (sieve, origin) = (sieve.clone(), origin.clone().into_owned());
            async move { sieve.fetch(&origin).await.unwrap().stored.unwrap() }
        });
        while web.asked() < if late { 2 } else { 3 } {
            tokio::task::yield_now().await;
        }
        web.later(10);
        sieve.site_answered(&origin).unwrap();
        sieve.errors_mean_absent(&origin, late).unwrap();
        gate.close();
        fetching.await.unwrap();
        let state = sieve.state(&origin).unwrap().unwrap();
        let answered = Timestamp(START + if late { 10 } else { 20 });
        assert_eq!((state.site_answered, state.errors_mean_absent), (Some(answered), late));
        assert_eq!(state.attempted, answered);
        assert_eq!(store.get("https://e.com").unwrap(), Some(state));
    }
}

/// The other way round: a report does not overwrite the outcome of an attempt.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn reports_and_attempts_in_parallel() {
    let folder = in_memory();
    let store = Store::open(folder.path().join("robots.redb")).unwrap();
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.builder().store(store.clone()).build();
    let origin = Origin::of("https://e.com").unwrap();
    sieve.fetch(&origin).await.unwrap();
    for _ in 0..100 {
        web.later(1);
        let reporting = tokio::task::spawn_blocking({
            let (sieve, origin) = (sieve.clone(), origin.clone().into_owned());
            move || sieve.site_answered(&origin).unwrap()
        });
        sieve.fetch(&origin).await.unwrap().stored.unwrap();
        reporting.await.unwrap();
        let now = Timestamp(web.seconds.load(SeqCst));
        let state = sieve.state(&origin).unwrap().unwrap();
        assert_eq!((state.attempted, state.site_answered), (now, Some(now)));
        assert_eq!(store.get("https://e.com").unwrap(), Some(state));
    }
}

/// The copy is lost when its site fails: nothing is allowed, as without a copy, and the site is
/// not fetched over and over.
#[tokio::test]
async fn lost_copies() {
    let folder = in_memory();
    let store = Store::open(folder.path().join("robots.redb")).unwrap();
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let origin = Origin::of("https://e.com").unwrap();
    let first = web.builder().store(store.clone()).build();
    first.fetch(&origin).await.unwrap().stored.unwrap();
    first.settled().await;
    drop(first);
    let sieve = web.builder().store(store.clone()).build();
    let gate = Arc::new(Semaphore::new(0));
    web.set("https://e.com", Site::FailsLate(Arc::clone(&gate)));
    web.later(DAY);
    let url = "https://e.com/public";
    let deciding = tokio::spawn({
        let sieve = sieve.clone();
        async move { sieve.decide(url).await.map(|decision| decision.is_allowed()) }
    });
    while web.asked() < 2 {
        tokio::task::yield_now().await;
    }
    assert!(store.remove("https://e.com").unwrap());
    store.prune(Timestamp(0)).unwrap();
    gate.close();
    assert!(matches!(deciding.await.unwrap(), Ok(false)));
    assert!(!allowed(&sieve, url).await);
    sieve.settled().await;
    assert_eq!(web.asked(), 2);
    let state = store.get("https://e.com").unwrap().unwrap();
    assert_eq!((state.copy.as_ref(), state.failures), (None, 1));
}

/// Without a store, the copy stays in memory during the time in which nothing is allowed.
#[tokio::test]
async fn copies_that_do_not_apply_for_a_time() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.builder().protocol(Protocol::GOOGLE).build();
    let url = "https://e.com/public";
    assert!(allowed(&sieve, url).await);
    web.set("https://e.com", Site::Fails);
    web.later(DAY);
    assert!(!allowed(&sieve, url).await);
    // Pushes everything else that refers to its policies out of the cache and the table.
    for number in 0..2_000 {
        assert!(allowed(&sieve, &format!("https://host{number}.com/")).await);
        // Makes the cache do its pending evictions.
        let _ = sieve.metrics();
    }
    web.later(12 * HOUR);
    let decision = sieve.decide(url).await.unwrap();
    assert_eq!(decision.site().ruling().why, Why::CopyWhileUnreachable);
    assert!(decision.is_allowed());
    assert!(!allowed(&sieve, "https://e.com/private").await);
    sieve.settled().await;
}

/// A caller who asks after an attempt has ended gets a new one.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn one_attempt_after_another() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.sieve();
    let origin = Origin::of("https://e.com").unwrap();
    for number in 1..=1000 {
        sieve.fetch(&origin).await.unwrap();
        assert_eq!(web.asked(), number);
    }
}

/// During a refresh the old answer is used until it expires, and no longer.
#[tokio::test]
async fn slow_refreshes() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.sieve();
    let url = "https://e.com/private";
    assert!(!allowed(&sieve, url).await);
    let gate = Arc::new(Semaphore::new(0));
    web.set("https://e.com", Site::Waits(Arc::clone(&gate)));
    web.later(DAY - 10);
    assert!(!allowed(&sieve, url).await);
    web.later(9);
    assert!(sieve.try_decide(url).unwrap().is_some());
    web.later(1);
    assert!(sieve.try_decide(url).unwrap().is_none());
    gate.close();
    sieve.settled().await;
    assert_eq!(web.asked(), 2);
}

/// Once a sieve has settled and is dropped, nothing of it is left, and its store is closed.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn the_store_is_free_after_the_sieve() {
    // In memory where possible, because nothing here depends on a disk.
    let folder = in_memory();
    let path = folder.path().join("robots.store");
    let hosts: Vec<String> = (0..8).map(|host| format!("https://host{host}.com")).collect();
    for round in 0..300 {
        let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
        let store = Store::open(&path).unwrap_or_else(|error| panic!("round {round}: {error}"));
        let sieve = web.builder().store(store).build();
        let host = format!("https://host{round}.com/");
        assert!(allowed(&sieve, &host).await);
        for host in &hosts {
            // A decision does not wait until the outcome is stored.
            assert!(allowed(&sieve, host).await);
        }
        sieve.settled().await;
        drop(sieve);
    }
    let store = Store::open_read_only(&path).unwrap();
    assert_eq!(store.stat().unwrap().origins, 300);
}
