//! When the answer of a packed site was captured, as far as that is known.

use std::io::{self, Write};

use robotsieve::Origin;
use robotsieve::SiteRules;
use robotsieve::pack::{Site, Writer, Written};
use robotsieve_client::Timestamp;

use crate::Captured;

/// When the answer of a site was captured.
#[must_use]
pub fn captured(site: &Site<'_>) -> Captured {
    match site.captured_after() {
        Some(at) => Captured { at: Timestamp(at), is_later: true },
        None => Captured::at(Timestamp(site.captured().unwrap_or(0))),
    }
}

/// Adds an origin with an outcome that was captured then.
///
/// # Errors
/// The same as for [`Writer::add`].
pub fn add<W: Write>(
    writer: &mut Writer<'_, W>,
    origin: &Origin<'_>,
    outcome: SiteRules<Written>,
    captured: Captured,
) -> io::Result<()> {
    match captured.is_later {
        true => writer.add_later(origin, outcome, captured.at.0),
        false => writer.add(origin, outcome, Some(captured.at.0)),
    }
}
