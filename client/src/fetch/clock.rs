//! Deadlines that stand still while an attempt waits for its turn.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::outcome::{Failure, Stage};

/// The time that is left for a stage of an attempt.
#[derive(Clone)]
pub(super) struct Clock {
    left: Duration,
    stage: Stage,
}

impl Clock {
    pub(super) fn new(limit: Duration, stage: Stage) -> Clock {
        Clock { left: limit, stage }
    }

    /// The time that its steps took, of this limit.
    pub(super) fn spent(&self, limit: Duration) -> Duration {
        limit.saturating_sub(self.left)
    }

    /// Runs a step, if it ends in the time that is left.
    pub(super) async fn run<T>(
        &mut self,
        step: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let began = Instant::now();
        let done = timeout(self.left, step).await;
        self.left = self.left.saturating_sub(began.elapsed());
        done.unwrap_or(Err(Failure::TimedOut(self.stage)))
    }
}
