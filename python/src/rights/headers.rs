//! Headers of responses, as Python programs and Arrow columns have them.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use robotsieve_rights::{HeaderField, InvalidHeader, Response, header_fields};

use super::ahead::Feed;
use crate::signals::Signals;
use crate::text::{bytes_of, type_name};
use crate::urls::{
    Chunk, GATHERED_AT_A_TIME, Items, LOOKS_AT_SIGNALS, chunk_of, is_missing, is_text, next_array,
};

/// Names and values of fields that say something about rights, in their order.
pub type Fields = Vec<(Vec<u8>, Vec<u8>)>;

const TAKEN: &str =
    "a mapping of names and values, a list of such pairs, or text with 'Name: value' lines";

/// The fields of a header that Python gave. The inner error is that of text that is no header.
pub fn fields_of(headers: &Bound<'_, PyAny>) -> PyResult<Result<Fields, InvalidHeader>> {
    if is_text(headers) {
        let fields = header_fields(&bytes_of(headers, "headers")?);
        return Ok(fields.map(|fields| {
            let matters = |(name, _): &(Vec<u8>, Vec<u8>)| HeaderField::is_read(name);
            fields.into_iter().filter(matters).collect()
        }));
    }
    let py = headers.py();
    // httpx joins several lines of a field in `items`.
    let pairs = match headers.getattr_opt(pyo3::intern!(py, "multi_items"))? {
        Some(pairs) => pairs.call0()?,
        None => match headers.getattr_opt(pyo3::intern!(py, "items"))? {
            Some(pairs) => pairs.call0()?,
            None => headers.clone(),
        },
    };
    let not_taken = |found: &Bound<'_, PyAny>| {
        PyTypeError::new_err(format!("headers must be {TAKEN}, not {}", type_name(found)))
    };
    let mut fields = Fields::new();
    for pair in pairs.try_iter().map_err(|_| not_taken(headers))? {
        let pair = pair?;
        let is_list = pair.is_instance_of::<PyList>() || pair.is_instance_of::<PyTuple>();
        let parts = if is_list { pair.extract::<Vec<Bound<'_, PyAny>>>()? } else { Vec::new() };
        let [name, value] = <[_; 2]>::try_from(parts).map_err(|_| not_taken(&pair))?;
        let name = bytes_of(&name, "the name of a header field")?;
        if !HeaderField::is_read(&name) {
            continue;
        }
        let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
        let values = if is_list { value.try_iter()?.collect() } else { Ok(vec![value]) };
        for value in values? {
            let value = bytes_of(&value, "the value of a header field")?;
            fields.push((name.to_vec(), value.into_owned()));
        }
    }
    Ok(Ok(fields))
}

/// The error of text that is no header.
pub fn invalid(error: &InvalidHeader) -> PyErr {
    PyValueError::new_err(format!("headers, line {}: {error}", error.line))
}

/// Some of the headers of a column.
pub enum HeaderChunk {
    /// Text with `Name: value` lines.
    Text(Chunk),
    /// Lists of names and values.
    Pairs(Box<Pairs>),
    /// What Python's objects had. An error is text that is no header.
    Read(Vec<Option<Result<Fields, InvalidHeader>>>),
}

/// Names and values of all rows, one after another.
pub struct Pairs {
    lists: Lists,
    /// Which of the pairs are null.
    nulls: Option<NullBuffer>,
    names: Chunk,
    values: Values,
}

enum Values {
    One(Chunk),
    /// Several for a name.
    Many(Lists, Chunk),
}

/// Where the items of lists are. A list that is null has none.
struct Lists {
    offsets: Vec<usize>,
    nulls: Option<NullBuffer>,
}

impl Lists {
    /// # Errors
    /// Returns an error if the offsets lead beyond the items.
    fn new<O: ArrowNativeType>(
        offsets: &[O],
        nulls: Option<&NullBuffer>,
        items: usize,
    ) -> PyResult<Lists> {
        let offsets: Vec<usize> = offsets.iter().map(|offset| offset.as_usize()).collect();
        if !offsets.is_sorted() || offsets.last().is_some_and(|last| *last > items) {
            return Err(PyValueError::new_err("headers: an Arrow list has invalid offsets"));
        }
        Ok(Lists { offsets, nulls: nulls.cloned() })
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn items(&self, row: usize) -> std::ops::Range<usize> {
        if self.is_null(row) { 0..0 } else { self.offsets[row]..self.offsets[row + 1] }
    }
}

impl HeaderChunk {
    fn len(&self) -> usize {
        match self {
            HeaderChunk::Text(text) => text.len(),
            HeaderChunk::Pairs(pairs) => pairs.lists.offsets.len().saturating_sub(1),
            HeaderChunk::Read(headers) => headers.len(),
        }
    }

    /// What the header of a row says. An error if it is text that is no header.
    pub fn response(&self, row: usize) -> Result<Response, InvalidHeader> {
        let response = Response::new();
        match self {
            HeaderChunk::Text(text) => match text.value(row) {
                None => Ok(response),
                Some(text) => response.with_header_text(text),
            },
            HeaderChunk::Pairs(pairs) => Ok(response.with_headers(pairs.of(row))),
            HeaderChunk::Read(headers) => match &headers[row] {
                None => Ok(response),
                Some(Err(error)) => Err(error.clone()),
                Some(Ok(fields)) => {
                    let fields = fields.iter().map(|(name, value)| (&name[..], &value[..]));
                    Ok(response.with_headers(fields))
                }
            },
        }
    }
}

impl Pairs {
    fn of(&self, row: usize) -> impl Iterator<Item = (&[u8], &[u8])> {
        let is_there = |item: &usize| self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*item));
        self.lists.items(row).filter(is_there).flat_map(|item| {
            let name = self.names.value(item).unwrap_or_default();
            // Most fields say nothing here.
            let is_wanted = HeaderField::is_read(name);
            let (one, many) = match &self.values {
                _ if !is_wanted => (None, None),
                Values::One(values) => (values.value(item), None),
                Values::Many(lists, values) => {
                    let all = lists.items(item).filter_map(|item| values.value(item));
                    (None, Some(all))
                }
            };
            one.into_iter().chain(many.into_iter().flatten()).map(move |value| (name, value))
        })
    }
}

/// Where the headers of a column come from.
pub struct HeaderSource<'py> {
    items: Items<'py>,
    taken: usize,
}

const COLUMN_TAKEN: &str = "an Arrow array or stream of maps, lists of pairs or strings, or an iterable of \
     mappings, lists of pairs, text and None";

impl<'py> HeaderSource<'py> {
    pub fn of(headers: &Bound<'py, PyAny>) -> PyResult<HeaderSource<'py>> {
        Ok(HeaderSource { items: Items::of(headers, "headers", COLUMN_TAKEN)?, taken: 0 })
    }
}

impl<'py> Feed<'py> for HeaderSource<'py> {
    type Chunk = HeaderChunk;

    fn next(&mut self, py: Python<'py>, signals: &mut Signals) -> PyResult<Option<HeaderChunk>> {
        let HeaderSource { items, taken } = self;
        match items {
            Items::Arrays(arrays) => {
                let Some(array) = next_array(py, arrays)? else { return Ok(None) };
                let before = *taken;
                *taken += array.len();
                header_chunk_of(&array, before).map(Some)
            }
            Items::Objects(objects) => {
                let mut headers = Vec::new();
                for object in objects.by_ref().take(GATHERED_AT_A_TIME) {
                    let object = object?;
                    let fields = match is_missing(&object) {
                        true => None,
                        false => Some(fields_of(&object).map_err(|error| {
                            if !error.is_instance_of::<PyTypeError>(py) {
                                return error;
                            }
                            PyTypeError::new_err(format!("row {taken}: {}", error.value(py)))
                        })?),
                    };
                    headers.push(fields);
                    *taken += 1;
                    if taken.is_multiple_of(LOOKS_AT_SIGNALS) {
                        signals.look(py)?;
                    }
                }
                Ok((!headers.is_empty()).then_some(HeaderChunk::Read(headers)))
            }
        }
    }

    fn rows(chunk: &HeaderChunk) -> usize {
        chunk.len()
    }
}

fn header_chunk_of(array: &ArrayRef, before: usize) -> PyResult<HeaderChunk> {
    // An empty slice may have offsets into values that it does not have.
    if array.is_empty() {
        return Ok(HeaderChunk::Read(Vec::new()));
    }
    match array.data_type() {
        DataType::Map(_, _) => {
            let map = array.as_map();
            let lists = Lists::new(map.value_offsets(), map.nulls(), map.entries().len())?;
            pairs_of(lists, map.entries())
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let lists = Lists::new(list.value_offsets(), list.nulls(), list.values().len())?;
            pairs_of(lists, entries_of(array, list.values())?)
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            let lists = Lists::new(list.value_offsets(), list.nulls(), list.values().len())?;
            pairs_of(lists, entries_of(array, list.values())?)
        }
        DataType::Struct(fields) if fields.len() == 1 && array.null_count() == 0 => {
            header_chunk_of(array.as_struct().column(0), before)
        }
        DataType::Struct(_) => Err(not_taken(array.data_type())),
        _ => chunk_of(array.clone(), "headers", before)
            .map(HeaderChunk::Text)
            .map_err(|_| not_taken(array.data_type())),
    }
}

fn not_taken(data_type: &DataType) -> PyErr {
    PyTypeError::new_err(format!("headers must be {COLUMN_TAKEN}, not Arrow's {data_type}"))
}

/// The items of lists, which must be pairs.
fn entries_of<'a>(array: &ArrayRef, items: &'a ArrayRef) -> PyResult<&'a StructArray> {
    match items.as_struct_opt() {
        Some(entries) if entries.num_columns() == 2 => Ok(entries),
        _ => Err(not_taken(array.data_type())),
    }
}

fn pairs_of(lists: Lists, entries: &StructArray) -> PyResult<HeaderChunk> {
    if entries.is_empty() {
        let rows = lists.offsets.len().saturating_sub(1);
        return Ok(HeaderChunk::Read((0..rows).map(|_| None).collect()));
    }
    let names = chunk_of(entries.column(0).clone(), "headers", 0)?;
    let values = entries.column(1);
    let many = |lists: Lists, items: &ArrayRef| {
        chunk_of(items.clone(), "headers", 0).map(|items| Values::Many(lists, items))
    };
    let values = match values.data_type() {
        DataType::List(_) => {
            let list = values.as_list::<i32>();
            many(
                Lists::new(list.value_offsets(), list.nulls(), list.values().len())?,
                list.values(),
            )?
        }
        DataType::LargeList(_) => {
            let list = values.as_list::<i64>();
            many(
                Lists::new(list.value_offsets(), list.nulls(), list.values().len())?,
                list.values(),
            )?
        }
        _ => Values::One(chunk_of(values.clone(), "headers", 0)?),
    };
    let nulls = entries.nulls().cloned();
    Ok(HeaderChunk::Pairs(Box::new(Pairs { lists, nulls, names, values })))
}
