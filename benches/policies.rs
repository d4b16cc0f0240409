//! The distribution of what policies cost to compile and to keep in memory, over all files of a
//! set. Criterion would show only a sum.
//!
//! The best of five runs counts; `--test` compiles each policy once.

use std::time::Instant;

use robotsieve::{Config, Crawler, Engine, Profile, Robots};

mod support;

fn main() {
    let runs = if std::env::args().any(|arg| arg == "--test") { 1 } else { 5 };
    for (set, hosts) in [("corpora", support::corpora()), ("corpus", support::shared_corpus())] {
        if hosts.is_empty() {
            println!("{set}: not found, skipped");
            continue;
        }
        for &(profile_name, profile) in Profile::NAMED {
            measure(set, profile_name, &profile, &hosts, runs);
        }
    }
}

struct Cost {
    nanoseconds: u128,
    is_dfa: bool,
    table_bytes: usize,
    host: String,
}

fn measure(set: &str, profile_name: &str, profile: &Profile, hosts: &[support::Host], runs: u32) {
    let mut config = Config::default();
    config.build_after = Some(u32::MAX); // compile only on request
    let mut costs: Vec<Cost> = hosts
        .iter()
        .map(|host| {
            let compile = || {
                let robots = Robots::parse_with(&host.file, profile, &config);
                let policy = robots.policy(&Crawler::name("Googlebot"));
                let begin = Instant::now();
                policy.compile();
                (begin.elapsed().as_nanos(), policy)
            };
            let (nanoseconds, policy) =
                (0..runs).map(|_| compile()).min_by_key(|(ns, _)| *ns).expect("at least one run");
            policy.validate().expect("a valid automaton");
            // The figures would mean nothing if the automata were wrong.
            for path in host.paths() {
                let decision = policy.decide_path(path).expect("a path");
                let rule = decision.rule();
                assert_eq!(rule.is_none_or(|r| r.verdict.is_allow()), decision.verdict.is_allow());
            }
            Cost {
                nanoseconds,
                is_dfa: policy.engine() == Engine::Dfa,
                table_bytes: policy.memory_usage().engine_bytes,
                host: host.name.clone(),
            }
        })
        .collect();
    costs.sort_by_key(|cost| cost.nanoseconds);
    let count = costs.len();
    let dfas: Vec<&Cost> = costs.iter().filter(|cost| cost.is_dfa).collect();
    let at = |share: f64| costs[((count - 1) as f64 * share) as usize].nanoseconds as f64 / 1e3;
    let mean = costs.iter().map(|cost| cost.nanoseconds).sum::<u128>() as f64 / count as f64 / 1e3;
    let slowest = &costs[count - 1];
    let text: usize = hosts.iter().map(|host| host.file.len()).sum();
    let table: usize = dfas.iter().map(|cost| cost.table_bytes).sum();
    let largest = dfas.iter().map(|cost| cost.table_bytes).max().unwrap_or(0);
    println!(
        "{set}/{profile_name}: {count} policies, {:.2} % DFA; compile µs: median {:.1}, mean {mean:.1}, \
         p99 {:.0}, max {:.0} ({}); tables: {table} bytes for {text} of text ({:.3}), largest {largest}",
        100.0 * dfas.len() as f64 / count as f64,
        at(0.5),
        at(0.99),
        slowest.nanoseconds as f64 / 1e3,
        slowest.host,
        table as f64 / text as f64,
    );
}
