//! The library's integration tests, in one program: it is linked once, and reads the corpus once.

mod cases;
mod corpus;
mod diff;
mod docs;
mod engines;
mod explain;
mod hostile;
#[cfg(feature = "lint")]
mod lint;
#[cfg(feature = "lint")]
mod lint_corpus;
#[cfg(feature = "lint")]
mod lint_dead_rules;
#[cfg(feature = "lint")]
mod lint_pages;
mod once;
#[cfg(feature = "pack")]
mod pack;
mod records;
#[cfg(feature = "serde")]
mod stored;
mod support;
mod switches;
