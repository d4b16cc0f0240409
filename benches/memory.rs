//! The memory that the policies of a set occupy, by part, with and without their rules. The figures
//! are the same in every run. Asserts the number of rules, and that dropping the rules changes no
//! verdict.

use robotsieve::{Config, Crawler, Policy, Profile, Robots};

mod support;
use support::{AGENT, Host};

fn policies(hosts: &[Host], profile: &Profile, keep_rules: bool) -> Vec<Policy> {
    let mut config = Config::default();
    config.keep_rules = keep_rules;
    let policy = |host: &Host| {
        let robots = Robots::parse_with(&host.file, profile, &config);
        let policy = robots.policy(&Crawler::name(AGENT));
        policy.compile();
        policy
    };
    hosts.iter().map(policy).collect()
}

fn main() {
    for (set, hosts) in support::sets() {
        let text: usize = hosts.iter().map(|host| host.file.len()).sum();
        println!("{set}: {} policies, {text} bytes of robots.txt", hosts.len());
        for &(profile_name, profile) in Profile::NAMED {
            let kept = policies(&hosts, &profile, true);
            let dropped = policies(&hosts, &profile, false);
            for (host, (kept, dropped)) in hosts.iter().zip(kept.iter().zip(&dropped)) {
                for path in host.paths() {
                    assert_eq!(kept.is_path_allowed(path), dropped.is_path_allowed(path));
                }
            }
            let rules = support::expected(set, profile_name).rules;
            for (name, policies) in [("kept", &kept), ("not kept", &dropped)] {
                assert_eq!(policies.iter().map(Policy::rule_count).sum::<usize>(), rules);
                let usage = || policies.iter().map(Policy::memory_usage);
                let total: usize = usage().map(|memory| memory.total_bytes()).sum();
                println!(
                    "{set}/{profile_name}, rules {name}: {total} bytes, {:.3} per byte of text; \
                     engines {}, rules {}, rest {}; {:.1} a policy, {:.1} a rule",
                    total as f64 / text as f64,
                    usage().map(|memory| memory.engine_bytes).sum::<usize>(),
                    usage().map(|memory| memory.rules_bytes).sum::<usize>(),
                    usage().map(|memory| memory.rest_bytes).sum::<usize>(),
                    total as f64 / policies.len() as f64,
                    total as f64 / rules as f64,
                );
            }
        }
    }
}
