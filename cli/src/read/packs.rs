//! Packs, mapped into memory: files, and folders of shards.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use robotsieve::pack::{Pack, PackError, ShardsError};
use robotsieve_client::pack_files::{self, FilesCause, FilesError, PackFile};

use crate::error::Failure;
use crate::read::stdin;
use crate::write::stderr;

/// How to come by a pack.
pub const MADE_BY: &str = "'robotsieve pack' and 'robotsieve store export' make packs";

/// Maps a pack into memory until the program ends: a file, or a folder of shards.
///
/// If an update of a file is under way, the pack is used as it was before, and a note says so. If one
/// was cut short, that is said also with `--quiet`, and [`was_cut_short`] makes the exit status say
/// so.
///
/// # Errors
/// Returns an error if a file cannot be mapped or is not a pack, or if a shard is missing.
pub fn open(path: &Path) -> Result<&'static Pack<'static>, Failure> {
    refuse_stdin(path)?;
    let mut opened = opened(path)?;
    while !opened.tails.is_empty() {
        if pack_files::is_being_updated(path) {
            for Tail { path: file, .. } in &opened.tails {
                stderr::note(&format_args!(
                    "an update of pack '{}' is under way: it is used as it was before",
                    file.display()
                ));
            }
            break;
        }
        // The update may have ended since the file was opened. If the file is still the same, it had
        // the same end when nobody updated it: a file never gets shorter.
        let again = self::opened(path)?;
        let is_cut_short = again.tails == opened.tails;
        opened = again;
        if is_cut_short {
            CUT_SHORT.store(true, Ordering::Relaxed);
            for Tail { path: file, .. } in &opened.tails {
                stderr::error(&format_args!(
                    "an update of pack '{}' was cut short: it is used as it was before; the next \
                     'robotsieve pack update' drops what is left",
                    file.display()
                ));
            }
            break;
        }
    }
    Ok(Box::leak(Box::new(opened.pack)))
}

static CUT_SHORT: AtomicBool = AtomicBool::new(false);

/// True if a pack was used as it was before an update that was cut short.
pub fn was_cut_short() -> bool {
    CUT_SHORT.load(Ordering::Relaxed)
}

/// What stands behind a pack in its file: an update that was cut short, or is under way.
#[derive(PartialEq, Eq)]
pub struct Tail {
    pub path: PathBuf,
    /// The number of bytes the pack has.
    pub complete: u64,
    /// The number of bytes behind the pack.
    pub bytes: u64,
}

/// A pack, its files, and what stands behind it in them.
pub struct Opened {
    pub pack: Pack<'static>,
    pub files: Vec<PackFile>,
    pub tails: Vec<Tail>,
}

/// Opens a pack, without the note.
///
/// # Errors
/// The same as for [`open`].
pub fn opened(path: &Path) -> Result<Opened, Failure> {
    refuse_pipes(path)?;
    let (pack, files) = pack_files::open(path).map_err(|error| unusable(path, error))?;
    let tails = pack.unfinished().map(|tail| Tail {
        path: files[tail.file].path.clone(),
        complete: tail.complete,
        bytes: tail.bytes,
    });
    let tails = tails.collect();
    Ok(Opened { pack, files, tails })
}

/// Refuses pipes and devices: opening a pipe would wait for its writer.
fn refuse_pipes(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            let cause = FilesCause::Io(io::Error::other("it is not a regular file"));
            Err(unusable(path, FilesError { path: path.to_owned(), cause }))
        }
        _ => Ok(()),
    }
}

/// Refuses `-` as a pack.
///
/// # Errors
/// Returns an error if that is the name.
pub fn refuse_stdin(path: &Path) -> Result<(), Failure> {
    match stdin::is_meant(path) {
        true => Err(Failure::Usage(
            "a pack cannot be read from standard input: write it to a file, and name that \
             ('./-' if it is called '-')"
                .into(),
        )),
        false => Ok(()),
    }
}

/// The failure to report for files that are not those of a pack.
fn unusable(pack: &Path, FilesError { path, cause }: FilesError) -> Failure {
    let cannot_open = |cause| Failure::io(format!("cannot open pack '{}'", path.display()), cause);
    match cause {
        FilesCause::Io(cause) => cannot_open(cause).advise(MADE_BY),
        FilesCause::Shards(error) => {
            let advice = match error {
                ShardsError::Missing(_) => {
                    "all shards are needed: copy it from where they were made, or make them again"
                }
                ShardsError::OtherSet(_) => "move the files of all sets but one to other folders",
                _ => MADE_BY,
            };
            cannot_open(io::Error::new(io::ErrorKind::InvalidData, error)).advise(advice)
        }
        FilesCause::Pack(error) if pack.is_dir() => damaged(&path, &error),
        FilesCause::Pack(error) => damaged(pack, &error),
        _ => cannot_open(io::Error::other("it cannot be used")),
    }
}

/// The failure to report for a pack that is damaged, or is not one.
pub fn damaged(path: &Path, error: &PackError) -> Failure {
    let shard = match error {
        PackError::Damaged { file, .. } if path.is_dir() => {
            pack_files::paths(path).ok().and_then(|shards| shards.get(*file).cloned())
        }
        _ => None,
    };
    let name = shard.as_deref().unwrap_or(path);
    let cause = io::Error::other(error.to_string());
    let failure = Failure::io(format!("cannot use pack '{}'", name.display()), cause);
    match error {
        PackError::OneOf { .. } => failure.advise("name the folder that they are in"),
        _ => failure.advise(MADE_BY),
    }
}

/// The same within what else may fail.
pub fn as_io(error: PackError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
