//! Explanations, findings, comparisons and records, as JSON.
//!
//! The library says them in Rust's types. Here they become JSON without the interpreter, and
//! `robotsieve/_explain.py`, `_records.py`, `_lint.py` and `_diff.py` make the objects of Python from it.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use robotsieve::diff::{self, Difference};
use robotsieve::lint::{self, Apply, Code, Finding, Options};
use robotsieve::records::{Scope, Use, Value as RecordValue};
use robotsieve::report::Asked;
use serde::ser::{Serialize, Serializer};
use serde_json::json;

use crate::crawler::{crawler_of, crawlers_of};
use crate::errors::invalid_url;
use crate::policy::Policy;
use crate::robots::Robots;
use crate::settings::{Profile, profile_of};
use crate::text::bytes_of;

/// Bytes as the library's own types serialise them: a string, or numbers if they are not UTF-8.
struct Bytes<'b>(&'b [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match str::from_utf8(self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => self.0.serialize(serializer),
        }
    }
}

fn to_json(value: &impl Serialize) -> PyResult<String> {
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

const RECORDS: &str = "robotsieve._records";

/// A file as the functions take it: text, bytes, or a `Robots`, which also has a profile.
struct Given<'a> {
    body: Cow<'a, [u8]>,
    profile: Option<robotsieve::Profile>,
}

impl<'a> Given<'a> {
    fn of(value: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Given<'a>> {
        if let Ok(robots) = value.cast::<Robots>() {
            let robots = robots.get();
            let profile = Some(robots.own_profile());
            return Ok(Given { body: Cow::Borrowed(robots.bytes()), profile });
        }
        Ok(Given { body: bytes_of(value, what)?, profile: None })
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
    let crawler = robots.crawler(crawler)?;
    let url = bytes_of(url, "url")?;
    let json = py.detach(|| {
        robots.with(|robots| {
            let why = robots.explain(&crawler, url.as_ref())?;
            Ok(to_json(&Asked::new(&crawler, &url).explained(&why)))
        })
    });
    document(py, "ExplainReport", json.map_err(|error| invalid_url(error, &url))?)
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
    let crawler = crawler_of(crawler, &given.profile.unwrap_or_default())?;
    compared_profiles(py, &given.body, &crawler, url)
}

pub fn compare_profiles<'py>(
    robots: &Bound<'py, Robots>,
    crawler: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = robots.py();
    let crawler = robots.get().crawler(crawler)?;
    document(py, "CompareReport", compared_profiles(py, robots.get().bytes(), &crawler, url))
}

fn compared_profiles(
    py: Python<'_>,
    body: &[u8],
    crawler: &robotsieve::Crawler,
    url: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let url = bytes_of(url, "url")?;
    py.detach(|| {
        let compared = robotsieve::explain::compare_profiles(body, crawler, url.as_ref());
        to_json(&Asked::new(crawler, &url).compared(&compared))
    })
}

pub fn diagnostics<'py>(robots: &Bound<'py, Robots>) -> PyResult<Bound<'py, PyAny>> {
    let (py, robots) = (robots.py(), robots.get());
    let json = py.detach(|| {
        let found = robots.with(|robots| robots.diagnostics());
        let found: Vec<_> = found.iter().map(|one| (one, one.kind.to_string())).collect();
        to_json(&found)
    });
    made(py, (RECORDS, "diagnostics"), json)
}

pub fn records<'py>(robots: &Bound<'py, Robots>) -> PyResult<Bound<'py, PyAny>> {
    let (py, robots) = (robots.py(), robots.get());
    let json = py.detach(|| robots.with(|robots| to_json(&robots.records().collect::<Vec<_>>())));
    made(py, (RECORDS, "records"), json)
}

pub fn typed_records<'py>(
    robots: &Bound<'py, Robots>,
    crawler: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, robots) = (robots.py(), robots.get());
    let crawler = crawler.map(|crawler| robots.crawler(crawler)).transpose()?;
    let json = py.detach(|| {
        robots.with(|robots| {
            let records = match &crawler {
                Some(crawler) => robots.typed_records_for(crawler),
                None => robots.typed_records(),
            };
            let mut groups: Vec<u32> = records
                .iter()
                .filter_map(|record| match record.scope {
                    Scope::Group(group) => Some(group),
                    _ => None,
                })
                .collect();
            groups.sort_unstable();
            groups.dedup();
            // Once for each group: thousands of records can be for thousands of crawlers.
            let groups: Vec<(u32, Vec<Bytes<'_>>)> = groups
                .into_iter()
                .map(|group| (group, robots.group_tokens(group).into_iter().map(Bytes).collect()))
                .collect();
            let is_absolute = |value: &RecordValue<'_>| match value {
                RecordValue::Sitemap(sitemap) => Some(sitemap.is_absolute()),
                _ => None,
            };
            let records: Vec<_> = records
                .iter()
                .map(|record| (record, record.value.as_ref().ok().and_then(is_absolute)))
                .collect();
            to_json(&(records, groups))
        })
    });
    made(py, (RECORDS, "typed_records"), json)
}

pub fn usage<'py>(
    robots: &Bound<'py, Robots>,
    crawler: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, robots) = (robots.py(), robots.get());
    let crawler = robots.crawler(crawler)?;
    let url = bytes_of(url, "url")?;
    let json = py.detach(|| {
        let usage = robots.with(|robots| robots.usage(&crawler, url.as_ref()));
        usage.map(|usage| {
            let preferences: Vec<_> =
                Use::ALL.iter().map(|used_for| usage.preference(*used_for)).collect();
            let sentences: Vec<String> =
                usage.ambiguities.iter().map(ToString::to_string).collect();
            to_json(&json!({
                "url": Bytes(&url),
                "names": crawler.iter().map(Bytes).collect::<Vec<_>>(),
                "usage": usage,
                "preferences": preferences,
                "sentences": sentences,
            }))
        })
    });
    made(py, (RECORDS, "usage"), json.map_err(|error| invalid_url(error, &url))?)
}

/// The profiles in which a file is linted, with their names.
fn profiles_of(
    value: Option<&Bound<'_, PyAny>>,
    own: Option<robotsieve::Profile>,
) -> PyResult<Vec<(String, robotsieve::Profile)>> {
    let named =
        |profile: robotsieve::Profile| (profile.name().unwrap_or("custom").to_owned(), profile);
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

/// What the fix of each finding does, in words.
fn effects(findings: &[Finding]) -> Vec<Option<String>> {
    let fixes = findings.iter().map(|finding| finding.fix.as_ref());
    fixes.map(|fix| fix.map(|fix| fix.effect.to_string())).collect()
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
        let report = lint::lint(&given.body, &options);
        to_json(&(&report, effects(&report.findings)))
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
        let json = to_json(&(
            (&fixed.report, effects(&fixed.report.findings)),
            (&fixed.applied, effects(&fixed.applied)),
            (&fixed.effect, fixed.effect.as_ref().map(ToString::to_string)),
        ));
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

/// The names of a crawler, separated by commas; `*` if it has none.
fn names(crawler: &robotsieve::Crawler) -> Cow<'static, [u8]> {
    match crawler.iter().collect::<Vec<_>>().join(&b',') {
        names if names.is_empty() => Cow::Borrowed(b"*"),
        names => Cow::Owned(names),
    }
}

/// Why a comparison has no proof, in words.
fn unproven(difference: &Difference) -> Option<String> {
    let unproven = match difference {
        Difference::Different(flips) => flips.unproven,
        Difference::Unknown { unproven, .. } => Some(*unproven),
        _ => None,
    };
    unproven.map(|why| why.to_string())
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
        Some(crawlers) => match crawlers_of(crawlers, &default)? {
            crawlers if crawlers.is_empty() => {
                return Err(PyValueError::new_err("no crawlers: nothing would be compared"));
            }
            crawlers => Some(crawlers),
        },
    };
    let limits = limits_of(limits);
    py.detach(|| {
        let [old, new] =
            [0, 1].map(|side: usize| robotsieve::Robots::parse(&files[side].body, &profiles[side]));
        let labelled: Vec<(Cow<'_, [u8]>, robotsieve::Crawler)> = match &asked {
            None => diff::named_crawlers(&old, &new)
                .into_iter()
                .map(|(token, crawler)| (Cow::Borrowed(token), crawler))
                .collect(),
            Some(asked) => asked.iter().map(|crawler| (names(crawler), crawler.clone())).collect(),
        };
        let compared = diff::crawlers(&old, &new, labelled.iter().cloned(), &limits);
        let records = diff::records(&old, &new, labelled, &limits);
        let unproven: Vec<_> = compared.iter().map(|same| unproven(&same.difference)).collect();
        to_json(&json!({
            "profile": default.name(),
            "text_differs": files[0].body != files[1].body,
            "crawlers": compared,
            "records": records,
            "unproven": unproven,
        }))
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
    let has_rules = |policy: &Policy| policy.policy.rules().len() == policy.policy.rule_count();
    if !has_rules(old) || !has_rules(new) {
        return Err(PyValueError::new_err(
            "a policy keeps no rules: its config says keep_rules=False",
        ));
    }
    py.detach(|| {
        let difference = diff::policies(&old.policy, &new.policy, &limits);
        let unproven = unproven(&difference);
        to_json(&(difference, unproven))
    })
}
