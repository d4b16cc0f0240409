//! The corpus of real files with google/robotstxt's verdicts.
//!
//! It is not part of the project: it lies in `../shared/corpus`, or in the folder that
//! `ROBOTSIEVE_CORPUS` names. Tests that need it are marked `#[corpus::test]`: where it is missing,
//! they say so and pass.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use robotsieve_corpora::shared::corpus as folder;

pub use robotsieve_corpus_test::corpus_test as test;

/// How many verdicts the corpus holds.
pub const VERDICTS: usize = 600_347;

/// A host: its robots.txt, and what google/robotstxt says to each crawler.
pub struct Host {
    pub name: &'static str,
    pub file: Vec<u8>,
    pub crawlers: Vec<Questions>,
}

/// The verdicts for one crawler.
pub struct Questions {
    pub agent: &'static [u8],
    /// A URL, and whether it is allowed.
    pub verdicts: Vec<(&'static [u8], bool)>,
}

/// The hosts of the corpus, read once for all tests.
pub fn hosts() -> &'static [Host] {
    static HOSTS: OnceLock<Vec<Host>> = OnceLock::new();
    HOSTS.get_or_init(read)
}

/// All robots.txt files with the names of their hosts, including those without verdicts.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let folder = folder().join("robots");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| missing(&folder, &error));
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            let file = std::fs::read(entry.path()).expect("robots.txt");
            (entry.file_name().to_string_lossy().into_owned(), file)
        })
        .collect();
    files.sort_unstable();
    files
}

/// A file of published headers and names, in the folder `crawlers` beside the corpus.
pub fn crawlers(name: &str) -> String {
    let path = folder().join("../crawlers").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| missing(&path, &error))
}

/// A file of cases of rights, in the folder `rights` beside the corpus.
pub fn rights(name: &str) -> String {
    let path = folder().join("../rights").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| missing(&path, &error))
}

fn missing(path: &Path, error: &std::io::Error) -> ! {
    panic!("the corpus cannot be read: {}: {error} (see CONTRIBUTING.md)", path.display())
}

fn read() -> Vec<Host> {
    let folder = folder();
    let verdicts = folder.join("verdicts.google.tsv.gz");
    let packed = std::fs::File::open(&verdicts).unwrap_or_else(|error| missing(&verdicts, &error));
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(packed).read_to_end(&mut text).expect("gzip");
    // Leaked once for the whole run, so that hosts and URLs can borrow from it.
    let text: &'static [u8] = text.leak();
    let mut hosts: Vec<Host> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let mut parts = line.splitn(4, |byte| *byte == b'\t');
        let mut part = || parts.next().expect("four columns");
        let (name, agent, verdict, url) = (part(), part(), part(), part());
        let name = str::from_utf8(name).expect("a host name");
        let at = *known.entry(name).or_insert_with(|| {
            let file = std::fs::read(folder.join("robots").join(name)).expect("robots.txt");
            hosts.push(Host { name, file, crawlers: Vec::new() });
            hosts.len() - 1
        });
        let crawlers = &mut hosts[at].crawlers;
        let crawler = crawlers.iter().position(|c| c.agent == agent).unwrap_or_else(|| {
            crawlers.push(Questions { agent, verdicts: Vec::new() });
            crawlers.len() - 1
        });
        crawlers[crawler].verdicts.push((url, verdict == b"1"));
    }
    let verdicts = hosts.iter().flat_map(|host| &host.crawlers).map(|c| c.verdicts.len());
    assert_eq!(verdicts.sum::<usize>(), VERDICTS, "the corpus is incomplete");
    hosts
}

/// Visits all hosts on all cores. `look` adds what it finds to the tally of its thread; the result
/// is one tally a thread.
pub fn tally<T: Default + Send>(hosts: &[Host], look: impl Fn(&Host, &mut T) + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut found = T::default();
        while let Some(host) = hosts.get(next.fetch_add(1, Ordering::Relaxed)) {
            look(host, &mut found);
        }
        found
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}
