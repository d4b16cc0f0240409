//! The work of a sieve, and the time it took.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::outcome::{Failure, LocalKind, Response};

/// Counts and times of a [`Sieve`](super::Sieve) since it was built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Metrics {
    /// Sites that were looked up: one for each URL that was decided, and for each
    /// [`Sieve::site`](super::Sieve::site).
    pub lookups: u64,
    /// Look-ups of sites in the table that all threads look at first
    /// ([`SieveBuilder::slots`](super::SieveBuilder::slots)).
    pub from_table: u64,
    /// Look-ups of sites elsewhere in memory.
    pub from_memory: u64,
    /// Look-ups of sites in the store.
    pub from_store: u64,
    /// Look-ups that waited for a fetch.
    pub waited: u64,
    /// Attempts to fetch that ended, including those in the background.
    pub attempts: u64,
    /// Attempts made in the background while the answer before was still in use.
    pub refreshes: u64,
    /// Attempts that found a robots.txt, or found it unchanged.
    pub present: u64,
    /// Attempts that found no robots.txt.
    pub absent: u64,
    /// Attempts that failed.
    pub unreachable: u64,
    /// Attempts that ended without an outcome, for a reason on this side.
    pub local_faults: u64,
    /// Attempts that ended with an outcome and a final answer, by its status: `404`, or `other_4xx`
    /// and the like for a status that has no counter of its own.
    pub statuses: BTreeMap<Cow<'static, str>, u64>,
    /// Attempts that ended with an outcome and without an answer, by
    /// [`Failure::name`](crate::outcome::Failure::name).
    pub failures: BTreeMap<Cow<'static, str>, u64>,
    /// The `local_faults`, by [`LocalKind::name`](crate::outcome::LocalKind::name).
    pub faults: BTreeMap<Cow<'static, str>, u64>,
    /// Local faults in which the fetcher panicked.
    pub panics: u64,
    /// The number of times that the sieve stopped asking for a while
    /// ([`SieveBuilder::pause_after`](super::SieveBuilder::pause_after)).
    pub pauses: u64,
    /// True if it has stopped now.
    pub is_paused: bool,
    /// Attempts that were not made because of a pause.
    pub held_back: u64,
    /// Reads and writes of the store that failed.
    pub store_errors: u64,
    /// The times that the attempts took.
    pub attempt_times: Times,
    /// The times that it took to load sites from the store.
    pub store_times: Times,
    /// Sites in memory.
    pub sites: u64,
    /// The bytes that those sites count towards
    /// [`SieveBuilder::max_bytes`](super::SieveBuilder::max_bytes).
    pub bytes: u64,
}

/// A histogram of durations, by powers of two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Times {
    /// The sum of all durations.
    pub total: Duration,
    /// The longest duration.
    pub longest: Duration,
    /// Counts of durations by size: less than 1 µs, then less than 2, less than 4 and so on.
    pub buckets: [u64; BUCKETS],
}

const BUCKETS: usize = 32;

impl Times {
    /// The number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// An upper bound, exact to a factor of two, of the time that this share of the durations
    /// did not exceed. Returns zero if there are no durations.
    ///
    /// ```
    /// # use robotsieve_client::sieve::Times;
    /// let mut times = Times::default();
    /// times.buckets[3] = 99;
    /// times.buckets[10] = 1;
    /// assert_eq!(times.quantile(0.5).as_micros(), 8);
    /// assert_eq!(times.quantile(1.0).as_micros(), 1024);
    /// ```
    #[must_use]
    pub fn quantile(&self, share: f64) -> Duration {
        let wanted = (self.count() as f64 * share).ceil().max(1.0) as u64;
        let mut sum = 0;
        let bucket = self.buckets.iter().position(|count| {
            sum += count;
            sum >= wanted
        });
        bucket.map_or(Duration::ZERO, |bucket| Duration::from_micros(1 << bucket))
    }
}

/// The counters behind [`Metrics`].
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) from_table: Striped,
    pub(super) from_memory: AtomicU64,
    pub(super) from_store: AtomicU64,
    pub(super) waited: AtomicU64,
    pub(super) refreshes: AtomicU64,
    pub(super) present: AtomicU64,
    pub(super) absent: AtomicU64,
    pub(super) unreachable: AtomicU64,
    pub(super) statuses: Named<STATUS_NAMES>,
    pub(super) failures: Named<FAILURE_NAMES>,
    pub(super) faults: Named<FAULT_NAMES>,
    pub(super) local_faults: AtomicU64,
    pub(super) panics: AtomicU64,
    pub(super) held_back: AtomicU64,
    pub(super) store_errors: AtomicU64,
    pub(super) attempt_times: Clocked,
    pub(super) store_times: Clocked,
}

/// Adds one.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

impl Counters {
    pub(super) fn snapshot(&self) -> Metrics {
        let read = |counter: &AtomicU64| counter.load(Relaxed);
        let from_table = self.from_table.sum();
        let [from_memory, from_store, waited] =
            [&self.from_memory, &self.from_store, &self.waited].map(read);
        let [present, absent, unreachable, local_faults] =
            [&self.present, &self.absent, &self.unreachable, &self.local_faults].map(read);
        Metrics {
            lookups: from_table + from_memory + from_store + waited,
            from_table,
            from_memory,
            from_store,
            waited,
            attempts: present + absent + unreachable + local_faults,
            refreshes: read(&self.refreshes),
            present,
            absent,
            unreachable,
            local_faults,
            statuses: self.statuses.snapshot(&STATUSES),
            failures: self.failures.snapshot(&FAILURES),
            faults: self.faults.snapshot(&LocalKind::ALL.map(LocalKind::name)),
            panics: read(&self.panics),
            held_back: read(&self.held_back),
            store_errors: read(&self.store_errors),
            attempt_times: self.attempt_times.snapshot(),
            store_times: self.store_times.snapshot(),
            ..Metrics::default()
        }
    }
}

/// The statuses that are counted by themselves, which operators look for, and the rest by their
/// first digit: a server cannot make more counters.
const STATUSES: [&str; STATUS_NAMES] = [
    "200",
    "304",
    "401",
    "403",
    "404",
    "410",
    "429",
    "451",
    "500",
    "502",
    "503",
    "504",
    "511",
    "other_2xx",
    "other_3xx",
    "other_4xx",
    "other_5xx",
    "other",
];
const STATUS_NAMES: usize = 18;

/// The names of all failures but `local`, whose kinds are counted.
const FAILURES: [&str; FAILURE_NAMES] = [
    "bad-redirect",
    "broken",
    "connect",
    "connect-timeout",
    "dns",
    "encoding",
    "read-timeout",
    "redirect-loop",
    "refused",
    "refused-redirect",
    "timeout",
    "tls",
    "too-many-redirects",
];
const FAILURE_NAMES: usize = 13;

const FAULT_NAMES: usize = LocalKind::ALL.len();

impl Counters {
    /// Counts an attempt with an outcome, by what the site sent.
    pub(super) fn count_result(&self, result: &Result<Response, Failure>) {
        match result {
            Ok(response) => {
                let exact = response.status.to_string();
                let place = STATUSES.iter().position(|name| *name == exact);
                let place = place.unwrap_or_else(|| match response.status / 100 {
                    class @ 2..=5 => STATUS_NAMES - 7 + usize::from(class),
                    _ => STATUS_NAMES - 1,
                });
                count(&self.statuses.0[place]);
            }
            Err(failure) => self.failures.count(&FAILURES, failure.name()),
        }
    }

    /// Counts a local fault.
    pub(super) fn count_fault(&self, kind: LocalKind) {
        count(&self.local_faults);
        self.faults.count(&LocalKind::ALL.map(LocalKind::name), kind.name());
    }
}

/// Counters that have these names, in their order.
#[derive(Debug)]
pub(super) struct Named<const N: usize>([AtomicU64; N]);

impl<const N: usize> Default for Named<N> {
    fn default() -> Named<N> {
        Named(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl<const N: usize> Named<N> {
    fn count(&self, names: &[&str; N], name: &str) {
        if let Some(place) = names.iter().position(|known| *known == name) {
            count(&self.0[place]);
        }
    }

    fn snapshot(&self, names: &[&'static str; N]) -> BTreeMap<Cow<'static, str>, u64> {
        let counts = self.0.iter().map(|counter| counter.load(Relaxed));
        names.iter().map(|name| Cow::Borrowed(*name)).zip(counts).collect()
    }
}

/// A counter that threads can add to without contention.
#[derive(Debug, Default)]
pub(super) struct Striped([Stripe; STRIPES]);

const STRIPES: usize = 16;

/// Aligned so that no two stripes share a cache line, or a pair of lines that is fetched together.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Stripe(AtomicU64);

impl Striped {
    /// Returns the thread's count from before, of which other threads may have a share.
    #[inline]
    pub(super) fn add(&self, count: u64) -> u64 {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static OWN: Cell<usize> = Cell::new(THREADS.fetch_add(1, Relaxed) % STRIPES);
        }
        self.0[OWN.get()].0.fetch_add(count, Relaxed)
    }

    fn sum(&self) -> u64 {
        self.0.iter().map(|stripe| stripe.0.load(Relaxed)).sum()
    }
}

/// The counters behind [`Times`].
#[derive(Debug, Default)]
pub(super) struct Clocked {
    micros: AtomicU64,
    longest: AtomicU64,
    buckets: [AtomicU64; BUCKETS],
}

impl Clocked {
    pub(super) fn add(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Relaxed);
        self.longest.fetch_max(micros, Relaxed);
        let bucket = (u64::BITS - micros.leading_zeros()) as usize;
        count(&self.buckets[bucket.min(BUCKETS - 1)]);
    }

    fn snapshot(&self) -> Times {
        Times {
            total: Duration::from_micros(self.micros.load(Relaxed)),
            longest: Duration::from_micros(self.longest.load(Relaxed)),
            buckets: std::array::from_fn(|bucket| self.buckets[bucket].load(Relaxed)),
        }
    }
}
