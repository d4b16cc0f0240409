//! The counts of the summary.

use robotsieve::Answer;
use robotsieve_client::host_count::{HostCount, HostHash};

use super::stored::Counts;
use crate::error::Status;
use crate::write::report::Report;
use crate::write::stderr;

/// The counts of one chunk.
#[derive(Default)]
pub struct Tally {
    pub urls: u64,
    /// By [`Answer`]; each URL counts once for each crawler.
    pub answers: [u64; 4],
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

/// The counts of all chunks.
#[derive(Default)]
pub struct Sum {
    pub urls: u64,
    answers: [u64; 4],
    hosts: HostCount,
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
        let long = report.unjudged_long_lines();
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
