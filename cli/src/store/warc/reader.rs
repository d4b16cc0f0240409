//! Reads WARC files record by record, plain or compressed, and goes on after damage.
//!
//! Whatever the file says, a record takes at most [`MAX_BLOCK_BYTES`] and [`MAX_HEAD_BYTES`] of
//! memory. Longer blocks are cut, longer heads are damage.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;
use robotsieve_client::store::MAX_BODY_BYTES;

/// How much of a block is kept: a body as large as a store takes, and the head of an answer.
pub const MAX_BLOCK_BYTES: usize = MAX_BODY_BYTES + (1 << 20);
const MAX_HEAD_BYTES: u64 = 64 << 10;

/// Whether a block has all that the site sent.
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

/// A record, as far as it matters here.
#[derive(Debug, Default)]
pub struct Record {
    /// Where it begins in the file; in a compressed one, where its member begins.
    pub offset: u64,
    pub kind: String,
    pub id: String,
    pub date: String,
    pub uri: String,
    pub content_type: String,
    pub refers_to: String,
    pub end: End,
    /// Empty if the record was not wanted.
    pub block: Vec<u8>,
}

/// What comes next in a file.
#[derive(Debug)]
pub enum Next {
    Record(Record),
    /// Something that is no record, and where. What follows it is read all the same.
    Damage(u64, String),
}

/// A file, and the next byte.
struct Counted {
    file: BufReader<File>,
    at: u64,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read(out)?;
        self.at += len as u64;
        Ok(len)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, len: usize) {
        self.file.consume(len);
        self.at += len as u64;
    }
}

impl Counted {
    /// Goes elsewhere. What is read already is not read again if it is near.
    fn seek(&mut self, at: u64) -> io::Result<()> {
        self.file.seek_relative(at.wrapping_sub(self.at).cast_signed())?;
        self.at = at;
        Ok(())
    }

    fn is_over(&mut self) -> io::Result<bool> {
        Ok(self.fill_buf()?.is_empty())
    }
}

/// Decodes one member of a compressed file.
type Member = BufReader<GzDecoder<Counted>>;

enum Input {
    Plain(Counted),
    /// A member, and where it begins.
    Member(Box<Member>, u64),
    End,
}

/// Reads records.
pub struct Reader {
    input: Input,
}

const GZIP: &[u8] = &[0x1f, 0x8b, 8];
const VERSION: &[u8] = b"WARC/1.";
/// How many bytes the head of a member may have that is searched for.
const MEMBER_HEAD_BYTES: u64 = 4096;
/// How many places that look like members may turn out to be none before a search gives up.
const MEMBERS_TRIED: u32 = 1 << 20;

impl Reader {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened or read.
    pub fn open(path: &Path) -> io::Result<Reader> {
        let file = BufReader::with_capacity(1 << 18, File::open(path)?);
        let mut file = Counted { file, at: 0 };
        let is_gzip = file.fill_buf()?.starts_with(&GZIP[..2]);
        Ok(Reader { input: if is_gzip { member(file)? } else { Input::Plain(file) } })
    }

    /// Whether any of what comes is a record. Reads up to it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn has_record(&mut self) -> io::Result<bool> {
        while let Some(next) = self.next(|_| false)? {
            if let Next::Record(_) = next {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The next record, or what is none. `wanted` is asked whether the block of a record with
    /// this head is needed. Returns `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn next(&mut self, wanted: impl Fn(&Record) -> bool) -> io::Result<Option<Next>> {
        loop {
            let (offset, read) = match std::mem::replace(&mut self.input, Input::End) {
                Input::End => return Ok(None),
                Input::Plain(mut file) => {
                    skip_empty_lines(&mut file)?;
                    if file.is_over()? {
                        return Ok(None);
                    }
                    let offset = file.at;
                    let read = record(&mut file, &wanted);
                    if is_damage(&read)? {
                        skip_to_version(&mut file)?;
                    }
                    self.input = Input::Plain(file);
                    (offset, read)
                }
                Input::Member(mut decoder, start) => {
                    let read = skip_empty_lines(&mut *decoder).and_then(|()| {
                        if decoder.fill_buf()?.is_empty() {
                            return Ok(None);
                        }
                        let read = record(&mut *decoder, &wanted)?;
                        // At its end the member is compared with its checksum.
                        skip_empty_lines(&mut *decoder)?;
                        decoder.fill_buf()?;
                        Ok(Some(read))
                    });
                    self.input = match &read {
                        Ok(Some(_)) => Input::Member(decoder, start),
                        Ok(None) => member(decoder.into_inner().into_inner())?,
                        Err(_) if is_damage(&read)? => after_damage(decoder, start, &read)?,
                        Err(_) => Input::End,
                    };
                    let Some(read) = read.transpose() else { continue };
                    (start, read)
                }
            };
            return Ok(Some(match read {
                Ok(record) => Next::Record(Record { offset, ..record }),
                Err(cause) => Next::Damage(offset, cause.to_string()),
            }));
        }
    }
}

/// Whether this is an error of the format. Returns an error of the disk.
fn is_damage<T>(read: &io::Result<T>) -> io::Result<bool> {
    match read {
        Ok(_) => Ok(false),
        Err(cause) => match cause.raw_os_error() {
            Some(code) => Err(io::Error::from_raw_os_error(code)),
            None => Ok(true),
        },
    }
}

/// The member that begins here, if the file goes on.
fn member(mut file: Counted) -> io::Result<Input> {
    if file.is_over()? {
        return Ok(Input::End);
    }
    let start = file.at;
    let decoder = BufReader::with_capacity(1 << 14, GzDecoder::new(file));
    Ok(Input::Member(Box::new(decoder), start))
}

/// The member after a damaged one. Text inside of a member is never taken for a record once
/// something was wrong with it: it may be anybody's.
fn after_damage<T>(
    mut decoder: Box<Member>,
    start: u64,
    read: &io::Result<T>,
) -> io::Result<Input> {
    let is_of_format = |cause: &io::Error| cause.kind() == io::ErrorKind::InvalidData;
    let can_go_on = read.as_ref().err().is_some_and(is_of_format)
        && io::copy(&mut *decoder, &mut io::sink()).is_ok();
    let mut file = decoder.into_inner().into_inner();
    if can_go_on {
        return member(file);
    }
    file.seek(start + 1)?;
    for _ in 0..MEMBERS_TRIED {
        if !skip_to(&mut file, GZIP)? {
            return Ok(Input::End);
        }
        let found = file.at;
        let mut text = [0; VERSION.len()];
        let head = GzDecoder::new(file.by_ref().take(MEMBER_HEAD_BYTES)).read_exact(&mut text);
        let is_record = head.is_ok() && text == VERSION;
        file.seek(found + u64::from(!is_record))?;
        if is_record {
            return member(file);
        }
    }
    Ok(Input::End)
}

/// Goes to the next place where these bytes stand. Returns whether there is one.
fn skip_to(file: &mut Counted, wanted: &[u8]) -> io::Result<bool> {
    // Finds all of them: none of the texts that are searched for begins again in itself.
    let mut matched = 0;
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        let len = bytes.len();
        let mut end = None;
        let mut at = 0;
        while at < len {
            if matched == 0 {
                match memchr::memchr(wanted[0], &bytes[at..]) {
                    Some(found) => at += found,
                    None => break,
                }
            }
            if bytes[at] == wanted[matched] {
                matched += 1;
                at += 1;
            } else {
                matched = 0;
            }
            if matched == wanted.len() {
                end = Some(at);
                break;
            }
        }
        file.consume(end.unwrap_or(len));
        if end.is_some() {
            file.seek(file.at - wanted.len() as u64)?;
            return Ok(true);
        }
    }
}

/// Goes to the next line that begins like a record.
fn skip_to_version(file: &mut Counted) -> io::Result<()> {
    let line = [b"\n", VERSION].concat();
    if skip_to(file, &line)? {
        file.seek(file.at + 1)?;
    }
    Ok(())
}

fn skip_empty_lines(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let len = bytes.iter().take_while(|byte| b"\r\n".contains(byte)).count();
        if len == 0 {
            return Ok(());
        }
        input.consume(len);
    }
}

fn damage(text: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.into())
}

/// Reads one record, with the empty lines behind it.
fn record(input: &mut impl BufRead, wanted: impl Fn(&Record) -> bool) -> io::Result<Record> {
    let mut head = input.by_ref().take(MAX_HEAD_BYTES);
    let mut line = Vec::new();
    let mut next = |line: &mut Vec<u8>| {
        line.clear();
        head.read_until(b'\n', line)?;
        if line.pop() != Some(b'\n') {
            return Err(damage("the head of the record has no end"));
        }
        line.pop_if(|last| *last == b'\r');
        Ok(())
    };
    next(&mut line)?;
    if !line.starts_with(VERSION) {
        return Err(damage("no record begins here"));
    }
    let mut record = Record::default();
    let mut len = None;
    loop {
        next(&mut line)?;
        if line.is_empty() {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            continue;
        }
        let colon =
            memchr::memchr(b':', &line).ok_or_else(|| damage("a line of its head has no name"))?;
        let value = String::from_utf8_lossy(line[colon + 1..].trim_ascii()).into_owned();
        match &line[..colon].to_ascii_lowercase()[..] {
            b"warc-type" if !record.kind.is_empty() => {
                return Err(damage("another record begins in its head"));
            }
            b"warc-type" => record.kind = value,
            b"warc-record-id" => record.id = value,
            b"warc-date" => record.date = value,
            // WARC 1.0 was read by some as if these brackets were part of it.
            b"warc-target-uri" => record.uri = value.trim_matches(['<', '>']).to_owned(),
            b"warc-refers-to" => record.refers_to = value,
            b"warc-truncated" => {
                let is_limit = value.eq_ignore_ascii_case("length") && record.end != End::Early;
                record.end = if is_limit { End::Limit } else { End::Early };
            }
            b"content-type" => record.content_type = value.to_ascii_lowercase(),
            b"content-length" => len = value.parse::<u64>().ok(),
            _ => {}
        }
    }
    let len = len.ok_or_else(|| damage("the record has no valid Content-Length"))?;
    let kept = if wanted(&record) { len.min(MAX_BLOCK_BYTES as u64) } else { 0 };
    let mut read = input.by_ref().take(kept).read_to_end(&mut record.block)? as u64;
    if 0 < kept && kept < len && record.end == End::Whole {
        record.end = End::Limit;
    }
    read += io::copy(&mut input.by_ref().take(len - kept), &mut io::sink())?;
    let mut end = Vec::new();
    input.by_ref().take(4).read_to_end(&mut end)?;
    // The last record of a file may lack them.
    if read < len || !b"\r\n\r\n".starts_with(&end) {
        return Err(damage("the record is not as long as its Content-Length says"));
    }
    Ok(record)
}
