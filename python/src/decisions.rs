//! The decisions on many URLs, as Arrow columns.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int32Array, LargeStringArray, StructArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Fields};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PySlice, PyTuple};
use robotsieve::pack::PackError;
use robotsieve::{Answer, SiteKind};
use robotsieve_python_common::reasoned::{REASONS, Reasoned};

use crate::answers::{Answers, Verdicts, count, number, numbered, of_words, words_type};
use crate::batch::{self, Cell, Judge, Judged};
use crate::column::Column;
use crate::decision::{Decision, Rule};
use crate::export;

/// What is said of a URL for one crawler, with the reason.
pub enum Said<'d> {
    /// It is not a URL.
    Invalid,
    /// Nothing is known of its site.
    Unknown,
    /// The decision, and what is known of the site.
    Decided(robotsieve::Decision<'d>, SiteKind),
    /// The answer of what keeps no rules, and what is known of the site.
    Answered(Answer, SiteKind),
}

impl<'d> Said<'d> {
    /// What a policy says of a URL, and what is known of the site.
    pub fn by(policy: &'d robotsieve::Policy, url: &[u8], kind: SiteKind) -> Said<'d> {
        policy.decide(url).map_or(Said::Invalid, |decision| Said::Decided(decision, kind))
    }

    /// The reason and the rest. `None` if there is no verdict.
    pub fn reasoned(&self) -> Option<Reasoned<'_>> {
        match self {
            Said::Invalid | Said::Unknown => None,
            Said::Decided(decision, kind) => Some(Reasoned::of(*decision, *kind)),
            Said::Answered(answer, kind) => Reasoned::without_rules(*answer, *kind),
        }
    }

    fn answer(&self) -> Answer {
        match self {
            Said::Invalid => Answer::Invalid,
            Said::Unknown => Answer::Unknown,
            Said::Decided(decision, _) => decision.verdict.into(),
            Said::Answered(answer, _) => *answer,
        }
    }
}

/// The decision on a URL for one crawler, as it is kept of many: the rule is a number.
#[derive(Clone, Copy)]
pub struct Row {
    answer: Answer,
    /// A place in [`REASONS`].
    reason: u8,
    /// 0 is none.
    line: u32,
    /// A place in the rules, or [`NO_RULE`].
    rule: u32,
}

const NO_RULE: u32 = u32::MAX;

impl Row {
    const fn without_verdict(answer: Answer) -> Row {
        Row { answer, reason: u8::MAX, line: 0, rule: NO_RULE }
    }
}

impl Cell for Row {
    const UNKNOWN: Row = Row::without_verdict(Answer::Unknown);
    const INVALID: Row = Row::without_verdict(Answer::Invalid);
}

/// What decides about many URLs.
pub trait Decide: Sync {
    /// Returns true if a rule stays where it is in memory for as long as this is borrowed.
    fn rules_stay(&self) -> bool;

    /// Calls `say` with the number of each URL, that of each crawler among those at `places`, and what is
    /// said. All rules of a call stay where they are until its end.
    fn decide(
        &self,
        urls: &[&[u8]],
        places: &[usize],
        say: &mut dyn FnMut(usize, usize, Said<'_>),
    ) -> Result<(), PackError>;
}

/// The different rules that decided.
#[derive(Default)]
struct Rules {
    rules: Vec<Rule>,
    by_hash: HashMap<u64, u32>,
}

impl Rules {
    fn number_of(&mut self, rule: robotsieve::Rule<'_>) -> u32 {
        let mut hash = batch::hash(&(rule.line, rule.value, rule.precedence));
        loop {
            match self.by_hash.entry(hash) {
                Entry::Occupied(known) if self.rules[*known.get() as usize].is(&rule) => {
                    return *known.get();
                }
                Entry::Occupied(_) => hash = hash.wrapping_add(1),
                Entry::Vacant(place) => {
                    let number = self.rules.len() as u32;
                    self.rules.push(Rule::of(rule));
                    return *place.insert(number);
                }
            }
        }
    }
}

/// The numbers of rules by where their values are in memory.
type ByPlace = HashMap<(usize, usize), u32, BuildHasherDefault<PlaceHasher>>;

#[derive(Default)]
struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, number: usize) {
        // The golden ratio: multiplying by it moves what differs to the highest bits, and the map looks
        // at both ends.
        let mixed = (self.0 ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// Decides about many URLs for some crawlers, and gathers the rules.
struct Deciding<'s, S: ?Sized> {
    source: &'s S,
    labels: Vec<String>,
    places: Vec<usize>,
    rules: Mutex<Rules>,
}

impl<S: Decide + ?Sized> Judge for Deciding<'_, S> {
    type Cell = Row;
    type Scratch = ByPlace;

    fn labels(&self) -> Vec<String> {
        self.labels.clone()
    }

    fn judge(
        &self,
        urls: &[&[u8]],
        rows: &mut [Row],
        known: &mut ByPlace,
    ) -> Result<(), PackError> {
        if !self.source.rules_stay() {
            known.clear();
        }
        let width = self.places.len();
        self.source.decide(urls, &self.places, &mut |url, crawler, said| {
            let row = &mut rows[url * width + crawler];
            let Some(reasoned) = said.reasoned() else {
                *row = Row::without_verdict(said.answer());
                return;
            };
            let rule = reasoned.rule.map_or(NO_RULE, |rule| {
                let place = (rule.value.as_ptr().addr(), rule.value.len());
                *known.entry(place).or_insert_with(|| {
                    let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
                    rules.number_of(rule)
                })
            });
            let line = reasoned.line.unwrap_or_default();
            *row = Row { answer: said.answer(), reason: reasoned.reason, line, rule };
        })
    }
}

/// The decisions on many URLs, in their order: a :class:`Decision` for each, or ``None`` for what has no
/// verdict.
///
/// An Arrow struct array, or table, and a sequence. The columns are ``answer`` (``allow``, ``disallow``,
/// ``invalid`` or ``unknown``), ``reason`` (see :attr:`Decision.reason`), ``line`` and ``rule`` (the value of the
/// rule that decided, as written; bytes that are not UTF-8 become U+FFFD), and ``profile``, by whose rules. Where there is no verdict,
/// reason, line and rule are null.
///
/// >>> from robotsieve import Robots
/// >>> policy = Robots("User-agent: *\nDisallow: /search").policy("MyCrawler")
/// >>> decisions = policy.decisions(["https://e.com/", "https://e.com/search", "not a URL"])
/// >>> decisions[1].line, decisions[2]
/// (2, None)
#[pyclass(frozen, sequence, module = "robotsieve")]
#[derive(Clone)]
pub struct Decisions {
    rows: Arc<[Row]>,
    rules: Arc<[Rule]>,
    profile: Arc<str>,
}

impl Decisions {
    pub fn of(rows: Vec<Row>, rules: &Arc<[Rule]>, profile: &Arc<str>) -> Decisions {
        Decisions { rows: rows.into(), rules: Arc::clone(rules), profile: Arc::clone(profile) }
    }

    /// What is said of URLs that Python gave, and the rules.
    pub fn judge<S: Decide + ?Sized>(
        source: &S,
        labels: Vec<String>,
        places: Vec<usize>,
        urls: &Bound<'_, PyAny>,
        threads: Option<isize>,
    ) -> PyResult<(Judged<Row>, Arc<[Rule]>)> {
        let deciding = Deciding { source, labels, places, rules: Mutex::default() };
        let judged = batch::judge(&deciding, urls, threads)?;
        let rules = deciding.rules.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((judged, rules.rules.into()))
    }

    fn decision(&self, row: Row) -> Option<Decision> {
        let reason = REASONS.get(usize::from(row.reason))?;
        Some(Decision {
            verdict: row.answer.as_str(),
            reason,
            line: (row.line > 0).then_some(row.line),
            rule: self.rules.get(row.rule as usize).cloned(),
        })
    }

    fn all_answers(&self) -> Vec<Answer> {
        self.rows.iter().map(|row| row.answer).collect()
    }

    fn fields() -> Fields {
        let rule = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::LargeUtf8));
        Fields::from(vec![
            Field::new("answer", words_type(), false),
            Field::new("reason", words_type(), true),
            Field::new("line", DataType::UInt32, true),
            Field::new("rule", rule, true),
            Field::new("profile", words_type(), false),
        ])
    }

    /// The values of rules, each once: a rule of many sites is one, and a dictionary may have no value
    /// twice. Those that no row has are left out.
    fn rule_column(&self) -> ArrayRef {
        let mut places: Vec<Option<i32>> = vec![None; self.rules.len()];
        let mut by_value: HashMap<&[u8], i32> = HashMap::new();
        let mut values = Vec::new();
        let mut keys = Vec::with_capacity(self.rows.len());
        for row in &self.rows[..] {
            let Some(rule) = self.rules.get(row.rule as usize) else {
                keys.push(None);
                continue;
            };
            let place = &mut places[row.rule as usize];
            let key = *place.get_or_insert_with(|| {
                *by_value.entry(rule.value()).or_insert_with(|| {
                    values.push(String::from_utf8_lossy(rule.value()));
                    values.len() as i32 - 1
                })
            });
            keys.push(Some(key));
        }
        let values = LargeStringArray::from_iter_values(values);
        Arc::new(DictionaryArray::<Int32Type>::new(Int32Array::from(keys), Arc::new(values)))
    }

    fn columns(&self) -> StructArray {
        let rows = || self.rows.iter();
        let answers = self.all_answers();
        let reason = rows().map(|row| i8::try_from(row.reason).ok());
        let line = rows().map(|row| (row.line > 0).then_some(row.line));
        let columns: Vec<ArrayRef> = vec![
            Answers::of(answers).array(),
            of_words(reason, &REASONS),
            Arc::new(UInt32Array::from_iter(line)),
            self.rule_column(),
            of_words(rows().map(|_| Some(0)), &[&self.profile]),
        ];
        StructArray::new(Decisions::fields(), columns, None)
    }
}

impl Column for Decisions {
    fn data_type() -> DataType {
        DataType::Struct(Decisions::fields())
    }

    fn array(&self) -> ArrayRef {
        Arc::new(self.columns())
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn alike(&self, other: &Decisions) -> bool {
        self.profile == other.profile
            && self.rows.len() == other.rows.len()
            && self.rows.iter().zip(&other.rows[..]).all(|(a, b)| {
                (a.answer, a.reason, a.line) == (b.answer, b.reason, b.line)
                    && self.rules.get(a.rule as usize) == other.rules.get(b.rule as usize)
            })
    }

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.rows.iter().map(|row| self.decision(*row)))
    }
}

#[pymethods]
impl Decisions {
    #[staticmethod]
    fn _from_parts(rows: &[u8], rules: Vec<PyRef<'_, Rule>>, profile: &str) -> PyResult<Decisions> {
        let rules: Arc<[Rule]> = rules.iter().map(|rule| (**rule).clone()).collect();
        let row = |row: &[u8]| {
            let word =
                |at: usize| u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
            Some(Row { answer: numbered(row[0])?, reason: row[1], line: word(2), rule: word(6) })
        };
        match rows.chunks_exact(ROW_LEN).map(row).collect::<Option<Vec<Row>>>() {
            Some(all) if all.len() * ROW_LEN == rows.len() => {
                Ok(Decisions::of(all, &rules, &profile.into()))
            }
            _ => Err(PyValueError::new_err("not the bytes of decisions")),
        }
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        if let Ok(slice) = index.cast::<PySlice>() {
            let indices = slice.indices(self.rows.len() as isize)?;
            let rows = (0..indices.slicelength as isize)
                .map(|number| self.rows[(indices.start + number * indices.step) as usize]);
            return Decisions::of(rows.collect(), &self.rules, &self.profile).into_bound_py_any(py);
        }
        let place = batch::place(index, self.rows.len())?;
        self.decision(self.rows[place]).into_bound_py_any(py)
    }

    /// Each decision is made when its turn comes.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let builtins = slf.py().import("builtins")?;
        let places = builtins.getattr("range")?.call1((slf.get().rows.len(),))?;
        builtins.getattr("map")?.call1((slf.getattr("__getitem__")?, places))
    }

    /// As a list.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py)
    }

    /// Whether each URL is allowed, without the reasons.
    #[getter]
    fn verdicts(&self) -> Verdicts {
        Verdicts::of(self.all_answers())
    }

    /// The answers in words, without the reasons.
    #[getter]
    fn answers(&self) -> Answers {
        Answers::of(self.all_answers())
    }

    /// The name of the profile, ``custom`` if it has none.
    #[getter]
    fn profile_name(&self) -> &str {
        &self.profile
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Decisions>().is_ok_and(|other| self.alike(other.get()))
    }

    fn __repr__(&self) -> String {
        let answers = self.all_answers();
        let of = |answer| count(&answers, |other| other == answer);
        let (allowed, disallowed) = (of(Answer::Allow), of(Answer::Disallow));
        format!(
            "<robotsieve.Decisions on {} URLs: {allowed} allowed, {disallowed} disallowed, {} undecided>",
            answers.len(),
            answers.len() - allowed - disallowed
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let make = py.get_type::<Decisions>().getattr("_from_parts")?;
        let mut rows = Vec::with_capacity(self.rows.len() * ROW_LEN);
        for row in &self.rows[..] {
            rows.extend([number(row.answer), row.reason]);
            rows.extend(row.line.to_le_bytes());
            rows.extend(row.rule.to_le_bytes());
        }
        let rules = self.rules.to_vec();
        (make, (PyBytes::new(py, &rows), rules, &*self.profile)).into_bound_py_any(py)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export::schema(py, Decisions::data_type())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        export::array(py, &py.detach(|| self.columns()))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        export::table(py, py.detach(|| self.columns()))
    }
}

/// The bytes of a row that is pickled.
const ROW_LEN: usize = 10;
