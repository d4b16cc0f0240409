//! Columns of different chunks, read side by side.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::signals::Signals;
use crate::urls::{Chunk, Source};

/// Where the chunks of a column come from.
pub trait Feed<'py> {
    type Chunk;

    /// The next chunk, `None` at the end.
    fn next(&mut self, py: Python<'py>, signals: &mut Signals) -> PyResult<Option<Self::Chunk>>;

    fn rows(chunk: &Self::Chunk) -> usize;
}

impl<'py> Feed<'py> for Source<'py> {
    type Chunk = Chunk;

    fn next(&mut self, py: Python<'py>, signals: &mut Signals) -> PyResult<Option<Chunk>> {
        Source::next(self, py, signals)
    }

    fn rows(chunk: &Chunk) -> usize {
        chunk.len()
    }
}

/// A column, and those of its rows that are at hand.
pub struct Ahead<'py, F: Feed<'py>> {
    feed: F,
    chunk: Option<F::Chunk>,
    pub from: usize,
}

/// Rows of a chunk, from one on.
pub struct Rows<'c, C> {
    pub chunk: &'c C,
    pub from: usize,
}

impl<'py, F: Feed<'py>> Ahead<'py, F> {
    pub fn of(feed: F) -> Ahead<'py, F> {
        Ahead { feed, chunk: None, from: 0 }
    }

    /// The number of rows at hand: none only at the end of the column.
    pub fn fill(&mut self, py: Python<'py>, signals: &mut Signals) -> PyResult<usize> {
        loop {
            let rows = self.chunk.as_ref().map_or(0, |chunk| F::rows(chunk) - self.from);
            if rows > 0 {
                return Ok(rows);
            }
            (self.chunk, self.from) = (self.feed.next(py, signals)?, 0);
            if self.chunk.is_none() {
                return Ok(0);
            }
        }
    }

    pub fn rows(&self) -> Option<Rows<'_, F::Chunk>> {
        Some(Rows { chunk: self.chunk.as_ref()?, from: self.from })
    }
}

/// A column that may be missing.
type Optional<'py, F> = Option<Ahead<'py, F>>;

/// The number of rows at hand, at most `rows`.
///
/// # Errors
/// Returns an error if one column ends before the other.
pub fn fill<'py, F: Feed<'py>>(
    column: &mut Optional<'py, F>,
    name: &str,
    rows: usize,
    py: Python<'py>,
    signals: &mut Signals,
) -> PyResult<usize> {
    let Some(column) = column else { return Ok(rows) };
    match column.fill(py, signals)? {
        0 if rows > 0 => Err(uneven(name, "urls")),
        1.. if rows == 0 => Err(uneven("urls", name)),
        found => Ok(found.min(rows)),
    }
}

/// The error of a column that ends before another one.
pub fn uneven(shorter: &str, longer: &str) -> PyErr {
    PyValueError::new_err(format!(
        "{shorter} has fewer rows than {longer}: give a value, or a null, for each URL"
    ))
}
