//! Packs in shards, and packs of packs: `pack --shards` and `pack merge`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Folder, Ran, run, run_with};

/// Lines of JSON for hosts with these numbers.
fn captures(hosts: std::ops::Range<u32>, path: &str, time: u64) -> String {
    let line = |host| {
        format!(
            "{{\"url\":\"https://{host}.example\",\"status\":200,\"time\":{time},\
             \"body\":\"User-agent: *\\nDisallow: /{path}\\n\"}}\n"
        )
    };
    hosts.map(line).collect()
}

fn pack(captures: &Path, out: &Path, options: &[&str]) -> Ran {
    let args = args!["pack", "--jsonl", captures, "--agent", "FooBot", "-o", out];
    run(args.into_iter().chain(options.iter().map(OsString::from)))
}

fn verdicts(pack: &Path, urls: &str) -> String {
    let ran = run_with(args!["filter", "--pack", pack, "--format", "tsv"], urls.as_bytes());
    assert_eq!(ran.status, 0, "{ran:?}");
    String::from_utf8(ran.out).unwrap()
}

fn urls(hosts: std::ops::Range<u32>) -> String {
    hosts.map(|host| format!("https://{host}.example/a\nhttps://{host}.example/b\n")).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What `pack list` prints, sorted.
fn listed(pack: &Path) -> Vec<String> {
    let list = run(args!["pack", "list", pack]);
    assert_eq!(list.status, 0, "{list:?}");
    let mut lines: Vec<String> =
        String::from_utf8(list.out).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn shards_are_one_pack() {
    let folder = Folder::new();
    let captures = folder.file("captures.jsonl", captures(0..500, "a", 1_700_000_000));
    let whole = folder.path("whole.pack");
    pack(&captures, &whole, &["--seed", "7"]).gives(0, "").says("origins 500 files 1 ");
    let wanted = verdicts(&whole, &urls(0..501));
    assert!(wanted.ends_with("unknown\thttps://500.example/b\n"));
    for count in [1, 2, 7, 300] {
        let shards = folder.path("shards");
        let option = count.to_string();
        pack(&captures, &shards, &["--shards", &option, "--seed", "7"])
            .gives(0, "")
            .says("origins 500 files 1 ");
        let made = names(&shards);
        assert_eq!(made.len(), count as usize);
        assert_eq!(made[0], format!("shard-0000-of-{count:04}.pack"));
        assert_eq!(verdicts(&shards, &urls(0..501)), wanted, "{count} shards");
        assert_eq!(listed(&shards), listed(&whole));
        run(args!["pack", "verify", &shards])
            .gives(0, format!("{}: no damage, 500 origins\n", shards.display()));
        let stat = String::from_utf8(run(args!["pack", "stat", &shards]).out).unwrap();
        for line in [&format!("shards\t{count}"), "origins\t500", "layers\t1"] {
            assert!(stat.lines().any(|l| l == line), "{line}: {stat}");
        }
        // The same bytes whatever the number of threads, and from one pack as well.
        let files = |folder: &Path| -> Vec<Vec<u8>> {
            names(folder).iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
        };
        let before = files(&shards);
        let again = ["--shards", &option, "--threads", "3", "--seed", "7"];
        pack(&captures, &shards, &again).gives(0, "");
        assert!(files(&shards) == before, "{count} shards");
        run(args!["pack", "merge", &whole, "--shards", &option, "--seed", "7", "-o", &shards])
            .gives(0, "");
        assert!(files(&shards) == before, "{count} shards of a pack");
        let merged = folder.path("merged.pack");
        run(args!["pack", "merge", &shards, "-o", &merged]).gives(0, "").says("origins 500 ");
        assert_eq!(verdicts(&merged, &urls(0..501)), wanted);
    }
    // Nothing else is left beside them.
    assert_eq!(names(&folder.root()), ["captures.jsonl", "merged.pack", "shards", "whole.pack"]);
}

/// A site goes to the shard that Spark's `pmod(xxhash64(host), N)` names.
#[test]
fn shards_by_hash() {
    let folder = Folder::new();
    let captures = folder.file("captures.jsonl", captures(0..50, "a", 1_700_000_000));
    let shards = folder.path("shards");
    pack(&captures, &shards, &["--shards", "4"]).gives(0, "");
    for host in 0..50 {
        let key = format!("https://{host}.example");
        let shard = robotsieve::Origin::of(&key).unwrap().shard(4);
        let bytes = fs::read(shards.join(format!("shard-{shard:04}-of-0004.pack"))).unwrap();
        let name = format!("{host}.example");
        assert!(memchr::memmem::find(&bytes, name.as_bytes()).is_some(), "{key}");
    }
}

#[test]
fn folders_that_are_not_replaced() {
    let folder = Folder::of(&[("robots/a.example", ""), ("file", "")]);
    let captures = folder.file("captures.jsonl", captures(0..9, "a", 1));
    let two = ["--shards", "2"];
    pack(&captures, &folder.path("robots"), &two).fails(2, "which the shards would replace");
    pack(&captures, &folder.path("file"), &two).fails(2, "is a file");
    pack(&captures, &folder.path("none/out"), &two).fails(3, "there is no folder '");
    pack(&captures, &folder.path("robots"), &[]).fails(3, "is not a regular file");
    pack(&captures, &folder.path("out"), &["--shards", "0"]).fails(2, "0 is not in 1..");
    assert_eq!(names(&folder.root()), ["captures.jsonl", "file", "robots"]);
    // An empty folder is one of no shards.
    fs::create_dir(folder.path("empty")).unwrap();
    pack(&captures, &folder.path("empty"), &two).gives(0, "");
    assert_eq!(names(&folder.path("empty")).len(), 2);
}

/// A set that is not whole is no pack.
#[test]
fn missing_and_foreign_shards() {
    let folder = Folder::new();
    let captures = folder.file("captures.jsonl", captures(0..99, "a", 1));
    let (shards, other) = (folder.path("shards"), folder.path("other"));
    let path = |index: u32| shards.join(format!("shard-{index:04}-of-0003.pack"));
    let refused = |message: &str| {
        for args in [
            args!["pack", "verify", &shards].to_vec(),
            args!["pack", "list", &shards].to_vec(),
            args!["filter", "--pack", &shards].to_vec(),
            args!["pack", "update", &shards, "--jsonl", &captures].to_vec(),
            args!["pack", "merge", &shards, "-o", folder.path("merged.pack")].to_vec(),
        ] {
            run(args).fails(3, message);
        }
    };
    let make = || {
        pack(&captures, &shards, &["--shards", "3"]).gives(0, "");
    };
    make();
    for index in 0..3 {
        fs::remove_file(path(index)).unwrap();
        refused(&format!("shard-000{index}-of-0003.pack is missing"));
        make();
    }
    // One of a set of another size, one in the place of another, one with other crawlers.
    pack(&captures, &other, &["--shards", "4"]).gives(0, "");
    let stray = shards.join("shard-0003-of-0004.pack");
    fs::copy(other.join("shard-0003-of-0004.pack"), &stray).unwrap();
    refused("is of another set");
    fs::remove_file(stray).unwrap();
    fs::copy(path(0), path(1)).unwrap();
    refused("cannot use pack");
    pack(&captures, &other, &["--shards", "3", "--agent", "Other"]).gives(0, "");
    fs::copy(other.join("shard-0001-of-0003.pack"), path(1)).unwrap();
    refused("shard-0001-of-0003.pack'");
    make();
    // A file by itself says what it is.
    run(args!["pack", "stat", path(1)])
        .fails(3, "shard-0001-of-0003.pack'")
        .says("file 2 of a pack of 3")
        .says("name the folder that they are in");
    // Cut anywhere, it is refused.
    let bytes = fs::read(path(2)).unwrap();
    for len in (0..bytes.len()).step_by(997).chain([bytes.len() - 1]) {
        fs::write(path(2), &bytes[..len]).unwrap();
        run(args!["pack", "verify", &shards]).fails(3, "shard-0002-of-0003.pack'");
    }
    fs::remove_dir_all(&shards).unwrap();
    fs::create_dir(&shards).unwrap();
    refused("has no files named shard-NNNN-of-NNNN.pack");
}

/// Of a site that several packs have, the newest capture counts, and of equal ones the last pack's.
#[test]
fn merge() {
    let folder = Folder::new();
    let make = |name: &str, hosts, path: &str, time: u64| -> PathBuf {
        let captures = folder.file("captures.jsonl", captures(hosts, path, time));
        let out = folder.path(name);
        pack(&captures, &out, &[]).gives(0, "");
        out
    };
    let old = make("old.pack", 0..20, "a", 1_000);
    let new = make("new.pack", 10..30, "b", 2_000);
    let like_new = make("like_new.pack", 29..40, "a", 2_000);
    let merged = folder.path("merged.pack");
    let urls = "https://9.example/a\nhttps://10.example/a\nhttps://10.example/b\n\
        https://29.example/a\nhttps://29.example/b\nhttps://39.example/a\n";
    for (packs, wanted) in [
        (
            [&old, &new, &like_new],
            ["disallow", "allow", "disallow", "disallow", "allow", "disallow"],
        ),
        (
            [&new, &like_new, &old],
            ["disallow", "allow", "disallow", "disallow", "allow", "disallow"],
        ),
        (
            [&like_new, &old, &new],
            ["disallow", "allow", "disallow", "allow", "disallow", "disallow"],
        ),
    ] {
        let args = args!["pack", "merge", packs[0], packs[1], packs[2], "-o", &merged];
        run(args).gives(0, "").says("origins 40 ");
        let verdicts = verdicts(&merged, urls);
        let verdicts: Vec<&str> =
            verdicts.lines().map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(verdicts, wanted);
        assert_eq!(listed(&merged).len(), 40);
    }
    run(args!["pack", "verify", &merged])
        .gives(0, format!("{}: no damage, 40 origins\n", merged.display()));
    let captures = folder.path("captures.jsonl");
    for (options, what) in [
        (&["--profile", "google"][..], "differ in their profiles: rfc9309 and google"),
        (&["--agent", "Other"], "differ in their crawlers: FooBot and FooBot; Other"),
        (&["--keep-rules"], "differ in their rules: not kept and kept"),
        (&["--keep-sitemaps"], "differ in their sitemaps: not kept and kept"),
    ] {
        let other = folder.path("other.pack");
        pack(&captures, &other, options).gives(0, "");
        run(args!["pack", "merge", &old, &other, "-o", &merged]).fails(2, what);
    }
    run(args!["pack", "merge", &old, "-o", &old]).fails(2, "is one of the files to read");
    run(args!["pack", "merge", &old]).fails(2, "-o PATH");
    run(args!["pack", "merge", folder.path("none"), "-o", &merged]).fails(3, "cannot open pack");
}

/// Shards and a file with the same few sites.
#[cfg(unix)]
fn small_packs(folder: &Folder) -> [PathBuf; 2] {
    let small = folder.file("captures.jsonl", captures(0..50, "a", 1));
    let (shards, file) = (folder.path("shards"), folder.path("file.pack"));
    pack(&small, &shards, &["--shards", "3"]).gives(0, "");
    pack(&small, &file, &[]).gives(0, "");
    [shards, file]
}

/// Whatever ends the program, nothing is left, and what was there before is whole.
#[cfg(unix)]
#[test]
fn ended_in_the_middle() {
    use crate::command::{Command, command};
    use std::io::Write;
    use std::process::Stdio;
    use std::time::Duration;

    let folder = Folder::new();
    let [shards, file] = small_packs(&folder);
    let wanted = listed(&file);
    let many = captures(0..30_000, "b", 2);
    for signal in ["-TERM", "-KILL"] {
        for (out, options) in [(&shards, &["--shards", "3"][..]), (&file, &[])] {
            let args = args!["pack", "--jsonl", "-", "--agent", "FooBot", "-o", out];
            let mut child = command(args).args(options).stdin(Stdio::piped()).spawn().unwrap();
            // The input does not end: the program is ended while it makes the pack.
            let mut input = child.stdin.take().unwrap();
            input.write_all(many.as_bytes()).unwrap();
            std::thread::sleep(Duration::from_millis(20));
            let killed = Command::new("kill").arg(signal).arg(child.id().to_string()).status();
            assert!(killed.unwrap().success());
            assert!(!child.wait().unwrap().success());
            assert_eq!(listed(out), wanted, "{signal}");
            if signal != "-KILL" {
                assert_eq!(
                    names(&folder.root()),
                    ["captures.jsonl", "file.pack", "shards"],
                    "{signal}"
                );
            }
        }
    }
}

/// A full disk: an error, nothing is left, and what was there before is whole.
#[cfg(unix)]
#[test]
fn no_room() {
    let folder = Folder::new();
    let [shards, file] = small_packs(&folder);
    let wanted = listed(&file);
    let many = folder.file("captures.jsonl", captures(0..9_000, "b", 2));
    for (out, shards) in [(&shards, "--shards 3"), (&file, "")] {
        let ran = limited(
            64,
            &format!(
                "pack --jsonl '{}' --agent FooBot -o '{}' {shards}",
                many.display(),
                out.display()
            ),
        );
        ran.fails(3, "cannot write pack '");
        assert_eq!(listed(out), wanted);
        assert_eq!(names(&folder.root()), ["captures.jsonl", "file.pack", "shards"]);
    }
}

/// Runs the command with a limit of the size of files, in KiB.
#[cfg(unix)]
pub fn limited(kib: u32, args: &str) -> Ran {
    // A shell counts blocks of 512 bytes.
    let script = format!("ulimit -f {}; exec \"$0\" {args}", 2 * kib);
    crate::command::in_shell(&script).output().unwrap().into()
}
