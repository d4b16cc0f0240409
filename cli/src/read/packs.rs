//! A file as bytes in memory, without reading it.

#![expect(unsafe_code, reason = "maps a file: see Safety")]

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;
use robotsieve::pack::{Pack, PackError};

use crate::error::Failure;

/// Opens a pack where it lies, for as long as the program runs.
///
/// # Errors
/// A file that cannot be mapped, or that is no pack.
pub fn pack(path: &Path) -> Result<&'static Pack<'static>, Failure> {
    let failed = |cause| Failure::io(format!("cannot open pack '{}'", path.display()), cause);
    let file = File::open(path).map_err(failed)?;
    // SAFETY: the bytes of a map must not change while it is there. Nobody in this program
    // writes to a file that it maps, and `robotsieve pack` replaces packs by renaming, which
    // leaves the old file as it was. That no other program writes into the file, or cuts it
    // short, is what the help asks of the user; there is no way to make sure.
    let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
    let bytes: &'static [u8] = Box::leak(Box::new(map));
    match Pack::open(bytes) {
        Ok(pack) => Ok(Box::leak(Box::new(pack))),
        Err(error) => Err(damaged(path, &error)),
    }
}

/// The failure that damage is.
pub fn damaged(path: &Path, error: &PackError) -> Failure {
    let cause = std::io::Error::other(error.to_string());
    Failure::io(format!("cannot use pack '{}'", path.display()), cause)
}
