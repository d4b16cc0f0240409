//! The answers of a sieve.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use robotsieve::Verdict;
use robotsieve_client::Timestamp;
use robotsieve_client::sieve;
use robotsieve_python_common::crawlers::place_of;
use robotsieve_python_common::errors::invalid_url;
use robotsieve_python_common::reasoned::Reasoned;
use robotsieve_python_common::settings::{self, to_python};
use robotsieve_python_common::text::{Text, bytes_of, repr};
use serde::Serialize;

use crate::engine;
use crate::errors::value_error;

/// The crawlers of a sieve.
pub struct Crawlers {
    pub all: Vec<robotsieve::Crawler>,
    pub labels: Vec<String>,
}

/// The verdict on a URL, and where it comes from. True if the verdict is ``allow``.
///
/// Made by ``robotsieve.aio.Sieve``. ``to_dict`` has all of it for a log.
#[pyclass(frozen, module = "robotsieve.aio")]
pub struct Decision {
    verdict: Verdict,
    url: Py<PyAny>,
    site: sieve::Site,
    crawlers: Arc<Crawlers>,
}

impl Decision {
    pub fn new(
        verdict: Verdict,
        url: Py<PyAny>,
        site: sieve::Site,
        crawlers: Arc<Crawlers>,
    ) -> Decision {
        Decision { verdict, url, site, crawlers }
    }

    /// The decision of the engine.
    fn decided<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        decided(&self.site, 0, self.url.bind(py))
    }
}

/// What is decided of a URL of a site, as the class of the package `robotsieve`.
fn decided<'py>(
    site: &sieve::Site,
    crawler: usize,
    url: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = bytes_of(url, "url")?;
    let decision = site.policy(crawler).decide(bytes.as_ref());
    let decision = decision.map_err(|_| invalid_url(&bytes))?;
    engine::decision(url.py(), Reasoned::of(decision, site.ruling().holds))
}

/// One of several words, as Python has them: `disallow-all`.
fn word(value: &impl Serialize) -> PyResult<String> {
    Ok(settings::word(value)?.replace('_', "-"))
}

fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(|time| time.as_secs_f64())
}

/// The value that JSON has for something.
fn json<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, &serde_json::to_string(value).map_err(value_error)?)
}

#[pymethods]
impl Decision {
    /// The URL, as it was given.
    #[getter]
    fn url(&self, py: Python<'_>) -> Py<PyAny> {
        self.url.clone_ref(py)
    }

    /// ``allow`` or ``disallow``.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.verdict.as_str()
    }

    /// True if the verdict is ``allow``.
    #[getter]
    fn is_allowed(&self) -> bool {
        self.verdict.is_allow()
    }

    fn __bool__(&self) -> bool {
        self.is_allowed()
    }

    /// ``None``: a URL without a decision is an ``Undecided``, and has one.
    #[getter]
    fn error(&self) -> Option<bool> {
        None
    }

    /// The site, as it was when the decision was made.
    #[getter]
    fn site(&self) -> Site {
        Site { site: self.site.clone(), crawlers: Arc::clone(&self.crawlers) }
    }

    /// The origin whose robots.txt decides: ``https://example.com``.
    #[getter]
    fn origin(&self) -> &str {
        self.site.origin()
    }

    /// The policy that applies: ``rules``, ``allow-all`` or ``disallow-all``.
    #[getter]
    fn holds(&self) -> PyResult<String> {
        word(&self.site.ruling().holds)
    }

    /// The reason: ``copy`` (the site's robots.txt), ``absent``, ``denied``,
    /// ``copy-while-unreachable``, ``unreachable-recently``, ``unreachable-without-copy``,
    /// ``unreachable-too-long``, ``never-asked`` or ``override``.
    #[getter]
    fn why(&self) -> PyResult<String> {
        word(&self.site.ruling().why)
    }

    /// What decided: see ``robotsieve.Decision.reason``.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.decided(py)?.getattr("reason")
    }

    /// The rule that decided, if one did.
    #[getter]
    fn rule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.decided(py)?.getattr("rule")
    }

    /// The line of the rule, from 1 on, or of the empty one.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.decided(py)?.getattr("line")
    }

    /// The seconds for which the copy of the robots.txt has been held unchecked. ``None`` if there
    /// is none.
    #[getter]
    fn age(&self) -> Option<f64> {
        seconds(self.site.age())
    }

    /// The seconds that the site asks the first crawler to wait between two requests.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        seconds(self.site.crawl_delay(0))
    }

    /// The answers for all crawlers by their names: ``allow`` or ``disallow``.
    #[getter]
    fn answers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let url = bytes_of(self.url.bind(py), "url")?;
        let answers = self.site.policies().ask(&url);
        self.crawlers
            .labels
            .iter()
            .zip(answers.iter().map(|answer| answer.as_str()))
            .into_py_dict(py)
    }

    /// Its fields, of types that JSON has: those of ``robotsieve.Decision.to_dict``, and where they come
    /// from.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let url = bytes_of(self.url.bind(py), "url")?;
        let fields = PyDict::new(py);
        fields.set_item("url", String::from_utf8_lossy(&url))?;
        fields.update(self.decided(py)?.call_method0("to_dict")?.cast::<PyDict>()?.as_mapping())?;
        fields.set_item("origin", self.origin())?;
        fields.set_item("holds", self.holds()?)?;
        fields.set_item("why", self.why()?)?;
        fields.set_item("age", self.age())?;
        Ok(fields)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let line: Option<u32> = self.line(py)?.extract()?;
        let line = line.map_or_else(String::new, |line| format!(", line={line}"));
        Ok(format!(
            "Decision(url={}, verdict='{}', why='{}'{line})",
            repr(py, self.url.bind(py))?,
            self.verdict(),
            self.why()?
        ))
    }
}

/// A site, and what applies to it, as it was when it was looked up.
///
/// Where a crawler is asked for, it is one of the sieve's, by its name; by default the first one.
#[pyclass(frozen, module = "robotsieve.aio")]
pub struct Site {
    site: sieve::Site,
    crawlers: Arc<Crawlers>,
}

impl Site {
    pub fn of(site: &sieve::Site, crawlers: &Arc<Crawlers>) -> Site {
        Site { site: site.clone(), crawlers: Arc::clone(crawlers) }
    }

    fn place(&self, crawler: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
        match crawler {
            None => Ok(0),
            Some(crawler) => {
                let Crawlers { all, labels } = &*self.crawlers;
                place_of(labels, all, crawler, engine::crawler_of)
            }
        }
    }
}

fn time(time: Timestamp) -> f64 {
    time.0 as f64
}

#[pymethods]
impl Site {
    /// The origin: ``https://example.com``.
    #[getter]
    fn origin(&self) -> &str {
        self.site.origin()
    }

    /// The policy that applies: ``rules``, ``allow-all`` or ``disallow-all``.
    #[getter]
    fn holds(&self) -> PyResult<String> {
        word(&self.site.ruling().holds)
    }

    /// The reason: see :attr:`Decision.why`.
    #[getter]
    fn why(&self) -> PyResult<String> {
        word(&self.site.ruling().why)
    }

    /// The meaning of the last attempt: ``present``, ``absent: HTTP 404``, ``unreachable: no
    /// connection …``.
    #[getter]
    fn outcome(&self) -> String {
        self.site.state().last.to_string()
    }

    /// The looks of the robots.txt: ``parsed``, ``empty``, ``html``, ``truncated``, ``absent`` or
    /// ``unreachable``.
    #[getter]
    fn condition(&self) -> &'static str {
        self.site.state().condition().as_str()
    }

    /// The time of the last attempt, in seconds since 1970.
    #[getter]
    fn attempted(&self) -> f64 {
        time(self.site.state().attempted)
    }

    /// Until when this applies if the site is not asked again, in seconds since 1970.
    #[getter]
    fn until(&self) -> f64 {
        time(self.site.ruling().until)
    }

    /// The time to ask the site again, in seconds since 1970.
    #[getter]
    fn next_attempt(&self) -> f64 {
        time(self.site.ruling().next_attempt)
    }

    /// True if the answer has expired. It is then used only where there is no fetcher.
    #[getter]
    fn is_expired(&self) -> bool {
        self.site.ruling().is_expired
    }

    /// The seconds for which the copy of the robots.txt has been held unchecked. ``None`` if there
    /// is none.
    #[getter]
    fn age(&self) -> Option<f64> {
        seconds(self.site.age())
    }

    /// Everything that is remembered of the origin, of types that JSON has.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json(py, self.site.state())
    }

    /// The values of the ``Sitemap`` lines, if the sieve's configuration keeps them.
    #[getter]
    fn sitemaps(&self) -> Vec<Text> {
        self.site.sitemaps().map(Text::from).collect()
    }

    /// True if a crawler may fetch this URL of the site. Other sites' URLs are not told apart.
    #[pyo3(signature = (url, /, crawler = None))]
    fn is_allowed(
        &self,
        url: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let policy = self.site.policy(self.place(crawler)?);
        let url = bytes_of(url, "url")?;
        policy.is_allowed(url.as_ref()).map_err(|_| invalid_url(&url))
    }

    /// The verdict of the policy that applies, and the reason for it.
    #[pyo3(signature = (url, /, crawler = None))]
    fn decide<'py>(
        &self,
        url: &Bound<'py, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let place = self.place(crawler)?;
        decided(&self.site, place, url)
    }

    /// The seconds that the site asks a crawler to wait between two requests.
    #[pyo3(signature = (crawler = None))]
    fn crawl_delay(&self, crawler: Option<&Bound<'_, PyAny>>) -> PyResult<Option<f64>> {
        Ok(seconds(self.site.crawl_delay(self.place(crawler)?)))
    }

    /// The request rate that the site asks of a crawler.
    #[pyo3(signature = (crawler = None))]
    fn request_rate<'py>(
        &self,
        py: Python<'py>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let rate = self.site.request_rate(self.place(crawler)?);
        rate.map(|rate| engine::request_rate(py, &rate)).transpose()
    }

    /// The seconds to wait between two requests, by crawl delay and request rate.
    #[pyo3(signature = (crawler = None))]
    fn min_interval(&self, crawler: Option<&Bound<'_, PyAny>>) -> PyResult<Option<f64>> {
        Ok(seconds(self.site.pace(self.place(crawler)?).min_interval()))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!(
            "<robotsieve.aio.Site {}: {}, {}>",
            self.origin(),
            self.outcome(),
            self.site.ruling().holds
        ))
    }
}
