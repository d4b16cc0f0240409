//! The exceptions of the package `robotsieve` that either module raises.

use pyo3::PyErr;

/// Their types, which the package defines.
mod defined {
    pyo3::import_exception!(robotsieve, InvalidOrigin);
    pyo3::import_exception!(robotsieve, InvalidUrl);
}

/// The error of bytes that are an [`InvalidUrl`](robotsieve::InvalidUrl).
pub fn invalid_url(url: &[u8]) -> PyErr {
    let text = format!("neither a URL nor a path that begins with /: {}", shown(url));
    defined::InvalidUrl::new_err(text)
}

pub fn invalid_origin(error: &robotsieve::InvalidOrigin, url: &[u8]) -> PyErr {
    defined::InvalidOrigin::new_err(format!("{error}: {}", shown(url)))
}

/// What is shown of bytes in a message: the first 200, with escapes.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    let more = if bytes.len() > 200 { "…" } else { "" };
    format!("{text:?}{more}")
}
