//! Answers for many URLs, as Arrow arrays.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Int8Array, Int64Array, StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field, Fields};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyBytes, PyCapsule, PyDict, PyIterator, PyList, PySlice, PyString, PyTuple,
};
use robotsieve::Answer;

use crate::batch::{Judged, place};
use crate::export;
use crate::text::type_name;

const ALL: [Answer; 4] = [Answer::Allow, Answer::Disallow, Answer::Invalid, Answer::Unknown];

/// How answers are shown: as booleans or as words.
trait Show {
    fn data_type() -> DataType;

    fn array(answers: &[Answer]) -> ArrayRef;

    fn item(py: Python<'_>, answer: Answer) -> Bound<'_, PyAny>;

    /// Returns true if two answers are shown alike.
    fn alike(a: Answer, b: Answer) -> bool;

    /// A byte for each answer, 0 or 1, if they are booleans without a null.
    fn bytes(answers: &[Answer]) -> Option<Vec<u8>>;
}

struct Booleans;

fn is_verdict(answer: Answer) -> bool {
    matches!(answer, Answer::Allow | Answer::Disallow)
}

impl Show for Booleans {
    fn data_type() -> DataType {
        DataType::Boolean
    }

    fn array(answers: &[Answer]) -> ArrayRef {
        let bits = |is: fn(Answer) -> bool| {
            BooleanBuffer::collect_bool(answers.len(), |row| is(answers[row]))
        };
        let valid = NullBuffer::new(bits(is_verdict));
        let valid = (valid.null_count() > 0).then_some(valid);
        Arc::new(BooleanArray::new(bits(|answer| answer == Answer::Allow), valid))
    }

    fn item(py: Python<'_>, answer: Answer) -> Bound<'_, PyAny> {
        let is_allowed = is_verdict(answer).then_some(answer == Answer::Allow);
        is_allowed.into_bound_py_any(py).expect("a boolean")
    }

    fn alike(a: Answer, b: Answer) -> bool {
        a == b || !(is_verdict(a) || is_verdict(b))
    }

    fn bytes(answers: &[Answer]) -> Option<Vec<u8>> {
        let byte =
            |answer: &Answer| is_verdict(*answer).then_some(u8::from(*answer == Answer::Allow));
        answers.iter().map(byte).collect()
    }
}

struct Words;

impl Show for Words {
    fn data_type() -> DataType {
        DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
    }

    fn array(answers: &[Answer]) -> ArrayRef {
        let words = StringArray::from_iter_values(ALL.map(Answer::as_str));
        let keys = Int8Array::from_iter_values(answers.iter().map(|answer| number(*answer) as i8));
        Arc::new(DictionaryArray::<Int8Type>::new(keys, Arc::new(words)))
    }

    fn item(py: Python<'_>, answer: Answer) -> Bound<'_, PyAny> {
        PyString::intern(py, answer.as_str()).into_any()
    }

    fn alike(a: Answer, b: Answer) -> bool {
        a == b
    }

    fn bytes(_: &[Answer]) -> Option<Vec<u8>> {
        None
    }
}

fn number(answer: Answer) -> u8 {
    match answer {
        Answer::Allow => 0,
        Answer::Disallow => 1,
        Answer::Invalid => 2,
        Answer::Unknown => 3,
    }
}

fn to_bytes(answers: &[Answer]) -> Vec<u8> {
    answers.iter().map(|answer| number(*answer)).collect()
}

fn from_bytes(bytes: &[u8]) -> PyResult<Vec<Answer>> {
    bytes
        .iter()
        .map(|number| ALL.get(usize::from(*number)).copied())
        .collect::<Option<Vec<Answer>>>()
        .ok_or_else(|| PyValueError::new_err("not the bytes of answers"))
}

macro_rules! column {
    ($name:ident, $show:ty, $doc:literal) => {
        #[doc = $doc]
        #[pyclass(frozen, sequence, module = "robotsieve")]
        pub struct $name {
            answers: Vec<Answer>,
        }

        impl $name {
            pub fn of(judged: Judged) -> $name {
                debug_assert_eq!(judged.labels.len(), 1);
                $name { answers: judged.answers }
            }
        }

        #[pymethods]
        impl $name {
            #[staticmethod]
            fn _from_bytes(bytes: &[u8]) -> PyResult<$name> {
                Ok($name { answers: from_bytes(bytes)? })
            }

            fn __len__(&self) -> usize {
                self.answers.len()
            }

            fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                let py = index.py();
                if let Ok(slice) = index.cast::<PySlice>() {
                    let answers = slice_of(&self.answers, slice)?;
                    return $name { answers }.into_bound_py_any(py);
                }
                let place = place(index, self.answers.len())?;
                Ok(<$show>::item(py, self.answers[place]))
            }

            fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
                self.to_pylist(py)?.try_iter()
            }

            /// As a list.
            fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
                PyList::new(py, self.answers.iter().map(|answer| <$show>::item(py, *answer)))
            }

            /// The number of URLs that are allowed.
            #[getter]
            fn allowed_count(&self) -> usize {
                count(&self.answers, |answer| answer == Answer::Allow)
            }

            /// The number of URLs that are disallowed.
            #[getter]
            fn disallowed_count(&self) -> usize {
                count(&self.answers, |answer| answer == Answer::Disallow)
            }

            /// The number that have no verdict, because they are not URLs or their site is unknown.
            #[getter]
            fn undecided_count(&self) -> usize {
                count(&self.answers, |answer| !is_verdict(answer))
            }

            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                other.cast::<$name>().is_ok_and(|other| {
                    let other = &other.get().answers;
                    self.answers.len() == other.len()
                        && self.answers.iter().zip(other).all(|(a, b)| <$show>::alike(*a, *b))
                })
            }

            fn __repr__(&self) -> String {
                format!(
                    concat!(
                        "<robotsieve.",
                        stringify!($name),
                        " of {} URLs: {} allowed, {} disallowed, {} undecided>"
                    ),
                    self.answers.len(),
                    self.allowed_count(),
                    self.disallowed_count(),
                    self.undecided_count()
                )
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                let make = py.get_type::<$name>().getattr("_from_bytes")?;
                (make, (PyBytes::new(py, &to_bytes(&self.answers)),)).into_bound_py_any(py)
            }

            /// For NumPy: of booleans for verdicts without a ``None``, otherwise of objects.
            #[pyo3(signature = (dtype = None, copy = None))]
            fn __array__<'py>(
                &self,
                py: Python<'py>,
                dtype: Option<Bound<'py, PyAny>>,
                copy: Option<bool>,
            ) -> PyResult<Bound<'py, PyAny>> {
                if copy == Some(false) {
                    return Err(PyValueError::new_err("an array for NumPy is always a copy"));
                }
                let numpy = py.import("numpy")?;
                let array = match <$show>::bytes(&self.answers) {
                    Some(bytes) => numpy
                        .getattr("frombuffer")?
                        .call1((PyByteArray::new(py, &bytes), "bool"))?,
                    None => numpy.getattr("array")?.call1((self.to_pylist(py)?, "object"))?,
                };
                match dtype {
                    Some(dtype) => array.call_method1("astype", (dtype,)),
                    None => Ok(array),
                }
            }

            fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
                export::schema(py, <$show>::data_type())
            }

            #[pyo3(signature = (requested_schema = None))]
            fn __arrow_c_array__<'py>(
                &self,
                py: Python<'py>,
                requested_schema: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyTuple>> {
                let _ = requested_schema;
                export::array(py, &py.detach(|| <$show>::array(&self.answers)))
            }
        }
    };
}

column!(
    Verdicts,
    Booleans,
    "The verdicts on many URLs, in their order: ``True``, ``False``, or ``None`` for what has no verdict.\n\n\
     An Arrow boolean array, which PyArrow, Polars, pandas, DuckDB and nanoarrow take without a copy in \
     Python, and a sequence.\n\n\
     >>> from robotsieve import Robots\n\
     >>> policy = Robots(\"User-agent: *\\nDisallow: /search\").policy(\"MyCrawler\")\n\
     >>> list(policy.verdicts([\"https://e.com/\", \"https://e.com/search\", \"not a URL\"]))\n\
     [True, False, None]\n"
);

column!(
    Answers,
    Words,
    "The answers for many URLs, in their order, in words: ``allow``, ``disallow``, ``invalid`` for what is not \
     a URL, ``unknown`` for one whose site is not known.\n\n\
     An Arrow dictionary array of strings, and a sequence.\n"
);

macro_rules! columns {
    ($name:ident, $column:ident, $show:ty, $doc:literal) => {
        #[doc = $doc]
        #[pyclass(frozen, module = "robotsieve")]
        pub struct $name {
            labels: Vec<String>,
            rows: usize,
            answers: Vec<Answer>,
        }

        impl $name {
            pub fn of(judged: Judged) -> $name {
                $name { labels: judged.labels, rows: judged.rows, answers: judged.answers }
            }

            fn column(&self, number: usize) -> Vec<Answer> {
                self.answers.iter().skip(number).step_by(self.labels.len()).copied().collect()
            }

            fn fields(&self) -> Fields {
                self.labels
                    .iter()
                    .map(|label| Field::new(label, <$show>::data_type(), true))
                    .collect()
            }

            fn array(&self) -> PyResult<StructArray> {
                let columns =
                    (0..self.labels.len()).map(|number| <$show>::array(&self.column(number)));
                StructArray::try_new_with_length(self.fields(), columns.collect(), None, self.rows)
                    .map_err(|error| PyValueError::new_err(error.to_string()))
            }
        }

        #[pymethods]
        impl $name {
            #[staticmethod]
            fn _from_bytes(labels: Vec<String>, rows: usize, bytes: &[u8]) -> PyResult<$name> {
                let answers = from_bytes(bytes)?;
                if answers.len() != rows * labels.len() {
                    return Err(PyValueError::new_err("not the bytes of answers"));
                }
                Ok($name { labels, rows, answers })
            }

            /// The name of each crawler.
            #[getter]
            fn names(&self) -> Vec<String> {
                self.labels.clone()
            }

            /// The number of URLs there are.
            fn __len__(&self) -> usize {
                self.rows
            }

            /// The column of a crawler, by its name.
            fn __getitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<$column> {
                let Ok(text) = name.cast::<PyString>() else {
                    return Err(PyTypeError::new_err(format!(
                        "the name of a crawler must be str, not {}",
                        type_name(name)
                    )));
                };
                let text = text.to_cow()?;
                match self.labels.iter().position(|label| *label == text) {
                    Some(number) => Ok($column { answers: self.column(number) }),
                    None => Err(PyKeyError::new_err(format!(
                        "no crawler {text:?}; the crawlers are {}",
                        self.labels.join(", ")
                    ))),
                }
            }

            /// As a dictionary of lists.
            fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let all = PyDict::new(py);
                for (number, label) in self.labels.iter().enumerate() {
                    let column = $column { answers: self.column(number) };
                    all.set_item(label, column.to_pylist(py)?)?;
                }
                Ok(all)
            }

            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                other.cast::<$name>().is_ok_and(|other| {
                    let other = other.get();
                    self.labels == other.labels
                        && self.rows == other.rows
                        && self
                            .answers
                            .iter()
                            .zip(&other.answers)
                            .all(|(a, b)| <$show>::alike(*a, *b))
                })
            }

            fn __repr__(&self) -> String {
                format!(
                    concat!("<robotsieve.", stringify!($name), " of {} URLs for {}>"),
                    self.rows,
                    self.labels.join(", ")
                )
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                let make = py.get_type::<$name>().getattr("_from_bytes")?;
                let bytes = PyBytes::new(py, &to_bytes(&self.answers));
                (make, (&self.labels, self.rows, bytes)).into_bound_py_any(py)
            }

            fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
                export::schema(py, DataType::Struct(self.fields()))
            }

            #[pyo3(signature = (requested_schema = None))]
            fn __arrow_c_array__<'py>(
                &self,
                py: Python<'py>,
                requested_schema: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyTuple>> {
                let _ = requested_schema;
                export::array(py, &py.detach(|| self.array())?)
            }

            #[pyo3(signature = (requested_schema = None))]
            fn __arrow_c_stream__<'py>(
                &self,
                py: Python<'py>,
                requested_schema: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyCapsule>> {
                let _ = requested_schema;
                export::table(py, py.detach(|| self.array())?)
            }
        }
    };
}

columns!(
    CrawlerVerdicts,
    Verdicts,
    Booleans,
    "The verdicts on many URLs for several crawlers: an Arrow struct array, or table, with a boolean column for \
     each crawler. It has the crawler's first name; if another crawler has that too, all its names with ``+``\n\
     between them; and ``*`` for a crawler without a name.\n"
);

columns!(
    CrawlerAnswers,
    Answers,
    Words,
    "The answers for many URLs and several crawlers: an Arrow struct array, or table, with a column for each \
     crawler, named like it.\n"
);

fn count(answers: &[Answer], is: impl Fn(Answer) -> bool) -> usize {
    answers.iter().filter(|answer| is(**answer)).count()
}

fn slice_of(answers: &[Answer], slice: &Bound<'_, PySlice>) -> PyResult<Vec<Answer>> {
    let indices = slice.indices(answers.len() as isize)?;
    let rows = (0..indices.slicelength as isize).map(|n| indices.start + n * indices.step);
    Ok(rows.map(|row| answers[row as usize]).collect())
}

/// Answers as numbers, which cost Spark less than a column for each crawler: two bits for each, 32
/// crawlers in a number, of which the lowest bits are the first one's. An Arrow struct array.
#[pyclass(frozen, module = "robotsieve")]
pub struct AnswerBits(StructArray);

/// The answers as numbers.
#[pyfunction]
pub fn answer_bits(answers: &CrawlerAnswers) -> PyResult<AnswerBits> {
    let width = answers.labels.len();
    let word = |word: usize| -> ArrayRef {
        let of_row = |row: &[Answer]| {
            let part = row.chunks(32).nth(word).unwrap_or_default();
            let bits = |bits: u64, answer: &Answer| bits << 2 | u64::from(two_bits(*answer));
            part.iter().rev().fold(0, bits).cast_signed()
        };
        Arc::new(Int64Array::from_iter_values(answers.answers.chunks(width.max(1)).map(of_row)))
    };
    let words = width.div_ceil(32);
    let fields: Fields =
        (0..words).map(|word| Field::new(format!("w{word}"), DataType::Int64, false)).collect();
    let columns = (0..words).map(word).collect();
    StructArray::try_new_with_length(fields, columns, None, answers.rows)
        .map(AnswerBits)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

fn two_bits(answer: Answer) -> u8 {
    match answer {
        Answer::Unknown => 0,
        Answer::Disallow => 1,
        Answer::Allow => 2,
        Answer::Invalid => 3,
    }
}

#[pymethods]
impl AnswerBits {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        export::array(py, &self.0)
    }
}
