//! One attempt: its deadline, its retries, its end, its events.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use robotsieve::Origin;
use tokio::time::{Instant, sleep};
use tracing::Instrument;
use url::Url;

use super::client::Client;
use super::clock::Clock;
use super::events::TARGET;
use super::health::Health;
use super::progress::Progress;
use super::{ftp, http};
use crate::body::BodyLimits;
use crate::network::Chain;
use crate::outcome::{
    Attempt, CachedCopy, Failure, LocalFault, LocalKind, Redirect, Response, Stage,
};
use crate::time::Timestamp;

/// The longest wait before a retry, unless the site asks for a longer one.
const MAX_RETRY_WAIT: Duration = Duration::from_secs(60);

/// The number of times that an attempt is made again because this program stood still during it.
const MAX_RESUMED: u32 = 3;

/// Fetches robots.txt files. Clones share their settings, and their limits of parallel attempts
/// and of requests to each host and each address.
#[derive(Clone)]
pub struct Fetcher {
    client: Arc<Client>,
}

impl Fetcher {
    pub(super) fn new(client: Client) -> Fetcher {
        Fetcher { client: Arc::new(client) }
    }

    /// The ends of the attempts so far, of this fetcher and its clones. They show if its network
    /// works.
    #[must_use]
    pub fn health(&self) -> Health {
        self.client.network.health()
    }

    /// Requests the robots.txt of an origin. If `conditional` has validators, the answer may
    /// be 304: the copy is still current. If it is a 4xx, it may be to the condition, and the file is
    /// requested once more without one.
    ///
    /// The attempt waits for the turn of its host and of its address
    /// ([`max_per_host`](super::FetcherBuilder::max_per_host),
    /// [`max_per_address`](super::FetcherBuilder::max_per_address)) and for a place
    /// ([`max_parallel`](super::FetcherBuilder::max_parallel)). The waits do not count; without
    /// them it takes at most [`total_timeout`](super::FetcherBuilder::total_timeout). If it fails
    /// in a way that may pass, it is tried again
    /// ([`retries`](super::FetcherBuilder::retries)).
    ///
    /// If it fails, up to three seconds more may pass until it is clear whose fault that is.
    /// Dropping the future cancels it. Await it in a Tokio runtime with time and I/O enabled.
    pub async fn fetch(&self, origin: &Origin<'_>, conditional: Option<&CachedCopy>) -> Attempt {
        let attempt = self.fetch_once(origin, conditional).await;
        match conditional.is_some() && attempt.may_answer_condition() {
            true => self.fetch_once(origin, None).await.after_condition(&attempt),
            false => attempt,
        }
    }

    /// As [`Fetcher::fetch`], but takes a 4xx to a condition for an answer.
    pub(crate) async fn fetch_once(
        &self,
        origin: &Origin<'_>,
        conditional: Option<&CachedCopy>,
    ) -> Attempt {
        let span = tracing::debug_span!(target: TARGET, "fetch", origin = origin.key());
        let accepts = self.client.connector.dialer.accepting.is_some();
        self.attempts(url_of(origin), conditional, self.client.settings.limits, accepts)
            .instrument(span)
            .await
    }

    /// Requests any URL of http, https or ftp as [`Fetcher::fetch`] requests a robots.txt: for what
    /// belongs to one, such as a sitemap. The limits of a body are those of the fetcher, and UTF-16
    /// comes as UTF-8.
    ///
    /// ```no_run
    /// use robotsieve_client::fetch::Fetcher;
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let fetcher = Fetcher::builder("FooBot/2.1 (+https://foo.example/bot)")
    ///     .max_body_bytes(50 << 20)
    ///     .max_wire_bytes(50 << 20)
    ///     .build()?;
    /// let attempt = fetcher.get("https://example.com/sitemap.xml").await;
    /// println!("{}", attempt.result?.status);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn get(&self, url: &str) -> Attempt {
        let span = tracing::debug_span!(target: TARGET, "get", url);
        let url = match Url::parse(url) {
            Ok(url) if matches!(url.scheme(), "http" | "https" | "ftp") && url.has_host() => {
                Ok(url)
            }
            _ => Err(other(format!("{url} is not a URL of http, https or ftp"))),
        };
        self.attempts(url, None, self.client.settings.limits, false).instrument(span).await
    }

    /// Requests another file of a site over http or https as [`Fetcher::fetch`] requests its robots.txt,
    /// of at most so many bytes, on the wire and decoded.
    #[cfg(feature = "rights")]
    pub async fn fetch_file(
        &self,
        url: &str,
        conditional: Option<&CachedCopy>,
        max_bytes: usize,
    ) -> Attempt {
        let attempt = self.fetch_file_once(url, conditional, max_bytes).await;
        match conditional.is_some() && attempt.may_answer_condition() {
            true => self.fetch_file_once(url, None, max_bytes).await.after_condition(&attempt),
            false => attempt,
        }
    }

    /// As [`Fetcher::fetch_file`], but takes a 4xx to a condition for an answer.
    #[cfg(feature = "rights")]
    pub(crate) async fn fetch_file_once(
        &self,
        url: &str,
        conditional: Option<&CachedCopy>,
        max_bytes: usize,
    ) -> Attempt {
        let span = tracing::debug_span!(target: TARGET, "fetch file", url);
        let limits = BodyLimits { wire_bytes: max_bytes, body_bytes: max_bytes };
        let url = match Url::parse(url) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
            _ => Err(other(format!("{url} is not a URL of http or https"))),
        };
        self.attempts(url, conditional, limits, false).instrument(span).await
    }

    async fn attempts(
        &self,
        url: Result<Url, Failure>,
        conditional: Option<&CachedCopy>,
        limits: BodyLimits,
        accepts_certificates: bool,
    ) -> Attempt {
        let (network, pulse) = (&self.client.network, &self.client.pulse);
        let (_in_flight, _running) = (network.enter(), pulse.run());
        let progress = Arc::new(Progress::accepting(accepts_certificates));
        let (mut began, mut tries, mut resumed) = (Instant::now(), 1, 0);
        let mut took = Duration::ZERO;
        let (redirects, result, is_confirmed) = match url {
            Ok(url) => loop {
                progress.begin();
                let once = progress.scope(self.once(&url, conditional, limits));
                let (redirects, result, time) = tokio::select! {
                    ended = once => ended,
                    never = network.watch(self.client.asker(), &progress) => match never {},
                };
                took += time;
                if pulse.stopped_since(began.into_std()).is_none()
                    && let Some(wait) = self.retry_wait(&result, tries - resumed)
                {
                    tracing::debug!(target: TARGET, tries, ?wait, "retry");
                    sleep(wait).await;
                    (began, tries) = (Instant::now(), tries + 1);
                    continue;
                }
                let (result, is_confirmed) = match result {
                    Err(failure) if pulse.stopped_since(began.into_std()).is_some() => {
                        (Err(failure), true)
                    }
                    result => {
                        network.judge(Some(self.client.asker()), result, began, &progress).await
                    }
                };
                // Perhaps while it was judged.
                let stopped = pulse.stopped_since(began.into_std());
                let Some(time) = stopped.filter(|_| is_doubtful(&result)) else {
                    break (redirects, result, is_confirmed);
                };
                tracing::debug!(target: TARGET, tries, ?time, "stopped meanwhile");
                if resumed == MAX_RESUMED {
                    let text = format!("for {:.1} s", time.as_secs_f64());
                    let fault = LocalFault::new(LocalKind::Suspended, text);
                    break (redirects, Err(Failure::Local(fault)), true);
                }
                (began, tries, resumed) = (Instant::now(), tries + 1, resumed + 1);
            },
            Err(failure) => (Vec::new(), Err(failure), true),
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
        Attempt::new(Timestamp::now(), result)
            .with_invalid_certificate(progress.certificate())
            .with_redirects(redirects)
            .with_tries(tries)
            .with_time(took)
            .confirmed(is_confirmed)
    }

    /// The wait before the next try. `None` if there is none.
    fn retry_wait(&self, result: &Result<Response, Failure>, tries: u32) -> Option<Duration> {
        let settings = &self.client.settings;
        if tries > settings.retries {
            return None;
        }
        let asked = match result {
            Err(Failure::Connect(_) | Failure::TimedOut(_) | Failure::Broken(_)) => None,
            Ok(Response { status: status @ (429 | 502..=504), headers, .. }) => {
                http::asked_pause(*status, headers)
            }
            _ => return None,
        };
        if asked.is_some_and(|asked| asked > settings.max_retry_after) {
            return None;
        }
        let doubled =
            settings.retry_wait.saturating_mul(1 << (tries - 1).min(16)).min(MAX_RETRY_WAIT);
        // Between a half and the whole, or all that failed together would be tried together.
        let jitter = RandomState::new().hash_one(tries) as u32;
        let wait = doubled.mul_f64(0.5 + f64::from(jitter) / f64::from(u32::MAX) / 2.0);
        Some(asked.unwrap_or_default().max(wait))
    }

    /// One try, within its deadline, and the time of it that was no wait.
    async fn once(
        &self,
        url: &Url,
        conditional: Option<&CachedCopy>,
        limits: BodyLimits,
    ) -> (Vec<Redirect>, Result<Response, Failure>, Duration) {
        let client = &self.client;
        let mut chain = Chain::new(url.clone(), Arc::clone(&client.settings.redirects));
        let mut total = Clock::new(client.settings.total_timeout, Stage::Total);
        let result = match url.scheme() {
            "ftp" => ftp::fetch(client, chain.as_url(), &mut total).await,
            _ => http::fetch(client, &mut chain, conditional, limits, &mut total).await,
        };
        (chain.into_redirects(), result, total.spent(client.settings.total_timeout))
    }
}

/// True if an attempt during which this program stood still says nothing about the site: it ended
/// in what a site's own impatience, an expired deadline, or a canary's, look like.
fn is_doubtful(result: &Result<Response, Failure>) -> bool {
    match result {
        Ok(response) => response.status == 408,
        Err(Failure::Local(fault)) => {
            matches!(fault.kind, LocalKind::Resolver | LocalKind::Proxy | LocalKind::Network)
        }
        Err(failure) => failure.is_ambiguous(),
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
        f.debug_struct("Fetcher").field("settings", &self.client.settings).finish_non_exhaustive()
    }
}
