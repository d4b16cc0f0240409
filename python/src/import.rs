//! Arrow arrays from Python, by the PyCapsule interface: one array, or a stream of them.
//!
//! Of arrow-rs, this needs the module of the C data interface only. Its reader of streams takes
//! record batches alone, and a column of a table is none.
#![expect(unsafe_code, reason = "the C data interface: see each block")]

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, make_array};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::export::{ARRAY, SCHEMA, STREAM};

/// Arrays, one after another.
pub enum Arrays {
    One(Option<ArrayRef>),
    Stream { stream: FFI_ArrowArrayStream, data_type: DataType },
}

impl Arrays {
    /// The arrays of an object that has them: `None` if it is not Arrow's.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Arrays>> {
        let py = object.py();
        if let Some(method) = object.getattr_opt(pyo3::intern!(py, "__arrow_c_array__"))? {
            let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
                method.call0()?.extract()?;
            return Ok(Some(Arrays::One(Some(one(&schema, &array)?))));
        }
        if let Some(method) = object.getattr_opt(pyo3::intern!(py, "__arrow_c_stream__"))? {
            return stream(&method.call0()?.extract()?).map(Some);
        }
        Ok(None)
    }

    /// The next array, and what the producer of a stream raised.
    pub fn next(&mut self) -> Option<Result<ArrayRef, ArrowError>> {
        let (stream, data_type) = match self {
            Arrays::One(array) => return array.take().map(Ok),
            Arrays::Stream { stream, data_type } => (stream, data_type),
        };
        let mut array = FFI_ArrowArray::empty();
        let get_next = stream.get_next()?;
        // SAFETY: a stream that is not released, as `of` made sure, and a place for the array.
        if unsafe { get_next(stream, &mut array) } != 0 {
            return Some(Err(last_error(stream)));
        }
        if array.is_released() {
            return None;
        }
        // SAFETY: the interface demands of a producer that its arrays have the type of its schema.
        let data = unsafe { from_ffi_and_data_type(array, data_type.clone()) };
        Some(data.map(make_array))
    }
}

/// Takes an array out of its capsule.
fn one(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<ArrayRef> {
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold these structures, and live as long as this function.
    // What is taken out of a capsule is marked there as released.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    Ok(make_array(data.map_err(refused)?))
}

/// Takes a stream out of its capsule.
fn stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<Arrays> {
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: as for an array.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    let (Some(_), Some(get_schema)) = (stream.release(), stream.get_schema()) else {
        return Err(PyValueError::new_err("the Arrow stream has been read already"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released, and the schema has a place.
    if unsafe { get_schema(&mut stream, &mut schema) } != 0 {
        return Err(PyValueError::new_err(last_error(&mut stream).to_string()));
    }
    let data_type = DataType::try_from(&schema).map_err(refused)?;
    Ok(Arrays::Stream { stream, data_type })
}

fn last_error(stream: &mut FFI_ArrowArrayStream) -> ArrowError {
    let text = stream.get_last_error().and_then(|get_last_error| {
        // SAFETY: the last call to this stream failed, and none came between; the text, if there
        // is one, ends with a zero and lives until the next call.
        let text = unsafe { get_last_error(stream) };
        // SAFETY: Arrow's interface says that the message ends with a NUL, and lives until the next
        // call on the stream.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    });
    ArrowError::CDataInterface(text.unwrap_or_else(|| "the stream failed".to_owned()))
}

fn refused(error: ArrowError) -> PyErr {
    PyTypeError::new_err(error.to_string())
}
