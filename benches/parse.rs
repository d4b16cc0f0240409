//! Parsing only: from bytes to groups and rules, in every profile. Asserts the number of groups.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use robotsieve::{Profile, Robots};

mod support;

fn parse(c: &mut Criterion) {
    for (set, hosts) in support::sets() {
        let bytes = hosts.iter().map(|host| host.file.len() as u64).sum();
        for &(profile_name, profile) in Profile::NAMED {
            let wanted = support::expected(set, profile_name).groups;
            let mut group = c.benchmark_group(format!("parse/{set}/{profile_name}"));
            group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
            let files = hosts.len() as u64;
            group.throughput(Throughput::ElementsAndBytes { elements: files, bytes });
            group.bench_function("groups", |b| {
                b.iter(|| {
                    let files = black_box(&hosts).iter();
                    let groups =
                        files.map(|host| Robots::parse(&host.file, &profile).group_count());
                    assert_eq!(groups.sum::<usize>(), wanted);
                });
            });
            group.finish();
        }
    }
}

criterion_group!(benches, parse);
criterion_main!(benches);
