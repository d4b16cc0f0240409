//! The crawlers of a set, a pack or a sieve.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use robotsieve::Crawler;

/// What stands for a crawler in a result: its first name, `*` if it has none.
pub fn label(crawler: &Crawler) -> String {
    crawler
        .iter()
        .next()
        .map_or_else(|| "*".to_owned(), |name| String::from_utf8_lossy(name).into_owned())
}

/// What stands for each crawler in a result, all different.
pub fn distinct_labels(crawlers: &[Crawler]) -> PyResult<Vec<String>> {
    let mut labels: Vec<String> = Vec::new();
    for crawler in crawlers {
        let mut name = label(crawler);
        if labels.contains(&name) {
            // Such as ("Googlebot", "Googlebot-News") beside "Googlebot".
            let names = crawler.iter().map(|name| String::from_utf8_lossy(name).into_owned());
            name = names.collect::<Vec<_>>().join("+");
        }
        if labels.contains(&name) {
            return Err(PyValueError::new_err(format!("two crawlers have the name {name:?}")));
        }
        labels.push(name);
    }
    Ok(labels)
}

/// The place of a crawler among several: by its label, or by what `object` makes of a `Crawler`.
pub fn place_of(
    labels: &[String],
    crawlers: &[Crawler],
    crawler: &Bound<'_, PyAny>,
    object: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Option<Crawler>>,
) -> PyResult<usize> {
    let place = if let Ok(name) = crawler.cast::<PyString>() {
        let name = name.to_cow()?;
        labels.iter().position(|label| label.eq_ignore_ascii_case(&name))
    } else if let Some(crawler) = object(crawler)? {
        crawlers.iter().position(|known| *known == crawler)
    } else {
        return Err(PyTypeError::new_err("crawler must be a name or a Crawler"));
    };
    place.ok_or_else(|| {
        PyValueError::new_err(format!("no such crawler; the crawlers are {}", labels.join(", ")))
    })
}
