//! From the bytes of a file to the groups of a crawler.
//!
//! ```text
//! bytes ─▶ marks ─▶ records ─▶ groups ─▶ those of a crawler
//!          marks    parse      groups    crawler, select
//! ```
//!
//! `diagnostic` goes the same way once more for what is odd about a file.

pub(crate) mod crawler;
pub(crate) mod diagnostic;
pub(crate) mod groups;
mod marks;
pub(crate) mod parse;
pub(crate) mod select;
