//! WARC files as captures: plain, or compressed with gzip or zstd.
//!
//! | step | what | where |
//! |---|---|---|
//! | source | a file or a stream → bytes at any place | [`source`] |
//! | piece | a part of a source → the records that begin in it, by a thread | [`piece`] |
//! | member | a gzip member or zstd frame → bytes | [`member`] |
//! | record | bytes → a record's head and block | [`record`] |
//! | found | a record → a capture | [`found`], [`http`], [`state`] |
//!
//! Threads read pieces of the inputs, in whatever order they get to them; what they found comes out
//! in the order of the input. It is the same, damage included, as if one thread had read everything
//! from the beginning: see [`piece`].
//!
//! # Why not a crate
//!
//! Read and tried in November 2026, with a generated archive of 305 MB (136 MB as `.gz`), 20 MB of it
//! cut off within a member, and the same with seven bytes overwritten in the middle:
//!
//! | | fastwarc 2.0.0 | rust_warc 1.2.0 | warc 0.4.0 | this reader |
//! |---|---|---|---|---|
//! | plain, one thread, processor time | 0.36 s | 0.61 s | 1.10 s | 1.05 s |
//! | gzip | 2.03 s | 2.15 s, with flate2 | | 3.78 s; a third less since |
//! | zstd | 2.35 s | 1.27 s, with zstd | | 1.80 s |
//! | what it gives | blocks | blocks | blocks | bodies with chunks and encodings undone |
//! | reads | plain, gzip, zstd, lz4; what can seek, so no pipe | plain | plain, gzip | plain, gzip, zstd with dictionaries; pipes |
//! | threads for a file | one | one | one | all |
//! | damage in a member | an error for each further call: half of the records are lost | an error and the end: likewise | an error and the end | told by its byte; one record is lost |
//! | end within a member | taken for the end of the file, without an error | an error | an error, for each further call | told by its byte |
//! | `Content-Length` that is no number | an error and the end | an error and the end | an error; goes on in the text that follows | told by its byte; one record is lost |
//! | crates that come with it | 42 | none | 61 with gzip | none |
//!
//! Two of them are faster at taking records apart, and each would do for sound files on disk. None
//! searches the next record behind damage, tells where the damage is, or divides a file among
//! threads: for that their own streams and members would have to be replaced by [`source`],
//! [`piece`] and [`member`], and what would be left for a crate is the head of a record ([`record`]).

mod cursor;
mod found;
mod http;
mod member;
mod piece;
mod record;
mod source;
mod state;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsStr;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    Cause, ContentHash, Failure as FetchFailure, OriginState, Outcome, Response, Said,
};

use super::{Answer, Capture, Place};
use crate::error::Failure;
use crate::write::bytes::shown;
use crate::write::stderr;
use found::Found;
use piece::{Begin, Read};
use source::Source;

pub use state::to_json as state_to_json;

/// How many bytes of an input a thread reads at a time.
const PIECE_BYTES: u64 = 2 << 20;
/// How many damaged places are named one by one.
const NAMED: u64 = 20;
/// How far apart two clocks may be.
pub const CLOCK_TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// What WARC files yield.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are captures")]
pub enum Item {
    Capture(Capture),
    /// All that a store knew of an origin, from `store export --warc`.
    Known(Box<Known>),
}

/// All that a store knew of an origin.
#[derive(Debug)]
pub struct Known {
    pub origin: Origin<'static>,
    pub state: OriginState,
    /// The answer with the body of its copy, if it stood before.
    pub copy: Option<Response>,
    pub place: Place,
}

impl Known {
    /// As captures, from which the same follows. Returns `None` if the body of its copy is missing.
    pub fn captures(self) -> Option<Vec<Capture>> {
        let Known { origin, state, mut copy, place } = self;
        let captures = state.events().into_iter().map(|event| {
            let answer = match (event.said, &state.last) {
                (Said::File(_), _) => Answer::Final(copy.take()?),
                (
                    _,
                    Outcome::Absent(Cause::Failure(failure))
                    | Outcome::Unreachable(Cause::Failure(failure)),
                ) => Answer::Failed(failure.clone()),
                (Said::Status(status), _) => Answer::Final(Response::new(status, Vec::new())),
                _ => Answer::Failed(FetchFailure::Broken(String::new())),
            };
            let (origin, place) = (origin.clone(), place.clone());
            Some(Capture { origin, other: None, at: Some(event.at), answer, place })
        });
        captures.collect()
    }
}

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub records: u64,
    /// Places that are no record, and records that could not be read.
    pub damaged: u64,
    /// Inputs that could not be read, or not to their end.
    pub unreadable: u64,
    /// Bytes of the inputs, as they are stored.
    pub bytes: u64,
}

/// Reads the captures in files with these names (`-` is standard input), in their order, and gives
/// them to `act`. `done` is called with the numbers of bytes that were read. Damage is told on
/// standard error, and reading goes on behind it.
///
/// Memory: what the threads are at work on, about 10 times [`PIECE_BYTES`] for each.
///
/// # Errors
/// Returns an error if `act` does. Inputs that cannot be read are counted and told.
pub fn read<N: AsRef<OsStr>>(
    names: &[N],
    threads: usize,
    act: impl FnMut(Item) -> Result<(), Failure>,
    done: impl Fn(u64),
) -> Result<Counts, Failure> {
    let reading = Reading { threads, piece_bytes: PIECE_BYTES, named: NAMED };
    reading.read(names, act, done)
}

/// How to read.
struct Reading {
    threads: usize,
    piece_bytes: u64,
    /// How many damaged places are named.
    named: u64,
}

impl Reading {
    fn read<N: AsRef<OsStr>>(
        &self,
        names: &[N],
        mut act: impl FnMut(Item) -> Result<(), Failure>,
        done: impl Fn(u64),
    ) -> Result<Counts, Failure> {
        let latest = Timestamp::now() + CLOCK_TOLERANCE;
        let threads = self.threads.max(1);
        let (jobs, waiting) = channel::<Job>();
        let (results, finished) = channel();
        let waiting = Mutex::new(waiting);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (waiting, results) = (&waiting, results.clone());
                scope.spawn(move || work(waiting, &results));
            }
            drop(results);
            let (named, counts) = (self.named, Counts::default());
            let mut collect = Collect { latest, named, last: None, counts, act: &mut act };
            let mut pieces = Pieces {
                names: names.iter().map(AsRef::as_ref),
                piece_bytes: self.piece_bytes,
                ahead: 2 * threads + 2,
                jobs,
                finished,
                current: None,
                given: 0,
                out: VecDeque::new(),
                early: BTreeMap::new(),
            };
            pieces.run(&mut collect, &done)?;
            collect.end()?;
            Ok(collect.counts)
        })
    }
}

/// A piece for a thread.
struct Job {
    number: u64,
    source: Arc<Source>,
    begin: Begin,
    until: u64,
}

/// The number of a piece, and what is in it; `None` if the thread that read it has panicked.
type Done = (u64, Option<Read>);

fn work(waiting: &Mutex<Receiver<Job>>, results: &Sender<Done>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { number, source, begin, until }) = job else { return };
        // Whoever waits for the piece must not wait for ever.
        let read = AssertUnwindSafe(|| piece::read(&source, begin, until, None));
        let read = std::panic::catch_unwind(read).ok();
        if results.send((number, read)).is_err() {
            return;
        }
    }
}

/// The pieces of all inputs, in their order.
struct Pieces<N> {
    names: N,
    piece_bytes: u64,
    /// How many pieces may be at work or wait for their turn.
    ahead: usize,
    jobs: Sender<Job>,
    finished: Receiver<Done>,
    /// The input whose pieces are being given out, and where the next of them begins.
    current: Option<(Arc<Source>, u64)>,
    /// How many were given out.
    given: u64,
    /// Those that did not have their turn yet.
    out: VecDeque<(u64, Arc<Source>, u64)>,
    /// What came back before its turn.
    early: BTreeMap<u64, Read>,
}

impl<'n, N: Iterator<Item = &'n OsStr>> Pieces<N> {
    fn run(&mut self, collect: &mut Collect<'_>, done: &impl Fn(u64)) -> Result<(), Failure> {
        // The input whose turn it is, and how far it was read.
        let mut turn: Option<(Arc<Source>, u64)> = None;
        loop {
            while self.out.len() < self.ahead && self.give(collect) {}
            let Some((number, source, until)) = self.out.pop_front() else { return Ok(()) };
            let read = self.result(number)?;
            let place = match &turn {
                Some((of, place)) if Arc::ptr_eq(of, &source) => *place,
                _ => 0,
            };
            let mut next = place;
            if !source.is_over() && place < until {
                if read.start == Some(place) {
                    next = collect.piece(&source, read)?;
                }
                // A search found something else than a record, or the thread gave up.
                while next < until && !source.is_over() {
                    next = collect.alone(&source, next, until)?;
                }
                source.release(next);
                done(next - place);
                collect.counts.bytes += next - place;
            }
            turn = Some((source, next));
        }
    }

    /// Gives the next piece to the threads. Returns false if there is none.
    fn give(&mut self, collect: &mut Collect<'_>) -> bool {
        loop {
            if let Some((source, at)) = &mut self.current {
                let has_more = source.len().is_none_or(|len| *at < len || *at == 0);
                if has_more && !source.is_over() {
                    let begin = if *at == 0 { Begin::Here(0) } else { Begin::Search(*at) };
                    let until = *at + self.piece_bytes;
                    let (number, source) = (self.given, source.clone());
                    self.out.push_back((number, source.clone(), until));
                    // If all threads have ended, `result` says so.
                    let _ = self.jobs.send(Job { number, source, begin, until });
                    *at = until;
                    self.given += 1;
                    return true;
                }
                self.current = None;
            }
            let Some(name) = self.names.next() else { return false };
            match Source::open(name) {
                Ok(source) => self.current = Some((Arc::new(source), 0)),
                Err(cause) => collect.unreadable(&name.display(), cause),
            }
        }
    }

    fn result(&mut self, number: u64) -> Result<Read, Failure> {
        loop {
            if let Some(read) = self.early.remove(&number) {
                return Ok(read);
            }
            let panicked = || Failure::Thread("WARC");
            let (number, read) = self.finished.recv().map_err(|_| panicked())?;
            self.early.insert(number, read.ok_or_else(panicked)?);
        }
    }
}

/// Puts together what was found.
struct Collect<'c> {
    /// Later times come from a wrong clock.
    latest: Timestamp,
    named: u64,
    /// The last answer, and the id of its record. The next record may be the state that it
    /// belongs to.
    last: Option<(Box<str>, Capture)>,
    counts: Counts,
    act: &'c mut dyn FnMut(Item) -> Result<(), Failure>,
}

impl Collect<'_> {
    /// Takes what a thread has read. Returns where what comes next begins.
    fn piece(&mut self, source: &Source, read: Read) -> Result<u64, Failure> {
        self.found(source, read.found)?;
        self.counts.records += read.records;
        if let Some(cause) = read.failure {
            self.unreadable(&source.path.display(), cause);
        } else if !read.is_over {
            return Ok(read.end);
        }
        source.set_over();
        Ok(read.end)
    }

    /// Reads a piece here and now.
    fn alone(&mut self, source: &Source, at: u64, until: u64) -> Result<u64, Failure> {
        let mut failure = None;
        let mut hand_on = |found| {
            self.found(source, found).map_err(|cause| {
                failure = Some(cause);
                io::Error::other("it was not taken")
            })
        };
        let read = piece::read(source, Begin::Here(at), until, Some(&mut hand_on));
        match failure {
            Some(failure) => Err(failure),
            None => self.piece(source, read),
        }
    }

    fn found(&mut self, source: &Source, found: Vec<Found>) -> Result<(), Failure> {
        for found in found {
            match found {
                Found::Damage(at, what) => {
                    self.damaged(&Place { file: source.path.clone(), at }, &what);
                }
                Found::Answer(id, capture) => {
                    self.end()?;
                    self.last = Some((id, capture));
                }
                Found::State(state) => self.state(*state)?,
            }
        }
        Ok(())
    }

    fn state(&mut self, state: found::State) -> Result<(), Failure> {
        let found::State { place, origin, state, refers_to } = state;
        let answer = self.last.take_if(|(id, _)| !id.is_empty() && **id == *refers_to);
        // An answer that this state is not about speaks for itself.
        self.end()?;
        let response = answer.and_then(|(_, capture)| match capture.answer {
            Answer::Final(response) => Some(response),
            _ => None,
        });
        let copy = response.filter(|response| {
            let content = state.copy.as_ref().map(|copy| copy.content);
            content == Some(ContentHash::of(&response.body))
        });
        (self.act)(Item::Known(Box::new(Known { origin, state, copy, place })))
    }

    /// Gives the last answer away.
    fn end(&mut self) -> Result<(), Failure> {
        let Some((_, mut capture)) = self.last.take() else { return Ok(()) };
        // What follows is not for the copy of a store, which is as it should be.
        if capture.time() > self.latest {
            let what = "its WARC-Date is in the future: its clock was wrong";
            self.damaged(&capture.place, what);
            return Ok(());
        }
        if let Answer::Final(response) = &mut capture.answer
            && response.is_truncated
        {
            let empty = Response::new(response.status, Vec::new());
            capture.answer = found::whole_lines(std::mem::replace(response, empty));
        }
        (self.act)(Item::Capture(capture))
    }

    fn damaged(&mut self, place: &Place, what: &str) {
        self.counts.damaged += 1;
        if self.counts.damaged <= self.named {
            stderr::error(&format_args!("{place}: {}; left out", shown(what.as_bytes())));
        }
    }

    fn unreadable(&mut self, name: &dyn fmt::Display, cause: io::Error) {
        self.counts.unreadable += 1;
        stderr::error(&Failure::io(format!("cannot read WARC file '{name}'"), cause));
    }
}
