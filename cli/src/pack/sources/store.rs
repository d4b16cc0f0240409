//! A store of fetched robots.txt files.

use std::path::Path;
use std::sync::Arc;

use robotsieve_captures::packs::{GatherInput, Judging};
use robotsieve_captures::{At, RecordPlace};
use robotsieve_client::store::{Iter, Reader};

use super::source::{CaptureSource, Faults};
use crate::error::Failure;
use crate::read::stores;

/// What is in force for the origins of a store, in the order of their keys.
pub struct Store {
    reader: Reader,
    rows: Iter,
    judging: Judging,
    place: RecordPlace,
}

impl Store {
    /// Opens the store as it is now.
    ///
    /// # Errors
    /// Returns an error if that cannot be done.
    pub fn open(path: &Path, judging: &Judging) -> Result<Store, Failure> {
        let reader = stores::read_only(path)?.reader();
        let rows = reader.iter()?;
        let place = RecordPlace { file: Arc::from(path), at: At::Whole };
        Ok(Store { reader, rows, judging: judging.clone(), place })
    }
}

impl CaptureSource for Store {
    fn next(&mut self, faults: &Faults) -> Option<GatherInput> {
        loop {
            let row = self.rows.next()?.map_err(Failure::from);
            let capture = row.and_then(|(key, state)| {
                Ok(self.judging.in_force(&self.reader, &key, &state, &self.place)?)
            });
            match capture {
                Ok(Some(capture)) => return Some(GatherInput::Capture(capture)),
                Ok(None) => {}
                Err(failure) => faults.add(&failure),
            }
        }
    }
}
