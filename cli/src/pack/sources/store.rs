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
            let (key, state) = match self.rows.next()? {
                Ok(row) => row,
                // Nothing follows it.
                Err(error) => {
                    faults
                        .breaks_off(&format_args!("store '{}'", self.place.file.display()), &error);
                    return None;
                }
            };
            let capture = self.judging.in_force(&self.reader, &key, &state, &self.place);
            let capture = capture.unwrap_or_else(|error| {
                faults.unknown(&format_args!("{key}: {}", error.fault()));
                Judging::lost(&key, &state, &self.place)
            });
            if let Some(capture) = capture {
                return Some(GatherInput::Capture(capture));
            }
        }
    }
}
