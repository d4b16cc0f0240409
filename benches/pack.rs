//! Builds, opens and queries a pack of many generated hosts. Runs once, without criterion, to show
//! the time of the first verdict and how much memory becomes resident.
//!
//! `-- HOSTS` sets the number of hosts (default 1,000,000); `--test` makes a small pack.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use robotsieve::pack::{Pack, Writer};
use robotsieve::{Config, Crawler, CrawlerId, Origin, Profile, Robots, SiteRules};

const SEED: u64 = 1;
/// How many hosts are generated and compiled at a time.
const AT_A_TIME: u64 = 8192;

fn main() {
    let is_test = std::env::args().any(|arg| arg == "--test");
    let hosts = std::env::args().find_map(|arg| arg.parse().ok());
    let hosts = hosts.unwrap_or(if is_test { 2_000 } else { 1_000_000 });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("generated.pack");
    let profile = Profile::RFC9309;
    let crawler = Crawler::name("Googlebot");

    // The time spent generating files is measured too, and subtracted.
    let (mut generating, mut text) = (Duration::ZERO, 0);
    let begin = Instant::now();
    let out = BufWriter::with_capacity(1 << 20, File::create(&path).expect("a file"));
    let mut config = Config::default();
    config.keep_rules = false;
    let mut writer = Writer::new(out, &profile, [crawler.clone()], &config).expect("writes");
    let mut contents: HashSet<u128> = HashSet::new();
    let mut own = 0;
    for from in (0..hosts).step_by(AT_A_TIME as usize) {
        let numbers = from..hosts.min(from + AT_A_TIME);
        let start = Instant::now();
        let files: Vec<(u64, Vec<u8>)> = numbers
            .into_par_iter()
            .map(|host| (host, robotsieve_corpora::robots(SEED, host)))
            .collect();
        generating += start.elapsed();
        let recipe = writer.recipe().clone();
        let contents_of: Vec<u128> = files.par_iter().map(|(_, f)| recipe.content(f)).collect();
        let is_new: Vec<bool> =
            contents_of.iter().map(|content| contents.insert(*content)).collect();
        own += is_new.iter().filter(|is_new| **is_new).count();
        let packed: Vec<_> = files
            .par_iter()
            .zip(&is_new)
            .map(|((_, file), is_new)| is_new.then(|| recipe.pack(file)))
            .collect();
        for (((host, file), content), packed) in files.iter().zip(contents_of).zip(packed) {
            text += file.len();
            let written = match packed {
                Some(packed) => writer.put(&packed).expect("writes"),
                None => match writer.known(content) {
                    Some(written) => written,
                    None => writer.put(&recipe.pack(file)).expect("writes"),
                },
            };
            let url = robotsieve_corpora::url(SEED, *host, 0);
            let origin = Origin::of(&url).expect("a URL");
            writer.add(&origin, SiteRules::Rules(written), None).expect("writes");
        }
    }
    let mut out = writer.finish().expect("writes");
    out.flush().expect("writes");
    let built = begin.elapsed() - generating;
    println!(
        "{hosts} hosts, {own} different files ({:.1} %), {text} bytes of text: pack of {} bytes \
         ({:.3} of the text) built in {:.1} s with {} threads (without {:.1} s of generating)",
        100.0 * own as f64 / hosts as f64,
        path.metadata().expect("a file").len(),
        path.metadata().expect("a file").len() as f64 / text as f64,
        built.as_secs_f64(),
        rayon::current_num_threads(),
        generating.as_secs_f64(),
    );
    assert!(hosts < 100_000 || own as f64 >= 0.4 * hosts as f64, "too few files of their own");

    let before = resident_bytes();
    let start = Instant::now();
    let file = File::open(&path).expect("the pack");
    let map = map(&file);
    let pack = Pack::open(&map).expect("a pack");
    let opened = start.elapsed();
    let url = robotsieve_corpora::url(SEED, hosts / 2, 0);
    let policy = |url: &[u8]| {
        let origin = Origin::of(url).expect("a URL");
        let site = pack.get(&origin).expect("no damage").expect("was added");
        site.policy(CrawlerId::at(0)).expect("no damage").expect("has rules")
    };
    let first = policy(&url);
    let allowed = first.is_allowed(&url).expect("a URL");
    let decided = start.elapsed();
    println!(
        "opened in {:.0} us, first verdict after {:.0} us; resident memory grew by {} KiB",
        opened.as_secs_f64() * 1e6,
        decided.as_secs_f64() * 1e6,
        resident_bytes().saturating_sub(before) >> 10,
    );
    let wanted = |host: u64, url: &[u8]| {
        let file = robotsieve_corpora::robots(SEED, host);
        Robots::parse(&file, &profile).policy(&crawler).is_allowed(url).expect("a URL")
    };
    assert_eq!(allowed, wanted(hosts / 2, &url));

    // The hosts lie far apart, so each look-up meets cold memory.
    let asked: Vec<(Vec<u8>, u64)> = (0..hosts.min(20_000))
        .map(|number| {
            let host = number * 7919 % hosts;
            (robotsieve_corpora::url(SEED, host, number), host)
        })
        .collect();
    for round in ["first", "second"] {
        let start = Instant::now();
        let allowed = asked.iter().map(|(url, _)| policy(url).is_allowed(url).expect("a URL"));
        let allowed: Vec<bool> = allowed.collect();
        let time = start.elapsed();
        println!(
            "{round} look-up and verdict for each of {} hosts: {:.0} ns; resident memory grew by \
             {} KiB in total",
            asked.len(),
            time.as_secs_f64() * 1e9 / asked.len() as f64,
            resident_bytes().saturating_sub(before) >> 10,
        );
        let right: Vec<bool> = asked.par_iter().map(|(url, host)| wanted(*host, url)).collect();
        assert_eq!(allowed, right, "a verdict of the pack is wrong");
    }
    let start = Instant::now();
    pack.verify().expect("no damage");
    println!("verified in {:.1} s", start.elapsed().as_secs_f64());
    println!("{:?}", pack.stat().expect("no damage"));
}

#[expect(unsafe_code, reason = "maps a file")]
fn map(file: &File) -> memmap2::Mmap {
    // SAFETY: the file is in a temporary folder of this process, and nothing changes it while it is
    // mapped.
    unsafe { memmap2::Mmap::map(file) }.expect("a map")
}

/// The resident bytes of this process, including its maps; 0 where `/proc` is missing.
fn resident_bytes() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or_default() * 4096
}
