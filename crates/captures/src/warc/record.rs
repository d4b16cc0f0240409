//! Records of WARC: 1.0 and 1.1, and the drafts 0.17 and 0.18, which have the same form; and of ARC.

use std::io;
use std::ops::Range;

use robotsieve_client::internals::MAX_BODY_BYTES;

use super::cursor::{Cursor, Feed};
use super::form::{DRAFTS, Form, VERSION, damage};

/// The most of a block that is kept: a body as large as a store takes, and the head of an answer.
pub const MAX_BLOCK_BYTES: usize = MAX_BODY_BYTES + (1 << 20);
const MAX_HEAD_BYTES: usize = 64 << 10;

/// What is wrong where other bytes stand than those of a record.
pub const NO_RECORD: &str = "no record begins here";

/// The end of a block: does it have all that the site sent?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// As far as the record says.
    #[default]
    Whole,
    /// It was cut at the crawler's limit, or at ours.
    Limit,
    /// The site's answer ended too early: it took too long, or the connection ended.
    Early,
}

/// The kinds of records that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    Response,
    Resource,
    Revisit,
    Metadata,
    #[default]
    Other,
}

/// The head of a record: where its fields stand.
#[derive(Clone, Debug, Default)]
struct Places {
    kind: Kind,
    has_kind: bool,
    id: Range<usize>,
    date: Range<usize>,
    uri: Range<usize>,
    content_type: Range<usize>,
    refers_to: Range<usize>,
    refers_to_uri: Range<usize>,
    refers_to_date: Range<usize>,
    payload_digest: Range<usize>,
    end: End,
    len: Option<u64>,
    is_arc: bool,
}

/// A record. Fields that it does not have are empty.
#[derive(Clone, Copy, Debug)]
pub struct Record<'r> {
    pub kind: Kind,
    pub id: &'r [u8],
    pub date: &'r [u8],
    pub uri: &'r [u8],
    pub content_type: &'r [u8],
    pub refers_to: &'r [u8],
    pub refers_to_uri: &'r [u8],
    pub refers_to_date: &'r [u8],
    pub payload_digest: &'r [u8],
    pub end: End,
    /// Empty while it is asked whether the record is wanted.
    pub block: &'r [u8],
}

impl Record<'_> {
    /// Returns true if its URI begins as URIs do, with a scheme.
    pub fn has_uri(&self) -> bool {
        let scheme = memchr::memchr(b':', self.uri).map_or(&b""[..], |end| &self.uri[..end]);
        let is_of_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        scheme.first().is_some_and(u8::is_ascii_alphabetic) && scheme.iter().all(is_of_scheme)
    }

    /// Returns true if its block is a message of HTTP.
    pub fn is_http(&self) -> bool {
        let begin = self.content_type.get(..16);
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(b"application/http"))
    }
}

/// Reads one record, with the empty lines behind it. `wanted` is asked whether its block is needed;
/// of those `read` makes something. A block takes at most [`MAX_BLOCK_BYTES`] of memory, and is
/// [cut](End::Limit) if it is longer.
///
/// # Errors
/// Returns an error if none begins here, or it is damaged, or the input cannot be read.
pub fn read<F: Feed, T>(
    input: &mut Cursor<F>,
    form: Form,
    wanted: impl FnOnce(&Record<'_>) -> bool,
    read: impl FnOnce(&Record<'_>) -> T,
) -> io::Result<Option<T>> {
    let head = head_len(input, form)?;
    let places = match form {
        Form::Arc => Places::of_arc(&input.rest()[..head])?,
        Form::Warc | Form::Draft => Places::of(&input.rest()[..head])?,
    };
    let len = places.len.ok_or_else(|| damage("the record has no valid Content-Length"))?;
    let not_as_long = || damage("the record is not as long as its Content-Length says");
    if !wanted(&places.record(&input.rest()[..head], 0..0)) {
        input.advance(head);
        if !input.skip(len)? || !end(input, form)? {
            return Err(not_as_long());
        }
        return Ok(None);
    }
    let kept = usize::try_from(len).map_or(MAX_BLOCK_BYTES, |len| len.min(MAX_BLOCK_BYTES));
    if !input.ensure(head + kept)? {
        return Err(not_as_long());
    }
    let mut record = places.record(input.rest(), head..head + kept);
    if (kept as u64) < len && record.end == End::Whole {
        record.end = End::Limit;
    }
    let made = read(&record);
    input.advance(head + kept);
    if !input.skip(len - kept as u64)? || !end(input, form)? {
        return Err(not_as_long());
    }
    Ok(Some(made))
}

/// Goes beyond the end of a record. Returns false if it is none. The last record of a file may
/// lack it.
fn end<F: Feed>(input: &mut Cursor<F>, form: Form) -> io::Result<bool> {
    if form == Form::Arc {
        // A line end, which is an empty line before the next record.
        return Ok(true);
    }
    input.ensure(4)?;
    let len = input.rest().len().min(4);
    let is_end = b"\r\n\r\n".starts_with(&input.rest()[..len]);
    if is_end {
        input.advance(len);
    }
    Ok(is_end)
}

/// Goes beyond empty lines.
pub fn skip_empty_lines<F: Feed>(input: &mut Cursor<F>) -> io::Result<()> {
    loop {
        let len = input.rest().iter().take_while(|byte| b"\r\n".contains(byte)).count();
        input.advance(len);
        if !input.rest().is_empty() || !input.more()? {
            return Ok(());
        }
    }
}

/// Goes beyond zero bytes, which may stand where a record was. Returns false if there are none.
pub fn skip_zeros<F: Feed>(input: &mut Cursor<F>) -> io::Result<bool> {
    let mut has_zeros = false;
    while input.ensure(1)? && input.rest()[0] == 0 {
        let len = input.rest().iter().take_while(|byte| **byte == 0).count();
        input.advance(len);
        has_zeros = true;
    }
    Ok(has_zeros)
}

/// The length of the head that begins here, with the empty line that ends it.
fn head_len<F: Feed>(input: &mut Cursor<F>, form: Form) -> io::Result<usize> {
    input.ensure(DRAFTS[0].len())?;
    let begins = |with: &&[u8]| input.rest().starts_with(with);
    if form != Form::Arc && !begins(&VERSION) && !DRAFTS.iter().any(&begins) {
        return Err(damage(match begins(&&b"WARC/0."[..]) {
            true => {
                "a record of WARC before 0.17 begins here, which has another form: convert the file to WARC/1.1"
            }
            false => NO_RECORD,
        }));
    }
    let mut line = 0;
    let mut searched = 0;
    loop {
        let rest = input.rest();
        match memchr::memchr(b'\n', &rest[searched..]) {
            Some(end) => {
                let end = searched + end;
                if form == Form::Arc || matches!(&rest[line..end], b"" | b"\r") {
                    return Ok(end + 1);
                }
                line = end + 1;
                searched = line;
                // No field has such a name: another record begins. Without this, many beginnings of heads would each
                // be searched for an end.
                input.ensure(line + VERSION.len())?;
                if form != Form::Arc && input.rest()[line..].starts_with(VERSION) {
                    return Err(damage("the head of the record has no end"));
                }
            }
            None => {
                searched = rest.len();
                if searched > MAX_HEAD_BYTES || !input.more()? {
                    return Err(damage("the head of the record has no end"));
                }
            }
        }
        if line > MAX_HEAD_BYTES {
            return Err(damage("the head of the record has no end"));
        }
    }
}

impl Places {
    /// The head of a record of ARC: a line with URL, IP address, time, type and length; in its version 2
    /// five more fields before the length.
    fn of_arc(head: &[u8]) -> io::Result<Places> {
        let none = || damage("no record of ARC begins here");
        let text = head.trim_ascii_end();
        let places: Vec<usize> = memchr::memchr_iter(b' ', text).collect();
        let field = |from_end: usize| {
            let start = places.len().checked_sub(from_end).map(|place| places[place] + 1)?;
            let end = places.get(places.len() - from_end + 1).copied().unwrap_or(text.len());
            Some(start..end)
        };
        let is_time = |place: &Range<usize>| {
            place.len() == 14 && text[place.clone()].iter().all(u8::is_ascii_digit)
        };
        // A URL may have spaces, so they are counted from the end.
        let date =
            [3, 8].into_iter().find_map(|place| field(place).filter(is_time)).ok_or_else(none)?;
        let before_ip =
            text[..date.start - 1].iter().rposition(|byte| *byte == b' ').ok_or_else(none)?;
        let uri = 0..before_ip;
        let len = field(1).and_then(|len| str::from_utf8(&text[len]).ok()?.parse().ok());
        let url = &text[uri.clone()];
        let is_of_web = ["http:", "https:"].iter().any(|scheme| {
            url.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme.as_bytes()))
        });
        let kind = if is_of_web { Kind::Response } else { Kind::Other };
        Ok(Places { kind, has_kind: true, date, uri, len, is_arc: true, ..Places::default() })
    }

    fn of(head: &[u8]) -> io::Result<Places> {
        let mut places = Places::default();
        let first = memchr::memchr(b'\n', head).map_or(head.len(), |end| end + 1);
        let mut start = first;
        while let Some(len) = memchr::memchr(b'\n', &head[start..]) {
            let mut line = start..start + len;
            if matches!(&head[line.clone()], b"" | b"\r") {
                break;
            }
            // A value goes on in lines that begin with white space.
            while let Some(b' ' | b'\t') = head.get(line.end + 1)
                && let Some(len) = memchr::memchr(b'\n', &head[line.end + 1..])
            {
                line.end += 1 + len;
            }
            start = line.end + 1;
            let bytes = &head[line.clone()];
            let colon = memchr::memchr(b':', bytes)
                .ok_or_else(|| damage("a line of its head has no name"))?;
            let value = trimmed(head, line.start + colon + 1..line.end);
            places.field(head, &bytes[..colon], value)?;
        }
        match places.has_kind {
            true => Ok(places),
            false => Err(damage("the record has no WARC-Type")),
        }
    }

    fn field(&mut self, head: &[u8], name: &[u8], value: Range<usize>) -> io::Result<()> {
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        let text = &head[value.clone()];
        let is_folded = memchr::memchr(b'\n', text).is_some();
        match name.len() {
            9 if is("WARC-Type") => {
                if self.has_kind {
                    return Err(damage("another record begins in its head"));
                }
                self.has_kind = true;
                let kinds = [
                    ("response", Kind::Response),
                    ("resource", Kind::Resource),
                    ("revisit", Kind::Revisit),
                    ("metadata", Kind::Metadata),
                ];
                let known = |(name, _): &&(&str, Kind)| text.eq_ignore_ascii_case(name.as_bytes());
                self.kind = kinds.iter().find(known).map_or(Kind::Other, |(_, kind)| *kind);
            }
            9 if is("WARC-Date") => self.date = value,
            12 if is("Content-Type") => {
                self.content_type = value;
                return Ok(());
            }
            14 if is("WARC-Record-ID") => self.id = value,
            14 if is("WARC-Refers-To") => self.refers_to = value,
            14 if is("WARC-Truncated") => {
                let is_limit = text.eq_ignore_ascii_case(b"length") && self.end != End::Early;
                self.end = if is_limit { End::Limit } else { End::Early };
            }
            14 if is("Content-Length") => {
                self.len = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            }
            15 if is("WARC-Target-URI") => self.uri = unbracketed(head, value),
            // The rest stands in records of their own, which are not put together.
            19 if is("WARC-Segment-Number") => self.end = End::Early,
            19 if is("WARC-Refers-To-Date") => self.refers_to_date = value,
            19 if is("WARC-Payload-Digest") => self.payload_digest = value,
            25 if is("WARC-Refers-To-Target-URI") => self.refers_to_uri = unbracketed(head, value),
            _ => return Ok(()),
        }
        match is_folded {
            // None of these values has white space in it.
            true => Err(damage("a value of its head is broken into lines")),
            false => Ok(()),
        }
    }

    fn record<'r>(&self, bytes: &'r [u8], block: Range<usize>) -> Record<'r> {
        Record {
            kind: self.kind,
            id: &bytes[self.id.clone()],
            date: &bytes[self.date.clone()],
            uri: &bytes[self.uri.clone()],
            content_type: match self.is_arc {
                true => b"application/http",
                false => &bytes[self.content_type.clone()],
            },
            refers_to: &bytes[self.refers_to.clone()],
            refers_to_uri: &bytes[self.refers_to_uri.clone()],
            refers_to_date: &bytes[self.refers_to_date.clone()],
            payload_digest: &bytes[self.payload_digest.clone()],
            end: self.end,
            block: &bytes[block],
        }
    }
}

fn trimmed(head: &[u8], value: Range<usize>) -> Range<usize> {
    let text = head[value.clone()].trim_ascii_start();
    let start = value.end - text.len();
    start..start + text.trim_ascii_end().len()
}

/// WARC 1.0 was read by some as if these brackets were part of a URI.
fn unbracketed(head: &[u8], value: Range<usize>) -> Range<usize> {
    let text = &head[value.clone()];
    let start = usize::from(text.first() == Some(&b'<'));
    let end = usize::from(text.len() > start && text.last() == Some(&b'>'));
    value.start + start..value.end - end
}
