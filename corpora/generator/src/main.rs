//! Writes generated robots.txt files and URLs to a folder, one named file to standard output, or an
//! archive of captures.

#![forbid(unsafe_code)]

mod archive_task;

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use robotsieve_corpora::{big, host_name, hostile, pages, robots, url};

const HELP: &str = "\
robotsieve-corpora: deterministic robots.txt files and URLs for tests and benchmarks

usage: robotsieve-corpora --hosts N --urls M [--by-host] [--seed S] --out DIR
       robotsieve-corpora --shape NAME
       robotsieve-corpora warc --captures N [--seed S] [--files F] [--threads T] [--plain]
                               --out DIR|-
       robotsieve-corpora warc --captures N [--seed S] --expect DIR [--every E] [--urls M]
                               [--index M]
       robotsieve-corpora pages --pages N [--seed S]

  --hosts N     number of hosts; their files are written to DIR/robots/HOST
  --urls M      number of URLs, one per line, hosts interleaved, written to DIR/urls.txt
  --by-host     write the URLs host by host, as many for each host
  --seed S      a different seed gives a different corpus (default 1)
  --out DIR     the folder to write to; created if it does not exist
  --shape NAME  write one file to standard output: big, prefixes, four_stars,
                two_stars, star_bombs, nested_pieces or long_heads
  --help        print this text

`warc` writes an archive of robots.txt captures as Common Crawl's are:

  --captures N  number of captures; all those of the last host are written
  --out DIR|-   writes DIR/robotstxt-00000.warc.gz and so on, or one file to standard output
  --files F     number of files (default 1); the captures of a host are spread over them
  --threads T   number of threads, at most one a file (default 1)
  --plain       writes .warc, not .warc.gz
  --expect DIR  writes what a reader must find as of the captures: DIR/origins.tsv has a line
                ORIGIN<TAB>rules|allow|disallow|unknown for each origin that was asked, and
                DIR/robots/HOST a file of the same meaning, for --robots-dir
  --every E     only of every E-th host (default 1)
  --urls M      writes M URLs of these origins to DIR/urls.txt, at random (default 0)
  --index M     writes an index of M pages at such URLs to DIR/index.cdxj, sorted (default 0)

`pages` writes an archive of N pages, 50 a site, and of their robots.txt files to standard output. Most of them
say what the pages may be used for.

Exit status: 0 done, 2 wrong usage, 3 a file could not be written.
";

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    Help,
    Shape(String),
    Corpus { hosts: u64, urls: u64, by_host: bool, seed: u64, out: PathBuf },
    Archive(archive_task::Task),
    Pages { seed: u64, pages: u64 },
}

fn main() -> ExitCode {
    let task =
        match parse(std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned())) {
            Ok(task) => task,
            Err(message) => {
                eprintln!("robotsieve-corpora: {message} (see --help)");
                return ExitCode::from(2);
            }
        };
    let result = match task {
        Task::Help => write_out(HELP.as_bytes()),
        Task::Shape(name) => match shape(&name) {
            Some(text) => write_out(&text),
            None => {
                eprintln!("robotsieve-corpora: there is no shape {name:?}; --help lists them");
                return ExitCode::from(2);
            }
        },
        Task::Corpus { hosts, urls, by_host, seed, out } => {
            write_corpus(hosts, urls, by_host, seed, &out)
        }
        Task::Archive(task) => archive_task::write(&task),
        Task::Pages { seed, pages } => {
            let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
            let written = pages::write(&mut out, seed, pages).and_then(|()| out.flush());
            written.map_err(|error| (PathBuf::from("standard output"), error))
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err((path, error)) => {
            eprintln!("robotsieve-corpora: {}: {error}", path.display());
            ExitCode::from(3)
        }
    }
}

/// Reads the arguments. An error is a message for the user.
fn parse(arguments: impl Iterator<Item = String>) -> Result<Task, String> {
    let mut arguments = arguments.peekable();
    if arguments.next_if(|first| first == "warc").is_some() {
        return archive_task::parse(arguments);
    }
    let is_of_pages = arguments.next_if(|first| first == "pages").is_some();
    let mut pages = None;
    let (mut hosts, mut urls, mut seed, mut out, mut shape) = (None, None, None, None, None);
    let mut by_host = false;
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{name} needs a value"));
        match name.as_str() {
            "--help" | "-h" => return Ok(Task::Help),
            "--pages" if is_of_pages => pages = Some(number(&name, &value()?)?),
            "--seed" => seed = Some(number(&name, &value()?)?),
            _ if is_of_pages => return Err(format!("{name:?} is not an option of pages")),
            "--hosts" => hosts = Some(number(&name, &value()?)?),
            "--urls" => urls = Some(number(&name, &value()?)?),
            "--by-host" => by_host = true,
            "--out" => out = Some(PathBuf::from(value()?)),
            "--shape" => shape = Some(value()?),
            _ => return Err(format!("{name:?} is not an option")),
        }
    }
    if is_of_pages {
        let pages = pages.ok_or("--pages is missing")?;
        return Ok(Task::Pages { seed: seed.unwrap_or(1), pages });
    }
    if let Some(shape) = shape {
        if hosts.is_some() || urls.is_some() || seed.is_some() || out.is_some() || by_host {
            return Err("--shape stands alone".into());
        }
        return Ok(Task::Shape(shape));
    }
    let hosts = hosts.ok_or("--hosts is missing")?;
    let urls = urls.ok_or("--urls is missing")?;
    let out = out.ok_or("--out is missing")?;
    if hosts == 0 && urls > 0 {
        return Err("URLs need at least one host".into());
    }
    Ok(Task::Corpus { hosts, urls, by_host, seed: seed.unwrap_or(1), out })
}

fn number(name: &str, value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| format!("{name} needs a whole number, not {value:?}"))
}

fn shape(name: &str) -> Option<Vec<u8>> {
    if name == "big" {
        return Some(big());
    }
    hostile::all().into_iter().find(|(known, _)| *known == name).map(|(_, text)| text)
}

fn write_out(text: &[u8]) -> Result<(), (PathBuf, io::Error)> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text)
        .and_then(|()| stdout.flush())
        .map_err(|error| (PathBuf::from("standard output"), error))
}

/// Writes the files, then the URLs, with one host or URL in memory at a time.
fn write_corpus(
    hosts: u64,
    urls: u64,
    by_host: bool,
    seed: u64,
    out: &Path,
) -> Result<(), (PathBuf, io::Error)> {
    let folder = out.join("robots");
    fs::create_dir_all(&folder).map_err(|error| (folder.clone(), error))?;
    for host in 0..hosts {
        let path = folder.join(host_name(host));
        fs::write(&path, robots(seed, host)).map_err(|error| (path, error))?;
    }
    let path = out.join("urls.txt");
    write_urls(&path, hosts, urls, by_host, seed).map_err(|error| (path, error))
}

fn write_urls(path: &Path, hosts: u64, urls: u64, by_host: bool, seed: u64) -> io::Result<()> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    for number in 0..urls {
        let host = match by_host {
            true => (u128::from(number) * u128::from(hosts) / u128::from(urls)) as u64,
            false => frontier_host(hosts, number),
        };
        file.write_all(&url(seed, host, number))?;
        file.write_all(b"\n")?;
    }
    file.flush()
}

/// The host of URL number `number`. Half of the URLs go round all hosts, half round the first
/// sixteenth of them, because large sites crowd a frontier.
fn frontier_host(hosts: u64, number: u64) -> u64 {
    // An odd multiplier scatters neighbours; the remainder keeps it in range.
    let scattered = (number / 2).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
    if number.is_multiple_of(2) { scattered % hosts } else { scattered % hosts.div_ceil(16) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &str) -> Result<Task, String> {
        parse(words.split_whitespace().map(String::from))
    }

    #[test]
    fn arguments() {
        let task = |by_host| Task::Corpus { hosts: 5, urls: 9, by_host, seed: 1, out: "d".into() };
        assert_eq!(parse_words("--hosts 5 --urls 9 --out d"), Ok(task(false)));
        assert_eq!(parse_words("--hosts 5 --urls 9 --by-host --out d"), Ok(task(true)));
        assert_eq!(parse_words("--help --nonsense"), Ok(Task::Help));
        assert_eq!(parse_words("--shape big"), Ok(Task::Shape("big".into())));
        for wrong in [
            "",
            "--hosts 5",
            "--hosts five --urls 9 --out d",
            "--hosts 5 --urls 9 --out",
            "--hosts 0 --urls 9 --out d",
            "--shape big --seed 2",
            "--verbose",
        ] {
            assert!(parse_words(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_shape_of_the_help_exists() {
        for name in [
            "big",
            "prefixes",
            "four_stars",
            "two_stars",
            "star_bombs",
            "nested_pieces",
            "long_heads",
        ] {
            assert!(HELP.contains(name) && shape(name).is_some(), "{name}");
        }
        assert_eq!(shape("small"), None);
    }

    #[test]
    fn a_frontier_reaches_every_host_and_mixes_them() {
        let hosts: Vec<u64> = (0..2_000).map(|number| frontier_host(50, number)).collect();
        assert!((0..50).all(|host| hosts.contains(&host)));
        let runs = hosts.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!(runs < 200, "{runs} neighbours of one host");
    }
}
