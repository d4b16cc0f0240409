//! What kind of source a file is, by what is in it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::error::Failure;
use crate::options::When;
use crate::read::{inputs, stdin, stores};
use crate::write::report::Report;

/// How many bytes tell the kind of most files.
const BEGINNING: u64 = 4096;

/// The kinds of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Folder,
    List,
    Store,
    Jsonl,
    Parquet,
    Warc,
}

/// Finds out what kind of source this is.
///
/// # Errors
/// Returns an error if it cannot be read, or is no source.
pub fn kind(name: &OsStr) -> Result<Kind, Failure> {
    if stdin::is_meant(name) {
        return Err(Failure::Usage(
            "the kind of standard input is not found by what is in it: name it, as in '--jsonl -', \
             '--warc -' or '--list -'"
                .into(),
        ));
    }
    let path = Path::new(name);
    if path.is_dir() {
        return Ok(Kind::Folder);
    }
    if stores::is_store(path) {
        return Ok(Kind::Store);
    }
    let cannot = |cause| Failure::io(format!("cannot read {}", inputs::shown(name)), cause);
    let first = File::open(path).and_then(beginning).map_err(cannot)?;
    if first.starts_with(b"PAR1") {
        return Ok(Kind::Parquet);
    }
    if first.starts_with(&robotsieve::pack::MAGIC) {
        return Err(Failure::Usage(format!(
            "'{}' is a pack: 'robotsieve pack merge' writes several packs into one",
            path.display()
        )));
    }
    let is_list = is_list(&first);
    // Decompressed. The beginning of a damaged file may be lost, and be found by the WARC reader.
    let report = Arc::new(Report::new(When::Never, &[]));
    let first = inputs::open(name, &report).and_then(beginning);
    let first = match first {
        Err(_) if path.to_string_lossy().contains(".warc") => return Ok(Kind::Warc),
        first => first.map_err(cannot)?,
    };
    let text = first.trim_ascii_start();
    if text.starts_with(b"WARC/1.") {
        return Ok(Kind::Warc);
    }
    if text.starts_with(b"{") {
        return Ok(Kind::Jsonl);
    }
    if is_list {
        return Ok(Kind::List);
    }
    Err(Failure::Usage(format!(
        "{} is no source: it is no folder, list, store, WARC or Parquet file, nor lines of JSON",
        inputs::shown(name)
    )))
}

fn beginning(bytes: impl Read) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    bytes.take(BEGINNING).read_to_end(&mut first)?;
    Ok(first)
}

/// Whether the first line is text with a tab.
fn is_list(first: &[u8]) -> bool {
    let line = first.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    line.is_some_and(|line| line.contains(&b'\t') && !line.contains(&0))
}
