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
    /// be 304. If it is a 4xx, which may answer the condition, the sieve calls this again without one.
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>>;

    /// Requests another file of a site once, by its URL of http or https, in the same way and within the
    /// same bounds; but a file may have up to `max_bytes`, and a longer one must be marked as
    /// [truncated](crate::outcome::Response::is_truncated).
    ///
    /// The default is `None`: this is a fetcher for robots.txt alone, and nothing is known of other files.
    #[cfg(feature = "rights")]
    fn fetch_file<'f>(
        &'f self,
        url: &'f str,
        conditional: Option<&'f CachedCopy>,
        max_bytes: usize,
    ) -> Option<Pin<Box<dyn Future<Output = Attempt> + Send + 'f>>> {
        let _ = (url, conditional, max_bytes);
        None
    }
}

#[cfg(feature = "fetch")]
impl Fetch for crate::fetch::Fetcher {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        Box::pin(self.fetch_once(origin, conditional))
    }

    #[cfg(feature = "rights")]
    fn fetch_file<'f>(
        &'f self,
        url: &'f str,
        conditional: Option<&'f CachedCopy>,
        max_bytes: usize,
    ) -> Option<Pin<Box<dyn Future<Output = Attempt> + Send + 'f>>> {
        Some(Box::pin(self.fetch_file_once(url, conditional, max_bytes)))
    }
}
