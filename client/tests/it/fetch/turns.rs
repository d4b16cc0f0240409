//! Turns at hosts and addresses, retries, and the ports of redirects.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use robotsieve_client::fetch::{Fetcher, FetcherBuilder};
use robotsieve_client::outcome::{Attempt, Failure, Outcome, Protocol};
use tokio::io::AsyncWriteExt;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::support::servers::site::{Site, answer};
use crate::support::servers::{Names, ROBOTS, answered, failed, fetch, origin, settings};
use crate::support::time::FastClock;

const LONG: Duration = Duration::from_secs(60);

/// The default turns, without a delay.
fn polite() -> FetcherBuilder {
    settings().max_per_host(2).max_per_address(2).request_delay(Duration::ZERO)
}

fn start(fetcher: &Fetcher, url: String) -> JoinHandle<Attempt> {
    let fetcher = fetcher.clone();
    tokio::spawn(async move { fetcher.fetch(&origin(&url), None).await })
}

/// A redirect within the host is a request as any other.
#[tokio::test]
async fn redirects_keep_the_delay() {
    let _clock = FastClock::start();
    let site = Site::http(|request| match request.uri.path() {
        "/robots.txt" => answer(301, &[("location", "/1")], b""),
        "/1" => answer(301, &[("location", "/2")], b""),
        _ => answer(200, &[], ROBOTS),
    })
    .await;
    let fetcher =
        polite().request_delay(Duration::from_secs(30)).total_timeout(LONG / 2).build().unwrap();
    let began = Instant::now();
    let attempt = fetcher.fetch(&origin(&site.url("http", "/")), None).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    assert!(began.elapsed() >= LONG, "{:?}", began.elapsed());
}

/// A site that takes a while, and the most requests it had at a time.
async fn slow(time: Duration) -> (Site, Arc<AtomicUsize>) {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let peak = Arc::clone(&most);
    let site = Site::raw(move |mut stream| {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(time).await;
            now.fetch_sub(1, Ordering::SeqCst);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
        }
    })
    .await;
    (site, peak)
}

#[tokio::test]
async fn two_at_a_time_to_an_address_and_the_wait_does_not_count() {
    let _clock = FastClock::start();
    let (site, peak) = slow(Duration::from_millis(500)).await;
    // Twelve rounds of two take longer than one attempt may take.
    let fetcher = polite().total_timeout(Duration::from_secs(5)).build().unwrap();
    let url = |n| format!("http://site-{n}.test:{}/", site.port());
    let all: Vec<_> = (0..24).map(|n| start(&fetcher, url(n))).collect();
    for attempt in all {
        let attempt = attempt.await.unwrap();
        assert_eq!(answered(&attempt).status, 200);
        // Nor is it told as time that the site took.
        let took = attempt.took.unwrap();
        assert!((500..2_000).contains(&took.as_millis()), "{took:?}");
    }
    assert_eq!(peak.load(Ordering::SeqCst), 2);
}

/// Neighbours that never answer hold the places of their address: they cost the others no more than
/// a budget, and have all their time when the others have had their turns.
#[tokio::test]
async fn silent_neighbours_go_to_the_end_of_the_line() {
    let _clock = FastClock::start();
    let site = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let silent = Site::raw(|stream| async move {
        sleep(Duration::from_secs(1_000)).await;
        drop(stream);
    })
    .await;
    let fetcher = polite().read_timeout(LONG).total_timeout(LONG).build().unwrap();
    let began = Instant::now();
    let tarpits: Vec<_> = (0..12)
        .map(|n| start(&fetcher, format!("http://silent-{n}.test:{}/", silent.port())))
        .collect();
    while silent.connections() < 2 {
        sleep(Duration::from_millis(10)).await;
    }
    let good: Vec<_> = (0..40)
        .map(|n| start(&fetcher, format!("http://good-{n}.test:{}/", site.port())))
        .collect();
    for attempt in good {
        assert_eq!(answered(&attempt.await.unwrap()).body, ROBOTS);
    }
    // Two at a time for a minute each would be six minutes.
    assert!(began.elapsed() < Duration::from_secs(100), "{:?}", began.elapsed());
    for attempt in tarpits {
        let attempt = attempt.await.unwrap();
        assert_eq!(attempt.tries, 1);
        assert!(attempt.took.unwrap() >= LONG, "{:?}", attempt.took);
        assert!(matches!(failed(attempt), Failure::TimedOut(_)));
    }
}

#[tokio::test]
async fn who_waits_for_a_turn_holds_up_nobody_else() {
    let _clock = FastClock::start();
    let (busy, _) = slow(LONG).await;
    let free = Site::http(|_| answer(200, &[], ROBOTS)).await;
    // The sites listen on the same address, which has two names for the fetcher.
    let names = Names::new(|name| {
        let address = if name.starts_with("busy") { "::ffff:127.0.0.1" } else { "127.0.0.1" };
        vec![address.parse().unwrap()]
    });
    let port = free.port();
    let fetcher = polite()
        .resolver(names)
        .max_parallel(3)
        .read_timeout(LONG)
        .total_timeout(LONG)
        .build()
        .unwrap();
    let waiting: Vec<_> = (0..50)
        .map(|n| start(&fetcher, format!("http://busy-{n}.test:{}/", busy.port())))
        .collect();
    while busy.connections() < 2 {
        sleep(Duration::from_millis(10)).await;
    }
    for n in 0..20 {
        let url = format!("http://free-{n}.test:{port}/");
        let attempt = timeout(LONG / 2, fetcher.fetch(&origin(&url), None)).await.unwrap();
        assert_eq!(answered(&attempt).body, ROBOTS);
    }
    assert_eq!(busy.connections(), 2);
    waiting.iter().for_each(JoinHandle::abort);
}

#[tokio::test]
async fn a_host_has_its_own_turns_and_a_delay() {
    let _clock = FastClock::start();
    let (site, peak) = slow(Duration::from_millis(50)).await;
    let fetcher = settings()
        .max_per_host(1)
        .max_per_address(None)
        .request_delay(Duration::from_millis(200))
        .build()
        .unwrap();
    let began = Instant::now();
    let all: Vec<_> = (0..5).map(|_| start(&fetcher, site.url("http", "/"))).collect();
    for attempt in all {
        assert_eq!(answered(&attempt.await.unwrap()).status, 200);
    }
    assert!(began.elapsed() >= Duration::from_millis(800), "{:?}", began.elapsed());
    assert_eq!(peak.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn retry_after_is_honoured_for_the_host_and_429_for_its_address() {
    let _clock = FastClock::start();
    for (status, asked, waits) in [(429, "2", true), (503, "600", false)] {
        let site = Site::http(move |request| match request.headers["host"].to_str().unwrap() {
            host if host.starts_with("site.test") => answer(status, &[("retry-after", asked)], b""),
            _ => answer(200, &[], ROBOTS),
        })
        .await;
        let fetcher = polite().build().unwrap();
        let attempt = fetcher.fetch(&origin(&site.url("http", "/")), None).await;
        assert_eq!(answered(&attempt).status, status);
        let began = Instant::now();
        let other = format!("http://other.test:{}/", site.port());
        let attempt = timeout(LONG / 2, fetcher.fetch(&origin(&other), None)).await.unwrap();
        assert_eq!(answered(&attempt).status, 200);
        if waits {
            assert!(began.elapsed() >= Duration::from_millis(1500), "{:?}", began.elapsed());
        } else {
            let url = site.url("http", "/");
            let again = origin(&url);
            let again = timeout(Duration::from_millis(500), fetcher.fetch(&again, None));
            assert!(again.await.is_err(), "the host asked for a pause");
        }
    }
}

/// A site that answers its first requests with a status, and then with the file.
async fn recovers(after: usize, status: u16, retry_after: &'static str) -> Site {
    let count = AtomicUsize::new(0);
    Site::http(move |_| match count.fetch_add(1, Ordering::SeqCst) < after {
        true => answer(status, &[("retry-after", retry_after)], b""),
        false => answer(200, &[], ROBOTS),
    })
    .await
}

#[tokio::test]
async fn failures_that_may_pass_are_tried_again() {
    let _clock = FastClock::start();
    let patient = settings().retries(2).retry_wait(Duration::from_millis(20)).build().unwrap();
    for (after, status, retry_after, ends, tries) in [
        (2, 503, "x", 200, 3),
        (2, 502, "x", 200, 3),
        (1, 504, "x", 200, 2),
        (1, 429, "0", 200, 2),
        (9, 503, "x", 503, 3),
        (1, 500, "x", 500, 1),
        (1, 404, "x", 404, 1),
        // Longer than anybody waits.
        (1, 503, "3600", 503, 1),
    ] {
        let site = recovers(after, status, retry_after).await;
        let attempt = patient.fetch(&origin(&site.url("http", "/")), None).await;
        assert_eq!((answered(&attempt).status, attempt.tries), (ends, tries), "{status}");
    }
    let attempt = fetch(&recovers(1, 503, "x").await.url("http", "/")).await;
    assert_eq!((answered(&attempt).status, attempt.tries), (503, 1));
    // A port without a server.
    let port = Site::http(|_| answer(200, &[], b"")).await.port();
    let url = format!("http://127.0.0.1:{port}/");
    let attempt = patient.fetch(&origin(&url), None).await;
    assert_eq!(attempt.tries, 3);
    assert!(matches!(failed(attempt), Failure::Connect(_)));
}

#[tokio::test]
async fn the_wait_before_a_retry_takes_no_place() {
    let _clock = FastClock::start();
    let site = recovers(1, 503, "3").await;
    let there = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let fetcher = settings().max_parallel(1).retries(1).build().unwrap();
    let waiting = start(&fetcher, site.url("http", "/"));
    while site.connections() == 0 {
        sleep(Duration::from_millis(10)).await;
    }
    let attempt = fetcher.fetch(&origin(&there.url("http", "/")), None).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    let attempt = waiting.await.unwrap();
    assert_eq!((answered(&attempt).status, attempt.tries), (200, 2));
}

#[tokio::test]
async fn redirects_lead_only_to_some_ports() {
    let there = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let to = there.url("http", "/x");
    let location = to.clone();
    let here = Site::http(move |_| answer(301, &[("location", &location)], b"")).await;
    let strict = settings().redirect_ports([80, 443]).build().unwrap();
    let attempt = strict.fetch(&origin(&here.url("http", "/")), None).await;
    assert_eq!(there.connections(), 0);
    let state = Protocol::RFC9309.after(None, &attempt).unwrap();
    assert!(matches!(state.last, Outcome::Unreachable(_)), "{state:?}");
    assert_eq!(failed(attempt), Failure::RefusedRedirect(to));
    let open = settings().redirect_ports([there.port()]).build().unwrap();
    let attempt = open.fetch(&origin(&here.url("http", "/")), None).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
}
