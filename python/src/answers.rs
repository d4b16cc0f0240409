//! Answers for many URLs, as Arrow arrays.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Int8Array, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyBytes, PyCapsule, PyIterator, PyList, PySlice, PyString, PyTuple,
};
use robotsieve::Answer;

use crate::batch::place;
use crate::column::Column;
use crate::export;

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

pub fn is_verdict(answer: Answer) -> bool {
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
        words_type()
    }

    fn array(answers: &[Answer]) -> ArrayRef {
        let keys = answers.iter().map(|answer| Some(number(*answer) as i8));
        of_words(keys, &ALL.map(Answer::as_str))
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

/// The type of a column with a few words.
pub fn words_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
}

/// A column with a few words, by their places. `None` is null.
pub fn of_words(places: impl Iterator<Item = Option<i8>>, words: &[&str]) -> ArrayRef {
    let words = StringArray::from_iter_values(words);
    Arc::new(DictionaryArray::<Int8Type>::new(Int8Array::from_iter(places), Arc::new(words)))
}

/// The answer with a number.
pub fn numbered(number: u8) -> Option<Answer> {
    ALL.get(usize::from(number)).copied()
}

/// The number of an answer.
pub fn number(answer: Answer) -> u8 {
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
        .map(|number| numbered(*number))
        .collect::<Option<Vec<Answer>>>()
        .ok_or_else(|| PyValueError::new_err("not the bytes of answers"))
}

macro_rules! column {
    ($name:ident, $show:ty, $doc:literal) => {
        #[doc = $doc]
        #[pyclass(frozen, sequence, module = "robotsieve")]
        #[derive(Clone)]
        pub struct $name {
            pub answers: Arc<[Answer]>,
        }

        impl $name {
            pub fn of(answers: Vec<Answer>) -> $name {
                $name { answers: answers.into() }
            }
        }

        impl Column for $name {
            fn data_type() -> DataType {
                <$show>::data_type()
            }

            fn array(&self) -> ArrayRef {
                <$show>::array(&self.answers)
            }

            fn rows(&self) -> usize {
                self.answers.len()
            }

            fn alike(&self, other: &$name) -> bool {
                let (a, b) = (&self.answers, &other.answers);
                a.len() == b.len() && a.iter().zip(&b[..]).all(|(a, b)| <$show>::alike(*a, *b))
            }

            fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
                PyList::new(py, self.answers.iter().map(|answer| <$show>::item(py, *answer)))
            }
        }

        #[pymethods]
        impl $name {
            #[staticmethod]
            fn _from_bytes(bytes: &[u8]) -> PyResult<$name> {
                from_bytes(bytes).map($name::of)
            }

            fn __len__(&self) -> usize {
                self.answers.len()
            }

            fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                let py = index.py();
                if let Ok(slice) = index.cast::<PySlice>() {
                    return $name::of(slice_of(&self.answers, slice)?).into_bound_py_any(py);
                }
                let place = place(index, self.answers.len())?;
                Ok(<$show>::item(py, self.answers[place]))
            }

            fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
                self.to_pylist(py)?.try_iter()
            }

            /// As a list.
            fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
                self.list(py)
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
                other.cast::<$name>().is_ok_and(|other| self.alike(other.get()))
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

            /// A mask of NumPy, to choose rows of a frame of pandas or Polars: true for URLs that are allowed, false for
            /// those that are disallowed, and ``undecided`` for those that have no verdict.
            ///
            /// ``frame[policy.verdicts(frame["url"]).mask(undecided=False)]`` has the rows that are allowed.
            #[pyo3(signature = (*, undecided))]
            fn mask<'py>(&self, py: Python<'py>, undecided: bool) -> PyResult<Bound<'py, PyAny>> {
                let byte = |answer: &Answer| match answer {
                    Answer::Allow => 1,
                    Answer::Disallow => 0,
                    Answer::Invalid | Answer::Unknown => u8::from(undecided),
                };
                let bytes: Vec<u8> = self.answers.iter().map(byte).collect();
                let frombuffer = py.import("numpy")?.getattr("frombuffer")?;
                frombuffer.call1((PyByteArray::new(py, &bytes), "bool"))
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
                export::array(py, &py.detach(|| self.array()))
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

pub fn count(answers: &[Answer], is: impl Fn(Answer) -> bool) -> usize {
    answers.iter().filter(|answer| is(**answer)).count()
}

fn slice_of(answers: &[Answer], slice: &Bound<'_, PySlice>) -> PyResult<Vec<Answer>> {
    let indices = slice.indices(answers.len() as isize)?;
    let rows = (0..indices.slicelength as isize).map(|n| indices.start + n * indices.step);
    Ok(rows.map(|row| answers[row as usize]).collect())
}
