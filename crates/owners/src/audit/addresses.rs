//! The addresses from which forbidden requests, or false names, came: for a firewall.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::counts::Counts;
use crate::ranges::{AddressSource, is_private};

/// Which addresses a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Those from which crawlers, or whoever has their names, made forbidden requests.
    Offenders,
    /// Those that sent the name of a crawler and are in no list given for it.
    Impostors,
}

/// Addresses for a firewall, and what is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Addresses {
    /// In ascending order, those of IPv4 first.
    pub addresses: Vec<IpAddr>,
    /// What was left out, and why, in sentences.
    pub notes: Vec<String>,
}

impl Counts<'_> {
    /// The addresses for a firewall, if the audit [keeps](super::Audit::keep_addresses) them.
    ///
    /// No address is in the list from which anybody else sent requests too, for people may be behind it; none of
    /// a private network, which is a proxy's; and among the impostors none that is published for any crawler.
    #[must_use]
    pub fn addresses(&self, whose: Whose) -> Addresses {
        let mut addresses = BTreeSet::new();
        let [mut shared, mut private, mut published] = [const { BTreeSet::new() }; 3];
        let (mut unknown, mut more) = (BTreeSet::new(), 0);
        for found in &self.found {
            let sums = found.sums();
            let is_meant = match whose {
                Whose::Offenders => self.forbidden(found)[0] > 0,
                Whose::Impostors => {
                    matches!(found.source, Some(AddressSource::Other | AddressSource::Unknown))
                }
            };
            if !is_meant {
                continue;
            }
            // Of those that are counted together, none is told.
            more += if found.name.is_some() { sums.more_addresses } else { sums.requests };
            let excused = found.excused.addresses.iter().filter(|_| whose == Whose::Impostors);
            for (address, [_, forbidden]) in found.tally.addresses.iter().chain(excused) {
                if whose == Whose::Offenders && *forbidden == 0 {
                    continue;
                }
                let is_published =
                    || self.audit.verified.iter().any(|one| one.ranges.contains(*address));
                let into = match self.clients.get(address) {
                    _ if is_private(*address) => &mut private,
                    _ if whose == Whose::Impostors && is_published() => &mut published,
                    Some(false) => &mut addresses,
                    Some(true) => &mut shared,
                    None => &mut unknown,
                };
                into.insert(*address);
            }
        }
        let left_out = [
            (
                shared.len(),
                "from which others sent requests too, so that people may be behind them",
            ),
            (
                private.len(),
                "of private networks: let the server log the client's address, not a proxy's",
            ),
            (published.len(), "that operators publish for other crawlers"),
            (unknown.len(), "beyond the first 1,048,576 of all clients"),
        ];
        let left_out = left_out.iter().filter(|(count, _)| *count > 0);
        let mut notes: Vec<String> = left_out
            .map(|(count, why)| {
                let es = if *count == 1 { "" } else { "es" };
                format!("{count} address{es} left out, {why}")
            })
            .collect();
        if more > 0 {
            let s = if more == 1 { "" } else { "s" };
            notes.push(format!(
                "{more} request{s} came from addresses that the log does not have, or that are too many to be told apart"
            ));
        }
        Addresses { addresses: addresses.into_iter().collect(), notes }
    }
}
