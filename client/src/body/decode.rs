//! Undoes content encodings, one step at a time.
//!
//! Each step fills at most one buffer. So a small input that expands to a huge output costs no
//! more than the caller is willing to keep.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use zstd::stream::raw::{DParameter, Decoder as Zstd, InBuffer, Operation, OutBuffer};

/// The most encodings of one body. Nobody needs more.
const MAX_ENCODINGS: usize = 3;

/// The largest zstd window, as a power of two: 8 MiB, RFC 9659's limit for HTTP.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A content encoding: RFC 9110, section 8.4.1; RFC 7932; RFC 8878.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Gzip,
    /// The zlib format, by the specification. Many servers send bare deflate, which is detected.
    Deflate,
    Brotli,
    Zstd,
}

impl Encoding {
    /// The encodings of a body, in the order in which they were applied, without `identity`.
    pub(super) fn all(headers: &HeaderMap) -> Result<Vec<Encoding>, String> {
        let mut all = Vec::new();
        for value in headers.get_all(CONTENT_ENCODING) {
            for name in value.as_bytes().split(|byte| *byte == b',') {
                let name = name.trim_ascii();
                match &*name.to_ascii_lowercase() {
                    b"" | b"identity" => {}
                    b"gzip" | b"x-gzip" => all.push(Encoding::Gzip),
                    b"deflate" | b"x-deflate" => all.push(Encoding::Deflate),
                    b"br" => all.push(Encoding::Brotli),
                    b"zstd" => all.push(Encoding::Zstd),
                    name if is_no_encoding(name) => {}
                    _ => return Err(format!("unknown: {}", String::from_utf8_lossy(name))),
                }
            }
        }
        if all.len() > MAX_ENCODINGS {
            return Err(format!("{} encodings on top of each other", all.len()));
        }
        Ok(all)
    }
}

/// True if a name, in lower case, is none of a content encoding: servers also write character sets
/// there, MIME's and HTTP's transfer encodings, media types, and words for "none". The body is then
/// as it should be, and browsers and curl show it.
fn is_no_encoding(name: &[u8]) -> bool {
    const WORDS: [&[u8]; 25] = [
        // No encoding at all.
        b"none",
        b"no",
        b"off",
        b"false",
        b"null",
        b"default",
        b"plain",
        b"raw",
        b"text",
        b"undefined",
        b"uncompressed",
        // Transfer encodings that leave the bytes as they are, or that HTTP has already undone.
        // `aws-chunked` is how a file was sent to Amazon's S3.
        b"7bit",
        b"8bit",
        b"binary",
        b"chunked",
        b"aws-chunked",
        // Character sets.
        b"ansi",
        b"ascii",
        b"big5",
        b"gb18030",
        b"gb2312",
        b"gbk",
        b"us-ascii",
        b"latin1",
        b"unicode",
    ];
    const CHARACTER_SETS: [&[u8]; 11] = [
        b"utf-8",
        b"utf8",
        b"utf-16",
        b"iso-8859-",
        b"iso8859-",
        b"windows-125",
        b"cp125",
        b"euc-",
        b"koi8-",
        b"shift_jis",
        b"charset=",
    ];
    let begins = CHARACTER_SETS.iter().any(|start| name.starts_with(start));
    WORDS.contains(&name) || begins || name.starts_with(b"text/")
}

/// The bytes that a step moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The bytes of the input that it consumed.
    pub(super) taken: usize,
    /// The bytes of the output that it wrote.
    pub(super) given: usize,
}

/// Undoes one encoding.
pub(super) enum Decoder {
    Gzip(Gzip),
    Deflate(Deflate),
    Brotli(Box<Brotli>),
    Zstd { zstd: Zstd<'static>, is_within_frame: bool },
}

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

impl Decoder {
    pub(super) fn new(encoding: Encoding) -> Result<Decoder, String> {
        Ok(match encoding {
            Encoding::Gzip => Decoder::Gzip(Gzip::new()),
            Encoding::Deflate => Decoder::Deflate(Deflate::Undecided(None)),
            Encoding::Brotli => {
                let alloc = StandardAlloc::default;
                // Strict: windows above 16 MiB, which HTTP does not use, are refused.
                Decoder::Brotli(Box::new(BrotliState::new_strict(alloc(), alloc(), alloc())))
            }
            Encoding::Zstd => {
                let mut zstd = Zstd::new().map_err(|cause| cause.to_string())?;
                zstd.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))
                    .map_err(|cause| cause.to_string())?;
                Decoder::Zstd { zstd, is_within_frame: true }
            }
        })
    }

    /// Consumes input and writes output. If it does neither, it needs more input.
    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        match self {
            Decoder::Gzip(gzip) => gzip.step(input, output),
            Decoder::Deflate(deflate) => deflate.step(input, output),
            Decoder::Brotli(state) => step_brotli(state, input, output),
            Decoder::Zstd { zstd, is_within_frame } => {
                let mut from = InBuffer::around(input);
                let mut to = OutBuffer::around(output);
                let hint = zstd.run(&mut from, &mut to).map_err(|e| format!("zstd: {e}"))?;
                let step = Step { taken: from.pos(), given: to.pos() };
                // A call that moves no bytes says nothing about the frame before.
                if step.taken > 0 || step.given > 0 {
                    *is_within_frame = hint != 0;
                }
                Ok(step)
            }
        }
    }

    /// True if the input may end at this point.
    pub(super) fn is_complete(&self) -> bool {
        match self {
            Decoder::Gzip(gzip) => gzip.members > 0 && !gzip.is_within_member,
            Decoder::Deflate(deflate) => matches!(deflate, Deflate::Ended),
            Decoder::Brotli(state) => brotli_decompressor::BrotliDecoderIsFinished(state),
            Decoder::Zstd { is_within_frame, .. } => !is_within_frame,
        }
    }
}

/// Skips what follows the end of what was encoded: zeros and white space. Anything else may be a part of the
/// file that nobody has read.
fn padding(input: &[u8], name: &str) -> Result<Step, String> {
    match input.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace()) {
        true => Ok(Step { taken: input.len(), given: 0 }),
        false => Err(format!("{name}: something else follows its end")),
    }
}

/// The gzip format: one member after another, and padding.
pub(super) struct Gzip {
    state: Decompress,
    is_within_member: bool,
    members: u32,
    is_over: bool,
}

impl Gzip {
    fn new() -> Gzip {
        Gzip { state: gzip_member(), is_within_member: false, members: 0, is_over: false }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        if self.is_over || (!self.is_within_member && input.is_empty()) {
            return padding(input, "gzip");
        }
        if !self.is_within_member && self.members > 0 {
            if input[0] != 0x1f {
                self.is_over = true;
                return padding(input, "gzip");
            }
            self.state = gzip_member();
        }
        self.is_within_member = true;
        let (step, is_end) = step_flate(&mut self.state, input, output, "gzip")?;
        if is_end {
            self.is_within_member = false;
            self.members = self.members.saturating_add(1);
        }
        Ok(step)
    }
}

fn gzip_member() -> Decompress {
    Decompress::new_gzip(15)
}

/// The zlib format, or bare deflate.
pub(super) enum Deflate {
    /// The first byte, once it has arrived. The second decides which format it is.
    Undecided(Option<u8>),
    Decided(Decompress),
    /// The stream has ended.
    Ended,
}

impl Deflate {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        match self {
            Deflate::Undecided(_) if input.is_empty() => Ok(Step { taken: 0, given: 0 }),
            Deflate::Undecided(None) => {
                *self = Deflate::Undecided(Some(input[0]));
                Ok(Step { taken: 1, given: 0 })
            }
            Deflate::Undecided(Some(first)) => {
                // RFC 1950: method 8, and the two bytes together are a multiple of 31.
                let is_zlib = *first & 0x0f == 8
                    && (u16::from(*first) << 8 | u16::from(input[0])).is_multiple_of(31);
                let mut state = Decompress::new(is_zlib);
                // A single byte is always consumed, and cannot be the end.
                step_flate(&mut state, &[*first], output, "deflate")?;
                *self = Deflate::Decided(state);
                self.step(input, output)
            }
            Deflate::Decided(state) => {
                let (step, is_end) = step_flate(state, input, output, "deflate")?;
                if is_end {
                    *self = Deflate::Ended;
                }
                Ok(step)
            }
            Deflate::Ended => padding(input, "deflate"),
        }
    }
}

fn step_flate(
    state: &mut Decompress,
    input: &[u8],
    output: &mut [u8],
    name: &str,
) -> Result<(Step, bool), String> {
    let (taken, given) = (state.total_in(), state.total_out());
    let status = state
        .decompress(input, output, FlushDecompress::None)
        .map_err(|cause| format!("{name}: {cause}"))?;
    // Neither exceeds the length of a slice, so both fit a `usize`.
    let step = Step {
        taken: (state.total_in() - taken) as usize,
        given: (state.total_out() - given) as usize,
    };
    Ok((step, status == Status::StreamEnd))
}

fn step_brotli(state: &mut Brotli, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
    if brotli_decompressor::BrotliDecoderIsFinished(state) {
        return padding(input, "br");
    }
    let (mut left, mut taken) = (input.len(), 0);
    let (mut room, mut given, mut total) = (output.len(), 0, 0);
    let result = BrotliDecompressStream(
        &mut left, &mut taken, input, &mut room, &mut given, output, &mut total, state,
    );
    match result {
        BrotliResult::ResultFailure => Err("br: not the brotli format".to_owned()),
        _ => Ok(Step { taken, given }),
    }
}
