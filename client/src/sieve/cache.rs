//! The sites in memory: a small table that all threads look at first, and behind it a cache
//! with a memory bound.

use std::hash::BuildHasher;
use std::sync::Arc;

use arc_swap::{ArcSwapOption, Guard};
use moka::notification::RemovalCause;
use moka::policy::EvictionPolicy;
use moka::sync::Cache as BoundedCache;

use super::entry::Entry;

/// A reference to a site. Unlike an `Arc` it usually needs no reference count, which threads
/// would contend for.
pub(super) type EntryRef = Guard<Option<Arc<Entry>>>;

/// The bytes of memory for each slot of the table. A site takes about 800 bytes and its policies a
/// few thousand more, so a table of this size has slots for all sites that fit into memory, if
/// they are typical; it takes 0.2 to 0.4 % of the memory itself.
const BYTES_PER_SLOT: u64 = 4096;

pub(super) struct Cache {
    table: Arc<Table>,
    bounded: BoundedCache<Box<str>, Arc<Entry>, foldhash::fast::RandomState>,
}

/// The sites that were used last. A site's hash gives it two possible slots.
struct Table {
    hasher: foldhash::fast::RandomState,
    slots: Box<[ArcSwapOption<Entry>]>,
}

impl Table {
    #[inline]
    fn hash(&self, key: &str) -> u64 {
        self.hasher.hash_one(key.as_bytes())
    }

    /// The two slots that a site may have.
    #[inline]
    fn slots_of(&self, key: &str) -> [&ArcSwapOption<Entry>; 2] {
        // The number of slots is a power of two and even, so `at ^ 1` is in range too.
        let at = self.hash(key) as usize & (self.slots.len() - 1);
        [&self.slots[at], &self.slots[at ^ 1]]
    }

    /// Removes just this entry: the memory bound counts it no more.
    fn remove(&self, site: &Arc<Entry>) {
        for slot in self.slots_of(site.key()) {
            let current = slot.load();
            if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, site)) {
                slot.compare_and_swap(&current, None);
            }
        }
    }
}

impl Cache {
    pub(super) fn new(max_bytes: u64, slots: Option<usize>) -> Cache {
        let by_memory = || usize::try_from(max_bytes / BYTES_PER_SLOT).unwrap_or(usize::MAX);
        let slots = slots.unwrap_or_else(by_memory).clamp(2, 1 << 24).next_power_of_two();
        let hasher = foldhash::fast::RandomState::default();
        let table = Arc::new(Table {
            hasher: hasher.clone(),
            slots: (0..slots).map(|_| ArcSwapOption::empty()).collect(),
        });
        let its_table = Arc::clone(&table);
        let bounded = BoundedCache::builder()
            .max_capacity(max_bytes)
            .weigher(|_, site: &Arc<Entry>| u32::try_from(site.weigh()).unwrap_or(u32::MAX))
            // A new site is always admitted: without a store it would be fetched again at once.
            .eviction_policy(EvictionPolicy::lru())
            .eviction_listener(move |_, site, cause| {
                if cause == RemovalCause::Size {
                    its_table.remove(&site);
                }
            });
        Cache { bounded: bounded.build_with_hasher(hasher), table }
    }

    #[inline]
    pub(super) fn hash(&self, key: &str) -> u64 {
        self.table.hash(key)
    }

    /// The site, if it is in the table.
    #[inline]
    pub(super) fn in_table(&self, key: &str) -> Option<EntryRef> {
        self.table.slots_of(key).into_iter().find_map(|slot| {
            let site = slot.load();
            site.as_ref().is_some_and(|site| site.is_of(key)).then_some(site)
        })
    }

    /// Tells the memory bound that a site in the table is in use. It need not hear of each use.
    #[cold]
    pub(super) fn touch(&self, key: &str) {
        self.bounded.get(key);
    }

    /// The site, if it is in memory.
    pub(super) fn peek(&self, key: &str) -> Option<Arc<Entry>> {
        self.bounded.get(key)
    }

    /// The site, if it is in memory, and puts it into the table. For the same site, only one
    /// thread at a time may call this or [`Cache::insert`].
    pub(super) fn get(&self, key: &str) -> Option<Arc<Entry>> {
        let site = self.bounded.get(key)?;
        if site.has_grown() {
            self.bounded.insert(key.into(), Arc::clone(&site));
        }
        self.place(&site);
        Some(site)
    }

    pub(super) fn insert(&self, site: &Arc<Entry>) {
        self.place(site);
        self.bounded.insert(site.key().into(), Arc::clone(site));
    }

    /// Puts a site into the table: into the slot that has it, else a free one, else the first.
    /// The condition of [`Cache::get`] holds here too.
    pub(super) fn place(&self, site: &Arc<Entry>) {
        let slots = self.table.slots_of(site.key());
        let has_it = |slot: &&ArcSwapOption<Entry>| {
            slot.load().as_ref().is_some_and(|other| other.is_of(site.key()))
        };
        let is_free = |slot: &&ArcSwapOption<Entry>| slot.load().is_none();
        let mut choices = slots.iter().copied();
        let slot = choices.find(has_it).or_else(|| slots.into_iter().find(is_free));
        slot.unwrap_or(slots[0]).store(Some(Arc::clone(site)));
    }

    /// How many sites there are, and their total weight in bytes.
    pub(super) fn size(&self) -> (u64, u64) {
        self.bounded.run_pending_tasks();
        (self.bounded.entry_count(), self.bounded.weighted_size())
    }
}
