//! What the captures of an origin come to in a pack.

use std::io;

use robotsieve::Origin;
use robotsieve::pack::Pack;
use robotsieve::{SiteKind, SiteRules};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Said};
use serde::{Deserialize, Serialize};

use super::captured::basis;
use super::making::Judging;
use crate::{Answered, Basis, Captured, Held, History};

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
    pub basis: Basis,
}

/// What the pack that is being updated has for the target of a redirect: the newest answer that it knows of.
pub fn held_before(before: Option<&Pack<'_>>, key: &str) -> io::Result<Option<Held<PackedAt>>> {
    let origin = Origin::of(key).ok().filter(|origin| origin.key() == key);
    let (Some(before), Some(origin)) = (before, origin) else { return Ok(None) };
    let Some(site) = before.get(&origin).map_err(as_io)? else { return Ok(None) };
    let Basis { captured, other } = basis(&site);
    let answer = match (site.kind(), other) {
        (SiteKind::Unknown, _) => None,
        (SiteKind::DisallowAll, _) | (_, Some(_)) => Some((Said::Failed, None)),
        (SiteKind::Rules, None) => Some((Said::File(Some(0)), Some(PackedAt::Before(key.into())))),
        (SiteKind::AllowAll, None) => Some((Said::Status(404), None)),
    };
    Ok(Some(Held { at: captured.at.max(other.unwrap_or_default()), answer }))
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
    let kept = site.as_ref().map_or(Basis::default(), basis);
    let known = kept.captured.max(Captured::at(kept.other.unwrap_or_default()));
    if let AsOf::Time(time) = judging.as_of
        && known.at > time
    {
        // What is known from a later time stays.
        return Ok(None);
    }
    let mut history = History::default();
    if let Some(site) = site {
        let place = (site.kind() == SiteKind::Rules).then(|| PackedAt::Before(origin.key().into()));
        history.push_kept(site.kind(), kept, place);
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
    Ok(Some(PackedOrigin { holds, basis: settled.basis }))
}

/// Damage of a pack within what else may fail.
pub fn as_io(error: robotsieve::pack::PackError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
