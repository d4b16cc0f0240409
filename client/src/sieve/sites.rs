//! The knowledge of sites, in memory and in the store. Nothing here fetches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use robotsieve::Origin;

use super::cache::Cache;
use super::clock::Clock;
use super::entry::Entry;
use super::metrics::{Counters, count};
use super::policies::Policies;
use super::table::EntryRef;
use crate::outcome::{ContentHash, OriginState, Protocol, Why};
use crate::store::{Store, StoreError};
use crate::time::Timestamp;

/// The target of this module's events.
pub(super) const TARGET: &str = "robotsieve::sieve";

/// The time for which an answer is used without another check while its refresh is running.
const REFRESH_CHECK: Duration = Duration::from_secs(60);

/// Of so many uses of sites in the table, one is told to the memory bound, which drops the site
/// that it has not heard of for the longest time.
pub(super) const TOUCH_EVERY: u64 = 128;

/// The number of locks of [`Sites::changing`].
pub(super) const STRIPES: usize = 64;

pub(super) struct Sites {
    /// The sites whose answer the operator gives, by key.
    pub(super) overrides: HashMap<Box<str>, Arc<Entry>>,
    pub(super) policies: Policies,
    pub(super) protocol: Protocol,
    pub(super) cache: Cache,
    pub(super) store: Option<Store>,
    /// True if expired answers can be replaced. Without a fetcher they stay in use.
    pub(super) can_fetch: bool,
    pub(super) clock: Clock,
    pub(super) counters: Counters,
    /// Locks for changing the state of an origin or loading it into memory, so that no thread
    /// overwrites another's change. Each lock covers a share of the origins.
    pub(super) changing: [Mutex<()>; STRIPES],
}

/// A site whose answer may be used, and whether a new one should be fetched.
pub(super) struct Usable {
    pub(super) site: Arc<Entry>,
    pub(super) is_due: bool,
}

/// True if a site's ruling still applies at `now`.
#[inline]
pub(super) fn is_current(site: &EntryRef, now: Timestamp) -> bool {
    site.as_ref().is_some_and(|site| site.is_current_at(now))
}

impl Sites {
    /// The site, if it is in the table and its ruling still applies.
    #[inline]
    pub(super) fn in_table(&self, origin: &Origin<'_>, now: Timestamp) -> Option<EntryRef> {
        let key = origin.key();
        let site = self.cache.table.get(key, self.cache.hash(key))?;
        if !is_current(&site, now) {
            return None;
        }
        if self.counters.from_table.add(1).is_multiple_of(TOUCH_EVERY) {
            self.cache.touch(key);
        }
        Some(site)
    }

    /// The site, if it is in memory or in the store and its answer may be used.
    pub(super) fn usable(&self, key: &str, now: Timestamp) -> Result<Option<Usable>, StoreError> {
        let _changing = self.changing(key);
        if let Some(site) = self.overridden(key) {
            self.cache.place(site);
            count(&self.counters.from_memory);
            return Ok(Some(Usable { site: Arc::clone(site), is_due: false }));
        }
        let (site, counter) = match self.cache.get(key) {
            Some(site) if site.is_current_at(now) => {
                count(&self.counters.from_memory);
                return Ok(Some(Usable { site, is_due: false }));
            }
            // Its address is forbidden here. Another run may have other settings, this one has not.
            Some(site) if !site.state.was_asked() && self.was_tried_lately(&site.state, now) => {
                count(&self.counters.from_memory);
                return Ok(Some(Usable { site, is_due: false }));
            }
            Some(site) => {
                (self.make(key, site.state.clone(), None, now)?, &self.counters.from_memory)
            }
            None => {
                let began = Instant::now();
                let found = self.read(|store| store.get_with_body(key))?.flatten();
                let Some((state, body)) = found else { return Ok(None) };
                let site = self.make(key, state, body.as_deref(), now)?;
                self.counters.store_times.add(began.elapsed());
                (site, &self.counters.from_store)
            }
        };
        let Some(site) = site else { return Ok(None) };
        let ruling = site.ruling;
        if ruling.is_expired && (self.can_fetch || ruling.why == Why::NeverAsked) {
            return Ok(None);
        }
        count(counter);
        let is_due = now >= site.ruling.next_attempt;
        if is_due {
            let end = site.ruling.until;
            let again = now + REFRESH_CHECK;
            site.check_again_at(if now < end { again.min(end) } else { again });
        }
        self.cache.insert(&site);
        Ok(Some(Usable { site, is_due }))
    }

    fn was_tried_lately(&self, state: &OriginState, now: Timestamp) -> bool {
        now >= state.attempted && now < state.attempted + self.protocol.first_retry
    }

    /// The site, if the operator gives its answer.
    pub(super) fn overridden(&self, key: &str) -> Option<&Arc<Entry>> {
        if self.overrides.is_empty() { None } else { self.overrides.get(key) }
    }

    /// The state of an origin, in memory or in the store. A store that cannot be read counts as
    /// one that does not know the origin.
    pub(super) fn state(&self, key: &str) -> Option<OriginState> {
        match self.cache.peek(key) {
            Some(site) => Some(site.state.clone()),
            None => self.read(|store| store.get(key)).unwrap_or_default().flatten(),
        }
    }

    /// The state of an origin in memory, if it differs from the one that was just stored.
    pub(super) fn newer(&self, key: &str, stored: &OriginState) -> Option<OriginState> {
        let site = self.cache.peek(key).filter(|site| site.state != *stored)?;
        Some(site.state.clone())
    }

    /// The site with this state. Returns `None` if it needs the body of its copy and the body is
    /// nowhere to be found.
    pub(super) fn make(
        &self,
        key: &str,
        state: OriginState,
        body: Option<&[u8]>,
        now: Timestamp,
    ) -> Result<Option<Arc<Entry>>, StoreError> {
        if let Some(site) = self.policies.site(key, state.clone(), body, &self.protocol, now) {
            return Ok(Some(Arc::new(site)));
        }
        let Some(copy) = &state.copy else { return Ok(None) };
        let body = self.body(copy.content)?;
        let site = self.policies.site(key, state, body.as_deref(), &self.protocol, now);
        Ok(site.map(Arc::new))
    }

    /// A body in the store.
    pub(super) fn body(&self, content: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|store| store.body(&content)).map(Option::flatten)
    }

    /// The lock for changes of an origin.
    pub(super) fn changing(&self, key: &str) -> MutexGuard<'_, ()> {
        // The lock protects no data that a panic could leave half-changed.
        let stripe = self.cache.hash(key).number() as usize % STRIPES;
        self.changing[stripe].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the store, if there is one. Counts and logs an error.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let answer = self.store.as_ref().map(read).transpose();
        answer.inspect_err(|error| {
            count(&self.counters.store_errors);
            tracing::warn!(target: TARGET, %error, "the store cannot be read");
        })
    }
}
