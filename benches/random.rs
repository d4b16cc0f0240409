//! URLs of many hosts at random: what a crawler's frontier asks. Policies in memory and a pack, one
//! by one and in batches, on one thread and on two, and for comparison the same URLs sorted by host.
//!
//! ```text
//! cargo bench -p robotsieve-benches --bench random [-- --hosts N --urls M --rounds R --huge-pages
//!     --only set|pack --one --folder DIR]
//! ```
//!
//! 1,000,000 hosts and 10,000,000 URLs by default. Measures from the text of a URL to its answer, and
//! asserts that every way gives the same answers, and that a sample of them is what a policy of its
//! own says. Prints each bar beside its figure.
//!
//! Times are those that a thread had the processor, so that other programs disturb less, and of
//! each 4,096 URLs the best of all rounds counts. `--huge-pages` asks the allocator (of glibc) and
//! the kernel for huge pages: compare the table with that of a run without. `--only` and `--one`
//! leave out a source, or the panel of crawlers. `--folder` takes packs that an earlier run with as
//! many hosts left there, or leaves them there. `--test` runs everything once with few hosts.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use robotsieve::pack::{Pack, Writer};
use robotsieve::{Answer, Config, Crawler, Origin, PolicySet, Profile, Robots, SiteRules};

mod support;

const SEED: u64 = 1;
const PROFILE: Profile = Profile::RFC9309;
/// How many hosts are generated and compiled at a time.
const HOSTS_AT_A_TIME: u64 = 8_192;
/// How many URLs one call answers: what a pipeline would hand over. Of so many the best round
/// counts.
const URLS_AT_A_TIME: usize = 4_096;
const PANEL: [&str; 3] = ["GPTBot", "CCBot", "Googlebot"];
/// How many of the URLs are also judged by a policy made for them alone.
const SAMPLE: usize = 10_000;

/// What is asked of one crawler's figures: of a row the most, in ns a URL.
const BARS: [(&str, f64); 6] = [
    ("set, at random, batches", 150.0),
    ("set, at random, one by one", 600.0),
    ("set, sorted, batches", 60.0),
    ("pack, at random, batches", 200.0),
    ("pack, at random, one by one", 650.0),
    ("pack, sorted, batches", 60.0),
];
/// How much faster two threads are to be than one.
const TWO_THREADS: f64 = 1.8;
/// Bytes a host, and seconds to build; microseconds to open and to the first verdict.
const PACK_BARS: [(&str, f64); 4] = [
    ("bytes a host", 400.0),
    ("s of each thread to build", 45.0),
    ("us to open", 1e3),
    ("us to the first verdict", 100.0),
];

struct Options {
    hosts: u64,
    urls: u64,
    rounds: u32,
    huge_pages: bool,
    only: Option<String>,
    panel: bool,
    folder: Option<PathBuf>,
}

impl Options {
    fn has(&self, source: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only == source)
    }
}

fn main() {
    let Some(options) = options() else { return };
    println!(
        "{} hosts, {} URLs, best of {}; huge pages {}",
        options.hosts,
        options.urls,
        options.rounds,
        if options.huge_pages { "asked for" } else { "not asked for" },
    );
    let [one, many] = memory(&options);
    println!("a load from memory: {one:.0} ns, {many:.1} ns of 32 at a time");
    let urls = Urls::generate(&options);
    println!("URLs: {:.1} bytes on average", urls.text.len() as f64 / options.urls as f64);
    let (order, sorted) = urls.sorted();
    let asked = Asked { random: urls, order, sorted };
    equal_policies(&["Googlebot"]);
    equal_policies(&PANEL);
    Table::measure(&["Googlebot"], &asked, &options);
    if options.panel {
        Table::measure(&PANEL, &asked, &options);
    }
}

/// Reads the arguments, and returns `None` if another process does the work.
fn options() -> Option<Options> {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let text = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        Some(arguments.get(at + 1).unwrap_or_else(|| panic!("{name} needs a value")).clone())
    };
    let number = |name: &str| {
        text(name).map(|value| value.parse().unwrap_or_else(|_| panic!("{name} needs a number")))
    };
    let is_test = has("--test");
    let huge_pages = has("--huge-pages");
    // The allocator reads its settings when a process starts.
    const TUNABLES: &str = "GLIBC_TUNABLES";
    if huge_pages && std::env::var_os(TUNABLES).is_none() {
        let this = std::env::current_exe().expect("this program");
        let status = std::process::Command::new(this)
            .args(&arguments[1..])
            .env(TUNABLES, "glibc.malloc.hugetlb=1")
            .status();
        assert!(status.expect("runs").success());
        return None;
    }
    let rounds = number("--rounds").unwrap_or(if is_test { 1 } else { 3 });
    assert!(rounds > 0, "--rounds needs a number over 0");
    let options = Options {
        hosts: number("--hosts").unwrap_or(if is_test { 2_000 } else { 1_000_000 }),
        urls: number("--urls").unwrap_or(if is_test { 20_000 } else { 10_000_000 }),
        rounds: rounds as u32,
        huge_pages,
        only: text("--only"),
        panel: !has("--one"),
        folder: text("--folder").map(PathBuf::from),
    };
    assert!(options.has("set") || options.has("pack"), "--only takes set or pack");
    Some(options)
}

/// What a load from memory costs now, in ns, where the next one waits for it, and with 32 of them on
/// their way: tells a slow machine, or a busy one, from slow programs.
fn memory(options: &Options) -> [f64; 2] {
    const LOADS: u32 = 1 << 20;
    // 512 MiB in lines of 64 bytes. Each has the number of another, and all are one ring.
    let lines: u32 = if options.hosts < 100_000 { 1 << 14 } else { 1 << 23 };
    let next = |line: u32| line.wrapping_mul(0x915F_77F5).wrapping_add(0x3C6E_F35F) % lines;
    let ring: Vec<[u32; 16]> = (0..lines).map(|line| [next(line); 16]).collect();
    let load = |line: &mut u32| *line = ring[*line as usize][*line as usize % 16];
    [1, 32].map(|ways| {
        let mut places: Vec<u32> = (0..ways).map(|way| way * (lines / 32)).collect();
        let start = thread_time();
        for _ in 0..LOADS / ways {
            places.iter_mut().for_each(load);
        }
        std::hint::black_box(&places);
        (thread_time() - start).as_secs_f64() * 1e9 / f64::from(LOADS)
    })
}

/// The URLs that are asked about.
struct Asked {
    random: Urls,
    /// For each place among the sorted ones that among the others.
    order: Vec<u32>,
    sorted: Urls,
}

/// URLs, and the number of each one's host.
struct Urls {
    text: String,
    ends: Vec<usize>,
    hosts: Vec<u32>,
}

impl Urls {
    fn generate(options: &Options) -> Urls {
        // splitmix64 over the number, so that any part can be generated by itself.
        let host_of = |number: u64| {
            let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((u128::from(z ^ (z >> 31)) * u128::from(options.hosts)) >> 64) as u64
        };
        let parts: Vec<Vec<(u32, Vec<u8>)>> = (0..options.urls.div_ceil(HOSTS_AT_A_TIME))
            .into_par_iter()
            .map(|part| {
                let from = part * HOSTS_AT_A_TIME;
                (from..options.urls.min(from + HOSTS_AT_A_TIME))
                    .map(|number| {
                        let host = host_of(number);
                        (host as u32, robotsieve_corpora::url(SEED, host, number))
                    })
                    .collect()
            })
            .collect();
        let mut urls = Urls { text: String::new(), ends: Vec::new(), hosts: Vec::new() };
        for (host, url) in parts.into_iter().flatten() {
            urls.push(host, std::str::from_utf8(&url).expect("URLs in UTF-8"));
        }
        urls
    }

    fn push(&mut self, host: u32, url: &str) {
        self.text.push_str(url);
        self.ends.push(self.text.len());
        self.hosts.push(host);
    }

    fn range(&self, number: usize) -> Range<usize> {
        number.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[number]
    }

    fn get(&self, number: usize) -> &str {
        &self.text[self.range(number)]
    }

    fn all(&self) -> Vec<&str> {
        (0..self.ends.len()).map(|number| self.get(number)).collect()
    }

    /// The same URLs, those of a host one after another, and where each was.
    fn sorted(&self) -> (Vec<u32>, Urls) {
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.sort_by_key(|number| self.hosts[*number as usize]);
        let mut sorted = Urls { text: String::new(), ends: Vec::new(), hosts: Vec::new() };
        for number in &order {
            sorted.push(self.hosts[*number as usize], self.get(*number as usize));
        }
        (order, sorted)
    }
}

/// Calls `add` with every host and its file, in the order of the hosts. Returns how long processors
/// were busy with generating.
fn each_host(hosts: u64, mut add: impl FnMut(&[(String, Vec<u8>)])) -> Duration {
    let mut generating = Duration::ZERO;
    for from in (0..hosts).step_by(HOSTS_AT_A_TIME as usize) {
        let start = process_time();
        let files: Vec<(String, Vec<u8>)> = (from..hosts.min(from + HOSTS_AT_A_TIME))
            .into_par_iter()
            .map(|host| {
                let origin = format!("https://{}", robotsieve_corpora::host_name(host));
                (origin, robotsieve_corpora::robots(SEED, host))
            })
            .collect();
        generating += process_time() - start;
        add(&files);
    }
    generating
}

fn origin(url: &str) -> Origin<'_> {
    Origin::of(url).expect("a URL")
}

fn config() -> Config {
    let mut config = Config::default();
    config.keep_rules = false;
    config
}

fn set(crawlers: &[Crawler], hosts: u64) -> PolicySet {
    let begin = process_time();
    let mut set = PolicySet::new(&PROFILE, &config(), crawlers.iter().cloned());
    let generating = each_host(hosts, |files| {
        for (name, file) in files {
            set.insert(&origin(name), file);
        }
    });
    println!(
        "set: {} origins, {} different files, {} different policies; {:.0} bytes an origin, built in \
         {:.1} s on one thread",
        set.len(),
        set.file_count(),
        set.policy_count(),
        set.memory_usage() as f64 / hosts as f64,
        (process_time() - begin - generating).as_secs_f64(),
    );
    set
}

/// Prints how many files and policies of real hosts are equal.
fn equal_policies(names: &[&str]) {
    let mut set = PolicySet::new(&PROFILE, &config(), names.iter().map(Crawler::name));
    for (number, host) in support::shared_corpus().iter().enumerate() {
        set.insert(&origin(&format!("https://host-{number}")), &host.file);
    }
    if set.is_empty() {
        return println!("no corpus of real files");
    }
    let [hosts, files, policies] = [set.len(), set.file_count(), set.policy_count()];
    let share = |count| 100.0 * count as f64 / hosts as f64;
    println!(
        "corpus, {}: {hosts} files, {files} different ({:.1} %), {policies} different policies \
         ({:.1} %)",
        names.join(", "),
        share(files),
        share(policies),
    );
}

/// Writes a pack with all threads of the machine, and returns how long each of them was busy, without
/// generating the files.
fn write_pack(path: &Path, crawlers: &[Crawler], hosts: u64) -> Duration {
    let begin = process_time();
    let out = BufWriter::with_capacity(1 << 20, File::create(path).expect("a file"));
    let mut writer =
        Writer::new(out, &PROFILE, crawlers.iter().cloned(), &config()).expect("writes");
    let generating = each_host(hosts, |files| {
        let recipe = writer.recipe().clone();
        let contents: Vec<u128> = files.par_iter().map(|(_, file)| recipe.content(file)).collect();
        let mut new = HashSet::new();
        let is_new: Vec<bool> = contents
            .iter()
            .map(|content| writer.known(*content).is_none() && new.insert(*content))
            .collect();
        let packed: Vec<_> = files
            .par_iter()
            .zip(&is_new)
            .map(|((_, file), is_new)| is_new.then(|| recipe.pack(file)))
            .collect();
        for ((name, _), (content, packed)) in files.iter().zip(contents.into_iter().zip(packed)) {
            let written = match packed {
                Some(packed) => writer.put(&packed).expect("writes"),
                None => writer.known(content).expect("an equal file was put before"),
            };
            writer.add(&origin(name), SiteRules::Rules(written), None).expect("writes");
        }
    });
    writer.finish().expect("writes").flush().expect("writes");
    (process_time() - begin - generating) / rayon::current_num_threads() as u32
}

/// Where answers come from.
trait Source: Sync {
    fn one_by_one(&self, urls: &[&str], answers: &mut [Answer]);
    fn in_batches(&self, urls: &[&str], answers: &mut [Answer]);
}

impl Source for PolicySet {
    fn one_by_one(&self, urls: &[&str], answers: &mut [Answer]) {
        for (url, row) in urls.iter().zip(answers.chunks_exact_mut(self.crawlers().len())) {
            self.get(&origin(url)).expect("was added").ask_into(*url, row);
        }
    }

    fn in_batches(&self, urls: &[&str], answers: &mut [Answer]) {
        self.answers_into(urls, self.crawler_ids(), answers);
    }
}

/// A pack, asked for all its crawlers.
struct Whole<'p>(Pack<'p>);

impl Source for Whole<'_> {
    fn one_by_one(&self, urls: &[&str], answers: &mut [Answer]) {
        for (url, row) in urls.iter().zip(answers.chunks_exact_mut(self.0.crawlers().len())) {
            let site = self.0.get(&origin(url)).expect("no damage").expect("was added");
            site.ask_into(*url, row).expect("no damage");
        }
    }

    fn in_batches(&self, urls: &[&str], answers: &mut [Answer]) {
        self.0.answers_into(urls, self.0.crawler_ids(), answers).expect("no damage");
    }
}

/// The measures of a list of crawlers.
struct Table {
    crawlers: Vec<Crawler>,
    /// What every way must answer, in the order of the random URLs.
    expected: Vec<Answer>,
}

impl Table {
    fn measure(names: &[&str], asked: &Asked, options: &Options) {
        println!("\n{}: processor time of all threads, ns a URL; bars", names.join(", "));
        let crawlers: Vec<Crawler> = names.iter().map(Crawler::name).collect();
        let mut table = Table { crawlers, expected: Vec::new() };
        if options.has("set") {
            let set = set(&table.crawlers, options.hosts);
            table.source("set", &set, asked, options.rounds);
            print_huge_bytes(options);
        }
        if options.has("pack") {
            let own = tempfile::tempdir().expect("a folder");
            let folder = options.folder.as_deref().unwrap_or(own.path());
            let path = folder.join(format!("{}-for-{}.pack", options.hosts, names.len()));
            table.packs(&path, asked, options);
        }
    }

    /// Measures a pack. Writes it unless it is there.
    fn packs(&mut self, path: &Path, asked: &Asked, options: &Options) {
        let built =
            (!path.exists()).then(|| write_pack(path, &self.crawlers, options.hosts).as_secs_f64());
        let len = path.metadata().expect("a file").len();

        let url = asked.random.get(asked.random.ends.len() / 2);
        let [mut opened, mut first] = [f64::INFINITY; 2];
        for _ in 0..10 {
            let start = Instant::now();
            let map = map(&File::open(path).expect("the pack"));
            let pack = Pack::open(&map).expect("a pack");
            let micros = || start.elapsed().as_secs_f64() * 1e6;
            opened = opened.min(micros());
            let site = pack.get(&origin(url)).expect("no damage").expect("was added");
            let mut row = vec![Answer::Unknown; self.crawlers.len()];
            site.ask_into(url, &mut row).expect("no damage");
            first = first.min(micros());
        }
        let map = map(&File::open(path).expect("the pack"));
        let pack = Pack::open(&map).expect("a pack");
        let figures = [Some(len as f64 / options.hosts as f64), built, Some(opened), Some(first)];
        for ((name, bar), figure) in PACK_BARS.into_iter().zip(figures) {
            // It was not built if it was there.
            let Some(figure) = figure else { continue };
            let bar = format!("<= {bar}: {}", verdict(figure <= bar));
            println!("{:<52} {figure:>9.1}  {bar}", format!("pack, {name}"));
        }
        println!(
            "pack: {}",
            pack.stat().map_or_else(|e| e.to_string(), |stat| format!("{stat:?}"))
        );
        let pack = Whole(pack);
        self.source("pack", &pack, asked, options.rounds);
        drop(pack);

        let mut copy = memmap2::MmapMut::map_anon(map.len()).expect("memory");
        #[cfg(target_os = "linux")]
        if options.huge_pages {
            copy.advise(memmap2::Advice::HugePage).expect("is advice");
        }
        copy.copy_from_slice(&map);
        let pack = Whole(Pack::open(&copy).expect("a pack"));
        self.source("pack copied to memory", &pack, asked, options.rounds);
        print_huge_bytes(options);
    }

    /// All measures of one source.
    fn source(&mut self, name: &str, source: &impl Source, asked: &Asked, rounds: u32) {
        const WAYS: [(&str, bool, usize); 3] =
            [("one by one", false, 1), ("batches", true, 1), ("batches, two threads", true, 2)];
        let columns = self.crawlers.len();
        for (order, urls) in [("at random", &asked.random), ("sorted", &asked.sorted)] {
            let all = urls.all();
            let mut answers = vec![Answer::Unknown; all.len() * columns];
            let mut clock = [f64::INFINITY; 3];
            let mut best: [Vec<f64>; 3] =
                std::array::from_fn(|_| vec![f64::INFINITY; all.len().div_ceil(URLS_AT_A_TIME)]);
            for _ in 0..rounds {
                for (way, (title, is_batch, threads)) in WAYS.into_iter().enumerate() {
                    answers.fill(Answer::Invalid);
                    let start = Instant::now();
                    ask(source, &all, &mut answers, &mut best[way], columns, is_batch, threads);
                    clock[way] = clock[way].min(start.elapsed().as_secs_f64());
                    self.check(&format!("{name}, {order}, {title}"), asked, order, &answers);
                }
            }
            let of_urls = |best: &Vec<f64>| best.iter().sum::<f64>() * 1e9 / all.len() as f64;
            let ns @ [_, in_batches, _] = best.each_ref().map(of_urls);
            for (way, (title, _, threads)) in WAYS.into_iter().enumerate() {
                let (name, ns) = (format!("{name}, {order}, {title}"), ns[way]);
                let bar = BARS.iter().find(|(of, _)| *of == name && columns == 1);
                let mut note = bar
                    .map(|(_, bar)| format!("<= {bar}: {}", verdict(ns <= *bar)))
                    .unwrap_or_default();
                if threads == 2 {
                    let speed_up = 2.0 * in_batches / ns;
                    note = format!(
                        "{speed_up:.2} x one thread ({:.2} x by the clock), >= {TWO_THREADS}: {}",
                        clock[1] / clock[way],
                        verdict(speed_up >= TWO_THREADS)
                    );
                }
                println!("{name:<52} {ns:>9.1}  {note}");
            }
        }
    }

    /// Asserts that the answers are right.
    fn check(&mut self, name: &str, asked: &Asked, order: &str, answers: &[Answer]) {
        let columns = self.crawlers.len();
        if self.expected.is_empty() {
            assert_eq!(order, "at random");
            self.expected = answers.to_vec();
            check_sample(&asked.random, answers, &self.crawlers);
        }
        let rows = answers.chunks_exact(columns);
        if order == "at random" {
            assert!(answers == self.expected, "{name}: other answers");
            return;
        }
        for (row, place) in rows.zip(&asked.order) {
            let place = *place as usize;
            let expected = &self.expected[place * columns..][..columns];
            assert_eq!(row, expected, "{name}: {}", asked.random.get(place));
        }
    }
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

/// Asks about all URLs. Sets `best` of each piece to the time it took, if that is shorter.
fn ask(
    source: &impl Source,
    urls: &[&str],
    answers: &mut [Answer],
    best: &mut [f64],
    columns: usize,
    is_batch: bool,
    threads: usize,
) {
    let part = |urls: &[&str], answers: &mut [Answer], best: &mut [f64]| {
        let pieces = urls.chunks(URLS_AT_A_TIME).zip(answers.chunks_mut(URLS_AT_A_TIME * columns));
        for ((urls, answers), best) in pieces.zip(best) {
            let start = thread_time();
            if is_batch {
                source.in_batches(urls, answers);
            } else {
                source.one_by_one(urls, answers);
            }
            *best = best.min((thread_time() - start).as_secs_f64());
        }
    };
    if threads == 1 {
        return part(urls, answers, best);
    }
    let pieces = best.len().div_ceil(threads);
    let each = pieces * URLS_AT_A_TIME;
    std::thread::scope(|scope| {
        let parts = urls.chunks(each).zip(answers.chunks_mut(each * columns));
        for ((urls, answers), best) in parts.zip(best.chunks_mut(pieces)) {
            scope.spawn(move || part(urls, answers, best));
        }
    });
}

/// How long this thread has had a processor.
#[cfg(target_os = "linux")]
fn thread_time() -> Duration {
    on_processor(rustix::time::ClockId::ThreadCPUTime)
}

/// How long all threads of this process have had one.
#[cfg(target_os = "linux")]
fn process_time() -> Duration {
    on_processor(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(target_os = "linux")]
fn on_processor(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Elsewhere the clock on the wall has to do.
#[cfg(not(target_os = "linux"))]
fn thread_time() -> Duration {
    static BEGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    BEGIN.elapsed()
}

/// As if all threads had been busy all the time.
#[cfg(not(target_os = "linux"))]
fn process_time() -> Duration {
    thread_time() * rayon::current_num_threads() as u32
}

/// Judges a sample of the URLs by policies of their own.
fn check_sample(urls: &Urls, answers: &[Answer], crawlers: &[Crawler]) {
    let step = urls.ends.len().div_ceil(SAMPLE);
    let places: Vec<usize> = (0..urls.ends.len()).step_by(step).collect();
    places.into_par_iter().for_each(|place| {
        let file = robotsieve_corpora::robots(SEED, u64::from(urls.hosts[place]));
        let robots = Robots::parse(&file, &PROFILE);
        for (column, crawler) in crawlers.iter().enumerate() {
            let url = urls.get(place);
            let allowed = robots.policy(crawler).is_allowed(url).expect("a URL");
            let answer = answers[place * crawlers.len() + column];
            let expected = if allowed { Answer::Allow } else { Answer::Disallow };
            assert_eq!(answer, expected, "{url}");
        }
    });
}

#[expect(unsafe_code, reason = "maps a file")]
fn map(file: &File) -> memmap2::Mmap {
    // SAFETY: the file is in a temporary folder of this process, and nothing changes it while it is
    // mapped.
    unsafe { memmap2::Mmap::map(file) }.expect("a map")
}

/// Prints how much of this process lies in huge pages, if they were asked for.
fn print_huge_bytes(options: &Options) {
    if options.huge_pages {
        let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("AnonHugePages:"));
        println!("{}", line.unwrap_or("huge pages: not known"));
    }
}
