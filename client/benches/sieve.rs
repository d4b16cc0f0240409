//! Decisions of a sieve: sites in memory, on one thread and on several, and sites that are only
//! in the store. Asserts the number of allowed URLs.
//!
//! `cargo bench -p robotsieve-client --bench sieve`; with `-- --many-hosts` only the part that shows
//! what the size of the table matters; with `-- --hosts N` only the part that jumps between N
//! generated sites, by all ways to ask, 10 million URLs each or as many as `--urls` says.

use std::future::Future;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::Barrier;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use robotsieve::{Answer, Config, Crawler, Engine, Origin, Policy, PolicySet, Profile, Robots};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{Attempt, CachedCopy, OriginState, Response};
use robotsieve_client::sieve::{Fetch, Sieve};
use robotsieve_client::store::Store;

/// The output of a future that does not have to wait.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("nothing should be fetched"),
    }
}

fn state(body: &[u8]) -> OriginState {
    OriginState::present(CachedCopy::new(body, Timestamp::now()))
}

/// A site and some of its URLs.
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

/// Real sites with real URLs, from `../../shared/corpus` or from where `ROBOTSIEVE_CORPUS` says; none if
/// that folder does not exist.
fn corpus() -> Vec<Host> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let folder = std::env::var_os("ROBOTSIEVE_CORPUS").map_or_else(default, PathBuf::from);
    let Ok(entries) = std::fs::read_dir(folder.join("urls")) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    let host = |name: &std::ffi::OsString| {
        let urls = std::fs::read(folder.join("urls").join(name)).expect("URLs");
        let urls = urls.split(|byte| *byte == b'\n').filter(|url| !url.is_empty());
        // A few files contain URLs of hosts other than the one in the file's name.
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
    if std::env::args().any(|argument| argument == "--many-hosts") {
        return [1_000, 16_000, 100_000, 1_000_000].into_iter().for_each(many_hosts);
    }
    let mut arguments = std::env::args();
    if arguments.any(|argument| argument == "--hosts") {
        let hosts = arguments.next().and_then(|hosts| hosts.parse::<usize>().ok());
        let mut arguments = std::env::args();
        let asked = arguments.any(|argument| argument == "--urls").then(|| arguments.next());
        let urls = asked.flatten().map_or(Some(10_000_000), |urls| urls.parse().ok());
        let (hosts, urls) = hosts.zip(urls).expect("a number of hosts, and of URLs");
        return frontier(hosts, urls);
    }
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
    for hosts in if is_smoke { &[1_000][..] } else { &[1_000, 16_000, 100_000, 1_000_000] } {
        many_hosts(*hosts);
    }
    if is_smoke { frontier(1_000, 10_000) } else { frontier(100_000, 10_000_000) }
}

/// A web of generated sites.
struct Generated;

impl Fetch for Generated {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        _: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let host = digits(origin.host()).parse().expect("a generated name");
        let response = Response::new(200, robotsieve_corpora::robots(1, host));
        Box::pin(std::future::ready(Attempt::new(Timestamp::now(), Ok(response))))
    }
}

/// The processor time of this thread: on a busy machine it says more than the clock.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// URLs one after another in one text, as a file has them.
struct Urls {
    text: String,
    ends: Vec<usize>,
}

impl Urls {
    fn new<'u>(urls: impl Iterator<Item = &'u str>) -> Urls {
        let mut all = Urls { text: String::new(), ends: Vec::new() };
        for url in urls {
            all.text.push_str(url);
            all.ends.push(all.text.len());
        }
        all
    }

    fn list(&self) -> Vec<&str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.text[*start..*end]).collect()
    }
}

/// The number of URLs that a caller passes to `decide_many`.
const AT_A_TIME: usize = 4_096;

/// The URLs of generated sites.
struct Frontier {
    by_site: Urls,
    /// The same in an order without order.
    at_random: Urls,
    /// The number of allowed URLs, by policies made without a sieve.
    allowed: usize,
    /// What a sieve is compared with: the same sites, which never change and are never fetched.
    set: PolicySet,
}

fn frontier_of(hosts: usize, crawler: &Crawler) -> Frontier {
    const URLS: u64 = 2;
    let mut allowed = 0;
    let mut by_site = Vec::with_capacity(hosts * URLS as usize);
    let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), [crawler.clone()]);
    for host in 0..hosts as u64 {
        let file = robotsieve_corpora::robots(1, host);
        let origin = format!("https://{}", robotsieve_corpora::host_name(host));
        set.insert(&Origin::of(&origin).expect("an origin"), &file[..]);
        let policy = Robots::parse(&file, &Profile::RFC9309).policy(crawler);
        for number in 0..URLS {
            let url = String::from_utf8(robotsieve_corpora::url(1, host, number)).expect("ASCII");
            allowed += usize::from(policy.is_allowed(&url) == Ok(true));
            by_site.push(url);
        }
    }
    // Each URL once, in an order without order: the steps are all of one length only in the
    // numbers that are shuffled.
    let mut order: Vec<u32> = (0..by_site.len() as u32).collect();
    let mut seed = 7u64;
    for at in (1..order.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, (seed >> 33) as usize % (at + 1));
    }
    let at_random = Urls::new(order.iter().map(|at| &by_site[*at as usize][..]));
    let by_site = Urls::new(by_site.iter().map(|url| &url[..]));
    Frontier { by_site, at_random, allowed, set }
}

/// The wall time and the processor time of each of some threads, which begin together.
fn on_threads(threads: usize, ask: impl Fn(usize) + Sync) -> Vec<(Duration, Duration)> {
    let barrier = Barrier::new(threads);
    let timed = |thread| {
        barrier.wait();
        let (began, cpu) = (Instant::now(), cpu_time());
        ask(thread);
        (began.elapsed(), cpu_time() - cpu)
    };
    let timed = &timed;
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || timed(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("right counts")).collect()
    })
}

/// Decisions on generated sites, all of them in memory: at random, where each question is for
/// another site than the one before, and site by site. One by one and in batches, on one thread
/// and on two, each beside a [`PolicySet`] of the same sites.
fn frontier(hosts: usize, questions: usize) {
    let crawler = Crawler::name("Googlebot");
    let Frontier { by_site, at_random, allowed, set } = frontier_of(hosts, &crawler);
    let sieve = Sieve::builder(crawler).max_bytes(16 << 30).slots(2 * hosts).fetcher(Generated);
    let sieve = sieve.build();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let began = Instant::now();
    runtime.block_on(async {
        for urls in by_site.list().chunks(AT_A_TIME) {
            for decision in sieve.decide_many(urls).await {
                decision.expect("its site was fetched").site().policy(0).compile();
            }
            sieve.settled().await;
        }
    });
    let metrics = sieve.metrics();
    println!(
        "{hosts} generated sites: fetched and compiled in {:.0} s, {} bytes a site",
        began.elapsed().as_secs_f64(),
        metrics.bytes / metrics.sites
    );
    let one_by_one = |urls: &[&str]| {
        urls.iter().filter(|url| ready(sieve.decide(**url)).is_ok_and(|d| d.is_allowed())).count()
    };
    let in_batches = |urls: &[&str]| {
        let batches = urls.chunks(AT_A_TIME).map(|urls| ready(sieve.decide_many(urls)));
        batches.flatten().flatten().filter(|decision| decision.is_allowed()).count()
    };
    let set_one_by_one = |urls: &[&str]| {
        let mut answer = [Answer::Unknown];
        let mut is_allowed = |url: &&&str| {
            let site = Origin::of(**url).ok().and_then(|origin| set.get(&origin));
            site.expect("it was put in").ask_into(**url, &mut answer);
            answer == [Answer::Allow]
        };
        urls.iter().filter(|url| is_allowed(url)).count()
    };
    let set_in_batches = |urls: &[&str]| {
        let mut answers = [Answer::Unknown; AT_A_TIME];
        let allowed = |urls: &[&str]| {
            let answers = &mut answers[..urls.len()];
            set.answers_into(urls, set.crawler_ids(), answers);
            answers.iter().filter(|answer| **answer == Answer::Allow).count()
        };
        urls.chunks(AT_A_TIME).map(allowed).sum()
    };
    type Way<'w> = (&'w str, &'w (dyn Fn(&[&str]) -> usize + Sync));
    let ways: [(Way<'_>, Way<'_>); 2] = [
        (("decide", &one_by_one), ("a set, one by one", &set_one_by_one)),
        (("decide_many", &in_batches), ("a set, in batches", &set_in_batches)),
    ];
    for (order, urls) in [("at random", &at_random), ("site by site", &by_site)] {
        let urls = urls.list();
        let rounds = (questions / urls.len()).max(1);
        // Each thread begins elsewhere.
        let (first, second) = urls.split_at(urls.len() / 2);
        // Nanoseconds of the clock and of the processor for a URL.
        let measure = |threads: usize, count: &(dyn Fn(&[&str]) -> usize + Sync)| {
            let ask = |thread: usize| {
                for _ in 0..rounds {
                    let halves = if thread == 0 { [first, second] } else { [second, first] };
                    assert_eq!(halves.map(count).iter().sum::<usize>(), allowed);
                }
            };
            let times = on_threads(threads, ask);
            let asked = (rounds * urls.len()) as f64;
            let longest = times.iter().map(|(wall, _)| *wall).max().expect("a thread");
            let cpu: Duration = times.iter().map(|(_, cpu)| *cpu).sum();
            [longest.as_secs_f64(), cpu.as_secs_f64() / threads as f64]
                .map(|seconds| seconds * 1e9 / asked)
        };
        for ((way, count), (beside, set_count)) in ways {
            assert_eq!(count(&urls), allowed);
            let mut one = 0.0;
            for threads in [1, 2] {
                let before = sieve.metrics();
                let [wall, cpu] = measure(threads, count);
                let after = sieve.metrics();
                let [_, set_cpu] = measure(threads, set_count);
                one = if threads == 1 { wall } else { one };
                let from_table = (after.from_table - before.from_table) as f64;
                println!(
                    "{hosts} generated sites {order}, {way}, {threads} threads: {wall:.0} ns a URL on \
                     each ({cpu:.0} of processor time), {:.2} times one thread, {:.1} % from the \
                     table; {beside}: {set_cpu:.0} of processor time, {:.2} times that",
                    threads as f64 * one / wall,
                    100.0 * from_table / (after.lookups - before.lookups) as f64,
                    cpu / set_cpu,
                );
            }
        }
    }
}

/// A web without any robots.txt.
struct Absent;

impl Fetch for Absent {
    fn fetch<'f>(
        &'f self,
        _: &'f Origin<'static>,
        _: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        let attempt = Attempt::new(Timestamp::now(), Ok(Response::new(404, b"")));
        Box::pin(std::future::ready(attempt))
    }
}

/// Decisions on sites at random, with a table of 16,384 slots and with the default: many sites that are all in memory, and
/// whose policies cost nothing.
fn many_hosts(hosts: usize) {
    at_random(hosts, Some(16_384));
    at_random(hosts, None);
}

fn at_random(hosts: usize, slots: Option<usize>) {
    let urls: Vec<String> = (0..hosts).map(|host| format!("https://host{host}.com/")).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut builder = Sieve::builder(Crawler::name("Googlebot")).max_bytes(2 << 30).fetcher(Absent);
    if let Some(slots) = slots {
        builder = builder.slots(slots);
    }
    let sieve = builder.build();
    runtime.block_on(async {
        for urls in urls.chunks(1_000) {
            assert!(sieve.decide_many(urls).await.iter().all(Result::is_ok));
            sieve.settled().await;
        }
    });
    let metrics = sieve.metrics();
    let bytes = metrics.bytes / metrics.sites.max(1);
    let step = (7_919..).find(|step| gcd(*step, hosts) == 1).expect("some number");
    let mut fastest = f64::INFINITY;
    for _ in 0..3 {
        let (mut place, rounds) = (0, hosts.max(1_000_000));
        let began = Instant::now();
        for _ in 0..rounds {
            place = (place + step) % hosts;
            assert!(ready(sieve.decide(&urls[place])).is_ok_and(|d| d.is_allowed()));
        }
        fastest = fastest.min(began.elapsed().as_secs_f64() * 1e9 / rounds as f64);
    }
    let after = sieve.metrics();
    let share =
        (after.from_table - metrics.from_table) as f64 / (after.lookups - metrics.lookups) as f64;
    println!(
        "{hosts} sites at random, slots {slots:?}: {fastest:.0} ns a decision, {:.1} % from the table, {bytes} \
         bytes a site",
        100.0 * share
    );
}

/// A sieve with nothing in memory, and a store with all these sites.
fn sieve(hosts: &[Host]) -> (tempfile::TempDir, Sieve) {
    let folder = tempfile::tempdir().expect("a folder for the store");
    let store = Store::open(folder.path().join("robots.store")).expect("a new store");
    let rows = hosts.iter().map(|host| (&host.key, state(&host.file), Some(&host.file)));
    store.put_many(rows).expect("all are written");
    let builder = Sieve::builder(Crawler::name("Googlebot")).store(store);
    (folder, builder.max_bytes(2 << 30).slots(65_536).build())
}

/// The order of the URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    BySite,
    AtRandom,
}

/// Decisions on sites that are all in memory, from one thread and from several, compared with the
/// same decisions by their policies alone.
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
        // `cargo bench -p robotsieve-benches --bench decide` measures policies over the budget.
        if policy.engine() == Engine::Dfa {
            urls.extend(host.urls.iter().map(|url| (number, &url[..])));
        }
    }
    if order == Order::AtRandom {
        // Each URL once, and each from another site than the one before.
        let step = (1..).map(|n| 7_919 * n).find(|step| gcd(*step, urls.len()) == 1);
        let step = step.expect("some number shares no factor");
        urls = (0..urls.len()).map(|place| urls[place * step % urls.len()]).collect();
    }
    let is_allowed = |url: &[u8]| ready(sieve.decide(url)).is_ok_and(|d| d.is_allowed());
    // Enough decisions for each policy to compile itself.
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

/// The first decision on each site in the store.
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
