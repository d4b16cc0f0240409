//! A clock that runs faster than the real one, for tests that would have to wait.

use std::time::Duration;

use tokio::task::{JoinHandle, yield_now};

/// The clock goes on by this much each time that the runtime has polled its sockets. So an answer is
/// later than its question, and an exchange, of a few polls, takes some milliseconds: loopback
/// delivers at once.
const STEP: Duration = Duration::from_micros(500);

/// After so many steps the real clock goes on a little too, for other threads and the system.
const STEPS: usize = 20;
const REST: Duration = Duration::from_micros(100);

/// Makes Tokio's clock run many times as fast as the real one in this test's runtime, which must
/// have one thread. Dropping it stops the clock.
///
/// Unlike the clock of `start_paused`, which leaps to the next deadline even if a socket is ready,
/// this one never overtakes what the program and its servers do: they share the runtime.
/// A stall of the machine stops this clock too, so deadlines need no slack for it.
pub struct FastClock(JoinHandle<()>);

impl FastClock {
    pub fn start() -> FastClock {
        tokio::time::pause();
        FastClock(tokio::spawn(async {
            loop {
                for _ in 0..STEPS {
                    yield_now().await;
                    tokio::time::advance(STEP).await;
                }
                std::thread::sleep(REST);
            }
        }))
    }
}

impl Drop for FastClock {
    fn drop(&mut self) {
        self.0.abort();
    }
}
