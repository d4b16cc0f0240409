//! From the bytes of a file to the groups of a crawler.
//!
//! ```text
//! bytes ─▶ marks ─▶ records ─▶ groups ─▶ a crawler's groups
//!          marks    parse      groups    crawler, user_agent, token, select
//! ```
//!
//! `fields` reads the values of records that are neither user-agent lines nor rules.
//! `diagnostic` reads the same lines a second time and reports what is odd about them, so that
//! parsing itself never pays for it. `joints` finds where a group goes on that seems to end. `part` and
//! `compression` say whether an answer has all of a file, and whether that is text at all.

pub(crate) mod compression;
pub(crate) mod crawler;
pub(crate) mod diagnostic;
pub(crate) mod differing;
pub(crate) mod fields;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
pub(crate) mod groups;
pub(crate) mod joints;
mod marks;
pub(crate) mod name_error;
pub(crate) mod parse;
pub(crate) mod part;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
pub(crate) mod select;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
pub(crate) mod token;
pub(crate) mod user_agent;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
pub(crate) mod utf16;
