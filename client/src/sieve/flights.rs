//! One attempt per origin at a time, however many wait for it.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use super::entry::Entry;
use crate::store::StoreError;

/// How far an attempt is.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// Asking.
    Asking,
    /// There is an outcome, which counts from now on.
    Known(Arc<Entry>),
    /// It is in the store for good, if there is one; or could not be written there.
    Stored(Arc<Entry>, Result<(), Arc<StoreError>>),
}

/// The attempts that are going on.
#[derive(Default)]
pub(super) struct Flights {
    by_origin: Mutex<HashMap<Box<str>, watch::Receiver<Stage>>>,
    /// Told whenever the last one has ended.
    ended: Notify,
}

/// What an attempt tells of itself. Its end, however it comes, ends the flight.
pub(super) struct Pilot {
    flights: Arc<Flights>,
    key: Box<str>,
    sender: watch::Sender<Stage>,
    has_ended: bool,
}

impl Flights {
    /// The flight of an origin. Where there is none, `start` begins one, unless `landed` finds
    /// that one has just ended.
    ///
    /// `landed` is called under a lock, and must not join a flight itself.
    pub(super) fn join<L>(
        self: &Arc<Self>,
        key: &str,
        landed: impl FnOnce() -> Option<L>,
        start: impl FnOnce(Pilot),
    ) -> Result<watch::Receiver<Stage>, L> {
        let mut by_origin = self.lock();
        if let Some(flight) = by_origin.get(key) {
            return Ok(flight.clone());
        }
        if let Some(landed) = landed() {
            return Err(landed);
        }
        let (sender, receiver) = watch::channel(Stage::Asking);
        by_origin.insert(key.into(), receiver.clone());
        // The pilot's end takes the lock, and may come at once.
        drop(by_origin);
        start(Pilot { flights: Arc::clone(self), key: key.into(), sender, has_ended: false });
        Ok(receiver)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Waits until there are none.
    pub(super) async fn ended(&self) {
        loop {
            let mut ended = pin!(self.ended.notified());
            // From here on it is heard.
            ended.as_mut().enable();
            if self.len() == 0 {
                return;
            }
            ended.await;
        }
    }

    /// Each change of the map is whole, so it is good whatever happened to a thread.
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, watch::Receiver<Stage>>> {
        self.by_origin.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pilot {
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn tell(&self, stage: Stage) {
        self.sender.send_replace(stage);
    }

    /// Tells the last stage. Whoever asks anew after hearing of it begins another flight.
    pub(super) fn end(mut self, stage: Stage) {
        self.leave();
        self.tell(stage);
    }

    fn leave(&mut self) {
        self.has_ended = true;
        let mut by_origin = self.flights.lock();
        by_origin.remove(&self.key);
        if by_origin.is_empty() {
            self.flights.ended.notify_waiters();
        }
    }
}

impl Drop for Pilot {
    fn drop(&mut self) {
        if !self.has_ended {
            self.leave();
        }
    }
}
