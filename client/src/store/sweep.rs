//! Removes old origins, and bodies that no origin refers to.

use std::collections::HashSet;

use redb::{ReadableTable, ReadableTableMetadata};
use serde::{Deserialize, Serialize};

use super::bodies::Row;
use super::error::{Fault, StoreError};
use super::file::StoreFile;
use super::format::{BODIES, NUMBERS, ORIGINS, half_hash};
use super::record::{Record, origin_key};
use crate::time::Timestamp;

/// The number of things that [`Store::prune`](super::Store::prune) removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Pruned {
    /// The number of origins.
    pub origins: u64,
    /// The number of distinct bodies.
    pub bodies: u64,
}

pub(super) fn prune(file: &StoreFile, older_than: Timestamp) -> Result<Pruned, StoreError> {
    file.write(|transaction| {
        let mut pruned = Pruned::default();
        let mut damage = None;
        let mut used = HashSet::new();
        let mut origins = transaction.open_table(ORIGINS)?;
        let (all, mut seen) = (origins.len()?, 0);
        origins.retain(|origin, row| {
            seen += 1;
            match origin_key(origin).and_then(|origin| Record::decode(origin, row)) {
                Ok(record) if record.attempted < older_than.0 => {
                    pruned.origins += 1;
                    false
                }
                Ok(record) => {
                    used.extend(record.copy.map(|copy| copy.body));
                    true
                }
                Err(fault) => {
                    damage.get_or_insert(fault);
                    true
                }
            }
        })?;
        // The bodies of those that a damaged page hides would be removed.
        if seen != all {
            damage.get_or_insert(Fault::damaged("origins are missing"));
        }
        let mut unused = Vec::new();
        transaction.open_table(BODIES)?.retain(|number, row| {
            if used.contains(&number) {
                return true;
            }
            match Row::decode(number, row) {
                Ok(row) => unused.push((number, half_hash(&row.hash))),
                Err(fault) => drop(damage.get_or_insert(fault)),
            }
            pruned.bodies += 1;
            false
        })?;
        // An error ends the transaction without a change.
        damage.map_or(Ok(()), Err)?;
        let mut numbers = transaction.open_table(NUMBERS)?;
        for (number, half) in unused {
            let is_its = numbers.get(half)?.is_some_and(|found| found.value() == number);
            if is_its {
                numbers.remove(half)?;
            }
        }
        Ok::<Pruned, Fault>(pruned)
    })
    .map_err(|fault| fault.at(&file.path))
}
