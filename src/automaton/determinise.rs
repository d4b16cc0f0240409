//! Pruned subset construction: from the trie to states that keep only what can still
//! change the verdict.
//!
//! States are built context by context: a *context* is the live stars and the best run. What
//! its stars do with each byte is found out once, in its *cells*; a state adds its other
//! live nodes to that, so that it costs what those cost, however many stars there are. Only
//! where the stars or the best run change is a whole set pruned and looked up.

use crate::automaton::limits::{LimitHit, Limits};
use crate::automaton::trie::{NONE, NodeId, Run, Trie, mix, verdict_of};
use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

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

pub(super) fn final_of(run: Run) -> StateId {
    run & 1
}

/// A state of the DFA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    context: ContextId,
    /// The live nodes that are no stars.
    set_at: u32,
    set_len: u32,
    hash: u32,
    /// The next state of the context that has no transitions yet.
    next: StateId,
    transitions_at: u32,
    transitions_len: u32,
    /// Where every other byte leads. The state itself: it waits for its transitions. Another
    /// state: the byte is still to be read there, and that state waits. Otherwise a final
    /// verdict.
    pub(crate) otherwise: StateId,
    /// The verdict if the target ends here.
    pub(crate) at_end: Verdict,
    /// Bytes that must all come, one after another, before the only transition's target is
    /// reached: at least two, or none for a state with transitions by single bytes.
    literal_at: u32,
    literal_len: u32,
}

/// The number of a context.
type ContextId = u32;

/// What most states have in common with many others: the live star nodes and the best run.
/// What follows from these is found out once.
#[derive(Clone, Copy, Debug)]
struct Context {
    stars_at: u32,
    stars_len: u32,
    best: Run,
    hash: u32,
    /// The lowest run of the other verdict, above the best, that is ahead of the stars.
    rival: Run,
    /// The highest run that the end of the target gives at the stars.
    anchored: Run,
    /// Whether every run ahead of the stars is above the best.
    above: bool,
    /// Whether all stars stay live whatever other nodes are live or not.
    settled: bool,
    /// The state of the stars alone, where it is settled, there are stars, and it is the one
    /// at hand; else the final verdict of the best run.
    wait: StateId,
}

/// What the stars of the context at hand do with a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// The mark of the context that this was made for.
    mark: u64,
    /// The children of the stars: a range of `row`.
    row_at: u32,
    row_len: u32,
    /// Whether they leave the context as it is. If so: the nodes that become live, sorted, a
    /// range of `cell_nodes`.
    stays: bool,
    nodes_at: u32,
    nodes_len: u32,
    /// Where the stars alone lead.
    target: StateId,
}

/// Where a byte leads by which a child is reached and no other one but by the stars.
#[derive(Clone, Copy, Debug, Default)]
struct LoneChild {
    /// The mark of the context for which this is so.
    mark: u64,
    byte: u8,
    target: StateId,
}

/// Marks nodes: those whose mark is the present one.
#[derive(Debug, Default)]
struct Marks {
    marks: Vec<u64>,
    /// Never used again, not for the next policy either.
    present: u64,
}

impl Marks {
    fn begin(&mut self, nodes: usize) {
        if self.marks.len() < nodes {
            self.marks.resize(nodes, 0);
        }
    }

    fn renew(&mut self, nodes: &[NodeId]) {
        self.present += 1;
        for &node in nodes {
            self.marks[node as usize] = self.present;
        }
    }

    #[inline]
    fn has(&self, node: NodeId) -> bool {
        self.marks[node as usize] == self.present
    }
}

/// The states of a policy, and the scratch space to build them, kept for the next policy.
#[derive(Debug, Default)]
pub(crate) struct Dfa {
    states: Vec<State>,
    transitions: Vec<(u8, StateId)>,
    literals: Vec<u8>,
    /// The live nodes of all states but the stars, each sorted.
    sets: Vec<NodeId>,
    pub(crate) start: StateId,
    contexts: Vec<Context>,
    /// By context: a state without transitions yet, the first of a list; 0: none.
    pending: Vec<StateId>,
    /// The live stars of all contexts, each sorted.
    stars: Vec<NodeId>,
    // Hash tables.
    state_table: Vec<StateId>,
    context_table: Vec<ContextId>,
    /// Contexts with states that have no transitions yet, but for the one at hand.
    to_do: Vec<ContextId>,
    /// States of contexts that are not settled.
    unsettled: Vec<usize>,
    work: u64,
    // Of the context at hand.
    context: ContextId,
    live_stars: Marks,
    cells: Vec<Cell>,
    /// The bytes that have a cell.
    cell_bytes: Vec<u8>,
    row: Vec<NodeId>,
    cell_nodes: Vec<NodeId>,
    /// By node. Beside stars most transitions lead where one of another state led.
    lone_children: Vec<LoneChild>,
    // Of the state at hand.
    children: Vec<(u8, NodeId)>,
    /// The nodes at which a byte arrives, the stars that it adds to the context, and the
    /// best run there.
    set: Vec<NodeId>,
    new_stars: Vec<NodeId>,
    best: Run,
    live: Marks,
}

/// The work that a policy may cost where no limit is given, in nodes looked at: generous
/// for as many nodes as an honest file has among its stars, and above that enough for files
/// that have few. Measured: a policy of the corpus without stars to speak of takes 58,000 at
/// most (28,254 nodes); 14 of the 2,384 hit this limit or that of the states. With 80 for each of
/// the first 1,024 nodes it would be 11, and what those cost before they are given up would be
/// twice that: the engine that decides then is no longer so much slower.
fn default_work(nodes: u64) -> u64 {
    4096 + 32 * nodes.min(1024) + 2 * nodes
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
        self.work = 0;
        self.context = ContextId::MAX;
        self.live_stars.begin(trie.len());
        self.live_stars.renew(&[]);
        self.cells.resize(256, Cell::default());
        if self.lone_children.len() < trie.len() {
            self.lone_children.resize(trie.len(), LoneChild::default());
        }
        self.set.clear();
        self.new_stars.clear();
        self.live.begin(trie.len());
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

    /// The transitions of a state by byte in ascending order.
    pub(crate) fn transitions(&self, state: &State) -> &[(u8, StateId)] {
        &self.transitions[state.transitions_at as usize..][..state.transitions_len as usize]
    }

    /// The bytes that must all come before the only transition's target is reached.
    pub(crate) fn literal(&self, state: &State) -> &[u8] {
        &self.literals[state.literal_at as usize..][..state.literal_len as usize]
    }

    fn stars_of(&self, context: &Context) -> std::ops::Range<usize> {
        context.stars_at as usize..(context.stars_at + context.stars_len) as usize
    }

    /// Begins with the states of a context.
    fn enter(&mut self, trie: &Trie, id: ContextId) -> Context {
        self.context = id;
        let mut context = self.contexts[id as usize];
        let stars = self.stars_of(&context);
        self.work += stars.len() as u64;
        self.live_stars.renew(&self.stars[stars.clone()]);
        if !context.settled || stars.is_empty() {
            return context; // no cell has the new mark
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

    /// Sorts the children of the stars by byte into `row`.
    fn fill_row(&mut self, trie: &Trie, stars: std::ops::Range<usize>) {
        let mark = self.live_stars.present;
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

    /// Whether the stars of the context at hand have a way by this byte.
    #[inline]
    fn has_cell(&self, byte: u8) -> bool {
        self.cells[usize::from(byte)].mark == self.live_stars.present
    }

    /// Before a byte arrives anywhere.
    fn begin_arriving(&mut self, best: Run) {
        self.set.clear();
        self.new_stars.clear();
        self.best = best;
    }

    /// Adds a node, with its star if that is not live yet, and raises the best run where
    /// rules end there. A node from which every way leads through a star that is live adds
    /// nothing: whatever it would match, the star matches too.
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

    /// The state of the context at hand, which is settled, with the sorted `self.set`,
    /// pruned first.
    fn state_of_nodes(&mut self, trie: &Trie, context: &Context) -> StateId {
        self.work += self.set.len() as u64;
        let best = context.best;
        // With one run only, every node leads there.
        if trie.highest() > 1 {
            let rivals = self.set.iter().map(|node| rival_of(trie, *node, best));
            let rival = rivals.fold(context.rival, Run::min);
            self.set.retain(|&node| is_relevant(trie, node, best, rival));
        }
        if self.set.is_empty() {
            // Final, where there are no stars.
            return context.wait;
        }
        if best > 1 && context.above && self.set.iter().all(|node| is_above(trie, *node, best)) {
            return self.state_of_set(trie);
        }
        let anchored = self.set.iter().map(|node| trie.node(*node).end_anchored).max();
        self.state_of(self.context, context.anchored.max(anchored.unwrap_or(0)))
    }

    /// The state with `self.set`, `self.new_stars` and the stars of the context at hand as
    /// live nodes, pruned first.
    fn state_of_set(&mut self, trie: &Trie) -> StateId {
        if self.best >= trie.highest() {
            return final_of(self.best);
        }
        if let Some(context) = self.contexts.get(self.context as usize) {
            let stars = context.stars_at as usize..(context.stars_at + context.stars_len) as usize;
            self.new_stars.extend_from_slice(&self.stars[stars]);
        }
        self.work += (self.set.len() + self.new_stars.len()) as u64;
        let best = self.best;
        // The lowest run of the other verdict, above the best, that is still ahead.
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
        self.live.renew(&self.new_stars);
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

    /// The context with `self.new_stars`, sorted and pruned, as stars.
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
                && self.stars[self.stars_of(context)] == *self.new_stars
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
            // Where the best run would be lowered for the stars alone, that is another context.
            settled: stars.is_empty() || all_stay && (best < 2 || !above),
            wait: final_of(best),
        });
        self.pending.push(0);
        self.stars.extend_from_slice(stars);
        self.context_table[slot] = self.contexts.len() as ContextId;
        self.contexts.len() as ContextId - 1
    }

    /// The state of a context with `self.set`, sorted and pruned, as its other live nodes.
    fn state_of(&mut self, context: ContextId, anchored: Run) -> StateId {
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

    /// The next state of the context at hand that has no transitions yet.
    fn next_pending(&mut self) -> Option<StateId> {
        let pending = &mut self.pending[self.context as usize];
        let id = *pending;
        if id == 0 {
            return None;
        }
        *pending = self.states[(id - FIRST_STATE) as usize].next;
        Some(id)
    }

    /// Finds the transitions of a state of the context at hand.
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

    /// Finds the transitions by the children of a state's nodes, in a settled context.
    fn find_transitions(&mut self, trie: &Trie, context: &Context, children: &[(u8, NodeId)]) {
        for children in children.chunk_by(|(a, _), (b, _)| a == b) {
            let byte = children[0].0;
            let target = match *children {
                // Where there are no stars, no two states lead to one child.
                [(byte, child)] if context.stars_len > 0 => {
                    let mark = self.live_stars.present;
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
            // Otherwise the byte leads there anyway.
            let anyway = if self.has_cell(byte) {
                self.cells[usize::from(byte)].target
            } else {
                context.wait
            };
            if target != anyway {
                self.transitions.push((byte, target));
            }
        }
    }

    /// Where a byte leads by which these children are reached, in a settled context.
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

    /// Finds the transitions by the children of a state's nodes in a context that is not settled,
    /// and where every other byte leads.
    fn find_unsettled_transitions(
        &mut self,
        trie: &Trie,
        context: &Context,
        children: &[(u8, NodeId)],
    ) -> StateId {
        let stars = self.stars_of(context);
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
        // Every other byte leaves the stars alone, which then see that byte too.
        self.begin_arriving(context.best);
        self.state_of_set(trie)
    }

    /// Where one node alone is live beside the stars and a single way goes on from it, byte
    /// after byte: takes all of it as one transition, up to a byte that is special in targets or
    /// that the stars know.
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

    /// Drops the transitions that lead where `otherwise` does with the same byte, from states of
    /// contexts that are not settled; others have none.
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

/// Whether two sets are the same; most have one node.
#[inline]
fn is_same(one: &[NodeId], other: &[NodeId]) -> bool {
    match (one, other) {
        ([one], [other]) => one == other,
        _ => one == other,
    }
}

/// The lowest run of the other verdict, above the best, that is ahead of a node.
#[inline]
pub(super) fn rival_of(trie: &Trie, node: NodeId, best: Run) -> Run {
    let ahead = trie.ahead(node);
    let other = (best & 1 ^ 1) as usize;
    if ahead.lowest[other] > best {
        ahead.lowest[other]
    } else if ahead.highest[other] > best {
        // The node's runs lie on both sides: which is next is not known.
        best + 1
    } else {
        Run::MAX
    }
}

/// Whether what is ahead of a node can still change the verdict.
#[inline]
pub(super) fn is_relevant(trie: &Trie, node: NodeId, best: Run, rival: Run) -> bool {
    let ahead = trie.ahead(node);
    let (same, other) = ((best & 1) as usize, (best & 1 ^ 1) as usize);
    ahead.highest[other] > best || ahead.highest[same] > rival
}

/// Whether every run ahead of a node is above the best.
#[inline]
pub(super) fn is_above(trie: &Trie, node: NodeId, best: Run) -> bool {
    let [allow, disallow] = trie.ahead(node).lowest;
    allow > best && disallow > best
}

/// Whether every way from a node leads through a star that is marked.
#[inline]
fn leads_through(trie: &Trie, stars: &Marks, node: NodeId, work: &mut u64) -> bool {
    let mut through = trie.node(node).through;
    while through != NONE {
        *work += 1;
        if stars.has(through) {
            return true;
        }
        through = trie.node(through).through;
    }
    false
}

/// Merges two lists that are sorted by byte.
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

/// Gives a hash table more room; `hashes` are those of the numbers from `first` on.
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
