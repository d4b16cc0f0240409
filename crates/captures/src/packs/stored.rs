//! Stores as sources of packs.

use robotsieve::{Origin, SiteKind};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Failure, OriginState, Response};
use robotsieve_client::store::{Reader, StoreError};

use super::making::Judging;
use crate::{Capture, RecordNames, RecordPlace, SiteAnswer};

impl Judging {
    /// The rules in force for an origin of a store, as a capture that means just that. Returns `None`
    /// if the key is no origin.
    ///
    /// # Errors
    /// Returns an error if the body cannot be read.
    pub fn in_force(
        &self,
        store: &Reader,
        key: &str,
        state: &OriginState,
        place: &RecordPlace,
    ) -> Result<Option<Capture>, StoreError> {
        let (protocol, as_of) = &self.of_stores;
        let now = match *as_of {
            AsOf::Capture => state.attempted,
            AsOf::Time(time) => time,
        };
        let Ok(origin) = Origin::of(key) else { return Ok(None) };
        let ruling = protocol.ruling(state, now);
        let (at, answer) = match (ruling.holds, &state.copy) {
            (SiteKind::Rules, Some(copy)) => {
                let Some((_, Some(body))) = store.get_with_body(key)? else {
                    return Ok(Judging::lost(key, state, place));
                };
                let mut response = Response::as_is(200, body);
                response.is_truncated = copy.is_truncated;
                (copy.at, SiteAnswer::Final(response))
            }
            (SiteKind::AllowAll, _) => {
                (state.attempted, SiteAnswer::Final(Response::new(404, Vec::new())))
            }
            (SiteKind::Unknown, _) => (state.attempted, SiteAnswer::unknown()),
            _ => (state.attempted, SiteAnswer::Failed(Failure::Broken(String::new()))),
        };
        Ok(Some(capture(origin, at, answer, place)))
    }

    /// An origin of a store whose rules cannot be read: what it says is not known. Returns `None` if the key is no
    /// origin.
    #[must_use]
    pub fn lost(key: &str, state: &OriginState, place: &RecordPlace) -> Option<Capture> {
        let origin = Origin::of(key).ok()?;
        Some(capture(origin, state.attempted, SiteAnswer::unknown(), place))
    }
}

fn capture(origin: Origin<'_>, at: Timestamp, answer: SiteAnswer, place: &RecordPlace) -> Capture {
    let (origin, place) = (origin.into_owned(), place.clone());
    let at = Some(at).filter(|at| *at > Timestamp(0));
    Capture { origin, other: None, at, answer, place, names: RecordNames::default() }
}
