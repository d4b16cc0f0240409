//! At most one attempt per origin at a time, however many callers wait for it.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use super::entry::Entry;
use crate::outcome::LocalFault;
use crate::store::StoreError;

/// The progress of an attempt.
#[derive(Clone, Debug)]
pub(super) enum Progress {
    /// The fetch is running.
    Fetching,
    /// The outcome is known, and applies from now on.
    Known(Arc<Entry>),
    /// The outcome is durable in the store, or could not be written. Also reached without a
    /// store.
    Stored(Arc<Entry>, Result<(), Arc<StoreError>>),
    /// There is no outcome: the fault is on this side.
    Local(LocalFault),
}

/// The attempts that are running.
#[derive(Default)]
pub(super) struct InFlight {
    running: Mutex<Attempts>,
    /// Notified whenever the last running attempt has ended.
    idle: Notify,
}

#[derive(Default)]
struct Attempts {
    by_origin: HashMap<Box<str>, watch::Receiver<Progress>>,
    /// Set for good: no further attempt begins.
    is_shut: bool,
}

/// A running attempt, as seen by the task that makes it. Dropping it ends the attempt.
pub(super) struct Running {
    in_flight: Arc<InFlight>,
    key: Box<str>,
    sender: watch::Sender<Progress>,
    has_left: bool,
}

/// The result of [`InFlight::join`].
pub(super) enum Joined<L> {
    Running(watch::Receiver<Progress>),
    /// There is none, and no attempt begins any more.
    Shut,
    Instead(L),
    New(Running, watch::Receiver<Progress>),
}

impl InFlight {
    /// Joins the running attempt of an origin. If there is none, returns a new one for the caller
    /// to make, unless there is something to return instead of it.
    ///
    /// `instead` is called under a lock, and must not join an attempt itself.
    pub(super) fn join<L>(
        self: &Arc<Self>,
        key: &str,
        instead: impl FnOnce() -> Option<L>,
    ) -> Joined<L> {
        let mut running = self.lock();
        if let Some(attempt) = running.by_origin.get(key) {
            return Joined::Running(attempt.clone());
        }
        if let Some(instead) = instead() {
            return Joined::Instead(instead);
        }
        if running.is_shut {
            return Joined::Shut;
        }
        let (sender, receiver) = watch::channel(Progress::Fetching);
        running.by_origin.insert(key.into(), receiver.clone());
        let in_flight = Arc::clone(self);
        Joined::New(Running { in_flight, key: key.into(), sender, has_left: false }, receiver)
    }

    /// The number of running attempts.
    pub(super) fn len(&self) -> usize {
        self.lock().by_origin.len()
    }

    /// Lets no further attempt begin.
    pub(super) fn shut(&self) {
        self.lock().is_shut = true;
    }

    /// Waits until no attempt is running.
    pub(super) async fn idle(&self) {
        loop {
            let mut idle = pin!(self.idle.notified());
            // Register before the check, so that no notification is missed in between.
            idle.as_mut().enable();
            if self.len() == 0 {
                return;
            }
            idle.await;
        }
    }

    /// Each change of the map is complete, so it stays valid if a thread panics.
    fn lock(&self) -> MutexGuard<'_, Attempts> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// The key of the origin.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Reports progress to everyone who waits.
    pub(super) fn report(&self, progress: Progress) {
        self.sender.send_replace(progress);
    }

    /// Ends the attempt and then reports its last progress, so that a caller who hears of it and
    /// asks again starts a new attempt.
    pub(super) fn end(mut self, progress: Progress) {
        self.leave();
        self.report(progress);
    }

    fn leave(&mut self) {
        self.has_left = true;
        let mut running = self.in_flight.lock();
        running.by_origin.remove(&self.key);
        if running.by_origin.is_empty() {
            self.in_flight.idle.notify_waiters();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_left {
            self.leave();
        }
    }
}
