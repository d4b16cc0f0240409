//! For robotsieve's own crates only: this module may change in any version.

pub use crate::content_signals::{Signal, SignalPiece, pieces};
pub use crate::content_usage::{UsageMember, read_members};
pub use crate::documents::normal;
/// The elements of a page that state rights.
pub mod html {
    pub use crate::html::*;
}
pub use crate::paths::Paths;
pub use crate::robots::lines::{RightsField, RightsLine, RightsLines};
