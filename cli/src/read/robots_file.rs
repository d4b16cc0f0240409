//! Reading a robots.txt file.

use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::Path;

use memchr::memchr2;
use robotsieve::internals::{ByteOrder, Compression, to_utf8};
use robotsieve::{Profile, Robots};
use robotsieve_client::store::MAGIC;

use super::{looks_like_url, robots_url, small_input, stdin, web};
use crate::error::Failure;
use crate::known::Known;
use crate::write::stderr;

pub use super::web::Given;

/// The text of a robots.txt; `-` is standard input. UTF-16 is decoded, as in answers and archives, and a note
/// says so.
///
/// # Errors
/// Returns an error if it cannot be read, is longer than 64 MiB, or is compressed.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = read_unnoted(path)?;
    note_encoding(path, &bytes);
    Ok(to_utf8(&bytes).unwrap_or(bytes))
}

fn note_encoding(path: &Path, bytes: &[u8]) {
    let name = shown(path);
    if ByteOrder::of(bytes).is_some() {
        stderr::note(&format_args!(
            "'{name}' is UTF-16 and was decoded; crawlers that read it as UTF-8, as the standard says, find no \
             rule in it and may fetch everything ('iconv -f UTF-16 -t UTF-8' converts it)"
        ));
    } else if bytes.iter().take(64).any(|byte| *byte == 0) {
        stderr::note(&format_args!(
            "'{name}' has NUL bytes, as UTF-16 without a byte order mark and UTF-32 have, and was read as UTF-8; \
             'robotsieve lint' says what is lost"
        ));
    }
}

fn read_unnoted(path: &Path) -> Result<Vec<u8>, Failure> {
    const TOO_LONG: &str = "it is longer than 64 MiB, which no robots.txt is; crawlers read no more \
                            than its first 500 KiB or so ('head -c 500K' keeps those)";
    small_input(path, TOO_LONG).and_then(uncompressed).map_err(|cause| {
        Failure::io(format!("cannot read robots.txt {}", stdin::source(path)), cause)
    })
}

/// Returns true if a robots.txt may begin like this: no store does, and nothing compressed.
pub fn is_text(bytes: &[u8]) -> bool {
    !bytes.starts_with(MAGIC) && Compression::of(bytes) == Compression::None
}

/// Refuses what no robots.txt begins with. Read as it is, a compressed file or a store would allow
/// everything.
fn uncompressed(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if bytes.starts_with(MAGIC) {
        let message = "it is a store of robots.txt files: 'robotsieve store get --body STORE URL' \
                       prints one of them, and 'robotsieve explain' takes a store";
        return Err(io::Error::new(ErrorKind::InvalidData, message));
    }
    if bytes.starts_with(b"WARC/1.") {
        let message = "it is a WARC file: 'robotsieve store import --warc' reads those";
        return Err(io::Error::new(ErrorKind::InvalidData, message));
    }
    if bytes.starts_with(&robotsieve::pack::MAGIC) {
        let message = "it is a pack: 'robotsieve filter --pack' reads those";
        return Err(io::Error::new(ErrorKind::InvalidData, message));
    }
    let compression = Compression::of(&bytes);
    if compression == Compression::None {
        return Ok(bytes);
    }
    let (name, command) = compression.unpacked_by();
    Err(io::Error::new(
        ErrorKind::InvalidData,
        format!("it is compressed with {name}; unpack it with '{command}'"),
    ))
}

/// [`read`] for what the command line names: a file, or a URL, whose answer is read as these
/// profiles do. What a URL answers in the place of a file is noted.
///
/// # Errors
/// Returns an error if it cannot be read, with advice if the reason can be guessed.
pub fn given(path: &Path, profiles: &[Profile]) -> Result<Given, Failure> {
    // Crawlers that are asked for by their names alone obey the group of `*`.
    given_for(path, profiles, &Known::default())
}

/// [`given`] for commands that judge known crawlers.
///
/// # Errors
/// Returns an error in the same cases.
pub fn given_for(path: &Path, profiles: &[Profile], known: &Known) -> Result<Given, Failure> {
    let given = asked(path, profiles, known)?;
    given.note();
    Ok(given)
}

/// [`given_for`] for commands that say themselves what a URL answered in the place of a file.
///
/// # Errors
/// Returns an error in the same cases.
pub fn asked(path: &Path, profiles: &[Profile], known: &Known) -> Result<Given, Failure> {
    match web::url(path) {
        Some(url) => {
            let mut given = web::robots(url, profiles, known)?;
            note_encoding(path, &given.bytes);
            given.bytes = to_utf8(&given.bytes).unwrap_or(given.bytes);
            Ok(given)
        }
        None => Ok(Given { bytes: advised(path, read(path))?, answer: None }),
    }
}

/// [`given`] for commands that are about the bytes of the file, which they may write again: UTF-16 stays; what is not a file is no answer, and
/// they say themselves what is wrong with it.
///
/// # Errors
/// Returns an error in the same cases, and if a URL answers with something else than a file.
pub fn text(path: &Path) -> Result<Vec<u8>, Failure> {
    match web::url(path) {
        Some(url) => web::robots_text(url),
        None => advised(path, read_unnoted(path)),
    }
}

/// [`text`] for commands that ask for verdicts: UTF-16 is decoded.
///
/// # Errors
/// Returns an error in the same cases.
pub fn rules(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = text(path)?;
    note_encoding(path, &bytes);
    Ok(to_utf8(&bytes).unwrap_or(bytes))
}

fn advised(path: &Path, read: Result<Vec<u8>, Failure>) -> Result<Vec<u8>, Failure> {
    read.map_err(|failure| match &failure {
        Failure::Io { cause, .. } => match advice(path, cause.kind()) {
            Some(advice) => failure.advise(advice),
            None => failure,
        },
        _ => failure,
    })
}

fn advice(path: &Path, kind: ErrorKind) -> Option<String> {
    if path.is_dir() {
        Some("name a file in this folder ('filter --robots-dir' takes the folder)".into())
    } else if let Some((scheme, _)) = path.to_str().and_then(|name| name.split_once("://"))
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        Some(format!(
            "'{scheme}' is not fetched here, only http and https are: download the file ('curl -o \
             robots.txt URL'), and give that"
        ))
    } else if looks_like_url(path) {
        let url = format!("a URL is written like {}", robots_url(path));
        // Hosts end in it, too.
        let may_be_store = path.extension().is_some_and(|suffix| suffix == "store");
        Some(match may_be_store {
            true => format!("if a store is meant, check its path; {url}"),
            false => url,
        })
    } else if kind == ErrorKind::NotFound {
        Some("check the path, or use '-' for standard input".into())
    } else {
        None
    }
}

/// The name of a robots.txt as shown next to its lines.
pub fn shown(path: &Path) -> String {
    if stdin::is_meant(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Notes on standard error that a file was cut, if it was: verdicts do not know what comes after. In
/// profile google it is read whole, and Googlebot does not do that.
pub fn note_cut(path: &Path, file: &[u8], robots: &Robots<'_>) {
    let extent = robots.extent();
    if *robots.profile() == Profile::GOOGLE && file.len() > Profile::MIN_SIZE_LIMIT {
        stderr::note(&format_args!(
            "'{}' is longer than the 500 KiB that Googlebot reads, and profile google reads all of it, \
             as google/robotstxt does: 'head -c 512000' keeps what Googlebot sees",
            shown(path)
        ));
    }
    let ignored = file.len() - extent.end;
    if ignored == 0 {
        return;
    }
    let line = lines(file, extent).len() + 1;
    stderr::note(&format_args!(
        "line {line} of '{}' and all after it ({ignored} bytes) are ignored: that is the size limit \
         of profile {}; --profile google has none",
        shown(path),
        robots.profile().name().unwrap_or("custom"),
    ));
}

/// The lines of a file without their line ends, as the library counts them.
pub fn lines(file: &[u8], extent: Range<usize>) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut at = extent.start;
    while at < extent.end {
        let left = &file[at..extent.end];
        let len = memchr2(b'\n', b'\r', left).unwrap_or(left.len());
        lines.push(at..at + len);
        at += len + if left[len..].starts_with(b"\r\n") { 2 } else { 1 };
    }
    lines
}
