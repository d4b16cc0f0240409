//! Threads that read pieces of inputs, and what they found in the order of the inputs.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::extract::{Counts, Extract, Extracted, Panicked, Sink, Unreadable};
use super::piece::{self, Begin, Memory, Read};
use super::source::WarcInput;
use crate::capture::RecordPlace;

/// The number of bytes of an input a thread reads at a time.
pub const PIECE_BYTES: u64 = 2 << 20;

/// How to read.
pub struct Reading {
    /// The most that read beside this one. Where the system gives none, this one reads.
    pub threads: usize,
    pub piece_bytes: u64,
}

impl Reading {
    /// Gives what `extract` makes of the records in inputs to `sink`, in their order.
    ///
    /// # Errors
    /// Returns an error if `sink` does, or if a thread has panicked.
    pub fn read<X: Extract, S: Sink<X::Found>>(
        &self,
        inputs: impl IntoIterator<Item = Result<WarcInput, Unreadable>>,
        extract: &X,
        sink: &mut S,
        done: impl Fn(u64),
    ) -> Result<Counts, S::Error> {
        let (jobs, waiting) = channel::<Job>();
        let (results, finished) = channel();
        let waiting = Mutex::new(waiting);
        thread::scope(|scope| {
            let mut threads = 0;
            while threads < self.threads {
                let (waiting, results) = (&waiting, results.clone());
                let work = move || work(extract, waiting, &results);
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
                threads += 1;
            }
            drop(results);
            let mut gather = Gather { extract, sink, counts: Counts::default() };
            let mut pieces = Pieces {
                inputs: inputs.into_iter(),
                piece_bytes: self.piece_bytes,
                ahead: 2 * threads + 2,
                has_threads: threads > 0,
                jobs,
                finished,
                current: None,
                given: 0,
                out: VecDeque::new(),
                early: BTreeMap::new(),
            };
            pieces.run(&mut gather, &done)?;
            gather.sink.end(&mut gather.counts)?;
            Ok(gather.counts)
        })
    }
}

/// A piece for a thread.
struct Job {
    number: u64,
    source: Arc<WarcInput>,
    begin: Begin,
    until: u64,
}

/// The number of a piece, and what is in it; `None` if the thread that read it has panicked.
type Done<F> = (u64, Option<Read<F>>);

fn work<X: Extract>(extract: &X, waiting: &Mutex<Receiver<Job>>, results: &Sender<Done<X::Found>>) {
    let mut memory = Memory::default();
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { number, source, begin, until }) = job else { return };
        // Whoever waits for the piece must not wait for ever.
        let read =
            AssertUnwindSafe(|| piece::read(extract, &source, begin, until, None, &mut memory));
        let read = std::panic::catch_unwind(read).ok();
        if results.send((number, read)).is_err() {
            return;
        }
    }
}

/// The pieces of all inputs, in their order.
struct Pieces<I, F> {
    inputs: I,
    piece_bytes: u64,
    /// The number of pieces that may be at work or wait for their turn.
    ahead: usize,
    /// False if all pieces are read here.
    has_threads: bool,
    jobs: Sender<Job>,
    finished: Receiver<Done<F>>,
    /// The input whose pieces are being given out, and where the next of them begins.
    current: Option<(Arc<WarcInput>, u64)>,
    /// The number that were given out.
    given: u64,
    /// Those that did not have their turn yet.
    out: VecDeque<(u64, Arc<WarcInput>, u64)>,
    /// What came back before its turn.
    early: BTreeMap<u64, Read<F>>,
}

impl<I: Iterator<Item = Result<WarcInput, Unreadable>>, F> Pieces<I, F> {
    fn run<X: Extract<Found = F>, S: Sink<F>>(
        &mut self,
        gather: &mut Gather<'_, X, S>,
        done: &impl Fn(u64),
    ) -> Result<(), S::Error> {
        // The input whose turn it is, and how far it was read.
        let mut turn: Option<(Arc<WarcInput>, u64)> = None;
        loop {
            while self.out.len() < self.ahead && self.give(gather)? {}
            let Some((number, source, until)) = self.out.pop_front() else { return Ok(()) };
            let read = if self.has_threads { Some(self.result(number)?) } else { None };
            let place = match &turn {
                Some((of, place)) if Arc::ptr_eq(of, &source) => *place,
                _ => 0,
            };
            let mut next = place;
            if !source.is_over() && place < until {
                if let Some(read) = read.filter(|read| read.start == Some(place)) {
                    next = gather.piece(&source, read)?;
                }
                // A search found something else than a record, or the thread gave up.
                while next < until && !source.is_over() {
                    next = gather.alone(&source, next, until)?;
                }
                source.release(next);
                done(next - place);
                gather.counts.bytes += next - place;
            }
            turn = Some((source, next));
        }
    }

    /// Gives the next piece to the threads. Returns false if there is none.
    fn give<X: Extract<Found = F>, S: Sink<F>>(
        &mut self,
        gather: &mut Gather<'_, X, S>,
    ) -> Result<bool, S::Error> {
        loop {
            if let Some((source, at)) = &mut self.current {
                let has_more = source.len().is_none_or(|len| *at < len || *at == 0);
                if has_more && !source.is_over() {
                    let begin = if *at == 0 { Begin::Here(0) } else { Begin::Search(*at) };
                    let until = *at + self.piece_bytes;
                    let (number, source) = (self.given, source.clone());
                    self.out.push_back((number, source.clone(), until));
                    if self.has_threads {
                        // If all threads have ended, `result` says so.
                        let _ = self.jobs.send(Job { number, source, begin, until });
                    }
                    *at = until;
                    self.given += 1;
                    return Ok(true);
                }
                self.current = None;
            }
            match self.inputs.next() {
                None => return Ok(false),
                Some(Ok(source)) => self.current = Some((Arc::new(source), 0)),
                Some(Err(unreadable)) => gather.unreadable(unreadable)?,
            }
        }
    }

    fn result(&mut self, number: u64) -> Result<Read<F>, Panicked> {
        loop {
            if let Some(read) = self.early.remove(&number) {
                return Ok(read);
            }
            let (number, read) = self.finished.recv().map_err(|_| Panicked)?;
            self.early.insert(number, read.ok_or(Panicked)?);
        }
    }
}

/// Gives what was found to a sink, and reads what threads did not.
struct Gather<'g, X, S> {
    extract: &'g X,
    sink: &'g mut S,
    counts: Counts,
}

impl<X: Extract, S: Sink<X::Found>> Gather<'_, X, S> {
    /// Takes what a thread has read. Returns where what comes next begins.
    fn piece(&mut self, source: &WarcInput, read: Read<X::Found>) -> Result<u64, S::Error> {
        self.found(source, read.found)?;
        self.counts.records += read.records;
        if let Some(cause) = read.failure {
            self.unreadable(Unreadable { name: source.path.clone(), cause })?;
        } else if !read.is_over {
            return Ok(read.end);
        }
        source.set_over();
        Ok(read.end)
    }

    /// Reads a piece here and now.
    fn alone(&mut self, source: &WarcInput, at: u64, until: u64) -> Result<u64, S::Error> {
        let mut failure = None;
        let extract = self.extract;
        let mut hand_on = |found| {
            self.found(source, found).map_err(|cause| {
                failure = Some(cause);
                io::Error::other("it was not taken")
            })
        };
        let (begin, mut memory) = (Begin::Here(at), Memory::default());
        let read = piece::read(extract, source, begin, until, Some(&mut hand_on), &mut memory);
        match failure {
            Some(failure) => Err(failure),
            None => self.piece(source, read),
        }
    }

    fn found(
        &mut self,
        source: &WarcInput,
        found: Vec<Extracted<X::Found>>,
    ) -> Result<(), S::Error> {
        for found in found {
            match found {
                Extracted::Made(made) => self.sink.found(made, &mut self.counts)?,
                Extracted::Damage(at, what, url) => {
                    let place = RecordPlace { file: source.path.clone(), at };
                    self.counts.damaged += 1;
                    self.sink.damaged(place, what, url)?;
                }
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, unreadable: Unreadable) -> Result<(), S::Error> {
        self.counts.unreadable += 1;
        self.sink.unreadable(unreadable)
    }
}
