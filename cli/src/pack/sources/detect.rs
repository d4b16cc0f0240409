//! What kind of source a file is, by what is in it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::error::Failure;
use crate::options::When;
use crate::read::{inputs, stdin, stores};
use crate::write::report::Report;
use crate::write::stderr;

/// The number of bytes tell the kind of most files.
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

/// Finds out what kind of source this is. What is damaged is of the kind that its sound beginning,
/// or else its name says, so that its reader tells the damage and keeps the rest.
///
/// # Errors
/// Returns an error if it cannot be read, or is no source.
pub fn kind(name: &OsStr) -> Result<Kind, Failure> {
    let path = Path::new(name);
    let cannot = |cause| Failure::io(format!("cannot read {}", inputs::shown(name)), cause);
    let is_stdin = stdin::is_meant(name);
    let found = if is_stdin { None } else { Some(fs::metadata(path).map_err(cannot)?) };
    match found {
        Some(found) if found.is_dir() => return Ok(Kind::Folder),
        Some(found) if found.is_file() => {}
        _ => {
            let what = if is_stdin { "standard input" } else { "a pipe or a device" };
            return Err(Failure::Usage(format!(
                "the kind of {what} is not found by what is in it: name it, as in '--jsonl {0}', \
                 '--warc {0}' or '--list {0}'",
                path.display()
            )));
        }
    }
    if stores::is_store(path) {
        return Ok(Kind::Store);
    }
    let mut first = Vec::new();
    File::open(path)
        .and_then(|file| file.take(BEGINNING).read_to_end(&mut first))
        .map_err(cannot)?;
    if first.starts_with(b"PAR1") {
        return Ok(Kind::Parquet);
    }
    if first.starts_with(&robotsieve::pack::MAGIC) {
        return Err(Failure::Usage(format!(
            "'{}' is a pack: 'robotsieve pack merge' writes several packs into one",
            path.display()
        )));
    }
    // Decompressed, as far as that can be done.
    let report = Arc::new(Report::new(When::Never, &[]));
    first.clear();
    let end =
        inputs::open(name, &report).and_then(|bytes| bytes.take(BEGINNING).read_to_end(&mut first));
    let text = first.trim_ascii_start();
    Ok(match &end {
        Err(cause) if cause.raw_os_error().is_some() => {
            return Err(end.map_err(cannot).unwrap_err());
        }
        _ if text.starts_with(b"WARC/1.") => Kind::Warc,
        _ if text.starts_with(b"{") => Kind::Jsonl,
        _ if is_list(text) => Kind::List,
        // The WARC reader may find records behind the damage.
        Err(_) if path.to_string_lossy().contains(".warc") => Kind::Warc,
        Err(_) => Kind::Jsonl,
        Ok(_) if text.is_empty() => {
            stderr::note(&format_args!("{} is empty", inputs::shown(name)));
            Kind::Jsonl
        }
        Ok(_) => {
            return Err(Failure::Usage(format!(
                "{} is no source: it is no folder, list, store, WARC or Parquet file, nor lines of \
                 JSON",
                inputs::shown(name)
            )));
        }
    })
}

/// Returns true if the first line is text with a tab.
fn is_list(first: &[u8]) -> bool {
    let line = first.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    line.is_some_and(|line| line.contains(&b'\t') && !line.contains(&0))
}
