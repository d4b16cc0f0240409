//! The events and spans of this module.

/// Their target.
pub(super) const TARGET: &str = "robotsieve::fetch";
