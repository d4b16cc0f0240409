//! Conditions of purposes, each once, joined without comparing each with each.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use crate::purpose::Purposes;

/// The most conditions that are kept.
const MOST: usize = 256;

/// Places of a table for them: a power of two, of which they fill at most a quarter.
const SLOTS: usize = 1024;

/// Of this process, so that nobody can write conditions that share a place.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// A condition, hashed when its document is read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    hash: u32,
    text: Arc<str>,
}

/// Conditions, each with the purposes that depend on it, in the order found: at most 256.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    all: Vec<(Purposes, Condition)>,
    /// True if there are more.
    is_cut: bool,
}

impl Conditions {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Purposes, &str)> {
        self.all.iter().map(|(purposes, condition)| (*purposes, &*condition.text))
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// True if there are more than are kept.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty() && !self.is_cut
    }

    /// Joins these with others.
    pub(crate) fn joiner(&mut self) -> Joiner<'_> {
        Joiner { conditions: self, slots: [0; SLOTS], slotted: 0 }
    }
}

/// The place of the condition with this hash that `is_same` recognises by its number, or a free one for it.
fn slot(slots: &[u16; SLOTS], hash: u32, is_same: impl Fn(u16) -> bool) -> usize {
    let mut slot = hash as usize % SLOTS;
    while slots[slot] != 0 && !is_same(slots[slot]) {
        slot = (slot + 1) % SLOTS;
    }
    slot
}

/// Adds conditions to others, each in constant time.
pub(crate) struct Joiner<'c> {
    conditions: &'c mut Conditions,
    /// The number of a condition, from 1, at the first free place from that of its hash.
    slots: [u16; SLOTS],
    /// How many have a place: the others get one when a further condition is looked for.
    slotted: usize,
}

impl Joiner<'_> {
    /// Adds a condition of purposes.
    pub(crate) fn add(&mut self, purposes: Purposes, text: &str) {
        // Kept in 32 bits.
        let hash = HASHER.hash_one(text) as u32;
        self.insert(purposes, hash, text, || text.into());
    }

    /// Adds all conditions that purposes among `of` depend on.
    pub(crate) fn extend(&mut self, of: Purposes, others: &Conditions) {
        self.conditions.is_cut |= others.is_cut;
        // Growing the list step by step would take as long as all the rest.
        let all = &mut self.conditions.all;
        all.reserve(others.all.len().min(MOST - all.len()));
        if all.is_empty() {
            // They all differ.
            for (purposes, condition) in &others.all {
                if !(*purposes & of).is_empty() {
                    all.push((*purposes & of, condition.clone()));
                }
            }
            return;
        }
        for (purposes, Condition { hash, text }) in &others.all {
            self.insert(*purposes & of, *hash, text, || Arc::clone(text));
        }
    }

    fn insert(
        &mut self,
        purposes: Purposes,
        hash: u32,
        text: &str,
        shared: impl FnOnce() -> Arc<str>,
    ) {
        if purposes.is_empty() {
            return;
        }
        let all = &mut self.conditions.all;
        for (_, condition) in &all[self.slotted..] {
            self.slotted += 1;
            let slot = slot(&self.slots, condition.hash, |_| false);
            self.slots[slot] = self.slotted as u16;
        }
        let is_same = |number: u16| {
            let (_, known) = &all[usize::from(number) - 1];
            known.hash == hash && *known.text == *text
        };
        let slot = slot(&self.slots, hash, is_same);
        match (self.slots[slot], u16::try_from(all.len() + 1)) {
            (0, _) if all.len() == MOST => self.conditions.is_cut = true,
            (0, Ok(number)) => {
                self.slots[slot] = number;
                self.slotted = usize::from(number);
                all.push((purposes, Condition { hash, text: shared() }));
            }
            (known, _) => all[usize::from(known) - 1].0 |= purposes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::purpose::Purpose;

    /// As adding each to a list, after looking for it there.
    #[test]
    fn each_once_in_the_order_found() {
        let texts: Vec<String> = (0..400).map(|number| format!("user:{}", number % 300)).collect();
        let purposes = |number: usize| match number % 3 {
            0 => Purpose::AiTrain.into(),
            1 => Purposes::SEARCH,
            _ => Purposes::AI,
        };
        let mut wanted: Vec<(Purposes, &str)> = Vec::new();
        let mut parts: Vec<Conditions> = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            if number % 50 == 0 {
                parts.push(Conditions::default());
            }
            parts.last_mut().unwrap().joiner().add(purposes(number), text);
            if let Some((of, _)) = wanted.iter_mut().find(|(_, known)| known == text) {
                *of |= purposes(number);
            } else if wanted.len() < MOST {
                wanted.push((purposes(number), text));
            }
        }
        let mut all = Conditions::default();
        for part in &parts {
            all.joiner().extend(Purposes::USES, part);
        }
        assert!(all.iter().eq(wanted.iter().copied()) && all.is_cut());
        let mut of_some = Conditions::default();
        let mut joiner = of_some.joiner();
        parts.iter().for_each(|part| joiner.extend(Purposes::SEARCH, part));
        assert!(of_some.iter().all(|(purposes, _)| purposes == Purposes::SEARCH));
        assert_eq!((of_some.len(), of_some.is_cut()), (100, false));
    }
}
