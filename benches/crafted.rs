//! What crafted files cost to lint in all profiles and to compare with a changed copy: processor
//! time, and the most memory. Each is measured in a process of its own.
//!
//! ```text
//! cargo bench -p robotsieve-benches --bench crafted -- NAME
//! ```

use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use robotsieve::{Profile, Robots};
use robotsieve_corpora::crafted;
use robotsieve_lint::diff::{self, Difference, Limits};
use robotsieve_lint::{Options, lint};

/// A process that takes longer is ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a process measures.
const TASKS: [&str; 7] =
    ["lint", "diff rfc9309", "diff google", "diff classic", "diff 1994", "diff other", "none"];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [name, task] = args.as_slice()
        && TASKS.contains(&task.as_str())
    {
        return measure(name, task);
    }
    let program = std::env::current_exe().expect("the program has a path");
    let wanted = args.first().map_or("", String::as_str);
    println!("| file | bytes | {} |", TASKS[..6].join(" | "));
    println!("|---|---:|{}", "---:|".repeat(6));
    for (name, file) in crafted::all() {
        if !name.contains(wanted) {
            continue;
        }
        let cells = TASKS[..6].iter().map(|task| {
            let mut child = Command::new(&program)
                .args([name, task])
                .stdout(Stdio::piped())
                .spawn()
                .expect("it starts");
            let started = Instant::now();
            while started.elapsed() < PATIENCE {
                if child.try_wait().expect("it is a child").is_some() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            if child.try_wait().expect("it is a child").is_none() {
                child.kill().expect("it runs");
                child.wait().expect("it is a child");
                return format!("> {PATIENCE:?}");
            }
            let output = child.wait_with_output().expect("it is a child");
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        });
        let cells: Vec<String> = cells.collect();
        println!("| {name} | {} | {} |", file.len(), cells.join(" | "));
    }
}

fn measure(name: &str, task: &str) {
    let mut all = crafted::all();
    let at = all.iter().position(|(other, _)| *other == name).expect("it is a file");
    let next = (at + 1) % all.len();
    let [file, other] = [at, next].map(|at| std::mem::take(&mut all[at].1));
    drop(all);
    let before = memory("VmRSS:");
    let started = processor_time();
    let said = match task.split_once(' ') {
        None => {
            let report = lint(&file, &Options::new(Profile::NAMED.iter().copied()));
            format!("{} findings, {} undecided", report.findings.len(), report.undecided.len())
        }
        Some((_, profile)) => {
            let profile = Profile::NAMED.iter().find(|(name, _)| name.ends_with(profile));
            let profile = profile.map_or(Profile::RFC9309, |(_, profile)| *profile);
            let mut new = if task == "diff other" { other } else { file.clone() };
            if task != "diff other" {
                let at = new.len() - new.len() / 3;
                new[at] = if new[at] == b'z' { b'y' } else { b'z' };
            }
            let [old, new] = [&file, &new].map(|file| Robots::parse(file, &profile));
            let compared = diff::files(&old, &new, &Limits::default());
            let count = |is: fn(&Difference) -> bool| {
                compared.crawlers.iter().filter(|same| is(&same.difference)).count()
            };
            format!(
                "{} equal, {} different, {} unknown",
                count(Difference::is_equal),
                count(|difference| difference.flips().is_some()),
                count(|difference| matches!(difference, Difference::Unknown { .. })),
            )
        }
    };
    let took = processor_time() - started;
    let most = memory("VmHWM:").saturating_sub(before);
    println!("{:.2} s, {} MB, {said}", took.as_secs_f64(), most >> 10);
}

/// The time that this process has run, where /proc says it; else the time of day.
fn processor_time() -> Duration {
    let schedstat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    match schedstat.split(' ').next().and_then(|nanos| nanos.parse().ok()) {
        Some(nanos) => Duration::from_nanos(nanos),
        None => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
    }
}

/// A line of /proc/self/status, in KiB; 0 where there is no such file.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
