//! Attempts to get the other files of sites: from memory, from the store, or by fetching them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::join_all;
use robotsieve::Origin;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tracing::Instrument;
use url::Url;

use super::attempt::{Shared, panicked};
use super::breaker::Permit;
use super::decide::Sieve;
use super::error::SieveError;
use super::in_flight::{Joined, Running};
use super::metrics::count;
use super::site_files::{
    FileOutcome, FileProgress, KnownFile, MAX_BYTES, SiteDocuments, SiteFile, SiteFiles, TDM_PATH,
    is_unread,
};
use super::sites::TARGET;
use crate::network::redirect::MAX_URL_BYTES;
use crate::outcome::{CachedCopy, LocalKind};

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
            if is_unread(&url, &outcome) {
                files.documents.add_not_read(&url);
            }
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
            let attempt = fetcher.fetch_file(url, conditional, MAX_BYTES)?.await;
            if conditional.is_none() || !attempt.may_answer_condition() {
                return Some(attempt);
            }
            Some(fetcher.fetch_file(url, None, MAX_BYTES)?.await.after_condition(&attempt))
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
        let body = state.body_of(&attempt);
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
