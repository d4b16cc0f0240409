//! Which state a set of live nodes is: a known one or a new one, after pruning.

use super::prune::{is_above, is_relevant, leads_through, rival_of};
use super::{Context, ContextId, Dfa, FIRST_STATE, State, StateId, final_of};
use crate::automaton::trie::{NodeId, Run, Trie, mix, verdict_of};

impl Dfa {
    /// The state of the current context, which is settled, with `self.set`, which is sorted, as
    /// its other live nodes. Prunes them first.
    pub(super) fn state_of_nodes(&mut self, trie: &Trie, context: &Context) -> StateId {
        self.work += self.set.len() as u64;
        let best = context.best;
        // If there is only one run, every node leads to it.
        if trie.highest() > 1 {
            let rivals = self.set.iter().map(|node| rival_of(trie, *node, best));
            let rival = rivals.fold(context.rival, Run::min);
            self.set.retain(|&node| is_relevant(trie, node, best, rival));
        }
        if self.set.is_empty() {
            // This is a final verdict if there are no stars.
            return context.wait;
        }
        if best > 1 && context.above && self.set.iter().all(|node| is_above(trie, *node, best)) {
            return self.state_of_set(trie);
        }
        let anchored = self.set.iter().map(|node| trie.node(*node).end_anchored).max();
        self.state_of(self.context, context.anchored.max(anchored.unwrap_or(0)))
    }

    /// The state whose live nodes are `self.set`, `self.new_stars` and the stars of the current
    /// context. Prunes them first.
    pub(super) fn state_of_set(&mut self, trie: &Trie) -> StateId {
        if self.best >= trie.highest() {
            return final_of(self.best);
        }
        if let Some(context) = self.contexts.get(self.context as usize) {
            self.new_stars.extend_from_slice(&self.stars[context.stars()]);
        }
        self.work += (self.set.len() + self.new_stars.len()) as u64;
        let best = self.best;
        let live = self.set.iter().chain(&self.new_stars);
        let rival = live.map(|node| rival_of(trie, *node, best)).min().unwrap_or(Run::MAX);
        if rival == Run::MAX {
            return final_of(best);
        }
        self.new_stars.retain(|star| is_relevant(trie, *star, best, rival));
        self.new_stars.sort_unstable();
        self.new_stars.dedup();
        self.set.retain(|node| is_relevant(trie, *node, best, rival));
        self.sort_set();
        self.live.replace(&self.new_stars);
        let (live, work) = (&self.live, &mut self.work);
        self.new_stars.retain(|star| !leads_through(trie, live, *star, work));
        self.set.retain(|node| !leads_through(trie, live, *node, work));
        let stars_above = self.new_stars.iter().all(|star| is_above(trie, *star, best));
        let above = stars_above && self.set.iter().all(|node| is_above(trie, *node, best));
        let best = if above { best & 1 } else { best };
        let context = self.context_of(trie, best);
        let anchored = self.set.iter().map(|node| trie.node(*node).end_anchored).max();
        let anchored = self.contexts[context as usize].anchored.max(anchored.unwrap_or(0));
        self.state_of(context, anchored)
    }

    /// The context with `self.new_stars`, which are sorted and pruned, as its stars.
    fn context_of(&mut self, trie: &Trie, best: Run) -> ContextId {
        if self.context_table.len() <= 2 * self.contexts.len() {
            let hashes = self.contexts.iter().map(|context| context.hash);
            grow_table(&mut self.context_table, hashes, 1);
        }
        let hash = hash(best, &self.new_stars);
        let mask = self.context_table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.context_table[slot] != 0 {
            let id = self.context_table[slot] - 1;
            let context = &self.contexts[id as usize];
            if (context.hash, context.best) == (hash, best)
                && self.stars[context.stars()] == *self.new_stars
            {
                return id;
            }
            slot = (slot + 1) & mask;
        }
        let stars = &self.new_stars;
        let rival = stars.iter().map(|star| rival_of(trie, *star, best)).min().unwrap_or(Run::MAX);
        let above = stars.iter().all(|star| is_above(trie, *star, best));
        let all_stay = stars.iter().all(|star| is_relevant(trie, *star, best, rival));
        self.contexts.push(Context {
            stars_at: self.stars.len() as u32,
            stars_len: stars.len() as u32,
            best,
            hash,
            rival,
            anchored: stars.iter().map(|s| trie.node(*s).end_anchored).max().unwrap_or(0).max(best),
            above,
            // If the stars alone would lower the best run, they belong to another context.
            settled: stars.is_empty() || all_stay && (best < 2 || !above),
            wait: final_of(best),
        });
        self.pending.push(0);
        self.stars.extend_from_slice(stars);
        self.context_table[slot] = self.contexts.len() as ContextId;
        self.contexts.len() as ContextId - 1
    }

    /// The state of a context with `self.set`, which is sorted and pruned, as its other live
    /// nodes.
    pub(super) fn state_of(&mut self, context: ContextId, anchored: Run) -> StateId {
        if self.state_table.len() <= 2 * self.states.len() {
            let hashes = self.states.iter().map(|state| state.hash);
            grow_table(&mut self.state_table, hashes, FIRST_STATE);
        }
        let hash = hash(context, &self.set);
        let mask = self.state_table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.state_table[slot] != 0 {
            let state = self.state(self.state_table[slot]);
            if (state.hash, state.context) == (hash, context)
                && is_same(&self.sets[state.set_at as usize..][..state.set_len as usize], &self.set)
            {
                return self.state_table[slot];
            }
            slot = (slot + 1) & mask;
        }
        let id = self.states.len() as StateId + FIRST_STATE;
        self.state_table[slot] = id;
        let next = std::mem::replace(&mut self.pending[context as usize], id);
        if next == 0 && context != self.context {
            self.to_do.push(context);
        }
        self.states.push(State {
            context,
            set_at: self.sets.len() as u32,
            set_len: self.set.len() as u32,
            hash,
            next,
            transitions_at: 0,
            transitions_len: 0,
            otherwise: final_of(self.contexts[context as usize].best),
            at_end: verdict_of(anchored),
            literal_at: 0,
            literal_len: 0,
        });
        match self.set[..] {
            [node] => self.sets.push(node),
            ref nodes => self.sets.extend_from_slice(nodes),
        }
        id
    }
}

/// Returns true if two sets are equal. Most have one node.
#[inline]
fn is_same(one: &[NodeId], other: &[NodeId]) -> bool {
    match (one, other) {
        ([one], [other]) => one == other,
        _ => one == other,
    }
}

/// Gives a hash table more room. `hashes` belong to the numbers from `first` on.
pub(super) fn grow_table(
    table: &mut Vec<u32>,
    hashes: impl ExactSizeIterator<Item = u32>,
    first: u32,
) {
    let len = (4 * hashes.len()).next_power_of_two().max(64);
    table.clear();
    table.resize(len, 0);
    for (hash, id) in hashes.zip(first..) {
        let mut slot = hash as usize & (len - 1);
        while table[slot] != 0 {
            slot = (slot + 1) & (len - 1);
        }
        table[slot] = id;
    }
}

pub(super) fn hash(first: u32, set: &[NodeId]) -> u32 {
    let hash = set.iter().fold(u64::from(first), |hash, node| mix(hash, u64::from(*node)));
    (mix(hash, 0) >> 32) as u32
}
