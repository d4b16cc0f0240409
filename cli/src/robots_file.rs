//! Reading a robots.txt.

use std::fs;
use std::path::Path;

use crate::error::Failure;

/// The octets of a robots.txt.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path)
        .map_err(|cause| Failure::io(format!("cannot read robots.txt '{}'", path.display()), cause))
}
