//! The counts of the summary.

use robotsieve::Answer;

use super::stored::Counts;
use crate::error::Status;
use crate::read::hosts::HostHash;
use crate::write::report::Report;
use crate::write::stderr;

/// The counts of one chunk.
#[derive(Default)]
pub struct Tally {
    pub urls: u64,
    /// By [`Answer`]; each URL counts once for each crawler.
    answers: [u64; 4],
    /// Hosts that the worker has not seen recently.
    hosts: Vec<HostHash>,
}

impl Tally {
    #[inline]
    pub fn count(&mut self, answer: Answer, crawlers: u64) {
        self.answers[answer as usize] += crawlers;
    }
}

/// The hosts that a worker saw recently, so that it does not report them again with each chunk: a
/// table of fixed size in which a host replaces another one.
pub struct SeenHosts(Box<[HostHash]>);

/// Enough for most crawls, 32 KiB.
const SEEN_HOSTS: usize = 1 << 12;

impl Default for SeenHosts {
    fn default() -> SeenHosts {
        // A host with the hash 0 would not be counted: a chance of 1 in 2⁶⁴.
        SeenHosts(vec![HostHash::default(); SEEN_HOSTS].into())
    }
}

impl SeenHosts {
    /// Adds the host to the tally unless it was added recently.
    #[inline]
    pub fn note(&mut self, host: HostHash, tally: &mut Tally) {
        let slot = &mut self.0[host.slot(SEEN_HOSTS)];
        if *slot != host {
            *slot = host;
            tally.hosts.push(host);
        }
    }
}

/// The number of hosts, from their hashes: exact up to a limit, from a sample beyond it.
///
/// A table in which a host lies in the first slot from its own that was free. One piece of memory is
/// fetched for a host, while the standard library's table needs two.
struct Hosts {
    /// A power of two, of which at most three quarters are taken. A free slot has the hash 0.
    slots: Vec<HostHash>,
    len: usize,
    most_slots: usize,
    /// Hosts are left out unless their hashes begin with so many zeros: half of all hosts for each.
    zeros: u32,
}

/// 32 MiB, and as much again while the table is made anew. The count is exact up to three million hosts.
/// Beyond that, one and a half to three million stand for all of them: the standard error is below
/// 0.09 %.
const MOST_SLOTS: usize = 1 << 22;

impl Default for Hosts {
    fn default() -> Hosts {
        Hosts::with_limit(MOST_SLOTS)
    }
}

impl Hosts {
    /// A table with at most so many slots, which are a power of two.
    fn with_limit(most_slots: usize) -> Hosts {
        Hosts { slots: Vec::new(), len: 0, most_slots, zeros: 0 }
    }

    /// The number of hosts there were.
    fn count(&self) -> u64 {
        (self.len as u64) << self.zeros
    }

    fn extend(&mut self, hosts: &[HostHash]) {
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

/// The counts of all chunks.
#[derive(Default)]
pub struct Sum {
    pub urls: u64,
    answers: [u64; 4],
    hosts: Hosts,
}

impl Sum {
    pub fn add(&mut self, tally: &Tally) {
        self.urls += tally.urls;
        for (sum, count) in self.answers.iter_mut().zip(tally.answers) {
            *sum += count;
        }
        self.hosts.extend(&tally.hosts);
    }

    /// Prints the summary and returns the exit status. `asked` is there if sites could be asked.
    pub fn report(&self, report: &Report, crawlers: usize, asked: Option<Counts>) -> Status {
        let status = report.end();
        let seconds = report.seconds();
        // They did not get as far as a worker.
        let long = report.long_lines();
        let urls = self.urls + long;
        let several = match crawlers {
            1 => String::new(),
            _ => format!(" crawlers {crawlers} verdicts {}", urls * crawlers as u64),
        };
        let count = |answer: Answer| self.answers[answer as usize];
        let asked = asked.map_or_else(String::new, |Counts { fetched, local_faults, .. }| {
            format!(" fetched {fetched} local_faults {local_faults}")
        });
        stderr::note(&format_args!(
            "urls {urls}{several} allowed {} disallowed {} unknown {} invalid {} hosts {}{asked} \
             seconds {seconds:.3} urls_per_second {:.0}",
            count(Answer::Allow),
            count(Answer::Disallow),
            count(Answer::Unknown),
            count(Answer::Invalid) + long * crawlers as u64,
            self.hosts.count(),
            urls as f64 / seconds.max(1e-9),
        ));
        status
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::read::hosts::HostHasher;

    #[test]
    fn hosts_are_counted_once() {
        let hasher = HostHasher::default();
        let (mut hosts, mut plain) = (Hosts::default(), HashSet::new());
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
            let mut hosts = Hosts::default();
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
        let mut hosts = Hosts::with_limit(1 << 14);
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
