//! Faults of this side: of the machine, of the fetcher, of the program.

use tokio::time::{Instant, sleep};

use super::*;

fn is_local<T>(result: &Result<T, SieveError>) -> bool {
    matches!(result, Err(SieveError::Local(fault)) if fault.kind == LocalKind::Descriptors)
}

/// A fault of this side says nothing about the site: no verdict, and nothing is stored.
#[tokio::test]
async fn local_faults() {
    let folder = in_memory();
    let (url, key) = ("https://e.com/private", "https://e.com");
    let web = Web::of([(key, Site::Unasked)]);
    let store = Store::open(folder.path().join("store")).unwrap();
    let sieve = web.builder().store(store.clone()).build();
    assert!(is_local(&sieve.decide(url).await));
    sieve.settled().await;
    assert_eq!(store.get(key).unwrap(), None);
    web.set(key, Site::Answers(200, RULES));
    assert!(!allowed(&sieve, url).await);
    // An answer that expires stays as it was.
    web.set(key, Site::Unasked);
    web.later(2 * DAY);
    sieve.settled().await;
    let before = store.get(key).unwrap();
    assert!(is_local(&sieve.fetch(&Origin::of(url).unwrap()).await));
    assert!(is_local(&sieve.decide(url).await));
    sieve.settled().await;
    assert_eq!(store.get(key).unwrap(), before);
    let metrics = sieve.metrics();
    assert_eq!((metrics.local_faults, metrics.pauses, metrics.held_back), (3, 0, 0));
}

/// As long as nothing has answered, a site that fails is not judged, and nothing is stored. It is
/// asked again once something has.
#[tokio::test]
async fn nothing_has_answered() {
    let folder = in_memory();
    let store = Store::open(folder.path().join("store")).unwrap();
    let (dead, key) = ("https://dead.com/", "https://dead.com");
    let web = Web::of([(key, Site::Unconfirmed)]);
    let sieve = web.builder().pause_after(1).store(store.clone()).build();
    for _ in 0..30 {
        let error = sieve.decide(dead).await.unwrap_err();
        let SieveError::Local(fault) = error else { panic!("{error}") };
        assert_eq!(fault.kind, LocalKind::Unconfirmed);
    }
    // The site is left alone for a while; others are not.
    assert_eq!((web.asked(), sieve.is_paused()), (1, false));
    sieve.settled().await;
    assert_eq!(store.get(key).unwrap(), None);
    assert!(allowed(&sieve, "https://fine.com/").await);
    web.set(key, Site::Fails);
    assert!(!allowed(&sieve, dead).await);
    sieve.settled().await;
    assert!(store.get(key).unwrap().is_some());
}

/// After local faults in a row nothing is asked for a while, then one site, then all.
#[tokio::test(start_paused = true)]
async fn pauses() {
    let web = Web::of([("https://known.com", Site::Answers(200, RULES))]);
    let sieve = web.builder().pause_after(5).build();
    assert!(!allowed(&sieve, "https://known.com/private").await);
    for number in 0..10 {
        web.set(&format!("https://host{number}.com"), Site::Unasked);
    }
    let url = |number: usize| format!("https://host{number}.com/");
    // Four faults, an outcome, and the count begins anew.
    for number in 0..4 {
        assert!(is_local(&sieve.decide(url(number)).await));
    }
    assert!(allowed(&sieve, "https://fine.com/").await);
    for number in 0..5 {
        assert!(!sieve.is_paused());
        assert!(is_local(&sieve.decide(url(number)).await));
    }
    assert!(sieve.is_paused());
    assert_eq!(web.asked(), 2 + 9);
    // Each pause has one trial, and lasts twice as long as the one before.
    let mut wait = Duration::from_secs(1);
    for pause in 0..8 {
        let began = Instant::now();
        let asked = web.asked();
        while web.asked() == asked {
            for number in 0..10 {
                assert!(is_local(&sieve.decide(url(number)).await));
            }
            sleep(Duration::from_millis(50)).await;
        }
        let took = began.elapsed();
        let longest = wait.mul_f64(1.25) + Duration::from_millis(200);
        assert!(took > wait.mul_f64(0.7) && took < longest, "{pause} {took:?}");
        assert_eq!(web.asked(), asked + 1);
        wait = (2 * wait).min(Duration::from_secs(60));
    }
    // Known answers stay in use, also those that are due; one that has expired does not.
    assert!(!allowed(&sieve, "https://known.com/private").await);
    web.later(DAY - HOUR);
    let asked = web.asked();
    assert!(!allowed(&sieve, "https://known.com/private").await);
    sieve.settled().await;
    assert_eq!((web.asked(), sieve.metrics().refreshes), (asked, 0));
    web.later(HOUR);
    assert!(is_local(&sieve.decide("https://known.com/private").await));
    let metrics = sieve.metrics();
    assert!(metrics.is_paused);
    assert_eq!((metrics.pauses, metrics.local_faults), (9, 17));
    assert!(metrics.held_back > 8 * 9, "{metrics:?}");
    // The trial finds something out: everything is asked again.
    sleep(Duration::from_secs(76)).await;
    assert!(!allowed(&sieve, "https://known.com/private").await);
    assert!(!sieve.is_paused() && !sieve.metrics().is_paused);
    assert!(allowed(&sieve, "https://another.com/").await);
}

/// A trial whose task is cancelled leaves its place to the next.
#[test]
fn abandoned_trials() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let gate = Arc::new(Semaphore::new(0));
    let web = Web::of([
        ("https://e.com", Site::Unasked),
        ("https://slow.com", Site::Waits(Arc::clone(&gate))),
    ]);
    let sieve = web.builder().pause_after(1).build();
    runtime().block_on(async {
        assert!(is_local(&sieve.decide("https://e.com/").await));
        sleep(Duration::from_millis(1300)).await;
        let decision = sieve.decide("https://slow.com/");
        assert!(tokio::time::timeout(Duration::from_millis(10), decision).await.is_err());
        assert!(is_local(&sieve.decide("https://f.com/").await), "the trial is running");
    });
    assert_eq!(web.asked(), 2);
    runtime().block_on(async { assert!(allowed(&sieve, "https://f.com/").await) });
    assert!(!sieve.is_paused());
}

/// A site whose attempts panic is asked less and less often. Others are asked as ever.
#[tokio::test(start_paused = true)]
async fn fetchers_that_panic() {
    let web = Web::of([("https://e.com", Site::Panics)]);
    let sieve = web.builder().pause_after(1_000_000).build();
    let url = "https://e.com/private";
    let began = Instant::now();
    for number in 0..60 {
        for _ in 0..100 {
            let error = sieve.decide(url).await.unwrap_err();
            assert!(error.to_string().ends_with("the fetcher panicked: on purpose"), "{error}");
        }
        assert!(allowed(&sieve, &format!("https://host{number}.com/")).await);
        sleep(Duration::from_secs(1)).await;
    }
    // At 0, 1, 3, 7, 15, 31 seconds, give or take a quarter.
    let metrics = sieve.metrics();
    assert!((5..=8).contains(&metrics.panics), "{metrics:?}");
    assert_eq!((metrics.panics, web.asked() as u64), (metrics.local_faults, 60 + metrics.panics));
    assert_eq!(metrics.held_back, 6_000 - metrics.panics);
    assert!(began.elapsed() < Duration::from_secs(90));
    sieve.settled().await;
    web.set("https://e.com", Site::Answers(200, RULES));
    sleep(Duration::from_secs(80)).await;
    assert!(!allowed(&sieve, url).await);
}

/// What needs a runtime is an error without one. Everything else works.
#[test]
fn outside_a_runtime() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let sieve = web.sieve();
    let url = "https://e.com/private";
    // Not Tokio's, so there is no runtime.
    let parked = web.builder().build_blocking().unwrap();
    let error = futures_util::FutureExt::now_or_never(sieve.decide(url)).unwrap().unwrap_err();
    assert!(matches!(error, SieveError::NoRuntime), "{error}");
    let origin = Origin::of(url).unwrap();
    let fetched = futures_util::FutureExt::now_or_never(sieve.fetch(&origin)).unwrap();
    assert!(matches!(fetched, Err(SieveError::NoRuntime)));
    assert_eq!(sieve.running_attempts(), 0);
    assert!(!parked.block_on(allowed(&sieve, url)));
    parked.block_on(sieve.settled());
    // From now on the site is known, and a refresh that is due has to wait for a runtime.
    let ready = || futures_util::FutureExt::now_or_never(sieve.decide(url)).unwrap();
    assert!(!ready().unwrap().is_allowed());
    web.later(DAY - HOUR);
    assert!(!ready().unwrap().is_allowed());
    assert_eq!((web.asked(), sieve.metrics().refreshes), (1, 0));
    web.later(HOUR);
    assert!(matches!(ready(), Err(SieveError::NoRuntime)));
}

/// A blocking sieve inside a runtime blocks a thread of it, and is dropped there.
#[test]
fn blocking_sieves_inside_a_runtime() {
    let web = Web::of([("https://e.com", Site::Answers(200, RULES))]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let sieve = web.builder().build_blocking().unwrap();
        assert!(!sieve.decide("https://e.com/private").unwrap().is_allowed());
        // Or the last fetch might join the first.
        sieve.block_on(sieve.as_async().settled());
        let urls = ["https://f.com/", "https://e.com/private"];
        assert_eq!(sieve.decide_many(&urls).len(), 2);
        assert_eq!(sieve.decide_iter(urls, 1).count(), 2);
        sieve.fetch(&Origin::of("https://e.com").unwrap()).unwrap();
    });
    assert_eq!(web.asked(), 3);
}

/// The time that an attempt took is what the fetcher says, without its queue.
#[tokio::test]
async fn the_time_of_an_attempt_is_without_the_queue() {
    struct Queued;
    impl Fetch for Queued {
        fn fetch<'f>(
            &'f self,
            _: &'f Origin<'static>,
            _: Option<&'f CachedCopy>,
        ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
            Box::pin(async {
                sleep(std::time::Duration::from_millis(300)).await;
                let attempt = Attempt::new(Timestamp::now(), Ok(Response::new(404, *b"")));
                attempt.with_time(std::time::Duration::from_millis(7))
            })
        }
    }
    let sieve = Sieve::builder(Crawler::name("a")).fetcher(Queued).build();
    assert!(allowed(&sieve, "http://e.com/").await);
    assert_eq!(sieve.metrics().attempt_times.total.as_millis(), 7);
}
