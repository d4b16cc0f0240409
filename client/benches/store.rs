//! A store of many generated origins: filled, opened, read. It runs once, for figures that
//! criterion does not give: bytes per origin, and the time to open the file after a clean and an
//! unclean end.
//!
//! `--test` makes a small store; `-- ORIGINS` sets the number of origins (otherwise 1,000,000).

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use robotsieve_client::outcome::OriginState;
use robotsieve_client::store::Store;

#[path = "../tests/it/support/generated.rs"]
mod generated;

use generated::{generated, origin, without_copy};

const SEED: u64 = 1;
/// The number of origins that are generated at a time.
const AT_A_TIME: u64 = 1 << 16;
const ASKED: u64 = 50_000;

type Row = (String, OriginState, Option<Vec<u8>>);

fn main() {
    let is_test = std::env::args().any(|arg| arg == "--test");
    let origins = std::env::args().find_map(|arg| arg.parse().ok());
    let origins: u64 = origins.unwrap_or(if is_test { 2_000 } else { 1_000_000 });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("generated.store");

    let store = fill(&path, origins);
    let killed = folder.path().join("killed.store");
    openings(store, &path, &killed, origins);
    let store = Store::open(&path).expect("a store");
    counts(&store, origins);
    look_ups(&store, origins);
    puts(&store, is_test);
    let start = Instant::now();
    let reader = Store::open_read_only(&path).expect("a store");
    println!("opened for reading beside the writer in {:.1} ms", millis(start.elapsed()));
    println!("while it is open:");
    puts(&store, is_test);
    drop(reader);
    let start = Instant::now();
    let pruned = store.prune(robotsieve_client::Timestamp(1_800_050_000)).expect("prunes");
    println!("pruned in {:.2} s: {pruned:?}", start.elapsed().as_secs_f64());
    drop(store);
    let start = Instant::now();
    let len = Store::compact(&path).expect("compacts");
    println!("compacted to {len} bytes in {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    Store::verify(&path).expect("no damage");
    println!("verified in {:.2} s", start.elapsed().as_secs_f64());
}

/// A new store of so many origins.
fn fill(path: &Path, origins: u64) -> Store {
    let store = Store::open(path).expect("a store");
    let mut inserting = Duration::ZERO;
    for from in (0..origins).step_by(AT_A_TIME as usize) {
        let rows: Vec<Row> = (from..origins.min(from + AT_A_TIME))
            // Not in the order of keys, just as they come from a frontier.
            .map(|number| generated(SEED, scattered(number, origins)))
            .collect();
        let start = Instant::now();
        store.put_many(rows).expect("puts");
        inserting += start.elapsed();
    }
    println!("{origins} origins inserted in {:.1} s by put_many", inserting.as_secs_f64());
    store
}

/// Closes a store, compacts it, and opens it after a clean and an unclean end.
fn openings(store: Store, path: &Path, killed: &Path, origins: u64) {
    // A copy of the open file: opening it is like opening the file after a kill.
    fs::copy(path, killed).expect("a copy");
    // Sync first, so that the writes of opening do not wait for those of copying.
    fs::File::open(killed).and_then(|file| file.sync_all()).expect("is written");
    let start = Instant::now();
    drop(store);
    println!("closed in {:.1} ms", millis(start.elapsed()));
    let closed = bytes(path);
    let start = Instant::now();
    let len = Store::compact(path).expect("compacts");
    let compacting = start.elapsed();
    println!(
        "{len} bytes, {:.1} for each origin, compacted in {:.1} s from {closed}",
        len as f64 / origins as f64,
        compacting.as_secs_f64()
    );
    // Opening it for writing would end that.
    let unclean = killed.with_file_name("unclean.store");
    fs::copy(killed, &unclean).expect("a copy");
    for (path, how) in [(path, "a clean"), (&unclean, "an unclean")] {
        let start = Instant::now();
        let store = Store::open(path).expect("a store");
        println!("opened after {how} end in {:.1} ms", millis(start.elapsed()));
        assert!(store.get(&origin(1)).expect("an answer").is_some());
    }
    for (path, how) in [(path, "a clean"), (killed, "an unclean")] {
        let start = Instant::now();
        let store = Store::open_read_only(path).expect("a store");
        println!("opened for reading after {how} end in {:.1} ms", millis(start.elapsed()));
        assert!(store.get(&origin(1)).expect("an answer").is_some());
    }
}

fn counts(store: &Store, origins: u64) {
    let start = Instant::now();
    let stat = store.stat().expect("figures");
    println!("counted in {:.2} s: {stat:?}", start.elapsed().as_secs_f64());
    assert_eq!(stat.origins, origins);
    assert_eq!(stat.absent + stat.unreachable, origins.div_ceil(10));
    assert_eq!(stat.unused_bodies, 0);
    let shares = stat.bodies as f64 / origins as f64;
    println!("{:.1} % of the origins have a body of their own", 100.0 * shares);
    assert!(origins < 100_000 || shares >= 0.4, "too few bodies");
}

/// Reads origins, with and without their bodies.
fn look_ups(store: &Store, origins: u64) {
    let asked = ASKED.min(origins);
    for round in ["first", "second"] {
        let start = Instant::now();
        let mut bytes = 0;
        for number in 0..asked {
            let host = scattered(number, origins);
            let found = store.get_with_body(&origin(host)).expect("an answer");
            bytes += found.expect("is known").1.map_or(0, |body| body.len());
        }
        let time = start.elapsed();
        println!(
            "{round} look-up of each of {asked} origins with body ({} bytes on average): {:.2} us",
            bytes as u64 / asked,
            micros(time) / asked as f64
        );
    }
    let start = Instant::now();
    let found = (0..asked)
        .filter(|n| store.get(&origin(scattered(*n, origins))).expect("an answer").is_some());
    assert_eq!(found.count() as u64, asked);
    println!("the same without bodies: {:.2} us", micros(start.elapsed()) / asked as f64);
    for number in (0..asked).step_by(97) {
        let host = scattered(number, origins);
        let (_, state, body) = generated(SEED, host);
        assert_eq!(store.get_with_body(&origin(host)).expect("an answer"), Some((state, body)));
    }
}

/// Single changes of existing origins, from one thread and from many.
fn puts(store: &Store, is_test: bool) {
    let each = if is_test { 5 } else { 100 };
    let state = without_copy(robotsieve_client::outcome::Outcome::Present, 1_800_100_000);
    for threads in [1, 16, 64] {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let state = &state;
                scope.spawn(move || {
                    for number in 0..each {
                        store.put(&origin(thread * 1_000 + number), state, None).expect("puts");
                    }
                });
            }
        });
        let time = start.elapsed();
        println!(
            "{threads} threads put one by one: {:.0} a second, {:.2} ms each",
            (threads * each) as f64 / time.as_secs_f64(),
            millis(time) / each as f64
        );
    }
}

/// A permutation of the numbers below `len`.
fn scattered(number: u64, len: u64) -> u64 {
    // 7919 is prime, so it shares no factor with a length that is not a multiple of it.
    assert!(!len.is_multiple_of(7919));
    number * 7919 % len
}

fn bytes(path: &Path) -> u64 {
    fs::metadata(path).expect("a file").len()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
