//! A store as a WARC file.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use robotsieve::{Origin, Scheme};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{CachedCopy, ContentHash, OriginState};
use robotsieve_client::store::Reader;

use super::error::ExchangeError;
use crate::warc::state_to_json;

/// Writes all origins of a store as a WARC file, with gzip each record as a member of its own. Calls
/// `done` after each origin; returns how many there are. The bytes depend on what is in the store and
/// on nothing else.
///
/// # Errors
/// Returns an error if the store cannot be read or the file cannot be written.
pub fn export(
    reader: &Reader,
    out: &mut impl Write,
    is_gzip: bool,
    done: impl Fn(),
) -> Result<u64, ExchangeError> {
    let mut last = Timestamp(0);
    for row in reader.iter()? {
        last = last.max(row?.1.attempted);
    }
    let mut writer = Writer { out, is_gzip, record: Vec::new() };
    let fields = format!(
        "software: robotsieve/{}\r\nformat: WARC File Format 1.1\r\n\
         conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n",
        env!("CARGO_PKG_VERSION")
    );
    let info = Record {
        kind: "warcinfo",
        at: last,
        content_type: "application/warc-fields",
        ..Record::default()
    };
    writer.write(&info, &id("warcinfo", "", fields.as_bytes()), &[fields.as_bytes()])?;
    let mut count = 0;
    for row in reader.iter()? {
        let (key, known) = row?;
        // The index of hashes may lack it.
        let body = reader.get_with_body(&key)?.and_then(|(_, body)| body);
        writer.origin(&key, &known, body.as_deref())?;
        count += 1;
        done();
    }
    Ok(count)
}

struct Writer<'o, W> {
    out: &'o mut W,
    is_gzip: bool,
    /// Reused.
    record: Vec<u8>,
}

#[derive(Default)]
struct Record<'r> {
    kind: &'r str,
    at: Timestamp,
    uri: Option<&'r str>,
    content_type: &'r str,
    more: Vec<(&'r str, String)>,
}

impl<W: Write> Writer<'_, W> {
    fn origin(&mut self, key: &str, known: &OriginState, body: Option<&[u8]>) -> io::Result<()> {
        let Ok(origin) = Origin::of(key) else { return Ok(()) };
        let url = origin.robots_url();
        let mut refers_to = Vec::new();
        if let (Some(copy), Some(body)) = (&known.copy, body) {
            let uri = copy.final_url.as_deref().filter(|url| is_plain(url)).unwrap_or(&url);
            let head = if origin.scheme() == Scheme::Ftp { Vec::new() } else { head(copy) };
            let is_http = !head.is_empty();
            let mut more = vec![("WARC-Payload-Digest", format!("sha256:{}", copy.content))];
            if copy.is_truncated {
                more.push(("WARC-Truncated", "length".to_owned()));
            }
            let record = Record {
                kind: if is_http { "response" } else { "resource" },
                at: copy.at,
                uri: Some(uri),
                content_type: if is_http {
                    "application/http;msgtype=response"
                } else {
                    "text/plain"
                },
                more,
            };
            let id = id("response", key, copy.content.0.as_slice());
            self.write(&record, &id, &[&head, body])?;
            refers_to.push(("WARC-Refers-To", id));
        }
        let block = state_to_json(key, known);
        let record = Record {
            kind: "metadata",
            at: known.attempted,
            uri: Some(&url),
            content_type: "application/json",
            more: refers_to,
        };
        self.write(&record, &id("metadata", key, &block), &[&block])
    }

    fn write(&mut self, record: &Record<'_>, id: &str, block: &[&[u8]]) -> io::Result<()> {
        let text = &mut self.record;
        text.clear();
        let date = humantime::format_rfc3339_seconds(record.at.into());
        let len: usize = block.iter().map(|part| part.len()).sum();
        write!(text, "WARC/1.1\r\nWARC-Type: {}\r\n", record.kind)?;
        write!(text, "WARC-Record-ID: {id}\r\nWARC-Date: {date}\r\n")?;
        if let Some(uri) = record.uri {
            write!(text, "WARC-Target-URI: {uri}\r\n")?;
        }
        for (name, value) in &record.more {
            write!(text, "{name}: {value}\r\n")?;
        }
        write!(text, "Content-Type: {}\r\nContent-Length: {len}\r\n\r\n", record.content_type)?;
        block.iter().for_each(|part| text.extend_from_slice(part));
        text.extend_from_slice(b"\r\n\r\n");
        if !self.is_gzip {
            return self.out.write_all(text);
        }
        // Each record is a member of its own, so that readers can begin at any of them.
        let mut member: GzEncoder<&mut W> = GzBuilder::new().write(self.out, Compression::new(6));
        member.write_all(text)?;
        member.finish().map(drop)
    }
}

/// Returns true if a URL can stand in a line.
fn is_plain(url: &str) -> bool {
    !url.is_empty() && url.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The head of the answer, as far as it is known.
fn head(copy: &CachedCopy) -> Vec<u8> {
    let mut head = b"HTTP/1.1 200 OK\r\n".to_vec();
    for (name, value) in [("ETag", &copy.etag), ("Last-Modified", &copy.last_modified)] {
        let is_valid = |value: &&Vec<u8>| !value.iter().any(|byte| b"\r\n\0".contains(byte));
        if let Some(value) = value.as_ref().filter(is_valid) {
            head.extend_from_slice(&[name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
    }
    let rest =
        format!("Cache-Control: max-age={}\r\nContent-Length: {}\r\n\r\n", copy.lifetime, copy.len);
    head.extend_from_slice(rest.as_bytes());
    head
}

/// An id that depends on what the record is about: a UUID of version 8.
fn id(kind: &str, origin: &str, content: &[u8]) -> String {
    let hash = ContentHash::of(&[kind.as_bytes(), b" ", origin.as_bytes(), b" ", content].concat());
    let mut bits = u128::from_be_bytes(*hash.0.first_chunk().expect("a hash has 32 bytes"));
    bits = bits & !(0xF << 76) | 8 << 76;
    bits = bits & !(3 << 62) | 2 << 62;
    let hex = format!("{bits:032x}");
    let (a, b, c, d, e) = (&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
    format!("<urn:uuid:{a}-{b}-{c}-{d}-{e}>")
}
