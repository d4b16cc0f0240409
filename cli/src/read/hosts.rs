//! Hashes of hosts.

use std::hash::{BuildHasher, Hasher};

pub use robotsieve_client::hosts::{Whose, host_and_port, whose};

/// The hash of a host, for looking it up and for counting hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HostHash(u64);

impl HostHash {
    /// The slot for this hash in a table with this many slots, which are a power of two.
    #[inline]
    pub fn slot(self, slots: usize) -> usize {
        debug_assert!(slots.is_power_of_two());
        self.0 as usize & (slots - 1)
    }

    /// With how many zeros it begins, which the slot does not depend on.
    #[inline]
    pub fn leading_zeros(self) -> u32 {
        self.0.leading_zeros()
    }
}

/// The hash function of hosts, with random keys of its own.
#[derive(Clone, Debug, Default)]
pub struct HostHasher(foldhash::quality::RandomState);

impl HostHasher {
    /// The hash of a normalized host, or of other bytes that identify one.
    #[inline]
    pub fn hash(&self, host: &[u8]) -> HostHash {
        let mut hasher = self.0.build_hasher();
        hasher.write(host);
        HostHash(hasher.finish())
    }
}
