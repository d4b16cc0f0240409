//! What packs are made from. All sources are read as streams of captures, several at a time.

mod detect;
mod folder;
mod jsonl;
mod list;
#[cfg(feature = "parquet")]
mod parquet;
mod source;
mod store;
mod warc;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use robotsieve_captures::packs::Judging;

use super::args;
use crate::error::Failure;
use crate::read::output::Output;
use crate::read::stdin;

use detect::Kind;
pub use source::{CaptureSource, Faults};
pub use store::Store;
pub use warc::Warc;

/// All sources that were named. None of them may read what is written to `output`.
///
/// # Errors
/// Returns an error if one of them cannot be opened.
pub fn open(
    args: &args::Sources,
    judging: &Judging,
    output: &Output<'_>,
    threads: usize,
) -> Result<Vec<Box<dyn CaptureSource>>, Failure> {
    let names = names(args);
    stdin::at_most_once(names.iter().copied())?;
    let of_kind = |kind| move |name: &OsString| (kind, name.clone());
    let of_path = |kind| move |path: &PathBuf| (kind, path.clone().into_os_string());
    let mut named = args
        .from
        .iter()
        .map(|name| Ok((detect::kind(name)?, name.clone())))
        .collect::<Result<Vec<(Kind, OsString)>, Failure>>()?;
    named.extend(args.robots_dir.iter().map(of_path(Kind::Folder)));
    named.extend(args.list.iter().map(of_path(Kind::List)));
    named.extend(args.store.iter().map(of_path(Kind::Store)));
    named.extend(args.jsonl.iter().map(of_kind(Kind::Jsonl)));
    named.extend(args.parquet.iter().map(of_kind(Kind::Parquet)));
    let mut warc_files = Vec::new();
    let mut sources: Vec<Box<dyn CaptureSource>> = Vec::new();
    for (kind, name) in named {
        let path = Path::new(&name);
        sources.push(match kind {
            Kind::Folder => Box::new(folder::Folder::open(path)?),
            Kind::List => Box::new(list::List::open(path, output)?),
            Kind::Store => Box::new(Store::open(path, judging)?),
            Kind::Jsonl => Box::new(jsonl::Jsonl::open(&name)?),
            Kind::Parquet => parquet_of(&name)?,
            Kind::Warc => {
                warc_files.push(name);
                continue;
            }
        });
    }
    warc_files.extend(args.warc.iter().cloned());
    if !warc_files.is_empty() {
        sources.push(Box::new(warc::Warc::open(warc_files, threads)?));
    }
    Ok(sources)
}

/// All names of files and folders.
pub fn names(args: &args::Sources) -> Vec<&OsStr> {
    let paths = [&args.robots_dir, &args.list, &args.store].into_iter().flatten();
    let names = [&args.from, &args.jsonl, &args.parquet, &args.warc].into_iter().flatten();
    names.map(|name| &name[..]).chain(paths.map(|path| path.as_os_str())).collect()
}

#[cfg(feature = "parquet")]
fn parquet_of(name: &OsStr) -> Result<Box<dyn CaptureSource>, Failure> {
    Ok(Box::new(parquet::Parquet::open(Path::new(name))?))
}

#[cfg(not(feature = "parquet"))]
fn parquet_of(name: &OsStr) -> Result<Box<dyn CaptureSource>, Failure> {
    Err(Failure::Usage(format!(
        "cannot read '{}': this robotsieve was built without Parquet; 'cargo install \
         robotsieve-cli --features parquet' builds one with it",
        name.display()
    )))
}
