//! regex-automata's lazy DFA, for rule sets whose own DFA is over the budget.
//!
//! The rules become one Thompson NFA with a pattern for each run of precedence, the highest
//! first; leftmost-first search then finds exactly the highest run that matches. Its states
//! are built while targets are read, and kept in a cache.
//!
//! NFA and caches are built when a policy is asked and lie in a pool with one bound for the
//! whole process; what was not used for longest makes room. At rest a policy is only its
//! rules. A policy whose cache thrashes gives up and never comes back: hostile rules would
//! cost a state for each octet of each target.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, BuildError, NFA, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input, MatchKind};

use crate::automaton::{NO_NODE, Run, Trie, verdict_of};
use crate::decision::Verdict;
use crate::rules::RuleSet;

/// The octets that all idle lazy DFAs of the process may occupy together.
const POOL_LIMIT_BYTES: usize = 64 << 20;
/// The octets that the cache of one may occupy.
const CACHE_LIMIT_BYTES: usize = 2 << 20;
/// The octets of an NFA at most; beyond it no lazy DFA is tried.
const NFA_LIMIT_BYTES: usize = 16 << 20;
/// After so many clearings of the cache the DFA must earn its keep …
const CLEARINGS: usize = 4;
/// … by reading so many octets for each state that it builds.
const OCTETS_PER_STATE: usize = 8;

/// The lazy DFA cannot be built, or its cache thrashes: another engine must decide.
#[derive(Debug)]
pub(crate) struct GaveUp;

impl From<BuildError> for GaveUp {
    fn from(_: BuildError) -> GaveUp {
        GaveUp
    }
}

/// The handle of a policy to its lazy DFA in the pool.
#[derive(Debug)]
pub(crate) struct Lazy {
    id: u64,
}

/// A lazy DFA with a cache, in use by one thread.
struct Ready {
    id: u64,
    dfa: Arc<DFA>,
    cache: Cache,
}

/// What the pool holds of one policy.
struct Pooled {
    dfa: Arc<DFA>,
    caches: Vec<Cache>,
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
    pub(crate) fn new() -> Lazy {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        Lazy { id: NEXT_ID.fetch_add(1, Ordering::Relaxed) }
    }

    /// The verdict on a normalised target without its first `/`.
    ///
    /// # Errors
    /// [`GaveUp`]: then it is no use to ask again.
    pub(crate) fn verdict(&self, rules: &RuleSet, rest: &[u8]) -> Result<Verdict, GaveUp> {
        LAST.with_borrow_mut(|last| {
            if last.as_ref().is_none_or(|ready| ready.id != self.id) {
                let ready = self.take(rules)?;
                if let Some(before) = last.replace(ready) {
                    put_back(before);
                }
            }
            let ready = last.as_mut().expect("was just put there");
            let input = Input::new(rest).anchored(Anchored::Yes);
            match ready.dfa.try_search_fwd(&mut ready.cache, &input) {
                // Pattern 0 is the highest run.
                Ok(Some(found)) => {
                    let patterns = ready.dfa.pattern_len() as Run;
                    Ok(verdict_of(patterns - found.pattern().as_u32()))
                }
                Ok(None) => Ok(Verdict::Allow),
                Err(_) => {
                    *last = None;
                    self.leave_pool();
                    Err(GaveUp)
                }
            }
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
            let dfa = Arc::clone(&pooled.dfa);
            let cache = pooled.caches.pop();
            let taken_bytes = cache.as_ref().map_or(0, Cache::memory_usage);
            pooled.bytes -= taken_bytes;
            pool.bytes -= taken_bytes;
            let cache = cache.unwrap_or_else(|| dfa.create_cache());
            return Ok(Ready { id: self.id, dfa, cache });
        }
        drop(pool);
        let dfa = Arc::new(build(rules)?);
        let cache = dfa.create_cache();
        Ok(Ready { id: self.id, dfa, cache })
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
    let dfa_bytes = ready.dfa.memory_usage() + ready.dfa.get_nfa().memory_usage();
    let cache_bytes = ready.cache.memory_usage();
    let pooled = pool.by_id.entry(ready.id).or_insert_with(|| Pooled {
        dfa: ready.dfa,
        caches: Vec::new(),
        bytes: 0,
        last_used: 0,
    });
    let added = cache_bytes + if pooled.bytes == 0 { dfa_bytes } else { 0 };
    pooled.bytes += added;
    pooled.caches.push(ready.cache);
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

/// Why there is none does not matter: another engine decides.
fn build(rules: &RuleSet) -> Result<DFA, GaveUp> {
    let config = DFA::config()
        .match_kind(MatchKind::LeftmostFirst)
        .cache_capacity(CACHE_LIMIT_BYTES)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(CLEARINGS))
        .minimum_bytes_per_state(Some(OCTETS_PER_STATE));
    DFA::builder().configure(config).build_from_nfa(build_nfa(rules)?).map_err(|_| GaveUp)
}

/// One pattern for each run, the highest first; each is the run's trie.
fn build_nfa(rules: &RuleSet) -> Result<NFA, GaveUp> {
    let mut builder = thompson::Builder::new();
    builder.set_size_limit(Some(NFA_LIMIT_BYTES))?;
    let mut trie = Trie::default();
    let mut starts = Vec::new();
    for run in (1..=Trie::highest_run(rules)).rev() {
        trie.build_run(rules, run);
        builder.start_pattern()?;
        let start = add_trie(&mut builder, &trie)?;
        builder.finish_pattern(start)?;
        starts.push(start);
    }
    let start = builder.add_union(starts)?;
    Ok(builder.build(start, start)?)
}

fn add_trie(builder: &mut thompson::Builder, trie: &Trie) -> Result<StateID, GaveUp> {
    let matches = builder.add_match()?;
    let mut states: Vec<StateID> = Vec::with_capacity(trie.len());
    // Children come before their parents.
    for id in 0..trie.len() as u32 {
        let node = trie.node(id);
        let state = if node.end != 0 {
            // Nothing that follows can change what has matched.
            matches
        } else {
            let mut ways = Vec::new();
            match *trie.edges(id) {
                [] => {}
                [(octet, child)] => {
                    let next = states[child as usize];
                    ways.push(builder.add_range(Transition { start: octet, end: octet, next })?);
                }
                ref edges => {
                    let transition = |(octet, child): &(u8, u32)| Transition {
                        start: *octet,
                        end: *octet,
                        next: states[*child as usize],
                    };
                    ways.push(builder.add_sparse(edges.iter().map(transition).collect())?);
                }
            }
            if node.end_anchored != 0 {
                ways.push(builder.add_look(matches, Look::End)?);
            }
            if node.star != NO_NODE {
                ways.push(states[node.star as usize]);
            }
            if node.is_star {
                let every = Transition { start: 0, end: 255, next: StateID::ZERO };
                let again = builder.add_range(every)?;
                ways.push(again);
                let state = builder.add_union(ways)?;
                builder.patch(again, state)?;
                state
            } else if let [way] = ways[..] {
                way
            } else {
                // No way at all: a union of nothing never matches.
                builder.add_union(ways)?
            }
        };
        states.push(state);
    }
    Ok(states[trie.root() as usize])
}
