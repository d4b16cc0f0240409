//! Profiles and configurations: values with many fields, which are read and written by name.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use robotsieve_python_common::settings::{INTERVALS, config_of_dict, from_dict, to_python};
use serde_json::Value;

use crate::text::type_name;

/// A reading of the protocol.
///
/// ``Profile(name)`` is one of the four named ones: ``"rfc9309"`` (the default), ``"google"``
/// (google/robotstxt, the parser of Googlebot), ``"google-classic"`` (Google's specification from
/// before the RFC) and ``"original-1994"``. Keywords change single switches.
///
/// >>> import robotsieve
/// >>> robotsieve.Profile("google")
/// Profile('google')
/// >>> mine = robotsieve.Profile("rfc9309", merge_names=True)
/// >>> mine.name is None, mine.to_dict()["merge_names"]
/// (True, True)
///
/// Wherever a profile is asked for, its name will do.
#[pyclass(frozen, eq, hash, module = "robotsieve")]
#[derive(PartialEq, Eq, Hash)]
pub struct Profile(pub robotsieve::Profile);

/// The profile that is meant by a name or a ``Profile``.
pub fn profile_of(value: Option<&Bound<'_, PyAny>>) -> PyResult<robotsieve::Profile> {
    let Some(value) = value else { return Ok(robotsieve::Profile::RFC9309) };
    if let Ok(name) = value.cast::<PyString>() {
        let name = name.to_cow()?;
        return robotsieve::Profile::named(&name).ok_or_else(|| {
            let names: Vec<&str> =
                robotsieve::Profile::NAMED.iter().map(|(name, _)| *name).collect();
            PyValueError::new_err(format!(
                "there is no profile {name:?}; the profiles are {}",
                names.join(", ")
            ))
        });
    }
    match value.cast::<Profile>() {
        Ok(profile) => Ok(profile.get().0),
        Err(_) => Err(PyTypeError::new_err(format!(
            "profile must be a name or a Profile, not {}",
            type_name(value)
        ))),
    }
}

/// The name of a profile, `custom` if it has none.
pub fn profile_name(profile: &robotsieve::Profile) -> &'static str {
    profile.name().unwrap_or("custom")
}

#[pymethods]
impl Profile {
    #[new]
    #[pyo3(signature = (base = None, /, **switches))]
    fn new(
        base: Option<&Bound<'_, PyAny>>,
        switches: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        from_dict(&profile_of(base)?, switches, "profile").map(Profile)
    }

    /// The name, ``None`` if it is not one of the named profiles.
    #[getter]
    fn name(&self) -> Option<&'static str> {
        self.0.name()
    }

    /// The names of the named profiles, the default first.
    #[classmethod]
    fn names(_: &Bound<'_, PyType>) -> Vec<&'static str> {
        robotsieve::Profile::NAMED.iter().map(|(name, _)| *name).collect()
    }

    /// All switches. ``Profile(**profile.to_dict())`` is the same profile.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &json(&self.0)?)
    }

    fn __repr__(&self) -> PyResult<String> {
        repr("Profile", &self.0, &robotsieve::Profile::RFC9309, self.0.name())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rebuilt(py, "Profile", &self.to_dict(py)?)
    }
}

/// How policies are built. The default suits most programs, and no configuration but ``skip_above`` changes a
/// verdict.
///
/// ``keep_rules=False`` makes policies smaller, and they can no longer say which rule decided.
/// ``keep_sitemaps=True`` makes sets and packs keep the sitemaps of each file, ``keep_rights=True`` makes
/// packs keep what it says of rights. ``max_interval`` is the longest crawl delay that counts, in
/// seconds; a site that asks for more than ``skip_above`` seconds is left alone: all of its URLs are
/// disallowed, with the reason ``left-alone``; ``inherit_pace=True`` lets a crawler with a group of its own take the delay of the ``*``
/// group if its own has none. ``engine``, ``limits`` and
/// ``build_after`` are for measuring: see the documentation of the Rust library.
///
/// >>> import robotsieve
/// >>> robotsieve.Config(keep_rules=False)
/// Config(keep_rules=False)
#[pyclass(frozen, eq, hash, module = "robotsieve")]
#[derive(PartialEq, Eq, Hash)]
pub struct Config(pub robotsieve::Config);

/// The configuration that is meant: the default unless one is given.
pub fn config_of(value: Option<&Bound<'_, Config>>) -> robotsieve::Config {
    value.map_or_else(robotsieve::Config::default, |config| config.get().0)
}

#[pymethods]
impl Config {
    #[new]
    #[pyo3(signature = (**fields))]
    fn new(fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        config_of_dict(fields).map(Config)
    }

    /// All fields. ``Config(**config.to_dict())`` is the same configuration.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let fields = to_python(py, &json(&self.0)?)?;
        let [max_interval, skip_above] = INTERVALS;
        fields.set_item(max_interval, self.0.max_interval.as_secs_f64())?;
        fields.set_item(skip_above, self.0.skip_above.map(|most| most.as_secs_f64()))?;
        Ok(fields)
    }

    fn __repr__(&self) -> PyResult<String> {
        repr("Config", &self.0, &robotsieve::Config::default(), None)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rebuilt(py, "Config", &self.to_dict(py)?)
    }
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// `Name('base', switch=value)`: with what differs from the default alone.
fn repr<T: serde::Serialize>(
    class: &str,
    value: &T,
    default: &T,
    name: Option<&str>,
) -> PyResult<String> {
    if let Some(name) = name {
        return Ok(format!("{class}('{name}')"));
    }
    let of = |value| {
        serde_json::to_value(value).map_err(|error| PyValueError::new_err(error.to_string()))
    };
    let (value, default) = (of(value)?, of(default)?);
    let mut fields = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        if default.get(name) == Some(value) {
            continue;
        }
        let value = match value {
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::Null => "None".to_owned(),
            // As `to_dict` has it.
            Value::Object(parts) if INTERVALS.contains(&name.as_str()) => {
                let part = |name: &str| parts.get(name).and_then(Value::as_f64).unwrap_or_default();
                (part("secs") + part("nanos") / 1e9).to_string()
            }
            Value::String(text) => format!("'{text}'"),
            other => other.to_string(),
        };
        fields.push(format!("{name}={value}"));
    }
    Ok(format!("{class}({})", fields.join(", ")))
}

/// What pickles a value that its keywords make again.
fn rebuilt<'py>(
    py: Python<'py>,
    class: &str,
    fields: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("robotsieve")?.getattr(class)?;
    let partial = py.import("functools")?.getattr("partial")?;
    let make = partial.call((class,), Some(fields.cast::<PyDict>()?))?;
    Ok((make, ()).into_pyobject(py)?.into_any())
}
