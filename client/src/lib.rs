//! From a URL to the robots.txt policy that applies to it now.
//!
//! The library `robotsieve` says what a robots.txt means. This one finds the right robots.txt,
//! fetches it, remembers it, and knows what applies when there is none.
//!
//! | step | what | where |
//! |---|---|---|
//! | origin | URL → whose robots.txt | [`robotsieve::Origin`] |
//! | fetch | origin → what the site answered | `fetch` (feature `fetch`), or an HTTP stack of your own with [`network`] |
//! | outcome | answer → which policy applies, why, until when | [`outcome`] |
//! | store | what is known of each origin, in one file | `store` (feature `store`) |
//! | ask | a URL → its robots.txt, or what the answer means, once | `ask` (feature `ask`) |
//! | folders | a folder of robots.txt files → whose each is | [`folders`] |
//! | pack files | a path → an open pack, and the lock of those who change it | `pack_files` (feature `pack-files`) |
//! | report | what a store knows of a site → a document | `report` (feature `report`) |
//! | sitemap | a sitemap → URLs | `sitemap` (feature `sitemap`) |
//! | decide | URL → verdict, with everything above put together | `sieve` (feature `sieve`) |
//! | rights | URL → whether it may be indexed, used, trained on, before and after its fetch | `sieve` (feature `rights`) |
//!
//! `outcome` and `network` do no I/O and need no feature. `sieve` includes `store`; `fetch` is separate, so
//! that a crawler with an HTTP stack of its own can leave it out. `docs/fetching.md` in the
//! repository explains the whole way for operators.
//!
//! Types of the crates `http` 1 and `url` 2, which every HTTP stack has, are part of the interface:
//! `HeaderMap` in [`outcome::Response`] and [`network::Chain`], `Url` wherever a URL is taken.
//!
//! The types that people store (outcomes, rulings, decisions, metrics) implement serde's
//! `Serialize`.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "ask")]
pub mod ask;
#[cfg(feature = "body")]
mod body;
mod cause;
#[cfg(feature = "fetch")]
pub mod fetch;
pub mod folders;
#[cfg(feature = "sieve")]
pub mod host_count;
pub mod hosts;
pub mod lines;
pub mod network;
pub mod outcome;
#[cfg(feature = "pack-files")]
pub mod pack_files;
#[cfg(feature = "report")]
pub mod report;
#[cfg(feature = "sieve")]
pub mod sieve;
#[cfg(feature = "sitemap")]
pub mod sitemap;
#[cfg(feature = "store")]
pub mod store;
mod time;

/// For robotsieve's own crates only: this module may change in any version.
pub mod internals {
    pub use crate::MAX_BODY_BYTES;
    #[cfg(feature = "body")]
    pub use crate::body::{
        BodyLimits, Incoming, check_undone, content_length, is_chunked, is_encoded, is_text, undone,
    };
    #[cfg(feature = "fetch")]
    pub use crate::fetch::{headers::HARMLESS as HARMLESS_HEADERS, health::Onlooker};
    pub use crate::network::redirect::{MAX_URL_BYTES, target};
    pub use crate::outcome::attempt::{has_file, has_none, unasked};
    pub use crate::time::CLOCK_TOLERANCE;
}

pub use time::Timestamp;

/// The largest body that a store accepts, and that is taken from an archive: 64 MiB.
pub const MAX_BODY_BYTES: usize = 64 << 20;

/// Runs the examples of the guide for crawler engineers, some of which fetch.
#[cfg(all(doctest, feature = "fetch", feature = "sieve", feature = "store"))]
#[doc = include_str!("../../docs/guide-crawlers.md")]
struct CrawlerGuide;

/// Runs the examples of the page on fetching.
#[cfg(all(doctest, feature = "fetch", feature = "rights"))]
#[doc = include_str!("../../docs/fetching.md")]
struct Fetching;
