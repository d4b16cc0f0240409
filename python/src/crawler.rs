//! Who asks: names, and User-Agent headers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple, PyType};
use robotsieve::Certainty;
use robotsieve_known::misspelt;
use robotsieve_report::Asked;

use crate::crawlers::names_of;
use crate::errors::{empty_name, invalid_name, no_crawlers, warn};
use crate::text::{Text, bytes_of, repr};

/// A crawler: one name, or several from most to least specific.
///
/// The names are taken as given. Where a crawler is asked for, a ``str``, a list of them or a
/// :class:`UserAgent` will do too. Names are then checked: a name that no ``User-agent`` line can name, such as ``"GPTBot/1.0"`` or
/// a whole header, raises :class:`InvalidName` instead of silently obeying the ``*`` group. A name that no crawler has, such as
/// ``"google"``, makes a warning that asks for the one that was meant.
///
/// >>> from robotsieve import Crawler
/// >>> Crawler("Googlebot-Image", "Googlebot")
/// Crawler('Googlebot-Image', 'Googlebot')
/// >>> Crawler.from_user_agent("Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)")
/// Crawler('GPTBot')
#[pyclass(frozen, eq, hash, module = "robotsieve")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Crawler(pub robotsieve::Crawler);

/// A crawler, and the header that it was given by.
pub struct Who {
    pub crawler: robotsieve::Crawler,
    header: Option<Vec<u8>>,
}

impl Who {
    /// The question whether it may fetch a URL.
    pub fn asked<'q>(&'q self, robots: Option<&'q [u8]>, url: &'q [u8]) -> Asked<'q> {
        let mut asked = Asked::new(&self.crawler, url);
        asked.robots = robots;
        if let Some(header) = &self.header {
            asked.agent = header.into();
            asked.user_agent = true;
        }
        asked
    }

    /// What stands for it in a report.
    pub fn agent(&self) -> Vec<u8> {
        if self.header.is_none() && self.crawler.iter().next().is_none() {
            return b"*".to_vec();
        }
        self.asked(None, b"").agent.into_owned()
    }
}

/// The crawler that is meant by a name, by several, by a `Crawler` or by a `UserAgent`.
pub fn who_of(value: &Bound<'_, PyAny>, profile: &robotsieve::Profile) -> PyResult<Who> {
    let header = value.cast::<UserAgent>().ok().map(|value| value.get().header.0.to_vec());
    Ok(Who { crawler: crawler_of(value, profile)?, header })
}

/// The crawler of [`who_of`].
pub fn crawler_of(
    value: &Bound<'_, PyAny>,
    profile: &robotsieve::Profile,
) -> PyResult<robotsieve::Crawler> {
    if let Some(crawler) = made(value) {
        return Ok(crawler);
    }
    let names = names_of(value)?;
    if names.is_empty() || names.iter().any(Vec::is_empty) {
        return Err(empty_name(value.py()));
    }
    ask_what_is_meant(value.py(), &names)?;
    robotsieve::Crawler::try_names(names, profile).map_err(|error| invalid_name(value.py(), &error))
}

thread_local! {
    /// The crawler that a name meant last, with the profile. Most programs ask about all files for one, and to check and
    /// copy its name again would take a fifth of the time in which a small file's policy is made.
    static LAST: RefCell<Option<(robotsieve::Profile, Arc<robotsieve::Crawler>)>> = const { RefCell::new(None) };
}

/// The crawler of [`who_of`], to be kept beside others of the same.
pub fn shared_crawler_of(
    value: &Bound<'_, PyAny>,
    profile: &robotsieve::Profile,
) -> PyResult<Arc<robotsieve::Crawler>> {
    let text = value.cast_exact::<PyString>().ok().and_then(|text| text.to_str().ok());
    let Some(name) = text else { return crawler_of(value, profile).map(Arc::new) };
    let known = LAST.with_borrow(|last| {
        let (last_profile, crawler) = last.as_ref()?;
        let is_same = crawler.iter().eq([name.as_bytes()]) && last_profile == profile;
        is_same.then(|| Arc::clone(crawler))
    });
    if let Some(crawler) = known {
        return Ok(crawler);
    }
    // Not borrowed meanwhile: to make an error, Python may run other code of the same thread.
    let crawler = Arc::new(crawler_of(value, profile)?);
    LAST.set(Some((*profile, Arc::clone(&crawler))));
    Ok(crawler)
}

/// Warns of names that no crawler has, where another name was probably meant: once for each name.
fn ask_what_is_meant(py: Python<'_>, names: &[Vec<u8>]) -> PyResult<()> {
    /// Names beyond these are not looked at: a look takes some microseconds.
    const MAX_NAMES: usize = 4096;
    static SEEN: Mutex<BTreeSet<Vec<u8>>> = Mutex::new(BTreeSet::new());
    for name in names {
        let is_new = {
            let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
            !seen.contains(name) && seen.len() < MAX_NAMES && seen.insert(name.clone())
        };
        if let Some(question) = is_new.then(|| misspelt(name)).flatten() {
            warn(py, question)?;
        }
    }
    Ok(())
}

/// The crawler of [`who_of`], to look for among others: its names are not checked.
pub fn crawler_as_given(value: &Bound<'_, PyAny>) -> PyResult<robotsieve::Crawler> {
    match made(value) {
        Some(crawler) => Ok(crawler),
        None => names_of(value).map(robotsieve::Crawler::names),
    }
}

/// The crawler of a `Crawler` or a `UserAgent`.
fn made(value: &Bound<'_, PyAny>) -> Option<robotsieve::Crawler> {
    if let Ok(crawler) = value.cast::<Crawler>() {
        return Some(crawler.get().0.clone());
    }
    value.cast::<UserAgent>().ok().map(|header| header.get().crawler().0)
}

/// One crawler or several, each as for [`crawler_of`].
pub fn crawlers_of(
    value: &Bound<'_, PyAny>,
    profile: &robotsieve::Profile,
) -> PyResult<Vec<robotsieve::Crawler>> {
    match whos_of(value, profile)? {
        none if none.is_empty() => Err(no_crawlers(value.py())),
        whos => Ok(whos.into_iter().map(|who| who.crawler).collect()),
    }
}

/// Several crawlers, each as for [`who_of`].
pub fn whos_of(value: &Bound<'_, PyAny>, profile: &robotsieve::Profile) -> PyResult<Vec<Who>> {
    let is_one = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<Crawler>()
        || value.is_instance_of::<UserAgent>();
    if is_one {
        return Err(PyTypeError::new_err(
            "crawlers must be a list of crawlers; for one, put it into brackets",
        ));
    }
    value.try_iter()?.map(|crawler| who_of(&crawler?, profile)).collect()
}

#[pymethods]
impl Crawler {
    #[new]
    #[pyo3(signature = (*names))]
    fn new(names: &Bound<'_, PyTuple>) -> PyResult<Crawler> {
        let mut all = Vec::new();
        for name in names {
            all.push(bytes_of(&name, "each name of a crawler")?.into_owned());
        }
        Ok(Crawler(robotsieve::Crawler::names(all)))
    }

    /// The crawler that sends this ``User-Agent`` header. :class:`UserAgent` says how sure each name is.
    #[classmethod]
    fn from_user_agent(_: &Bound<'_, PyType>, header: &Bound<'_, PyAny>) -> PyResult<Crawler> {
        Ok(Crawler(robotsieve::Crawler::from_user_agent(bytes_of(header, "header")?)))
    }

    /// The names, from most to least specific.
    #[getter]
    pub fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.iter().map(Text::from).collect::<Vec<_>>())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names: PyResult<Vec<String>> =
            self.0.iter().map(|name| repr(py, Text::from(name))).collect();
        Ok(format!("Crawler({})", names?.join(", ")))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok((py.get_type::<Crawler>(), self.names(py)?).into_pyobject(py)?.into_any())
    }
}

/// What a ``User-Agent`` header says about who sends it.
///
/// >>> from robotsieve import UserAgent
/// >>> UserAgent("Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)").names
/// [HeaderName(name='GPTBot', certainty='compatible')]
#[pyclass(frozen, eq, hash, module = "robotsieve")]
#[derive(PartialEq, Eq, Hash)]
pub struct UserAgent {
    header: Text,
    names: Vec<HeaderName>,
}

/// A name in a ``User-Agent`` header, and how sure it is that it is the crawler's.
#[pyclass(frozen, eq, hash, get_all, module = "robotsieve")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct HeaderName {
    /// The name.
    name: Text,
    /// ``compatible``: it follows that word. ``product``: it has a version, or the header begins with it.
    /// ``word``: it stands somewhere else.
    certainty: &'static str,
}

#[pymethods]
impl HeaderName {
    #[new]
    fn new(name: Text, certainty: &str) -> PyResult<HeaderName> {
        let all = [Certainty::Compatible, Certainty::Product, Certainty::Word];
        let known = all.into_iter().map(Certainty::as_str).find(|known| *known == certainty);
        let certainty = known
            .ok_or_else(|| PyValueError::new_err(format!("there is no certainty {certainty:?}")))?;
        Ok(HeaderName { name, certainty })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok((py.get_type::<HeaderName>(), (&self.name, self.certainty))
            .into_pyobject(py)?
            .into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("HeaderName(name={}, certainty='{}')", repr(py, &self.name)?, self.certainty))
    }
}

#[pymethods]
impl UserAgent {
    #[new]
    fn new(header: &Bound<'_, PyAny>) -> PyResult<UserAgent> {
        let header = bytes_of(header, "header")?;
        let read = robotsieve::UserAgent::read(&header);
        let names = read
            .names()
            .iter()
            .map(|name| HeaderName { name: name.name.into(), certainty: name.certainty.as_str() });
        Ok(UserAgent { names: names.collect(), header: Text(header.as_ref().into()) })
    }

    /// The header.
    #[getter]
    fn header(&self) -> &Text {
        &self.header
    }

    /// The names, the surest first.
    #[getter]
    fn names(&self) -> Vec<HeaderName> {
        self.names.clone()
    }

    /// The crawler with these names.
    #[getter]
    fn crawler(&self) -> Crawler {
        Crawler(robotsieve::Crawler::names(self.names.iter().map(|name| &name.name.0)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("UserAgent({})", repr(py, &self.header)?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok((py.get_type::<UserAgent>(), (&self.header,)).into_pyobject(py)?.into_any())
    }
}
