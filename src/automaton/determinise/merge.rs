//! Merges the states that have the same future though their live nodes differ.
//!
//! The hash of a state depends on everything that follows it up to the next wait, so states that
//! are alike mostly show at once. A comparison then makes sure that they are: it holds every state
//! against the one that it is to become, and takes for granted that so it is with the states they
//! lead to. If it holds for all of them at the same time, that was right. If not, the hashes take
//! in one more step.

use std::mem;

use super::{Dfa, FIRST_STATE, Merging, State, StateId, final_verdict};
use crate::automaton::trie::mix;

/// How often hashes take in one more step. Real files need up to three rounds; the states of those
/// that need more stay as they are.
const ROUNDS: usize = 6;

/// The index of a state in a list of all.
fn index(id: StateId) -> usize {
    (id - FIRST_STATE) as usize
}

impl Dfa {
    /// Replaces states by others with the same future. [`Dfa::ids`] leaves out the replaced ones.
    ///
    /// `O(n)` for `n` states and transitions.
    pub(super) fn merge(&mut self) {
        let mut merging = mem::take(&mut self.merging);
        self.hash_states(&mut merging);
        for _ in 0..ROUNDS {
            if !self.find_equal_hashes(&mut merging) {
                break;
            }
            if self.are_same_as_replacements() {
                self.replace();
                break;
            }
            self.refine_hashes(&mut merging);
            self.replacements.clear();
        }
        self.merging = merging;
    }

    /// The state that stands for this one, or the verdict if it is one.
    pub(super) fn replacement(&self, id: StateId) -> StateId {
        if final_verdict(id).is_some() {
            return id;
        }
        self.replacements.get(index(id)).copied().unwrap_or(id)
    }

    fn is_wait(&self, id: StateId) -> bool {
        self.state(id).otherwise == id
    }

    /// Hashes what a state shows of itself.
    fn own_hash(&self, id: StateId) -> u64 {
        let state = self.state(id);
        let kind = u64::from(self.is_wait(id)) << 1 | state.at_end as u64;
        let hash = mix(kind, u64::from(state.transitions_len) << 32 | u64::from(state.literal_len));
        let literal = self
            .literal(state)
            .chunks(8)
            .map(|part| part.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        // Zero stands for a state that has no hash yet.
        literal.fold(hash, mix) | 1
    }

    /// A hash of a state's transitions, into which go those of the states that they lead to.
    fn hash_with_targets(&self, hashes: &[u64], hash: u64, id: StateId) -> u64 {
        let of = |id: StateId| match final_verdict(id) {
            Some(_) => u64::from(id),
            None => hashes[index(id)],
        };
        let state = self.state(id);
        let otherwise = if self.is_wait(id) { 0 } else { of(state.otherwise) };
        let transitions = self.transitions(state).iter();
        transitions.fold(mix(hash, otherwise), |hash, (byte, target)| {
            mix(hash, of(*target).rotate_left(8) ^ u64::from(*byte))
        }) | 1
    }

    /// Hashes each state with what follows it up to the next waits.
    fn hash_states(&self, merging: &mut Merging) {
        let Merging { hashes, open, .. } = merging;
        hashes.clear();
        hashes.resize(self.states.len(), 0);
        for id in self.all_ids().filter(|id| self.is_wait(*id)) {
            hashes[index(id)] = self.own_hash(id);
        }
        for id in self.all_ids() {
            if hashes[index(id)] != 0 {
                continue;
            }
            hashes[index(id)] = self.own_hash(id);
            open.push((id, 0));
            while let Some((id, followed)) = open.last_mut() {
                let id = *id;
                match self.transitions(self.state(id)).get(*followed) {
                    Some((_, target)) => {
                        *followed += 1;
                        if final_verdict(*target).is_none() && hashes[index(*target)] == 0 {
                            hashes[index(*target)] = self.own_hash(*target);
                            open.push((*target, 0));
                        }
                    }
                    None => {
                        hashes[index(id)] = self.hash_with_targets(hashes, hashes[index(id)], id);
                        open.pop();
                    }
                }
            }
        }
    }

    /// Lets each hash take in those of the states that its own leads to.
    fn refine_hashes(&self, merging: &mut Merging) {
        let Merging { hashes, next_hashes, .. } = merging;
        next_hashes.clear();
        let ids = self.all_ids();
        next_hashes.extend(ids.map(|id| self.hash_with_targets(hashes, hashes[index(id)], id)));
        mem::swap(hashes, next_hashes);
    }

    /// Sets the replacement of each state: the first one with the same hash. Returns `false` if
    /// there are no two.
    fn find_equal_hashes(&mut self, merging: &mut Merging) -> bool {
        let Merging { hashes, table, .. } = merging;
        table.clear();
        table.resize((2 * hashes.len()).next_power_of_two(), 0);
        let mask = table.len() - 1;
        self.replacements.clear();
        let mut any = false;
        for (hash, id) in hashes.iter().zip(FIRST_STATE..) {
            let mut slot = (hash >> 32) as usize & mask;
            let replacement = loop {
                match table[slot] {
                    0 => {
                        table[slot] = id;
                        break id;
                    }
                    known if hashes[index(known)] == *hash => break known,
                    _ => slot = (slot + 1) & mask,
                }
            };
            any |= replacement != id;
            self.replacements.push(replacement);
        }
        if !any {
            self.replacements.clear();
        }
        any
    }

    /// Returns true if each state does the same as its replacement, if all that they lead to do.
    fn are_same_as_replacements(&self) -> bool {
        self.all_ids().all(|id| {
            let replacement = self.replacement(id);
            if replacement == id {
                return true;
            }
            let (one, other) = (self.state(id), self.state(replacement));
            let same_targets = |one: &State, other: &State| {
                let (one, other) = (self.transitions(one), self.transitions(other));
                one.len() == other.len()
                    && one.iter().zip(other).all(|((a, to), (b, other))| {
                        a == b && self.replacement(*to) == self.replacement(*other)
                    })
            };
            one.at_end == other.at_end
                && self.is_wait(id) == self.is_wait(replacement)
                && self.replacement(one.otherwise) == self.replacement(other.otherwise)
                && self.literal(one) == self.literal(other)
                && same_targets(one, other)
        })
    }

    /// Lets everything lead to replacements only.
    fn replace(&mut self) {
        self.start = self.replacement(self.start);
        for at in 0..self.transitions.len() {
            self.transitions[at].1 = self.replacement(self.transitions[at].1);
        }
        for at in 0..self.states.len() {
            self.states[at].otherwise = self.replacement(self.states[at].otherwise);
        }
    }
}
