//! Where answers come from.

use std::future::Future;
use std::pin::Pin;

use robotsieve::Origin;

use crate::outcome::{Attempt, Copy};

/// A way to ask for a robots.txt. `Fetcher` is one; a crawler with a stack of its own makes
/// another.
pub trait Fetch: Send + Sync + 'static {
    /// Asks once, redirects followed, and ends in bounded time. With a copy given, its
    /// validators may be sent, and the answer may be 304.
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f Copy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>>;
}

#[cfg(feature = "fetch")]
impl Fetch for crate::fetch::Fetcher {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f Copy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        Box::pin(self.fetch(origin, conditional))
    }
}
