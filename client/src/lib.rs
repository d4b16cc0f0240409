//! From a URL to the robots.txt policy that governs it now.
//!
//! The library `robotsieve` says what a robots.txt means; this one says which robots.txt, and
//! what it means when there is none. A module for each step:
//!
//! | step | what | where |
//! |---|---|---|
//! | whose | URL → origin | [`robotsieve::Origin`] |
//! | fetch | origin → what the site answered | `fetch` (feature `fetch`) |
//! | outcome | answers → which policy holds, why, until when | [`outcome`] |
//! | keep | what is known of each origin, in one file | `store` (feature `store`) |
//! | decide | URL → verdict, whatever it takes | `front` (feature `front`) |

#[cfg(feature = "fetch")]
pub mod fetch;
pub mod outcome;
#[cfg(feature = "sieve")]
pub mod sieve;
#[cfg(feature = "store")]
pub mod store;
mod time;

pub use time::Timestamp;

/// Runs the examples of the guide for crawler engineers, which need this library for fetching.
#[cfg(all(doctest, feature = "fetch", feature = "sieve", feature = "store"))]
#[doc = include_str!("../../docs/guide-crawlers.md")]
struct CrawlerGuide;

/// The examples of the page on fetching.
#[cfg(all(doctest, feature = "fetch", feature = "sieve"))]
#[doc = include_str!("../../docs/fetching.md")]
struct Fetching;
