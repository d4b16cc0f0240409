//! A DFA whose states are built on demand, for rule sets whose own DFA is over the budget.
//!
//! Its trie and states are built when a policy is asked and lie in a pool with one bound for the
//! whole process; what was not used for longest makes room. At rest a policy is only its
//! rules. A policy whose states thrash gives up and never comes back.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::automaton::{GaveUp, Source, States};
use crate::decision::Verdict;
use crate::normalise::Encoding;
use crate::rules::RuleSet;
use crate::target::Target;

/// The octets that all idle lazy DFAs of the process may occupy together.
const POOL_LIMIT_BYTES: usize = 64 << 20;

/// The handle of a policy to its lazy DFA in the pool.
#[derive(Debug)]
pub(crate) struct Lazy {
    id: u64,
    encoding: Encoding,
}

/// A lazy DFA in use by one thread.
struct Ready {
    id: u64,
    source: Arc<Source>,
    states: States,
}

/// What the pool holds of one policy.
struct Pooled {
    source: Arc<Source>,
    states: Vec<States>,
    /// Octets of all of it.
    bytes: usize,
    last_used: u64,
}

#[derive(Default)]
struct Pool {
    by_id: HashMap<u64, Pooled>,
    bytes: usize,
    clock: u64,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

thread_local! {
    /// What this thread used last: most often it is what it needs next.
    static LAST: RefCell<Option<Ready>> = const { RefCell::new(None) };
}

impl Lazy {
    pub(crate) fn new(encoding: Encoding) -> Lazy {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        Lazy { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), encoding }
    }

    /// The verdict on a target.
    ///
    /// # Errors
    /// [`GaveUp`]: then it is no use to ask again.
    pub(crate) fn verdict(&self, rules: &RuleSet, target: &Target<'_>) -> Result<Verdict, GaveUp> {
        LAST.with_borrow_mut(|last| {
            if last.as_ref().is_none_or(|ready| ready.id != self.id) {
                let ready = self.take(rules)?;
                if let Some(before) = last.replace(ready) {
                    put_back(before);
                }
            }
            let ready = last.as_mut().expect("was just put there");
            let verdict = ready.states.verdict(&ready.source, target);
            if verdict.is_err() {
                *last = None;
                self.leave_pool();
            }
            verdict
        })
    }

    fn leave_pool(&self) {
        let mut pool = lock_pool();
        if let Some(pooled) = pool.by_id.remove(&self.id) {
            pool.bytes -= pooled.bytes;
        }
    }

    fn take(&self, rules: &RuleSet) -> Result<Ready, GaveUp> {
        let mut pool = lock_pool();
        if let Some(pooled) = pool.by_id.get_mut(&self.id) {
            let source = Arc::clone(&pooled.source);
            let states = pooled.states.pop();
            let taken_bytes = states.as_ref().map_or(0, States::memory_usage);
            pooled.bytes -= taken_bytes;
            pool.bytes -= taken_bytes;
            return Ok(Ready { id: self.id, source, states: states.unwrap_or_else(States::new) });
        }
        drop(pool);
        let source = Arc::new(Source::new(rules, self.encoding)?);
        Ok(Ready { id: self.id, source, states: States::new() })
    }
}

impl Drop for Lazy {
    fn drop(&mut self) {
        self.leave_pool();
    }
}

/// The pool, whatever happened to a thread that held it: each change of it is whole.
struct PoolGuard(MutexGuard<'static, Option<Pool>>);

fn lock_pool() -> PoolGuard {
    let mut guard = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    guard.get_or_insert_with(Pool::default);
    PoolGuard(guard)
}

impl std::ops::Deref for PoolGuard {
    type Target = Pool;

    fn deref(&self) -> &Pool {
        self.0.as_ref().expect("filled when it was locked")
    }
}

impl std::ops::DerefMut for PoolGuard {
    fn deref_mut(&mut self) -> &mut Pool {
        self.0.as_mut().expect("filled when it was locked")
    }
}

fn put_back(ready: Ready) {
    let mut pool = lock_pool();
    pool.clock += 1;
    let clock = pool.clock;
    let source_bytes = ready.source.memory_usage();
    let states_bytes = ready.states.memory_usage();
    let pooled = pool.by_id.entry(ready.id).or_insert_with(|| Pooled {
        source: ready.source,
        states: Vec::new(),
        bytes: 0,
        last_used: 0,
    });
    let added = states_bytes + if pooled.bytes == 0 { source_bytes } else { 0 };
    pooled.bytes += added;
    pooled.states.push(ready.states);
    pooled.last_used = clock;
    pool.bytes += added;
    while pool.bytes > POOL_LIMIT_BYTES {
        let oldest = pool.by_id.iter().min_by_key(|(_, pooled)| pooled.last_used);
        let Some(oldest) = oldest.map(|(id, _)| *id) else { return };
        if let Some(pooled) = pool.by_id.remove(&oldest) {
            pool.bytes -= pooled.bytes;
        }
    }
}

/// The octets that the idle lazy DFAs of the process occupy now: 64 MiB at most. Those in
/// use, one for each thread at most, come on top.
pub fn lazy_pool_bytes() -> usize {
    lock_pool().bytes
}
