//! The data that the benchmarks run on.

use std::ops::Range;
use std::path::Path;

/// The available sets: always `corpora`, and `corpus` if it lies beside the project.
#[allow(dead_code, reason = "not every benchmark uses it")]
pub fn sets() -> Vec<(&'static str, Vec<Host>)> {
    let mut sets = vec![("corpora", corpora()), ("corpus", shared_corpus())];
    sets.retain(|(set, hosts)| {
        if hosts.is_empty() {
            println!("{set}: not found, skipped");
        }
        !hosts.is_empty()
    });
    sets
}

/// A host's robots.txt and URLs.
#[allow(dead_code, reason = "not every benchmark uses all of it")]
pub struct Host {
    pub name: String,
    pub file: Vec<u8>,
    urls: Vec<u8>,
    url_ranges: Vec<Range<usize>>,
    /// For the URLs that have a path: from the first `/` after the authority up to any `#`.
    path_ranges: Vec<Range<usize>>,
}

impl Host {
    fn new(name: String, file: Vec<u8>, urls: Vec<u8>) -> Host {
        let mut host = Host { name, file, urls, url_ranges: Vec::new(), path_ranges: Vec::new() };
        let mut from = 0;
        for line in host.urls.split(|byte| *byte == b'\n') {
            let to = from + line.len();
            if !line.is_empty() {
                host.url_ranges.push(from..to);
                let authority = memchr::memmem::find(line, b"://").map(|at| at + 3);
                let path = authority.and_then(|a| Some(a + memchr::memchr(b'/', &line[a..])?));
                let end = from + memchr::memchr(b'#', line).unwrap_or(line.len());
                host.path_ranges.extend(path.map(|path| from + path..end));
            }
            from = to + 1;
        }
        host
    }

    #[allow(dead_code, reason = "not every benchmark uses it")]
    pub fn urls(&self) -> impl Iterator<Item = &[u8]> {
        self.url_ranges.iter().map(|range| &self.urls[range.clone()])
    }

    #[allow(dead_code, reason = "not every benchmark uses it")]
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.path_ranges.iter().map(|range| &self.urls[range.clone()])
    }
}

/// The files in `corpora/`, and 300 generated hosts.
pub fn corpora() -> Vec<Host> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora");
    let mut hosts = hosts_of(&folder.join("robots"), |name| {
        let shape = name.strip_suffix(".example.txt")?;
        Some(folder.join("urls").join(format!("{shape}.txt")))
    });
    let big = std::fs::read(folder.join("urls/big.txt")).expect("corpora/urls/big.txt");
    hosts.push(Host::new("big".into(), robotsieve_corpora::big(), big));
    for number in 0..300 {
        let urls: Vec<_> = (0..40).map(|n| robotsieve_corpora::url(1, number, n)).collect();
        let file = robotsieve_corpora::robots(1, number);
        hosts.push(Host::new(robotsieve_corpora::host_name(number), file, urls.join(&b'\n')));
    }
    hosts
}

/// The real files with real URLs in `../shared/corpus`, or in the folder that `ROBOTSIEVE_CORPUS`
/// names; empty if they are missing.
#[allow(dead_code, reason = "`counts` uses only the files in the repository")]
pub fn shared_corpus() -> Vec<Host> {
    let folder = robotsieve_corpora::shared::corpus();
    hosts_of(&folder.join("robots"), |name| Some(folder.join("urls").join(name)))
}

/// All files of a folder, sorted by name, each with the URLs in the file that `urls_of` names. If
/// that file is missing, the host has no URLs.
fn hosts_of(folder: &Path, urls_of: impl Fn(&str) -> Option<std::path::PathBuf>) -> Vec<Host> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut hosts: Vec<Host> = entries
        .map(|entry| {
            let entry = entry.expect("a folder that can be listed");
            let name = entry.file_name().into_string().expect("a name in UTF-8");
            let file = std::fs::read(entry.path()).expect("a file that can be read");
            let urls = urls_of(&name).and_then(|path| std::fs::read(path).ok());
            Host::new(name, file, urls.unwrap_or_default())
        })
        .collect();
    hosts.sort_by(|a, b| a.name.cmp(&b.name));
    hosts
}

/// Whether a pattern matches a path: looks for the pieces between its stars, one after another.
#[allow(dead_code, reason = "not every benchmark uses it")]
pub fn matches(pattern: &[u8], anchored: bool, path: &[u8]) -> bool {
    let mut pieces = pattern.split(|byte| *byte == b'*');
    let head = pieces.next().unwrap_or_default();
    let Some(mut left) = path.strip_prefix(head) else { return false };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() && anchored {
            return left.ends_with(piece);
        }
        if piece.is_empty() {
            continue;
        }
        match left.windows(piece.len()).position(|window| window == piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    !anchored || left.is_empty()
}
