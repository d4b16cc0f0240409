//! Reads of the store as of one commit.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};

use redb::{
    OwnedAccessGuard, OwnedRange, ReadOnlyTable, ReadTransaction, ReadableTable,
    ReadableTableMetadata, TableError,
};
use serde::{Deserialize, Serialize};

use super::bodies::{Decompression, Row};
use super::error::{Fault, StoreError};
use super::format::{BODIES, FILES, NUMBERS, ORIGINS, SCHEMA_VERSION, half_hash};
use super::guard::guarded;
use super::record::{Record, decode_file, origin_key};
use crate::outcome::{ContentHash, OriginState, Outcome};

/// The state of an origin, and the body of its copy if it has one.
pub type StateWithBody = (OriginState, Option<Vec<u8>>);

/// A row of the table of bodies, in place.
type BodyRow = OwnedAccessGuard<&'static [u8]>;

/// The rows of all origins, in the order of their keys.
pub(super) struct OriginRows {
    /// `None` after the last row, or after an error.
    rows: Option<OwnedRange<&'static [u8], &'static [u8]>>,
    walk: Walk,
}

/// Figures about a store: see [`Store::stat`](super::Store::stat).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stat {
    /// The version of the file's tables.
    pub schema: u32,
    /// The id of the dictionary that compresses the bodies.
    pub dictionary: u32,
    /// Origins in the store.
    pub origins: u64,
    /// Origins whose last attempt found a robots.txt.
    pub present: u64,
    /// Origins whose last attempt found that there is none.
    pub absent: u64,
    /// Origins whose last attempt failed.
    pub unreachable: u64,
    /// Origins of which nothing is known but that older answers no longer count.
    #[serde(default)]
    pub unknown: u64,
    /// Origins with a copy, whatever their last attempt found.
    pub copies: u64,
    /// Distinct bodies.
    pub bodies: u64,
    /// Distinct bodies that no origin and no other file refers to any more.
    pub unused_bodies: u64,
    /// Other files of sites that are kept, and what is known of them.
    #[serde(default)]
    pub files: u64,
    /// The total size of the distinct bodies.
    pub body_bytes: u64,
    /// Their total size when compressed.
    pub stored_bytes: u64,
    /// The size of the file. While it is open for writing, this includes free space.
    pub file_bytes: u64,
}

/// The tables as of one commit.
pub(super) struct Snapshot {
    path: Arc<Path>,
    origins: ReadOnlyTable<&'static [u8], &'static [u8]>,
    /// `None` in a store that never kept a file but robots.txt.
    files: Option<ReadOnlyTable<&'static [u8], &'static [u8]>>,
    bodies: ReadOnlyTable<u64, &'static [u8]>,
    numbers: ReadOnlyTable<u128, u64>,
    decompression: Arc<Decompression>,
    /// True if it is known that the table of origins has as many rows as it says.
    is_counted: AtomicBool,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("path", &self.path).finish_non_exhaustive()
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
            files: match transaction.open_table(FILES) {
                Ok(files) => Some(files),
                Err(TableError::TableDoesNotExist(_)) => None,
                Err(error) => return Err(error.into()),
            },
            bodies: transaction.open_table(BODIES)?,
            numbers: transaction.open_table(NUMBERS)?,
            decompression: Arc::clone(decompression),
            is_counted: AtomicBool::new(false),
        })
    }

    /// The same for a store that this program has written: what it had before is known to be whole,
    /// or as whole as it was.
    pub(super) fn counted(mut self) -> Snapshot {
        *self.is_counted.get_mut() = true;
        self
    }

    pub(super) fn get(&self, origin: &str) -> Result<Option<OriginState>, StoreError> {
        self.guarded(|| {
            let Some(row) = self.origins.get(origin.as_bytes())? else {
                return self.check_missing(origin).map(|()| None);
            };
            Ok(Some(self.state_in(origin, row.value())?.0))
        })
    }

    pub(super) fn get_with_body(&self, origin: &str) -> Result<Option<StateWithBody>, StoreError> {
        self.guarded(|| {
            let Some(row) = self.origins.get(origin.as_bytes())? else {
                return self.check_missing(origin).map(|()| None);
            };
            let (state, body) = self.state_in(origin, row.value())?;
            let body = match body {
                Some((number, row)) => {
                    Some(self.decompression.body(&Row::decode(number, row.value())?)?)
                }
                None => None,
            };
            Ok(Some((state, body)))
        })
    }

    /// The state of another file of a site, and the body of its copy if it has one. `None` if the body is
    /// lost: a program that does not know of files may have removed it.
    pub(super) fn file(&self, url: &str) -> Result<Option<StateWithBody>, StoreError> {
        self.guarded(|| {
            let Some(files) = &self.files else { return Ok(None) };
            let Some(row) = files.get(url.as_bytes())? else { return Ok(None) };
            let (content, record) = decode_file(url, row.value())?;
            let Some(copy) = &record.copy else { return Ok(Some((record.into_state(None), None))) };
            let number = copy.body;
            let Some(row) = self.bodies.get_owned(number)? else { return Ok(None) };
            let row = Row::decode(number, row.value())?;
            if row.hash != content {
                return Ok(None);
            }
            let body = self.decompression.body(&row)?;
            Ok(Some((record.into_state(Some((row.hash, row.len))), Some(body))))
        })
    }

    /// The URLs of all files, for a copy of the store.
    pub(super) fn file_urls(&self) -> Result<Vec<String>, StoreError> {
        self.guarded(|| {
            let Some(files) = &self.files else { return Ok(Vec::new()) };
            let rows = files.range(..)?;
            rows.map(|row| Ok(origin_key(row?.0.value())?.to_owned())).collect()
        })
    }

    /// Checks the rows between which an origin would be that is not found: its checksums cover their
    /// keys, and a damaged one of theirs, or of the tree above them, hides origins.
    fn check_missing(&self, origin: &str) -> Result<(), Fault> {
        let key = origin.as_bytes();
        let before = self.origins.range(..key)?.next_back().transpose()?;
        let after = self.origins.range(key..)?.next().transpose()?;
        // At the edges a row that is missing has no neighbour; one page may stand for all. So the
        // rows are counted, once.
        let is_edge = before.is_none() || after.is_none();
        if is_edge && !self.is_counted.load(atomic::Ordering::Relaxed) {
            let mut walk = Walk::default();
            for row in self.origins.range(..)? {
                walk.pass(row?.0.value())?;
            }
            self.all(&walk)?;
        }
        for (row, place) in [(before, Ordering::Less), (after, Ordering::Greater)] {
            let Some((key, row)) = row else { continue };
            let neighbour = origin_key(key.value())?;
            Record::decode(neighbour, row.value())?;
            if neighbour.cmp(origin) != place {
                return Err(Fault::damaged(format!("{neighbour} is in a wrong place")));
            }
        }
        Ok(())
    }

    pub(super) fn body(&self, content: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.guarded(|| {
            let Some(number) = self.numbers.get(half_hash(content))? else { return Ok(None) };
            let number = number.value();
            let row = self.row_of(number)?;
            let row = Row::decode(number, row.value())?;
            // The number belongs to another body with the same half hash.
            if row.hash != *content {
                return Ok(None);
            }
            self.decompression.body(&row).map(Some)
        })
    }

    pub(super) fn stat(&self) -> Result<Stat, StoreError> {
        self.guarded(|| {
            let mut stat = Stat {
                schema: SCHEMA_VERSION,
                dictionary: self.decompression.dictionary_id(),
                file_bytes: std::fs::metadata(&self.path)?.len(),
                ..Stat::default()
            };
            let (mut used, mut walk) = (HashSet::new(), Walk::default());
            // These may be lost, and are no damage then.
            let mut of_files = HashSet::new();
            for row in self.origins.range(..)? {
                let (origin, row) = row?;
                walk.pass(origin.value())?;
                let record = Record::decode(origin_key(origin.value())?, row.value())?;
                stat.origins += 1;
                *match record.last() {
                    Outcome::Present => &mut stat.present,
                    Outcome::Absent(_) => &mut stat.absent,
                    Outcome::Unreachable(_) => &mut stat.unreachable,
                    Outcome::Unknown => &mut stat.unknown,
                } += 1;
                if let Some(copy) = &record.copy {
                    stat.copies += 1;
                    used.insert(copy.body);
                }
            }
            self.all(&walk)?;
            if let Some(files) = &self.files {
                for row in files.range(..)? {
                    let (url, row) = row?;
                    let (_, record) = decode_file(origin_key(url.value())?, row.value())?;
                    stat.files += 1;
                    of_files.extend(record.copy.map(|copy| copy.body));
                }
            }
            for row in self.bodies.range(..)? {
                let (number, row) = row?;
                let number = number.value();
                let row = Row::decode(number, row.value())?;
                stat.bodies += 1;
                let is_used = used.contains(&number) || of_files.contains(&number);
                stat.unused_bodies += u64::from(!is_used);
                stat.body_bytes += u64::from(row.len);
                stat.stored_bytes += row.stored.len() as u64;
                used.remove(&number);
            }
            if !used.is_empty() || stat.bodies != self.bodies.len()? {
                return Err(Fault::damaged("bodies are missing"));
            }
            Ok(stat)
        })
    }

    /// The number of distinct bodies.
    pub(super) fn bodies_len(&self) -> Result<u64, StoreError> {
        self.guarded(|| Ok(self.bodies.len()?))
    }

    /// Reads all records and all bodies, through each table that refers to them.
    pub(super) fn verify(&self) -> Result<(), Fault> {
        let (mut walk, mut bodies) = (Walk::default(), 0);
        for row in self.origins.range(..)? {
            let (origin, row) = row?;
            walk.pass(origin.value())?;
            let origin = origin_key(origin.value())?;
            self.state_in(origin, row.value())?;
            if self.origins.get(origin.as_bytes())?.is_none() {
                return Err(Fault::damaged(format!("{origin} is in a wrong place")));
            }
        }
        self.all(&walk)?;
        if let Some(files) = &self.files {
            for row in files.range(..)? {
                let (url, row) = row?;
                decode_file(origin_key(url.value())?, row.value())?;
            }
        }
        for row in self.bodies.range(..)? {
            let (number, row) = row?;
            let number = number.value();
            let row = Row::decode(number, row.value())?;
            self.decompression.body(&row)?;
            bodies += 1;
            if self.bodies.get(number)?.is_none() {
                return Err(Fault::damaged(format!("body {number} is in a wrong place")));
            }
            if self.numbers.get(half_hash(&row.hash))?.is_none() {
                return Err(Fault::damaged(format!("the body {} is not in the index", row.hash)));
            }
        }
        if bodies != self.bodies.len()? {
            return Err(Fault::damaged("bodies are missing"));
        }
        if self.numbers.len()? > bodies {
            return Err(Fault::damaged("the index has more entries than there are bodies"));
        }
        Ok(())
    }

    /// The state in an origin's row, and the number and row of its body.
    fn state_in(
        &self,
        origin: &str,
        row: &[u8],
    ) -> Result<(OriginState, Option<(u64, BodyRow)>), Fault> {
        let record = Record::decode(origin, row)?;
        let Some(copy) = &record.copy else { return Ok((record.into_state(None), None)) };
        let number = copy.body;
        let row = self.row_of(number)?;
        let body = Row::decode(number, row.value())?;
        Ok((record.into_state(Some((body.hash, body.len))), Some((number, row))))
    }

    fn row_of(&self, number: u64) -> Result<BodyRow, Fault> {
        self.bodies
            .get_owned(number)?
            .ok_or_else(|| Fault::damaged(format!("body {number} is missing")))
    }

    fn guarded<T>(&self, work: impl FnOnce() -> Result<T, Fault>) -> Result<T, StoreError> {
        guarded(work).map_err(|fault| fault.at(&self.path))
    }

    /// The rows of all origins.
    pub(super) fn rows(&self) -> Result<OriginRows, StoreError> {
        self.guarded(|| {
            Ok(OriginRows { rows: Some(self.origins.range_owned(..)?), walk: Walk::default() })
        })
    }

    /// The next row, as the key of an origin and its state. Nothing follows an error.
    pub(super) fn next_of(
        &self,
        origins: &mut OriginRows,
    ) -> Result<Option<(String, OriginState)>, StoreError> {
        let Some(mut rows) = origins.rows.take() else { return Ok(None) };
        self.guarded(|| {
            let Some(row) = rows.next() else {
                self.all(&origins.walk)?;
                return Ok(None);
            };
            let (origin, row) = row?;
            origins.walk.pass(origin.value())?;
            let origin = origin_key(origin.value())?;
            let (state, _) = self.state_in(origin, row.value())?;
            origins.rows = Some(rows);
            Ok(Some((origin.to_owned(), state)))
        })
    }

    /// Checks that a walk has passed all origins, of which a damaged page hides some.
    fn all(&self, walk: &Walk) -> Result<(), Fault> {
        if walk.count != self.origins.len()? {
            return Err(Fault::damaged("origins are missing"));
        }
        self.is_counted.store(true, atomic::Ordering::Relaxed);
        Ok(())
    }
}

/// A walk through the table of origins, in order.
#[derive(Default)]
struct Walk {
    count: u64,
    last: Vec<u8>,
}

impl Walk {
    /// Passes the row of a key: a page that stands where another one was repeats keys or has them
    /// out of order.
    fn pass(&mut self, key: &[u8]) -> Result<(), Fault> {
        if self.count > 0 && *self.last >= *key {
            let key = origin_key(key)?;
            return Err(Fault::damaged(format!("{key} is in a wrong place")));
        }
        self.count += 1;
        self.last.clear();
        self.last.extend_from_slice(key);
        Ok(())
    }
}
