//! Packs, mapped into memory: files, and folders of shards.

#![expect(unsafe_code, reason = "maps a file: see Safety")]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use robotsieve::pack::{Pack, PackError};

use crate::error::Failure;
use crate::write::stderr;

/// How to come by a pack.
pub const MADE_BY: &str = "'robotsieve pack' and 'robotsieve store export' make packs";

/// Maps a pack into memory until the program ends: a file, or a folder of shards.
///
/// If an update of a file was cut short, or is under way, the pack is used as it was before, and a
/// note says so.
///
/// # Errors
/// Returns an error if a file cannot be mapped or is not a pack, or if a shard is missing.
pub fn open(path: &Path) -> Result<&'static Pack<'static>, Failure> {
    if !path.is_dir() {
        let bytes = map_at(path)?;
        let pack = whole(path, bytes, Pack::open).map_err(|error| damaged(path, &error))?;
        return Ok(Box::leak(Box::new(pack)));
    }
    let paths = shards(path)?;
    let mut files: Vec<&'static [u8]> = Vec::with_capacity(paths.len());
    for path in &paths {
        files.push(map_at(path)?);
    }
    loop {
        match Pack::open_shards(&files) {
            Ok(pack) => return Ok(Box::leak(Box::new(pack))),
            Err((file, PackError::Unfinished { complete })) => {
                files[file] = before_update(&paths[file], files[file], complete);
            }
            Err((file, error)) => return Err(damaged(&paths[file], &error)),
        }
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
        if let Some(shard) = shard_of_name(&entry.file_name()) {
            shards.push((shard, entry.path()));
        }
    }
    shards.sort_unstable();
    let other = |what: String| failed(io::Error::new(io::ErrorKind::InvalidData, what));
    let Some(((_, count), _)) = shards.first() else {
        return Err(other("the folder has no files named shard-NNNN-of-NNNN.pack".to_owned()));
    };
    for (expected, ((index, of), path)) in (0..).zip(&shards) {
        if of != count {
            let name = path.file_name().unwrap_or_default().display();
            return Err(other(format!("'{name}' is of another set than its first shard")));
        }
        if *index != expected {
            return Err(other(format!("{} is missing", shard_name(expected, *count))));
        }
    }
    if shards.len() != *count as usize {
        return Err(other(format!("{} is missing", shard_name(shards.len() as u32, *count))));
    }
    Ok(shards.into_iter().map(|(_, path)| path).collect())
}

/// The name of a shard's file.
pub fn shard_name(index: u32, count: u32) -> String {
    format!("shard-{index:04}-of-{count:04}.pack")
}

/// The index and the count that a file name states.
pub fn shard_of_name(name: &std::ffi::OsStr) -> Option<(u32, u32)> {
    let parts = name.to_str()?.strip_prefix("shard-")?.strip_suffix(".pack")?;
    let (index, count) = parts.split_once("-of-")?;
    let (index, count) = (index.parse().ok()?, count.parse().ok()?);
    (shard_name(index, count) == name.to_str()?).then_some((index, count))
}

/// Opens a pack with `open`; without its end if that is of an update that was cut short.
fn whole<P>(
    path: &Path,
    bytes: &'static [u8],
    open: impl Fn(&'static [u8]) -> Result<P, PackError>,
) -> Result<P, PackError> {
    match open(bytes) {
        Err(PackError::Unfinished { complete }) => open(before_update(path, bytes, complete)),
        opened => opened,
    }
}

fn before_update(path: &Path, bytes: &'static [u8], complete: u64) -> &'static [u8] {
    stderr::note(&format_args!(
        "an update of pack '{}' was cut short or is under way: it is used as it was before; the next \
         'robotsieve pack update' cuts off what is left",
        path.display()
    ));
    // Never longer than the file.
    &bytes[..usize::try_from(complete).unwrap_or(0).min(bytes.len())]
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
    let cause = io::Error::other(error.to_string());
    let failure = Failure::io(format!("cannot use pack '{}'", path.display()), cause);
    match error {
        PackError::OneOf { .. } => failure.advise("name the folder that they are in"),
        _ => failure.advise(MADE_BY),
    }
}

/// The same within what else may fail.
pub fn as_io(error: PackError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_shards() {
        assert_eq!(shard_name(3, 64), "shard-0003-of-0064.pack");
        let of_name = |name: &str| shard_of_name(name.as_ref());
        assert_eq!(of_name("shard-0003-of-0064.pack"), Some((3, 64)));
        assert_eq!(of_name("shard-10000-of-10001.pack"), Some((10_000, 10_001)));
        for wrong in ["shard-3-of-64.pack", "shard-0003-of-0064.pack.tmp", "x", "shard--of-.pack"] {
            assert_eq!(of_name(wrong), None, "{wrong}");
        }
    }
}
