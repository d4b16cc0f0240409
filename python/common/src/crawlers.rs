//! The crawlers of a set, a pack or a sieve.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use robotsieve::Crawler;

use crate::text::{bytes_of, type_name};

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

/// The names of a crawler that is given by one, or by a list of them.
pub fn names_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u8>>> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let name = |name: PyResult<Bound<'_, PyAny>>| {
            bytes_of(&name?, "each name of a crawler").map(Cow::into_owned)
        };
        return value.try_iter()?.map(name).collect();
    }
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return Ok(vec![bytes_of(value, "crawler")?.into_owned()]);
    }
    Err(PyTypeError::new_err(format!(
        "crawler must be a name, a list of names, a Crawler or a UserAgent, not {}",
        type_name(value)
    )))
}

/// The place of a crawler among those of a set, pack or sieve: by its name, or by what `given` makes of
/// another value.
pub fn place_of(
    labels: &[String],
    crawlers: &[Crawler],
    crawler: &Bound<'_, PyAny>,
    given: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Crawler>,
) -> PyResult<usize> {
    let place = if let Ok(name) = crawler.cast::<PyString>() {
        let name = name.to_cow()?;
        labels.iter().position(|label| label.eq_ignore_ascii_case(&name))
    } else {
        let given = given(crawler)?;
        crawlers.iter().position(|known| is_same(known, &given))
    };
    place.ok_or_else(|| {
        PyValueError::new_err(format!("no such crawler; the crawlers are {}", labels.join(", ")))
    })
}

/// Returns true if two crawlers have the same names, in the same order; case does not matter, as in a
/// robots.txt.
fn is_same(a: &Crawler, b: &Crawler) -> bool {
    a.iter().count() == b.iter().count()
        && a.iter().zip(b.iter()).all(|(a, b)| a.eq_ignore_ascii_case(b))
}
