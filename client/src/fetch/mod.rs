//! Fetches a robots.txt over HTTP or FTP (feature `fetch`): from an origin to an
//! [`Attempt`](crate::outcome::Attempt).
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
//! Whatever a server does, an attempt ends by its deadline and keeps no more than its limits.
//!
//! | step | what | where |
//! |---|---|---|
//! | resolve | host → the addresses the fetcher may connect to | [`Resolve`], [`is_public`] |
//! | connect | starts the read deadline when the connection is established | `connect` |
//! | request | one request, the head of its answer, the redirect it sends | `http`, `redirect`, `ftp` |
//! | read | bytes → body, decoded, within limits | `body`, `decode` |
//! | fail | errors of the network → [`Failure`](crate::outcome::Failure) | `failure` |
//!
//! # Addresses
//!
//! A site can redirect to any address, and can give its name any address. So the fetcher refuses
//! addresses that are not public, at every hop, and checks the very address that it connects to:
//! each connection resolves its name once, and only checked addresses reach the connector.
//! Connections are not reused, and proxies from the environment are ignored.

mod address;
mod body;
mod builder;
mod client;
mod connect;
mod decode;
mod error;
mod failure;
mod fetcher;
mod ftp;
mod http;
mod redirect;
mod resolve;

pub use address::is_public;
pub use builder::FetcherBuilder;
pub use error::InvalidFetcher;
pub use fetcher::Fetcher;
pub use ipnet::IpNet;
pub use resolve::{Resolve, Resolving, SystemResolver};

/// The target of this module's events and spans.
const TARGET: &str = "robotsieve::fetch";
