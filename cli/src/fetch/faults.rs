//! Faults of this side, told once for each kind.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use robotsieve_client::outcome::{LocalFault, LocalKind};
use robotsieve_client::sieve::watch::Watch;

use crate::write::report::Report;
use crate::write::stderr;

/// Counts the sites that could not be asked.
#[derive(Debug, Default)]
pub struct Faults(Mutex<BTreeMap<LocalKind, u64>>);

impl Faults {
    /// Counts a site. Prints the fault if it is the first of its kind, and makes the exit status
    /// say so, unless it is one that only this site has.
    pub fn add(&self, site: &dyn Display, fault: &LocalFault, watch: &Watch, report: &Report) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(fault.kind).or_default();
        *count += 1;
        if *count > 1 {
            return;
        }
        match fault.kind {
            LocalKind::Unconfirmed if !watch.is_proven() => report.error(&format_args!(
                "{site} did not answer ({}), and no other site has: the fault may be on this side, \
                 so nothing is concluded about the site. Run the command again, or name an address \
                 that always answers with --canary",
                fault.text
            )),
            // Other sites answer: it is a matter of the site's addresses and this machine's.
            LocalKind::Unconfirmed | LocalKind::Route if watch.is_proven() => {
                stderr::note(&format_args!(
                    "{site} could not be asked, and others may follow: {fault}. This says nothing \
                     about the site"
                ));
            }
            LocalKind::Certificates => report.error(&format_args!(
                "{site} could not be asked, and others may follow: {fault}. Nothing is concluded \
                 about the site"
            )),
            _ => report.error(&format_args!(
                "{site} could not be asked, and others may follow: {fault}. The fault is on this \
                 side, so it says nothing about the site; run the command again for what is missing"
            )),
        }
    }
}
