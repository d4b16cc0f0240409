//! Turns: how many requests run at a time to each host and each address, and how far apart they
//! begin.
//!
//! One address may serve very many sites, and a crawler that asks them all at once is an attack.
//! Whoever waits for a turn holds nothing else, so the other sites go on.
//!
//! Sites that share an address share its turns, and some of them may be hostile. What they can cost
//! the others is bounded by budgets. Once [`BUDGET`] is spent, an address is no longer left alone
//! because one of its sites wishes so. Once [`SLOW_BUDGET`] is, whoever has held a place for
//! [`BRIEF`] while others wait goes on beside them: another one gets a place too, up to [`MOST_BESIDE`]
//! at a time. Beyond these, whoever holds a place for longer than [`SLOW`] is asked to leave it, and
//! goes to the end of the line. So nobody is judged by a shorter time than others have.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until, timeout};

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
    holders: Mutex<Holders>,
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
/// The same for the time in which slow ones hold its places while others wait.
const SLOW_BUDGET: Duration = Duration::from_secs(8);

/// Whoever holds a place for longer is slow.
const SLOW: Duration = Duration::from_secs(3);
/// How long one holds a place, once the budget is spent, before another gets one beside.
const BRIEF: Duration = Duration::from_millis(250);
/// The most that may go on beside those who hold places.
const MOST_BESIDE: usize = 64;
/// How often those who wait look whether they wait for slow ones.
const TICK: Duration = Duration::from_secs(1);

/// Those who hold places.
struct Holders {
    all: Vec<Holder>,
    /// The number of the next one.
    next: u64,
    /// What slow ones have cost those who waited, and since when that is counted.
    cost: (Duration, Instant),
    /// The time up to which it is.
    counted: Instant,
}

struct Holder {
    number: u64,
    since: Instant,
    leave: Option<Leave>,
    /// True if another one got a place beside it.
    is_beside: bool,
}

/// Tells the holder of a place that others need it more.
#[derive(Clone, Default)]
pub(super) struct Leave(Arc<Notify>);

impl Leave {
    /// Waits until it does.
    pub(super) async fn asked(&self) {
        self.0.notified().await;
    }
}

/// The right to ask. Dropping it gives up the place.
pub(super) struct Turn {
    /// `None` where there is no limit.
    held: Option<Held>,
}

struct Held {
    gate: Arc<Gate>,
    number: u64,
    place: Option<OwnedSemaphorePermit>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut holders = lock(&self.gate.holders);
        let at = holders.all.iter().position(|holder| holder.number == self.number);
        let holder = at.map(|at| holders.all.swap_remove(at));
        // Another one has its place.
        if holder.is_some_and(|holder| holder.is_beside)
            && let Some(place) = self.place.take()
        {
            place.forget();
        }
    }
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
            let cost = (Duration::ZERO, now);
            let holders = Mutex::new(Holders { all: Vec::new(), next: 0, cost, counted: now });
            Arc::new(Gate { places: Arc::new(Semaphore::new(places)), schedule, holders })
        };
        Arc::clone(open.gates.entry(party).or_insert_with(new))
    }

    /// Waits for a turn. Those who wait get it in order. Whoever gives a `leave` may be asked to
    /// give up the place.
    pub(super) async fn turn(&self, party: P, leave: Option<&Leave>) -> Turn {
        let Some(places) = self.pace.places else { return Turn { held: None } };
        let gate = self.gate(party, places);
        let mut place = pin!(Arc::clone(&gate.places).acquire_owned());
        let place = loop {
            match timeout(gate.tick(), &mut place).await {
                Ok(place) => break place,
                Err(_) => gate.ask_slow_ones(places),
            }
        };
        let Ok(place) = place else {
            // The semaphore is never closed.
            return Turn { held: None };
        };
        gate.wait(self.pace.delay).await;
        gate.held(place, leave)
    }

    /// Waits until whoever has this turn may make a further request.
    pub(super) async fn again(&self, turn: &Turn) {
        if let Some(held) = &turn.held {
            held.gate.wait(self.pace.delay).await;
        }
    }

    /// A turn, if there is one now.
    pub(super) fn try_turn(&self, party: P, leave: Option<&Leave>) -> Option<Turn> {
        let Some(places) = self.pace.places else { return Some(Turn { held: None }) };
        let gate = self.gate(party, places);
        let place = Arc::clone(&gate.places).try_acquire_owned().ok()?;
        gate.begin(self.pace.delay).ok()?;
        Some(gate.held(place, leave))
    }
}

impl Gate {
    /// The turn of whoever has this place.
    fn held(self: &Arc<Self>, place: OwnedSemaphorePermit, leave: Option<&Leave>) -> Turn {
        let mut holders = lock(&self.holders);
        let number = holders.next;
        holders.next += 1;
        let leave = leave.cloned();
        holders.all.push(Holder { number, since: Instant::now(), leave, is_beside: false });
        Turn { held: Some(Held { gate: Arc::clone(self), number, place: Some(place) }) }
    }

    /// How long to wait before the slow ones are looked for.
    fn tick(&self) -> Duration {
        if lock(&self.holders).cost.0 >= SLOW_BUDGET { BRIEF } else { TICK }
    }

    /// Counts what slow ones cost those who wait. If that is too much, gives others places beside
    /// them, or asks them to leave.
    fn ask_slow_ones(&self, places: usize) {
        let now = Instant::now();
        let mut holders = lock(&self.holders);
        let Holders { all, cost, counted, .. } = &mut *holders;
        if now >= cost.1 + BUDGET_TIME {
            *cost = (Duration::ZERO, now);
        }
        let passed = now.saturating_duration_since(*counted).min(TICK);
        *counted = now;
        let is_spent = cost.0 >= SLOW_BUDGET;
        let (mut slow, mut beside) = (0, all.iter().filter(|holder| holder.is_beside).count());
        for holder in all.iter_mut() {
            let is_slow = now >= holder.since + SLOW;
            slow += u32::from(is_slow && !holder.is_beside);
            if !is_spent {
                continue;
            }
            if !holder.is_beside && now >= holder.since + BRIEF && beside < MOST_BESIDE {
                holder.is_beside = true;
                beside += 1;
                self.places.add_permits(1);
            } else if is_slow
                && beside >= MOST_BESIDE
                && let Some(leave) = holder.leave.take()
            {
                leave.0.notify_one();
            }
        }
        // Those who go on beside others cost them nothing.
        cost.0 += passed.mul_f64(f64::from(slow) / places as f64);
    }

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
        if let Some(Held { gate, .. }) = &self.held {
            let mut schedule = lock(&gate.schedule);
            schedule.next = schedule.next.max(Instant::now() + time);
        }
    }

    /// The same at the wish of one of many that share the party. What they can make the others wait
    /// for is bounded.
    pub(super) fn back_off_for_neighbours(&self, time: Duration) {
        if let Some(Held { gate, .. }) = &self.held {
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
        let first = gates.turn(1, None).await;
        let second = gates.turn(1, None).await;
        assert_eq!(began.elapsed().as_millis(), 100);
        // Nobody leaves, so nobody enters.
        assert!(tokio::time::timeout(Duration::from_secs(9), gates.turn(1, None)).await.is_err());
        assert!(gates.try_turn(1, None).is_none() && gates.try_turn(2, None).is_some());
        drop(first);
        assert!(gates.try_turn(1, None).is_some());
        drop(second);
    }

    #[tokio::test(start_paused = true)]
    async fn a_party_that_asks_for_a_pause_gets_it() {
        let gates = gates(2, Duration::ZERO);
        gates.turn(1, None).await.back_off(Duration::from_secs(30));
        assert!(gates.try_turn(1, None).is_none());
        let began = Instant::now();
        gates.turn(1, None).await;
        assert_eq!(began.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn neighbours_cost_no_more_than_their_budget() {
        let gates = gates(2, Duration::ZERO);
        let began = Instant::now();
        for _ in 0..40 {
            gates.turn(1, None).await.back_off_for_neighbours(Duration::from_secs(10));
        }
        assert_eq!(began.elapsed(), BUDGET);
        tokio::time::advance(BUDGET_TIME).await;
        gates.turn(1, None).await.back_off_for_neighbours(Duration::from_secs(10));
        assert!(gates.try_turn(1, None).is_none());
    }

    /// Holds a place for so long, and from the beginning again if asked to leave. Returns how often
    /// that was.
    async fn hold(gates: &Gates<u32>, time: Duration) -> usize {
        for left in 0.. {
            let leave = Leave::default();
            let _turn = gates.turn(1, (left < 3).then_some(&leave)).await;
            tokio::select! {
                () = tokio::time::sleep(time) => return left,
                () = leave.asked() => {}
            }
        }
        unreachable!()
    }

    /// Silent neighbours that come first, few or many, do not cost the others more than half a minute,
    /// and have all their time.
    #[tokio::test(start_paused = true)]
    async fn slow_neighbours_cost_no_more_than_their_budget() {
        for (tarpits, good) in [(40, 80), (120, 20), (400, 20)] {
            let gates = Arc::new(gates(2, Duration::from_millis(100)));
            let start = |time| {
                let gates = Arc::clone(&gates);
                tokio::spawn(async move { hold(&gates, time).await })
            };
            let began = Instant::now();
            let tarpits_: Vec<_> = (0..tarpits).map(|_| start(Duration::from_secs(30))).collect();
            tokio::task::yield_now().await;
            for good in (0..good).map(|_| start(Duration::from_millis(200))).collect::<Vec<_>>() {
                assert_eq!(good.await.unwrap(), 0);
            }
            // As long as if each of them took a quarter of a second, two at a time.
            let all = BRIEF / 2 * (tarpits + good);
            let bound = Duration::from_secs(30) + all;
            assert!(began.elapsed() <= bound, "{tarpits}: {:?} of {bound:?}", began.elapsed());
            for tarpit in tarpits_ {
                assert!(tarpit.await.unwrap() <= 3);
            }
            let gate = gates.gate(1, 2);
            assert_eq!(gate.places.available_permits(), 2);
        }
    }

    /// Nobody is asked to leave if nobody waits, or if all are quick.
    #[tokio::test(start_paused = true)]
    async fn nobody_leaves_without_a_reason() {
        let gates = gates(2, Duration::ZERO);
        assert_eq!(hold(&gates, Duration::from_secs(600)).await, 0);
        let quick = (0..200).map(|_| hold(&gates, Duration::from_secs(2)));
        let left = futures_util::future::join_all(quick).await;
        assert_eq!(left.iter().sum::<usize>(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_further_request_waits_too() {
        let gates = gates(1, Duration::from_secs(3));
        let began = Instant::now();
        let turn = gates.turn(1, None).await;
        gates.again(&turn).await;
        assert_eq!(began.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn gates_that_nobody_needs_are_removed() {
        let gates = gates(1, Duration::from_millis(1));
        let held = gates.turn(u32::MAX, None).await;
        for n in 0..100_000 {
            gates.turn(n, None).await;
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
        let all: Vec<Turn> = (0..100).filter_map(|_| gates.try_turn(1u32, None)).collect();
        assert_eq!(all.len(), 100);
        all[0].back_off(Duration::from_secs(9));
        gates.turn(1, None).await;
    }
}
