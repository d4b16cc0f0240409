//! What hostile files cost to parse and compile, and what one question costs afterwards.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use robotsieve::{Crawler, Policy, Profile, Robots};
use robotsieve_corpora::hostile;

fn policy(file: &[u8]) -> Policy {
    let policy = Robots::parse(file, &Profile::RFC9309).policy(&Crawler::name("bot"));
    policy.compile();
    policy
}

fn hostile_files(c: &mut Criterion) {
    for (name, file) in hostile::all() {
        let mut group = c.benchmark_group(format!("hostile/{name}"));
        group.sample_size(20).warm_up_time(Duration::from_millis(300));
        group.measurement_time(Duration::from_secs(2));
        group.bench_function("parse and compile", |b| b.iter(|| policy(black_box(&file))));
        let policy = policy(&file);
        for len in [2 << 10, 64 << 10] {
            let path = hostile::url_for(name, len);
            // No rule matches: each of these paths is the worst case we know for its file.
            assert_eq!(policy.is_path_allowed(&path), Ok(true), "{name}");
            group.bench_function(format!("decide, {len} bytes"), |b| {
                b.iter(|| assert_eq!(policy.is_path_allowed(black_box(&path)), Ok(true)));
            });
        }
        println!("{name}: {} bytes, {policy:?}, {:?}", file.len(), policy.memory_usage());
        group.finish();
    }
}

criterion_group!(benches, hostile_files);
criterion_main!(benches);
