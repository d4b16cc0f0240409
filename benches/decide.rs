//! One verdict: every engine, from a path and from a URL, against a loop over the rules.
//!
//! Over the shapes of `corpora/` for everybody, and over the real files and URLs of
//! `../shared/corpus` where they are. Each benchmark asserts how many URLs are allowed.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use robotsieve::{Config, Crawler, Engine, Policy, Profile, Robots, Verdict};

mod support;
use support::{Host, corpora, shared_corpus};

/// A host's policy with the paths of its URLs.
struct Asked<'h> {
    policy: Policy,
    host: &'h Host,
}

fn asked<'h>(hosts: &'h [Host], profile: &Profile, engine: Option<Engine>) -> Vec<Asked<'h>> {
    let mut config = Config::default();
    config.engine = engine;
    let asked = hosts.iter().map(|host| {
        let robots = Robots::parse_with(&host.file, profile, &config);
        let policy = robots.policy(&Crawler::name("Googlebot"));
        policy.compile();
        Asked { policy, host }
    });
    asked.collect()
}

/// What anybody would write first: parsed once, then a loop over the rules, longest first.
fn naive(policy: &Policy, path: &[u8]) -> bool {
    let rule =
        policy.rules().find(|rule| support::matches(rule.pattern(), rule.is_anchored(), path));
    rule.is_none_or(|rule| rule.verdict == Verdict::Allow)
}

fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    asked: &[Asked<'_>],
    question: impl Fn(&Policy, &[u8]) -> bool,
    input: impl for<'a> Fn(&'a Host) -> Box<dyn Iterator<Item = &'a [u8]> + 'a>,
    wanted: usize,
) {
    let run = || {
        let mut allowed = 0;
        for Asked { policy, host } in asked {
            for url in input(host) {
                allowed += usize::from(question(policy, black_box(url)));
            }
        }
        allowed
    };
    assert_eq!(run(), wanted, "{name}: allowed URLs");
    group.bench_function(name, |b| b.iter(|| assert_eq!(run(), wanted)));
}

fn decide(c: &mut Criterion) {
    let sets = [("corpora", corpora()), ("corpus", shared_corpus())];
    for (set, hosts) in &sets {
        if hosts.is_empty() {
            println!("{set}: not here, left out");
            continue;
        }
        for (profile_name, profile) in [("google", Profile::GOOGLE), ("rfc9309", Profile::RFC9309)]
        {
            let mut group = c.benchmark_group(format!("decide/{set}/{profile_name}"));
            group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
            let paths = hosts.iter().map(|host| host.paths().count()).sum::<usize>();
            group.throughput(Throughput::Elements(paths as u64));
            let automatic = asked(hosts, &profile, None);
            let count = |a: &Asked<'_>| a.host.paths().filter(|p| naive(&a.policy, p)).count();
            let plain = profile_name == "google";
            let is_allowed = |policy: &Policy, path: &[u8]| {
                policy.is_path_allowed(path).expect("paths begin with '/'")
            };
            let wanted: usize = if plain {
                // The naive loop compares octets as they are: right in this profile only.
                automatic.iter().map(count).sum()
            } else {
                let paths = automatic.iter().flat_map(|a| a.host.paths().map(move |p| (a, p)));
                paths.filter(|(a, p)| a.policy.decide(*p).unwrap().verdict.is_allow()).count()
            };
            if plain {
                bench(&mut group, "path/naive loop", &automatic, naive, |h| paths_of(h), wanted);
            }
            bench(&mut group, "path/automatic", &automatic, is_allowed, |h| paths_of(h), wanted);
            for (name, engine) in [
                ("path/scan", Engine::Scan),
                ("path/lazy", Engine::Lazy),
                ("path/segments", Engine::Segments),
            ] {
                let forced = asked(hosts, &profile, Some(engine));
                bench(&mut group, name, &forced, is_allowed, |h| paths_of(h), wanted);
            }
            let from_url = |policy: &Policy, url: &[u8]| policy.is_allowed(url).unwrap_or(false);
            let urls = automatic.iter().flat_map(|a| a.host.urls().map(move |u| (a, u)));
            let wanted = urls.filter(|(a, u)| from_url(&a.policy, u)).count();
            bench(&mut group, "url/automatic", &automatic, from_url, |h| urls_of(h), wanted);
            group.finish();
        }
    }
}

fn paths_of(host: &Host) -> Box<dyn Iterator<Item = &[u8]> + '_> {
    Box::new(host.paths())
}

fn urls_of(host: &Host) -> Box<dyn Iterator<Item = &[u8]> + '_> {
    Box::new(host.urls())
}

criterion_group!(benches, decide);
criterion_main!(benches);
