//! The time that the processor works for one thread.
//!
//! Other tests run beside the one that measures, and other programs too; a clock on the wall would count
//! them.

use std::time::Duration;

/// Begun when it is made; counts what the calling thread does from then on.
pub struct ThreadTime(Duration);

impl ThreadTime {
    pub fn start() -> ThreadTime {
        ThreadTime(now())
    }

    /// The time since it was begun. Only of use on the thread that began it.
    pub fn elapsed(&self) -> Duration {
        now().saturating_sub(self.0)
    }
}

#[cfg(target_os = "linux")]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().expect("a time that is not negative")
}

/// Elsewhere, the clock on the wall.
#[cfg(not(target_os = "linux"))]
fn now() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}
