//! The HTTP answer in the block of a record.

use std::io::{self, Read};

use brotli_decompressor::Decompressor;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use http::header::{CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use robotsieve_client::outcome::Response;
use robotsieve_client::store::MAX_BODY_BYTES;

const MAX_HEADERS: usize = 256;

/// The answer in a block, with its encodings undone. A body that is longer than a store takes is
/// cut.
///
/// # Errors
/// Returns an error if it is not an HTTP answer, or has an encoding that cannot be undone.
pub fn response(block: &[u8]) -> Result<Response, String> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let parsed = httparse::ParserConfig::default()
        .allow_obsolete_multiline_headers_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .parse_response(&mut head, block);
    let len = match parsed {
        Ok(httparse::Status::Complete(len)) => len,
        Ok(httparse::Status::Partial) => return Err("the head of the answer has no end".into()),
        Err(cause) => return Err(format!("it is not an HTTP answer: {cause}")),
    };
    let mut response = Response::new(head.code.unwrap_or_default(), &block[len..]);
    for header in head.headers {
        let name = HeaderName::from_bytes(header.name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(header.value)) {
            response.headers.append(name, value);
        }
    }
    // Bodies of other answers are not the file.
    if !(200..300).contains(&response.status) {
        response.body.clear();
        return Ok(response);
    }
    decode(&mut response).map_err(|cause| format!("its encoding cannot be undone: {cause}"))?;
    if response.body.len() > MAX_BODY_BYTES {
        response.body.truncate(MAX_BODY_BYTES);
        response.is_truncated = true;
    }
    Ok(response)
}

fn decode(response: &mut Response) -> io::Result<()> {
    // Many writers undo the chunks but leave the header.
    if names(&response.headers, &TRANSFER_ENCODING).iter().any(|name| name == "chunked")
        && let Some(body) = unchunked(&response.body)
    {
        response.body = body;
    }
    for encoding in names(&response.headers, &CONTENT_ENCODING).iter().rev() {
        let body = &response.body[..];
        let decoded = match encoding.as_str() {
            // Likewise.
            "gzip" | "x-gzip" if !body.starts_with(&[0x1f, 0x8b]) => continue,
            "gzip" | "x-gzip" => limited(MultiGzDecoder::new(body)),
            "deflate" => limited(ZlibDecoder::new(body)),
            "br" => limited(Decompressor::new(body, 1 << 14)),
            "zstd" => limited(zstd::Decoder::with_buffer(body)?),
            "identity" | "none" | "utf-8" | "8bit" => continue,
            other => return Err(io::Error::other(format!("'{other}' is unknown"))),
        };
        response.body = decoded?;
    }
    Ok(())
}

/// One byte more than a store takes shows that there is more.
fn limited(input: impl Read) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    input.take(MAX_BODY_BYTES as u64 + 1).read_to_end(&mut body)?;
    Ok(body)
}

fn names(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let names = values.flat_map(|value| value.split(','));
    names.map(|name| name.trim().to_ascii_lowercase()).filter(|name| !name.is_empty()).collect()
}

/// The body in chunks, or `None` if these are none.
fn unchunked(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = memchr::memchr(b'\n', bytes)?;
        let line = bytes[..end].split(|byte| *byte == b';').next()?.trim_ascii();
        let size = usize::from_str_radix(str::from_utf8(line).ok()?, 16).ok()?;
        bytes = &bytes[end + 1..];
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(bytes.get(..size)?);
        bytes = bytes[size..].strip_prefix(b"\r\n")?;
    }
}
