//! Many URLs at once: taken from Python, judged without the interpreter.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::sync::Mutex;

use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use robotsieve::Answer;
use robotsieve::pack::PackError;

use crate::crawler::label;
use crate::errors::pack_error;
use crate::urls::{Rows, Source};

/// What answers for many URLs.
pub trait Judge: Sync {
    /// What stands for each crawler: one for each answer of a row.
    fn labels(&self) -> Vec<String>;

    /// A row of answers for each URL. What has no answer of its own is left as it is.
    fn judge(&self, urls: &[&[u8]], answers: &mut [Answer]) -> Result<(), PackError>;
}

/// The answers for many URLs: a row for each.
pub struct Judged {
    pub labels: Vec<String>,
    pub rows: usize,
    /// Row by row.
    pub answers: Vec<Answer>,
}

impl Judged {
    /// The answers of one crawler.
    pub fn column(self, place: usize) -> Judged {
        let answers = self.answers.into_iter().skip(place).step_by(self.labels.len()).collect();
        Judged { labels: vec![self.labels[place].clone()], rows: self.rows, answers }
    }
}

/// How many URLs are judged at a time: their addresses stay in the fastest cache.
const BLOCK: usize = 512;

/// Fewer URLs are judged in less time than it can take to get the interpreter back.
const URLS_WORTH_DETACHING: usize = 256;

/// How many URLs a thread judges between two looks at whether the user wants to stop.
const URLS_BETWEEN_SIGNALS: usize = 1 << 20;

/// Judges URLs that Python gave.
pub fn judge<J: Judge>(
    judge: &J,
    urls: &Bound<'_, PyAny>,
    threads: Option<usize>,
) -> PyResult<Judged> {
    let py = urls.py();
    let threads = threads_of(threads)?;
    let labels = judge.labels();
    let width = labels.len();
    let mut answers = Vec::new();
    let mut count = 0;
    let mut source = Source::of(urls)?;
    while let Some(chunk) = source.next(py)? {
        let distinct = chunk.distinct();
        let begin = answers.len();
        count += chunk.len();
        match distinct {
            Some((values, keys)) => {
                let mut of_values = vec![Answer::Unknown; values.len() * width];
                judge_rows(py, judge, values, threads, width, &mut of_values)?;
                for key in keys {
                    match key {
                        Some(key) => {
                            answers.extend_from_slice(&of_values[key * width..(key + 1) * width]);
                        }
                        None => answers.resize(answers.len() + width, Answer::Invalid),
                    }
                }
            }
            None => {
                answers.resize(begin + chunk.len() * width, Answer::Unknown);
                judge_rows(py, judge, chunk.rows(), threads, width, &mut answers[begin..])?;
            }
        }
    }
    Ok(Judged { labels, rows: count, answers })
}

fn judge_rows<J: Judge>(
    py: Python<'_>,
    judge: &J,
    rows: &dyn Rows,
    threads: usize,
    width: usize,
    answers: &mut [Answer],
) -> PyResult<()> {
    if width == 0 {
        return Ok(());
    }
    if rows.len() < URLS_WORTH_DETACHING {
        return judge_range(judge, rows, 0, width, answers).map_err(|error| pack_error(&error));
    }
    let at_a_time = URLS_BETWEEN_SIGNALS * threads;
    for (number, answers) in answers.chunks_mut(at_a_time * width).enumerate() {
        let from = number * at_a_time;
        py.detach(|| judge_on_threads(judge, rows, from, threads, width, answers))
            .map_err(|error| pack_error(&error))?;
        py.check_signals()?;
    }
    Ok(())
}

fn judge_on_threads<J: Judge>(
    judge: &J,
    rows: &dyn Rows,
    from: usize,
    threads: usize,
    width: usize,
    answers: &mut [Answer],
) -> Result<(), PackError> {
    let count = answers.len() / width;
    if threads == 1 || count <= BLOCK {
        return judge_range(judge, rows, from, width, answers);
    }
    let each = count.div_ceil(threads);
    let failed = Mutex::new(Ok(()));
    std::thread::scope(|scope| {
        for (number, answers) in answers.chunks_mut(each * width).enumerate() {
            let failed = &failed;
            scope.spawn(move || {
                let result = judge_range(judge, rows, from + number * each, width, answers);
                if result.is_err() {
                    *failed.lock().expect("no thread panics with the lock") = result;
                }
            });
        }
    });
    failed.into_inner().expect("no thread panics with the lock")
}

/// Judges as many rows as there is room for, from `from` on.
fn judge_range<J: Judge>(
    judge: &J,
    rows: &dyn Rows,
    from: usize,
    width: usize,
    answers: &mut [Answer],
) -> Result<(), PackError> {
    let mut urls: [&[u8]; BLOCK] = [b""; BLOCK];
    for (number, answers) in answers.chunks_mut(BLOCK * width).enumerate() {
        let from = from + number * BLOCK;
        let urls = &mut urls[..answers.len() / width];
        let has_nulls = rows.read(from, urls);
        judge.judge(urls, answers)?;
        if has_nulls {
            for (row, answers) in answers.chunks_exact_mut(width).enumerate() {
                if rows.is_null(from + row) {
                    answers.fill(Answer::Invalid);
                }
            }
        }
    }
    Ok(())
}

/// How many threads: `None` is one for each core.
fn threads_of(threads: Option<usize>) -> PyResult<usize> {
    match threads {
        Some(0) => {
            Err(PyValueError::new_err("threads must be 1 or more, or None for one per core"))
        }
        Some(threads) => Ok(threads.min(1_024)),
        None => Ok(std::thread::available_parallelism().map_or(1, NonZeroUsize::get)),
    }
}

/// What stands for each crawler in a result, all different.
pub fn distinct_labels(crawlers: &[robotsieve::Crawler]) -> PyResult<Vec<String>> {
    let mut labels: Vec<String> = Vec::new();
    for crawler in crawlers {
        let mut name = label(crawler);
        if labels.contains(&name) {
            // Such as ("Googlebot", "Googlebot-News") beside "Googlebot".
            let names = crawler.iter().map(|name| String::from_utf8_lossy(name).into_owned());
            name = names.collect::<Vec<_>>().join("+");
        }
        if labels.contains(&name) {
            return Err(PyValueError::new_err(format!("two crawlers have the name {name:?}")));
        }
        labels.push(name);
    }
    Ok(labels)
}

/// Answers by crawler, as a dictionary.
pub struct Named(Vec<(String, &'static str)>);

impl Named {
    pub fn new(labels: &[String], answers: &[Answer]) -> Named {
        Named(labels.iter().cloned().zip(answers.iter().map(|answer| answer.as_str())).collect())
    }
}

impl<'py> IntoPyObject<'py> for Named {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (label, answer) in self.0 {
            dict.set_item(label, answer)?;
        }
        Ok(dict)
    }
}

/// An index of Python: negative ones count from the end.
pub fn place(index: &Bound<'_, PyAny>, len: usize) -> PyResult<usize> {
    let none = || PyIndexError::new_err(format!("no place {index} of {len}"));
    let place: isize = index.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(index.py()) { none() } else { error }
    })?;
    let from_end = if place < 0 { place.checked_add_unsigned(len) } else { Some(place) };
    from_end
        .and_then(|place| usize::try_from(place).ok())
        .filter(|place| *place < len)
        .ok_or_else(none)
}

/// A hash that is the same for equal values of this process.
pub fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What serde writes a fieldless variant as.
pub fn word(value: &impl serde::Serialize) -> PyResult<String> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Ok(word),
        other => Err(PyValueError::new_err(format!("no word: {other:?}"))),
    }
}
