//! The front door: sites in memory on one thread and on several, and sites that are in the
//! store alone. Asserts the number of URLs that are allowed.
//!
//! `cargo bench -p robotsieve-sieve --bench front`

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Barrier;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use robotsieve::{Config, Crawler, Engine, Origin, Profile, Robots};
use robotsieve_sieve::Timestamp;
use robotsieve_sieve::front::Sieve;
use robotsieve_sieve::outcome::{Attempt, Known, Protocol, Response};
use robotsieve_sieve::store::Store;

/// What a future of `decide` says that has nothing to wait for.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("nothing is to be fetched"),
    }
}

fn known(body: &[u8]) -> Known {
    let (headers, body) = (Default::default(), body.to_vec());
    let response = Response { status: 200, headers, body, is_truncated: false };
    let at = Timestamp::now();
    Protocol::RFC9309.after(None, &Attempt { at, redirects: vec![], result: Ok(response) })
}

fn main() {
    let is_smoke = std::env::args().any(|argument| argument == "--test");
    let hosts: u64 = if is_smoke { 200 } else { 20_000 };
    let folder = tempfile::tempdir().expect("a folder for the store");
    let store = Store::open(folder.path().join("robots.redb")).expect("a new store");
    let files: Vec<Vec<u8>> = (0..hosts).map(|host| robotsieve_corpora::robots(1, host)).collect();
    let keys: Vec<String> =
        (0..hosts).map(|host| format!("https://{}", robotsieve_corpora::host_name(host))).collect();
    let rows = keys.iter().zip(&files).map(|(key, file)| (key, known(file), Some(file)));
    store.put_many(rows).expect("all are written");
    let sieve = |slots| {
        let builder = Sieve::builder(Crawler::name("Googlebot")).store(store.clone());
        builder.max_bytes(2 << 30).slots(slots).build()
    };
    for count in [200, 2_000, hosts] {
        resident(&sieve(65_536), &files[..count.min(hosts) as usize], is_smoke);
    }
    from_store(&sieve(16_384), &keys, &files);
}

/// Questions to sites that are all in memory, from one thread and from several.
fn resident(sieve: &Sieve, files: &[Vec<u8>], is_smoke: bool) {
    let config = Config::default();
    let mut urls = Vec::new();
    let mut expected = 0;
    for round in 0..if is_smoke { 2 } else { 40 } {
        for (host, file) in files.iter().enumerate() {
            let host = (host * 7_919 + round * 31) % files.len();
            let file = if round == 0 { &files[host] } else { file };
            if round == 0 {
                // Policies over the budget are another matter, and `cargo bench --bench decide`'s.
                let robots = Robots::parse_with(file, &Profile::RFC9309, &config);
                let policy = robots.policy(&Crawler::name("Googlebot"));
                policy.compile();
                if policy.engine() != Engine::Dfa {
                    continue;
                }
            }
            urls.push(robotsieve_corpora::url(1, host as u64, round as u64));
        }
    }
    // Each policy is asked so often that it compiles itself.
    for url in urls.iter().chain(&urls).chain(&urls) {
        black_box(ready(sieve.decide(url)).is_ok_and(|decision| decision.is_allowed()));
    }
    for url in &urls {
        expected += u64::from(ready(sieve.decide(url)).is_ok_and(|decision| decision.is_allowed()));
    }
    let rounds = if is_smoke { 1 } else { 4_000_000 / urls.len().max(1) + 1 };
    let mut one = 0.0;
    for threads in [1, 2, 4] {
        let barrier = Barrier::new(threads);
        let ask = || {
            barrier.wait();
            let began = Instant::now();
            for _ in 0..rounds {
                let is_allowed = |url: &&Vec<u8>| {
                    ready(sieve.decide(*url)).is_ok_and(|decision| decision.is_allowed())
                };
                assert_eq!(urls.iter().filter(is_allowed).count() as u64, expected);
            }
            began.elapsed()
        };
        let times: Vec<Duration> = thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().expect("it counted right")).collect()
        });
        let longest = times.iter().max().expect("at least one thread").as_secs_f64();
        let rate = (threads * rounds * urls.len()) as f64 / longest;
        if threads == 1 {
            one = rate;
        }
        println!(
            "{} sites in memory, {threads} threads: {:.0} ns a decision on each, {:.1} million/s, \
             {:.2} times one thread",
            files.len(),
            1e9 * threads as f64 / rate,
            rate / 1e6,
            rate / one
        );
    }
}

/// The first question to each site that the store knows.
fn from_store(sieve: &Sieve, keys: &[String], files: &[Vec<u8>]) {
    let crawler = Crawler::name("Googlebot");
    let mut times = Vec::new();
    for number in 0..keys.len() {
        let host = number * 7_919 % keys.len();
        let url = [keys[host].as_bytes(), b"/search?q=x"].concat();
        let began = Instant::now();
        let decision = ready(sieve.decide(&url)).expect("it is in the store").is_allowed();
        times.push(began.elapsed());
        let once = robotsieve::is_allowed_once(&files[host], &Profile::RFC9309, &crawler, &url);
        assert_eq!(Ok(decision), once, "{}", keys[host]);
    }
    assert_eq!(sieve.metrics().from_store, keys.len() as u64);
    let known = sieve.known(&Origin::of(&keys[0]).expect("a URL")).expect("a good store");
    assert!(known.is_some_and(|known| known.copy.is_some()));
    times.sort_unstable();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    println!(
        "{} sites in the store: mean {:.1} µs, median {:.1}, 99th percentile {:.1}",
        times.len(),
        mean.as_secs_f64() * 1e6,
        times[times.len() / 2].as_secs_f64() * 1e6,
        times[times.len() * 99 / 100].as_secs_f64() * 1e6
    );
}
