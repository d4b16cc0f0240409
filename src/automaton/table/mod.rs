//! The compact, position-independent form of a DFA, and its invariants.
//!
//! # Layout
//!
//! One run of bytes: a header, the records, the entries, zeros as padding. A *target* is a
//! little-endian number of `W` bytes: 0 is "finally allow", 1 "finally disallow", anything
//! else the offset of a record.
//!
//! ```text
//! header    W (2 while the records end below 64 KiB, else 4), number of entries n,
//!           start: W, missed: W, offset of the entries: W
//! records
//! entries   4 n bytes of prefixes, n skips, n targets
//! padding   32 zeros
//! ```
//!
//! The first byte of a record says what it is:
//!
//! ```text
//! bits 0-1  kind       0 literal, 1 branch, 2 wait
//! bit  2    at end     the verdict if the target ends in this record: 0 allow, 1 disallow
//! bits 3-4  otherwise  0 finally allow, 1 finally disallow, 2 the target in the record
//! bits 5-6  then       (literal) 0 the record behind, 1 finally allow, 2 finally disallow,
//!                      3 the target in the record
//!
//! literal   head, len, len bytes that must all come, [then: W], [otherwise: W]
//! branch    head, n, n bytes, n peeks, n targets, [otherwise: W]
//! wait      head, n, a filter of 96 bytes, n bytes, n peeks, n targets
//! ```
//!
//! A *literal* compares its bytes at once; a *branch* looks for one byte among its `n`;
//! where they do not find what they look for they go to `otherwise` and leave the byte
//! there to be read again. A *wait* is a state behind a star: it passes over all bytes
//! but its own.
//!
//! # Looking ahead
//!
//! Most bytes that look like the beginning of something are not. Three things tell so
//! without visiting the records in which that would show ([`lookahead`] computes them):
//!
//! Each exit of a branch or wait has a *peek*: where it leads to a literal, and failing
//! there would lead to where failing here does, that is the literal's first byte. If another
//! one comes next, the literal need not be visited. Elsewhere it is `#`, which no literal has.
//!
//! The *filter* of a wait says which three bytes in a row it has to look at: for each of the
//! three a set as two tables by the low and the high four bits of a byte, in which each
//! exit has one of eight bits. Where all six agree in a bit there may be something.
//!
//! The *entries* are what the start leads to by up to four bytes at once: a *prefix* (filled
//! up with `#`), the target behind it and how many bytes to skip. Where no prefix fits, and
//! none of the four bytes is special, the verdict is that of `missed`, or the wait there
//! begins with the first of them.
//!
//! # Invariants
//!
//! [`Table::validate`] checks all of them; the walk relies on them.
//!
//! 1. Records follow one another without a gap from the header to the entries; entries and
//!    padding fill the rest.
//! 2. Every target is 0, 1 or the offset where a record begins; so is the start.
//! 3. The `otherwise` of a literal or branch is final or a wait; a wait has none. So a
//!    byte is read by at most two records, and the walk ends.
//! 4. A literal has at least one byte. A literal whose `then` is the record behind has one
//!    behind it.
//! 5. The bytes of a branch or a wait ascend.
//! 6. No literal has a *special* byte, one that ends a target or that normalising may change
//!    (the `%` of an escape stands in branches), so comparing bytes as given is safe.
//! 7. A peek that is not `#` is the first byte of the literal to which its exit leads, and
//!    that literal's `otherwise` is the branch's own, or the wait itself.
//! 8. Filters, entries and `missed` are what [`lookahead`] computes from the records.
//!
//! [`lookahead`]: super::lookahead

use std::fmt;
use std::ops::Range;

use crate::automaton::determinise::{Dfa, FINAL_DISALLOW, StateId, final_verdict};
use crate::automaton::limits::LimitHit;
use crate::automaton::lookahead::{Entry, FILTER_LEN, PREFIX_LEN};
use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

pub(super) const LITERAL: u8 = 0;
pub(super) const BRANCH: u8 = 1;
pub(super) const WAIT: u8 = 2;
const KIND: u8 = 3;
const AT_END_DISALLOW: u8 = 1 << 2;
const OTHERWISE_SHIFT: u8 = 3;
const THEN_SHIFT: u8 = 5;
/// `otherwise`: the target stands in the record.
pub(super) const OTHERWISE_TARGET: u8 = 2;
/// `then`: the record behind.
pub(super) const THEN_BEHIND: u8 = 0;
/// `then`: the target stands in the record.
pub(super) const THEN_TARGET: u8 = 3;

/// Bytes of the header, where the first record begins.
pub(super) const fn header_len(width: usize) -> usize {
    2 + 3 * width
}

/// Bytes behind the entries, so that vectors may be loaded from anywhere in the table.
pub(super) const PADDING: usize = 32;
/// The peek of an exit where there is nothing to see.
pub(super) const NO_PEEK: u8 = b'#';
/// Tables whose records end before have targets of two bytes.
const NARROW_LIMIT: usize = 1 << 16;

/// A policy's DFA in its compact form.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Automaton {
    pub(super) bytes: Box<[u8]>,
    /// How targets are normalised and what ends them.
    pub(super) encoding: Encoding,
}

/// A DFA in its compact form that lies elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Table<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) encoding: Encoding,
}

/// The first byte of a record.
#[derive(Clone, Copy)]
pub(super) struct Head(pub(super) u8);

impl Head {
    #[inline(always)]
    pub(super) fn kind(self) -> u8 {
        self.0 & KIND
    }

    #[inline(always)]
    pub(super) fn at_end(self) -> Verdict {
        if self.0 & AT_END_DISALLOW == 0 { Verdict::Allow } else { Verdict::Disallow }
    }

    #[inline(always)]
    pub(super) fn otherwise(self) -> u8 {
        self.0 >> OTHERWISE_SHIFT & 3
    }

    #[inline(always)]
    pub(super) fn then(self) -> u8 {
        self.0 >> THEN_SHIFT & 3
    }

    /// The bytes of a literal's target `then`.
    #[inline(always)]
    pub(super) fn then_len(self, width: usize) -> usize {
        if self.then() == THEN_TARGET { width } else { 0 }
    }

    /// The bytes of the targets that stand behind a literal's own.
    #[inline(always)]
    pub(super) fn targets_len(self, width: usize) -> usize {
        let otherwise = if self.otherwise() == OTHERWISE_TARGET { width } else { 0 };
        self.then_len(width) + otherwise
    }
}

/// A record before it has an offset.
#[derive(Clone, Debug)]
enum Item {
    Literal { bytes: Range<usize>, at_end: Verdict, otherwise: Goal, then: Goal },
    Branch { state: StateId },
    Wait { state: StateId },
}

/// Where a record leads before it has an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    State(StateId),
    /// The item behind.
    Behind,
}

impl Goal {
    fn verdict(self) -> Option<Verdict> {
        match self {
            Goal::State(id) => final_verdict(id),
            Goal::Behind => None,
        }
    }
}

/// Lays a DFA out; its scratch space is kept for the next one.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    items: Vec<Item>,
    literals: Vec<u8>,
    /// By state: its item, or `u32::MAX`.
    item_of: Vec<u32>,
    /// By state: how many ways lead to it, two at most.
    ways: Vec<u8>,
    to_place: Vec<StateId>,
    offsets: Vec<u32>,
    entries: Vec<Entry>,
    /// The table, before it is copied to where it stays.
    bytes: Vec<u8>,
}

impl Layout {
    /// The compact form of a DFA.
    ///
    /// # Errors
    /// The limit of bytes, where the table is longer.
    pub(crate) fn build(
        &mut self,
        dfa: &Dfa,
        encoding: Encoding,
        limit_bytes: usize,
    ) -> Result<Automaton, LimitHit> {
        self.place_items(dfa, encoding);
        let narrow = self.measure(dfa, 2);
        let (width, records_end) =
            if narrow < NARROW_LIMIT { (2, narrow) } else { (4, self.measure(dfa, 4)) };
        let limit = limit_bytes.min(u32::MAX as usize);
        if records_end + PADDING > limit {
            return Err(LimitHit::TableBytes(limit_bytes));
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        bytes.extend([width as u8, 0]);
        for field in [self.target(Goal::State(dfa.start)), 0, records_end as u32] {
            bytes.extend_from_slice(&field.to_le_bytes()[..width]);
        }
        bytes.reserve(records_end + PADDING);
        match width {
            2 => self.write_items::<2>(dfa, &mut bytes),
            _ => self.write_items::<4>(dfa, &mut bytes),
        }
        for (item, offset) in self.items.iter().zip(&self.offsets) {
            if matches!(item, Item::Wait { .. }) {
                let filter = Table { bytes: &bytes, encoding }.filter(*offset);
                bytes[*offset as usize + 2..][..FILTER_LEN].copy_from_slice(&filter);
            }
        }
        let missed = Table { bytes: &bytes, encoding }.entries(&mut self.entries);
        bytes[1] = self.entries.len() as u8;
        bytes[2 + width..][..width].copy_from_slice(&missed.to_le_bytes()[..width]);
        bytes.extend(self.entries.iter().flat_map(|entry| entry.prefix));
        bytes.extend(self.entries.iter().map(|entry| entry.skip));
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.target.to_le_bytes()[..width]);
        }
        bytes.resize(bytes.len() + PADDING, 0);
        self.bytes = bytes;
        if self.bytes.len() > limit {
            return Err(LimitHit::TableBytes(limit_bytes));
        }
        let automaton = Automaton { bytes: self.bytes[..].into(), encoding };
        debug_assert_eq!(automaton.table().validate(), Ok(()));
        Ok(automaton)
    }

    /// Decides the order of the records and joins what can be one literal.
    fn place_items(&mut self, dfa: &Dfa, encoding: Encoding) {
        self.items.clear();
        self.literals.clear();
        let states = dfa.len() + 2;
        self.item_of.clear();
        self.item_of.resize(states, u32::MAX);
        self.ways.clear();
        self.ways.resize(states, 0);
        for id in dfa.ids() {
            let state = dfa.state(id);
            let targets = dfa.exits(state).iter().map(|(_, target)| *target);
            for target in targets.chain([state.otherwise]) {
                let ways = &mut self.ways[target as usize];
                *ways = (*ways + 1).min(2);
            }
        }
        self.to_place.clear();
        self.to_place.push(dfa.start);
        while let Some(id) = self.to_place.pop() {
            if final_verdict(id).is_none() && self.item_of[id as usize] == u32::MAX {
                self.place(dfa, id, encoding);
            }
        }
    }

    /// Places a state and all that can stand directly behind it.
    fn place(&mut self, dfa: &Dfa, mut id: StateId, encoding: Encoding) {
        loop {
            self.item_of[id as usize] = self.items.len() as u32;
            let state = *dfa.state(id);
            if state.otherwise == id {
                self.items.push(Item::Wait { state: id });
                return self.place_later(dfa, id);
            }
            if final_verdict(state.otherwise).is_none() {
                self.to_place.push(state.otherwise);
            }
            if !is_link(dfa, id, encoding) {
                self.items.push(Item::Branch { state: id });
                return self.place_later(dfa, id);
            }
            // As long as one way goes on to a state that differs in nothing else and that
            // no other way leads to.
            let from = self.literals.len();
            let then = loop {
                let link = dfa.state(id);
                let (byte, target) = dfa.exits(link)[0];
                match dfa.literal(link) {
                    [] => self.literals.push(byte),
                    literal => self.literals.extend_from_slice(literal),
                }
                if final_verdict(target).is_some() || self.ways[target as usize] > 1 {
                    break target;
                }
                let next = dfa.state(target);
                let same = next.otherwise == state.otherwise && next.at_end == state.at_end;
                if !same || !is_link(dfa, target, encoding) {
                    break target;
                }
                id = target;
            };
            let placed = final_verdict(then).is_some() || self.item_of[then as usize] != u32::MAX;
            let last = if placed { Goal::State(then) } else { Goal::Behind };
            let to = self.literals.len();
            for at in (from..to).step_by(255) {
                self.items.push(Item::Literal {
                    bytes: at..to.min(at + 255),
                    at_end: state.at_end,
                    otherwise: Goal::State(state.otherwise),
                    then: if at + 255 < to { Goal::Behind } else { last },
                });
            }
            if placed {
                return;
            }
            id = then;
        }
    }

    fn place_later(&mut self, dfa: &Dfa, id: StateId) {
        let exits = dfa.exits(dfa.state(id)).iter().rev();
        self.to_place.extend(exits.map(|(_, target)| *target));
    }

    /// Computes the offsets of all items and where the last one ends.
    fn measure(&mut self, dfa: &Dfa, width: usize) -> usize {
        self.offsets.clear();
        let mut offset = header_len(width);
        for item in &self.items {
            self.offsets.push(offset.min(u32::MAX as usize) as u32);
            offset += match item {
                Item::Literal { bytes, otherwise, then, .. } => {
                    let otherwise = if otherwise.verdict().is_none() { width } else { 0 };
                    let in_record = *then != Goal::Behind && then.verdict().is_none();
                    2 + otherwise + if in_record { width } else { 0 } + bytes.len()
                }
                Item::Branch { state } => {
                    let state = dfa.state(*state);
                    let in_record = final_verdict(state.otherwise).is_none();
                    let n = dfa.exits(state).len();
                    2 + if in_record { width } else { 0 } + n * (2 + width)
                }
                Item::Wait { state } => {
                    2 + FILTER_LEN + dfa.exits(dfa.state(*state)).len() * (2 + width)
                }
            };
        }
        offset
    }

    fn target(&self, goal: Goal) -> u32 {
        match goal {
            Goal::State(id) if final_verdict(id).is_some() => id,
            Goal::State(id) => self.offsets[self.item_of[id as usize] as usize],
            Goal::Behind => unreachable!("what stands behind has no target"),
        }
    }

    fn write_items<const WIDTH: usize>(&self, dfa: &Dfa, to: &mut Vec<u8>) {
        for (item, offset) in self.items.iter().zip(&self.offsets) {
            debug_assert_eq!(to.len(), *offset as usize);
            self.write::<WIDTH>(dfa, item, to);
        }
    }

    fn write<const WIDTH: usize>(&self, dfa: &Dfa, item: &Item, to: &mut Vec<u8>) {
        let put = |to: &mut Vec<u8>, goal: Goal| {
            let bytes = self.target(goal).to_le_bytes();
            to.extend_from_slice(bytes.first_chunk::<WIDTH>().expect("two bytes or four"));
        };
        let end_bit = |at_end| if at_end == Verdict::Disallow { AT_END_DISALLOW } else { 0 };
        let otherwise_bits = |goal: Goal| match goal.verdict() {
            Some(verdict) => u8::from(verdict == Verdict::Disallow),
            None => OTHERWISE_TARGET,
        };
        match item {
            Item::Literal { bytes, at_end, otherwise, then } => {
                let then_bits = match (then, then.verdict()) {
                    (Goal::Behind, _) => THEN_BEHIND,
                    (_, Some(verdict)) => 1 + u8::from(verdict == Verdict::Disallow),
                    (_, None) => THEN_TARGET,
                };
                let otherwise_bits = otherwise_bits(*otherwise);
                to.push(
                    LITERAL
                        | end_bit(*at_end)
                        | otherwise_bits << OTHERWISE_SHIFT
                        | then_bits << THEN_SHIFT,
                );
                to.push(bytes.len() as u8);
                to.extend_from_slice(&self.literals[bytes.clone()]);
                if then_bits == THEN_TARGET {
                    put(to, *then);
                }
                if otherwise_bits == OTHERWISE_TARGET {
                    put(to, *otherwise);
                }
            }
            Item::Branch { state } => {
                let state = dfa.state(*state);
                let otherwise = Goal::State(state.otherwise);
                let bits = otherwise_bits(otherwise);
                to.push(BRANCH | end_bit(state.at_end) | bits << OTHERWISE_SHIFT);
                to.push(dfa.exits(state).len() as u8);
                self.write_exits(dfa.exits(state), otherwise, put, to);
                if bits == OTHERWISE_TARGET {
                    put(to, otherwise);
                }
            }
            Item::Wait { state } => {
                let itself = Goal::State(*state);
                let state = dfa.state(*state);
                let exits = dfa.exits(state);
                to.push(WAIT | end_bit(state.at_end));
                to.push(exits.len() as u8);
                // Computed when all records stand.
                to.resize(to.len() + FILTER_LEN, 0);
                self.write_exits(exits, itself, put, to);
            }
        }
    }

    fn write_exits(
        &self,
        exits: &[(u8, StateId)],
        failing: Goal,
        put: impl Fn(&mut Vec<u8>, Goal),
        to: &mut Vec<u8>,
    ) {
        to.extend(exits.iter().map(|(byte, _)| *byte));
        to.extend(exits.iter().map(|(_, target)| self.peek(*target, failing)));
        for (_, target) in exits {
            put(to, Goal::State(*target));
        }
    }
}

impl Layout {
    /// The peek of an exit to a state from where failing leads to `failing`.
    fn peek(&self, target: StateId, failing: Goal) -> u8 {
        if final_verdict(target).is_some() {
            return NO_PEEK;
        }
        match &self.items[self.item_of[target as usize] as usize] {
            Item::Literal { bytes, otherwise, .. } if *otherwise == failing => {
                self.literals[bytes.start]
            }
            _ => NO_PEEK,
        }
    }
}

/// Whether a state compares bytes and can be part of a literal.
fn is_link(dfa: &Dfa, id: StateId, encoding: Encoding) -> bool {
    let state = dfa.state(id);
    state.otherwise != id
        && match (dfa.literal(state), dfa.exits(state)) {
            ([], [(byte, _)]) => !encoding.is_special(*byte),
            ([], _) => false,
            (_, _) => true,
        }
}

/// The error for an automaton that breaks one of its invariants: an offset in its table,
/// and what is wrong there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidAutomaton {
    offset: usize,
    what: &'static str,
}

impl fmt::Display for InvalidAutomaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid automaton: at offset {}: {}", self.offset, self.what)
    }
}

impl std::error::Error for InvalidAutomaton {}

impl fmt::Debug for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Automaton").field("len", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// A record, taken apart.
pub(super) struct Record<'t> {
    pub(super) head: Head,
    /// A literal's bytes, or the bytes of the exits.
    pub(super) bytes: &'t [u8],
    /// One for each exit; empty for a literal.
    pub(super) peeks: &'t [u8],
    pub(super) targets: Vec<u32>,
    pub(super) otherwise: Option<u32>,
    /// Of a literal; `None`: the record behind.
    pub(super) then: Option<u32>,
    pub(super) filter: Option<&'t [u8]>,
    pub(super) len: usize,
}

impl Automaton {
    #[inline(always)]
    pub(crate) fn table(&self) -> Table<'_> {
        Table { bytes: &self.bytes, encoding: self.encoding }
    }

    #[cfg(any(feature = "pack", feature = "rayon"))]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The occupied bytes, without `self`.
    pub(crate) fn memory_usage(&self) -> usize {
        self.bytes.len()
    }
}

impl<'t> Table<'t> {
    /// A table that was written down. Nothing may be asked of it before it was found valid
    /// by [`Table::validate`].
    #[cfg(feature = "pack")]
    pub(crate) fn unchecked(bytes: &'t [u8], encoding: Encoding) -> Table<'t> {
        Table { bytes, encoding }
    }

    /// Bytes of a target.
    #[inline(always)]
    pub(super) fn width(self) -> usize {
        usize::from(self.bytes[0])
    }

    /// A field of the header.
    fn field(self, field: usize) -> u32 {
        let width = self.width();
        number(&self.bytes[2 + field * width..][..width])
    }

    pub(super) fn start(self) -> u32 {
        self.field(0)
    }

    /// Where the records end and the entries begin.
    fn records_end(self) -> usize {
        self.field(2) as usize
    }

    /// Takes the record at an offset apart: for all purposes but the walk. `None` where the
    /// table ends too soon.
    pub(super) fn record(self, offset: usize) -> Option<Record<'t>> {
        let width = self.width();
        let mut rest = self.bytes.get(..self.records_end())?.get(offset..)?;
        let before = rest.len();
        let mut take = |len: usize| {
            let (taken, left) = rest.split_at_checked(len)?;
            rest = left;
            Some(taken)
        };
        let [head, n] = *take(2)? else { return None };
        let (head, n) = (Head(head), usize::from(n));
        let mut record = Record {
            head,
            bytes: &[],
            peeks: &[],
            targets: Vec::new(),
            otherwise: None,
            then: None,
            filter: None,
            len: 0,
        };
        if head.kind() == WAIT {
            record.filter = Some(take(FILTER_LEN)?);
        }
        record.bytes = take(n)?;
        if head.kind() == LITERAL {
            record.then = match head.then() {
                THEN_BEHIND => None,
                THEN_TARGET => Some(number(take(width)?)),
                verdict => Some(u32::from(verdict - 1)),
            };
        } else {
            record.peeks = take(n)?;
            record.targets = take(n * width)?.chunks_exact(width).map(number).collect();
        }
        record.otherwise = match (head.kind(), head.otherwise()) {
            (WAIT, _) => None,
            (_, OTHERWISE_TARGET) => Some(number(take(width)?)),
            (_, verdict) => Some(u32::from(verdict)),
        };
        record.len = before - rest.len();
        Some(record)
    }

    /// The offsets of all records, if they follow one another without a gap.
    fn record_offsets(self) -> Result<Vec<usize>, InvalidAutomaton> {
        let mut offsets = Vec::new();
        let mut offset = header_len(self.width());
        while offset < self.records_end() {
            offsets.push(offset);
            let record = self.record(offset);
            offset += record.ok_or(InvalidAutomaton { offset, what: "record cut short" })?.len;
        }
        Ok(offsets)
    }

    /// Checks every invariant of the [module](self).
    pub(crate) fn validate(self) -> Result<(), InvalidAutomaton> {
        let fail = |offset, what| Err(InvalidAutomaton { offset, what });
        let [width @ (2 | 4), entry_count, ..] = *self.bytes else { return fail(0, "no table") };
        let (width, entry_count) = (usize::from(width), usize::from(entry_count));
        if self.bytes.len() < header_len(width) + PADDING {
            return fail(0, "no table");
        }
        let (body, padding) = self.bytes.split_at(self.bytes.len() - PADDING);
        if padding != [0; PADDING] {
            return fail(body.len(), "no zeros behind the records");
        }
        let records_end = self.records_end();
        if records_end < header_len(width)
            || records_end.checked_add(entry_count * (PREFIX_LEN + 1 + width)) != Some(body.len())
        {
            return fail(2 + 2 * width, "records and entries do not fill the table");
        }
        let offsets = self.record_offsets()?;
        let is_target = |target: u32| {
            target <= FINAL_DISALLOW || offsets.binary_search(&(target as usize)).is_ok()
        };
        if !is_target(self.start()) {
            return fail(2, "the start is no record");
        }
        for &offset in &offsets {
            let Some(record) = self.record(offset) else { return fail(offset, "no record") };
            match (record.head.kind(), record.then) {
                (LITERAL, _) if record.bytes.is_empty() => return fail(offset, "empty literal"),
                (LITERAL, _) if record.bytes.iter().any(|o| self.encoding.is_special(*o)) => {
                    return fail(offset, "literal with a special byte");
                }
                (LITERAL, None) if offsets.last() == Some(&offset) => {
                    return fail(offset, "nothing behind a literal");
                }
                (LITERAL, Some(then)) if !is_target(then) => {
                    return fail(offset, "a literal leads to no record");
                }
                (LITERAL, _) => {}
                (BRANCH | WAIT, _) => {
                    if !record.bytes.is_sorted_by(|a, b| a < b) {
                        return fail(offset, "bytes do not ascend");
                    }
                    if !record.targets.iter().all(|target| is_target(*target)) {
                        return fail(offset, "an exit leads to no record");
                    }
                    let failing = record.otherwise.unwrap_or(offset as u32);
                    for (peek, target) in record.peeks.iter().zip(&record.targets) {
                        let behind = self.record(*target as usize).filter(|_| *target > 1);
                        let sees = |literal: &Record<'_>| {
                            literal.head.kind() == LITERAL
                                && literal.bytes.first() == Some(peek)
                                && literal.otherwise == Some(failing)
                        };
                        if *peek != NO_PEEK && !behind.as_ref().is_some_and(sees) {
                            return fail(offset, "a peek that sees something else");
                        }
                    }
                }
                _ => return fail(offset, "unknown kind of record"),
            }
            if let Some(otherwise) = record.otherwise {
                let waits = |at: usize| Head(self.bytes[at]).kind() == WAIT;
                if !is_target(otherwise) || otherwise > 1 && !waits(otherwise as usize) {
                    return fail(offset, "otherwise is neither final nor a wait");
                }
            }
        }
        // All records are sound: only now can be computed what they must lead to.
        for &offset in &offsets {
            let filter = self.record(offset).and_then(|record| record.filter);
            if filter.is_some_and(|filter| filter != self.filter(offset as u32)) {
                return fail(offset, "the filter of a wait is not that of its records");
            }
        }
        let mut entries = Vec::new();
        if self.field(1) != self.entries(&mut entries) {
            return fail(2 + width, "missed is not where the start fails");
        }
        let prefixes = entries.iter().flat_map(|entry| entry.prefix);
        let skips = entries.iter().map(|entry| entry.skip);
        let targets = entries.iter().flat_map(|e| e.target.to_le_bytes().into_iter().take(width));
        if !prefixes.chain(skips).chain(targets).eq(body[records_end..].iter().copied()) {
            return fail(records_end, "the entries are not those of the records");
        }
        Ok(())
    }
}

/// A little-endian number.
pub(super) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number: u32, byte| number << 8 | u32::from(*byte))
}
