//! A disk that fills: nothing acknowledged is lost, the store says what is wrong, goes on
//! reading, and takes changes again once there is room.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use robotsieve_client::Timestamp;
use robotsieve_client::store::{Store, StoreError};

use crate::support::folder::in_memory;
use crate::support::generated::generated;

/// The environment variable with the folder for the store, for the writer.
const FOLDER: &str = "ROBOTSIEVE_STORE_FULL_FOLDER";
/// Set if the folder is a small disk with the file `ballast`. Otherwise only files are limited.
const IS_DISK: &str = "ROBOTSIEVE_STORE_FULL_IS_DISK";
/// Set if the writer relieves the full disk by what is in the store.
const PRUNES: &str = "ROBOTSIEVE_STORE_FULL_PRUNES";
/// What the writer prints at its end.
const DONE: &str = "the store holds ";

fn put(store: &Store, host: u64) -> Result<(), StoreError> {
    let (origin, state, body) = generated(1, host);
    store.put(&origin, &state, body.as_deref())
}

fn holds(store: &Store, hosts: u64) {
    for host in 0..hosts {
        let (origin, state, body) = generated(1, host);
        assert_eq!(store.get_with_body(&origin).expect("reads"), Some((state, body)));
    }
}

/// The writing process, on a small disk.
#[test]
#[ignore = "only for the tests below, which start it"]
fn writer() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let (folder, is_disk) = (Path::new(&folder), env::var_os(IS_DISK).is_some());
    let path = folder.join("robots.store");
    let store = Store::open(&path).expect("room for an empty store");
    let reader = store.reader();
    let mut acknowledged = 0;
    let error = loop {
        match put(&store, acknowledged) {
            Ok(()) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 1_000_000, "the disk is small");
    };
    assert!(error.is_full() && error.is_of_file(), "{error:?}");
    // A reader from before the error says that it has ended. It does not say that nothing is
    // there.
    let ended = reader.get(&generated(1, 0).0);
    assert!(!matches!(ended, Ok(Some(_))), "it is from before the first change");
    // Again and again, and with many at once.
    for _ in 0..2 {
        let more = (1_000_000..1_030_000).map(|host| generated(1, host));
        let error = store.put_many(more).expect_err("the disk is full");
        assert!(error.is_full(), "{error:?}");
        holds(&store, acknowledged.min(50));
    }
    holds(&store, acknowledged);
    // The file can be opened, read and verified while there is no room.
    drop(store);
    drop(reader);
    Store::verify(&path).expect("no damage");
    holds(&Store::open_read_only(&path).expect("opens"), acknowledged);
    let store = Store::open(&path).expect("opens without room");
    holds(&store, acknowledged);
    // What it holds can be written elsewhere while there is no room here.
    let elsewhere = in_memory();
    let copy = elsewhere.path().join("copy.store");
    store.copy_to(&copy, Timestamp(0)).expect("room elsewhere");
    holds(&Store::open_read_only(&copy).expect("opens"), acknowledged);
    Store::verify(&copy).expect("no damage");
    store.copy_to(&copy, Timestamp(0)).expect_err("it is there");
    if env::var_os(PRUNES).is_some() {
        prunes(store, &path, acknowledged);
        println!("\n{DONE}{acknowledged}");
        return;
    }
    if is_disk {
        let full = store.put_many((2_000_000..2_030_000).map(|host| generated(1, host)));
        assert!(full.is_err_and(|error| error.is_full()));
        fs::remove_file(folder.join("ballast")).expect("gives room");
        // The very same store goes on.
        for host in 3_000_000..3_000_100 {
            put(&store, host).expect("there is room again");
        }
        holds(&store, acknowledged);
    }
    drop(store);
    Store::verify(&path).expect("no damage");
    let left: Vec<_> = fs::read_dir(folder).expect("reads").filter_map(Result::ok).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    println!("\n{DONE}{acknowledged}");
}

/// The process with a store that has no free space, on a disk that somebody else fills.
#[test]
#[ignore = "only for the test below, which starts it"]
fn filled_by_others() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let path = Path::new(&folder).join("robots.store");
    let store = Store::open(&path).expect("room for an empty store");
    store.put_many((0..3000).map(|host| generated(1, host))).expect("there is room");
    drop(store);
    Store::compact(&path).expect("compacts");
    let ballast = fs::File::options().append(true).open(Path::new(&folder).join("ballast"));
    let mut ballast = ballast.expect("opens");
    while std::io::Write::write_all(&mut ballast, &[1; 4096]).is_ok() {}
    let store = Store::open(&path).expect("opens");
    let half = Timestamp(1_800_000_000 + 1500);
    assert_eq!(store.prune(half).expect("prunes without room").origins, 1500);
    put(&store, 5_000_000).expect("there is room in the file");
    drop(store);
    Store::verify(&path).expect("no damage");
    println!("\n{DONE}1500");
}

/// Half of a full store is forgotten, and the other half has room to go on, in the same file.
fn prunes(store: Store, path: &Path, acknowledged: u64) {
    let half = acknowledged / 2;
    let pruned = store.prune(Timestamp(1_800_000_000 + half)).expect("prunes without room");
    assert_eq!(pruned.origins, half);
    let stat = store.stat().expect("reads");
    assert_eq!((stat.origins, stat.unused_bodies), (acknowledged - half, 0));
    let is_left = |store: &Store| {
        for host in 0..acknowledged {
            let (origin, state, body) = generated(1, host);
            let wanted = (host >= half).then_some((state, body));
            assert_eq!(store.get_with_body(&origin).expect("reads"), wanted);
        }
    };
    is_left(&store);
    // As many again as were forgotten, but for a tenth.
    for host in 4_000_000..4_000_000 + half * 9 / 10 {
        put(&store, host).expect("there is room again");
    }
    store.prune(Timestamp(1_800_000_000 + half)).expect("prunes");
    drop(store);
    let before = fs::metadata(path).expect("is there").len();
    let after = Store::compact(path).expect("compacts");
    println!("compacted from {before} to {after} bytes");
    Store::verify(path).expect("no damage");
    is_left(&Store::open(path).expect("opens"));
}

/// Runs the writer by a shell script, in which `$0` is this program.
fn run(script: &str, folder: &Path, is_disk: bool, prunes: bool) -> bool {
    let program = env::current_exe().expect("this program");
    let mut command = if is_disk {
        // Mounts are seen by this process only, and end with it.
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh"]).env(IS_DISK, "yes");
        command
    } else {
        Command::new("sh")
    };
    command.args(["-c", script]).arg(program).env(FOLDER, folder);
    if prunes {
        command.env(PRUNES, "yes");
    }
    let output = command.output().expect("starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if is_disk && !text.contains("mounted") {
        println!("cannot mount a small disk here: {errors}");
        return false;
    }
    assert!(output.status.success() && text.contains(DONE), "{text}{errors}");
    text.lines().filter(|line| line.starts_with(DONE)).for_each(|line| println!("{line}"));
    true
}

/// A disk of 8 MB. Mounting it takes rights that not every machine gives; where it cannot be
/// had, the tests below still fill a file.
fn on_a_small_disk(test: &str, prunes: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "mount -t tmpfs -o size=8m tmpfs \"$ROBOTSIEVE_STORE_FULL_FOLDER\" \
                  && echo mounted && head -c 2000000 /dev/zero \
                  > \"$ROBOTSIEVE_STORE_FULL_FOLDER/ballast\" \
                  && exec \"$0\" --exact store_full::TEST --ignored --nocapture";
    if !run(&script.replace("TEST", test), folder.path(), true, prunes) {
        println!("not tested");
    }
}

fn in_a_small_file(prunes: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    // In blocks of 512 bytes. Without the trap the signal would end the program. The copy fits.
    let script = "trap '' XFSZ; ulimit -f 12000; \
                  exec \"$0\" --exact store_full::writer --ignored --nocapture";
    assert!(run(script, folder.path(), false, prunes));
}

#[test]
fn a_full_disk_loses_nothing() {
    on_a_small_disk("writer", false);
}

#[test]
fn a_file_that_may_not_grow_loses_nothing() {
    in_a_small_file(false);
}

#[test]
fn a_full_disk_is_relieved_by_pruning() {
    on_a_small_disk("writer", true);
}

/// A store without free space has kept some on the disk.
#[test]
fn a_disk_that_others_fill_is_relieved_by_pruning() {
    on_a_small_disk("filled_by_others", true);
}

#[test]
fn a_file_that_may_not_grow_is_relieved_by_pruning() {
    in_a_small_file(true);
}
