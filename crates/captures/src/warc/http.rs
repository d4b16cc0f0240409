//! The HTTP answer in the block of a record.

use std::borrow::Cow;
use std::mem::MaybeUninit;

use http::header::{
    AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, DATE, ETAG,
    EXPIRES, HeaderMap, HeaderName, HeaderValue, LAST_MODIFIED, LOCATION, RETRY_AFTER,
    TRANSFER_ENCODING,
};
use robotsieve_client::internals::{
    BodyLimits, Incoming, MAX_BODY_BYTES, content_length, is_chunked, is_encoded, is_text,
};
use robotsieve_client::outcome::{Failure, Response};

use super::record::End;

/// As many as the fetcher takes.
const MAX_HEADERS: usize = 1000;

/// What is kept of a body.
const LIMITS: BodyLimits = BodyLimits { wire_bytes: usize::MAX, body_bytes: MAX_BODY_BYTES };

/// The headers that something follows from once the body is read.
const KEPT: [HeaderName; 10] = [
    AGE,
    CACHE_CONTROL,
    CONTENT_RANGE,
    CONTENT_TYPE,
    DATE,
    ETAG,
    EXPIRES,
    LAST_MODIFIED,
    LOCATION,
    RETRY_AFTER,
];

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

/// The status and the headers that matter of the answer in a block, without its body. `None` if the block is
/// empty.
///
/// # Errors
/// Returns an error if it is not an HTTP answer.
pub fn head(block: &[u8]) -> Result<Option<Response>, String> {
    match block.trim_ascii().is_empty() {
        true => Ok(None),
        false => with_head(&ended(block), |head, _| Some(bodyless(head))),
    }
}

/// The block of a revisit, of which some writers leave out the empty line that ends the head.
pub fn ended(block: &[u8]) -> Vec<u8> {
    [block, b"\r\n\r\n"].concat()
}

/// Calls `act` with the head of the answer in a block, and with what follows it. Interim answers (1xx) before
/// it are passed over. `O(n)` of the head; a block is copied if its writer spelt the version in a way of its
/// own, or if there are zero bytes in its head, which count as spaces.
///
/// # Errors
/// Returns an error if it is not an HTTP answer.
pub fn with_head<T>(
    block: &[u8],
    act: impl FnOnce(&httparse::Response<'_, '_>, &[u8]) -> T,
) -> Result<T, String> {
    let block = as_http1(without_interim(block)?)?;
    // Filling so many would take longer than all the rest.
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut head = httparse::Response::new(&mut []);
    let parsed = httparse::ParserConfig::default()
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .parse_response_with_uninit_headers(&mut head, &block, &mut headers);
    match parsed {
        Ok(httparse::Status::Complete(len)) => Ok(act(&head, &block[len..])),
        Ok(httparse::Status::Partial) => Err("the head of the answer has no end".into()),
        Err(cause) => match without_zeros(&block) {
            Some(block) => with_head(&block, act),
            None => Err(format!("it is not an HTTP answer: {cause}")),
        },
    }
}

/// What follows interim answers.
///
/// # Errors
/// Returns an error if nothing follows.
fn without_interim(mut block: &[u8]) -> Result<&[u8], String> {
    while is_interim(block) {
        let mut lines = block.split_inclusive(|byte| *byte == b'\n');
        let is_line = |line: &&[u8]| !line.trim_ascii().is_empty();
        let head: usize = lines.by_ref().take_while(is_line).map(<[u8]>::len).sum();
        block = block[head..].trim_ascii_start();
        if block.is_empty() {
            return Err("it has an interim answer (1xx) only".to_owned());
        }
    }
    Ok(block)
}

/// Returns true if the status line of an interim answer stands here.
fn is_interim(block: &[u8]) -> bool {
    let line = &block[..block.len().min(32)];
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let version = words.next().and_then(|version| version.get(..5));
    version.is_some_and(|version| version.eq_ignore_ascii_case(b"HTTP/"))
        && matches!(words.next(), Some([b'1', b'0'..=b'9', b'0'..=b'9']))
}

/// An answer with its version as HTTP/1.1 spells it: some writers have `HTTP/2 200`, or `http/1.1 200`.
///
/// # Errors
/// Returns an error if no status line begins here.
fn as_http1(block: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if block.starts_with(b"HTTP/1.") {
        return Ok(block.into());
    }
    let line = &block[..memchr::memchr(b'\n', block).unwrap_or(block.len())];
    let (version, rest) = block.split_at(memchr::memchr(b' ', line).unwrap_or(line.len()));
    let is_version = match version.split_at_checked(5) {
        Some((name, number)) => {
            name.eq_ignore_ascii_case(b"HTTP/")
                && matches!(number, [b'1'..=b'9'] | [b'1'..=b'9', b'.', b'0'..=b'9'])
        }
        None => false,
    };
    match is_version {
        true => Ok([b"HTTP/1.1", rest].concat().into()),
        false if block.trim_ascii().is_empty() => Err("it is empty: no answer was kept".to_owned()),
        false => Err("it is not an HTTP answer: it has no head, as in HTTP/0.9".to_owned()),
    }
}

/// An answer with spaces in the place of the zero bytes of its head. `None` if there are none.
fn without_zeros(block: &[u8]) -> Option<Vec<u8>> {
    let ends = ["\n\r\n", "\n\n"].map(|end| memchr::memmem::find(block, end.as_bytes()));
    let head = ends.into_iter().flatten().min()?;
    memchr::memchr(0, &block[..head])?;
    let mut block = block.to_vec();
    block[..head].iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b' ');
    Some(block)
}

/// The status and the headers that matter.
pub fn bodyless(head: &httparse::Response<'_, '_>) -> Response {
    let mut response = Response::new(head.code.unwrap_or_default(), Vec::new());
    response.headers = chosen(head.headers, &KEPT);
    response
}

/// The headers of these names.
fn chosen(headers: &[httparse::Header<'_>], names: &[HeaderName]) -> HeaderMap {
    let mut chosen = HeaderMap::new();
    for header in headers {
        let is = |name: &&HeaderName| header.name.eq_ignore_ascii_case(name.as_str());
        if let Some(name) = names.iter().find(is)
            && let Ok(value) = HeaderValue::from_bytes(header.value)
        {
            chosen.append(name, value);
        }
    }
    chosen
}

fn of_head(head: &httparse::Response<'_, '_>, wire: &[u8], end: End) -> Result<Response, Failure> {
    let response = bodyless(head);
    // Bodies of other answers are not the file.
    if !response.is_file() {
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
    const SENT: [HeaderName; 3] = [CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING];
    let (body, is_longer) = decode(&chosen(headers, &SENT), wire, end)?;
    Ok((body, end == End::Limit || is_longer))
}

/// The failure of an answer that ended too early.
pub fn broken() -> Failure {
    Failure::Broken("end of file before message length reached".to_owned())
}

/// The body, and whether it is longer than a store takes. `sent` are the headers that say how it was sent.
fn decode(sent: &HeaderMap, wire: &[u8], end: End) -> Result<(Vec<u8>, bool), Failure> {
    if end == End::Early {
        return Err(broken());
    }
    let body: Cow<'_, [u8]> = match if is_chunked(sent) { unchunked(wire) } else { Chunks::None } {
        Chunks::All(body) => body.into(),
        Chunks::Cut(body) if end == End::Limit => body.into(),
        Chunks::Cut(_) => return Err(broken()),
        // Many writers undo the chunks but leave the header.
        Chunks::None => {
            let is_short = content_length(sent).is_some_and(|len| (wire.len() as u64) < len);
            if end == End::Whole && is_short {
                // The length may be that of the encoded body, which the writer has decoded.
                let is_decoded = is_encoded(sent) == Ok(true) && is_not_compressed(sent, wire);
                let decoded = if is_decoded { undone(wire.to_vec()) } else { None };
                return decoded.filter(|(body, _)| !body.is_empty()).ok_or_else(broken);
            }
            wire.into()
        }
    };
    if is_encoded(sent) == Ok(false) && body.len() <= MAX_BODY_BYTES {
        return Ok((body.into_owned(), false));
    }
    let mut incoming = Incoming::new(sent, LIMITS)?;
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

/// Returns true if a body is not in the encodings that its header names.
fn is_not_compressed(sent: &HeaderMap, wire: &[u8]) -> bool {
    Incoming::new(sent, LIMITS)
        .is_ok_and(|mut incoming| incoming.push(wire).is_err() || incoming.so_far().is_empty())
}

/// A body whose encodings the writer has undone, but left the headers: a text.
fn undone(body: Vec<u8>) -> Option<(Vec<u8>, bool)> {
    let is_longer = body.len() > MAX_BODY_BYTES;
    is_text(&body).then_some((body, is_longer))
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
