//! Packs that change under their readers: many readers beside several updaters, some of which are
//! killed.
//!
//! The test is short. A soak is the same for longer:
//!
//! ```sh
//! SOAK_READS=100000 SOAK_UPDATES=1000 SOAK_FILLER=2000000 \
//!     cargo test -p robotsieve-cli --test it pack_soak -- --nocapture
//! ```
//!
//! Each update gives some hosts a new version of their robots.txt, whose rules spell the number of the
//! version in bits: so the verdicts of a read say which version each host has. What must hold:
//!
//! - No read fails, none is ended by a signal, and none tells of damage.
//! - A host has a version that was given to it, and none that is older than an update which was
//!   acknowledged, by exit status 0, before the read began: nothing acknowledged is lost.
//! - A read tells of an update that was cut short only after one was killed, until the next one is
//!   acknowledged.
//! - An update is acknowledged, or refused because another one is under way.
//! - In the end the pack is whole, and no file is left beside it but its lock.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::{self, Folder};

const HOSTS: usize = 24;
const BITS: u32 = 14;
const READERS: u64 = 3;
const UPDATERS: u64 = 2;
/// Of so many updates one is killed.
const KILLED: u64 = 6;

/// What a run does, and what it found.
#[derive(Default)]
struct Run {
    reads: u64,
    updates: u64,
    refused: u64,
    killed: u64,
    cut_short: u64,
    under_way: u64,
    next: u64,
    /// The versions that each host may have got.
    given: Vec<BTreeSet<u64>>,
    /// The newest version of each host that was acknowledged.
    acknowledged: Vec<u64>,
    /// When updates were killed.
    kills: Vec<Instant>,
    /// When updates that were acknowledged began and ended.
    ends: Vec<(Instant, Instant)>,
    /// How long an update takes.
    lasts: Duration,
}

impl Run {
    /// True if an update that was killed may have left something that a read met.
    fn may_be_cut_short(&self, (began, ended): (Instant, Instant)) -> bool {
        self.kills.iter().any(|kill| {
            *kill < ended && !self.ends.iter().any(|(from, to)| from > kill && *to < began)
        })
    }
}

struct Soak {
    pack: PathBuf,
    folder: Folder,
    reads: u64,
    updates: u64,
    filler: u64,
    run: Mutex<Run>,
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % most.max(1)
    }
}

fn capture(host: &str, body: &str, version: u64) -> String {
    let time = 1_000 + version;
    format!(
        "{{\"url\":\"https://{host}\",\"status\":200,\"time\":{time},\"body\":\"User-agent: \
         *\\nDisallow: /never\\n{body}\"}}\n"
    )
}

fn version_of(host: usize, version: u64) -> String {
    let bits = (0..BITS).filter(|bit| version >> bit & 1 != 0);
    let rules: String = bits.map(|bit| format!("Disallow: /{bit}/\\n")).collect();
    capture(&format!("{host}.example"), &rules, version)
}

impl Soak {
    fn new(shards: Option<&str>, reads: u64, updates: u64, filler: u64) -> Soak {
        let folder = Folder::new();
        let first: String = (0..HOSTS).map(|host| version_of(host, 0)).collect();
        let first = folder.file("first.jsonl", first);
        let pack = folder.path("out");
        let args =
            args!["pack", "--jsonl", &first, "--agent", "FooBot", "--keep-sitemaps", "-o", &pack];
        command::run(
            args.into_iter().chain(shards.iter().flat_map(|count| args!["--shards", count])),
        )
        .gives(0, "");
        let run = Run {
            next: 1,
            given: vec![BTreeSet::from([0]); HOSTS],
            acknowledged: vec![0; HOSTS],
            lasts: Duration::from_millis(100),
            ..Run::default()
        };
        Soak { pack, folder, reads, updates, filler, run: Mutex::new(run) }
    }

    fn now(&self) -> MutexGuard<'_, Run> {
        self.run.lock().expect("no thread panicked")
    }

    fn start(&self, args: &[&str], last: Option<&Path>) -> Child {
        Command::new(env!("CARGO_BIN_EXE_robotsieve"))
            .args(args)
            .arg(&self.pack)
            .args(last.map(|path| ["--jsonl".as_ref(), path.as_os_str()]).into_iter().flatten())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs")
    }

    /// Updates some hosts. Returns false once there were enough updates.
    fn update(&self, random: &mut Random, number: u64) -> bool {
        let (version, hosts, kill_after);
        {
            let mut run = self.now();
            if run.updates >= self.updates {
                return false;
            }
            // In step with the reads.
            if run.reads * self.updates < run.updates * self.reads {
                drop(run);
                thread::sleep(Duration::from_millis(2));
                return true;
            }
            version = run.next;
            run.next += 1;
            let mut some: Vec<usize> = (0..HOSTS).collect();
            some.retain(|_| random.below(2) == 0);
            some.iter().for_each(|host| _ = run.given[*host].insert(version));
            hosts = some;
            let time = run.lasts.as_micros() as u64 * 3 / 2;
            kill_after = (random.below(KILLED) == 0).then(|| random.below(time));
        }
        assert!(version < 1 << BITS, "more versions than bits");
        // A large layer, so that appending it takes a while.
        let name = format!("filler{}.example", random.below(4));
        let lines = random.below(self.filler) / 100;
        let filler: String = (0..lines)
            .map(|line| {
                format!("Sitemap: https://e.com/{version}/{line}/{:060}\\n", random.below(9))
            })
            .collect();
        let captures: String = hosts.iter().map(|host| version_of(*host, version)).collect();
        let captures = captures + &capture(&name, &filler, version);
        let path = self.folder.file(&format!("new{number}.jsonl"), captures);
        let began = Instant::now();
        let mut child = self.start(&["pack", "update"], Some(&path));
        if let Some(micros) = kill_after {
            thread::sleep(Duration::from_micros(micros));
            self.now().kills.push(Instant::now());
            child.kill().expect("is ours");
        }
        let Output { status, stderr, .. } = child.wait_with_output().expect("ends");
        let ended = Instant::now();
        let mut run = self.now();
        let told = String::from_utf8_lossy(&stderr);
        match (status.code(), status.signal()) {
            (Some(0), _) => {
                run.updates += 1;
                run.ends.push((began, ended));
                run.lasts = (run.lasts * 7 + (ended - began)) / 8;
                for host in hosts {
                    run.acknowledged[host] = run.acknowledged[host].max(version);
                }
            }
            (Some(3), _) if told.contains("another update of it is under way") => run.refused += 1,
            (None, Some(9)) => run.killed += 1,
            _ => panic!("update {version}: {status}: {told}"),
        }
        true
    }

    /// Reads the versions of some hosts. Returns false once there were enough reads.
    fn read(&self, random: &mut Random) -> bool {
        let floor = {
            let mut run = self.now();
            if run.reads >= self.reads {
                return false;
            }
            run.reads += 1;
            run.acknowledged.clone()
        };
        let hosts = [random.below(HOSTS as u64) as usize, random.below(HOSTS as u64) as usize];
        let urls = |host: usize| -> String {
            (0..BITS).map(|bit| format!("https://{host}.example/{bit}/x\n")).collect()
        };
        let began = Instant::now();
        let mut child =
            self.start(&["filter", "--threads", "1", "--format", "tsv", "--pack"], None);
        let mut input = child.stdin.take().expect("piped");
        input.write_all(urls(hosts[0]).as_bytes()).expect("is read");
        // A read in ten goes on for a while.
        if random.below(10) == 0 {
            thread::sleep(Duration::from_millis(random.below(300)));
        }
        // What fails to be read is told below.
        let _ = input.write_all(urls(hosts[1]).as_bytes());
        drop(input);
        let Output { status, stdout, stderr } = child.wait_with_output().expect("ends");
        let when = (began, Instant::now());
        let told = String::from_utf8_lossy(&stderr);
        let mut run = self.now();
        run.under_way += u64::from(told.contains("is under way: it is used as it was before"));
        let is_cut_short = told.contains("was cut short: it is used as it was before");
        run.cut_short += u64::from(is_cut_short);
        let wanted = if is_cut_short { 3 } else { 0 };
        assert_eq!((status.code(), status.signal()), (Some(wanted), None), "{told}");
        assert!(!is_cut_short || run.may_be_cut_short(when), "nothing was killed: {told}");
        let verdicts: Vec<u64> = stdout
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| u64::from(line.starts_with(b"disallow\t")))
            .collect();
        assert_eq!(verdicts.len(), 2 * BITS as usize, "{told}");
        for (host, bits) in hosts.into_iter().zip(verdicts.chunks(BITS as usize)) {
            let version = bits.iter().rev().fold(0, |version, bit| version << 1 | bit);
            assert!(run.given[host].contains(&version), "{host} never had version {version}");
            assert!(version >= floor[host], "{host}: {version} is older than {}", floor[host]);
        }
        true
    }

    fn run(self, name: &str) {
        thread::scope(|scope| {
            for number in 0..READERS {
                let mut random = Random(number);
                let soak = &self;
                scope.spawn(move || while soak.read(&mut random) {});
            }
            for number in 0..UPDATERS {
                let mut random = Random(100 + number);
                let soak = &self;
                scope.spawn(move || while soak.update(&mut random, number) {});
            }
        });
        // One more, which has the pack for itself, and some more reads.
        let Soak { reads, updates, .. } = self;
        let soak = Soak { updates: updates + 1, ..self };
        let mut random = Random(7);
        while soak.update(&mut random, 0) {}
        let soak = Soak { reads: reads + 20, ..soak };
        while soak.read(&mut random) {}
        command::run(args!["pack", "verify", &soak.pack]).status(0);
        let inside = soak.pack.read_dir().into_iter().flatten();
        let beside = fs::read_dir(soak.folder.root()).expect("a folder");
        for entry in beside.chain(inside) {
            let name = entry.expect("can be listed").file_name().into_string().expect("ASCII");
            let is_known = name == "out"
                || name == "out.lock"
                || name.ends_with(".jsonl")
                || name.starts_with("shard-") && name.ends_with(".pack");
            assert!(is_known, "{name} is left");
        }
        let run = soak.now();
        println!(
            "{name}: {} reads, {} updates acknowledged, {} killed, {} refused; {} reads met an update \
             under way, {} one that was cut short",
            run.reads, run.updates, run.killed, run.refused, run.under_way, run.cut_short
        );
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().expect("a number"))
}

#[test]
fn readers_beside_updates() {
    let reads = setting("SOAK_READS", 160) / 2;
    let updates = setting("SOAK_UPDATES", 24) / 2;
    let filler = setting("SOAK_FILLER", 300_000);
    for (name, shards) in [("one file", None), ("three shards", Some("3"))] {
        Soak::new(shards, reads, updates, filler).run(name);
    }
}
