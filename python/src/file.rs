//! A robots.txt file, as all that is asked about it holds it. Its methods are in [`robots`](crate::robots).

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use self_cell::self_cell;

use crate::batch;
use crate::crawler::{Who, shared_crawler_of, who_of};
use crate::errors::warn;
use crate::settings::profile_name;
use crate::text::{Text, bytes_of, kept_bytes_of, repr};

/// Smaller files are parsed in less time than it can take to get the interpreter back.
const BYTES_WORTH_DETACHING: usize = 2_048;

/// A file is parsed when it is first asked about.
type Parsed<'a> = OnceLock<robotsieve::Robots<'a>>;

/// A file, and its text if that is not the file itself.
struct Body {
    bytes: PyBackedBytes,
    text: Option<Vec<u8>>,
}

impl Body {
    fn text(&self) -> &[u8] {
        self.text.as_deref().unwrap_or(&self.bytes)
    }
}

self_cell! {
    struct Cell {
        owner: Body,

        #[not_covariant]
        dependent: Parsed,
    }
}

/// A file, as the `Robots` and the policies that are made from it share it.
pub struct File {
    cell: Cell,
    profile: robotsieve::Profile,
    /// Whether the caller named the profile: only if not, known crawlers read the file as their operators do.
    pub is_named: bool,
    pub config: robotsieve::Config,
    /// What reports call the file.
    pub name: Option<Text>,
    /// Whether it was asked about a URL.
    asked: AtomicBool,
}

impl File {
    pub fn new(
        body: PyBackedBytes,
        (profile, is_named): (robotsieve::Profile, bool),
        config: robotsieve::Config,
        name: Option<Text>,
    ) -> Arc<File> {
        let text = match robotsieve::text_of(&body, &profile) {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        };
        let cell = Cell::new(Body { bytes: body, text }, |_| OnceLock::new());
        Arc::new(File { cell, profile, is_named, config, name, asked: AtomicBool::new(false) })
    }

    /// What the Rust library says of the file.
    ///
    /// The lock is never awaited by a thread that has the interpreter while the one that parses waits for it: who parses
    /// a small file keeps it, and for a large one all do without it.
    pub fn with<T>(&self, ask: impl FnOnce(&robotsieve::Robots<'_>) -> T) -> T {
        self.cell.with_dependent(|body, parsed| {
            if let Some(robots) = parsed.get() {
                return ask(robots);
            }
            let parse = || robotsieve::Robots::parse_with(body.text(), &self.profile, &self.config);
            ask(match body.bytes.len() < BYTES_WORTH_DETACHING {
                true => parsed.get_or_init(parse),
                false => Python::attach(|py| py.detach(|| parsed.get_or_init(parse))),
            })
        })
    }

    /// The verdict on a URL by a small file's bytes alone, if it is the first question about the file: many files are
    /// asked one, and to parse the file and make a policy takes three times as long. `None` if it is not, or there is
    /// no verdict.
    pub fn first_verdict(&self, crawler: &robotsieve::Crawler, url: &[u8]) -> Option<bool> {
        // Other configurations may change the verdict, or want to be measured.
        let by_bytes = self.text().len() < BYTES_WORTH_DETACHING
            && !self.asked.swap(true, Ordering::Relaxed)
            && self.cell.with_dependent(|_, parsed| parsed.get().is_none())
            && self.config == robotsieve::Config::default();
        let ask = || robotsieve::is_allowed_once(self.text(), &self.profile, crawler, url).ok();
        by_bytes.then(ask).flatten()
    }

    pub fn own_profile(&self) -> robotsieve::Profile {
        self.profile
    }

    /// The crawler that is meant, with its names checked.
    pub fn crawler(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Arc<robotsieve::Crawler>> {
        shared_crawler_of(crawler, &self.profile)
    }

    /// The crawler that is meant, as it was given.
    pub fn who(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Who> {
        who_of(crawler, &self.profile)
    }

    /// What reports call the file.
    pub fn name(&self) -> Option<&[u8]> {
        self.name.as_ref().map(|name| &name.0[..])
    }

    /// The file as given.
    pub fn bytes(&self) -> &[u8] {
        self.body()
    }

    /// What is parsed: the file, decoded if it is UTF-16.
    pub fn text(&self) -> &[u8] {
        self.cell.borrow_owner().text()
    }

    /// The bytes as the object of Python that has them.
    pub fn body(&self) -> &PyBackedBytes {
        &self.cell.borrow_owner().bytes
    }

    pub fn profile_shown(&self) -> String {
        profile_name(&self.profile).to_owned()
    }

    pub fn hash_value(&self) -> u64 {
        batch::hash(&(self.bytes(), self.profile, &self.config))
    }
}

impl PartialEq for File {
    fn eq(&self, other: &File) -> bool {
        self.bytes() == other.bytes()
            && self.config == other.config
            && self.profile == other.profile
    }
}

/// A robots.txt file.
///
/// ``body`` is ``str`` or ``bytes``; any content is a robots.txt, so nothing in it raises. ``profile``
/// is the name of a reading of the protocol, or a :class:`Profile`. ``name`` is what reports call the
/// file, such as its path or URL.
///
/// >>> import robotsieve
/// >>> robots = robotsieve.Robots("User-agent: *\nDisallow: /search\nAllow: /search/about\n")
/// >>> policy = robots.policy("MyCrawler")
/// >>> policy.is_allowed("https://example.com/search/about")
/// True
/// >>> policy.is_allowed("https://example.com/search?q=x")
/// False
///
/// It is pickled as the bytes of the file, with profile and configuration.
#[pyclass(frozen, module = "robotsieve")]
pub struct Robots(pub Arc<File>);

impl Deref for Robots {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

/// The bytes of a file that is given as text or bytes. Warns of a text that is the file's name or URL: it has no rules, so
/// as a file it allows everything.
pub fn body_of<'a>(value: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    let body = bytes_of(value, what)?;
    warn_of_place(value, &body)?;
    Ok(body)
}

/// The same, kept: without a copy of what is `bytes`.
pub fn kept_body_of(value: &Bound<'_, PyAny>, what: &str) -> PyResult<PyBackedBytes> {
    let body = kept_bytes_of(value, what)?;
    warn_of_place(value, &body)?;
    Ok(body)
}

#[inline]
fn warn_of_place(value: &Bound<'_, PyAny>, body: &[u8]) -> PyResult<()> {
    // What a server sends may be anything, and comes as bytes.
    if value.is_instance_of::<PyString>() && (is_url(body) || is_file_name(body)) {
        place_warned_of(value.py(), body)
    } else {
        Ok(())
    }
}

fn is_url(body: &[u8]) -> bool {
    let schemes: [&[u8]; 4] = [b"http://", b"https://", b"ftp://", b"file://"];
    schemes.iter().any(|scheme| body.starts_with(scheme))
        && !body.iter().any(u8::is_ascii_whitespace)
}

/// Returns true for the path of a text file. A record has a colon, which paths have after the letter of a drive.
fn is_file_name(body: &[u8]) -> bool {
    let path = match body {
        [drive, b':', path @ ..] if drive.is_ascii_alphabetic() => path,
        path => path,
    };
    path.ends_with(b".txt") && !path.iter().any(|byte| *byte == b':' || byte.is_ascii_whitespace())
}

#[cold]
fn place_warned_of(py: Python<'_>, body: &[u8]) -> PyResult<()> {
    let place = repr(py, Text::from(body))?;
    let way_out = match is_url(body) {
        true => "fetch it, and pass the body of the answer".to_owned(),
        false => format!("pass pathlib.Path({place}).read_bytes()"),
    };
    let message = format!(
        "{place} is taken as the text of a robots.txt, not as the place of one, and allows everything; {way_out}"
    );
    warn(py, message)
}
