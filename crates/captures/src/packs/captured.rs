//! When the answers of a packed site were captured, as far as that is known.

use std::io::{self, Write};

use robotsieve::Origin;
use robotsieve::SiteRules;
use robotsieve::pack::{CaptureTimes, Site, Writer, Written};
use robotsieve_client::Timestamp;

use crate::{Basis, Captured};

/// When the answers were captured that the outcome of a site rests on.
#[must_use]
pub fn basis(site: &Site<'_>) -> Basis {
    let CaptureTimes { captured, is_later, other } = site.times();
    let captured = Captured { at: Timestamp(captured), is_later };
    Basis { captured, other: (other > 0).then_some(Timestamp(other)) }
}

/// Adds an origin with an outcome that rests on answers that were captured then.
///
/// # Errors
/// The same as for [`Writer::add`].
pub fn add<W: Write>(
    writer: &mut Writer<'_, W>,
    origin: &Origin<'_>,
    outcome: SiteRules<Written>,
    basis: Basis,
) -> io::Result<()> {
    let Captured { at, is_later } = basis.captured;
    let other = basis.other.map_or(0, |other| other.0);
    writer.add_at(origin, outcome, CaptureTimes { captured: at.0, is_later, other })
}
