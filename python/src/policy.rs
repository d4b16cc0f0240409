//! What a robots.txt says to one crawler.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use robotsieve::Verdict;
use robotsieve::pack::PackError;
use robotsieve_python_common::parts;
use robotsieve_python_common::settings::word;

use crate::answers::{Answers, Verdicts};
use crate::batch::{self, Judge};
use crate::crawler::Crawler;
use crate::errors::invalid_url;
use crate::pace::RequestRate;
use crate::robots::Robots;
use crate::text::{Text, bytes_of, repr};

/// Compiling a policy with fewer rules takes no longer than waiting for the interpreter again.
const RULES_WORTH_DETACHING: usize = 16;

/// What a robots.txt says to one crawler. Made by :meth:`Robots.policy`.
///
/// All threads may ask the same policy. It compiles itself once it has been asked often enough for
/// that to pay. It is pickled as the bytes of its file, with the profile and the crawler.
///
/// >>> from robotsieve import Robots
/// >>> policy = Robots(b"User-agent: *\nDisallow: /search").policy("MyCrawler")
/// >>> policy.is_allowed("https://example.com/search?q=x")
/// False
#[pyclass(frozen, module = "robotsieve")]
pub struct Policy {
    pub policy: robotsieve::Policy,
    pub robots: Py<Robots>,
    pub crawler: robotsieve::Crawler,
}

impl Policy {
    /// Compiles without the interpreter, if it is time to compile.
    #[inline]
    fn prepare(&self, py: Python<'_>) {
        if self.policy.engine() == robotsieve::Engine::Scan {
            self.compile_if_due(py);
        }
    }

    #[cold]
    fn compile_if_due(&self, py: Python<'_>) {
        if self.policy.rule_count() >= RULES_WORTH_DETACHING && self.policy.compiles_next() {
            py.detach(|| self.policy.compile());
        }
    }
}

impl Judge for robotsieve::Policy {
    fn labels(&self) -> Vec<String> {
        vec![String::new()]
    }

    fn judge(&self, urls: &[&[u8]], answers: &mut [robotsieve::Answer]) -> Result<(), PackError> {
        for (url, answer) in urls.iter().zip(answers) {
            *answer = match self.is_allowed(url) {
                Ok(true) => robotsieve::Answer::Allow,
                Ok(false) => robotsieve::Answer::Disallow,
                Err(_) => robotsieve::Answer::Invalid,
            };
        }
        Ok(())
    }
}

#[pymethods]
impl Policy {
    /// Whether the crawler may fetch this URL, or this path that begins with ``/``.
    ///
    /// Raises :class:`InvalidUrl` if it is neither; never in the profile ``google``.
    #[pyo3(signature = (url, /))]
    pub fn is_allowed(&self, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.prepare(url.py());
        let url = bytes_of(url, "url")?;
        self.policy.is_allowed(url.as_ref()).map_err(|error| invalid_url(error, &url))
    }

    /// Whether the crawler may fetch this path, with its query if it has one. Unlike in
    /// :meth:`is_allowed`, ``//e.com/x`` is a path in every profile.
    #[pyo3(signature = (path, /))]
    fn is_path_allowed(&self, path: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.prepare(path.py());
        let path = bytes_of(path, "path")?;
        self.policy.is_path_allowed(path.as_ref()).map_err(|error| invalid_url(error, &path))
    }

    /// The verdict on a URL, or on a path that begins with ``/``, and the reason for it: to explain,
    /// not to filter.
    ///
    /// >>> from robotsieve import Robots
    /// >>> policy = Robots(b"User-agent: *\nDisallow: /*.pdf$").policy("MyCrawler")
    /// >>> decision = policy.decide("https://example.com/a.pdf")
    /// >>> decision.verdict, decision.line, decision.rule.value
    /// ('disallow', 2, '/*.pdf$')
    #[pyo3(signature = (url, /))]
    fn decide(&self, url: &Bound<'_, PyAny>) -> PyResult<Decision> {
        self.prepare(url.py());
        let url = bytes_of(url, "url")?;
        let decision = self.policy.decide(url.as_ref());
        decision.map(Decision::of).map_err(|error| invalid_url(error, &url))
    }

    /// The verdict on a path, with its query if it has one, and the reason for it.
    #[pyo3(signature = (path, /))]
    fn decide_path(&self, path: &Bound<'_, PyAny>) -> PyResult<Decision> {
        self.prepare(path.py());
        let path = bytes_of(path, "path")?;
        let decision = self.policy.decide_path(path.as_ref());
        decision.map(Decision::of).map_err(|error| invalid_url(error, &path))
    }

    /// The verdicts on many URLs, in their order: ``True``, ``False``, or null for what is not a URL.
    ///
    /// ``urls`` is an Arrow array or stream (PyArrow, Polars, pandas 3, DuckDB, nanoarrow, …) of
    /// strings or binary, or any iterable of ``str``, ``bytes`` and ``None``. The result is an Arrow
    /// boolean array. Runs without the GIL, on ``threads`` threads; ``None`` means one for each core.
    #[pyo3(signature = (urls, /, *, threads = 1))]
    fn verdicts(&self, urls: &Bound<'_, PyAny>, threads: Option<isize>) -> PyResult<Verdicts> {
        Ok(Verdicts::of(self.judge_all(urls, threads)?))
    }

    /// As :meth:`verdicts`, in words: ``allow``, ``disallow``, or ``invalid`` for what is not a URL. An
    /// Arrow dictionary array.
    #[pyo3(signature = (urls, /, *, threads = 1))]
    fn answers(&self, urls: &Bound<'_, PyAny>, threads: Option<isize>) -> PyResult<Answers> {
        Ok(Answers::of(self.judge_all(urls, threads)?))
    }

    /// What the rules are compared with for this URL: its path and query, normalised.
    #[pyo3(signature = (url, /))]
    fn target(&self, url: &Bound<'_, PyAny>) -> PyResult<Text> {
        let url = bytes_of(url, "url")?;
        let target = self.policy.target(url.as_ref()).map_err(|error| invalid_url(error, &url))?;
        Ok(Text(target.to_vec().into()))
    }

    /// Compiles now instead of later.
    fn compile(&self, py: Python<'_>) {
        py.detach(|| self.policy.compile());
    }

    /// What answers the next question: ``scan``, ``dfa``, ``lazy`` or ``segments``.
    #[getter]
    fn engine(&self) -> PyResult<String> {
        word(&self.policy.engine())
    }

    /// The limit that kept the policy from becoming a DFA, if one did.
    #[getter]
    fn limit_hit(&self) -> PyResult<Option<String>> {
        self.policy.limit_hit().map(|limit| word(&limit)).transpose()
    }

    /// The compiled automaton as a Graphviz DOT graph, ``None`` if the policy is not a DFA.
    fn to_dot(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.policy.to_dot())
    }

    /// The bytes of memory that the policy occupies, its file not counted.
    #[getter]
    fn memory_usage(&self) -> usize {
        self.policy.memory_usage().total_bytes()
    }

    /// The rules, from highest to lowest precedence; those without a value left out.
    #[getter]
    fn rules(&self) -> Vec<Rule> {
        self.policy.rules().map(Rule::of).collect()
    }

    /// The user-agent lines of the crawler's groups: line, from 1 on, and value.
    #[getter]
    fn group(&self) -> Vec<(u32, Text)> {
        self.policy.group().map(|(line, value)| (line, value.into())).collect()
    }

    /// The crawl delay in seconds, ``None`` if there is none.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.policy.crawl_delay().map(|delay| delay.as_secs_f64())
    }

    /// The request rate, ``None`` if there is none.
    #[getter]
    fn request_rate(&self) -> Option<RequestRate> {
        self.policy.request_rate().map(RequestRate::of)
    }

    /// The seconds to wait between the beginnings of two requests, by crawl delay and request rate.
    #[getter]
    fn min_interval(&self) -> Option<f64> {
        self.policy.pace().min_interval().map(|time| time.as_secs_f64())
    }

    /// The file.
    #[getter]
    fn robots(&self, py: Python<'_>) -> Py<Robots> {
        self.robots.clone_ref(py)
    }

    /// The crawler.
    #[getter]
    fn crawler(&self) -> Crawler {
        Crawler(self.crawler.clone())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Policy>().is_ok_and(|other| {
            let other = other.get();
            self.crawler == other.crawler && self.robots.get() == other.robots.get()
        })
    }

    fn __hash__(&self) -> u64 {
        batch::hash(&(self.robots.get().hash_value(), &self.crawler))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let crawler = repr(py, Crawler(self.crawler.clone()))?;
        let profile = self.robots.get().profile_shown();
        Ok(format!(
            "<robotsieve.Policy of {crawler}, {} rules, profile {profile}>",
            self.policy.rule_count()
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let make = self.robots.bind(py).getattr("policy")?;
        (make, (Crawler(self.crawler.clone()),)).into_bound_py_any(py)
    }
}

impl Policy {
    fn judge_all(
        &self,
        urls: &Bound<'_, PyAny>,
        threads: Option<isize>,
    ) -> PyResult<batch::Judged> {
        batch::judge(&self.policy, urls, threads)
    }
}

/// A rule: an ``Allow`` or ``Disallow`` line with a value.
#[pyclass(frozen, eq, hash, get_all, module = "robotsieve")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The verdict on what it matches: ``allow`` or ``disallow``.
    verdict: &'static str,
    /// Its line, from 1 on.
    line: u32,
    /// Its value as written.
    value: Text,
    /// Of several rules that match, the one with the highest precedence decides.
    precedence: u32,
    /// What targets are compared with: normalised, without a ``$`` at the end.
    pattern: Text,
    /// True if the target must end where the pattern ends.
    is_anchored: bool,
}

impl Rule {
    pub fn of(rule: robotsieve::Rule<'_>) -> Rule {
        let (verdict, line, value, precedence, pattern, is_anchored) = parts::of_rule(rule);
        Rule { verdict, line, value, precedence, pattern, is_anchored }
    }
}

/// `allow` or `disallow`, for what is made again of its parts.
fn verdict_named(name: &str) -> PyResult<&'static str> {
    [Verdict::Allow, Verdict::Disallow]
        .into_iter()
        .map(Verdict::as_str)
        .find(|known| *known == name)
        .ok_or_else(|| {
            pyo3::exceptions::PyValueError::new_err(format!(
                "a verdict is 'allow' or 'disallow', not {name:?}"
            ))
        })
}

#[pymethods]
impl Rule {
    #[new]
    fn new(
        verdict: &str,
        line: u32,
        value: Text,
        precedence: u32,
        pattern: Text,
        is_anchored: bool,
    ) -> PyResult<Rule> {
        Ok(Rule { verdict: verdict_named(verdict)?, line, value, precedence, pattern, is_anchored })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Rule(verdict='{}', line={}, value={})",
            self.verdict,
            self.line,
            repr(py, &self.value)?
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parts = (
            self.verdict,
            self.line,
            &self.value,
            self.precedence,
            &self.pattern,
            self.is_anchored,
        );
        (py.get_type::<Rule>(), parts).into_bound_py_any(py)
    }
}

/// A verdict and the reason for it. True if the verdict is ``allow``.
#[pyclass(frozen, eq, hash, get_all, module = "robotsieve")]
#[derive(PartialEq, Eq, Hash)]
pub struct Decision {
    /// ``allow`` or ``disallow``.
    verdict: &'static str,
    /// Why:
    ///
    /// - ``rule``: this rule decided.
    /// - ``no-group``: allowed, since no group is for the crawler.
    /// - ``no-match``: allowed, since none of its rules matches.
    /// - ``empty-rule``: allowed, since its only rules are empty.
    /// - ``robots-txt``: allowed, since it is the robots.txt itself.
    /// - ``allow-all``, ``disallow-all``: what is known of the site is not a file (:meth:`Pack.outcome`).
    /// - ``rules-not-kept``: the set or pack does not keep what would tell.
    pub reason: &'static str,
    /// The line of the rule, from 1 on, or of the empty one.
    pub line: Option<u32>,
    /// The rule.
    pub rule: Option<Rule>,
}

impl Decision {
    pub fn of(decision: robotsieve::Decision<'_>) -> Decision {
        let (verdict, reason, line) = parts::of_decision(&decision);
        Decision { verdict, reason, line, rule: decision.rule().map(Rule::of) }
    }

    /// A verdict of what keeps no rules.
    pub fn without_rules(is_allowed: bool) -> Decision {
        let verdict = if is_allowed { Verdict::Allow } else { Verdict::Disallow };
        Decision { verdict: verdict.as_str(), reason: "rules-not-kept", line: None, rule: None }
    }

    /// For a policy that has no rules because the site's answer was not a file.
    pub fn because_of(mut self, outcome: Option<&'static str>) -> Decision {
        if let (Some(outcome @ ("allow-all" | "disallow-all")), "rules-not-kept") =
            (outcome, self.reason)
        {
            self.reason = outcome;
        }
        self
    }
}

#[pymethods]
impl Decision {
    #[new]
    fn new(
        verdict: &str,
        reason: &str,
        line: Option<u32>,
        rule: Option<Bound<'_, Rule>>,
    ) -> PyResult<Decision> {
        const REASONS: [&str; 8] = [
            "rule",
            "no-group",
            "no-match",
            "empty-rule",
            "robots-txt",
            "allow-all",
            "disallow-all",
            "rules-not-kept",
        ];
        let reason = REASONS.into_iter().find(|known| *known == reason).ok_or_else(|| {
            pyo3::exceptions::PyValueError::new_err(format!(
                "there is no reason {reason:?}; the reasons are {}",
                REASONS.join(", ")
            ))
        })?;
        let rule = rule.map(|rule| rule.get().clone());
        Ok(Decision { verdict: verdict_named(verdict)?, reason, line, rule })
    }

    /// Returns true if the verdict is ``allow``.
    #[getter]
    fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow.as_str()
    }

    fn __bool__(&self) -> bool {
        self.is_allowed()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rule = match &self.rule {
            Some(rule) => format!(", rule={}", rule.__repr__(py)?),
            None => self.line.map_or_else(String::new, |line| format!(", line={line}")),
        };
        Ok(format!("Decision(verdict='{}', reason='{}'{rule})", self.verdict, self.reason))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = (self.verdict, self.reason, self.line, self.rule.clone());
        (py.get_type::<Decision>(), parts).into_pyobject(py)
    }
}
