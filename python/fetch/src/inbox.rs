//! The events that are ready for an event loop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tokio::runtime::Handle;

/// Makes the value that the loop gets.
type Make = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// A number by which the loop knows who waits, 0 for a request to fetch; and what it gets.
type Event = (u64, Make);

/// The events that are ready for one event loop, until the loop takes them.
///
/// ``wake`` is the loop's ``call_soon_threadsafe``, and ``ready`` is what it is to call.
#[pyclass(frozen, module = "robotsieve.aio")]
pub struct Inbox {
    pub queue: Arc<Queue>,
}

pub struct Queue {
    state: Mutex<Waiting>,
    wake: Py<PyAny>,
    ready: Py<PyAny>,
}

#[derive(Default)]
struct Waiting {
    events: Vec<Event>,
    /// True if the loop has been woken, or will be, and has not taken the events yet.
    is_waking: bool,
    /// True if the loop is closed.
    is_closed: bool,
}

impl Queue {
    /// Whoever holds the lock never waits for the interpreter, and drops no event: that may end a
    /// fetch.
    fn state(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    /// Adds an event. If the loop is closed, drops it.
    pub fn push(
        self: &Arc<Self>,
        runtime: &Handle,
        number: u64,
        make: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send + 'static,
    ) {
        let mut state = self.state();
        if state.is_closed {
            drop(state);
            return;
        }
        state.events.push((number, Box::new(make)));
        if !state.is_waking {
            state.is_waking = true;
            drop(state);
            let queue = Arc::clone(self);
            // In a thread that may wait for the interpreter. Until it has it, events gather.
            runtime.spawn_blocking(move || queue.wake_loop());
        }
    }

    fn wake_loop(&self) {
        let woken = Python::try_attach(|py| self.wake.call1(py, (&self.ready,)).is_ok());
        if woken != Some(true) {
            self.close();
        }
    }

    /// Drops all events, now and later.
    fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let events = std::mem::take(&mut state.events);
        drop(state);
        drop(events);
    }
}

#[pymethods]
impl Inbox {
    #[new]
    fn new(wake: Py<PyAny>, ready: Py<PyAny>) -> Inbox {
        Inbox { queue: Arc::new(Queue { state: Mutex::default(), wake, ready }) }
    }

    /// The events that have gathered: for each the number, and the value or the exception.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = {
            let mut state = self.queue.state();
            state.is_waking = false;
            std::mem::take(&mut state.events)
        };
        let list = PyList::empty(py);
        for (number, make) in events {
            let value = make(py).unwrap_or_else(|error| error.into_value(py).into_any());
            list.append((number, value))?;
        }
        Ok(list)
    }

    /// The loop is closed: drops what is for it.
    fn close(&self) {
        self.queue.close();
    }
}
