//! Standard output, to which workers write in the order of the chunks.
//!
//! There is no thread that only writes: a worker that has judged a chunk writes it if its turn has
//! come, with what waits behind it, while the text is still in the cache of its core. If the turn
//! is another chunk's, the output waits, and whoever writes that chunk writes this one after it.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::feed::Buffers;
use crate::write::{screen, stdout};

/// Whose turn it is to write, and what waits for its turn.
pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
    /// So many chunks may wait before no more are read.
    most_waiting: usize,
    is_terminal: bool,
}

#[derive(Default)]
struct State {
    /// The number of the chunk whose turn it is.
    next: u64,
    /// True while a worker writes, without the lock.
    is_taken: bool,
    /// The output of chunks that are judged, by number: the first bytes of a buffer, and how many.
    waiting: BTreeMap<u64, (Vec<u8>, usize)>,
    /// True if nothing can be written any more.
    is_over: bool,
}

impl Turns {
    pub fn new(most_waiting: usize) -> Turns {
        Turns {
            state: Mutex::default(),
            changed: Condvar::new(),
            most_waiting,
            is_terminal: io::stdout().is_terminal(),
        }
    }

    /// Waits until another chunk may be read. Returns `false` if there is no use.
    ///
    /// The chunk whose turn it is has been read before, so it is judged meanwhile.
    pub fn wait_for_room(&self) -> bool {
        let state = self.wait_while(self.lock(), |state| state.waiting.len() >= self.most_waiting);
        !state.is_over
    }

    /// Ends the waiting of all workers: nothing can be written any more.
    pub fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let write = || stdout::lock()?.write_all(bytes);
        // The bar is in the way only if both are on the same screen.
        let written = if self.is_terminal { screen::without_bar(write) } else { write() };
        written.inspect_err(|_| self.end())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while<'t>(
        &'t self,
        state: MutexGuard<'t, State>,
        is_early: impl Fn(&State) -> bool,
    ) -> MutexGuard<'t, State> {
        let waited = self.changed.wait_while(state, |state| !state.is_over && is_early(state));
        waited.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The turn of one chunk.
pub struct Turn<'t> {
    turns: &'t Turns,
    number: u64,
    /// True if it has come, and this worker is the one that writes.
    has_come: bool,
}

impl<'t> Turn<'t> {
    /// The turn of the chunk with this number. Numbers begin with 0.
    pub fn new(turns: &'t Turns, number: u64) -> Turn<'t> {
        Turn { turns, number, has_come: false }
    }

    /// Waits until the turn comes and writes a part of the chunk's output. Returns `false` if another
    /// worker failed to write.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn write(&mut self, part: &[u8]) -> io::Result<bool> {
        if !self.has_come {
            let is_early = |state: &State| state.is_taken || state.next != self.number;
            let mut state = self.turns.wait_while(self.turns.lock(), is_early);
            if state.is_over {
                return Ok(false);
            }
            state.is_taken = true;
            self.has_come = true;
        }
        self.turns.write(part)?;
        Ok(true)
    }

    /// Writes the rest of the chunk's output, which is the first `len` bytes of `rest`, and the output of
    /// the chunks behind it that are judged, if the turn has come, and leaves it to another worker if not.
    ///
    /// # Errors
    /// Returns an error if they cannot be written.
    pub fn finish(self, rest: Vec<u8>, len: usize, buffers: &Buffers) -> io::Result<()> {
        let mut state = self.turns.lock();
        state.waiting.insert(self.number, (rest, len));
        if state.is_over || state.is_taken && !self.has_come {
            return Ok(());
        }
        state.is_taken = true;
        loop {
            let next = state.next;
            let Some((output, len)) = state.waiting.remove(&next) else { break };
            drop(state);
            self.turns.write(&output[..len])?;
            buffers.give(output);
            state = self.turns.lock();
            state.next += 1;
        }
        state.is_taken = false;
        drop(state);
        self.turns.changed.notify_all();
        Ok(())
    }
}
