//! The exceptions. Each is a `ValueError`, since a value is what is wrong.

use std::ffi::CString;
use std::io;
use std::path::Path;

use pyo3::PyTypeInfo;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

pub use robotsieve_python_common::errors::{invalid_origin, invalid_url};

use crate::text::to_str;

create_exception!(
    robotsieve,
    InvalidUrl,
    PyValueError,
    "Neither a URL nor a path that begins with a slash."
);
create_exception!(
    robotsieve,
    InvalidOrigin,
    InvalidUrl,
    "A URL without a robots.txt: not of http, https or ftp, or without a host. An ``InvalidUrl`` too."
);
create_exception!(
    robotsieve,
    InvalidName,
    PyValueError,
    "A name that no User-agent line can name. `probably_meant` is the name to use instead, or None."
);
create_exception!(
    robotsieve,
    PackError,
    PyValueError,
    "Bytes that cannot be used as a pack, or a damaged part of one."
);

pub fn invalid_name(py: Python<'_>, error: &robotsieve::NameError) -> PyErr {
    let meant = match error.probably_meant().map(|meant| to_str(py, meant)).transpose() {
        Ok(meant) => meant,
        Err(error) => return error,
    };
    let way_out =
        if error.is_header() { "; use robotsieve.Crawler.from_user_agent(header)" } else { "" };
    no_name(py, &format!("{error}{way_out}"), meant)
}

/// The `InvalidName` with this message.
fn no_name(py: Python<'_>, message: &str, meant: Option<Bound<'_, PyString>>) -> PyErr {
    let exception = InvalidName::type_object(py)
        .call1((message,))
        .and_then(|exception| exception.setattr("probably_meant", meant).map(|()| exception));
    match exception {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The error of a crawler without a name.
pub fn empty_name(py: Python<'_>) -> PyErr {
    let message =
        "a crawler needs a name; robotsieve.Crawler() is one without, which obeys the '*' group";
    no_name(py, message, None)
}

/// The error of a list without a crawler.
pub fn no_crawlers(py: Python<'_>) -> PyErr {
    no_name(py, "crawlers must have at least one crawler", None)
}

pub fn pack_error(error: &robotsieve::pack::PackError) -> PyErr {
    PackError::new_err(error.to_string())
}

/// The `OSError` for a file.
pub fn of_path(path: &Path, error: &io::Error) -> PyErr {
    // Some errors are wrapped in others that have no number.
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let mut number = None;
    while let (None, Some(error)) = (number, cause) {
        number = error.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error);
        cause = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    match number {
        // With the number, Python chooses the subclass, such as FileNotFoundError.
        Some(number) => {
            let text = io::Error::from_raw_os_error(number).to_string();
            let what = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, what, path.as_os_str().to_owned()))
        }
        None => io::Error::new(error.kind(), format!("{}: {error}", path.display())).into(),
    }
}

/// Warns whoever called the package.
#[cold]
pub fn warn(py: Python<'_>, text: String) -> PyResult<()> {
    let category = py.get_type::<PyUserWarning>();
    PyErr::warn(py, &category, &CString::new(text).unwrap_or_default(), level_of_caller(py))
}

/// How many frames up the code stands that called the package.
fn level_of_caller(py: Python<'_>) -> i32 {
    let name_of = |frame: &Bound<'_, PyAny>| -> PyResult<String> {
        frame.getattr("f_globals")?.get_item("__name__")?.extract()
    };
    let mut frame = py.import("sys").and_then(|sys| sys.call_method0("_getframe"));
    let mut level = 1;
    while let Ok(here) = frame
        && let Ok(name) = name_of(&here)
        && (name == "robotsieve" || name.starts_with("robotsieve."))
    {
        (frame, level) = (here.getattr("f_back"), level + 1);
    }
    level
}
