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

/// A condition and the purposes that depend on it.
type Dependent = (Purposes, Condition);

/// Conditions, each with the purposes that depend on it, in the order found: at most 256.
///
/// The first may be a list that a document shares, until it changes: to copy a list takes a counted reference for each
/// condition, which was most of the time of a URL.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    shared: Option<Arc<[Dependent]>>,
    /// The purposes for which the shared ones count.
    of_shared: Purposes,
    own: Vec<Dependent>,
    /// True if there are more.
    is_cut: bool,
}

impl PartialEq for Conditions {
    fn eq(&self, other: &Conditions) -> bool {
        self.is_cut == other.is_cut && self.all().eq(other.all())
    }
}

impl Eq for Conditions {}

impl Conditions {
    fn shared(&self) -> &[Dependent] {
        self.shared.as_deref().unwrap_or_default()
    }

    fn all(&self) -> impl Iterator<Item = (Purposes, &Condition)> {
        let shared = self.shared().iter().map(|(of, condition)| (*of & self.of_shared, condition));
        shared.chain(self.own.iter().map(|(of, condition)| (*of, condition)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Purposes, &str)> {
        self.all().map(|(purposes, condition)| (purposes, &*condition.text))
    }

    pub(crate) fn len(&self) -> usize {
        self.shared().len() + self.own.len()
    }

    /// True if there are more than are kept.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0 && !self.is_cut
    }

    /// Joins these with others.
    pub(crate) fn joiner(&mut self) -> Joiner<'_> {
        Joiner { conditions: self, slots: [0; SLOTS], slotted: 0 }
    }

    /// Makes them a list that others can share.
    pub(crate) fn share(&mut self) {
        if !self.own.is_empty() {
            self.unshare();
            self.shared = Some(std::mem::take(&mut self.own).into());
            self.of_shared = Purposes::USES;
        }
    }

    /// Copies what is shared, to change it.
    fn unshare(&mut self) {
        if let Some(shared) = self.shared.take() {
            let copies = shared.iter().map(|(of, own)| (*of & self.of_shared, own.clone()));
            self.own.splice(..0, copies);
        }
    }

    /// The condition with this number, from 0, and the purposes that depend on it.
    fn get(&self, number: usize) -> (Purposes, &Condition) {
        let shared = self.shared();
        match shared.get(number) {
            Some((purposes, condition)) => (*purposes & self.of_shared, condition),
            None => {
                let (purposes, condition) = &self.own[number - shared.len()];
                (*purposes, condition)
            }
        }
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
        let all = &mut *self.conditions;
        let is_first = all.is_empty();
        all.is_cut |= others.is_cut;
        if is_first && others.all().all(|(purposes, _)| !(purposes & of).is_empty()) {
            // They all count, and differ.
            all.shared.clone_from(&others.shared);
            all.of_shared = others.of_shared & of;
            let own = others.own.iter().map(|(purposes, own)| (*purposes & of, own.clone()));
            all.own.extend(own);
            return;
        }
        // Growing the list step by step would take as long as all the rest.
        all.own.reserve(others.len().min(MOST - all.len()));
        for (purposes, Condition { hash, text }) in others.all() {
            self.insert(purposes & of, *hash, text, || Arc::clone(text));
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
        let all = &mut *self.conditions;
        let len = all.len();
        while self.slotted < len {
            let (_, condition) = all.get(self.slotted);
            let slot = slot(&self.slots, condition.hash, |_| false);
            self.slotted += 1;
            self.slots[slot] = self.slotted as u16;
        }
        let is_same = |number: u16| {
            let (_, known) = all.get(usize::from(number) - 1);
            known.hash == hash && *known.text == *text
        };
        let slot = slot(&self.slots, hash, is_same);
        match (self.slots[slot], u16::try_from(len + 1)) {
            (0, _) if len == MOST => all.is_cut = true,
            (0, Ok(number)) => {
                self.slots[slot] = number;
                self.slotted = usize::from(number);
                all.own.push((purposes, Condition { hash, text: shared() }));
            }
            (known, _) => {
                let number = usize::from(known) - 1;
                if purposes.without(all.get(number).0).is_empty() {
                    return;
                }
                if number < all.shared().len() {
                    all.unshare();
                }
                let number = number - all.shared().len();
                all.own[number].0 |= purposes;
            }
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
        let texts: Vec<String> = (0..400).map(|number| format!("user:{}", number % 299)).collect();
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
        let mut shared = parts.clone();
        shared.iter_mut().for_each(Conditions::share);
        // Each condition is one of a purpose among these.
        for of in [Purposes::USES, Purposes::SEARCH | Purpose::AiTrain.into()] {
            let wanted: Vec<_> = wanted.iter().map(|(own, text)| (*own & of, *text)).collect();
            for parts in [&parts, &shared] {
                let before = parts.clone();
                let mut all = Conditions::default();
                for part in parts {
                    all.joiner().extend(of, part);
                }
                assert!(all.iter().eq(wanted.iter().copied()) && all.is_cut());
                let copy = all.clone();
                all.share();
                assert_eq!(all, copy);
                assert_eq!(*parts, before);
            }
        }
        // What counted for some purposes counts for more.
        let mut more = Conditions::default();
        more.joiner().extend(Purposes::SEARCH | Purpose::AiTrain.into(), &shared[0]);
        more.joiner().extend(Purposes::USES, &shared[0]);
        assert_eq!(more, shared[0]);
        let mut of_some = Conditions::default();
        let mut joiner = of_some.joiner();
        parts.iter().for_each(|part| joiner.extend(Purposes::SEARCH, part));
        assert!(of_some.iter().all(|(purposes, _)| purposes == Purposes::SEARCH));
        assert_eq!((of_some.len(), of_some.is_cut()), (133, false));
    }
}
