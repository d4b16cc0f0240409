//! Many URLs, as Python programs have them: Arrow arrays and streams, lists, iterators.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyFloat, PyIterator, PyMemoryView, PyString};

use crate::import::Arrays;
use crate::text::{bytes_of, type_name};

/// Many values, some of which may be null.
pub trait Rows: Sync {
    fn len(&self) -> usize;

    /// Reads values into `urls`, from row `from` on. What is null becomes empty. Whether there may
    /// be nulls.
    fn read<'r>(&'r self, from: usize, urls: &mut [&'r [u8]]) -> bool;

    fn is_null(&self, row: usize) -> bool;
}

macro_rules! rows_of_arrow {
    ($($array:ty),*) => {$(
        impl Rows for $array {
            fn len(&self) -> usize {
                Array::len(self)
            }

            fn read<'r>(&'r self, from: usize, urls: &mut [&'r [u8]]) -> bool {
                let has_nulls = self.null_count() > 0;
                for (row, url) in urls.iter_mut().enumerate() {
                    *url = if has_nulls && Array::is_null(self, from + row) {
                        b""
                    } else {
                        self.value(from + row)
                    };
                }
                has_nulls
            }

            fn is_null(&self, row: usize) -> bool {
                Array::is_null(self, row)
            }
        }
    )*};
}

rows_of_arrow!(BinaryArray, LargeBinaryArray, BinaryViewArray);

/// Values that were gathered from Python's objects.
#[derive(Default)]
struct Gathered {
    bytes: Vec<u8>,
    /// Where each value ends.
    ends: Vec<usize>,
    nulls: Vec<bool>,
    has_nulls: bool,
}

impl Gathered {
    fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
        self.nulls.push(false);
    }

    fn push_null(&mut self) {
        self.ends.push(self.bytes.len());
        self.nulls.push(true);
        self.has_nulls = true;
    }
}

impl Rows for Gathered {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn read<'r>(&'r self, from: usize, urls: &mut [&'r [u8]]) -> bool {
        let mut begin = from.checked_sub(1).map_or(0, |before| self.ends[before]);
        for (url, end) in urls.iter_mut().zip(&self.ends[from..]) {
            *url = &self.bytes[begin..*end];
            begin = *end;
        }
        self.has_nulls
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls[row]
    }
}

/// Nothing but nulls.
struct Nulls(usize);

impl Rows for Nulls {
    fn len(&self) -> usize {
        self.0
    }

    fn read<'r>(&'r self, _: usize, _: &mut [&'r [u8]]) -> bool {
        true
    }

    fn is_null(&self, _: usize) -> bool {
        true
    }
}

/// Some of the URLs.
pub enum Chunk {
    Rows(Box<dyn Rows>),
    /// Values, and for each row its value. `None` is null.
    Distinct(Box<dyn Rows>, Vec<Option<usize>>),
}

impl Chunk {
    pub fn len(&self) -> usize {
        match self {
            Chunk::Rows(rows) => rows.len(),
            Chunk::Distinct(_, keys) => keys.len(),
        }
    }

    pub fn rows(&self) -> &dyn Rows {
        match self {
            Chunk::Rows(rows) | Chunk::Distinct(rows, _) => &**rows,
        }
    }

    /// The values and the row's keys, if each value is to be judged once.
    pub fn distinct(&self) -> Option<(&dyn Rows, impl Iterator<Item = Option<usize>>)> {
        match self {
            Chunk::Rows(_) => None,
            Chunk::Distinct(values, keys) => Some((&**values, keys.iter().copied())),
        }
    }
}

/// Where URLs come from.
pub enum Source<'py> {
    Arrow(Arrays),
    Objects { objects: Bound<'py, PyIterator>, taken: usize },
}

/// The number of objects that are gathered at a time.
const GATHERED_AT_A_TIME: usize = 1 << 16;
const GATHERED_BYTES: usize = 8 << 20;

const TAKEN: &str =
    "an Arrow array or stream of strings or binary, or an iterable of str, bytes and None";

impl<'py> Source<'py> {
    pub fn of(urls: &Bound<'py, PyAny>) -> PyResult<Source<'py>> {
        let is_one = urls.is_instance_of::<PyString>()
            || urls.is_instance_of::<PyBytes>()
            || urls.is_instance_of::<PyByteArray>()
            || urls.is_instance_of::<PyMemoryView>();
        if is_one {
            return Err(PyTypeError::new_err(format!(
                "urls must be {TAKEN}, not one {}: put it into brackets",
                type_name(urls)
            )));
        }
        if let Some(arrays) = Arrays::of(urls)? {
            return Ok(Source::Arrow(arrays));
        }
        match urls.try_iter() {
            Ok(objects) => Ok(Source::Objects { objects, taken: 0 }),
            Err(_) => {
                Err(PyTypeError::new_err(format!("urls must be {TAKEN}, not {}", type_name(urls))))
            }
        }
    }

    /// The next URLs, `None` at the end.
    pub fn next(&mut self, py: Python<'py>) -> PyResult<Option<Chunk>> {
        match self {
            Source::Arrow(arrays) => match py.detach(|| arrays.next()) {
                Some(Ok(array)) => chunk_of(array).map(Some),
                // What the producer of a stream raised.
                Some(Err(error)) => Err(PyValueError::new_err(error.to_string())),
                None => Ok(None),
            },
            Source::Objects { objects, taken } => {
                let mut gathered = Gathered::default();
                for object in objects.by_ref() {
                    let object = object?;
                    if is_missing(&object) {
                        gathered.push_null();
                    } else {
                        match bytes_of(&object, "") {
                            Ok(url) => gathered.push(&url),
                            Err(error) if !error.is_instance_of::<PyTypeError>(py) => {
                                return Err(error);
                            }
                            Err(_) => {
                                return Err(PyTypeError::new_err(format!(
                                    "urls[{taken}] must be str, bytes or None, not {}",
                                    type_name(&object)
                                )));
                            }
                        }
                    }
                    *taken += 1;
                    if gathered.ends.len() == GATHERED_AT_A_TIME
                        || gathered.bytes.len() >= GATHERED_BYTES
                    {
                        break;
                    }
                }
                Ok((!gathered.ends.is_empty()).then(|| Chunk::Rows(Box::new(gathered))))
            }
        }
    }
}

/// Returns true if a value stands for a missing one: `None`, or what pandas and NumPy have for it.
fn is_missing(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan())
        || (!object.is_instance_of::<PyString>() && type_name(object) == "NAType")
}

fn chunk_of(array: ArrayRef) -> PyResult<Chunk> {
    if let Some(rows) = rows_of(&array) {
        return Ok(Chunk::Rows(rows));
    }
    match array.data_type() {
        DataType::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            let Some(values) = rows_of(dictionary.values()) else {
                return Err(not_taken(array.data_type()));
            };
            if dictionary.values().is_empty() {
                return Ok(Chunk::Rows(Box::new(Nulls(array.len()))));
            }
            let keys = dictionary.normalized_keys();
            let keys = keys
                .into_iter()
                .enumerate()
                .map(|(row, key)| (!array.is_null(row)).then_some(key))
                .collect();
            Ok(Chunk::Distinct(values, keys))
        }
        // A table of one column, as DuckDB gives one.
        DataType::Struct(fields) if fields.len() == 1 && array.null_count() == 0 => {
            chunk_of(Arc::clone(array.as_struct().column(0)))
        }
        other => Err(not_taken(other)),
    }
}

fn not_taken(data_type: &DataType) -> PyErr {
    let way_out = match data_type {
        DataType::Struct(_) => ": pass the column with the URLs",
        _ => "",
    };
    PyTypeError::new_err(format!("urls must be {TAKEN}, not Arrow's {data_type}{way_out}"))
}

/// The values of an array of strings or binary. Strings are taken as bytes, so nothing relies on the
/// promise of their producer that they are UTF-8.
fn rows_of(array: &ArrayRef) -> Option<Box<dyn Rows>> {
    let is_taken = matches!(
        array.data_type(),
        DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
    );
    // An empty slice may have offsets into values that it does not have.
    if is_taken && array.is_empty() {
        return Some(Box::new(Nulls(0)));
    }
    Some(match array.data_type() {
        DataType::Binary => Box::new(array.as_binary::<i32>().clone()),
        DataType::LargeBinary => Box::new(array.as_binary::<i64>().clone()),
        DataType::BinaryView => Box::new(array.as_binary_view().clone()),
        DataType::Utf8 => {
            let (offsets, values, nulls) = array.as_string::<i32>().clone().into_parts();
            Box::new(BinaryArray::new(offsets, values, nulls))
        }
        DataType::LargeUtf8 => {
            let (offsets, values, nulls) = array.as_string::<i64>().clone().into_parts();
            Box::new(LargeBinaryArray::new(offsets, values, nulls))
        }
        DataType::Utf8View => Box::new(array.as_string_view().clone().to_binary_view()),
        DataType::Null => Box::new(Nulls(array.len())),
        _ => return None,
    })
}
