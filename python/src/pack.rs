//! The policies of many origins in a file.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple, PyType};
use robotsieve::pack::{FileError, PackError, PackedPolicy, ShardsError, Site, Writer};
use robotsieve::{Answer, CrawlerId, Policy, SiteKind};
use robotsieve_client::pack_files::{self, FilesCause, FilesError, Lock};
use tempfile::{NamedTempFile, TempPath};

use crate::bulk::{self, Crawlers, Policies, ids_of, place_of};
use crate::crawler::{Crawler, crawlers_of};
use crate::crawlers;
use crate::decision::Decision;
use crate::decisions::{Decide, Said};
use crate::errors::{of_path, pack_error};
use crate::file::body_of;
use crate::origin::{Origin, origin_of};
use crate::pace::RequestRate;
use crate::settings::{Config, config_of, profile_of};
use crate::sites::given;
use crate::text::{Text, kept_bytes_of, repr};

/// The policies of many origins in a file that is used in place: it is mapped, not loaded, and all
/// processes that open it share its memory. Made by :class:`PackWriter` or by ``robotsieve pack``.
///
/// ``Pack.open(path)`` opens a file, a folder of shards, or the files of a pack in several. ``Pack(bytes)`` takes the bytes
/// of one. It is pickled as its paths, made absolute, or as its bytes.
///
/// >>> import os, tempfile
/// >>> from robotsieve import Pack, PackWriter
/// >>> path = os.path.join(tempfile.mkdtemp(), "sites.pack")
/// >>> with PackWriter(path, ["MyCrawler"]) as writer:
/// ...     writer.add("https://example.com", "User-agent: *\nDisallow: /search")
/// >>> pack = Pack.open(path)
/// >>> list(pack.verdicts(["https://example.com/search", "https://example.org/"]))
/// [False, None]
///
/// No program may change or cut the file while it is open. Replace it by renaming another one to its
/// name, as the writer does, or update it with ``robotsieve pack update``, which writes only behind its
/// end. The pack stays as it was when it was opened; what an update has not completed is left out.
#[pyclass(frozen, extends = Policies, module = "robotsieve")]
pub struct Pack {
    pack: robotsieve::pack::Pack<'static>,
    /// Empty if it was made of bytes.
    paths: Vec<PathBuf>,
    crawlers: Vec<robotsieve::Crawler>,
    labels: Vec<String>,
}

impl Pack {
    fn new_of(pack: robotsieve::pack::Pack<'static>, paths: Vec<PathBuf>) -> PyResult<Pack> {
        let crawlers = pack.crawlers().to_vec();
        let labels = crawlers::distinct_labels(&crawlers)?;
        Ok(Pack { pack, paths, crawlers, labels })
    }

    /// Asks what there is about an origin, if anything.
    fn with_site<T>(
        &self,
        origin: &robotsieve::Origin<'_>,
        ask: impl FnOnce(Site<'_>) -> Result<T, PackError>,
    ) -> PyResult<Option<T>> {
        let site = || self.pack.get(origin)?.map(ask).transpose();
        site().map_err(|error| pack_error(&error))
    }

    /// Asks the policy of a crawler for an origin, if there is one.
    fn with_policy<T>(
        &self,
        origin: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
        ask: impl FnOnce(PackedPolicy<'_>) -> Result<T, PackError>,
    ) -> PyResult<Option<T>> {
        let place = place_of(&self.labels, &self.crawlers, crawler)?;
        let origin = origin_of(origin)?;
        Ok(self
            .with_site(&origin, |site| site.policy(CrawlerId::at(place))?.map(ask).transpose())?
            .flatten())
    }
}

/// The policies of a site for the crawlers that are asked about. `None` if nothing is known of it.
type SitePolicies<'p> = Option<(Vec<PolicyOf<'p>>, SiteKind)>;

enum PolicyOf<'p> {
    WithRules(Policy),
    Bare(PackedPolicy<'p>),
}

impl Pack {
    fn policies_of(
        &self,
        origin: &robotsieve::Origin<'_>,
        places: &[usize],
    ) -> Result<SitePolicies<'_>, PackError> {
        let Some(site) = self.pack.get(origin)? else { return Ok(None) };
        let mut policies = Vec::with_capacity(places.len());
        for place in places {
            let Some(policy) = site.policy(CrawlerId::at(*place))? else { return Ok(None) };
            policies.push(match policy.with_rules()? {
                Some(policy) => PolicyOf::WithRules(policy),
                None => PolicyOf::Bare(policy),
            });
        }
        Ok(Some((policies, site.kind())))
    }
}

impl Decide for Pack {
    // It keeps only as many policies in memory as are worth it.
    fn rules_stay(&self) -> bool {
        false
    }

    fn decide(
        &self,
        urls: &[&[u8]],
        places: &[usize],
        say: &mut dyn FnMut(usize, usize, Said<'_>),
    ) -> Result<(), PackError> {
        // All of them, so that the rules stay where they are. URLs are often ordered by host.
        let mut sites: Vec<(robotsieve::Origin<'_>, SitePolicies<'_>)> = Vec::new();
        let mut first = Ok(());
        for (number, url) in urls.iter().enumerate() {
            let Ok(origin) = robotsieve::Origin::of(*url) else {
                (0..places.len()).for_each(|column| say(number, column, Said::Invalid));
                continue;
            };
            if sites.last().is_none_or(|(last, _)| *last != origin) {
                let policies = self.policies_of(&origin, places).unwrap_or_else(|error| {
                    if first.is_ok() {
                        first = Err(error);
                    }
                    None
                });
                sites.push((origin, policies));
            }
            let Some((_, Some((policies, kind)))) = sites.last() else {
                (0..places.len()).for_each(|column| say(number, column, Said::Unknown));
                continue;
            };
            for (column, policy) in policies.iter().enumerate() {
                let decision = match policy {
                    PolicyOf::WithRules(policy) => policy.decide(url),
                    PolicyOf::Bare(policy) => policy.decide(url),
                };
                let decided = |decision| Said::Decided(decision, *kind);
                say(number, column, decision.map_or(Said::Invalid, decided));
            }
        }
        first
    }
}

impl Crawlers for Pack {
    fn of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a dyn Crawlers> {
        Ok(object.cast::<Pack>()?.get())
    }

    fn labels(&self) -> &[String] {
        &self.labels
    }

    fn crawlers(&self) -> &[robotsieve::Crawler] {
        &self.crawlers
    }

    fn profile_shown(&self) -> String {
        self.pack.profile_name().to_owned()
    }

    fn answers(
        &self,
        urls: &[&[u8]],
        places: &[usize],
        answers: &mut [Answer],
    ) -> Result<(), PackError> {
        self.pack.answers_into(urls, &ids_of(places), answers)
    }
}

impl<'py> IntoPyObject<'py> for Pack {
    type Target = Pack;
    type Output = Bound<'py, Pack>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, Pack>> {
        Bound::new(py, Policies::under(self))
    }
}

#[pymethods]
impl Pack {
    #[new]
    fn new(bytes: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Pack>> {
        if bytes.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "bytes must be the bytes of a pack; Pack.open(path) opens a file",
            ));
        }
        let bytes = kept_bytes_of(bytes, "bytes")?;
        let pack = robotsieve::pack::Pack::open_shards([bytes]);
        let pack = pack.map_err(|FileError { error, .. }| pack_error(&error))?;
        Pack::new_of(pack, Vec::new()).map(Policies::under)
    }

    /// Opens a file, a folder of shards, which are named as in ``shard-0003-of-0064.pack``, or several
    /// files that are one pack. Raises :class:`OSError` if one can't be read, and :class:`PackError` if it
    /// is no pack, or if a shard is missing.
    #[classmethod]
    fn open(_: &Bound<'_, PyType>, path: &Bound<'_, PyAny>) -> PyResult<Pack> {
        let is_many = path.is_instance_of::<PyList>() || path.is_instance_of::<PyTuple>();
        let opened = if is_many {
            let paths: Vec<PathBuf> = path.extract()?;
            if paths.is_empty() {
                return Err(PyValueError::new_err("no paths"));
            }
            let paths = paths.iter().map(std::path::absolute).collect::<io::Result<Vec<_>>>()?;
            pack_files::open_all(&paths)
        } else {
            pack_files::open(&std::path::absolute(path.extract::<PathBuf>()?)?)
        };
        let (pack, files) = opened.map_err(unusable)?;
        Pack::new_of(pack, files.into_iter().map(|file| file.path).collect())
    }

    /// True if the crawler may fetch this URL; ``None`` if nothing is known of its origin.
    ///
    /// ``crawler`` is one of the pack's crawlers, and may be left out if there is one.
    /// Raises :class:`InvalidUrl` for what is not a URL of http, https or ftp.
    #[pyo3(signature = (url, /, crawler = None))]
    fn is_allowed(
        &self,
        url: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<bool>> {
        bulk::is_allowed(self, url, crawler)
    }

    /// The verdict on a URL with the reason for it, as far as the pack keeps rules; ``None`` if nothing
    /// is known of its origin.
    #[pyo3(signature = (url, /, crawler = None))]
    fn decide(
        &self,
        url: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Decision>> {
        bulk::decide(self, url, crawler)
    }

    /// The crawl delay in seconds that an origin asks for; ``None`` if there is none.
    #[pyo3(signature = (origin, crawler = None))]
    fn crawl_delay(
        &self,
        origin: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<f64>> {
        let delay = self.with_policy(origin, crawler, |policy| Ok(policy.crawl_delay()))?;
        Ok(delay.flatten().map(|delay| delay.as_secs_f64()))
    }

    /// The request rate that an origin asks for; ``None`` if there is none.
    #[pyo3(signature = (origin, crawler = None))]
    fn request_rate(
        &self,
        origin: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<RequestRate>> {
        let rate = self.with_policy(origin, crawler, |policy| Ok(policy.request_rate()))?;
        Ok(rate.flatten().map(RequestRate::of))
    }

    /// The seconds to wait between the beginnings of two requests, by crawl delay and request rate;
    /// ``None`` if the origin asks for nothing or is not in the pack.
    #[pyo3(signature = (origin, crawler = None))]
    fn min_interval(
        &self,
        origin: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<f64>> {
        let time = self.with_policy(origin, crawler, |policy| Ok(policy.pace().min_interval()))?;
        Ok(time.flatten().map(|time| time.as_secs_f64()))
    }

    /// The sitemaps of an origin, if the pack keeps them.
    fn sitemaps(&self, origin: &Bound<'_, PyAny>) -> PyResult<Vec<Text>> {
        let origin = origin_of(origin)?;
        let sitemaps =
            self.with_site(&origin, |site| Ok(site.sitemaps()?.map(Text::from).collect()))?;
        Ok(sitemaps.unwrap_or_default())
    }

    /// What is known of an origin: ``rules``, ``allow-all``, ``disallow-all`` or ``unknown``; ``None`` if it is
    /// not in the pack.
    fn outcome(&self, origin: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
        let origin = origin_of(origin)?;
        self.with_site(&origin, |site| Ok(site.kind().as_str()))
    }

    /// When what is known of an origin was captured, in seconds since 1970; ``None`` if that is not known.
    fn captured(&self, origin: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        let origin = origin_of(origin)?;
        Ok(self.with_site(&origin, |site| Ok(site.captured()))?.flatten())
    }

    /// The origins, in no particular order.
    fn origins(&self) -> PyResult<Vec<Origin>> {
        let mut all = Vec::new();
        for site in self.pack.sites() {
            all.extend(site.map_err(|error| pack_error(&error))?.origins().map(Origin));
        }
        Ok(all)
    }

    /// Reads and checks everything. Raises :class:`PackError` for the first damage.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.pack.verify()).map_err(|error| pack_error(&error))
    }

    /// The crawlers that it has policies for.
    #[getter]
    fn crawlers(&self) -> Vec<Crawler> {
        self.crawlers.iter().cloned().map(Crawler).collect()
    }

    /// The name of the profile, ``custom`` if it has none.
    #[getter]
    fn profile_name(&self) -> String {
        self.pack.profile_name().to_owned()
    }

    /// The program that wrote it.
    #[getter]
    fn tool(&self) -> String {
        self.pack.tool().to_owned()
    }

    /// True if it can say which rule decided.
    #[getter]
    fn keeps_rules(&self) -> bool {
        self.pack.keeps_rules()
    }

    /// True if it has the sitemaps of each file.
    #[getter]
    fn keeps_sitemaps(&self) -> bool {
        self.pack.keeps_sitemaps()
    }

    /// The seed of its hashes.
    #[getter]
    fn seed(&self) -> u64 {
        self.pack.seed()
    }

    /// The paths that it was opened from, made absolute.
    #[getter]
    fn paths(&self) -> Vec<PathBuf> {
        self.paths.clone()
    }

    /// The number of origins it has.
    fn __len__(&self) -> PyResult<usize> {
        usize::try_from(self.pack.len())
            .map_err(|_| PyValueError::new_err("more origins than memory"))
    }

    /// True if the origin of a URL is in the pack.
    fn __contains__(&self, origin: &Bound<'_, PyAny>) -> PyResult<bool> {
        let origin = origin_of(origin)?;
        Ok(self.with_site(&origin, |_| Ok(()))?.is_some())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let place = match &self.paths[..] {
            [] => "bytes".to_owned(),
            [path] => repr(py, path.display().to_string())?,
            paths => format!("{} files", paths.len()),
        };
        let origins = self.pack.len();
        Ok(format!(
            "<robotsieve.Pack of {origins} origins for {}, {place}>",
            self.labels.join(", ")
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.get_type::<Pack>();
        if self.paths.is_empty() {
            let bytes = self.pack.files().next().unwrap_or_default();
            return (class, (PyBytes::new(py, bytes),)).into_bound_py_any(py);
        }
        let paths: Vec<OsString> = self.paths.iter().map(|path| path.clone().into()).collect();
        (class.getattr("open")?, (paths,)).into_bound_py_any(py)
    }
}

/// The exception for files that are not those of a pack.
fn unusable(FilesError { path, cause }: FilesError) -> PyErr {
    let way_out = match cause {
        FilesCause::Io(error) => return of_path(&path, &error),
        FilesCause::Shards(error @ ShardsError::OtherSet(_)) => {
            format!("{error}; move the files of all sets but one to other folders")
        }
        FilesCause::Shards(error @ ShardsError::Missing(_)) => {
            format!("{error}; all shards are needed")
        }
        FilesCause::Shards(error) => error.to_string(),
        FilesCause::Pack(error) => error.to_string(),
        _ => "the pack cannot be used".to_owned(),
    };
    crate::errors::PackError::new_err(format!("{}: {way_out}", path.display()))
}

/// Writes a pack.
///
/// Everything is written to a file beside ``path``, which takes its name when the pack is complete: at the
/// end of the ``with`` block, or by :meth:`close`. If the block ends by an exception, or if writing fails,
/// nothing changes. If ``path`` is a symbolic link, what it leads to is replaced; a file that is replaced
/// passes its permissions on; a device, pipe or folder is refused.
///
/// With ``shard=(index, count)`` it writes one of the files of a pack in several, which takes only the
/// origins for which ``Origin.shard(count)`` is ``index``. Named as in ``shard-0003-of-0064.pack`` and in one
/// folder, they are one pack for :meth:`Pack.open` and the command.
///
/// ``config`` says what is kept: by default rules, with which it is about twice as large and can say which
/// one decided, and no sitemaps.
#[pyclass(frozen, module = "robotsieve")]
pub struct PackWriter {
    state: Mutex<State>,
    path: PathBuf,
    /// Which shard it writes, and of how many.
    shard: (u32, u32),
    /// The process that made it. A copy in a forked process must not touch the file.
    process: u32,
}

impl Drop for PackWriter {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::replace(state, State::Closed));
        }
    }
}

enum State {
    Open(Box<Open>),
    Closed,
    /// Writing failed: what was written in part can't be completed.
    Failed,
}

/// The writer, and the file that is removed unless it gets its name.
struct Open {
    writer: Writer<'static, BufWriter<File>>,
    beside: TempPath,
}

/// A file beside `path`, readable to whom the file that it replaces is, or new files are.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut prefix = path.file_name().map_or_else(OsString::new, OsString::from);
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    let replaced = match path.metadata() {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok(found) => Some(found.permissions()),
        Err(_) => None,
    };
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = path.parent().unwrap_or(path);
    // Without the name of a file that the user never gave.
    folder.metadata()?;
    let file = builder.prefix(&prefix).suffix(".unfinished").tempfile_in(folder)?;
    if let Some(permissions) = replaced {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(file)
}

fn complete(open: Open, path: &Path) -> io::Result<()> {
    let file = open.writer.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    // An update that is under way would write to a file that is gone.
    let _lock = Lock::to_replace(path)?;
    open.beside.persist(path)?;
    Ok(())
}

impl State {
    fn refusal(&self) -> PyErr {
        PyValueError::new_err(match self {
            State::Failed => "the pack was given up, because writing it failed",
            _ => "the pack is closed",
        })
    }
}

impl PackWriter {
    fn check_process(&self) -> PyResult<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(PyValueError::new_err("the writer belongs to the process that made it"))
    }

    fn with<T>(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&mut Writer<'static, BufWriter<File>>) -> io::Result<T> + Send,
    ) -> PyResult<T>
    where
        T: Send,
    {
        self.check_process()?;
        py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let State::Open(open) = &mut *state else { return Err(state.refusal()) };
            write(&mut open.writer).map_err(|error| {
                *state = State::Failed;
                of_path(&self.path, &error)
            })
        })
    }
}

#[pymethods]
impl PackWriter {
    #[new]
    #[pyo3(signature = (path, crawlers, profile = None, config = None, *, seed = None, shard = None))]
    fn new(
        path: PathBuf,
        crawlers: &Bound<'_, PyAny>,
        profile: Option<&Bound<'_, PyAny>>,
        config: Option<&Bound<'_, Config>>,
        seed: Option<u64>,
        shard: Option<(u32, u32)>,
    ) -> PyResult<PackWriter> {
        let shard = shard.unwrap_or((0, 1));
        if shard.0 >= shard.1 {
            return Err(PyValueError::new_err(format!(
                "there is no shard {} of {}: they are numbered from 0 on",
                shard.0, shard.1
            )));
        }
        let profile = profile_of(profile)?;
        let crawlers = crawlers_of(crawlers, &profile)?;
        crawlers::distinct_labels(&crawlers)?;
        let path = std::path::absolute(path)?;
        // What a symbolic link leads to.
        let path = path.canonicalize().unwrap_or(path);
        let begin = || {
            let (file, beside) = beside(&path)?.into_parts();
            let file = BufWriter::with_capacity(1 << 20, file);
            let config = config_of(config);
            let writer = Writer::shard(file, &profile, crawlers, &config, shard.0, shard.1)?;
            let writer = match seed {
                Some(seed) => writer.with_seed(seed),
                None => writer,
            };
            Ok(Open { writer, beside })
        };
        let open = begin().map_err(|error| of_path(&path, &error))?;
        Ok(PackWriter {
            state: Mutex::new(State::Open(Box::new(open))),
            path,
            shard,
            process: std::process::id(),
        })
    }

    /// Adds an origin, given by any of its URLs, with its robots.txt. Of several for one origin, the last
    /// counts.
    ///
    /// ``captured`` is when it was fetched, in seconds since 1970. Instead of a body, ``outcome`` says what
    /// the site's answer means: ``"allow-all"`` if it has no robots.txt (404), ``"disallow-all"`` if all is
    /// forbidden (by RFC 9309, if the server can't be reached or fails with 5xx), ``"unknown"`` if nothing is
    /// known. ``docs/answers.md`` in the repository lists what each answer of a server means.
    #[pyo3(signature = (origin, body = None, *, outcome = None, captured = None))]
    fn add(
        &self,
        origin: &Bound<'_, PyAny>,
        body: Option<&Bound<'_, PyAny>>,
        outcome: Option<&str>,
        captured: Option<u64>,
    ) -> PyResult<()> {
        let py = origin.py();
        let origin = origin_of(origin)?;
        let (shard, shards) = self.shard;
        let right = origin.shard(shards);
        if right != shard {
            return Err(PyValueError::new_err(format!(
                "{origin} belongs to shard {right} of {shards}, and this is shard {shard}"
            )));
        }
        if captured.is_some_and(|seconds| u32::try_from(seconds).is_err()) {
            return Err(PyValueError::new_err(
                "captured must be in seconds since 1970, and before 2106",
            ));
        }
        let site = given(body, outcome)?;
        let kind = site.kind();
        let body = site.rules().map(|body| body_of(body, "body")).transpose()?.unwrap_or_default();
        self.with(py, |writer| {
            let site = kind.try_with(|| {
                let content = writer.recipe().content(&body);
                if let Some(known) = writer.known(content) {
                    return Ok(known);
                }
                let packed = robotsieve_rights::packed::pack(writer.recipe(), &body, false);
                writer.put(&packed)
            })?;
            writer.add(&origin, site, captured)
        })
    }

    /// The number of different files that were added.
    #[getter]
    fn file_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |writer| Ok(writer.file_count()))
    }

    /// Completes the pack.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.check_process()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let open = match std::mem::replace(&mut *state, State::Closed) {
            State::Open(open) => open,
            State::Closed => return Ok(()),
            State::Failed => {
                *state = State::Failed;
                return Err(state.refusal());
            }
        };
        drop(state);
        let path = &self.path;
        py.detach(|| complete(*open, path)).map_err(|error| of_path(path, &error))
    }

    /// Gives the pack up: nothing is written to its path.
    fn abandon(&self) -> PyResult<()> {
        self.check_process()?;
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Closed;
        Ok(())
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        if kind.is_none() {
            return self.close(py);
        }
        if self.process == std::process::id() { self.abandon() } else { Ok(()) }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<robotsieve.PackWriter to {}>", repr(py, self.path.display().to_string())?))
    }
}
