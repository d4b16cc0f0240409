//! Instructions of the hot paths, counted by callgrind: a change of one per cent shows on a
//! noisy machine too. Over `corpora/` only, so that everybody counts the same.
//!
//! ```console
//! cargo bench --bench counts                # counts, and their drift from benches/counts.txt
//! cargo bench --bench counts -- --record    # writes benches/counts.txt
//! ```
//!
//! Needs valgrind; `--skip-without-valgrind` makes its absence no failure. Counts of another
//! compiler or another processor's vector instructions differ: record before a change and
//! compare after it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use robotsieve::{Answer, Config, Crawler, Engine, Panel, Policy, Profile, Robots};

mod support;
use support::{CRAWLERS, Host, corpora};

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/counts.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("--counted") {
        run_cases();
        return ExitCode::SUCCESS;
    }
    let version = Command::new("valgrind").arg("--version").output();
    let Ok(version) = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    else {
        eprintln!("counts: valgrind is missing (apt-get install valgrind)");
        return if has("--skip-without-valgrind") { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    };
    let cases = count();
    if has("--record") {
        std::fs::write(RECORD, record(&cases, version.trim())).expect("benches/counts.txt");
    }
    print(&cases);
    ExitCode::SUCCESS
}

/// A case with its number of instructions.
struct Case {
    name: String,
    elements: u64,
    instructions: u64,
}

/// All cases run in one process under callgrind, which writes a dump each time that
/// [`counted`] returns and collects nothing outside of it.
fn count() -> Vec<Case> {
    let folder = Folder::new();
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--collect-atstart=no"])
        .args(["--toggle-collect=*counts*counted*", "--dump-after=*counts*counted*"])
        .arg(format!("--callgrind-out-file={}", folder.0.join("dump").display()))
        .arg(std::env::current_exe().expect("the path of this program"))
        .arg("--counted")
        .stderr(Stdio::inherit())
        .output()
        .expect("valgrind runs");
    assert!(output.status.success(), "the counted run failed: {}", output.status);
    let names = String::from_utf8(output.stdout).expect("names");
    let case = |(number, line): (usize, &str)| {
        let (name, elements) = line.split_once('\t').expect("a name and a number");
        let dump = std::fs::read_to_string(folder.0.join(format!("dump.{}", number + 1)));
        let dump = dump.expect("a dump for each case");
        let totals = dump.lines().find_map(|line| line.strip_prefix("totals: "));
        Case {
            name: name.to_owned(),
            elements: elements.parse().expect("a number"),
            instructions: totals.expect("the totals of a dump").trim().parse().expect("a number"),
        }
    };
    names.lines().enumerate().map(case).collect()
}

/// A folder for the dumps, removed when they were read.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let name = format!("robotsieve-counts-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn record(cases: &[Case], valgrind: &str) -> String {
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    let mut text = format!(
        "# Instructions by `cargo bench --bench counts -- --record`\n# {}, {valgrind}, {}\n",
        rustc.unwrap_or_default(),
        std::env::consts::ARCH,
    );
    for case in cases {
        let _ = writeln!(text, "{}\t{}", case.name, case.instructions);
    }
    text
}

fn print(cases: &[Case]) {
    let text = std::fs::read_to_string(Path::new(RECORD)).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let known: BTreeMap<&str, u64> = lines
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, count)| (name, count.parse().expect("a number in benches/counts.txt")))
        .collect();
    println!(
        "{:<34} {:>13} {:>13} {:>8} {:>12}",
        "case", "instructions", "recorded", "drift", "per element"
    );
    for case in cases {
        let recorded = known.get(case.name.as_str());
        let drift = recorded.map_or_else(String::new, |recorded| {
            format!("{:+.2} %", 100.0 * (case.instructions as f64 / *recorded as f64 - 1.0))
        });
        println!(
            "{:<34} {:>13} {:>13} {:>8} {:>12.1}",
            case.name,
            case.instructions,
            recorded.map_or_else(|| "none".into(), u64::to_string),
            drift,
            case.instructions as f64 / case.elements as f64,
        );
    }
    for name in known.keys().filter(|name| cases.iter().all(|case| case.name != **name)) {
        println!("{name}: recorded, but no longer a case");
    }
}

/// What is collected: everything that this calls.
#[inline(never)]
fn counted(case: &mut dyn FnMut() -> u64) -> u64 {
    black_box(case())
}

/// Counts a case; what it returns must be what is wanted.
fn case(name: &str, elements: usize, wanted: usize, mut case: impl FnMut() -> usize) {
    println!("{name}\t{elements}");
    assert_eq!(counted(&mut || case() as u64), wanted as u64, "{name}");
}

fn run_cases() {
    let hosts = corpora();
    let octets = hosts.iter().map(|host| host.file.len()).sum();
    for (profile_name, profile) in Profile::NAMED {
        let groups = support::expected("corpora", profile_name).groups;
        case(&format!("parse/{profile_name}"), octets, groups, || {
            hosts.iter().map(|host| Robots::parse(&host.file, &profile).group_count()).sum()
        });
    }
    let profile = Profile::RFC9309;
    policies(&hosts, &profile);
    decisions(&hosts, &profile);
    panels(&hosts, &profile);
}

/// From a parsed file to a policy.
fn policies<'h>(hosts: &'h [Host], profile: &Profile) {
    let mut config = Config::default();
    config.build_after = Some(u32::MAX); // compiled when told to, not before
    let parse = |host: &'h Host| Robots::parse_with(&host.file, profile, &config);
    let robots: Vec<Robots<'h>> = hosts.iter().map(parse).collect();
    let rules = support::expected("corpora", "rfc9309").rules;
    let crawler = Crawler::name(support::AGENT);
    let mut made = Vec::with_capacity(hosts.len());
    case("policy/new", hosts.len(), rules, || {
        made.extend(robots.iter().map(|robots| robots.policy(&crawler)));
        made.iter().map(Policy::rule_count).sum()
    });
    let crawlers = CRAWLERS.map(Crawler::name);
    let mut wanted = 0;
    for robots in &robots {
        wanted += crawlers.iter().map(|c| robots.policy(c).rule_count()).sum::<usize>();
    }
    case("select/known groups, 50 crawlers", hosts.len() * crawlers.len(), wanted, || {
        let policies = robots.iter().flat_map(|r| crawlers.iter().map(|c| r.policy(c)));
        policies.map(|policy| policy.rule_count()).sum()
    });
    case("compile", hosts.len(), hosts.len(), || {
        made.iter().for_each(Policy::compile);
        made.iter().filter(|policy| policy.engine() != Engine::Scan).count()
    });
    for policy in &made {
        policy.validate().expect("a valid automaton");
    }
    let first = |host: &Host| host.urls().next().map(<[u8]>::to_vec);
    let first: Vec<(&Host, Vec<u8>)> =
        hosts.iter().filter_map(|host| Some((host, first(host)?))).collect();
    let allowed = |(host, url): &&(&Host, Vec<u8>)| {
        let policy = Robots::parse(&host.file, profile).policy(&crawler);
        policy.decide(url).is_ok_and(|decision| decision.verdict.is_allow())
    };
    case("first verdict", first.len(), first.iter().filter(allowed).count(), || {
        let verdict = |(host, url): &&(&Host, Vec<u8>)| {
            let policy = Robots::parse(&host.file, profile).policy(&crawler);
            policy.is_allowed(url).unwrap_or(false)
        };
        first.iter().filter(verdict).count()
    });
}

/// A policy that is ready, and texts to ask it.
type Asked<'h> = (Policy, Vec<&'h [u8]>);

/// The policies of an engine, ready, with the texts for which this holds.
fn asked<'h>(
    hosts: &'h [Host],
    profile: &Profile,
    engine: Option<Engine>,
    texts: impl Fn(&'h Host) -> Vec<&'h [u8]>,
    holds: impl Fn(&Policy, &[u8]) -> bool,
) -> Vec<Asked<'h>> {
    let mut config = Config::default();
    config.engine = engine;
    let policies = hosts.iter().map(|host| {
        let policy = Robots::parse_with(&host.file, profile, &config);
        let policy = policy.policy(&Crawler::name(support::AGENT));
        policy.compile();
        let texts = texts(host).into_iter().filter(|text| holds(&policy, text)).collect();
        (policy, texts)
    });
    policies.collect()
}

fn decisions(hosts: &[Host], profile: &Profile) {
    let by_rule = |policy: &Policy, text: &[u8]| {
        policy.decide(text).is_ok_and(|decision| decision.rule().is_some())
    };
    let all = |_: &Policy, _: &[u8]| true;
    let stars = |policy: &Policy, _: &[u8]| {
        policy.rules().filter(|rule| rule.pattern().contains(&b'*')).count() >= 50
    };
    let is_path_allowed =
        |policy: &Policy, path: &[u8]| policy.is_path_allowed(path).expect("a path");
    let is_allowed = |policy: &Policy, url: &[u8]| policy.is_allowed(url).unwrap_or(false);
    let decide = |name: &str, asked: &[Asked<'_>], ask: &dyn Fn(&Policy, &[u8]) -> bool| {
        let texts = || asked.iter().flat_map(|(p, texts)| texts.iter().map(move |t| (p, *t)));
        let wanted = |(policy, text): &(&Policy, &[u8])| {
            let decision = policy.decide(*text);
            decision.is_ok_and(|d| d.rule().is_none_or(|rule| rule.verdict.is_allow()))
        };
        let wanted = texts().filter(wanted).count();
        let elements = texts().count();
        case(name, elements, wanted, || texts().filter(|(p, text)| ask(p, text)).count());
    };
    for (kind, holds) in [
        ("hit", &by_rule as &dyn Fn(&Policy, &[u8]) -> bool),
        ("miss", &|policy: &Policy, text: &[u8]| !by_rule(policy, text)),
        ("many stars", &stars),
    ] {
        let by_path = asked(hosts, profile, None, |host| host.paths().collect(), holds);
        decide(&format!("path/{kind}"), &by_path, &is_path_allowed);
        let by_url = asked(hosts, profile, None, |host| host.urls().collect(), holds);
        decide(&format!("url/{kind}"), &by_url, &is_allowed);
    }
    for engine in [Engine::Dfa, Engine::Scan, Engine::Lazy, Engine::Segments] {
        let of_engine = asked(hosts, profile, Some(engine), |host| host.paths().collect(), all);
        decide(&format!("path/all {engine:?}"), &of_engine, &is_path_allowed);
    }
    let explained = asked(hosts, profile, None, |host| host.paths().collect(), all);
    decide("path/with the rule", &explained, &|policy, path| {
        policy.decide_path(path).is_ok_and(|decision| decision.verdict.is_allow())
    });
}

/// Fifty crawlers at once.
fn panels(hosts: &[Host], profile: &Profile) {
    let panels: Vec<(Panel, Vec<&[u8]>)> = hosts
        .iter()
        .map(|host| {
            let robots = Robots::parse(&host.file, profile);
            let policies = CRAWLERS.map(|name| robots.policy(&Crawler::name(name)));
            policies.iter().for_each(Policy::compile);
            (Panel::new(policies), host.urls().collect())
        })
        .collect();
    let mut wanted = 0;
    for (panel, urls) in &panels {
        for crawler in 0..panel.len() {
            let allowed = |url: &&&[u8]| panel.policy(crawler).is_allowed(**url) == Ok(true);
            wanted += urls.iter().filter(allowed).count();
        }
    }
    let urls = panels.iter().map(|(_, urls)| urls.len()).sum();
    case("panel/50 crawlers", urls, wanted, || {
        let mut answers = [Answer::Unknown; CRAWLERS.len()];
        let mut allowed = 0;
        for (panel, urls) in &panels {
            for url in urls {
                panel.ask(*url, &mut answers);
                allowed += answers.iter().filter(|answer| **answer == Answer::Allow).count();
            }
        }
        allowed
    });
}
