//! The settings of our own fetcher.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use robotsieve_client::fetch;
use robotsieve_client::network::IpNetwork;
use robotsieve_python_common::text::{bytes_of, repr};

use crate::errors::invalid_fetcher;

/// Fetches robots.txt files over HTTP, HTTPS and FTP, without the interpreter.
///
/// ``user_agent`` is sent with each request: the crawler's name, and where to read about it. Times are
/// in seconds. An attempt follows ``max_redirects`` redirects, to the ports ``redirect_ports`` and the
/// site's own; keeps ``max_body_bytes`` of a body; and ends after ``connect_timeout``,
/// ``read_timeout`` (for each part) or ``total_timeout``. ``max_parallel`` attempts run at a time,
/// ``max_per_host`` and ``max_per_address`` of them to the same host and IP address (``None``: no
/// limit), whose requests begin ``request_delay`` apart. ``retries`` are made after what may pass,
/// the first after ``retry_wait``. A pause that a site asks for is kept up to ``max_retry_after``.
///
/// ``headers`` are sent to all sites, but no redirect carries them to another host or port, or from
/// https to http, except ``From``, ``Accept`` and the like. Credentials go into ``headers_for``, by
/// host (``e.com`` or ``e.com:8080``): ``{"e.com": {"Authorization": "Basic …"}}``.
///
/// Private addresses are refused at every hop unless ``allow_private`` or one of ``allow_networks``
/// permits them; those of ``deny_networks`` always are. ``proxy`` is an ``http://``, ``https://``,
/// ``socks5://`` or ``socks5h://`` URL. ``trust_pem`` adds certificate authorities to the system's.
/// ``canaries`` are addresses and ports, such as ``192.0.2.1:443``, that accept connections as long as
/// the network here works: a site that fails before any other has answered is judged only if one of
/// them does. Otherwise it is a :class:`LocalFault` of the kind ``unconfirmed``.
///
/// >>> from robotsieve.aio import Fetcher
/// >>> Fetcher("MyCrawler/1.0 (+https://example.com/bot)", max_per_host=1)
/// Fetcher('MyCrawler/1.0 (+https://example.com/bot)')
#[pyclass(frozen, module = "robotsieve.aio")]
pub struct Fetcher {
    pub fetcher: fetch::Fetcher,
    user_agent: String,
}

fn duration(name: &str, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        PyValueError::new_err(format!("{name} must be a number of seconds, from 0 on"))
    })
}

/// Values from their texts.
fn parsed<T: std::str::FromStr>(name: &str, texts: Vec<String>, what: &str) -> PyResult<Vec<T>> {
    let parse = |text: String| {
        let error = |_| PyValueError::new_err(format!("{name}: {text:?} is not {what}"));
        text.parse().map_err(error)
    };
    texts.into_iter().map(parse).collect()
}

#[pymethods]
impl Fetcher {
    #[new]
    #[pyo3(signature = (
        user_agent, *, headers = None, headers_for = None, max_redirects = 5, redirect_ports = None,
        max_wire_bytes = 1_048_576, max_body_bytes = 1_048_576, connect_timeout = 10.0,
        read_timeout = 15.0, total_timeout = 60.0, max_parallel = 256, max_lookups = 4096,
        max_per_host = Some(2), max_per_address = Some(2), request_delay = 0.1,
        max_retry_after = 60.0, retries = 0, retry_wait = 1.0, allow_private = false,
        allow_networks = None, deny_networks = None, local_addresses = None, proxy = None,
        proxy_resolves = false, name_servers = None, trust_pem = None, canaries = None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        user_agent: &Bound<'_, PyAny>,
        headers: Option<&Bound<'_, PyDict>>,
        headers_for: Option<HashMap<String, HashMap<String, String>>>,
        max_redirects: usize,
        redirect_ports: Option<Vec<u16>>,
        max_wire_bytes: usize,
        max_body_bytes: usize,
        connect_timeout: f64,
        read_timeout: f64,
        total_timeout: f64,
        max_parallel: usize,
        max_lookups: usize,
        max_per_host: Option<usize>,
        max_per_address: Option<usize>,
        request_delay: f64,
        max_retry_after: f64,
        retries: u32,
        retry_wait: f64,
        allow_private: bool,
        allow_networks: Option<Vec<String>>,
        deny_networks: Option<Vec<String>>,
        local_addresses: Option<Vec<String>>,
        proxy: Option<String>,
        proxy_resolves: bool,
        name_servers: Option<Vec<String>>,
        trust_pem: Option<&Bound<'_, PyAny>>,
        canaries: Option<Vec<String>>,
    ) -> PyResult<Fetcher> {
        let py = user_agent.py();
        let Ok(user_agent) = user_agent.cast::<PyString>() else {
            return Err(PyTypeError::new_err("user_agent must be a str"));
        };
        let user_agent = user_agent.to_cow()?.into_owned();
        let mut builder = fetch::Fetcher::builder(user_agent.as_str())
            .max_redirects(max_redirects)
            .max_wire_bytes(max_wire_bytes)
            .max_body_bytes(max_body_bytes)
            .connect_timeout(duration("connect_timeout", connect_timeout)?)
            .read_timeout(duration("read_timeout", read_timeout)?)
            .total_timeout(duration("total_timeout", total_timeout)?)
            .max_parallel(max_parallel)
            .max_lookups(max_lookups)
            .max_per_host(max_per_host)
            .max_per_address(max_per_address)
            .request_delay(duration("request_delay", request_delay)?)
            .max_retry_after(duration("max_retry_after", max_retry_after)?)
            .retries(retries)
            .retry_wait(duration("retry_wait", retry_wait)?)
            .allow_private(allow_private)
            .proxy_resolves(proxy_resolves);
        for (name, value) in headers.into_iter().flatten() {
            builder = builder.header(name.extract::<String>()?, value.extract::<String>()?);
        }
        for (host, headers) in headers_for.into_iter().flatten() {
            for (name, value) in headers {
                builder = builder.header_for(host.as_str(), name, value);
            }
        }
        if let Some(ports) = redirect_ports {
            builder = builder.redirect_ports(ports);
        }
        let network = "a network such as '10.1.0.0/16'";
        let networks = |name, texts: Option<Vec<String>>| {
            parsed::<IpNetwork>(name, texts.unwrap_or_default(), network)
        };
        builder = builder.allow_networks(networks("allow_networks", allow_networks)?);
        builder = builder.deny_networks(networks("deny_networks", deny_networks)?);
        let locals = local_addresses.unwrap_or_default();
        for address in parsed::<IpAddr>("local_addresses", locals, "an IP address")? {
            builder = builder.local_address(address);
        }
        if let Some(proxy) = proxy {
            builder = builder.proxy(proxy);
        }
        if let Some(servers) = name_servers {
            let what = "the IP address and port of a name server, such as '9.9.9.9:53'";
            builder = builder.name_servers(parsed("name_servers", servers, what)?);
        }
        if let Some(pem) = trust_pem {
            builder = builder.trust_pem(&bytes_of(pem, "trust_pem")?);
        }
        let what = "an IP address and port, such as '192.0.2.1:443'";
        for canary in parsed("canaries", canaries.unwrap_or_default(), what)? {
            builder = builder.canary(canary);
        }
        let fetcher = py.detach(|| builder.build()).map_err(|error| invalid_fetcher(&error))?;
        Ok(Fetcher { fetcher, user_agent })
    }

    /// The ends of attempts: ``answered``, ``judged``, ``unconfirmed``, ``local``, ``recent``,
    /// ``recent_suspect``; and ``is_suspect``: nearly all recent ones ended in faults of this side.
    #[getter]
    fn health<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let health = self.fetcher.health();
        let fields = PyDict::new(py);
        fields.set_item("answered", health.answered)?;
        fields.set_item("judged", health.judged)?;
        fields.set_item("unconfirmed", health.unconfirmed)?;
        fields.set_item("local", health.local)?;
        fields.set_item("recent", health.recent)?;
        fields.set_item("recent_suspect", health.recent_suspect)?;
        fields.set_item("is_suspect", health.is_suspect())?;
        Ok(fields)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Fetcher({})", repr(py, &self.user_agent)?))
    }
}
