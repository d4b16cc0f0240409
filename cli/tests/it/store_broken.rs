//! Stores that are damaged, and stores on a disk that is full.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{CachedCopy, ContentHash, OriginState};
use robotsieve_client::store::Store;
use robotsieve_corpora::effort;

use crate::command::{Folder, Ran, run};

const HOSTS: u64 = 150;

fn body(host: u64) -> String {
    format!("User-agent: *\nDisallow: /private\nDisallow: /{host}\n").repeat(9)
}

/// A store whose sites were asked at this time, and in 2020, in turn. Each has rules.
fn a_store(folder: &Folder, at: Timestamp) -> PathBuf {
    let path = folder.path("whole.store");
    let store = Store::open(&path).unwrap();
    store
        .put_many((0..HOSTS).map(|host| {
            let body = body(host);
            let at = if host % 2 == 0 { at } else { Timestamp(1_600_000_000) };
            let state = OriginState::present(CachedCopy::new(body.as_bytes(), at));
            (format!("https://h{host}.example"), state, Some(body))
        }))
        .unwrap();
    assert!(store.close());
    Store::compact(&path).unwrap();
    path
}

/// A run that had no panic.
fn ran(args: impl IntoIterator<Item = OsString>) -> Ran {
    let ran = run(args);
    assert!(!ran.err.contains("panicked") && !ran.err.contains("RUST_BACKTRACE"), "{ran:?}");
    ran
}

/// Whatever is damaged, a URL has the right verdict or `unknown`, and that is told.
#[test]
fn damaged() {
    let folder = Folder::new();
    let whole = a_store(&folder, Timestamp(1_800_000_000));
    let bytes = fs::read(&whole).unwrap();
    let urls: String = (0..HOSTS)
        .map(|host| format!("https://h{host}.example/private\nhttps://h{host}.example/x\n"))
        .collect();
    let urls = folder.file("urls", urls);
    let damaged = folder.path("damaged.store");
    let filter = |store: &Path, missing: &str| {
        let (agent, missing) = ("--agent=FooBot", format!("--missing={missing}"));
        ran(args!["filter", "--store", store, agent, missing, "--format=tsv", &urls])
    };
    let export = |store: &Path| {
        let warc = folder.path("out.warc");
        let _ = fs::remove_file(&warc);
        let ran = ran(args!["store", "export", "--warc", &warc, store]);
        (ran.status, fs::read(&warc).unwrap_or_default())
    };
    let pack = |store: &Path| {
        let pack = folder.path("out.pack");
        let _ = fs::remove_file(&pack);
        let status = ran(args!["pack", "--store", store, "--agent=FooBot", "-o", &pack]).status;
        let judged = ["filter", "--pack"].map(OsString::from).into_iter();
        let judged = judged.chain(args![&pack, "--format=tsv", &urls]);
        (status, if status == 0 { ran(judged).out } else { Vec::new() })
    };
    let wanted = filter(&whole, "unknown");
    assert_eq!(wanted.status, 0);
    let wanted_lines: Vec<&[u8]> = wanted.out.split(|byte| *byte == b'\n').collect();
    let (exported, packed) = (export(&whole), pack(&whole));
    let stat = ran(args!["store", "stat", &whole]).out;
    let (mut seed, mut told, rounds) = (0x9E37_79B9_7F4A_7C15_u64, 0, effort::cases(80));
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let mut all_damaged: Vec<Vec<u8>> = Vec::new();
    for round in 0..rounds {
        let mut now = bytes.clone();
        let page = random(now.len() / 4096) * 4096;
        match round % 4 {
            // The heads of pages say how many rows there are.
            0 => now[page + random(8)] ^= 1 << random(8),
            1 => now[page..page + 4096].fill(0),
            2 => now[page + random(4096)] ^= 1 << random(8),
            _ => {
                let from = random(now.len() / 4096) * 4096;
                now.copy_within(from..from + 4096, page);
            }
        }
        all_damaged.push(now);
    }
    // The index of bodies has half of each hash, as a number.
    for host in [1, 70, 149] {
        let mut half = ContentHash::of(body(host).as_bytes()).0[..16].to_vec();
        half.reverse();
        let at = memchr::memmem::find(&bytes, &half).expect("the store's format has changed");
        let mut now = bytes.clone();
        now[at] ^= 1;
        all_damaged.push(now);
    }
    for (round, now) in all_damaged.iter().enumerate() {
        fs::write(&damaged, now).unwrap();
        for missing in ["unknown", "allow"] {
            let found = filter(&damaged, missing);
            if found.status == 0 {
                assert!(found.out == wanted.out, "{round} {missing}: {}", found.err);
                continue;
            }
            assert_eq!(found.status, 3, "{found:?}");
            told += 1;
            // One that cannot be opened judges nothing.
            if found.out.is_empty() {
                continue;
            }
            for (line, wanted) in found.out.split(|byte| *byte == b'\n').zip(&wanted_lines) {
                assert!(line == *wanted || line.starts_with(b"unknown\t"), "{round} {missing}");
            }
        }
        let found = export(&damaged);
        assert!(found.0 == 3 || found == exported, "{round}");
        let found = pack(&damaged);
        assert!(found.0 == 3 || found == packed, "{round}");
        let found = ran(args!["store", "stat", &damaged]);
        assert!(found.status == 3 || found.out == stat, "{round}: {found:?}");
        ran(args!["store", "verify", &damaged]);
    }
    assert!(told > rounds / 2, "{told}");
}

/// A store that fills its disk and has nothing free: what is left of it goes to another disk.
#[test]
#[cfg(unix)]
fn full_disk() {
    use crate::command::in_shell;

    let folder = Folder::new();
    let store = a_store(&folder, Timestamp::now());
    let blocks = fs::metadata(&store).unwrap().len() / 512;
    let in_folder = |script: &str, rest: &str| {
        let line = format!("{script} exec \"$0\" store {rest}");
        Ran::from(in_shell(&line).current_dir(folder.root()).output().unwrap())
    };
    // A file that may not grow is like a disk that is full. Either it works in small steps, or the way
    // out is told.
    let limit = format!("trap '' XFSZ; ulimit -f {blocks};");
    let pruned = in_folder(&limit, "prune --older-than 90days whole.store");
    if pruned.status != 0 {
        pruned.fails(3, "with --to FILE writes it to another disk");
    }
    // That other disk has room.
    let elsewhere = |rest: &str| in_folder("", rest);
    let out = format!("origins_forgotten\t{}\n", HOSTS / 2);
    fs::remove_file(folder.path("whole.store")).unwrap();
    a_store(&folder, Timestamp::now());
    elsewhere("prune --older-than 90days --to new.store whole.store").prints(&out);
    elsewhere("compact --to copy.store whole.store").status(0);
    elsewhere("compact --to copy.store whole.store").fails(3, "exists");
    run(args!["store", "verify", folder.path("copy.store")]).status(0);
    fs::rename(folder.path("new.store"), folder.path("whole.store")).unwrap();
    run(args!["store", "verify", folder.path("whole.store")]).status(0);
    let stat = run(args!["store", "stat", folder.path("whole.store")]);
    stat.prints(&format!("origins\t{}\n", HOSTS / 2));
    assert_eq!(fs::read_dir(folder.root()).unwrap().count(), 2);
}

/// Of a site whose file is damaged, a pack says that nothing is known, whoever else was asked about it before.
#[test]
fn damaged_files_in_packs() {
    let folder = Folder::new();
    let path = a_store(&folder, Timestamp(1_800_000_000));
    let mut bytes = fs::read(&path).unwrap();
    let hash = ContentHash::of(body(70).as_bytes());
    // Hash and length come before the compressed file.
    let at = memchr::memmem::find(&bytes, &hash.0).expect("the store's format has changed");
    bytes[at + 32 + 4 + 2] ^= 1;
    let damaged = folder.file("damaged.store", bytes);
    let pack = folder.path("out.pack");
    let made = ran(args!["pack", "--store", &damaged, "--agent=FooBot", "-o", &pack]);
    assert_eq!(made.status, 3, "{made:?}");
    assert!(
        made.err.contains("h70.example: ") && made.err.contains("counts as unknown"),
        "{made:?}"
    );
    let urls = folder.file("urls", "https://h70.example/x\nhttps://h71.example/x\n");
    let judged = ran(args!["filter", "--pack", &pack, "--missing=allow", "--format=tsv", urls]);
    let wanted = "unknown\thttps://h70.example/x\nallow\thttps://h71.example/x\n";
    assert_eq!(String::from_utf8(judged.out).unwrap(), wanted);
}
