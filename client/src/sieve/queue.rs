//! The sites that a run has read and not asked yet.
//!
//! As long as no site has answered, they are asked in random order, and many are read before the
//! first is asked: so neither dead sites that come first stop a run, nor those that stopped it stop
//! the next one. Once a site has answered, they are asked in the order in which they came, unless
//! faults of this side make the run doubt again.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::select;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::watch::Watch;

/// The most sites that wait to be asked. Each takes some hundred bytes.
const MOST: usize = 1 << 17;

/// Sites are read before the first is asked until none has come for this long, or until so much time
/// has passed since the first.
const PAUSE: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(2);

/// How often a reader that waits for room looks whether the run was stopped.
const TICK: Duration = Duration::from_millis(100);

/// The sites that wait, put in by a thread that reads and taken out by a task that asks.
#[derive(Debug)]
pub struct Queue<T> {
    watch: Arc<Watch>,
    most: usize,
    line: Mutex<Line<T>>,
    /// Notified when there is a site, or no more.
    news: Notify,
    room: Condvar,
    random: RandomState,
}

#[derive(Debug)]
struct Line<T> {
    /// In order. What was taken from between others leaves a gap, which counts as full: the order
    /// stays, and a site is taken in constant time on average.
    slots: VecDeque<Option<T>>,
    full: usize,
    /// What is taken before all sites, in order.
    first: VecDeque<T>,
    /// The times at which the first site came, and the last.
    came: Option<(Instant, Instant)>,
    has_ended: bool,
    taken: u64,
}

impl<T> Queue<T> {
    /// For a run.
    #[must_use]
    pub fn new(watch: Arc<Watch>) -> Arc<Queue<T>> {
        Queue::of(watch, MOST)
    }

    fn of(watch: Arc<Watch>, most: usize) -> Arc<Queue<T>> {
        let line = Line {
            slots: VecDeque::new(),
            full: 0,
            first: VecDeque::new(),
            came: None,
            has_ended: false,
            taken: 0,
        };
        Arc::new(Queue {
            watch,
            most,
            line: Mutex::new(line),
            news: Notify::new(),
            room: Condvar::new(),
            random: RandomState::new(),
        })
    }

    fn line(&self) -> MutexGuard<'_, Line<T>> {
        // No code panics while it holds the lock.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a site in. Blocks while there is no room. Returns false if the run was stopped.
    pub fn push(&self, site: T) -> bool {
        self.put(|line| {
            line.slots.push_back(Some(site));
            line.full += 1;
            let now = Instant::now();
            line.came.get_or_insert((now, now)).1 = now;
        })
    }

    /// The same for what is no site to ask: it is taken before all others, in order.
    pub fn push_first(&self, other: T) -> bool {
        self.put(|line| line.first.push_back(other))
    }

    fn put(&self, put: impl FnOnce(&mut Line<T>)) -> bool {
        let mut line = self.line();
        while self.watch.stopped().is_none() && line.len() >= self.most {
            let waited = self.room.wait_timeout(line, TICK);
            line = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if self.watch.stopped().is_some() {
            return false;
        }
        put(&mut line);
        // Whoever takes waits for the first, or for time to pass, or for no room.
        let is_news = line.full + line.first.len() == 1 || !line.first.is_empty();
        let is_news = is_news || line.len() >= self.most;
        drop(line);
        if is_news {
            self.news.notify_one();
        }
        true
    }

    /// Notes that no more come.
    pub fn end(&self) {
        self.line().has_ended = true;
        self.news.notify_one();
    }

    /// Drops the sites that wait. Returns their number.
    pub fn clear(&self) -> u64 {
        let mut line = self.line();
        line.slots.clear();
        line.first.clear();
        std::mem::take(&mut line.full) as u64
    }

    /// Takes the next site, once there is one. `None` if no more come, or the run was stopped. One
    /// task takes.
    pub async fn take(&self) -> Option<T> {
        loop {
            if self.watch.stopped().is_some() {
                return None;
            }
            let at = {
                let mut line = self.line();
                let (is_proven, doubts) = (self.watch.is_proven(), self.watch.doubts());
                if let Some(first) = line.first.pop_front() {
                    self.room.notify_one();
                    return Some(first);
                }
                let at = line.came.map(|(first, last)| (last + PAUSE).min(first + LONGEST));
                let is_ready = is_proven
                    || line.has_ended
                    || line.len() >= self.most
                    || at.is_some_and(|at| at <= Instant::now());
                if is_ready && line.full > 0 {
                    let seed = line.taken;
                    let site = line.take(doubts.then(|| self.random.hash_one(seed)));
                    self.room.notify_one();
                    return site;
                }
                if line.full == 0 && line.has_ended {
                    return None;
                }
                at.filter(|_| line.full > 0)
            };
            let news = async {
                let (news, stop) = (pin!(self.news.notified()), pin!(self.watch.wait_for_stop()));
                select(news, stop).await;
            };
            match at {
                None => news.await,
                Some(at) => {
                    select(pin!(news), pin!(sleep_until(at))).await;
                }
            }
        }
    }
}

impl<T> Line<T> {
    /// The room that is taken.
    fn len(&self) -> usize {
        self.slots.len() + self.first.len()
    }

    /// The first site, or one that this number chooses.
    fn take(&mut self, chosen: Option<u64>) -> Option<T> {
        let slots = self.slots.len();
        let first = chosen.map_or(0, |number| (number % slots.max(1) as u64) as usize);
        let at = (first..slots).chain(0..first).find(|at| self.slots[*at].is_some())?;
        let site = self.slots[at].take();
        self.full -= 1;
        self.taken += 1;
        while let Some(None) = self.slots.front() {
            self.slots.pop_front();
        }
        site
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(watch: &Arc<Watch>, sites: usize) -> Arc<Queue<usize>> {
        let queue = Queue::of(Arc::clone(watch), sites.max(1));
        assert!((0..sites).all(|site| queue.push(site)));
        queue
    }

    async fn all(queue: &Queue<usize>) -> Vec<usize> {
        let mut all = Vec::new();
        while let Some(site) = queue.take().await {
            all.push(site);
        }
        all
    }

    /// Whatever came first, a run begins anywhere in what was read, and the next one elsewhere.
    #[tokio::test]
    async fn before_an_answer_the_order_is_random() {
        let watch = Watch::new();
        let mut orders = Vec::new();
        for _ in 0..3 {
            let queue = filled(&watch, 10_000);
            queue.end();
            let mut order = all(&queue).await;
            assert!(order[..200].iter().any(|site| *site >= 9_000), "of those that came last");
            orders.push(order.clone());
            order.sort_unstable();
            assert!(order.into_iter().eq(0..10_000));
        }
        assert_ne!(orders[0][..100], orders[1][..100]);
        assert_ne!(orders[1][..100], orders[2][..100]);
    }

    #[tokio::test]
    async fn after_an_answer_the_order_is_that_of_the_input() {
        let watch = Watch::new();
        let queue = filled(&watch, 1_000);
        let mut before = Vec::new();
        for _ in 0..300 {
            before.push(queue.take().await.unwrap());
        }
        watch.prove();
        queue.end();
        let after = all(&queue).await;
        assert!(after.is_sorted() && after.len() == 700);
        assert!(before.iter().all(|site| !after.contains(site)));
    }

    /// Sites that come one by one are asked when the first has waited for a moment.
    #[tokio::test(start_paused = true)]
    async fn a_slow_input_is_not_waited_for() {
        let watch = Watch::new();
        let queue = Queue::new(Arc::clone(&watch));
        assert!(queue.push(1));
        let began = Instant::now();
        assert_eq!(queue.take().await, Some(1));
        assert!((PAUSE..PAUSE * 2).contains(&began.elapsed()));
        assert!(queue.push_first(3) && queue.push(2) && queue.push_first(4));
        let next = [queue.take().await, queue.take().await, queue.take().await];
        assert_eq!(next, [Some(3), Some(4), Some(2)]);
        assert!(began.elapsed() < PAUSE * 3);
        tokio::time::advance(LONGEST).await;
        let began = Instant::now();
        assert!(queue.push(5));
        assert_eq!((queue.take().await, began.elapsed()), (Some(5), Duration::ZERO));
    }

    /// Memory is bounded, and a stop ends both sides.
    #[tokio::test]
    async fn no_room() {
        let watch = Watch::new();
        let queue = filled(&watch, 100);
        let reader = std::thread::spawn({
            let queue = Arc::clone(&queue);
            move || (100..300).take_while(|site| queue.push(*site)).count()
        });
        for _ in 0..50 {
            queue.take().await.unwrap();
        }
        watch.stop(super::super::watch::Stop::NoReader);
        assert!(reader.join().unwrap() < 200);
        assert_eq!(queue.take().await, None);
        assert!(queue.clear() <= 100);
        assert_eq!(queue.clear(), 0);
    }
}
