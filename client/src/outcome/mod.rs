//! What a fetch meant: a state machine without I/O.
//!
//! An [`Attempt`] says what happened when a robots.txt was asked for. [`Protocol::after`] makes
//! of it, and of what was known of the origin before, what is [`Known`] now; of that
//! [`Protocol::ruling`] says at any time which policy holds, why, until when, and when to try
//! again. The clock is the caller's.

mod attempt;
mod freshness;
mod known;
mod protocol;
#[cfg(test)]
mod tests;

pub use attempt::{Attempt, Failure, Redirect, Response, Stage};
pub use known::{Cause, ContentHash, Copy, Known, Outcome};
pub use protocol::{AfterLimit, Condition, Holds, Protocol, Ruling, Why};
