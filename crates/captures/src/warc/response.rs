//! The answers in records, for whatever somebody makes of them.

use std::fmt;

use robotsieve::internals::says_part;
use robotsieve_client::Timestamp;

use super::extract::{Counts, Extract, Panicked, Sink, Unreadable};
use super::found::{
    is_of_nothing, names_of_payload, of_response, references, says_nothing, text, time,
};
use super::http;
use super::reading::{PIECE_BYTES, Reading};
use super::record::{End, Kind, Record};
use super::source::WarcInput;
use crate::capture::{CLOCK_TOLERANCE, Key, MAX_URL_BYTES, RecordNames, RecordPlace, SiteAnswer};
use crate::history::RepeatedAt;
use crate::payload::PayloadClaim;

/// An answer in a WARC file.
pub struct ResponseRecord<'r> {
    /// The URL that was asked for, as the record has it.
    pub url: &'r str,
    /// When.
    pub at: Timestamp,
    /// Where the record stands.
    pub place: RecordPlace,
    /// The status of the answer; 0 for a revisit of which the archive kept no header.
    pub status: u16,
    /// Where the record may be that has the body of a revisit, the best place first; `None` if it is no
    /// revisit. Status and header are its own.
    pub repeats: Option<[Option<RepeatedAt<Box<str>>>; 3]>,
    id: &'r [u8],
    payload_digest: &'r [u8],
    headers: &'r [httparse::Header<'r>],
    wire: &'r [u8],
    block: &'r [u8],
    end: End,
}

/// The body of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Its bytes, with chunks and encodings undone.
    pub bytes: Vec<u8>,
    /// True if something is missing at its end: the crawler cut it, it is longer than 64 MiB, or it is broken.
    pub is_cut: bool,
    /// True if it ended too early, or its encoding could be undone only in part.
    pub is_broken: bool,
}

impl ResponseRecord<'_> {
    /// The fields of its header, in their order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> + Clone {
        self.headers.iter().map(|header| (header.name, header.value))
    }

    /// The first value of a field.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The answer without its body; of a revisit, what its own status and header say.
    #[must_use]
    pub fn answer(&self) -> SiteAnswer {
        let mut headers = self.headers.to_vec();
        let mut head = httparse::Response::new(&mut headers);
        head.code = Some(self.status);
        of_response(http::bodyless(&head), self.url, false)
    }

    /// The names by which revisits may refer to its body; none for a revisit, whose body is another's.
    #[must_use]
    pub fn names(&self) -> RecordNames {
        match self.repeats {
            Some(_) => RecordNames::default(),
            None => RecordNames::of(text(self.id), text(self.payload_digest)),
        }
    }

    /// Returns true if it is a revisit of a payload and does not say where that is.
    #[must_use]
    pub fn repeats_nothing(&self) -> bool {
        let names = RecordNames::of("", text(self.payload_digest));
        matches!(self.repeats, Some([None, None, None]))
            && matches!(self.status, 0 | 200..=299)
            && !is_of_nothing(&names)
    }

    /// What the record says of its payload; of a revisit, of the one that it repeats.
    #[must_use]
    pub fn claim(&self) -> PayloadClaim {
        let is_part = || self.headers().any(|(name, value)| says_part(name.as_bytes(), value));
        match self.repeats.is_some() && is_part() {
            true => PayloadClaim::Part,
            false => names_of_payload(self.payload_digest, self.status).claim(),
        }
    }

    /// The bytes of the answer as the record has them: status, header and body, before chunks and encodings are undone.
    #[must_use]
    pub fn block(&self) -> &[u8] {
        self.block
    }

    /// The body, or what there is of it. `O(n)` of what it becomes, 64 MiB at most.
    ///
    /// # Errors
    /// Returns an error if an encoding cannot be undone, or if another record has it.
    pub fn body(&self) -> Result<Body, String> {
        if self.repeats.is_some() {
            return match is_of_nothing(&names_of_payload(self.payload_digest, self.status)) {
                true => Ok(Body { bytes: Vec::new(), is_cut: false, is_broken: false }),
                false => Err("another record has its body".to_owned()),
            };
        }
        if let Ok((bytes, is_cut)) = http::body(self.headers, self.wire, self.end) {
            return Ok(Body { bytes, is_cut, is_broken: false });
        }
        let so_far = http::body(self.headers, self.wire, End::Limit);
        let (bytes, is_cut) = so_far.map_err(|failure| failure.to_string())?;
        Ok(Body { bytes, is_cut, is_broken: true })
    }
}

impl fmt::Debug for ResponseRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ResponseRecord { url, at, place, status, .. } = self;
        f.debug_struct("ResponseRecord")
            .field("url", url)
            .field("at", at)
            .field("place", place)
            .field("status", status)
            .finish_non_exhaustive()
    }
}

/// The records that count as answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// Responses and revisits.
    Responses,
    /// Resources of http and https URLs too: each as an answer 200 whose header has the type of the record.
    AndResources,
}

/// An item of the answers in WARC files.
#[derive(Debug)]
pub enum ResponseItem<T> {
    /// What was made of an answer.
    Made(T),
    /// Something that is no record, or one that says nothing: it is left out.
    Damaged {
        /// Where it stands.
        place: RecordPlace,
        /// What is wrong with it. The text may have bytes of the input in it.
        what: String,
        /// The URL of the record, if so much of it could be read. Without one it may be any record.
        url: Option<Box<str>>,
    },
    /// An input that could not be read, or not to its end: the rest of it is left out.
    Unreadable(Unreadable),
}

/// Reads the answers in inputs, revisits among them: `look` makes something of each, in the threads that read, and `act` takes
/// it in the order of the inputs, damage and inputs that cannot be read included. `done` is called with the
/// numbers of bytes that were read. What `look` returns as an error is damage. Requests, what has no http or
/// https URL, and resources if `with` leaves them out, are passed over.
///
/// `weigh` says about how many bytes of memory something takes that was made.
///
/// Memory: as for [`read`](super::read), and 32 MiB of what was made for each of some four pieces a thread.
///
/// ```
/// use robotsieve_captures::warc::{self, Answers, Panicked, ResponseItem, WarcInput};
///
/// let record = "WARC/1.1\r\n\
///     WARC-Type: response\r\n\
///     WARC-Date: 2026-01-10T12:00:00Z\r\n\
///     WARC-Target-URI: https://example.com/\r\n\
///     Content-Type: application/http; msgtype=response\r\n\
///     Content-Length: 26\r\n\r\n\
///     HTTP/1.1 404 Not Found\r\n\r\n\r\n\r\n";
/// let source = WarcInput::memory("example.warc", record)?;
/// let mut found = Vec::new();
/// let look = |response: &warc::ResponseRecord<'_>| Ok((response.url.to_owned(), response.status));
/// let weigh = |(url, _): &(String, u16)| url.len();
/// warc::read_responses(Answers::Responses, [Ok(source)], 1, look, weigh, |item| {
///     if let ResponseItem::Made(made) = item {
///         found.push(made);
///     }
///     Ok::<(), Panicked>(())
/// }, |_| ())?;
/// assert_eq!(found, [("https://example.com/".to_owned(), 404)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if `act` does, or if a thread has panicked.
pub fn read_responses<T: Send, E: From<Panicked>>(
    with: Answers,
    inputs: impl IntoIterator<Item = Result<WarcInput, Unreadable>>,
    threads: usize,
    look: impl Fn(&ResponseRecord<'_>) -> Result<T, String> + Sync,
    weigh: impl Fn(&T) -> usize + Sync,
    act: impl FnMut(ResponseItem<T>) -> Result<(), E>,
    done: impl Fn(u64),
) -> Result<Counts, E> {
    let reading = Reading { threads, piece_bytes: PIECE_BYTES };
    let latest = Timestamp::now() + CLOCK_TOLERANCE;
    reading.read(inputs, &Look { look, weigh, with, latest }, &mut Act(act), done)
}

struct Look<L, W> {
    look: L,
    weigh: W,
    with: Answers,
    /// Later times come from a wrong clock.
    latest: Timestamp,
}

impl<L, W, T: Send> Extract for Look<L, W>
where
    L: Fn(&ResponseRecord<'_>) -> Result<T, String> + Sync,
    W: Fn(&T) -> usize + Sync,
{
    type Found = T;

    fn is_wanted(&self, record: &Record<'_>) -> bool {
        let is_of_web = ["http://", "https://"].iter().any(|scheme| {
            let begin = record.uri.get(..scheme.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(scheme.as_bytes()))
        });
        match record.kind {
            // It may be any answer.
            Kind::Response | Kind::Revisit | Kind::Resource if !record.has_uri() => true,
            Kind::Response | Kind::Revisit => is_of_web,
            Kind::Resource => is_of_web && self.with == Answers::AndResources,
            _ => false,
        }
    }

    fn read(&self, record: &Record<'_>, place: RecordPlace) -> Option<Result<T, String>> {
        if let Some(what) = says_nothing(record) {
            return Some(Err(what));
        }
        let url = match str::from_utf8(record.uri) {
            Ok(url) if url.len() <= MAX_URL_BYTES => url,
            Ok(_) => return Some(Err(format!("its URL is longer than {MAX_URL_BYTES} bytes"))),
            Err(_) => return Some(Err("its URL is not UTF-8".to_owned())),
        };
        let at = match time(record.date, "WARC-Date") {
            Ok(at) if at > self.latest => {
                let what = "its WARC-Date is in the future: its clock was wrong";
                return Some(Err(what.to_owned()));
            }
            Ok(at) => at,
            Err(what) => return Some(Err(what)),
        };
        let is_revisit = record.kind == Kind::Revisit;
        // One that refers to nothing still has a header.
        let repeats = |status| {
            Key::of(url).map(|key| references(record, &key, at, status)).unwrap_or_default()
        };
        let Record { id, payload_digest, end, .. } = *record;
        let look = |status, headers: &[httparse::Header<'_>], wire: &[u8]| {
            let repeats = is_revisit.then(|| repeats(status));
            (self.look)(&ResponseRecord {
                url,
                at,
                place: place.clone(),
                status,
                repeats,
                id,
                payload_digest,
                headers,
                wire,
                block: record.block,
                end,
            })
        };
        if record.kind == Kind::Resource {
            let header = httparse::Header { name: "Content-Type", value: record.content_type };
            return Some(look(200, &[header], record.block));
        }
        if is_revisit && record.block.trim_ascii().is_empty() {
            return Some(look(0, &[], &[]));
        }
        let of_revisit;
        let block = match is_revisit {
            true => {
                of_revisit = http::ended(record.block);
                &of_revisit
            }
            false => record.block,
        };
        let made = http::with_head(block, |head, wire| {
            look(head.code.unwrap_or_default(), head.headers, wire)
        });
        Some(made.flatten())
    }

    fn weight(&self, found: &T) -> usize {
        128 + (self.weigh)(found)
    }
}

struct Act<A>(A);

impl<A: FnMut(ResponseItem<T>) -> Result<(), E>, T, E: From<Panicked>> Sink<T> for Act<A> {
    type Error = E;

    fn found(&mut self, found: T, _: &mut Counts) -> Result<(), E> {
        (self.0)(ResponseItem::Made(found))
    }

    fn damaged(
        &mut self,
        place: RecordPlace,
        what: String,
        url: Option<Box<str>>,
    ) -> Result<(), E> {
        (self.0)(ResponseItem::Damaged { place, what, url })
    }

    fn unreadable(&mut self, unreadable: Unreadable) -> Result<(), E> {
        (self.0)(ResponseItem::Unreadable(unreadable))
    }

    fn end(&mut self, _: &mut Counts) -> Result<(), E> {
        Ok(())
    }
}
