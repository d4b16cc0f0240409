//! Opening stores of fetched robots.txt files.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use robotsieve_client::store::{MAGIC, Store};

use crate::error::Failure;

/// Opens a store for reading and writing, and creates it if it does not exist.
///
/// # Errors
/// Returns an error if it cannot be opened or created.
pub fn open(path: &Path) -> Result<Store, Failure> {
    Ok(Store::open(path)?)
}

/// Opens an existing store for reading, whether or not another process writes to it.
///
/// # Errors
/// Returns an error if it does not exist or cannot be opened.
pub fn read_only(path: &Path) -> Result<Store, Failure> {
    exists(path)?;
    Ok(Store::open_read_only(path)?)
}

/// Checks that a store exists, for commands that must not create it.
///
/// # Errors
/// Returns an error if it does not.
pub fn exists(path: &Path) -> Result<(), Failure> {
    fs::metadata(path).map(drop).map_err(|cause| {
        let made = "'robotsieve fetch --store' and 'robotsieve store import' make stores";
        Failure::io(format!("cannot open store '{}'", path.display()), cause).advise(made)
    })
}

/// Returns true if a file begins like a store. Not if it cannot be read, or is a pipe or a device.
pub fn is_store(path: &Path) -> bool {
    let mut begin = Vec::with_capacity(MAGIC.len());
    fs::metadata(path).is_ok_and(|there| there.is_file())
        && File::open(path)
            .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut begin))
            .is_ok_and(|_| begin == MAGIC)
}
