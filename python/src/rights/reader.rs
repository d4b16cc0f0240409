//! Who asks for rights, and by which texts.

use std::sync::Arc;
use std::time::SystemTime;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use robotsieve_client::Timestamp;
use robotsieve_client::report::rfc3339;
use robotsieve_report::RightsSettings;
use robotsieve_rights::{PolicyToken, TagReading, Vocabulary};
use robotsieve_shown::shown;

use super::columns::{Given, columns};
use super::compiled::Compiler;
use super::files::{documents_of, files_of};
use super::headers::{self, fields_of};
use super::said::{Asked, Rights, response_of};
use super::table::RightsColumns;
use crate::crawler::{Crawler, crawler_of};
use crate::errors::invalid_url;
use crate::settings::{Profile, profile_of};
use crate::text::{bytes_of, repr, type_name};

/// Reads what a crawler may do with pages: crawl, index and excerpt them, give them to a model as input, train on
/// them.
///
/// Sites say so in robots.txt, in headers, in pages and in files of their own; the most restrictive statement wins,
/// and silence is no permission. ``docs/rights.md`` says which texts are read, and how.
///
/// ``crawler`` is as for :meth:`Robots.policy`. ``reading`` is whose reading of robots tags counts: ``generic``,
/// ``google``, ``bing``, ``yandex`` or ``amazon``. ``vocabulary`` is the draft of Content-Usage's vocabulary, from ``01`` to ``08``.
/// ``now`` is the time by which ``unavailable_after`` is judged, a ``datetime`` or seconds since 1970; by default that of
/// this call. ``policy_tokens`` are tokens that the crawler's operator heeds beside its own: ``Google-Extended``,
/// ``Applebot-Extended``. ``profile`` is how files are read that are given as text or bytes.
///
/// >>> from robotsieve import RightsReader, Robots
/// >>> reader = RightsReader("GPTBot")
/// >>> robots = Robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\n")
/// >>> rights = reader.rights("https://example.com/a", robots=robots, headers={"X-Robots-Tag": "nosnippet"})
/// >>> rights.crawl, rights.index, rights.snippet, rights.ai_input, rights.ai_train
/// ('allow', 'allow', 'disallow', 'unknown', 'disallow')
/// >>> rights.by["snippet"]
/// [RightsStatement(place='header:x-robots-tag:1', version='x-robots-google-2026-03')]
///
/// Nothing is fetched. All threads may use it. It keeps what it made of robots.txt files, up to 64 MiB of them, so
/// that each is compiled once.
#[pyclass(frozen, module = "robotsieve")]
pub struct RightsReader {
    compiler: Compiler,
    crawler: robotsieve::Crawler,
    reading: TagReading,
    vocabulary: Vocabulary,
    now: i64,
    tokens: Vec<PolicyToken>,
    /// With what it judges, and its time, as records have them.
    of_record: Arc<(RightsSettings, String)>,
}

impl RightsReader {
    fn parts(
        &self,
    ) -> (&robotsieve::Crawler, TagReading, Vocabulary, i64, Vec<&'static str>, &robotsieve::Profile)
    {
        let tokens = self.tokens.iter().map(|token| token.name).collect();
        (&self.crawler, self.reading, self.vocabulary, self.now, tokens, &self.compiler.profile)
    }

    /// The rights of a URL that Python gave.
    fn read(&self, asked: &Asked<'_, '_>) -> PyResult<robotsieve_rights::Rights> {
        let py = asked.url.py();
        let url = bytes_of(asked.url, "url")?;
        let robots = asked.robots.map(|robots| self.compiler.of_object(robots)).transpose()?;
        let html = asked.html.map(|html| bytes_of(html, "html")).transpose()?;
        let documents = documents_of(&asked.files, Some(&url))?;
        let mut response = response_of(&asked.headers);
        if let Some(xmp) = asked.xmp {
            let xmp = bytes_of(xmp, "xmp")?;
            response = py.detach(|| response.with_xmp(&xmp));
        }
        let judge =
            |response| self.compiler.reader.rights(&*url, robots.as_ref(), &response, &documents);
        let rights = match &html {
            None => judge(response),
            Some(html) if html.len() < BYTES_WORTH_DETACHING => judge(response.with_html(html)),
            Some(html) => py.detach(|| judge(response.with_html(html))),
        };
        rights.map_err(|_| invalid_url(&url))
    }
}

/// Smaller pages are read in less time than it can take to get the interpreter back.
const BYTES_WORTH_DETACHING: usize = 8_192;

#[pymethods]
impl RightsReader {
    #[new]
    #[pyo3(signature = (
        crawler, *, reading = "generic", vocabulary = "08", now = None, policy_tokens = None, profile = None
    ))]
    fn new(
        crawler: &Bound<'_, PyAny>,
        reading: &str,
        vocabulary: &str,
        now: Option<&Bound<'_, PyAny>>,
        policy_tokens: Option<&Bound<'_, PyAny>>,
        profile: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<RightsReader> {
        let profile = profile_of(profile)?;
        let crawler = crawler_of(crawler, &profile)?;
        let reading: TagReading = reading.parse().map_err(|_| {
            let all: Vec<&str> = TagReading::ALL.iter().map(|reading| reading.as_str()).collect();
            unknown("reading", reading, &all)
        })?;
        let number = vocabulary.strip_prefix(VOCABULARY).unwrap_or(vocabulary);
        let vocabulary: Vocabulary = number.parse().map_err(|_| {
            let all: Vec<&str> = Vocabulary::ALL.iter().map(|all| short(*all)).collect();
            unknown("vocabulary", vocabulary, &all)
        })?;
        let now = seconds_of(now)?;
        let tokens = tokens_of(policy_tokens)?;
        let judge = robotsieve_rights::RightsReader::new(&crawler)
            .with_reading(reading)
            .with_vocabulary(vocabulary)
            .with_now(now)
            .with_policy_tokens(tokens.iter().copied());
        let agent = crawler.iter().map(shown).collect::<Vec<_>>().join(",");
        let settings = RightsSettings::new(
            agent,
            profile.name().unwrap_or_default(),
            reading.as_str(),
            vocabulary.version(),
        );
        let time = rfc3339(Timestamp(u64::try_from(now).unwrap_or_default()));
        let of_record = Arc::new((settings, time));
        let compiler = Compiler::new(judge, profile);
        Ok(RightsReader { compiler, crawler, reading, vocabulary, now, tokens, of_record })
    }

    /// The rights of a URL, from all that is at hand.
    ///
    /// ``robots`` is the robots.txt: a :class:`Robots`, text or bytes; without it crawling is unknown. ``headers`` is the
    /// header of the response: a mapping, pairs of names and values, or text with ``Name: value`` lines. ``html`` is the
    /// page. ``files`` are bodies by address: ``/.well-known/tdmrep.json``, or the URL of an RSL document. ``xmp`` is, instead
    /// of a page, the image, video or PDF itself, as bytes, whose XMP counts.
    ///
    /// Raises :class:`InvalidUrl` as :meth:`Policy.is_allowed` does, and ``ValueError`` for text that is no header.
    #[pyo3(signature = (url, /, *, robots = None, headers = None, html = None, files = None, xmp = None))]
    #[allow(clippy::too_many_arguments, reason = "Python's keywords")]
    fn rights(
        slf: &Bound<'_, Self>,
        url: &Bound<'_, PyAny>,
        robots: Option<&Bound<'_, PyAny>>,
        headers: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        files: Option<&Bound<'_, PyAny>>,
        xmp: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Rights> {
        if html.is_some() && xmp.is_some() {
            return Err(PyValueError::new_err(
                "a response is a page or another file: give html or xmp, not both",
            ));
        }
        let headers = headers.map(fields_of).transpose()?.transpose();
        let headers = headers.map_err(|error| headers::invalid(&error))?.unwrap_or_default();
        let asked = Asked { url, robots, headers, html, xmp, files: files_of(files)? };
        let rights = slf.get().read(&asked)?;
        let RightsReader { compiler, of_record, .. } = slf.get();
        let (reader, of_record) = (slf.clone().into_any().unbind(), Arc::clone(of_record));
        Rights::new(reader, compiler.profile, of_record, rights, asked)
    }

    /// The rights of many URLs, in columns: an Arrow table.
    ///
    /// ``urls`` is as for :meth:`Policy.verdicts`. All other columns have a value for each URL, or null:
    ///
    /// - ``headers``: Arrow maps, lists of pairs, or text with ``Name: value`` lines; or an iterable of what
    ///   :meth:`rights` takes;
    /// - ``html``: Arrow strings or binary, or an iterable of ``str``, ``bytes`` and ``None``;
    /// - ``xmp``: such a column with the bytes of what are no pages but images, videos or PDFs;
    /// - ``robots``: such a column with the robots.txt of each URL, of which equal ones are compiled once; or one file for
    ///   all, as :meth:`rights` takes it; or a mapping from origins, or any of their URLs, to files.
    ///
    /// ``files`` are as for :meth:`rights`, with addresses in full, or ``/.well-known/tdmrep.json`` for all sites. They are
    /// read once. ``threads`` is as for :meth:`Policy.verdicts`.
    ///
    /// >>> reader = RightsReader("GPTBot")
    /// >>> headers = [{"X-Robots-Tag": "noai"}, None, "no header"]
    /// >>> list(reader.columns(["https://example.com/a", "not a URL", "/b"], headers=headers).ai_train)
    /// ['disallow', 'invalid', 'invalid']
    ///
    /// ``captures`` is what archives know of the responses: an Arrow table with the members of a record that tell of the
    /// capture, as :meth:`Rights.to_record` takes them (``documents`` and ``notes`` as JSON text). The table then has the columns of the
    /// records of ``robotsieve rights --warc``, by the same names, and what they say was not read permits nothing.
    #[pyo3(signature = (urls, /, *, robots = None, headers = None, html = None, files = None, captures = None, threads = 1, xmp = None))]
    #[allow(clippy::too_many_arguments, reason = "Python's keywords")]
    fn columns(
        slf: &Bound<'_, Self>,
        urls: &Bound<'_, PyAny>,
        robots: Option<&Bound<'_, PyAny>>,
        headers: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        files: Option<&Bound<'_, PyAny>>,
        captures: Option<&Bound<'_, PyAny>>,
        threads: Option<isize>,
        xmp: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<RightsColumns> {
        let documents = documents_of(&files_of(files)?, None)?;
        let RightsReader { compiler, of_record, .. } = slf.get();
        let documents = &documents;
        let given = Given { urls, robots, headers, html, xmp, captures, documents, of_record };
        columns(compiler, &given, threads)
    }

    /// Whose rights they are.
    #[getter]
    fn crawler(&self) -> Crawler {
        Crawler(self.crawler.clone())
    }

    /// Whose reading of robots tags counts.
    #[getter]
    fn reading(&self) -> &'static str {
        self.reading.as_str()
    }

    /// The draft of Content-Usage's vocabulary.
    #[getter]
    fn vocabulary(&self) -> &'static str {
        short(self.vocabulary)
    }

    /// The time by which ``unavailable_after`` is judged, in seconds since 1970.
    #[getter]
    fn now(&self) -> i64 {
        self.now
    }

    /// The tokens that are heeded beside the crawler's names.
    #[getter]
    fn policy_tokens(&self) -> Vec<&'static str> {
        self.tokens.iter().map(|token| token.name).collect()
    }

    /// How files are read that are given as text or bytes.
    #[getter]
    fn profile(&self) -> Profile {
        Profile(self.compiler.profile)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<RightsReader>().is_ok_and(|other| self.parts() == other.get().parts())
    }

    fn __hash__(&self) -> u64 {
        let (crawler, reading, vocabulary, now, tokens, profile) = self.parts();
        crate::batch::hash(&(crawler, reading, vocabulary, now, tokens, profile))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = self.crawler().names(py)?;
        let who = match names.len() {
            1 => repr(py, names.get_item(0)?)?,
            _ => repr(py, self.crawler())?,
        };
        let mut parts = vec![who];
        if self.reading != TagReading::default() {
            parts.push(format!("reading='{}'", self.reading));
        }
        if self.vocabulary != Vocabulary::default() {
            parts.push(format!("vocabulary='{}'", short(self.vocabulary)));
        }
        parts.push(format!("now={}", self.now));
        if !self.tokens.is_empty() {
            parts.push(format!("policy_tokens={}", repr(py, self.policy_tokens())?));
        }
        if self.compiler.profile != robotsieve::Profile::RFC9309 {
            parts.push(format!("profile={}", repr(py, self.profile())?));
        }
        Ok(format!("RightsReader({})", parts.join(", ")))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let settings = PyDict::new(py);
        settings.set_item("reading", self.reading())?;
        settings.set_item("vocabulary", self.vocabulary())?;
        settings.set_item("now", self.now)?;
        settings.set_item("policy_tokens", self.policy_tokens())?;
        settings.set_item("profile", self.profile())?;
        let class = py.get_type::<RightsReader>();
        let make = py.import("functools")?.getattr("partial")?.call((class,), Some(&settings))?;
        (make, (self.crawler(),)).into_bound_py_any(py)
    }
}

const VOCABULARY: &str = "aipref-vocab-";

/// The number of a draft.
fn short(vocabulary: Vocabulary) -> &'static str {
    vocabulary.version().trim_start_matches(VOCABULARY)
}

fn unknown(what: &str, given: &str, all: &[&str]) -> PyErr {
    let all = all.join(", ");
    PyValueError::new_err(format!("there is no {what} {given:?}; those there are: {all}"))
}

/// A time in seconds since 1970: that of now if none is given.
fn seconds_of(time: Option<&Bound<'_, PyAny>>) -> PyResult<i64> {
    let Some(time) = time else {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        return Ok(i64::try_from(now.as_secs()).unwrap_or(i64::MAX));
    };
    if let Ok(seconds) = time.extract::<i64>() {
        return Ok(seconds);
    }
    let seconds = match time.getattr_opt("timestamp")? {
        Some(timestamp) => timestamp.call0()?,
        None => time.clone(),
    };
    let seconds: f64 = seconds.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "now must be a datetime or seconds since 1970, not {}",
            type_name(time)
        ))
    })?;
    if !seconds.is_finite() {
        return Err(PyValueError::new_err("now must be a finite number of seconds"));
    }
    // Beyond its bounds the cast gives the bound, which is as far from any date.
    Ok(seconds.floor() as i64)
}

fn tokens_of(names: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<PolicyToken>> {
    let Some(names) = names else { return Ok(Vec::new()) };
    if names.is_instance_of::<PyString>() || names.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(
            "policy_tokens must be a list of names; for one, put it into brackets",
        ));
    }
    let token = |name: PyResult<Bound<'_, PyAny>>| {
        let name: String = name?.extract()?;
        PolicyToken::of_name(&name).ok_or_else(|| {
            let all: Vec<&str> = PolicyToken::ALL.iter().map(|token| token.name).collect();
            unknown("policy token", &name, &all)
        })
    };
    names.try_iter()?.map(token).collect()
}
