//! The rights of a URL, as a value of Python.

use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use robotsieve::Profile;
use robotsieve_python_common::settings::to_python;
use robotsieve_report::{
    RIGHTS_MEMBERS, RIGHTS_OF_CAPTURE, RecordedPage, RightsReport as Report, RightsSettings,
    RightsSources, notes_of_capture, quotes, versions,
};
use robotsieve_rights::{Note, Purpose, Response, RobotsTag, TagRule};
use robotsieve_shown::shown;
use serde_json::{Map, Value};

use super::captures;
use super::files::documents_of;
use super::headers::Fields;
use super::report::RightsReport;
use crate::reports::{self, to_json};
use crate::text::{bytes_of, repr};

/// What the rights of a URL are read from, as Python gave it.
pub struct Asked<'a, 'py> {
    pub url: &'a Bound<'py, PyAny>,
    pub robots: Option<&'a Bound<'py, PyAny>>,
    pub headers: Fields,
    pub html: Option<&'a Bound<'py, PyAny>>,
    pub xmp: Option<&'a Bound<'py, PyAny>>,
    pub files: Vec<(String, Bound<'py, PyAny>)>,
}

/// What a header says.
pub fn response_of(headers: &Fields) -> Response {
    Response::new().with_headers(headers.iter().map(|(name, value)| (name, value)))
}

/// The same, kept for reports and to be pickled.
struct Kept {
    /// How files are read that are given as text or bytes.
    profile: Profile,
    url: Py<PyAny>,
    robots: Option<Py<PyAny>>,
    headers: Fields,
    html: Option<Py<PyAny>>,
    xmp: Option<Py<PyAny>>,
    files: Vec<(String, Py<PyAny>)>,
}

/// What a crawler may do with a page, and which places say so. Made by :meth:`RightsReader.rights`.
///
/// >>> from robotsieve import RightsReader
/// >>> rights = RightsReader("GPTBot").rights("https://example.com/", headers={"tdm-reservation": "1"})
/// >>> rights.to_dict()["by"]
/// {'ai-input': ['header:tdm-reservation'], 'ai-train': ['header:tdm-reservation']}
/// >>> print(rights)
///   crawl     unknown   no robots.txt was given
///   index     unknown   no statement settles it
///   snippet   unknown   no statement settles it
///   ai-input  disallow  header:tdm-reservation: 1 [tdmrep-2024-05]
///   ai-train  disallow  header:tdm-reservation: 1 [tdmrep-2024-05]
///
/// It keeps references to what it was read from, for :meth:`report`.
#[pyclass(frozen, module = "robotsieve")]
pub struct Rights {
    rights: robotsieve_rights::Rights,
    /// The reader that said it, which says it again when this is unpickled.
    reader: Py<PyAny>,
    /// The settings of the reader, and its time.
    of_record: Arc<(RightsSettings, String)>,
    kept: Kept,
}

/// A statement that decided: where it stands, and the version of the text by which it was read.
#[pyclass(frozen, eq, hash, get_all, module = "robotsieve")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RightsStatement {
    /// The place, counted from 1, such as ``robots.txt:2`` or ``header:x-robots-tag:1``.
    place: String,
    /// The version, such as ``aipref-vocab-08``.
    version: String,
}

/// A licence that a site names for a page.
#[pyclass(frozen, eq, hash, get_all, module = "robotsieve")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RightsLicence {
    /// ``rsl``, ``tdm-policy`` or ``other``.
    kind: String,
    /// Its address, ``None`` if it is in the page.
    url: Option<String>,
    /// The place that names it.
    via: String,
    /// What became of it, if it is of RSL: ``not-given``, ``invalid``, ``no-match``, ``element-scoped`` or ``read``.
    state: Option<String>,
}

impl Rights {
    pub fn new(
        reader: Py<PyAny>,
        profile: Profile,
        of_record: Arc<(RightsSettings, String)>,
        rights: robotsieve_rights::Rights,
        asked: Asked<'_, '_>,
    ) -> PyResult<Rights> {
        let Asked { url, robots, headers, html, xmp, files } = asked;
        let files = files.into_iter().map(|(name, file)| Ok((name, unchanging(&file)?)));
        let kept = Kept {
            profile,
            url: unchanging(url)?,
            robots: robots.map(unchanging).transpose()?,
            headers,
            html: html.map(unchanging).transpose()?,
            xmp: xmp.map(unchanging).transpose()?,
            files: files.collect::<PyResult<_>>()?,
        };
        Ok(Rights { rights, reader, of_record, kept })
    }

    /// What they were read from, read again, to be quoted.
    fn with_sources<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&RightsSources<'_>) -> T + Send,
    ) -> PyResult<T> {
        let kept = &self.kept;
        let robots = kept.robots.as_ref().map(|robots| robots.bind(py));
        let robots = robots.map(|robots| reports::Given::of(robots, "robots")).transpose()?;
        let html = kept.html.as_ref().map(|html| html.bind(py));
        let html = html.map(|html| bytes_of(html, "html")).transpose()?;
        let xmp = kept.xmp.as_ref().map(|xmp| xmp.bind(py));
        let xmp = xmp.map(|xmp| bytes_of(xmp, "xmp")).transpose()?;
        let files =
            kept.files.iter().map(|(address, file)| (address.clone(), file.bind(py).clone()));
        let url = bytes_of(kept.url.bind(py), "url")?;
        let documents = documents_of(&files.collect::<Vec<_>>(), Some(&url))?;
        Ok(py.detach(|| {
            let html_bytes = html.as_deref().unwrap_or_default();
            let mut response = response_of(&kept.headers).with_html(html_bytes);
            if let Some(xmp) = &xmp {
                response = response.with_xmp(xmp);
            }
            let text = robots.as_ref().map(|given| {
                let profile = given.profile.unwrap_or(kept.profile);
                (robotsieve::text_of(&given.body, &profile), profile)
            });
            let robots =
                text.as_ref().map(|(text, profile)| robotsieve::Robots::parse(text, profile));
            act(&RightsSources {
                robots: robots.as_ref(),
                headers: &kept.headers,
                html: html.as_deref(),
                response: Some(&response),
                documents: Some((&documents, &url)),
            })
        }))
    }

    fn ruling(&self, purpose: Purpose) -> &'static str {
        self.rights.ruling(purpose).as_str()
    }

    /// A dictionary of the purposes for which there is anything.
    fn by_purpose<'py, T: IntoPyObject<'py>>(
        &self,
        py: Python<'py>,
        list: impl Fn(Purpose) -> Vec<T>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for purpose in self.rights.purposes() {
            let list = list(purpose);
            if !list.is_empty() {
                all.set_item(purpose.as_str(), list)?;
            }
        }
        Ok(all)
    }
}

fn of_json<T: serde::de::DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The value, or a copy of what can change.
fn unchanging(value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let can_change = !value.is_instance_of::<PyString>()
        && !value.is_instance_of::<PyBytes>()
        && !value.is_instance_of::<crate::file::Robots>();
    Ok(match can_change {
        true => PyBytes::new(value.py(), &bytes_of(value, "a file")?).into_any().unbind(),
        false => value.clone().unbind(),
    })
}

#[pymethods]
impl Rights {
    /// May it be fetched? Allow and Disallow of robots.txt alone. ``allow``, ``disallow`` or ``unknown``, as all
    /// that follow.
    #[getter]
    fn crawl(&self) -> &'static str {
        self.ruling(Purpose::Crawl)
    }

    /// May it be listed in search results?
    #[getter]
    fn index(&self) -> &'static str {
        self.ruling(Purpose::Index)
    }

    /// May a part of it be shown there?
    #[getter]
    fn snippet(&self) -> &'static str {
        self.ruling(Purpose::Snippet)
    }

    /// May it be given to a model that answers a question?
    #[getter]
    fn ai_input(&self) -> &'static str {
        self.ruling(Purpose::AiInput)
    }

    /// May a model be trained on it?
    #[getter]
    fn ai_train(&self) -> &'static str {
        self.ruling(Purpose::AiTrain)
    }

    /// May it be in an index for AI systems? ``None`` unless an RSL document covers the URL.
    #[getter]
    fn ai_index(&self) -> Option<&'static str> {
        let is_listed = self.rights.purposes().any(|purpose| purpose == Purpose::AiIndex);
        is_listed.then(|| self.ruling(Purpose::AiIndex))
    }

    /// The statements that decided, by purpose.
    #[getter]
    fn by<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_purpose(py, |purpose| {
            let by = self.rights.by(purpose).map(|by| RightsStatement {
                place: by.place.to_string(),
                version: by.version.to_string(),
            });
            by.collect()
        })
    }

    /// The licences that the site names for the URL.
    #[getter]
    fn licences(&self) -> Vec<RightsLicence> {
        let licences = self.rights.licences().iter().map(|licence| RightsLicence {
            kind: licence.kind.as_str().into(),
            url: licence.url.as_deref().map(Into::into),
            via: licence.via.to_string(),
            state: licence.state.map(|state| state.as_str().into()),
        });
        licences.collect()
    }

    /// The disallowed purposes for which a licence can be had.
    #[getter]
    fn licensable(&self) -> Vec<&'static str> {
        self.rights.licensable().iter().map(Purpose::as_str).collect()
    }

    /// The conditions, by purpose: ``attribution``, ``contribution``, ``user:…``, ``not-geo:…`` and their like.
    #[getter]
    fn conditions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_purpose(py, |purpose| self.rights.conditions(purpose).map(str::to_owned).collect())
    }

    /// What restricts a purpose without disallowing it: ``max-snippet``, the most characters of a snippet; ``index``,
    /// which is ``if-embedded``; ``ai-input``, which is ``url-title-snippet``.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &to_json(&self.rights.limits())?)
    }

    /// The ceiling that Content Signals set: ``immediate``, ``reference`` or ``full``. It changes no ruling.
    #[getter(r#use)]
    fn use_ceiling(&self) -> Option<&'static str> {
        self.rights.use_ceiling().map(|ceiling| ceiling.as_str())
    }

    /// Codes for anything unusual, which ``docs/rights.md`` lists.
    #[getter]
    fn notes(&self) -> Vec<&'static str> {
        self.rights.notes().iter().map(|note| note.as_str()).collect()
    }

    /// What ``robotsieve rights --format json`` prints, as ``docs/rights.md`` describes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &to_json(&self.rights)?)
    }

    /// The rights as ``robotsieve rights --warc`` writes them of a response, with the members of their basis, by the
    /// same names: beside what :meth:`to_dict` has the settings, ``versions`` and ``quotes``.
    ///
    /// What only the archive knows is given as keywords, as ``docs/guide-rights.md`` describes it: ``captured``,
    /// ``age_seconds``, ``status``, ``file``, ``offset``, ``sha256``, ``robots``, ``page``, ``documents``, and as ``notes`` the
    /// codes of what of its documents could not be read, such as ``documents-differ`` or ``tdm-not-read``. What they say was
    /// not read keeps uses from being allowed, as in the command: without a robots.txt ``robots-not-read``, without a
    /// page or another file ``page-not-read``, unless ``page="not-html"``.
    ///
    /// >>> from robotsieve import RightsReader
    /// >>> rights = RightsReader("GPTBot").rights("https://example.com/", headers={"Content-Usage": "train-ai=y"})
    /// >>> record = rights.to_record(captured="2026-03-01T09:03:00Z", page="not-html")
    /// >>> rights.ai_train, record["ai-train"], record["notes"]
    /// ('allow', 'unknown', ['robots-not-read'])
    #[pyo3(signature = (**capture))]
    fn to_record<'py>(
        &self,
        py: Python<'py>,
        capture: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kept = &self.kept;
        let capture = capture.cloned().unwrap_or_else(|| PyDict::new(py));
        let json: String = py.import("json")?.getattr("dumps")?.call1((capture,))?.extract()?;
        let mut members: Map<String, Value> = of_json(&json)?;
        if let Some(name) = members.keys().find(|name| !RIGHTS_OF_CAPTURE.contains(&&***name)) {
            return Err(PyTypeError::new_err(format!(
                "a record's capture has no '{name}'; it has {}",
                RIGHTS_OF_CAPTURE.join(", ")
            )));
        }
        if kept.robots.is_some() {
            members.entry("robots").or_insert_with(|| "rules".into());
        }
        let default = match (&kept.html, &kept.xmp) {
            (Some(_), _) => RecordedPage::Read,
            (None, Some(_)) => RecordedPage::Metadata,
            (None, None) => RecordedPage::Unreadable,
        };
        let page = members.entry("page").or_insert_with(|| default.as_str().into()).clone();
        let page = RecordedPage::ALL.into_iter().find(|one| page == one.as_str());
        let page = page.ok_or_else(|| {
            let all = RecordedPage::ALL.map(RecordedPage::as_str).join(", ");
            PyValueError::new_err(format!("page must be one of {all}"))
        })?;
        let documents: &[Value] = match members.get("documents") {
            None | Some(Value::Null) => &[],
            Some(Value::Array(documents)) if documents.iter().all(Value::is_object) => documents,
            Some(_) => return Err(PyTypeError::new_err("documents must be a list of mappings")),
        };
        let fits = documents.iter().filter_map(|document| document["fit"].as_str());
        let robots = members.get("robots").and_then(Value::as_str);
        let (robots, page) = captures::believed(robots, kept.robots.is_some(), page, default);
        let mut rights = self.rights.clone();
        for note in notes_of_capture(robots, page, fits).iter() {
            rights = rights.with_note(note);
        }
        let noted: Vec<String> = match members.remove("notes") {
            Some(noted) => of_json(&noted.to_string())?,
            None => Vec::new(),
        };
        for code in noted {
            let note = Note::with_code(&code).ok_or_else(|| {
                PyValueError::new_err(format!("there is no note '{code}'; docs/rights.md has all"))
            })?;
            rights = rights.with_note(note);
        }
        let url = bytes_of(kept.url.bind(py), "url")?;
        members.insert("url".into(), shown(&url).into());
        let (settings, now) = &*self.of_record;
        let (quotes, compares_now) = self.with_sources(py, |sources| {
            let response = sources.response.cloned().unwrap_or_default();
            let is_time = |tag: &RobotsTag| matches!(tag.rule, TagRule::UnavailableAfter(_));
            (quotes(&rights, |_| None, sources), response.tags.iter().any(is_time))
        })?;
        if compares_now {
            members.insert("now".into(), now.clone().into());
        }
        let of_basis = [("versions", to_json(&versions(&rights))?), ("quotes", to_json(&quotes)?)];
        for (name, json) in of_basis.into_iter().filter(|(_, json)| json != "{}") {
            members.insert(name.into(), of_json(&json)?);
        }
        members.extend(of_json::<Map<String, Value>>(&to_json(settings)?)?);
        members.extend(of_json::<Map<String, Value>>(&to_json(&rights)?)?);
        let record = PyDict::new(py);
        for name in RIGHTS_MEMBERS {
            if let Some(value) = members.get(name).filter(|value| !value.is_null()) {
                record.set_item(name, to_python(py, &to_json(value)?)?)?;
            }
        }
        Ok(record.into_any())
    }

    /// The rights in words, with what stands at the places that decided. Reads robots.txt and the page again.
    fn report(&self, py: Python<'_>) -> PyResult<RightsReport> {
        let report = self.with_sources(py, |sources| Report::new(&self.rights, sources))?;
        Ok(RightsReport::of(&report))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.report(py)?.text().to_owned())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Rights>().is_ok_and(|other| self.rights == other.get().rights)
    }

    fn __repr__(&self) -> String {
        let rulings = self
            .rights
            .purposes()
            .map(|purpose| format!("{purpose} {}", self.rights.ruling(purpose)));
        format!("<robotsieve.Rights: {}>", rulings.collect::<Vec<_>>().join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kept = &self.kept;
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
        let headers = kept.headers.iter().map(|(name, value)| (bytes(name), bytes(value)));
        let keywords = PyDict::new(py);
        keywords.set_item("robots", &kept.robots)?;
        keywords.set_item("headers", headers.collect::<Vec<_>>())?;
        keywords.set_item("html", &kept.html)?;
        keywords.set_item("xmp", &kept.xmp)?;
        let files = PyDict::new(py);
        for (address, file) in &kept.files {
            files.set_item(address, file)?;
        }
        keywords.set_item("files", files)?;
        let rights = self.reader.bind(py).getattr("rights")?;
        let make = py.import("functools")?.getattr("partial")?.call((rights,), Some(&keywords))?;
        (make, (&kept.url,)).into_bound_py_any(py)
    }
}

#[pymethods]
impl RightsStatement {
    #[new]
    fn new(place: String, version: String) -> RightsStatement {
        RightsStatement { place, version }
    }

    fn __repr__(&self) -> String {
        format!("RightsStatement(place='{}', version='{}')", self.place, self.version)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        (py.get_type::<RightsStatement>(), (&self.place, &self.version)).into_bound_py_any(py)
    }
}

#[pymethods]
impl RightsLicence {
    #[new]
    #[pyo3(signature = (kind, url, via, state = None))]
    fn new(kind: String, url: Option<String>, via: String, state: Option<String>) -> RightsLicence {
        RightsLicence { kind, url, via, state }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (kind, url, via) = (repr(py, &self.kind)?, repr(py, &self.url)?, repr(py, &self.via)?);
        let state = repr(py, &self.state)?;
        Ok(format!("RightsLicence(kind={kind}, url={url}, via={via}, state={state})"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parts = (&self.kind, &self.url, &self.via, &self.state);
        (py.get_type::<RightsLicence>(), parts).into_bound_py_any(py)
    }
}
