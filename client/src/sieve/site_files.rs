//! Other files of sites that say something of rights: `/.well-known/tdmrep.json`, and the RSL documents
//! that robots.txt and responses name.
//!
//! They are fetched and kept like robots.txt: one attempt at a time, its outcome by the protocol, in memory
//! and in the store until it is due again. What differs is what follows from an outcome. A file that cannot
//! be fetched permits nothing and forbids nothing, but whoever asks is told; and a site may name any URL
//! as that of a licence, so what it can have fetched is bounded.

use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache as BoundedCache;
use robotsieve::SiteKind;
use robotsieve_rights::internals::normal;
use robotsieve_rights::{Documents, Note};
use smallvec::SmallVec;

use super::error::SieveError;
use super::in_flight::InFlight;
use crate::outcome::attempt::has_none;
use crate::outcome::{Cause, LocalFault, OriginState, Outcome, Protocol};
use crate::time::Timestamp;

/// One of so many parts of the sieve's memory is for files.
pub(super) const SHARE_OF_FILES: u64 = 4;

/// The most licences that are read for a URL.
const MAX_LICENCES: usize = 8;

/// The most different licences that a site has asked for in a [`DAY`], and so the most other sites that are
/// asked for their robots.txt because of it.
const MAX_LICENCES_A_DAY: usize = 64;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The number of sites whose licences are counted.
const COUNTED_SITES: u64 = 1 << 16;

/// The most bytes of a file: those that a reader of RSL takes.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// Where TDMRep's file is.
pub(super) const TDM_PATH: &str = "/.well-known/tdmrep.json";

/// Another file of a site, and what became of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SiteFile {
    /// Its URL, as the WHATWG URL standard writes it, without a fragment.
    pub url: Box<str>,
    /// What became of it.
    pub outcome: FileOutcome,
}

/// What became of a [`SiteFile`]. All but [`FileOutcome::Read`], and [`FileOutcome::Absent`] of
/// `tdmrep.json`, mean that nothing is known of what it says, which is no permission.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FileOutcome {
    /// It is at hand. If it is invalid, the rights say so.
    Read,
    /// There is none: 404 or 410.
    Absent,
    /// The last attempt did not bring it.
    Failed(Outcome),
    /// It is longer than 4 MiB.
    TooLong,
    /// The robots.txt of its site does not allow it to be fetched, or is unreachable.
    Disallowed,
    /// Its URL is not of http or https, is too long, or has a port that is neither its scheme's own nor that
    /// of the site that names it.
    Url,
    /// The site has named too many licences today.
    LeftOut,
    /// Nothing is known of it, and the sieve's fetcher is for robots.txt alone, or there is none.
    NoFetcher,
    /// It could not be asked for, for a reason on this side.
    Error(SieveError),
}

impl fmt::Display for FileOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileOutcome::Read => f.write_str("read"),
            FileOutcome::Absent => f.write_str("there is none"),
            FileOutcome::Failed(outcome) => f.write_str(&outcome.why()),
            FileOutcome::TooLong => write!(f, "longer than {} MiB", MAX_BYTES >> 20),
            FileOutcome::Disallowed => {
                f.write_str("the robots.txt of its site does not allow it to be fetched")
            }
            FileOutcome::Url => {
                f.write_str("not a URL of http or https with its usual port or that of the site")
            }
            FileOutcome::LeftOut => {
                write!(f, "the site has named more than {MAX_LICENCES_A_DAY} licences in a day")
            }
            FileOutcome::NoFetcher => f.write_str("unknown, and not fetched"),
            FileOutcome::Error(cause) => cause.fmt(f),
        }
    }
}

/// The files for a URL: those that are named, and then what was read.
#[derive(Clone, Debug, Default)]
pub(super) struct SiteDocuments {
    pub(super) documents: Documents,
    /// Those that are done.
    pub(super) files: Vec<SiteFile>,
    /// The URLs of those to come.
    pub(super) named: Vec<Box<str>>,
    /// The number of licences among both.
    licences: usize,
    has_left_out: bool,
}

impl SiteDocuments {
    pub(super) fn documents(&self) -> &Documents {
        &self.documents
    }

    pub(super) fn files(&self) -> &[SiteFile] {
        &self.files
    }

    /// Names licences by their absolute URLs. Each counts once.
    pub(super) fn name<'u>(&mut self, licences: impl Iterator<Item = &'u str>) {
        for url in licences {
            // What is no absolute URL is noted by whoever reads it.
            let Some(url) = normal(url) else { continue };
            if self.named.contains(&url) || self.files.iter().any(|file| file.url == url) {
                continue;
            }
            if self.licences == MAX_LICENCES {
                self.has_left_out = true;
                return;
            }
            self.licences += 1;
            self.named.push(url);
        }
    }

    /// Names the file of TDMRep of a site.
    pub(super) fn name_tdm(&mut self, site: &str) {
        if site.starts_with("http") {
            self.named.push(format!("{site}{TDM_PATH}").into());
        }
    }

    /// What the rights should tell.
    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        let left_out = |file: &SiteFile| matches!(file.outcome, FileOutcome::LeftOut);
        let has_left_out = self.has_left_out || self.files.iter().any(left_out);
        has_left_out.then_some(Note::LicencesLeftOut).into_iter()
    }
}

/// Returns true if a file was looked for and may say more than is known. Of TDMRep most sites have none.
pub(super) fn is_unread(url: &str, outcome: &FileOutcome) -> bool {
    match outcome {
        FileOutcome::Read | FileOutcome::LeftOut => false,
        FileOutcome::Absent => !url.ends_with(TDM_PATH),
        _ => true,
    }
}

/// The files that are known, and the attempts to fetch others.
pub(super) struct SiteFiles {
    pub(super) protocol: Protocol,
    pub(super) in_memory: BoundedCache<Box<str>, Arc<KnownFile>, foldhash::fast::RandomState>,
    pub(super) in_flight: Arc<InFlight<FileProgress>>,
    /// The hashes of the licences that were asked for because of each site, by its key.
    licences: BoundedCache<Box<str>, Arc<Mutex<AskedFor>>, foldhash::fast::RandomState>,
    hasher: foldhash::fast::RandomState,
}

/// Hashes of URLs.
type AskedFor = SmallVec<[u64; 2]>;

/// A file whose state is known.
#[derive(Debug)]
pub(super) struct KnownFile {
    pub(super) state: OriginState,
    /// What its copy says.
    pub(super) documents: Documents,
}

/// The progress of an attempt for a file.
#[derive(Clone, Debug)]
pub(super) enum FileProgress {
    Fetching,
    /// The outcome is known.
    Known(Arc<KnownFile>),
    /// The fetcher does not fetch such files.
    NoFetcher,
    /// There is no outcome: the fault is on this side.
    Local(LocalFault),
}

impl KnownFile {
    /// The file with this state. The body is that of its copy.
    pub(super) fn new(url: &str, state: OriginState, body: Option<&[u8]>) -> KnownFile {
        let is_whole = state.copy.as_ref().is_some_and(|copy| !copy.is_truncated);
        let documents = match body {
            Some(body) if is_whole => Documents::new().with(url, body),
            _ => Documents::new(),
        };
        KnownFile { state, documents }
    }

    pub(super) fn outcome(&self, protocol: &Protocol, now: Timestamp) -> FileOutcome {
        let state = &self.state;
        match &state.copy {
            // While its site is unreachable it goes on to apply as long as a robots.txt does.
            Some(copy) if protocol.ruling(state, now).holds == SiteKind::Rules => {
                if copy.is_truncated { FileOutcome::TooLong } else { FileOutcome::Read }
            }
            _ => match &state.last {
                Outcome::Absent(Cause::Status(status)) if has_none(*status) => FileOutcome::Absent,
                last => FileOutcome::Failed(last.clone()),
            },
        }
    }

    /// Its size in bytes, as a bound: what was read takes several times the memory of the text.
    fn weigh(&self, url: &str) -> u64 {
        let body = match self.documents.is_empty() {
            true => 0,
            false => self.state.copy.as_ref().map_or(0, |copy| u64::from(copy.len)),
        };
        1024 + url.len() as u64 + 8 * body
    }
}

impl SiteFiles {
    pub(super) fn new(max_bytes: u64, protocol: Protocol) -> SiteFiles {
        SiteFiles {
            // Whoever answers 429 has not said whether there is a file.
            protocol: protocol.with_too_many_requests_is_error(true),
            in_memory: BoundedCache::<Box<str>, Arc<KnownFile>>::builder()
                .max_capacity(max_bytes)
                .weigher(|url, file| u32::try_from(file.weigh(url)).unwrap_or(u32::MAX))
                // A new file is always admitted, or it would be fetched again at once.
                .eviction_policy(EvictionPolicy::lru())
                .build_with_hasher(foldhash::fast::RandomState::default()),
            in_flight: Arc::default(),
            licences: BoundedCache::builder()
                .max_capacity(COUNTED_SITES)
                .time_to_live(DAY)
                .eviction_policy(EvictionPolicy::lru())
                .build_with_hasher(foldhash::fast::RandomState::default()),
            hasher: foldhash::fast::RandomState::default(),
        }
    }

    /// The bytes of the files in memory.
    pub(super) fn size(&self) -> u64 {
        self.in_memory.run_pending_tasks();
        self.in_memory.weighted_size()
    }

    /// The file, if it is in memory and need not be asked for again yet.
    pub(super) fn current(&self, url: &str, now: Timestamp) -> Option<Arc<KnownFile>> {
        self.in_memory.get(url).filter(|file| self.is_current(file, now))
    }

    pub(super) fn is_current(&self, file: &KnownFile, now: Timestamp) -> bool {
        let ruling = self.protocol.ruling(&file.state, now);
        !ruling.is_expired && ruling.is_current_at(now)
    }

    /// True if a site may have this licence asked for: it has before, or it has not had many.
    pub(super) fn admits_licence(&self, site: &str, url: &str) -> bool {
        let asked = self.licences.get_with(site.into(), Arc::default);
        // Each change of the list is complete, so it stays valid if a thread panics.
        let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = self.hasher.hash_one(url);
        let is_known = asked.contains(&hash);
        if !is_known && asked.len() < MAX_LICENCES_A_DAY {
            asked.push(hash);
            return true;
        }
        is_known
    }
}
