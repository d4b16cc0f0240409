//! The rights of many URLs: columns from Python, judged without the interpreter.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use arrow_array::StructArray;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use robotsieve::{Origin, Profile};
use robotsieve_report::{RecordedPage, RightsSettings};
use robotsieve_rights::{Documents, Note, Response, Rights, RobotsTag, TagRule};
use robotsieve_shown::shown;

use super::ahead::{Ahead, Rows, fill, uneven};
use super::captures::{CaptureChunk, CaptureSource};
use super::compiled::{Compiled, Compiler};
use super::headers::{HeaderChunk, HeaderSource};
use super::table::{Invalid, RightsColumns, TableBuilder, Texts};
use crate::batch::{URLS_WORTH_DETACHING, by_threads, threads_of};
use crate::file::Robots;
use crate::origin::origin_of;
use crate::signals::Signals;
use crate::text::{kept_bytes_of, type_name};
use crate::urls::{Chunk, Source, is_text};

/// What the rights of many URLs are read from, as Python gave it.
pub struct Given<'a, 'py> {
    pub urls: &'a Bound<'py, PyAny>,
    pub robots: Option<&'a Bound<'py, PyAny>>,
    pub headers: Option<&'a Bound<'py, PyAny>>,
    pub html: Option<&'a Bound<'py, PyAny>>,
    pub xmp: Option<&'a Bound<'py, PyAny>>,
    pub captures: Option<&'a Bound<'py, PyAny>>,
    pub documents: &'a Documents,
    /// The settings and the time of the reader, as records have them.
    pub of_record: &'a (RightsSettings, String),
}

/// The robots.txt of each URL.
enum RobotsOf<'py> {
    None,
    All(Compiled),
    /// By the key of the origin.
    Origins(HashMap<String, OfOrigin>),
    Column(Ahead<'py, Source<'py>>),
}

/// The robots.txt of an origin that may say more than this: something newer was not read, or the site did not show
/// that it has none. What it says counts, and is noted as not all.
///
/// >>> import pyarrow as pa
/// >>> from robotsieve import RightsReader
/// >>> from robotsieve._robotsieve import Doubtful
/// >>> columns = RightsReader("GPTBot").columns(["https://e.com/"], robots={"https://e.com": Doubtful(b"")})
/// >>> pa.table(columns)["notes"].to_pylist()
/// [['robots-not-read']]
#[pyclass(frozen, module = "robotsieve._robotsieve")]
pub struct Doubtful {
    file: Py<PyAny>,
}

#[pymethods]
impl Doubtful {
    #[new]
    fn new(file: Py<PyAny>) -> Doubtful {
        Doubtful { file }
    }
}

/// The file of an origin, compiled when it is first needed.
struct OfOrigin {
    file: File,
    is_doubtful: bool,
    compiled: OnceLock<Compiled>,
}

enum File {
    Robots(Py<Robots>),
    Bytes(PyBackedBytes),
}

impl OfOrigin {
    fn of(file: &Bound<'_, PyAny>) -> PyResult<OfOrigin> {
        let doubtful = file.cast::<Doubtful>().ok();
        let is_doubtful = doubtful.is_some();
        let file = doubtful.map_or(file, |doubtful| doubtful.get().file.bind(file.py()));
        let file = match file.cast::<Robots>() {
            Ok(robots) => File::Robots(robots.clone().unbind()),
            Err(_) => File::Bytes(kept_bytes_of(file, "a robots.txt")?),
        };
        Ok(OfOrigin { file, is_doubtful, compiled: OnceLock::new() })
    }

    fn compiled(&self, compiler: &Compiler) -> &Compiled {
        self.compiled.get_or_init(|| {
            let (body, profile): (&[u8], Option<Profile>) = match &self.file {
                File::Robots(robots) => (robots.get().text(), Some(robots.get().own_profile())),
                File::Bytes(bytes) => (bytes, None),
            };
            compiler.compiled(body, profile)
        })
    }
}

impl<'py> RobotsOf<'py> {
    fn of(robots: Option<&Bound<'py, PyAny>>, compiler: &Compiler) -> PyResult<RobotsOf<'py>> {
        let Some(robots) = robots else { return Ok(RobotsOf::None) };
        if robots.is_instance_of::<Robots>() || is_text(robots) {
            return compiler.of_object(robots).map(RobotsOf::All);
        }
        // What Arrow exports may have items, too.
        let is_arrow =
            robots.hasattr("__arrow_c_array__")? || robots.hasattr("__arrow_c_stream__")?;
        let items = if is_arrow { None } else { robots.getattr_opt("items")? };
        let Some(items) = items.filter(|items| items.is_callable()) else {
            return Ok(RobotsOf::Column(Ahead::of(Source::of(robots, "robots")?)));
        };
        let mut origins = HashMap::new();
        for item in items.call0()?.try_iter()? {
            let item = item?;
            let (origin, file): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                item.extract().map_err(|_| {
                    let found = type_name(robots);
                    PyTypeError::new_err(format!("robots: {found} is no mapping of origins"))
                })?;
            if !file.is_none() {
                origins.insert(origin_of(&origin)?.key().to_owned(), OfOrigin::of(&file)?);
            }
        }
        Ok(RobotsOf::Origins(origins))
    }
}

/// The rows that are judged at a time: each column has them at hand.
struct Block<'b> {
    compiler: &'b Compiler,
    documents: &'b Documents,
    urls: Rows<'b, Chunk>,
    robots: RobotsAt<'b>,
    headers: Option<Rows<'b, HeaderChunk>>,
    html: Option<Rows<'b, Chunk>>,
    xmp: Option<Rows<'b, Chunk>>,
    captures: Option<Rows<'b, CaptureChunk>>,
    of_record: &'b (RightsSettings, String),
}

enum RobotsAt<'b> {
    None,
    All(&'b Compiled),
    Origins(&'b HashMap<String, OfOrigin>),
    Rows(Rows<'b, Chunk>),
}

/// The rights of URLs that Python gave.
pub fn columns(
    compiler: &Compiler,
    given: &Given<'_, '_>,
    threads: Option<isize>,
) -> PyResult<RightsColumns> {
    let py = given.urls.py();
    let threads = threads_of(threads)?;
    let mut signals = Signals::new();
    let mut urls = Ahead::of(Source::of(given.urls, "urls")?);
    let mut headers = given.headers.map(HeaderSource::of).transpose()?.map(Ahead::of);
    let html = given.html.map(|html| Source::of(html, "html")).transpose()?;
    let mut html = html.map(Ahead::of);
    let xmp = given.xmp.map(|xmp| Source::of(xmp, "xmp")).transpose()?;
    let mut xmp = xmp.map(Ahead::of);
    let mut captures = given.captures.map(CaptureSource::of).transpose()?.map(Ahead::of);
    let mut robots = RobotsOf::of(given.robots, compiler)?;
    let mut arrays = Vec::new();
    loop {
        let at_hand = urls.fill(py, &mut signals)?;
        let mut rows = fill(&mut headers, "headers", at_hand, py, &mut signals)?;
        rows = rows.min(fill(&mut html, "html", at_hand, py, &mut signals)?);
        rows = rows.min(fill(&mut xmp, "xmp", at_hand, py, &mut signals)?);
        rows = rows.min(fill(&mut captures, "captures", at_hand, py, &mut signals)?);
        if let RobotsOf::Column(column) = &mut robots {
            let found = column.fill(py, &mut signals)?;
            match (found, at_hand) {
                (0, 1..) => return Err(uneven("robots", "urls")),
                (1.., 0) => return Err(uneven("urls", "robots")),
                _ => rows = rows.min(found),
            }
        }
        let Some(of_urls) = urls.rows().filter(|_| rows > 0) else { break };
        let block = Block {
            compiler,
            documents: given.documents,
            urls: of_urls,
            robots: match &robots {
                RobotsOf::None => RobotsAt::None,
                RobotsOf::All(compiled) => RobotsAt::All(compiled),
                RobotsOf::Origins(origins) => RobotsAt::Origins(origins),
                RobotsOf::Column(column) => column.rows().map_or(RobotsAt::None, RobotsAt::Rows),
            },
            headers: headers.as_ref().and_then(Ahead::rows),
            html: html.as_ref().and_then(Ahead::rows),
            xmp: xmp.as_ref().and_then(Ahead::rows),
            captures: captures.as_ref().and_then(Ahead::rows),
            of_record: given.of_record,
        };
        block.judge(py, rows, threads, &mut signals, &mut arrays)?;
        urls.from += rows;
        headers.iter_mut().for_each(|headers| headers.from += rows);
        html.iter_mut().chain(&mut xmp).for_each(|bodies| bodies.from += rows);
        captures.iter_mut().for_each(|captures| captures.from += rows);
        if let RobotsOf::Column(column) = &mut robots {
            column.from += rows;
        }
        signals.look(py)?;
    }
    Ok(RightsColumns::of(arrays))
}

/// The number of rows a thread takes at a time, and that a batch of the result has.
const ROWS_AT_A_TIME: usize = 1 << 14;

/// It is looked whether the user wants to stop after so many rows, and so many bytes of bodies.
const ROWS_BETWEEN_LOOKS: usize = 256;
const BYTES_BETWEEN_LOOKS: usize = 1 << 20;

impl Block<'_> {
    /// Adds the arrays of the rows.
    fn judge(
        &self,
        py: Python<'_>,
        rows: usize,
        threads: usize,
        signals: &mut Signals,
        arrays: &mut Vec<StructArray>,
    ) -> PyResult<()> {
        // A body takes as long as many URLs.
        if rows < URLS_WORTH_DETACHING && self.html.is_none() && self.xmp.is_none() {
            arrays.push(self.judged(0..rows, || false)?);
            return Ok(());
        }
        let built = Mutex::new(Vec::new());
        let (failure, stop) = (Mutex::new(None), AtomicBool::new(false));
        py.detach(|| {
            let parts = (0..rows).step_by(ROWS_AT_A_TIME);
            let threads = threads.min(rows / ROWS_AT_A_TIME + 1);
            by_threads(parts, threads, signals, |next, mut signals| {
                while let Some(from) = next() {
                    let part = from..rows.min(from + ROWS_AT_A_TIME);
                    let array = self.judged(part, || {
                        if let Some(signals) = &mut signals
                            && signals.are_due()
                            && let Err(error) = Python::attach(|py| signals.look(py))
                        {
                            stop.store(true, Ordering::Relaxed);
                            let mut failure =
                                failure.lock().unwrap_or_else(PoisonError::into_inner);
                            failure.get_or_insert(error);
                        }
                        stop.load(Ordering::Relaxed)
                    });
                    match array {
                        Ok(array) => {
                            built
                                .lock()
                                .unwrap_or_else(PoisonError::into_inner)
                                .push((from, array));
                        }
                        Err(error) => {
                            let mut failure =
                                failure.lock().unwrap_or_else(PoisonError::into_inner);
                            failure.get_or_insert(error);
                        }
                    }
                }
            });
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let mut built = built.into_inner().unwrap_or_else(PoisonError::into_inner);
        built.sort_unstable_by_key(|(from, _)| *from);
        arrays.extend(built.into_iter().map(|(_, array)| array));
        Ok(())
    }

    /// The rights of some rows. `must_stop` is asked now and then.
    fn judged(
        &self,
        rows: std::ops::Range<usize>,
        mut must_stop: impl FnMut() -> bool,
    ) -> PyResult<StructArray> {
        let first = rows.start;
        let (mut urls, mut times) = (Texts::new(), Texts::new());
        let mut table = TableBuilder::with_capacity(rows.len());
        let mut memo = Memo::default();
        let mut until_look = (ROWS_BETWEEN_LOOKS, BYTES_BETWEEN_LOOKS);
        for row in rows {
            let (body_len, compares_now) = self.judge_row(row, &mut memo, &mut table);
            if self.captures.is_some() {
                let url =
                    self.urls.chunk.value(self.urls.from + row).map(|url| shown(url).to_string());
                urls.push_option(url.as_deref());
                times.push_option(compares_now.then_some(&self.of_record.1));
            }
            until_look.0 = until_look.0.saturating_sub(1);
            until_look.1 = until_look.1.saturating_sub(body_len);
            if until_look.0 == 0 || until_look.1 == 0 {
                if must_stop() {
                    break;
                }
                until_look = (ROWS_BETWEEN_LOOKS, BYTES_BETWEEN_LOOKS);
            }
        }
        let rights = table.finish();
        let Some(captures) = &self.captures else { return Ok(rights) };
        let made = (urls.finish(), times.finish());
        captures.chunk.beside(captures.from + first, &rights, made, &self.of_record.0)
    }

    /// Adds the rights of a row. Returns the number of bytes of its body, and whether something was compared with the
    /// time.
    fn judge_row<'b>(
        &'b self,
        row: usize,
        memo: &mut Memo<'b>,
        table: &mut TableBuilder,
    ) -> (usize, bool) {
        let Some(url) = self.urls.chunk.value(self.urls.from + row) else {
            table.add_invalid(Invalid::Url);
            return (0, false);
        };
        let response = match &self.headers {
            None => Ok(Response::new()),
            Some(headers) => headers.chunk.response(headers.from + row),
        };
        let html = self.html.as_ref().and_then(|html| html.chunk.value(html.from + row));
        let xmp = self.xmp.as_ref().and_then(|xmp| xmp.chunk.value(xmp.from + row));
        let body_len = html.map_or(0, <[u8]>::len) + xmp.map_or(0, <[u8]>::len);
        let (robots, has_all) = self.robots(row, url, memo);
        let reader = &self.compiler.reader;
        let Ok(mut response) = response else {
            // That it is no URL comes first.
            let rights = reader.rights(url, None, &Response::new(), self.documents);
            table.add_invalid(if rights.is_ok() { Invalid::Headers } else { Invalid::Url });
            return (0, false);
        };
        if let Some(html) = html {
            response = response.with_html(html);
        }
        if let Some(xmp) = xmp {
            response = response.with_xmp(xmp);
        }
        let Ok(mut rights) = reader.rights(url, robots, &response, self.documents) else {
            table.add_invalid(Invalid::Url);
            return (body_len, false);
        };
        if !has_all {
            rights = rights.with_note(Note::RobotsNotRead);
        }
        if let Some(captures) = &self.captures {
            let page = match (html, xmp) {
                (Some(_), _) => RecordedPage::Read,
                (None, Some(_)) => RecordedPage::Metadata,
                (None, None) => RecordedPage::Unreadable,
            };
            let notes = captures.chunk.notes(captures.from + row, robots.is_some(), page);
            rights = notes.iter().fold(rights, Rights::with_note);
        }
        table.add(&rights);
        let is_time = |tag: &RobotsTag| matches!(tag.rule, TagRule::UnavailableAfter(_));
        (body_len, self.captures.is_some() && response.tags.iter().any(is_time))
    }

    /// What the robots.txt of a row says, and whether that is all, if files of sites are given.
    fn robots<'b, 'm>(
        &'b self,
        row: usize,
        url: &[u8],
        memo: &'m mut Memo<'b>,
    ) -> (Option<&'m Compiled>, bool) {
        let of_row = match &self.robots {
            RobotsAt::None => None,
            RobotsAt::All(compiled) => Some(*compiled),
            RobotsAt::Origins(origins) => {
                let of = Origin::of(url).ok().and_then(|origin| origins.get(origin.key()));
                // One without a file was not read: where there is none, an empty one is given.
                let has_all = of.is_some_and(|of| !of.is_doubtful);
                return (of.map(|of| of.compiled(self.compiler)), has_all);
            }
            RobotsAt::Rows(rows) => {
                let row = rows.from + row;
                match rows.chunk {
                    Chunk::Rows(_) => {
                        rows.chunk.value(row).and_then(|file| memo.of_file(file, self.compiler))
                    }
                    Chunk::Distinct(values, keys) => keys[row].and_then(|key| {
                        values.value(key).and_then(|file| memo.of_key(key, file, self.compiler))
                    }),
                }
            }
        };
        // A null in a column is no file, as without the column.
        (of_row, true)
    }
}

/// What a thread knows of the files that it has seen.
#[derive(Default)]
struct Memo<'b> {
    /// The last file. Rows of one site are often neighbours.
    last: Option<(&'b [u8], Compiled)>,
    /// By the key of a dictionary.
    by_key: HashMap<usize, Compiled>,
}

impl<'b> Memo<'b> {
    fn of_file(&mut self, file: &'b [u8], compiler: &Compiler) -> Option<&Compiled> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != file) {
            self.last = Some((file, compiler.compiled(file, None)));
        }
        self.last.as_ref().map(|(_, compiled)| compiled)
    }

    fn of_key(&mut self, key: usize, file: &[u8], compiler: &Compiler) -> Option<&Compiled> {
        Some(self.by_key.entry(key).or_insert_with(|| compiler.compiled(file, None)))
    }
}
