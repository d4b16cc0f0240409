//! Reading a robots.txt.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::error::Failure;
use crate::read::stdin;

/// The bytes of a robots.txt; `-` is standard input.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if stdin::is_meant(path) {
        let mut bytes = Vec::new();
        return match stdin::open().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(cause) => Err(Failure::io("cannot read robots.txt from standard input", cause)),
        };
    }
    fs::read(path)
        .map_err(|cause| Failure::io(format!("cannot read robots.txt '{}'", path.display()), cause))
}

/// The name of a robots.txt, as it is shown beside its lines.
pub fn shown(path: &Path) -> String {
    if stdin::is_meant(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}
