//! The sieve for programs without an asynchronous runtime.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use futures_util::stream::{Stream, StreamExt};
use robotsieve::{AsUrl, Origin};
use tokio::runtime::{Builder, Runtime};

use super::builder::SieveBuilder;
use super::decision::{Fetched, SieveDecision, Site};
use super::error::SieveError;
use super::metrics::Metrics;
use super::stream::Decided;

/// A [`Sieve`](super::Sieve) whose calls block. It has a runtime of its own for fetching.
///
/// Any thread may use it. Inside another runtime it works, but blocks a thread of that runtime:
/// call it from `spawn_blocking` there, or use a [`Sieve`](super::Sieve). A
/// [`Fetch`](super::Fetch) of your own must not need that other runtime to make progress.
pub struct Sieve {
    sieve: super::Sieve,
    /// `None` only while the sieve is being dropped.
    runtime: Option<Runtime>,
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
        Ok(Sieve { sieve: self.build(), runtime: Some(runtime) })
    }
}

impl Sieve {
    /// Decides on a URL; see [`Sieve::decide`](super::Sieve::decide).
    ///
    /// # Errors
    /// Returns an error in the same cases.
    #[inline]
    pub fn decide<U: AsUrl + Send>(&self, url: U) -> Result<SieveDecision<U>, SieveError> {
        match self.sieve.shared.at_once(url) {
            Ok(decision) => decision.map_err(|(_, cause)| cause),
            Err(url) => self.block_on(self.sieve.decide(url)),
        }
    }

    /// The rights of a URL before it is fetched; see [`Sieve::rights`](super::Sieve::rights).
    ///
    /// # Errors
    /// Returns an error in the same cases.
    #[cfg(feature = "rights")]
    pub fn rights<U: AsUrl + Send>(
        &self,
        url: U,
    ) -> Result<super::rights::SieveRights<U>, SieveError> {
        self.block_on(self.sieve.rights(url))
    }

    /// Decides on many URLs; see [`Sieve::decide_many`](super::Sieve::decide_many).
    pub fn decide_many<'u, U: AsUrl>(
        &self,
        urls: &'u [U],
    ) -> Vec<Result<SieveDecision<&'u U>, SieveError>> {
        self.block_on(self.sieve.decide_many(urls))
    }

    /// Decides on many URLs, and returns the decisions in the order in which they are ready: URLs
    /// of a site that has to be fetched do not hold up the others. At most `max_waiting` URLs wait
    /// for their sites; see [`Decisions`](super::Decisions).
    ///
    /// While the sieve waits for `urls`, it returns nothing. If they come from a slow source, read
    /// them in a thread of their own.
    pub fn decide_iter<I>(
        &self,
        urls: I,
        max_waiting: usize,
    ) -> impl Iterator<Item = Decided<I::Item>>
    where
        I: IntoIterator<Item: AsUrl>,
    {
        self.iter(self.sieve.decide_iter(urls).max_waiting(max_waiting))
    }

    /// Like [`Sieve::decide_iter`], but returns the decisions in the order of the URLs. At most
    /// `max_waiting` URLs are taken beyond the first that waits.
    pub fn decide_iter_in_order<I>(
        &self,
        urls: I,
        max_waiting: usize,
    ) -> impl Iterator<Item = Decided<I::Item>>
    where
        I: IntoIterator<Item: AsUrl>,
    {
        self.iter(self.sieve.decide_iter(urls).max_waiting(max_waiting).in_order())
    }

    /// The items of a stream.
    fn iter<S: Stream + Unpin>(&self, mut stream: S) -> impl Iterator<Item = S::Item> {
        std::iter::from_fn(move || self.block_on(stream.next()))
    }

    /// The site of an origin; see [`Sieve::site`](super::Sieve::site).
    ///
    /// # Errors
    /// Returns an error in the same cases.
    pub fn site(&self, origin: &Origin<'_>) -> Result<Site, SieveError> {
        self.block_on(self.sieve.site(origin))
    }

    /// Fetches a robots.txt now; see [`Sieve::fetch`](super::Sieve::fetch).
    ///
    /// # Errors
    /// Returns an error in the same cases.
    pub fn fetch(&self, origin: &Origin<'_>) -> Result<Fetched, SieveError> {
        self.block_on(self.sieve.fetch(origin))
    }

    /// Ends fetching; see [`Sieve::shutdown`](super::Sieve::shutdown).
    pub fn shutdown(&self) {
        self.block_on(self.sieve.shutdown());
    }

    /// Counts and times since the sieve was built.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.sieve.metrics()
    }

    /// Runs a future on this thread, within the sieve's runtime, and blocks until it is ready.
    ///
    /// Unlike [`Runtime::block_on`] it does not panic inside another runtime.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        /// Wakes a thread. The flag is needed because what the future calls may park the thread
        /// too, and use up the token.
        struct Unpark(Thread, AtomicBool);
        impl Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.1.store(true, SeqCst);
                self.0.unpark();
            }
        }
        let _within = self.runtime.as_ref().map(Runtime::enter);
        let unpark = Arc::new(Unpark(thread::current(), AtomicBool::new(false)));
        let waker = Waker::from(Arc::clone(&unpark));
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            while !unpark.1.swap(false, SeqCst) {
                thread::park();
            }
        }
    }

    /// The same sieve with asynchronous calls.
    #[must_use]
    pub fn as_async(&self) -> &super::Sieve {
        &self.sieve
    }
}

impl Drop for Sieve {
    /// Ends the runtime in a thread of its own, where that never panics, and waits for it: then
    /// nothing holds the store any more.
    fn drop(&mut self) {
        let mut runtime = self.runtime.take();
        thread::scope(|scope| {
            let ending = thread::Builder::new().name("robotsieve-end".into());
            let _ = ending.spawn_scoped(scope, || drop(runtime.take()));
        });
        // No thread could be started.
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}
