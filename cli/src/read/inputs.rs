//! Input files: opened one after another, decompressed, and split into chunks of whole lines.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::vec;

use flate2::bufread::MultiGzDecoder;
use memchr::{memchr, memchr_iter, memrchr};
use same_file::Handle;

use super::{looks_like_url, stdin, urls};
use crate::write::report::Report;
use robotsieve::internals::Compression;
use robotsieve_client::lines::{SHOWN_BYTES, URL_BYTES, Unmarked};

/// The usual size of a chunk: large enough that passing it on costs next to nothing, small enough
/// to stay in a core's second-level cache.
pub const CHUNK_BYTES: usize = 256 << 10;

/// The most bytes that are kept of a line that is too long.
pub const KEPT_BYTES: usize = 1 << 10;

/// The size of a decompressor's input buffer.
const COMPRESSED_BYTES: usize = 128 << 10;

/// All inputs named on the command line.
pub struct Inputs {
    names: vec::IntoIter<OsString>,
    current: Option<Input>,
    /// The start of a line of the current input whose end has not been read yet.
    rest: Vec<u8>,
    /// How many lines of the current input are done.
    lines: u64,
    /// True if the line being read is too long, so that the rest of it is skipped.
    skips: bool,
    /// True if the beginning of such a line is passed on.
    keeps_beginnings: bool,
    /// True if that is what the last chunk has.
    is_beginning: bool,
    report: Arc<Report>,
}

struct Input {
    name: OsString,
    bytes: Box<dyn Read + Send>,
    /// True if it is standard input as it is.
    is_plain_stdin: bool,
}

impl Input {
    /// Returns true if reading on is certain not to wait. If that is not known, it may wait.
    fn has_more(&self) -> bool {
        self.is_plain_stdin && stdin::is_ready()
    }
}

/// The inputs to read: standard input if none is named.
pub fn named(names: &[OsString]) -> Vec<OsString> {
    if names.is_empty() { vec!["-".into()] } else { names.to_vec() }
}

impl Inputs {
    /// Reads these inputs.
    pub fn new(names: Vec<OsString>, report: Arc<Report>) -> Inputs {
        let names = names.into_iter();
        Inputs {
            names,
            current: None,
            rest: Vec::new(),
            lines: 0,
            skips: false,
            keeps_beginnings: false,
            is_beginning: false,
            report,
        }
    }

    /// The same, and the first [`KEPT_BYTES`] of a line that is too long are passed on in its place, in
    /// a chunk of their own.
    pub fn keeping_beginnings(mut self) -> Inputs {
        self.keeps_beginnings = true;
        self
    }

    /// Returns true if the last chunk is the beginning of a line that is too long to be a URL.
    pub fn is_beginning(&self) -> bool {
        self.is_beginning
    }

    /// Replaces the contents of `chunk` with whole lines, each ending with a line feed; returns
    /// `false` at the end of all inputs.
    ///
    /// Never waits for more if there is a whole line: whoever writes to a pipe may wait for the
    /// verdict on what is written.
    ///
    /// A line that is longer than a chunk makes the chunk longer, up to [`URL_BYTES`]. A longer line
    /// is reported and skipped, or cut. The last line of an input gets a line feed if it has none. An input that cannot be read is reported and skipped. If an input
    /// breaks off, its whole lines are used, but not the line that was cut: the start of a URL is a
    /// different URL.
    pub fn fill(&mut self, chunk: &mut Vec<u8>) -> bool {
        self.is_beginning = false;
        // Old bytes are overwritten; only new buffers are zeroed.
        let mut len = self.rest.len();
        if chunk.len() < len {
            chunk.resize(len, 0);
        }
        chunk[..len].copy_from_slice(&self.rest);
        // Whole lines end here, and there is no line feed after it.
        let mut whole = 0;
        let mut has_more = false;
        while whole == 0 || has_more {
            has_more = false;
            let Some(mut input) = self.current.take().or_else(|| self.open_next()) else { break };
            // A line that fills the chunk doubles it, but no line gets longer than it may be with
            // its line feed.
            let room = match CHUNK_BYTES.checked_sub(len) {
                Some(room) if room > 0 => room,
                _ => len.min(URL_BYTES + 1 - len),
            };
            // One more byte for the line feed that may be missing at the end.
            if chunk.len() <= len + room {
                chunk.resize(len + room + 1, 0);
            }
            match input.bytes.read(&mut chunk[len..len + room]) {
                Ok(0) => {
                    self.skips = false;
                    if whole < len {
                        chunk[len] = b'\n';
                        len += 1;
                    }
                    whole = len;
                }
                Ok(bytes) if self.skips => {
                    if let Some(at) = memchr(b'\n', &chunk[..bytes]) {
                        self.skips = false;
                        self.lines += 1;
                        chunk.copy_within(at + 1..bytes, 0);
                        len = bytes - at - 1;
                        whole = memrchr(b'\n', &chunk[..len]).map_or(0, |at| at + 1);
                    }
                    self.current = Some(input);
                }
                Ok(bytes) => {
                    let found = memrchr(b'\n', &chunk[len..len + bytes]);
                    whole = found.map_or(whole, |at| len + at + 1);
                    len += bytes;
                    // A pipe gives less than a chunk, even if it is written fast.
                    has_more = whole > 0 && len < CHUNK_BYTES && input.has_more();
                    if len - whole > URL_BYTES {
                        // No other line was read with it: that takes less room.
                        self.too_long(&input.name, &chunk[..len]);
                        len = 0;
                    }
                    self.current = Some(input);
                    if self.skips && self.keeps_beginnings {
                        self.rest.clear();
                        self.is_beginning = true;
                        cut(chunk);
                        return true;
                    }
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {
                    self.current = Some(input);
                }
                Err(cause) => {
                    let cut = if whole < len {
                        "; its last line, which may be cut, is skipped"
                    } else {
                        ""
                    };
                    self.skips = false;
                    let name = shown(&input.name);
                    self.report.error(&format_args!("{name} breaks off: {cause}{cut}"));
                    len = whole;
                }
            }
        }
        self.rest.clear();
        self.rest.extend_from_slice(&chunk[whole..len]);
        chunk.truncate(whole);
        self.lines += memchr_iter(b'\n', chunk).count() as u64;
        whole > 0
    }

    /// Reports the line that is being read, and skips the rest of it.
    fn too_long(&mut self, name: &OsStr, line: &[u8]) {
        self.skips = true;
        let line = urls::too_long_line(&shown(name), self.lines + 1, &line[..SHOWN_BYTES]);
        match self.keeps_beginnings {
            true => self.report.long_line_judged(&line),
            false => self.report.long_line(&line),
        }
    }

    /// The next input that can be opened.
    fn open_next(&mut self) -> Option<Input> {
        loop {
            let name = self.names.next()?;
            self.lines = 0;
            match open_and_detect(&name, &self.report) {
                Ok((bytes, compression)) => {
                    let bytes = Box::new(Unmarked::of(bytes));
                    let is_plain = compression == Compression::None;
                    let is_plain_stdin = is_plain && stdin::is_meant(&name);
                    return Some(Input { name, bytes, is_plain_stdin });
                }
                Err(cause) => {
                    self.report.error(&cannot_read(&name, &cause));
                }
            }
        }
    }
}

/// Leaves the first [`KEPT_BYTES`] of a line, or a few less so that no character is cut.
fn cut(line: &mut Vec<u8>) {
    let is_continued = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    let whole = (KEPT_BYTES - 3..=KEPT_BYTES).rev().find(|end| !is_continued(&line[*end]));
    line.truncate(whole.unwrap_or(KEPT_BYTES));
    line.push(b'\n');
}

/// The name of an input, for use in a sentence.
pub fn shown(name: &OsStr) -> String {
    if stdin::is_meant(name) {
        "standard input".to_owned()
    } else {
        format!("input '{}'", name.display())
    }
}

/// Says that an input cannot be read.
pub fn cannot_read(name: &OsStr, cause: &io::Error) -> String {
    let advice = if looks_like_url(Path::new(name)) {
        "; inputs are files: pipe a URL to standard input with 'echo URL |'"
    } else {
        ""
    };
    format!("cannot read {}: {cause}{advice}", shown(name))
}

/// Opens an input and detects its compression by its first bytes.
pub fn open(name: &OsStr, report: &Arc<Report>) -> io::Result<Box<dyn Read + Send>> {
    open_and_detect(name, report).map(|(bytes, _)| bytes)
}

fn open_and_detect(
    name: &OsStr,
    report: &Arc<Report>,
) -> io::Result<(Box<dyn Read + Send>, Compression)> {
    let bytes: Box<dyn Read + Send> = if stdin::is_meant(name) {
        Box::new(stdin::open()?)
    } else {
        let file = File::open(name)?;
        stdin::refuse_output(|| Handle::from_file(file.try_clone()?))?;
        Box::new(file)
    };
    decompressed(bytes, report)
}

/// Detects the compression of these bytes, and undoes it. Those read are counted.
///
/// # Errors
/// Returns an error if the beginning cannot be read.
pub fn decompressed(
    bytes: Box<dyn Read + Send>,
    report: &Arc<Report>,
) -> io::Result<(Box<dyn Read + Send>, Compression)> {
    let mut bytes = Counted { bytes, report: Arc::clone(report) };
    let mut first = Vec::with_capacity(10);
    // No byte more than it takes: the first line of a pipe may be shorter.
    while Compression::may_follow(&first) && bytes.by_ref().take(1).read_to_end(&mut first)? > 0 {}
    let compression = Compression::of(&first);
    let bytes = io::Cursor::new(first).chain(bytes);
    let taken =
        |bytes| Taken { bytes: BufReader::with_capacity(COMPRESSED_BYTES, bytes), count: 0 };
    let bytes: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(bytes),
        Compression::Gzip => Box::new(Decoder::Gzip(Box::new(MultiGzDecoder::new(taken(bytes))))),
        // Refuses windows above 128 MiB, like the command zstd, so that memory stays bounded.
        Compression::Zstd => Box::new(Decoder::Zstd(zstd::Decoder::with_buffer(taken(bytes))?)),
        // No maintained decoder of these is without C, and each is one pipe away.
        Compression::Xz | Compression::Bzip2 => {
            let (name, command) = compression.unpacked_by();
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "it is compressed with {name}, which is not read here: pipe what '{command} FILE' prints to \
                     robotsieve, with '-' in the place of the file"
                ),
            ));
        }
    };
    Ok((bytes, compression))
}

/// A compressed input. What is wrong with it is told with the byte where that stands.
enum Decoder<R: Read> {
    Gzip(Box<MultiGzDecoder<Taken<R>>>),
    Zstd(zstd::Decoder<'static, Taken<R>>),
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (read, at) = match self {
            Decoder::Gzip(decoder) => (decoder.read(buffer), decoder.get_ref().count),
            Decoder::Zstd(decoder) => (decoder.read(buffer), decoder.get_ref().count),
        };
        read.map_err(|cause| match cause.kind() {
            // Of the disk, or no fault at all.
            io::ErrorKind::Interrupted => cause,
            _ if cause.raw_os_error().is_some() => cause,
            io::ErrorKind::UnexpectedEof => io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("it ends at byte {at}, before what is compressed there does"),
            ),
            kind => io::Error::new(kind, format!("it is damaged before byte {at} ({cause})")),
        })
    }
}

/// Counts the bytes that a decoder takes.
struct Taken<R> {
    bytes: BufReader<R>,
    count: u64,
}

impl<R: Read> Read for Taken<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.count += read as u64;
        Ok(read)
    }
}

impl<R: Read> BufRead for Taken<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.bytes.fill_buf()
    }

    fn consume(&mut self, len: usize) {
        self.bytes.consume(len);
        self.count += len as u64;
    }
}

/// Counts the bytes read, before decompression, for the progress bar.
struct Counted {
    bytes: Box<dyn Read + Send>,
    report: Arc<Report>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.bytes.read(buffer)?;
        self.report.read(bytes);
        Ok(bytes)
    }
}
