//! The sites in memory: a table that all threads look at first, and the bounded cache behind
//! it.

use std::hash::BuildHasher;
use std::sync::Arc;

use arc_swap::{ArcSwapOption, Guard};
use moka::sync::Cache;

use super::entry::Entry;

/// A site, for as long as a decision is looked at. It costs no count that other threads would
/// have to share.
pub(super) type EntryRef = Guard<Option<Arc<Entry>>>;

pub(super) struct Resident {
    hasher: foldhash::fast::RandomState,
    /// A site has two places, by its hash; the last ones asked for are there.
    slots: Box<[ArcSwapOption<Entry>]>,
    cache: Cache<Box<str>, Arc<Entry>, foldhash::fast::RandomState>,
}

impl Resident {
    pub(super) fn new(max_bytes: u64, slots: usize) -> Resident {
        let hasher = foldhash::fast::RandomState::default();
        let cache = Cache::builder()
            .max_capacity(max_bytes)
            .weigher(|_, site: &Arc<Entry>| u32::try_from(site.weigh()).unwrap_or(u32::MAX));
        let slots = slots.clamp(2, 1 << 24).next_power_of_two();
        Resident {
            cache: cache.build_with_hasher(hasher.clone()),
            slots: (0..slots).map(|_| ArcSwapOption::empty()).collect(),
            hasher,
        }
    }

    #[inline]
    pub(super) fn hash(&self, key: &str) -> u64 {
        self.hasher.hash_one(key.as_bytes())
    }

    /// The two places that a site may have.
    #[inline]
    fn places(&self, key: &str) -> [&ArcSwapOption<Entry>; 2] {
        // The length is a power of two, and even.
        let place = self.hash(key) as usize & (self.slots.len() - 1);
        [&self.slots[place], &self.slots[place ^ 1]]
    }

    /// The site, if it is in the table.
    #[inline]
    pub(super) fn at_once(&self, key: &str) -> Option<EntryRef> {
        self.places(key).into_iter().find_map(|place| {
            let site = place.load();
            site.as_ref().is_some_and(|site| site.is_of(key)).then_some(site)
        })
    }

    /// The site, if it is in the cache.
    pub(super) fn peek(&self, key: &str) -> Option<Arc<Entry>> {
        self.cache.get(key)
    }

    /// The site, if it is in the cache; and into the table with it. As [`Resident::insert`], to
    /// be called by one thread at a time for the same site.
    pub(super) fn get(&self, key: &str) -> Option<Arc<Entry>> {
        let site = self.cache.get(key)?;
        if site.has_grown() {
            self.cache.insert(key.into(), Arc::clone(&site));
        }
        self.place(&site);
        Some(site)
    }

    pub(super) fn insert(&self, site: &Arc<Entry>) {
        self.place(site);
        self.cache.insert(site.key().into(), Arc::clone(site));
    }

    /// Into its place in the table, or a free one, or the first one.
    fn place(&self, site: &Arc<Entry>) {
        let places = self.places(site.key());
        let is_own = |place: &&ArcSwapOption<Entry>| {
            place.load().as_ref().is_some_and(|other| other.is_of(site.key()))
        };
        let is_free = |place: &&ArcSwapOption<Entry>| place.load().is_none();
        let mut choices = places.iter().copied();
        let place = choices.find(is_own).or_else(|| places.into_iter().find(is_free));
        place.unwrap_or(places[0]).store(Some(Arc::clone(site)));
    }

    /// Sites, and the bytes that they are counted with.
    pub(super) fn size(&self) -> (u64, u64) {
        self.cache.run_pending_tasks();
        (self.cache.entry_count(), self.cache.weighted_size())
    }
}
