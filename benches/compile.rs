//! Compiling a policy's rules to its automaton, summed over all files. (The benchmark `policies`
//! shows the distribution.) Asserts that the compiled policies give the right verdicts.

use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use robotsieve::{Config, Crawler, Engine, Policy, Profile, Robots};

mod support;
use support::{AGENT, Host};

/// How many paths are allowed.
fn allowed(hosts: &[Host], policies: &[Policy]) -> usize {
    let paths = hosts.iter().zip(policies).flat_map(|(host, p)| host.paths().map(move |t| (p, t)));
    paths.filter(|(policy, path)| policy.is_path_allowed(path) == Ok(true)).count()
}

fn compile(c: &mut Criterion) {
    let mut config = Config::default();
    config.build_after = Some(u32::MAX); // compile only on request
    for (set, hosts) in support::sets() {
        for &(profile_name, profile) in Profile::NAMED {
            let parsed = || -> Vec<Policy> {
                let robots = hosts.iter().map(|h| Robots::parse_with(&h.file, &profile, &config));
                robots.map(|robots| robots.policy(&Crawler::name(AGENT))).collect()
            };
            let compiled = parsed();
            compiled.iter().for_each(Policy::compile);
            // Policies that are not compiled decide by trying rule after rule.
            assert_eq!(allowed(&hosts, &compiled), allowed(&hosts, &parsed()));
            let mut group = c.benchmark_group(format!("compile/{set}/{profile_name}"));
            group.sample_size(20).warm_up_time(Duration::from_millis(500));
            group.measurement_time(Duration::from_secs(2));
            let values = compiled.iter().flat_map(|policy| policy.rules());
            let bytes = values.map(|rule| rule.value.len() as u64).sum();
            let elements = hosts.len() as u64;
            group.throughput(Throughput::ElementsAndBytes { elements, bytes });
            group.bench_function("all policies", |b| {
                b.iter_batched_ref(
                    parsed,
                    |policies| {
                        policies.iter().for_each(Policy::compile);
                        assert!(policies.iter().all(|policy| policy.engine() != Engine::Scan));
                    },
                    BatchSize::LargeInput,
                );
            });
            group.finish();
        }
    }
}

criterion_group!(benches, compile);
criterion_main!(benches);
