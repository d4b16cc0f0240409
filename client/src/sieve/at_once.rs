//! Decisions on URLs whose sites are in the table.

use robotsieve::{AsUrl, Origin};

use super::attempt::Shared;
use super::decision::{SieveDecision, Site};
use super::error::SieveError;

/// A decision, or the URL and why there is none.
pub(super) type AtOnce<U> = Result<SieveDecision<U>, (U, SieveError)>;

impl Shared {
    /// The decision on a URL whose site is in the table; otherwise the URL.
    #[inline]
    pub(super) fn at_once<U: AsUrl>(&self, url: U) -> Result<AtOnce<U>, U> {
        let now = self.sites.clock.now();
        let site = match Origin::of(url.as_url()) {
            Ok(origin) => self.sites.in_table(&origin, now),
            Err(cause) => return Ok(Err((url, cause.into()))),
        };
        match site {
            Some(entry) => {
                let decision = SieveDecision::new(Site { entry, now }, url);
                Ok(decision.map_err(|(url, cause)| (url, cause.into())))
            }
            None => Err(url),
        }
    }
}
