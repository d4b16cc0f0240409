//! Rules → runs → a trie of their patterns with equal tails shared.

use std::cmp::Reverse;

use crate::rules::RuleSet;
use crate::verdict::Verdict;

/// The number of a node.
pub(crate) type NodeId = u32;

/// No node.
pub(crate) const NONE: NodeId = NodeId::MAX;

/// A level of precedence. Neighbours of the same verdict in the order of precedence are
/// one run; run 0 is the implicit "allow" with the allow rules of lowest precedence. So
/// runs alternate: even ones allow, odd ones disallow.
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
    /// The node behind a star that follows here, or `NONE`. Arriving at a node is arriving
    /// at its star node too: a star matches nothing, too.
    pub(crate) star: NodeId,
    /// The run of the rules that end here; 0: none does. Arriving raises the best run.
    pub(crate) end: Run,
    /// The run of the rules that end here if the target does; 0: none does.
    pub(crate) end_anchored: Run,
    /// Which of the trie's `Ahead`s is this node's: most are shared with the only child.
    ahead: u32,
    /// A star node through which every way from here to an end leads, the nearest one, or
    /// `NONE`. While that one is live this node adds nothing.
    pub(crate) through: NodeId,
    /// Whether the node stays live whatever comes: it is one behind a star.
    pub(crate) is_star: bool,
}

/// What can still be reached from a node, its `end_anchored` included, its `end` not: the
/// lowest and the highest run of each verdict; indices are `run & 1`.
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

/// Patterns as a directed graph without circles but for the stars' own: a trie over bytes
/// whose equal sub-tries are one. It begins behind the first `/` of the target.
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
    /// A hash table of the links that are not the first one to their node.
    link_table: Vec<NodeId>,
    /// A hash table of the nodes that are no links.
    table: Vec<NodeId>,
}

/// A pattern from behind the first `/` on: `bytes[at..]` of rule number `rule`.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The bytes at hand while sorting: see [`key_of`].
    key: u64,
    rule: u32,
    run: Run,
    /// 2 at most.
    at: u8,
    anchored: bool,
}

/// A node that may still get edges: the root, the end of a pattern, or where patterns part.
/// What lies between two of them are links.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The bytes from the root to here.
    depth: usize,
    edges_from: usize,
    star: NodeId,
    end: Run,
    end_anchored: Run,
    /// The highest `end` from the root to here: a rule of no higher run that goes on from
    /// here can change nothing.
    best: Run,
}

/// A *link* is a node with one way on, where no rule ends. Most nodes are links, and most
/// links are the only one to their node: these are found by it, without a hash table.
#[derive(Clone, Copy, Debug)]
struct Links {
    /// The first link that was made to this node, or `NONE`.
    first: NodeId,
    /// If this node is a link: where it leads and by which label.
    to: NodeId,
    label: u32,
}

/// A label of links over a star; labels of others are their byte.
const LABEL_STAR: u32 = 1 << 8;
/// In a label: the link is a star node itself.
const LABEL_IS_STAR: u32 = 1 << 9;

impl Trie {
    /// Builds the trie of a rule set in place of what was there.
    pub(crate) fn build(&mut self, rules: &RuleSet) {
        self.nodes.clear();
        self.edges.clear();
        self.aheads.clear();
        self.links.clear();
        self.collect(rules);
        self.sort(rules);
        // Each node that is closed is the root, the end of a pattern or where two patterns
        // part, and of the links above it one at most leads to a node that had one already:
        // the tables never have to grow.
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

    /// Assigns runs and drops what cannot change a verdict.
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
                // A target begins with `/`.
                [b'/', ..] => add(1),
                [b'*', after @ ..] if rules.wildcards() => {
                    // The star matches the first `/` and more, or nothing at all.
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

    /// Sorts by pattern, a key at a time. Of equal patterns the highest run comes
    /// first: the others add nothing.
    fn sort(&mut self, rules: &RuleSet) {
        /// So few entries are compared byte by byte.
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

    /// Closes all open nodes with more bytes than `depth`, and opens the one there.
    /// `path` is what leads to the deepest one.
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

    /// Closes the deepest open node: it is a new node, or one that was there already.
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

    /// Adds the node that is closed; its edges are still the last open ones.
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

    /// The link of this label to a node: a new one, or one that was there already.
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

    /// No run above this one can be reached.
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

    /// The ways from a node, by byte in ascending order.
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
    /// Whether this node itself, not its star, leads anywhere or ends a rule of `$`.
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

/// The number of an `Ahead`, one of the last ones where it is equal.
fn ahead_id(aheads: &mut Vec<Ahead>, ahead: Ahead) -> u32 {
    const TRIED: usize = 4;
    match aheads.iter().rev().take(TRIED).position(|known| *known == ahead) {
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

/// A number that sorts as the first bytes do: those, then zeros for any that are missing,
/// then how many there are, 255 if more follow.
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

/// Whether nothing follows the bytes of a key.
fn is_last_key(key: u64) -> bool {
    key & 0xFF <= KEY_BYTES as u64
}

fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    let (words_a, words_b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    let words = words_a.iter().zip(words_b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[8 * words..], &b[8 * words..]);
    8 * words + a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
