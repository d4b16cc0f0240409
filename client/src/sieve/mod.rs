//! From a URL to a verdict, with everything that takes.
//!
//! A [`Sieve`] finds the site of each URL in memory or in the [store](crate::store), or fetches
//! its robots.txt, once however many callers wait. It uses an answer for as long as the
//! [`Protocol`](crate::outcome::Protocol) says, and refreshes it in the background before it
//! expires. [`blocking`] has the same for programs without an asynchronous runtime.
//!
//! | step | what | where |
//! |---|---|---|
//! | build | settings → sieve | [`SieveBuilder`] |
//! | decide | URL → decision; a stream of URLs → a stream of decisions | [`Sieve`], `at_once`, [`Decisions`] |
//! | sites | origin → its site, from memory or from the store | `sites`, `table`, `cache`, `policies` |
//! | override | origin → its site, as the operator says | [`Overrides`] |
//! | attempt | origin → its site, by fetching; one attempt at a time | `attempt`, `in_flight`, [`Fetch`] |
//! | pause | whether to ask at all, after faults on this side | `breaker` |
//! | rights | URL → what else the site says of it, before and after the fetch | [`Sieve::rights`](Sieve), `SieveRights` (feature `rights`) |
//! | answer | verdict, site, grounds | [`SieveDecision`], [`Site`], [`SieveError`] |
//! | count | what was done, and how long it took | [`Metrics`], `prometheus` |
//!
//! ```
//! use std::future::Future;
//! use std::pin::Pin;
//!
//! use robotsieve::{Crawler, Origin};
//! use robotsieve_client::Timestamp;
//! use robotsieve_client::sieve::{Fetch, Sieve};
//! use robotsieve_client::outcome::{Attempt, CachedCopy, Response};
//!
//! /// A web in which every site has the same robots.txt. For the real one use `fetch::Fetcher`.
//! struct Web;
//!
//! impl Fetch for Web {
//!     fn fetch<'f>(
//!         &'f self,
//!         _: &'f Origin<'static>,
//!         _: Option<&'f CachedCopy>,
//!     ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
//!         let response = Response::new(200, b"User-agent: *\nDisallow: /private");
//!         Box::pin(async { Attempt::new(Timestamp::now(), Ok(response)) })
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let sieve = Sieve::builder(Crawler::name("MyCrawler")).fetcher(Web).build();
//! assert!(sieve.decide("https://example.com/public").await?.is_allowed());
//! let decision = sieve.decide("https://example.com/private/x").await?;
//! assert!(!decision.is_allowed());
//! assert_eq!(decision.age().map(|age| age.as_secs() < 60), Some(true));
//! assert_eq!(sieve.metrics().attempts, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod at_once;
mod attempt;
pub mod blocking;
mod breaker;
mod builder;
mod cache;
mod clock;
mod compiled;
mod decide;
mod decision;
mod entry;
mod error;
mod fetch;
#[cfg(feature = "rights")]
mod file_attempt;
mod in_flight;
mod metrics;
mod overrides;
mod policies;
mod prometheus;
pub mod queue;
#[cfg(feature = "rights")]
mod rights;
#[cfg(feature = "rights")]
mod rights_options;
#[cfg(feature = "rights")]
mod site_files;
mod sites;
mod stream;
mod table;
pub mod watch;

pub use builder::SieveBuilder;
pub use decide::Sieve;
pub use decision::{Fetched, Grounds, SieveDecision, Site};
pub use error::SieveError;
pub use fetch::Fetch;
pub use metrics::{Metrics, Times};
pub use overrides::{Override, OverrideError, Overrides};
#[cfg(feature = "rights")]
pub use rights::SieveRights;
#[cfg(feature = "rights")]
pub use rights_options::RightsOptions;
#[cfg(feature = "rights")]
pub use site_files::{FileOutcome, SiteFile};
pub use stream::{Decided, Decisions, InOrder, Undecided};
