//! The objects of the package `robotsieve`, taken and made.

use pyo3::prelude::*;
use robotsieve::Crawler;
use robotsieve_python_common::origin::origin_of_url;
use robotsieve_python_common::parts;
use robotsieve_python_common::text::Text;

/// A class of the package.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("robotsieve")?.getattr(name)
}

/// The origin that is meant by a URL or an ``Origin``.
pub fn origin_of(value: &Bound<'_, PyAny>) -> PyResult<robotsieve::Origin<'static>> {
    if value.is_instance(&class(value.py(), "Origin")?)? {
        return origin_of_url(&value.getattr("key")?);
    }
    origin_of_url(value)
}

/// The crawler of a ``Crawler``, `None` for other values.
pub fn crawler_of(value: &Bound<'_, PyAny>) -> PyResult<Option<Crawler>> {
    if !value.is_instance(&class(value.py(), "Crawler")?)? {
        return Ok(None);
    }
    let names: Vec<Text> = value.getattr("names")?.extract()?;
    Ok(Some(crawler_of_names(&names)))
}

pub fn crawler_of_names(names: &[Text]) -> Crawler {
    Crawler::names(names.iter().map(|name| &name.0))
}

pub fn rule<'py>(py: Python<'py>, rule: robotsieve::Rule<'_>) -> PyResult<Bound<'py, PyAny>> {
    class(py, "Rule")?.call1(parts::of_rule(rule))
}

pub fn decision<'py>(
    py: Python<'py>,
    decision: &robotsieve::Decision<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let (verdict, reason, line) = parts::of_decision(decision);
    let rule = decision.rule().map(|of| rule(py, of)).transpose()?;
    class(py, "Decision")?.call1((verdict, reason, line, rule))
}

pub fn request_rate<'py>(
    py: Python<'py>,
    rate: &robotsieve::records::RequestRate,
) -> PyResult<Bound<'py, PyAny>> {
    class(py, "RequestRate")?.call1(parts::of_rate(rate))
}
