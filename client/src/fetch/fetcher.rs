//! One attempt: its turn, its deadline, its events.

use std::fmt;
use std::sync::Arc;

use robotsieve::{Origin, Scheme};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use tracing::Instrument;
use url::{Host, Url};

use super::client::Client;
use super::health::Health;
use super::progress::Progress;
use super::redirect::Chain;
use super::{TARGET, failure, ftp, http};
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
    lookups: Semaphore,
}

impl Fetcher {
    pub(super) fn new(client: Client, max_parallel: usize, max_lookups: usize) -> Fetcher {
        let (parallel, lookups) = (Semaphore::new(max_parallel), Semaphore::new(max_lookups));
        Fetcher { shared: Arc::new(Shared { client, parallel, lookups }) }
    }

    /// How the attempts of this fetcher and its clones ended so far, and whether its network
    /// seems to work.
    #[must_use]
    pub fn health(&self) -> Health {
        self.shared.client.network.health()
    }

    /// Requests the robots.txt of an origin once. If `conditional` has validators, the answer may
    /// be 304: the copy is still current.
    ///
    /// The attempt looks up the origin's name, waits for a turn
    /// ([`max_parallel`](super::FetcherBuilder::max_parallel)) and then takes at most
    /// [`total_timeout`](super::FetcherBuilder::total_timeout). If it fails, up to three seconds
    /// more may pass until it is clear whose fault that is. Dropping the future cancels it.
    /// Await it in a Tokio runtime with time and I/O enabled.
    pub async fn fetch(&self, origin: &Origin<'_>, conditional: Option<&CachedCopy>) -> Attempt {
        let span = tracing::debug_span!(target: TARGET, "fetch", origin = origin.key());
        self.attempt(origin, conditional).instrument(span).await
    }

    async fn attempt(&self, origin: &Origin<'_>, conditional: Option<&CachedCopy>) -> Attempt {
        let network = &self.shared.client.network;
        let _in_flight = network.enter();
        let progress = Arc::new(Progress::default());
        let began = Instant::now();
        let (redirects, result) = match url_of(origin) {
            Ok(url) => {
                let request = self.turn(origin.scheme(), url, conditional, &progress);
                tokio::select! {
                    ended = request => ended,
                    never = network.watch(|| progress.tried()) => match never {},
                }
            }
            Err(failure) => (Vec::new(), Err(failure)),
        };
        let (result, is_confirmed) = match result {
            Ok(response) => (Ok(response), true),
            Err(failure) => {
                let (failure, is_confirmed) =
                    network.judge(failure, began, &progress.tried()).await;
                (Err(failure), is_confirmed)
            }
        };
        network.ended(&result, is_confirmed);
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
            Err(failure) => {
                tracing::debug!(target: TARGET, %failure, micros, is_confirmed, "failure");
            }
        }
        let mut attempt = Attempt::new(Timestamp::now(), result).with_redirects(redirects);
        attempt.is_confirmed = is_confirmed;
        attempt
    }

    /// Looks up the name, waits for a turn, and then requests the file.
    async fn turn(
        &self,
        scheme: Scheme,
        url: Url,
        conditional: Option<&CachedCopy>,
        progress: &Arc<Progress>,
    ) -> (Vec<Redirect>, Result<Response, Failure>) {
        let client = &self.shared.client;
        if let Err(failure) = self.look_up(&url, progress).await {
            return (Vec::new(), Err(failure));
        }
        let Ok(_permit) = self.shared.parallel.acquire().await else {
            return (Vec::new(), Err(other("the fetcher is closed")));
        };
        let mut chain = Chain::new(url, client.settings.max_redirects);
        let request = progress.scope(async {
            match scheme {
                Scheme::Ftp => ftp::fetch(client, &chain.url).await,
                Scheme::Http | Scheme::Https => http::fetch(client, &mut chain, conditional).await,
            }
        });
        let result = timeout(client.settings.total_timeout, request).await;
        let result = match result.unwrap_or(Err(Failure::TimedOut(Stage::Total))) {
            Err(Failure::TimedOut(_)) if progress.is_looking_up() => Err(failure::silence()),
            result => result,
        };
        (chain.followed, result)
    }

    /// Looks up the name of the first request, so that silent names take nobody's turn.
    async fn look_up(&self, url: &Url, progress: &Arc<Progress>) -> Result<(), Failure> {
        let client = &self.shared.client;
        let Some(host @ Host::Domain(name)) = url.host() else { return Ok(()) };
        // The semaphore is never closed.
        let _permit = self.shared.lookups.acquire().await;
        let looking_up = progress.scope(client.resolver.of_host(host));
        match timeout(client.settings.connect_timeout, looking_up).await {
            Ok(Ok(found)) => {
                progress.keep(name.to_owned(), found);
                Ok(())
            }
            Ok(Err(none)) => Err(none.failure()),
            Err(_) => Err(failure::silence()),
        }
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
