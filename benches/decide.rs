//! One verdict, from a path and from a URL, by every engine and by a naive loop over the rules.
//!
//! Runs on the files in `corpora/`, and on the real files and URLs in `../shared/corpus`, or in the folder
//! that `ROBOTSIEVE_CORPUS` names, if they are there. Each benchmark asserts how many URLs are allowed.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use robotsieve::{Config, Crawler, Decision, Engine, InvalidUrl, Policy, Profile, Robots, Verdict};

mod support;
use support::{Host, corpora, shared_corpus};

/// A policy and the URLs or paths it is asked about, in the order of the URL file.
struct Asked<'h> {
    policy: Policy,
    texts: Vec<&'h [u8]>,
}

impl<'h> Asked<'h> {
    fn all(
        hosts: &'h [Host],
        profile: &Profile,
        engine: Option<Engine>,
        texts: fn(&'h Host) -> Vec<&'h [u8]>,
    ) -> Vec<Asked<'h>> {
        let mut config = Config::default();
        config.engine = engine;
        let asked = hosts.iter().filter(|host| host.urls().next().is_some()).map(|host| {
            let robots = Robots::parse_with(&host.file, profile, &config);
            let policy = robots.policy(&Crawler::name("Googlebot"));
            policy.compile();
            Asked { policy, texts: texts(host) }
        });
        asked.collect()
    }
}

/// How many of the texts are allowed.
fn allowed(asked: &[Asked<'_>], is_allowed: impl Fn(&Policy, &[u8]) -> bool) -> usize {
    let mut allowed = 0;
    for Asked { policy, texts } in asked {
        for text in texts {
            allowed += usize::from(is_allowed(policy, text));
        }
    }
    allowed
}

fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    asked: &[Asked<'_>],
    is_allowed: impl Fn(&Policy, &[u8]) -> bool,
    wanted: usize,
) {
    let texts = asked.iter().map(|a| a.texts.len()).sum::<usize>();
    group.throughput(Throughput::Elements(texts as u64));
    group.bench_function(name, |b| {
        b.iter(|| assert_eq!(allowed(black_box(asked), &is_allowed), wanted, "{name}"));
    });
}

/// The obvious implementation: parse once, then try rule after rule, longest first.
fn naive(policy: &Policy, path: &[u8]) -> bool {
    let rule = policy.rules().find(|rule| support::matches(rule.pattern(), rule.anchored(), path));
    rule.is_none_or(|rule| rule.verdict == Verdict::Allow)
}

fn path(policy: &Policy, path: &[u8]) -> bool {
    policy.is_path_allowed(path).expect("paths begin with '/'")
}

fn url(policy: &Policy, url: &[u8]) -> bool {
    policy.is_allowed(url).unwrap_or(false)
}

/// The verdict as the slower `decide` methods give it. An invalid URL is not allowed.
fn decided(decision: Result<Decision<'_>, InvalidUrl>) -> bool {
    let by_rule = |d: Decision<'_>| d.rule().is_none_or(|rule| rule.verdict == Verdict::Allow);
    decision.is_ok_and(by_rule)
}

fn decided_path(policy: &Policy, path: &[u8]) -> bool {
    decided(policy.decide_path(path))
}

fn decided_url(policy: &Policy, url: &[u8]) -> bool {
    decided(policy.decide(url))
}

fn decide(c: &mut Criterion) {
    for (set, hosts) in [("corpora", corpora()), ("corpus", shared_corpus())] {
        if hosts.is_empty() {
            println!("{set}: not found, skipped");
            continue;
        }
        for (profile_name, profile) in [("google", Profile::GOOGLE), ("rfc9309", Profile::RFC9309)]
        {
            let mut group = c.benchmark_group(format!("decide/{set}/{profile_name}"));
            group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
            let paths =
                |engine| Asked::all(&hosts, &profile, engine, |host| host.paths().collect());
            let automatic = paths(None);
            let wanted = allowed(&automatic, decided_path);
            if profile_name == "google" {
                // The loop compares bytes without normalising them, which is right only in this profile.
                bench(&mut group, "path/naive loop", &automatic, naive, wanted);
            }
            bench(&mut group, "path/automatic", &automatic, path, wanted);
            for engine in [Engine::Dfa, Engine::Lazy] {
                let of_engine = |a: &Asked<'_>| a.policy.engine() == engine;
                let only: Vec<_> = paths(None).into_iter().filter(of_engine).collect();
                if only.is_empty() {
                    continue;
                }
                let wanted = allowed(&only, decided_path);
                let name = format!("path/automatic, those that are {engine:?}");
                bench(&mut group, &name, &only, path, wanted);
            }
            for engine in [Engine::Scan, Engine::Lazy, Engine::Segments] {
                let name = format!("path/all forced to {engine:?}");
                bench(&mut group, &name, &paths(Some(engine)), path, wanted);
            }
            let urls = Asked::all(&hosts, &profile, None, |host| host.urls().collect());
            bench(&mut group, "url/automatic", &urls, url, allowed(&urls, decided_url));
            group.finish();
        }
    }
}

criterion_group!(benches, decide);
criterion_main!(benches);
