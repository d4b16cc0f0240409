//! Which live nodes can still change the verdict.
//!
//! Let *b* be the best run so far. Its *rival* is the lowest run of the other verdict above *b*
//! that a live node can still reach. A node is relevant if it can reach a run of the other
//! verdict above *b*, or one of the same verdict above the rival. Whatever the others reach, the
//! verdict stays.

use crate::automaton::trie::{NONE, NodeId, Run, Trie};

/// A set of nodes that is emptied in no time: those with the present mark are in it.
#[derive(Debug, Default)]
pub(super) struct Marks {
    marks: Vec<u64>,
    /// Never used again, not even for the next policy.
    present: u64,
}

impl Marks {
    /// Makes room for the nodes of a trie.
    pub(super) fn reserve(&mut self, nodes: usize) {
        if self.marks.len() < nodes {
            self.marks.resize(nodes, 0);
        }
    }

    /// Replaces all members by these.
    pub(super) fn replace(&mut self, nodes: &[NodeId]) {
        self.present += 1;
        for &node in nodes {
            self.marks[node as usize] = self.present;
        }
    }

    /// The mark of the present members.
    pub(super) fn present(&self) -> u64 {
        self.present
    }

    #[inline]
    pub(super) fn has(&self, node: NodeId) -> bool {
        self.marks[node as usize] == self.present
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
        // The node has runs below and above the best, and the lowest above is not known.
        best + 1
    } else {
        Run::MAX
    }
}

/// Returns true if what is ahead of a node can still change the verdict.
#[inline]
pub(super) fn is_relevant(trie: &Trie, node: NodeId, best: Run, rival: Run) -> bool {
    let ahead = trie.ahead(node);
    let (same, other) = ((best & 1) as usize, (best & 1 ^ 1) as usize);
    ahead.highest[other] > best || ahead.highest[same] > rival
}

/// Returns true if every run ahead of a node is above the best.
#[inline]
pub(super) fn is_above(trie: &Trie, node: NodeId, best: Run) -> bool {
    let [allow, disallow] = trie.ahead(node).lowest;
    allow > best && disallow > best
}

/// Returns true if every way from a node leads through one of these stars.
#[inline]
pub(super) fn leads_through(trie: &Trie, stars: &Marks, node: NodeId, work: &mut u64) -> bool {
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
