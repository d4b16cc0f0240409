//! Arrow arrays for Python, by the PyCapsule interface.
//!
//! A schema that a consumer requests is not heeded, as the interface permits: consumers cast better
//! themselves, and Arrow's casts would be a third of this program.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

pub const SCHEMA: &CStr = c"arrow_schema";
pub const ARRAY: &CStr = c"arrow_array";
pub const STREAM: &CStr = c"arrow_array_stream";

/// The capsule of a type, whose values may be null.
pub fn schema(py: Python<'_>, data_type: DataType) -> PyResult<Bound<'_, PyCapsule>> {
    let field = Field::new("", data_type, true);
    let schema = FFI_ArrowSchema::try_from(&field).map_err(failed)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// The capsules of an array: its type and its data.
pub fn array<'py>(py: Python<'py>, array: &dyn Array) -> PyResult<Bound<'py, PyTuple>> {
    let data = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), ARRAY)?;
    PyTuple::new(py, [schema(py, array.data_type().clone())?, data])
}

/// The capsule of a stream with one batch: the columns of a struct array.
pub fn table(py: Python<'_>, columns: StructArray) -> PyResult<Bound<'_, PyCapsule>> {
    let fields = columns.fields().clone();
    tables(py, fields, vec![columns])
}

/// The capsule of a stream with a batch for each struct array.
pub fn tables(
    py: Python<'_>,
    fields: Fields,
    arrays: Vec<StructArray>,
) -> PyResult<Bound<'_, PyCapsule>> {
    let batches = arrays.into_iter().map(|columns| Ok(RecordBatch::from(columns)));
    let schema = Arc::new(Schema::new(fields));
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches, schema)));
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// Numbers for Spark: an Arrow array.
#[pyclass(frozen, module = "robotsieve._robotsieve")]
pub struct Numbers(pub ArrayRef);

#[pymethods]
impl Numbers {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        array(py, &self.0)
    }
}

fn failed(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
