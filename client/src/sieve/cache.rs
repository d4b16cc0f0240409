//! The sites in memory: a table that all threads look at first, and behind it a cache with a
//! memory bound.

use std::sync::Arc;

use moka::notification::RemovalCause;
use moka::policy::EvictionPolicy;
use moka::sync::Cache as BoundedCache;

use super::entry::Entry;
use super::table::{Hash, Table};

/// The bytes of memory for each site of the table. A site takes about 800 bytes and its policies a
/// few thousand more, so a table of this size has room for all sites that fit into memory, if
/// they are typical; it takes 0.2 to 0.4 % of the memory itself.
const BYTES_PER_SITE: u64 = 4096;

pub(super) struct Cache {
    pub(super) table: Arc<Table>,
    bounded: BoundedCache<Box<str>, Arc<Entry>, foldhash::fast::RandomState>,
}

impl Cache {
    pub(super) fn new(max_bytes: u64, slots: Option<usize>) -> Cache {
        let by_memory = || usize::try_from(max_bytes / BYTES_PER_SITE).unwrap_or(usize::MAX);
        let slots = slots.unwrap_or_else(by_memory).min(1 << 24);
        let hasher = foldhash::fast::RandomState::default();
        let table = Arc::new(Table::new(slots, hasher.clone()));
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
    pub(super) fn hash(&self, key: &str) -> Hash {
        self.table.hash(key)
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

    /// Puts a site into the table alone.
    pub(super) fn place(&self, site: &Arc<Entry>) {
        self.table.place(site);
    }

    /// The number of sites, and their total weight in bytes.
    pub(super) fn size(&self) -> (u64, u64) {
        self.bounded.run_pending_tasks();
        (self.bounded.entry_count(), self.bounded.weighted_size())
    }
}
