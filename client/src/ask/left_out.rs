//! A build without the feature `fetch`, which asks nobody.

use robotsieve::Origin;
use url::Url;

use super::error::AskError;
use crate::outcome::Attempt;

/// What such a build says.
pub const LEFT_OUT: &str =
    "this program was built without the network; a build without --no-default-features has it";

/// What would fetch, and cannot be had.
pub enum Web {}

impl Web {
    /// # Errors
    /// Always returns an error, which says why.
    pub fn of(_: &Url, _: Option<&Url>) -> Result<Web, AskError> {
        Err(AskError::System(LEFT_OUT.to_owned()))
    }

    pub(super) fn attempt(&self, _: &Origin<'_>) -> Attempt {
        match *self {}
    }

    /// # Errors
    /// Is never called.
    pub fn get(&self, _: Url) -> Result<(Vec<u8>, String), AskError> {
        match *self {}
    }
}
