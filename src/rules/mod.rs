//! What is compared with what: rules become normalised patterns in order of precedence, URLs
//! become targets, and one normaliser serves both sides.

mod judge;
pub(crate) mod normalise;
mod pattern;
mod set;
pub(crate) mod target;

pub(crate) use judge::Judge;
pub(crate) use pattern::{Pattern, RawRule};
pub(crate) use set::{RuleRef, RuleSet};
