//! From rules to runs, and to a trie of their patterns in which equal tails are shared.
//!
//! This is the first half of the way from rules to a DFA; `determinise` is the second. It answers two questions before
//! any state exists:
//!
//! - **Which rules matter?** Rules are put in order of precedence, and neighbours of the same verdict form a *run*: which
//!   one of them decides never changes the answer. A rule whose every match is outweighed on its own path adds nothing
//!   and is dropped.
//! - **What can still come?** Each node knows the lowest and highest run of each verdict that is reachable from it
//!   ([`Ahead`]). So determinising can stop where the verdict is final, which is why a walk may end early and why many
//!   states are one.
//!
//! Patterns are sorted and put in as in the construction of a minimal acyclic automaton from sorted words: a node is
//! closed when no later pattern can pass it, and becomes an equal node if there is one. Long chains of single children
//! (*links*) are found by their child without a hash table, since nearly all nodes are such.

use std::cmp::Reverse;

use crate::automaton::portable::common_prefix_len;
use crate::rules::RuleSet;
use crate::verdict::Verdict;

/// The number of a node.
pub(crate) type NodeId = u32;

/// No node.
pub(crate) const NONE: NodeId = NodeId::MAX;

/// A level of precedence. Neighbours of the same verdict in the order of precedence form one
/// run. Run 0 is the implicit "allow" together with the allow rules of lowest precedence, so
/// even runs allow and odd runs disallow.
pub(crate) type Run = u32;

/// The verdict of a run.
pub(crate) fn verdict_of(run: Run) -> Verdict {
    if run & 1 == 0 { Verdict::Allow } else { Verdict::Disallow }
}

/// A place in one or more patterns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    edges_at: u32,
    edges_len: u32,
    /// The node after a star that follows here, or `NONE`. Reaching a node means reaching its
    /// star node too, since a star may match no bytes.
    pub(crate) star: NodeId,
    /// The run of the rules that end here, or 0. Reaching the node raises the best run to it.
    pub(crate) end: Run,
    /// The run of the rules that end here with a `$`, or 0. It counts if the haystack ends here.
    pub(crate) end_anchored: Run,
    /// The index of this node's [`Ahead`]. Most nodes share it with their only child.
    ahead: u32,
    /// The nearest star node through which every way from here to an end leads, or `NONE`. While
    /// that one is live, this node adds nothing.
    pub(crate) through: NodeId,
    /// True if this is the node after a star, which stays live whatever comes.
    pub(crate) is_star: bool,
}

/// What can still be reached from a node, including its `end_anchored` but not its `end`: the
/// lowest and the highest run of each verdict. The index is `run & 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ahead {
    pub(crate) lowest: [Run; 2],
    pub(crate) highest: [Run; 2],
}

impl Ahead {
    const NOTHING: Ahead = Ahead { lowest: [Run::MAX; 2], highest: [0; 2] };

    fn add_run(&mut self, run: Run) {
        if run > 0 {
            let side = (run & 1) as usize;
            self.lowest[side] = self.lowest[side].min(run);
            self.highest[side] = self.highest[side].max(run);
        }
    }

    fn add(&mut self, other: &Ahead) {
        for side in 0..2 {
            self.lowest[side] = self.lowest[side].min(other.lowest[side]);
            self.highest[side] = self.highest[side].max(other.highest[side]);
        }
    }
}

/// Patterns as a trie over bytes in which equal sub-tries are stored once. So it is a directed
/// graph, without cycles other than those of the stars. It begins after the first `/`.
///
/// Children have lower numbers than their parents.
#[derive(Debug, Default)]
pub(crate) struct Trie {
    nodes: Vec<Node>,
    /// Sorted by byte within a node.
    edges: Vec<(u8, NodeId)>,
    aheads: Vec<Ahead>,
    root: NodeId,
    highest_run: Run,
    // Scratch space of the construction, kept for the next one.
    entries: Vec<Entry>,
    to_sort: Vec<(usize, usize, usize)>,
    open: Vec<Open>,
    open_edges: Vec<(u8, NodeId)>,
    /// By node.
    links: Vec<Links>,
    /// A hash table of the links other than the first one to each node.
    link_table: Vec<NodeId>,
    /// A hash table of the nodes other than links.
    table: Vec<NodeId>,
}

/// A pattern without its first `/`: `bytes[at..]` of rule number `rule`.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The bytes that are being compared while sorting: see [`key_of`].
    key: u64,
    rule: u32,
    run: Run,
    /// At most 2.
    at: u8,
    anchored: bool,
}

/// A node that may still get edges: the root, the end of a pattern, or a place where patterns
/// part. The nodes between two of them are links.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The number of bytes from the root to here.
    depth: usize,
    edges_from: usize,
    star: NodeId,
    end: Run,
    end_anchored: Run,
    /// The highest `end` from the root to here. A rule that goes on from here changes nothing
    /// unless its run is higher.
    best: Run,
}

/// A *link* is a node with one child, where no rule ends. Most nodes are links, and most links
/// are the only one to their child. These are found by the child, without a hash table.
#[derive(Clone, Copy, Debug)]
struct Links {
    /// The first link that was made to this node, or `NONE`.
    first: NodeId,
    /// If this node is a link, its child and its label.
    to: NodeId,
    label: u32,
}

/// The label of links over a star. The label of other links is their byte.
const LABEL_STAR: u32 = 1 << 8;
/// Set in a label if the link is itself the node after a star.
const LABEL_IS_STAR: u32 = 1 << 9;

impl Trie {
    /// Replaces the trie by that of a rule set.
    pub(crate) fn build(&mut self, rules: &RuleSet) {
        self.nodes.clear();
        self.edges.clear();
        self.aheads.clear();
        self.links.clear();
        self.collect(rules);
        self.sort(rules);
        // Each node that is closed is the root, the end of a pattern or a place where two
        // patterns part, and at most one of the links above it leads to a node that already had
        // one. So the tables never have to grow.
        let table_len = (4 * self.entries.len() + 4).next_power_of_two();
        self.table.clear();
        self.table.resize(table_len, NONE);
        self.link_table.clear();
        self.link_table.resize(table_len, NONE);
        self.open.push(Open::new(0, 0, 0));
        let mut previous: &[u8] = &[];
        let entries = std::mem::take(&mut self.entries);
        for entry in &entries {
            let pattern = rules.get(entry.rule as usize).pattern;
            let bytes = &pattern.bytes[usize::from(entry.at)..];
            let shared = common_prefix_len(previous, bytes);
            self.close_down_to(shared, previous, rules.wildcards());
            let parting = self.open[self.open.len() - 1];
            if parting.best >= entry.run {
                previous = &bytes[..shared];
                continue;
            }
            if bytes.len() > shared {
                self.open.push(Open::new(bytes.len(), self.open_edges.len(), parting.best));
            }
            let node = self.open.last_mut().expect("the root is open");
            if entry.anchored {
                node.end_anchored = node.end_anchored.max(entry.run);
            } else {
                node.end = entry.run;
                node.best = entry.run;
            }
            previous = bytes;
        }
        self.entries = entries;
        self.close_down_to(0, previous, rules.wildcards());
        self.root = self.close(false);
    }

    /// Assigns runs, and drops the rules that cannot change a verdict.
    fn collect(&mut self, rules: &RuleSet) {
        self.entries.clear();
        self.highest_run = 0;
        let mut run = 0;
        // From lowest to highest precedence.
        for (number, rule) in rules.iter().enumerate().rev() {
            if verdict_of(run) != rule.verdict {
                run += 1;
            }
            if run == 0 {
                continue;
            }
            let bytes = rule.pattern.bytes;
            let anchored = rule.pattern.anchored;
            let mut add = |at: u8| {
                let key = key_of(&bytes[usize::from(at)..]);
                self.entries.push(Entry { key, rule: number as u32, run, at, anchored });
                self.highest_run = run;
            };
            match bytes {
                // What is compared begins with `/`.
                [b'/', ..] => add(1),
                [b'*', after @ ..] if rules.wildcards() => {
                    // The star matches at least the first `/`, or nothing.
                    add(0);
                    if after.first() == Some(&b'/') {
                        add(2);
                    }
                }
                // The whole pattern was stars.
                [] if rules.wildcards() && !anchored => add(0),
                _ => {}
            }
        }
    }

    /// Sorts by pattern, a key at a time. Of equal patterns the one of the highest run comes
    /// first; the others add nothing.
    fn sort(&mut self, rules: &RuleSet) {
        /// Up to this many entries are compared byte by byte.
        const FEW: usize = 8;
        let rest = |entry: &Entry, depth: usize| {
            &rules.get(entry.rule as usize).pattern.bytes[usize::from(entry.at) + depth..]
        };
        // Ranges of entries that are equal in the bytes before a depth.
        self.to_sort.push((0, self.entries.len(), 0));
        while let Some((from, to, depth)) = self.to_sort.pop() {
            let entries = &mut self.entries[from..to];
            entries.sort_unstable_by_key(|entry| entry.key);
            let mut at = 0;
            for equal in entries.chunk_by_mut(|a, b| a.key == b.key) {
                let len = equal.len();
                if len > 1 {
                    let next = depth + KEY_BYTES;
                    if is_last_key(equal[0].key) {
                        equal.sort_unstable_by_key(|entry| (entry.anchored, Reverse(entry.run)));
                    } else if len <= FEW {
                        equal.sort_unstable_by(|a, b| {
                            let order = rest(a, next).cmp(rest(b, next));
                            order.then(a.anchored.cmp(&b.anchored)).then(b.run.cmp(&a.run))
                        });
                    } else {
                        for entry in equal {
                            entry.key = key_of(rest(entry, next));
                        }
                        self.to_sort.push((from + at, from + at + len, next));
                    }
                }
                at += len;
            }
        }
    }

    /// Closes all open nodes deeper than `depth`, and opens the one at that depth. `path` holds
    /// the bytes that lead to the deepest one.
    fn close_down_to(&mut self, depth: usize, path: &[u8], wildcards: bool) {
        let is_star = |depth: usize| wildcards && depth > 0 && path[depth - 1] == b'*';
        while let Some(&Open { depth: deepest, .. }) = self.open.last()
            && deepest > depth
        {
            let mut node = self.close(is_star(deepest));
            let parent = self.open[self.open.len() - 1];
            let from = parent.depth.max(depth);
            for at in (from + 1..deepest).rev() {
                let label = if is_star(at + 1) { LABEL_STAR } else { u32::from(path[at]) };
                node = self.link(label | if is_star(at) { LABEL_IS_STAR } else { 0 }, node);
            }
            if from > parent.depth {
                self.open.push(Open::new(from, self.open_edges.len(), parent.best));
            }
            if is_star(from + 1) {
                let parent = self.open.last_mut().expect("the root is open");
                parent.star = node;
            } else {
                self.open_edges.push((path[from], node));
            }
        }
    }

    /// Closes the deepest open node, and returns a known node that equals it or a new one.
    fn close(&mut self, is_star: bool) -> NodeId {
        let open = self.open.pop().expect("a node is open");
        let edges = &self.open_edges[open.edges_from..];
        let is_star_label = if is_star { LABEL_IS_STAR } else { 0 };
        match *edges {
            [(byte, child)] if (open.star, open.end, open.end_anchored) == (NONE, 0, 0) => {
                self.open_edges.truncate(open.edges_from);
                return self.link(u32::from(byte) | is_star_label, child);
            }
            [] if open.star != NONE && (open.end, open.end_anchored) == (0, 0) => {
                return self.link(LABEL_STAR | is_star_label, open.star);
            }
            _ => {}
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(is_star, &open, edges) as usize & mask;
        let id = loop {
            match self.table[slot] {
                NONE => break NONE,
                id => {
                    let node = &self.nodes[id as usize];
                    if node.is_star == is_star
                        && (node.star, node.end, node.end_anchored)
                            == (open.star, open.end, open.end_anchored)
                        && edges_of(&self.edges, node) == edges
                    {
                        break id;
                    }
                    slot = (slot + 1) & mask;
                }
            }
        };
        let id = if id == NONE {
            let id = self.nodes.len() as NodeId;
            self.table[slot] = id;
            self.add_node(&open, is_star);
            id
        } else {
            id
        };
        self.open_edges.truncate(open.edges_from);
        id
    }

    /// Adds the node that is being closed. Its edges are still the last open ones.
    fn add_node(&mut self, open: &Open, is_star: bool) {
        let edges = &self.open_edges[open.edges_from..];
        let mut ahead = Ahead::NOTHING;
        ahead.add_run(open.end_anchored);
        for (_, child) in edges {
            let child = &self.nodes[*child as usize];
            ahead.add_run(child.end);
            ahead.add(&self.aheads[child.ahead as usize]);
        }
        if open.star != NONE {
            ahead.add(&self.aheads[self.nodes[open.star as usize].ahead as usize]);
        }
        let through = match (edges, open.star, open.end_anchored) {
            ([], star, 0) => star,
            ([(_, child)], NONE, 0) if self.nodes[*child as usize].end == 0 => {
                self.nodes[*child as usize].through
            }
            _ => NONE,
        };
        let node = Node {
            edges_at: self.edges.len() as u32,
            edges_len: edges.len() as u32,
            star: open.star,
            end: open.end,
            end_anchored: open.end_anchored,
            ahead: ahead_id(&mut self.aheads, ahead),
            through,
            is_star,
        };
        self.edges.extend_from_slice(edges);
        self.push_node(node, NONE, 0);
    }

    /// The link with this label to a node: a known one or a new one.
    fn link(&mut self, label: u32, to: NodeId) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let is = |link: &Links| (link.to, link.label) == (to, label);
        match self.links[to as usize].first {
            NONE => self.links[to as usize].first = id,
            first if is(&self.links[first as usize]) => return first,
            _ => {
                let mask = self.link_table.len() - 1;
                let hash = mix(0, u64::from(to) << 10 | u64::from(label)) >> 32;
                let mut slot = hash as usize & mask;
                while self.link_table[slot] != NONE {
                    let known = self.link_table[slot];
                    if is(&self.links[known as usize]) {
                        return known;
                    }
                    slot = (slot + 1) & mask;
                }
                self.link_table[slot] = id;
            }
        }
        let target = self.nodes[to as usize];
        let over_star = label & LABEL_STAR != 0;
        let through = match (over_star, target.end) {
            (true, _) => to,
            (false, 0) => target.through,
            (false, _) => NONE,
        };
        let ahead = if over_star || target.end == 0 {
            target.ahead
        } else {
            let mut ahead = self.aheads[target.ahead as usize];
            ahead.add_run(target.end);
            ahead_id(&mut self.aheads, ahead)
        };
        let node = Node {
            edges_at: self.edges.len() as u32,
            edges_len: u32::from(!over_star),
            star: if over_star { to } else { NONE },
            end: 0,
            end_anchored: 0,
            ahead,
            through,
            is_star: label & LABEL_IS_STAR != 0,
        };
        if !over_star {
            self.edges.push((label as u8, to));
        }
        self.push_node(node, to, label);
        id
    }

    fn push_node(&mut self, node: Node, to: NodeId, label: u32) {
        self.nodes.push(node);
        self.links.push(Links { first: NONE, to, label });
    }

    /// The highest run that can be reached.
    pub(crate) fn highest(&self) -> Run {
        self.highest_run
    }

    /// What can still be reached from a node.
    #[inline]
    pub(crate) fn ahead(&self, id: NodeId) -> &Ahead {
        &self.aheads[self.node(id).ahead as usize]
    }

    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// The edges from a node, by byte in ascending order.
    #[inline]
    pub(crate) fn edges(&self, id: NodeId) -> &[(u8, NodeId)] {
        edges_of(&self.edges, self.node(id))
    }

    /// Where this byte leads from a node.
    #[inline]
    pub(crate) fn child(&self, id: NodeId, byte: u8) -> Option<NodeId> {
        let edges = self.edges(id);
        if edges.len() <= 8 {
            return edges.iter().find(|(o, _)| *o == byte).map(|(_, child)| *child);
        }
        edges.binary_search_by_key(&byte, |(o, _)| *o).ok().map(|at| edges[at].1)
    }
}

impl Node {
    /// Returns true if this node itself, without its star, has edges or ends a rule with `$`.
    #[inline]
    pub(crate) fn goes_on(&self) -> bool {
        self.edges_len > 0 || self.end_anchored != 0
    }
}

impl Open {
    fn new(depth: usize, edges_from: usize, best: Run) -> Open {
        Open { depth, edges_from, star: NONE, end: 0, end_anchored: 0, best }
    }
}

/// The index of an [`Ahead`]: that of an equal one among the last few, or a new one.
fn ahead_id(aheads: &mut Vec<Ahead>, ahead: Ahead) -> u32 {
    const COMPARED: usize = 4;
    match aheads.iter().rev().take(COMPARED).position(|known| *known == ahead) {
        Some(back) => (aheads.len() - 1 - back) as u32,
        None => {
            aheads.push(ahead);
            aheads.len() as u32 - 1
        }
    }
}

fn edges_of<'e>(edges: &'e [(u8, NodeId)], node: &Node) -> &'e [(u8, NodeId)] {
    &edges[node.edges_at as usize..][..node.edges_len as usize]
}

fn hash(is_star: bool, open: &Open, edges: &[(u8, NodeId)]) -> u32 {
    let mut hash = mix(u64::from(is_star), u64::from(open.star));
    hash = mix(hash, u64::from(open.end) << 32 | u64::from(open.end_anchored));
    for (byte, child) in edges {
        hash = mix(hash, u64::from(*byte) << 32 | u64::from(*child));
    }
    (hash >> 32) as u32
}

#[inline]
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The bytes of a key.
const KEY_BYTES: usize = 7;

/// A number that sorts like the first bytes: the bytes, zeros in place of missing ones, and how
/// many there are, or 255 if more follow.
fn key_of(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_be_bytes(*eight) | 0xFF,
        None => {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            u64::from_be_bytes(eight) | bytes.len() as u64
        }
    }
}

/// Returns true if nothing follows the bytes of a key.
fn is_last_key(key: u64) -> bool {
    key & 0xFF <= KEY_BYTES as u64
}
