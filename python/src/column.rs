//! A column of a result.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// A column of a result: what was said of each URL for one crawler.
pub trait Column: Clone {
    fn data_type() -> DataType;

    fn array(&self) -> ArrayRef;

    fn rows(&self) -> usize;

    /// Returns true if both are shown alike.
    fn alike(&self, other: &Self) -> bool;

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>>;
}
