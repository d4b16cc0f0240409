//! The rights of many URLs, as Arrow columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, LargeListArray, LargeStringArray, StructArray, UInt32Array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use robotsieve::Answer;
use robotsieve_rights::{Note, Notes, Place, Purpose, Rights, Ruling, UseCeiling};

use crate::answers::{Answers, number, numbered, of_words, words_type};
use crate::export;

/// The most statements, and the most licences, that a row lists: a hostile file may make millions.
const MOST_LISTED: usize = 1_000;

/// Why a row has no rights.
#[derive(Clone, Copy)]
pub enum Invalid {
    Url,
    Headers,
}

const INVALID: [&str; 2] = ["url", "headers"];

/// Texts, one after another.
pub struct Texts {
    bytes: Vec<u8>,
    ends: Vec<i64>,
    /// Which are not null; empty as long as none is.
    valid: Vec<bool>,
}

impl Texts {
    pub fn new() -> Texts {
        Texts { bytes: Vec::new(), ends: vec![0], valid: Vec::new() }
    }

    fn len(&self) -> usize {
        self.ends.len() - 1
    }

    fn push(&mut self, text: &str) {
        self.push_option(Some(text));
    }

    pub fn push_option(&mut self, text: Option<&str>) {
        if text.is_none() && self.valid.is_empty() {
            self.valid.resize(self.len(), true);
        }
        if text.is_none() || !self.valid.is_empty() {
            self.valid.push(text.is_some());
        }
        self.bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
        self.ends.push(self.bytes.len() as i64);
    }

    pub fn finish(self) -> ArrayRef {
        let nulls = (!self.valid.is_empty()).then(|| NullBuffer::from(self.valid));
        let ends = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        Arc::new(LargeStringArray::new(ends, Buffer::from_vec(self.bytes), nulls))
    }
}

/// Places as texts. Most rows have places that rows before had.
#[derive(Default)]
struct Places(Vec<(Place, Box<str>)>);

/// The most places that are looked through.
const MOST_PLACES: usize = 16;

impl Places {
    fn with_text(&mut self, place: &Place, add: impl FnOnce(&str)) {
        if let Some((_, text)) = self.0.iter().find(|(known, _)| known == place) {
            return add(text);
        }
        let text = place.to_string();
        add(&text);
        if self.0.len() < MOST_PLACES {
            self.0.push((place.clone(), text.into()));
        }
    }
}

/// Lists of structs of texts, or of texts alone, one for each row.
struct Lists<const N: usize> {
    texts: [Texts; N],
    ends: Vec<i64>,
}

impl<const N: usize> Lists<N> {
    fn with_capacity(rows: usize) -> Lists<N> {
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0);
        Lists { texts: std::array::from_fn(|_| Texts::new()), ends }
    }

    /// Ends the list of a row.
    fn end(&mut self) {
        self.ends.push(self.texts[0].len() as i64);
    }

    fn finish(self, data_type: &DataType, valid: Option<&NullBuffer>) -> ArrayRef {
        let DataType::LargeList(item) = data_type else { unreachable!("a list") };
        let mut texts: Vec<ArrayRef> = self.texts.into_iter().map(Texts::finish).collect();
        let items: ArrayRef = match item.data_type() {
            DataType::Struct(fields) => Arc::new(StructArray::new(fields.clone(), texts, None)),
            _ => texts.remove(0),
        };
        let ends = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        Arc::new(LargeListArray::new(item.clone(), ends, items, valid.cloned()))
    }
}

fn text_field(name: &str, is_nullable: bool) -> Field {
    Field::new(name, DataType::LargeUtf8, is_nullable)
}

/// The type of lists of structs of texts, which are null where that is said.
fn list_type(fields: &[(&str, bool)]) -> DataType {
    let fields = fields.iter().map(|(name, is_nullable)| text_field(name, *is_nullable));
    let item = DataType::Struct(fields.collect());
    DataType::LargeList(FieldRef::new(Field::new("item", item, false)))
}

fn limits_fields() -> Fields {
    Fields::from(vec![
        Field::new("max-snippet", DataType::UInt32, true),
        text_field("index", true),
        text_field("ai-input", true),
    ])
}

/// The columns of the table.
fn fields() -> Fields {
    let texts = DataType::LargeList(FieldRef::new(text_field("item", false)));
    let statement = [("purpose", false), ("place", false), ("version", false)];
    let licence = [("kind", false), ("url", true), ("via", false), ("state", true)];
    let mut fields: Vec<Field> = Purpose::ALL
        .iter()
        .map(|of| Field::new(of.as_str(), words_type(), *of == Purpose::AiIndex))
        .collect();
    fields.extend([
        Field::new("by", list_type(&statement), true),
        Field::new("licences", list_type(&licence), true),
        Field::new("licensable", texts.clone(), true),
        Field::new("conditions", list_type(&[("purpose", false), ("condition", false)]), true),
        Field::new("limits", DataType::Struct(limits_fields()), true),
        Field::new("use", words_type(), true),
        Field::new("notes", texts, true),
        Field::new("invalid", words_type(), true),
    ]);
    fields.into()
}

/// The words of rulings, by their numbers.
fn answer_words() -> Vec<&'static str> {
    (0..).map_while(numbered).map(Answer::as_str).collect()
}

/// Rights, row by row, which become columns.
pub struct TableBuilder {
    rulings: [Vec<Option<i8>>; Purpose::ALL.len()],
    places: Places,
    by: Lists<3>,
    licences: Lists<4>,
    licensable: Lists<1>,
    conditions: Lists<2>,
    max_snippet: Vec<Option<u32>>,
    index_limit: Texts,
    input_limit: Texts,
    ceilings: Vec<Option<i8>>,
    notes: Lists<1>,
    invalid: Vec<Option<i8>>,
}

fn key(answer: Answer) -> Option<i8> {
    Some(number(answer) as i8)
}

fn answer(ruling: Ruling) -> Answer {
    match ruling {
        Ruling::Allow => Answer::Allow,
        Ruling::Disallow => Answer::Disallow,
        Ruling::Unknown => Answer::Unknown,
    }
}

impl TableBuilder {
    pub fn with_capacity(rows: usize) -> TableBuilder {
        TableBuilder {
            rulings: std::array::from_fn(|_| Vec::with_capacity(rows)),
            places: Places::default(),
            by: Lists::with_capacity(rows),
            licences: Lists::with_capacity(rows),
            licensable: Lists::with_capacity(rows),
            conditions: Lists::with_capacity(rows),
            max_snippet: Vec::with_capacity(rows),
            index_limit: Texts::new(),
            input_limit: Texts::new(),
            ceilings: Vec::with_capacity(rows),
            notes: Lists::with_capacity(rows),
            invalid: Vec::with_capacity(rows),
        }
    }

    pub fn add(&mut self, rights: &Rights) {
        let is_listed =
            |purpose| purpose != Purpose::AiIndex || rights.purposes().any(|of| of == purpose);
        for (rulings, purpose) in self.rulings.iter_mut().zip(Purpose::ALL.iter().copied()) {
            let ruling = is_listed(purpose).then(|| answer(rights.ruling(purpose)));
            rulings.push(ruling.and_then(key));
        }
        // Of each purpose, so that none has to go without.
        let most = MOST_LISTED / Purpose::ALL.len();
        let mut is_cut = rights.licences().len() > MOST_LISTED;
        for purpose in rights.purposes() {
            let [purposes, places, versions] = &mut self.by.texts;
            let mut statements = rights.by(purpose);
            for statement in statements.by_ref().take(most) {
                purposes.push(purpose.as_str());
                self.places.with_text(&statement.place, |text| places.push(text));
                versions.push(statement.version.as_str());
            }
            is_cut |= statements.next().is_some();
            let [purposes, conditions] = &mut self.conditions.texts;
            for condition in rights.conditions(purpose) {
                purposes.push(purpose.as_str());
                conditions.push(condition);
            }
        }
        self.by.end();
        self.conditions.end();
        for licence in rights.licences().iter().take(MOST_LISTED) {
            let [kinds, urls, vias, states] = &mut self.licences.texts;
            kinds.push(licence.kind.as_str());
            urls.push_option(licence.url.as_deref());
            self.places.with_text(&licence.via, |text| vias.push(text));
            states.push_option(licence.state.map(|state| state.as_str()));
        }
        self.licences.end();
        for purpose in rights.licensable().iter() {
            self.licensable.texts[0].push(purpose.as_str());
        }
        self.licensable.end();
        let limits = rights.limits();
        self.max_snippet.push(limits.max_snippet);
        self.index_limit.push_option(limits.index_if_embedded.then_some("if-embedded"));
        self.input_limit.push_option(limits.url_title_snippet.then_some("url-title-snippet"));
        let ceiling = rights.use_ceiling();
        let place = |ceiling| UseCeiling::ALL.iter().position(|other| *other == ceiling);
        self.ceilings.push(ceiling.and_then(place).map(|place| place as i8));
        let cut = is_cut.then_some(Note::Cut);
        let notes: Notes = rights.notes().iter().chain(cut).collect();
        notes.iter().for_each(|note| self.notes.texts[0].push(note.as_str()));
        self.notes.end();
        self.invalid.push(None);
    }

    pub fn add_invalid(&mut self, why: Invalid) {
        self.rulings.iter_mut().for_each(|rulings| rulings.push(key(Answer::Invalid)));
        self.by.end();
        self.licences.end();
        self.licensable.end();
        self.conditions.end();
        self.max_snippet.push(None);
        self.index_limit.push_option(None);
        self.input_limit.push_option(None);
        self.ceilings.push(None);
        self.notes.end();
        self.invalid.push(Some(why as i8));
    }

    pub fn finish(self) -> StructArray {
        let is_valid: Vec<bool> = self.invalid.iter().map(Option::is_none).collect();
        let valid = NullBuffer::from(is_valid);
        let valid = (valid.null_count() > 0).then_some(valid);
        let (fields, words) = (fields(), answer_words());
        let mut columns: Vec<ArrayRef> =
            self.rulings.into_iter().map(|rulings| of_words(rulings.into_iter(), &words)).collect();
        let ceilings: Vec<&str> = UseCeiling::ALL.iter().map(|all| all.as_str()).collect();
        let limits: Vec<ArrayRef> = vec![
            Arc::new(UInt32Array::from(self.max_snippet)),
            self.index_limit.finish(),
            self.input_limit.finish(),
        ];
        let valid = valid.as_ref();
        let list_type = |name: &str| {
            let (_, field) = fields.find(name).expect("a column");
            field.data_type().clone()
        };
        columns.extend([
            self.by.finish(&list_type("by"), valid),
            self.licences.finish(&list_type("licences"), valid),
            self.licensable.finish(&list_type("licensable"), valid),
            self.conditions.finish(&list_type("conditions"), valid),
            Arc::new(StructArray::new(limits_fields(), limits, valid.cloned())),
            of_words(self.ceilings.into_iter(), &ceilings),
            self.notes.finish(&list_type("notes"), valid),
            of_words(self.invalid.into_iter(), &INVALID),
        ]);
        StructArray::new(fields, columns, None)
    }
}

/// The rights of many URLs, in their order. Made by :meth:`RightsReader.columns`.
///
/// An Arrow table (``pyarrow.table``, ``polars.DataFrame``, a table of DuckDB):
///
/// | column | type | |
/// |---|---|---|
/// | ``crawl``, ``index``, ``snippet``, ``ai-input``, ``ai-train``, ``ai-index`` | dictionary of strings | ``allow``, ``disallow``, ``unknown``, or ``invalid``; ``ai-index`` is null unless an RSL document covers the URL |
/// | ``by`` | list of struct of strings | the statements that decided: ``purpose``, ``place``, ``version`` |
/// | ``licences`` | list of struct of strings | ``kind``, ``url``, ``via``, ``state`` |
/// | ``licensable`` | list of strings | purposes |
/// | ``conditions`` | list of struct of strings | ``purpose``, ``condition`` |
/// | ``limits`` | struct | ``max-snippet``, a number; ``index`` and ``ai-input``, strings; null where there is no limit |
/// | ``use`` | dictionary of strings | the ceiling of Content Signals, or null |
/// | ``notes`` | list of strings | codes |
/// | ``invalid`` | dictionary of strings | ``url`` or ``headers`` if that is invalid, otherwise null |
///
/// All names are those that JSON has. A row lists 1,000 statements and 1,000 licences at most.
/// In a row that is invalid all but the purposes and ``invalid`` is null.
///
/// >>> import polars as pl
/// >>> from robotsieve import RightsReader
/// >>> headers = [{"Content-Usage": "train-ai=n"}, None]
/// >>> columns = RightsReader("GPTBot").columns(["https://example.com/a", "https://example.com/b"], headers=headers)
/// >>> pl.DataFrame(columns).explode("by").unnest("by").select("ai-train", "place").rows()
/// [('disallow', 'header:content-usage')]
#[pyclass(frozen, module = "robotsieve")]
pub struct RightsColumns {
    arrays: Vec<StructArray>,
    rows: usize,
}

impl RightsColumns {
    pub fn of(arrays: Vec<StructArray>) -> RightsColumns {
        let rows = arrays.iter().map(Array::len).sum();
        RightsColumns { arrays, rows }
    }

    /// Its columns: with captures those of records.
    fn fields(&self) -> Fields {
        self.arrays.first().map_or_else(fields, |array| array.fields().clone())
    }

    /// The rulings on a purpose.
    fn answers(&self, place: usize) -> Answers {
        let mut answers = Vec::with_capacity(self.rows);
        for array in &self.arrays {
            let column = array.column_by_name(Purpose::ALL[place].as_str()).expect("a purpose");
            let keys = column.as_dictionary::<Int8Type>().keys().values();
            answers.extend(keys.iter().filter_map(|key| numbered(u8::try_from(*key).ok()?)));
        }
        Answers::of(answers)
    }
}

#[pymethods]
impl RightsColumns {
    /// The answers for crawling.
    #[getter]
    fn crawl(&self) -> Answers {
        self.answers(0)
    }

    /// The answers for listing in search results.
    #[getter]
    fn index(&self) -> Answers {
        self.answers(1)
    }

    /// The answers for excerpts in search results.
    #[getter]
    fn snippet(&self) -> Answers {
        self.answers(2)
    }

    /// The answers for input to models.
    #[getter]
    fn ai_input(&self) -> Answers {
        self.answers(3)
    }

    /// The answers for training.
    #[getter]
    fn ai_train(&self) -> Answers {
        self.answers(4)
    }

    fn __len__(&self) -> usize {
        self.rows
    }

    fn __repr__(&self) -> String {
        format!("<robotsieve.RightsColumns of {} URLs>", self.rows)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export::schema(py, DataType::Struct(self.fields()))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        export::tables(py, self.fields(), self.arrays.clone())
    }
}
