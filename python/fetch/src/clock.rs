//! A clock that the caller sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use robotsieve_client::Timestamp;

/// A clock that stands still until it is set: for tests, and for playing a crawl again.
///
/// >>> from robotsieve.aio import Clock
/// >>> clock = Clock(1_800_000_000)
/// >>> clock.now += 3600
/// >>> clock
/// Clock(1800003600)
#[pyclass(frozen, module = "robotsieve.aio")]
pub struct Clock(pub Arc<AtomicU64>);

impl Clock {
    pub fn reader(&self) -> impl Fn() -> Timestamp + Send + Sync + 'static {
        let time = Arc::clone(&self.0);
        move || Timestamp(time.load(Relaxed))
    }
}

/// Seconds since 1970, as whole ones.
pub fn timestamp(seconds: f64) -> PyResult<Timestamp> {
    if !(0.0..=9e15).contains(&seconds) {
        let text = format!("a time must be a number of seconds since 1970, not {seconds}");
        return Err(PyValueError::new_err(text));
    }
    Ok(Timestamp(seconds as u64))
}

#[pymethods]
impl Clock {
    #[new]
    fn new(now: f64) -> PyResult<Clock> {
        Ok(Clock(Arc::new(AtomicU64::new(timestamp(now)?.0))))
    }

    /// The time in whole seconds since 1970.
    #[getter]
    fn now(&self) -> u64 {
        self.0.load(Relaxed)
    }

    #[setter]
    fn set_now(&self, now: f64) -> PyResult<()> {
        self.0.store(timestamp(now)?.0, Relaxed);
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("Clock({})", self.now())
    }
}
