//! Pruned subset construction: from the trie to states that keep only what can still change
//! the verdict.
//!
//! States are built context by context. A *context* is the live stars and the best run. What
//! its stars do with each byte is computed once, in its *cells*. A state combines that with its
//! other live nodes, so it costs only what those cost, however many stars there are. A whole
//! set is pruned and looked up only if the stars or the best run change.

mod intern;
mod merge;
mod prune;

use std::ops::Range;

use crate::automaton::limits::{LimitHit, Limits};
use crate::automaton::trie::{NONE, NodeId, Run, Trie};
use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

use prune::{Marks, leads_through};

/// The number of a state, or a final verdict.
pub(crate) type StateId = u32;

/// Allow, whatever follows.
pub(crate) const FINAL_ALLOW: StateId = 0;
/// Disallow, whatever follows.
pub(crate) const FINAL_DISALLOW: StateId = 1;
/// The number of the first state.
const FIRST_STATE: StateId = 2;

/// The verdict that a state number stands for, if it is final.
#[inline]
pub(crate) fn final_verdict(id: StateId) -> Option<Verdict> {
    match id {
        FINAL_ALLOW => Some(Verdict::Allow),
        FINAL_DISALLOW => Some(Verdict::Disallow),
        _ => None,
    }
}

/// The number that stands for the verdict of a run.
fn final_of(run: Run) -> StateId {
    run & 1
}

/// A state of the DFA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    context: ContextId,
    /// The live nodes other than stars: a range of [`Dfa::sets`].
    set_at: u32,
    set_len: u32,
    hash: u32,
    /// The next state of the context that has no transitions yet; 0 if there is none.
    next: StateId,
    /// A range of [`Dfa::transitions`].
    transitions_at: u32,
    transitions_len: u32,
    /// Where every other byte leads: a final verdict, the state itself, or another state that
    /// reads the byte again. A state that is its own `otherwise` waits for its transitions, and
    /// so does that other state.
    pub(crate) otherwise: StateId,
    /// The verdict if the haystack ends here.
    pub(crate) at_end: Verdict,
    /// The bytes that must all match before the only transition is taken, at least two: a range
    /// of [`Dfa::literals`]. Empty if each transition is taken on its one byte.
    literal_at: u32,
    literal_len: u32,
}

/// The number of a context.
type ContextId = u32;

/// The live stars and the best run, which most states share with many others, and what follows
/// from them.
#[derive(Clone, Copy, Debug)]
struct Context {
    /// A range of [`Dfa::stars`].
    stars_at: u32,
    stars_len: u32,
    best: Run,
    hash: u32,
    /// The lowest run of the other verdict, above the best, that is ahead of the stars.
    rival: Run,
    /// The best run if the haystack ends here, as far as the stars know.
    anchored: Run,
    /// True if every run ahead of the stars is above the best.
    above: bool,
    /// True if all stars stay live, whichever other nodes are live.
    settled: bool,
    /// The state of the stars alone, in the current context if it is settled and has stars;
    /// else the final verdict of the best run.
    wait: StateId,
}

impl Context {
    fn stars(&self) -> Range<usize> {
        self.stars_at as usize..(self.stars_at + self.stars_len) as usize
    }
}

/// What the stars of the current context do with a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// The mark of the context that this was made for.
    mark: u64,
    /// The children of the stars: a range of [`Dfa::row`].
    row_at: u32,
    row_len: u32,
    /// True if reaching these children leaves the context as it is.
    stays: bool,
    /// If it does, the nodes that become live, sorted: a range of [`Dfa::cell_nodes`].
    nodes_at: u32,
    nodes_len: u32,
    /// Where the stars alone lead.
    target: StateId,
}

/// Where a byte leads if it reaches one child, and others only from the stars.
#[derive(Clone, Copy, Debug, Default)]
struct LoneChild {
    /// The mark of the context that this was found in.
    mark: u64,
    byte: u8,
    target: StateId,
}

/// Scratch space of `merge`.
#[derive(Debug, Default)]
struct Merging {
    /// By state.
    hashes: Vec<u64>,
    next_hashes: Vec<u64>,
    /// A hash table of the states that stay.
    table: Vec<StateId>,
    /// States, and how many of their transitions were followed.
    open: Vec<(StateId, usize)>,
}

/// The states of a policy, and the scratch space to build them, which is kept for the next
/// policy.
#[derive(Debug, Default)]
pub(crate) struct Dfa {
    states: Vec<State>,
    transitions: Vec<(u8, StateId)>,
    literals: Vec<u8>,
    /// The live nodes of all states other than stars, sorted for each state.
    sets: Vec<NodeId>,
    pub(crate) start: StateId,
    contexts: Vec<Context>,
    /// By context: the first of its states that have no transitions yet, a linked list; 0 if
    /// there is none.
    pending: Vec<StateId>,
    /// The live stars of all contexts, sorted for each context.
    stars: Vec<NodeId>,
    // Hash tables.
    state_table: Vec<StateId>,
    context_table: Vec<ContextId>,
    /// Contexts with pending states, other than the current one.
    to_do: Vec<ContextId>,
    /// The indices of the states in contexts that are not settled.
    unsettled: Vec<usize>,
    /// By state: the one that stands for it. Empty if each stands for itself.
    replacements: Vec<StateId>,
    merging: Merging,
    /// The number of nodes that were looked at.
    work: u64,
    // Of the current context.
    context: ContextId,
    live_stars: Marks,
    cells: Vec<Cell>,
    /// The bytes that have a cell.
    cell_bytes: Vec<u8>,
    /// The children of the stars, by byte.
    row: Vec<NodeId>,
    cell_nodes: Vec<NodeId>,
    /// By node. In a context with stars, most transitions lead where another state's do.
    lone_children: Vec<LoneChild>,
    // Of the current state.
    children: Vec<(u8, NodeId)>,
    /// The nodes that a byte reaches, the stars that it adds to the context, and the best run
    /// after it.
    set: Vec<NodeId>,
    new_stars: Vec<NodeId>,
    best: Run,
    live: Marks,
}

/// The work that a policy may cost if no limit is given, in nodes looked at: generous for as
/// many nodes as honest files with stars have, and beyond that enough for files with few stars.
///
/// Measured on the corpus: a policy with next to no stars takes up to 58,000 (28,254 nodes), and
/// 14 of 2,384 policies hit this limit or that of the states. With 80 instead of 32 for each of
/// the first 1,024 nodes only 11 would, but hostile ones would cost twice as much before they are
/// given up. That is not worth it, since the next engine is hardly slower.
fn default_work(nodes: u64) -> u64 {
    4096 + 32 * nodes.min(1024) + 2 * nodes
}

impl Dfa {
    /// Replaces the states by those of a trie.
    ///
    /// # Errors
    /// Returns the limit that was hit.
    pub(crate) fn build(
        &mut self,
        trie: &Trie,
        encoding: Encoding,
        limits: &Limits,
    ) -> Result<(), LimitHit> {
        let nodes = trie.len() as u64;
        let state_limit =
            limits.states.unwrap_or_else(|| u32::try_from(16 * nodes + 64).unwrap_or(u32::MAX));
        let work_limit = limits.work.unwrap_or(default_work(nodes));
        self.clear(trie);
        self.best = 0;
        self.arrive(trie, trie.root());
        self.start = self.state_of_set(trie);
        let mut expanded = 0;
        while let Some(context) = self.to_do.pop() {
            let context = self.enter(trie, context);
            while let Some(id) = self.next_pending() {
                if expanded > state_limit {
                    return Err(LimitHit::States(state_limit));
                }
                if self.work > work_limit {
                    return Err(LimitHit::Work(work_limit));
                }
                expanded += 1;
                self.expand(trie, encoding, &context, id);
            }
        }
        self.drop_needless_transitions();
        self.merge();
        Ok(())
    }

    fn clear(&mut self, trie: &Trie) {
        self.states.clear();
        self.transitions.clear();
        self.literals.clear();
        self.sets.clear();
        self.contexts.clear();
        self.pending.clear();
        self.stars.clear();
        self.state_table.clear();
        self.context_table.clear();
        self.to_do.clear();
        self.unsettled.clear();
        self.replacements.clear();
        self.work = 0;
        self.context = ContextId::MAX;
        self.live_stars.reserve(trie.len());
        self.live_stars.replace(&[]);
        self.cells.resize(256, Cell::default());
        if self.lone_children.len() < trie.len() {
            self.lone_children.resize(trie.len(), LoneChild::default());
        }
        self.set.clear();
        self.new_stars.clear();
        self.live.reserve(trie.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The number of nodes that were looked at.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// The numbers of all states that were not replaced by others.
    pub(crate) fn ids(&self) -> impl Iterator<Item = StateId> {
        self.all_ids().filter(|id| self.replacement(*id) == *id)
    }

    fn all_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        FIRST_STATE..FIRST_STATE + self.states.len() as StateId
    }

    pub(crate) fn state(&self, id: StateId) -> &State {
        &self.states[(id - FIRST_STATE) as usize]
    }

    /// The transitions of a state, by byte in ascending order.
    pub(crate) fn transitions(&self, state: &State) -> &[(u8, StateId)] {
        &self.transitions[state.transitions_at as usize..][..state.transitions_len as usize]
    }

    /// The bytes that must all match before the only transition is taken; empty if each
    /// transition is taken on its one byte.
    pub(crate) fn literal(&self, state: &State) -> &[u8] {
        &self.literals[state.literal_at as usize..][..state.literal_len as usize]
    }

    /// Makes a context the current one and computes its cells.
    fn enter(&mut self, trie: &Trie, id: ContextId) -> Context {
        self.context = id;
        let mut context = self.contexts[id as usize];
        let stars = context.stars();
        self.work += stars.len() as u64;
        self.live_stars.replace(&self.stars[stars.clone()]);
        if !context.settled || stars.is_empty() {
            // No cell has the new mark.
            return context;
        }
        self.fill_row(trie, stars);
        self.set.clear();
        context.wait = self.state_of(id, context.anchored);
        self.cell_nodes.clear();
        for at in 0..self.cell_bytes.len() {
            self.fill_cell(trie, &context, self.cell_bytes[at]);
        }
        context
    }

    /// Collects the children of the stars in `row`, by byte.
    fn fill_row(&mut self, trie: &Trie, stars: Range<usize>) {
        let mark = self.live_stars.present();
        self.cell_bytes.clear();
        let mut len = 0;
        for star in stars.clone() {
            let edges = trie.edges(self.stars[star]);
            len += edges.len();
            for &(byte, _) in edges {
                let cell = &mut self.cells[usize::from(byte)];
                if cell.mark != mark {
                    *cell = Cell { mark, ..Cell::default() };
                    self.cell_bytes.push(byte);
                }
                cell.row_len += 1;
            }
        }
        self.work += len as u64;
        self.cell_bytes.sort_unstable();
        let mut row_at = 0;
        for byte in &self.cell_bytes {
            let cell = &mut self.cells[usize::from(*byte)];
            cell.row_at = row_at;
            row_at += cell.row_len;
            cell.row_len = 0;
        }
        self.row.clear();
        self.row.resize(len, NONE);
        for star in stars {
            for &(byte, child) in trie.edges(self.stars[star]) {
                let cell = &mut self.cells[usize::from(byte)];
                self.row[(cell.row_at + cell.row_len) as usize] = child;
                cell.row_len += 1;
            }
        }
    }

    fn fill_cell(&mut self, trie: &Trie, context: &Context, byte: u8) {
        self.begin_arriving(context.best);
        let cell = self.cells[usize::from(byte)];
        self.arrive_by_row(trie, &cell);
        if self.best != context.best || !self.new_stars.is_empty() {
            self.cells[usize::from(byte)].target = self.state_of_set(trie);
            return;
        }
        self.sort_set();
        let nodes_at = self.cell_nodes.len() as u32;
        self.cell_nodes.extend_from_slice(&self.set);
        let nodes_len = self.set.len() as u32;
        let target = self.state_of_nodes(trie, context);
        let cell = &mut self.cells[usize::from(byte)];
        *cell = Cell { stays: true, nodes_at, nodes_len, target, ..*cell };
    }

    /// Returns true if a star of the current context has an edge for this byte.
    #[inline]
    fn has_cell(&self, byte: u8) -> bool {
        self.cells[usize::from(byte)].mark == self.live_stars.present()
    }

    /// Empties `self.set` and `self.new_stars` for the nodes that a byte reaches.
    fn begin_arriving(&mut self, best: Run) {
        self.set.clear();
        self.new_stars.clear();
        self.best = best;
    }

    /// Adds a node, with its star if that is not live yet, and raises the best run if rules end
    /// there. A node from which every way leads through a live star is left out: whatever it
    /// would match, the star matches too.
    #[inline]
    fn arrive(&mut self, trie: &Trie, id: NodeId) {
        let node = trie.node(id);
        self.best = self.best.max(node.end);
        if node.goes_on() && !leads_through(trie, &self.live_stars, id, &mut self.work) {
            self.set.push(id);
        }
        if node.star != NONE && !self.live_stars.has(node.star) {
            self.new_stars.push(node.star);
        }
    }

    fn arrive_by_row(&mut self, trie: &Trie, cell: &Cell) {
        self.work += u64::from(cell.row_len);
        for at in cell.row_at..cell.row_at + cell.row_len {
            self.arrive(trie, self.row[at as usize]);
        }
    }

    fn sort_set(&mut self) {
        if self.set.len() > 1 {
            self.set.sort_unstable();
            self.set.dedup();
        }
    }

    /// The next state of the current context that has no transitions yet.
    fn next_pending(&mut self) -> Option<StateId> {
        let pending = &mut self.pending[self.context as usize];
        let id = *pending;
        if id == 0 {
            return None;
        }
        *pending = self.states[(id - FIRST_STATE) as usize].next;
        Some(id)
    }

    /// Finds the transitions of a state of the current context.
    fn expand(&mut self, trie: &Trie, encoding: Encoding, context: &Context, id: StateId) {
        let index = (id - FIRST_STATE) as usize;
        let state = &self.states[index];
        let transitions_at = self.transitions.len();
        let live = state.set_at as usize..(state.set_at + state.set_len) as usize;
        let otherwise = if id == context.wait {
            for &byte in &self.cell_bytes {
                let target = self.cells[usize::from(byte)].target;
                if target != id {
                    self.transitions.push((byte, target));
                }
            }
            id
        } else {
            if context.settled
                && let [node] = self.sets[live.clone()]
                && self.expand_literal(trie, encoding, context, index, node)
            {
                return;
            }
            let mut several = std::mem::take(&mut self.children);
            let children = match self.sets[live] {
                [node] => trie.edges(node),
                [one, other] => {
                    merge(trie.edges(one), trie.edges(other), &mut several);
                    &several
                }
                ref nodes => {
                    several.clear();
                    several.extend(nodes.iter().flat_map(|node| trie.edges(*node)));
                    several.sort_unstable();
                    &several
                }
            };
            self.work += children.len() as u64;
            let otherwise = if context.settled {
                self.find_transitions(trie, context, children);
                context.wait
            } else {
                self.unsettled.push(index);
                self.find_unsettled_transitions(trie, context, children)
            };
            self.children = several;
            otherwise
        };
        let state = &mut self.states[index];
        state.otherwise = otherwise;
        state.transitions_at = transitions_at as u32;
        state.transitions_len = (self.transitions.len() - transitions_at) as u32;
    }

    /// Finds the transitions to the children of a state's nodes, in a settled context.
    fn find_transitions(&mut self, trie: &Trie, context: &Context, children: &[(u8, NodeId)]) {
        for children in children.chunk_by(|(a, _), (b, _)| a == b) {
            let byte = children[0].0;
            let target = match *children {
                // Without stars, no two states lead to the same child.
                [(byte, child)] if context.stars_len > 0 => {
                    let mark = self.live_stars.present();
                    let known = self.lone_children[child as usize];
                    if (known.mark, known.byte) == (mark, byte) {
                        known.target
                    } else {
                        let target = self.target(trie, context, children);
                        self.lone_children[child as usize] = LoneChild { mark, byte, target };
                        target
                    }
                }
                _ => self.target(trie, context, children),
            };
            // Where the byte leads without a transition.
            let otherwise = if self.has_cell(byte) {
                self.cells[usize::from(byte)].target
            } else {
                context.wait
            };
            if target != otherwise {
                self.transitions.push((byte, target));
            }
        }
    }

    /// Where the byte that reaches these children leads, in a settled context.
    fn target(&mut self, trie: &Trie, context: &Context, children: &[(u8, NodeId)]) -> StateId {
        let byte = children[0].0;
        self.begin_arriving(context.best);
        for (_, child) in children {
            self.arrive(trie, *child);
        }
        let cell = if self.has_cell(byte) {
            self.cells[usize::from(byte)]
        } else {
            Cell { stays: true, ..Cell::default() }
        };
        if !cell.stays || self.best != context.best || !self.new_stars.is_empty() {
            self.arrive_by_row(trie, &cell);
            self.state_of_set(trie)
        } else {
            let nodes = cell.nodes_at as usize..(cell.nodes_at + cell.nodes_len) as usize;
            self.set.extend_from_slice(&self.cell_nodes[nodes]);
            self.sort_set();
            self.state_of_nodes(trie, context)
        }
    }

    /// Finds the transitions to the children of a state's nodes in a context that is not settled,
    /// and returns where every other byte leads.
    fn find_unsettled_transitions(
        &mut self,
        trie: &Trie,
        context: &Context,
        children: &[(u8, NodeId)],
    ) -> StateId {
        let stars = context.stars();
        for children in children.chunk_by(|(a, _), (b, _)| a == b) {
            let byte = children[0].0;
            self.begin_arriving(context.best);
            for (_, child) in children {
                self.arrive(trie, *child);
            }
            for star in stars.clone() {
                if let Some(child) = trie.child(self.stars[star], byte) {
                    self.arrive(trie, child);
                }
            }
            self.work += stars.len() as u64;
            let target = self.state_of_set(trie);
            self.transitions.push((byte, target));
        }
        // After any other byte only the stars are live, and they read that byte too.
        self.begin_arriving(context.best);
        self.state_of_set(trie)
    }

    /// Gives a state with one live node beside the stars a literal: all bytes on the single way
    /// from that node, up to one that is special or that the stars have an edge for. Returns
    /// `false` if these are fewer than two bytes.
    fn expand_literal(
        &mut self,
        trie: &Trie,
        encoding: Encoding,
        context: &Context,
        index: usize,
        node: NodeId,
    ) -> bool {
        let literal_at = self.literals.len();
        let mut last = node;
        loop {
            let n = trie.node(last);
            let passes = n.star == NONE && n.end_anchored == 0 && (last == node || n.end == 0);
            match trie.edges(last) {
                [(byte, child)]
                    if passes && !encoding.is_special(*byte) && !self.has_cell(*byte) =>
                {
                    self.literals.push(*byte);
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
        self.begin_arriving(context.best);
        self.arrive(trie, last);
        let target = if self.best != context.best || !self.new_stars.is_empty() {
            self.state_of_set(trie)
        } else {
            self.state_of_nodes(trie, context)
        };
        let state = &mut self.states[index];
        state.otherwise = context.wait;
        state.transitions_at = self.transitions.len() as u32;
        state.transitions_len = 1;
        state.literal_at = literal_at as u32;
        state.literal_len = literal_len as u32;
        self.transitions.push((self.literals[literal_at], target));
        true
    }

    /// Where a state leads by a byte.
    fn step(&self, state: &State, byte: u8) -> StateId {
        let transitions = self.transitions(state);
        let found = transitions.binary_search_by_key(&byte, |(o, _)| *o);
        found.map_or(state.otherwise, |at| transitions[at].1)
    }

    /// Drops the transitions that lead where `otherwise` does on the same byte. Only states of
    /// contexts that are not settled have any.
    fn drop_needless_transitions(&mut self) {
        for at in 0..self.unsettled.len() {
            let index = self.unsettled[at];
            let state = self.states[index];
            let elsewhere = match state.otherwise {
                otherwise if final_verdict(otherwise).is_some() => None,
                otherwise => Some(*self.state(otherwise)),
            };
            let from = state.transitions_at as usize;
            let mut kept = from;
            for at in from..from + state.transitions_len as usize {
                let (byte, target) = self.transitions[at];
                let otherwise = elsewhere.map_or(state.otherwise, |s| self.step(&s, byte));
                if target != otherwise {
                    self.transitions[kept] = (byte, target);
                    kept += 1;
                }
            }
            self.states[index].transitions_len = kept as u32 - state.transitions_at;
        }
    }
}

/// Merges two lists of edges that are sorted by byte.
fn merge(one: &[(u8, NodeId)], mut other: &[(u8, NodeId)], into: &mut Vec<(u8, NodeId)>) {
    into.clear();
    for &edge in one {
        while let [first, rest @ ..] = other
            && first.0 < edge.0
        {
            into.push(*first);
            other = rest;
        }
        into.push(edge);
    }
    into.extend_from_slice(other);
}
