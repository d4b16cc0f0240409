//! Reads through a handle of its own.

use std::sync::Arc;

use super::error::StoreError;
use super::open::Open;
use super::snapshot::{OriginRows, Snapshot, StateWithBody};
use crate::outcome::{ContentHash, OriginState};

/// A store as it was at one time; see [`Store::reader`](super::Store::reader).
///
/// It keeps the store open.
#[derive(Clone, Debug)]
pub struct Reader {
    snapshot: Arc<Snapshot>,
    _open: Arc<Open>,
}

/// All origins of a [`Reader`], in the order of their keys.
#[must_use]
pub struct Iter {
    rows: OriginRows,
    reader: Reader,
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

    /// Like [`Store::get`](super::Store::get).
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](super::Fault::Damaged) or [cannot be read](super::Fault::Io).
    pub fn get(&self, origin: &str) -> Result<Option<OriginState>, StoreError> {
        self.snapshot.get(origin)
    }

    /// Like [`Store::get_with_body`](super::Store::get_with_body).
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](super::Fault::Damaged) or [cannot be read](super::Fault::Io).
    pub fn get_with_body(&self, origin: &str) -> Result<Option<StateWithBody>, StoreError> {
        self.snapshot.get_with_body(origin)
    }

    /// Like [`Store::body`](super::Store::body).
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](super::Fault::Damaged) or [cannot be read](super::Fault::Io).
    pub fn body(&self, content: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.snapshot.body(content)
    }

    /// All origins and their states, in the order of the origins' keys. The iterator reads them
    /// as it goes, and ends after an error. If damage hides origins, that is its last item.
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](super::Fault::Damaged) or [cannot be read](super::Fault::Io).
    pub fn iter(&self) -> Result<Iter, StoreError> {
        Ok(Iter { rows: self.snapshot.rows()?, reader: self.clone() })
    }
}

impl Iterator for Iter {
    type Item = Result<(String, OriginState), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.snapshot.next_of(&mut self.rows).transpose()
    }
}
