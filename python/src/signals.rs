//! Ctrl-C, in long calls.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How long it takes until it is looked again whether the user wants to stop.
pub const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// When it was last looked whether the user wants to stop. A call has one for all that it does, however
/// many parts that has.
#[derive(Clone, Copy)]
pub struct Signals {
    last: Instant,
}

impl Signals {
    pub fn new() -> Signals {
        Signals { last: Instant::now() }
    }

    /// Returns true if it is time to look again.
    pub fn are_due(&self) -> bool {
        self.last.elapsed() > BETWEEN_LOOKS
    }

    /// Looks if it is time. Fails with what Python's handlers raise.
    pub fn look(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.are_due() {
            py.check_signals()?;
            self.last = Instant::now();
        }
        Ok(())
    }
}
