//! Finding the origin whose robots.txt governs a URL (feature `url`): `Origin::of` compared with
//! `url::Url::parse` on the URLs of each set. Asserts the total length of all keys.
//!
//! `cargo bench -p robotsieve-benches --bench origin`

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use robotsieve::Origin;
use url::Url;

mod support;

fn origin(c: &mut Criterion) {
    for (set, hosts) in support::sets() {
        let urls: Vec<&str> = hosts
            .iter()
            .flat_map(|host| host.urls())
            .filter_map(|url| str::from_utf8(url).ok())
            .filter(|url| Url::parse(url).is_ok_and(|url| url.has_host()))
            .collect();
        let parsed = |url: &&str| {
            let url = Url::parse(url).expect("parsed above");
            let port = url.port().map_or(0, |port| 1 + port.to_string().len());
            url.scheme().len() + 3 + url.host_str().map_or(0, str::len) + port
        };
        let bytes: usize = urls.iter().map(parsed).sum();
        let mut group = c.benchmark_group(format!("origin/{set}"));
        group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        group.throughput(Throughput::Elements(urls.len() as u64));
        group.bench_function("Origin::of", |b| {
            b.iter(|| {
                let len = |url: &&str| Origin::of(url).expect("parsed above").key().len();
                assert_eq!(urls.iter().map(len).sum::<usize>(), bytes);
            });
        });
        group.bench_function("url::Url::parse", |b| {
            b.iter(|| {
                let len = |url: &&str| Url::parse(url).expect("parsed above").as_str().len();
                assert!(urls.iter().map(len).sum::<usize>() >= bytes);
            });
        });
        group.finish();
    }
}

criterion_group!(benches, origin);
criterion_main!(benches);
