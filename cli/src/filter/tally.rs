//! What is counted for the summary.

use std::collections::HashSet;

use crate::read::hosts::{HostHash, Identity};
use robotsieve::Answer;

/// What was counted in one chunk.
#[derive(Default)]
pub struct Tally {
    pub urls: u64,
    /// By [`Answer`]; each URL counts once per crawler.
    answers: [u64; 4],
    /// Hosts that the worker did not see lately.
    hosts: Vec<HostHash>,
}

impl Tally {
    #[inline]
    pub fn count(&mut self, answer: Answer, crawlers: u64) {
        self.answers[answer as usize] += crawlers;
    }
}

/// The hosts that a worker saw lately, so that it need not name them again in each chunk: a
/// table of fixed size in which a host displaces another one.
pub struct SeenHosts(Box<[HostHash]>);

/// Enough for most crawls, 32 KiB.
const SEEN_HOSTS: usize = 1 << 12;

impl Default for SeenHosts {
    fn default() -> SeenHosts {
        // A hash of 0 in the first slot would be missed: 1 in 2⁶⁴, a host not counted.
        SeenHosts(vec![HostHash::default(); SEEN_HOSTS].into())
    }
}

impl SeenHosts {
    /// Adds the host to the tally, unless that was done lately.
    #[inline]
    pub fn note(&mut self, host: HostHash, tally: &mut Tally) {
        let slot = &mut self.0[host.slot(SEEN_HOSTS)];
        if *slot != host {
            *slot = host;
            tally.hosts.push(host);
        }
    }
}

/// What was counted in all chunks.
#[derive(Default)]
pub struct Sum {
    pub urls: u64,
    answers: [u64; 4],
    /// Not the names but 8 bytes for each host. That any two of 100 million hosts fall
    /// together has a probability of 1 in 3,700.
    hosts: HashSet<HostHash, Identity>,
}

impl Sum {
    pub fn add(&mut self, tally: &Tally) {
        self.urls += tally.urls;
        for (sum, count) in self.answers.iter_mut().zip(tally.answers) {
            *sum += count;
        }
        self.hosts.extend(&tally.hosts);
    }

    /// How many verdicts came out like this.
    pub fn count(&self, answer: Answer) -> u64 {
        self.answers[answer as usize]
    }

    /// How many distinct hosts there were.
    pub fn hosts(&self) -> usize {
        self.hosts.len()
    }
}
