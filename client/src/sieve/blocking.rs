//! The sieve for programs without an asynchronous runtime.

use std::fmt;
use std::future::Future;
use std::io;

use robotsieve::Origin;
use tokio::runtime::{Builder, Runtime};

use super::builder::SieveBuilder;
use super::decision::{Decision, Fetched, Site};
use super::error::SieveError;
use super::metrics::Metrics;

/// A [`Sieve`](super::Sieve) whose calls block. It has a runtime of its own for fetching.
///
/// Do not use it inside another Tokio runtime: a call that has to wait would panic there.
pub struct Sieve {
    sieve: super::Sieve,
    runtime: Runtime,
}

impl fmt::Debug for Sieve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sieve.fmt(f)
    }
}

impl SieveBuilder {
    /// Builds a sieve for programs without a runtime.
    ///
    /// # Errors
    /// Returns an error if the threads of its runtime cannot be started.
    pub fn build_blocking(self) -> io::Result<Sieve> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("robotsieve")
            .enable_all()
            .build()?;
        Ok(Sieve { sieve: self.build(), runtime })
    }
}

impl Sieve {
    /// Decides on a URL; see [`Sieve::decide`](super::Sieve::decide).
    ///
    /// # Errors
    /// Returns an error in the same cases.
    #[inline]
    pub fn decide<'u, U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &'u U,
    ) -> Result<Decision<'u>, SieveError> {
        match self.sieve.try_decide(url)? {
            Some(decision) => Ok(decision),
            None => self.runtime.block_on(self.sieve.decide(url)),
        }
    }

    /// Decides on many URLs; see [`Sieve::decide_many`](super::Sieve::decide_many).
    pub fn decide_many<'u, U: AsRef<[u8]>>(
        &self,
        urls: &'u [U],
    ) -> Vec<Result<Decision<'u>, SieveError>> {
        self.runtime.block_on(self.sieve.decide_many(urls))
    }

    /// The site of an origin; see [`Sieve::site`](super::Sieve::site).
    ///
    /// # Errors
    /// Returns an error in the same cases.
    pub fn site(&self, origin: &Origin<'_>) -> Result<Site, SieveError> {
        self.runtime.block_on(self.sieve.site(origin))
    }

    /// Fetches a robots.txt now; see [`Sieve::fetch`](super::Sieve::fetch).
    ///
    /// # Errors
    /// Returns an error in the same cases.
    pub fn fetch(&self, origin: &Origin<'_>) -> Result<Fetched, SieveError> {
        self.runtime.block_on(self.sieve.fetch(origin))
    }

    /// Counts and times since the sieve was built.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.sieve.metrics()
    }

    /// Runs a future on the sieve's runtime, and blocks until it is ready.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// The same sieve with asynchronous calls.
    #[must_use]
    pub fn as_async(&self) -> &super::Sieve {
        &self.sieve
    }
}
