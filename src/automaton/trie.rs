//! Rules → runs → a trie of their patterns with equal tails shared.

use crate::Verdict;
use crate::rules::RuleSet;

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
    /// What can still be reached from here, this node's `end_anchored` included, its `end`
    /// not.
    pub(crate) ahead: Ahead,
    /// A star node through which every way from here to an end leads, the nearest one, or
    /// `NONE`. While that one is live this node adds nothing.
    pub(crate) through: NodeId,
    /// Whether the node stays live whatever comes: it is one behind a star.
    pub(crate) is_star: bool,
}

/// The lowest and the highest run of each verdict; indices are `run & 1`.
#[derive(Clone, Copy, Debug)]
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

/// Patterns as a directed graph without circles but for the stars' own: a trie over octets
/// whose equal sub-tries are one. It begins behind the first `/` of the target.
///
/// Children have lower numbers than their parents.
#[derive(Debug, Default)]
pub(crate) struct Trie {
    nodes: Vec<Node>,
    /// Sorted by octet within a node.
    edges: Vec<(u8, NodeId)>,
    root: NodeId,
    // Scratch space of the construction, kept for the next one.
    entries: Vec<Entry>,
    open: Vec<Open>,
    open_edges: Vec<(u8, NodeId)>,
    table: Vec<NodeId>,
}

/// A pattern from behind the first `/` on: `octets[at..]` of rule number `rule`.
#[derive(Clone, Copy, Debug)]
struct Entry {
    rule: u32,
    at: u32,
    run: Run,
}

/// A node that may still get edges.
#[derive(Clone, Copy, Debug)]
struct Open {
    edges_from: usize,
    star: NodeId,
    end: Run,
    end_anchored: Run,
    /// The highest `end` from the root to here: a rule of no higher run that goes on from
    /// here can change nothing.
    best: Run,
    /// What led here.
    octet: u8,
}

impl Trie {
    /// Builds the trie of a rule set in place of what was there.
    pub(crate) fn build(&mut self, rules: &RuleSet) {
        self.build_of(rules, None);
    }

    /// Builds the trie of one run of a rule set.
    pub(crate) fn build_run(&mut self, rules: &RuleSet, run: Run) {
        self.build_of(rules, Some(run));
    }

    /// The highest run of a rule set.
    pub(crate) fn highest_run(rules: &RuleSet) -> Run {
        let mut run = 0;
        for rule in rules.iter().rev() {
            run += Run::from(verdict_of(run) != rule.verdict);
        }
        run
    }

    fn build_of(&mut self, rules: &RuleSet, only: Option<Run>) {
        self.nodes.clear();
        self.edges.clear();
        self.table.clear();
        self.collect(rules, only);
        self.open.push(Open::new(0, 0, 0));
        let mut previous: &[u8] = &[];
        let entries = std::mem::take(&mut self.entries);
        for entry in &entries {
            let pattern = rules.get(entry.rule as usize).pattern;
            let octets = &pattern.octets[entry.at as usize..];
            let shared = common_prefix_len(previous, octets);
            self.close_down_to(shared + 1, rules.wildcards());
            if self.open[shared].best >= entry.run {
                // The stack ends where the two patterns part.
                previous = &octets[..shared];
                continue;
            }
            for &octet in &octets[shared..] {
                let best = self.open[self.open.len() - 1].best;
                self.open.push(Open::new(self.open_edges.len(), best, octet));
            }
            let node = self.open.last_mut().expect("the root is open");
            if pattern.anchored {
                node.end_anchored = node.end_anchored.max(entry.run);
            } else {
                node.end = entry.run;
                node.best = entry.run;
            }
            previous = octets;
        }
        self.entries = entries;
        self.close_down_to(1, rules.wildcards());
        self.root = self.close(false);
    }

    /// Assigns runs, drops what cannot change a verdict, and sorts by pattern.
    fn collect(&mut self, rules: &RuleSet, only: Option<Run>) {
        self.entries.clear();
        let mut run = 0;
        // From lowest to highest precedence.
        for (number, rule) in rules.iter().enumerate().rev() {
            if verdict_of(run) != rule.verdict {
                run += 1;
            }
            if run == 0 || only.is_some_and(|only| run != only) {
                continue;
            }
            let mut add = |at| self.entries.push(Entry { rule: number as u32, at, run });
            match rule.pattern.octets {
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
                [] if rules.wildcards() && !rule.pattern.anchored => add(0),
                _ => {}
            }
        }
        let key = |entry: &Entry| {
            let pattern = rules.get(entry.rule as usize).pattern;
            (&pattern.octets[entry.at as usize..], pattern.anchored)
        };
        // Of equal patterns the highest run comes first: the others add nothing.
        self.entries.sort_unstable_by(|a, b| key(a).cmp(&key(b)).then(b.run.cmp(&a.run)));
    }

    fn close_down_to(&mut self, depth: usize, wildcards: bool) {
        while self.open.len() > depth {
            let octet = self.open[self.open.len() - 1].octet;
            let is_star = wildcards && octet == b'*';
            let node = self.close(is_star);
            let parent = self.open.last_mut().expect("the root is open");
            if is_star {
                parent.star = node;
            } else {
                self.open_edges.push((octet, node));
            }
        }
    }

    /// Closes the deepest open node: it is a new node, or one that was there already.
    fn close(&mut self, is_star: bool) -> NodeId {
        let open = self.open.pop().expect("a node is open");
        let edges = &self.open_edges[open.edges_from..];
        if self.table.len() <= 2 * self.nodes.len() {
            grow_table(&mut self.table, &self.nodes, &self.edges);
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(is_star, &open, edges) as usize & mask;
        let id = loop {
            match self.table[slot] {
                NONE => {
                    let id = self.nodes.len() as NodeId;
                    self.table[slot] = id;
                    let node = new_node(&self.nodes, self.edges.len(), edges, &open, is_star);
                    self.edges.extend_from_slice(edges);
                    self.nodes.push(node);
                    break id;
                }
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
        self.open_edges.truncate(open.edges_from);
        id
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

    /// The ways from a node, by octet in ascending order.
    #[inline]
    pub(crate) fn edges(&self, id: NodeId) -> &[(u8, NodeId)] {
        edges_of(&self.edges, self.node(id))
    }

    /// Where this octet leads from a node.
    #[inline]
    pub(crate) fn child(&self, id: NodeId, octet: u8) -> Option<NodeId> {
        let edges = self.edges(id);
        if edges.len() <= 8 {
            return edges.iter().find(|(o, _)| *o == octet).map(|(_, child)| *child);
        }
        edges.binary_search_by_key(&octet, |(o, _)| *o).ok().map(|at| edges[at].1)
    }
}

impl Open {
    fn new(edges_from: usize, best: Run, octet: u8) -> Open {
        Open { edges_from, star: NONE, end: 0, end_anchored: 0, best, octet }
    }
}

fn edges_of<'e>(edges: &'e [(u8, NodeId)], node: &Node) -> &'e [(u8, NodeId)] {
    &edges[node.edges_at as usize..][..node.edges_len as usize]
}

fn new_node(
    nodes: &[Node],
    edges_at: usize,
    edges: &[(u8, NodeId)],
    open: &Open,
    is_star: bool,
) -> Node {
    let mut ahead = Ahead::NOTHING;
    ahead.add_run(open.end_anchored);
    for (_, child) in edges {
        let child = &nodes[*child as usize];
        ahead.add_run(child.end);
        ahead.add(&child.ahead);
    }
    if open.star != NONE {
        ahead.add(&nodes[open.star as usize].ahead);
    }
    let through = match (edges, open.star, open.end_anchored) {
        ([], star, 0) => star,
        ([(_, child)], NONE, 0) if nodes[*child as usize].end == 0 => {
            nodes[*child as usize].through
        }
        _ => NONE,
    };
    Node {
        edges_at: edges_at as u32,
        edges_len: edges.len() as u32,
        star: open.star,
        end: open.end,
        end_anchored: open.end_anchored,
        ahead,
        through,
        is_star,
    }
}

fn hash(is_star: bool, open: &Open, edges: &[(u8, NodeId)]) -> u32 {
    let mut hash = mix(u64::from(is_star), u64::from(open.star));
    hash = mix(hash, u64::from(open.end) << 32 | u64::from(open.end_anchored));
    for (octet, child) in edges {
        hash = mix(hash, u64::from(*octet) << 32 | u64::from(*child));
    }
    (hash >> 32) as u32
}

#[inline]
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn grow_table(table: &mut Vec<NodeId>, nodes: &[Node], edges: &[(u8, NodeId)]) {
    let len = (4 * nodes.len()).next_power_of_two().max(64);
    table.clear();
    table.resize(len, NONE);
    for (id, node) in nodes.iter().enumerate() {
        let open = Open {
            star: node.star,
            end: node.end,
            end_anchored: node.end_anchored,
            ..Open::new(0, 0, 0)
        };
        let mut slot = hash(node.is_star, &open, edges_of(edges, node)) as usize & (len - 1);
        while table[slot] != NONE {
            slot = (slot + 1) & (len - 1);
        }
        table[slot] = id as NodeId;
    }
}

fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
