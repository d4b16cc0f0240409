//! regex-automata's lazy DFA, for rule sets whose own DFA is over the budget.
//!
//! The rules become one Thompson NFA. Each run of rules with the same verdict, in the order of
//! precedence, is one pattern, so a leftmost-first search finds the run that decides. A state of
//! the DFA is built when a target first visits it.
//!
//! At rest a policy is only its rules. NFAs and states lie in a pool with one bound for the
//! whole process, where the least recently used make room. A policy that builds too much for
//! what it reads gives up for good: hostile rules can ask for a new state at every byte.
//!
//! Building costs as much as trying the rules a hundred times, so a policy that is not in the
//! pool tries its rules first. Where more policies take turns than the pool can hold, none is
//! built for a single question.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{BuildError, Builder, NFA, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};

use crate::automaton::{Run, verdict_of};
use crate::engine::scan;
use crate::rules::normalise::Encoding;
use crate::rules::target::{Target, TargetBuffer};
use crate::rules::{Pattern, RuleSet};
use crate::verdict::Verdict;

/// The bytes that all idle lazy DFAs of the process may occupy together.
const POOL_LIMIT_BYTES: usize = 64 << 20;
/// The bytes of the patterns and of the NFA of a lazy DFA.
const PATTERN_LIMIT_BYTES: usize = 1 << 20;
const NFA_LIMIT_BYTES: usize = 16 << 20;
/// The bytes of the states of a lazy DFA. When they are full, all states are dropped.
const CACHE_LIMIT_BYTES: usize = 2 << 20;
/// The work that a lazy DFA may spend on its states, and how much more for each byte it reads.
///
/// A transition counts as many units as the largest state so far has bytes, its row of
/// transitions apart: one or two for each live NFA state, at 3 to 8 nanoseconds a unit. More
/// than 16 for each byte cost more than the segment matcher does. Of the real policies that are
/// over the budget, one in fourteen spends more on URLs that are all different, and none does
/// on its own. regex-automata itself can only bound how often the states are dropped, but a few
/// large states with many transitions take long without that.
const WORK: usize = 512 << 10;
const WORK_PER_BYTE: usize = 16;

/// The lazy DFA is too large, or builds too much for what it reads. Another engine must decide.
#[derive(Debug)]
pub(crate) struct GaveUp;

/// The NFA is larger than [`NFA_LIMIT_BYTES`], or has more states than it can number.
impl From<BuildError> for GaveUp {
    fn from(_: BuildError) -> GaveUp {
        GaveUp
    }
}

/// A policy's handle to its lazy DFA in the pool.
#[derive(Debug)]
pub(crate) struct Lazy {
    id: u64,
    /// Alive as long as this is.
    life: Arc<()>,
    encoding: Encoding,
    /// How often the rules were tried since the lazy DFA was last built.
    tried: AtomicU32,
    build_after: u32,
}

/// A lazy DFA with its states, used by one thread at a time.
struct Ready {
    /// That of its [`Lazy`].
    id: u64,
    /// Tells whether its [`Lazy`] still exists.
    life: Weak<()>,
    dfa: DFA,
    cache: Cache,
    /// The bytes that are occupied but for the cache.
    fixed_bytes: usize,
    /// The bytes read.
    read: usize,
    /// The work spent: see [`WORK`].
    work: usize,
    /// The bytes of the largest state so far, without its row.
    largest: usize,
}

#[derive(Default)]
struct Pool {
    /// The most recently used is at the back. With their ids, so that a search reads only this.
    idle: VecDeque<(u64, Box<Ready>)>,
    bytes: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { idle: VecDeque::new(), bytes: 0 });

thread_local! {
    /// What this thread used last, which is most often what it needs next.
    static LAST: RefCell<Option<Box<Ready>>> = const { RefCell::new(None) };
}

/// Locks the pool, even after a panic: no change to it can be left half done.
fn lock_pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Takes out what is there for a policy. Among the few hundred that the pool can hold, a
    /// search costs less than an index.
    fn take(&mut self, id: u64) -> Option<Box<Ready>> {
        let at = self.idle.iter().rposition(|(idle, _)| *idle == id)?;
        let (_, ready) = self.idle.remove(at)?;
        self.bytes -= ready.memory_usage();
        Some(ready)
    }

    fn put(&mut self, ready: Box<Ready>, limit_bytes: usize) {
        self.bytes += ready.memory_usage();
        self.idle.push_back((ready.id, ready));
        while self.bytes > limit_bytes
            && let Some((_, oldest)) = self.idle.pop_front()
        {
            self.bytes -= oldest.memory_usage();
        }
    }
}

impl Lazy {
    /// Creates the handle. Whenever the pool has no lazy DFA for it, one is built after the
    /// rules were tried this often.
    pub(crate) fn new(encoding: Encoding, build_after: u32) -> Lazy {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Lazy { id, life: Arc::default(), encoding, tried: AtomicU32::new(0), build_after }
    }

    /// The verdict on a target.
    ///
    /// # Errors
    /// Returns [`GaveUp`] if this engine should not be asked again.
    pub(crate) fn verdict(&self, rules: &RuleSet, target: &Target<'_>) -> Result<Verdict, GaveUp> {
        LAST.with_borrow_mut(|last| {
            if last.as_ref().is_none_or(|ready| ready.id != self.id) {
                let Some(ready) = self.take(rules, target)? else {
                    return Ok(scan::verdict(rules, target));
                };
                // A thread that used a policy may come here after the policy was dropped.
                if let Some(before) = last.replace(ready)
                    && before.life.strong_count() > 0
                {
                    lock_pool().put(before, POOL_LIMIT_BYTES);
                }
            }
            let ready = last.as_mut().expect("was just put there");
            let verdict = if self.encoding.changes_in(target.unended()) {
                ready.verdict(&target.bytes().collect::<TargetBuffer>())
            } else {
                ready.verdict(target.unended())
            };
            if verdict.is_err() {
                *last = None;
                self.leave_pool();
            }
            verdict
        })
    }

    /// Takes the lazy DFA from the pool or builds it. Returns `None` if trying the rules costs
    /// less.
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
        let mut ready = Ready::new(self.id, rules, self.encoding, CACHE_LIMIT_BYTES)?;
        ready.life = Arc::downgrade(&self.life);
        Ok(Some(Box::new(ready)))
    }

    /// Drops what the pool holds: one from each thread that has used the policy.
    fn leave_pool(&self) {
        let mut pool = lock_pool();
        while pool.take(self.id).is_some() {}
    }
}

impl Drop for Lazy {
    /// Other threads keep what they used last until they use another.
    fn drop(&mut self) {
        // While the thread ends, its own is gone already.
        let _ = LAST.try_with(|last| {
            if let Ok(mut last) = last.try_borrow_mut()
                && last.as_ref().is_some_and(|ready| ready.id == self.id)
            {
                *last = None;
            }
        });
        self.leave_pool();
    }
}

impl Ready {
    fn new(
        id: u64,
        rules: &RuleSet,
        encoding: Encoding,
        cache_bytes: usize,
    ) -> Result<Ready, GaveUp> {
        let mut config = DFA::config()
            .match_kind(MatchKind::LeftmostFirst)
            .cache_capacity(cache_bytes)
            // A cache too small for five states becomes as large as they need.
            .skip_cache_capacity_check(true);
        // What ends a target ends the search, and need not be looked for beforehand.
        for byte in (0..=255).filter(|byte| encoding.ends(*byte)) {
            config = config.quit(byte, true);
        }
        if rules.pattern_bytes() > PATTERN_LIMIT_BYTES {
            return Err(GaveUp);
        }
        let nfa = build_nfa(rules)?;
        let nfa_bytes = nfa.memory_usage();
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| GaveUp)?;
        let fixed_bytes = size_of::<Ready>() + nfa_bytes + dfa.memory_usage();
        let cache = dfa.create_cache();
        let life = Weak::new();
        Ok(Ready { id, life, dfa, cache, fixed_bytes, read: 0, work: 0, largest: 0 })
    }

    /// The occupied bytes. regex-automata counts the elements of a cache; with unused capacity
    /// and the allocator's share the heap holds half as much again.
    fn memory_usage(&self) -> usize {
        self.fixed_bytes + self.cache.memory_usage() / 2 * 3
    }

    /// The verdict on a normalised target without its first `/`. What ends the target, and
    /// anything after that, may follow.
    fn verdict(&mut self, rest: &[u8]) -> Result<Verdict, GaveUp> {
        self.read += rest.len();
        let anchored = start::Config::new().anchored(Anchored::Yes);
        let start = self.dfa.start_state(&mut self.cache, &anchored).map_err(|_| GaveUp)?;
        let mut state = self.next(start, b'/')?;
        // A state tells which run matches before the byte that led to it.
        let mut best = self.run_at(state).unwrap_or(0);
        for &byte in rest {
            if !state.is_tagged() {
                let next = self.dfa.next_state_untagged(&self.cache, state, byte);
                if !next.is_tagged() {
                    state = next;
                    continue;
                }
            } else if state.is_dead() || best == self.dfa.pattern_len() as Run {
                return Ok(verdict_of(best));
            }
            let next = self.next(state, byte)?;
            if next.is_quit() {
                break;
            }
            state = next;
            best = self.run_at(state).unwrap_or(best);
        }
        state = self.dfa.next_eoi_state(&mut self.cache, state).map_err(|_| GaveUp)?;
        Ok(verdict_of(self.run_at(state).unwrap_or(best)))
    }

    /// Goes from a state to the next one, which is built if it is not there.
    fn next(&mut self, state: LazyStateID, byte: u8) -> Result<LazyStateID, GaveUp> {
        if !state.is_tagged() {
            let next = self.dfa.next_state_untagged(&self.cache, state, byte);
            if !next.is_unknown() {
                return Ok(next);
            }
        }
        if self.work > WORK + WORK_PER_BYTE * self.read {
            return Err(GaveUp);
        }
        let bytes_before = self.cache.memory_usage();
        let next = self.dfa.next_state(&mut self.cache, state, byte).map_err(|_| GaveUp)?;
        let row = size_of::<LazyStateID>() << self.dfa.byte_classes().stride2();
        // Nothing is added if the state was there, or if all states were dropped for it.
        let added = self.cache.memory_usage().saturating_sub(bytes_before + row);
        self.largest = self.largest.max(added);
        // A tagged state may only have looked it up.
        if !state.is_tagged() || added > 0 {
            self.work += self.largest;
        }
        Ok(next)
    }

    /// The run that matches in a state. Pattern 0 is the highest run.
    fn run_at(&self, state: LazyStateID) -> Option<Run> {
        let pattern = || self.dfa.match_pattern(&self.cache, state, 0).as_usize();
        state.is_match().then(|| (self.dfa.pattern_len() - pattern()) as Run)
    }
}

fn build_nfa(rules: &RuleSet) -> Result<NFA, GaveUp> {
    let mut nfa = Builder::new();
    nfa.set_size_limit(Some(NFA_LIMIT_BYTES))?;
    let rules_in_order: Vec<_> = rules.iter().collect();
    let mut runs: Vec<_> = rules_in_order.chunk_by(|a, b| a.verdict == b.verdict).collect();
    // Run 0: where nothing matches the verdict is "allow" anyway.
    runs.pop_if(|run| run[0].verdict == Verdict::Allow);
    let mut starts = Vec::with_capacity(runs.len());
    for run in runs {
        nfa.start_pattern()?;
        let matched = nfa.add_match()?;
        let mut patterns: Vec<_> = run.iter().map(|rule| rule.pattern).collect();
        patterns.sort_unstable_by_key(|pattern| (pattern.bytes, pattern.anchored));
        let start = add_trie(&mut nfa, &patterns, 0, matched, rules.wildcards())?;
        nfa.finish_pattern(start)?;
        starts.push(start);
    }
    let start = nfa.add_union(starts)?;
    Ok(nfa.build(start, start)?)
}

/// Adds the trie of sorted patterns from the depth up to which they are equal.
///
/// Recurses only where patterns part: 1,500 levels deep at most, with a megabyte of patterns.
fn add_trie(
    nfa: &mut Builder,
    patterns: &[Pattern<'_>],
    depth: usize,
    matched: StateID,
    wildcards: bool,
) -> Result<StateID, GaveUp> {
    let is_star = |bytes: &[u8], at: usize| wildcards && bytes[at] == b'*';
    let ending = patterns.iter().take_while(|pattern| pattern.bytes.len() == depth).count();
    if ending > 0 && !patterns[0].anchored {
        // Whatever the others match, this one does.
        return Ok(matched);
    }
    let (mut ways, mut bytes) = (Vec::new(), Vec::new());
    if ending > 0 {
        ways.push(nfa.add_look(matched, Look::End)?);
    }
    for group in patterns[ending..].chunk_by(|a, b| a.bytes[depth] == b.bytes[depth]) {
        let (first, last) = (group[0].bytes, group[group.len() - 1].bytes);
        let equal = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let mut next = add_trie(nfa, group, equal, matched, wildcards)?;
        for at in (depth + 1..equal).rev().filter(|at| !is_star(first, *at)) {
            next = add_state(nfa, &[(first[at], next)], Vec::new(), is_star(first, at - 1))?;
        }
        if is_star(first, depth) {
            ways.push(next);
        } else {
            bytes.push((first[depth], next));
        }
    }
    add_state(nfa, &bytes, ways, depth > 0 && is_star(patterns[0].bytes, depth - 1))
}

/// Adds a state with ways on by a byte and by nothing. After a star all bytes lead back, too.
fn add_state(
    nfa: &mut Builder,
    bytes: &[(u8, StateID)],
    mut ways: Vec<StateID>,
    after_star: bool,
) -> Result<StateID, GaveUp> {
    let one = |byte, next| Transition { start: byte, end: byte, next };
    if let ([(byte, next)], [], false) = (bytes, &ways[..], after_star) {
        return Ok(nfa.add_range(one(*byte, *next))?);
    }
    let mut ranges: Vec<Transition> = Vec::new();
    let back = if after_star { Some(nfa.add_empty()?) } else { None };
    if let Some(back) = back {
        // A state of its own for the way back would double what the DFA's states list.
        let mut all = [back; 256];
        for &(byte, next) in bytes {
            all[usize::from(byte)] = nfa.add_union(vec![next, back])?;
        }
        for (byte, next) in (0..=255).zip(all) {
            match ranges.last_mut() {
                Some(range) if range.next == next => range.end = byte,
                _ => ranges.push(one(byte, next)),
            }
        }
    } else {
        ranges.extend(bytes.iter().map(|(byte, next)| one(*byte, *next)));
    }
    if !ranges.is_empty() {
        ways.push(nfa.add_sparse(ranges)?);
    }
    let state = if let [way] = ways[..] { way } else { nfa.add_union(ways)? };
    if let Some(back) = back {
        nfa.patch(back, state)?;
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::rules::RawRule;

    fn rule_set(values: &[Vec<u8>], profile: &Profile) -> RuleSet {
        let rules = values.iter().zip(1..).map(|(value, line)| RawRule {
            line,
            verdict: if line % 3 == 0 { Verdict::Allow } else { Verdict::Disallow },
            value,
        });
        RuleSet::new(rules, profile)
    }

    fn random(mut seed: u32) -> impl FnMut(usize) -> usize {
        move |below| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) as usize % below
        }
    }

    /// A policy that was dropped comes back into the pool in no thread.
    #[test]
    fn dropped_policies_leave_the_pool() {
        let profile = Profile::RFC9309;
        let rules = rule_set(&[b"/a*b*c".to_vec()], &profile);
        let encoding = Encoding::of_target(&profile);
        let target = Target::of_path(b"/axbxc", encoding).unwrap();
        let ask = |lazy: &Lazy| lazy.verdict(&rules, &target).unwrap();
        let is_pooled = |id: u64| lock_pool().idle.iter().any(|(idle, _)| *idle == id);
        let (dropped, other) = (Lazy::new(encoding, 0), Lazy::new(encoding, 0));
        let id = dropped.id;
        ask(&dropped);
        drop(dropped);
        assert!(LAST.with_borrow(Option::is_none));
        ask(&other);
        assert!(!is_pooled(id));
        // Another thread used it last.
        let shared = Arc::new(Lazy::new(encoding, 0));
        let id = shared.id;
        std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::channel();
            let thread = scope.spawn({
                let (shared, other) = (Arc::clone(&shared), &other);
                move || {
                    ask(&shared);
                    drop(shared);
                    receiver.recv().unwrap();
                    ask(other);
                }
            });
            while Arc::strong_count(&shared) > 1 {
                std::thread::yield_now();
            }
            drop(shared);
            sender.send(()).unwrap();
            thread.join().unwrap();
        });
        assert!(!is_pooled(id));
    }

    /// However little room the states have, the verdicts are those of the rules.
    #[test]
    fn verdicts_of_the_rules() {
        let mut random = random(7);
        let (mut asked, mut disallowed) = (0, 0);
        for round in 0..400 {
            let mut word = |bytes: &[u8], max: usize| -> Vec<u8> {
                let bytes = (0..=random(max)).map(|_| bytes[random(bytes.len())]);
                std::iter::once(b'/').chain(bytes.collect::<Vec<_>>()).collect()
            };
            let values: Vec<Vec<u8>> = (0..12).map(|_| word(b"aaabb*/$%", 7)).collect();
            let paths: Vec<Vec<u8>> = (0..60).map(|_| word(b"aaaabbbb//%$\xE9#", 16)).collect();
            let profile = Profile::NAMED[round % 4].1;
            let rules = rule_set(&values, &profile);
            let encoding = Encoding::of_target(&profile);
            for cache_bytes in [CACHE_LIMIT_BYTES, 1] {
                let mut ready = Ready::new(0, &rules, encoding, cache_bytes).unwrap();
                for path in &paths {
                    let target = Target::of_path(path, encoding).unwrap();
                    // What comes after the end is not read.
                    let rest = [&target.to_buffer()[1..], b"#ab"].concat();
                    let verdict = ready.verdict(&rest).unwrap();
                    assert_eq!(verdict, scan::verdict(&rules, &target), "{}", path.escape_ascii());
                    asked += 1;
                    disallowed += usize::from(verdict == Verdict::Disallow);
                }
                assert!(ready.cache.clear_count() > 0 || cache_bytes > 1);
            }
        }
        assert!(asked == 48_000 && (15_000..35_000).contains(&disallowed), "{asked} {disallowed}");
    }

    /// If each target asks for new states the DFA gives up, and is small until then.
    #[test]
    fn hostile_rules() {
        let rule = |x: u8| format!("/*{}x*{}y", x as char, x.to_ascii_uppercase() as char);
        let values: Vec<Vec<u8>> = (b'a'..b'o').map(|x| rule(x).into_bytes()).collect();
        let rules = rule_set(&values, &Profile::RFC9309);
        let encoding = Encoding::of_target(&Profile::RFC9309);
        let mut ready = Ready::new(0, &rules, encoding, 64 << 10).unwrap();
        let mut random = random(1);
        let gave_up = (0..20_000).any(|_| {
            let path: Vec<u8> = (0..200).map(|_| b"abcdefghijklmnxxxxx"[random(19)]).collect();
            let verdict = ready.verdict(&path);
            assert!(ready.memory_usage() < 256 << 10, "{}", ready.memory_usage());
            verdict.is_err()
        });
        assert!(gave_up && ready.cache.clear_count() > 0, "{}", ready.cache.clear_count());
    }

    #[test]
    fn least_recently_used_leaves_the_pool() {
        let rules = rule_set(&[b"/*a*b".to_vec()], &Profile::RFC9309);
        let encoding = Encoding::of_target(&Profile::RFC9309);
        let ready = |id| Box::new(Ready::new(id, &rules, encoding, CACHE_LIMIT_BYTES).unwrap());
        let each = ready(0).memory_usage();
        let mut pool = Pool::default();
        // Two threads have used policy 1.
        for id in [1, 2, 1, 3] {
            pool.put(ready(id), 3 * each);
        }
        assert_eq!(pool.bytes, 3 * each);
        assert_eq!([1, 1, 3, 2].map(|id| pool.take(id).is_some()), [true, false, true, true]);
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
        assert!(lock_pool().bytes > 0, "the first one is in the pool");
        // And there it still is.
        assert_eq!(ask(&lazy, b"/xbxa"), (Verdict::Allow, true));
    }
}
