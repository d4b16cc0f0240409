//! The meaning of a fetch: a state machine without I/O.
//!
//! An [`Attempt`] says what happened when a robots.txt was requested. [`Protocol::after`] turns
//! it, and what was known of the origin before, into the new [`OriginState`].
//! [`Protocol::ruling`] says for any time which policy applies, why, until when, and when to try
//! again. The caller supplies the time.
//!
//! | step | what | where |
//! |---|---|---|
//! | attempt | what the site answered, or why nothing came | [`Attempt`], [`Failure`] |
//! | state | what to remember of an origin between attempts | [`OriginState`], [`CachedCopy`] |
//! | protocol | attempt and state → new state; state and time → ruling | [`Protocol`] |
//! | history | several answers of one origin, as an archive has them → what applied then | [`Event`], [`Protocol::judge`] |
//! | local fault | what is no outcome: the fault is on this side | [`LocalFault`] |
//! | ruling | which policy applies, why, until when | [`Ruling`], [`Why`] |

pub(crate) mod attempt;
mod cut;
mod freshness;
mod history;
mod local;
mod protocol;
mod ruling;
mod seconds;
#[cfg(test)]
mod silence;
mod state;
#[cfg(test)]
mod tests;

#[cfg(feature = "fetch")]
pub(crate) use attempt::{ASKS_FOR_LOGIN, asks_for_login};
pub use attempt::{Attempt, Failure, Redirect, Response, Stage};
#[cfg(feature = "body")]
pub(crate) use cut::{is_line_end, whole_lines};
#[cfg(feature = "fetch")]
pub(crate) use freshness::retry_after;
pub use history::{AsOf, Event, Judged, Said};
pub use local::{LocalFault, LocalKind};
pub use protocol::{AfterLimit, Protocol};
pub use ruling::{Ruling, Why};
pub use state::{
    CachedCopy, Cause, Condition, ContentHash, InvalidHash, OriginState, Outcome, StatedLifetime,
};
