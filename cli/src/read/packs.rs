//! Packs, mapped into memory.

#![expect(unsafe_code, reason = "maps a file: see Safety")]

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;
use robotsieve::pack::{Pack, PackError};

use crate::error::Failure;

const MADE_BY: &str = "'robotsieve pack' and 'robotsieve store export' make packs";

/// Maps a pack into memory until the program ends.
///
/// # Errors
/// Returns an error if the file cannot be mapped or is not a pack.
pub fn open(path: &Path) -> Result<&'static Pack<'static>, Failure> {
    let failed = |cause| {
        Failure::io(format!("cannot open pack '{}'", path.display()), cause).advise(MADE_BY)
    };
    let file = File::open(path).map_err(failed)?;
    // SAFETY: the bytes of a map must not change while it exists. This program never writes to a
    // file that it maps, and `robotsieve pack` replaces packs by renaming, which leaves the old
    // file as it was. That no other program modifies or truncates the file cannot be enforced; the
    // help asks it of the user.
    let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
    let bytes: &'static [u8] = Box::leak(Box::new(map));
    match Pack::open(bytes) {
        Ok(pack) => Ok(Box::leak(Box::new(pack))),
        Err(error) => Err(damaged(path, &error)),
    }
}

/// The failure to report for a pack that is damaged, or is not one.
pub fn damaged(path: &Path, error: &PackError) -> Failure {
    let cause = std::io::Error::other(error.to_string());
    Failure::io(format!("cannot use pack '{}'", path.display()), cause).advise(MADE_BY)
}
