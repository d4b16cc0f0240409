//! What is compared with what.
//!
//! ```text
//! rules ─▶ patterns ─▶ in order of precedence        URL ─▶ target
//!          pattern     set                                  target
//!                └──────── normalise, for both sides ────────┘
//! ```
//!
//! [`RuleSet`] keeps the rules of a policy. [`Judge`] decides one target while the rules are
//! still being read, and keeps none of them. Both get their patterns from the same reader in
//! `pattern`, so they cannot disagree about what a rule means.

mod judge;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
pub(crate) mod normalise;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
mod pattern;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
mod set;
pub(crate) mod target;

pub(crate) use judge::Judge;
pub use pattern::{Pattern, RawRule};
pub use set::{RuleRef, RuleSet};
