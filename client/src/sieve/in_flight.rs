//! At most one attempt per key at a time, the key of an origin or the URL of a file, however many callers
//! wait for it.

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

/// The attempts that are running, with a progress `P`.
pub(super) struct InFlight<P = Progress> {
    running: Mutex<Attempts<P>>,
    /// Notified whenever the last running attempt has ended.
    idle: Notify,
}

struct Attempts<P> {
    by_key: HashMap<Box<str>, watch::Receiver<P>>,
    /// Set for good: no further attempt begins.
    is_shut: bool,
}

/// A running attempt, as seen by the task that makes it. Dropping it ends the attempt.
pub(super) struct Running<P = Progress> {
    in_flight: Arc<InFlight<P>>,
    key: Box<str>,
    sender: watch::Sender<P>,
    has_left: bool,
}

/// The result of [`InFlight::join`].
pub(super) enum Joined<L, P = Progress> {
    Running(watch::Receiver<P>),
    /// There is none, and no attempt begins any more.
    Shut,
    Instead(L),
    New(Running<P>, watch::Receiver<P>),
}

impl<P> Default for InFlight<P> {
    fn default() -> InFlight<P> {
        let none = Attempts { by_key: HashMap::new(), is_shut: false };
        InFlight { running: Mutex::new(none), idle: Notify::new() }
    }
}

impl<P> InFlight<P> {
    /// Joins the running attempt of a key. If there is none, returns a new one for the caller to make,
    /// which begins with the progress `first`, unless there is something to return instead of it.
    ///
    /// `instead` is called under a lock, and must not join an attempt itself.
    pub(super) fn join<L>(
        self: &Arc<Self>,
        key: &str,
        first: P,
        instead: impl FnOnce() -> Option<L>,
    ) -> Joined<L, P> {
        let mut running = self.lock();
        if let Some(attempt) = running.by_key.get(key) {
            return Joined::Running(attempt.clone());
        }
        if let Some(instead) = instead() {
            return Joined::Instead(instead);
        }
        if running.is_shut {
            return Joined::Shut;
        }
        let (sender, receiver) = watch::channel(first);
        running.by_key.insert(key.into(), receiver.clone());
        let in_flight = Arc::clone(self);
        Joined::New(Running { in_flight, key: key.into(), sender, has_left: false }, receiver)
    }

    /// The number of running attempts.
    pub(super) fn len(&self) -> usize {
        self.lock().by_key.len()
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
    fn lock(&self) -> MutexGuard<'_, Attempts<P>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P> Running<P> {
    /// The key.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Reports progress to everyone who waits.
    pub(super) fn report(&self, progress: P) {
        self.sender.send_replace(progress);
    }

    /// Ends the attempt and then reports its last progress, so that a caller who hears of it and
    /// asks again starts a new attempt.
    pub(super) fn end(mut self, progress: P) {
        self.leave();
        self.report(progress);
    }

    fn leave(&mut self) {
        self.has_left = true;
        let mut running = self.in_flight.lock();
        running.by_key.remove(&self.key);
        if running.by_key.is_empty() {
            self.in_flight.idle.notify_waiters();
        }
    }
}

impl<P> Drop for Running<P> {
    fn drop(&mut self) {
        if !self.has_left {
            self.leave();
        }
    }
}
