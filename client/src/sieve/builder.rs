//! The settings of a sieve, and its construction.

use std::fmt;
use std::sync::{Arc, Mutex};

use robotsieve::{Config, Crawler, Profile};

use super::attempt::Shared;
use super::cache::Cache;
use super::clock::Clock;
use super::decide::Sieve;
use super::fetch::Fetch;
use super::metrics::Counters;
use super::policies::Policies;
use super::sites::Sites;
use crate::outcome::Protocol;
use crate::store::Store;
use crate::time::Timestamp;

impl Sieve {
    /// Starts the settings of a sieve for this crawler.
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
}

/// The settings of a [`Sieve`].
#[must_use]
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

impl fmt::Debug for SieveBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SieveBuilder")
            .field("crawlers", &self.crawlers)
            .field("profile", &self.profile)
            .field("protocol", &self.protocol)
            .field("max_bytes", &self.max_bytes)
            .field("slots", &self.slots)
            .finish_non_exhaustive()
    }
}

impl SieveBuilder {
    /// Adds a crawler, for [`Decision::answers`](super::Decision::answers).
    pub fn crawler(mut self, crawler: Crawler) -> SieveBuilder {
        self.crawlers.push(crawler);
        self
    }

    /// How a robots.txt is read. The default is RFC 9309.
    pub fn profile(mut self, profile: Profile) -> SieveBuilder {
        self.profile = profile;
        self
    }

    /// What a fetch means. The default is [`Protocol::of`] the profile.
    pub fn protocol(mut self, protocol: Protocol) -> SieveBuilder {
        self.protocol = Some(protocol);
        self
    }

    /// How policies are compiled.
    pub fn config(mut self, config: Config) -> SieveBuilder {
        self.config = config;
        self
    }

    /// Where outcomes are kept. Without a store, they are lost when memory runs short and when the
    /// program ends.
    pub fn store(mut self, store: Store) -> SieveBuilder {
        self.store = Some(store);
        self
    }

    /// What sites are fetched with. Without a fetcher, known answers stay in use for ever, and
    /// there is no decision on other sites
    /// ([`SieveError::Unknown`](super::SieveError::Unknown)).
    pub fn fetcher(mut self, fetcher: impl Fetch) -> SieveBuilder {
        self.fetcher = Some(Box::new(fetcher));
        self
    }

    /// The clock. The default is the system's.
    pub fn clock(mut self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> SieveBuilder {
        self.clock = Clock::Own(Box::new(clock));
        self
    }

    /// How many bytes of memory sites and their policies may use. The default is 256 MiB. Sites
    /// in the [table](SieveBuilder::slots) may come on top.
    pub fn max_bytes(mut self, max_bytes: u64) -> SieveBuilder {
        self.max_bytes = max_bytes;
        self
    }

    /// How many sites fit in the table that all threads look at first, where a site is found
    /// fastest. Each takes 8 bytes. The default is 16,384.
    pub fn slots(mut self, slots: usize) -> SieveBuilder {
        self.slots = slots;
        self
    }

    /// Builds the sieve.
    #[must_use]
    pub fn build(self) -> Sieve {
        let protocol = self.protocol.unwrap_or_else(|| Protocol::of(&self.profile));
        let sites = Sites {
            policies: Policies::new(self.profile, self.config, self.crawlers),
            protocol,
            cache: Cache::new(self.max_bytes, self.slots),
            store: self.store,
            can_fetch: self.fetcher.is_some(),
            clock: self.clock,
            counters: Counters::default(),
            changing: std::array::from_fn(|_| Mutex::default()),
        };
        Sieve::new(Shared { sites, in_flight: Arc::default(), fetcher: self.fetcher })
    }
}
