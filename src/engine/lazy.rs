//! A DFA whose states are built on demand, for rule sets whose own DFA is over the budget.
//!
//! Its trie and states are built when a policy is asked and lie in a pool with one bound for the
//! whole process; what was not used for longest makes room. At rest a policy is only its
//! rules. A policy whose states thrash gives up and never comes back.
//!
//! To build costs as much as to try the rules some dozens of times. So a policy that is not in
//! the pool tries its rules until that is paid: where more policies are asked in turn than the
//! pool holds, none is built for one question.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::automaton::{GaveUp, Source, States};
use crate::rules::RuleSet;
use crate::rules::normalise::Encoding;
use crate::rules::target::Target;
use crate::verdict::Verdict;

/// The bytes that all idle lazy DFAs of the process may occupy together.
const POOL_LIMIT_BYTES: usize = 64 << 20;

/// The handle of a policy to its lazy DFA in the pool.
#[derive(Debug)]
pub(crate) struct Lazy {
    id: u64,
    encoding: Encoding,
    /// How often the rules were tried since it was last in the pool.
    tried: AtomicU32,
    build_after: u32,
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
    /// Bytes of all of it.
    bytes: usize,
    last_used: u64,
}

#[derive(Default)]
struct Pool {
    by_id: HashMap<u64, Pooled>,
    /// What to drop next: the numbers of policies by their last use.
    by_use: BTreeMap<u64, u64>,
    bytes: usize,
    clock: u64,
}

impl Pool {
    fn remove(&mut self, id: u64) {
        if let Some(pooled) = self.by_id.remove(&id) {
            self.by_use.remove(&pooled.last_used);
            self.bytes -= pooled.bytes;
        }
    }
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

thread_local! {
    /// What this thread used last: most often it is what it needs next.
    static LAST: RefCell<Option<Ready>> = const { RefCell::new(None) };
}

impl Lazy {
    /// One that is built after so many questions, whenever it is not in the pool.
    pub(crate) fn new(encoding: Encoding, build_after: u32) -> Lazy {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Lazy { id, encoding, tried: AtomicU32::new(0), build_after }
    }

    /// The verdict on a target.
    ///
    /// # Errors
    /// [`GaveUp`]: then it is no use to ask again.
    pub(crate) fn verdict(&self, rules: &RuleSet, target: &Target<'_>) -> Result<Verdict, GaveUp> {
        LAST.with_borrow_mut(|last| {
            let ready = match last {
                Some(ready) if ready.id == self.id => ready,
                _ => match self.take(rules, target)? {
                    Some(ready) => {
                        if let Some(before) = last.replace(ready) {
                            put_back(before);
                        }
                        last.as_mut().expect("was just put there")
                    }
                    None => return Ok(scan(rules, target)),
                },
            };
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
        pool.remove(self.id);
    }

    /// What is in the pool, or is built; `None` where the rules shall be tried instead.
    #[cold]
    fn take(&self, rules: &RuleSet, target: &Target<'_>) -> Result<Option<Ready>, GaveUp> {
        /// The bytes looked at when rules are tried, at most.
        const TRIED_BYTES: usize = 256 << 10;
        let mut pool = lock_pool();
        if let Some(pooled) = pool.by_id.get_mut(&self.id) {
            let source = Arc::clone(&pooled.source);
            let states = pooled.states.pop();
            let taken_bytes = states.as_ref().map_or(0, States::memory_usage);
            pooled.bytes -= taken_bytes;
            pool.bytes -= taken_bytes;
            let states = states.unwrap_or_else(States::new);
            return Ok(Some(Ready { id: self.id, source, states }));
        }
        drop(pool);
        if rules.len().saturating_mul(target.unended().len()) <= TRIED_BYTES
            && self.tried.fetch_add(1, Ordering::Relaxed) < self.build_after
        {
            return Ok(None);
        }
        self.tried.store(0, Ordering::Relaxed);
        let source = Arc::new(Source::new(rules, self.encoding)?);
        Ok(Some(Ready { id: self.id, source, states: States::new() }))
    }
}

/// The verdict by trying the rules.
fn scan(rules: &RuleSet, target: &Target<'_>) -> Verdict {
    rules.deciding(&target.to_buffer()).map_or(Verdict::Allow, |rule| rule.verdict)
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
    let last_used = std::mem::replace(&mut pooled.last_used, clock);
    pool.bytes += added;
    pool.by_use.remove(&last_used);
    pool.by_use.insert(clock, ready.id);
    while pool.bytes > POOL_LIMIT_BYTES {
        let Some((_, oldest)) = pool.by_use.pop_first() else { return };
        pool.remove(oldest);
    }
}

/// The bytes that the idle lazy DFAs of the process occupy now: 64 MiB at most. Those in
/// use, one for each thread at most, come on top.
pub fn lazy_pool_bytes() -> usize {
    lock_pool().bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::rules::RawRule;

    /// Rules are tried until building pays, but not on a target that makes it dear.
    #[test]
    fn built_when_it_pays() {
        let profile = Profile::RFC9309;
        let encoding = Encoding::of_target(&profile);
        let rule = RawRule { line: 1, verdict: Verdict::Disallow, value: b"/*a*b" };
        let rules = RuleSet::new([rule].into_iter(), &profile);
        let long = [b"/a".as_slice(), &[b'x'; 300 << 10], b"b"].concat();
        let is_ready = |lazy: &Lazy| {
            LAST.with_borrow(|last| last.as_ref().is_some_and(|ready| ready.id == lazy.id))
        };
        let ask = |lazy: &Lazy, path: &[u8]| {
            let target = Target::of_path(path, encoding).unwrap();
            (lazy.verdict(&rules, &target).unwrap(), is_ready(lazy))
        };
        let lazy = Lazy::new(encoding, 2);
        assert_eq!(ask(&lazy, b"/xaxb"), (Verdict::Disallow, false));
        assert_eq!(ask(&lazy, b"/xbxa"), (Verdict::Allow, false));
        assert_eq!(ask(&lazy, b"/xbxab"), (Verdict::Disallow, true));
        assert_eq!(ask(&lazy, b"/xbxa"), (Verdict::Allow, true));
        let other = Lazy::new(encoding, 2);
        assert_eq!(ask(&other, &long), (Verdict::Disallow, true));
        assert!(lazy_pool_bytes() > 0, "the first one went there");
        // It is still in the pool.
        assert_eq!(ask(&lazy, b"/xbxa"), (Verdict::Allow, true));
    }
}
