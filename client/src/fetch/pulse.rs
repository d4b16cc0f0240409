//! The pulse of this program: it shows when the program stood still.
//!
//! A program that is stopped (by SIGSTOP, a laptop that sleeps, a machine that stalls) wakes up to
//! expired deadlines and to connections that sites have closed because it was silent. These say
//! nothing about the sites, though the network works again. So while attempts are in flight, one
//! task for each fetcher wakes up every [`TICK`]. If it does so much too late, the program stood
//! still meanwhile.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::time::sleep;

use super::events::TARGET;

/// The time between two beats of the task.
const TICK: Duration = Duration::from_millis(250);
/// A program that wakes up later than this after a tick was due was stopped. A machine that is
/// merely busy is not that late.
const LATE: Duration = Duration::from_secs(1);

/// Notices when the program stood still. One for each fetcher.
#[derive(Default)]
pub(super) struct Pulse(Arc<Mutex<Beat>>);

#[derive(Default)]
struct Beat {
    /// The attempts in flight.
    running: usize,
    /// The last moment at which the program ran. None if no task measures.
    last: Option<(Instant, SystemTime)>,
    /// The time at which the program last ran again after it had stood still, and the time lost.
    resumed: Option<(Instant, Duration)>,
}

/// Measures while it exists.
pub(super) struct Running<'p>(&'p Pulse);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        lock(&self.0.0).running -= 1;
    }
}

impl Pulse {
    /// Measures until the result is dropped. Call it in a Tokio runtime.
    pub(super) fn run(&self) -> Running<'_> {
        let mut beat = lock(&self.0);
        beat.running += 1;
        if beat.last.is_none() {
            beat.last = Some((Instant::now(), SystemTime::now()));
            tokio::spawn(Ticking { beat: Arc::clone(&self.0), is_ended: false }.run());
        }
        Running(self)
    }

    /// The time for which the program stood still, if it did at this time or later.
    pub(super) fn stopped_since(&self, at: Instant) -> Option<Duration> {
        let mut beat = lock(&self.0);
        // The task may not have had its turn yet.
        beat.tick();
        beat.resumed.filter(|(resumed, _)| *resumed > at).map(|(_, time)| time)
    }
}

impl Beat {
    fn tick(&mut self) {
        let Some((last, last_date)) = self.last else { return };
        let (now, date) = (Instant::now(), SystemTime::now());
        self.last = Some((now, date));
        // While a machine sleeps, its monotonic clock stands still, on most systems. A clock that
        // is set forward looks alike, and costs no more than a needless try.
        let passed = date.duration_since(last_date).unwrap_or_default().max(now - last);
        if let Some(time) = passed.checked_sub(TICK).filter(|late| *late > LATE) {
            tracing::warn!(target: TARGET, ?time, "this program was stopped");
            self.resumed = Some((now, time));
        }
    }
}

/// The task. Even if its runtime ends it, the next attempt begins another one.
struct Ticking {
    beat: Arc<Mutex<Beat>>,
    is_ended: bool,
}

impl Drop for Ticking {
    fn drop(&mut self) {
        // Once it has ended, there may be another one.
        if !self.is_ended {
            lock(&self.beat).last = None;
        }
    }
}

impl Ticking {
    async fn run(mut self) {
        while !self.is_ended {
            sleep(TICK).await;
            let mut beat = lock(&self.beat);
            if beat.running == 0 {
                self.is_ended = true;
                beat.last = None;
            }
            beat.tick();
        }
    }
}

/// No code panics while it holds the lock.
fn lock(beat: &Mutex<Beat>) -> MutexGuard<'_, Beat> {
    beat.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_runtime_that_stands_still_is_noticed() {
        let (pulse, began) = (Pulse::default(), Instant::now());
        assert_eq!(pulse.stopped_since(began), None);
        let running = pulse.run();
        sleep(TICK * 2).await;
        let before = Instant::now();
        // Nothing else runs in this runtime.
        std::thread::sleep(TICK + LATE * 2);
        assert!(pulse.stopped_since(before) >= Some(LATE));
        assert!(pulse.stopped_since(began) >= Some(LATE));
        assert_eq!(pulse.stopped_since(Instant::now()), None);
        drop(running);
        // The task ends with the last attempt.
        while lock(&pulse.0).last.is_some() {
            sleep(TICK).await;
        }
        let idle = Instant::now();
        std::thread::sleep(TICK + LATE * 2);
        assert_eq!(pulse.stopped_since(idle), None);
    }
}
