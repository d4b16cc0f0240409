//! Other files of sites that say something of rights: `/.well-known/tdmrep.json`, and the RSL documents
//! that robots.txt and responses name.
//!
//! They are fetched and kept like robots.txt: one attempt at a time, its outcome by the protocol, in memory
//! and in the store until it is due again. What differs is what follows from an outcome. A file that cannot
//! be fetched permits nothing and forbids nothing, but whoever asks is told; and a site may name any URL
//! as that of a licence, so what it can have fetched is bounded.

use std::fmt;
use std::hash::BuildHasher;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use moka::policy::EvictionPolicy;
use moka::sync::Cache as BoundedCache;
use robotsieve::Origin;
use robotsieve::rights::{Documents, Note};
use smallvec::SmallVec;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tracing::Instrument;
use url::Url;

use super::attempt::{Shared, panicked};
use super::breaker::Permit;
use super::decide::Sieve;
use super::error::SieveError;
use super::in_flight::{InFlight, Joined, Running};
use super::metrics::count;
use super::sites::TARGET;
use crate::outcome::{
    CachedCopy, Cause, Holds, LocalFault, LocalKind, OriginState, Outcome, Protocol,
};
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
const MAX_BYTES: usize = 4 << 20;

/// The longest URL that is fetched, in bytes, as of redirects.
const MAX_URL_BYTES: usize = 8000;

/// Where TDMRep's file is.
const TDM_PATH: &str = "/.well-known/tdmrep.json";

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
    documents: Documents,
    /// Those that are done.
    files: Vec<SiteFile>,
    /// The URLs of those to come.
    named: Vec<Box<str>>,
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
            let Ok(mut url) = Url::parse(url) else { continue };
            url.set_fragment(None);
            let url = String::from(url).into_boxed_str();
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
        let unread = |file: &SiteFile| match file.outcome {
            FileOutcome::Read | FileOutcome::LeftOut => false,
            FileOutcome::Absent => !file.url.ends_with(TDM_PATH),
            _ => true,
        };
        let has_left_out = self.has_left_out || self.files.iter().any(left_out);
        let is_unread = self.files.iter().any(unread);
        let unread = is_unread.then_some(Note::FileNotRead);
        unread.into_iter().chain(has_left_out.then_some(Note::LicencesLeftOut))
    }
}

/// The files that are known, and the attempts to fetch others.
pub(super) struct SiteFiles {
    protocol: Protocol,
    in_memory: BoundedCache<Box<str>, Arc<KnownFile>, foldhash::fast::RandomState>,
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
    state: OriginState,
    /// What its copy says.
    documents: Documents,
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
    fn new(url: &str, state: OriginState, body: Option<&[u8]>) -> KnownFile {
        let is_whole = state.copy.as_ref().is_some_and(|copy| !copy.is_truncated);
        let documents = match body {
            Some(body) if is_whole => Documents::new().with(url, body),
            _ => Documents::new(),
        };
        KnownFile { state, documents }
    }

    fn outcome(&self, protocol: &Protocol, now: Timestamp) -> FileOutcome {
        let state = &self.state;
        match &state.copy {
            // While its site is unreachable it goes on to apply as long as a robots.txt does.
            Some(copy) if protocol.ruling(state, now).holds == Holds::Rules => {
                if copy.is_truncated { FileOutcome::TooLong } else { FileOutcome::Read }
            }
            _ => match &state.last {
                Outcome::Absent(Cause::Status(404 | 410)) => FileOutcome::Absent,
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
    fn current(&self, url: &str, now: Timestamp) -> Option<Arc<KnownFile>> {
        self.in_memory.get(url).filter(|file| self.is_current(file, now))
    }

    fn is_current(&self, file: &KnownFile, now: Timestamp) -> bool {
        let ruling = self.protocol.ruling(&file.state, now);
        !ruling.is_expired && ruling.is_current_at(now)
    }

    /// True if a site may have this licence asked for: it has before, or it has not had many.
    fn admits_licence(&self, site: &str, url: &str) -> bool {
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

impl Shared {
    /// Reads the files that are named, all at once: those that are known, or by fetching.
    pub(super) async fn read_named(self: &Arc<Self>, site: &str, files: &mut SiteDocuments) {
        let named = std::mem::take(&mut files.named);
        let read = named.into_iter().map(|url| async move {
            let found = self.file(site, &url).await;
            (url, found)
        });
        for (url, found) in join_all(read).await {
            let outcome = match found {
                Ok((file, outcome)) => {
                    if matches!(outcome, FileOutcome::Read) {
                        files.documents.add_all(&file.documents);
                    }
                    outcome
                }
                Err(outcome) => outcome,
            };
            files.files.push(SiteFile { url, outcome });
        }
    }

    /// A file that a site has or names, and what its state means now: from memory, from the store, or by
    /// fetching it.
    async fn file(
        self: &Arc<Self>,
        site: &str,
        url: &str,
    ) -> Result<(Arc<KnownFile>, FileOutcome), FileOutcome> {
        let Some(files) = &self.files else { return Err(FileOutcome::NoFetcher) };
        let now = self.sites.clock.now();
        let known = self.known_file(files, url);
        let file = match known {
            Some(file) if files.is_current(&file, now) => file,
            // As with robots.txt, known answers stay in use then.
            Some(file) if self.fetcher.is_none() => file,
            None if self.fetcher.is_none() => return Err(FileOutcome::NoFetcher),
            known => self.fetched_file(files, site, url, known).await?,
        };
        let outcome = file.outcome(&files.protocol, self.sites.clock.now());
        Ok((file, outcome))
    }

    /// A file that has to be fetched, if it may be.
    async fn fetched_file(
        self: &Arc<Self>,
        files: &SiteFiles,
        site: &str,
        url: &str,
        known: Option<Arc<KnownFile>>,
    ) -> Result<Arc<KnownFile>, FileOutcome> {
        if !may_name(site, url) {
            return Err(FileOutcome::Url);
        }
        let is_tdm = url.strip_prefix(site) == Some(TDM_PATH);
        if !is_tdm && !files.admits_licence(site, url) {
            return Err(FileOutcome::LeftOut);
        }
        let sieve = Sieve { shared: Arc::clone(self) };
        match sieve.decide(url.to_owned()).await {
            Ok(decision) if decision.is_allowed() => {}
            Ok(_) => return Err(FileOutcome::Disallowed),
            Err(cause) => return Err(FileOutcome::Error(cause)),
        }
        let mut attempt = match self.join_file(files, url, known)? {
            Ok(attempt) => attempt,
            Err(file) => return Ok(file),
        };
        let is_known = |progress: &FileProgress| !matches!(progress, FileProgress::Fetching);
        match attempt.wait_for(is_known).await.as_deref() {
            Ok(FileProgress::Known(file)) => Ok(Arc::clone(file)),
            Ok(FileProgress::NoFetcher) => Err(FileOutcome::NoFetcher),
            Ok(FileProgress::Local(fault)) => {
                Err(FileOutcome::Error(SieveError::Local(fault.clone())))
            }
            _ => Err(FileOutcome::Error(SieveError::Gone)),
        }
    }

    /// A file in memory or in the store. A store that cannot be read counts as one that does not know it.
    fn known_file(&self, files: &SiteFiles, url: &str) -> Option<Arc<KnownFile>> {
        if let Some(file) = files.in_memory.get(url) {
            return Some(file);
        }
        let (state, body) =
            self.sites.read(|store| store.file(url)).unwrap_or_default().flatten()?;
        let file = Arc::new(KnownFile::new(url, state, body.as_deref()));
        files.in_memory.insert(url.into(), Arc::clone(&file));
        Some(file)
    }

    /// Joins the running attempt for a file. If there is none, starts one in a task of its own, unless one
    /// has just ended.
    #[allow(clippy::type_complexity)]
    fn join_file(
        self: &Arc<Self>,
        files: &SiteFiles,
        url: &str,
        known: Option<Arc<KnownFile>>,
    ) -> Result<Result<watch::Receiver<FileProgress>, Arc<KnownFile>>, FileOutcome> {
        let mut admitted = None;
        let instead = || {
            if let Some(file) = files.current(url, self.sites.clock.now()) {
                return Some(Ok(file));
            }
            let Ok(runtime) = Handle::try_current() else {
                return Some(Err(FileOutcome::Error(SieveError::NoRuntime)));
            };
            match self.breaker.admit(url) {
                Ok(permit) => {
                    admitted = Some((runtime, permit));
                    None
                }
                Err(fault) => {
                    count(&self.sites.counters.held_back);
                    Some(Err(FileOutcome::Error(SieveError::Local(fault))))
                }
            }
        };
        match files.in_flight.join(url, FileProgress::Fetching, instead) {
            Joined::Running(attempt) => Ok(Ok(attempt)),
            Joined::Shut => Err(FileOutcome::Error(SieveError::ShutDown)),
            Joined::Instead(Ok(file)) => Ok(Err(file)),
            Joined::Instead(Err(cause)) => Err(cause),
            Joined::New(running, attempt) => {
                if let Some((runtime, permit)) = admitted {
                    let span = tracing::debug_span!(target: TARGET, "file", url);
                    let shared = Arc::clone(self);
                    let fetching = async move {
                        // What is declared last is dropped first, also if the task is cancelled.
                        let running = running;
                        let shared = shared;
                        let last = shared.fetch_file(&running, permit, known).await;
                        drop(shared);
                        running.end(last);
                    };
                    runtime.spawn(fetching.instrument(span));
                }
                Ok(Ok(attempt))
            }
        }
    }

    /// Makes an attempt: fetches, and stores the outcome. Returns the last progress.
    async fn fetch_file(
        &self,
        running: &Running<FileProgress>,
        permit: Permit,
        before: Option<Arc<KnownFile>>,
    ) -> FileProgress {
        let (url, sites) = (running.key(), &self.sites);
        let (Some(files), Some(fetcher)) = (&self.files, &self.fetcher) else {
            return FileProgress::NoFetcher;
        };
        let has_body = |copy: &&CachedCopy| match &sites.store {
            Some(_) => sites.body(copy.content).is_ok_and(|body| body.is_some()),
            None => true,
        };
        let state = before.as_ref().map(|file| &file.state);
        let conditional = state.and_then(|state| files.protocol.conditional_on(state));
        let conditional = conditional.filter(has_body);
        let fetch = async {
            match fetcher.fetch_file(url, conditional, MAX_BYTES) {
                Some(attempt) => Some(attempt.await),
                None => None,
            }
        };
        let mut attempt = match AssertUnwindSafe(fetch).catch_unwind().await {
            Ok(Some(attempt)) => attempt,
            Ok(None) => return FileProgress::NoFetcher,
            Err(panic) => {
                let fault = panicked(&*panic);
                count(&sites.counters.panics);
                permit.panicked(&fault);
                return FileProgress::Local(fault);
            }
        };
        if let Some(now) = sites.clock.own() {
            attempt.at = now;
        }
        let state = match files.protocol.after(state, &attempt) {
            Ok(state) => state,
            Err(fault) => {
                match fault.kind {
                    LocalKind::Unconfirmed => permit.unconfirmed(&fault),
                    _ => permit.failed(&fault),
                }
                return FileProgress::Local(fault);
            }
        };
        permit.worked();
        let body = match &attempt.result {
            Ok(response) if (200..300).contains(&response.status) => {
                state.copy.is_some().then_some(&response.body[..])
            }
            _ => None,
        };
        let mut file = KnownFile::new(url, state, body);
        if let (None, Some(_), Some(before)) = (body, &file.state.copy, &before) {
            file.documents = before.documents.clone();
        }
        tracing::debug!(target: TARGET, url, outcome = %file.state.last, "file");
        let file = Arc::new(file);
        files.in_memory.insert(url.into(), Arc::clone(&file));
        running.report(FileProgress::Known(Arc::clone(&file)));
        if let Some(store) = &sites.store
            && let Err(error) = store.put_file(url, &file.state, body).await
        {
            count(&sites.counters.store_errors);
            tracing::warn!(target: TARGET, %error, "the store cannot be written");
        }
        FileProgress::Known(file)
    }
}

/// True if a site may have this URL fetched: one of its own, or one of http or https with the port of its
/// scheme. A request to any other port would be a site's to choose.
fn may_name(site: &str, url: &str) -> bool {
    let Ok(parsed) = Url::parse(url) else { return false };
    let is_web = matches!(parsed.scheme(), "http" | "https") && parsed.has_host();
    let is_own = || Origin::of(url).is_ok_and(|origin| origin.key() == site);
    is_web && url.len() <= MAX_URL_BYTES && (parsed.port().is_none() || is_own())
}
