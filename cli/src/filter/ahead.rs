//! The stage between reader and workers with `--fetch`: chunks wait here until the sites of their
//! URLs are known, while later ones are read and their sites asked.
//!
//! Chunks leave in the order in which they came, so the output keeps its order, and what is behind
//! this stage never waits for a site. The memory that waits here is bounded.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::feed::{Chunk, Feed};
use super::stored::{Look, Stored};

/// How often a stage that waits for input looks whether the run was stopped.
const TICK: Duration = Duration::from_millis(100);

/// The chunks that wait.
pub struct Ahead {
    /// The most bytes that may wait, if it is more than one chunk.
    max_bytes: usize,
    state: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// True if the reader has ended.
    ended: bool,
    /// True if nobody takes chunks any more.
    gone: bool,
}

struct Waiting {
    chunk: Chunk,
    /// The sites that were first asked about for this chunk.
    looks: Vec<Look>,
    bytes: usize,
}

impl Ahead {
    pub fn new(max_bytes: usize) -> Ahead {
        Ahead { max_bytes, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Reads all inputs, and asks about their sites, until they end or the run is stopped.
    pub fn read(&self, inputs: &mut Feed, stored: &Arc<Stored>, take: impl Fn() -> Vec<u8>) {
        let mut asker = stored.asker();
        loop {
            if stored.watch().stopped().is_some() {
                break;
            }
            let Some(chunk) = inputs.next(take()) else { break };
            let looks = match chunk.is_beginning {
                true => Vec::new(),
                false => asker.ask(&chunk.lines),
            };
            let keys: usize = looks.iter().map(Look::bytes).sum();
            let bytes = chunk.lines.capacity() + keys;
            let mut state = self.lock();
            while !state.gone && !state.waiting.is_empty() && state.bytes + bytes > self.max_bytes {
                state = self.wait(state);
            }
            if state.gone {
                break;
            }
            state.bytes += bytes;
            state.waiting.push_back(Waiting { chunk, looks, bytes });
            self.changed.notify_all();
        }
        stored.watch().end();
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Passes chunks on as soon as their sites are known, until `pass` returns `false`. If the run
    /// is stopped, passes on the lines before the first whose site was not asked.
    pub fn release(&self, stored: &Stored, mut pass: impl FnMut(Chunk) -> bool) {
        while let Some(Waiting { mut chunk, looks, bytes }) = self.next(stored) {
            stored.wait(looks);
            let whole = match stored.watch().stopped() {
                Some(_) if !chunk.is_beginning => stored.known_lines(&chunk.lines),
                _ => chunk.lines.len(),
            };
            let is_cut = whole < chunk.lines.len();
            chunk.lines.truncate(whole);
            let goes_on = pass(chunk) && !is_cut;
            self.lock().bytes -= bytes;
            self.changed.notify_all();
            if !goes_on {
                break;
            }
        }
        self.lock().gone = true;
        self.changed.notify_all();
    }

    /// The chunk whose turn it is.
    fn next(&self, stored: &Stored) -> Option<Waiting> {
        let mut state = self.lock();
        loop {
            if let Some(next) = state.waiting.pop_front() {
                return Some(next);
            }
            // The reader may wait for input that never comes.
            if state.ended || stored.watch().stopped().is_some() {
                return None;
            }
            state = self.wait(state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        let waited = self.changed.wait_timeout(state, TICK);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
