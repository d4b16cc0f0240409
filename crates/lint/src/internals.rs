//! For robotsieve's own crates only: this module may change in any version.

pub use crate::diff::policies::{Comparisons, automaton_of};
pub use crate::diff::product::READABLE_FIRST;
