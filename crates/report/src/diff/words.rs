//! What several parts of a comparison say.

use robotsieve::Verdict;
use robotsieve_lint::diff::WholeSite;

/// A verdict that is new, in words.
#[must_use]
pub fn now(verdict: Verdict) -> &'static str {
    if verdict.is_allow() { "allowed now" } else { "disallowed now" }
}

/// The fate of a whole site, in words.
#[must_use]
pub fn whole_site(whole: WholeSite) -> &'static str {
    match whole {
        WholeSite::Closed => "the whole site is closed now",
        WholeSite::Opened => "the whole site was closed and is open now",
        WholeSite::PartlyOpened => "the site is no longer closed as a whole",
    }
}
