//! A piece of an input: the records that begin in it.
//!
//! Where a piece of a file has its first record is searched, so a search might take for a record
//! what only looks like one in a body. So a piece also says where it begins and ends, and what
//! follows a piece counts only if it begins where that ended.

use std::io;

use memchr::memmem::Finder;

use super::codec::Codec;
use super::cursor::{Bounds, Buffer, Cursor, Feed, InputFeed};
use super::extract::{Extract, Extracted};
use super::member::{self, Decode, Member};
use super::record::{self, NO_RECORD};
use super::source::WarcInput;
use crate::capture::{At, MAX_URL_BYTES, RecordPlace};

/// How much of a stream beyond its end is read for a piece that may not be wanted.
const AHEAD_BYTES: u64 = 8 << 20;
/// How much may be found in a piece before some of it is handed on.
const MAX_FOUND_BYTES: usize = 32 << 20;

/// Memory for a longer record is given back after it.
const MAX_SPARE_BYTES: usize = 4 << 20;

/// Takes what was found so far.
pub type HandOn<'h, F> = &'h mut dyn FnMut(Vec<Extracted<F>>) -> io::Result<()>;

/// Where to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Here, and nobody needs what comes before.
    Here(u64),
    /// At the first record from here on.
    Search(u64),
}

/// The contents of a piece.
pub struct Read<F> {
    /// Where its first record begins. `None` if it has none, or gave up.
    pub start: Option<u64>,
    /// Where what comes next begins.
    pub end: u64,
    /// True if that is the end of the input.
    pub is_over: bool,
    pub found: Vec<Extracted<F>>,
    pub records: u64,
    /// Why the input could not be read on.
    pub failure: Option<io::Error>,
}

impl<F> Read<F> {
    /// Nothing, at a place.
    fn nothing(end: u64) -> Read<F> {
        Read { start: None, end, is_over: false, found: Vec::new(), records: 0, failure: None }
    }
}

/// Memory that a thread uses for one piece after the other, so that it is filled with zeros once.
#[derive(Default)]
pub struct Memory {
    input: Buffer,
    /// What members become.
    text: Buffer,
}

/// Reads the records that begin before `until`. If very much is found, `hand_on` takes some of it
/// before the end; without `hand_on` it gives up, and [`Read::start`] is `None`.
pub fn read<'p, X: Extract>(
    extract: &'p X,
    source: &'p WarcInput,
    begin: Begin,
    until: u64,
    hand_on: Option<HandOn<'p, X::Found>>,
    memory: &mut Memory,
) -> Read<X::Found> {
    let (at, bounds) = match begin {
        Begin::Here(at) => (at, Bounds::Release),
        Begin::Search(at) => (at, Bounds::Until(until.saturating_add(AHEAD_BYTES))),
    };
    let spare = std::mem::take(&mut memory.text);
    // The line end before a record is sought as well.
    let sought = if source.codec.is_none() { at.saturating_sub(1) } else { at };
    let at = if begin == Begin::Search(at) { sought } else { at };
    let mut piece = Piece { extract, source, hand_on, weight: 0, spare, read: Read::nothing(at) };
    memory.input.clear();
    let feed = InputFeed::new(source, at, bounds);
    let mut input = Cursor::new(feed, std::mem::take(&mut memory.input));
    let result = match &source.codec {
        None => piece.plain(&mut input, begin, until),
        Some(codec) => piece.members(&mut input, codec, begin, until),
    };
    *memory = Memory { input: not_too_large(input.into_buffer()), text: piece.spare };
    if let Err(cause) = result {
        if cause.kind() == io::ErrorKind::Interrupted {
            // It gave up. It is read again if it is wanted.
            return Read::nothing(at);
        }
        piece.read.failure = Some(cause);
    }
    piece.read
}

/// Memory to use again, unless it is that of a very long record.
fn not_too_large(memory: Buffer) -> Buffer {
    if memory.memory_bytes() > MAX_SPARE_BYTES { Buffer::default() } else { memory }
}

struct Piece<'p, X: Extract> {
    extract: &'p X,
    source: &'p WarcInput,
    hand_on: Option<HandOn<'p, X::Found>>,
    /// How much memory is taken by what was found.
    weight: usize,
    /// Memory to decode to.
    spare: Buffer,
    read: Read<X::Found>,
}

impl<X: Extract> Piece<'_, X> {
    fn plain(
        &mut self,
        input: &mut Cursor<InputFeed<'_>>,
        begin: Begin,
        until: u64,
    ) -> io::Result<()> {
        let line = [b"\n", self.source.form.begins()].concat();
        let line = Finder::new(&line);
        if let Begin::Search(_) = begin {
            if !input.find(&line, until)? {
                return self.ends(input);
            }
            input.advance(1);
        }
        self.read.start = Some(input.place());
        loop {
            record::skip_empty_lines(input)?;
            let place = input.place();
            if place >= until || input.is_over()? {
                return self.ends(input);
            }
            self.hand_on()?;
            if self.skips_zeros(input, place)? {
                continue;
            }
            let found = self.record(input, place);
            if let Some(what) = damage(found)? {
                self.damaged(place, what, None);
                // A wrong length says nothing about where the next record begins.
                input.go_to((place + 1).max(self.source.first()));
                if input.find(&line, u64::MAX)? {
                    input.advance(1);
                }
            }
        }
    }

    fn members(
        &mut self,
        input: &mut Cursor<InputFeed<'_>>,
        codec: &Codec,
        begin: Begin,
        until: u64,
    ) -> io::Result<()> {
        let mut decode = Decode::new(codec)?;
        let begins = self.source.form.begins();
        if matches!(begin, Begin::Search(_))
            && !member::find(input, codec, begins, &mut decode, until)?
        {
            return self.ends(input);
        }
        self.read.start = Some(input.place());
        loop {
            let place = input.place();
            if place >= until || input.is_over()? {
                return self.ends(input);
            }
            self.hand_on()?;
            if self.skips_zeros(input, place)? {
                continue;
            }
            let read = self.member(input, &mut decode, place);
            if let Some(what) = damage(read)? {
                self.damaged(place, what, None);
                // Text inside of a member is never taken for a record once something was wrong
                // with it: it may be anybody's.
                input.go_to((place + 1).max(self.source.first()));
                member::find(input, codec, begins, &mut decode, u64::MAX)?;
            }
        }
    }

    /// Reads the records of a member. What is wrong with one of them is no damage of the member.
    fn member(
        &mut self,
        input: &mut Cursor<InputFeed<'_>>,
        decode: &mut Decode,
        place: u64,
    ) -> io::Result<()> {
        let Some(member) = Member::begin(input, decode, &mut self.spare)? else { return Ok(()) };
        let mut text = Cursor::new(member, std::mem::take(&mut self.spare));
        let read = self.records(&mut text, place);
        self.spare = not_too_large(text.into_buffer());
        read
    }

    fn records(&mut self, text: &mut Cursor<Member<'_, '_>>, place: u64) -> io::Result<()> {
        loop {
            record::skip_empty_lines(text)?;
            if text.is_over()? {
                return Ok(());
            }
            self.hand_on()?;
            let known = (self.read.found.len(), self.read.records);
            let read = self.record(text, place).and_then(|()| {
                // At its end a member is compared with its checksum.
                record::skip_empty_lines(text)
            });
            let Err(cause) = read else { continue };
            self.read.found.truncate(known.0);
            self.read.records = known.1;
            if cause.kind() != io::ErrorKind::InvalidData {
                return Err(cause);
            }
            // If the member itself is sound, the next one begins at its end.
            let end = text.skip(u64::MAX);
            if end.is_err() {
                return Err(cause);
            }
            self.damaged(place, cause.to_string(), None);
            return Ok(());
        }
    }

    fn record<F: Feed>(&mut self, input: &mut Cursor<F>, place: u64) -> io::Result<()> {
        let Piece { extract, source, read, .. } = self;
        let is_wanted =
            |record: &record::Record<'_>| may_be_wat(record) || extract.is_wanted(record);
        let mut is_wat = false;
        let made = |record: &record::Record<'_>| {
            if may_be_wat(record) {
                is_wat |= memchr::memmem::find(record.block, b"\"Envelope\"").is_some();
                if !extract.is_wanted(record) {
                    return None;
                }
            }
            let place = RecordPlace { file: source.path.clone(), at: At::Byte(place) };
            // What is longer is no document's.
            let uri = &record.uri[..record.uri.len().min(MAX_URL_BYTES)];
            let url = || record.has_uri().then(|| String::from_utf8_lossy(uri).into());
            extract.read(record, place).map(|read| read.map_err(|what| (what, url())))
        };
        let found = record::read(input, source.form, is_wanted, made)?;
        if is_wat {
            return Err(io::Error::new(io::ErrorKind::Unsupported, WAT));
        }
        read.records += 1;
        match found.flatten() {
            None => {}
            Some(Ok(found)) => {
                self.weight += extract.weight(&found);
                self.read.found.push(Extracted::Made(found));
            }
            Some(Err((what, url))) => self.damaged(place, what, url),
        }
        Ok(())
    }

    fn hand_on(&mut self) -> io::Result<()> {
        if self.weight < MAX_FOUND_BYTES {
            return Ok(());
        }
        self.weight = 0;
        match &mut self.hand_on {
            Some(hand_on) => hand_on(std::mem::take(&mut self.read.found)),
            None => Err(io::Error::new(io::ErrorKind::Interrupted, "too much at once")),
        }
    }

    fn ends(&mut self, input: &mut Cursor<InputFeed<'_>>) -> io::Result<()> {
        self.read.end = input.place();
        self.read.is_over = input.is_over()?;
        Ok(())
    }

    /// Goes beyond zero bytes where a record should begin. They are damage, but for those at the end of the file, which
    /// fill a block. Returns false if there are none.
    fn skips_zeros(&mut self, input: &mut Cursor<InputFeed<'_>>, place: u64) -> io::Result<bool> {
        let has_zeros = record::skip_zeros(input)?;
        if has_zeros && !input.is_over()? {
            self.damaged(place, NO_RECORD.to_owned(), None);
        }
        Ok(has_zeros)
    }

    fn damaged(&mut self, place: u64, what: String, url: Option<Box<str>>) {
        self.weight += 128 + url.as_ref().map_or(0, |url| url.len());
        self.read.found.push(Extracted::Damage(At::Byte(place), what, url));
    }
}

const WAT: &str = "it is a WAT file, which has headers, but neither pages nor robots.txt files: give the \
                   WARC file that it was made from";

/// Returns true if a record may be one of a WAT file, by its head: JSON that describes another record.
fn may_be_wat(record: &record::Record<'_>) -> bool {
    let json = b"application/json";
    record.kind == record::Kind::Metadata
        && !record.refers_to.is_empty()
        && record.content_type.get(..json.len()).is_some_and(|own| own.eq_ignore_ascii_case(json))
}

/// What is wrong with the bytes.
///
/// # Errors
/// Returns an error that is not of the bytes.
fn damage<T>(read: io::Result<T>) -> io::Result<Option<String>> {
    match read {
        Ok(_) => Ok(None),
        Err(cause) if cause.kind() == io::ErrorKind::InvalidData => Ok(Some(cause.to_string())),
        Err(cause) => Err(cause),
    }
}
