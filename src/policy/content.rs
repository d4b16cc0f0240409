//! What tells texts apart that need not be kept.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Two hash functions with random keys, known to this process alone: nobody who writes a
/// robots.txt can make two that are taken for one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContentKeys([RandomState; 2]);

impl ContentKeys {
    /// Equal for equal texts; for different ones it differs but for a chance of 1 in 2¹²⁸.
    pub(crate) fn of(&self, text: &[u8]) -> u128 {
        self.0.iter().fold(0, |content, keys| {
            let mut hasher = keys.build_hasher();
            hasher.write(text);
            content << 64 | u128::from(hasher.finish())
        })
    }
}
