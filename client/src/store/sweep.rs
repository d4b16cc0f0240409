//! Removes old origins and files, and bodies that none refers to.
//!
//! All in one transaction, which writes each page anew before it gives the old one back. On a full disk
//! there is no room for that, but there is for a change of the size of those before: as much as they
//! gave back. So then the same is done in steps, which begin small and grow with the room that they make.
//! The first step has what was kept for it: see [`reserve`](super::reserve).

use std::collections::HashSet;

use redb::{ReadableTable, ReadableTableMetadata, Table, TableHandle, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::bodies::Row;
use super::error::{Fault, StoreError};
use super::file::StoreFile;
use super::format::{BODIES, FILES, NUMBERS, ORIGINS, half_hash};
use super::record::{Record, decode_file, origin_key};
use crate::time::Timestamp;

/// The number of things that [`Store::prune`](super::Store::prune) removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Pruned {
    /// The number of origins.
    pub origins: u64,
    /// The number of other files of sites.
    #[serde(default)]
    pub files: u64,
    /// The number of distinct bodies.
    pub bodies: u64,
}

/// A table that is keyed by text.
type Rows<'t> = Table<'t, &'static [u8], &'static [u8]>;

/// The most rows that a step removes.
const MOST: usize = 1 << 12;

pub(super) fn prune(file: &StoreFile, older_than: Timestamp) -> Result<Pruned, StoreError> {
    // An attempt that fails leaves a larger file, with what was kept in it.
    let done = match file.use_reserve() {
        true => Err(None),
        false => file.write(|transaction| at_once(transaction, older_than)).map_err(Some),
    };
    match done {
        Err(Some(fault)) if !fault.is_full() => Err(fault),
        Err(_) => in_steps(file, older_than),
        Ok(pruned) => Ok(pruned),
    }
    .map_err(|fault| fault.at(&file.path))
}

fn at_once(transaction: &WriteTransaction, older_than: Timestamp) -> Result<Pruned, Fault> {
    let used = used(transaction, older_than)?;
    let mut pruned = Pruned::default();
    transaction.open_table(ORIGINS)?.retain(|origin, row| {
        let is_old = is_old(origin, row, older_than).unwrap_or_default();
        pruned.origins += u64::from(is_old);
        !is_old
    })?;
    if let Some(mut files) = files(transaction)? {
        files.retain(|url, row| {
            let is_old = is_old_file(url, row, older_than).unwrap_or_default();
            pruned.files += u64::from(is_old);
            !is_old
        })?;
    }
    let (mut unused, mut damage) = (Vec::new(), None);
    transaction.open_table(BODIES)?.retain(|number, row| {
        if used.contains(&number) {
            return true;
        }
        match Row::decode(number, row) {
            Ok(row) => unused.push((number, half_hash(&row.hash))),
            Err(fault) => drop(damage.get_or_insert(fault)),
        }
        false
    })?;
    // An error ends the transaction without a change.
    damage.map_or(Ok(()), Err)?;
    pruned.bodies = unused.len() as u64;
    forget_numbers(transaction, &unused)?;
    Ok(pruned)
}

fn in_steps(file: &StoreFile, older_than: Timestamp) -> Result<Pruned, Fault> {
    let origins = steps(file, |transaction, from: &Vec<u8>, most| {
        let table = transaction.open_table(ORIGINS)?;
        remove_old(table, from, most, |origin, row| is_old(origin, row, older_than))
    })?;
    let files = steps(file, |transaction, from: &Vec<u8>, most| match files(transaction)? {
        Some(table) => remove_old(table, from, most, |url, row| is_old_file(url, row, older_than)),
        None => Ok((0, None)),
    })?;
    let mut known = None;
    let bodies = steps(file, |transaction, from: &u64, most| {
        // Somebody else's change may have put a body to use again.
        let changes = file.changes();
        let used = match known.take() {
            Some((used, then)) if then == changes => used,
            _ => used(transaction, Timestamp(0))?,
        };
        let mut unused = Vec::new();
        let mut table = transaction.open_table(BODIES)?;
        for row in table.range(from..)? {
            let (number, row) = row?;
            let number = number.value();
            if !used.contains(&number) {
                unused.push((number, half_hash(&Row::decode(number, row.value())?.hash)));
                if unused.len() == most {
                    break;
                }
            }
        }
        for (number, _) in &unused {
            table.remove(number)?;
        }
        forget_numbers(transaction, &unused)?;
        known = Some((used, changes + 1));
        Ok((unused.len() as u64, unused.last().map(|(number, _)| *number)))
    })?;
    Ok(Pruned { origins, files, bodies })
}

/// A step through such a table.
fn remove_old(
    mut table: Rows<'_>,
    from: &[u8],
    most: usize,
    is_old: impl Fn(&[u8], &[u8]) -> Result<bool, Fault>,
) -> Result<(u64, Option<Vec<u8>>), Fault> {
    let mut old = Vec::new();
    for row in table.range(from..)? {
        let (key, row) = row?;
        if is_old(key.value(), row.value())? {
            old.push(key.value().to_vec());
            if old.len() == most {
                break;
            }
        }
    }
    for key in &old {
        table.remove(&key[..])?;
    }
    Ok((old.len() as u64, old.pop()))
}

/// The table of other files of sites, if the store has ever kept one.
fn files(transaction: &WriteTransaction) -> Result<Option<Rows<'_>>, Fault> {
    let is_files = |table: redb::UntypedTableHandle| table.name() == FILES.name();
    let has_files = transaction.list_tables()?.any(is_files);
    Ok(has_files.then(|| transaction.open_table(FILES)).transpose()?)
}

/// Takes steps, each in a transaction of its own, until one finds nothing more. A step begins at a key,
/// removes at most so many rows, and returns how many, and the last key. Steps grow as far as there is room.
/// Returns how many were removed.
fn steps<K: Default>(
    file: &StoreFile,
    mut step: impl FnMut(&WriteTransaction, &K, usize) -> Result<(u64, Option<K>), Fault>,
) -> Result<u64, Fault> {
    let (mut from, mut removed) = (K::default(), 0);
    let (mut most, mut done, mut patience) = (1, 0, 1);
    loop {
        match file.write(|transaction| step(transaction, &from, most)) {
            Ok((_, None)) => return Ok(removed),
            Ok((count, Some(last))) => {
                (from, removed, done) = (last, removed + count, done + 1);
                if done >= patience {
                    (most, done) = (MOST.min(2 * most), 0);
                }
            }
            // A step that fails costs more than many small ones.
            Err(fault) if fault.is_full() && most > 1 => {
                (most, done, patience) = (most / 2, 0, MOST.min(2 * patience));
            }
            Err(fault) => return Err(fault),
        }
    }
}

/// The numbers of the bodies that origins and files refer to, if the older ones are not counted.
///
/// # Errors
/// Returns an error if the table is damaged: the bodies of origins that are hidden would be removed.
fn used(transaction: &WriteTransaction, older_than: Timestamp) -> Result<HashSet<u64>, Fault> {
    let table = transaction.open_table(ORIGINS)?;
    let (mut used, mut seen) = (HashSet::new(), 0);
    for row in table.range(..)? {
        let (origin, row) = row?;
        let record = Record::decode(origin_key(origin.value())?, row.value())?;
        if record.attempted >= older_than.0 {
            used.extend(record.copy.map(|copy| copy.body));
        }
        seen += 1;
    }
    if seen != table.len()? {
        return Err(Fault::damaged("origins are missing"));
    }
    if let Some(files) = files(transaction)? {
        for row in files.range(..)? {
            let (url, row) = row?;
            let (_, record) = decode_file(origin_key(url.value())?, row.value())?;
            if record.attempted >= older_than.0 {
                used.extend(record.copy.map(|copy| copy.body));
            }
        }
    }
    Ok(used)
}

fn is_old_file(url: &[u8], row: &[u8], older_than: Timestamp) -> Result<bool, Fault> {
    Ok(decode_file(origin_key(url)?, row)?.1.attempted < older_than.0)
}

fn is_old(origin: &[u8], row: &[u8], older_than: Timestamp) -> Result<bool, Fault> {
    Ok(Record::decode(origin_key(origin)?, row)?.attempted < older_than.0)
}

/// Removes bodies that were removed from the index too, by their numbers and the halves of their hashes.
fn forget_numbers(transaction: &WriteTransaction, bodies: &[(u64, u128)]) -> Result<(), Fault> {
    let mut numbers = transaction.open_table(NUMBERS)?;
    for (number, half) in bodies {
        let is_its = numbers.get(half)?.is_some_and(|found| found.value() == *number);
        if is_its {
            numbers.remove(half)?;
        }
    }
    Ok(())
}
