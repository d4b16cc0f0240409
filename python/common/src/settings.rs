//! Profiles, configurations and the like: values with many fields, which are read and written by name.

use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use robotsieve::Config;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A value of Python that JSON can express.
fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text: String = value.py().import("json")?.getattr("dumps")?.call1((value,))?.extract()?;
    serde_json::from_str(&text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The value of Python for JSON.
pub fn to_python<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.getattr("loads")?.call1((json,))
}

/// `base` with some of its fields replaced.
pub fn from_dict<T>(base: &T, fields: Option<&Bound<'_, PyDict>>, what: &str) -> PyResult<T>
where
    T: Serialize + DeserializeOwned + Clone,
{
    let Some(fields) = fields else { return Ok(base.clone()) };
    let of_json = |error: serde_json::Error| PyValueError::new_err(format!("{what}: {error}"));
    let mut all = serde_json::to_value(base).map_err(of_json)?;
    for (name, value) in fields {
        all[name.cast::<PyString>()?.to_str()?] = from_python(&value)?;
    }
    serde_json::from_value(all).map_err(of_json)
}

/// Seconds are numbers in Python, and a duration is a map in JSON.
pub const INTERVALS: [&str; 2] = ["max_interval", "skip_above"];

/// The default configuration with some of its fields replaced.
pub fn config_of_dict(fields: Option<&Bound<'_, PyDict>>) -> PyResult<Config> {
    let base = Config::default();
    let Some(fields) = fields else { return Ok(base) };
    let others = fields.copy()?;
    let mut interval = |name: &str| -> PyResult<Option<Duration>> {
        let given = others.call_method1("pop", (name, others.py().None()))?;
        if given.is_none() {
            return Ok(None);
        }
        let seconds = given.extract::<f64>().ok().map(Duration::try_from_secs_f64);
        seconds.and_then(Result::ok).map(Some).ok_or_else(|| {
            PyValueError::new_err(format!("config: {name} must be a number of seconds, from 0 on"))
        })
    };
    let [max_interval, skip_above] = INTERVALS.map(&mut interval);
    let (max_interval, skip_above) = (max_interval?, skip_above?);
    let config = from_dict(&base, Some(&others), "config")?.with_skip_above(skip_above);
    Ok(max_interval.map_or(config, |longest| config.with_max_interval(longest)))
}

/// The name of a variant, as serde writes it.
pub fn word(value: &impl Serialize) -> PyResult<String> {
    let no_word = |what: String| PyValueError::new_err(format!("not a word: {what}"));
    match serde_json::to_value(value).map_err(|error| no_word(error.to_string()))? {
        Value::String(word) => Ok(word),
        Value::Object(parts) => parts
            .into_iter()
            .next()
            .map(|(word, _)| word)
            .ok_or_else(|| no_word("empty".to_owned())),
        other => Err(no_word(other.to_string())),
    }
}
