//! The front door for programs without a runtime.

use std::future::Future;
use std::io;

use robotsieve::Origin;
use tokio::runtime::{Builder, Runtime};

use super::{Decision, Fetched, Metrics, SieveBuilder, SieveError, Site};

/// A [`Sieve`](super::Sieve) whose calls wait, with a runtime of its own for the attempts. Not
/// for use within another runtime: there its calls panic when they must wait.
pub struct Sieve {
    sieve: super::Sieve,
    runtime: Runtime,
}

impl SieveBuilder {
    /// The sieve, for programs without a runtime.
    ///
    /// # Errors
    /// Where the threads of its runtime cannot be started.
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
    /// Decides on a URL: [`Sieve::decide`](super::Sieve::decide).
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn decide<'u, U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &'u U,
    ) -> Result<Decision<'u>, SieveError> {
        match self.sieve.decide_at_once(url)? {
            Some(decision) => Ok(decision),
            None => self.runtime.block_on(self.sieve.decide(url)),
        }
    }

    /// Decides on many URLs: [`Sieve::decide_many`](super::Sieve::decide_many).
    pub fn decide_many<'u, U: AsRef<[u8]>>(
        &self,
        urls: &'u [U],
    ) -> Vec<Result<Decision<'u>, SieveError>> {
        self.runtime.block_on(self.sieve.decide_many(urls))
    }

    /// What holds for a site: [`Sieve::site`](super::Sieve::site).
    ///
    /// # Errors
    /// As there.
    pub fn site(&self, origin: &Origin<'_>) -> Result<Site, SieveError> {
        self.runtime.block_on(self.sieve.site(origin))
    }

    /// Asks for a robots.txt now: [`Sieve::fetch`](super::Sieve::fetch).
    ///
    /// # Errors
    /// As there.
    pub fn fetch(&self, origin: &Origin<'_>) -> Result<Fetched, SieveError> {
        self.runtime.block_on(self.sieve.fetch(origin))
    }

    /// Figures since the sieve was made.
    pub fn metrics(&self) -> Metrics {
        self.sieve.metrics()
    }

    /// Waits for a future within the sieve's runtime.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// The same sieve, for tasks.
    pub fn tasks(&self) -> &super::Sieve {
        &self.sieve
    }
}
