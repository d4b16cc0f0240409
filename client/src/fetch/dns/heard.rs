//! The times at which name servers answered, noted where packets arrive, so answers from a cache do
//! not count.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hickory_resolver::proto::op::{Message, ResponseCode};
use tokio::sync::Notify;
use tokio::time::Instant;

/// The last time that any of the servers gave a proper answer: records, or that there are none.
#[derive(Default)]
pub(super) struct Heard {
    last: Mutex<Option<Instant>>,
    /// The last time that one gave records.
    found: Mutex<Option<Instant>>,
    /// Notified at each answer.
    news: Notify,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while it holds the lock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Heard {
    /// Notes an answer to one of our queries. Refusals and failures do not count, nor one that has
    /// no room in a packet: nothing is known of it until it came over TCP.
    pub(super) fn note(&self, answer: &Message) {
        if answer.truncation
            || !matches!(answer.response_code, ResponseCode::NoError | ResponseCode::NXDomain)
        {
            return;
        }
        let now = Some(Instant::now());
        *lock(&self.last) = now;
        if answer.response_code == ResponseCode::NoError && !answer.answers.is_empty() {
            *lock(&self.found) = now;
        }
        self.news.notify_waiters();
    }

    /// True if an answer came after a time.
    pub(super) fn since(&self, at: Instant) -> bool {
        lock(&self.last).is_some_and(|last| last > at)
    }

    /// True if records came after a time.
    pub(super) fn found_since(&self, at: Instant) -> bool {
        lock(&self.found).is_some_and(|found| found > at)
    }

    /// Waits for an answer after a time.
    pub(super) async fn wait(&self, since: Instant) {
        self.wait_until(|| self.since(since)).await;
    }

    /// Waits for records after a time.
    pub(super) async fn wait_for_records(&self, since: Instant) {
        self.wait_until(|| self.found_since(since)).await;
    }

    async fn wait_until(&self, is_so: impl Fn() -> bool) {
        loop {
            let mut news = std::pin::pin!(self.news.notified());
            news.as_mut().enable();
            if is_so() {
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
