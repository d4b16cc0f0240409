//! Explanations, findings, comparisons and records: the library's documents, as JSON.
//!
//! They become JSON without the interpreter, and `robotsieve/reports.py` makes the objects of Python
//! from it.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Purpose};
use robotsieve_lint as lint;
use robotsieve_lint::diff;
use robotsieve_lint::{Apply, Code, Options};
use robotsieve_owners::reach::{KnownReport, Reach};
use robotsieve_owners::write::{BuildReport, Intentions};
use robotsieve_report::{Comparison, CrawlerDiff, FixReport, LintReport, RecordsReport};
use serde::Serialize;

use crate::crawler::{Who, who_of, whos_of};
use crate::errors::invalid_url;
use crate::file::{Robots, body_of};
use crate::policy::Policy;
use crate::settings::{Profile, profile_name, profile_of};
use crate::text::bytes_of;

pub fn to_json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// What a function of a module of the package makes of JSON.
fn made<'py>(
    py: Python<'py>,
    (module, maker): (&str, &str),
    json: PyResult<String>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import(module)?.getattr(maker)?.call1((json?,))
}

const LINES: &str = "robotsieve._lines";

/// A file as the functions take it: text, bytes, or a `Robots`, which also has a profile.
pub struct Given<'a> {
    pub body: Cow<'a, [u8]>,
    pub profile: Option<robotsieve::Profile>,
    /// Whether the caller named the profile.
    is_named: bool,
    /// What the file is called in reports.
    name: Option<&'a [u8]>,
}

impl<'a> Given<'a> {
    pub fn of(value: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Given<'a>> {
        if let Ok(robots) = value.cast::<Robots>() {
            let robots = robots.get();
            return Ok(Given {
                body: Cow::Borrowed(robots.bytes()),
                profile: Some(robots.own_profile()),
                is_named: robots.is_named,
                name: robots.name(),
            });
        }
        Ok(Given { body: body_of(value, what)?, profile: None, is_named: false, name: None })
    }
}

/// The bytes of a file given as text, bytes or a `Robots`.
#[pyfunction]
pub fn body_bytes<'py>(py: Python<'py>, body: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &Given::of(body, "body")?.body))
}

/// A document of the package, made of its JSON.
fn document<'py>(
    py: Python<'py>,
    class: &str,
    json: PyResult<String>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("robotsieve.reports")?.getattr(class)?.call_method1("from_json", (json?,))
}

pub fn explain<'py>(
    robots: &Bound<'py, Robots>,
    crawler: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = robots.py();
    let robots = robots.get();
    let who = robots.who(crawler)?;
    let url = bytes_of(url, "url")?;
    let json = py.detach(|| {
        robots.with(|parsed| {
            let why = parsed.explain(&who.crawler, url.as_ref())?;
            Ok(to_json(&who.asked(robots.name(), &url).explained(&why)))
        })
    });
    document(py, "ExplainReport", json.map_err(|_: robotsieve::InvalidUrl| invalid_url(&url))?)
}

/// The verdicts of all named profiles on a URL, and what makes them differ, as JSON.
#[pyfunction]
pub fn compare_profiles_json(
    py: Python<'_>,
    body: &Bound<'_, PyAny>,
    crawler: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let given = Given::of(body, "body")?;
    let who = who_of(crawler, &given.profile.unwrap_or_default())?;
    compared_profiles(py, &given.body, given.name, &who, url)
}

pub fn compare_profiles<'py>(
    robots: &Bound<'py, Robots>,
    crawler: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, robots) = (robots.py(), robots.get());
    let who = robots.who(crawler)?;
    let json = compared_profiles(py, robots.text(), robots.name(), &who, url);
    document(py, "CompareReport", json)
}

fn compared_profiles(
    py: Python<'_>,
    body: &[u8],
    name: Option<&[u8]>,
    who: &Who,
    url: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let url = bytes_of(url, "url")?;
    py.detach(|| {
        // One file has one text, whatever a profile alone would make of its bytes.
        let text = robotsieve::text_of(body, &robotsieve::Profile::RFC9309);
        let compared = robotsieve::explain::compare_profiles(&text, &who.crawler, url.as_ref());
        to_json(&who.asked(name, &url).compared(&compared))
    })
}

pub fn diagnostics<'py>(robots: &Bound<'py, Robots>) -> PyResult<Bound<'py, PyAny>> {
    let (py, robots) = (robots.py(), robots.get());
    let json = py.detach(|| {
        let found = robots.with(|robots| robots.diagnostics());
        let found: Vec<_> = found.iter().map(|one| (one, one.kind.to_string())).collect();
        to_json(&found)
    });
    made(py, (LINES, "diagnostics"), json)
}

pub fn lines<'py>(robots: &Bound<'py, Robots>) -> PyResult<Bound<'py, PyAny>> {
    let (py, robots) = (robots.py(), robots.get());
    let json = py.detach(|| robots.with(|robots| to_json(&robots.records().collect::<Vec<_>>())));
    made(py, (LINES, "lines"), json)
}

pub fn records<'py>(
    robots: &Bound<'py, Robots>,
    crawlers: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, robots) = (robots.py(), robots.get());
    let asked = match crawlers {
        None => Vec::new(),
        Some(crawlers) => whos_of(crawlers, &robots.own_profile())?,
    };
    let json = py.detach(|| {
        let crawlers: Vec<robotsieve::Crawler> = asked.into_iter().map(|who| who.crawler).collect();
        let only = (!crawlers.is_empty()).then_some(&crawlers[..]);
        robots.with(|parsed| to_json(&RecordsReport::new(robots.name(), parsed, only, None)))
    });
    document(py, "RecordsReport", json)
}

pub fn crawlers<'py>(
    robots: &Bound<'py, Robots>,
    urls: Option<&Bound<'_, PyAny>>,
    purposes: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, robots) = (robots.py(), robots.get());
    let urls = texts(urls, "urls")?;
    let wanted = match purposes {
        None => None,
        Some(purposes) => Some(purposes_of(purposes)?),
    };
    let profile = robots.own_profile();
    let json = py.detach(|| {
        let mut reach = Reach::of(robots.text(), &profile).pages(urls);
        if !robots.is_named {
            reach = reach.by_operators();
        }
        if let Some(wanted) = &wanted {
            let all = KnownCrawlers::built_in().iter();
            reach = reach.crawlers(all.filter(|crawler| wanted.contains(&crawler.purpose)));
        }
        if let Some(name) = robots.name() {
            reach = reach.named(name);
        }
        reach.report().map(|report| to_json(&report))
    });
    let json = json.map_err(|error| PyValueError::new_err(error.to_string()))?;
    document(py, "ReachReport", json)
}

/// All that is known of crawlers, or of those of these purposes, as JSON.
#[pyfunction]
pub fn known_crawlers_json(purposes: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let wanted = purposes.map(purposes_of).transpose()?;
    let is_wanted = |crawler: &&'static KnownCrawler| {
        wanted.as_ref().is_none_or(|wanted| wanted.contains(&crawler.purpose))
    };
    to_json(&KnownReport::of(KnownCrawlers::built_in().iter().filter(is_wanted)))
}

/// What is built of intentions, or why nothing is: both as JSON.
#[pyfunction]
pub fn build_json(py: Python<'_>, intentions: &str) -> PyResult<String> {
    py.detach(|| {
        let intentions: Intentions = serde_json::from_str(intentions).map_err(|error| {
            // The text was made here, so a place in it says nothing.
            let place = format!(" at line {} column {}", error.line(), error.column());
            PyValueError::new_err(error.to_string().replace(&place, ""))
        })?;
        to_json(&BuildReport::of(&intentions.build(KnownCrawlers::built_in())))
    })
}

/// Purposes by their words.
fn purposes_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<Purpose>> {
    let words = texts(Some(value), "purposes")?;
    let words = words.iter().map(|word| {
        Purpose::all().find(|purpose| purpose.as_str().as_bytes() == word).ok_or_else(|| {
            let all: Vec<&str> = Purpose::all().map(Purpose::as_str).collect();
            PyValueError::new_err(format!(
                "there is no purpose {:?}; the purposes are {}",
                String::from_utf8_lossy(word),
                all.join(", ")
            ))
        })
    });
    words.collect()
}

/// A list of texts.
fn texts(value: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Vec<Vec<u8>>> {
    let Some(value) = value else { return Ok(Vec::new()) };
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!(
            "{what} must be a list; for one, put it into brackets"
        )));
    }
    value.try_iter()?.map(|one| Ok(bytes_of(&one?, what)?.into_owned())).collect()
}

/// The profiles in which a file is linted, with their names.
fn profiles_of(
    value: Option<&Bound<'_, PyAny>>,
    own: Option<robotsieve::Profile>,
) -> PyResult<Vec<(String, robotsieve::Profile)>> {
    let named = |profile: robotsieve::Profile| (profile_name(&profile).to_owned(), profile);
    let Some(value) = value else { return Ok(vec![named(own.unwrap_or_default())]) };
    if value.is_instance_of::<PyString>() || value.is_instance_of::<Profile>() {
        return Ok(vec![named(profile_of(Some(value))?)]);
    }
    let mut profiles: Vec<(String, robotsieve::Profile)> = Vec::new();
    if let Ok(by_name) = value.cast::<PyDict>() {
        for (name, profile) in by_name {
            profiles.push((name.extract()?, profile_of(Some(&profile))?));
        }
        return Ok(profiles);
    }
    let items = value.try_iter().map_err(|_| {
        PyTypeError::new_err(format!(
            "profiles must be a profile, a list of them, or a dict of names and profiles, not {}",
            crate::text::type_name(value)
        ))
    })?;
    for profile in items {
        let (name, profile) = named(profile_of(Some(&profile?))?);
        if profiles.iter().any(|(other, _)| *other == name) {
            return Err(PyValueError::new_err(format!(
                "two profiles are called {name}; give a dict of names and profiles"
            )));
        }
        profiles.push((name, profile));
    }
    Ok(profiles)
}

fn options_of(
    profiles: Option<&Bound<'_, PyAny>>,
    own: Option<robotsieve::Profile>,
    content_type: Option<String>,
) -> PyResult<Options> {
    let profiles = profiles_of(profiles, own)?;
    if profiles.is_empty() {
        return Err(PyValueError::new_err("no profiles: nothing would be looked at"));
    }
    let options = Options::new(profiles);
    Ok(match content_type {
        Some(content_type) => options.content_type(content_type),
        None => options,
    })
}

/// What is wrong with a file, as JSON.
#[pyfunction]
pub fn lint_json(
    py: Python<'_>,
    body: &Bound<'_, PyAny>,
    profiles: Option<&Bound<'_, PyAny>>,
    content_type: Option<String>,
) -> PyResult<String> {
    let given = Given::of(body, "body")?;
    let options = options_of(profiles, given.profile, content_type)?;
    py.detach(|| {
        let found = lint::lint(&given.body, &options);
        to_json(&LintReport::new(given.name, &given.body, &options, &found))
    })
}

/// A file with fixes applied, and what was done to it, as JSON.
#[pyfunction]
pub fn fix_json<'py>(
    py: Python<'py>,
    body: &Bound<'_, PyAny>,
    profiles: Option<&Bound<'_, PyAny>>,
    content_type: Option<String>,
    apply: &str,
    codes: Option<Vec<String>>,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let apply = match apply {
        "unchanging" => Apply::Unchanging,
        "all" => Apply::All,
        _ => {
            return Err(PyValueError::new_err(format!(
                "apply must be 'unchanging' or 'all', not {apply:?}"
            )));
        }
    };
    let of_code = |text: &String| {
        Code::named(text).ok_or_else(|| {
            PyValueError::new_err(format!(
                "there is no code {text:?}; robotsieve.Code.all() lists them"
            ))
        })
    };
    let codes = codes.map(|codes| codes.iter().map(of_code).collect::<PyResult<Vec<Code>>>());
    let codes = codes.transpose()?;
    let is_wanted = |code| codes.as_ref().is_none_or(|codes| codes.contains(&code));
    let given = Given::of(body, "body")?;
    let options = options_of(profiles, given.profile, content_type)?;
    let (file, json) = py.detach(|| {
        let fixed = lint::fix_codes(&given.body, &options, apply, is_wanted);
        let json = to_json(&FixReport::new(given.name, &options, &fixed));
        (fixed.file, json)
    });
    Ok((PyBytes::new(py, &file), json?))
}

/// The kinds of findings: number, name, severity, title and explanation of each.
#[pyfunction]
pub fn lint_codes() -> Vec<(&'static str, &'static str, &'static str, &'static str, &'static str)> {
    let codes = Code::ALL.iter();
    codes
        .map(|code| {
            let severity = code.severity().as_str();
            (code.number(), code.name(), severity, code.title(), code.explanation())
        })
        .collect()
}

/// `pairs`, `flips`, `samples` and `records`.
type DiffLimits = (usize, usize, usize, usize);

/// The limits that hold if none are given.
#[pyfunction]
pub fn diff_limits() -> DiffLimits {
    let limits = diff::Limits::default();
    (limits.pairs, limits.flips, limits.samples, limits.records)
}

fn limits_of((pairs, flips, samples, records): DiffLimits) -> diff::Limits {
    let mut limits = diff::Limits::default();
    (limits.pairs, limits.flips) = (pairs, flips);
    (limits.samples, limits.records) = (samples, records);
    limits
}

/// What changed from one file to another, as JSON.
#[pyfunction]
pub fn diff_json(
    py: Python<'_>,
    old: &Bound<'_, PyAny>,
    new: &Bound<'_, PyAny>,
    crawlers: Option<&Bound<'_, PyAny>>,
    profile: Option<&Bound<'_, PyAny>>,
    limits: DiffLimits,
) -> PyResult<String> {
    let files = [Given::of(old, "old")?, Given::of(new, "new")?];
    let own = files[0].profile.or(files[1].profile);
    if let (Some(own), Some(_)) = (own, profile)
        && profile_of(profile)? != own
    {
        return Err(PyValueError::new_err(
            "profile is for text and bytes: a Robots has a profile of its own",
        ));
    }
    let default = own.map_or_else(|| profile_of(profile), Ok)?;
    let profiles = [0, 1].map(|side: usize| files[side].profile.unwrap_or(default));
    let asked = match crawlers {
        None => None,
        Some(crawlers) => match whos_of(crawlers, &default)? {
            crawlers if crawlers.is_empty() => {
                return Err(PyValueError::new_err("no crawlers: nothing would be compared"));
            }
            crawlers => Some(crawlers),
        },
    };
    let limits = limits_of(limits);
    let is_named = profile.is_some() || files.iter().any(|file| file.is_named);
    py.detach(|| {
        let texts =
            [0, 1].map(|side: usize| robotsieve::text_of(&files[side].body, &profiles[side]));
        let [old, new] =
            [0, 1].map(|side: usize| robotsieve::Robots::parse(&texts[side], &profiles[side]));
        let names = [files[0].name, files[1].name];
        let mut comparison = Comparison::of(&old, &new).names(names).limits(limits);
        if !is_named {
            comparison = comparison.by_operators();
        }
        comparison = match asked {
            None => comparison.risks(KnownCrawlers::built_in()),
            Some(asked) => comparison
                .crawlers(asked.into_iter().map(|who| (who.agent(), who.crawler)).collect()),
        };
        to_json(&comparison.report())
    })
}

/// Whether two policies allow the same URLs, as JSON.
#[pyfunction]
pub fn diff_policies_json(
    py: Python<'_>,
    old: &Bound<'_, Policy>,
    new: &Bound<'_, Policy>,
    limits: DiffLimits,
) -> PyResult<String> {
    let (old, new, limits) = (old.get(), new.get(), limits_of(limits));
    let has_rules = |policy: &Policy| policy.policy().rules().len() == policy.policy().rule_count();
    if !has_rules(old) || !has_rules(new) {
        return Err(PyValueError::new_err(
            "a policy keeps no rules: its config says keep_rules=False",
        ));
    }
    py.detach(|| {
        let difference = diff::policies(old.policy(), new.policy(), &limits);
        to_json(&CrawlerDiff::new(Vec::new(), difference))
    })
}
