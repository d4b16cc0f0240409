//! The sieve: decisions on URLs.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::{self, BoxFuture, Either};
use futures_util::stream::{self, StreamExt};
use robotsieve::Origin;

use super::attempt::Shared;
use super::cache::EntryRef;
use super::decision::{Decision, Fetched, Site};
use super::error::SieveError;
use super::in_flight::Progress;
use super::metrics::Metrics;
use super::sites::is_current;
use crate::outcome::OriginState;
use crate::store::{Fault, StoreError};
use crate::time::Timestamp;

/// How many sites one call of [`Sieve::decide_many`] looks up in parallel.
const PARALLEL_SITES: usize = 1024;

/// Decides on URLs of any sites.
///
/// Clones are one sieve, and any number of threads and tasks may use them at once.
#[derive(Clone)]
pub struct Sieve {
    shared: Arc<Shared>,
}

impl fmt::Debug for Sieve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sieve").field("crawlers", &self.crawler_count()).finish_non_exhaustive()
    }
}

impl Sieve {
    pub(super) fn new(shared: Shared) -> Sieve {
        Sieve { shared: Arc::new(shared) }
    }

    /// Decides on a URL for the first crawler.
    ///
    /// If the site is in the [table](super::SieveBuilder::slots) and its answer is current, this
    /// call does all the work and the future is ready. If the site is elsewhere in memory or in
    /// the store and its answer may be used, the future is ready at its first poll. For the store
    /// that takes about ten microseconds, which the calling task spends on reading. Otherwise the
    /// future waits for a fetch, which needs a Tokio runtime. All futures for the same site wait
    /// for the same attempt, and dropping one of them does not cancel it.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid ([`SieveError::Origin`], [`SieveError::Url`]), if
    /// the site is unknown or the store cannot be read and no fetcher is set
    /// ([`SieveError::Unknown`], [`SieveError::Store`]), if the site could not be asked for a
    /// reason on this side ([`SieveError::Local`]), or if the attempt ended without an outcome
    /// ([`SieveError::Gone`]). An unreachable site is not an error: the decision is what
    /// follows from that.
    #[inline]
    pub fn decide<'u, U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &'u U,
    ) -> impl Future<Output = Result<Decision<'u>, SieveError>> + Send + use<'u, U> {
        let url = url.as_ref();
        match self.try_decide(url).transpose() {
            Some(decision) => Either::Left(future::ready(decision)),
            None => Either::Right(self.clone().decide_later(url)),
        }
    }

    /// The decision on a URL whose site is not in the table. Boxed, so that the futures of the
    /// other URLs are small.
    #[cold]
    fn decide_later(self, url: &[u8]) -> BoxFuture<'_, Result<Decision<'_>, SieveError>> {
        Box::pin(async move {
            let now = self.shared.sites.clock.now();
            let site = self.shared.find(&Origin::of(url)?, now).await?;
            decision(site, url, now)
        })
    }

    /// The site of an origin, found in the same way as in [`Sieve::decide`].
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Sieve::decide`], except for invalid URLs.
    pub async fn site(&self, origin: &Origin<'_>) -> Result<Site, SieveError> {
        let now = self.shared.sites.clock.now();
        let entry = match self.shared.sites.in_table(origin, now) {
            Some(entry) => entry,
            None => self.shared.find(origin, now).await?,
        };
        Ok(Site { entry, now })
    }

    /// Decides on a URL if its site is in the table and its answer is current; otherwise returns
    /// `None`. It never waits, and starts nothing.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid ([`SieveError::Origin`], [`SieveError::Url`]).
    #[inline]
    pub fn try_decide<'u, U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &'u U,
    ) -> Result<Option<Decision<'u>>, SieveError> {
        let url = url.as_ref();
        let now = self.shared.sites.clock.now();
        match self.shared.sites.in_table(&Origin::of(url)?, now) {
            Some(site) => decision(site, url, now).map(Some),
            None => Ok(None),
        }
    }

    /// Decides on many URLs, and returns the decisions in the same order. Each site is looked up
    /// once, and all sites in parallel.
    pub async fn decide_many<'u, U: AsRef<[u8]>>(
        &self,
        urls: &'u [U],
    ) -> Vec<Result<Decision<'u>, SieveError>> {
        let now = self.shared.sites.clock.now();
        let mut sites: HashMap<Box<str>, Result<EntryRef, SieveError>> = HashMap::new();
        let mut missing: HashMap<Box<str>, Origin<'_>> = HashMap::new();
        let urls = || urls.iter().map(AsRef::as_ref);
        for url in urls() {
            let Ok(origin) = Origin::of(url) else { continue };
            let key = origin.key();
            if sites.contains_key(key) || missing.contains_key(key) {
                continue;
            }
            match self.shared.sites.cache.in_table(key).filter(|site| is_current(site, now)) {
                Some(site) => drop(sites.insert(key.into(), Ok(site))),
                None => drop(missing.insert(key.into(), origin)),
            }
        }
        let waiting = missing.len() as u64;
        let find = |(key, origin)| async move { (key, self.shared.find(&origin, now).await) };
        let finding = stream::iter(missing).map(find).buffer_unordered(PARALLEL_SITES);
        sites.extend(finding.collect::<Vec<_>>().await);
        let mut decided = 0;
        let decide_one = |url| {
            let origin = Origin::of(url)?;
            match &sites[origin.key()] {
                Ok(site) => {
                    decided += 1;
                    decision(EntryRef::from_inner(Option::clone(site)), url, now)
                }
                Err(cause) => Err(cause.clone()),
            }
        };
        let decisions = urls().map(decide_one).collect();
        // The first URL of each site that was not in the table is counted by where the site was
        // found.
        self.shared.sites.counters.from_table.add(u64::saturating_sub(decided, waiting));
        decisions
    }

    /// Fetches the robots.txt of an origin now, even if its answer is still current, and waits
    /// until the outcome is stored. If an attempt is running already, waits for that one.
    ///
    /// # Errors
    /// Returns an error if no fetcher is set ([`SieveError::Unknown`]), if the site could not be
    /// asked for a reason on this side ([`SieveError::Local`]), or if the attempt ended without an
    /// outcome ([`SieveError::Gone`]). [`Fetched::stored`] says whether the outcome
    /// could be stored.
    pub async fn fetch(&self, origin: &Origin<'_>) -> Result<Fetched, SieveError> {
        let shared = &self.shared;
        if shared.fetcher.is_none() {
            return Err(SieveError::Unknown);
        }
        let Some(mut attempt) = shared.fetch(origin.key()) else { return Err(SieveError::Gone) };
        let is_stored =
            |progress: &Progress| matches!(progress, Progress::Stored(..) | Progress::Local(_));
        match attempt.wait_for(is_stored).await.as_deref() {
            Ok(Progress::Stored(site, stored)) => {
                Ok(Fetched { entry: Arc::clone(site), stored: stored.clone() })
            }
            Ok(Progress::Local(fault)) => Err(SieveError::Local(fault.clone())),
            _ => Err(SieveError::Gone),
        }
    }

    /// The state of an origin, from memory or from the store; `None` if it is in neither.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn state(&self, origin: &Origin<'_>) -> Result<Option<OriginState>, StoreError> {
        let key = origin.key();
        if let Some(site) = self.shared.sites.cache.peek(key) {
            return Ok(Some(site.state.clone()));
        }
        self.shared.sites.store.as_ref().map_or(Ok(None), |store| store.get(key))
    }

    /// Whether an origin should be fetched now: it is unknown, its answer has expired or is about
    /// to, or it is time to try again after a failure.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn is_due(&self, origin: &Origin<'_>) -> Result<bool, StoreError> {
        let now = self.shared.sites.clock.now();
        let next_attempt = |state| self.shared.sites.protocol.ruling(&state, now).next_attempt;
        Ok(self.state(origin)?.is_none_or(|state| next_attempt(state) <= now))
    }

    /// Reports that the site of an origin has answered requests for other pages. With
    /// [`Protocol::GOOGLE`](crate::outcome::Protocol::GOOGLE) this matters once its robots.txt has
    /// been unreachable for 30 days.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read or written.
    pub fn site_answered(&self, origin: &Origin<'_>) -> Result<(), StoreError> {
        let now = self.shared.sites.clock.now();
        self.amend(origin, |state| state.site_answered = Some(now))
    }

    /// Reports whether the site of an origin answers 5xx for pages that do not exist. If it does,
    /// then from the next attempt on, 5xx means that it has no robots.txt.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read or written.
    pub fn errors_mean_absent(&self, origin: &Origin<'_>, does: bool) -> Result<(), StoreError> {
        self.amend(origin, |state| state.errors_mean_absent = does)
    }

    fn amend(
        &self,
        origin: &Origin<'_>,
        change: impl FnOnce(&mut OriginState),
    ) -> Result<(), StoreError> {
        let (sites, key) = (&self.shared.sites, origin.key());
        let mut state = {
            let _changing = sites.changing(key);
            let Some(mut state) = self.state(origin)? else { return Ok(()) };
            change(&mut state);
            if let Some(site) = sites.make(key, state.clone(), None, sites.clock.now())? {
                sites.cache.insert(&site);
            }
            state
        };
        let Some(store) = &sites.store else { return Ok(()) };
        store.put(key, &state, None)?;
        while let Some(newer) = sites.newer(key, &state) {
            state = newer;
            match store.put(key, &state, None) {
                // The attempt that fetched this body will store it.
                Err(error) if matches!(error.fault(), Fault::NoBody(_)) => return Ok(()),
                result => result?,
            }
        }
        Ok(())
    }

    /// Counts and times since the sieve was built.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let mut metrics = self.shared.sites.counters.snapshot();
        (metrics.sites, metrics.bytes) = self.shared.sites.cache.size();
        metrics
    }

    /// How many attempts are running.
    #[must_use]
    pub fn running_attempts(&self) -> usize {
        self.shared.in_flight.len()
    }

    /// Waits until no attempt is running and all outcomes are stored. Call it before the program
    /// ends.
    pub async fn settled(&self) {
        self.shared.in_flight.idle().await;
    }

    /// How many crawlers the sieve is for.
    #[must_use]
    pub fn crawler_count(&self) -> usize {
        self.shared.sites.policies.crawler_count()
    }
}

#[inline]
fn decision<'u>(
    entry: EntryRef,
    url: &'u [u8],
    now: Timestamp,
) -> Result<Decision<'u>, SieveError> {
    let site = Site { entry, now };
    let policy = &site.entry().policy;
    let verdict = policy.verdict(&policy.target(url)?);
    Ok(Decision { verdict, url, site })
}
