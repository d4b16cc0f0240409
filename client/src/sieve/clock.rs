//! The time that a sieve goes by.

use crate::time::Timestamp;

/// The system's clock, or the caller's.
pub(super) enum Clock {
    System,
    Own(Box<dyn Fn() -> Timestamp + Send + Sync>),
}

impl Clock {
    #[inline]
    pub(super) fn now(&self) -> Timestamp {
        match self {
            Clock::System => Timestamp::coarsely_now(),
            Clock::Own(clock) => clock(),
        }
    }

    /// The time by the caller's clock, if that is the one in use.
    pub(super) fn own(&self) -> Option<Timestamp> {
        match self {
            Clock::System => None,
            Clock::Own(clock) => Some(clock()),
        }
    }
}
