//! Batches of URLs on all cores (feature `rayon`), compared with the same questions asked one at a
//! time, for one crawler and for fifty. Asserts how many URLs are allowed.
//!
//! `cargo bench --features rayon --bench batch`

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use robotsieve::{
    Answer, Config, Crawler, CrawlerPolicies, Engine, Policy, Profile, Robots, batch,
};

mod support;
use support::CRAWLERS;

/// A URL and the index of its host.
struct Url<'h> {
    host: usize,
    text: &'h [u8],
}

impl AsRef<[u8]> for Url<'_> {
    fn as_ref(&self) -> &[u8] {
        self.text
    }
}

fn count<'a>(answers: impl Iterator<Item = &'a Answer>) -> usize {
    answers.filter(|answer| **answer == Answer::Allow).count()
}

fn many(c: &mut Criterion) {
    for (set, hosts) in support::sets() {
        let hosts_policies: Vec<CrawlerPolicies> = hosts
            .iter()
            .map(|host| {
                let robots = Robots::parse(&host.file, &Profile::RFC9309);
                let policies = CRAWLERS.map(|name| robots.policy(&Crawler::name(name)));
                policies.iter().for_each(Policy::compile);
                CrawlerPolicies::new(policies)
            })
            .collect();
        let urls: Vec<Url<'_>> = hosts
            .iter()
            .enumerate()
            .flat_map(|(host, of)| of.urls().map(move |text| Url { host, text }))
            .collect();
        let decided = |url: &&Url<'_>, crawler| {
            let decision = hosts_policies[url.host].policy(crawler).decide(url.text);
            decision.is_ok_and(|decision| decision.verdict.is_allow())
        };
        let of_crawler = |crawler| urls.iter().filter(|url| decided(url, crawler)).count();
        let one = of_crawler(0);
        let fifty = (0..CRAWLERS.len()).map(of_crawler).sum::<usize>();
        let mut group = c.benchmark_group(format!("batch/{set}"));
        group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        let bytes = urls.iter().map(|url| url.text.len() as u64).sum();
        group.throughput(Throughput::ElementsAndBytes { elements: urls.len() as u64, bytes });
        group.bench_function("one crawler, one after another", |b| {
            b.iter(|| {
                let policy =
                    |url: &&Url<'_>| hosts_policies[url.host].policy(0).is_allowed(url.text);
                assert_eq!(urls.iter().filter(|url| policy(url) == Ok(true)).count(), one);
            });
        });
        group.bench_function("one crawler", |b| {
            b.iter(|| {
                let answers =
                    batch::answers_by(&urls, |url| Some(hosts_policies[url.host].policy(0)));
                assert_eq!(count(answers.iter()), one);
            });
        });
        group.bench_function("50 crawlers", |b| {
            b.iter(|| {
                let table =
                    batch::table_by(&urls, CRAWLERS.len(), |url| Some(&hosts_policies[url.host]));
                assert_eq!(count(table.rows().flatten()), fifty);
            });
        });
        group.finish();
    }
}

/// Questions that jump between policies at random, with more policies than fit in the processor's
/// caches: what a crawler's frontier asks. On one thread.
fn resident(c: &mut Criterion) {
    let is_smoke = std::env::args().any(|argument| argument == "--test");
    let hosts: u64 = if is_smoke { 1_000 } else { 100_000 };
    let mut config = Config::default();
    config.keep_rules = false;
    let policies: Vec<Policy> = (0..hosts)
        .map(|host| {
            let file = robotsieve_corpora::robots(1, host);
            Robots::parse_with(&file, &Profile::RFC9309, &config).policy(&"Googlebot".into())
        })
        .collect();
    let urls: Vec<(usize, Vec<u8>)> = (0..4 * hosts)
        .map(|number| (number.wrapping_mul(2_654_435_761) % hosts, number))
        .filter(|(host, _)| policies[*host as usize].engine() == Engine::Dfa)
        .map(|(host, number)| (host as usize, robotsieve_corpora::url(1, host, number)))
        .collect();
    let urls: Vec<Url<'_>> = urls.iter().map(|(host, text)| Url { host: *host, text }).collect();
    let is_allowed = |url: &&Url<'_>| {
        let decision = policies[url.host].decide(url.text);
        decision.is_ok_and(|decision| decision.verdict.is_allow())
    };
    let expected = urls.iter().filter(is_allowed).count();
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    let mut group = c.benchmark_group(format!("batch/{hosts} policies at random"));
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(4));
    group.sample_size(20).throughput(Throughput::Elements(urls.len() as u64));
    group.bench_function("one after another", |b| {
        b.iter(|| {
            let policy = |url: &&Url<'_>| policies[url.host].is_allowed(url.text);
            assert_eq!(urls.iter().filter(|url| policy(url) == Ok(true)).count(), expected);
        });
    });
    group.bench_function("batch, one thread", |b| {
        b.iter(|| {
            let all = || batch::answers_by(&urls, |url| Some(&policies[url.host]));
            assert_eq!(count(one_thread.install(all).iter()), expected);
        });
    });
    group.finish();
}

criterion_group!(benches, many, resident);
criterion_main!(benches);
