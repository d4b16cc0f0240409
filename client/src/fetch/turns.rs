//! Turns: how many requests run at a time to each host and each address, and how far apart they
//! begin.
//!
//! One address may serve very many sites, and a crawler that asks them all at once is an attack.
//! Whoever waits for a turn holds nothing else, so the other sites go on.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// The number of gates that are kept before those that nobody needs are looked for.
const MIN_SWEEP: usize = 1024;

/// The settings of turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The number of requests that run at a time to one host or address. No limit, no delay if
    /// `None`.
    pub(super) places: Option<usize>,
    /// The least time between the beginnings of two requests.
    pub(super) delay: Duration,
}

/// The turns of all hosts and all addresses.
pub(super) struct Turns {
    pub(super) hosts: Gates<String>,
    pub(super) addresses: Gates<IpAddr>,
}

impl Turns {
    pub(super) fn new(hosts: Pace, addresses: Pace) -> Turns {
        Turns { hosts: Gates::new(hosts), addresses: Gates::new(addresses) }
    }
}

/// One gate for each party that somebody asks, waits for, or has asked a moment ago.
pub(super) struct Gates<P> {
    pace: Pace,
    open: Mutex<Open<P>>,
}

struct Open<P> {
    gates: HashMap<P, Arc<Gate>>,
    /// At this number, the gates that nobody needs are removed.
    sweep_at: usize,
}

struct Gate {
    places: Arc<Semaphore>,
    schedule: Mutex<Schedule>,
}

struct Schedule {
    /// The time at which the next request may begin.
    next: Instant,
    /// How long neighbours have had it paused, and since when that is counted.
    paused: (Duration, Instant),
}

/// What neighbours may have a party paused for, in a time of [`BUDGET_TIME`].
const BUDGET: Duration = Duration::from_secs(30);
const BUDGET_TIME: Duration = Duration::from_secs(10 * 60);

/// The right to ask. Dropping it gives up the place.
pub(super) struct Turn {
    /// `None` where there is no limit.
    held: Option<(Arc<Gate>, OwnedSemaphorePermit)>,
}

impl<P: Eq + Hash> Gates<P> {
    fn new(pace: Pace) -> Gates<P> {
        Gates { pace, open: Mutex::new(Open { gates: HashMap::new(), sweep_at: MIN_SWEEP }) }
    }

    fn gate(&self, party: P, places: usize) -> Arc<Gate> {
        let mut open = lock(&self.open);
        if open.gates.len() >= open.sweep_at {
            let now = Instant::now();
            // Gates are cloned only under this lock, so one that is held only here stays so.
            open.gates
                .retain(|_, gate| Arc::strong_count(gate) > 1 || lock(&gate.schedule).next > now);
            open.sweep_at = MIN_SWEEP.max(open.gates.len() * 2);
        }
        let new = || {
            let now = Instant::now();
            let schedule = Mutex::new(Schedule { next: now, paused: (Duration::ZERO, now) });
            Arc::new(Gate { places: Arc::new(Semaphore::new(places)), schedule })
        };
        Arc::clone(open.gates.entry(party).or_insert_with(new))
    }

    /// Waits for a turn. Those who wait get it in order.
    pub(super) async fn turn(&self, party: P) -> Turn {
        let Some(places) = self.pace.places else { return Turn { held: None } };
        let gate = self.gate(party, places);
        let Ok(place) = Arc::clone(&gate.places).acquire_owned().await else {
            // The semaphore is never closed.
            return Turn { held: None };
        };
        gate.wait(self.pace.delay).await;
        Turn { held: Some((gate, place)) }
    }

    /// Waits until whoever has this turn may make a further request.
    pub(super) async fn again(&self, turn: &Turn) {
        if let Some((gate, _)) = &turn.held {
            gate.wait(self.pace.delay).await;
        }
    }

    /// A turn, if there is one now.
    pub(super) fn try_turn(&self, party: P) -> Option<Turn> {
        let Some(places) = self.pace.places else { return Some(Turn { held: None }) };
        let gate = self.gate(party, places);
        let place = Arc::clone(&gate.places).try_acquire_owned().ok()?;
        gate.begin(self.pace.delay).ok()?;
        Some(Turn { held: Some((gate, place)) })
    }
}

impl Gate {
    /// Begins a request, or says when the next may begin.
    fn begin(&self, delay: Duration) -> Result<(), Instant> {
        let mut schedule = lock(&self.schedule);
        let now = Instant::now();
        if now < schedule.next {
            return Err(schedule.next);
        }
        schedule.next = now + delay;
        Ok(())
    }

    /// Begins a request as soon as it may begin.
    async fn wait(&self, delay: Duration) {
        while let Err(next) = self.begin(delay) {
            sleep_until(next).await;
        }
    }
}

impl Turn {
    /// Lets no request to this party begin for some time.
    pub(super) fn back_off(&self, time: Duration) {
        if let Some((gate, _)) = &self.held {
            let mut schedule = lock(&gate.schedule);
            schedule.next = schedule.next.max(Instant::now() + time);
        }
    }

    /// The same at the wish of one of many that share the party. What they can make the others wait
    /// for is bounded.
    pub(super) fn back_off_for_neighbours(&self, time: Duration) {
        if let Some((gate, _)) = &self.held {
            let mut schedule = lock(&gate.schedule);
            let now = Instant::now();
            if now >= schedule.paused.1 + BUDGET_TIME {
                schedule.paused = (Duration::ZERO, now);
            }
            let until = now + time.min(BUDGET - schedule.paused.0);
            let begin = schedule.next.max(now);
            schedule.paused.0 += until.saturating_duration_since(begin);
            schedule.next = until.max(schedule.next);
        }
    }
}

/// Locks. The value behind a lock stays valid if its holder panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gates(places: usize, delay: Duration) -> Gates<u32> {
        Gates::new(Pace { places: Some(places), delay })
    }

    #[tokio::test(start_paused = true)]
    async fn places_are_limited_and_beginnings_apart() {
        let gates = gates(2, Duration::from_millis(100));
        let began = Instant::now();
        let first = gates.turn(1).await;
        let second = gates.turn(1).await;
        assert_eq!(began.elapsed().as_millis(), 100);
        // Nobody leaves, so nobody enters.
        assert!(tokio::time::timeout(Duration::from_secs(9), gates.turn(1)).await.is_err());
        assert!(gates.try_turn(1).is_none() && gates.try_turn(2).is_some());
        drop(first);
        assert!(gates.try_turn(1).is_some());
        drop(second);
    }

    #[tokio::test(start_paused = true)]
    async fn a_party_that_asks_for_a_pause_gets_it() {
        let gates = gates(2, Duration::ZERO);
        gates.turn(1).await.back_off(Duration::from_secs(30));
        assert!(gates.try_turn(1).is_none());
        let began = Instant::now();
        gates.turn(1).await;
        assert_eq!(began.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn neighbours_cost_no_more_than_their_budget() {
        let gates = gates(2, Duration::ZERO);
        let began = Instant::now();
        for _ in 0..40 {
            gates.turn(1).await.back_off_for_neighbours(Duration::from_secs(10));
        }
        assert_eq!(began.elapsed(), BUDGET);
        tokio::time::advance(BUDGET_TIME).await;
        gates.turn(1).await.back_off_for_neighbours(Duration::from_secs(10));
        assert!(gates.try_turn(1).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_further_request_waits_too() {
        let gates = gates(1, Duration::from_secs(3));
        let began = Instant::now();
        let turn = gates.turn(1).await;
        gates.again(&turn).await;
        assert_eq!(began.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn gates_that_nobody_needs_are_removed() {
        let gates = gates(1, Duration::from_millis(1));
        let held = gates.turn(u32::MAX).await;
        for n in 0..100_000 {
            gates.turn(n).await;
            tokio::time::advance(Duration::from_millis(2)).await;
        }
        let open = lock(&gates.open);
        assert!(open.gates.len() <= 2 * MIN_SWEEP, "{}", open.gates.len());
        assert!(open.gates.contains_key(&u32::MAX));
        drop(held);
    }

    #[tokio::test]
    async fn without_a_limit_nobody_waits() {
        let gates = Gates::new(Pace { places: None, delay: Duration::from_secs(9) });
        let all: Vec<Turn> = (0..100).filter_map(|_| gates.try_turn(1u32)).collect();
        assert_eq!(all.len(), 100);
        all[0].back_off(Duration::from_secs(9));
        gates.turn(1).await;
    }
}
