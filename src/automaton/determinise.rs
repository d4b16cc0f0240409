//! Pruned subset construction: from the trie to states that keep only what can still
//! change the verdict.

use crate::automaton::trie::{NONE, NodeId, Run, Trie, mix, verdict_of};
use crate::config::{LimitHit, Limits};
use crate::decision::Verdict;
use crate::normalise::Encoding;

/// The number of a state, or a final verdict.
pub(crate) type StateId = u32;

/// The verdict is allow, whatever follows.
pub(crate) const FINAL_ALLOW: StateId = 0;
/// The verdict is disallow, whatever follows.
pub(crate) const FINAL_DISALLOW: StateId = 1;
/// The number of the first state.
const FIRST_STATE: StateId = 2;

/// The final verdict of a state number, if it is one.
#[inline]
pub(crate) fn final_verdict(id: StateId) -> Option<Verdict> {
    match id {
        FINAL_ALLOW => Some(Verdict::Allow),
        FINAL_DISALLOW => Some(Verdict::Disallow),
        _ => None,
    }
}

fn final_of(run: Run) -> StateId {
    run & 1
}

/// A state of the DFA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    set_at: u32,
    set_len: u32,
    best: Run,
    exits_at: u32,
    exits_len: u32,
    /// Where every other octet leads. The state itself: it waits for its exits. Another
    /// state: the octet is still to be read there, and that state waits. Otherwise a final
    /// verdict.
    pub(crate) otherwise: StateId,
    /// The verdict if the target ends here.
    pub(crate) at_end: Verdict,
    /// Octets that must all come, one after another, before the only exit's target is
    /// reached: at least two, or none for a state with exits by single octets.
    literal_at: u32,
    literal_len: u32,
}

/// The states of a policy, and the scratch space to build them, kept for the next policy.
#[derive(Debug, Default)]
pub(crate) struct Dfa {
    states: Vec<State>,
    exits: Vec<(u8, StateId)>,
    literals: Vec<u8>,
    /// The sets of live nodes of all states, each sorted.
    sets: Vec<NodeId>,
    pub(crate) start: StateId,
    table: Vec<StateId>,
    // Of the state at hand.
    set: Vec<NodeId>,
    stars: Vec<NodeId>,
    children: Vec<(u8, NodeId)>,
    work: u64,
    /// Marks the live nodes of the set at hand: those whose mark is `mark`.
    marks: Vec<u32>,
    mark: u32,
}

/// The work that a policy may cost where no limit is given, in nodes looked at: generous
/// for as many nodes as a large honest file has among its stars, and above that enough for
/// files that have few. Measured: the most that a policy of the corpus takes is 145,000 (28,254
/// nodes, without stars), and 71,000 (1,225 nodes) among those with stars.
fn default_work(nodes: u64) -> u64 {
    4096 + 64 * nodes.min(2048) + 2 * nodes
}

impl Dfa {
    /// Builds the states for a trie in place of what was there.
    ///
    /// # Errors
    /// The limit that was hit.
    pub(crate) fn build(
        &mut self,
        trie: &Trie,
        encoding: Encoding,
        limits: &Limits,
    ) -> Result<(), LimitHit> {
        let nodes = trie.len() as u64;
        let state_limit =
            limits.states.unwrap_or_else(|| u32::try_from(4 * nodes + 64).unwrap_or(u32::MAX));
        let work_limit = limits.work.unwrap_or(default_work(nodes));
        self.states.clear();
        self.exits.clear();
        self.literals.clear();
        self.sets.clear();
        self.table.clear();
        self.work = 0;
        self.mark = 0;
        self.marks.clear();
        self.marks.resize(trie.len(), 0);
        self.set.clear();
        let mut best = 0;
        arrive(trie, trie.root(), &mut self.set, &mut best);
        self.start = self.state_of_set(trie, best);
        let mut next = 0;
        while next < self.states.len() {
            if self.states.len() > state_limit as usize {
                return Err(LimitHit::States(state_limit));
            }
            if self.work > work_limit {
                return Err(LimitHit::Work(work_limit));
            }
            self.expand(trie, encoding, next);
            next += 1;
        }
        self.drop_needless_exits();
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The numbers of all states.
    pub(crate) fn ids(&self) -> impl Iterator<Item = StateId> + use<> {
        FIRST_STATE..FIRST_STATE + self.states.len() as StateId
    }

    pub(crate) fn state(&self, id: StateId) -> &State {
        &self.states[(id - FIRST_STATE) as usize]
    }

    /// The exits of a state by octet in ascending order.
    pub(crate) fn exits(&self, state: &State) -> &[(u8, StateId)] {
        &self.exits[state.exits_at as usize..][..state.exits_len as usize]
    }

    /// The octets that must all come before the only exit's target is reached.
    pub(crate) fn literal(&self, state: &State) -> &[u8] {
        &self.literals[state.literal_at as usize..][..state.literal_len as usize]
    }

    /// The state with `self.set` as live nodes, pruned first.
    fn state_of_set(&mut self, trie: &Trie, best: Run) -> StateId {
        let Some(best) = self.prune(trie, best) else { return final_of(best) };
        if self.table.len() <= 2 * self.states.len() {
            self.grow_table();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(best, &self.set) as usize & mask;
        loop {
            match self.table[slot] {
                0 => break,
                id => {
                    let state = self.state(id);
                    let live = &self.sets[state.set_at as usize..][..state.set_len as usize];
                    if state.best == best && live == self.set {
                        return id;
                    }
                    slot = (slot + 1) & mask;
                }
            }
        }
        let anchored = self.set.iter().map(|n| trie.node(*n).end_anchored).max().unwrap_or(0);
        self.states.push(State {
            set_at: self.sets.len() as u32,
            set_len: self.set.len() as u32,
            best,
            exits_at: 0,
            exits_len: 0,
            otherwise: final_of(best),
            at_end: verdict_of(anchored.max(best)),
            literal_at: 0,
            literal_len: 0,
        });
        self.sets.extend_from_slice(&self.set);
        let id = self.states.len() as StateId - 1 + FIRST_STATE;
        self.table[slot] = id;
        id
    }

    /// Sorts `self.set` and keeps of it what can still change the verdict; `None`: nothing
    /// can. Gives the best run, lowered to its verdict's first run where that makes no
    /// difference, so that equal futures become one state.
    fn prune(&mut self, trie: &Trie, best: Run) -> Option<Run> {
        self.work += self.set.len() as u64;
        let (same, other) = ((best & 1) as usize, (best & 1 ^ 1) as usize);
        // The lowest run of the other verdict, above the best, that is still ahead.
        let mut rival = Run::MAX;
        for &node in &self.set {
            let ahead = trie.ahead(node);
            if ahead.lowest[other] > best {
                rival = rival.min(ahead.lowest[other]);
            } else if ahead.highest[other] > best {
                // The node's runs lie on both sides: which is next is not known.
                rival = best + 1;
            }
        }
        if rival == Run::MAX {
            return None;
        }
        self.set.retain(|&node| {
            let ahead = trie.ahead(node);
            ahead.highest[other] > best || ahead.highest[same] > rival
        });
        if self.set.len() > 1 {
            self.set.sort_unstable();
            self.set.dedup();
            self.drop_what_leads_through_live_stars(trie);
        }
        let lowest = |node: &NodeId| trie.ahead(*node).lowest;
        let all_above = self.set.iter().map(lowest).all(|[a, d]| a > best && d > best);
        Some(if all_above { best & 1 } else { best })
    }

    /// A node from which every way leads through a star node that is live already adds
    /// nothing to it: whatever it would match, that one matches too.
    fn drop_what_leads_through_live_stars(&mut self, trie: &Trie) {
        if self.set.iter().all(|node| trie.node(*node).through == NONE) {
            return;
        }
        self.mark = self.mark.wrapping_add(1);
        for &node in &self.set {
            self.marks[node as usize] = self.mark;
        }
        let (marks, mark, work) = (&self.marks, self.mark, &mut self.work);
        self.set.retain(|&node| {
            let mut through = trie.node(node).through;
            while through != NONE {
                *work += 1;
                if marks[through as usize] == mark {
                    return false;
                }
                through = trie.node(through).through;
            }
            true
        });
    }

    /// Finds the exits of a state.
    fn expand(&mut self, trie: &Trie, encoding: Encoding, index: usize) {
        let state = self.states[index];
        let id = index as StateId + FIRST_STATE;
        let live = state.set_at as usize..(state.set_at + state.set_len) as usize;
        if let [node] = self.sets[live.clone()]
            && !trie.node(node).is_star
            && self.expand_literal(trie, encoding, index, node)
        {
            return;
        }
        self.children.clear();
        self.stars.clear();
        for at in live.clone() {
            let node = self.sets[at];
            if trie.node(node).is_star {
                self.stars.push(node);
            } else {
                self.children.extend_from_slice(trie.edges(node));
            }
        }
        let waits = self.stars.len() == live.len();
        let otherwise = if self.stars.is_empty() {
            final_of(state.best)
        } else if waits {
            for at in live {
                self.children.extend_from_slice(trie.edges(self.sets[at]));
            }
            id
        } else {
            // Every other octet leaves the stars alone, which then see that octet too.
            self.set.clear();
            self.set.extend_from_slice(&self.stars);
            self.state_of_set(trie, state.best)
        };
        if state.set_len > 1 {
            self.children.sort_unstable();
        }
        self.work += self.children.len() as u64;
        let exits_at = self.exits.len();
        let mut at = 0;
        while at < self.children.len() {
            let octet = self.children[at].0;
            self.set.clear();
            self.set.extend_from_slice(&self.stars);
            let mut best = state.best;
            while at < self.children.len() && self.children[at].0 == octet {
                arrive(trie, self.children[at].1, &mut self.set, &mut best);
                at += 1;
            }
            if !waits {
                self.work += self.stars.len() as u64;
                for star in 0..self.stars.len() {
                    if let Some(child) = trie.child(self.stars[star], octet) {
                        arrive(trie, child, &mut self.set, &mut best);
                    }
                }
            }
            let target = self.state_of_set(trie, best);
            self.exits.push((octet, target));
        }
        let state = &mut self.states[index];
        state.otherwise = otherwise;
        state.exits_at = exits_at as u32;
        state.exits_len = (self.exits.len() - exits_at) as u32;
    }

    /// Where one node alone is live and a single way goes on from it, octet after octet:
    /// takes all of it as one exit, up to an octet that is special in targets.
    fn expand_literal(
        &mut self,
        trie: &Trie,
        encoding: Encoding,
        index: usize,
        node: NodeId,
    ) -> bool {
        let literal_at = self.literals.len();
        let mut last = node;
        loop {
            let n = trie.node(last);
            let passes = n.star == NONE && n.end_anchored == 0 && (last == node || n.end == 0);
            match trie.edges(last) {
                [(octet, child)] if passes && !encoding.is_special(*octet) => {
                    self.literals.push(*octet);
                    last = *child;
                }
                _ => break,
            }
        }
        let literal_len = self.literals.len() - literal_at;
        if literal_len < 2 {
            self.literals.truncate(literal_at);
            return false;
        }
        self.work += 1;
        self.set.clear();
        let mut best = self.states[index].best;
        arrive(trie, last, &mut self.set, &mut best);
        let target = self.state_of_set(trie, best);
        let state = &mut self.states[index];
        state.exits_at = self.exits.len() as u32;
        state.exits_len = 1;
        state.literal_at = literal_at as u32;
        state.literal_len = literal_len as u32;
        self.exits.push((self.literals[literal_at], target));
        true
    }

    /// Where a state leads by an octet.
    fn step(&self, state: &State, octet: u8) -> StateId {
        let exits = self.exits(state);
        let found = exits.binary_search_by_key(&octet, |(o, _)| *o);
        found.map_or(state.otherwise, |at| exits[at].1)
    }

    /// Drops the exits that lead where `otherwise` does with the same octet.
    fn drop_needless_exits(&mut self) {
        for index in 0..self.states.len() {
            let state = self.states[index];
            if state.literal_len > 0 {
                continue;
            }
            let id = index as StateId + FIRST_STATE;
            let elsewhere = match state.otherwise {
                otherwise if otherwise == id || final_verdict(otherwise).is_some() => None,
                otherwise => Some(*self.state(otherwise)),
            };
            let from = state.exits_at as usize;
            let mut kept = from;
            for at in from..from + state.exits_len as usize {
                let (octet, target) = self.exits[at];
                let otherwise = elsewhere.map_or(state.otherwise, |s| self.step(&s, octet));
                if target != otherwise {
                    self.exits[kept] = (octet, target);
                    kept += 1;
                }
            }
            self.states[index].exits_len = kept as u32 - state.exits_at;
        }
    }

    fn grow_table(&mut self) {
        let len = (4 * self.states.len()).next_power_of_two().max(64);
        self.table.clear();
        self.table.resize(len, 0);
        for (index, state) in self.states.iter().enumerate() {
            let live = &self.sets[state.set_at as usize..][..state.set_len as usize];
            let mut slot = hash(state.best, live) as usize & (len - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.table[slot] = index as StateId + FIRST_STATE;
        }
    }
}

/// Adds a node to a set, with its star, and raises the best run where rules end there.
fn arrive(trie: &Trie, id: NodeId, set: &mut Vec<NodeId>, best: &mut Run) {
    let node = trie.node(id);
    *best = (*best).max(node.end);
    if node.end_anchored != 0 || !trie.edges(id).is_empty() {
        set.push(id);
    }
    if node.star != NONE {
        set.push(node.star);
    }
}

fn hash(best: Run, set: &[NodeId]) -> u32 {
    let hash = set.iter().fold(u64::from(best), |hash, node| mix(hash, u64::from(*node)));
    (mix(hash, 0) >> 32) as u32
}
