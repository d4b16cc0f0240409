//! Walks two tables in lockstep, to find whether they are equal and the shortest targets on which
//! they differ.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use robotsieve::Verdict;
use robotsieve::internals::{ByteSet, Cursor, Table};

use super::targets::{Spot, Targets};

/// Two tables, and the targets that a URL can have.
#[derive(Clone, Copy)]
pub(super) struct Product<'t> {
    pub(super) old: Table<'t>,
    pub(super) new: Table<'t>,
    pub(super) targets: Targets,
    /// Counts the pairs that searches visit.
    pub(super) visited: &'t Cell<usize>,
}

/// Where both tables are after the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pair {
    old: Cursor,
    new: Cursor,
    spot: Spot,
}

/// A pair that was reached, by this byte from the pair of this number.
struct Reached {
    pair: Pair,
    from: u32,
    byte: u8,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Everything was visited.
    Exhausted,
    /// The visitor asked to stop.
    Stopped,
    /// There are more pairs than the limit.
    Limit,
}

/// The number of times a search may return to pairs of final states that differ: different rules can
/// decide there.
const REPEATED_FLIPS: usize = 4_096;

/// What a visitor returns: whether to go on.
pub(super) type GoOn = bool;

impl Product<'_> {
    pub(super) fn add_visited(self, pairs: usize) {
        self.visited.set(self.visited.get() + pairs);
    }

    /// Visits targets on which the tables differ: one for each pair of states that differs, and
    /// some more where both states are final. The shortest come first, and among those of one
    /// length the most readable. `visit` gets the target and the verdict of the new table.
    ///
    /// Returns why the search ended.
    pub(super) fn flips(
        self,
        limit_pairs: usize,
        visit: impl FnMut(&dyn Fn() -> Vec<u8>, Verdict) -> GoOn,
    ) -> End {
        let mut known: HashSet<Pair, RandomState> = HashSet::default();
        self.search(limit_pairs, |pair| known.insert(pair), visit)
    }

    /// A target on which the tables differ, with the verdict of the new one, or `None` if they are
    /// equal. By the algorithm of Hopcroft and Karp: cursors that would have to be equivalent are
    /// merged, so there are at most as many pairs to visit as the tables have states, times the
    /// spots of [`Targets`]. Returns an error if the limit was too low to know.
    pub(super) fn any_flip(self, limit_pairs: usize) -> Result<Option<(Vec<u8>, Verdict)>, ()> {
        let mut classes = Classes::default();
        let is_new = |Pair { old, new, spot }: Pair| {
            let [old, new] = [(false, old, spot), (true, new, spot)].map(|p| classes.of(p));
            classes.join(old, new)
        };
        let mut flip = None;
        let end = self.search(limit_pairs, is_new, |target, verdict| {
            flip = Some((target(), verdict));
            false
        });
        if end == End::Limit { Err(()) } else { Ok(flip) }
    }

    fn search(
        self,
        limit_pairs: usize,
        mut is_new: impl FnMut(Pair) -> bool,
        mut visit: impl FnMut(&dyn Fn() -> Vec<u8>, Verdict) -> GoOn,
    ) -> End {
        let first = Pair {
            old: self.old.first_cursor(),
            new: self.new.first_cursor(),
            spot: self.targets.first(),
        };
        let limit_pairs = limit_pairs.min(u32::MAX as usize - 256);
        is_new(first);
        let mut reached = vec![Reached { pair: first, from: 0, byte: b'/' }];
        let mut repeats = REPEATED_FLIPS;
        let mut next = 0;
        let end = loop {
            let Some(&Reached { pair, .. }) = reached.get(next) else { break End::Exhausted };
            let Pair { old, new, spot } = pair;
            let verdicts = [self.old.verdict_at(old), self.new.verdict_at(new)];
            if verdicts[0] != verdicts[1] && self.targets.may_end(spot) {
                let target = || target(&reached, next);
                if !visit(&target, verdicts[1]) {
                    break End::Stopped;
                }
            }
            // Where both are final, the verdicts cannot change. If they differ but the target
            // cannot end here, it can a little later, so the search has to go on.
            let settled = old.is_final()
                && new.is_final()
                && (verdicts[0] == verdicts[1] || self.targets.may_end(spot));
            if !settled {
                if reached.len() > limit_pairs {
                    break End::Limit;
                }
                self.expand(pair, |byte, pair| {
                    let is_repeated = !is_new(pair);
                    // Two final states are one pair, whichever rules decide there.
                    if is_repeated {
                        let flips = pair.old.is_final()
                            && pair.new.is_final()
                            && self.old.verdict_at(pair.old) != self.new.verdict_at(pair.new)
                            && self.targets.may_end(pair.spot);
                        if !flips || repeats == 0 {
                            return;
                        }
                        repeats -= 1;
                    }
                    reached.push(Reached { pair, from: next as u32, byte });
                });
            }
            next += 1;
        };
        self.add_visited(reached.len());
        end
    }

    /// Finds where a pair leads, trying one byte of each class of bytes.
    fn expand(self, pair: Pair, mut found: impl FnMut(u8, Pair)) {
        let Pair { old, new, spot } = pair;
        let mut apart = ByteSet::default();
        self.old.add_bytes(old, &mut apart);
        self.new.add_bytes(new, &mut apart);
        self.targets.add_bytes(spot, &mut apart);
        let mut other = false;
        for &byte in &READABLE_FIRST {
            // Bytes that are not in `apart` all lead to one pair, so one of them will do.
            if !apart.has(byte) && other {
                continue;
            }
            let Some(spot) = self.targets.step(spot, byte) else { continue };
            other |= !apart.has(byte);
            let (old, new) = (self.old.step(old, byte), self.new.step(new, byte));
            found(byte, Pair { old, new, spot });
        }
    }
}

/// The target that leads to a pair.
fn target(reached: &[Reached], mut at: usize) -> Vec<u8> {
    let mut target = vec![reached[at].byte];
    while at > 0 {
        at = reached[at].from as usize;
        target.push(reached[at].byte);
    }
    target.reverse();
    target
}

/// All bytes, in the order in which paths should use them: the most readable first.
pub static READABLE_FIRST: [u8; 256] = {
    let first = b"abcdefghijklmnopqrstuvwxyz0123456789/-_.ABCDEFGHIJKLMNOPQRSTUVWXYZ?=&+,;:@!~'()%";
    let mut all = [0; 256];
    let mut len = 0;
    // First the listed bytes, then the other printable ones, then the rest.
    let mut pass = 0;
    while pass < 3 {
        let mut byte = 0;
        while byte < if pass == 0 { first.len() } else { 256 } {
            let candidate = if pass == 0 { first[byte] } else { byte as u8 };
            let mut known = false;
            let mut at = 0;
            while at < len {
                known |= all[at] == candidate;
                at += 1;
            }
            if !known && (pass != 1 || candidate.is_ascii_graphic()) {
                all[len] = candidate;
                len += 1;
            }
            byte += 1;
        }
        pass += 1;
    }
    all
};

/// A cursor of the old table (`false`) or the new one (`true`), at a spot among the targets.
type Member = (bool, Cursor, Spot);

/// Sets of members that are equivalent if the tables are equal: a union-find forest.
#[derive(Default)]
struct Classes {
    numbers: HashMap<Member, u32, RandomState>,
    parents: Vec<u32>,
    sizes: Vec<u32>,
}

impl Classes {
    /// The class of a member. A final cursor has the same class in both tables.
    fn of(&mut self, member: Member) -> u32 {
        let (is_new, cursor, spot) = member;
        let key = (is_new && !cursor.is_final(), cursor, spot);
        let number = *self.numbers.entry(key).or_insert_with(|| {
            self.parents.push(self.parents.len() as u32);
            self.sizes.push(1);
            self.parents.len() as u32 - 1
        });
        self.root(number)
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            let parent = self.parents[number as usize];
            self.parents[number as usize] = self.parents[parent as usize];
            number = parent;
        }
        number
    }

    /// Merges two classes. Returns `false` if they were one already.
    fn join(&mut self, one: u32, other: u32) -> bool {
        if one == other {
            return false;
        }
        let [small, large] = if self.sizes[one as usize] < self.sizes[other as usize] {
            [one, other]
        } else {
            [other, one]
        };
        self.parents[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_once() {
        let mut bytes = READABLE_FIRST;
        bytes.sort_unstable();
        assert!(bytes.iter().enumerate().all(|(at, byte)| at == usize::from(*byte)));
    }
}
