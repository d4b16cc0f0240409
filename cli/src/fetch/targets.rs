//! Who did not answer, where it is not the site: the last target of its redirects.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use robotsieve::Origin;
use robotsieve_client::outcome::{Attempt, CachedCopy, Failure};
use robotsieve_client::sieve::Fetch;

/// The targets of redirects whose attempts failed there, by the key of the origin.
#[derive(Debug, Default)]
pub struct Targets(Mutex<HashMap<String, String>>);

impl Targets {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the target at which an attempt failed, if it is not the site.
    fn note(&self, origin: &Origin<'_>, attempt: &Attempt) {
        let target = failed_at(attempt);
        let mut targets = self.lock();
        match target {
            Some(target) => targets.insert(origin.key().to_owned(), target.to_owned()),
            None => targets.remove(origin.key()),
        };
    }

    /// The target at which the last attempt for a site failed, which is told once.
    pub fn take(&self, origin: &Origin<'_>) -> Option<String> {
        self.lock().remove(origin.key())
    }
}

/// The target of an attempt's redirects, if that is what failed. Failures of the redirects themselves
/// have no target, or name it.
fn failed_at(attempt: &Attempt) -> Option<&str> {
    use Failure::{BadRedirect, RedirectLoop, RefusedRedirect, TooManyRedirects};
    match &attempt.result {
        Ok(_) | Err(BadRedirect(_) | RedirectLoop | RefusedRedirect(_) | TooManyRedirects) => None,
        Err(_) => attempt.redirects.last().map(|redirect| redirect.to.as_str()),
    }
}

/// A fetcher that notes such targets.
pub struct Noting<F> {
    pub fetcher: F,
    pub targets: Arc<Targets>,
}

impl<F: Fetch> Fetch for Noting<F> {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        copy: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        Box::pin(async move {
            let attempt = self.fetcher.fetch(origin, copy).await;
            self.targets.note(origin, &attempt);
            attempt
        })
    }
}
