//! From a DFA to a table.

use std::ops::Range;

use crate::automaton::determinise::{Dfa, StateId, final_verdict};
use crate::automaton::limits::LimitHit;
use crate::automaton::lookahead::Work;
use crate::automaton::table::Automaton;
use crate::automaton::table::format::{
    AT_END_DISALLOW, BRANCH, Entry, FILTER_LEN, LITERAL, NARROW_LIMIT, NO_PEEK, OTHERWISE_SHIFT,
    OTHERWISE_TARGET, PADDING, RawTable, THEN_NEXT, THEN_SHIFT, THEN_TARGET, WAIT, entries_len,
    header_len,
};
use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

/// The most bytes of a literal, and the most transitions of a record: their number is a byte.
const MAX_COUNT: usize = u8::MAX as usize;

/// A record that has no place yet.
#[derive(Clone, Debug)]
enum Item {
    Literal {
        /// A range of [`Layout::literals`], not longer than [`MAX_COUNT`].
        bytes: Range<usize>,
        at_end: Verdict,
        otherwise: Goal,
        then: Goal,
    },
    Branch {
        state: StateId,
    },
    Wait {
        state: StateId,
    },
}

/// Where a record leads, as long as records have no places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    State(StateId),
    NextItem,
}

impl Goal {
    fn verdict(self) -> Option<Verdict> {
        match self {
            Goal::State(id) => final_verdict(id),
            Goal::NextItem => None,
        }
    }
}

/// Lays DFAs out as tables. Its scratch space is kept for the next one.
#[derive(Debug, Default)]
pub(in crate::automaton) struct Layout {
    items: Vec<Item>,
    literals: Vec<u8>,
    /// By state: its item, or `u32::MAX`.
    item_of: Vec<u32>,
    /// By state: how many transitions lead to it, counted up to two.
    incoming: Vec<u8>,
    to_place: Vec<StateId>,
    /// By item.
    places: Vec<u32>,
    entries: Vec<Entry>,
    /// The table without its entries, before it is copied into an allocation of its size.
    bytes: Vec<u8>,
}

impl Layout {
    /// The compact form of a DFA.
    ///
    /// # Errors
    /// Returns [`LimitHit::TableBytes`] if the table is longer than the limit, or if a state has
    /// 256 transitions, which no record can hold. No robots.txt needs so many, since patterns
    /// hold no line ends; the rules of a damaged pack may.
    pub(in crate::automaton) fn build(
        &mut self,
        dfa: &Dfa,
        encoding: Encoding,
        limit_bytes: usize,
    ) -> Result<Automaton, LimitHit> {
        if !self.place_items(dfa, encoding) {
            return Err(LimitHit::TableBytes(limit_bytes));
        }
        let narrow = self.measure(dfa, 2);
        let (width, records_end) =
            if narrow < NARROW_LIMIT { (2, narrow) } else { (4, self.measure(dfa, 4)) };
        let limit = limit_bytes.min(u32::MAX as usize);
        if records_end + PADDING > limit {
            return Err(LimitHit::TableBytes(limit_bytes));
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        bytes.extend([byte(width), 0]);
        for field in [self.target(Goal::State(dfa.start)), 0] {
            bytes.extend_from_slice(&field.to_le_bytes()[..width]);
        }
        bytes.reserve(records_end + PADDING);
        match width {
            2 => self.write_items::<2>(dfa, &mut bytes),
            _ => self.write_items::<4>(dfa, &mut bytes),
        }
        bytes.resize(records_end + PADDING, 0);
        let mut work = Work::of(RawTable::new(&bytes, encoding));
        for (item, place) in self.items.iter().zip(&self.places) {
            if matches!(item, Item::Wait { .. }) {
                let filter = RawTable::new(&bytes, encoding).filter(*place, &mut work);
                bytes[*place as usize + 2..][..FILTER_LEN].copy_from_slice(&filter);
            }
        }
        let missed = RawTable::new(&bytes, encoding).entries(&mut self.entries, &mut work);
        bytes[1] = byte(self.entries.len());
        bytes[2 + width..][..width].copy_from_slice(&missed.to_le_bytes()[..width]);
        self.bytes = bytes;
        let (header, records) = self.bytes.split_at(header_len(width));
        let len = self.bytes.len() + entries_len(width, self.entries.len());
        if len > limit {
            return Err(LimitHit::TableBytes(limit_bytes));
        }
        let mut bytes = Vec::with_capacity(len);
        bytes.extend_from_slice(header);
        bytes.extend(self.entries.iter().flat_map(|entry| entry.prefix));
        bytes.extend(self.entries.iter().map(|entry| entry.skip));
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.target.to_le_bytes()[..width]);
        }
        bytes.extend_from_slice(records);
        let automaton = Automaton { bytes: bytes.into(), encoding };
        debug_assert_eq!(automaton.table().validate(), Ok(()));
        Ok(automaton)
    }

    /// Decides the order of the records, and which states become one literal. Returns `false`
    /// if a state has more transitions than a record can hold.
    fn place_items(&mut self, dfa: &Dfa, encoding: Encoding) -> bool {
        self.items.clear();
        self.literals.clear();
        let states = dfa.len() + 2;
        self.item_of.clear();
        self.item_of.resize(states, u32::MAX);
        self.incoming.clear();
        self.incoming.resize(states, 0);
        let mut fits = true;
        for id in dfa.ids() {
            let state = dfa.state(id);
            let transitions = dfa.transitions(state);
            fits &= transitions.len() <= MAX_COUNT;
            let targets = transitions.iter().map(|(_, target)| *target);
            for target in targets.chain([state.otherwise]) {
                let incoming = &mut self.incoming[target as usize];
                *incoming = (*incoming + 1).min(2);
            }
        }
        self.to_place.clear();
        self.to_place.push(dfa.start);
        while let Some(id) = self.to_place.pop() {
            if final_verdict(id).is_none() && self.item_of[id as usize] == u32::MAX {
                self.place(dfa, id, encoding);
            }
        }
        fits
    }

    /// Places a state, and after it all that can follow without a target.
    fn place(&mut self, dfa: &Dfa, mut id: StateId, encoding: Encoding) {
        loop {
            self.item_of[id as usize] =
                u32::try_from(self.items.len()).expect("some for each state and 255 bytes");
            let state = *dfa.state(id);
            if state.otherwise == id {
                self.items.push(Item::Wait { state: id });
                return self.place_targets_later(dfa, id);
            }
            if final_verdict(state.otherwise).is_none() {
                self.to_place.push(state.otherwise);
            }
            if !is_link(dfa, id, encoding) {
                self.items.push(Item::Branch { state: id });
                return self.place_targets_later(dfa, id);
            }
            // Joins states as long as the only transition leads to a state that differs in
            // nothing else and that nothing else leads to.
            let from = self.literals.len();
            let then = loop {
                let link = dfa.state(id);
                let (byte, target) = dfa.transitions(link)[0];
                match dfa.literal(link) {
                    [] => self.literals.push(byte),
                    literal => self.literals.extend_from_slice(literal),
                }
                if final_verdict(target).is_some() || self.incoming[target as usize] > 1 {
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
            let last = if placed { Goal::State(then) } else { Goal::NextItem };
            let to = self.literals.len();
            for at in (from..to).step_by(MAX_COUNT) {
                self.items.push(Item::Literal {
                    bytes: at..to.min(at + MAX_COUNT),
                    at_end: state.at_end,
                    otherwise: Goal::State(state.otherwise),
                    then: if at + MAX_COUNT < to { Goal::NextItem } else { last },
                });
            }
            if placed {
                return;
            }
            id = then;
        }
    }

    fn place_targets_later(&mut self, dfa: &Dfa, id: StateId) {
        let transitions = dfa.transitions(dfa.state(id)).iter().rev();
        self.to_place.extend(transitions.map(|(_, target)| *target));
    }

    /// Computes the places of all items, and returns where the last one ends.
    fn measure(&mut self, dfa: &Dfa, width: usize) -> usize {
        self.places.clear();
        let mut place = header_len(width);
        for item in &self.items {
            // Those beyond 4 GiB are never written: the table is over the limit then.
            self.places.push(u32::try_from(place).unwrap_or(u32::MAX));
            place += match item {
                Item::Literal { bytes, otherwise, then, .. } => {
                    let otherwise = if otherwise.verdict().is_none() { width } else { 0 };
                    let has_target = *then != Goal::NextItem && then.verdict().is_none();
                    2 + otherwise + if has_target { width } else { 0 } + bytes.len()
                }
                Item::Branch { state } => {
                    let state = dfa.state(*state);
                    let has_target = final_verdict(state.otherwise).is_none();
                    let n = dfa.transitions(state).len();
                    2 + if has_target { width } else { 0 } + n * (2 + width)
                }
                Item::Wait { state } => {
                    2 + FILTER_LEN + dfa.transitions(dfa.state(*state)).len() * (2 + width)
                }
            };
        }
        place
    }

    fn target(&self, goal: Goal) -> u32 {
        match goal {
            Goal::State(id) if final_verdict(id).is_some() => id,
            Goal::State(id) => self.places[self.item_of[id as usize] as usize],
            Goal::NextItem => unreachable!("the next item is reached without a target"),
        }
    }

    fn write_items<const WIDTH: usize>(&self, dfa: &Dfa, to: &mut Vec<u8>) {
        for (item, place) in self.items.iter().zip(&self.places) {
            debug_assert_eq!(to.len(), *place as usize);
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
                    (Goal::NextItem, _) => THEN_NEXT,
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
                to.push(byte(bytes.len()));
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
                to.push(byte(dfa.transitions(state).len()));
                self.write_transitions(dfa.transitions(state), otherwise, put, to);
                if bits == OTHERWISE_TARGET {
                    put(to, otherwise);
                }
            }
            Item::Wait { state } => {
                let itself = Goal::State(*state);
                let state = dfa.state(*state);
                let transitions = dfa.transitions(state);
                to.push(WAIT | end_bit(state.at_end));
                to.push(byte(transitions.len()));
                // The filter can be computed when all records are written.
                to.resize(to.len() + FILTER_LEN, 0);
                self.write_transitions(transitions, itself, put, to);
            }
        }
    }

    fn write_transitions(
        &self,
        transitions: &[(u8, StateId)],
        otherwise: Goal,
        put: impl Fn(&mut Vec<u8>, Goal),
        to: &mut Vec<u8>,
    ) {
        to.extend(transitions.iter().map(|(byte, _)| *byte));
        to.extend(transitions.iter().map(|(_, target)| self.peek(*target, otherwise)));
        for (_, target) in transitions {
            put(to, Goal::State(*target));
        }
    }

    /// The peek of a transition to a state, out of a record with this `otherwise`.
    fn peek(&self, target: StateId, from_otherwise: Goal) -> u8 {
        if final_verdict(target).is_some() {
            return NO_PEEK;
        }
        match &self.items[self.item_of[target as usize] as usize] {
            Item::Literal { bytes, otherwise, .. } if *otherwise == from_otherwise => {
                self.literals[bytes.start]
            }
            _ => NO_PEEK,
        }
    }
}

/// A number that has one byte in the table.
///
/// # Panics
/// Panics if it does not fit: [`Layout::place_items`] refuses states that have more transitions,
/// and cuts literals.
fn byte(number: usize) -> u8 {
    u8::try_from(number).expect("at most MAX_COUNT")
}

/// Whether a state can be part of a literal: it has one transition, and not on a special byte.
fn is_link(dfa: &Dfa, id: StateId, encoding: Encoding) -> bool {
    let state = dfa.state(id);
    state.otherwise != id
        && match (dfa.literal(state), dfa.transitions(state)) {
            ([], [(byte, _)]) => !encoding.is_special(*byte),
            ([], _) => false,
            (_, _) => true,
        }
}
