//! For robotsieve's own crates only: this module may change in any version.

pub use crate::crawler::{is_named, read_part};
pub use crate::names::{SEARCH_ENGINES, is_well_known, meant, misspelt};
pub use crate::readings::{OWN_READINGS, OwnReading, OwnWay, stands_last};
