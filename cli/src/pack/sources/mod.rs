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
use std::time::{Duration, UNIX_EPOCH};

use robotsieve::Profile;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Protocol, Response};
use url::Url;

use super::args;
use super::gather::Input;
use crate::captures::{Answer, Capture, Key, Place, is_redirect};
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

/// What a capture says, as columns and members have it.
#[derive(Debug, Default)]
struct Fields<'f> {
    url: &'f str,
    status: u16,
    body: Vec<u8>,
    /// Seconds since 1970.
    at: Option<u64>,
    location: Option<&'f str>,
}

/// What is expected of the columns and members of these names.
const URL: &str = "the URL of a site, as in https://example.com/robots.txt,";
const STATUS: &str = "an HTTP status from 100 to 999";
const TIME: &str = "seconds since 1970, or a time as in 2026-11-20T12:00:00Z,";

/// How far apart two clocks may be.
const CLOCK_TOLERANCE: u64 = 5 * 60;

impl Fields<'_> {
    /// # Errors
    /// Returns what is wrong with it.
    fn capture(self, place: Place) -> Result<Capture, String> {
        let url = self.url;
        // `https://example.com` names the site.
        let is_site = Url::parse(url).is_ok_and(|url| url.path() == "/" && url.query().is_none());
        let key = if is_site { site(url) } else { Key::of(url) };
        let key = key.ok_or_else(|| {
            let url = crate::write::bytes::shown(url.as_bytes());
            format!("'url' is '{url}'; {URL} is expected")
        })?;
        if let Some(at) = self.at.filter(|at| *at > Timestamp::now().0 + CLOCK_TOLERANCE) {
            // As seconds this is the year 5138, as milliseconds 1973.
            if at >= 100_000_000_000 {
                return Err(format!("'time' is {at}; {TIME} is expected, not milliseconds"));
            }
            let at = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(at));
            return Err(format!("'time' is {at}, in the future: its clock was wrong"));
        }
        let (origin, other) = match key {
            Key::Origin(origin) => (origin, None),
            Key::Other(origin, url) => (origin, Some(url)),
        };
        let answer = match self.status {
            status if is_redirect(status) => {
                let base = other.as_deref().map_or_else(|| origin.robots_url(), str::to_owned);
                Answer::redirect(status, &base, self.location)
            }
            status @ 100..=999 => {
                let is_file = (200..300).contains(&status);
                Answer::Final(Response::new(status, if is_file { self.body } else { Vec::new() }))
            }
            status => return Err(format!("'status' is {status}; {STATUS} is expected")),
        };
        Ok(Capture { origin, other, at: self.at.map(Timestamp), answer, place })
    }
}

fn site(url: &str) -> Option<Key> {
    Some(Key::Origin(robotsieve::Origin::of(url).ok()?.into_owned()))
}

/// A time: seconds since 1970, or as RFC 3339 writes it.
///
/// # Errors
/// Returns what is wrong with it.
fn time_of(text: &str) -> Result<u64, String> {
    let seconds = text.parse().ok().or_else(|| rfc3339(text).map(|time| time.0));
    seconds.ok_or_else(|| {
        let text = crate::write::bytes::shown(text.as_bytes());
        format!("'time' is '{text}'; {TIME} is expected")
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
