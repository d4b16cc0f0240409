//! The times at which name servers answered, noted where packets arrive, so answers from a cache do
//! not count.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// The last time that any of the servers gave a proper answer: records, or that there are none.
#[derive(Default)]
pub(super) struct Heard {
    last: Mutex<Option<Instant>>,
    /// The last time that one said that a name exists.
    found: Mutex<Option<Instant>>,
    /// Notified at each answer.
    news: Notify,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while it holds the lock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Heard {
    /// Notes an answer. Refusals and failures do not count.
    pub(super) fn note(&self, message: &[u8]) {
        // RFC 1035, section 4.1.1: the response code is 0 for an answer and 3 for a name that
        // does not exist.
        if message.get(3).is_some_and(|flags| matches!(flags & 0xf, 0 | 3)) {
            let now = Some(Instant::now());
            *lock(&self.last) = now;
            if message.get(3).is_some_and(|flags| flags & 0xf == 0) {
                *lock(&self.found) = now;
            }
            self.news.notify_waiters();
        }
    }

    /// True if an answer came after a time.
    pub(super) fn since(&self, at: Instant) -> bool {
        lock(&self.last).is_some_and(|last| last > at)
    }

    /// True if a name was said to exist after a time.
    pub(super) fn found_since(&self, at: Instant) -> bool {
        lock(&self.found).is_some_and(|found| found > at)
    }

    /// Waits for an answer after a time.
    pub(super) async fn wait(&self, since: Instant) {
        loop {
            let mut news = std::pin::pin!(self.news.notified());
            news.as_mut().enable();
            if self.since(since) {
                return;
            }
            news.await;
        }
    }
}

/// Since when one server owes an answer: its first query after its last answer.
#[derive(Default)]
pub(super) struct Debt(Mutex<Option<Instant>>);

impl Debt {
    pub(super) fn asked(&self) {
        lock(&self.0).get_or_insert_with(Instant::now);
    }

    pub(super) fn answered(&self) {
        *lock(&self.0) = None;
    }

    pub(super) fn is_older_than(&self, limit: Duration) -> bool {
        lock(&self.0).is_some_and(|since| since.elapsed() > limit)
    }
}
