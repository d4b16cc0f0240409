//! Columns of URLs and of other bytes, as Python programs have them: Arrow arrays and streams, lists,
//! iterators.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyMemoryView, PyString};

use crate::import::Arrays;
use crate::signals::Signals;
use crate::text::{bytes_of, type_name, way_out};

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

/// Some of the values of a column.
pub enum Chunk {
    Rows(Box<dyn Rows>),
    /// Values, and for each row its value. `None` is null.
    Distinct(Values, Vec<Option<usize>>),
}

impl Chunk {
    pub fn len(&self) -> usize {
        match self {
            Chunk::Rows(rows) => rows.len(),
            Chunk::Distinct(_, keys) => keys.len(),
        }
    }

    /// The value of a row. `None` is null.
    pub fn value(&self, row: usize) -> Option<&[u8]> {
        match self {
            Chunk::Rows(rows) => value_of(&**rows, row),
            Chunk::Distinct(values, keys) => keys[row].and_then(|key| values.value(key)),
        }
    }
}

/// The value of a row. `None` is null.
fn value_of(rows: &dyn Rows, row: usize) -> Option<&[u8]> {
    let mut value: [&[u8]; 1] = [b""];
    let may_be_null = rows.read(row, &mut value);
    (!may_be_null || !rows.is_null(row)).then_some(value[0])
}

/// The values of a dictionary.
pub struct Values {
    array: ArrayRef,
    rows: Box<dyn Rows>,
}

impl Values {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The value of a key. `None` is null.
    pub fn value(&self, key: usize) -> Option<&[u8]> {
        value_of(&*self.rows, key)
    }

    /// Returns true if these are the same values in memory. While these are kept, no others can be there.
    pub fn is_same(&self, other: &Values) -> bool {
        self.array.to_data().ptr_eq(&other.array.to_data())
    }

    /// Some of them, by their places.
    pub fn some<'v>(&'v self, places: &'v [usize]) -> impl Rows + 'v {
        Part { rows: &*self.rows, places }
    }
}

/// Some rows of others.
struct Part<'v> {
    rows: &'v dyn Rows,
    places: &'v [usize],
}

impl Rows for Part<'_> {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn read<'r>(&'r self, from: usize, urls: &mut [&'r [u8]]) -> bool {
        let mut has_nulls = false;
        for (url, place) in urls.iter_mut().zip(&self.places[from..]) {
            has_nulls |= self.rows.read(*place, std::slice::from_mut(url));
        }
        has_nulls
    }

    fn is_null(&self, row: usize) -> bool {
        self.rows.is_null(self.places[row])
    }
}

/// Returns true for text, bytes and their like, which are one value and no column.
pub fn is_text(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>()
}

/// What a column is given as.
pub enum Items<'py> {
    Arrays(Arrays),
    Objects(Bound<'py, PyIterator>),
}

impl<'py> Items<'py> {
    /// `name` is what errors call the column, and `taken` says what is taken for it.
    pub fn of(column: &Bound<'py, PyAny>, name: &str, taken: &str) -> PyResult<Items<'py>> {
        if is_text(column) {
            return Err(PyTypeError::new_err(format!(
                "{name} must be {taken}, not one {}: put it into brackets",
                type_name(column)
            )));
        }
        if let Some(arrays) = Arrays::of(column)? {
            return Ok(Items::Arrays(arrays));
        }
        column.try_iter().map(Items::Objects).map_err(|error| {
            let is_iterable = ["__iter__", "__getitem__"]
                .iter()
                .any(|method| column.get_type().hasattr(method).unwrap_or(false));
            // What its own code raised is not ours to judge.
            if is_iterable {
                error
            } else {
                PyTypeError::new_err(format!("{name} must be {taken}, not {}", type_name(column)))
            }
        })
    }
}

/// The next array, if there is one.
pub fn next_array(py: Python<'_>, arrays: &mut Arrays) -> PyResult<Option<ArrayRef>> {
    // What the producer of a stream raised.
    let raised = |error: ArrowError| PyValueError::new_err(error.to_string());
    py.detach(|| arrays.next()).transpose().map_err(raised)
}

/// Where the values of a column come from.
pub struct Source<'py> {
    name: &'static str,
    items: Items<'py>,
    /// The number of rows so far.
    taken: usize,
}

/// The number of objects that are gathered at a time.
pub const GATHERED_AT_A_TIME: usize = 1 << 16;
pub const GATHERED_BYTES: usize = 8 << 20;

/// It is looked again whether the user wants to stop after so many objects, at the earliest.
pub const LOOKS_AT_SIGNALS: usize = 1 << 10;

const TAKEN: &str =
    "an Arrow array or stream of strings or binary, or an iterable of str, bytes and None";

impl<'py> Source<'py> {
    /// `name` is what errors call the column.
    pub fn of(column: &Bound<'py, PyAny>, name: &'static str) -> PyResult<Source<'py>> {
        Ok(Source { name, items: Items::of(column, name, TAKEN)?, taken: 0 })
    }

    /// The next values, `None` at the end.
    pub fn next(&mut self, py: Python<'py>, signals: &mut Signals) -> PyResult<Option<Chunk>> {
        let Source { name, items, taken } = self;
        match items {
            Items::Arrays(arrays) => {
                let Some(array) = next_array(py, arrays)? else { return Ok(None) };
                let before = *taken;
                *taken += array.len();
                chunk_of(array, name, before).map(Some)
            }
            Items::Objects(objects) => {
                let mut gathered = Gathered::default();
                for object in objects.by_ref() {
                    let object = object?;
                    if is_missing(&object) {
                        gathered.push_null();
                    } else {
                        match bytes_of(&object, "") {
                            Ok(value) => gathered.push(&value),
                            Err(error) if !error.is_instance_of::<PyTypeError>(py) => {
                                return Err(error);
                            }
                            Err(_) => {
                                let way_out = way_out(&object, "…");
                                return Err(PyTypeError::new_err(format!(
                                    "{name}[{taken}] must be str, bytes or None, not {}{way_out}",
                                    type_name(&object)
                                )));
                            }
                        }
                    }
                    *taken += 1;
                    if taken.is_multiple_of(LOOKS_AT_SIGNALS) {
                        signals.look(py)?;
                    }
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
pub fn is_missing(object: &Bound<'_, PyAny>) -> bool {
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return false;
    }
    // Every kind of NaN, and pandas' NaT, is not itself.
    let is_not_itself = || object.ne(object).unwrap_or(false);
    object.is_none() || type_name(object) == "NAType" || is_not_itself()
}

/// The keys of a dictionary of `len` values, `None` for null. `before` is the number of rows before.
fn keys_of(
    keys: &dyn Array,
    name: &str,
    before: usize,
    len: usize,
) -> PyResult<Vec<Option<usize>>> {
    let place = |row: usize, key: usize| match key {
        _ if keys.is_null(row) => Ok(None),
        key if key < len => Ok(Some(key)),
        _ => Err(PyValueError::new_err(format!(
            "{name}[{}] is invalid: its dictionary of {len} values has none for its key",
            before + row
        ))),
    };
    macro_rules! places {
        ($($variant:ident $type:ty),*) => {
            match keys.data_type() {
                $(DataType::$variant => {
                    let keys = keys.as_primitive::<$type>().values().iter().enumerate();
                    // Negative ones become too large.
                    keys.map(|(row, key)| place(row, key.as_usize())).collect()
                })*
                other => Err(not_taken(other, name)),
            }
        };
    }
    places!(
        Int8 Int8Type, Int16 Int16Type, Int32 Int32Type, Int64 Int64Type,
        UInt8 UInt8Type, UInt16 UInt16Type, UInt32 UInt32Type, UInt64 UInt64Type
    )
}

/// The chunk of an array that comes after so many rows of the column `name`.
pub fn chunk_of(array: ArrayRef, name: &str, before: usize) -> PyResult<Chunk> {
    if let Some(rows) = rows_of(&array) {
        return Ok(Chunk::Rows(rows));
    }
    match array.data_type() {
        DataType::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            let values = dictionary.values();
            let Some(rows) = rows_of(values) else {
                return Err(not_taken(array.data_type(), name));
            };
            let keys = keys_of(dictionary.keys(), name, before, values.len())?;
            Ok(Chunk::Distinct(Values { array: Arc::clone(values), rows }, keys))
        }
        // A table of one column, as DuckDB gives one.
        DataType::Struct(fields) if fields.len() == 1 && array.null_count() == 0 => {
            chunk_of(Arc::clone(array.as_struct().column(0)), name, before)
        }
        other => Err(not_taken(other, name)),
    }
}

fn not_taken(data_type: &DataType, name: &str) -> PyErr {
    let what = if name == "urls" { "URLs" } else { name };
    let way_out = match data_type {
        DataType::Struct(_) => format!(": pass the column with the {what}"),
        _ => String::new(),
    };
    PyTypeError::new_err(format!("{name} must be {TAKEN}, not Arrow's {data_type}{way_out}"))
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
