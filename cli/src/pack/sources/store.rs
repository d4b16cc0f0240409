//! A store of fetched robots.txt files.

use std::path::Path;
use std::sync::Arc;

use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    AsOf, Failure as FetchFailure, Holds, OriginState, Protocol, Response,
};
use robotsieve_client::store::{Iter, Reader};

use super::{Faults, Judging, Source};
use crate::error::Failure;
use crate::pack::gather::Input;
use crate::read::stores;
use robotsieve_client::captures::{Answer, At, Capture, Place};

/// What is in force for the origins of a store, in the order of their keys.
pub struct Store {
    reader: Reader,
    rows: Iter,
    judging: (Protocol, AsOf),
    place: Place,
}

impl Store {
    /// Opens the store as it is now.
    ///
    /// # Errors
    /// Returns an error if that cannot be done.
    pub fn open(path: &Path, judging: &Judging) -> Result<Store, Failure> {
        let reader = stores::read_only(path)?.reader();
        let rows = reader.iter()?;
        let place = Place { file: Arc::from(path), at: At::Whole };
        Ok(Store { reader, rows, judging: judging.of_stores.clone(), place })
    }

    /// What is in force, as an answer that means just that.
    fn answer(&self, key: &str, state: &OriginState) -> Result<Option<Input>, Failure> {
        let (protocol, as_of) = &self.judging;
        let now = match *as_of {
            AsOf::Capture => state.attempted,
            AsOf::Time(time) => time,
        };
        let Ok(origin) = Origin::of(key) else { return Ok(None) };
        let nothing = |status| Answer::Final(Response::new(status, Vec::new()));
        let ruling = protocol.ruling(state, now);
        let (at, answer) = match (ruling.holds, &state.copy) {
            (Holds::Rules, Some(copy)) => {
                let body = self.reader.body(&copy.content)?.unwrap_or_default();
                let mut response = Response::new(200, Vec::new());
                // As it is: it may begin like UTF-16.
                response.body = body;
                (copy.at, Answer::Final(response))
            }
            (Holds::AllowAll, _) => (state.attempted, nothing(404)),
            _ => (state.attempted, Answer::Failed(FetchFailure::Broken(String::new()))),
        };
        let origin = origin.into_owned();
        let at = Some(at).filter(|at| *at > Timestamp(0));
        let place = self.place.clone();
        Ok(Some(Input::Capture(Capture { origin, other: None, at, answer, place })))
    }
}

impl Source for Store {
    fn next(&mut self, faults: &Faults) -> Option<Input> {
        loop {
            let row = self.rows.next()?.map_err(Failure::from);
            match row.and_then(|(key, state)| self.answer(&key, &state)) {
                Ok(Some(input)) => return Some(input),
                Ok(None) => {}
                Err(failure) => faults.add(&failure),
            }
        }
    }
}
