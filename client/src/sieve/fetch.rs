//! The fetcher of a sieve.

use std::future::Future;
use std::pin::Pin;

use robotsieve::Origin;

use crate::outcome::{Attempt, CachedCopy};

/// A way to fetch a robots.txt. `fetch::Fetcher` is one; implement this trait to use an HTTP
/// stack of your own.
pub trait Fetch: Send + Sync + 'static {
    /// Requests the robots.txt of an origin once, following redirects. The future must end in
    /// bounded time.
    ///
    /// If `conditional` is given, the request may carry its validators, and the answer may then
    /// be 304.
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>>;
}

#[cfg(feature = "fetch")]
impl Fetch for crate::fetch::Fetcher {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        Box::pin(self.fetch(origin, conditional))
    }
}
