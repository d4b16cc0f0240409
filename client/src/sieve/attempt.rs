//! Finds a site, fetching its robots.txt where needed. An attempt goes through
//! [`Shared::start`], [`Shared::run`] and [`Shared::finish`].

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use robotsieve::Origin;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tracing::Instrument;

use super::breaker::{Breaker, Permit};
use super::entry::Entry;
use super::error::SieveError;
use super::fetch::Fetch;
use super::in_flight::{InFlight, Joined, Progress, Running};
use super::metrics::count;
#[cfg(feature = "rights")]
use super::site_files::SiteFiles;
use super::sites::{Sites, TARGET, Usable};
use super::table::EntryRef;
use crate::outcome::{Attempt, CachedCopy, Failure, LocalFault, LocalKind, OriginState, Outcome};
use crate::store::StoreError;
use crate::time::Timestamp;

/// The parts that all clones of a sieve share.
pub(super) struct Shared {
    pub(super) sites: Sites,
    pub(super) in_flight: Arc<InFlight>,
    pub(super) breaker: Arc<Breaker>,
    pub(super) fetcher: Option<Box<dyn Fetch>>,
    /// There if other files of sites are read too.
    #[cfg(feature = "rights")]
    pub(super) files: Option<SiteFiles>,
}

/// A site, or the running attempt to fetch its robots.txt.
pub(super) enum SiteOrAttempt {
    Site(EntryRef),
    Attempt(Waiting),
}

/// A running attempt to wait for.
pub(super) struct Waiting {
    attempt: watch::Receiver<Progress>,
    span: tracing::Span,
}

impl Waiting {
    /// The site, once the attempt has an outcome.
    pub(super) async fn outcome(self) -> Result<Arc<Entry>, SieveError> {
        let Waiting { mut attempt, span } = self;
        let is_known = |progress: &Progress| !matches!(progress, Progress::Fetching);
        match attempt.wait_for(is_known).instrument(span).await.as_deref() {
            Ok(Progress::Known(site) | Progress::Stored(site, _)) => Ok(Arc::clone(site)),
            Ok(Progress::Local(fault)) => Err(SieveError::Local(fault.clone())),
            _ => Err(SieveError::Gone),
        }
    }
}

impl SiteOrAttempt {
    /// The site, which may have to be waited for.
    pub(super) async fn site(self) -> Result<EntryRef, SieveError> {
        match self {
            SiteOrAttempt::Site(site) => Ok(site),
            SiteOrAttempt::Attempt(attempt) => {
                attempt.outcome().await.map(|site| EntryRef::from_inner(Some(site)))
            }
        }
    }
}

impl Shared {
    /// The site of an origin that is not in the table, or an attempt to wait for, which is started
    /// if none is running. Does not block except to read the store.
    #[cold]
    pub(super) fn look_up(
        self: &Arc<Self>,
        key: &str,
        now: Timestamp,
    ) -> Result<SiteOrAttempt, SieveError> {
        match self.sites.usable(key, now) {
            Ok(Some(usable)) => return Ok(SiteOrAttempt::Site(self.refreshed(usable))),
            Ok(None) if self.fetcher.is_none() => return Err(SieveError::Unknown),
            Err(cause) if self.fetcher.is_none() => return Err(SieveError::Store(Arc::new(cause))),
            // A store that cannot be read counts as one that does not know the site.
            Ok(None) | Err(_) => {}
        }
        let finished = || self.sites.usable(key, self.sites.clock.now()).unwrap_or_default();
        match self.join(key, finished)? {
            Ok(attempt) => {
                count(&self.sites.counters.waited);
                let span = tracing::debug_span!(target: TARGET, "wait", origin = key);
                Ok(SiteOrAttempt::Attempt(Waiting { attempt, span }))
            }
            // It was found in memory after all, and counted there.
            Err(usable) => Ok(SiteOrAttempt::Site(self.refreshed(usable))),
        }
    }

    /// Returns a usable site, and starts a refresh in the background if one is due. Where none can
    /// be started now, the next check will try again.
    fn refreshed(self: &Arc<Self>, usable: Usable) -> EntryRef {
        // If an attempt is running, it is the refresh.
        if usable.is_due
            && self.fetcher.is_some()
            && self.join(usable.site.key(), || None::<Usable>).is_ok()
        {
            count(&self.sites.counters.refreshes);
        }
        EntryRef::from_inner(Some(usable.site))
    }

    /// Joins the running attempt of an origin, or starts one.
    pub(super) fn fetch(
        self: &Arc<Self>,
        key: &str,
    ) -> Result<watch::Receiver<Progress>, SieveError> {
        let joined = self.join(key, || None::<Usable>)?;
        joined.map_err(|_| SieveError::Gone)
    }

    /// Joins the running attempt of an origin. If there is none, starts one in a task of its own,
    /// unless `finished` finds the result of one that has just ended.
    #[allow(clippy::type_complexity)]
    fn join<L>(
        self: &Arc<Self>,
        key: &str,
        finished: impl FnOnce() -> Option<L>,
    ) -> Result<Result<watch::Receiver<Progress>, L>, SieveError> {
        let mut admitted = None;
        let instead = || {
            if let Some(finished) = finished() {
                return Some(Ok(finished));
            }
            let Ok(runtime) = Handle::try_current() else {
                return Some(Err(SieveError::NoRuntime));
            };
            match self.breaker.admit(key) {
                Ok(permit) => {
                    admitted = Some((runtime, permit));
                    None
                }
                Err(fault) => {
                    count(&self.sites.counters.held_back);
                    Some(Err(SieveError::Local(fault)))
                }
            }
        };
        match self.in_flight.join(key, Progress::Fetching, instead) {
            Joined::Running(attempt) => Ok(Ok(attempt)),
            Joined::Shut => Err(SieveError::ShutDown),
            Joined::Instead(Ok(finished)) => Ok(Err(finished)),
            Joined::Instead(Err(cause)) => Err(cause),
            Joined::New(running, attempt) => {
                if let Some((runtime, permit)) = admitted {
                    self.start(&runtime, running, permit);
                }
                Ok(Ok(attempt))
            }
        }
    }

    /// Starts an attempt in a task of its own.
    fn start(self: &Arc<Self>, runtime: &Handle, running: Running, permit: Permit) {
        let span = tracing::debug_span!(target: TARGET, "attempt", origin = running.key());
        let shared = Arc::clone(self);
        let attempt = async move {
            // What is declared last is dropped first, also if the task is cancelled: whoever hears
            // of the end of the last attempt finds that nothing holds the store any more.
            let running = running;
            let shared = shared;
            let last = shared.run(&running, permit).await;
            drop(shared);
            running.end(last);
        };
        runtime.spawn(attempt.instrument(span));
    }

    /// Makes an attempt: fetches, applies the outcome, and stores it. Returns the last progress.
    async fn run(self: &Arc<Self>, running: &Running, permit: Permit) -> Progress {
        let (key, counters) = (running.key(), &self.sites.counters);
        let state = self.sites.state(key);
        // Keeps the policies of the copy alive: they are needed if the copy is unchanged.
        let copy = state.as_ref().and_then(|state| state.copy.as_ref());
        let _held = copy.and_then(|copy| self.sites.policies.in_use(copy.content));
        let began = Instant::now();
        let attempt = AssertUnwindSafe(self.attempt(key, state.as_ref())).catch_unwind().await;
        // Long queues would hide what sites take.
        let took = attempt.as_ref().ok().and_then(|attempt| attempt.took);
        counters.attempt_times.add(took.unwrap_or_else(|| began.elapsed()));
        let finished = match &attempt {
            Ok(attempt) => self.finish(key, state, attempt),
            Err(panic) => Err(panicked(&**panic)),
        };
        let (site, body) = match finished {
            Ok(finished) => finished,
            Err(fault) => {
                counters.count_fault(fault.kind);
                match &attempt {
                    Err(_) => {
                        count(&counters.panics);
                        permit.panicked(&fault);
                    }
                    Ok(_) if fault.kind == LocalKind::Unconfirmed => permit.unconfirmed(&fault),
                    Ok(_) => permit.failed(&fault),
                }
                return Progress::Local(fault);
            }
        };
        permit.worked();
        if let Ok(attempt) = &attempt {
            counters.count_result(&attempt.result);
        }
        count(match site.state.last {
            Outcome::Present => &counters.present,
            Outcome::Absent(_) => &counters.absent,
            Outcome::Unreachable(_) | Outcome::Unknown => &counters.unreachable,
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
        Progress::Stored(site, stored)
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
        let conditional = conditional.filter(has_body);
        let mut attempt = fetcher.fetch(&origin, conditional).await;
        if conditional.is_some() && attempt.may_answer_condition() {
            attempt = fetcher.fetch(&origin, None).await.after_condition(&attempt);
        }
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
        let body = state.body_of(attempt);
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

/// The fault of a fetcher that panicked.
pub(super) fn panicked(panic: &(dyn Any + Send)) -> LocalFault {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("no message").lines().next().unwrap_or_default();
    LocalFault::new(LocalKind::Other, format!("the fetcher panicked: {text}"))
}
