//! Files of sites beside robots.txt, as Python programs give them.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use robotsieve::Origin;
use robotsieve_rights::Documents;
use robotsieve_rights::internals::TDM_PATH;

use crate::text::{bytes_of, type_name};

/// Files by address, as they were given: text, bytes or other buffers of them.
pub fn files_of<'py>(
    files: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let Some(files) = files else { return Ok(Vec::new()) };
    let items = files.call_method0("items").map_err(|_| {
        PyTypeError::new_err(format!(
            "files must be a mapping from addresses to files, not {}",
            type_name(files)
        ))
    })?;
    items.try_iter()?.map(|item| item?.extract()).collect()
}

/// The files, read. A path is that of the site of `url`, if there is one.
pub fn documents_of(
    files: &[(String, Bound<'_, PyAny>)],
    url: Option<&[u8]>,
) -> PyResult<Documents> {
    let mut documents = Documents::new();
    for (address, file) in files {
        let origin = url.and_then(|url| Origin::of(url).ok());
        let full = match origin.filter(|_| address.starts_with('/') && !address.starts_with("//")) {
            Some(origin) => Cow::Owned(format!("{origin}{address}")),
            None => Cow::Borrowed(&address[..]),
        };
        if !full.contains("://") && full != TDM_PATH {
            return Err(PyValueError::new_err(format!(
                "files: {address:?} is not an address: give it in full, as in \
                 'https://example.com/license.xml', or '{TDM_PATH}'"
            )));
        }
        let (py, file) = (file.py(), bytes_of(file, "a file")?);
        py.detach(|| documents.add(&full, &file));
    }
    Ok(documents)
}
