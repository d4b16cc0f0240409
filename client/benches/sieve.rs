//! The front door: sites in memory on one thread and on several, and sites that are in the
//! store alone. Asserts the number of URLs that are allowed.
//!
//! `cargo bench -p robotsieve-client --bench sieve`

use std::future::Future;
use std::hint::black_box;
use std::path::Path;
use std::pin::pin;
use std::sync::Barrier;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use robotsieve::{Crawler, Engine, Origin, Policy, Profile, Robots};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{Attempt, Known, Protocol, Response};
use robotsieve_client::sieve::Sieve;
use robotsieve_client::store::Store;

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

/// A site with URLs that it is asked about.
struct Host {
    key: String,
    file: Vec<u8>,
    urls: Vec<Vec<u8>>,
}

fn generated(hosts: u64) -> Vec<Host> {
    let host = |host: u64| Host {
        key: format!("https://{}", robotsieve_corpora::host_name(host)),
        file: robotsieve_corpora::robots(1, host),
        urls: (0..40).map(|number| robotsieve_corpora::url(1, host, number)).collect(),
    };
    (0..hosts).map(host).collect()
}

/// The real sites with real URLs, where `../../shared/corpus` is there; else none.
fn corpus() -> Vec<Host> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let Ok(entries) = std::fs::read_dir(folder.join("urls")) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    let host = |name: &std::ffi::OsString| {
        let urls = std::fs::read(folder.join("urls").join(name)).expect("URLs");
        let urls = urls.split(|byte| *byte == b'\n').filter(|url| !url.is_empty());
        // The URLs of a few files are of more hosts than the one that the file is named after.
        let key = format!("https://{}", name.to_str().expect("a host"));
        let own = |url: &&[u8]| Origin::of(*url).is_ok_and(|origin| origin.key() == key);
        let urls = urls.filter(own).map(<[u8]>::to_vec).collect();
        let file = std::fs::read(folder.join("robots").join(name)).expect("a robots.txt");
        Host { file, urls, key: key.clone() }
    };
    names.iter().map(host).filter(|host| !host.urls.is_empty()).collect()
}

fn main() {
    let is_smoke = std::env::args().any(|argument| argument == "--test");
    let hosts = generated(if is_smoke { 200 } else { 20_000 });
    for (set, hosts) in [
        ("generated", &hosts[..200]),
        ("generated", &hosts[..2_000.min(hosts.len())]),
        ("generated", &hosts[..]),
        ("corpus", &corpus()[..]),
    ] {
        if !hosts.is_empty() {
            resident(set, hosts, Order::BySite, is_smoke);
            resident(set, hosts, Order::AtRandom, is_smoke);
        }
    }
    from_store(&hosts);
}

/// A store with all these sites, and a sieve that has nothing in memory.
fn sieve(hosts: &[Host]) -> (tempfile::TempDir, Sieve) {
    let folder = tempfile::tempdir().expect("a folder for the store");
    let store = Store::open(folder.path().join("robots.store")).expect("a new store");
    let rows = hosts.iter().map(|host| (&host.key, known(&host.file), Some(&host.file)));
    store.put_many(rows).expect("all are written");
    let builder = Sieve::builder(Crawler::name("Googlebot")).store(store);
    (folder, builder.max_bytes(2 << 30).slots(65_536).build())
}

/// In which order URLs come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    BySite,
    AtRandom,
}

/// Questions to sites that are all in memory, from one thread and from several, beside the same
/// questions to their policies.
fn resident(set: &str, hosts: &[Host], order: Order, is_smoke: bool) {
    let (_folder, sieve) = sieve(hosts);
    let crawler = Crawler::name("Googlebot");
    let policies: Vec<Policy> = hosts
        .iter()
        .map(|host| Robots::parse(&host.file, &Profile::RFC9309).policy(&crawler))
        .collect();
    policies.iter().for_each(Policy::compile);
    let mut urls: Vec<(usize, &[u8])> = Vec::new();
    for (number, (host, policy)) in hosts.iter().zip(&policies).enumerate() {
        // Policies over the budget are another matter, and `cargo bench --bench decide`'s.
        if policy.engine() == Engine::Dfa {
            urls.extend(host.urls.iter().map(|url| (number, &url[..])));
        }
    }
    if order == Order::AtRandom {
        // Each URL once, and each of another site than the one before.
        let step = (1..).map(|n| 7_919 * n).find(|step| gcd(*step, urls.len()) == 1);
        let step = step.expect("some number shares no factor");
        urls = (0..urls.len()).map(|place| urls[place * step % urls.len()]).collect();
    }
    let is_allowed = |url: &[u8]| ready(sieve.decide(url)).is_ok_and(|d| d.is_allowed());
    // Each policy is asked so often that it compiles itself.
    let asks = if is_smoke { 1 } else { 400_000 / hosts.len().max(1) + 1 };
    for _ in 0..asks.min(20) {
        urls.iter().for_each(|(_, url)| _ = black_box(is_allowed(url)));
    }
    let by_policy =
        || urls.iter().filter(|(host, url)| policies[*host].is_allowed(*url) == Ok(true));
    let expected = by_policy().count();
    let rounds = if is_smoke { 1 } else { 4_000_000 / urls.len().max(1) + 1 };
    let began = Instant::now();
    for _ in 0..rounds {
        assert_eq!(by_policy().count(), expected);
    }
    let alone = began.elapsed().as_secs_f64() * 1e9 / (rounds * urls.len()) as f64;
    let mut one = 0.0;
    for threads in [1, 2, 4] {
        let barrier = Barrier::new(threads);
        let ask = || {
            barrier.wait();
            let began = Instant::now();
            for _ in 0..rounds {
                assert_eq!(urls.iter().filter(|(_, url)| is_allowed(url)).count(), expected);
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
            "{} {set} sites in memory, {order:?}, {threads} threads: {:.0} ns a decision on each ({alone:.0} by \
             the policy alone), {:.1} million/s, {:.2} times one thread",
            hosts.len(),
            1e9 * threads as f64 / rate,
            rate / 1e6,
            rate / one
        );
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The first question to each site that the store knows.
fn from_store(hosts: &[Host]) {
    let (_folder, sieve) = sieve(hosts);
    let crawler = Crawler::name("Googlebot");
    let mut times = Vec::new();
    for number in 0..hosts.len() {
        let host = &hosts[number * 7_919 % hosts.len()];
        let url = [host.key.as_bytes(), b"/search?q=x"].concat();
        let began = Instant::now();
        let decision = ready(sieve.decide(&url)).expect("it is in the store").is_allowed();
        times.push(began.elapsed());
        let once = robotsieve::is_allowed_once(&host.file, &Profile::RFC9309, &crawler, &url);
        assert_eq!(Ok(decision), once, "{}", host.key);
    }
    assert_eq!(sieve.metrics().from_store, hosts.len() as u64);
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
