//! How fast a site asks crawlers to go.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use robotsieve_python_common::parts;

/// How many documents to request in what time.
///
/// ``window`` is the time of day for which this holds, from and to in minutes after midnight UTC, or
/// ``None`` for all day.
#[pyclass(frozen, eq, get_all, module = "robotsieve")]
#[derive(Clone, PartialEq)]
pub struct RequestRate {
    /// The number of documents.
    requests: u32,
    /// The seconds in which to request them.
    seconds: f64,
    /// From and to, in minutes after midnight UTC.
    window: Option<(u16, u16)>,
}

impl RequestRate {
    pub fn of(rate: robotsieve::records::RequestRate) -> RequestRate {
        let (requests, seconds, window) = parts::of_rate(&rate);
        RequestRate { requests, seconds, window }
    }
}

#[pymethods]
impl RequestRate {
    #[new]
    #[pyo3(signature = (requests, seconds, window = None))]
    fn new(requests: u32, seconds: f64, window: Option<(u16, u16)>) -> RequestRate {
        RequestRate { requests, seconds, window }
    }

    fn __hash__(&self) -> u64 {
        crate::batch::hash(&(self.requests, self.seconds.to_bits(), self.window))
    }

    fn __repr__(&self) -> String {
        let window = match self.window {
            Some((from, to)) => format!(", window=({from}, {to})"),
            None => String::new(),
        };
        format!("RequestRate(requests={}, seconds={}{window})", self.requests, self.seconds)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        (py.get_type::<RequestRate>(), (self.requests, self.seconds, self.window))
            .into_bound_py_any(py)
    }
}
