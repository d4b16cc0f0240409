//! Packs, mapped into memory: files, and folders of shards.

#![expect(unsafe_code, reason = "maps a file: see Safety")]

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;
use robotsieve::pack::{FileError, Pack, PackError, ShardsError, check_shards, shard_of_name};

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
    let (pack, tails) = open_before_updates(path)?;
    for Tail { path: file, .. } in tails {
        if is_being_updated(path) {
            stderr::note(&format_args!(
                "an update of pack '{}' is under way: it is used as it was before",
                file.display()
            ));
        } else {
            CUT_SHORT.store(true, Ordering::Relaxed);
            stderr::error(&format_args!(
                "an update of pack '{}' was cut short: it is used as it was before; the next \
                 'robotsieve pack update' cuts off what is left",
                file.display()
            ));
        }
    }
    Ok(pack)
}

static CUT_SHORT: AtomicBool = AtomicBool::new(false);

/// True if a pack was used as it was before an update that was cut short.
pub fn was_cut_short() -> bool {
    CUT_SHORT.load(Ordering::Relaxed)
}

/// True if `pack update` holds its lock: that of the first file.
pub fn is_being_updated(path: &Path) -> bool {
    let first = match path.is_dir() {
        true => shards(path).ok().and_then(|shards| shards.into_iter().next()),
        false => Some(path.to_owned()),
    };
    let file = first.and_then(|first| File::open(first).ok());
    file.is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// What stands behind a pack in its file: an update that was cut short, or is under way.
pub struct Tail {
    pub path: PathBuf,
    /// The number of bytes the pack has.
    pub complete: u64,
    /// The number of bytes the file has.
    len: u64,
}

impl Tail {
    /// How many bytes stand behind the pack.
    pub fn bytes(&self) -> u64 {
        self.len - self.complete
    }
}

/// The same, without the note. Returns what stands behind the pack in its files.
///
/// # Errors
/// The same as for [`open`].
pub fn open_before_updates(path: &Path) -> Result<(&'static Pack<'static>, Vec<Tail>), Failure> {
    refuse_stdin(path)?;
    let is_folder = path.is_dir();
    let paths = if is_folder { shards(path)? } else { vec![path.to_owned()] };
    let mut files: Vec<&'static [u8]> = Vec::with_capacity(paths.len());
    for path in &paths {
        files.push(map_at(path)?);
    }
    let mut tails = Vec::new();
    loop {
        let opened = match is_folder {
            true => Pack::open_shards(files.iter().copied()),
            false => Pack::open(files[0]).map_err(|error| FileError { file: 0, error }),
        };
        match opened {
            Ok(pack) => return Ok((Box::leak(Box::new(pack)), tails)),
            Err(FileError { file, error: PackError::Unfinished { complete } }) => {
                let bytes = files[file];
                tails.push(Tail { path: paths[file].clone(), complete, len: bytes.len() as u64 });
                // Never longer than the file.
                files[file] = &bytes[..usize::try_from(complete).unwrap_or(0).min(bytes.len())];
            }
            Err(FileError { file, error }) => return Err(damaged(&paths[file], &error)),
        }
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

/// The paths of the shards in a folder, in their order.
///
/// # Errors
/// Returns an error if the folder cannot be listed, has no shards, or has those of several sets.
pub fn shards(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |cause| {
        Failure::io(format!("cannot open pack '{}'", folder.display()), cause).advise(MADE_BY)
    };
    let mut shards = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if let Some(shard) = entry.file_name().to_str().and_then(shard_of_name) {
            shards.push((shard, entry.path()));
        }
    }
    shards.sort_unstable();
    let (numbers, paths): (Vec<(u32, u32)>, Vec<PathBuf>) = shards.into_iter().unzip();
    match check_shards(&numbers) {
        Ok(()) => Ok(paths),
        Err(error) => {
            let advice = match error {
                ShardsError::Missing(_) => {
                    "all shards are needed: copy it from where they were made, or make them again"
                }
                ShardsError::OtherSet(_) => "move the files of all sets but one to other folders",
                _ => MADE_BY,
            };
            Err(failed(io::Error::new(io::ErrorKind::InvalidData, error)).advise(advice))
        }
    }
}

fn map_at(path: &Path) -> Result<&'static [u8], Failure> {
    let failed = |cause| {
        Failure::io(format!("cannot open pack '{}'", path.display()), cause).advise(MADE_BY)
    };
    File::open(path).and_then(|file| map(&file)).map_err(failed)
}

/// Maps a file into memory until the program ends. Nobody may change the bytes that it has now, or
/// cut it; it may grow.
///
/// # Errors
/// Returns an error if that cannot be done.
pub fn map(file: &File) -> io::Result<&'static [u8]> {
    // SAFETY: the bytes of a map must not change while it exists. This program never writes to what
    // it maps: `robotsieve pack` replaces packs by renaming, which leaves the old file as it was,
    // and `pack update` appends to a file, and cuts off only what no reader takes for a part of the
    // pack. That no other program modifies or truncates the file cannot be enforced; the help asks
    // it of the user.
    let map = unsafe { Mmap::map(file) }?;
    Ok(Box::leak(Box::new(map)))
}

/// The failure to report for a pack that is damaged, or is not one.
pub fn damaged(path: &Path, error: &PackError) -> Failure {
    let shard = match error {
        PackError::Damaged { file, .. } if path.is_dir() => {
            shards(path).ok().and_then(|shards| shards.get(*file).cloned())
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
