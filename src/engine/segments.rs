//! The segment matcher. It takes a pattern as a chain of literal pieces, and finds the pieces
//! in one pass over the target.
//!
//! The piece before the first star must begin the target. A later piece must begin at or after
//! the end of the one before, and only its first such place matters, since that leaves the
//! most room for what follows. Patterns that begin with the same pieces share them: the pieces
//! form a trie, and each of its nodes is met at most once.
//!
//! A piece of one byte is looked up in a bitmap of that byte's places. For longer pieces an
//! aho-corasick automaton tells at each byte which of them end there. Each piece has a queue
//! of the nodes that wait for it, ordered by the place after which they wait. (A node that
//! waits for a place the pass has not reached yet joins its queue there.)
//!
//! No states are built while targets are read, so nothing can explode: memory is `O(pattern
//! bytes)` and time `O(target · d + pattern bytes)`, where `d` is how deep pieces nest as
//! suffixes of one another. Pieces that no node waits for any more are skipped, which keeps
//! files of nested pieces cheap.
//!
//! Most pieces of most patterns do not occur in a target at all. So each node knows, as sets of
//! a few bits, which pieces all patterns below it need and with which pieces they end. A first
//! look at the target tells which bits are there. A node is skipped, with all below it, if it
//! needs a bit that is not there, or if none of its last pieces is there.
//!
//! The aho-corasick crate does not serve here: it copies the matches of every suffix to each
//! state (on nested pieces megabytes become gigabytes), and it cannot skip any.

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
    /// The trie of later pieces in pre-order: a node's first child follows it.
    nodes: Box<[Node]>,
    /// The last pieces of anchored patterns, grouped by what they follow.
    tails: Box<[Tail]>,
    /// The texts of heads and tails.
    bytes: Box<[u8]>,
    /// The pieces of two or more bytes.
    pieces: PieceAutomaton,
    /// By piece: how many nodes may wait for it.
    waiting: Box<[u32]>,
    /// By byte: the number of its bitmap if it is a piece, else `NONE`.
    singles: Box<[u32; 256]>,
    single_count: usize,
    highest: Run,
}

/// What follows once a head or a node is met.
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    /// The run of the rules that end here, or 0 if none does.
    end: Run,
    /// The highest run here and below.
    highest: Run,
    /// The bits of the pieces that every pattern here and below needs.
    needs: u64,
    /// The bits of the last pieces of the patterns here and below.
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
    /// The run of the anchored rules that are only this head, or 0 if there is none.
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

/// The bit of a piece in sets of pieces. Single bytes and longer pieces never share one.
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

/// An aho-corasick automaton over distinct pieces. States are numbered breadth first, so the
/// children of a state are neighbours.
#[derive(Debug, Default)]
struct PieceAutomaton {
    /// By state: its last byte.
    byte: Vec<u8>,
    /// By state: its first child. Its children end where those of the next state begin.
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

    /// Calls `run_of` with index and verdict of each rule, from lowest to highest precedence,
    /// for its run. Rules of run 0 are left out. For [`AllMatching`] rules with equal
    /// patterns must be given the same run.
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

    /// The runs of all patterns that match a normalised target that begins with `/`, in any
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

/// Finds all rules of a set that match a target, in one pass over it.
#[derive(Debug)]
pub struct AllMatching {
    segments: Segments,
    /// By rule: its run. Equal patterns have the same one, and no rule has run 0.
    runs: Box<[Run]>,
}

impl AllMatching {
    /// For the rules of a policy.
    pub fn new(rules: &RuleSet) -> AllMatching {
        let key = |index: &usize| {
            let pattern = rules.get(*index).pattern;
            (pattern.bytes, pattern.anchored)
        };
        let mut by_pattern: Vec<usize> = (0..rules.len()).collect();
        by_pattern.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        let mut runs = vec![0; rules.len()];
        for (same, run) in by_pattern.chunk_by(|a, b| key(a) == key(b)).zip(1..) {
            same.iter().for_each(|index| runs[*index] = run);
        }
        let segments = Segments::with_runs(rules, |index, _| runs[index]);
        AllMatching { segments, runs: runs.into_boxed_slice() }
    }

    /// The bytes of memory beside the value itself.
    pub fn memory_usage(&self) -> usize {
        self.segments.memory_usage() + size_of_val(&*self.runs)
    }

    /// The indices of all rules that match a normalised target that begins with `/`, from highest to
    /// lowest precedence.
    pub fn matching(&self, target: &[u8]) -> Vec<usize> {
        let mut is_met = vec![false; self.runs.len() + 1];
        for run in self.segments.matching(target) {
            is_met[run as usize] = true;
        }
        (0..self.runs.len()).filter(|index| is_met[self.runs[*index] as usize]).collect()
    }
}

/// A pattern as a chain of pieces.
#[derive(Clone)]
struct Chain<'r> {
    bytes: &'r [u8],
    /// Its range in the list of all pieces.
    pieces: std::ops::Range<usize>,
    anchored: bool,
    run: Run,
}

/// Sorts patterns by their list of pieces, so that those that begin with the same pieces are
/// neighbours.
fn sort(patterns: &mut [Chain<'_>], pieces: &[&[u8]], wildcards: bool) {
    // With the star as the lowest byte, the order of bytes is the order of pieces. Eight bytes
    // are compared at a time.
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
    /// With the node they follow; a head is `NONE` minus its number.
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
        // Children come after their parents, so going backwards each node finds theirs ready.
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
            // A pattern that ends here needs nothing more. Otherwise all that follow need what
            // each of them needs.
            let ends = next.end > 0 || next.tails.0 < next.tails.1;
            let own = bit_of(nodes[node].piece);
            let mut needs = if ends { 0 } else { u64::MAX };
            let mut lasts = if ends { own } else { 0 };
            let mut child = node as u32 + 1;
            while child < next.after {
                let below = &nodes[child as usize].next;
                needs &= below.needs;
                lasts |= below.lasts;
                child = below.after;
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
    /// Builds it from sorted, distinct pieces that are not empty.
    fn new(pieces: &[&[u8]]) -> PieceAutomaton {
        let mut a = PieceAutomaton {
            byte: vec![0],
            first_child: Vec::new(),
            suffix: vec![0],
            piece: vec![NONE],
            shorter: vec![NONE; pieces.len()],
            len: pieces.iter().map(|p| p.len() as u32).collect(),
        };
        // By state: the pieces that go through it, and its depth.
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
                // All states of lower depth have their children by now. A child of the root
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

/// The scratch space of one pass over a target, kept for the next one.
#[derive(Default)]
struct Pass {
    /// By piece: the first and the last node that wait for it, a list through `queued`.
    first: Vec<u32>,
    last: Vec<u32>,
    /// By piece: how many nodes may still wait for it.
    waiting: Vec<u32>,
    /// By piece: the next shorter one, skipping pieces that nothing waits for any more.
    shorter: Vec<u32>,
    /// By node: the next one in its list, and the place after which it waits.
    queued: Vec<(u32, u32)>,
    /// By place in the target: the nodes that join their queues there, as a list.
    later: Vec<u32>,
    /// How many nodes wait, or will once the pass gets there.
    pending: usize,
    /// The bits of the pieces that occur in the target.
    there: u64,
    /// By piece: whether it was found.
    seen: Vec<bool>,
    /// By bitmap: the places of its byte in the target, a bit for each byte of the target.
    places: Vec<u64>,
    /// By bitmap: the end of its byte's last place.
    end_of_last: Vec<u32>,
    /// The words of one bitmap.
    words: usize,
    /// What is met but not yet followed: where its sub-trie begins and ends, and where it ends
    /// in the target.
    to_follow: Vec<(u32, u32, u32)>,
    /// The bytes of the target that the pass has read.
    read: usize,
    best: Run,
    /// The runs that are met, if all are asked for. `best` stays 0 then, so that none is
    /// skipped.
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
                let next = self.queued[node as usize].0;
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
        self.queued.resize(segments.nodes.len().max(self.queued.len()), (NONE, 0));
        self.words = target.len() / 64 + 1;
        self.places.clear();
        self.places.resize(segments.single_count * self.words, 0);
        self.end_of_last.clear();
        self.end_of_last.resize(segments.single_count, 0);
        for (at, byte) in target.iter().enumerate() {
            let single = segments.singles[usize::from(*byte)];
            if single != NONE {
                self.places[single as usize * self.words + at / 64] |= 1 << (at % 64);
                self.end_of_last[single as usize] = at as u32 + 1;
            }
        }
        self.look(segments, target);
    }

    /// Finds out which pieces occur in the target at all.
    fn look(&mut self, segments: &Segments, target: &[u8]) {
        let singles = self.end_of_last.iter().zip(0..).filter(|(end, _)| **end > 0);
        self.there = singles.fold(0, |there, (_, single)| there | bit_of(SINGLE | single));
        self.seen.clear();
        self.seen.resize(segments.pieces.len.len(), false);
        let mut state = 0;
        for &byte in target {
            state = segments.pieces.step(state, byte);
            let mut piece = segments.pieces.piece[state as usize];
            // Where a piece was seen, so were the shorter ones that end there.
            while piece != NONE && !self.seen[piece as usize] {
                self.seen[piece as usize] = true;
                self.there |= bit_of(piece);
                piece = segments.pieces.shorter[piece as usize];
            }
        }
    }

    /// Follows the heads that begin the target, the shortest first. They are a range of the
    /// sorted heads that narrows with each byte.
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

    /// The first of this piece and the shorter ones for which some node may still wait. Makes
    /// the way shorter for the next time.
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

    /// Called when a piece ends where the pass is: goes on from the nodes that waited for it
    /// after a place at or before its beginning.
    fn meet(&mut self, segments: &Segments, target: &[u8], piece: u32) {
        let begin = self.read as u32 - segments.pieces.len[piece as usize];
        loop {
            let node = self.first[piece as usize];
            if node == NONE || self.queued[node as usize].1 > begin {
                return;
            }
            self.first[piece as usize] = self.queued[node as usize].0;
            self.waiting[piece as usize] -= 1;
            self.pending -= 1;
            let next = &segments.nodes[node as usize].next;
            self.met(segments, target, node + 1, next, self.read);
            self.follow(segments, target);
        }
    }

    /// Called when all pieces up to `next` are found, the last one ending at `end`.
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

    /// Notes that a pattern of this run matches; 0 stands for none.
    #[inline]
    fn reach(&mut self, run: Run) {
        match &mut self.all {
            None => self.best = self.best.max(run),
            Some(all) if run > 0 => all.push(run),
            Some(_) => {}
        }
    }

    /// Goes on from all that is met.
    fn follow(&mut self, segments: &Segments, target: &[u8]) {
        while let Some((mut node, after, end)) = self.to_follow.pop() {
            while node < after {
                let Node { piece, next } = &segments.nodes[node as usize];
                let cannot_match = next.needs & !self.there != 0 || next.lasts & self.there == 0;
                if cannot_match || next.highest <= self.best {
                    // Nothing there can raise the best run.
                } else if piece & SINGLE != 0 {
                    if let Some(at) = self.place(piece & !SINGLE, end as usize) {
                        self.met(segments, target, node + 1, next, at + 1);
                    }
                } else {
                    self.pending += 1;
                    self.queued[node as usize].1 = end;
                    if end as usize <= self.read {
                        self.wait(segments, node);
                    } else {
                        let later = &mut self.later[end as usize];
                        self.queued[node as usize].0 = *later;
                        *later = node;
                    }
                }
                node = next.after;
            }
        }
    }

    /// The first place of a single byte at or after `from`.
    fn place(&self, single: u32, from: usize) -> Option<usize> {
        if from >= self.end_of_last[single as usize] as usize {
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

    /// Appends a node to the queue of its piece.
    fn wait(&mut self, segments: &Segments, node: u32) {
        let piece = segments.nodes[node as usize].piece as usize;
        self.queued[node as usize].0 = NONE;
        match self.first[piece] {
            NONE => self.first[piece] = node,
            _ => self.queued[self.last[piece] as usize].0 = node,
        }
        self.last[piece] = node;
    }
}
