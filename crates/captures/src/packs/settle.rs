//! What the captures of an origin come to in a pack.

use std::io;

use robotsieve::Origin;
use robotsieve::pack::Pack;
use robotsieve::{SiteKind, SiteRules};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Said};
use serde::{Deserialize, Serialize};

use super::captured::captured;
use super::making::Judging;
use crate::{Answered, Captured, History};

/// Where the compiled file of an answer is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PackedAt {
    /// In the pack that is being written.
    Put([u8; 8]),
    /// In the pack that is being updated: it is what that has for this origin.
    Before(Box<str>),
}

/// The outcome of the captures of an origin.
#[derive(Clone, Debug)]
pub struct PackedOrigin {
    /// The rules or outcome in force.
    pub holds: SiteRules<PackedAt>,
    /// When that was captured.
    pub captured: Captured,
}

/// The kind of a pack's entry, as an answer. Packs do not tell what disallowed all: it counts as a failure.
pub fn said_of(kind: SiteKind) -> Option<Said> {
    match kind {
        SiteKind::Rules => Some(Said::File(None)),
        SiteKind::AllowAll => Some(Said::Status(404)),
        SiteKind::DisallowAll => Some(Said::Failed),
        SiteKind::Unknown => None,
    }
}

/// The entry of the pack that is being updated for the target of a redirect.
pub fn held_before(
    before: Option<&Pack<'_>>,
    key: &str,
) -> io::Result<Option<(Said, Option<PackedAt>)>> {
    let origin = Origin::of(key).ok().filter(|origin| origin.key() == key);
    let (Some(before), Some(origin)) = (before, origin) else { return Ok(None) };
    let site = before.get(&origin).map_err(as_io)?;
    Ok(site.and_then(|site| answer_of(site.kind(), key)))
}

/// What a pack has for an origin, as an answer.
fn answer_of(kind: SiteKind, key: &str) -> Option<(Said, Option<PackedAt>)> {
    let place = (kind == SiteKind::Rules).then(|| PackedAt::Before(key.into()));
    said_of(kind).map(|said| (said, place))
}

/// The outcome of the captures of an origin and of the pack that is being updated. Returns `None` if
/// they change nothing.
pub fn settled(
    origin: &Origin<'_>,
    answers: &[Answered<'_, PackedAt>],
    before: Option<&Pack<'_>>,
    judging: &Judging,
) -> io::Result<Option<PackedOrigin>> {
    let site = match before {
        Some(before) => before.get(origin).map_err(as_io)?,
        None => None,
    };
    let known = site.as_ref().map_or(Captured::default(), captured);
    if let AsOf::Time(time) = judging.as_of
        && known.at > time
    {
        // What is known from a later time stays.
        return Ok(None);
    }
    let mut history = History::default();
    if let Some(site) = site {
        let answer = answer_of(site.kind(), origin.key());
        history.push(
            known,
            answer.as_ref().map(|(said, _)| (0, *said)),
            answer.and_then(|(_, place)| place),
        );
    }
    for Answered { at, answer, .. } in answers {
        // What is new and has no time counts as newer than what the pack has.
        let captured = if *at > Timestamp(0) { Captured::at(*at) } else { known.after() };
        let (answer, place) = match answer.clone() {
            Some((redirects, said, place)) => (Some((redirects, said)), place),
            None => (None, None),
        };
        history.push(captured, answer, place);
    }
    let Some(settled) = history.settle(&judging.protocol, judging.as_of) else { return Ok(None) };
    let place = || settled.of.ok_or_else(|| io::Error::other("rules without a file"));
    let holds = settled.holds.try_with(place)?;
    Ok(Some(PackedOrigin { holds, captured: settled.captured }))
}

/// Damage of a pack within what else may fail.
pub fn as_io(error: robotsieve::pack::PackError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
