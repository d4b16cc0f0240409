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
//! | resolve | host → the addresses the fetcher may connect to | [`Resolve`], `dns`, [`is_public`](crate::network::is_public) |
//! | wait | for a turn at the host and at the address, and for a place | `turns`, `visit` |
//! | connect | TCP, the proxy, TLS; to one address after another | `visit`, `connector`, `connect`, `proxy`, `tunnels` |
//! | request | one request, the head of its answer, the redirect it sends | `http`, `wire`, [`Chain`](crate::network::Chain), `ftp` |
//! | read | bytes → body, decoded, within limits | `body`, `decode` |
//! | fail | errors of the network → [`Failure`](crate::outcome::Failure) | `failure`, `certificate` |
//! | judge | is the site at fault, or this side? | `health`, `canary`, `pulse` |
//!
//! # Whose fault a failure is
//!
//! A site whose robots.txt cannot be fetched may not be crawled, so only the site itself may cause
//! that. Faults of this side end an attempt in [`Failure::Local`](crate::outcome::Failure::Local):
//!
//! - what the system says: no file descriptors, no memory, no local port, connections forbidden,
//!   or no route to any address of the site. A router's "unreachable" is the site's: then there is
//!   a route;
//! - name servers that cannot be reached, refuse, answer nobody, or know no name;
//! - a network that is down. A failure that a dead network could cause as well (no connection, a
//!   reset, a time-out, a broken answer, a look-up that failed without an answer) is blamed on the
//!   site only once something shows that the network works *after* it: an answer from any
//!   address, which costs nothing, or else a canary. A canary is a TCP connection, without a
//!   request, to an address that answered this fetcher before. At most two rounds begin in a
//!   second, and a round usually makes one connection; only if the last three addresses are deaf,
//!   a sample of all is asked, and one who answers outweighs all who are deaf. If canaries fail, every
//!   ambiguous failure of an attempt that was in flight then is a local fault. Attempts that wait
//!   while nobody answers for two seconds ask the canaries too, so an outage that ends before
//!   their deadline is noticed. Judging may add up to three seconds to an attempt;
//! - a proxy that fails for all sites. A canary goes through it to a site that answered before: a TLS
//!   handshake, or over http a `HEAD` request, and what fails while canaries do is the proxy's;
//! - certificates, as long as no https site has shown a valid one: the clock may be wrong here, or
//!   somebody intercepts TLS;
//! - a network that asks for a login: it answers 511, leads unrelated http sites to one host
//!   elsewhere, or puts one HTML page in the place of their robots.txt files;
//! - a program that stood still for more than a second while the attempt was in flight: stopped by a
//!   signal, on a machine that slept or stalled, or in a runtime that something blocked. An attempt
//!   that then fails in such a way is made again at once, up to three times, before it is a local
//!   fault.
//!
//! As long as nothing has answered there are no canaries, unless
//! [`FetcherBuilder::canary`] names some. Such a failure has
//! [`Attempt::is_confirmed`](crate::outcome::Attempt::is_confirmed) false, and nothing follows from it.
//! [`Fetcher::health`] counts; [`Health::is_suspect`] says when most attempts of a run end in
//! faults of this side, or in failures that nothing confirms.
//!
//! # Addresses
//!
//! A site can redirect to any address, and can give its name any address. So the fetcher refuses
//! addresses that are not public, at every hop, and checks the very address that it connects to:
//! each visit to a host resolves its name once, and only checked addresses reach the connector.
//! Connections are not reused, and proxies from the environment are ignored.

mod builder;
mod canary;
mod certificate;
mod client;
mod clock;
mod connect;
mod connector;
mod dns;
mod error;
mod events;
mod failure;
mod fetcher;
mod ftp;
pub(crate) mod headers;
pub(crate) mod health;
mod http;
mod login;
mod lookup;
mod permitted;
mod progress;
mod proxy;
mod pulse;
mod resolve;
mod tasks;
mod tunnels;
mod turns;
mod visit;
mod wire;

pub use builder::{DESCRIPTORS_PER_ATTEMPT, FetcherBuilder};
pub use error::InvalidFetcher;
pub use fetcher::Fetcher;
pub use health::Health;
pub use lookup::{LookupError, Resolve, Resolving};
pub use resolve::SystemResolver;
