//! For robotsieve's own crates only: this module may change in any version.

pub use crate::crawler::is_named;
pub use crate::names::{SEARCH_ENGINES, is_well_known, meant, misspelt};
pub use crate::operators::read_part;
