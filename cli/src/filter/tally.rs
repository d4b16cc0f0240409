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

/// All hosts, by their hashes: 8 bytes for each instead of its name. The probability that any two of
/// 100 million hosts collide is 1 in 3,700.
///
/// A table in which a host lies in the first slot from its own that was free. One piece of memory is
/// fetched for a host, while the standard library's table needs two.
#[derive(Default)]
struct HostSet {
    /// A power of two, of which at most three quarters are taken. A free slot has the hash 0.
    slots: Vec<HostHash>,
    len: usize,
}

impl HostSet {
    fn extend(&mut self, hosts: &[HostHash]) {
        if 4 * (self.len + hosts.len()) > 3 * self.slots.len() {
            self.grow(self.len + hosts.len());
        }
        for host in hosts {
            self.insert(*host);
        }
    }

    /// Adds a host, for which there is room.
    #[inline]
    fn insert(&mut self, host: HostHash) {
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

    /// Makes room for this many hosts.
    #[cold]
    fn grow(&mut self, hosts: usize) {
        let slots = (hosts + hosts / 2).next_power_of_two();
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
    hosts: HostSet,
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
            self.hosts.len,
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
        let (mut set, mut plain) = (HostSet::default(), HashSet::new());
        for round in 0..200u32 {
            let names = (0..round * 7 % 500).map(|n| (n * 31 + round % 50 * 100).to_string());
            let hosts: Vec<_> = names.map(|name| hasher.hash(name.as_bytes())).collect();
            set.extend(&hosts);
            plain.extend(hosts);
            assert_eq!(set.len, plain.len());
            assert!(4 * set.len <= 3 * set.slots.len());
        }
    }
}
