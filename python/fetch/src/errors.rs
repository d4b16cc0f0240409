//! The exceptions of `robotsieve.aio`.

use std::fmt::Display;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use robotsieve_client::fetch::InvalidFetcher;
use robotsieve_client::outcome::{Failure, LocalFault, LocalKind, Stage};
use robotsieve_client::sieve::SieveError;
use robotsieve_client::store::StoreError;
use robotsieve_python_common::errors::{invalid_origin, invalid_url};

/// An exception that `robotsieve.aio` defines.
fn exception<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let made =
        py.import("robotsieve.aio").and_then(|module| module.getattr(class)?.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

pub fn closed(py: Python<'_>) -> PyErr {
    exception(py, "SieveClosed", ("the sieve is closed: make a new one",))
}

pub fn forked(py: Python<'_>) -> PyErr {
    let text = "the sieve was made before this process was forked: make one in each process";
    exception(py, "SieveClosed", (text,))
}

pub fn store(py: Python<'_>, error: &StoreError) -> PyErr {
    exception(py, "StoreError", (error.to_string(),))
}

/// The exception of a URL without a decision, or of an origin without a site.
pub fn undecided(py: Python<'_>, error: &SieveError, url: &[u8]) -> PyErr {
    let of_site = |what: &str| format!("{what}: {}", String::from_utf8_lossy(url));
    match error {
        SieveError::Origin(cause) => invalid_origin(cause, url),
        SieveError::Url(_) => invalid_url(url),
        SieveError::Store(cause) => store(py, cause),
        SieveError::Local(fault) => {
            exception(py, "LocalFault", (kind_name(fault.kind), fault.text.as_str()))
        }
        SieveError::Unknown => {
            let text =
                of_site("nothing is known of the site, and the sieve has no fetcher to ask it");
            exception(py, "UnknownSite", (text,))
        }
        SieveError::Gone | SieveError::ShutDown => closed(py),
        other => exception(py, "SieveError", (of_site(&other.to_string()),)),
    }
}

pub fn invalid_fetcher(error: &InvalidFetcher) -> PyErr {
    value_error(error)
}

pub fn value_error(error: impl Display) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(error.to_string())
}

/// The name of a kind in Python: ``descriptors``.
pub fn kind_name(kind: LocalKind) -> String {
    format!("{kind:?}").to_lowercase()
}

/// The fault with this kind's name. Any other name means `Other`.
pub fn local_fault(kind: &str, text: &str) -> LocalFault {
    let kind = LocalKind::ALL.into_iter().find(|known| kind_name(*known) == kind);
    LocalFault::new(kind.unwrap_or(LocalKind::Other), line(text))
}

/// The failure of a site with this kind's name.
pub fn failure(kind: &str, text: &str) -> Failure {
    let text = line(text);
    match kind {
        "dns" => Failure::Dns(text),
        "refused" => match text.parse() {
            Ok(address) => Failure::Refused(address),
            Err(_) => Failure::Connect(text),
        },
        "connect" => Failure::Connect(text),
        "tls" => Failure::Tls(text),
        "connect-timeout" => Failure::TimedOut(Stage::Connect),
        "read-timeout" => Failure::TimedOut(Stage::Read),
        "timeout" => Failure::TimedOut(Stage::Total),
        "broken" => Failure::Broken(text),
        "encoding" => Failure::Encoding(text),
        "too-many-redirects" => Failure::TooManyRedirects,
        "redirect-loop" => Failure::RedirectLoop,
        "bad-redirect" => Failure::BadRedirect(text),
        "refused-redirect" => Failure::RefusedRedirect(text),
        other => Failure::Local(local_fault(other, &text)),
    }
}

/// A text from outside, as one short line: it is stored.
fn line(text: &str) -> String {
    let text = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    text.take(200).collect()
}
