//! A process that writes to a store is killed at any moment, many times over: nothing that was
//! acknowledged is lost, and the file is never broken.
//!
//! This program is both: started again with [`WRITER`] in its environment, it is the writer.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, io, thread};

use robotsieve_client::Timestamp;
use robotsieve_client::outcome::Known;
use robotsieve_client::store::Store;

#[path = "support/random.rs"]
mod random;
#[path = "support/generated.rs"]
mod support;

use random::Random;
use support::{origin, with_body};

/// The store's path, for the writer.
const WRITER: &str = "ROBOTSIEVE_STORE_KILL_WRITER";
/// Whether it is to compact the store, too.
const COMPACTS: &str = "ROBOTSIEVE_STORE_KILL_COMPACTS";
/// The first version that the writer writes.
const FIRST_VERSION: &str = "ROBOTSIEVE_STORE_KILL_FIRST_VERSION";

/// Kills on one file, kills while a file is made, and kills on one that is compacted.
const KILLS: u64 = 50;
const KILLS_OF_NEW: u64 = 10;
const KILLS_OF_COMPACTED: u64 = 15;
/// Versions that a writer has for itself.
const VERSIONS: u64 = 1_000_000;
const THREADS: u64 = 4;
/// Hosts of each thread: few, so that most of what is written replaces something.
const HOSTS: u64 = 150;
/// Every so often a thread writes several hosts at a time.
const MANY_EVERY: u64 = 16;
const MANY: u64 = 20;

fn main() {
    if let Some(path) = env::var_os(WRITER) {
        let first = env::var(FIRST_VERSION).ok().and_then(|first| first.parse().ok());
        let (path, first) = (Path::new(&path), first.expect("a version"));
        if env::var_os(COMPACTS).is_some() {
            write_and_compact(path, first)
        } else {
            write(path, first)
        }
    }
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_nanos());
    let mut random = Random(seed as u64 | 1);
    println!("seed {seed}");
    let folder = tempfile::tempdir().expect("a folder");

    for number in 0..KILLS_OF_NEW {
        let path = folder.path().join(format!("{number}.store"));
        let mut acknowledged = HashMap::new();
        let after = Duration::from_micros(random.below(30_000));
        write_and_kill(&path, 0, false, after, &mut acknowledged);
        check(&path, &acknowledged);
    }

    let path = folder.path().join("killed.store");
    let mut acknowledged = HashMap::new();
    let (mut count, mut longest) = (0, Duration::ZERO);
    for kill in 0..KILLS {
        let after = Duration::from_micros(random.below(300_000));
        count += write_and_kill(&path, kill * VERSIONS, false, after, &mut acknowledged);
        longest = longest.max(check(&path, &acknowledged));
    }
    println!(
        "{KILLS} kills: {count} acknowledged writes of {} origins, none lost, no file broken; \
         opened in {:.1} ms at most",
        acknowledged.len(),
        longest.as_secs_f64() * 1e3,
    );
    for kill in KILLS..KILLS + KILLS_OF_COMPACTED {
        let after = Duration::from_micros(random.below(300_000));
        write_and_kill(&path, kill * VERSIONS, true, after, &mut acknowledged);
        check(&path, &acknowledged);
    }
    assert!(count >= 100, "killed too early to tell anything");
}

/// The record and the body of a version of a host.
fn written(host: u64, version: u64) -> (Known, Vec<u8>) {
    let body = robotsieve_corpora::robots(version, host);
    (with_body(&body, version), body)
}

/// The writer: puts one version after another, and tells each when it is acknowledged.
fn write(path: &Path, first: u64) -> ! {
    let store = Store::open(path).expect("a store");
    let next = AtomicU64::new(first);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, next) = (&store, &next);
            scope.spawn(move || {
                let mut random = Random((first + thread) << 1 | 1);
                for turn in 1.. {
                    // A host belongs to one thread, so its versions come in order.
                    let of = |number: u64| number % HOSTS * THREADS + thread;
                    let number = random.below(HOSTS);
                    let hosts = if turn % MANY_EVERY == 0 { MANY } else { 1 };
                    let version = next.fetch_add(1, Ordering::Relaxed);
                    let rows = (number..number + hosts).map(|number| {
                        let (known, body) = written(of(number), version);
                        (origin(of(number)), known, Some(body))
                    });
                    if hosts == 1 {
                        for (origin, known, body) in rows {
                            store.put(&origin, &known, body.as_deref()).expect("puts");
                        }
                    } else {
                        store.put_many(rows).expect("puts");
                    }
                    let lines: String = (number..number + hosts)
                        .map(|number| format!("{} {version}\n", of(number)))
                        .collect();
                    io::stdout().lock().write_all(lines.as_bytes()).expect("the parent reads");
                }
            });
        }
    });
    unreachable!("the threads do not end");
}

/// The writer that also compacts: most of its time.
fn write_and_compact(path: &Path, first: u64) -> ! {
    let mut random = Random(first << 1 | 1);
    for version in first.. {
        let store = Store::open(path).expect("a store");
        let number = random.below(HOSTS * THREADS - MANY);
        let rows = (number..number + MANY).map(|host| {
            let (known, body) = written(host, version);
            (origin(host), known, Some(body))
        });
        store.put_many(rows).expect("puts");
        let lines: String =
            (number..number + MANY).map(|host| format!("{host} {version}\n")).collect();
        io::stdout().lock().write_all(lines.as_bytes()).expect("the parent reads");
        store.prune(Timestamp(0)).expect("prunes");
        drop(store);
        Store::compact(path).expect("compacts");
    }
    unreachable!("there are more versions than time")
}

/// Starts a writer, kills it, and takes down what it acknowledged; says how much that was.
fn write_and_kill(
    path: &Path,
    first: u64,
    compacts: bool,
    after: Duration,
    acknowledged: &mut HashMap<u64, u64>,
) -> u64 {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.env(WRITER, path).env(FIRST_VERSION, first.to_string()).stdout(Stdio::piped());
    if compacts {
        command.env(COMPACTS, "yes");
    }
    let mut writer = command.spawn().expect("starts");
    let mut told = BufReader::new(writer.stdout.take().expect("a pipe"));
    let reader = thread::spawn(move || {
        let mut lines = Vec::new();
        let mut line = String::new();
        while told.read_line(&mut line).is_ok_and(|len| len > 0) {
            // A line that was cut was not told.
            if let Some(line) = line.strip_suffix('\n') {
                lines.push(line.to_owned());
            }
            line.clear();
        }
        lines
    });
    thread::sleep(after);
    // SIGKILL.
    writer.kill().expect("is killed");
    let status = writer.wait().expect("ends");
    assert_eq!(status.code(), None, "the writer ended by itself: {status}");
    let lines = reader.join().expect("reads");
    for line in &lines {
        let (host, version) = line.split_once(' ').expect("two numbers");
        let version: u64 = version.parse().expect("a number");
        let last = acknowledged.entry(host.parse().expect("a number")).or_default();
        *last = version.max(*last);
    }
    lines.len() as u64
}

/// Opens the file, checks all that was acknowledged, and every byte; says how long opening took.
fn check(path: &Path, acknowledged: &HashMap<u64, u64>) -> Duration {
    let start = Instant::now();
    let store = Store::open(path).expect("the file opens");
    let opened = start.elapsed();
    for (host, version) in acknowledged {
        let (known, _) = store.get_with_body(&origin(*host)).expect("no damage").expect("is kept");
        assert!(known.attempted.0 >= *version, "host {host}: {known:?}, acknowledged {version}");
    }
    // Those that were written without being acknowledged are whole too.
    for row in store.iter().expect("an answer") {
        let (key, known) = row.expect("no damage");
        let number = key.trim_start_matches("https://host-").trim_end_matches(".example");
        let host: u64 = number.parse().expect("a number");
        assert_eq!(key, origin(host));
        let (wanted, body) = written(host, known.attempted.0);
        let found = store.get_with_body(&key).expect("no damage");
        assert_eq!(found, Some((wanted, Some(body))));
    }
    drop(store);
    Store::verify(path).expect("no damage");
    opened
}
