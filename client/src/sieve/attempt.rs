//! Finds a site, fetching its robots.txt where needed. An attempt goes through
//! [`Shared::start`], [`Shared::run`] and [`Shared::finish`].

use std::sync::Arc;
use std::time::Instant;

use robotsieve::Origin;
use tokio::sync::watch;

use super::cache::EntryRef;
use super::entry::Entry;
use super::error::SieveError;
use super::fetch::Fetch;
use super::in_flight::{InFlight, Progress, Running};
use super::metrics::count;
use super::sites::{Sites, TARGET, Usable};
use crate::outcome::{Attempt, CachedCopy, Failure, LocalFault, LocalKind, OriginState, Outcome};
use crate::store::StoreError;
use crate::time::Timestamp;

/// What all clones of a sieve share.
pub(super) struct Shared {
    pub(super) sites: Sites,
    pub(super) in_flight: Arc<InFlight>,
    pub(super) fetcher: Option<Box<dyn Fetch>>,
}

impl Shared {
    /// The site of an origin that is not in the table.
    #[cold]
    pub(super) async fn find(
        self: &Arc<Self>,
        origin: &Origin<'_>,
        now: Timestamp,
    ) -> Result<EntryRef, SieveError> {
        let key = origin.key();
        match self.sites.usable(key, now) {
            Ok(Some(usable)) => return Ok(self.refreshed(usable)),
            Ok(None) if self.fetcher.is_none() => return Err(SieveError::Unknown),
            Err(cause) if self.fetcher.is_none() => return Err(SieveError::Store(Arc::new(cause))),
            // A store that cannot be read counts as one that does not know the site.
            Ok(None) | Err(_) => {}
        }
        let finished = || self.sites.usable(key, self.sites.clock.now()).unwrap_or_default();
        match self.in_flight.join(key, finished, |running| self.start(running)) {
            Ok(attempt) => {
                count(&self.sites.counters.waited);
                outcome(attempt).await.map(|site| EntryRef::from_inner(Some(site)))
            }
            // It was found in memory after all, and counted there.
            Err(usable) => Ok(self.refreshed(usable)),
        }
    }

    /// Returns a usable site, and starts a refresh in the background if one is due.
    fn refreshed(self: &Arc<Self>, usable: Usable) -> EntryRef {
        if usable.is_due && self.fetcher.is_some() {
            count(&self.sites.counters.refreshes);
            // If an attempt is running, it is the refresh.
            let nothing = || None::<Usable>;
            let _ = self.in_flight.join(usable.site.key(), nothing, |running| self.start(running));
        }
        EntryRef::from_inner(Some(usable.site))
    }

    /// Joins the running attempt of an origin, or starts one.
    pub(super) fn fetch(self: &Arc<Self>, key: &str) -> Option<watch::Receiver<Progress>> {
        self.in_flight.join(key, || None::<Usable>, |running| self.start(running)).ok()
    }

    /// Starts an attempt in a task of its own.
    fn start(self: &Arc<Self>, running: Running) {
        tokio::spawn(Arc::clone(self).run(running));
    }

    /// Makes an attempt: fetches, applies the outcome, and stores it.
    async fn run(self: Arc<Self>, running: Running) {
        let (key, counters) = (running.key(), &self.sites.counters);
        let state = self.sites.state(key);
        // Keeps the policies of the copy alive: they are needed if the copy is unchanged.
        let copy = state.as_ref().and_then(|state| state.copy.as_ref());
        let _held = copy.and_then(|copy| self.sites.policies.in_use(copy.content));
        let began = Instant::now();
        let attempt = self.attempt(key, state.as_ref()).await;
        counters.attempt_times.add(began.elapsed());
        let (site, body) = match self.finish(key, state, &attempt) {
            Ok(finished) => finished,
            Err(fault) => {
                count(&counters.local_faults);
                tracing::warn!(target: TARGET, origin = key, %fault, "no outcome");
                return running.end(Progress::Local(fault));
            }
        };
        count(match site.state.last {
            Outcome::Present => &counters.present,
            Outcome::Absent(_) => &counters.absent,
            Outcome::Unreachable(_) => &counters.unreachable,
        });
        tracing::debug!(
            target: TARGET, origin = key, condition = site.state.condition().as_str(), "outcome"
        );
        running.report(Progress::Known(Arc::clone(&site)));
        let stored = self.keep(key, &site.state, body).await.map_err(|error| {
            count(&counters.store_errors);
            tracing::warn!(target: TARGET, %error, "the store cannot be written");
            Arc::new(error)
        });
        running.end(Progress::Stored(site, stored));
    }

    /// Fetches. Sends the copy's validators if its body is still available.
    async fn attempt(&self, key: &str, state: Option<&OriginState>) -> Attempt {
        let sites = &self.sites;
        let failed = |text: &str| {
            let fault = LocalFault::new(LocalKind::Other, text);
            Attempt::new(sites.clock.now(), Err(Failure::Local(fault)))
        };
        let Some(fetcher) = &self.fetcher else { return failed("there is no fetcher") };
        let Ok(origin) = Origin::of(key).map(Origin::into_owned) else {
            return failed("the origin has no URL");
        };
        // With a store, the body must be in the store: it may have been pruned while the site was
        // in memory, and the store cannot keep an unchanged copy without its body.
        let has_body = |copy: &&CachedCopy| match &sites.store {
            Some(_) => sites.body(copy.content).is_ok_and(|body| body.is_some()),
            None => sites.policies.in_use(copy.content).is_some(),
        };
        let conditional = state.and_then(|state| sites.protocol.conditional_on(state));
        let mut attempt = fetcher.fetch(&origin, conditional.filter(has_body)).await;
        if let Some(now) = sites.clock.own() {
            attempt.at = now;
        }
        attempt
    }

    /// Applies an attempt to the origin's state, with what the caller has reported of the site in
    /// the meantime. From here on the outcome applies. Returns the body too, if it is new.
    fn finish<'a>(
        &self,
        key: &str,
        before: Option<OriginState>,
        attempt: &'a Attempt,
    ) -> Result<(Arc<Entry>, Option<&'a [u8]>), LocalFault> {
        let sites = &self.sites;
        let _changing = sites.changing(key);
        let mut before = sites.state(key).or(before);
        let now = sites.clock.now();
        let state = sites.protocol.after(before.as_ref(), attempt)?;
        let body = match &attempt.result {
            // After too many redirects there is no copy that the body could belong to.
            Ok(response) if (200..300).contains(&response.status) => {
                state.copy.is_some().then_some(&response.body[..])
            }
            _ => None,
        };
        let site = match sites.make(key, state, body, now).unwrap_or_default() {
            Some(site) => site,
            None => {
                // The body of the copy is lost, so there is no copy.
                if let Some(state) = &mut before {
                    state.copy = None;
                }
                let state = sites.protocol.after(before.as_ref(), attempt)?;
                let site = sites.policies.site(key, state, body, &sites.protocol, now);
                Arc::new(site.expect("without an old copy no other body is needed"))
            }
        };
        sites.cache.insert(&site);
        Ok((site, body))
    }

    /// Stores an outcome, if there is a store, and then any changes made in the meantime.
    async fn keep(
        &self,
        key: &str,
        state: &OriginState,
        body: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        let Some(store) = &self.sites.store else { return Ok(()) };
        store.put_async(key, state, body).await?;
        let mut newer = self.sites.newer(key, state);
        while let Some(state) = newer {
            store.put_async(key, &state, None).await?;
            newer = self.sites.newer(key, &state);
        }
        Ok(())
    }
}

/// The site, once the attempt has an outcome.
async fn outcome(mut attempt: watch::Receiver<Progress>) -> Result<Arc<Entry>, SieveError> {
    let is_known = |progress: &Progress| !matches!(progress, Progress::Fetching);
    match attempt.wait_for(is_known).await.as_deref() {
        Ok(Progress::Known(site) | Progress::Stored(site, _)) => Ok(Arc::clone(site)),
        Ok(Progress::Local(fault)) => Err(SieveError::Local(fault.clone())),
        _ => Err(SieveError::Gone),
    }
}
