//! The objects of the package `robotsieve`, taken and made.

use pyo3::prelude::*;
use robotsieve::Crawler;
use robotsieve_python_common::crawlers::names_of;
use robotsieve_python_common::origin::origin_of_url;
use robotsieve_python_common::parts;
use robotsieve_python_common::reasoned::Reasoned;
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

/// The crawler that is meant by names, by a ``Crawler`` or by a ``UserAgent``, to look for among others.
pub fn crawler_of(value: &Bound<'_, PyAny>) -> PyResult<Crawler> {
    let py = value.py();
    let crawler = match value.is_instance(&class(py, "UserAgent")?)? {
        true => &value.getattr("crawler")?,
        false => value,
    };
    match crawler.is_instance(&class(py, "Crawler")?)? {
        true => names_of(&crawler.getattr("names")?),
        false => names_of(crawler),
    }
    .map(Crawler::names)
}

pub fn crawler_of_names(names: &[Text]) -> Crawler {
    Crawler::names(names.iter().map(|name| &name.0))
}

fn rule<'py>(py: Python<'py>, rule: robotsieve::Rule<'_>) -> PyResult<Bound<'py, PyAny>> {
    class(py, "Rule")?.call1(parts::of_rule(rule))
}

pub fn decision<'py>(py: Python<'py>, decision: Reasoned<'_>) -> PyResult<Bound<'py, PyAny>> {
    let (verdict, reason, line) = parts::of_decision(&decision);
    let rule = decision.rule.map(|of| rule(py, of)).transpose()?;
    class(py, "Decision")?.call1((verdict, reason, line, rule))
}

pub fn request_rate<'py>(
    py: Python<'py>,
    rate: &robotsieve::records::RequestRate,
) -> PyResult<Bound<'py, PyAny>> {
    class(py, "RequestRate")?.call1(parts::of_rate(rate))
}
