//! Fetching a robots.txt over HTTP or FTP (feature `fetch`): from an origin to an
//! [`Attempt`].
//!
//! ```no_run
//! use robotsieve::Origin;
//! use robotsieve_client::fetch::Fetcher;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let fetcher = Fetcher::builder("MyCrawler/1.0 (+https://example.com/bot)").build()?;
//! let attempt = fetcher.fetch(&Origin::of("https://example.com/")?, None).await;
//! match attempt.result {
//!     Ok(response) => println!("{}, {} bytes", response.status, response.body.len()),
//!     Err(failure) => println!("{failure}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Whatever a server does, an attempt ends by its deadline and keeps no more than its limits:
//!
//! | step | what | where |
//! |---|---|---|
//! | resolve | host → the addresses that may be connected to | [`Resolve`], [`is_public`] |
//! | connect | notice of when the connection stands | `connect` |
//! | ask | one request, its head, where it leads | `http`, `redirect`, `ftp` |
//! | read | bytes → body, encodings undone, within limits | `body`, `decode` |
//! | fail | errors of the network → [`Failure`] | `failure` |
//!
//! # Addresses
//!
//! A site can redirect to any address, and give its name any. So what is not public is refused
//! at every hop, by the address that is connected to: names are resolved once per connection,
//! and only what was judged is handed to the connector. Connections are not reused, and
//! proxies of the environment are not asked.

mod address;
mod body;
mod connect;
mod decode;
mod failure;
mod ftp;
mod http;
mod redirect;
mod resolve;
mod settings;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

pub use address::is_public;
pub use ipnet::IpNet;
pub use resolve::{Resolve, Resolving, SystemResolver};
pub use settings::{FetcherBuilder, InvalidFetcher};

use robotsieve::{Origin, Scheme};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::Instrument;
use url::Url;

use self::redirect::Chain;
use self::resolve::Judged;
use self::settings::Settings;
use crate::Timestamp;
use crate::outcome::{Attempt, Copy, Failure, Redirect, Response, Stage};

/// What this module's events and spans are found by.
const TARGET: &str = "robotsieve::fetch";

/// Fetches robots.txt files. Clones share their settings and the count of attempts.
#[derive(Clone)]
pub struct Fetcher {
    shared: Arc<Shared>,
}

struct Shared {
    client: reqwest::Client,
    judged: Judged,
    settings: Settings,
    parallel: Semaphore,
}

impl Fetcher {
    /// Begins with a user agent, which each request carries: a product token that sites can
    /// name in their robots.txt, and where to read about the crawler.
    pub fn builder(user_agent: impl Into<String>) -> FetcherBuilder {
        FetcherBuilder::new(user_agent.into())
    }

    /// Asks for the robots.txt of an origin, once. Where a copy is given that came with
    /// validators, the answer may be 304, and the copy is still the latest.
    ///
    /// It waits until fewer than [`FetcherBuilder::max_parallel`] attempts run, and from then
    /// on takes [`FetcherBuilder::total_timeout`] at most. Dropping the future ends the
    /// attempt. It must be awaited in a runtime of Tokio with time and I/O.
    pub async fn fetch(&self, origin: &Origin<'_>, conditional: Option<&Copy>) -> Attempt {
        let span = tracing::debug_span!(target: TARGET, "fetch", origin = origin.key());
        self.attempt(origin, conditional).instrument(span).await
    }

    async fn attempt(&self, origin: &Origin<'_>, conditional: Option<&Copy>) -> Attempt {
        let (redirects, result) = match (self.shared.parallel.acquire().await, url_of(origin)) {
            (Ok(_permit), Ok(url)) => self.in_time(origin.scheme(), url, conditional).await,
            // The semaphore is never closed.
            (Err(cause), _) => (Vec::new(), Err(Failure::Local(cause.to_string()))),
            (_, Err(failure)) => (Vec::new(), Err(failure)),
        };
        Attempt { at: Timestamp::now(), redirects, result }
    }

    async fn in_time(
        &self,
        scheme: Scheme,
        url: Url,
        conditional: Option<&Copy>,
    ) -> (Vec<Redirect>, Result<Response, Failure>) {
        let began = Instant::now();
        let mut chain = Chain::new(url, self.shared.settings.max_redirects);
        let asking = async {
            match scheme {
                Scheme::Ftp => self.over_ftp(&chain.url).await,
                Scheme::Http | Scheme::Https => self.over_http(&mut chain, conditional).await,
            }
        };
        let result = timeout(self.shared.settings.total_timeout, asking).await;
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

fn url_of(origin: &Origin<'_>) -> Result<Url, Failure> {
    let url = origin.robots_url();
    Url::parse(&url).map_err(|cause| Failure::Local(format!("{url} is no URL: {cause}")))
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}
