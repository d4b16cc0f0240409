//! Questions to a store.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use redb::{AccessGuard, OwnedRange, ReadOnlyTable, ReadTransaction, ReadableTableMetadata};

use super::bodies::{Decompression, Row};
use super::file::{BODIES, NUMBERS, ORIGINS, guarded};
use super::record::Record;
use super::{Fault, Open, SCHEMA_VERSION, StoreError};
use crate::outcome::{ContentHash, Known, Outcome};

/// A store as it was at one time; see [`Store::reader`](super::Store::reader).
///
/// It keeps the store open.
#[derive(Clone, Debug)]
pub struct Reader {
    snapshot: Arc<Snapshot>,
    _open: Arc<Open>,
}

/// What is known of an origin, and the body of its copy if one is held.
pub type WithBody = (Known, Option<Vec<u8>>);

/// A row of the table of bodies, where it lies.
type BodyRow = AccessGuard<'static, &'static [u8]>;

/// All origins of a [`Reader`], in the order of their keys.
pub struct Iter {
    rows: OwnedRange<&'static [u8], &'static [u8]>,
    reader: Reader,
}

/// What is in a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stat {
    /// The version of the file's tables.
    pub schema: u32,
    /// The id of the dictionary that bodies are compressed with.
    pub dictionary: u32,
    /// Origins that something is known of.
    pub origins: u64,
    /// Origins that have a robots.txt, by the last attempt.
    pub present: u64,
    /// Origins that have none, by the last attempt.
    pub absent: u64,
    /// Origins whose last attempt did not find it out.
    pub unreachable: u64,
    /// Origins of which a copy is held, whatever the last attempt meant.
    pub copies: u64,
    /// Different bodies.
    pub bodies: u64,
    /// Bodies among them that no origin refers to any more.
    pub unused_bodies: u64,
    /// The bytes of all different bodies.
    pub body_bytes: u64,
    /// The bytes that they take, compressed.
    pub stored_bytes: u64,
    /// The bytes of the file; while it is open for writing, room for more is among them.
    pub file_bytes: u64,
}

/// The tables, as of one commit.
pub(super) struct Snapshot {
    path: Arc<Path>,
    origins: ReadOnlyTable<&'static [u8], &'static [u8]>,
    bodies: ReadOnlyTable<u64, &'static [u8]>,
    numbers: ReadOnlyTable<u128, u64>,
    decompression: Arc<Decompression>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("path", &self.path).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Iter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Iter").field("reader", &self.reader).finish_non_exhaustive()
    }
}

impl Reader {
    pub(super) fn new(snapshot: Arc<Snapshot>, open: Arc<Open>) -> Reader {
        Reader { snapshot, _open: open }
    }

    /// As [`Store::get`](super::Store::get).
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::Io`].
    pub fn get(&self, origin: &str) -> Result<Option<Known>, StoreError> {
        self.snapshot.get(origin)
    }

    /// As [`Store::get_with_body`](super::Store::get_with_body).
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::Io`].
    pub fn get_with_body(&self, origin: &str) -> Result<Option<WithBody>, StoreError> {
        self.snapshot.get_with_body(origin)
    }

    /// As [`Store::body`](super::Store::body).
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::Io`].
    pub fn body(&self, content: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.snapshot.body(content)
    }

    /// All origins in the order of their keys, and what is known of them. They are read as the
    /// iterator goes; it ends after an error.
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::Io`].
    pub fn iter(&self) -> Result<Iter, StoreError> {
        let rows = guarded(|| Ok(self.snapshot.origins.range_owned::<&[u8]>(..)?));
        let rows = rows.map_err(|fault| fault.at(&self.snapshot.path))?;
        Ok(Iter { rows, reader: self.clone() })
    }
}

impl Iterator for Iter {
    type Item = Result<(String, Known), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let snapshot = &self.reader.snapshot;
        let next = guarded(|| {
            let Some(row) = self.rows.next() else { return Ok(None) };
            let (origin, row) = row?;
            let origin = text(origin.value())?;
            let (known, _) = snapshot.known(origin, row.value())?;
            Ok(Some((origin.to_owned(), known)))
        });
        next.map_err(|fault| fault.at(&snapshot.path)).transpose()
    }
}

impl Snapshot {
    pub(super) fn begin(
        transaction: &ReadTransaction,
        decompression: &Arc<Decompression>,
        path: &Arc<Path>,
    ) -> Result<Snapshot, Fault> {
        Ok(Snapshot {
            path: Arc::clone(path),
            origins: transaction.open_table(ORIGINS)?,
            bodies: transaction.open_table(BODIES)?,
            numbers: transaction.open_table(NUMBERS)?,
            decompression: Arc::clone(decompression),
        })
    }

    pub(super) fn get(&self, origin: &str) -> Result<Option<Known>, StoreError> {
        self.ask(|| {
            let Some(row) = self.origins.get(origin.as_bytes())? else { return Ok(None) };
            Ok(Some(self.known(origin, row.value())?.0))
        })
    }

    pub(super) fn get_with_body(&self, origin: &str) -> Result<Option<WithBody>, StoreError> {
        self.ask(|| {
            let Some(row) = self.origins.get(origin.as_bytes())? else { return Ok(None) };
            let (known, body) = self.known(origin, row.value())?;
            let body = match body {
                Some((number, row)) => {
                    Some(self.decompression.body(&Row::decode(number, row.value())?)?)
                }
                None => None,
            };
            Ok(Some((known, body)))
        })
    }

    pub(super) fn body(&self, content: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.ask(|| {
            let Some(number) = self.numbers.get(half(content))? else { return Ok(None) };
            let number = number.value();
            let row = self.row_of(number)?;
            let row = Row::decode(number, row.value())?;
            // Another body with the same half of a hash.
            if row.hash != *content {
                return Ok(None);
            }
            self.decompression.body(&row).map(Some)
        })
    }

    pub(super) fn stat(&self) -> Result<Stat, StoreError> {
        self.ask(|| {
            let mut stat = Stat {
                schema: SCHEMA_VERSION,
                dictionary: self.decompression.dictionary_id(),
                file_bytes: std::fs::metadata(&self.path)?.len(),
                ..Stat::default()
            };
            let mut used = HashSet::new();
            for row in self.origins.range::<&[u8]>(..)? {
                let (origin, row) = row?;
                let record = Record::decode(text(origin.value())?, row.value())?;
                stat.origins += 1;
                *match record.last() {
                    Outcome::Present => &mut stat.present,
                    Outcome::Absent(_) => &mut stat.absent,
                    Outcome::Unreachable(_) => &mut stat.unreachable,
                } += 1;
                if let Some(copy) = &record.copy {
                    stat.copies += 1;
                    used.insert(copy.body);
                }
            }
            for row in self.bodies.range::<u64>(..)? {
                let (number, row) = row?;
                let number = number.value();
                let row = Row::decode(number, row.value())?;
                stat.bodies += 1;
                stat.unused_bodies += u64::from(!used.contains(&number));
                stat.body_bytes += u64::from(row.len);
                stat.stored_bytes += row.stored.len() as u64;
            }
            Ok(stat)
        })
    }

    /// Reads all records and all bodies, by all ways that lead to them.
    pub(super) fn verify(&self) -> Result<(), Fault> {
        for row in self.origins.range::<&[u8]>(..)? {
            let (origin, row) = row?;
            self.known(text(origin.value())?, row.value())?;
        }
        for row in self.bodies.range::<u64>(..)? {
            let (number, row) = row?;
            let row = Row::decode(number.value(), row.value())?;
            self.decompression.body(&row)?;
            if self.numbers.get(half(&row.hash))?.is_none() {
                return Err(Fault::damaged(format!("the body {} is not in the index", row.hash)));
            }
        }
        if self.numbers.len()? > self.bodies.len()? {
            return Err(Fault::damaged("the index has more bodies than there are"));
        }
        Ok(())
    }

    /// What a row says is known of an origin, and the body's number and row.
    fn known(&self, origin: &str, row: &[u8]) -> Result<(Known, Option<(u64, BodyRow)>), Fault> {
        let record = Record::decode(origin, row)?;
        let Some(copy) = &record.copy else { return Ok((record.into_known(None), None)) };
        let number = copy.body;
        let row = self.row_of(number)?;
        let body = Row::decode(number, row.value())?;
        Ok((record.into_known(Some((body.hash, body.len))), Some((number, row))))
    }

    fn row_of(&self, number: u64) -> Result<BodyRow, Fault> {
        self.bodies
            .get(number)?
            .ok_or_else(|| Fault::damaged(format!("the body {number} is not there")))
    }

    fn ask<T>(&self, question: impl FnOnce() -> Result<T, Fault>) -> Result<T, StoreError> {
        guarded(question).map_err(|fault| fault.at(&self.path))
    }
}

/// The key of an origin.
pub(super) fn text(key: &[u8]) -> Result<&str, Fault> {
    str::from_utf8(key).map_err(|_| Fault::damaged("the key of an origin is no text"))
}

/// By what [`NUMBERS`] knows a body.
pub(super) fn half(content: &ContentHash) -> u128 {
    u128::from_be_bytes(*content.0.first_chunk().expect("32 bytes"))
}
