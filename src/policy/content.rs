//! Recognising equal files without keeping them.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Two hash functions with random keys. The keys never leave the process, so nobody can write two
/// robots.txt files that are mistaken for each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContentKeys([RandomState; 2]);

impl ContentKeys {
    /// A hash of the text; two different texts have the same one with a chance of 1 in 2¹²⁸.
    pub(crate) fn of(&self, text: &[u8]) -> u128 {
        self.0.iter().fold(0, |content, keys| {
            let mut hasher = keys.build_hasher();
            hasher.write(text);
            content << 64 | u128::from(hasher.finish())
        })
    }
}
