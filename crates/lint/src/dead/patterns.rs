//! The rules of a policy, and what their patterns alone say: which can match together, and which
//! covers another.

use std::collections::{BTreeSet, HashMap};

use robotsieve::internals::Pattern;
use robotsieve::{Policy, Profile, Verdict};
use smallvec::SmallVec;

use super::work::{BYTES_PER_WORK, OverBudget, Work};

/// Comparing this many masks costs as much work as matching one pattern.
pub(super) const MASKS_PER_WORK: usize = 16;

/// A rule of a policy, or the one that allows `/robots.txt`, which has line 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankedRule<'p> {
    pub(super) line: u32,
    pub(super) verdict: Verdict,
    pub(super) precedence: u32,
    pub(super) pattern: Pattern<'p>,
    /// The pattern up to its first star.
    pub(super) head: &'p [u8],
    /// Which bytes the pattern has, stars aside: see [`mask`].
    pub(super) mask: u64,
    /// Neighbours with the same verdict form a run; the default belongs to the last one.
    pub(super) run: u32,
}

/// The bytes of a text as a set of 64 bits, each shared by four bytes. A pattern matches only texts
/// whose mask contains its own.
pub(super) fn mask(text: &[u8]) -> u64 {
    text.iter().fold(0, |mask, byte| mask | 1 << (byte & 63))
}

/// The rules of a policy. A rule's *rank* is its index: 0 is the highest precedence.
pub(super) struct PolicyRules<'p> {
    pub(super) ranked: Vec<RankedRule<'p>>,
    /// Ranks, sorted by head.
    by_head: Vec<u32>,
    /// For each index of `by_head` where a head occurs first: where the longest other head that it
    /// begins with occurs first; `NONE` if there is none. For the others: where their head does.
    shorter: Vec<u32>,
    pub(super) wildcards: bool,
    /// The run of the default.
    pub(super) default_run: u32,
    /// A byte that is in no pattern, if there is one.
    pub(super) unused_byte: Option<u8>,
}

/// No index.
const NONE: u32 = u32::MAX;

/// [`PolicyRules::shorter`].
fn shorter_heads(ranked: &[RankedRule<'_>], by_head: &[u32]) -> Vec<u32> {
    let head = |at: u32| ranked[by_head[at as usize] as usize].head;
    let mut shorter = Vec::with_capacity(by_head.len());
    // Where the heads that the previous one begins with, and that one itself, occur first.
    let mut nested: Vec<u32> = Vec::new();
    for at in 0..by_head.len() as u32 {
        while nested.last().is_some_and(|outer| !head(at).starts_with(head(*outer))) {
            nested.pop();
        }
        let outer = nested.last().copied();
        shorter.push(outer.unwrap_or(NONE));
        if outer.is_none_or(|outer| head(outer).len() < head(at).len()) {
            nested.push(at);
        }
    }
    shorter
}

impl<'p> PolicyRules<'p> {
    /// Keeps the first of equal rules and notes it in `twins` for each of the others. Any of them
    /// can go as long as one stays, and none changes what becomes of other rules.
    pub(super) fn new(
        policy: &'p Policy,
        profile: &Profile,
        twins: &mut HashMap<u32, BTreeSet<u32>>,
    ) -> PolicyRules<'p> {
        let wildcards = profile.wildcards;
        let mut ranked = Vec::with_capacity(policy.rule_count() + 1);
        if profile.robots_txt_allowed {
            ranked.push(RankedRule {
                line: 0,
                verdict: Verdict::Allow,
                precedence: u32::MAX,
                pattern: Pattern { bytes: b"/robots.txt", anchored: true },
                head: b"/robots.txt",
                mask: mask(b"/robots.txt"),
                run: 0,
            });
        }
        let mut firsts = HashMap::new();
        ranked.extend(policy.rules().filter_map(|rule| {
            let key = (rule.verdict, rule.precedence, rule.pattern(), rule.anchored());
            let first = *firsts.entry(key).or_insert(rule.line);
            if first != rule.line {
                twins.entry(rule.line).or_default().insert(first);
                return None;
            }
            let bytes = rule.pattern();
            let star = memchr::memchr(b'*', bytes).filter(|_| wildcards);
            Some(RankedRule {
                line: rule.line,
                verdict: rule.verdict,
                precedence: rule.precedence,
                pattern: Pattern { bytes, anchored: rule.anchored() },
                head: &bytes[..star.unwrap_or(bytes.len())],
                mask: bytes
                    .split(|byte| wildcards && *byte == b'*')
                    .fold(0, |all, piece| all | mask(piece)),
                run: 0,
            })
        }));
        let mut run = 0;
        for rank in 1..ranked.len() {
            run += u32::from(ranked[rank].verdict != ranked[rank - 1].verdict);
            ranked[rank].run = run;
        }
        let lowest = ranked.last().map_or(Verdict::Allow, |rule| rule.verdict);
        let default_run = run + u32::from(lowest == Verdict::Disallow);
        let mut by_head: Vec<u32> = (0..ranked.len() as u32).collect();
        by_head.sort_by_key(|rank| ranked[*rank as usize].head);
        let shorter = shorter_heads(&ranked, &by_head);
        let mut used = [false; 256];
        for byte in ranked.iter().flat_map(|rule| rule.pattern.bytes) {
            used[usize::from(*byte)] = true;
        }
        let letters = (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9').chain(*b"-_.~");
        let unused_byte = letters.chain(0..=255).find(|byte| !used[usize::from(*byte)]);
        PolicyRules { ranked, by_head, shorter, wildcards, default_run, unused_byte }
    }

    /// Returns true if any target matches the rule. All targets begin with `/`.
    pub(super) fn can_match(&self, rank: usize) -> bool {
        let Pattern { bytes, anchored } = self.ranked[rank].pattern;
        match bytes.first() {
            Some(b'/') => true,
            Some(b'*') => self.wildcards,
            Some(_) => false,
            None => !anchored,
        }
    }

    /// The verdict of a run.
    pub(super) fn verdict_of(&self, run: u32) -> Verdict {
        // Runs alternate, and the default allows.
        if (self.default_run - run).is_multiple_of(2) { Verdict::Allow } else { Verdict::Disallow }
    }

    fn head(&self, at: usize) -> &'p [u8] {
        self.ranked[self.by_head[at] as usize].head
    }

    /// The ranks of the rules whose head is a prefix of `text`, those with the shortest heads
    /// first. One binary search, whatever the length of the text.
    pub(super) fn heads_of(&self, text: &[u8]) -> impl Iterator<Item = usize> + use<'_, 'p> {
        let mut firsts: SmallVec<[u32; 8]> = SmallVec::new();
        // All heads that are prefixes of the text are prefixes of the last one that is not above
        // it, or that one itself.
        let end = self.by_head.partition_point(|rank| self.ranked[*rank as usize].head <= text);
        if let Some(last) = end.checked_sub(1) {
            let head = self.head(last);
            let shared = head.iter().zip(text).take_while(|(a, b)| a == b).count();
            let is_first = last == 0 || self.head(last - 1) != head;
            let mut at = if is_first { last as u32 } else { self.shorter[last] };
            while at != NONE {
                if self.head(at as usize).len() <= shared {
                    firsts.push(at);
                }
                at = self.shorter[at as usize];
            }
        }
        firsts.into_iter().rev().flat_map(move |first| {
            let from = first as usize;
            let same = (from + 1..self.by_head.len()).take_while(move |at| {
                self.shorter[*at] == first && self.head(*at).len() == self.head(from).len()
            });
            std::iter::once(from).chain(same).map(|at| self.by_head[at] as usize)
        })
    }

    /// The ranks of all rules that may match a target that rule number `rank` matches, itself
    /// included.
    pub(super) fn compatible(
        &self,
        rank: usize,
        work: &mut Work,
    ) -> Result<Vec<usize>, OverBudget> {
        let head = self.ranked[rank].head;
        let mut ranks: Vec<usize> = self.heads_of(head).collect();
        let from = self.by_head.partition_point(|rank| self.ranked[*rank as usize].head <= head);
        let longer = (from..self.by_head.len()).take_while(|at| self.head(*at).starts_with(head));
        ranks.extend(longer.map(|at| self.by_head[at] as usize));
        work.add(1 + ranks.len() / MASKS_PER_WORK)?;
        Ok(ranks)
    }

    /// The highest-ranking rule that matches wherever rule number `rank` does, as far as the two
    /// patterns alone tell: it may miss one.
    pub(super) fn cover(
        &self,
        rank: usize,
        counts: impl Fn(&usize) -> bool,
        work: &mut Work,
    ) -> Result<Option<usize>, OverBudget> {
        // The pattern read as a target: only a star of the other pattern matches its stars.
        let own = self.ranked[rank].pattern;
        let mut text = own.bytes.to_vec();
        if self.wildcards && !own.anchored {
            text.push(b'*');
        }
        let mut texts = vec![text];
        if self.wildcards && own.bytes.first() == Some(&b'*') {
            // Targets begin with `/`: the star matches it and more, or nothing at all.
            let after = texts[0].split_off(1);
            texts[0] = [b"/*", after.as_slice()].concat();
            if after.first() == Some(&b'/') {
                texts.push(after);
            }
        }
        let mut best: Option<usize> = None;
        work.add(own.bytes.len() / BYTES_PER_WORK)?;
        let bytes = mask(&texts[0]);
        for (number, other) in self.heads_of(&texts[0]).enumerate() {
            work.add(usize::from(number % MASKS_PER_WORK == 0))?;
            let rule = &self.ranked[other];
            if best.is_none_or(|best| other < best)
                && rule.mask & !bytes == 0
                && other != rank
                && counts(&other)
            {
                work.add(1 + (rule.pattern.bytes.len() + own.bytes.len()) / BYTES_PER_WORK)?;
                if texts.iter().all(|text| rule.pattern.matches(text, self.wildcards)) {
                    best = Some(other);
                }
            }
        }
        Ok(best)
    }
}
