//! WARC files as captures: plain, or compressed with gzip or zstd.
//!
//! | step | what | where |
//! |---|---|---|
//! | source | a file or a stream → bytes at any place | `source` |
//! | piece | a part of a source → the records that begin in it, by a thread | `piece`, `reading` |
//! | extract | a record → something, and where it goes | `extract` |
//! | member | a gzip member or zstd frame → bytes | `member`, `inflate` |
//! | record | bytes → a record's head and block | `record` |
//! | found | a record → a capture | `found`, `http`, `state` |
//! | response | a record → whatever somebody makes of an answer | `response`, `http` |
//!
//! Threads read pieces of the inputs, in whatever order they get to them; what they found comes out
//! in the order of the input. It is the same, damage included, as if one thread had read everything
//! from the beginning: see `piece`.
//!
//! # Why not a crate
//!
//! Read and tried in November 2026, with 20 MB of a generated `.gz` cut off within a member, and the
//! same with seven bytes overwritten in the middle:
//!
//! | | fastwarc 2.0.0 | rust_warc 1.2.0 | warc 0.4.0 | this reader |
//! |---|---|---|---|---|
//! | what it gives | blocks | blocks | blocks | bodies with chunks and encodings undone |
//! | reads | plain, gzip, zstd, lz4; what can seek, so no pipe | plain | plain, gzip | plain, gzip, zstd with dictionaries; pipes |
//! | threads for a file | one | one | one | all |
//! | damage in a member | an error for each further call: half of the records are lost | an error and the end: likewise | an error and the end | told by its byte; one record is lost |
//! | end within a member | taken for the end of the file, without an error | an error | an error, for each further call | told by its byte |
//! | `Content-Length` that is no number | an error and the end | an error and the end | an error; goes on in the text that follows | told by its byte; one record is lost |
//! | crates that come with it | 42 | none | 61 with gzip | none |
//!
//! Each would do for sound files on disk. Beside fastwarc, the fastest, this reader takes somewhat longer
//! for plain files, and less time for gzip and zstd: `benches/side-by-side/src/bin/warc.rs`. None
//! searches the next record behind damage, tells where the damage is, or divides a file among
//! threads: for that their own streams and members would have to be replaced by `source`,
//! `piece` and `member`, and what would be left for a crate is the head of a record (`record`).

mod codec;
mod cursor;
mod extract;
mod form;
mod found;
mod http;
mod inflate;
mod member;
mod piece;
mod reading;
mod record;
mod response;
mod source;
mod state;
#[cfg(test)]
mod tests;

use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    Cause, ContentHash, Failure as FetchFailure, OriginState, Outcome, Response, Said,
};

use super::capture::{CLOCK_TOLERANCE, Capture, RecordNames, RecordPlace, SiteAnswer};
use extract::Sink;
use found::{Captures, RecordFound};
use reading::{PIECE_BYTES, Reading};

pub use extract::{Counts, Panicked, Unreadable};
pub use response::{Answers, Body, ResponseItem, ResponseRecord, read_responses};
pub use source::WarcInput;
pub use state::to_json as state_to_json;

/// An item of WARC files.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly all are captures")]
pub enum WarcItem {
    /// What a site answered.
    Capture(Capture),
    /// All that a store knew of an origin, from `store export --warc`.
    Known(Box<Known>),
    /// Something that is no record, or one that says nothing: it is left out.
    Damaged {
        /// Where it stands.
        place: RecordPlace,
        /// What is wrong with it. The text may have bytes of the input in it.
        what: String,
    },
    /// An input that could not be read, or not to its end: the rest of it is left out.
    Unreadable(Unreadable),
}

/// All that a store knew of an origin.
#[derive(Debug)]
pub struct Known {
    /// The origin.
    pub origin: Origin<'static>,
    /// The store's state.
    pub state: OriginState,
    /// The answer with the body of its copy, if it stood before.
    pub copy: Option<Response>,
    /// Where it stands.
    pub place: RecordPlace,
}

impl Known {
    /// What cannot be known because the body of its copy is missing, or another one.
    #[must_use]
    pub fn lacks(&self) -> Option<String> {
        let is_known = self.state.copy.is_none() || self.copy.is_some();
        (!is_known).then(|| {
            format!("the body of {} is missing or another one; it is unknown", self.origin)
        })
    }

    /// As captures, from which the same follows. What a missing body said is unknown.
    #[must_use]
    pub fn captures(self) -> Vec<Capture> {
        let Known { origin, state, mut copy, place } = self;
        let unknown = state.no_file_at.or(state.is_unknown().then_some(state.attempted));
        let unknown = unknown.map(|at| {
            let (origin, place) = (origin.clone(), place.clone());
            let (at, answer, names) = (Some(at), SiteAnswer::unknown(), RecordNames::default());
            Capture { origin, other: None, at, answer, place, names }
        });
        let captures = state.events().into_iter().map(|event| {
            let answer = match (event.said, &state.last) {
                (Said::File(_), _) => {
                    copy.take().map_or_else(SiteAnswer::unknown, SiteAnswer::Final)
                }
                (
                    _,
                    Outcome::Absent(Cause::Failure(failure))
                    | Outcome::Unreachable(Cause::Failure(failure)),
                ) => SiteAnswer::Failed(failure.clone()),
                (Said::Status(status), _) => SiteAnswer::Final(Response::new(status, Vec::new())),
                _ => SiteAnswer::Failed(FetchFailure::Broken(String::new())),
            };
            let (origin, place) = (origin.clone(), place.clone());
            let (at, names) = (Some(event.at), RecordNames::default());
            Capture { origin, other: None, at, answer, place, names }
        });
        unknown.into_iter().chain(captures).collect()
    }
}

/// Reads the captures in inputs, in their order, and gives them to `act`, damage and inputs that
/// cannot be read included: reading goes on behind them. An input is opened when its turn comes near.
/// `done` is called with the numbers of bytes that were read. Damage may come just before the capture
/// that it follows, which waits for what the next record says of it.
///
/// Memory: what the threads are at work on, about 10 times 2 MiB for each.
///
/// ```
/// use robotsieve_captures::warc::{self, WarcItem, Panicked, WarcInput};
///
/// let record = "WARC/1.1\r\n\
///     WARC-Type: response\r\n\
///     WARC-Date: 2026-01-10T12:00:00Z\r\n\
///     WARC-Target-URI: https://example.com/robots.txt\r\n\
///     Content-Type: application/http; msgtype=response\r\n\
///     Content-Length: 26\r\n\r\n\
///     HTTP/1.1 404 Not Found\r\n\r\n\r\n\r\n";
/// let source = WarcInput::memory("example.warc", format!("{record}what is this?"))?;
/// let mut found = Vec::new();
/// let counts = warc::read([Ok(source)], 1, |item| {
///     found.push(match item {
///         WarcItem::Capture(capture) => capture.key().to_owned(),
///         WarcItem::Damaged { place, what } => format!("{place}: {what}"),
///         other => unreachable!("{other:?}"),
///     });
///     Ok::<(), Panicked>(())
/// }, |_| ())?;
/// assert_eq!(found, ["example.warc, byte 215: no record begins here", "https://example.com"]);
/// assert_eq!((counts.records, counts.damaged), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if `act` does, or if a thread has panicked.
pub fn read<E: From<Panicked>>(
    inputs: impl IntoIterator<Item = Result<WarcInput, Unreadable>>,
    threads: usize,
    act: impl FnMut(WarcItem) -> Result<(), E>,
    done: impl Fn(u64),
) -> Result<Counts, E> {
    let reading = Reading { threads, piece_bytes: PIECE_BYTES };
    reading.read(inputs, &Captures, &mut Collect::new(act), done)
}

/// Makes items of captures.
struct Collect<A> {
    /// Later times come from a wrong clock.
    latest: Timestamp,
    /// The last answer, and the id of its record. The next record may be the state that it
    /// belongs to.
    last: Option<(Box<str>, Capture)>,
    act: A,
}

impl<A> Collect<A> {
    fn new(act: A) -> Collect<A> {
        Collect { latest: Timestamp::now() + CLOCK_TOLERANCE, last: None, act }
    }
}

impl<A: FnMut(WarcItem) -> Result<(), E>, E: From<Panicked>> Collect<A> {
    fn state(&mut self, state: found::StateRecord, counts: &mut Counts) -> Result<(), E> {
        let found::StateRecord { place, origin, state, refers_to } = state;
        let answer = self.last.take_if(|(id, _)| !id.is_empty() && **id == *refers_to);
        // An answer that this state is not about speaks for itself.
        self.end(counts)?;
        let response = answer.and_then(|(_, capture)| match capture.answer {
            SiteAnswer::Final(response) => Some(response),
            _ => None,
        });
        let copy = response.filter(|response| {
            let content = state.copy.as_ref().map(|copy| copy.content);
            content == Some(ContentHash::of(&response.body))
        });
        (self.act)(WarcItem::Known(Box::new(Known { origin, state, copy, place })))
    }
}

impl<A: FnMut(WarcItem) -> Result<(), E>, E: From<Panicked>> Sink<RecordFound> for Collect<A> {
    type Error = E;

    fn found(&mut self, found: RecordFound, counts: &mut Counts) -> Result<(), E> {
        match found {
            RecordFound::Answer(id, capture) => {
                self.end(counts)?;
                self.last = Some((id, *capture));
                Ok(())
            }
            RecordFound::State(state) => self.state(*state, counts),
        }
    }

    fn damaged(&mut self, place: RecordPlace, what: String, _: Option<Box<str>>) -> Result<(), E> {
        (self.act)(WarcItem::Damaged { place, what })
    }

    fn unreadable(&mut self, unreadable: Unreadable) -> Result<(), E> {
        (self.act)(WarcItem::Unreadable(unreadable))
    }

    /// Gives the last answer away.
    fn end(&mut self, counts: &mut Counts) -> Result<(), E> {
        let Some((_, mut capture)) = self.last.take() else { return Ok(()) };
        // What follows is not for the copy of a store, which is as it should be.
        if capture.time() > self.latest {
            let what = "its WARC-Date is in the future: its clock was wrong";
            counts.damaged += 1;
            return self.damaged(capture.place, what.to_owned(), None);
        }
        if let SiteAnswer::Final(response) = &mut capture.answer
            && response.is_truncated
        {
            let empty = Response::new(response.status, Vec::new());
            capture.answer = found::whole_lines(std::mem::replace(response, empty), true);
        }
        (self.act)(WarcItem::Capture(capture))
    }
}
