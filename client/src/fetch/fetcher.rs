//! One attempt: its turn, its deadline, its events.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use robotsieve::{Origin, Scheme};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::Instrument;
use url::Url;

use super::client::Client;
use super::redirect::Chain;
use super::{TARGET, ftp, http};
use crate::outcome::{
    Attempt, CachedCopy, Failure, LocalFault, LocalKind, Redirect, Response, Stage,
};
use crate::time::Timestamp;

/// Fetches robots.txt files. Clones share their settings and their limit of parallel attempts.
#[derive(Clone)]
pub struct Fetcher {
    shared: Arc<Shared>,
}

struct Shared {
    client: Client,
    parallel: Semaphore,
}

impl Fetcher {
    pub(super) fn new(client: Client, max_parallel: usize) -> Fetcher {
        Fetcher { shared: Arc::new(Shared { client, parallel: Semaphore::new(max_parallel) }) }
    }

    /// Requests the robots.txt of an origin once. If `conditional` has validators, the answer may
    /// be 304: the copy is still current.
    ///
    /// The attempt waits for a turn
    /// ([`max_parallel`](super::FetcherBuilder::max_parallel)) and then takes at most
    /// [`total_timeout`](super::FetcherBuilder::total_timeout). Dropping the future cancels it.
    /// Await it in a Tokio runtime with time and I/O enabled.
    pub async fn fetch(&self, origin: &Origin<'_>, conditional: Option<&CachedCopy>) -> Attempt {
        let span = tracing::debug_span!(target: TARGET, "fetch", origin = origin.key());
        self.attempt(origin, conditional).instrument(span).await
    }

    async fn attempt(&self, origin: &Origin<'_>, conditional: Option<&CachedCopy>) -> Attempt {
        let (redirects, result) = match (self.shared.parallel.acquire().await, url_of(origin)) {
            (Ok(_permit), Ok(url)) => self.in_time(origin.scheme(), url, conditional).await,
            // The semaphore is never closed.
            (Err(cause), _) => (Vec::new(), Err(other(cause.to_string()))),
            (_, Err(failure)) => (Vec::new(), Err(failure)),
        };
        Attempt::new(Timestamp::now(), result).with_redirects(redirects)
    }

    async fn in_time(
        &self,
        scheme: Scheme,
        url: Url,
        conditional: Option<&CachedCopy>,
    ) -> (Vec<Redirect>, Result<Response, Failure>) {
        let began = Instant::now();
        let client = &self.shared.client;
        let mut chain = Chain::new(url, client.settings.max_redirects);
        let request = async {
            match scheme {
                Scheme::Ftp => ftp::fetch(client, &chain.url).await,
                Scheme::Http | Scheme::Https => http::fetch(client, &mut chain, conditional).await,
            }
        };
        let result = timeout(client.settings.total_timeout, request).await;
        let result = result.unwrap_or(Err(Failure::TimedOut(Stage::Total)));
        let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        match &result {
            Ok(response) => tracing::debug!(
                target: TARGET,
                status = response.status,
                bytes = response.body.len(),
                is_truncated = response.is_truncated,
                micros,
                "answer"
            ),
            Err(failure) => tracing::debug!(target: TARGET, %failure, micros, "failure"),
        }
        (chain.followed, result)
    }
}

/// A fault of this program.
fn other(text: impl Into<String>) -> Failure {
    Failure::Local(LocalFault::new(LocalKind::Other, text))
}

fn url_of(origin: &Origin<'_>) -> Result<Url, Failure> {
    let url = origin.robots_url();
    Url::parse(&url).map_err(|cause| other(format!("{url} is not a valid URL: {cause}")))
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher")
            .field("settings", &self.shared.client.settings)
            .finish_non_exhaustive()
    }
}
