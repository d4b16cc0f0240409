//! The segment matcher: a pattern is a chain of literal pieces, and one pass over the
//! target finds where they stand.
//!
//! The piece before the first star must begin the target. A later piece counts where it
//! begins at or behind the end of the one before, and its first such place is the one that
//! matters: it leaves the most room for what follows. Patterns that begin with the same
//! pieces share them: the pieces form a trie, each node of which is met once at most.
//!
//! A piece of one byte is looked up in a bitmap of that byte's places. For longer ones an
//! aho-corasick automaton says at each byte which of them end there; each has a queue of
//! the nodes that wait for it, in the order of the ends behind which they wait. (A node that
//! shall wait behind a place that the pass has yet to reach is entered there.)
//!
//! No state is ever built, so nothing explodes: memory is `O(pattern bytes)`, time `O(target
//! · d + pattern bytes)`, where `d` is how deep pieces nest as suffixes of one another.
//! Pieces for which no node waits any more are skipped, which keeps files of nested pieces
//! cheap.
//!
//! Most pieces of most patterns do not stand in a target at all. So each node knows what all
//! patterns behind it need, and what the last pieces of these patterns are, as sets of a few
//! bits; and a first look at the target says which bits are there. A node that needs another
//! one, or none of whose last pieces is there, is left alone, with all that is behind it.
//!
//! The automaton is not the aho-corasick crate's: that one copies the matches of every
//! suffix to each state (megabytes become gigabytes on nested pieces) and cannot skip any.

use std::cell::RefCell;

use crate::automaton::{Run, verdict_of};
use crate::rules::RuleSet;
use crate::verdict::Verdict;

const NONE: u32 = u32::MAX;

/// A rule set as chains of pieces.
#[derive(Debug)]
pub(crate) struct Segments {
    /// First pieces, sorted.
    heads: Box<[Head]>,
    /// The trie of later pieces in pre-order: a node's first child stands behind it.
    nodes: Box<[Node]>,
    /// Last pieces that must end the target, by what they follow.
    tails: Box<[Tail]>,
    /// The texts of heads and tails.
    bytes: Box<[u8]>,
    /// The pieces of two or more bytes.
    pieces: PieceAutomaton,
    /// By piece: how many nodes wait for it at some time.
    waiting: Box<[u32]>,
    /// The bytes that are pieces of their own: their bitmaps' numbers, or `NONE`.
    singles: Box<[u32; 256]>,
    single_count: usize,
    highest: Run,
}

/// What follows when a head or a node is met.
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    /// The run of the rules that end here; 0: none does.
    end: Run,
    /// The highest run of all that is behind here, `end` included.
    highest: Run,
    /// The bits of pieces that every pattern behind here needs.
    needs: u64,
    /// The bits of the last pieces of the patterns behind here.
    lasts: u64,
    /// Where the sub-trie below ends.
    after: u32,
    /// A range of `tails`.
    tails: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Head {
    at: u32,
    len: u32,
    /// The run of the rules that are this head and nothing more, to the target's end.
    whole: Run,
    /// Where the sub-trie below begins.
    first: u32,
    next: Next,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The number of a piece, or `SINGLE` and the number of a bitmap.
    piece: u32,
    next: Next,
}

/// The bit of a piece in sets of pieces: single bytes and longer pieces share none.
fn bit_of(piece: u32) -> u64 {
    if piece & SINGLE != 0 {
        return 1 << (piece % 32);
    }
    1 << (32 + (piece.wrapping_mul(0x9E37_79B9) >> 27))
}

/// Marks the number of a bitmap.
const SINGLE: u32 = 1 << 31;

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
    /// By state: its last byte.
    byte: Vec<u8>,
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
        let mut run = 0;
        Segments::with_runs(rules, |_, verdict| {
            run += Run::from(verdict_of(run) != verdict);
            run
        })
    }

    /// With the runs that each rule is given, from lowest to highest precedence, by its index
    /// and its verdict: rules of equal patterns must have equal ones for
    /// [`Segments::matching`], and rules of run 0 say nothing.
    pub(crate) fn with_runs(
        rules: &RuleSet,
        mut run_of: impl FnMut(usize, Verdict) -> Run,
    ) -> Segments {
        let wildcards = rules.wildcards();
        let mut pieces: Vec<&[u8]> = Vec::with_capacity(rules.len() + rules.stars());
        let mut patterns: Vec<Chain<'_>> = Vec::with_capacity(rules.len());
        for (index, rule) in rules.iter().enumerate().rev() {
            let run = run_of(index, rule.verdict);
            if run > 0 {
                let from = pieces.len();
                if wildcards {
                    pieces.extend(rule.pattern.bytes.split(|o| *o == b'*'));
                } else {
                    pieces.push(rule.pattern.bytes);
                }
                let bytes = rule.pattern.bytes;
                let anchored = rule.pattern.anchored;
                patterns.push(Chain { bytes, pieces: from..pieces.len(), anchored, run });
            }
        }
        sort(&mut patterns, &pieces, wildcards);
        let mut builder = Builder::default();
        for Chain { pieces: range, anchored, run, .. } in patterns {
            builder.add(&pieces[range], anchored, run);
        }
        builder.finish()
    }

    /// The verdict on a normalised target that begins with `/`.
    pub(crate) fn verdict(&self, target: &[u8]) -> Verdict {
        thread_local! {
            static PASS: RefCell<Pass> = RefCell::default();
        }
        PASS.with_borrow_mut(|pass| verdict_of(pass.best(self, target)))
    }

    /// The runs of all patterns that match a normalised target that begins with `/`, in no
    /// order.
    pub(crate) fn matching(&self, target: &[u8]) -> Vec<Run> {
        let mut pass = Pass { all: Some(Vec::new()), ..Pass::default() };
        pass.best(self, target);
        pass.all.unwrap_or_default()
    }

    pub(crate) fn memory_usage(&self) -> usize {
        let p = &self.pieces;
        size_of_val(&*self.heads)
            + size_of_val(&*self.nodes)
            + size_of_val(&*self.tails)
            + self.bytes.len()
            + size_of_val(&*self.waiting)
            + size_of_val(&*self.singles)
            + p.byte.capacity()
            + 4 * (p.first_child.capacity() + p.suffix.capacity() + p.piece.capacity())
            + 4 * (p.shorter.capacity() + p.len.capacity())
    }

    fn text(&self, at: u32, len: u32) -> &[u8] {
        &self.bytes[at as usize..at as usize + len as usize]
    }
}

/// A pattern as a chain of pieces.
#[derive(Clone)]
struct Chain<'r> {
    bytes: &'r [u8],
    /// Which ones, of a list of all.
    pieces: std::ops::Range<usize>,
    anchored: bool,
    run: Run,
}

/// Sorts patterns by their pieces, one after another, so that patterns that begin with the same
/// ones stand together.
fn sort(patterns: &mut [Chain<'_>], pieces: &[&[u8]], wildcards: bool) {
    // A star as the lowest byte of all is the order of pieces; eight bytes are compared at once.
    let word = |chain: &Chain<'_>, depth: usize| {
        let left = chain.bytes.get(depth..).unwrap_or_default();
        let mut word = [0; 8];
        let len = left.len().min(8);
        word[..len].copy_from_slice(&left[..len]);
        u64::from_be_bytes(word.map(|byte| if byte == b'*' { 0 } else { byte }))
    };
    let has_zero = |chain: &Chain<'_>| chain.bytes.contains(&0);
    if !wildcards || patterns.iter().any(has_zero) {
        let key = |chain: &Chain<'_>| (&pieces[chain.pieces.clone()], chain.anchored, chain.run);
        return patterns.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    }
    let mut order: Vec<(u64, u32)> = (0..patterns.len() as u32).map(|at| (0, at)).collect();
    let mut to_sort = vec![(0..order.len(), 0)];
    while let Some((range, depth)) = to_sort.pop() {
        let part = &mut order[range.clone()];
        for (key, at) in &mut *part {
            *key = word(&patterns[*at as usize], depth);
        }
        part.sort_unstable();
        let mut from = range.start;
        for same in part.chunk_by_mut(|a, b| a.0 == b.0) {
            let to = from + same.len();
            let goes_on = |at: u32| patterns[at as usize].bytes.len() > depth + 8;
            if same.len() > 1 && same.iter().any(|(_, at)| goes_on(*at)) {
                to_sort.push((from..to, depth + 8));
            } else if same.len() > 1 {
                let key = |at: u32| (patterns[at as usize].anchored, patterns[at as usize].run);
                same.sort_unstable_by_key(|(_, at)| key(*at));
            }
            from = to;
        }
    }
    let sorted: Vec<_> = order.iter().map(|(_, at)| patterns[*at as usize].clone()).collect();
    patterns.clone_from_slice(&sorted);
}

/// Builds the trie from sorted patterns.
#[derive(Default)]
struct Builder<'r> {
    heads: Vec<(&'r [u8], Head)>,
    nodes: Vec<(&'r [u8], Next)>,
    /// The nodes from the last head down to the last node.
    open: Vec<u32>,
    /// With what they follow: a head is `NONE` minus its number.
    tails: Vec<(u32, &'r [u8], Run)>,
}

impl<'r> Builder<'r> {
    fn add(&mut self, pieces: &[&'r [u8]], anchored: bool, run: Run) {
        let (head, pieces) = (pieces[0], &pieces[1..]);
        if self.heads.last().is_none_or(|(text, _)| *text != head) {
            self.close_down_to(0);
            let first = self.nodes.len() as u32;
            let head_of = Head { at: 0, len: 0, whole: 0, first, next: Next::default() };
            self.heads.push((head, head_of));
        }
        let number = self.heads.len() as u32 - 1;
        let Some((last, inner)) = pieces.split_last() else {
            let head = &mut self.heads[number as usize].1;
            if anchored {
                head.whole = head.whole.max(run);
            } else {
                head.next.end = head.next.end.max(run);
            }
            return;
        };
        let ways = if anchored { inner } else { pieces };
        let same = |(open, piece): &(&u32, &&[u8])| self.nodes[**open as usize].0 == **piece;
        let shared = self.open.iter().zip(ways).take_while(same).count();
        self.close_down_to(shared);
        for piece in &ways[shared..] {
            self.open.push(self.nodes.len() as u32);
            self.nodes.push((piece, Next::default()));
        }
        if anchored {
            let follows = self.open.last().copied().unwrap_or(NONE - number);
            self.tails.push((follows, last, run));
        } else if let Some(node) = self.open.last() {
            let next = &mut self.nodes[*node as usize].1;
            next.end = next.end.max(run);
        }
    }

    fn close_down_to(&mut self, depth: usize) {
        let after = self.nodes.len() as u32;
        for node in self.open.drain(depth..) {
            self.nodes[node as usize].1.after = after;
        }
        if depth == 0
            && let Some((_, head)) = self.heads.last_mut()
        {
            head.next.after = after;
        }
    }

    fn finish(mut self) -> Segments {
        self.close_down_to(0);
        let mut bytes = Vec::new();
        let mut store = |text: &[u8]| {
            bytes.extend_from_slice(text);
            (bytes.len() - text.len()) as u32
        };
        self.tails.sort_unstable();
        let mut tails: Vec<Tail> = Vec::with_capacity(self.tails.len());
        for same in self.tails.chunk_by(|a, b| a.0 == b.0) {
            let from = tails.len() as u32;
            tails.extend(same.iter().map(|(_, text, run)| Tail {
                at: store(text),
                len: text.len() as u32,
                run: *run,
            }));
            let follows = same[0].0;
            let next = match self.nodes.get_mut(follows as usize) {
                Some((_, next)) => next,
                None => &mut self.heads[(NONE - follows) as usize].1.next,
            };
            next.tails = (from, tails.len() as u32);
        }
        // Children stand behind their parents: from the last one the highest runs go up.
        for node in (0..self.nodes.len()).rev() {
            self.nodes[node].1.highest = self.highest(&self.nodes[node].1, node as u32 + 1, &tails);
        }
        for head in 0..self.heads.len() {
            let Head { first, next, .. } = self.heads[head].1;
            self.heads[head].1.next.highest = self.highest(&next, first, &tails);
        }
        let heads: Box<[Head]> = self
            .heads
            .iter()
            .map(|(text, head)| Head { at: store(text), len: text.len() as u32, ..*head })
            .collect();
        let mut singles = Box::new([NONE; 256]);
        let mut single_count = 0;
        let mut long: Vec<(&[u8], u32)> = Vec::new();
        let mut piece_of = vec![NONE; self.nodes.len()];
        for (node, (text, _)) in self.nodes.iter().enumerate() {
            if let [byte] = text {
                let single = &mut singles[usize::from(*byte)];
                if *single == NONE {
                    *single = single_count;
                    single_count += 1;
                }
                piece_of[node] = SINGLE | *single;
            } else {
                long.push((text, node as u32));
            }
        }
        long.sort_unstable();
        let mut texts: Vec<&[u8]> = Vec::new();
        let mut waiting: Vec<u32> = Vec::new();
        for same in long.chunk_by(|a, b| a.0 == b.0) {
            for (_, node) in same {
                piece_of[*node as usize] = texts.len() as u32;
            }
            texts.push(same[0].0);
            waiting.push(same.len() as u32);
        }
        let nodes = self.nodes.iter().zip(piece_of);
        let nodes = nodes.map(|((_, next), piece)| Node { piece, next: *next });
        let mut nodes: Box<[Node]> = nodes.collect();
        for node in (0..nodes.len()).rev() {
            let next = nodes[node].next;
            // What ends here needs nothing more; else what is common to all that follows.
            let ends = next.end > 0 || next.tails.0 < next.tails.1;
            let own = bit_of(nodes[node].piece);
            let mut needs = if ends { 0 } else { u64::MAX };
            let mut lasts = if ends { own } else { 0 };
            let mut child = node as u32 + 1;
            while child < next.after {
                let behind = &nodes[child as usize].next;
                needs &= behind.needs;
                lasts |= behind.lasts;
                child = behind.after;
            }
            (nodes[node].next.needs, nodes[node].next.lasts) = (needs | own, lasts);
        }
        Segments {
            nodes,
            highest: heads.iter().map(|h| h.next.highest.max(h.whole)).max().unwrap_or(0),
            heads,
            tails: tails.into(),
            bytes: bytes.into(),
            pieces: PieceAutomaton::new(&texts),
            waiting: waiting.into(),
            singles,
            single_count: single_count as usize,
        }
    }

    fn highest(&self, next: &Next, first: u32, tails: &[Tail]) -> Run {
        let mut highest = next.end;
        for tail in &tails[next.tails.0 as usize..next.tails.1 as usize] {
            highest = highest.max(tail.run);
        }
        let mut child = first;
        while child < next.after {
            let child_next = &self.nodes[child as usize].1;
            highest = highest.max(child_next.highest);
            child = child_next.after;
        }
        highest
    }
}

impl PieceAutomaton {
    /// Of sorted, distinct pieces that are not empty.
    fn new(pieces: &[&[u8]]) -> PieceAutomaton {
        let mut a = PieceAutomaton {
            byte: vec![0],
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
                let byte = pieces[from][depth];
                let len = pieces[from..range.end].iter().take_while(|p| p[depth] == byte).count();
                let child = ranges.len();
                ranges.push((from..from + len, depth + 1));
                // Shorter states have all their children by now, but the root's own child
                // would find itself.
                let suffix = if state == 0 { 0 } else { a.step(a.suffix[state], byte) };
                let longest = a.piece[suffix as usize];
                a.byte.push(byte);
                a.suffix.push(suffix);
                if pieces[from].len() == depth + 1 {
                    a.shorter[from] = longest;
                    a.piece.push(from as u32);
                } else {
                    a.piece.push(longest);
                }
                debug_assert_eq!(a.byte.len(), child + 1);
                from += len;
            }
            state += 1;
        }
        a.first_child.push(ranges.len() as u32);
        a
    }

    /// The state after one more byte.
    #[inline]
    fn step(&self, mut state: u32, byte: u8) -> u32 {
        loop {
            let from = self.first_child[state as usize] as usize;
            let to = self.first_child[state as usize + 1] as usize;
            let children = &self.byte[from..to];
            let child = if children.len() <= 4 {
                children.iter().position(|o| *o == byte)
            } else {
                memchr::memchr(byte, children)
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
    /// By piece: `shorter`, with short cuts around pieces that nothing waits for any more.
    shorter: Vec<u32>,
    /// By node: the next one in its list, and the end behind which it waits.
    behind: Vec<(u32, u32)>,
    /// By place in the target: the nodes that begin to wait there, as a list.
    later: Vec<u32>,
    /// How many nodes wait or will.
    pending: usize,
    /// The bits of the pieces that stand in the target.
    there: u64,
    /// By piece: whether its bit was set.
    seen: Vec<bool>,
    /// By byte that is a piece: its places in the target, a bit each.
    places: Vec<u64>,
    /// By byte that is a piece: behind its last place.
    behind_last: Vec<u32>,
    /// Words of one such bitmap.
    words: usize,
    /// What is met but not yet followed: where its sub-trie begins, what it leads to, and
    /// where it ends in the target.
    to_follow: Vec<(u32, u32, u32)>,
    /// How many bytes of the target the pass has read.
    read: usize,
    best: Run,
    /// Where all runs are asked for: those that are met. The best one stays 0 then, so that
    /// nothing is passed over.
    all: Option<Vec<Run>>,
}

impl Pass {
    fn best(&mut self, segments: &Segments, target: &[u8]) -> Run {
        self.reset(segments, target);
        self.follow_heads(segments, target);
        let mut state = 0;
        for &byte in target {
            if self.pending == 0 || self.best >= segments.highest {
                break;
            }
            self.read += 1;
            state = segments.pieces.step(state, byte);
            let mut piece = self.awaited(segments.pieces.piece[state as usize]);
            while piece != NONE {
                self.meet(segments, target, piece);
                piece = self.awaited(self.shorter[piece as usize]);
            }
            let mut node = std::mem::replace(&mut self.later[self.read], NONE);
            while node != NONE {
                let next = self.behind[node as usize].0;
                self.wait(segments, node);
                node = next;
            }
        }
        self.best
    }

    fn reset(&mut self, segments: &Segments, target: &[u8]) {
        let pieces = segments.pieces.len.len();
        self.best = 0;
        self.read = 0;
        self.pending = 0;
        self.first.clear();
        self.first.resize(pieces, NONE);
        self.last.clear();
        self.last.resize(pieces, NONE);
        self.waiting.clear();
        self.waiting.extend_from_slice(&segments.waiting);
        self.shorter.clear();
        self.shorter.extend_from_slice(&segments.pieces.shorter);
        self.later.clear();
        self.later.resize(target.len() + 1, NONE);
        // Entries are written before they are read.
        self.behind.resize(segments.nodes.len().max(self.behind.len()), (NONE, 0));
        self.words = target.len() / 64 + 1;
        self.places.clear();
        self.places.resize(segments.single_count * self.words, 0);
        self.behind_last.clear();
        self.behind_last.resize(segments.single_count, 0);
        for (at, byte) in target.iter().enumerate() {
            let single = segments.singles[usize::from(*byte)];
            if single != NONE {
                self.places[single as usize * self.words + at / 64] |= 1 << (at % 64);
                self.behind_last[single as usize] = at as u32 + 1;
            }
        }
        self.look(segments, target);
    }

    /// Finds out which pieces stand in the target at all.
    fn look(&mut self, segments: &Segments, target: &[u8]) {
        let singles = self.behind_last.iter().zip(0..).filter(|(behind, _)| **behind > 0);
        self.there = singles.fold(0, |there, (_, single)| there | bit_of(SINGLE | single));
        self.seen.clear();
        self.seen.resize(segments.pieces.len.len(), false);
        let mut state = 0;
        for &byte in target {
            state = segments.pieces.step(state, byte);
            let mut piece = segments.pieces.piece[state as usize];
            // Where one was seen, all shorter ones that end with it were.
            while piece != NONE && !self.seen[piece as usize] {
                self.seen[piece as usize] = true;
                self.there |= bit_of(piece);
                piece = segments.pieces.shorter[piece as usize];
            }
        }
    }

    /// The heads that begin the target, from the shortest on: a range of the sorted heads
    /// that narrows with each byte.
    fn follow_heads(&mut self, segments: &Segments, target: &[u8]) {
        let mut range = &segments.heads[..];
        for at in 0..=target.len() {
            if let Some(head) = range.first().filter(|head| head.len as usize == at) {
                if at == target.len() {
                    self.reach(head.whole);
                }
                self.met(segments, target, head.first, &head.next, at);
                self.follow(segments, target);
                range = &range[1..];
            }
            let Some(&byte) = target.get(at) else { return };
            let of = |head: &Head| segments.text(head.at, head.len)[at];
            let from = range.partition_point(|head| of(head) < byte);
            let to = from + range[from..].partition_point(|head| of(head) == byte);
            range = &range[from..to];
            if range.is_empty() {
                return;
            }
        }
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

    /// A piece ends where the pass is: goes on from all nodes that waited for it behind an
    /// end at or before its beginning.
    fn meet(&mut self, segments: &Segments, target: &[u8], piece: u32) {
        let begin = self.read as u32 - segments.pieces.len[piece as usize];
        loop {
            let node = self.first[piece as usize];
            if node == NONE || self.behind[node as usize].1 > begin {
                return;
            }
            self.first[piece as usize] = self.behind[node as usize].0;
            self.waiting[piece as usize] -= 1;
            self.pending -= 1;
            let next = &segments.nodes[node as usize].next;
            self.met(segments, target, node + 1, next, self.read);
            self.follow(segments, target);
        }
    }

    /// All pieces up to `next` stand before `end`, the last one directly.
    fn met(&mut self, segments: &Segments, target: &[u8], first: u32, next: &Next, end: usize) {
        if next.highest <= self.best {
            return;
        }
        self.reach(next.end);
        for tail in &segments.tails[next.tails.0 as usize..next.tails.1 as usize] {
            if tail.run > self.best
                && target.len() - end >= tail.len as usize
                && target.ends_with(segments.text(tail.at, tail.len))
            {
                self.reach(tail.run);
            }
        }
        if first < next.after {
            self.to_follow.push((first, next.after, end as u32));
        }
    }

    /// A pattern of this run matches; 0: none does.
    #[inline]
    fn reach(&mut self, run: Run) {
        match &mut self.all {
            None => self.best = self.best.max(run),
            Some(all) if run > 0 => all.push(run),
            Some(_) => {}
        }
    }

    /// Looks for what follows all that is met.
    fn follow(&mut self, segments: &Segments, target: &[u8]) {
        while let Some((mut node, after, end)) = self.to_follow.pop() {
            while node < after {
                let Node { piece, next } = &segments.nodes[node as usize];
                let cannot_match = next.needs & !self.there != 0 || next.lasts & self.there == 0;
                if cannot_match || next.highest <= self.best {
                    // Whatever stands there cannot raise the best run any more.
                } else if piece & SINGLE != 0 {
                    if let Some(at) = self.place(piece & !SINGLE, end as usize) {
                        self.met(segments, target, node + 1, next, at + 1);
                    }
                } else {
                    self.pending += 1;
                    self.behind[node as usize].1 = end;
                    if end as usize <= self.read {
                        self.wait(segments, node);
                    } else {
                        let later = &mut self.later[end as usize];
                        self.behind[node as usize].0 = *later;
                        *later = node;
                    }
                }
                node = next.after;
            }
        }
    }

    /// The first place of a single byte at or behind `from`.
    fn place(&self, single: u32, from: usize) -> Option<usize> {
        if from >= self.behind_last[single as usize] as usize {
            return None;
        }
        let bitmap = &self.places[single as usize * self.words..][..self.words];
        let mut word = from / 64;
        let mut bits = *bitmap.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *bitmap.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Puts a node into the queue of its piece.
    fn wait(&mut self, segments: &Segments, node: u32) {
        let piece = segments.nodes[node as usize].piece as usize;
        self.behind[node as usize].0 = NONE;
        match self.first[piece] {
            NONE => self.first[piece] = node,
            _ => self.behind[self.last[piece] as usize].0 = node,
        }
        self.last[piece] = node;
    }
}
