//! What packs are made from. All sources are read as streams of captures, several at a time.

mod detect;
mod folder;
mod jsonl;
mod list;
#[cfg(feature = "parquet")]
mod parquet;
mod store;
mod warc;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use robotsieve::Profile;
use robotsieve_client::Timestamp;
use robotsieve_client::captures::{Fields, shown};
use robotsieve_client::outcome::{AsOf, Protocol};

use super::args;
use super::gather::Input;
use crate::error::Failure;
use crate::options::rfc3339;
use crate::read::stdin;
use crate::write::stderr;

use detect::Kind;
pub use store::Store;

/// Something that yields captures.
pub trait Source: Send {
    /// The next one. What cannot be read is told to `faults`, and left out.
    fn next(&mut self, faults: &Faults) -> Option<Input>;
}

/// How many faults are told one by one.
const NAMED: u64 = 20;

/// What could not be read.
#[derive(Debug, Default)]
pub struct Faults {
    count: AtomicU64,
    /// What is told whatever its number.
    told: AtomicU64,
}

impl Faults {
    /// Tells that something is left out.
    pub fn add(&self, what: &dyn Display) {
        if self.count.fetch_add(1, Ordering::Relaxed) < NAMED {
            stderr::error(&format_args!("{what}; left out"));
        }
    }

    /// Tells that a source cannot be read to its end, however much was told before.
    pub fn breaks_off(&self, source: &dyn Display, cause: &dyn Display) {
        self.told(1);
        stderr::error(&format_args!("{source} breaks off: {cause}; the rest of it is left out"));
    }

    /// Counts what was told already.
    fn told(&self, count: u64) {
        self.told.fetch_add(count, Ordering::Relaxed);
    }

    /// How many there were. Says so if they were not told one by one.
    pub fn end(&self) -> u64 {
        let count = self.count.load(Ordering::Relaxed);
        if let Some(more) = count.checked_sub(NAMED).filter(|more| *more > 0) {
            stderr::error(&format_args!("left out: {more} more"));
        }
        count + self.told.load(Ordering::Relaxed)
    }
}

/// A time: seconds since 1970, or as RFC 3339 writes it.
///
/// # Errors
/// Returns what is wrong with it.
fn time_of(text: &str) -> Result<u64, String> {
    let seconds = text.parse().ok().or_else(|| rfc3339(text).map(|time| time.0));
    seconds.ok_or_else(|| {
        let (text, expected) = (shown(text.as_bytes()), Fields::TIME);
        format!("'time' is '{text}'; {expected} is expected")
    })
}

/// How captures are judged.
#[derive(Clone, Debug)]
pub struct Judging {
    pub protocol: Protocol,
    pub as_of: AsOf,
    /// How the states of a store are turned into captures.
    pub of_stores: (Protocol, AsOf),
}

impl Judging {
    /// As a profile says, and as of what was given.
    pub fn of(profile: &Profile, as_of: Option<AsOf>) -> Judging {
        let protocol = Protocol::of(profile);
        let now = as_of.unwrap_or(AsOf::Time(Timestamp::now()));
        let of_stores = (protocol.clone(), now);
        Judging { protocol, as_of: as_of.unwrap_or_default(), of_stores }
    }
}

/// All sources that were named. None of them may read what is written to `output`.
///
/// # Errors
/// Returns an error if one of them cannot be opened.
pub fn open(
    args: &args::Sources,
    judging: &Judging,
    output: &Path,
    threads: usize,
) -> Result<Vec<Box<dyn Source>>, Failure> {
    let names = names(args);
    stdin::at_most_once(names.iter().copied())?;
    let of_kind = |kind| move |name: &OsString| (kind, name.clone());
    let of_path = |kind| move |path: &PathBuf| (kind, path.clone().into_os_string());
    let mut named = args
        .from
        .iter()
        .map(|name| Ok((detect::kind(name)?, name.clone())))
        .collect::<Result<Vec<(Kind, OsString)>, Failure>>()?;
    named.extend(args.robots_dir.iter().map(of_path(Kind::Folder)));
    named.extend(args.list.iter().map(of_path(Kind::List)));
    named.extend(args.store.iter().map(of_path(Kind::Store)));
    named.extend(args.jsonl.iter().map(of_kind(Kind::Jsonl)));
    named.extend(args.parquet.iter().map(of_kind(Kind::Parquet)));
    let mut warc_files = Vec::new();
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    for (kind, name) in named {
        let path = Path::new(&name);
        sources.push(match kind {
            Kind::Folder => Box::new(folder::Folder::open(path)?),
            Kind::List => Box::new(list::List::open(path, output)?),
            Kind::Store => Box::new(Store::open(path, judging)?),
            Kind::Jsonl => Box::new(jsonl::Jsonl::open(&name)?),
            Kind::Parquet => parquet_of(&name)?,
            Kind::Warc => {
                warc_files.push(name);
                continue;
            }
        });
    }
    warc_files.extend(args.warc.iter().cloned());
    if !warc_files.is_empty() {
        sources.push(Box::new(warc::Warc::open(warc_files, threads)?));
    }
    Ok(sources)
}

/// All names of files and folders.
pub fn names(args: &args::Sources) -> Vec<&OsStr> {
    let paths = [&args.robots_dir, &args.list, &args.store].into_iter().flatten();
    let names = [&args.from, &args.jsonl, &args.parquet, &args.warc].into_iter().flatten();
    names.map(|name| &name[..]).chain(paths.map(|path| path.as_os_str())).collect()
}

#[cfg(feature = "parquet")]
fn parquet_of(name: &OsStr) -> Result<Box<dyn Source>, Failure> {
    Ok(Box::new(parquet::Parquet::open(Path::new(name))?))
}

#[cfg(not(feature = "parquet"))]
fn parquet_of(name: &OsStr) -> Result<Box<dyn Source>, Failure> {
    Err(Failure::Usage(format!(
        "cannot read '{}': this robotsieve was built without Parquet; 'cargo install \
         robotsieve-cli --features parquet' builds one with it",
        name.display()
    )))
}

/// A path of the folder for temporary files beside a file.
pub fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new(".")).to_owned()
}
