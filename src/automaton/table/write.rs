//! From a DFA to a table.

use std::ops::Range;

use crate::automaton::determinise::{Dfa, FINAL_ALLOW, StateId, final_verdict};
use crate::automaton::limits::LimitHit;
use crate::automaton::lookahead::Work;
use crate::automaton::table::format::{
    AT_END_DISALLOW, BRANCH, Entry, FilterForm, LITERAL, NARROW_LIMIT, NO_PEEK, OTHERWISE_MISSED,
    OTHERWISE_SHIFT, OTHERWISE_TARGET, PADDING, RawTable, THEN_NEXT, THEN_SHIFT, THEN_TARGET, WAIT,
    entries_len, header_len,
};
use crate::automaton::table::view::Automaton;
use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

/// A tail of a literal that others share is copied if it has so few bytes: it would take as many
/// to lead there, and a walk would visit one record more.
const COPIED_BYTES: usize = 6;

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

impl Default for Goal {
    fn default() -> Goal {
        Goal::State(FINAL_ALLOW)
    }
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
    /// Where the start fails to.
    missed: Goal,
    /// By item.
    places: Vec<u32>,
    entries: Vec<Entry>,
    /// The table without its entries.
    bytes: Vec<u8>,
    /// The table, before it is copied into an allocation of its size.
    whole: Vec<u8>,
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
        for field in [self.target(Goal::State(dfa.start)), self.target(self.missed)] {
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
                let table = RawTable::new(&bytes, encoding);
                let filter = table.filter(*place, &mut work);
                let len = FilterForm::of(table.count(*place)).len();
                bytes[*place as usize + 2..][..len].copy_from_slice(&filter[..len]);
            }
        }
        RawTable::new(&bytes, encoding).entries(&mut self.entries, &mut work);
        bytes[1] = byte(self.entries.len());
        self.bytes = bytes;
        let (header, records) = self.bytes.split_at(header_len(width));
        let len = self.bytes.len() + entries_len(width, self.entries.len());
        if len > limit {
            return Err(LimitHit::TableBytes(limit_bytes));
        }
        self.whole.clear();
        self.whole.reserve(len);
        self.whole.extend_from_slice(header);
        self.whole.extend(self.entries.iter().flat_map(|entry| entry.prefix));
        self.whole.extend(self.entries.iter().map(|entry| entry.skip));
        for entry in &self.entries {
            self.whole.extend_from_slice(&entry.target.to_le_bytes()[..width]);
        }
        self.whole.extend_from_slice(records);
        let automaton = Automaton::of_layout(&self.whole, encoding);
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
        self.missed = Goal::State(match final_verdict(dfa.start) {
            Some(_) => dfa.start,
            None => dfa.state(dfa.start).otherwise,
        });
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
            // nothing else and that nothing else leads to, or that ends soon.
            let from = self.literals.len();
            let then = loop {
                let link = dfa.state(id);
                let (byte, target) = dfa.transitions(link)[0];
                match dfa.literal(link) {
                    [] => self.literals.push(byte),
                    literal => self.literals.extend_from_slice(literal),
                }
                if final_verdict(target).is_some()
                    || self.incoming[target as usize] > 1 && !ends_soon(dfa, target, encoding)
                    || !is_continued(dfa, id, target, encoding)
                {
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
        for (index, item) in self.items.iter().enumerate() {
            // Those beyond 4 GiB are never written: the table is over the limit then.
            self.places.push(u32::try_from(place).unwrap_or(u32::MAX));
            place += match item {
                Item::Literal { bytes, otherwise, then, .. } => {
                    let otherwise = if self.has_target(*otherwise) { width } else { 0 };
                    let has_target = *then != Goal::NextItem && then.verdict().is_none();
                    2 + otherwise + if has_target { width } else { 0 } + bytes.len()
                }
                Item::Branch { state } => {
                    let state = dfa.state(*state);
                    let has_target = self.has_target(Goal::State(state.otherwise));
                    let n = dfa.transitions(state).len();
                    let untargeted = usize::from(self.next_transition(dfa, index).is_some());
                    2 + 2 * n + width * (n - untargeted + usize::from(has_target))
                }
                Item::Wait { state } => {
                    let n = dfa.transitions(dfa.state(*state)).len();
                    2 + FilterForm::of(n).len() + n * (2 + width)
                }
            };
        }
        place
    }

    /// Returns true if a record with this `otherwise` holds it as a target.
    fn has_target(&self, otherwise: Goal) -> bool {
        otherwise.verdict().is_none() && otherwise != self.missed
    }

    fn target(&self, goal: Goal) -> u32 {
        match goal {
            Goal::State(id) if final_verdict(id).is_some() => id,
            Goal::State(id) => self.places[self.item_of[id as usize] as usize],
            Goal::NextItem => unreachable!("the next item is reached without a target"),
        }
    }

    fn write_items<const WIDTH: usize>(&self, dfa: &Dfa, to: &mut Vec<u8>) {
        for (index, place) in self.places.iter().enumerate() {
            debug_assert_eq!(to.len(), *place as usize);
            self.write::<WIDTH>(dfa, index, to);
        }
    }

    /// The transition of a branch that leads to the item behind it, if one does.
    fn next_transition(&self, dfa: &Dfa, branch: usize) -> Option<usize> {
        let Item::Branch { state } = self.items[branch] else { return None };
        let next = branch as u32 + 1;
        let transitions = dfa.transitions(dfa.state(state));
        transitions.iter().position(|(_, target)| self.item_of[*target as usize] == next)
    }

    fn write<const WIDTH: usize>(&self, dfa: &Dfa, index: usize, to: &mut Vec<u8>) {
        let put = |to: &mut Vec<u8>, goal: Goal| {
            let bytes = self.target(goal).to_le_bytes();
            to.extend_from_slice(bytes.first_chunk::<WIDTH>().expect("two bytes or four"));
        };
        let end_bit = |at_end| if at_end == Verdict::Disallow { AT_END_DISALLOW } else { 0 };
        let otherwise_bits = |goal: Goal| match goal.verdict() {
            Some(verdict) => u8::from(verdict == Verdict::Disallow),
            None if goal == self.missed => OTHERWISE_MISSED,
            None => OTHERWISE_TARGET,
        };
        match &self.items[index] {
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
                let first = self.next_transition(dfa, index);
                let then_bits = if first.is_some() { THEN_NEXT } else { THEN_TARGET };
                to.push(
                    BRANCH
                        | end_bit(state.at_end)
                        | bits << OTHERWISE_SHIFT
                        | then_bits << THEN_SHIFT,
                );
                to.push(byte(dfa.transitions(state).len()));
                self.write_transitions(dfa.transitions(state), first, otherwise, put, to);
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
                to.resize(to.len() + FilterForm::of(transitions.len()).len(), 0);
                self.write_transitions(transitions, None, itself, put, to);
            }
        }
    }

    /// Writes bytes, peeks and targets. The transition `first` comes first, without a target.
    fn write_transitions(
        &self,
        transitions: &[(u8, StateId)],
        first: Option<usize>,
        otherwise: Goal,
        put: impl Fn(&mut Vec<u8>, Goal),
        to: &mut Vec<u8>,
    ) {
        let (before, first, after) = match first {
            Some(first) => {
                (&transitions[..first], &transitions[first..=first], &transitions[first + 1..])
            }
            None => (transitions, &[][..], &[][..]),
        };
        let targeted = || before.iter().chain(after);
        let ordered = || first.iter().chain(targeted());
        to.extend(ordered().map(|(byte, _)| *byte));
        to.extend(ordered().map(|(_, target)| self.peek(*target, otherwise)));
        for (_, target) in targeted() {
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

/// Returns true if a state can be part of a literal: it has one transition, and not on a special byte.
fn is_link(dfa: &Dfa, id: StateId, encoding: Encoding) -> bool {
    let state = dfa.state(id);
    state.otherwise != id
        && match (dfa.literal(state), dfa.transitions(state)) {
            ([], [(byte, _)]) => !encoding.is_special(*byte),
            ([], _) => false,
            (_, _) => true,
        }
}

/// Returns true if a literal that ends in state `id` may go on with `next`: a state that differs in nothing
/// but its transition.
fn is_continued(dfa: &Dfa, id: StateId, next: StateId, encoding: Encoding) -> bool {
    let (one, other) = (dfa.state(id), dfa.state(next));
    (one.otherwise, one.at_end) == (other.otherwise, other.at_end) && is_link(dfa, next, encoding)
}

/// Returns true if the literal that begins at a state is short enough to be copied.
fn ends_soon(dfa: &Dfa, mut id: StateId, encoding: Encoding) -> bool {
    if !is_link(dfa, id, encoding) {
        return false;
    }
    let mut len = 0;
    loop {
        let state = dfa.state(id);
        len += dfa.literal(state).len().max(1);
        if len > COPIED_BYTES {
            return false;
        }
        let (_, target) = dfa.transitions(state)[0];
        if final_verdict(target).is_some() || !is_continued(dfa, id, target, encoding) {
            return true;
        }
        id = target;
    }
}
