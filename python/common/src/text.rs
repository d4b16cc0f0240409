//! Text of Python and bytes of Rust.
//!
//! Robots.txt files and URLs are bytes. A `str` stands for its UTF-8. Bytes that are not UTF-8 come
//! back as surrogate escapes (PEP 383), as in `os.fsdecode`, and a `str` with surrogate escapes
//! stands for those bytes again.

use std::borrow::Cow;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};

/// The bytes that a `str`, `bytes` or other buffer of bytes stands for. `what` names it in the error.
///
/// A `str` is read in place if it is ASCII, and so are `bytes`. Most values are a plain `str`, and the check for that is
/// worth its place in each caller: it saves a tenth of the time of a question.
#[inline(always)]
pub fn bytes_of<'a>(value: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Cow<'a, [u8]>> {
    match plain(value) {
        Some(text) => Ok(Cow::Borrowed(text)),
        None => bytes_of_other(value, what),
    }
}

/// The bytes of a plain `str` without surrogates.
#[inline(always)]
pub fn plain<'a>(value: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    Some(value.cast_exact::<PyString>().ok()?.to_str().ok()?.as_bytes())
}

#[inline(never)]
fn bytes_of_other<'a>(value: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(text) = value.cast::<PyString>() {
        return match text.to_str() {
            Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
            Err(_) => encoded(text).map(Cow::Owned),
        };
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    match buffer(value)? {
        Some(bytes) => Ok(Cow::Owned(bytes)),
        None => Err(PyTypeError::new_err(format!(
            "{what} must be str, bytes or a buffer of bytes such as a memoryview, not {}{}",
            type_name(value),
            way_out(value, what)
        ))),
    }
}

/// The same, kept: without a copy of what is `bytes`.
pub fn kept_bytes_of(value: &Bound<'_, PyAny>, what: &str) -> PyResult<PyBackedBytes> {
    Ok(match value.cast_exact::<PyBytes>() {
        Ok(bytes) => bytes.clone().into(),
        Err(_) => PyBytes::new(value.py(), &bytes_of(value, what)?).into(),
    })
}

/// The name of a value's type, as Python's own messages have it.
pub fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string())
}

/// How to pass what stands for text and is none: an object that is a URL, as those of httpx and yarl are, or a file's path.
#[cold]
pub fn way_out(value: &Bound<'_, PyAny>, what: &str) -> String {
    let text = value.str().map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    if ["http://", "https://", "ftp://"].iter().any(|scheme| text.starts_with(scheme)) {
        format!(": pass str({what})")
    } else if matches!(what, "body" | "robots") && value.hasattr("read_bytes").unwrap_or(false) {
        format!(": pass {what}.read_bytes()")
    } else {
        String::new()
    }
}

/// The bytes of a `str` that has surrogates.
#[cold]
fn encoded(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    // Escaped bytes first. A surrogate that stands for no byte is kept as what it would be in UTF-8.
    let bytes = text
        .call_method1("encode", ("utf-8", "surrogateescape"))
        .or_else(|_| text.call_method1("encode", ("utf-8", "surrogatepass")))?;
    Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// The bytes of a buffer, `None` if it is not a buffer of bytes.
#[cold]
fn buffer(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    let py = value.py();
    let Ok(view) = py.import("builtins")?.getattr("memoryview")?.call1((value,)) else {
        return Ok(None);
    };
    if view.getattr("itemsize")?.extract::<usize>()? != 1 {
        return Ok(None);
    }
    let bytes = view.call_method0("tobytes")?;
    Ok(Some(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// Bytes that become a `str`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text(pub Box<[u8]>);

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Text {
        Text(bytes.into())
    }
}

impl<'py> IntoPyObject<'py> for &Text {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        to_str(py, &self.0)
    }
}

impl<'py> IntoPyObject<'py> for Text {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        to_str(py, &self.0)
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Text> {
        Ok(Text(bytes_of(&value, "text")?.into()))
    }
}

/// The `str` for bytes.
pub fn to_str<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text)),
        Err(_) => {
            let bytes = PyBytes::new(py, bytes);
            let text = bytes.call_method1("decode", ("utf-8", "surrogateescape"))?;
            Ok(text.cast_into::<PyString>()?)
        }
    }
}

/// Python's `repr` of a value.
pub fn repr<'py>(py: Python<'py>, value: impl IntoPyObject<'py>) -> PyResult<String> {
    Ok(value.into_bound_py_any(py)?.repr()?.to_string())
}
