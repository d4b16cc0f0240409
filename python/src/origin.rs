//! Whose robots.txt governs a URL.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use robotsieve_python_common::origin::origin_of_url;

use crate::text::repr;

/// The origin of a URL: scheme, host and port, which one robots.txt governs.
///
/// >>> from robotsieve import Origin
/// >>> origin = Origin("HTTPS://Example.COM:443/a?b")
/// >>> origin.key, origin.robots_url
/// ('https://example.com', 'https://example.com/robots.txt')
///
/// Raises :class:`InvalidOrigin` if the URL is not one of http, https or ftp with a host.
#[pyclass(frozen, eq, hash, module = "robotsieve")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Origin(pub robotsieve::Origin<'static>);

/// The origin that is meant by a URL or an ``Origin``.
pub fn origin_of(value: &Bound<'_, PyAny>) -> PyResult<robotsieve::Origin<'static>> {
    if let Ok(origin) = value.cast::<Origin>() {
        return Ok(origin.get().0.clone());
    }
    origin_of_url(value)
}

#[pymethods]
impl Origin {
    #[new]
    fn new(url: &Bound<'_, PyAny>) -> PyResult<Origin> {
        origin_of(url).map(Origin)
    }

    /// The origin as text, the same for all spellings: ``https://example.com``.
    #[getter]
    fn key(&self) -> &str {
        self.0.key()
    }

    /// Where its robots.txt is.
    #[getter]
    fn robots_url(&self) -> String {
        self.0.robots_url()
    }

    /// ``http``, ``https`` or ``ftp``.
    #[getter]
    fn scheme(&self) -> &'static str {
        self.0.scheme().as_str()
    }

    /// The host, in lower case and in its ASCII form.
    #[getter]
    fn host(&self) -> &str {
        self.0.host()
    }

    /// The host and, if it is not the scheme's own, the port.
    #[getter]
    fn authority(&self) -> &str {
        self.0.authority()
    }

    /// The port, the scheme's own included.
    #[getter]
    fn port(&self) -> u16 {
        self.0.port()
    }

    /// Which of ``shards`` parts it belongs to, from 0 on; the same in every program and version.
    fn shard(&self, shards: u32) -> PyResult<u32> {
        if shards == 0 {
            return Err(PyValueError::new_err("shards must be 1 or more"));
        }
        Ok(self.0.shard(shards))
    }

    fn __str__(&self) -> &str {
        self.0.key()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Origin({})", repr(py, self.0.key())?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok((py.get_type::<Origin>(), (self.0.key(),)).into_pyobject(py)?.into_any())
    }
}
