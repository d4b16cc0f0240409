//! The segment matcher: a pattern is a chain of literal pieces, and one pass over the
//! target finds where they stand.
//!
//! The piece before the first star must begin the target. A later piece counts where it
//! begins at or behind the end of the one before. Patterns that begin with the same pieces
//! share them: the pieces form a trie, each node of which waits, once the nodes before it
//! are met, for its own piece. An aho-corasick automaton over all pieces says at each octet
//! which of them end there; each has a queue of the nodes that wait for it, in the order of
//! the ends behind which they wait. A node is met once and never again, since its first
//! place leaves the most room for what follows.
//!
//! No state is ever built, so nothing explodes: memory is `O(pattern octets)`, time `O(target
//! · d + pattern octets)`, where `d` is how deep pieces nest as suffixes of one another.
//! Pieces for which no node waits any more are skipped, which keeps files of nested pieces
//! cheap.
//!
//! The automaton is not the aho-corasick crate's: that one copies the matches of every
//! suffix to each state (megabytes become gigabytes on nested pieces) and cannot skip any.

use std::cell::RefCell;

use crate::automaton::{Run, verdict_of};
use crate::decision::Verdict;
use crate::rules::RuleSet;

const NONE: u32 = u32::MAX;

/// A rule set as chains of pieces.
#[derive(Debug)]
pub(crate) struct Segments {
    /// First pieces, sorted: `octets[at..at + len]`.
    heads: Box<[Head]>,
    /// Nodes of the trie of later pieces; the children of a node follow one another.
    nodes: Box<[Node]>,
    /// Last pieces that must end the target, by the node or head that they follow.
    tails: Box<[Tail]>,
    octets: Box<[u8]>,
    pieces: PieceAutomaton,
    /// By piece: how many nodes wait for it at some time.
    waiting: Box<[u32]>,
    highest: Run,
}

/// What follows a piece: `children` and `tails` are ranges.
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    /// The run of the rules that end here; 0: none does.
    end: Run,
    /// The highest run of all that is behind here, `end` included.
    highest: Run,
    children: (u32, u32),
    tails: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Head {
    at: u32,
    len: u32,
    /// The run of the rules that are this head and nothing more, to the target's end.
    whole: Run,
    next: Next,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    piece: u32,
    next: Next,
}

#[derive(Clone, Copy, Debug)]
struct Tail {
    at: u32,
    len: u32,
    run: Run,
}

/// An aho-corasick automaton over distinct pieces. States are numbered breadth first, so
/// that the children of a state follow one another.
#[derive(Debug, Default)]
struct PieceAutomaton {
    /// By state: its last octet.
    octet: Vec<u8>,
    /// By state: its first child; the next state's first child ends them.
    first_child: Vec<u32>,
    /// By state: the longest proper suffix that is a state.
    suffix: Vec<u32>,
    /// By state: the longest piece that ends here.
    piece: Vec<u32>,
    /// By piece: the next shorter piece that ends wherever this one does.
    shorter: Vec<u32>,
    /// By piece: its length.
    len: Vec<u32>,
}

impl Segments {
    pub(crate) fn new(rules: &RuleSet) -> Segments {
        let wildcards = rules.wildcards();
        // From lowest to highest precedence, with runs; allow rules of run 0 say nothing.
        let mut run = 0;
        let mut patterns: Vec<(Vec<&[u8]>, bool, Run)> = Vec::new();
        for rule in rules.iter().rev() {
            if verdict_of(run) != rule.verdict {
                run += 1;
            }
            if run > 0 {
                let octets = rule.pattern.octets;
                let pieces =
                    if wildcards { octets.split(|o| *o == b'*').collect() } else { vec![octets] };
                // A star at the end of the canonical form stands alone: `*`, as "".
                patterns.push((pieces, rule.pattern.anchored, run));
            }
        }
        patterns.sort_unstable();
        let mut builder = Builder::default();
        let heads = builder.heads(&patterns);
        let mut piece_texts: Vec<&[u8]> = builder.pieces.clone();
        piece_texts.sort_unstable();
        piece_texts.dedup();
        let mut waiting = vec![0; piece_texts.len()];
        let nodes: Box<[Node]> = builder
            .nodes
            .iter()
            .zip(&builder.pieces)
            .map(|(next, text)| {
                let piece = piece_texts.binary_search(text).expect("all texts are there");
                waiting[piece] += 1;
                Node { piece: piece as u32, next: *next }
            })
            .collect();
        let highest = heads.iter().map(|h| h.next.highest.max(h.whole)).max().unwrap_or(0);
        Segments {
            heads: heads.into(),
            nodes,
            tails: builder.tails.into(),
            octets: builder.octets.into(),
            pieces: PieceAutomaton::new(&piece_texts),
            waiting: waiting.into(),
            highest,
        }
    }

    /// The verdict on a normalised target that begins with `/`.
    pub(crate) fn verdict(&self, target: &[u8]) -> Verdict {
        thread_local! {
            static PASS: RefCell<Pass> = RefCell::default();
        }
        PASS.with_borrow_mut(|pass| verdict_of(pass.best(self, target)))
    }

    pub(crate) fn memory_usage(&self) -> usize {
        let p = &self.pieces;
        size_of_val(&*self.heads)
            + size_of_val(&*self.nodes)
            + size_of_val(&*self.tails)
            + self.octets.len()
            + size_of_val(&*self.waiting)
            + p.octet.capacity()
            + 4 * (p.first_child.capacity() + p.suffix.capacity() + p.piece.capacity())
            + 4 * (p.shorter.capacity() + p.len.capacity())
    }

    fn text(&self, at: u32, len: u32) -> &[u8] {
        &self.octets[at as usize..at as usize + len as usize]
    }
}

type Parsed<'r> = (Vec<&'r [u8]>, bool, Run);

#[derive(Default)]
struct Builder<'r> {
    nodes: Vec<Next>,
    /// By node: its piece.
    pieces: Vec<&'r [u8]>,
    tails: Vec<Tail>,
    octets: Vec<u8>,
}

impl<'r> Builder<'r> {
    /// Builds everything breadth first, so that children follow one another.
    fn heads(&mut self, patterns: &'r [Parsed<'r>]) -> Vec<Head> {
        let mut heads: Vec<Head> = Vec::new();
        // What has `depth` pieces in common and awaits its children: a range of patterns.
        let mut ranges: Vec<(&[Parsed<'r>], usize)> = Vec::new();
        for range in patterns.chunk_by(|a, b| a.0[0] == b.0[0]) {
            let head = range[0].0[0];
            let whole = range.iter().filter(|p| p.0.len() == 1 && p.1).map(|p| p.2).max();
            let at = self.store(head);
            let len = head.len() as u32;
            heads.push(Head { at, len, whole: whole.unwrap_or(0), next: Next::default() });
            ranges.push((range, 1));
        }
        let head_count = heads.len();
        let mut from = 0;
        while from < ranges.len() {
            let (range, depth) = ranges[from];
            let next = self.next(range, depth, &mut ranges);
            match from.checked_sub(head_count) {
                None => heads[from].next = next,
                Some(node) => self.nodes[node] = next,
            }
            from += 1;
        }
        // Children come behind their parents: from the last one the highest runs go up.
        for node in (0..self.nodes.len()).rev() {
            self.nodes[node].highest = self.highest(&self.nodes[node]);
        }
        for head in &mut heads {
            head.next.highest = self.highest(&head.next);
        }
        heads
    }

    fn next(
        &mut self,
        range: &'r [Parsed<'r>],
        depth: usize,
        ranges: &mut Vec<(&'r [Parsed<'r>], usize)>,
    ) -> Next {
        let is_end = |p: &&Parsed<'_>| p.0.len() == depth && !p.1;
        let end = range.iter().filter(is_end).map(|p| p.2).max().unwrap_or(0);
        let (tails_from, children_from) = (self.tails.len() as u32, self.nodes.len() as u32);
        let longer = range.iter().position(|p| p.0.len() > depth).unwrap_or(range.len());
        for same in range[longer..].chunk_by(|a, b| a.0[depth] == b.0[depth]) {
            let text = same[0].0[depth];
            let is_tail = |p: &&Parsed<'_>| p.0.len() == depth + 1 && p.1;
            if let Some(run) = same.iter().filter(is_tail).map(|p| p.2).max() {
                let at = self.store(text);
                self.tails.push(Tail { at, len: text.len() as u32, run });
            }
            if same.iter().any(|p| !is_tail(&p)) {
                self.nodes.push(Next::default());
                self.pieces.push(text);
                ranges.push((same, depth + 1));
            }
        }
        Next {
            end,
            highest: 0,
            children: (children_from, self.nodes.len() as u32),
            tails: (tails_from, self.tails.len() as u32),
        }
    }

    fn highest(&self, next: &Next) -> Run {
        let children = &self.nodes[next.children.0 as usize..next.children.1 as usize];
        let tails = &self.tails[next.tails.0 as usize..next.tails.1 as usize];
        let behind = children.iter().map(|n| n.highest).chain(tails.iter().map(|t| t.run));
        behind.max().unwrap_or(0).max(next.end)
    }

    fn store(&mut self, text: &[u8]) -> u32 {
        let at = self.octets.len() as u32;
        self.octets.extend_from_slice(text);
        at
    }
}

impl PieceAutomaton {
    /// Of sorted, distinct pieces that are not empty.
    fn new(pieces: &[&[u8]]) -> PieceAutomaton {
        let mut a = PieceAutomaton {
            octet: vec![0],
            first_child: Vec::new(),
            suffix: vec![0],
            piece: vec![NONE],
            shorter: vec![NONE; pieces.len()],
            len: pieces.iter().map(|p| p.len() as u32).collect(),
        };
        // By state: the pieces that go through it, and its length.
        let mut ranges = vec![(0..pieces.len(), 0)];
        let mut state = 0;
        while state < ranges.len() {
            let (range, depth) = ranges[state].clone();
            a.first_child.push(ranges.len() as u32);
            let mut from = range.start
                + usize::from(
                    pieces.get(range.start).is_some_and(|p| p.len() == depth && !range.is_empty()),
                );
            while from < range.end {
                let octet = pieces[from][depth];
                let len = pieces[from..range.end].iter().take_while(|p| p[depth] == octet).count();
                let child = ranges.len();
                ranges.push((from..from + len, depth + 1));
                // Shorter states have all their children by now, but the root's own child
                // would find itself.
                let suffix = if state == 0 { 0 } else { a.step(a.suffix[state], octet) };
                let longest = a.piece[suffix as usize];
                a.octet.push(octet);
                a.suffix.push(suffix);
                if pieces[from].len() == depth + 1 {
                    a.shorter[from] = longest;
                    a.piece.push(from as u32);
                } else {
                    a.piece.push(longest);
                }
                debug_assert_eq!(a.octet.len(), child + 1);
                from += len;
            }
            state += 1;
        }
        a.first_child.push(ranges.len() as u32);
        a
    }

    /// The state after one more octet.
    #[inline]
    fn step(&self, mut state: u32, octet: u8) -> u32 {
        loop {
            let from = self.first_child[state as usize] as usize;
            let to = self.first_child[state as usize + 1] as usize;
            let children = &self.octet[from..to];
            let child = if children.len() <= 4 {
                children.iter().position(|o| *o == octet)
            } else {
                memchr::memchr(octet, children)
            };
            match child {
                Some(child) => return (from + child) as u32,
                None if state == 0 => return 0,
                None => state = self.suffix[state as usize],
            }
        }
    }
}

/// What one pass over a target needs, kept for the next one.
#[derive(Default)]
struct Pass {
    /// By piece: the nodes that wait for it, as a list through `behind`.
    first: Vec<u32>,
    last: Vec<u32>,
    /// By piece: how many nodes are still to be met.
    waiting: Vec<u32>,
    /// By piece: `shorter`, short cuts around pieces that nothing waits for any more.
    shorter: Vec<u32>,
    /// By node: the next one in its queue, and the end behind which it waits.
    behind: Vec<(u32, u32)>,
    best: Run,
}

impl Pass {
    fn best(&mut self, segments: &Segments, target: &[u8]) -> Run {
        let pieces = segments.pieces.len.len();
        self.best = 0;
        self.first.clear();
        self.first.resize(pieces, NONE);
        self.last.clear();
        self.last.resize(pieces, NONE);
        self.waiting.clear();
        self.waiting.extend_from_slice(&segments.waiting);
        self.shorter.clear();
        self.shorter.extend_from_slice(&segments.pieces.shorter);
        // Entries are written before they are read.
        self.behind.resize(segments.nodes.len().max(self.behind.len()), (NONE, 0));

        // The heads that begin the target, from the shortest on: a range of the sorted
        // heads that narrows with each octet.
        let mut range = &segments.heads[..];
        let mut state = 0;
        for (at, octet) in target.iter().map(Some).chain([None]).enumerate() {
            if let Some(head) = range.first().filter(|head| head.len as usize == at) {
                if at == target.len() {
                    self.best = self.best.max(head.whole);
                }
                self.follow(segments, target, &head.next, at);
                range = &range[1..];
            }
            let Some(&octet) = octet else { break };
            if self.best >= segments.highest {
                break;
            }
            if !range.is_empty() {
                let of = |head: &Head| segments.text(head.at, head.len)[at];
                let from = range.partition_point(|head| of(head) < octet);
                let to = from + range[from..].partition_point(|head| of(head) == octet);
                range = &range[from..to];
            }
            state = segments.pieces.step(state, octet);
            let mut piece = self.awaited(segments.pieces.piece[state as usize]);
            while piece != NONE {
                self.meet(segments, target, piece, at + 1);
                piece = self.awaited(self.shorter[piece as usize]);
            }
        }
        self.best
    }

    /// The first piece, from this one to shorter ones, for which some node still waits or
    /// will. Leaves short cuts behind.
    fn awaited(&mut self, mut piece: u32) -> u32 {
        while piece != NONE && self.waiting[piece as usize] == 0 {
            let shorter = self.shorter[piece as usize];
            if shorter != NONE && self.waiting[shorter as usize] == 0 {
                self.shorter[piece as usize] = self.shorter[shorter as usize];
            }
            piece = shorter;
        }
        piece
    }

    /// A piece ends at `end`: goes on from all nodes that waited for it behind an end at or
    /// before its beginning.
    fn meet(&mut self, segments: &Segments, target: &[u8], piece: u32, end: usize) {
        let begin = end as u32 - segments.pieces.len[piece as usize];
        loop {
            let node = self.first[piece as usize];
            if node == NONE || self.behind[node as usize].1 > begin {
                return;
            }
            self.first[piece as usize] = self.behind[node as usize].0;
            self.waiting[piece as usize] -= 1;
            let next = &segments.nodes[node as usize].next;
            if next.highest > self.best {
                self.follow(segments, target, next, end);
            }
        }
    }

    /// All that comes before `next` was met, up to `end`.
    fn follow(&mut self, segments: &Segments, target: &[u8], next: &Next, end: usize) {
        self.best = self.best.max(next.end);
        for tail in &segments.tails[next.tails.0 as usize..next.tails.1 as usize] {
            if tail.run > self.best
                && target.len() - end >= tail.len as usize
                && target.ends_with(segments.text(tail.at, tail.len))
            {
                self.best = tail.run;
            }
        }
        for node in next.children.0..next.children.1 {
            let Node { piece, next } = &segments.nodes[node as usize];
            let piece = *piece as usize;
            if next.highest <= self.best {
                self.waiting[piece] -= 1;
                continue;
            }
            self.behind[node as usize] = (NONE, end as u32);
            match self.first[piece] {
                NONE => self.first[piece] = node,
                _ => self.behind[self.last[piece] as usize].0 = node,
            }
            self.last[piece] = node;
        }
    }
}
