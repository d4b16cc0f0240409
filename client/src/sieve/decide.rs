//! The sieve: decisions on URLs.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use arc_swap::Guard;
use futures_util::future::{self, Either};
use futures_util::stream::{self, Stream, StreamExt};
use robotsieve::internals::{read_line_ahead, usual_key};
use robotsieve::{AsUrl, Origin};
use smallvec::SmallVec;

use super::attempt::Shared;
use super::decision::{Fetched, SieveDecision, Site};
use super::entry::Entry;
use super::error::SieveError;
use super::in_flight::Progress;
use super::metrics::Metrics;
use super::sites::{Sites, TOUCH_EVERY};
use super::stream::Decisions;
use super::table::{EntryRef, Hash};
use crate::outcome::OriginState;
use crate::store::{Fault, StoreError};
use crate::time::Timestamp;

/// The number of sites that one call of [`Sieve::decide_many`] looks up in parallel.
const PARALLEL_SITES: usize = 1024;

/// The number of questions of [`Sieve::decide_many`] that wait for memory together.
const AT_ONCE: usize = 32;

/// A URL, and how its site is looked up.
#[derive(Clone, Copy, Default)]
struct Question<'u> {
    url: &'u [u8],
    /// The key of its origin, with which the URL begins. Empty if it is unusual.
    key: &'u str,
    hash: Hash,
}

impl AsUrl for Question<'_> {
    #[inline]
    fn as_url(&self) -> &[u8] {
        self.url
    }

    #[inline]
    fn known_path(&self) -> Option<&[u8]> {
        let path = self.url.get(self.key.len()..)?;
        (!self.key.is_empty() && path.first() == Some(&b'/')).then_some(path)
    }
}

/// Places of URLs in a list, by the key of their site.
type Places = HashMap<Box<str>, Vec<usize>>;

/// A decision of [`Sieve::decide_many`].
type OfMany<'u, U> = Result<SieveDecision<&'u U>, SieveError>;

/// Decides on URLs of any sites.
///
/// Clones are one sieve, and any number of threads and tasks may use them at once.
#[derive(Clone)]
pub struct Sieve {
    pub(super) shared: Arc<Shared>,
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
    /// reason on this side ([`SieveError::Local`]), if it has to be fetched outside a Tokio runtime
    /// ([`SieveError::NoRuntime`]), or if the attempt ended without an outcome
    /// ([`SieveError::Gone`]). An unreachable site is not an error: the decision is what follows
    /// from that.
    ///
    /// An answer that has expired is not used if the site cannot be asked for a new one: there is
    /// no decision then. Answers that have not expired stay in use.
    #[inline]
    pub fn decide<U: AsUrl + Send>(
        &self,
        url: U,
    ) -> impl Future<Output = Result<SieveDecision<U>, SieveError>> + Send + use<U> {
        match self.shared.at_once(url) {
            Ok(decision) => Either::Left(future::ready(decision.map_err(|(_, cause)| cause))),
            Err(url) => Either::Right(self.clone().decide_later(url)),
        }
    }

    /// The decision on a URL whose site is not in the table. Boxed, so that the futures of the
    /// other URLs are small.
    #[cold]
    fn decide_later<U: AsUrl + Send>(
        self,
        url: U,
    ) -> Pin<Box<impl Future<Output = Result<SieveDecision<U>, SieveError>> + Send + use<U>>> {
        Box::pin(async move {
            let now = self.shared.sites.clock.now();
            let found = self.shared.look_up(Origin::of(url.as_url())?.key(), now)?;
            decision(found.site().await?, url, now)
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
            None => self.shared.look_up(origin.key(), now)?.site().await?,
        };
        Ok(Site { entry, now })
    }

    /// Decides on a URL if its site is in the table and its answer is current; otherwise returns
    /// `None`. It never waits, and starts nothing.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid ([`SieveError::Origin`], [`SieveError::Url`]).
    #[inline]
    pub fn try_decide<U: AsUrl>(&self, url: U) -> Result<Option<SieveDecision<U>>, SieveError> {
        match self.shared.at_once(url) {
            Ok(Ok(decision)) => Ok(Some(decision)),
            Ok(Err((_, cause))) => Err(cause),
            Err(_) => Ok(None),
        }
    }

    /// Decides on a stream of URLs, and returns the decisions in the order in which they are
    /// ready: URLs of a site that has to be fetched do not hold up the others. See [`Decisions`].
    ///
    /// ```
    /// # use std::future::Future;
    /// # use std::pin::Pin;
    /// # use robotsieve::{Crawler, Origin};
    /// # use robotsieve_client::sieve::{Override, Overrides};
    /// use futures_util::{StreamExt, stream};
    /// use robotsieve_client::sieve::Sieve;
    ///
    /// # let mut overrides = Overrides::new();
    /// # overrides.insert("a.example", Override::Allow)?;
    /// # overrides.insert("b.example", Override::Disallow)?;
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// # let sieve = Sieve::builder(Crawler::name("x")).overrides(overrides).build();
    /// let urls = ["https://a.example/x".to_owned(), "https://b.example/".to_owned()];
    /// let mut decisions = sieve.decide_stream(stream::iter(urls));
    /// while let Some(decided) = decisions.next().await {
    ///     match decided.result {
    ///         Ok(decision) if decision.is_allowed() => println!("{}", decision.url()),
    ///         Ok(_) => {}
    ///         Err(undecided) => eprintln!("{}: {}", undecided.url, undecided.error),
    ///     }
    /// }
    /// # });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decide_stream<S>(&self, urls: S) -> Decisions<S>
    where
        S: Stream<Item: AsUrl>,
    {
        Decisions::new(Arc::clone(&self.shared), urls)
    }

    /// [`Sieve::decide_stream`] for an iterator, whose `next` should not block.
    pub fn decide_iter<I>(&self, urls: I) -> Decisions<stream::Iter<I::IntoIter>>
    where
        I: IntoIterator<Item: AsUrl>,
    {
        self.decide_stream(stream::iter(urls))
    }

    /// Decides on many URLs, and returns the decisions in the same order, each with a reference to
    /// its URL. Sites that are not in the [table](super::SieveBuilder::slots) are looked up once each,
    /// and all of them in parallel.
    ///
    /// The call waits for the slowest site. [`Sieve::decide_stream`] does not.
    ///
    /// With very many sites in memory and URLs in no order this is several times as fast as
    /// [`Sieve::decide`]: a question waits for memory, and here the waits of 32 questions overlap.
    /// Pass a few thousand URLs at a time.
    pub async fn decide_many<'u, U: AsUrl>(
        &self,
        urls: &'u [U],
    ) -> Vec<Result<SieveDecision<&'u U>, SieveError>> {
        let now = self.shared.sites.clock.now();
        let (mut decisions, missing) = self.decide_from_table(urls, now);
        if missing.is_empty() {
            return decisions;
        }
        let find = |(key, places): (Box<str>, Vec<usize>)| async move {
            let site = match self.shared.look_up(&key, now) {
                Ok(found) => found.site().await,
                Err(cause) => Err(cause),
            };
            (site, places)
        };
        let mut finding = stream::iter(missing).map(find).buffer_unordered(PARALLEL_SITES);
        let mut others = 0;
        while let Some((site, places)) = finding.next().await {
            if site.is_ok() {
                // The first URL of the site is counted by where the site was found.
                others += places.len() as u64 - 1;
            }
            for place in places {
                let url = &urls[place];
                decisions[place] = match &site {
                    Ok(site) => decision(EntryRef::from_inner(Option::clone(site)), url, now),
                    Err(cause) => Err(cause.clone()),
                };
            }
        }
        self.shared.sites.counters.from_table.add(others);
        decisions
    }

    /// The decisions on URLs whose sites are in the table, and the places of the others, by site.
    ///
    /// Goes in stages over some URLs at a time, each of which prefetches what the next one reads.
    fn decide_from_table<'u, U: AsUrl>(
        &self,
        urls: &'u [U],
        now: Timestamp,
    ) -> (Vec<OfMany<'u, U>>, Places) {
        let Sites { cache, counters, .. } = &self.shared.sites;
        let table = &*cache.table;
        let mut decisions = Vec::with_capacity(urls.len());
        let mut missing = Places::default();
        let mut behind = urls.iter().skip(AT_ONCE);
        for urls in urls.chunks(AT_ONCE) {
            behind.by_ref().take(AT_ONCE).for_each(|url| read_line_ahead(url.as_url().as_ptr()));
            // Places of their own, since moving what is in them would take longer than finding it.
            let mut questions = [Question::default(); AT_ONCE];
            let questions = &mut questions[..urls.len()];
            for (question, url) in questions.iter_mut().zip(urls) {
                let url = url.as_url();
                let key = usual_key(url).unwrap_or_default();
                let hash = table.hash(key);
                table.read_bucket_ahead(hash);
                *question = Question { url, key, hash };
            }
            let mut last = Hash::default();
            for question in &*questions {
                if std::mem::replace(&mut last, question.hash) != question.hash {
                    table.read_site_ahead(question.hash);
                }
            }
            let mut sites = [const { None::<Arc<Entry>> }; AT_ONCE];
            for number in 0..questions.len() {
                let Question { key, hash, .. } = questions[number];
                // URLs of one site tend to follow one another.
                let before = number.checked_sub(1).filter(|before| questions[*before].hash == hash);
                let before = before.and_then(|before| sites[before].as_ref());
                let site = match before.filter(|site| site.is_of(key)) {
                    Some(site) => Some(Arc::clone(site)),
                    None => table.get(key, hash).and_then(Guard::into_inner),
                };
                if let Some(site) = site.filter(|site| site.is_current_at(now)) {
                    site.read_verdicts_ahead();
                    sites[number] = Some(site);
                }
            }
            let mut begun: SmallVec<[_; AT_ONCE]> = SmallVec::new();
            for (site, question) in sites.iter().zip(&*questions) {
                begun.push(site.as_ref().map(|site| site.begin(question)));
            }
            let mut verdicts = [None; AT_ONCE];
            for (verdict, begun) in verdicts.iter_mut().zip(&begun) {
                *verdict = begun.as_ref().map(|begun| match begun {
                    Ok(begun) => Ok(begun.finish()),
                    Err(cause) => Err(*cause),
                });
            }
            drop(begun);
            let mut others = 0;
            for ((url, site), verdict) in urls.iter().zip(sites).zip(verdicts) {
                // Only one kind is pushed here, so it is made where it stays.
                if let (Some(site), Some(Ok(verdict))) = (site, verdict) {
                    let site = Site { entry: EntryRef::from_inner(Some(site)), now };
                    decisions.push(Ok(SieveDecision { verdict, url, site }));
                } else {
                    others += 1;
                    self.decide_unusual(url, now, &mut decisions, &mut missing);
                }
            }
            let found = urls.len() as u64 - others;
            let before = counters.from_table.add(found);
            if before / TOUCH_EVERY != (before + found) / TOUCH_EVERY
                && let Some(Ok(decision)) = decisions.last()
            {
                cache.touch(decision.site().origin());
            }
        }
        (decisions, missing)
    }

    /// Adds the decision on a URL that does not begin with the key of its origin, or is invalid, or whose
    /// site is not in the table. Then its place is added to the missing ones.
    #[cold]
    #[inline(never)]
    fn decide_unusual<'u, U: AsUrl>(
        &self,
        url: &'u U,
        now: Timestamp,
        decisions: &mut Vec<OfMany<'u, U>>,
        missing: &mut Places,
    ) {
        let found = Origin::of(url.as_url()).map(|origin| {
            let site = self.shared.sites.in_table(&origin, now);
            if site.is_none() {
                match missing.get_mut(origin.key()) {
                    Some(places) => places.push(decisions.len()),
                    None => _ = missing.insert(origin.key().into(), vec![decisions.len()]),
                }
            }
            site.map(Guard::into_inner)
        });
        decisions.push(match found {
            Ok(Some(site)) => decision(EntryRef::from_inner(site), url, now),
            // Until its site is found.
            Ok(None) => Err(SieveError::Unknown),
            Err(cause) => Err(cause.into()),
        });
    }

    /// Fetches the robots.txt of an origin now, even if its answer is still current, and waits
    /// until the outcome is stored. If an attempt is running already, waits for that one. A site
    /// with an [override](super::SieveBuilder::overrides) is not fetched.
    ///
    /// # Errors
    /// Returns an error if no fetcher is set ([`SieveError::Unknown`]), if the site could not be
    /// asked for a reason on this side ([`SieveError::Local`]), if the call is made outside a Tokio
    /// runtime ([`SieveError::NoRuntime`]), or if the attempt ended without an outcome
    /// ([`SieveError::Gone`]). [`Fetched::stored`] says whether the outcome could be stored.
    pub async fn fetch(&self, origin: &Origin<'_>) -> Result<Fetched, SieveError> {
        let shared = &self.shared;
        if let Some(site) = shared.sites.overridden(origin.key()) {
            return Ok(Fetched { entry: Arc::clone(site), stored: Ok(()) });
        }
        if shared.fetcher.is_none() {
            return Err(SieveError::Unknown);
        }
        let mut attempt = shared.fetch(origin.key())?;
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

    /// The state of an origin, from memory or from the store; `None` if it is in neither. Overrides
    /// do not count here.
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

    /// True if an origin should be fetched now: it is unknown, its answer has expired or is about
    /// to, or it is time to try again after a failure. Never if it has an
    /// [override](super::SieveBuilder::overrides).
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn is_due(&self, origin: &Origin<'_>) -> Result<bool, StoreError> {
        if self.shared.sites.overridden(origin.key()).is_some() {
            return Ok(false);
        }
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
        #[cfg(feature = "rights")]
        if let Some(files) = &self.shared.files {
            metrics.bytes += files.size();
        }
        metrics.pauses = self.shared.breaker.pauses();
        metrics.is_paused = self.is_paused();
        metrics
    }

    /// True if the sieve has stopped asking because of [faults on this
    /// side](super::SieveBuilder::pause_after). Sites that would have to be fetched get
    /// [`SieveError::Local`] meanwhile, but for one now and then whose attempt is the trial.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.shared.breaker.is_paused()
    }

    /// The number of running attempts.
    #[must_use]
    pub fn running_attempts(&self) -> usize {
        let running = self.shared.in_flight.len();
        #[cfg(feature = "rights")]
        let running = running + self.shared.files.as_ref().map_or(0, |files| files.in_flight.len());
        running
    }

    /// Waits until no attempt is running and all outcomes are stored.
    pub async fn settled(&self) {
        // An attempt for a file begins after the one for the robots.txt of its site.
        self.shared.in_flight.idle().await;
        #[cfg(feature = "rights")]
        if let Some(files) = &self.shared.files {
            files.in_flight.idle().await;
        }
    }

    /// Ends fetching, for all clones, before the program ends: no further attempt begins, and the
    /// call waits until those that run have ended and their outcomes are stored.
    ///
    /// Known answers stay in use. Where a site would have to be fetched, there is
    /// [`SieveError::ShutDown`]. A store of the sieve is closed with the
    /// sieve's last clone, unless you hold it too ([`Store::close`](crate::store::Store::close)).
    ///
    /// ```
    /// use robotsieve::Crawler;
    /// use robotsieve_client::sieve::Sieve;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let sieve = Sieve::builder(Crawler::name("MyCrawler")).build();
    /// sieve.shutdown().await;
    /// # });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn shutdown(&self) {
        self.shared.in_flight.shut();
        #[cfg(feature = "rights")]
        if let Some(files) = &self.shared.files {
            files.in_flight.shut();
        }
        self.settled().await;
    }

    /// The number of crawlers that the sieve is for.
    #[must_use]
    pub fn crawler_count(&self) -> usize {
        self.shared.sites.policies.crawler_count()
    }
}

#[inline]
fn decision<U: AsUrl>(
    entry: EntryRef,
    url: U,
    now: Timestamp,
) -> Result<SieveDecision<U>, SieveError> {
    SieveDecision::new(Site { entry, now }, url).map_err(|(_, cause)| cause.into())
}
