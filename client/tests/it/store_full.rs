//! A disk that fills: nothing acknowledged is lost, the store says what is wrong, goes on
//! reading, and takes changes again once there is room.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use robotsieve_client::store::{Store, StoreError};

use crate::support::generated::generated;

/// The environment variable with the folder for the store, for the writer.
const FOLDER: &str = "ROBOTSIEVE_STORE_FULL_FOLDER";
/// Set if the folder is a small disk with the file `ballast`. Otherwise only files are limited.
const IS_DISK: &str = "ROBOTSIEVE_STORE_FULL_IS_DISK";
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
    for _ in 0..3 {
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

/// Runs the writer by a shell script, in which `$0` is this program.
fn run(script: &str, folder: &Path, is_disk: bool) -> bool {
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
/// had, the next test still fills a file.
#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "mount -t tmpfs -o size=8m tmpfs \"$ROBOTSIEVE_STORE_FULL_FOLDER\" \
                  && echo mounted && head -c 2000000 /dev/zero \
                  > \"$ROBOTSIEVE_STORE_FULL_FOLDER/ballast\" \
                  && exec \"$0\" --exact store_full::writer --ignored --nocapture";
    if !run(script, folder.path(), true) {
        println!("not tested");
    }
}

#[test]
fn a_file_that_may_not_grow_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    // In blocks of 512 bytes. Without the trap the signal would end the program.
    let script = "trap '' XFSZ; ulimit -f 12000; \
                  exec \"$0\" --exact store_full::writer --ignored --nocapture";
    assert!(run(script, folder.path(), false));
}
