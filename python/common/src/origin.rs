//! Whose robots.txt governs a URL.

use pyo3::prelude::*;
use robotsieve::Origin;

use crate::errors::invalid_origin;
use crate::text::bytes_of;

/// The origin of a URL.
pub fn origin_of_url(url: &Bound<'_, PyAny>) -> PyResult<Origin<'static>> {
    let url = bytes_of(url, "origin")?;
    match Origin::of(url.as_ref()) {
        Ok(origin) => Ok(origin.into_owned()),
        Err(error) => Err(invalid_origin(&error, &url)),
    }
}
