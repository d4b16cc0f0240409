//! Threads that take turns: what they make of numbered pieces is taken in the order of the numbers.
//!
//! There is no thread that only takes: one that has made its piece takes it if its turn has come, with
//! what waits behind it, while that is still in the cache of its core. If the turn is another thread's,
//! the piece waits, and whoever takes that one takes this one after it.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Whose turn it is, and what waits for its turn.
pub struct Turns<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    /// So many pieces may wait before no more are begun.
    most_waiting: usize,
}

struct State<T> {
    /// The number of the piece whose turn it is.
    next: u64,
    /// True while a thread takes, without the lock.
    is_taken: bool,
    /// What was made, by number.
    waiting: BTreeMap<u64, T>,
    /// True if nothing can be taken any more.
    is_over: bool,
}

impl<T> Turns<T> {
    pub fn new(most_waiting: usize) -> Turns<T> {
        let state = State { next: 0, is_taken: false, waiting: BTreeMap::new(), is_over: false };
        Turns { state: Mutex::new(state), changed: Condvar::new(), most_waiting }
    }

    /// Waits until another piece may be begun. Returns `false` if there is no use.
    ///
    /// The piece whose turn it is has been begun before, so it is made meanwhile.
    pub fn wait_for_room(&self) -> bool {
        let state = self.wait_while(self.lock(), |state| state.waiting.len() >= self.most_waiting);
        !state.is_over
    }

    /// Ends the waiting of all threads: nothing can be taken any more.
    pub fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while<'t>(
        &'t self,
        state: MutexGuard<'t, State<T>>,
        is_early: impl Fn(&State<T>) -> bool,
    ) -> MutexGuard<'t, State<T>> {
        let waited = self.changed.wait_while(state, |state| !state.is_over && is_early(state));
        waited.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The turn of one piece. If the thread panics that has it, all is over.
pub struct Turn<'t, T> {
    turns: &'t Turns<T>,
    number: u64,
    /// True if it has come, and this thread is the one that takes.
    has_come: bool,
}

impl<'t, T> Turn<'t, T> {
    /// The turn of the piece with this number. Numbers begin with 0, and none is left out.
    pub fn new(turns: &'t Turns<T>, number: u64) -> Turn<'t, T> {
        Turn { turns, number, has_come: false }
    }

    /// Waits until the turn comes, and calls `take`, for a part of the piece. Returns `false` if it does not
    /// come, because another thread failed.
    ///
    /// # Errors
    /// Returns an error if `take` does. Then all is over.
    pub fn part<E>(&mut self, take: impl FnOnce() -> Result<(), E>) -> Result<bool, E> {
        if !self.has_come {
            let is_early = |state: &State<T>| state.is_taken || state.next != self.number;
            let mut state = self.turns.wait_while(self.turns.lock(), is_early);
            if state.is_over {
                return Ok(false);
            }
            state.is_taken = true;
            self.has_come = true;
        }
        take().inspect_err(|_| self.turns.end())?;
        Ok(true)
    }

    /// Calls `take` for the piece, or the rest of it, and for those behind it that are made, if the turn has
    /// come, and leaves it to another thread if not.
    ///
    /// # Errors
    /// Returns an error if `take` does. Then all is over.
    pub fn finish<E>(self, made: T, mut take: impl FnMut(T) -> Result<(), E>) -> Result<(), E> {
        let mut state = self.turns.lock();
        state.waiting.insert(self.number, made);
        if state.is_over || state.is_taken && !self.has_come {
            return Ok(());
        }
        state.is_taken = true;
        loop {
            let next = state.next;
            let Some(made) = state.waiting.remove(&next) else { break };
            drop(state);
            take(made).inspect_err(|_| self.turns.end())?;
            state = self.turns.lock();
            state.next += 1;
        }
        state.is_taken = false;
        drop(state);
        self.turns.changed.notify_all();
        Ok(())
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.turns.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Makes a hundred pieces with some threads; `act` is called with each that is taken.
    fn taken(threads: u64, act: impl Fn(u64) -> Result<(), u64> + Sync) -> Vec<u64> {
        let (turns, begun, taken) = (Turns::new(2), AtomicU64::new(0), Mutex::default());
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while turns.wait_for_room() {
                        let number = begun.fetch_add(1, Ordering::Relaxed);
                        if number >= 100 {
                            break;
                        }
                        thread::sleep(std::time::Duration::from_micros(number * 37 % 500));
                        let mut turn = Turn::new(&turns, number);
                        if number % 7 == 3 && !matches!(turn.part(|| act(number)), Ok(true)) {
                            break;
                        }
                        let finished = turn.finish(number, |number| -> Result<(), u64> {
                            act(number)?;
                            let mut taken: MutexGuard<'_, Vec<u64>> = taken.lock().unwrap();
                            taken.push(number);
                            Ok(())
                        });
                        if finished.is_err() {
                            break;
                        }
                    }
                });
            }
        });
        taken.into_inner().unwrap()
    }

    #[test]
    fn pieces_are_taken_in_order() {
        for threads in [1, 2, 5] {
            assert!(taken(threads, |_| Ok(())).into_iter().eq(0..100), "{threads}");
            // Nobody waits for ever.
            for last in [20, 45] {
                let until = |number| if number == last { Err(number) } else { Ok(()) };
                assert!(taken(threads, until).into_iter().eq(0..last), "{threads}");
            }
        }
    }

    #[test]
    fn a_panic_ends_all() {
        let turns = Turns::<()>::new(1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _turn = Turn::new(&turns, 0);
            panic!("on purpose");
        }));
        assert!(panicked.is_err() && !turns.wait_for_room());
        let come = Turn::new(&turns, 1).part(|| Err("not called"));
        assert_eq!(come, Ok(false));
    }
}
