//! The table of the sites that were used last, which all threads look at first.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::{ArcSwapOption, Guard};
use robotsieve::internals::read_line_ahead;

use super::entry::Entry;

/// A reference to a site. Unlike an `Arc` it usually needs no reference count, which threads
/// would contend for.
pub(super) type EntryRef = Guard<Option<Arc<Entry>>>;

/// The number of sites that a bucket has room for.
const WIDTH: usize = 7;

/// The number of locks of a table, for changes.
const LOCKS: usize = 64;

/// The lowest bit of each byte.
const LOWEST: u64 = u64::MAX / 0xff;

/// A site's hash gives it a bucket; where that is full, the site is in the other bucket of the
/// same pair. Buckets are a cache line each, so finding a site costs two waits for memory: one for
/// the bucket, one for the site itself.
pub(super) struct Table {
    hasher: foldhash::fast::RandomState,
    /// An even number.
    buckets: Box<[Bucket]>,
    /// For changes of buckets. Each covers a share of the pairs.
    changing: [Mutex<()>; LOCKS],
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket {
    /// A byte of each site's hash, 0 where there is none. Changed after the site: meanwhile
    /// another thread may fail to find it, and looks elsewhere.
    tags: AtomicU64,
    sites: [ArcSwapOption<Entry>; WIDTH],
}

const _: () = assert!(size_of::<Bucket>() == 64, "one cache line");

/// The hash of a site's key.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hash(u64);

impl Hash {
    /// Never 0. The bucket depends on the upper bits, so this takes the lowest.
    #[inline]
    fn tag(self) -> u8 {
        (self.0 as u8).max(1)
    }

    /// The hash as a number.
    pub(super) fn number(self) -> u64 {
        self.0
    }
}

impl Bucket {
    /// The places with this tag, and now and then another.
    #[inline]
    fn places(&self, tag: u8) -> impl Iterator<Item = usize> + use<> {
        // The bytes that are equal become zeros. The lowest of them is found for certain; of
        // those above it some may be ones.
        let differing = self.tags.load(Relaxed) ^ (LOWEST * u64::from(tag));
        let zeros = differing.wrapping_sub(LOWEST) & !differing & (LOWEST << 7);
        // The eighth byte is nobody's.
        let mut zeros = zeros & !(0xff << (8 * WIDTH));
        std::iter::from_fn(move || {
            let place = (zeros != 0).then(|| zeros.trailing_zeros() as usize / 8);
            zeros &= zeros.wrapping_sub(1);
            place
        })
    }

    /// The place of a site whose tag is this one.
    #[inline]
    fn find(&self, tag: u8, is_it: impl Fn(&Arc<Entry>) -> bool) -> Option<(usize, EntryRef)> {
        self.places(tag).find_map(|place| {
            let site = self.sites[place].load();
            site.as_ref().is_some_and(&is_it).then_some((place, site))
        })
    }

    /// A place without a site.
    fn free(&self) -> Option<usize> {
        (0..WIDTH).find(|place| self.tags.load(Relaxed) >> (8 * place) & 0xff == 0)
    }

    /// Changes what is in a place. Only with the lock of its pair.
    fn set(&self, place: usize, tag: u8, site: Option<Arc<Entry>>) {
        self.sites[place].store(site);
        let others = self.tags.load(Relaxed) & !(0xff << (8 * place));
        self.tags.store(others | u64::from(tag) << (8 * place), Relaxed);
    }
}

impl Table {
    /// An empty table with room for so many sites, or a few more.
    pub(super) fn new(sites: usize, hasher: foldhash::fast::RandomState) -> Table {
        let buckets = sites.div_ceil(WIDTH).next_multiple_of(2).max(2);
        Table {
            hasher,
            buckets: (0..buckets).map(|_| Bucket::default()).collect(),
            changing: std::array::from_fn(|_| Mutex::default()),
        }
    }

    #[inline]
    pub(super) fn hash(&self, key: &str) -> Hash {
        Hash(self.hasher.hash_one(key.as_bytes()))
    }

    /// The number of the site's own bucket.
    #[inline]
    fn own_bucket(&self, hash: Hash) -> usize {
        ((u128::from(hash.0) * self.buckets.len() as u128) >> 64) as usize
    }

    /// The buckets that a site may be in, its own first.
    #[inline]
    fn buckets(&self, hash: Hash) -> [&Bucket; 2] {
        let own = self.own_bucket(hash);
        [&self.buckets[own], &self.buckets[own ^ 1]]
    }

    /// The lock for changes of the site's buckets. No other lock is taken under it.
    fn changing(&self, hash: Hash) -> MutexGuard<'_, ()> {
        let lock = &self.changing[self.own_bucket(hash) / 2 % LOCKS];
        // It protects no data that a panic could leave half-changed.
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The site, if it is there.
    #[inline]
    pub(super) fn get(&self, key: &str, hash: Hash) -> Option<EntryRef> {
        let find = |bucket: &Bucket| bucket.find(hash.tag(), |site| site.is_of(key));
        self.buckets(hash).into_iter().find_map(find).map(|(_, site)| site)
    }

    /// Prefetches the site's bucket.
    #[inline]
    pub(super) fn read_bucket_ahead(&self, hash: Hash) {
        read_line_ahead(&raw const self.buckets[self.own_bucket(hash)]);
    }

    /// Prefetches the site, if it is there. Reads its bucket.
    #[inline]
    pub(super) fn read_site_ahead(&self, hash: Hash) {
        let place = |bucket: &Bucket| bucket.places(hash.tag()).next();
        let found =
            self.buckets(hash).into_iter().find_map(|bucket| Some((bucket, place(bucket)?)));
        if let Some((bucket, place)) = found
            && let Some(site) = &*bucket.sites[place].load()
        {
            Entry::read_ahead(site);
        }
    }

    /// Puts a site in: into the place that has it, else a free one, else one at random.
    pub(super) fn place(&self, site: &Arc<Entry>) {
        let (key, hash) = (site.key(), self.hash(site.key()));
        let buckets = self.buckets(hash);
        let its_own = |bucket: &Bucket| bucket.find(hash.tag(), |other| other.is_of(key));
        let _changing = self.changing(hash);
        let mut own = buckets.into_iter().filter_map(|bucket| Some((bucket, its_own(bucket)?.0)));
        let mut free = buckets.into_iter().filter_map(|bucket| Some((bucket, bucket.free()?)));
        let any = || (buckets[0], (hash.0 >> 8) as usize % WIDTH);
        let (bucket, place) = own.next().or_else(|| free.next()).unwrap_or_else(any);
        bucket.set(place, hash.tag(), Some(Arc::clone(site)));
    }

    /// Removes just this entry, and no newer one of its site.
    pub(super) fn remove(&self, site: &Arc<Entry>) {
        let hash = self.hash(site.key());
        let _changing = self.changing(hash);
        for bucket in self.buckets(hash) {
            if let Some((place, _)) = bucket.find(hash.tag(), |other| Arc::ptr_eq(other, site)) {
                bucket.set(place, 0, None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use robotsieve::Profile;

    use super::super::overrides::Override;
    use super::super::policies::Policies;
    use super::*;
    use crate::time::Timestamp;

    fn entries(count: usize) -> Vec<Arc<Entry>> {
        let crawlers = vec!["bot".into()];
        let policies = Policies::new(Profile::RFC9309, robotsieve::Config::default(), crawlers);
        let entry = |number| {
            let key = format!("https://host{number}.example");
            Arc::new(policies.overridden(&key, &Override::Allow, Timestamp(0)))
        };
        (0..count).map(entry).collect()
    }

    fn found(table: &Table, key: &str) -> Option<Arc<Entry>> {
        let hash = table.hash(key);
        table.read_bucket_ahead(hash);
        table.read_site_ahead(hash);
        Guard::into_inner(table.get(key, hash)?)
    }

    /// At half the load, which is the usual one, hardly a site finds no place.
    #[test]
    fn finds_what_was_placed() {
        let (entries, newer) = (entries(20_000), entries(20_000));
        let table = Table::new(40_000, foldhash::fast::RandomState::default());
        entries.iter().for_each(|entry| table.place(entry));
        let is_there = |entry: &&Arc<Entry>| {
            found(&table, entry.key()).is_some_and(|found| Arc::ptr_eq(&found, entry))
        };
        assert!(entries.iter().filter(is_there).count() > 19_900);
        // A newer entry takes the place of the one before, and only it is removed.
        newer.iter().for_each(|entry| table.place(entry));
        assert_eq!(entries.iter().filter(is_there).count(), 0);
        let there = newer.iter().filter(is_there).count();
        assert!(there > 19_900);
        entries.iter().for_each(|entry| table.remove(entry));
        assert_eq!(newer.iter().filter(is_there).count(), there);
        newer.iter().for_each(|entry| table.remove(entry));
        assert_eq!(newer.iter().filter(is_there).count(), 0);
        let is_empty = |bucket: &Bucket| bucket.tags.load(Relaxed) == 0;
        assert!(table.buckets.iter().all(is_empty));
    }

    /// The last one placed is there, however full the table is.
    #[test]
    fn full() {
        let table = Table::new(1, foldhash::fast::RandomState::default());
        let entries = entries(1_000);
        for entry in &entries {
            table.place(entry);
            assert!(found(&table, entry.key()).is_some());
        }
        let left = entries.iter().filter(|entry| found(&table, entry.key()).is_some()).count();
        assert!((WIDTH..=2 * WIDTH).contains(&left), "{left}");
        assert!(found(&table, "https://host1000.example").is_none());
    }

    /// One site's tag never leads to another's place.
    #[test]
    fn tags() {
        let bucket = Bucket::default();
        for tag in 1..=255 {
            for tags in [[1, 2, 3, 4, 5, 6, 7], [tag, 0, 1, tag, 255, 128, tag], [tag; 7]] {
                let word = [&tags[..], &[0]].concat().try_into().map(u64::from_le_bytes);
                bucket.tags.store(word.expect("eight bytes"), Relaxed);
                let mut left = bucket.places(tag);
                for place in (0..WIDTH).filter(|place| tags[*place] == tag) {
                    assert!(left.any(|found| found == place), "{tag} {tags:?}");
                }
            }
        }
    }
}
