//! `robotsieve pack merge`: what several packs know of a site is its history.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Folder, Ran, run};

/// A line of JSON: an answer of `https://e.example`.
fn line(answer: &str, time: u32) -> String {
    let time = if time == 0 { String::new() } else { format!(",\"time\":{time}") };
    format!("{{\"url\":\"https://e.example\"{time},{answer}}}\n")
}

const A: &str = r#""status":200,"body":"User-agent: *\nDisallow: /a\n""#;
const B: &str = r#""status":200,"body":"User-agent: *\nDisallow: /b\n""#;
const GONE: &str = r#""status":404"#;
const BUSY: &str = r#""status":503"#;
const LOST: &str = r#""status":301,"location":"https://nowhere.example/robots.txt""#;

fn pack(folder: &Folder, name: &str, lines: &str) -> PathBuf {
    let captures = folder.file("captures.jsonl", lines);
    let pack = folder.path(name);
    run(args!["pack", "--jsonl", captures, "--agent", "FooBot", "-o", &pack]).gives(0, "");
    pack
}

fn merge(packs: &[&Path], out: &Path) -> Ran {
    let packs = packs.iter().map(|pack| pack.as_os_str().to_owned());
    run(args!["pack", "merge", "-o", out].into_iter().chain(packs))
}

/// The outcome and the time, and whether `/a` is allowed.
fn known(pack: &Path) -> String {
    let list = String::from_utf8(run(args!["pack", "list", pack]).out).unwrap();
    let columns: Vec<&str> = list.trim_end_matches('\n').split('\t').collect();
    assert_eq!(columns[0], "https://e.example");
    let url = "https://e.example/a";
    let ran = crate::command::run_with(args!["filter", "--pack", pack], url.as_bytes());
    let time = columns[2].strip_prefix("1970-01-01T00:").unwrap_or(columns[2]);
    format!("{} {time} {}", columns[1], if ran.out.is_empty() { "no" } else { "yes" })
}

#[test]
fn histories() {
    let folder = Folder::new();
    let out = folder.path("out.pack");
    for (one, other, wanted) in [
        // A failure replaces no rules; what is not known may say anything.
        ((A, 1_000), (BUSY, 2_000), "rules 16:40Z no"),
        ((A, 1_000), (LOST, 2_000), "unknown 33:20Z no"),
        ((GONE, 1_000), (LOST, 2_000), "unknown 33:20Z no"),
        ((BUSY, 1_000), (LOST, 2_000), "unknown 33:20Z no"),
        ((LOST, 1_000), (A, 2_000), "rules 33:20Z no"),
        ((LOST, 1_000), (LOST, 2_000), "unknown 33:20Z no"),
        // Newer answers do.
        ((A, 1_000), (B, 2_000), "rules 33:20Z yes"),
        ((A, 1_000), (GONE, 2_000), "allow-all 33:20Z yes"),
        ((BUSY, 1_000), (A, 2_000), "rules 33:20Z no"),
        ((GONE, 1_000), (BUSY, 2_000), "disallow-all 33:20Z no"),
        // What has no time comes first.
        ((B, 0), (A, 1), "rules 00:01Z no"),
        ((A, 0), (BUSY, 1_000), "rules  no"),
    ] {
        let old = pack(&folder, "old.pack", &line(one.0, one.1));
        let new = pack(&folder, "new.pack", &line(other.0, other.1));
        for packs in [[&*old, &*new], [&*new, &*old], [&*old, &*old]] {
            merge(&packs, &out).gives(0, "").says("origins 1 ");
            if packs[0] != packs[1] {
                assert_eq!(known(&out), wanted, "{one:?} {other:?}");
            }
        }
        let shards = folder.path("shards");
        let args = args!["pack", "merge", &new, &old, "--shards", "2", "-o", &shards];
        run(args).gives(0, "").says("origins 1 ");
        assert_eq!(known(&shards), wanted, "{one:?} {other:?}");
        // As an update, and as one pack of both.
        let captures = folder.file("captures.jsonl", line(other.0, other.1));
        let updated = folder.path("updated.pack");
        fs::copy(&old, &updated).unwrap();
        run(args!["pack", "update", &updated, "--jsonl", captures]).gives(0, "");
        let lines = line(one.0, one.1) + &line(other.0, other.1);
        let both = pack(&folder, "both.pack", &lines);
        assert_eq!(known(&updated), wanted, "{one:?} {other:?}");
        assert_eq!(known(&both), wanted, "{one:?} {other:?}");
    }
    // Of equally new ones that of the later pack.
    let [a, b] = [("a.pack", A), ("b.pack", B)]
        .map(|(name, answer)| pack(&folder, name, &line(answer, 1_000)));
    merge(&[&a, &b], &out).gives(0, "");
    assert_eq!(known(&out), "rules 16:40Z yes");
    merge(&[&b, &a], &out).gives(0, "");
    assert_eq!(known(&out), "rules 16:40Z no");
    let help = String::from_utf8(run(args!["pack", "merge", "--help"]).out).unwrap();
    assert!(help.contains("Redirects are\nnot followed: packs do not keep them"), "{help}");
}

/// A pack keeps when the site answered and when it failed after that, and so an update with what comes
/// between comes to what all answers together do.
#[test]
fn answers_from_between() {
    let folder = Folder::new();
    for (made_of, between, wanted) in [
        // The file was gone before the failure.
        ([(A, 1_000), (BUSY, 3_000)], (GONE, 2_000), "disallow-all 50:00Z no"),
        ([(A, 1_000), (BUSY, 3_000)], (B, 2_000), "rules 33:20Z yes"),
        ([(A, 1_000), (BUSY, 3_000)], (BUSY, 2_000), "rules 16:40Z no"),
        ([(A, 1_000), (BUSY, 3_000)], (B, 500), "rules 16:40Z no"),
        ([(A, 1_000), (BUSY, 3_000)], (LOST, 2_000), "unknown 50:00Z no"),
        ([(A, 1_000), (BUSY, 3_000)], (GONE, 3_500), "allow-all 58:20Z yes"),
        ([(GONE, 1_000), (BUSY, 3_000)], (B, 500), "disallow-all 50:00Z no"),
        ([(GONE, 1_000), (BUSY, 3_000)], (B, 2_000), "rules 33:20Z yes"),
        ([(LOST, 1_000), (BUSY, 3_000)], (GONE, 2_000), "unknown 50:00Z no"),
    ] {
        let first = pack(&folder, "first.pack", &made_of.map(|(said, at)| line(said, at)).concat());
        let new = line(between.0, between.1);
        let other = pack(&folder, "other.pack", &new);
        let out = folder.path("out.pack");
        merge(&[&first, &other], &out).gives(0, "");
        assert_eq!(known(&out), wanted, "{made_of:?} {between:?}");
        let captures = folder.file("captures.jsonl", &new);
        for _ in 0..2 {
            run(args!["pack", "update", &first, "--jsonl", &captures]).gives(0, "");
            assert_eq!(known(&first), wanted, "{made_of:?} {between:?}");
        }
    }
    let first = pack(&folder, "first.pack", &[line(A, 1_000), line(BUSY, 3_000)].concat());
    let list = run(args!["pack", "list", "--format", "jsonl", first]);
    let times = r#""captured":"1970-01-01T00:16:40Z","also_rests_on":"1970-01-01T00:50:00Z"}"#;
    assert!(String::from_utf8(list.out).unwrap().contains(times));
}

/// In the profile google failures allow all after 12 hours if there is no file, and nothing after 30 days. What
/// a pack has forgotten of them allows nothing.
#[test]
fn failures_that_allow() {
    const HOUR: u32 = 3_600;
    let folder = Folder::new();
    let pack_of = |name: &str, lines: &str| {
        let captures = folder.file("captures.jsonl", lines);
        let pack = folder.path(name);
        let args = args![
            "pack",
            "--jsonl",
            captures,
            "--agent",
            "FooBot",
            "--profile",
            "google",
            "-o",
            &pack
        ];
        run(args).gives(0, "");
        pack
    };
    let kind = |pack: &Path| known(pack).split(' ').next().unwrap().to_owned();
    let busy = |hour: u32| line(BUSY, 1_000 + hour * HOUR);
    let old = line(A, 1_000);
    for (made_of, new, alone, wanted) in [
        // The file is not in the pack while nothing is allowed.
        ([&old, &busy(100)[..]].concat(), busy(114), "disallow-all", "unknown"),
        // An older file comes later.
        ([busy(100), busy(114)].concat(), old.clone(), "allow-all", "disallow-all"),
        // More than 30 days.
        (
            [0, 14, 200, 400].map(|hour| busy(100 + hour)).concat(),
            [600, 721].map(|hour| busy(100 + hour)).concat(),
            "allow-all",
            "unknown",
        ),
        // The site has answered itself.
        ([busy(100), busy(114)].concat(), line(GONE, 1_000 + 120 * HOUR), "allow-all", "allow-all"),
    ] {
        let updated = pack_of("updated.pack", &made_of);
        assert_eq!(kind(&updated), alone, "{made_of}");
        let other = pack_of("other.pack", &new);
        let out = folder.path("out.pack");
        merge(&[&updated, &other], &out).gives(0, "");
        let captures = folder.file("captures.jsonl", &new);
        run(args!["pack", "update", &updated, "--jsonl", captures]).gives(0, "");
        assert_eq!(kind(&updated), wanted, "{made_of}{new}");
        assert!(["unknown", "disallow-all", wanted].contains(&&*kind(&out)), "{made_of}{new}");
    }
}

/// The error names the pack that is damaged, and its shard, and not what is written.
#[test]
fn damaged_packs_are_named() {
    let folder = Folder::new();
    let good = pack(&folder, "good.pack", &line(A, 1_000));
    let shards = folder.path("shards");
    run(args!["pack", "merge", &good, "--shards", "1", "-o", &shards]).gives(0, "");
    let bad = folder.path("bad.pack");
    let shard = shards.join("shard-0000-of-0001.pack");
    let out = folder.path("out.pack");
    let mut bytes = fs::read(&good).unwrap();
    // The first record, and the page of its entry.
    for at in [30, 4_200] {
        bytes[at] ^= 1;
        fs::write(&bad, &bytes).unwrap();
        fs::write(&shard, &bytes).unwrap();
        for (packs, name) in [([&*good, &*bad], "bad.pack'"), ([&*good, &*shards], "-0001.pack'")] {
            for packs in [packs, [packs[1], packs[0]]] {
                // What another pack has newer need not be read.
                let ran = merge(&packs, &out);
                if ran.status != 0 {
                    ran.fails(3, "cannot use pack '").says(name).says("damaged pack: ");
                    assert!(!ran.err.contains("out.pack"), "{ran:?}");
                }
                assert_eq!(ran.status == 0, packs[1] == good && at == 30, "{ran:?}");
                assert!(ran.status == 0 || !out.exists());
                let _ = fs::remove_file(&out);
            }
        }
    }
}

#[test]
fn packs_that_cannot_be_opened() {
    let folder = Folder::new();
    let good = pack(&folder, "good.pack", &line(A, 1_000));
    let shards = folder.path("shards");
    run(args!["pack", "merge", &good, "--shards", "3", "-o", &shards]).gives(0, "");
    fs::copy(shards.join("shard-0001-of-0003.pack"), shards.join("shard-0001-of-0004.pack"))
        .unwrap();
    run(args!["pack", "list", &shards])
        .fails(3, "'shard-0001-of-0004.pack' is of another set than its first shard")
        .says("move the files of all sets but one to other folders");
    fs::remove_file(shards.join("shard-0001-of-0004.pack")).unwrap();
    for missing in ["shard-0002-of-0003.pack", "shard-0001-of-0003.pack"] {
        fs::remove_file(shards.join(missing)).unwrap();
        run(args!["pack", "list", &shards])
            .fails(3, &format!("{missing} is missing"))
            .says("copy it from where they were made, or make them again");
    }
    for args in [
        args!["pack", "list", "-"].to_vec(),
        args!["pack", "stat", "-"].to_vec(),
        args!["pack", "verify", "-"].to_vec(),
        args!["pack", "merge", "-", "-o", folder.path("out")].to_vec(),
        args!["pack", "update", "-", "--list", folder.path("none")].to_vec(),
        args!["filter", "--pack", "-"].to_vec(),
    ] {
        run(args).fails(2, "a pack cannot be read from standard input: write it to a file");
    }
}
