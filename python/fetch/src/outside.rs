//! Fetching by the caller's means: an asynchronous function in an event loop.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::internals::{
    BodyLimits, HARMLESS_HEADERS, Onlooker, check_undone, has_file, unasked, undone,
};
use robotsieve_client::network::{Chain, is_redirect};
use robotsieve_client::outcome::{Attempt, CachedCopy, Failure, LocalFault, LocalKind, Response};
use robotsieve_client::sieve::Fetch;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::Instant;

use crate::errors::{failure, local_fault};
use crate::inbox::Queue;

/// The time that an attempt may take beyond its own limit before its event loop counts as stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// The settings by which the caller's function is used.
#[derive(Clone)]
pub struct Settings {
    pub timeout: Duration,
    pub max_parallel: usize,
    pub max_body_bytes: usize,
    pub max_redirects: usize,
    pub redirect_ports: Arc<Vec<u16>>,
}

/// The event loop in which the caller's function runs.
pub type Home = Arc<Mutex<Option<Arc<Queue>>>>;

/// Fetches by asking an event loop.
pub struct Outside {
    settings: Settings,
    home: Home,
    places: Semaphore,
    judge: Onlooker,
}

impl Outside {
    pub fn new(settings: Settings, home: Home) -> Outside {
        let places = Semaphore::new(settings.max_parallel);
        Outside { places, settings, home, judge: Onlooker::default() }
    }

    async fn attempt(&self, origin: &Origin<'_>, conditional: Option<&CachedCopy>) -> Attempt {
        let url = origin.robots_url();
        let ports = self.settings.redirect_ports.iter().copied();
        let chain = match Chain::of(&url, self.settings.max_redirects, ports) {
            Ok(chain) => chain,
            Err(failure) => return Attempt::new(Timestamp::now(), Err(failure)),
        };
        let conditional = conditional
            .map(|copy| (copy.final_url.clone().unwrap_or(chain.url().into()), copy.validators()));
        // The semaphore is never closed.
        let _place = self.places.acquire().await;
        let _in_flight = self.judge.enter();
        let (sender, receiver) = oneshot::channel();
        let asked = OpenAttempt { chain, conditional, sender };
        let max_body_bytes = self.settings.max_body_bytes;
        let reply = Reply { asked: Mutex::new(Some(asked)), max_body_bytes, url };
        let queue = self.home.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(queue) = queue {
            let make = move |py: Python<'_>| Ok(Py::new(py, reply)?.into_any());
            queue.push(&Handle::current(), 0, make);
        }
        let local = |kind, text: String| {
            Attempt::new(Timestamp::now(), Err(Failure::Local(LocalFault::new(kind, text))))
        };
        let began = Instant::now();
        match tokio::time::timeout(self.settings.timeout + PATIENCE, receiver).await {
            Ok(Ok((attempt, has_answered))) => {
                self.judge.judge(&origin.robots_url(), attempt, began, has_answered).await
            }
            Ok(Err(_)) => local(LocalKind::Other, "the event loop ended before the fetch".into()),
            Err(_) => {
                let seconds = (self.settings.timeout + PATIENCE).as_secs();
                local(
                    LocalKind::Suspended,
                    format!("the event loop has not answered for {seconds} s"),
                )
            }
        }
    }
}

impl Fetch for Outside {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        conditional: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        Box::pin(self.attempt(origin, conditional))
    }
}

/// An attempt that the event loop makes.
struct OpenAttempt {
    chain: Chain,
    /// The URL that the validators are for, and the validators.
    conditional: Option<(String, HeaderMap)>,
    /// The attempt, and whether the site's last word was an answer.
    sender: oneshot::Sender<(Attempt, bool)>,
}

impl OpenAttempt {
    /// The headers to send to the URL that is next.
    fn validators(&self) -> Option<&HeaderMap> {
        let (url, headers) = self.conditional.as_ref()?;
        (url == self.chain.url()).then_some(headers)
    }

    fn end(self, result: Result<Response, Failure>, has_answered: bool) {
        let attempt = Attempt::new(Timestamp::now(), result);
        let attempt = attempt.with_redirects(self.chain.into_redirects());
        // Nobody waits any more if the sieve was closed.
        let _ = self.sender.send((attempt, has_answered));
    }
}

/// The request of an attempt to the event loop, and the way back of its outcome. Dropping it ends
/// the attempt.
#[pyclass(frozen, module = "robotsieve.aio")]
pub struct Reply {
    asked: Mutex<Option<OpenAttempt>>,
    max_body_bytes: usize,
    /// The URL of the robots.txt.
    url: String,
}

impl Reply {
    fn asked(&self) -> MutexGuard<'_, Option<OpenAttempt>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, result: Result<Response, Failure>, has_answered: bool) {
        let asked = self.asked().take();
        if let Some(asked) = asked {
            asked.end(result, has_answered);
        }
    }
}

/// A header, with the bytes of its value.
type Header = (Vec<u8>, Vec<u8>);

/// Headers as they are needed. What is not a header is left out.
fn header_map(headers: Vec<Header>) -> HeaderMap {
    let valid = headers.into_iter().filter_map(|(name, value)| {
        Some((HeaderName::from_bytes(&name).ok()?, HeaderValue::from_bytes(&value).ok()?))
    });
    let mut map = HeaderMap::new();
    for (name, value) in valid {
        map.append(name, value);
    }
    map
}

/// A body as the caller's means hand it over.
struct Handed<'b> {
    bytes: &'b [u8],
    /// True if its encodings are still to be undone.
    is_encoded: bool,
    /// True if the rest was left out.
    is_truncated: bool,
}

impl Handed<'_> {
    /// The answer with this body, of at most `max_bytes`.
    fn response(
        &self,
        status: u16,
        headers: &HeaderMap,
        max_bytes: usize,
    ) -> Result<Response, Failure> {
        let Handed { bytes, is_encoded, is_truncated } = *self;
        if is_encoded {
            let limits = BodyLimits { wire_bytes: max_bytes, body_bytes: max_bytes };
            let (body, is_cut) = undone(headers, bytes, is_truncated, limits)?;
            let mut response = Response::new(status, body);
            response.is_truncated = is_cut;
            return Ok(response);
        }
        let is_cut = is_truncated || bytes.len() > max_bytes;
        check_undone(headers, bytes, is_truncated || bytes.len() >= max_bytes)?;
        let response = Response::new(status, bytes);
        Ok(if is_cut { response.cut(max_bytes) } else { response })
    }
}

#[pymethods]
impl Reply {
    /// The URL of the robots.txt.
    #[getter]
    fn robots_url(&self) -> &str {
        &self.url
    }

    /// The URL to request now, ``None`` if the attempt has ended.
    #[getter]
    fn url(&self) -> Option<String> {
        self.asked().as_ref().map(|asked| asked.chain.url().to_owned())
    }

    /// The names of the headers that may be sent where ``is_elsewhere``, beside ``User-Agent``.
    #[classattr]
    const HARMLESS: [&'static str; HARMLESS_HEADERS.len()] = HARMLESS_HEADERS;

    /// True if the body of an answer with this status is the file.
    #[staticmethod]
    fn has_file(status: u16) -> bool {
        has_file(status)
    }

    /// True if an answer with this status leads elsewhere.
    #[staticmethod]
    fn is_redirect(status: u16) -> bool {
        is_redirect(status)
    }

    /// True if a fault of our own network could have caused such a failure as well.
    #[staticmethod]
    fn is_ambiguous(kind: &str, text: &str) -> bool {
        failure(kind, text).is_ambiguous()
    }

    /// True if redirects have left the site's host and port: its credentials must not be sent to ``url``.
    #[getter]
    fn is_elsewhere(&self) -> bool {
        self.asked().as_ref().is_some_and(|asked| asked.chain.is_elsewhere())
    }

    #[getter]
    fn max_body_bytes(&self) -> usize {
        self.max_body_bytes
    }

    /// The headers that make the request of ``url`` conditional.
    #[getter]
    fn validators<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        let asked = self.asked();
        let Some(headers) = asked.as_ref().and_then(OpenAttempt::validators) else {
            return Vec::new();
        };
        let pair = |(name, value): (&HeaderName, &HeaderValue)| {
            (name.as_str().to_owned(), PyBytes::new(py, value.as_bytes()))
        };
        headers.iter().map(pair).collect()
    }

    /// Takes an answer. True if it is a redirect to follow: ``url`` is then its target. ``is_encoded``
    /// says that the content encodings of the body are still to be undone.
    #[pyo3(signature = (status, headers, body, is_truncated = false, is_encoded = false))]
    fn answer(
        &self,
        status: u16,
        headers: Vec<Header>,
        body: &Bound<'_, PyBytes>,
        is_truncated: bool,
        is_encoded: bool,
    ) -> bool {
        let headers = header_map(headers);
        if is_redirect(status) {
            let followed = match self.asked().as_mut() {
                Some(asked) => asked.chain.follow(status, &headers),
                None => return false,
            };
            return match followed {
                Ok(()) => true,
                Err(failure) => {
                    self.end(Err(failure), true);
                    false
                }
            };
        }
        // A proxy answers so, and no site.
        if status == 407 {
            self.fail(
                "proxy",
                "it asks for a user and a password, or refuses those given (407)",
                true,
            );
            return false;
        }
        if status == 304 && self.asked().as_ref().is_some_and(|a| a.validators().is_none()) {
            self.end(Err(unasked()), true);
            return false;
        }
        let result = match has_file(status) {
            true => Handed { bytes: body.as_bytes(), is_encoded, is_truncated }.response(
                status,
                &headers,
                self.max_body_bytes,
            ),
            false => Ok(Response::new(status, Vec::new())),
        };
        let result = result.map(|mut response| {
            response.headers = headers;
            response
        });
        self.end(result, true);
        false
    }

    /// The attempt failed. ``kind`` is one of a ``FetchError`` or of a ``LocalFault``.
    fn fail(&self, kind: &str, text: &str, is_local: bool) {
        let failure = match is_local {
            true => Failure::Local(local_fault(kind, text)),
            false => failure(kind, text),
        };
        self.end(Err(failure), false);
    }
}
