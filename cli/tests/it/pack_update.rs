//! `robotsieve pack update`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use robotsieve_corpora::effort;

use crate::command::{Folder, Ran, run, run_with};

fn line(host: &str, status: u16, path: &str, time: Option<u64>) -> String {
    let time = time.map(|time| format!(",\"time\":{time}")).unwrap_or_default();
    format!(
        "{{\"url\":\"https://{host}\",\"status\":{status}{time},\
         \"body\":\"User-agent: *\\nDisallow: /{path}\\n\"}}\n"
    )
}

fn lines(hosts: std::ops::Range<u32>, path: &str, time: u64) -> String {
    hosts.map(|host| line(&format!("{host}.example"), 200, path, Some(time))).collect()
}

struct Packs {
    folder: Folder,
    shards: Option<&'static str>,
}

impl Packs {
    /// A pack of these captures, in one file and in shards.
    fn of(captures: &str) -> [Packs; 2] {
        [None, Some("3")].map(|shards| {
            let packs = Packs { folder: Folder::new(), shards };
            let captures = packs.folder.file("captures.jsonl", captures);
            packs.pack(&captures).gives(0, "");
            packs
        })
    }

    fn pack(&self, captures: &Path) -> Ran {
        let args = args!["pack", "--jsonl", captures, "--agent", "FooBot", "-o", self.path()];
        let shards = self.shards.iter().flat_map(|count| args!["--shards", count]);
        run(args.into_iter().chain(shards))
    }

    fn path(&self) -> PathBuf {
        self.folder.path("out")
    }

    fn update(&self, captures: &str) -> Ran {
        let captures = self.folder.file("new.jsonl", captures);
        self.update_from(&args!["--jsonl", captures])
    }

    fn update_from(&self, source: &[OsString]) -> Ran {
        run(args!["pack", "update", self.path()].into_iter().chain(source.iter().cloned()))
    }

    /// Takes the lock that an update takes.
    fn lock(&self) -> fs::File {
        let lock = fs::File::create(self.folder.path("out.lock")).unwrap();
        lock.lock().unwrap();
        lock
    }

    fn files(&self) -> Vec<PathBuf> {
        if self.shards.is_none() {
            return vec![self.path()];
        }
        let mut files: Vec<PathBuf> =
            fs::read_dir(self.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    fn bytes(&self) -> Vec<Vec<u8>> {
        self.files().iter().map(|file| fs::read(file).unwrap()).collect()
    }

    /// Puts back what `bytes` gave.
    fn put_back(&self, bytes: &[Vec<u8>]) {
        let files = self.files();
        assert_eq!(files.len(), bytes.len(), "{files:?}");
        for (file, bytes) in files.iter().zip(bytes) {
            fs::write(file, bytes).unwrap();
        }
    }

    fn list(&self) -> Vec<String> {
        self.list_ending(0)
    }

    /// What the pack has, if an update was cut short.
    fn list_before_update(&self) -> Vec<String> {
        self.list_ending(3)
    }

    fn list_ending(&self, status: i32) -> Vec<String> {
        let list = run(args!["pack", "list", self.path()]);
        assert_eq!(list.status, status, "{list:?}");
        let mut lines: Vec<String> =
            String::from_utf8(list.out).unwrap().lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }

    fn verdicts(&self, urls: &str) -> Vec<String> {
        let args = args!["filter", "--pack", self.path(), "--format", "tsv"];
        let ran = run_with(args, urls.as_bytes());
        assert_eq!(ran.status, 0, "{ran:?}");
        let text = String::from_utf8(ran.out).unwrap();
        text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    }

    fn stat(&self, name: &str) -> u64 {
        let stat = String::from_utf8(run(args!["pack", "stat", self.path()]).out).unwrap();
        let line = stat.lines().find_map(|line| line.strip_prefix(&format!("{name}\t")));
        line.unwrap_or_else(|| panic!("no {name}: {stat}")).parse().unwrap()
    }

    fn verify(&self) {
        let ran = run(args!["pack", "verify", self.path()]);
        assert_eq!(ran.status, 0, "{ran:?}");
    }

    /// Asserts that the pack is whole, and that what stands behind it is told.
    fn verify_with_tail(&self) {
        run(args!["pack", "verify", self.path()])
            .fails(3, " bytes behind the pack, which ends at byte ")
            .says("the next 'robotsieve pack update' drops what is left");
    }
}

const URLS: &str = "https://1.example/a\nhttps://1.example/b\nhttps://2.example/a\n\
    https://100.example/a\nhttps://100.example/b\n";

#[test]
fn what_is_new_is_added() {
    for packs in Packs::of(&lines(0..60, "a", 1_000)) {
        assert_eq!(packs.verdicts(URLS), ["disallow", "allow", "disallow", "unknown", "unknown"]);
        let before = packs.bytes();
        let changes = [lines(1..2, "b", 2_000), lines(100..101, "b", 2_000)].concat();
        packs.update(&changes).gives(0, "").says("changed 2 captures 2 ");
        assert_eq!(packs.verdicts(URLS), ["allow", "disallow", "disallow", "allow", "disallow"]);
        assert_eq!((packs.stat("layers"), packs.stat("origins")), (2, 61));
        packs.verify();
        // Only the end is new.
        for (before, after) in before.iter().zip(packs.bytes()) {
            assert!(after.starts_with(before));
        }
        // Older captures, and the same again, change nothing.
        let before = packs.bytes();
        for changes in [lines(0..101, "c", 500), lines(2..60, "a", 1_000), changes] {
            let ran = packs.update(&changes);
            if changes.contains("/c") {
                ran.gives(0, "").says("changed 40 ");
                break;
            }
            ran.gives(0, "").says("changed 0 ");
            assert!(packs.bytes() == before);
        }
    }
}

/// A capture that finds the same file later brings a new time, and nothing else.
#[test]
fn the_same_file_at_a_later_time() {
    for packs in Packs::of(&lines(0..60, "a", 1_000)) {
        let (files, policies) = (packs.stat("bytes"), packs.stat("bytes_of_policies"));
        packs.update(&lines(0..60, "a", 2_000)).gives(0, "").says("changed 60 ");
        assert_eq!(packs.stat("bytes_of_policies"), policies);
        assert!(packs.stat("bytes") > files);
        for line in packs.list() {
            assert!(line.ends_with("\trules\t1970-01-01T00:33:20Z\t"), "{line}");
        }
        packs.verify();
    }
}

/// What has no time, like the files of a folder, says what holds now.
#[test]
fn sources_without_times() {
    for packs in Packs::of(&lines(0..60, "a", 1_000)) {
        let robots = Folder::of(&[
            ("1.example", "User-agent: *\nDisallow: /b\n"),
            ("2.example", "User-agent: *\nDisallow: /a\n"),
        ]);
        let ran = packs.update_from(&args!["--from", robots.root()]);
        // http://2.example is new, its https is as before.
        ran.gives(0, "").says("changed 3 captures 4 ");
        assert_eq!(packs.verdicts(URLS)[..3], ["allow", "disallow", "disallow"]);
        let before = packs.bytes();
        packs.update_from(&args!["--robots-dir", robots.root()]).gives(0, "").says("changed 0 ");
        assert!(packs.bytes() == before);
        // What cannot be read is newer all the same, and may say anything.
        robots.file("2.example", b"\x1f\x8b\x08");
        let ran = packs.update_from(&args!["--robots-dir", robots.root()]);
        ran.fails(3, "what its host says counts as unknown").says("changed 2 captures 2 ");
        assert_eq!(packs.verdicts(URLS)[..3], ["allow", "disallow", "unknown"]);
    }
}

/// A failure after a file that the pack has counts as after one in the same input; redirects lead
/// to what the pack has.
#[test]
fn histories_go_on() {
    for packs in Packs::of(
        &[
            lines(0..60, "a", 1_000),
            line("x.example", 404, "", None),
            line("y.example", 404, "", Some(1_000)),
        ]
        .concat(),
    ) {
        let to = |from: &str, to: &str| {
            format!(
                "{{\"url\":\"https://{from}\",\"status\":301,\"time\":2000,\
                 \"location\":\"https://{to}/robots.txt\"}}\n"
            )
        };
        let changes = [
            line("1.example", 503, "", Some(2_000)),
            line("2.example", 404, "", Some(2_000)),
            line("x.example", 503, "", Some(2_000)),
            to("new.example", "3.example"),
            to("newer.example", "new.example"),
            to("free.example", "y.example"),
            to("4.example", "nowhere.example"),
        ];
        packs
            .update(&changes.concat())
            .gives(0, "")
            .says("changed 7 ")
            .says("1 redirects and revisits lead");
        let urls = "https://1.example/a\nhttps://2.example/a\nhttps://x.example/\n\
            https://new.example/a\nhttps://newer.example/a\nhttps://free.example/a\n\
            https://4.example/a\nhttps://nowhere.example/\n";
        assert_eq!(
            packs.verdicts(urls),
            [
                "disallow", "allow", "disallow", "disallow", "disallow", "allow", "unknown",
                "unknown"
            ]
        );
        packs.verify();
    }
}

/// A redirect leads to what its target answered nearest in time, be that in the pack or in the update. What the
/// pack does not have any more may have been nearer.
#[test]
fn redirects_lead_to_the_nearest() {
    for packs in
        Packs::of(&[lines(0..9, "a", 1_000), line("0.example", 503, "", Some(1_100))].concat())
    {
        let to = |from: &str, to: &str, time: u64| {
            format!(
                "{{\"url\":\"https://{from}\",\"status\":301,\"time\":{time},\
                 \"location\":\"https://{to}/robots.txt\"}}\n"
            )
        };
        let changes = [
            to("near.example", "1.example", 1_200),
            to("far.example", "1.example", 1_800),
            to("older.example", "1.example", 900),
            to("failed.example", "0.example", 1_200),
            line("1.example", 404, "", Some(2_000)),
        ];
        packs.update(&changes.concat()).gives(0, "").says("1 redirects and revisits lead");
        let urls =
            ["near", "far", "older", "failed"].map(|host| format!("https://{host}.example/a\n"));
        let verdicts = packs.verdicts(&urls.concat());
        assert_eq!(verdicts, ["disallow", "allow", "unknown", "disallow"]);
        packs.verify();
    }
}

/// An update that was cut short anywhere leaves the pack as it was, and the next one completes it.
#[test]
fn cut_short() {
    for packs in Packs::of(&lines(0..30, "a", 1_000)) {
        let (old, before) = (packs.list(), packs.bytes());
        let changes = [lines(0..30, "b", 2_000), lines(90..99, "b", 2_000)].concat();
        packs.update(&changes).gives(0, "");
        let (new, after) = (packs.list(), packs.bytes());
        assert_ne!(old, new);
        let files = packs.files();
        let last = files.len() - 1;
        for len in (before[last].len() + 1..after[last].len()).step_by(61 * effort::step(3)) {
            packs.put_back(&before);
            fs::write(&files[last], &after[last][..len]).unwrap();
            assert_eq!(packs.list_before_update(), old, "{len}");
            if len % 5 == 0 {
                let args = args!["filter", "--pack", packs.path(), "-q", "--format", "tsv"];
                let ran = run_with(args, b"https://1.example/a\n");
                ran.gives(3, "disallow\thttps://1.example/a\n")
                    .says("was cut short: it is used as it was before")
                    .says("the next 'robotsieve pack update' drops what is left");
                packs.verify_with_tail();
                packs.update(&changes).gives(0, "").says("cut off ");
                assert_eq!(packs.list(), new);
                assert!(packs.bytes() == after, "{len}");
                packs.verify();
            }
        }
    }
}

/// A layer that was completed is not lost unnoticed: no flipped bit of its trailer brings the one
/// before it back, and no update cuts it off. A file that is cut is told.
#[test]
fn a_completed_layer_is_not_lost() {
    for packs in Packs::of(&lines(0..30, "a", 1_000)) {
        packs.update(&lines(0..30, "b", 2_000)).gives(0, "");
        let file = packs.files().remove(0);
        let whole = fs::read(&file).unwrap();
        for at in (whole.len() - 160..whole.len()).step_by(effort::step(3)) {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(&file, &flipped).unwrap();
            let args = args!["filter", "--pack", packs.path(), "-q"];
            run_with(args, b"https://1.example/a\n").fails(3, "cannot use pack '");
            if at % 20 == 0 {
                packs.update(&lines(3..4, "c", 3_000)).fails(3, "cannot use pack '");
                assert!(fs::read(&file).unwrap() == flipped);
            }
        }
        fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        let ran = run(args!["pack", "stat", packs.path()]);
        assert_eq!(ran.status, 3, "{ran:?}");
        ran.says("was cut short: it is used as it was before");
        fs::write(&file, &whole).unwrap();
        packs.verify();
    }
}

/// While an update is under way, the pack is used as it was before, and that is no fault.
#[test]
fn under_way() {
    for packs in Packs::of(&lines(0..30, "a", 1_000)) {
        let (list, file) = (packs.list(), packs.files().remove(0));
        let whole = fs::read(&file).unwrap();
        fs::write(&file, [&whole[..], b"the beginning of a layer"].concat()).unwrap();
        let lock = packs.lock();
        assert_eq!(packs.list(), list);
        let ran = run(args!["pack", "stat", packs.path()]);
        ran.says("is under way: it is used as it was before");
        assert_eq!(ran.status, 0);
        // A program that another test starts may have inherited it: to drop it would not be enough.
        lock.unlock().unwrap();
        assert_eq!(packs.list_before_update(), list);
    }
}

/// An update that changes nothing, and one that changes other shards, cut off what is left of one that
/// was cut short.
#[test]
fn what_is_left_is_cut_off() {
    for packs in Packs::of(&lines(0..30, "a", 1_000)) {
        let (list, before) = (packs.list(), packs.bytes());
        let files = packs.files();
        for tail in [&b"x"[..], &[0; 5_000], b"\x89rsieve\n"] {
            for (file, bytes) in files.iter().zip(&before) {
                fs::write(file, [bytes, tail].concat()).unwrap();
            }
            assert_eq!(packs.list_before_update(), list);
            packs.verify_with_tail();
            let told = format!("cut off {} bytes at the end of '", tail.len());
            packs.update(&lines(0..30, "a", 1_000)).gives(0, "").says("changed 0 ").says(&told);
            assert!(packs.bytes() == before);
            packs.verify();
        }
        for (file, bytes) in files.iter().zip(&before) {
            fs::write(file, [bytes, &b"tail"[..]].concat()).unwrap();
        }
        packs.update(&lines(3..4, "b", 2_000)).gives(0, "").says("changed 1 ");
        packs.verify();
        // Nothing is left, so nothing is told.
        let ran = packs.update(&lines(3..4, "b", 2_000));
        assert!(!ran.gives(0, "").err.contains("cut off"), "{ran:?}");
    }
}

/// An answer without a time replaces what the pack has, and not what is older than that replaces it.
#[test]
fn a_known_time_is_not_forgotten() {
    for packs in Packs::of(&[lines(1..2, "a", 1_000), line("2.example", 200, "a", None)].concat()) {
        let verdicts = |packs: &Packs| {
            let urls = ["a", "b", "c"].map(|path| format!("https://1.example/{path}\n"));
            packs.verdicts(&urls.concat()).iter().position(|verdict| verdict == "disallow")
        };
        let undated = |path| line("1.example", 200, path, None);
        packs.update(&undated("b")).gives(0, "").says("changed 1 ");
        assert_eq!(verdicts(&packs), Some(1));
        // It has no time of its own.
        assert!(packs.list().contains(&"https://1.example\trules\t\t".to_owned()));
        let jsonl = run(args!["pack", "list", "--format", "jsonl", packs.path()]).out;
        let after = "\"outcome\":\"rules\",\"captured_after\":\"1970-01-01T00:16:40Z\"}";
        assert!(String::from_utf8(jsonl).unwrap().contains(after));
        for _ in 0..2 {
            for older in [500, 1_000] {
                packs.update(&lines(1..2, "c", older)).gives(0, "").says("changed 0 ");
                packs.update(&line("1.example", 503, "", Some(older))).says("changed 0 ");
            }
            packs.update(&undated("b")).gives(0, "").says("changed 0 ");
            // The same when the pack was written anew.
            let anew = packs.folder.path("anew");
            let shards = packs.shards.iter().flat_map(|count| args!["--shards", count]);
            run(args!["pack", "merge", packs.path(), "-o", &anew].into_iter().chain(shards))
                .gives(0, "");
            match packs.shards {
                Some(_) => fs::remove_dir_all(packs.path()).unwrap(),
                None => fs::remove_file(packs.path()).unwrap(),
            }
            fs::rename(anew, packs.path()).unwrap();
        }
        // Together with an older one, and with a newer one.
        let both = [undated("c"), lines(1..2, "a", 900)].concat();
        packs.update(&both).gives(0, "").says("changed 1 ");
        assert_eq!(verdicts(&packs), Some(2));
        let both = [undated("b"), lines(1..2, "a", 1_001)].concat();
        packs.update(&both).gives(0, "").says("changed 1 ");
        assert_eq!(verdicts(&packs), Some(0));
        assert!(packs.list()[0].ends_with("\trules\t1970-01-01T00:16:41Z\t"));
        // What never had a time has none.
        packs.update(&line("2.example", 200, "c", None)).gives(0, "").says("changed 1 ");
        packs.update(&lines(2..3, "a", 1)).gives(0, "").says("changed 1 ");
        packs.verify();
    }
}

/// Captures from after the time of `--as-of` are left out, told and not counted.
#[test]
fn later_captures_are_told() {
    let folder = Folder::new();
    let captures =
        folder.file("captures.jsonl", [lines(0..3, "a", 1_000), lines(0..2, "b", 2_000)].concat());
    let pack = |as_of: &str, name: &str| {
        let args =
            args!["pack", "--jsonl", &captures, "--agent", "FooBot", "-o", folder.path(name)];
        run(args.into_iter().chain(args!["--as-of", as_of]))
    };
    pack("1970-01-01T00:20:00Z", "some")
        .gives(0, "")
        .says("left out 2 captures from after the time of --as-of")
        .says("origins 3 files 1 captures 3 ");
    pack("1970-01-01T00:10:00Z", "none")
        .gives(0, "")
        .says("left out 5 captures from after the time of --as-of")
        .says("the pack is empty: the sources say nothing of any site")
        .says("origins 0 files 0 captures 0 ");
    let all = pack("1970-01-01T01:00:00Z", "all");
    assert!(!all.gives(0, "").says("captures 5 ").err.contains("left out"), "{all:?}");
    // What the pack knows from a later time stays.
    let update = |name: &str, as_of: &str| {
        let args = args!["pack", "update", folder.path(name), "--jsonl", &captures];
        run(args.into_iter().chain(args!["--as-of", as_of]))
    };
    update("all", "1970-01-01T00:20:00Z")
        .gives(0, "")
        .says("left out 2 captures")
        .says("changed 0 captures 3 ");
    update("some", "1970-01-01T00:40:00Z").gives(0, "").says("changed 2 captures 5 ");
}

/// Killed at any time, the pack is the old or the new one; of shards each is.
#[cfg(unix)]
#[test]
fn killed() {
    use crate::command::command;
    use std::time::Duration;

    for packs in Packs::of(&lines(0..400, "a", 1_000)) {
        let (old, before) = (packs.list(), packs.bytes());
        let changes = packs.folder.file("new.jsonl", lines(0..400, "b", 2_000));
        let mut is_old = 0;
        // Some at once: on a busy machine a kill may come after the whole update.
        let later = (0..40_000).step_by(1_000 * effort::step(3));
        for micros in [0; 4].into_iter().chain(later) {
            packs.put_back(&before);
            let args = args!["pack", "update", packs.path(), "--jsonl", &changes];
            let mut child = command(args).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(micros));
            child.kill().unwrap();
            child.wait().unwrap();
            let verified = run(args!["pack", "verify", packs.path()]).status;
            let list = packs.list_ending(verified);
            assert_eq!(list.len(), 400);
            is_old += usize::from(list == old);
            for line in &list {
                let seconds = if old.contains(line) { "16:40Z" } else { "33:20Z" };
                assert!(line.contains(seconds), "{line}");
            }
            if verified != 0 {
                packs.verify_with_tail();
            }
        }
        assert!(is_old > 0);
        packs.update(&fs::read_to_string(&changes).unwrap()).gives(0, "");
        assert!(packs.list().iter().all(|line| line.contains("33:20Z")));
    }
}

/// A full disk leaves the pack as it was.
#[cfg(unix)]
#[test]
fn no_room() {
    for packs in Packs::of(&lines(0..30, "a", 1_000)) {
        let before = packs.bytes();
        let kib = before.iter().map(Vec::len).max().unwrap().div_ceil(1024) + 1;
        // The index of a layer begins at a multiple of 4096, but what waits on disk is short.
        let changes = packs.folder.file("new.jsonl", lines(1..3, "b", 2_000));
        let ran = crate::pack_shards::limited(
            kib as u32,
            &format!("pack update '{}' --jsonl '{}'", packs.path().display(), changes.display()),
        );
        ran.fails(3, "cannot write pack '");
        assert!(packs.bytes() == before);
        packs.verify();
    }
}

/// After eight updates the file is written anew. Whoever has the pack open sees it as it was.
#[test]
fn many_updates() {
    for packs in Packs::of(&lines(0..30, "a", 1_000)) {
        let mut most = 0;
        for update in 1..=20 {
            packs.update(&lines(0..30, &update.to_string(), 1_000 + update)).gives(0, "");
            let layers = packs.stat("layers");
            assert!(layers <= 8, "{layers} layers");
            most = most.max(layers);
            packs.verify();
            let urls = format!("https://7.example/{update}\nhttps://7.example/{}\n", update + 1);
            assert_eq!(packs.verdicts(&urls), ["disallow", "allow"]);
        }
        assert_eq!(most, 8);
        // What was replaced is gone from the file that is written anew.
        let name = packs.folder.path("anew");
        run(args!["pack", "merge", packs.path(), "-o", &name]).gives(0, "");
        assert_eq!(packs.stat("origins"), 30);
    }
}

#[cfg(unix)]
#[test]
fn open_readers_see_what_was() {
    use crate::command::command;
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;

    for packs in Packs::of(&lines(0..30, "a", 1_000)) {
        let args = args!["filter", "--pack", packs.path(), "--format", "tsv", "--threads", "1"];
        let mut reader = command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut input = reader.stdin.take().unwrap();
        let mut output = BufReader::new(reader.stdout.take().unwrap());
        let mut ask = |host: u32| {
            writeln!(input, "https://{host}.example/a").unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            line
        };
        assert_eq!(ask(0), "disallow\thttps://0.example/a\n");
        for update in 1..12 {
            packs.update(&lines(0..30, "b", 1_000 + update)).gives(0, "");
            assert_eq!(ask(update as u32), format!("disallow\thttps://{update}.example/a\n"));
        }
        drop(input);
        assert!(reader.wait().unwrap().success());
        assert_eq!(packs.verdicts("https://1.example/a\n"), ["allow"]);
    }
}

#[test]
fn what_cannot_be_updated() {
    let folder = Folder::new();
    let captures = folder.file("captures.jsonl", lines(0..3, "a", 1));
    let update = |pack: &Path| run(args!["pack", "update", pack, "--jsonl", &captures]);
    update(&folder.path("none.pack")).fails(3, "none.pack'").says("make packs");
    update(&folder.file("other.pack", "x")).fails(3, "not a pack");
    update(&captures).fails(2, "is one of the files to read");
    let [packs, _] = Packs::of(&lines(0..3, "a", 1));
    run(args!["pack", "update", packs.path()]).fails(2, "--from");
    // Another update has it locked.
    let file = packs.lock();
    update(&packs.path()).fails(3, "another update of it is under way");
    drop(file);
    // A process that another test starts at this moment has the lock too, until it runs its program.
    let dropped = Instant::now();
    let is_locked = |ran: &Ran| ran.err.contains("another update of it is under way");
    let mut ran = update(&packs.path());
    while is_locked(&ran) && dropped.elapsed() < Duration::from_secs(60) {
        ran = update(&packs.path());
    }
    ran.gives(0, "").says("changed 0 ");
}
