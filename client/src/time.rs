//! Points in time, as whole seconds.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The most that two clocks may differ. A time from later than that comes from a wrong clock.
pub const CLOCK_TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// Whole seconds since the beginning of 1970, UTC. The caller reads the clock; nothing in
/// [`outcome`](crate::outcome) does.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The current time, by the system's clock.
    #[must_use]
    pub fn now() -> Timestamp {
        SystemTime::now().into()
    }

    /// The current time, at most a few milliseconds late, at a fraction of the cost.
    #[cfg(all(feature = "sieve", target_os = "linux"))]
    pub(crate) fn coarsely_now() -> Timestamp {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
        Timestamp(u64::try_from(time.tv_sec).unwrap_or(0))
    }

    /// The current time.
    #[cfg(all(feature = "sieve", not(target_os = "linux")))]
    pub(crate) fn coarsely_now() -> Timestamp {
        Timestamp::now()
    }

    /// A date in one of the three forms of HTTP.
    pub(crate) fn of_http_date(text: &[u8]) -> Option<Timestamp> {
        let text = str::from_utf8(text.trim_ascii()).ok()?;
        let date: SystemTime = httpdate::parse_http_date(text).ok()?;
        Some(date.into())
    }

    /// The time from `earlier` to this point; zero if `earlier` is in fact later.
    #[must_use]
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_secs(self.0.saturating_sub(earlier.0))
    }
}

impl From<u64> for Timestamp {
    /// A number of seconds since the beginning of 1970.
    fn from(seconds: u64) -> Timestamp {
        Timestamp(seconds)
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Timestamp {
        Timestamp(time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> SystemTime {
        /// The last second of the year 9999: HTTP cannot write later dates.
        const LAST: u64 = 253_402_300_799;
        UNIX_EPOCH + Duration::from_secs(time.0.min(LAST))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Timestamp;

    fn add(self, duration: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(duration.as_secs()))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Timestamp;

    fn sub(self, duration: Duration) -> Timestamp {
        Timestamp(self.0.saturating_sub(duration.as_secs()))
    }
}

impl fmt::Display for Timestamp {
    /// The number of seconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
