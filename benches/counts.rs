//! Counts instructions instead of seconds, so a change of two percent shows even on a busy machine.
//!
//! Runs itself under valgrind's callgrind, one case at a time, on `corpora/` only, and compares
//! each count with the one recorded in `benches/counts.txt`:
//!
//! ```console
//! cargo bench -p robotsieve-benches --bench counts                 # print the counts and how they drifted
//! cargo bench -p robotsieve-benches --bench counts -- --record     # write them to benches/counts.txt
//! cargo bench -p robotsieve-benches --bench counts -- --if-available   # succeed even if valgrind is missing
//! ```
//!
//! The recorded counts hold for a processor with AVX2 and for one version of the compiler; with
//! others they drift.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode};

use robotsieve::{Answer, Config, Crawler, CrawlerPolicies, Engine, Policy, Profile, Robots};

mod support;
use support::{Host, corpora};

/// The environment variable that tells the child process which case to run.
const CASE: &str = "ROBOTSIEVE_COUNTS_CASE";

/// Only instructions inside this call are counted.
#[inline(never)]
fn counted(work: &mut dyn FnMut() -> usize) -> usize {
    black_box(work())
}

/// Runs the work some times, so that what engines build on their first questions is not counted. The
/// lazy DFA tries the rules for a while before it builds anything.
fn warm(mut work: Work<'_>) -> Work<'_> {
    for _ in 0..16 {
        black_box(work());
    }
    work
}

/// Work to count. It returns how many things it did.
type Work<'h> = Box<dyn FnMut() -> usize + 'h>;
/// A name, and a function that prepares the inputs and returns the work.
type Case = (&'static str, for<'h> fn(&'h [Host]) -> Work<'h>);

const CASES: [Case; 15] = [
    ("parse, google", |hosts| parse(hosts, Profile::GOOGLE)),
    ("parse, rfc9309", |hosts| parse(hosts, Profile::RFC9309)),
    ("select and collect rules", |hosts| {
        let files: Vec<_> =
            hosts.iter().map(|h| Robots::parse(&h.file, &Profile::RFC9309)).collect();
        let crawler = Crawler::name("Googlebot");
        Box::new(move || files.iter().map(|file| file.policy(&crawler).rule_count()).sum())
    }),
    ("compile", |hosts| {
        let policies = policies(hosts, Profile::RFC9309, None, false);
        Box::new(move || {
            policies.iter().for_each(|(policy, _)| policy.compile());
            policies.len()
        })
    }),
    ("one verdict at once", |hosts| {
        let crawler = Crawler::name("Googlebot");
        Box::new(move || {
            let first = |host: &&Host| host.urls().next().is_some();
            let allowed = |host: &Host| {
                let url = host.urls().next().expect("a URL");
                robotsieve::is_allowed_once(&host.file, &Profile::RFC9309, &crawler, url)
            };
            hosts.iter().filter(first).filter(|host| allowed(host) == Ok(true)).count()
        })
    }),
    ("decide by path, google", |hosts| paths(hosts, Profile::GOOGLE, None)),
    ("decide by path, rfc9309", |hosts| paths(hosts, Profile::RFC9309, None)),
    ("decide by URL, google", |hosts| urls(hosts, Profile::GOOGLE)),
    ("decide by URL, rfc9309", |hosts| urls(hosts, Profile::RFC9309)),
    ("decide by path, Scan", |hosts| paths(hosts, Profile::RFC9309, Some(Engine::Scan))),
    ("decide by path, Lazy", |hosts| paths(hosts, Profile::RFC9309, Some(Engine::Lazy))),
    ("decide by path, Segments", |hosts| paths(hosts, Profile::RFC9309, Some(Engine::Segments))),
    ("hits: decide by path, disallowed only", |hosts| of_verdict(hosts, |allowed| !allowed)),
    ("misses: decide by path, allowed only", |hosts| of_verdict(hosts, |allowed| allowed)),
    ("three crawlers at once", |hosts| {
        let crawlers = ["GPTBot", "Googlebot", "MyCrawler"].map(Crawler::name);
        let sites: Vec<_> = hosts
            .iter()
            .map(|host| {
                let robots = Robots::parse(&host.file, &Profile::RFC9309);
                let policies =
                    CrawlerPolicies::new(crawlers.iter().map(|crawler| robots.policy(crawler)));
                (0..crawlers.len()).for_each(|crawler| policies.policy(crawler).compile());
                (policies, host)
            })
            .collect();
        warm(Box::new(move || {
            let mut allowed = 0;
            let mut answers = [Answer::Unknown; 3];
            for (policies, host) in &sites {
                for url in host.urls() {
                    policies.ask_into(url, &mut answers);
                    allowed += answers.iter().filter(|answer| **answer == Answer::Allow).count();
                }
            }
            allowed
        }))
    }),
];

fn parse(hosts: &[Host], profile: Profile) -> Work<'_> {
    Box::new(move || hosts.iter().map(|h| Robots::parse(&h.file, &profile).group_count()).sum())
}

fn policies<'h>(
    hosts: &'h [Host],
    profile: Profile,
    engine: Option<Engine>,
    compile: bool,
) -> Vec<(Policy, &'h Host)> {
    let mut config = Config::default();
    config.engine = engine;
    config.build_after = Some(u32::MAX);
    let policy = |host: &'h Host| {
        let policy = Robots::parse_with(&host.file, &profile, &config).policy(&"Googlebot".into());
        if compile {
            policy.compile();
        }
        (policy, host)
    };
    hosts.iter().map(policy).collect()
}

fn paths(hosts: &[Host], profile: Profile, engine: Option<Engine>) -> Work<'_> {
    let policies = policies(hosts, profile, engine, true);
    warm(Box::new(move || {
        let allowed = |(policy, host): &(Policy, &Host)| {
            host.paths().filter(|path| policy.is_path_allowed(path) == Ok(true)).count()
        };
        policies.iter().map(allowed).sum()
    }))
}

fn urls(hosts: &[Host], profile: Profile) -> Work<'_> {
    let policies = policies(hosts, profile, None, true);
    warm(Box::new(move || {
        let allowed = |(policy, host): &(Policy, &Host)| {
            host.urls().filter(|url| policy.is_allowed(url) == Ok(true)).count()
        };
        policies.iter().map(allowed).sum()
    }))
}

/// Only the paths that get one of the two verdicts.
fn of_verdict(hosts: &[Host], wanted: fn(bool) -> bool) -> Work<'_> {
    let policies = policies(hosts, Profile::RFC9309, None, true);
    let asked: Vec<(Policy, Vec<&[u8]>)> = policies
        .into_iter()
        .map(|(policy, host)| {
            let is_wanted = |path: &&[u8]| policy.is_path_allowed(path).is_ok_and(wanted);
            let paths = host.paths().filter(is_wanted).collect();
            (policy, paths)
        })
        .collect();
    warm(Box::new(move || {
        let decided = |(policy, paths): &(Policy, Vec<&[u8]>)| {
            paths.iter().filter(|path| policy.is_path_allowed(path).is_ok_and(wanted)).count()
        };
        asked.iter().map(decided).sum()
    }))
}

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(CASE) {
        let hosts = corpora();
        let (_, case) = CASES.iter().find(|(case, _)| *case == name).expect("a case");
        println!("{}", counted(&mut case(&hosts)));
        return ExitCode::SUCCESS;
    }
    let has = |option| std::env::args().any(|arg| arg == option);
    if has("--test") {
        let hosts = corpora();
        for (name, case) in CASES {
            assert!(counted(&mut case(&hosts)) > 0, "{name} did nothing");
        }
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("counts: valgrind is not installed (Debian: apt-get install valgrind)");
        return if has("--if-available") { ExitCode::SUCCESS } else { ExitCode::from(2) };
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("counts.txt");
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    let recorded: BTreeMap<&str, u64> = recorded
        .lines()
        .filter_map(|line| {
            let (count, name) = line.trim_start().split_once("  ")?;
            Some((name, count.parse().ok()?))
        })
        .collect();
    let mut record = String::new();
    println!("{:>14} {:>14} {:>8}  case", "instructions", "recorded", "drift");
    for (name, _) in CASES {
        let count = match count(name) {
            Ok(count) => count,
            Err(fault) => {
                eprintln!("counts: {name}: {fault}");
                return ExitCode::FAILURE;
            }
        };
        let _ = writeln!(record, "{count:>14}  {name}");
        match recorded.get(name) {
            Some(before) => {
                let drift = 100.0 * (count as f64 / *before as f64 - 1.0);
                println!("{count:>14} {before:>14} {drift:>+7.2}%  {name}");
            }
            None => println!("{count:>14} {:>14} {:>8}  {name}", "-", "-"),
        }
    }
    if has("--record") {
        std::fs::write(&path, record).expect("benches/counts.txt can be written");
    }
    ExitCode::SUCCESS
}

/// The instructions of a case.
fn count(name: &str) -> Result<u64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*counts::counted*")
        .arg(own)
        .env(CASE, name)
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&run.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    let count = collected.and_then(|(_, count)| count.trim().parse().ok());
    count.filter(|_| run.status.success()).ok_or_else(|| format!("no count:\n{said}"))
}
