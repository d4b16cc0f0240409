//! The HTTP answer in the block of a record.

use std::borrow::Cow;
use std::mem::MaybeUninit;

use http::header::{
    AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, DATE, ETAG, EXPIRES, HeaderMap,
    HeaderName, HeaderValue, LAST_MODIFIED, LOCATION, RETRY_AFTER, TRANSFER_ENCODING,
};
use robotsieve_client::internals::{BodyLimits, Incoming, MAX_BODY_BYTES};
use robotsieve_client::outcome::{Failure, Response};

use super::record::End;

/// As many as the fetcher takes.
const MAX_HEADERS: usize = 1000;

/// The beginnings of status lines as some writers have them, for versions that have none.
const LATER_VERSIONS: [&[u8]; 4] = [b"HTTP/2 ", b"HTTP/2.0 ", b"HTTP/3 ", b"HTTP/3.0 "];

/// The headers that something follows from once the body is read.
const KEPT: [HeaderName; 8] =
    [AGE, CACHE_CONTROL, DATE, ETAG, EXPIRES, LAST_MODIFIED, LOCATION, RETRY_AFTER];

/// The headers that say how the body was sent.
#[derive(Default)]
struct Sent {
    /// The encodings of the content, and those that were applied on the way.
    encodings: HeaderMap,
    /// The length. Of several, the largest.
    len: Option<u64>,
}

/// The answer in a block, with its encodings undone and the headers that matter, or what went wrong on the site's side, as for
/// a fetcher that had received these bytes. If `end` says that the block was cut at a limit, the
/// body is what is left of it, and may end with half a line; so may one that is longer than a store
/// takes, of which a little more than that is kept. Both are marked as truncated.
///
/// # Errors
/// Returns an error if it is not an HTTP answer.
pub fn response(block: &[u8], end: End) -> Result<Result<Response, Failure>, String> {
    with_head(block, |head, wire| of_head(head, wire, end))
}

/// Calls `act` with the head of the answer in a block, and with what follows it.
///
/// # Errors
/// Returns an error if it is not an HTTP answer.
pub fn with_head<T>(
    block: &[u8],
    act: impl FnOnce(&httparse::Response<'_, '_>, &[u8]) -> T,
) -> Result<T, String> {
    let later = LATER_VERSIONS.iter().find_map(|version| block.strip_prefix(*version));
    let as_http1 = later.map(|rest| [b"HTTP/1.1 ", rest].concat());
    let block = as_http1.as_deref().unwrap_or(block);
    // Filling so many would take longer than all the rest.
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut head = httparse::Response::new(&mut []);
    let parsed = httparse::ParserConfig::default()
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .parse_response_with_uninit_headers(&mut head, block, &mut headers);
    match parsed {
        Ok(httparse::Status::Complete(len)) => Ok(act(&head, &block[len..])),
        Ok(httparse::Status::Partial) => Err("the head of the answer has no end".into()),
        Err(cause) => Err(format!("it is not an HTTP answer: {cause}")),
    }
}

fn of_head(head: &httparse::Response<'_, '_>, wire: &[u8], end: End) -> Result<Response, Failure> {
    let mut response = Response::new(head.code.unwrap_or_default(), Vec::new());
    for header in &*head.headers {
        let is = |name: &&HeaderName| header.name.eq_ignore_ascii_case(name.as_str());
        if let Some(name) = KEPT.iter().find(is)
            && let Ok(value) = HeaderValue::from_bytes(header.value)
        {
            response.headers.append(name, value);
        }
    }
    // Bodies of other answers are not the file.
    if !(200..300).contains(&response.status) {
        return Ok(response);
    }
    let (body, is_cut) = body(head.headers, wire, end)?;
    // Of the encoded bytes, UTF-16 could not be told.
    let headers = response.headers;
    let mut response = Response::new(response.status, body);
    response.headers = headers;
    response.is_truncated = is_cut;
    Ok(response)
}

/// The body of an answer, of which `wire` is what was sent, with its encodings undone, and whether
/// it was cut.
///
/// # Errors
/// Returns an error if it ended too early, or an encoding cannot be undone.
pub fn body(
    headers: &[httparse::Header<'_>],
    wire: &[u8],
    end: End,
) -> Result<(Vec<u8>, bool), Failure> {
    let mut sent = Sent::default();
    for header in headers {
        let is = |name: &HeaderName| header.name.eq_ignore_ascii_case(name.as_str());
        let name = if is(&CONTENT_LENGTH) {
            sent.len = sent.len.max(len_of(header.value));
            continue;
        } else if is(&CONTENT_ENCODING) {
            CONTENT_ENCODING
        } else if is(&TRANSFER_ENCODING) {
            TRANSFER_ENCODING
        } else {
            continue;
        };
        if let Ok(value) = HeaderValue::from_bytes(header.value) {
            sent.encodings.append(name, value);
        }
    }
    let (body, is_longer) = decode(&sent, wire, end)?;
    Ok((body, end == End::Limit || is_longer))
}

/// The failure of an answer that ended too early.
pub fn broken() -> Failure {
    Failure::Broken("end of file before message length reached".to_owned())
}

/// The body, and whether it is longer than a store takes.
fn decode(sent: &Sent, wire: &[u8], end: End) -> Result<(Vec<u8>, bool), Failure> {
    if end == End::Early {
        return Err(broken());
    }
    let transfer = sent.encodings.get_all(TRANSFER_ENCODING).iter();
    let is_chunked = transfer.flat_map(parts).any(|name| name.eq_ignore_ascii_case("chunked"));
    let body: Cow<'_, [u8]> = match if is_chunked { unchunked(wire) } else { Chunks::None } {
        Chunks::All(body) => body.into(),
        Chunks::Cut(body) if end == End::Limit => body.into(),
        Chunks::Cut(_) => return Err(broken()),
        // Many writers undo the chunks but leave the header.
        Chunks::None => {
            if end == End::Whole && sent.len.is_some_and(|len| (wire.len() as u64) < len) {
                return Err(broken());
            }
            wire.into()
        }
    };
    if sent.encodings.is_empty() && body.len() <= MAX_BODY_BYTES {
        return Ok((body.into_owned(), false));
    }
    let limits = BodyLimits { wire_bytes: usize::MAX, body_bytes: MAX_BODY_BYTES };
    let mut incoming = Incoming::new(&sent.encodings, limits)?;
    let pushed = incoming.push(&body);
    if end == End::Limit {
        // Of a body that was cut, this is what there is of it.
        let decoded = incoming.so_far();
        return match pushed {
            Err(failure) if decoded.is_empty() => undone(body.into_owned()).ok_or(failure),
            _ => Ok((decoded, false)),
        };
    }
    match pushed.and_then(|_| incoming.end()) {
        Ok(decoded) => Ok(decoded),
        Err(failure) => undone(body.into_owned()).ok_or(failure),
    }
}

/// A body whose encodings the writer has undone, but left the headers: a text.
fn undone(body: Vec<u8>) -> Option<(Vec<u8>, bool)> {
    const BEGINNING: usize = 1024;
    let is_text = |byte: &u8| *byte >= b' ' || matches!(*byte, b'\t' | b'\n' | b'\r' | 0x0c);
    body.iter().take(BEGINNING).all(is_text).then(|| {
        let is_longer = body.len() > MAX_BODY_BYTES;
        (body, is_longer)
    })
}

/// What a `Content-Length` says: the largest number in it.
fn len_of(value: &[u8]) -> Option<u64> {
    let numbers = str::from_utf8(value).ok()?.split(',');
    numbers.filter_map(|number| number.trim_ascii().parse().ok()).max()
}

/// The parts of a header that is a list.
fn parts(value: &HeaderValue) -> impl Iterator<Item = &str> {
    value.to_str().unwrap_or_default().split(',').map(str::trim_ascii)
}

/// A body in chunks.
enum Chunks {
    /// It does not begin like one.
    None,
    /// It has no end, or something else follows these bytes.
    Cut(Vec<u8>),
    All(Vec<u8>),
}

fn unchunked(mut bytes: &[u8]) -> Chunks {
    let mut body = Vec::new();
    let mut is_first = true;
    loop {
        let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
        let line = bytes[..end].split(|byte| *byte == b';').next().unwrap_or_default();
        let line = line.trim_ascii();
        let size = str::from_utf8(line).ok().and_then(|line| usize::from_str_radix(line, 16).ok());
        let (Some(size), Some(rest)) = (size, bytes.get(end + 1..)) else {
            let is_size = line.iter().all(u8::is_ascii_hexdigit);
            return if is_first && !is_size { Chunks::None } else { Chunks::Cut(body) };
        };
        is_first = false;
        if size == 0 {
            return Chunks::All(body);
        }
        let chunk = &rest[..size.min(rest.len())];
        body.extend_from_slice(chunk);
        match rest[chunk.len()..].strip_prefix(b"\r\n") {
            Some(rest) if chunk.len() == size => bytes = rest,
            _ => return Chunks::Cut(body),
        }
    }
}
