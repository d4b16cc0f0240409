//! The bounds of fetching, for an HTTP stack of your own as for the fetcher: the addresses that may
//! be connected to, and the redirects that may be followed.
//!
//! | what | where |
//! |---|---|
//! | addresses outside the public Internet, to which no site may lead a crawler | [`is_public`], [`IpNetwork`] |
//! | redirects: how many, to which ports, never in a circle | [`is_redirect`], [`Chain`] |
//! | errors of the system that say nothing about a site | [`LocalFault::from_io`](crate::outcome::LocalFault::from_io) |
//!
//! `fetch::Fetcher` (feature `fetch`) keeps them itself. `sieve::Fetch` is the trait by which a
//! stack of your own serves a sieve.

mod address;
mod cookies;
pub(crate) mod redirect;

pub use address::{InvalidNetwork, IpNetwork, is_public};
#[cfg(feature = "fetch")]
pub(crate) use address::{contain, ipv4_within, isatap};
pub use redirect::{Chain, is_redirect};
#[cfg(feature = "fetch")]
pub(crate) use redirect::{RedirectRules, is_same_place};
