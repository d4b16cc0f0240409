//! What is measured on: the real files of `../shared/corpus`, or of the folder that
//! `ROBOTSIEVE_CORPUS` names, where they are, else the shapes of `corpora/` and generated hosts.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use robotsieve::{Config, Crawler, Engine, Profile, Robots};

/// The crawler for which all is measured.
pub const AGENT: &str = "Googlebot";

/// A host. Texts are leaked: they live as long as the program.
pub struct Host {
    pub name: String,
    pub file: &'static [u8],
    /// As text, which peers want; what is no UTF-8 replaced, for robotsieve too.
    pub urls: Vec<&'static str>,
    /// Of the URLs that have one: from the first `/` after the authority to before `#`.
    pub paths: Vec<&'static str>,
    /// The verdicts of google/robotstxt by crawler.
    pub questions: Vec<Questions>,
}

pub struct Questions {
    pub agent: String,
    /// A URL's bytes, the same as text, and whether it is allowed.
    pub verdicts: Vec<(&'static [u8], &'static str, bool)>,
}

pub struct Data {
    /// Where the files and where the verdicts come from.
    pub description: String,
    pub hosts: Vec<Host>,
}

/// From the first `/` after the authority to before `#`.
pub fn path_of(url: &str) -> Option<&str> {
    let authority = memchr::memmem::find(url.as_bytes(), b"://")? + 3;
    let path = authority + memchr::memchr(b'/', &url.as_bytes()[authority..])?;
    let end = memchr::memchr(b'#', &url.as_bytes()[path..]).map_or(url.len(), |at| path + at);
    Some(&url[path..end])
}

fn text(bytes: &'static [u8]) -> &'static str {
    match String::from_utf8_lossy(bytes) {
        std::borrow::Cow::Borrowed(text) => text,
        std::borrow::Cow::Owned(text) => text.leak(),
    }
}

impl Host {
    fn new(name: String, file: Vec<u8>, urls: Vec<u8>) -> Host {
        let urls: &'static str = text(urls.leak());
        let urls: Vec<&str> = urls.split('\n').filter(|line| !line.is_empty()).collect();
        let paths = urls.iter().filter_map(|url| path_of(url)).collect();
        Host { name, file: file.leak(), urls, paths, questions: Vec::new() }
    }

    /// The URL of the first question: the host's first one, or its home page.
    pub fn first_url(&self) -> String {
        self.urls.first().map_or_else(|| format!("https://{}/", self.name), ToString::to_string)
    }
}

pub fn read(smoke: bool) -> Data {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = match std::env::var_os("ROBOTSIEVE_CORPUS") {
        Some(folder) => folder.into(),
        None => root.join("../shared/corpus"),
    };
    let mut data = if shared.join("robots").is_dir() {
        read_shared(&shared)
    } else {
        read_own(&root.join("corpora"))
    };
    if smoke {
        let every = data.hosts.len().div_ceil(40);
        let mut number = 0;
        data.hosts.retain(|_| {
            number += 1;
            number % every == 0
        });
    }
    data
}

/// All files of a folder, sorted by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("a folder that can be listed");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("a folder that can be listed");
            let name = entry.file_name().into_string().expect("a name in UTF-8");
            (name, std::fs::read(entry.path()).expect("a file that can be read"))
        })
        .collect();
    files.sort();
    files
}

fn read_shared(folder: &Path) -> Data {
    let mut hosts: Vec<Host> = files(&folder.join("robots"))
        .into_iter()
        .map(|(name, file)| {
            let urls = std::fs::read(folder.join("urls").join(&name)).unwrap_or_default();
            Host::new(name, file, urls)
        })
        .collect();
    let by_name: HashMap<String, usize> =
        hosts.iter().enumerate().map(|(at, host)| (host.name.clone(), at)).collect();
    let packed = std::fs::File::open(folder.join("verdicts.google.tsv.gz")).expect("verdicts");
    let mut lines = Vec::new();
    flate2::read::MultiGzDecoder::new(packed).read_to_end(&mut lines).expect("gzip");
    let lines: &'static [u8] = lines.leak();
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let mut columns = line.splitn(4, |byte| *byte == b'\t');
        let mut column = || columns.next().expect("four columns");
        let (name, agent, verdict, url) = (column(), column(), column(), column());
        let questions = &mut hosts[by_name[str::from_utf8(name).expect("a host")]].questions;
        let agent = str::from_utf8(agent).expect("a name");
        if questions.last().is_none_or(|last| last.agent != agent) {
            // The corpus changes the crawler from line to line: one list for each is better.
            let known = questions.iter().position(|known| known.agent == agent);
            let last = known.map_or_else(
                || Questions { agent: agent.to_owned(), verdicts: Vec::new() },
                |known| questions.remove(known),
            );
            questions.push(last);
        }
        let verdicts = &mut questions.last_mut().expect("pushed above").verdicts;
        verdicts.push((url, text(url), verdict == b"1"));
    }
    Data {
        description: "the corpus of real files beside the project, with google/robotstxt's \
                      verdicts"
            .to_owned(),
        hosts,
    }
}

/// The shapes of `corpora/`, the big file and 300 generated hosts. The verdicts are those of
/// the profile `google` by the loop over the rules: nobody else's are part of the project.
fn read_own(folder: &Path) -> Data {
    let mut hosts = Vec::new();
    for (name, file) in files(&folder.join("robots")) {
        let Some(shape) = name.strip_suffix(".example.txt") else { continue };
        let urls = std::fs::read(folder.join("urls").join(format!("{shape}.txt")));
        hosts.push(Host::new(name.clone(), file, urls.unwrap_or_default()));
    }
    let big = std::fs::read(folder.join("urls/big.txt")).expect("corpora/urls/big.txt");
    hosts.push(Host::new("big.example".into(), robotsieve_corpora::big(), big));
    for number in 0..300 {
        let urls: Vec<_> = (0..40).map(|n| robotsieve_corpora::url(1, number, n)).collect();
        let file = robotsieve_corpora::robots(1, number);
        hosts.push(Host::new(robotsieve_corpora::host_name(number), file, urls.join(&b'\n')));
    }
    let mut config = Config::default();
    config.engine = Some(Engine::Scan);
    for host in &mut hosts {
        let robots = Robots::parse_with(host.file, &Profile::GOOGLE, &config);
        for agent in ["Bingbot", "GPTBot", AGENT, "MyCrawler"] {
            let policy = robots.policy(&Crawler::name(agent));
            let verdict = |url: &&'static str| {
                (url.as_bytes(), *url, policy.is_allowed(*url).expect("google takes any URL"))
            };
            let verdicts = host.urls.iter().map(verdict).collect();
            host.questions.push(Questions { agent: agent.to_owned(), verdicts });
        }
    }
    Data {
        description: "corpora/ and 300 generated hosts, with the verdicts of robotsieve's loop \
                      over the rules"
            .to_owned(),
        hosts,
    }
}
