//! Captures of robots.txt files: WARC files as Arrow batches, and what the rows of captures mean.
//!
//! What follows from the captures of many origins is found out where they are brought together, such
//! as in Spark. This module has the steps, which are those of `robotsieve pack`.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;

use arrow_array::builder::{
    BinaryBuilder, Int32Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, StructArray};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyCapsule, PyMemoryView, PyString, PyTuple};
use robotsieve::Origin;
use robotsieve_captures::warc::{self, Panicked, Unreadable, WarcInput, WarcItem};
use robotsieve_captures::{
    At, Capture, Captured, Fields as CaptureFields, Fit, History, Key, Lead, Led, PayloadClaim,
    RecordPlace, RepeatedAt, Repeats, Says, SiteAnswer, Versions,
};
use robotsieve_client::Timestamp;
use robotsieve_client::internals::has_file;
use robotsieve_client::outcome::{AsOf, Failure, Protocol, Said};

use crate::batch::threads_of;
use crate::errors::of_path;
use crate::export;
use crate::settings::profile_of;
use crate::signals::BETWEEN_LOOKS;
use crate::text::type_name;

const UTC: &str = "UTC";

/// The columns of a capture.
static COLUMNS: LazyLock<Fields> = LazyLock::new(|| {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()));
    let columns = [
        ("url", DataType::Utf8),
        ("status", DataType::Int32),
        ("body", DataType::Binary),
        ("time", time.clone()),
        ("location", DataType::Utf8),
        ("error", DataType::Utf8),
        ("lifetime", DataType::Int64),
        ("same_as_url", DataType::Utf8),
        ("same_as_time", time),
        ("file", DataType::Utf8),
        ("offset", DataType::Int64),
        ("damage", DataType::Utf8),
    ];
    columns.into_iter().map(|(name, of)| Field::new(name, of, true)).collect()
});

/// Rows that are being gathered.
struct Rows {
    url: StringBuilder,
    status: Int32Builder,
    body: BinaryBuilder,
    time: TimestampMicrosecondBuilder,
    location: StringBuilder,
    error: StringBuilder,
    lifetime: Int64Builder,
    same_as_url: StringBuilder,
    same_as_time: TimestampMicrosecondBuilder,
    file: StringBuilder,
    offset: Int64Builder,
    damage: StringBuilder,
    /// About how much memory they take.
    bytes: usize,
}

/// A row. What it does not have is null.
#[derive(Default)]
struct Row<'r> {
    url: Option<&'r str>,
    status: Option<i32>,
    body: Option<&'r [u8]>,
    time: Option<Timestamp>,
    location: Option<&'r str>,
    error: Option<&'r str>,
    lifetime: Option<u32>,
    same_as_url: Option<&'r str>,
    same_as_time: Option<Timestamp>,
    damage: Option<&'r str>,
}

/// What a row takes beside its texts.
const ROW_BYTES: usize = 128;

impl Rows {
    fn new() -> Rows {
        let time =
            || TimestampMicrosecondBuilder::new().with_data_type(COLUMNS[3].data_type().clone());
        Rows {
            url: StringBuilder::new(),
            status: Int32Builder::new(),
            body: BinaryBuilder::new(),
            time: time(),
            location: StringBuilder::new(),
            error: StringBuilder::new(),
            lifetime: Int64Builder::new(),
            same_as_url: StringBuilder::new(),
            same_as_time: time(),
            file: StringBuilder::new(),
            offset: Int64Builder::new(),
            damage: StringBuilder::new(),
            bytes: 0,
        }
    }

    fn push(&mut self, row: &Row<'_>, place: &RecordPlace) {
        type Micros = <TimestampMicrosecondType as ArrowPrimitiveType>::Native;
        let micros = |time: Timestamp| -> Option<Micros> { (time.0 as i64).checked_mul(1_000_000) };
        let file = place.file.to_string_lossy();
        let texts = [row.url, row.location, row.error, row.same_as_url, row.damage];
        self.bytes += ROW_BYTES
            + row.body.map_or(0, <[u8]>::len)
            + texts.into_iter().flatten().map(str::len).sum::<usize>()
            + file.len();
        self.url.append_option(row.url);
        self.status.append_option(row.status);
        self.body.append_option(row.body);
        self.time.append_option(row.time.and_then(micros));
        self.location.append_option(row.location);
        self.error.append_option(row.error);
        self.lifetime.append_option(row.lifetime.map(i64::from));
        self.same_as_url.append_option(row.same_as_url);
        self.same_as_time.append_option(row.same_as_time.and_then(micros));
        self.file.append_value(file);
        self.offset.append_option(match place.at {
            At::Byte(byte) => i64::try_from(byte).ok(),
            At::Whole | At::Line(_) => None,
        });
        self.damage.append_option(row.damage);
    }

    fn capture(&mut self, capture: &Capture) {
        let robots_url;
        let url = match &capture.other {
            Some(url) => &**url,
            None => {
                robots_url = capture.origin.robots_url();
                &*robots_url
            }
        };
        let mut row = Row { url: Some(url), time: capture.at, ..Row::default() };
        let (error, same_as);
        match &capture.answer {
            SiteAnswer::Final(response) => {
                row.status = Some(response.status.into());
                row.body = capture.answer.body();
                row.lifetime = match capture.answer.says::<()>(capture.time()) {
                    Some(Says::Answer(Said::File(lifetime) | Said::Unchanged(lifetime), _)) => {
                        lifetime
                    }
                    _ => None,
                };
            }
            SiteAnswer::Redirect(redirect) => {
                row.status = Some(redirect.status.into());
                row.location = Some(&redirect.to);
            }
            SiteAnswer::Failed(failure) => {
                error = failure.to_string();
                row.error = Some(&error);
            }
            SiteAnswer::Same(same) => {
                if let Some(own) = &same.own {
                    row.status = Some(own.status.into());
                    row.lifetime = match Said::of(Ok(own), capture.time()) {
                        Some(Said::File(lifetime) | Said::Unchanged(lifetime)) => lifetime,
                        _ => None,
                    };
                }
                let place = same.places.iter().flatten().find(|place| place.exactly.is_some());
                let Some(place) = place else {
                    if same.own.is_none() && same.places.iter().all(Option::is_none) {
                        // It repeats nothing that could be found: it is unknown.
                        row.same_as_url = Some("");
                        self.push(&row, &capture.place);
                        return;
                    }
                    let damage =
                        Some("the revisit has no WARC-Refers-To-Date, which says what it repeats");
                    self.push(&Row { damage, ..Row::default() }, &capture.place);
                    return;
                };
                same_as = url_of_key(&place.key);
                row.same_as_url = Some(&same_as);
                row.same_as_time = place.exactly;
            }
        }
        self.push(&row, &capture.place);
    }

    fn item(&mut self, item: WarcItem) -> Result<(), Unreadable> {
        match item {
            WarcItem::Capture(capture) => self.capture(&capture),
            WarcItem::Known(known) => {
                if let Some(lack) = known.lacks() {
                    self.push(&Row { damage: Some(&lack), ..Row::default() }, &known.place);
                }
                known.captures().iter().for_each(|capture| self.capture(capture));
            }
            WarcItem::Damaged { place, what } => {
                self.push(&Row { damage: Some(&what), ..Row::default() }, &place);
            }
            WarcItem::Unreadable(unreadable) => return Err(unreadable),
        }
        Ok(())
    }

    fn take(&mut self) -> StructArray {
        self.bytes = 0;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.url.finish()),
            Arc::new(self.status.finish()),
            Arc::new(self.body.finish()),
            Arc::new(self.time.finish()),
            Arc::new(self.location.finish()),
            Arc::new(self.error.finish()),
            Arc::new(self.lifetime.finish()),
            Arc::new(self.same_as_url.finish()),
            Arc::new(self.same_as_time.finish()),
            Arc::new(self.file.finish()),
            Arc::new(self.offset.finish()),
            Arc::new(self.damage.finish()),
        ];
        StructArray::new(COLUMNS.clone(), columns, None)
    }
}

/// A URL with this key.
fn url_of_key(key: &str) -> String {
    match Origin::of(key) {
        Ok(origin) if origin.key() == key => origin.robots_url(),
        _ => key.to_owned(),
    }
}

/// What the thread that reads sends.
enum Message {
    Batch(StructArray),
    /// The file cannot be read on.
    Unreadable(Unreadable),
    End,
}

/// Why reading ends early.
enum Ended {
    /// Nobody wants more.
    Unwanted,
    Unreadable(Unreadable),
    Panicked,
}

impl From<Panicked> for Ended {
    fn from(_: Panicked) -> Ended {
        Ended::Panicked
    }
}

fn read(source: WarcInput, threads: usize, max_batch_bytes: usize, batches: &SyncSender<Message>) {
    let mut rows = Rows::new();
    let act = |item| {
        rows.item(item).map_err(Ended::Unreadable)?;
        if rows.bytes < max_batch_bytes {
            return Ok(());
        }
        batches.send(Message::Batch(rows.take())).map_err(|_| Ended::Unwanted)
    };
    let ended = warc::read([Ok(source)], threads, act, |_| ()).err();
    let last = rows.take();
    if !last.is_empty() {
        // If nobody wants it, that is no failure.
        let _ = batches.send(Message::Batch(last));
    }
    let _ = match ended {
        None => batches.send(Message::End),
        Some(Ended::Unreadable(unreadable)) => batches.send(Message::Unreadable(unreadable)),
        // Without an end, `next` says that something is missing.
        Some(Ended::Unwanted | Ended::Panicked) => return,
    };
}

/// The captures of robots.txt files in a WARC file, as an iterator of Arrow batches.
///
/// ``source`` is the path of a file, plain or compressed with gzip or zstd, or the bytes of one (of
/// other buffers than ``bytes``, a copy is made), whose ``name`` is then for messages. ``pyarrow.record_batch(batch)`` takes a batch without copying it. Its
/// columns, all nullable:
///
/// ================  ===============  =================================================================
/// ``url``           utf8             what was asked for: the robots.txt of a site, or another URL
/// ``status``        int32            null if there was no answer
/// ``body``          binary           of 2xx only, with transfer and content encodings undone
/// ``time``          timestamp        in microseconds, UTC
/// ``location``      utf8             where a redirect leads, absolute
/// ``error``         utf8             why there was no answer, or none that can be used
/// ``lifetime``      int64            the seconds for which the answer may be used, as its headers say
/// ``same_as_url``   utf8             of a revisit: the file, or all if it has no status, is what this URL had
/// ``same_as_time``  timestamp        at this time
/// ``file``          utf8             the path, or ``name``
/// ``offset``        int64            the byte where the record stands, or its compressed member
/// ``damage``        utf8             what is damaged there; only ``file`` and ``offset`` are set beside
/// ================  ===============  =================================================================
///
/// Batches are of about ``max_batch_bytes``. A thread reads ahead of the iterator by one batch; with
/// ``threads`` above 1, others decompress.
///
/// >>> from robotsieve._robotsieve import WarcCaptures
/// >>> head = "HTTP/1.1 404 Not Found\r\n\r\n"
/// >>> record = (
/// ...     "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-10T12:00:00Z\r\n"
/// ...     "WARC-Target-URI: https://example.com/robots.txt\r\n"
/// ...     f"Content-Type: application/http\r\nContent-Length: {len(head)}\r\n\r\n{head}\r\n\r\n"
/// ... )
/// >>> [len(batch) for batch in WarcCaptures(record.encode(), "example.warc")]
/// [1]
///
/// Raises :class:`OSError` if the file can't be opened, or not be read to its end. What is damaged is a row.
#[pyclass(frozen, module = "robotsieve._robotsieve")]
pub struct WarcCaptures {
    name: PathBuf,
    /// `None` after the end.
    batches: Mutex<Option<Receiver<Message>>>,
    /// The process that made it. A forked one has no thread that reads.
    process: u32,
}

impl Drop for WarcCaptures {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // The thread may have held the channel's lock when its process was forked.
            let batches = self.batches.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(batches.take());
        }
    }
}

/// The largest batch: the offsets of its bodies have 32 bits, and one more body must fit.
const MAX_BATCH_BYTES: usize = 1 << 30;

#[pymethods]
impl WarcCaptures {
    #[new]
    #[pyo3(signature = (source, name = None, *, max_batch_bytes = 8388608, threads = 1))]
    fn new(
        source: &Bound<'_, PyAny>,
        name: Option<PathBuf>,
        max_batch_bytes: usize,
        threads: Option<isize>,
    ) -> PyResult<WarcCaptures> {
        let py = source.py();
        let threads = threads_of(threads)?;
        if !(1..=MAX_BATCH_BYTES).contains(&max_batch_bytes) {
            return Err(PyValueError::new_err("max_batch_bytes must be from 1 to 2 ** 30"));
        }
        let is_path = source.is_instance_of::<PyString>() || source.hasattr("__fspath__")?;
        let bytes = if is_path { None } else { Some(held(source)?) };
        let (name, opened) = match bytes {
            Some(bytes) => {
                let name = name.unwrap_or_else(|| "bytes".into());
                let opened = WarcInput::memory(&name, bytes);
                (name, opened)
            }
            None => {
                let path: PathBuf = source.extract()?;
                let opened = py.detach(|| WarcInput::open(&path));
                (name.unwrap_or(path), opened)
            }
        };
        let source = opened.map_err(|error| of_path(&name, &error))?.with_name(&name);
        // Each batch is taken before the next is complete.
        let (sender, receiver) = sync_channel(0);
        let work = move || read(source, threads, max_batch_bytes, &sender);
        thread::Builder::new().name("robotsieve WARC".into()).spawn(work)?;
        let batches = Mutex::new(Some(receiver));
        Ok(WarcCaptures { name, batches, process: std::process::id() })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<CaptureBatch>> {
        if self.process != std::process::id() {
            return Err(PyValueError::new_err("the iterator belongs to the process that made it"));
        }
        loop {
            // Locked without the interpreter, for which another thread that waits here may wait.
            let next = py.detach(|| {
                let mut batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(receiver) = &*batches else { return Some(Ok(Message::End)) };
                match receiver.recv_timeout(BETWEEN_LOOKS) {
                    Ok(message @ Message::Batch(_)) => Some(Ok(message)),
                    Err(RecvTimeoutError::Timeout) => None,
                    last => {
                        *batches = None;
                        Some(last)
                    }
                }
            });
            match next {
                Some(Ok(Message::Batch(columns))) => return Ok(Some(CaptureBatch { columns })),
                Some(Ok(Message::End)) => return Ok(None),
                Some(Ok(Message::Unreadable(Unreadable { cause, .. }))) => {
                    return Err(of_path(&self.name, &cause));
                }
                Some(Err(_)) => {
                    return Err(PyRuntimeError::new_err(format!(
                        "{}: {Panicked}; the rest of the file is missing",
                        self.name.display()
                    )));
                }
                None => py.check_signals()?,
            }
        }
    }
}

/// The bytes of a buffer, copied unless they are `bytes`.
fn held(source: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    if let Ok(bytes) = source.cast_exact::<PyBytes>() {
        return Ok(bytes.clone().into());
    }
    let Ok(view) = PyMemoryView::from(source) else {
        return Err(PyTypeError::new_err(format!(
            "source must be a path, bytes or a buffer, not {}",
            type_name(source)
        )));
    };
    Ok(view.call_method0("tobytes")?.cast_into::<PyBytes>()?.into())
}

/// Some captures, as an Arrow struct array: ``pyarrow.record_batch(batch)`` takes it.
#[pyclass(frozen, module = "robotsieve._robotsieve")]
pub struct CaptureBatch {
    columns: StructArray,
}

#[pymethods]
impl CaptureBatch {
    fn __len__(&self) -> usize {
        self.columns.len()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export::schema(py, self.columns.data_type().clone())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        export::array(py, &self.columns)
    }
}

/// The key by which captures belong together, and whether it is that of an origin, whose robots.txt
/// the URL names; ``None`` if the URL has no origin.
///
/// >>> from robotsieve._robotsieve import capture_key
/// >>> capture_key("HTTPS://Example.com:443/robots.txt"), capture_key("https://example.com/en/robots.txt")
/// (('https://example.com', True), ('https://example.com/en/robots.txt', False))
#[pyfunction]
pub fn capture_key(url: &str) -> Option<(String, bool)> {
    Key::of(url).map(parts_of)
}

fn parts_of(key: Key) -> (String, bool) {
    (key.as_str().to_owned(), matches!(key, Key::Origin(_)))
}

/// The same for the URL in a row that a user made, as ``robotsieve pack`` reads lines of JSON: a URL
/// without a path names the site, not its home page.
///
/// >>> from robotsieve._robotsieve import capture_key, row_key
/// >>> row_key("https://example.com"), capture_key("https://example.com")
/// (('https://example.com', True), ('https://example.com/', False))
#[pyfunction]
pub fn row_key(url: &str) -> Option<(String, bool)> {
    CaptureFields::key(url).map(parts_of)
}

/// The name of a shard's file in the folder of a pack.
///
/// >>> from robotsieve._robotsieve import shard_name
/// >>> shard_name(3, 64)
/// 'shard-0003-of-0064.pack'
#[pyfunction]
pub fn shard_name(shard: u32, shards: u32) -> String {
    robotsieve::pack::shard_name(shard, shards)
}

/// The number, or the key of a redirect's target, that belongs to what a capture says.
#[derive(IntoPyObject)]
pub enum Detail {
    Number(u32),
    Target(String),
}

type SaidOfRow = (&'static str, Option<Detail>);

/// What the row of a capture says, as ``robotsieve pack`` takes it:
///
/// ==============  ==========================================
/// ``file``        a file, and its lifetime or ``None``
/// ``unchanged``   the file before it is unchanged (304); the same
/// ``status``      another status, and which
/// ``redirect``    a redirect, and the key of its target
/// ``no-target``   a redirect that leads nowhere
/// ``failed``      no answer
/// ``nothing``     nothing about the site (511, 412)
/// ==============  ==========================================
///
/// ``time`` is in seconds since 1970. ``error`` counts if there is no ``status``. Raises :class:`ValueError`
/// if no capture can say this.
///
/// >>> from robotsieve._robotsieve import said_of
/// >>> said_of("https://example.com/robots.txt", 301, location="http://www.example.com/robots.txt")
/// ('redirect', 'http://www.example.com')
/// >>> said_of("https://example.com/robots.txt", 200, lifetime=3600)
/// ('file', 3600)
#[pyfunction]
#[pyo3(signature = (url, status, location = None, lifetime = None, error = None, *, time = None, has_body = true))]
pub fn said_of(
    url: &str,
    status: Option<i64>,
    location: Option<&str>,
    lifetime: Option<i64>,
    error: Option<&str>,
    time: Option<i64>,
    has_body: bool,
) -> PyResult<SaidOfRow> {
    says(url, status, location, lifetime, error, time, has_body).map_err(PyValueError::new_err)
}

fn says(
    url: &str,
    status: Option<i64>,
    location: Option<&str>,
    lifetime: Option<i64>,
    error: Option<&str>,
    time: Option<i64>,
    has_body: bool,
) -> Result<SaidOfRow, String> {
    let expected = CaptureFields::STATUS;
    let status = match status {
        Some(status) => Some(
            u16::try_from(status)
                .map_err(|_| format!("'status' is {status}; {expected} is expected"))?,
        ),
        None if error.is_some() => None,
        None => return Err(format!("'status' is no number; {expected} is expected")),
    };
    if let Some(status) = status.filter(|status| has_file(*status))
        && !has_body
    {
        return Err(format!("'status' is {status}, but it has no 'body'"));
    }
    let at = match time {
        Some(time) => Some(u64::try_from(time).map_err(|_| "'time' is before 1970")?),
        None => None,
    };
    let lifetime = match lifetime {
        Some(lifetime @ 0..) => Some(u32::try_from(lifetime).unwrap_or(u32::MAX)),
        Some(lifetime) => {
            return Err(format!("'lifetime' is {lifetime}; seconds from 0 on are expected"));
        }
        None => None,
    };
    // Without an answer, URL and time are still looked at.
    let of_status = status.unwrap_or(404);
    let fields = CaptureFields { url, status: of_status, body: Vec::new(), at, location };
    let place = RecordPlace { file: NOWHERE.clone(), at: At::Whole };
    let capture = fields.capture(place)?;
    if status.is_none() {
        let is_no_target = error.is_some_and(is_of_a_redirect);
        return Ok((if is_no_target { "no-target" } else { "failed" }, None));
    }
    Ok(match capture.answer.says::<()>(capture.time()) {
        None => ("nothing", None),
        Some(Says::Redirect(key)) => ("redirect", Some(Detail::Target(key.into()))),
        Some(Says::Same(_)) => unreachable!("columns make no revisits"),
        Some(Says::Answer(said, _)) => {
            let (word, number) = words_of(said);
            // The lifetime was read from headers that the row does not have.
            let is_copy = matches!(said, Said::File(_) | Said::Unchanged(_));
            (word, if is_copy { lifetime } else { number }.map(Detail::Number))
        }
    })
}

static NOWHERE: LazyLock<Arc<std::path::Path>> = LazyLock::new(|| PathBuf::new().into());

/// Returns true if the text of a failure is one of those that [`Said::of`] takes for redirects to nowhere.
fn is_of_a_redirect(error: &str) -> bool {
    let bad = Failure::BadRedirect(String::new()).to_string();
    error.starts_with(&bad)
        || [Failure::RedirectLoop, Failure::TooManyRedirects]
            .iter()
            .any(|failure| failure.to_string() == error)
}

/// Where a request has got to: the key at which it goes on, the number of redirects so far, and the time
/// of the capture that is meant if it is only that one; then, if it has ended at a capture, what that
/// says, and its number; if it goes on, what a revisit says itself that leads there.
type Followed = (Option<String>, u8, Option<u64>, Option<&'static str>, Option<u32>, Option<usize>);

/// The captures of a URL, by its key, as the targets of redirects and revisits.
///
/// >>> from robotsieve._robotsieve import CapturesOf
/// >>> captures = CapturesOf("https://www.example.com")
/// >>> captures.push(1_770_076_800, "file")
/// >>> captures.push(1_780_444_800, "status", 404)
/// >>> captures.follow("https://www.example.com", 1_769_904_000, 1)
/// (None, 1, None, 'file', None, 0)
#[pyclass(module = "robotsieve._robotsieve")]
pub struct CapturesOf {
    captures: robotsieve_captures::CapturesOf<String, usize>,
    last: u64,
    count: usize,
}

#[pymethods]
impl CapturesOf {
    #[new]
    fn new(key: String) -> CapturesOf {
        let captures = robotsieve_captures::CapturesOf::new(key);
        CapturesOf { captures, last: 0, count: 0 }
    }

    /// Adds a capture: its time in seconds, and what :func:`said_of` says, or ``same`` as the capture of
    /// the key ``target`` at the time ``exactly``, a revisit: ``own`` and ``number`` are what its own status
    /// and header say, if it has them. They come in the order of their times.
    #[pyo3(signature = (at, said, number = None, target = None, exactly = None, own = None))]
    fn push(
        &mut self,
        at: u64,
        said: &str,
        number: Option<u32>,
        target: Option<String>,
        exactly: Option<u64>,
        own: Option<&str>,
    ) -> PyResult<()> {
        if at < self.last {
            return Err(PyValueError::new_err("captures come in the order of their times"));
        }
        let says = match (said, target, exactly) {
            ("redirect", Some(to), _) => Says::Redirect(to),
            // What it repeats may be nowhere: then it is unknown.
            ("same", target, exactly) => {
                let place = target.zip(exactly);
                let place = place.map(|(key, at)| RepeatedAt { key, exactly: Some(Timestamp(at)) });
                let own = own.map(|own| of_words(own, number)).transpose();
                let own = own.map_err(PyValueError::new_err)?;
                let payload = PayloadClaim::Nothing;
                Says::Same(Repeats { own, places: [place, None, None], payload })
            }
            _ => {
                let said = of_words(said, number).map_err(PyValueError::new_err)?;
                Says::Answer(said, Some(self.count))
            }
        };
        self.captures.push(Timestamp(at), says, PayloadClaim::Nothing);
        (self.last, self.count) = (at, self.count + 1);
        Ok(())
    }

    /// Follows what a capture at the time ``at`` leads to: to ``target``, after so many redirects
    /// (``hops``), and there to the capture that is nearest in time, or that at the time ``exactly``. ``own``
    /// and ``number`` are what a revisit says itself that leads there: then only the file is the other's.
    #[pyo3(signature = (target, at, hops, exactly = None, own = None, number = None))]
    fn follow(
        &self,
        target: String,
        at: u64,
        hops: u8,
        exactly: Option<u64>,
        own: Option<&str>,
        number: Option<u32>,
    ) -> PyResult<Followed> {
        let exactly = exactly.map(Timestamp);
        let own =
            own.map(|own| of_words(own, number)).transpose().map_err(PyValueError::new_err)?;
        let revisit = own.map(|own| (String::new(), Some(own)));
        let lead = Lead { exactly, revisit, ..Lead::redirect(target, hops) };
        let led = match self.captures.answer(lead, Timestamp(at)) {
            Led::Nowhere(lead) => lead.missing(),
            led => led,
        };
        Ok(match led {
            Led::Answer(hops, said, number) => {
                let (word, detail) = words_of(said);
                (None, hops, None, Some(word), detail, number)
            }
            Led::Further(Lead { to, hops, exactly, revisit, .. }) => {
                let own = revisit.and_then(|(_, own)| own).map(words_of);
                let (word, detail) =
                    own.map_or((None, None), |(word, detail)| (Some(word), detail));
                (Some(to), hops, exactly.map(|at| at.0), word, detail, None)
            }
            Led::Nowhere(Lead { hops, .. }) => (None, hops, None, None, None, None),
            Led::Contradiction => (None, hops, None, None, None, None),
        })
    }
}

/// What the captures of one origin mean together: what holds (``rules``, ``allow-all``,
/// ``disallow-all`` or ``unknown``), the index of the event that it comes from, the time that a
/// pack keeps for it, and whether the site's robots.txt may say more; ``None`` if there is no event.
///
/// An event is its time in seconds, the number of redirects before it, and what :func:`said_of` says, but
/// for ``redirect`` and ``nothing``; ``None`` if its redirects lead to what is not known. ``as_of`` is a
/// time: later events are left out. ``None`` is the time of the newest event.
///
/// >>> from robotsieve._robotsieve import judge
/// >>> judge([(1_760_000_000, 0, "file", None), (1_760_086_400, 0, "status", 503)])
/// ('rules', 0, 1760000000, True)
#[pyfunction]
#[pyo3(signature = (events, profile = None, as_of = None))]
pub fn judge(
    events: Vec<(u64, u8, Option<String>, Option<u32>)>,
    profile: Option<&Bound<'_, PyAny>>,
    as_of: Option<u64>,
) -> PyResult<Option<(&'static str, usize, u64, bool)>> {
    let profile = profile_of(profile)?;
    let (mut history, mut versions) = (History::default(), Versions::default());
    for (place, (at, redirects, said, number)) in events.into_iter().enumerate() {
        let said = said.map(|said| of_words(&said, number)).transpose();
        let answer = said.map_err(PyValueError::new_err)?.map(|said| (redirects, said));
        history.push(Captured::at(Timestamp(at)), answer, place);
        versions.push(Timestamp(at), answer, place);
    }
    let as_of = as_of.map(Timestamp);
    let settled = history.settle(&Protocol::of(&profile), as_of.map_or(AsOf::Capture, AsOf::Time));
    Ok(settled.map(|settled| {
        let may_say_more = versions.may_say_more(&settled, Fit::Current, as_of);
        (settled.holds.as_str(), settled.of, settled.basis.captured.at.0, may_say_more)
    }))
}

/// What an answer was, in a word, and the lifetime or the status that belongs to it.
fn words_of(said: Said) -> (&'static str, Option<u32>) {
    match said {
        Said::File(lifetime) => ("file", lifetime),
        Said::Unchanged(lifetime) => ("unchanged", lifetime),
        Said::Status(status) => ("status", Some(status.into())),
        Said::NoTarget => ("no-target", None),
        Said::Failed => ("failed", None),
    }
}

fn of_words(said: &str, number: Option<u32>) -> Result<Said, String> {
    Ok(match (said, number) {
        ("file", lifetime) => Said::File(lifetime),
        ("unchanged", lifetime) => Said::Unchanged(lifetime),
        ("status", Some(status)) => {
            let status = u16::try_from(status).ok().filter(|status| (100..1000).contains(status));
            Said::Status(status.ok_or("the number of 'status' must be from 100 to 999")?)
        }
        ("status", None) => return Err("'status' needs a number".to_owned()),
        ("no-target", _) => Said::NoTarget,
        ("failed", _) => Said::Failed,
        (other, _) => {
            return Err(format!(
                "no event says {other:?}: 'file', 'unchanged', 'status', 'no-target' and 'failed' do"
            ));
        }
    })
}
