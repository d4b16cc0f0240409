//! What the owner of a site does with a robots.txt.
//!
//! | to | use |
//! |---|---|
//! | see what the known crawlers may read, and why | [`reach`] |
//! | shut crawlers out | [`block`] |
//! | write a file from what a site wants | [`write`](mod@write) |
//! | test a file's verdicts | [`test`](mod@test) |
//! | have a web server refuse what the file forbids | [`enforce`] |
//! | see in the access logs who did not obey | [`audit`] |
//!
//! What [`block`], [`write`](mod@write) and [`enforce`] make is proven: the automata of the file and of the result are
//! compared, so that no URL is left out.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod audit;
pub mod block;
pub mod enforce;
mod ranges;
pub mod reach;
#[cfg(feature = "schema")]
pub mod schema;
pub mod test;
pub mod write;

/// Tests the examples of the tour of the library.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryTour;

/// Tests the examples of the guide to explanations.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/explain.md")]
struct ExplainGuide;

/// Tests the examples of the page on profiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/profiles.md")]
struct ProfilesPage;
