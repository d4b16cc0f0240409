//! From a parsed file and a crawler's name to its policy. The first request for a group collects
//! its rules; later ones find the policy ready. Asserts the number of rules.

use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use robotsieve::{Crawler, Policy, Profile, Robots};

mod support;
use support::{AGENT, CRAWLERS};

fn rules(policies: impl Iterator<Item = Policy>) -> usize {
    policies.map(|policy| policy.rule_count()).sum()
}

fn select(c: &mut Criterion) {
    for (set, hosts) in support::sets() {
        let bytes = hosts.iter().map(|host| host.file.len() as u64).sum();
        for &(profile_name, profile) in Profile::NAMED {
            let mut group = c.benchmark_group(format!("select/{set}/{profile_name}"));
            group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
            group.sample_size(20);
            let crawler = Crawler::name(AGENT);
            let parse = || -> Vec<Robots<'_>> {
                hosts.iter().map(|host| Robots::parse(&host.file, &profile)).collect()
            };
            let wanted = support::expected(set, profile_name).rules;
            let files = hosts.len() as u64;
            group.throughput(Throughput::ElementsAndBytes { elements: files, bytes });
            group.bench_function("new policy", |b| {
                b.iter_batched_ref(
                    parse,
                    |robots| assert_eq!(rules(robots.iter().map(|r| r.policy(&crawler))), wanted),
                    BatchSize::LargeInput,
                );
            });
            let robots = parse();
            let crawlers = CRAWLERS.map(Crawler::name);
            let all = || robots.iter().flat_map(|r| crawlers.iter().map(|c| r.policy(c)));
            let wanted = rules(all());
            group.throughput(Throughput::Elements(files * crawlers.len() as u64));
            group.bench_function("known policy, 50 crawlers", |b| {
                b.iter(|| assert_eq!(rules(all()), wanted));
            });
            group.finish();
        }
    }
}

criterion_group!(benches, select);
criterion_main!(benches);
