//! Maps packs into memory.

#![expect(unsafe_code, reason = "maps a file")]

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;
use robotsieve::pack::{Pack, PackError};

use crate::error::Failure;

/// Opens a pack in its file, without reading it, for as long as the program runs.
///
/// # Errors
/// Returns an error if the file cannot be mapped or is not a pack.
pub fn pack(path: &Path) -> Result<&'static Pack<'static>, Failure> {
    let failed = |cause| Failure::io(format!("cannot open pack '{}'", path.display()), cause);
    let file = File::open(path).map_err(failed)?;
    // SAFETY: the file must not change while it is mapped. This program does not write to a file
    // that it maps, and `robotsieve pack` replaces packs by renaming, which leaves the old file
    // as it was. Nothing can keep another program from writing to the file or truncating it;
    // docs/pack.md tells users not to.
    let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
    let bytes: &'static [u8] = Box::leak(Box::new(map));
    match Pack::open(bytes) {
        Ok(pack) => Ok(Box::leak(Box::new(pack))),
        Err(error) => Err(damaged(path, &error)),
    }
}

/// The failure of a command whose pack is damaged.
pub fn damaged(path: &Path, error: &PackError) -> Failure {
    let cause = std::io::Error::other(error.to_string());
    Failure::io(format!("cannot use pack '{}'", path.display()), cause)
}
