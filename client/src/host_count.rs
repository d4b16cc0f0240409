//! How many hosts there are among very many URLs, in bounded memory.

use std::hash::{BuildHasher, Hasher};

/// The hash of a host, for looking it up and for counting hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HostHash(u64);

impl HostHash {
    /// The slot for this hash in a table with this many slots, which are a power of two.
    #[inline]
    #[must_use]
    pub fn slot(self, slots: usize) -> usize {
        debug_assert!(slots.is_power_of_two());
        self.0 as usize & (slots - 1)
    }

    /// With how many zeros it begins, which the slot does not depend on.
    #[inline]
    #[must_use]
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
    #[must_use]
    pub fn hash(&self, host: &[u8]) -> HostHash {
        let mut hasher = self.0.build_hasher();
        hasher.write(host);
        HostHash(hasher.finish())
    }
}

/// The number of hosts, from their hashes: exact up to a limit, from a sample beyond it.
///
/// A table in which a host lies in the first slot from its own that was free. One piece of memory is
/// fetched for a host, while the standard library's table needs two.
#[derive(Debug)]
pub struct HostCount {
    /// A power of two, of which at most three quarters are taken. A free slot has the hash 0.
    slots: Vec<HostHash>,
    len: usize,
    most_slots: usize,
    /// HostCount are left out unless their hashes begin with so many zeros: half of all hosts for each.
    zeros: u32,
}

/// 32 MiB, and as much again while the table is made anew. The count is exact up to three million hosts.
/// Beyond that, one and a half to three million stand for all of them: the standard error is below
/// 0.09 %.
const MOST_SLOTS: usize = 1 << 22;

impl Default for HostCount {
    fn default() -> HostCount {
        HostCount::with_limit(MOST_SLOTS)
    }
}

impl HostCount {
    /// A table with at most so many slots, which are a power of two.
    fn with_limit(most_slots: usize) -> HostCount {
        HostCount { slots: Vec::new(), len: 0, most_slots, zeros: 0 }
    }

    /// The number of hosts there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        (self.len as u64) << self.zeros
    }

    /// Adds hosts, of which some may have been added before.
    pub fn extend(&mut self, hosts: &[HostHash]) {
        for hosts in hosts.chunks(self.most_slots / 8) {
            while 4 * (self.len + hosts.len()) > 3 * self.slots.len() {
                self.make_room(self.len + hosts.len());
            }
            for host in hosts {
                self.insert(*host);
            }
        }
    }

    /// Adds a host, for which there is room.
    #[inline]
    fn insert(&mut self, host: HostHash) {
        if host.leading_zeros() < self.zeros {
            return;
        }
        let mask = self.slots.len() - 1;
        let mut at = host.slot(self.slots.len());
        while self.slots[at] != host {
            if self.slots[at] == HostHash::default() {
                self.slots[at] = host;
                self.len += 1;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// Makes room for this many hosts, or leaves out half of those that are there.
    #[cold]
    fn make_room(&mut self, hosts: usize) {
        let mut slots = (hosts + hosts.div_ceil(2)).next_power_of_two();
        if slots > self.most_slots {
            slots = self.most_slots;
            self.zeros += u32::from(self.slots.len() == slots);
        }
        let old = std::mem::replace(&mut self.slots, vec![HostHash::default(); slots]);
        self.len = 0;
        old.into_iter().filter(|host| *host != HostHash::default()).for_each(|h| self.insert(h));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn hosts_are_counted_once() {
        let hasher = HostHasher::default();
        let (mut hosts, mut plain) = (HostCount::default(), HashSet::new());
        for round in 0..200u32 {
            let names = (0..round * 7 % 500).map(|n| (n * 31 + round % 50 * 100).to_string());
            let some: Vec<_> = names.map(|name| hasher.hash(name.as_bytes())).collect();
            hosts.extend(&some);
            plain.extend(some);
            assert_eq!(hosts.count(), plain.len() as u64);
            assert!(4 * hosts.len <= 3 * hosts.slots.len());
        }
    }

    #[test]
    fn few_hosts() {
        let hasher = HostHasher::default();
        for count in 0..100u8 {
            let mut hosts = HostCount::default();
            hosts.extend(&(0..count).map(|n| hasher.hash(&[n])).collect::<Vec<_>>());
            assert_eq!(hosts.count(), u64::from(count));
            hosts.extend(&[hasher.hash(b"one more")]);
            assert_eq!(hosts.count(), u64::from(count) + 1);
        }
    }

    /// Beyond the limit the table does not grow, and the count is about right.
    #[test]
    fn very_many_hosts() {
        let hasher = HostHasher::default();
        let mut hosts = HostCount::with_limit(1 << 14);
        let hash = |n: u32| hasher.hash(&n.to_le_bytes());
        for (first, limit) in [(0, 12_000), (12_000, 13_000), (0, 13_000), (13_000, 500_000)] {
            let some: Vec<_> = (first..limit).map(hash).collect();
            some.chunks(5_000).for_each(|some| hosts.extend(some));
            assert!(hosts.slots.len() <= 1 << 14 && 4 * hosts.len <= 3 * hosts.slots.len());
            if limit == 12_000 {
                assert_eq!(hosts.count(), 12_000);
            }
            // Ten standard errors.
            let error = hosts.count().abs_diff(limit.into()) as f64 / f64::from(limit);
            assert!(error < 10.0 / 6_144f64.sqrt(), "{} of {limit}", hosts.count());
        }
    }
}
