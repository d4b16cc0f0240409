//! The front door: from a URL to a verdict, whatever it takes.
//!
//! A [`Sieve`] knows the site of each URL: from memory, from the [store](crate::store), or by
//! asking for it, once however many wait. Answers serve as long as the
//! [`Protocol`] says, and are refreshed in the background before they
//! expire. [`blocking`] has the same for programs without a runtime.
//!
//! ```
//! use std::future::Future;
//! use std::pin::Pin;
//!
//! use robotsieve::{Crawler, Origin};
//! use robotsieve_client::Timestamp;
//! use robotsieve_client::sieve::{Fetch, Sieve};
//! use robotsieve_client::outcome::{Attempt, Copy, Response};
//!
//! /// A web in which each site has the same robots.txt. `fetch::Fetcher` asks the real one.
//! struct Web;
//!
//! impl Fetch for Web {
//!     fn fetch<'f>(
//!         &'f self,
//!         _: &'f Origin<'static>,
//!         _: Option<&'f Copy>,
//!     ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
//!         let body = b"User-agent: *\nDisallow: /private".to_vec();
//!         let headers = Default::default();
//!         let response = Response { status: 200, headers, body, is_truncated: false };
//!         let at = Timestamp::now();
//!         Box::pin(async move { Attempt { at, redirects: vec![], result: Ok(response) } })
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let sieve = Sieve::builder(Crawler::name("MyCrawler")).fetcher(Web).build();
//! assert!(sieve.decide("https://example.com/public").await?.is_allowed());
//! let decision = sieve.decide("https://example.com/private/x").await?;
//! assert!(!decision.is_allowed());
//! assert_eq!(decision.age().map(|age| age.as_secs() < 60), Some(true));
//! assert_eq!(sieve.metrics().attempts, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod blocking;
mod decision;
mod entry;
mod flights;
mod metrics;
mod resident;
mod source;

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{self, BoxFuture, Either};
use futures_util::stream::{self, StreamExt};
use robotsieve::{Config, Crawler, Origin, Profile};
use tokio::sync::watch;

pub use decision::{Decision, Fetched, Grounds, SieveError, Site};
pub use metrics::{Metrics, Times};
pub use source::Fetch;

use crate::Timestamp;
use crate::outcome::{Attempt, ContentHash, Copy, Failure, Known, Outcome, Protocol};
use crate::store::{Fault, Store, StoreError};
use entry::{Entry, Panels};
use flights::{Flights, Pilot, Stage};
use metrics::{Counters, count};
use resident::{EntryRef, Resident};

/// What this module's events are found by.
const TARGET: &str = "robotsieve::sieve";

/// While a site is asked anew, its answer from before is not looked at again for so long.
const WHILE_ASKING: Duration = Duration::from_secs(60);

/// Sites of one call of [`Sieve::decide_many`] that are looked for at a time.
const SITES_AT_A_TIME: usize = 1024;

/// Locks of [`Shared::changing`].
const STRIPES: usize = 64;

/// Decides on URLs of any sites. Clones are one sieve, which all threads and tasks use at once.
#[derive(Clone)]
pub struct Sieve {
    shared: Arc<Shared>,
}

struct Shared {
    panels: Panels,
    protocol: Protocol,
    resident: Resident,
    /// Held by whoever changes what is known of an origin, or brings it into memory: so nobody
    /// puts back what another has changed. Each for some of the origins.
    changing: [Mutex<()>; STRIPES],
    flights: Arc<Flights>,
    store: Option<Store>,
    fetcher: Option<Box<dyn Fetch>>,
    clock: Clock,
    counters: Counters,
}

/// Who says what time it is.
enum Clock {
    System,
    Own(Box<dyn Fn() -> Timestamp + Send + Sync>),
}

impl Clock {
    #[inline]
    fn now(&self) -> Timestamp {
        match self {
            Clock::System => Timestamp::coarsely_now(),
            Clock::Own(clock) => clock(),
        }
    }
}

/// Settings of a [`Sieve`] to be.
pub struct SieveBuilder {
    crawlers: Vec<Crawler>,
    profile: Profile,
    protocol: Option<Protocol>,
    config: Config,
    store: Option<Store>,
    fetcher: Option<Box<dyn Fetch>>,
    clock: Clock,
    max_bytes: u64,
    slots: usize,
}

impl SieveBuilder {
    /// Another crawler, for [`Decision::answers`].
    #[must_use]
    pub fn crawler(mut self, crawler: Crawler) -> SieveBuilder {
        self.crawlers.push(crawler);
        self
    }

    /// How a robots.txt is read; RFC 9309 unless told otherwise.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> SieveBuilder {
        self.profile = profile;
        self
    }

    /// What a fetch means; unless told otherwise, what the profile's source says.
    #[must_use]
    pub fn protocol(mut self, protocol: Protocol) -> SieveBuilder {
        self.protocol = Some(protocol);
        self
    }

    /// How policies are made.
    #[must_use]
    pub fn config(mut self, config: Config) -> SieveBuilder {
        self.config = config;
        self
    }

    /// Where outcomes last. Without one they are forgotten when memory runs short.
    #[must_use]
    pub fn store(mut self, store: Store) -> SieveBuilder {
        self.store = Some(store);
        self
    }

    /// Who asks for what is not known. Without one, what is known serves for ever, and of other
    /// sites there is no decision ([`SieveError::Unknown`]).
    #[must_use]
    pub fn fetcher(mut self, fetcher: impl Fetch) -> SieveBuilder {
        self.fetcher = Some(Box::new(fetcher));
        self
    }

    /// Who says what time it is; the system unless told otherwise.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> SieveBuilder {
        self.clock = Clock::Own(Box::new(clock));
        self
    }

    /// The bytes of memory that sites and their policies may occupy; 256 MiB unless told
    /// otherwise. The sites in the [first table](SieveBuilder::slots) may come on top.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u64) -> SieveBuilder {
        self.max_bytes = max_bytes;
        self
    }

    /// Sites in the table that all threads look at first, where they are found fastest; 16,384
    /// unless told otherwise, 8 bytes each.
    #[must_use]
    pub fn slots(mut self, slots: usize) -> SieveBuilder {
        self.slots = slots;
        self
    }

    /// The sieve.
    pub fn build(self) -> Sieve {
        let protocol = self.protocol.unwrap_or_else(|| Protocol::of(&self.profile));
        Sieve {
            shared: Arc::new(Shared {
                panels: Panels::new(self.profile, self.config, self.crawlers),
                protocol,
                resident: Resident::new(self.max_bytes, self.slots),
                changing: std::array::from_fn(|_| Mutex::default()),
                flights: Arc::default(),
                store: self.store,
                fetcher: self.fetcher,
                clock: self.clock,
                counters: Counters::default(),
            }),
        }
    }
}

impl Sieve {
    /// Begins with the crawler that asks.
    pub fn builder(crawler: Crawler) -> SieveBuilder {
        SieveBuilder {
            crawlers: vec![crawler],
            profile: Profile::RFC9309,
            protocol: None,
            config: Config::default(),
            store: None,
            fetcher: None,
            clock: Clock::System,
            max_bytes: 256 << 20,
            slots: 16_384,
        }
    }

    /// Decides on a URL, for the first of the crawlers.
    ///
    /// Where the site is in memory and nothing can have changed, all is done in this call, and the
    /// future is ready. Where it is in the store and its answer serves, it is ready when it is
    /// polled (the store is read by the task itself, some ten microseconds). Else it waits for
    /// the fetcher, in a runtime of Tokio, however many wait for the same site. A future that
    /// is dropped does not end the attempt.
    ///
    /// # Errors
    /// [`SieveError::Origin`] and [`SieveError::Url`] where the URL is none;
    /// [`SieveError::Unknown`] and [`SieveError::Store`] where there is no fetcher;
    /// [`SieveError::Gone`]. A site that cannot be reached is no error: what follows from that
    /// is the decision.
    #[inline]
    pub fn decide<'u, U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &'u U,
    ) -> impl Future<Output = Result<Decision<'u>, SieveError>> + Send + use<'u, U> {
        let url = url.as_ref();
        match self.decide_at_once(url).transpose() {
            Some(decision) => Either::Left(future::ready(decision)),
            None => Either::Right(self.clone().decide_in_time(url)),
        }
    }

    /// The decision on a URL whose site is to be found. In a box, so that futures that are ready
    /// at once are small.
    #[cold]
    fn decide_in_time(self, url: &[u8]) -> BoxFuture<'_, Result<Decision<'_>, SieveError>> {
        Box::pin(async move {
            let now = self.shared.clock.now();
            let site = self.shared.find(&Origin::of(url)?, now).await?;
            decision(site, url, now)
        })
    }

    /// What holds for the site of an origin, found as [`Sieve::decide`] finds it.
    ///
    /// # Errors
    /// [`SieveError::Unknown`] and [`SieveError::Gone`], as there.
    pub async fn site(&self, origin: &Origin<'_>) -> Result<Site, SieveError> {
        let now = self.shared.clock.now();
        let entry = match self.shared.at_once(origin, now) {
            Some(entry) => entry,
            None => self.shared.find(origin, now).await?,
        };
        Ok(Site { entry, now })
    }

    /// The decision on a URL, if its site is in memory and nothing can have changed. Nothing
    /// waits and nothing is begun.
    ///
    /// # Errors
    /// [`SieveError::Origin`] and [`SieveError::Url`] where the URL is none.
    #[inline]
    pub fn decide_at_once<'u, U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &'u U,
    ) -> Result<Option<Decision<'u>>, SieveError> {
        let url = url.as_ref();
        let now = self.shared.clock.now();
        match self.shared.at_once(&Origin::of(url)?, now) {
            Some(site) => decision(site, url, now).map(Some),
            None => Ok(None),
        }
    }

    /// Decides on many URLs: each site is looked for once, all sites side by side. The
    /// decisions stand in the order of the URLs.
    pub async fn decide_many<'u, U: AsRef<[u8]>>(
        &self,
        urls: &'u [U],
    ) -> Vec<Result<Decision<'u>, SieveError>> {
        let now = self.shared.clock.now();
        let mut sites: HashMap<Box<str>, Result<EntryRef, SieveError>> = HashMap::new();
        let mut missing: HashMap<Box<str>, Origin<'_>> = HashMap::new();
        let urls = || urls.iter().map(AsRef::as_ref);
        for url in urls() {
            let Ok(origin) = Origin::of(url) else { continue };
            let key = origin.key();
            if sites.contains_key(key) || missing.contains_key(key) {
                continue;
            }
            match self.shared.resident.at_once(key).filter(|site| holds(site, now)) {
                Some(site) => drop(sites.insert(key.into(), Ok(site))),
                None => drop(missing.insert(key.into(), origin)),
            }
        }
        let waiting = missing.len() as u64;
        let find = |(key, origin)| async move { (key, self.shared.find(&origin, now).await) };
        let finding = stream::iter(missing).map(find).buffer_unordered(SITES_AT_A_TIME);
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
        // The first URL of each site that was looked for is counted by how it was found.
        self.shared.counters.at_once.add(u64::saturating_sub(decided, waiting));
        decisions
    }

    /// Asks for the robots.txt of an origin now, whether or not a better time is yet to come,
    /// and waits until the outcome is in the store for good. Where it is being asked already,
    /// that attempt is waited for.
    ///
    /// # Errors
    /// [`SieveError::Unknown`] where there is no fetcher; [`SieveError::Gone`].
    pub async fn fetch(&self, origin: &Origin<'_>) -> Result<Fetched, SieveError> {
        let shared = &self.shared;
        if shared.fetcher.is_none() {
            return Err(SieveError::Unknown);
        }
        let nothing = || None::<Serving>;
        let flight = shared.flights.join(origin.key(), nothing, |pilot| shared.take_off(pilot));
        let Ok(mut flight) = flight else { return Err(SieveError::Gone) };
        let stored = |stage: &Stage| matches!(stage, Stage::Stored(..));
        match flight.wait_for(stored).await.as_deref() {
            Ok(Stage::Stored(site, stored)) => {
                Ok(Fetched { entry: Arc::clone(site), stored: stored.clone() })
            }
            _ => Err(SieveError::Gone),
        }
    }

    /// What is known of an origin, in memory or in the store.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub fn known(&self, origin: &Origin<'_>) -> Result<Option<Known>, StoreError> {
        let key = origin.key();
        if let Some(site) = self.shared.resident.peek(key) {
            return Ok(Some(site.known.clone()));
        }
        self.shared.store.as_ref().map_or(Ok(None), |store| store.get(key))
    }

    /// Whether there is a reason to ask an origin now: it is not known, its answer is about to
    /// expire or has, or it is time to try again after a failure.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub fn is_due(&self, origin: &Origin<'_>) -> Result<bool, StoreError> {
        let now = self.shared.clock.now();
        let next_attempt = |known| self.shared.protocol.ruling(&known, now).next_attempt;
        Ok(self.known(origin)?.is_none_or(|known| next_attempt(known) <= now))
    }

    /// Tells that the site of an origin answers: other pages of it were fetched. In the
    /// protocol `google` it matters to sites whose robots.txt has been unreachable for long.
    ///
    /// # Errors
    /// Where the store cannot be read or written.
    pub fn site_answered(&self, origin: &Origin<'_>) -> Result<(), StoreError> {
        let now = self.shared.clock.now();
        self.amend(origin, |known| known.site_answered = Some(now))
    }

    /// Tells whether the site of an origin answers 5xx for pages that are not there. From the
    /// next attempt on 5xx means that there is no robots.txt.
    ///
    /// # Errors
    /// Where the store cannot be read or written.
    pub fn errors_mean_absent(&self, origin: &Origin<'_>, they_do: bool) -> Result<(), StoreError> {
        self.amend(origin, |known| known.errors_mean_absent = they_do)
    }

    fn amend(
        &self,
        origin: &Origin<'_>,
        change: impl FnOnce(&mut Known),
    ) -> Result<(), StoreError> {
        let (shared, key) = (&self.shared, origin.key());
        let mut known = {
            let _changing = shared.changing(key);
            let Some(mut known) = self.known(origin)? else { return Ok(()) };
            change(&mut known);
            if let Some(site) = shared.make(key, known.clone(), None, shared.clock.now())? {
                shared.resident.insert(&site);
            }
            known
        };
        let Some(store) = &shared.store else { return Ok(()) };
        store.put(key, &known, None)?;
        while let Some(newer) = shared.newer(key, &known) {
            known = newer;
            match store.put(key, &known, None) {
                // It is yet to be put by whoever fetched it.
                Err(error) if matches!(error.fault(), Fault::NoBody(_)) => return Ok(()),
                result => result?,
            }
        }
        Ok(())
    }

    /// Figures since the sieve was made.
    pub fn metrics(&self) -> Metrics {
        let mut metrics = self.shared.counters.snapshot();
        (metrics.sites, metrics.bytes) = self.shared.resident.size();
        metrics
    }

    /// Attempts that are going on.
    pub fn attempts_under_way(&self) -> usize {
        self.shared.flights.len()
    }

    /// Waits until no attempt is going on and all outcomes are in the store: before a program
    /// ends.
    pub async fn settled(&self) {
        self.shared.flights.ended().await;
    }

    /// How many crawlers it is for.
    pub fn crawler_count(&self) -> usize {
        self.shared.panels.crawler_count()
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

#[inline]
fn holds(site: &EntryRef, now: Timestamp) -> bool {
    site.as_ref().is_some_and(|site| site.holds_at(now))
}

/// A site whose answer serves, and whether it is time for a new one.
struct Serving {
    site: Arc<Entry>,
    is_due: bool,
}

impl Shared {
    #[inline]
    fn at_once(&self, origin: &Origin<'_>, now: Timestamp) -> Option<EntryRef> {
        let site = self.resident.at_once(origin.key()).filter(|site| holds(site, now))?;
        self.counters.at_once.add(1);
        Some(site)
    }

    /// The site of an origin that was not found at once.
    #[cold]
    async fn find(
        self: &Arc<Self>,
        origin: &Origin<'_>,
        now: Timestamp,
    ) -> Result<EntryRef, SieveError> {
        let key = origin.key();
        match self.serves(key, now) {
            Ok(Some(serving)) => return Ok(self.refreshed(serving)),
            Ok(None) if self.fetcher.is_none() => return Err(SieveError::Unknown),
            Err(cause) if self.fetcher.is_none() => return Err(SieveError::Store(Arc::new(cause))),
            // A store that cannot be read is one that knows nothing.
            Ok(None) | Err(_) => {}
        }
        let landed = || self.serves(key, self.clock.now()).unwrap_or_default();
        match self.flights.join(key, landed, |pilot| self.take_off(pilot)) {
            Ok(flight) => {
                count(&self.counters.waited);
                arrival(flight).await.map(|site| EntryRef::from_inner(Some(site)))
            }
            // It was found in memory after all, and counted so.
            Err(serving) => Ok(self.refreshed(serving)),
        }
    }

    /// The site that serves. Where a new answer is due, it is asked for in the background.
    fn refreshed(self: &Arc<Self>, serving: Serving) -> EntryRef {
        if serving.is_due && self.fetcher.is_some() {
            count(&self.counters.refreshes);
            // Where one is under way, that one is it.
            let nothing = || None::<Serving>;
            let _ = self.flights.join(serving.site.key(), nothing, |pilot| self.take_off(pilot));
        }
        EntryRef::from_inner(Some(serving.site))
    }

    /// The site, if it is in memory or in the store and its answer serves.
    fn serves(&self, key: &str, now: Timestamp) -> Result<Option<Serving>, StoreError> {
        let _changing = self.changing(key);
        let (site, counter) = match self.resident.get(key) {
            Some(site) if site.holds_at(now) => {
                count(&self.counters.from_memory);
                return Ok(Some(Serving { site, is_due: false }));
            }
            Some(site) => {
                (self.make(key, site.known.clone(), None, now)?, &self.counters.from_memory)
            }
            None => {
                let began = Instant::now();
                let found = self.read(|store| store.get_with_body(key))?.flatten();
                let Some((known, body)) = found else { return Ok(None) };
                let site = self.make(key, known, body.as_deref(), now)?;
                self.counters.store_times.add(began.elapsed());
                (site, &self.counters.from_store)
            }
        };
        let Some(site) = site else { return Ok(None) };
        if site.ruling.is_expired && self.fetcher.is_some() {
            return Ok(None);
        }
        count(counter);
        let is_due = now >= site.ruling.next_attempt;
        if is_due {
            let end = site.ruling.until;
            let again = now + WHILE_ASKING;
            site.look_again_at(if now < end { again.min(end) } else { again });
        }
        self.resident.insert(&site);
        Ok(Some(Serving { site, is_due }))
    }

    fn changing(&self, key: &str) -> MutexGuard<'_, ()> {
        // There is nothing behind it that a panic could leave broken.
        let stripe = self.resident.hash(key) as usize % STRIPES;
        self.changing[stripe].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of an origin in memory, if it is not what was just put into the store.
    fn newer(&self, key: &str, stored: &Known) -> Option<Known> {
        let site = self.resident.peek(key).filter(|site| site.known != *stored)?;
        Some(site.known.clone())
    }

    /// The site for what is known; `None` where its body is needed and is not to be had.
    fn make(
        &self,
        key: &str,
        known: Known,
        body: Option<&[u8]>,
        now: Timestamp,
    ) -> Result<Option<Arc<Entry>>, StoreError> {
        if let Some(site) = self.panels.site(key, known.clone(), body, &self.protocol, now) {
            return Ok(Some(Arc::new(site)));
        }
        let Some(copy) = &known.copy else { return Ok(None) };
        let body = self.body(copy.content)?;
        let site = self.panels.site(key, known, body.as_deref(), &self.protocol, now);
        Ok(site.map(Arc::new))
    }

    fn body(&self, content: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|store| store.body(&content)).map(Option::flatten)
    }

    /// What the store says, if there is one. That it cannot be read is counted and told.
    fn read<T>(
        &self,
        read: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let answer = self.store.as_ref().map(read).transpose();
        answer.inspect_err(|error| {
            count(&self.counters.store_errors);
            tracing::warn!(target: TARGET, %error, "the store cannot be read");
        })
    }

    /// Begins an attempt, in a task of its own.
    fn take_off(self: &Arc<Self>, pilot: Pilot) {
        tokio::spawn(Arc::clone(self).fly(pilot));
    }

    async fn fly(self: Arc<Self>, pilot: Pilot) {
        let key = pilot.key();
        let known = match self.resident.peek(key) {
            Some(site) => Some(site.known.clone()),
            None => self.read(|store| store.get(key)).unwrap_or_default().flatten(),
        };
        // A copy that is found unchanged is needed then.
        let copy = known.as_ref().and_then(|known| known.copy.as_ref());
        let _held = copy.and_then(|copy| self.panels.in_use(copy.content));
        let began = Instant::now();
        let attempt = self.attempt(key, known.as_ref()).await;
        self.counters.attempt_times.add(began.elapsed());
        let (site, body) = self.land(key, known, &attempt);
        count(match site.known.last {
            Outcome::Present => &self.counters.present,
            Outcome::Absent(_) => &self.counters.absent,
            Outcome::Unreachable(_) => &self.counters.unreachable,
        });
        tracing::debug!(
            target: TARGET, origin = key, condition = site.known.condition().as_str(), "outcome"
        );
        pilot.tell(Stage::Known(Arc::clone(&site)));
        let stored = self.keep(key, &site.known, body).await.map_err(|error| {
            count(&self.counters.store_errors);
            tracing::warn!(target: TARGET, %error, "the store cannot be written");
            Arc::new(error)
        });
        pilot.end(Stage::Stored(site, stored));
    }

    /// What an attempt means, with what the caller told of the site in the meantime; and its
    /// body, if there is a new one. From here on it counts.
    fn land<'a>(
        &self,
        key: &str,
        before: Option<Known>,
        attempt: &'a Attempt,
    ) -> (Arc<Entry>, Option<&'a [u8]>) {
        let _changing = self.changing(key);
        let latest = match self.resident.peek(key) {
            Some(site) => Some(site.known.clone()),
            None => self.read(|store| store.get(key)).unwrap_or_default().flatten(),
        };
        let mut before = latest.or(before);
        let now = self.clock.now();
        let known = self.protocol.after(before.as_ref(), attempt);
        let body = match &attempt.result {
            // Behind too many redirects it is nobody's.
            Ok(response) if (200..300).contains(&response.status) => {
                known.copy.is_some().then_some(&response.body[..])
            }
            _ => None,
        };
        let site = self.make(key, known, body, now).unwrap_or_default().unwrap_or_else(|| {
            // A copy whose body is not to be had is none.
            if let Some(known) = &mut before {
                known.copy = None;
            }
            let known = self.protocol.after(before.as_ref(), attempt);
            let site = self.panels.site(key, known, body, &self.protocol, now);
            Arc::new(site.expect("without a copy from before no other body is needed"))
        });
        self.resident.insert(&site);
        (site, body)
    }

    /// Puts an outcome into the store, if there is one, and what became of it in the meantime.
    async fn keep(&self, key: &str, known: &Known, body: Option<&[u8]>) -> Result<(), StoreError> {
        let Some(store) = &self.store else { return Ok(()) };
        store.put_async(key, known, body).await?;
        let mut newer = self.newer(key, known);
        while let Some(known) = newer {
            store.put_async(key, &known, None).await?;
            newer = self.newer(key, &known);
        }
        Ok(())
    }

    /// Asks the fetcher. The copy's validators are sent if its body is still to be had.
    async fn attempt(&self, key: &str, known: Option<&Known>) -> Attempt {
        let failed =
            |failure| Attempt { at: self.clock.now(), redirects: Vec::new(), result: Err(failure) };
        let Some(fetcher) = &self.fetcher else {
            return failed(Failure::Local("there is no fetcher".into()));
        };
        let Ok(origin) = Origin::of(key).map(Origin::into_owned) else {
            return failed(Failure::Local("the origin has no URL".into()));
        };
        // Where there is a store, the body must be in it, which may have forgotten the site since
        // it came into memory: it cannot keep that a copy is unchanged without that.
        let has_body = |copy: &&Copy| match &self.store {
            Some(_) => self.body(copy.content).is_ok_and(|body| body.is_some()),
            None => self.panels.in_use(copy.content).is_some(),
        };
        let conditional = known.and_then(|known| self.protocol.conditional_on(known));
        let mut attempt = fetcher.fetch(&origin.into_owned(), conditional.filter(has_body)).await;
        if let Clock::Own(clock) = &self.clock {
            attempt.at = clock();
        }
        attempt
    }
}

/// The site, when there is an outcome.
async fn arrival(mut flight: watch::Receiver<Stage>) -> Result<Arc<Entry>, SieveError> {
    let known = |stage: &Stage| !matches!(stage, Stage::Asking);
    match flight.wait_for(known).await.as_deref() {
        Ok(Stage::Known(site) | Stage::Stored(site, _)) => Ok(Arc::clone(site)),
        _ => Err(SieveError::Gone),
    }
}
