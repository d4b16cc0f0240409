//! Faults of this side, told once for each kind.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use robotsieve_client::outcome::{LocalFault, LocalKind};

use crate::write::report::Report;

/// Counts the sites that could not be asked.
#[derive(Debug, Default)]
pub struct Faults(Mutex<BTreeMap<LocalKind, u64>>);

impl Faults {
    /// Counts a site. Prints the fault if it is the first of its kind, and makes the exit status
    /// say so.
    pub fn add(&self, site: &dyn std::fmt::Display, fault: &LocalFault, report: &Report) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(fault.kind).or_default();
        *count += 1;
        if *count == 1 {
            report.error(&format_args!(
                "{site} could not be asked, and others may follow: {fault}. The fault is on this \
                 side, so it says nothing about the site; run the command again for what is missing"
            ));
        }
    }
}
