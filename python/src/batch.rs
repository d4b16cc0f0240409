//! Many URLs at once: taken from Python, judged without the interpreter.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use robotsieve::Answer;
use robotsieve::pack::PackError;

use crate::errors::pack_error;
use crate::signals::Signals;
use crate::urls::{Chunk, Rows, Source, Values};

/// What is said of a URL for one crawler.
pub trait Cell: Copy + Send + Sync {
    /// Nothing is known of its site.
    const UNKNOWN: Self;
    /// It is not a URL, or null.
    const INVALID: Self;
}

impl Cell for Answer {
    const UNKNOWN: Answer = Answer::Unknown;
    const INVALID: Answer = Answer::Invalid;
}

/// What judges many URLs.
pub trait Judge: Sync {
    type Cell: Cell;
    /// What a thread keeps from one call to the next.
    type Scratch: Default;

    /// What stands for each crawler: one for each cell of a row.
    fn labels(&self) -> Vec<String>;

    /// A row of cells for each URL. What has no answer of its own is left as it is.
    fn judge(
        &self,
        urls: &[&[u8]],
        cells: &mut [Self::Cell],
        scratch: &mut Self::Scratch,
    ) -> Result<(), PackError>;
}

/// What was said of many URLs: a row for each.
pub struct Judged<C> {
    pub labels: Vec<String>,
    pub rows: usize,
    /// Row by row.
    pub cells: Vec<C>,
}

impl<C: Cell> Judged<C> {
    /// The cells of one crawler.
    pub fn column(&self, place: usize) -> Vec<C> {
        match self.labels.len() {
            1 => self.cells.clone(),
            width => self.cells.iter().skip(place).step_by(width).copied().collect(),
        }
    }
}

/// The number of URLs that are judged at a time: their addresses stay in the fastest cache.
const BLOCK: usize = 512;

/// Fewer URLs are judged in less time than it can take to get the interpreter back.
pub const URLS_WORTH_DETACHING: usize = 256;

/// The number of URLs a thread takes at a time.
const URLS_AT_A_TIME: usize = 32 * BLOCK;

/// Judges URLs that Python gave.
pub fn judge<J: Judge>(
    judge: &J,
    urls: &Bound<'_, PyAny>,
    threads: Option<isize>,
) -> PyResult<Judged<J::Cell>> {
    let py = urls.py();
    let threads = threads_of(threads)?;
    let labels = judge.labels();
    let width = labels.len();
    let mut cells = Vec::new();
    let mut count = 0;
    let mut source = Source::of(urls, "urls")?;
    let mut signals = Signals::new();
    let mut known: Option<Known<J::Cell>> = None;
    while let Some(chunk) = source.next(py, &mut signals)? {
        let begin = cells.len();
        match chunk {
            Chunk::Distinct(values, keys) => {
                count += keys.len();
                let known = match &mut known {
                    Some(known) if known.values.is_same(&values) => known,
                    known => known.insert(Known::nothing(values, width)),
                };
                let new = known.new_of(&keys);
                let mut of_new = vec![J::Cell::UNKNOWN; new.len() * width];
                let rows = known.values.some(&new);
                judge_rows(py, judge, &rows, threads, width, &mut of_new, &mut signals)?;
                drop(rows);
                known.add(&new, &of_new);
                known.extend(&mut cells, &keys);
            }
            Chunk::Rows(rows) => {
                count += rows.len();
                cells.resize(begin + rows.len() * width, J::Cell::UNKNOWN);
                let cells = &mut cells[begin..];
                judge_rows(py, judge, &*rows, threads, width, cells, &mut signals)?;
            }
        }
        signals.look(py)?;
    }
    Ok(Judged { labels, rows: count, cells })
}

/// What was said of values of a dictionary: of those that a row had so far. Many arrays may share one.
struct Known<C> {
    values: Values,
    is_known: Vec<bool>,
    cells: Vec<C>,
    width: usize,
}

impl<C: Cell> Known<C> {
    fn nothing(values: Values, width: usize) -> Known<C> {
        let len = values.len();
        let cells = vec![C::UNKNOWN; len * width];
        Known { values, is_known: vec![false; len], cells, width }
    }

    /// The values that are not known yet, each once. They count as known from now on.
    fn new_of(&mut self, keys: &[Option<usize>]) -> Vec<usize> {
        let new = |key: &usize| !std::mem::replace(&mut self.is_known[*key], true);
        keys.iter().flatten().copied().filter(new).collect()
    }

    fn add(&mut self, keys: &[usize], cells: &[C]) {
        for (number, key) in keys.iter().enumerate() {
            let (from, to) = (number * self.width, key * self.width);
            self.cells[to..to + self.width].copy_from_slice(&cells[from..from + self.width]);
        }
    }

    /// Adds the cells of rows.
    fn extend(&self, cells: &mut Vec<C>, keys: &[Option<usize>]) {
        cells.reserve(keys.len() * self.width);
        for key in keys {
            match key {
                Some(key) => {
                    let from = key * self.width;
                    cells.extend_from_slice(&self.cells[from..from + self.width]);
                }
                None => cells.resize(cells.len() + self.width, C::INVALID),
            }
        }
    }
}

fn judge_rows<J: Judge>(
    py: Python<'_>,
    judge: &J,
    rows: &dyn Rows,
    threads: usize,
    width: usize,
    cells: &mut [J::Cell],
    signals: &mut Signals,
) -> PyResult<()> {
    if width == 0 {
        return Ok(());
    }
    let asked = RunningBatch {
        judge,
        rows,
        width,
        failure: Mutex::new(None),
        stop: AtomicBool::new(false),
    };
    if rows.len() < URLS_WORTH_DETACHING {
        asked.judge_part(0, cells, &mut J::Scratch::default(), None);
    } else {
        py.detach(|| {
            let threads = threads.min(rows.len() / URLS_AT_A_TIME + 1);
            let parts = cells.chunks_mut(URLS_AT_A_TIME * width).enumerate();
            by_threads(parts, threads, signals, |next, mut signals| {
                let mut scratch = J::Scratch::default();
                while let Some((number, cells)) = next() {
                    let signals = signals.as_deref_mut();
                    asked.judge_part(number * URLS_AT_A_TIME, cells, &mut scratch, signals);
                }
            });
        });
    }
    match asked.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Works on parts in several threads, each of which takes one part after the other. If the system starts
/// fewer threads, that only takes longer. The thread that Python called has `signals` to look at.
pub fn by_threads<P: Send>(
    parts: impl Iterator<Item = P> + Send,
    threads: usize,
    signals: &mut Signals,
    work: impl Fn(&dyn Fn() -> Option<P>, Option<&mut Signals>) + Sync,
) {
    let parts = Mutex::new(parts);
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let work = || work(&next, None);
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work(&next, Some(signals));
    });
}

/// A batch, and what ended it before its end.
struct RunningBatch<'j, J> {
    judge: &'j J,
    rows: &'j dyn Rows,
    width: usize,
    failure: Mutex<Option<PyErr>>,
    stop: AtomicBool,
}

impl<J: Judge> RunningBatch<'_, J> {
    fn fail(&self, error: PyErr) {
        self.stop.store(true, Ordering::Relaxed);
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Judges as many rows as there is room for, from `from` on. The thread that Python called has
    /// `signals` to look at.
    fn judge_part(
        &self,
        from: usize,
        cells: &mut [J::Cell],
        scratch: &mut J::Scratch,
        mut signals: Option<&mut Signals>,
    ) {
        let width = self.width;
        let mut urls: [&[u8]; BLOCK] = [b""; BLOCK];
        for (number, cells) in cells.chunks_mut(BLOCK * width).enumerate() {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let from = from + number * BLOCK;
            let urls = &mut urls[..cells.len() / width];
            let has_nulls = self.rows.read(from, urls);
            if let Err(error) = self.judge.judge(urls, cells, scratch) {
                self.fail(pack_error(&error));
            }
            if has_nulls {
                for (row, cells) in cells.chunks_exact_mut(width).enumerate() {
                    if self.rows.is_null(from + row) {
                        cells.fill(J::Cell::INVALID);
                    }
                }
            }
            if let Some(signals) = &mut signals
                && signals.are_due()
                && let Err(error) = Python::attach(|py| signals.look(py))
            {
                self.fail(error);
            }
        }
    }
}

/// The number of threads: `None` that is one for each core.
pub fn threads_of(threads: Option<isize>) -> PyResult<usize> {
    match threads {
        Some(threads @ 1..) => Ok(threads.unsigned_abs().min(1_024)),
        Some(_) => {
            Err(PyValueError::new_err("threads must be 1 or more, or None for one per core"))
        }
        None => Ok(std::thread::available_parallelism().map_or(1, NonZeroUsize::get)),
    }
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
    let none = || PyIndexError::new_err(format!("index {index} is out of range: there are {len}"));
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
