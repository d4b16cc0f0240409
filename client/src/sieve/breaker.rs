//! Pauses: after faults of this side in a row, and of a site whose attempts panic or are not
//! confirmed.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::sites::TARGET;
use crate::outcome::{LocalFault, LocalKind};

/// The first pause. Each further one is twice as long, up to [`LONGEST`].
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

/// The number of sites with a pause of their own that are remembered.
const MAX_SITES: usize = 4096;

/// A half-open circuit breaker. After `after` local faults in a row no attempt is let through
/// until the pause is over. Then a single one is, as a trial: an outcome ends the pause, another
/// fault doubles it. Sites whose attempts panic, or fail while nothing shows that the network works,
/// are paused in the same way, each for itself.
pub(super) struct Breaker {
    after: u32,
    state: Mutex<Faults>,
    jitter: foldhash::fast::RandomState,
}

#[derive(Default)]
struct Faults {
    in_a_row: u32,
    paused: Option<Pause>,
    sites: HashMap<Box<str>, Pause>,
    pauses: u64,
}

struct Pause {
    until: Instant,
    wait: Duration,
    fault: LocalFault,
    /// True if the trial is running.
    on_trial: bool,
}

impl Pause {
    /// True if an attempt may be made now, which is then the trial.
    fn admits(&mut self, now: Instant) -> bool {
        let admits = !self.on_trial && now >= self.until;
        self.on_trial |= admits;
        admits
    }
}

/// Permission for one attempt. Dropping it says that the attempt was abandoned.
pub(super) struct Permit {
    breaker: Arc<Breaker>,
    key: Box<str>,
    /// True if the attempt is the trial that ends a pause or prolongs it.
    is_trial: bool,
}

impl Breaker {
    pub(super) fn new(after: u32) -> Breaker {
        Breaker { after: after.max(1), state: Mutex::default(), jitter: Default::default() }
    }

    /// Permits an attempt, or returns the fault because of which there is none now.
    pub(super) fn admit(self: &Arc<Self>, key: &str) -> Result<Permit, LocalFault> {
        let mut state = self.lock();
        let mut is_trial = false;
        if state.paused.is_some() || !state.sites.is_empty() {
            let now = Instant::now();
            // The site comes first: a site that is refused must not use up the trial of all.
            if let Some(site) = state.sites.get_mut(key)
                && !site.admits(now)
            {
                return Err(site.fault.clone());
            }
            if let Some(all) = &mut state.paused
                && !all.admits(now)
            {
                let fault = all.fault.clone();
                if let Some(site) = state.sites.get_mut(key) {
                    site.on_trial = false;
                }
                return Err(fault);
            }
            is_trial = state.paused.is_some();
        }
        Ok(Permit { breaker: Arc::clone(self), key: key.into(), is_trial })
    }

    /// True if no attempts are made now but for a trial.
    pub(super) fn is_paused(&self) -> bool {
        self.lock().paused.is_some()
    }

    /// The number of pauses.
    pub(super) fn pauses(&self) -> u64 {
        self.lock().pauses
    }

    /// Three quarters to five quarters of a wait, so that many programs do not ask in step.
    fn until(&self, wait: Duration) -> Instant {
        let now = Instant::now();
        let share = self.jitter.hash_one(now) % 512;
        now + wait.mul_f64(0.75 + share as f64 / 1024.0)
    }

    fn pause(&self, before: Option<&Pause>, fault: &LocalFault) -> Pause {
        let wait = before.map_or(FIRST, |pause| (2 * pause.wait).min(LONGEST));
        Pause { until: self.until(wait), wait, fault: fault.clone(), on_trial: false }
    }

    /// Each change of the state is complete, so it stays valid if a thread panics.
    fn lock(&self) -> MutexGuard<'_, Faults> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// The attempt had an outcome.
    pub(super) fn worked(self) {
        let mut state = self.breaker.lock();
        state.in_a_row = 0;
        // What failed while nothing had answered may be asked again.
        state.sites.retain(|site, pause| {
            **site != *self.key && pause.fault.kind != LocalKind::Unconfirmed
        });
        let was_paused = state.paused.take().is_some();
        drop(state);
        if was_paused {
            tracing::info!(target: TARGET, "attempts work again");
        }
    }

    /// The attempt ended in a local fault.
    pub(super) fn failed(self, fault: &LocalFault) {
        let mut state = self.breaker.lock();
        state.sites.remove(&self.key);
        self.count(state, fault);
    }

    /// The attempt failed, and nothing shows that the network works. Its site is paused at once;
    /// others may show more.
    pub(super) fn unconfirmed(self, fault: &LocalFault) {
        drop(self.pause_site(fault));
        tracing::debug!(target: TARGET, origin = &*self.key, %fault, "no outcome");
    }

    /// The attempt panicked: its site is paused at once.
    pub(super) fn panicked(self, fault: &LocalFault) {
        let state = self.pause_site(fault);
        self.count(state, fault);
    }

    fn pause_site(&self, fault: &LocalFault) -> MutexGuard<'_, Faults> {
        let mut state = self.breaker.lock();
        if state.sites.len() >= MAX_SITES && !state.sites.contains_key(&self.key) {
            let now = Instant::now();
            state.sites.retain(|_, site| site.on_trial || now < site.until);
            if state.sites.len() >= MAX_SITES {
                state.sites.retain(|_, site| site.on_trial);
            }
        }
        let pause = self.breaker.pause(state.sites.get(&self.key), fault);
        state.sites.insert(self.key.clone(), pause);
        state
    }

    /// Counts a fault, pauses if there were enough in a row, and logs: the first fault and each
    /// pause as a warning.
    fn count(&self, mut state: MutexGuard<'_, Faults>, fault: &LocalFault) {
        state.in_a_row = state.in_a_row.saturating_add(1);
        let in_a_row = state.in_a_row;
        let begins = match &state.paused {
            // Other attempts began before the pause.
            Some(_) => self.is_trial,
            None => in_a_row >= self.breaker.after,
        };
        if begins {
            let pause = self.breaker.pause(state.paused.as_ref(), fault);
            let seconds = pause.wait.as_secs();
            state.paused = Some(pause);
            state.pauses += 1;
            drop(state);
            tracing::warn!(
                target: TARGET, %fault, in_a_row, seconds,
                "nothing is fetched for a while: attempts fail on this side"
            );
            return;
        }
        drop(state);
        if in_a_row == 1 {
            tracing::warn!(target: TARGET, origin = &*self.key, %fault, "no outcome");
        } else {
            tracing::debug!(target: TARGET, origin = &*self.key, %fault, "no outcome");
        }
    }
}

impl Drop for Permit {
    /// A trial that was abandoned leaves its place to another.
    fn drop(&mut self) {
        let mut state = self.breaker.lock();
        if let Some(site) = state.sites.get_mut(&self.key) {
            site.on_trial = false;
        }
        if let Some(pause) = state.paused.as_mut().filter(|_| self.is_trial) {
            pause.on_trial = false;
        }
    }
}
