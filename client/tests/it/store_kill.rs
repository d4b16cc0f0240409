//! A process that writes to a store is killed at random moments, many times: no acknowledged
//! change is lost, and the file is never broken.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, io, thread};

use robotsieve_client::Timestamp;
use robotsieve_client::outcome::OriginState;
use robotsieve_client::store::Store;
use robotsieve_corpora::effort;

use crate::support::folder::in_memory;
use crate::support::generated::{origin, with_body};
use crate::support::random::Random;

/// The environment variable with the store's path, for the writer.
const WRITER: &str = "ROBOTSIEVE_STORE_KILL_WRITER";
/// Set if the writer should also compact the store.
const COMPACTS: &str = "ROBOTSIEVE_STORE_KILL_COMPACTS";
/// The first version that the writer puts.
const FIRST_VERSION: &str = "ROBOTSIEVE_STORE_KILL_FIRST_VERSION";

/// Begins each line in which the writer acknowledges a change.
const ACKNOWLEDGED: &str = "acknowledged ";

/// Kills of writers to one file, of writers that create a file, and of writers that compact one.
const KILLS: usize = 50;
const KILLS_OF_NEW: usize = 10;
const KILLS_OF_COMPACTED: usize = 15;
/// How many versions each writer has to itself.
const VERSIONS: u64 = 1_000_000;
const THREADS: u64 = 4;
/// Hosts per thread: few, so that most changes replace something.
const HOSTS: u64 = 150;
/// Every 16th turn a thread puts 20 hosts in one transaction.
const MANY_EVERY: u64 = 16;
const MANY: u64 = 20;

/// The writing process. The test below starts this program again to run only this.
#[test]
#[ignore = "only for `kills_lose_nothing`, which starts it"]
fn writer() {
    let Some(path) = env::var_os(WRITER) else { return };
    let first = env::var(FIRST_VERSION).ok().and_then(|first| first.parse().ok());
    let (path, first) = (Path::new(&path), first.expect("a version"));
    // Ends the line that the test harness may have begun.
    io::stdout().lock().write_all(b"\n").expect("the parent reads");
    if env::var_os(COMPACTS).is_some() {
        write_and_compact(path, first)
    } else {
        write(path, first)
    }
}

#[test]
fn kills_lose_nothing() {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_nanos());
    let mut random = Random(seed as u64 | 1);
    println!("seed {seed}");
    let folder = in_memory();

    let [kills, kills_of_new, kills_of_compacted] =
        [KILLS, KILLS_OF_NEW, KILLS_OF_COMPACTED].map(|all| effort::cases(all) as u64);
    for number in 0..kills_of_new {
        let path = folder.path().join(format!("{number}.store"));
        let mut acknowledged = HashMap::new();
        let after = Duration::from_micros(random.below(30_000));
        write_and_kill(&path, 0, false, after, &mut acknowledged);
        check(&path, &acknowledged);
    }
    // Nothing of an interrupted creation stays.
    #[cfg(target_os = "linux")]
    {
        let files = std::fs::read_dir(folder.path()).expect("a folder");
        assert_eq!(files.count() as u64, kills_of_new);
    }

    let path = folder.path().join("killed.store");
    let mut acknowledged = HashMap::new();
    let (mut count, mut longest) = (0, Duration::ZERO);
    for kill in 0..kills {
        let after = Duration::from_micros(random.below(300_000));
        count += write_and_kill(&path, kill * VERSIONS, false, after, &mut acknowledged);
        longest = longest.max(check(&path, &acknowledged));
    }
    println!(
        "{kills} kills: {count} acknowledged writes of {} origins, none lost, no file broken; \
         opened in {:.1} ms at most",
        acknowledged.len(),
        longest.as_secs_f64() * 1e3,
    );
    for kill in kills..kills + kills_of_compacted {
        let after = Duration::from_micros(random.below(300_000));
        write_and_kill(&path, kill * VERSIONS, true, after, &mut acknowledged);
        check(&path, &acknowledged);
    }
    assert!(count >= 2 * kills, "killed too early to tell anything");
}

/// The record and the body of a version of a host.
fn written(host: u64, version: u64) -> (OriginState, Vec<u8>) {
    let body = robotsieve_corpora::robots(version, host);
    (with_body(&body, version), body)
}

/// The writer: puts one version after another, and prints each once it is acknowledged.
fn write(path: &Path, first: u64) -> ! {
    let store = Store::open(path).expect("a store");
    let next = AtomicU64::new(first);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, next) = (&store, &next);
            scope.spawn(move || {
                let mut random = Random((first + thread) << 1 | 1);
                for turn in 1.. {
                    // Each host belongs to one thread, so its versions come in order.
                    let of = |number: u64| number % HOSTS * THREADS + thread;
                    let number = random.below(HOSTS);
                    let hosts = if turn % MANY_EVERY == 0 { MANY } else { 1 };
                    let version = next.fetch_add(1, Ordering::Relaxed);
                    let rows = (number..number + hosts).map(|number| {
                        let (state, body) = written(of(number), version);
                        (origin(of(number)), state, Some(body))
                    });
                    if hosts == 1 {
                        for (origin, state, body) in rows {
                            store.put(&origin, &state, body.as_deref()).expect("puts");
                        }
                    } else {
                        store.put_many(rows).expect("puts");
                    }
                    let lines: String = (number..number + hosts)
                        .map(|number| format!("{ACKNOWLEDGED}{} {version}\n", of(number)))
                        .collect();
                    io::stdout().lock().write_all(lines.as_bytes()).expect("the parent reads");
                }
            });
        }
    });
    unreachable!("the threads do not end");
}

/// The writer that also compacts, which takes most of its time.
fn write_and_compact(path: &Path, first: u64) -> ! {
    let mut random = Random(first << 1 | 1);
    for version in first.. {
        let store = Store::open(path).expect("a store");
        let number = random.below(HOSTS * THREADS - MANY);
        let rows = (number..number + MANY).map(|host| {
            let (state, body) = written(host, version);
            (origin(host), state, Some(body))
        });
        store.put_many(rows).expect("puts");
        let lines: String = (number..number + MANY)
            .map(|host| format!("{ACKNOWLEDGED}{host} {version}\n"))
            .collect();
        io::stdout().lock().write_all(lines.as_bytes()).expect("the parent reads");
        store.prune(Timestamp(0)).expect("prunes");
        drop(store);
        Store::compact(path).expect("compacts");
    }
    unreachable!("there are more versions than time")
}

/// Starts a writer, kills it, and notes what it acknowledged. Returns how many changes that was.
fn write_and_kill(
    path: &Path,
    first: u64,
    compacts: bool,
    after: Duration,
    acknowledged: &mut HashMap<u64, u64>,
) -> u64 {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", "store_kill::writer", "--ignored", "--nocapture"]);
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
            // A line that was cut off does not count, nor do lines of the test harness.
            let told = line.strip_suffix('\n').and_then(|line| line.strip_prefix(ACKNOWLEDGED));
            lines.extend(told.map(str::to_owned));
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

/// Opens the file, and checks all acknowledged changes and every byte. Returns how long opening
/// took.
fn check(path: &Path, acknowledged: &HashMap<u64, u64>) -> Duration {
    let start = Instant::now();
    let store = Store::open(path).expect("the file opens");
    let opened = start.elapsed();
    for (host, version) in acknowledged {
        let (state, _) = store.get_with_body(&origin(*host)).expect("no damage").expect("is kept");
        assert!(state.attempted.0 >= *version, "host {host}: {state:?}, acknowledged {version}");
    }
    // Changes that were made but not acknowledged are complete too.
    for row in store.iter().expect("an answer") {
        let (key, state) = row.expect("no damage");
        let number = key.trim_start_matches("https://host-").trim_end_matches(".example");
        let host: u64 = number.parse().expect("a number");
        assert_eq!(key, origin(host));
        let (wanted, body) = written(host, state.attempted.0);
        let found = store.get_with_body(&key).expect("no damage");
        assert_eq!(found, Some((wanted, Some(body))));
    }
    drop(store);
    Store::verify(path).expect("no damage");
    opened
}
