//! What a robots.txt says to one crawler.

use std::sync::{Arc, OnceLock};

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use robotsieve::pack::PackError;
use robotsieve::{Answer, SiteKind};
use robotsieve_python_common::settings::word;

use crate::answers::{Answers, Verdicts};
use crate::batch::{self, Judge};
use crate::crawler::Crawler;
pub use crate::decision::{Decision, Rule};
use crate::decisions::{Decide, Decisions, Said};
use crate::errors::invalid_url;
use crate::file::{File, Robots};
use crate::pace::RequestRate;
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
    /// Made when it is first needed.
    policy: OnceLock<robotsieve::Policy>,
    pub file: Arc<File>,
    pub crawler: Arc<robotsieve::Crawler>,
}

impl Policy {
    pub fn of(file: Arc<File>, crawler: Arc<robotsieve::Crawler>) -> Policy {
        Policy { policy: OnceLock::new(), file, crawler }
    }

    pub fn made_of(
        policy: robotsieve::Policy,
        file: Arc<File>,
        crawler: Arc<robotsieve::Crawler>,
    ) -> Policy {
        Policy { policy: OnceLock::from(policy), file, crawler }
    }

    /// The policy of the Rust library.
    #[inline]
    pub fn policy(&self) -> &robotsieve::Policy {
        match self.policy.get() {
            Some(policy) => policy,
            None => self.make(),
        }
    }

    #[cold]
    fn make(&self) -> &robotsieve::Policy {
        // Made before the lock is taken: to parse the file, the interpreter may be let go and waited for.
        let policy = self.file.with(|robots| robots.policy(&self.crawler));
        self.policy.get_or_init(|| policy)
    }

    /// The policy, if it is made and the next question does not compile for long.
    #[inline(always)]
    pub fn ready(&self) -> Option<&robotsieve::Policy> {
        self.policy.get().filter(|policy| !compiles_long(policy))
    }

    /// The verdict on a URL, if there is one without making a policy or compiling for long.
    #[inline(always)]
    pub fn verdict_at_once(&self, url: &[u8]) -> Option<bool> {
        match self.ready() {
            Some(policy) => policy.is_allowed(url).ok(),
            None => self.first_verdict(url),
        }
    }

    #[cold]
    fn first_verdict(&self, url: &[u8]) -> Option<bool> {
        let is_made = self.policy.get().is_some();
        if is_made { None } else { self.file.first_verdict(&self.crawler, url) }
    }

    /// The policy, to be asked for a verdict: it compiles without the interpreter, if it is time to compile.
    #[inline]
    fn prepared(&self, py: Python<'_>) -> &robotsieve::Policy {
        let policy = self.policy();
        if compiles_long(policy) {
            py.detach(|| policy.compile());
        }
        policy
    }
}

/// Whether the next question compiles the policy, for so long that others should have the interpreter meanwhile.
#[inline(always)]
fn compiles_long(policy: &robotsieve::Policy) -> bool {
    policy.engine() == robotsieve::Engine::Scan
        && policy.rule_count() >= RULES_WORTH_DETACHING
        && policy.compiles_next()
}

/// The policy of a batch.
struct One<'p>(&'p robotsieve::Policy);

impl Judge for One<'_> {
    type Cell = Answer;
    type Scratch = ();

    fn labels(&self) -> Vec<String> {
        vec![String::new()]
    }

    fn judge(&self, urls: &[&[u8]], answers: &mut [Answer], (): &mut ()) -> Result<(), PackError> {
        for (url, answer) in urls.iter().zip(answers) {
            *answer = match self.0.is_allowed(url) {
                Ok(true) => Answer::Allow,
                Ok(false) => Answer::Disallow,
                Err(_) => Answer::Invalid,
            };
        }
        Ok(())
    }
}

impl Decide for One<'_> {
    fn rules_stay(&self) -> bool {
        true
    }

    fn decide(
        &self,
        urls: &[&[u8]],
        _: &[usize],
        say: &mut dyn FnMut(usize, usize, Said<'_>),
    ) -> Result<(), PackError> {
        for (number, url) in urls.iter().enumerate() {
            say(number, 0, Said::by(self.0, url, SiteKind::Rules));
        }
        Ok(())
    }
}

#[pymethods]
impl Policy {
    /// True if the crawler may fetch this URL, or this path that begins with ``/``.
    ///
    /// Raises :class:`InvalidUrl` if it is neither; never in the profile ``google``.
    #[pyo3(signature = (url, /))]
    pub fn is_allowed(&self, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        let bytes = bytes_of(url, "url")?;
        if let Some(verdict) = self.verdict_at_once(&bytes) {
            return Ok(verdict);
        }
        let policy = self.prepared(url.py());
        policy.is_allowed(bytes.as_ref()).map_err(|_| invalid_url(&bytes))
    }

    /// True if the crawler may fetch this path, with its query if it has one. Unlike in
    /// :meth:`is_allowed`, ``//e.com/x`` is a path in every profile.
    #[pyo3(signature = (path, /))]
    fn is_path_allowed(&self, path: &Bound<'_, PyAny>) -> PyResult<bool> {
        let policy = self.prepared(path.py());
        let path = bytes_of(path, "path")?;
        policy.is_path_allowed(path.as_ref()).map_err(|_| invalid_url(&path))
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
        let policy = self.prepared(url.py());
        let url = bytes_of(url, "url")?;
        let decision = policy.decide(url.as_ref());
        decision.map(Decision::of).map_err(|_| invalid_url(&url))
    }

    /// The verdict on a path, with its query if it has one, and the reason for it.
    #[pyo3(signature = (path, /))]
    fn decide_path(&self, path: &Bound<'_, PyAny>) -> PyResult<Decision> {
        let policy = self.prepared(path.py());
        let path = bytes_of(path, "path")?;
        let decision = policy.decide_path(path.as_ref());
        decision.map(Decision::of).map_err(|_| invalid_url(&path))
    }

    /// The verdicts on many URLs, in their order: ``True``, ``False``, or null for what is not a URL.
    ///
    /// ``urls`` is an Arrow array or stream (PyArrow, Polars, pandas 3, DuckDB, nanoarrow, …) of
    /// strings or binary, or any iterable of ``str``, ``bytes`` and ``None``. The result is an Arrow
    /// boolean array. Runs without the GIL, on ``threads`` threads; ``None`` means one for each core.
    #[pyo3(signature = (urls, /, *, threads = 1))]
    fn verdicts(&self, urls: &Bound<'_, PyAny>, threads: Option<isize>) -> PyResult<Verdicts> {
        Ok(Verdicts::of(batch::judge(&One(self.policy()), urls, threads)?.cells))
    }

    /// As :meth:`verdicts`, in words: ``allow``, ``disallow``, or ``invalid`` for what is not a URL. An
    /// Arrow dictionary array.
    #[pyo3(signature = (urls, /, *, threads = 1))]
    fn answers(&self, urls: &Bound<'_, PyAny>, threads: Option<isize>) -> PyResult<Answers> {
        Ok(Answers::of(batch::judge(&One(self.policy()), urls, threads)?.cells))
    }

    /// As :meth:`verdicts`, with the reasons: what :meth:`decide` says of each URL, in columns. It takes about
    /// three times as long.
    #[pyo3(signature = (urls, /, *, threads = 1))]
    fn decisions(&self, urls: &Bound<'_, PyAny>, threads: Option<isize>) -> PyResult<Decisions> {
        let one = One(self.policy());
        let (judged, rules) = Decisions::judge(&one, vec![String::new()], vec![0], urls, threads)?;
        let profile = self.file.profile_shown().into();
        Ok(Decisions::of(judged.cells, &rules, &profile))
    }

    /// What the rules are compared with for this URL: its path and query, normalised.
    #[pyo3(signature = (url, /))]
    fn target(&self, url: &Bound<'_, PyAny>) -> PyResult<Text> {
        let url = bytes_of(url, "url")?;
        let target = self.policy().target(url.as_ref()).map_err(|_| invalid_url(&url))?;
        Ok(Text(target.to_vec().into()))
    }

    /// Compiles now instead of later.
    fn compile(&self, py: Python<'_>) {
        py.detach(|| self.policy().compile());
    }

    /// What answers the next question: ``scan``, ``dfa``, ``lazy`` or ``segments``.
    #[getter]
    fn engine(&self) -> PyResult<String> {
        word(&self.policy().engine())
    }

    /// The limit that kept the policy from becoming a DFA, if one did.
    #[getter]
    fn limit_hit(&self) -> PyResult<Option<String>> {
        self.policy().limit_hit().map(|limit| word(&limit)).transpose()
    }

    /// The compiled automaton as a Graphviz DOT graph, ``None`` if the policy is not a DFA.
    fn to_dot(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.policy().to_dot())
    }

    /// The bytes of memory that the policy occupies, its file not counted.
    #[getter]
    fn memory_usage(&self) -> usize {
        self.policy().memory_usage().total_bytes()
    }

    /// The rules, from highest to lowest precedence; those without a value left out.
    #[getter]
    fn rules(&self) -> Vec<Rule> {
        self.policy().rules().map(Rule::of).collect()
    }

    /// The user-agent lines of the crawler's groups: line, from 1 on, and value.
    #[getter]
    fn group(&self) -> Vec<(u32, Text)> {
        self.policy().group().map(|(line, value)| (line, value.into())).collect()
    }

    /// The crawl delay in seconds, ``None`` if there is none.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.policy().crawl_delay().map(|delay| delay.as_secs_f64())
    }

    /// The request rate, ``None`` if there is none.
    #[getter]
    fn request_rate(&self) -> Option<RequestRate> {
        self.policy().request_rate().map(RequestRate::of)
    }

    /// The seconds to wait between the beginnings of two requests, by crawl delay and request rate.
    #[getter]
    fn min_interval(&self) -> Option<f64> {
        self.policy().pace().min_interval().map(|time| time.as_secs_f64())
    }

    /// The file.
    #[getter]
    fn robots(&self) -> Robots {
        Robots(Arc::clone(&self.file))
    }

    /// The crawler.
    #[getter]
    fn crawler(&self) -> Crawler {
        Crawler((*self.crawler).clone())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Policy>().is_ok_and(|other| {
            let other = other.get();
            self.crawler == other.crawler && *self.file == *other.file
        })
    }

    fn __hash__(&self) -> u64 {
        batch::hash(&(self.file.hash_value(), &self.crawler))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let crawler = repr(py, Crawler((*self.crawler).clone()))?;
        let profile = self.file.profile_shown();
        Ok(format!(
            "<robotsieve.Policy of {crawler}, {} rules, profile {profile}>",
            self.policy().rule_count()
        ))
    }

    /// How a notebook shows it: its lines of the file, escaped.
    fn _repr_html_<'py>(of: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        of.py().import("robotsieve._report")?.call_method1("html_of_policy", (of,))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let make = self.robots().into_bound_py_any(py)?.getattr("policy")?;
        (make, (Crawler((*self.crawler).clone()),)).into_bound_py_any(py)
    }
}
