//! The columns of several crawlers: mappings, and Arrow tables.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StructArray};
use arrow_schema::{DataType, Field, Fields};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList, PyString, PyTuple};
use robotsieve::Answer;

use crate::answers::{Answers, Verdicts};
use crate::batch::{Cell, Judged};
use crate::column::Column;
use crate::decisions::Decisions;
use crate::export::{self, Numbers};
use crate::text::type_name;

/// The columns of several crawlers, all of a length.
pub struct Columns<C> {
    labels: Vec<String>,
    rows: usize,
    columns: Vec<C>,
}

impl<C: Column> Columns<C> {
    pub fn of<T: Cell>(judged: &Judged<T>, column: impl Fn(Vec<T>) -> C) -> Columns<C> {
        let columns = (0..judged.labels.len()).map(|place| column(judged.column(place)));
        Columns { labels: judged.labels.clone(), rows: judged.rows, columns: columns.collect() }
    }

    fn of_parts(labels: Vec<String>, rows: usize, columns: Vec<C>) -> PyResult<Columns<C>> {
        if labels.len() != columns.len() || columns.iter().any(|column| column.rows() != rows) {
            return Err(PyValueError::new_err("not the columns of these crawlers"));
        }
        Ok(Columns { labels, rows, columns })
    }

    fn fields(&self) -> Fields {
        self.labels.iter().map(|label| Field::new(label, C::data_type(), true)).collect()
    }

    fn array(&self) -> PyResult<StructArray> {
        let columns = self.columns.iter().map(Column::array).collect();
        StructArray::try_new_with_length(self.fields(), columns, None, self.rows)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn get(&self, name: &Bound<'_, PyAny>) -> PyResult<Option<&C>> {
        let Ok(text) = name.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!(
                "the name of a crawler must be str, not {}",
                type_name(name)
            )));
        };
        let text = text.to_cow()?;
        Ok(self.labels.iter().position(|label| *label == text).map(|place| &self.columns[place]))
    }

    fn alike(&self, other: &Columns<C>) -> bool {
        self.labels == other.labels
            && self.rows == other.rows
            && self.columns.iter().zip(&other.columns).all(|(a, b)| a.alike(b))
    }

    fn lists<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (label, column) in self.labels.iter().zip(&self.columns) {
            all.set_item(label, column.list(py)?)?;
        }
        Ok(all)
    }
}

/// A view of a mapping, as `collections.abc` has it.
fn view<'py>(mapping: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    mapping.py().import("collections.abc")?.getattr(name)?.call1((mapping,))
}

macro_rules! columns {
    ($name:ident, $column:ident, $doc:literal) => {
        #[doc = $doc]
        #[pyclass(frozen, mapping, module = "robotsieve")]
        pub struct $name(pub Columns<$column>);

        #[pymethods]
        impl $name {
            #[staticmethod]
            fn _from_parts(
                labels: Vec<String>,
                rows: usize,
                columns: Vec<PyRef<'_, $column>>,
            ) -> PyResult<$name> {
                let columns = columns.iter().map(|column| (**column).clone()).collect();
                Columns::of_parts(labels, rows, columns).map($name)
            }

            /// The number of URLs there are.
            #[getter]
            fn row_count(&self) -> usize {
                self.0.rows
            }

            /// The number of crawlers.
            fn __len__(&self) -> usize {
                self.0.labels.len()
            }

            fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
                PyList::new(py, &self.0.labels)?.try_iter()
            }

            fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
                self.0.get(name).is_ok_and(|column| column.is_some())
            }

            /// The column of a crawler, by its name.
            fn __getitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<$column> {
                self.0.get(name)?.cloned().ok_or_else(|| {
                    PyKeyError::new_err(format!(
                        "no crawler {name:?}; the crawlers are {}",
                        self.0.labels.join(", ")
                    ))
                })
            }

            /// The column of a crawler, or ``default`` if there is no such crawler.
            #[pyo3(signature = (name, default = None, /))]
            fn get<'py>(
                &self,
                name: &Bound<'py, PyAny>,
                default: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Option<Bound<'py, PyAny>>> {
                match self.0.get(name)? {
                    Some(column) => column.clone().into_bound_py_any(name.py()).map(Some),
                    None => Ok(default),
                }
            }

            /// The names of the crawlers.
            fn keys<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                view(slf, "KeysView")
            }

            /// The columns.
            fn values<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                view(slf, "ValuesView")
            }

            /// The names of the crawlers, with their columns.
            fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                view(slf, "ItemsView")
            }

            /// As a dictionary of lists.
            fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                self.0.lists(py)
            }

            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                other.cast::<$name>().is_ok_and(|other| self.0.alike(&other.get().0))
            }

            fn __repr__(&self) -> String {
                format!(
                    concat!("<robotsieve.", stringify!($name), " of {} URLs for {}>"),
                    self.0.rows,
                    self.0.labels.join(", ")
                )
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                let make = py.get_type::<$name>().getattr("_from_parts")?;
                (make, (&self.0.labels, self.0.rows, self.0.columns.clone())).into_bound_py_any(py)
            }

            fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
                export::schema(py, DataType::Struct(self.0.fields()))
            }

            #[pyo3(signature = (requested_schema = None))]
            fn __arrow_c_array__<'py>(
                &self,
                py: Python<'py>,
                requested_schema: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyTuple>> {
                let _ = requested_schema;
                export::array(py, &py.detach(|| self.0.array())?)
            }

            #[pyo3(signature = (requested_schema = None))]
            fn __arrow_c_stream__<'py>(
                &self,
                py: Python<'py>,
                requested_schema: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyCapsule>> {
                let _ = requested_schema;
                export::table(py, py.detach(|| self.0.array())?)
            }
        }
    };
}

columns!(
    CrawlerVerdicts,
    Verdicts,
    "The verdicts on many URLs for several crawlers: a mapping from their names to :class:`Verdicts`, and an Arrow\n\
     struct array, or table, with a boolean column for each crawler. A column is named after its crawler's first name;\n\
     if another crawler has that too, after all names with ``+`` between them. That of a crawler without a name is ``*``.\n"
);

columns!(
    CrawlerAnswers,
    Answers,
    "The answers for many URLs and several crawlers: a mapping from their names to :class:`Answers`, and an Arrow\n\
     struct array, or table, with a column for each crawler, named as in :class:`CrawlerVerdicts`.\n"
);

columns!(
    CrawlerDecisions,
    Decisions,
    "The decisions on many URLs for several crawlers: a mapping from their names to :class:`Decisions`, and an Arrow\n\
     struct array, or table, with a struct for each crawler, named as in :class:`CrawlerVerdicts`.\n"
);

/// Makes the classes mappings for `isinstance` and `match`.
pub fn register(py: Python<'_>) -> PyResult<()> {
    // What `collections.abc` has, without the time that the package around it takes to import.
    let mapping = py.import("_collections_abc")?.getattr("Mapping")?;
    mapping.call_method1("register", (py.get_type::<CrawlerVerdicts>(),))?;
    mapping.call_method1("register", (py.get_type::<CrawlerAnswers>(),))?;
    mapping.call_method1("register", (py.get_type::<CrawlerDecisions>(),))?;
    Ok(())
}

/// Answers as numbers, which cost Spark less than a column for each crawler: two bits for each, 32
/// crawlers in a number, of which the lowest bits are the first one's. A struct array.
#[pyfunction]
pub fn answer_bits(answers: &CrawlerAnswers) -> PyResult<Numbers> {
    let Columns { rows, columns, .. } = &answers.0;
    let word = |columns: &[Answers]| -> ArrayRef {
        let mut bits = vec![0_u64; *rows];
        for column in columns.iter().rev() {
            for (bits, answer) in bits.iter_mut().zip(&column.answers[..]) {
                *bits = *bits << 2 | u64::from(two_bits(*answer));
            }
        }
        Arc::new(Int64Array::from_iter_values(bits.into_iter().map(u64::cast_signed)))
    };
    let words: Vec<ArrayRef> = columns.chunks(32).map(word).collect();
    let field = |word| Field::new(format!("w{word}"), DataType::Int64, false);
    let fields: Fields = (0..words.len()).map(field).collect();
    StructArray::try_new_with_length(fields, words, None, *rows)
        .map(|bits| Numbers(Arc::new(bits)))
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
