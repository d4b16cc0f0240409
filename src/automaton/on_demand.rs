//! The pruned DFA of a trie, its states built while targets are read.
//!
//! What `determinise` builds at once, here a target pays for where it goes: for rule sets that
//! have too many states, of which real targets visit few. A state is the best run reached so
//! far and the live nodes that can still change the verdict, and its row tells for each class
//! of bytes where it leads, or that nobody has asked yet. Rows lie in one array and are named
//! by where they begin, so that a byte costs one look-up in the classes and one in the rows.
//!
//! Rows have a bound. Where it is reached all are dropped; where that happens often and the
//! bytes read are few for it, or for the work done, the DFA gives up: hostile rules would cost
//! a state for each byte of each target.

use crate::automaton::determinise::final_of;
use crate::automaton::determinise::intern::{grow_table, hash};
use crate::automaton::determinise::prune::{is_above, is_relevant, rival_of};
use crate::automaton::trie::{NONE, NodeId, Run, Trie, verdict_of};
use crate::rules::RuleSet;
use crate::rules::normalise::Encoding;
use crate::rules::target::Target;
use crate::verdict::Verdict;

/// The bytes that the states of one DFA may occupy.
const LIMIT_BYTES: usize = 2 << 20;
/// The bytes of a trie at most; beyond it no state is built.
const TRIE_LIMIT_BYTES: usize = 16 << 20;
/// After so many clearings the states must earn their keep …
const CLEARINGS: usize = 4;
/// … by so many bytes read for each of them.
const BYTES_PER_STATE: usize = 8;
/// The nodes that may be looked at to build states, and as many more for each byte read.
/// Real policies take tens of thousands; rules of many stars could take as many for each byte.
const WORK: usize = 2 << 20;
const WORK_PER_BYTE: usize = 16;

/// There are too many nodes, or too many states for what is read: another engine must decide.
#[derive(Debug)]
pub(crate) struct GaveUp;

/// What states are built from. Threads share it.
#[derive(Debug)]
pub(crate) struct Source {
    trie: Trie,
    encoding: Encoding,
    /// The column of each byte as it is given: that of [`SPECIAL`] for those that are.
    given: Box<[u16; 256]>,
    /// The column of each byte as it is normalised.
    normalised: Box<[u16; 256]>,
    /// By column: the byte, if it is one that the trie knows.
    bytes: Vec<Option<u8>>,
}

/// A place in the rows, or what stands there instead.
type Row = u32;

/// Nobody has asked yet.
const UNKNOWN: Row = 0;
/// The verdict is final: this, and one more for "disallow".
const FINAL: Row = 1;
/// A byte that may stand for something else.
const SPECIAL: Row = 3;
/// Where the first row begins.
const FIRST_ROW: Row = 4;

/// The column of the verdict if the target ends.
const END_COLUMN: u16 = 0;
const SPECIAL_COLUMN: u16 = 1;
/// The column of all bytes that the trie does not know.
const OTHER_COLUMN: u16 = 2;

/// The states that were built so far. Each thread needs its own.
#[derive(Debug)]
pub(crate) struct States {
    /// By state: a row.
    rows: Vec<Row>,
    states: Vec<State>,
    /// The live nodes of all states, each sorted.
    sets: Vec<NodeId>,
    /// A hash table of the states, by their numbers and one.
    table: Vec<u32>,
    /// The first row, if it is built.
    start: Row,
    /// The bytes that the states may occupy.
    limit_bytes: usize,
    clearings: usize,
    /// The bytes read, but for those of the target at hand, and how many it were at the last
    /// clearing.
    read: usize,
    read_before: usize,
    /// The nodes looked at.
    work: usize,
    // Of the state at hand.
    set: Vec<NodeId>,
    kept: Vec<NodeId>,
    best: Run,
}

#[derive(Clone, Copy, Debug)]
struct State {
    set_at: u32,
    set_len: u32,
    best: Run,
    hash: u32,
}

impl Source {
    /// # Errors
    /// [`GaveUp`] where the trie is too large.
    pub(crate) fn new(rules: &RuleSet, encoding: Encoding) -> Result<Source, GaveUp> {
        let mut trie = Trie::default();
        trie.build(rules);
        trie.finish();
        if trie.memory_usage() > TRIE_LIMIT_BYTES {
            return Err(GaveUp);
        }
        let mut normalised = Box::new([OTHER_COLUMN; 256]);
        let mut bytes = vec![None; usize::from(OTHER_COLUMN) + 1];
        for byte in trie.bytes() {
            let column = &mut normalised[usize::from(byte)];
            if *column == OTHER_COLUMN {
                *column = bytes.len() as u16;
                bytes.push(Some(byte));
            }
        }
        let mut given = normalised.clone();
        for byte in (0..=255).filter(|byte| encoding.is_special(*byte)) {
            given[usize::from(byte)] = SPECIAL_COLUMN;
        }
        Ok(Source { trie, encoding, given, normalised, bytes })
    }

    /// The occupied bytes.
    pub(crate) fn memory_usage(&self) -> usize {
        size_of::<Source>()
            + self.trie.memory_usage()
            + size_of_val(&*self.given)
            + size_of_val(&*self.normalised)
            + size_of_val(&*self.bytes)
    }
}

impl States {
    pub(crate) fn new() -> States {
        States {
            rows: vec![UNKNOWN; FIRST_ROW as usize],
            states: Vec::new(),
            sets: Vec::new(),
            table: Vec::new(),
            start: UNKNOWN,
            limit_bytes: LIMIT_BYTES,
            clearings: 0,
            read: 0,
            read_before: 0,
            work: 0,
            set: Vec::new(),
            kept: Vec::new(),
            best: 0,
        }
    }

    /// The occupied bytes.
    pub(crate) fn memory_usage(&self) -> usize {
        size_of::<States>()
            + size_of::<Row>() * self.rows.capacity()
            + size_of::<State>() * self.states.capacity()
            + size_of::<NodeId>()
                * (self.sets.capacity() + self.set.capacity() + self.kept.capacity())
            + size_of::<u32>() * self.table.capacity()
    }

    /// The verdict on a target. Always of the same source.
    ///
    /// # Errors
    /// [`GaveUp`]: then it is no use to ask again.
    #[inline]
    pub(crate) fn verdict(
        &mut self,
        source: &Source,
        target: &Target<'_>,
    ) -> Result<Verdict, GaveUp> {
        let given = target.unended();
        let mut row = match self.start {
            UNKNOWN => self.build_start(source)?,
            start => start,
        };
        let mut at = 0;
        loop {
            let next = self.walk(source, given, &mut row, &mut at);
            match next {
                UNKNOWN => {
                    let column = source.given[usize::from(given[at])];
                    row = self.build(source, row, column, at)?;
                    at += 1;
                }
                SPECIAL if !source.encoding.ends(given[at]) => {
                    return self.verdict_normalised(source, row, given, at);
                }
                next => {
                    self.read += at;
                    let at_end = next == SPECIAL;
                    return Ok(verdict_at(if at_end {
                        self.row_at(row, END_COLUMN)
                    } else {
                        next
                    }));
                }
            }
        }
    }

    /// Goes from row to row until there is none, and says what stands there instead.
    #[inline(always)]
    fn walk(&self, source: &Source, given: &[u8], row: &mut Row, at: &mut usize) -> Row {
        if *row < FIRST_ROW {
            return *row;
        }
        for &byte in &given[*at..] {
            let next = self.row_at(*row, source.given[usize::from(byte)]);
            if next < FIRST_ROW {
                return next;
            }
            *row = next;
            *at += 1;
        }
        self.row_at(*row, END_COLUMN)
    }

    /// Goes on where a byte may stand for something else.
    #[cold]
    fn verdict_normalised(
        &mut self,
        source: &Source,
        mut row: Row,
        given: &[u8],
        mut at: usize,
    ) -> Result<Verdict, GaveUp> {
        let left = source.encoding.up_to_end(&given[at..]);
        for byte in source.encoding.normalised(left) {
            let column = source.normalised[usize::from(byte)];
            row = match self.row_at(row, column) {
                UNKNOWN => self.build(source, row, column, at)?,
                next => next,
            };
            at += 1;
            if row < FIRST_ROW {
                self.read += at;
                return Ok(verdict_at(row));
            }
        }
        self.read += at;
        Ok(verdict_at(self.row_at(row, END_COLUMN)))
    }

    #[inline(always)]
    fn row_at(&self, row: Row, column: u16) -> Row {
        self.rows[row as usize + usize::from(column)]
    }

    #[cold]
    fn build_start(&mut self, source: &Source) -> Result<Row, GaveUp> {
        self.set.clear();
        self.best = 0;
        self.arrive(&source.trie, source.trie.root());
        self.prune(&source.trie);
        self.start = self.row_of_set(source, 0)?;
        Ok(self.start)
    }

    /// Finds out where a row leads, behind so many bytes of the target at hand.
    #[cold]
    fn build(
        &mut self,
        source: &Source,
        row: Row,
        column: u16,
        read: usize,
    ) -> Result<Row, GaveUp> {
        let trie = &source.trie;
        let number = (row - FIRST_ROW) as usize / source.bytes.len();
        let State { set_at, set_len, best, .. } = self.states[number];
        self.work += set_len as usize;
        if self.work > WORK + WORK_PER_BYTE * (self.read + read) {
            return Err(GaveUp);
        }
        self.set.clear();
        self.best = best;
        for at in set_at as usize..(set_at + set_len) as usize {
            let node = self.sets[at];
            if trie.node(node).is_star {
                self.set.push(node);
            }
            let byte = source.bytes[usize::from(column)];
            if let Some(child) = byte.and_then(|byte| trie.child(node, byte)) {
                self.arrive(trie, child);
            }
        }
        self.prune(trie);
        let clearings = self.clearings;
        let next = self.row_of_set(source, read)?;
        // Otherwise the row is no more.
        if self.clearings == clearings {
            self.rows[row as usize + usize::from(column)] = next;
        }
        Ok(next)
    }

    /// Adds a node, with its star, and raises the best run where rules end there.
    fn arrive(&mut self, trie: &Trie, id: NodeId) {
        let node = trie.node(id);
        self.best = self.best.max(node.end);
        if node.goes_on() {
            self.set.push(id);
        }
        if node.star != NONE {
            self.set.push(node.star);
        }
    }

    /// Leaves in the set what can still change the verdict: nothing if it is final.
    fn prune(&mut self, trie: &Trie) {
        let best = self.best;
        self.work += self.set.len();
        let rivals = self.set.iter().map(|node| rival_of(trie, *node, best));
        let rival = rivals.min().unwrap_or(Run::MAX);
        if best >= trie.highest() || rival == Run::MAX {
            self.set.clear();
            return;
        }
        self.set.retain(|node| is_relevant(trie, *node, best, rival));
        self.set.sort_unstable();
        self.set.dedup();
        // A node from which every way leads through a live star adds nothing.
        self.kept.clear();
        for &node in &self.set {
            let mut through = trie.node(node).through;
            while through != NONE && self.set.binary_search(&through).is_err() {
                through = trie.node(through).through;
                self.work += 1;
            }
            if through == NONE {
                self.kept.push(node);
            }
        }
        std::mem::swap(&mut self.set, &mut self.kept);
        if self.set.iter().all(|node| is_above(trie, *node, best)) {
            self.best = best & 1;
        }
    }

    /// The row of the state with `self.best` and `self.set`, which is pruned.
    fn row_of_set(&mut self, source: &Source, read: usize) -> Result<Row, GaveUp> {
        if self.set.is_empty() {
            return Ok(FINAL + final_of(self.best));
        }
        let columns = source.bytes.len();
        let hash = hash(self.best, &self.set);
        if self.table.len() <= 2 * self.states.len() {
            grow_table(&mut self.table, self.states.iter().map(|state| state.hash), 1);
        }
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != 0 {
            let number = self.table[slot] as usize - 1;
            let state = &self.states[number];
            if (state.hash, state.best) == (hash, self.best)
                && self.sets[state.set_at as usize..][..state.set_len as usize] == *self.set
            {
                return Ok(row_of(number, columns));
            }
            slot = (slot + 1) & mask;
        }
        let added =
            size_of::<State>() + size_of::<Row>() * columns + size_of::<NodeId>() * self.set.len();
        if !self.states.is_empty() && self.occupied() + added > self.limit_bytes {
            self.clear(read)?;
            return self.row_of_set(source, read);
        }
        let number = self.states.len();
        let row = row_of(number, columns);
        self.table[slot] = number as u32 + 1;
        self.states.push(State {
            set_at: self.sets.len() as u32,
            set_len: self.set.len() as u32,
            best: self.best,
            hash,
        });
        self.sets.extend_from_slice(&self.set);
        self.rows.resize(self.rows.len() + columns, UNKNOWN);
        let anchored = self.set.iter().map(|node| source.trie.node(*node).end_anchored);
        let at_end = anchored.fold(self.best, Run::max);
        self.rows[row as usize + usize::from(END_COLUMN)] = FINAL + final_of(at_end);
        self.rows[row as usize + usize::from(SPECIAL_COLUMN)] = SPECIAL;
        Ok(row)
    }

    fn occupied(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.states) + size_of_val(&*self.sets)
    }

    /// Drops all states, unless they did not earn their keep.
    fn clear(&mut self, read: usize) -> Result<(), GaveUp> {
        let read = self.read + read;
        let earned = read - self.read_before >= BYTES_PER_STATE * self.states.len();
        if self.clearings >= CLEARINGS && !earned {
            return Err(GaveUp);
        }
        self.clearings += 1;
        self.read_before = read;
        self.start = UNKNOWN;
        self.rows.truncate(FIRST_ROW as usize);
        self.states.clear();
        self.sets.clear();
        self.table.fill(0);
        Ok(())
    }
}

/// Where the row of a state begins. The limit keeps it within 32 bits.
fn row_of(number: usize, columns: usize) -> Row {
    FIRST_ROW + (number * columns) as Row
}

/// The verdict of [`FINAL`] or one more.
fn verdict_at(row: Row) -> Verdict {
    verdict_of(row - FINAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Compiler;
    use crate::automaton::limits::Limits;
    use crate::profile::Profile;
    use crate::rules::RawRule;

    fn rule_set(values: &[Vec<u8>], profile: &Profile) -> RuleSet {
        let rules = values.iter().zip(1..).map(|(value, line)| RawRule {
            line,
            verdict: if line % 3 == 0 { Verdict::Allow } else { Verdict::Disallow },
            value,
        });
        RuleSet::new(rules, profile)
    }

    /// Whatever room the states have, their verdicts are those of the whole DFA.
    #[test]
    fn verdicts_of_the_whole_dfa() {
        let mut seed = 7u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        let (mut asked, mut disallowed, mut clearings, mut gave_up) = (0, 0, 0, 0);
        for round in 0..400 {
            let mut word = |bytes: &[u8], max: u32| -> Vec<u8> {
                (0..=random(max)).map(|_| bytes[random(bytes.len() as u32) as usize]).collect()
            };
            let values: Vec<Vec<u8>> =
                (0..12).map(|_| [b"/", &word(b"aaabb*/$%", 7)[..]].concat()).collect();
            let paths: Vec<Vec<u8>> =
                (0..60).map(|_| [b"/", &word(b"aaaabbbb//%$\xE9#", 16)[..]].concat()).collect();
            let profile = Profile::NAMED[round % 4].1;
            let rules = rule_set(&values, &profile);
            let encoding = Encoding::of_target(&profile);
            let whole = Compiler::default().compile(&rules, encoding, &Limits::NONE).unwrap();
            let source = Source::new(&rules, encoding).unwrap();
            for limit_bytes in [LIMIT_BYTES, 2_000, 500, 1] {
                let new = || States { limit_bytes, ..States::new() };
                let mut states = new();
                for path in &paths {
                    let target = Target::of_path(path, encoding).unwrap();
                    let verdict = states.verdict(&source, &target).unwrap_or_else(|GaveUp| {
                        assert!(limit_bytes < LIMIT_BYTES);
                        gave_up += 1;
                        states = States { clearings: 0, ..new() };
                        whole.table().verdict(target.unended())
                    });
                    assert_eq!(
                        verdict,
                        whole.table().verdict(target.unended()),
                        "{}",
                        path.escape_ascii()
                    );
                    asked += 1;
                    disallowed += usize::from(verdict == Verdict::Disallow);
                }
                clearings += states.clearings;
            }
        }
        assert!(asked == 96_000 && (30_000..70_000).contains(&disallowed), "{asked} {disallowed}");
        assert!(clearings > 500 && gave_up > 500, "{clearings} {gave_up}");
    }

    /// States that a target after another has no use for end in giving up, within the limit.
    #[test]
    fn hostile_rules() {
        let values: Vec<Vec<u8>> = (b'a'..b'o')
            .map(|o| format!("/*{0}x*{1}y", o as char, o.to_ascii_uppercase() as char))
            .map(String::into_bytes)
            .collect();
        let profile = Profile::RFC9309;
        let source = Source::new(&rule_set(&values, &profile), Encoding::of_target(&profile));
        let source = source.unwrap();
        let mut states = States { limit_bytes: 64 << 10, ..States::new() };
        let mut seed = 1u32;
        let gave_up = (0..20_000).any(|_| {
            let path: Vec<u8> = (0..200)
                .map(|at| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if at == 0 { b'/' } else { b"abcdefghijklmnxxxxx"[(seed >> 16) as usize % 19] }
                })
                .collect();
            let target = Target::of_path(&path, source.encoding).unwrap();
            let verdict = states.verdict(&source, &target);
            assert!(states.memory_usage() < 256 << 10, "{}", states.memory_usage());
            verdict.is_err()
        });
        assert!(gave_up, "{} clearings", states.clearings);
    }
}
