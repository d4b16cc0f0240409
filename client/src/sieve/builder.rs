//! The settings of a sieve, and its construction.

use std::fmt;
use std::sync::{Arc, Mutex};

use robotsieve::{Config, Crawler, Profile};

use super::attempt::Shared;
use super::breaker::Breaker;
use super::cache::Cache;
use super::clock::Clock;
use super::decide::Sieve;
use super::fetch::Fetch;
use super::metrics::Counters;
use super::overrides::Overrides;
use super::policies::Policies;
#[cfg(feature = "rights")]
use super::rights_options::RightsOptions;
#[cfg(feature = "rights")]
use super::site_files::{SHARE_OF_FILES, SiteFiles};
use super::sites::Sites;
use crate::outcome::{AsOf, Protocol};
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
            is_as_of_capture: false,
            max_bytes: 256 << 20,
            slots: None,
            pause_after: 16,
            overrides: Overrides::new(),
            #[cfg(feature = "rights")]
            rights: None,
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
    is_as_of_capture: bool,
    max_bytes: u64,
    slots: Option<usize>,
    pause_after: u32,
    overrides: Overrides,
    #[cfg(feature = "rights")]
    rights: Option<RightsOptions>,
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
    /// Adds a crawler, for [`SieveDecision::answers`](super::SieveDecision::answers).
    pub fn crawler(mut self, crawler: Crawler) -> SieveBuilder {
        self.crawlers.push(crawler);
        self
    }

    /// The profile in which a robots.txt is read. The default is RFC 9309.
    pub fn profile(mut self, profile: Profile) -> SieveBuilder {
        self.profile = profile;
        self
    }

    /// The meaning of fetches. The default is [`Protocol::of`] the profile.
    pub fn protocol(mut self, protocol: Protocol) -> SieveBuilder {
        self.protocol = Some(protocol);
        self
    }

    /// The settings by which policies are compiled.
    pub fn config(mut self, config: Config) -> SieveBuilder {
        self.config = config;
        self
    }

    /// The store in which outcomes are kept. Without a store, they are lost when memory runs short
    /// and when the program ends.
    pub fn store(mut self, store: Store) -> SieveBuilder {
        self.store = Some(store);
        self
    }

    /// The fetcher that asks the sites. Without a fetcher, known answers stay in use for ever, and
    /// there is no decision on other sites ([`SieveError::Unknown`](super::SieveError::Unknown)).
    pub fn fetcher(mut self, fetcher: impl Fetch) -> SieveBuilder {
        self.fetcher = Some(Box::new(fetcher));
        self
    }

    /// The clock. The default is the system's.
    pub fn clock(mut self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> SieveBuilder {
        self.clock = Clock::Own(Box::new(clock));
        self
    }

    /// The time at which sites are judged. The default is that of the [clock](SieveBuilder::clock).
    ///
    /// With [`AsOf::Capture`], what the store knows of a site is judged at the time when the site was
    /// last asked, and never expires: for stores made of archives. A fetcher is then asked only for
    /// sites of which nothing is known.
    pub fn as_of(mut self, as_of: AsOf) -> SieveBuilder {
        self.is_as_of_capture = as_of == AsOf::Capture;
        match as_of {
            AsOf::Time(time) => self.clock(move || time),
            AsOf::Capture => self,
        }
    }

    /// The bytes of memory that sites and their policies may use. The default is 256 MiB. When it
    /// is used up, the site that was not used for the longest time is dropped, give or take.
    pub fn max_bytes(mut self, max_bytes: u64) -> SieveBuilder {
        self.max_bytes = max_bytes;
        self
    }

    /// The number of sites that fit in the table that all threads look at first, where a site is
    /// found fastest; at least 14. Each takes some 9 bytes. The default is one for each 4 KiB of
    /// [`SieveBuilder::max_bytes`]: 65,536 for 256 MiB. A site takes 2 KiB on average, and more where
    /// one has hundreds of rules; if yours are small, set this to the number of sites that
    /// `max_bytes` has room for, and a third more. Up to about three quarters of them nearly all
    /// sites find room.
    pub fn slots(mut self, slots: usize) -> SieveBuilder {
        self.slots = Some(slots);
        self
    }

    /// After how many [local faults](crate::outcome::LocalFault) in a row the sieve stops asking
    /// for a while. The default is 16, the least is 1.
    ///
    /// During the pause, sites that would have to be fetched get [`SieveError::Local`] at once.
    /// When it is over, one attempt is made as a trial: with an outcome the sieve goes on as
    /// usual, with another local fault it pauses again, twice as long. The first pause takes a
    /// second, the longest a minute, each give or take a quarter.
    ///
    /// [`SieveError::Local`]: super::SieveError::Local
    pub fn pause_after(mut self, faults: u32) -> SieveBuilder {
        self.pause_after = faults;
        self
    }

    /// Sites whose answer you give. They are never fetched, and their answers never expire.
    ///
    /// Overrides are kept in memory in addition to [`SieveBuilder::max_bytes`].
    pub fn overrides(mut self, overrides: Overrides) -> SieveBuilder {
        self.overrides = overrides;
        self
    }

    /// Reads what sites say of rights too, for [`Sieve::rights`] (feature `rights`).
    ///
    /// Files that say nothing of rights, which are most, take no more memory than without this. What the
    /// others compile to counts towards [`SieveBuilder::max_bytes`].
    #[cfg(feature = "rights")]
    pub fn rights(mut self, options: RightsOptions) -> SieveBuilder {
        self.rights = Some(options);
        self
    }

    /// Builds the sieve.
    #[must_use]
    pub fn build(self) -> Sieve {
        let protocol = self.protocol.unwrap_or_else(|| Protocol::of(&self.profile));
        let policies = Policies::new(self.profile, self.config, self.crawlers);
        let policies = match self.is_as_of_capture {
            true => policies.judging_captures(),
            false => policies,
        };
        #[cfg(feature = "rights")]
        let policies = match &self.rights {
            Some(options) => policies.reading_rights(options),
            None => policies,
        };
        let now = self.clock.now();
        let overrides = self.overrides.into_iter().map(|(key, answer)| {
            let site = Arc::new(policies.overridden(&key, &answer, now));
            (key, site)
        });
        #[cfg(feature = "rights")]
        let files = match &self.rights {
            Some(options) if options.reads_site_files() => {
                Some(SiteFiles::new(self.max_bytes / SHARE_OF_FILES, protocol.clone()))
            }
            _ => None,
        };
        #[cfg(feature = "rights")]
        let max_bytes = match files {
            Some(_) => self.max_bytes - self.max_bytes / SHARE_OF_FILES,
            None => self.max_bytes,
        };
        #[cfg(not(feature = "rights"))]
        let max_bytes = self.max_bytes;
        let sites = Sites {
            overrides: overrides.collect(),
            policies,
            protocol,
            cache: Cache::new(max_bytes, self.slots),
            store: self.store,
            can_fetch: self.fetcher.is_some(),
            clock: self.clock,
            counters: Counters::default(),
            changing: std::array::from_fn(|_| Mutex::default()),
        };
        let breaker = Arc::new(Breaker::new(self.pause_after));
        Sieve::new(Shared {
            sites,
            in_flight: Arc::default(),
            breaker,
            fetcher: self.fetcher,
            #[cfg(feature = "rights")]
            files,
        })
    }
}
