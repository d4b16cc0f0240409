//! The shards of many URLs.

use std::sync::Arc;

use arrow_array::Int32Array;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use robotsieve::pack::PackError;

use crate::batch::{self, Cell, Judge};
use crate::export::Numbers;

/// The shard of each URL, of ``shards`` in all, 2,147,483,648 at most, as :meth:`Origin.shard` has it; of what is not a
/// URL, one that depends on its bytes. An array of ``int32``.
#[pyfunction]
pub fn shards_of(urls: &Bound<'_, PyAny>, shards: u32) -> PyResult<Numbers> {
    if !(1..=1 << 31).contains(&shards) {
        return Err(PyValueError::new_err("shards must be between 1 and 2147483648"));
    }
    let judged = batch::judge(&Sharded(shards), urls, Some(1))?;
    let places = judged.cells.iter().map(|Shard(place)| place.cast_signed());
    Ok(Numbers(Arc::new(Int32Array::from_iter_values(places))))
}

#[derive(Clone, Copy)]
struct Shard(u32);

impl Cell for Shard {
    const UNKNOWN: Shard = Shard(0);
    const INVALID: Shard = Shard(0);
}

struct Sharded(u32);

impl Judge for Sharded {
    type Cell = Shard;
    type Scratch = ();

    fn labels(&self) -> Vec<String> {
        vec![String::new()]
    }

    fn judge(&self, urls: &[&[u8]], places: &mut [Shard], (): &mut ()) -> Result<(), PackError> {
        for (url, place) in urls.iter().zip(places) {
            *place = Shard(match robotsieve::Origin::of(*url) {
                Ok(origin) => origin.shard(self.0),
                #[expect(clippy::cast_possible_truncation, reason = "less than `shards`")]
                Err(_) => (batch::hash(url) % u64::from(self.0)) as u32,
            });
        }
        Ok(())
    }
}
