//! What archives know of pages: columns that become those of records, by the names that records have.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, Field, Fields};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use robotsieve_report::{
    RIGHTS_MEMBERS, RIGHTS_OF_CAPTURE, RecordedPage, RightsSettings, notes_of_capture,
};
use robotsieve_rights::{Note, Notes};
use serde_json::{Map, Value};

use super::ahead::Feed;
use crate::answers::of_words;
use crate::import::Arrays;
use crate::reports::to_json;
use crate::signals::Signals;
use crate::text::type_name;
use crate::urls::{Chunk, chunk_of, next_array};

/// Where the captures of a column come from.
pub struct CaptureSource {
    arrays: Arrays,
    taken: usize,
}

/// Some of the captures, and those of their members that bear on rights.
pub struct CaptureChunk {
    array: StructArray,
    robots: Option<Chunk>,
    page: Option<Chunk>,
    documents: Option<Chunk>,
    noted: Option<Chunk>,
}

const TAKEN: &str = "an Arrow table, or an Arrow array of structs";

impl CaptureSource {
    pub fn of(captures: &Bound<'_, PyAny>) -> PyResult<CaptureSource> {
        let arrays = Arrays::of(captures)?.ok_or_else(|| {
            PyTypeError::new_err(format!("captures must be {TAKEN}, not {}", type_name(captures)))
        })?;
        Ok(CaptureSource { arrays, taken: 0 })
    }
}

impl<'py> Feed<'py> for CaptureSource {
    type Chunk = CaptureChunk;

    fn next(&mut self, py: Python<'py>, _: &mut Signals) -> PyResult<Option<CaptureChunk>> {
        let Some(array) = next_array(py, &mut self.arrays)? else { return Ok(None) };
        let before = self.taken;
        self.taken += array.len();
        let Some(array) = array.as_any().downcast_ref::<StructArray>().cloned() else {
            let found = array.data_type();
            return Err(PyTypeError::new_err(format!(
                "captures must be {TAKEN}, not Arrow's {found}"
            )));
        };
        let names = array.fields().iter().map(|field| field.name());
        if let Some(name) = names.clone().find(|name| !RIGHTS_OF_CAPTURE.contains(&name.as_str())) {
            return Err(PyValueError::new_err(format!(
                "captures: a record's capture has no '{name}'; it has {}",
                RIGHTS_OF_CAPTURE.join(", ")
            )));
        }
        let text = |name: &str| {
            let column = array.column_by_name(name);
            column.map(|column| chunk_of(column.clone(), "captures", before)).transpose()
        };
        let (robots, page) = (text("robots")?, text("page")?);
        let (documents, noted) = (text("documents")?, text("notes")?);
        Ok(Some(CaptureChunk { array, robots, page, documents, noted }))
    }

    fn rows(chunk: &CaptureChunk) -> usize {
        chunk.array.len()
    }
}

/// What a capture says of its robots.txt and its page, as far as it counts: that something was read is true only of
/// what is `given`.
pub fn believed(
    robots: Option<&str>,
    has_robots: bool,
    page: RecordedPage,
    given: RecordedPage,
) -> (Option<&str>, RecordedPage) {
    let robots = robots.filter(|word| *word != "rules" || has_robots);
    let is_of_body = matches!(page, RecordedPage::Read | RecordedPage::Metadata);
    let is_missing = is_of_body && given == RecordedPage::Unreadable;
    (robots, if is_missing { RecordedPage::Unreadable } else { page })
}

impl CaptureChunk {
    /// What is noted of a row, of which `has_robots` and `given` say what is given beside it.
    pub fn notes(&self, row: usize, has_robots: bool, given: RecordedPage) -> Notes {
        fn of(column: Option<&Chunk>, row: usize) -> Option<Cow<'_, str>> {
            column.and_then(|column| column.value(row)).map(String::from_utf8_lossy)
        }
        let robots = of(self.robots.as_ref(), row);
        let robots = robots.as_deref().or(has_robots.then_some("rules"));
        // What is no known word was not read.
        let known = |name: &str| {
            let mut all = RecordedPage::ALL.into_iter();
            all.find(|page| page.as_str() == name).unwrap_or(RecordedPage::Unreadable)
        };
        let page = of(self.page.as_ref(), row).map_or(given, |name| known(&name));
        let (robots, page) = believed(robots, has_robots, page, given);
        // A list that cannot be read may have named what was not read.
        let is_damaged = Cell::new(false);
        let list = |column: &Option<Chunk>| -> Vec<Value> {
            let Some(json) = of(column.as_ref(), row) else { return Vec::new() };
            let list = serde_json::from_str(&json);
            is_damaged.set(is_damaged.get() || list.is_err());
            list.unwrap_or_default()
        };
        let documents = list(&self.documents);
        let fits = documents.iter().filter_map(|document| document["fit"].as_str());
        let of_capture = notes_of_capture(robots, page, fits);
        let noted = list(&self.noted);
        let note_of = |code: &Value| code.as_str().and_then(Note::with_code);
        let noted = noted.iter().map(|code| note_of(code).unwrap_or(Note::RobotsNotRead));
        let damaged = is_damaged.get().then_some(Note::FileNotRead);
        of_capture.iter().chain(noted).chain(damaged).collect()
    }

    /// The columns of records: those of the rights, of these captures from a row on, and of what else a record has.
    pub fn beside(
        &self,
        from: usize,
        rights: &StructArray,
        (url, now): (ArrayRef, ArrayRef),
        settings: &RightsSettings,
    ) -> PyResult<StructArray> {
        let settings: Map<String, Value> = serde_json::from_str(&to_json(settings)?)
            .map_err(|cause| PyValueError::new_err(cause.to_string()))?;
        let len = rights.len();
        let captures = self.array.slice(from, len);
        let mut columns: HashMap<&str, ArrayRef> = HashMap::from([("url", url), ("now", now)]);
        for (name, value) in &settings {
            if let Some(text) = value.as_str() {
                let all = std::iter::repeat_n(Some(0), len);
                columns.insert(name, of_words(all, &[text]));
            }
        }
        // The notes of the rights have those of the capture.
        for of in [&captures, rights] {
            let all = of.fields().iter().zip(of.columns());
            columns.extend(all.map(|(field, column)| (field.name().as_str(), Arc::clone(column))));
        }
        let names = RIGHTS_MEMBERS.into_iter().chain(["invalid"]);
        let columns = names.filter_map(|name| Some((name, columns.get(name)?.clone())));
        let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = columns
            .map(|(name, column)| {
                (Field::new(name, DataType::clone(column.data_type()), true), column)
            })
            .unzip();
        Ok(StructArray::new(Fields::from(fields), columns, None))
    }
}
