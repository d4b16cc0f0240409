//! The library's integration tests, in one program that is linked once and reads the corpus once.
//!
//! Only `tests/hostile.rs` is a program of its own, because it measures times.

mod cases;
#[cfg(feature = "known")]
mod compose;
mod corpus;
mod diff;
mod docs;
mod engines;
mod explain;
mod headers;
#[cfg(feature = "lint")]
mod lint;
#[cfg(feature = "lint")]
mod lint_corpus;
#[cfg(feature = "lint")]
mod lint_dead_rules;
#[cfg(feature = "lint")]
mod lint_fixes;
#[cfg(feature = "lint")]
mod lint_pages;
#[cfg(feature = "lint")]
mod lint_rights;
mod once;
mod pace;
#[cfg(feature = "pack")]
mod pack;
#[cfg(feature = "pack")]
mod pack_crafted;
#[cfg(feature = "pack")]
mod pack_format;
#[cfg(feature = "pack")]
mod pack_seed;
#[cfg(feature = "serde")]
mod reasons;
mod records;
#[cfg(feature = "schema")]
mod reports;
#[cfg(all(feature = "rights", feature = "serde"))]
mod rights;
mod specification;
#[cfg(feature = "serde")]
mod stored;
mod support;
mod switches;
