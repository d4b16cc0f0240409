//! regex-automata's lazy DFA, for rule sets whose own DFA is over the budget.
//!
//! The rules become one Thompson NFA. Neighbours in the order of precedence with the same
//! verdict are one pattern, and the pattern of highest precedence comes first, so that a
//! leftmost-first search finds the pattern that decides. A state of the DFA is built when a
//! target first visits it, and kept.
//!
//! At rest a policy is only its rules. NFAs and states lie in a pool with one bound for the
//! whole process, and the least recently used make room. A policy that builds too much for
//! what it reads gives up for good: hostile rules can ask for a new state at every byte.
//!
//! Building costs as much as trying the rules a hundred times. So a policy that is not in the
//! pool tries its rules until building pays. Where more policies take turns than the pool can
//! hold, none is built for a single question.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, BuildError, NFA, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use smallvec::SmallVec;

use crate::engine::scan;
use crate::rules::normalise::Encoding;
use crate::rules::target::{Target, TargetBuffer};
use crate::rules::{Pattern, RuleSet};
use crate::verdict::Verdict;

/// The bytes that all idle lazy DFAs of the process may occupy together.
const POOL_LIMIT_BYTES: usize = 64 << 20;
/// The bytes of an NFA; a rule set that needs more has no lazy DFA.
const NFA_LIMIT_BYTES: usize = 16 << 20;
/// The bytes of the states of one DFA. When they are full, all states are dropped.
const CACHE_LIMIT_BYTES: usize = 2 << 20;
/// The work that a DFA may spend on its states, and how much more for each byte it reads.
///
/// Building a transition counts as many units as the largest state so far has bytes, its row
/// of transitions apart: one to two for each live NFA state, and up to 8 nanoseconds each.
/// Real policies have spent a quarter of it when they have met their first hundred URLs.
/// regex-automata can count how often the cache was cleared instead, but a few large states
/// with many transitions take 20 milliseconds without a clearing.
const WORK: usize = 1 << 20;
const WORK_PER_BYTE: usize = 16;

/// The lazy DFA is too large, or builds too much for what it reads. Another engine must decide.
#[derive(Debug)]
pub(crate) struct GaveUp;

/// A policy's handle to its lazy DFA in the pool.
#[derive(Debug)]
pub(crate) struct Lazy {
    id: u64,
    encoding: Encoding,
    /// How often the rules were tried since the DFA was last built.
    tried: AtomicU32,
    build_after: u32,
}

/// A lazy DFA with its states, used by one thread at a time.
struct Ready {
    /// That of its [`Lazy`].
    id: u64,
    dfa: DFA,
    cache: Cache,
    /// The verdict of the first pattern. From one pattern to the next it changes.
    first: Verdict,
    /// The bytes read.
    read: usize,
    /// The work spent: see [`WORK`].
    work: usize,
    /// The bytes of the largest state so far, without its row.
    largest: usize,
}

struct Pool {
    /// The most recently used is at the back.
    idle: VecDeque<Box<Ready>>,
    bytes: usize,
    limit_bytes: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool::new(POOL_LIMIT_BYTES));

thread_local! {
    /// What this thread used last, which is most often what it needs next.
    static LAST: RefCell<Option<Box<Ready>>> = const { RefCell::new(None) };
}

/// Locks the pool, even after a panic: no change to it can be left half done.
fn lock_pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    const fn new(limit_bytes: usize) -> Pool {
        Pool { idle: VecDeque::new(), bytes: 0, limit_bytes }
    }

    /// Takes out what is there for a policy. The pool holds some hundred policies, so a search
    /// from the back costs less than an index.
    fn take(&mut self, id: u64) -> Option<Box<Ready>> {
        let at = self.idle.iter().rposition(|ready| ready.id == id)?;
        let ready = self.idle.remove(at)?;
        self.bytes -= ready.memory_usage();
        Some(ready)
    }

    fn put(&mut self, ready: Box<Ready>) {
        self.bytes += ready.memory_usage();
        self.idle.push_back(ready);
        while self.bytes > self.limit_bytes
            && let Some(oldest) = self.idle.pop_front()
        {
            self.bytes -= oldest.memory_usage();
        }
    }
}

/// The bytes that the idle lazy DFAs of the process occupy now: 64 MiB at most. Those in
/// use, at most one for each thread, come on top.
#[doc(hidden)]
pub fn lazy_pool_bytes() -> usize {
    lock_pool().bytes
}

impl Lazy {
    /// Creates a handle whose DFA is built after the rules were tried so often, and again
    /// whenever the pool has dropped it.
    pub(crate) fn new(encoding: Encoding, build_after: u32) -> Lazy {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Lazy { id, encoding, tried: AtomicU32::new(0), build_after }
    }

    /// The verdict on a target.
    ///
    /// # Errors
    /// Returns [`GaveUp`] if this engine should not be asked again.
    pub(crate) fn verdict(&self, rules: &RuleSet, target: &Target<'_>) -> Result<Verdict, GaveUp> {
        LAST.with_borrow_mut(|last| {
            let ready = match last {
                Some(ready) if ready.id == self.id => ready,
                _ => match self.take(rules, target)? {
                    Some(ready) => {
                        if let Some(before) = last.replace(ready) {
                            lock_pool().put(before);
                        }
                        last.as_mut().expect("was just put there")
                    }
                    None => return Ok(scan::verdict(rules, target)),
                },
            };
            let rest = target.rest();
            let verdict = if self.encoding.changes_in(rest) {
                ready.verdict(&target.bytes().collect::<TargetBuffer>())
            } else {
                ready.verdict(rest)
            };
            if verdict.is_err() {
                *last = None;
                self.leave_pool();
            }
            verdict
        })
    }

    /// Takes the DFA from the pool, or builds it. Returns `None` if trying the rules costs less.
    #[cold]
    fn take(&self, rules: &RuleSet, target: &Target<'_>) -> Result<Option<Box<Ready>>, GaveUp> {
        /// The most bytes that trying the rules may look at.
        const TRIED_BYTES: usize = 256 << 10;
        let pooled = lock_pool().take(self.id);
        if pooled.is_some() {
            return Ok(pooled);
        }
        if rules.len().saturating_mul(target.len_at_most()) <= TRIED_BYTES
            && self.tried.fetch_add(1, Ordering::Relaxed) < self.build_after
        {
            return Ok(None);
        }
        self.tried.store(0, Ordering::Relaxed);
        Ready::new(self.id, rules, CACHE_LIMIT_BYTES).map(|ready| Some(Box::new(ready)))
    }

    fn leave_pool(&self) {
        let mut pool = lock_pool();
        // Each thread may have put one there.
        while pool.take(self.id).is_some() {}
    }
}

impl Drop for Lazy {
    fn drop(&mut self) {
        self.leave_pool();
    }
}

impl Ready {
    /// Builds the NFA; the states are built later.
    fn new(id: u64, rules: &RuleSet, cache_bytes: usize) -> Result<Ready, GaveUp> {
        let config = DFA::config()
            .match_kind(MatchKind::LeftmostFirst)
            .cache_capacity(cache_bytes)
            // Where five states need more, they get it.
            .skip_cache_capacity_check(true);
        let nfa = build_nfa(rules).map_err(|_| GaveUp)?;
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| GaveUp)?;
        let first = rules.iter().next().map_or(Verdict::Allow, |rule| rule.verdict);
        Ok(Ready { id, cache: dfa.create_cache(), dfa, first, read: 0, work: 0, largest: 0 })
    }

    /// The occupied bytes. The heap holds half as much again as regex-automata counts for a
    /// cache: it counts elements, not capacities.
    fn memory_usage(&self) -> usize {
        size_of::<Ready>()
            + self.dfa.memory_usage()
            + self.dfa.get_nfa().memory_usage()
            + self.cache.memory_usage() / 2 * 3
    }

    /// The verdict on a normalised target without its first `/`.
    fn verdict(&mut self, rest: &[u8]) -> Result<Verdict, GaveUp> {
        self.read += rest.len();
        let anchored = start::Config::new().anchored(Anchored::Yes);
        let start = self.dfa.start_state(&mut self.cache, &anchored).map_err(|_| GaveUp)?;
        let mut state = self.next(start, b'/')?;
        let mut pattern = None;
        // A state tells what matches before the byte that led to it.
        for &byte in rest {
            if state.is_tagged() {
                pattern = self.pattern_at(state).or(pattern);
                // No other pattern can match, or none of higher precedence.
                if state.is_dead() || pattern == Some(0) {
                    return Ok(self.verdict_of(pattern));
                }
            }
            state = self.next(state, byte)?;
        }
        pattern = self.pattern_at(state).or(pattern);
        let end = self.dfa.next_eoi_state(&mut self.cache, state).map_err(|_| GaveUp)?;
        pattern = self.pattern_at(end).or(pattern);
        Ok(self.verdict_of(pattern))
    }

    #[inline(always)]
    fn next(&mut self, state: LazyStateID, byte: u8) -> Result<LazyStateID, GaveUp> {
        if !state.is_tagged() {
            let next = self.dfa.next_state_untagged(&self.cache, state, byte);
            if !next.is_unknown() {
                return Ok(next);
            }
        }
        self.build(state, byte)
    }

    /// Builds the transition from a state, unless it is there and the state is tagged.
    #[cold]
    fn build(&mut self, state: LazyStateID, byte: u8) -> Result<LazyStateID, GaveUp> {
        if self.work > WORK + WORK_PER_BYTE * self.read {
            return Err(GaveUp);
        }
        let bytes_before = self.cache.memory_usage();
        let next = self.dfa.next_state(&mut self.cache, state, byte).map_err(|_| GaveUp)?;
        // Less than before if the cache was full and all states were dropped.
        let added = self.cache.memory_usage().saturating_sub(bytes_before);
        let row = size_of::<LazyStateID>() << self.dfa.byte_classes().stride2();
        self.largest = self.largest.max(added.saturating_sub(row));
        self.work += self.largest;
        Ok(next)
    }

    fn pattern_at(&self, state: LazyStateID) -> Option<usize> {
        state.is_match().then(|| self.dfa.match_pattern(&self.cache, state, 0).as_usize())
    }

    fn verdict_of(&self, pattern: Option<usize>) -> Verdict {
        match (pattern, self.first) {
            (None, _) => Verdict::Allow,
            (Some(pattern), first) if pattern % 2 == 0 => first,
            (Some(_), Verdict::Allow) => Verdict::Disallow,
            (Some(_), Verdict::Disallow) => Verdict::Allow,
        }
    }
}

/// What leads from one NFA state to another: a byte, or one of the following.
type Label = u16;
/// Nothing: a star follows, whose state this is.
const STAR: Label = 256;
/// The end of the target.
const END: Label = 257;
/// Nothing: a pattern ends here.
const MATCH: Label = 258;
/// Any byte, back to the same state: a star comes before.
const LOOP: Label = 259;

/// All ways on from an NFA state, the bytes in ascending order, [`LOOP`] last.
type Ways = SmallVec<[(Label, StateID); 2]>;

/// One pattern for each run of rules with the same verdict, that of highest precedence first.
fn build_nfa(rules: &RuleSet) -> Result<NFA, BuildError> {
    let mut builder = NfaBuilder::default();
    builder.nfa.set_size_limit(Some(NFA_LIMIT_BYTES))?;
    let rules_in_order: Vec<_> = rules.iter().collect();
    let mut runs: Vec<_> = rules_in_order.chunk_by(|a, b| a.verdict == b.verdict).collect();
    // Where nothing matches the verdict is "allow" anyway.
    runs.pop_if(|run| run[0].verdict == Verdict::Allow);
    let mut starts = Vec::with_capacity(runs.len());
    for run in runs {
        let mut patterns: Vec<_> = run.iter().map(|rule| rule.pattern).collect();
        patterns.sort_unstable_by_key(|pattern| (pattern.bytes, pattern.anchored));
        starts.push(builder.add_run(&patterns, rules.wildcards())?);
    }
    let start = builder.nfa.add_union(starts)?;
    builder.nfa.build(start, start)
}

#[derive(Default)]
struct NfaBuilder {
    nfa: thompson::Builder,
    /// The states by their ways: the rules of a run share equal tails.
    states: HashMap<Ways, StateID>,
    /// By state: the first state whose only way leads there, and by which byte. Most states
    /// have one such state and no other, which spares them the hash table.
    links: Vec<(Label, StateID)>,
}

impl NfaBuilder {
    /// Adds sorted rules as a trie, and returns its root.
    fn add_run(&mut self, run: &[Pattern<'_>], wildcards: bool) -> Result<StateID, BuildError> {
        self.nfa.start_pattern()?;
        let matched = self.nfa.add_match()?;
        // The states along the last rule, by depth: they may still get ways.
        let mut open = vec![Ways::new()];
        let mut last: &[u8] = &[];
        for pattern in run {
            let bytes = pattern.bytes;
            let shared = last.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            self.close(&mut open, last, shared, wildcards)?;
            last = &last[..shared];
            // A rule that goes on after another has ended adds nothing.
            if !open[shared].contains(&(MATCH, matched)) {
                open.resize(bytes.len() + 1, Ways::new());
                open[bytes.len()].push((if pattern.anchored { END } else { MATCH }, matched));
                last = bytes;
            }
        }
        self.close(&mut open, last, 0, wildcards)?;
        let start = self.state(&open[0])?;
        self.nfa.finish_pattern(start)?;
        Ok(start)
    }

    /// Adds the states below a depth, the deepest first. `path` leads to it.
    fn close(
        &mut self,
        open: &mut Vec<Ways>,
        path: &[u8],
        depth: usize,
        wildcards: bool,
    ) -> Result<(), BuildError> {
        for at in (depth..open.len() - 1).rev() {
            let is_star = wildcards && path[at] == b'*';
            if is_star {
                open[at + 1].push((LOOP, StateID::ZERO));
            }
            let state = self.state(&open[at + 1])?;
            open[at].push((if is_star { STAR } else { path[at].into() }, state));
            open.truncate(at + 1);
        }
        Ok(())
    }

    /// The state with these ways: one that is there already, or a new one.
    fn state(&mut self, ways: &Ways) -> Result<StateID, BuildError> {
        match ways[..] {
            [(MATCH, matched), ..] => return Ok(matched),
            [(label, next)] if label < STAR => {
                let at = next.as_usize();
                if self.links.len() <= at {
                    self.links.resize(at + 1, (LOOP, StateID::ZERO));
                }
                match self.links[at] {
                    (first, state) if first == label => return Ok(state),
                    (LOOP, _) => {
                        let state = self.nfa.add_range(range(label, label, next))?;
                        self.links[at] = (label, state);
                        return Ok(state);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        if let Some(state) = self.states.get(ways) {
            return Ok(*state);
        }
        let state = self.add_state(ways)?;
        self.states.insert(ways.clone(), state);
        Ok(state)
    }

    fn add_state(&mut self, ways: &Ways) -> Result<StateID, BuildError> {
        let again = match ways.last() {
            Some((LOOP, _)) => Some(self.nfa.add_empty()?),
            _ => None,
        };
        let mut parts = Vec::new();
        let mut ranges = Vec::new();
        // All bytes below this one have their ranges.
        let mut from = 0;
        for &(label, next) in ways {
            match (label, again) {
                (STAR | MATCH, _) => parts.push(next),
                (END, _) => parts.push(self.nfa.add_look(next, Look::End)?),
                (LOOP, None) => {}
                (byte, None) => ranges.push(range(byte, byte, next)),
                // One state for a star, not two: it halves what the DFA's states consist of.
                (label, Some(again)) => {
                    let byte = label.min(256);
                    if from < byte {
                        ranges.push(range(from, byte - 1, again));
                    }
                    if label != LOOP {
                        let both = self.nfa.add_union(vec![next, again])?;
                        ranges.push(range(byte, byte, both));
                    }
                    from = byte + 1;
                }
            }
        }
        if !ranges.is_empty() {
            parts.push(self.nfa.add_sparse(ranges)?);
        }
        let state = match parts[..] {
            [part] => part,
            _ => self.nfa.add_union(parts)?,
        };
        if let Some(again) = again {
            self.nfa.patch(again, state)?;
        }
        Ok(state)
    }
}

/// Bytes from one to another, both below 256, that lead to a state.
fn range(from: u16, to: u16, next: StateID) -> Transition {
    Transition { start: from as u8, end: to as u8, next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::rules::RawRule;

    /// A small pseudo-random generator.
    fn random(mut seed: u32) -> impl FnMut(usize) -> usize {
        move |below| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) as usize % below
        }
    }

    fn rule_set(values: &[Vec<u8>], profile: &Profile) -> RuleSet {
        let rules = values.iter().zip(1..).map(|(value, line)| RawRule {
            line,
            verdict: if line % 3 == 0 { Verdict::Allow } else { Verdict::Disallow },
            value,
        });
        RuleSet::new(rules, profile)
    }

    /// However little room the states have, the verdicts are those of the rules.
    #[test]
    fn verdicts_of_the_rules() {
        let mut random = random(7);
        let (mut asked, mut disallowed, mut clearings) = (0, 0, 0);
        for round in 0..400 {
            let mut word = |bytes: &[u8], max: usize| -> Vec<u8> {
                (0..=random(max)).map(|_| bytes[random(bytes.len())]).collect()
            };
            let values: Vec<Vec<u8>> =
                (0..12).map(|_| [b"/", &word(b"aaabb*/$%", 7)[..]].concat()).collect();
            let paths: Vec<Vec<u8>> =
                (0..60).map(|_| [b"/", &word(b"aaaabbbb//%$\xE9#", 16)[..]].concat()).collect();
            let profile = Profile::NAMED[round % 4].1;
            let rules = rule_set(&values, &profile);
            let encoding = Encoding::of_target(&profile);
            for cache_bytes in [CACHE_LIMIT_BYTES, 10_000, 1] {
                let mut ready = Ready::new(0, &rules, cache_bytes).unwrap();
                for path in &paths {
                    let target = Target::of_path(path, encoding).unwrap();
                    let verdict = ready.verdict(&target.to_buffer()[1..]).unwrap();
                    assert_eq!(verdict, scan::verdict(&rules, &target), "{}", path.escape_ascii());
                    asked += 1;
                    disallowed += usize::from(verdict == Verdict::Disallow);
                }
                clearings += ready.cache.clear_count();
            }
        }
        assert!(asked == 72_000 && (22_000..53_000).contains(&disallowed), "{asked} {disallowed}");
        assert!(clearings > 500, "{clearings}");
    }

    /// A DFA whose targets keep asking for new states gives up, and stays within its bounds
    /// until then.
    #[test]
    fn hostile_rules() {
        let values: Vec<Vec<u8>> = (b'a'..b'o')
            .map(|o| format!("/*{0}x*{1}y", o as char, o.to_ascii_uppercase() as char))
            .map(String::into_bytes)
            .collect();
        let rules = rule_set(&values, &Profile::RFC9309);
        let mut ready = Ready::new(0, &rules, 64 << 10).unwrap();
        let mut random = random(1);
        let gave_up = (0..20_000).any(|_| {
            let path: Vec<u8> = (0..200).map(|_| b"abcdefghijklmnxxxxx"[random(19)]).collect();
            let verdict = ready.verdict(&path);
            assert!(ready.memory_usage() < 256 << 10, "{}", ready.memory_usage());
            verdict.is_err()
        });
        assert!(gave_up && ready.cache.clear_count() > 4, "{}", ready.cache.clear_count());
    }

    /// The pool drops what was not used for longest, and counts what it holds.
    #[test]
    fn pool_is_bounded() {
        let rules = rule_set(&[b"/*a*b".to_vec()], &Profile::RFC9309);
        let ready = |id| Box::new(Ready::new(id, &rules, CACHE_LIMIT_BYTES).unwrap());
        let each = ready(0).memory_usage();
        let mut pool = Pool::new(3 * each);
        for id in [1, 2, 1, 3] {
            pool.put(ready(id));
        }
        assert_eq!(pool.bytes, 3 * each);
        // The first one had to go. Two threads had used this policy.
        assert_eq!([1, 1, 3].map(|id| pool.take(id).is_some()), [true, false, true]);
        pool.put(ready(4));
        pool.put(ready(1));
        assert_eq!(pool.bytes, 3 * each);
        pool.put(ready(5));
        assert_eq!([2, 4, 1, 5].map(|id| pool.take(id).is_some()), [false, true, true, true]);
        assert_eq!((pool.bytes, pool.idle.len()), (0, 0));
    }

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
        assert!(lazy_pool_bytes() > 0, "the first one is in the pool");
        // And there it still is.
        assert_eq!(ask(&lazy, b"/xbxa"), (Verdict::Allow, true));
    }
}
