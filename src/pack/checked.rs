//! Which parts of a pack have been checked.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::read_ahead;

/// A set of numbers below a bound, which threads add to at the same time. Takes memory in parts,
/// each when a number in it is first added.
#[derive(Debug)]
pub(super) struct Checked(Box<[OnceLock<Box<Part>>]>);

/// A bit for each number.
type Part = [AtomicU64; WORDS];

/// Words of 64 numbers in each part.
const WORDS: usize = 512;

impl Checked {
    /// An empty set of numbers below `bound`.
    pub(super) fn new(bound: usize) -> Checked {
        Checked((0..bound.div_ceil(64 * WORDS)).map(|_| OnceLock::new()).collect())
    }

    /// The part that holds a number, its word there, and its bit in that. `None` if the number is
    /// not below the bound, rounded up to whole parts.
    fn at(&self, number: u64) -> Option<(&OnceLock<Box<Part>>, usize, u64)> {
        let word = usize::try_from(number / 64).ok()?;
        Some((self.0.get(word / WORDS)?, word % WORDS, 1 << (number % 64)))
    }

    #[inline]
    pub(super) fn is_set(&self, number: impl Into<u64>) -> bool {
        let Some((part, word, bit)) = self.at(number.into()) else { return false };
        // Relaxed is enough: the bytes that were checked never change.
        part.get().is_some_and(|part| part[word].load(Ordering::Relaxed) & bit != 0)
    }

    /// Prefetches what says whether a number is set.
    #[inline]
    pub(super) fn read_ahead(&self, number: u32) {
        if let Some((part, word, _)) = self.at(number.into())
            && let Some(part) = part.get()
        {
            read_ahead::value(&part[word]);
        }
    }

    /// Adds a number. Returns whether it is new.
    pub(super) fn set(&self, number: impl Into<u64>) -> bool {
        let Some((part, word, bit)) = self.at(number.into()) else { return false };
        let part = part.get_or_init(|| Box::new([const { AtomicU64::new(0) }; WORDS]));
        part[word].fetch_or(bit, Ordering::Relaxed) & bit == 0
    }
}
