//! A sieve, and the runtime on which it makes its attempts.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    AsOf, Attempt, CachedCopy, Failure, LocalFault, LocalKind, Protocol,
};
use robotsieve_client::sieve::{self, Fetch, Override, Overrides, SieveBuilder, SieveError};
use robotsieve_client::store::Store;
use robotsieve_python_common::crawlers::distinct_labels;
use robotsieve_python_common::settings::{config_of_dict, from_dict, to_python};
use robotsieve_python_common::text::{Text, bytes_of, type_name};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::clock::{Clock, timestamp};
use crate::decision::{Crawlers, Decision, Site};
use crate::engine::{crawler_of_names, origin_of};
use crate::errors::{self, value_error};
use crate::fetcher::Fetcher;
use crate::inbox::Inbox;
use crate::outside::{Home, Outside, Settings};

/// The time that closing waits for the runtime's threads.
const ENDING: Duration = Duration::from_secs(10);

/// The native half of `robotsieve.aio.Sieve`.
#[pyclass(frozen, weakref, module = "robotsieve.aio")]
pub struct Core {
    /// `None` once it is closed: then nothing holds the store any more.
    sieve: RwLock<Option<sieve::Sieve>>,
    runtime: Mutex<Option<Runtime>>,
    handle: Handle,
    crawlers: Arc<Crawlers>,
    closing: watch::Sender<bool>,
    home: Home,
    /// The process that has the threads.
    process: u32,
}

/// A question that waits for an attempt.
#[pyclass(frozen, module = "robotsieve.aio")]
pub struct Task(AbortHandle);

#[pymethods]
impl Task {
    /// Nobody waits for the answer any more. The attempt goes on.
    fn abort(&self) {
        self.0.abort();
    }
}

/// A fetcher whose attempts end when the sieve is closed.
struct Closing<F> {
    fetcher: F,
    closing: watch::Receiver<bool>,
}

impl<F: Fetch> Fetch for Closing<F> {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        let mut closing = self.closing.clone();
        Box::pin(async move {
            tokio::select! {
                biased;
                // Also if the sieve is gone.
                _ = closing.wait_for(|closing| *closing) => {
                    let fault = LocalFault::new(LocalKind::Other, "the sieve was closed");
                    Attempt::new(Timestamp::now(), Err(Failure::Local(fault)))
                }
                attempt = self.fetcher.fetch(origin, conditional) => attempt,
            }
        })
    }
}

fn protocol_of(
    value: Option<&Bound<'_, PyAny>>,
    profile: &robotsieve::Profile,
) -> PyResult<Protocol> {
    let named = |name: &str| match name {
        "rfc9309" => Ok(Protocol::RFC9309),
        "google" => Ok(Protocol::GOOGLE),
        "google-classic" => Ok(Protocol::GOOGLE_CLASSIC),
        _ => Err(PyValueError::new_err(format!(
            "there is no protocol {name:?}; the protocols are rfc9309, google, google-classic"
        ))),
    };
    let Some(value) = value else { return Ok(Protocol::of(profile)) };
    if let Ok(name) = value.cast::<PyString>() {
        return named(&name.to_cow()?);
    }
    match value.cast::<PyDict>() {
        Ok(fields) => from_dict(&Protocol::of(profile), Some(fields), "protocol"),
        Err(_) => Err(PyTypeError::new_err(format!(
            "protocol must be a name or a dict of settings, not {}",
            type_name(value)
        ))),
    }
}

fn overrides_of(value: Option<&Bound<'_, PyDict>>) -> PyResult<Overrides> {
    let mut overrides = Overrides::new();
    for (site, answer) in value.into_iter().flatten() {
        let site = site.extract::<String>()?;
        let answer = match answer.cast::<PyString>().ok().map(|text| text.to_cow()).transpose()? {
            Some(word) if word == "allow" => Override::Allow,
            Some(word) if word == "disallow" => Override::Disallow,
            Some(_) => {
                return Err(PyValueError::new_err(format!(
                    "overrides: the answer of {site:?} must be 'allow', 'disallow', or the bytes of \
                     a robots.txt"
                )));
            }
            None => Override::Body(bytes_of(&answer, "the body of an override")?.into_owned()),
        };
        overrides
            .insert(&site, answer)
            .map_err(|error| PyValueError::new_err(format!("overrides: {site:?}: {error}")))?;
    }
    Ok(overrides)
}

impl Core {
    /// Does something with the sieve.
    #[inline]
    fn with<T>(&self, py: Python<'_>, with: impl FnOnce(&sieve::Sieve) -> T) -> PyResult<T> {
        let sieve = self.sieve.read().unwrap_or_else(PoisonError::into_inner);
        match &*sieve {
            Some(sieve) => Ok(with(sieve)),
            None => Err(errors::closed(py)),
        }
    }

    /// The sieve, for a task. Threads do not survive a fork.
    fn sieve(&self, py: Python<'_>) -> PyResult<sieve::Sieve> {
        if self.process != std::process::id() {
            return Err(errors::forked(py));
        }
        self.with(py, sieve::Sieve::clone)
    }

    /// Begins what may have to wait. The result comes at once if it is ready; otherwise a [`Task`]
    /// comes, and the result goes to the inbox.
    fn begin<'py, T: Send + 'static>(
        &self,
        inbox: &Bound<'py, Inbox>,
        number: u64,
        future: impl Future<Output = T> + Send + 'static,
        make: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = inbox.py();
        let mut future = Box::pin(future);
        let polled = py.detach(|| {
            let _within = self.handle.enter();
            future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        });
        if let Poll::Ready(value) = polled {
            return Ok(make(py, value)?.into_bound(py));
        }
        let queue = Arc::clone(&inbox.get().queue);
        let runtime = self.handle.clone();
        let task = self.handle.spawn(async move {
            let value = future.await;
            queue.push(&runtime, number, move |py| make(py, value));
        });
        Task(task.abort_handle()).into_bound_py_any(py)
    }

    /// Begins what reads or writes the store.
    fn begin_blocking<'py, T>(
        &self,
        inbox: &Bound<'py, Inbox>,
        number: u64,
        work: impl FnOnce() -> Result<T, robotsieve_client::store::StoreError> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>>
    where
        T: for<'p> IntoPyObjectExt<'p> + Send + 'static,
    {
        let work = self.handle.spawn_blocking(work);
        self.begin(inbox, number, work, |py, done| match done {
            Ok(Ok(value)) => value.into_py_any(py),
            Ok(Err(error)) => Err(errors::store(py, &error)),
            Err(_) => Err(errors::closed(py)),
        })
    }

    /// Ends the runtime, in a thread of its own, where that never panics, and lets go of the store.
    fn end(&self) {
        self.closing.send_replace(true);
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        let sieve = self.sieve.write().unwrap_or_else(PoisonError::into_inner).take();
        if self.process != std::process::id() {
            // Their threads are in another process.
            std::mem::forget((runtime, sieve));
            return;
        }
        drop(sieve);
        if let Some(runtime) = runtime {
            let end = move || runtime.shutdown_timeout(ENDING);
            if let Ok(ending) = thread::Builder::new().name("robotsieve-end".into()).spawn(end) {
                let _ = ending.join();
            }
        }
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // A thread of the runtime may be waiting for the interpreter.
        if Python::try_attach(|py| py.detach(|| self.end())).is_none() {
            self.end();
        }
    }
}

#[pymethods]
impl Core {
    #[new]
    #[pyo3(signature = (
        crawlers, *, profile, protocol, config, store, read_only, fetcher, outside, clock, as_of,
        overrides, max_bytes, slots, pause_after
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        crawlers: Vec<Vec<Text>>,
        profile: &Bound<'_, PyDict>,
        protocol: Option<&Bound<'_, PyAny>>,
        config: Option<&Bound<'_, PyDict>>,
        store: Option<PathBuf>,
        read_only: bool,
        fetcher: Option<&Bound<'_, Fetcher>>,
        outside: Option<(f64, usize, usize, usize, Vec<u16>)>,
        clock: Option<&Bound<'_, Clock>>,
        as_of: Option<&Bound<'_, PyAny>>,
        overrides: Option<&Bound<'_, PyDict>>,
        max_bytes: Option<u64>,
        slots: Option<usize>,
        pause_after: Option<u32>,
    ) -> PyResult<Core> {
        let profile = from_dict(&robotsieve::Profile::RFC9309, Some(profile), "profile")?;
        let all: Vec<_> = crawlers.iter().map(|names| crawler_of_names(names)).collect();
        let labels = distinct_labels(&all)?;
        let [first, others @ ..] = &all[..] else {
            return Err(PyValueError::new_err("there must be at least one crawler"));
        };
        let mut builder: SieveBuilder = sieve::Sieve::builder(first.clone())
            .profile(profile)
            .protocol(protocol_of(protocol, &profile)?)
            .config(config_of_dict(config)?)
            .overrides(overrides_of(overrides)?);
        for crawler in others {
            builder = builder.crawler(crawler.clone());
        }
        if let Some(max_bytes) = max_bytes {
            builder = builder.max_bytes(max_bytes);
        }
        if let Some(slots) = slots {
            builder = builder.slots(slots);
        }
        if let Some(faults) = pause_after {
            builder = builder.pause_after(faults);
        }
        if let Some(clock) = clock {
            builder = builder.clock(clock.get().reader());
        }
        if let Some(as_of) = as_of {
            builder = builder.as_of(match as_of.extract::<f64>() {
                Ok(seconds) => AsOf::Time(timestamp(seconds)?),
                Err(_) if as_of.eq("capture")? => AsOf::Capture,
                Err(_) => {
                    let text = "as_of must be a number of seconds since 1970, or 'capture'";
                    return Err(PyTypeError::new_err(text));
                }
            });
        }
        let (closing, is_closing) = watch::channel(false);
        let home = Home::default();
        if let Some(fetcher) = fetcher {
            let fetcher = fetcher.get().fetcher.clone();
            builder = builder.fetcher(Closing { fetcher, closing: is_closing });
        } else if let Some((timeout, max_parallel, max_body_bytes, max_redirects, ports)) = outside
        {
            let timeout = Duration::try_from_secs_f64(timeout).map_err(value_error)?;
            let redirect_ports = Arc::new(ports);
            let settings =
                Settings { timeout, max_parallel, max_body_bytes, max_redirects, redirect_ports };
            let fetcher = Outside::new(settings, Arc::clone(&home));
            builder = builder.fetcher(Closing { fetcher, closing: is_closing });
        }
        if let Some(path) = store {
            let opened = py.detach(|| match read_only {
                true => Store::open_read_only(&path),
                false => Store::open(&path),
            });
            builder = builder.store(opened.map_err(|error| errors::store(py, &error))?);
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("robotsieve")
            .enable_all()
            .build()?;
        Ok(Core {
            sieve: RwLock::new(Some(builder.build())),
            handle: runtime.handle().clone(),
            runtime: Mutex::new(Some(runtime)),
            crawlers: Arc::new(Crawlers { all, labels }),
            closing,
            home,
            process: std::process::id(),
        })
    }

    /// The event loop that fetches, unless there is one already.
    fn set_home(&self, inbox: &Bound<'_, Inbox>) {
        let mut home = self.home.lock().unwrap_or_else(PoisonError::into_inner);
        if home.as_ref().is_none_or(|home| home.is_closed()) {
            *home = Some(Arc::clone(&inbox.get().queue));
        }
    }

    /// The decision, if the site is in the table.
    fn try_decide(&self, url: &Bound<'_, PyAny>) -> PyResult<Option<Decision>> {
        let py = url.py();
        let bytes = bytes_of(url, "url")?;
        // The table neither waits nor reads the store: letting go of the interpreter would cost more.
        let decided = self.with(py, |sieve| {
            let decided = sieve.try_decide(bytes.as_ref());
            decided.map(|decision| {
                decision.map(|decision| (decision.verdict(), decision.site().clone()))
            })
        })?;
        let decided = decided.map_err(|error| errors::undecided(py, &error, &bytes))?;
        Ok(decided.map(|(verdict, site)| {
            Decision::new(verdict, url.clone().unbind(), site, Arc::clone(&self.crawlers))
        }))
    }

    fn decide<'py>(
        &self,
        inbox: &Bound<'py, Inbox>,
        number: u64,
        url: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let sieve = self.sieve(url.py())?;
        let bytes: Box<[u8]> = bytes_of(url, "url")?.into();
        let (url, crawlers) = (url.clone().unbind(), Arc::clone(&self.crawlers));
        let decide = async move {
            let decision = sieve.decide(bytes.as_ref()).await;
            // Not for longer than needed: nothing may hold the store when the sieve is closed.
            drop(sieve);
            match decision {
                Ok(decision) => Ok((decision.verdict(), decision.site().clone())),
                Err(error) => Err((error, bytes)),
            }
        };
        self.begin(inbox, number, decide, move |py, decided| match decided {
            Ok((verdict, site)) => Decision::new(verdict, url, site, crawlers).into_py_any(py),
            Err((error, bytes)) => Err(errors::undecided(py, &error, &bytes)),
        })
    }

    fn site<'py>(
        &self,
        inbox: &Bound<'py, Inbox>,
        number: u64,
        origin: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (sieve, origin) = (self.sieve(origin.py())?, origin_of(origin)?);
        let made = self.site_or_error(&origin);
        let find = async move { sieve.site(&origin).await };
        self.begin(inbox, number, find, made)
    }

    /// Fetches now.
    fn fetch<'py>(
        &self,
        inbox: &Bound<'py, Inbox>,
        number: u64,
        origin: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (sieve, origin) = (self.sieve(origin.py())?, origin_of(origin)?);
        let made = self.site_or_error(&origin);
        let fetch = async move {
            let fetched = sieve.fetch(&origin).await?;
            match fetched.stored.clone() {
                Ok(()) => Ok(fetched.site()),
                Err(error) => Err(SieveError::Store(error)),
            }
        };
        self.begin(inbox, number, fetch, made)
    }

    /// Ready when no attempt is running and all outcomes are stored.
    fn settled<'py>(&self, inbox: &Bound<'py, Inbox>, number: u64) -> PyResult<Bound<'py, PyAny>> {
        let sieve = self.sieve(inbox.py())?;
        let settled = async move { sieve.settled().await };
        self.begin(inbox, number, settled, |py, ()| Ok(py.None()))
    }

    fn site_answered<'py>(
        &self,
        inbox: &Bound<'py, Inbox>,
        number: u64,
        origin: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (sieve, origin) = (self.sieve(origin.py())?, origin_of(origin)?);
        self.begin_blocking(inbox, number, move || sieve.site_answered(&origin))
    }

    fn errors_mean_absent<'py>(
        &self,
        inbox: &Bound<'py, Inbox>,
        number: u64,
        origin: &Bound<'py, PyAny>,
        does: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (sieve, origin) = (self.sieve(origin.py())?, origin_of(origin)?);
        self.begin_blocking(inbox, number, move || sieve.errors_mean_absent(&origin, does))
    }

    fn is_due(&self, origin: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, origin) = (origin.py(), origin_of(origin)?);
        self.with(py, |sieve| sieve.is_due(&origin))?.map_err(|error| errors::store(py, &error))
    }

    #[getter]
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let metrics = self.with(py, sieve::Sieve::metrics)?;
        to_python(py, &serde_json::to_string(&metrics).map_err(value_error)?)
    }

    fn prometheus(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |sieve| sieve.metrics().to_prometheus())
    }

    #[getter]
    fn running_attempts(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, sieve::Sieve::running_attempts)
    }

    #[getter]
    fn is_paused(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, sieve::Sieve::is_paused)
    }

    /// Ends all attempts that are fetching. Those with an outcome go on to store it.
    fn end_fetches(&self) {
        self.closing.send_replace(true);
    }

    /// Ends everything at once.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.end());
    }
}

impl Core {
    /// Makes a Python site of a result.
    fn site_or_error(
        &self,
        origin: &Origin<'_>,
    ) -> impl FnOnce(Python<'_>, Result<sieve::Site, SieveError>) -> PyResult<Py<PyAny>> + Send + use<>
    {
        let crawlers = Arc::clone(&self.crawlers);
        let key: Box<[u8]> = origin.key().as_bytes().into();
        move |py, found| match found {
            Ok(site) => Site::of(&site, &crawlers).into_py_any(py),
            Err(error) => Err(errors::undecided(py, &error, &key)),
        }
    }
}
