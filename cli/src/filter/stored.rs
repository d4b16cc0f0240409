//! The sites of a store, looked up by origin, and fetched with `--fetch`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use futures_util::StreamExt;
use futures_util::stream;
use robotsieve::{Crawler, Origin, Profile, TargetForm};
use robotsieve_client::outcome::Protocol;
use robotsieve_client::sieve::{Sieve, SieveError, blocking};

use super::args::FilterArgs;
use super::sites::{Found, Opinion, Site, Sites};
use crate::error::Failure;
use crate::fetch;
use crate::read::hosts::{Authority, HostHash, HostHasher};
use crate::read::stores;
use crate::write::bytes;
use crate::write::report::Report;

/// What is in force for the sites of a store, as of when each is first looked up.
pub struct Stored {
    report: Arc<Report>,
    path: PathBuf,
    sieve: blocking::Sieve,
    /// How many sites are fetched at the same time; `None` without `--fetch`.
    parallel: Option<usize>,
    crawlers: usize,
    google: bool,
    /// By origin. Entries are never removed.
    sites: RwLock<HashMap<Box<str>, Found<'static>>>,
    hasher: HostHasher,
}

impl Stored {
    /// Opens the store, and makes a fetcher with `--fetch`.
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened or the User-Agent header is missing or invalid.
    pub fn open(
        args: &FilterArgs,
        crawlers: Vec<Crawler>,
        profile: Profile,
        report: Arc<Report>,
    ) -> Result<Stored, Failure> {
        let path = args.store.as_deref().unwrap_or(Path::new(""));
        let count = crawlers.len();
        let google = profile.target_form == TargetForm::Google;
        let mut crawlers = crawlers.into_iter();
        let first = crawlers.next().unwrap_or_else(|| Crawler::name(""));
        let builder = Sieve::builder(first).profile(profile).protocol(Protocol::of(&profile));
        let mut builder = crawlers.fold(builder, |builder, crawler| builder.crawler(crawler));
        let mut parallel = None;
        builder = if args.fetch {
            let header = args.header_to_send()?;
            builder = builder.fetcher(fetch::fetcher(&header, &args.fetching)?);
            parallel = Some(args.fetching.parallel.into());
            builder.store(stores::open(path)?)
        } else {
            builder.store(stores::read_only(path)?)
        };
        let sieve = builder.build_blocking();
        let sieve = sieve.map_err(|cause| Failure::io("cannot start threads", cause))?;
        let (sites, hasher) = (RwLock::default(), HostHasher::default());
        Ok(Stored {
            report,
            path: path.into(),
            sieve,
            parallel,
            crawlers: count,
            google,
            sites,
            hasher,
        })
    }

    fn known(&self, key: &str) -> Option<Found<'static>> {
        self.sites.read().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    /// Looks a site up and caches it.
    async fn look(&self, origin: &Origin<'_>) -> Found<'static> {
        let found = match self.sieve.as_async().site(origin).await {
            Ok(site) => {
                let policies = (0..self.crawlers).map(|crawler| site.policy(crawler).clone());
                let site = Site::of(policies.map(Opinion::Policy));
                Found::Site(Box::leak(Box::new(site)))
            }
            Err(SieveError::Unknown) => Found::Missing,
            Err(cause) => {
                self.report.error(&format_args!("{origin}: {cause}; its URLs are unknown"));
                Found::Unreadable
            }
        };
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        *sites.entry(origin.key().into()).or_insert(found)
    }
}

impl Drop for Stored {
    /// Waits until everything fetched is in the store, and reports if it is not.
    fn drop(&mut self) {
        self.sieve.block_on(self.sieve.as_async().settled());
        let errors = self.sieve.metrics().store_errors;
        if self.parallel.is_some() && errors > 0 {
            self.report.error(&format_args!(
                "store '{}' failed {errors} times, so not everything fetched is in it: 'robotsieve \
                 fetch --store' says why, 'robotsieve store verify' whether it is damaged",
                self.path.display()
            ));
        }
    }
}

impl Sites for Stored {
    fn hasher(&self) -> &HostHasher {
        &self.hasher
    }

    fn find(&self, start: &[u8], _: &[u8], _: HostHash) -> Found<'_> {
        let Ok(origin) = Origin::of(start) else { return Found::Missing };
        match self.known(origin.key()) {
            Some(found) => found,
            None => self.sieve.block_on(self.look(&origin)),
        }
    }

    /// Fetches the sites of a chunk concurrently.
    fn prepare(&self, lines: &[u8]) {
        let Some(parallel) = self.parallel else { return };
        let mut origins = HashSet::new();
        let mut last: &[u8] = &[];
        for line in bytes::lines(lines) {
            let Some(authority) = Authority::of(line, self.google) else { continue };
            if authority.start == last {
                continue;
            }
            last = authority.start;
            if let Ok(origin) = Origin::of(authority.start)
                && self.known(origin.key()).is_none()
            {
                origins.insert(origin);
            }
        }
        let looks = origins.iter().map(|origin| self.look(origin));
        self.sieve.block_on(stream::iter(looks).for_each_concurrent(parallel, async |look| {
            look.await;
        }));
    }
}
