//! A process writes as fast as it can, is killed and starts again, while others read: what they
//! see is always complete, as of one moment, and no older than what was acknowledged before.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use robotsieve_client::Timestamp;
use robotsieve_client::outcome::OriginState;
use robotsieve_client::store::{Fault, Store, StoreError};
use robotsieve_corpora::effort;

use crate::support::folder::in_memory;
use crate::support::generated::{origin, with_body};
use crate::support::random::Random;

/// The environment variable with the store's path, for the writer.
const WRITER: &str = "ROBOTSIEVE_STORE_SHARED_WRITER";
/// The first version that the writer puts.
const FIRST_VERSION: &str = "ROBOTSIEVE_STORE_SHARED_FIRST_VERSION";

/// Hosts come in groups, which are always put in one transaction, with the same version.
const GROUPS: u64 = 40;
const HOSTS: u64 = 12;
/// Single hosts, which come and go.
const SINGLE: u64 = 1_000;
const SINGLES: u64 = 200;

const WRITERS: u64 = 5;
const EACH: Duration = Duration::from_millis(1_600);
const READERS: u64 = 2;

fn written(host: u64, version: u64) -> (OriginState, Vec<u8>) {
    let body = robotsieve_corpora::robots(version, host);
    (with_body(&body, version), body)
}

/// The writing process. The test below starts this program again to run only this.
#[test]
#[ignore = "only for `readers_see_one_moment`, which starts it"]
fn writer() {
    let Some(path) = env::var_os(WRITER) else { return };
    let first = env::var(FIRST_VERSION).ok().and_then(|first| first.parse().ok());
    let first: u64 = first.expect("a version");
    let mut random = Random(first << 1 | 1);
    let store = Store::open(path).expect("readers keep no writer away");
    let mut out = io::stdout().lock();
    out.write_all(b"\n").expect("the parent reads");
    for version in first.. {
        let group = random.below(GROUPS);
        let rows = (group * HOSTS..(group + 1) * HOSTS).map(|host| {
            let (state, body) = written(host, version);
            (origin(host), state, Some(body))
        });
        store.put_many(rows).expect("puts");
        writeln!(out, "group {group} {version}").expect("the parent reads");
        let host = SINGLE + random.below(SINGLES);
        if random.below(3) == 0 {
            store.remove(&origin(host)).expect("removes");
        } else {
            let (state, body) = written(host, version);
            store.put(&origin(host), &state, Some(&body)).expect("puts");
        }
        if random.below(64) == 0 {
            // Only bodies that are not used any more.
            store.prune(Timestamp(0)).expect("prunes");
        }
    }
}

fn start(path: &Path, first: u64) -> Child {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", "store_shared::writer", "--ignored", "--nocapture"]);
    command.env(WRITER, path).env(FIRST_VERSION, first.to_string()).stdout(Stdio::piped());
    command.spawn().expect("starts")
}

/// Reads everything, and compares it with what the writer writes. Returns the versions of the
/// groups.
fn check(store: &Store) -> Result<HashMap<u64, u64>, StoreError> {
    let mut versions = HashMap::new();
    let mut hosts = 0;
    for row in store.iter()? {
        let (key, state) = row?;
        let number = key.trim_start_matches("https://host-").trim_end_matches(".example");
        let host: u64 = number.parse().expect("a number");
        let version = state.attempted.0;
        let (wanted, body) = written(host, version);
        assert_eq!(store.get_with_body(&key)?, Some((wanted, Some(body))), "{key}");
        if host < SINGLE {
            let of_group = *versions.entry(host / HOSTS).or_insert(version);
            assert_eq!(of_group, version, "host {host}");
            hosts += 1;
        }
    }
    assert_eq!(hosts, versions.len() as u64 * HOSTS, "groups are complete");
    Ok(versions)
}

#[test]
fn readers_see_one_moment() {
    let folder = in_memory();
    let path = folder.path().join("shared.store");
    drop(Store::open(&path).expect("a store"));
    let acknowledged: Vec<AtomicU64> = (0..GROUPS).map(|_| AtomicU64::new(0)).collect();
    let is_over = AtomicBool::new(false);
    let (rounds, verified) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut writes = 0;
    thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let before: Vec<u64> =
                        acknowledged.iter().map(|last| last.load(Ordering::SeqCst)).collect();
                    let store = Store::open_read_only(&path).expect("opens");
                    let versions = check(&store).expect("no damage");
                    for (group, last) in before.iter().enumerate() {
                        let found = versions.get(&(group as u64)).copied().unwrap_or_default();
                        assert!(found >= *last, "group {group}: {found}, acknowledged {last}");
                    }
                    // It stays as it was, though much was written in the meantime.
                    assert_eq!(check(&store).expect("no damage"), versions);
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                Store::verify(&path).expect("no damage");
                verified.fetch_add(1, Ordering::Relaxed);
            }
        });
        for turn in 0..WRITERS {
            let mut writer = start(&path, turn * 1_000_000 + 1);
            let mut told = BufReader::new(writer.stdout.take().expect("a pipe"));
            let deadline = Instant::now() + EACH / effort::step(4) as u32;
            let mut line = String::new();
            let mut in_turn = 0;
            while told.read_line(&mut line).is_ok_and(|len| len > 0) {
                let words: Vec<&str> = line.split_whitespace().collect();
                if let ["group", group, version] = words[..] {
                    let group: usize = group.parse().expect("a number");
                    let version = version.parse().expect("a number");
                    acknowledged[group].store(version, Ordering::SeqCst);
                    in_turn += 1;
                }
                line.clear();
                if Instant::now() > deadline && in_turn > 0 {
                    break;
                }
            }
            // SIGKILL.
            writer.kill().expect("is killed");
            let status = writer.wait().expect("ends");
            assert_eq!(status.code(), None, "the writer ended by itself: {status}");
            writes += in_turn;
        }
        is_over.store(true, Ordering::Relaxed);
    });
    println!(
        "{writes} transactions by {WRITERS} killed writers; {} rounds of reading everything \
         twice, {} of verifying",
        rounds.load(Ordering::Relaxed),
        verified.load(Ordering::Relaxed)
    );
    assert!(writes > 0 && rounds.load(Ordering::Relaxed) > 0);

    // The last writer was killed. Nothing that only reads changes the file.
    let bytes = fs::read(&path).expect("reads");
    Store::verify(&path).expect("no damage");
    let store = Store::open_read_only(&path).expect("opens");
    let versions = check(&store).expect("no damage");
    assert!(matches!(store.remove("x").expect_err("is for reading").fault(), Fault::ReadOnly));
    assert!(bytes == fs::read(&path).expect("reads"), "the file was changed");
    // A writer takes over, while the reader goes on.
    let writer = Store::open(&path).expect("opens");
    for version in 1..200 {
        let (state, body) = written(SINGLE, version);
        writer.put(&origin(SINGLE), &state, Some(&body)).expect("puts");
    }
    assert_eq!(check(&store).expect("no damage"), versions);
    Store::verify(&path).expect("no damage");
}
