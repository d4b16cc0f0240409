//! A folder of robots.txt files.

use std::path::Path;

use robotsieve_captures::packs::GatherInput;
use robotsieve_client::folders;

use super::source::{CaptureSource, Faults, file_of};
use crate::error::Failure;
use crate::read::robots_dir;

/// The files of a folder and of all folders in it, in the order of their hosts.
pub struct Folder {
    folder: folders::Folder,
    next: usize,
}

impl Folder {
    /// Lists the folder.
    ///
    /// # Errors
    /// Returns an error if it cannot be listed.
    pub fn open(path: &Path) -> Result<Folder, Failure> {
        Ok(Folder { folder: robots_dir::walk(path)?, next: 0 })
    }
}

impl CaptureSource for Folder {
    fn next(&mut self, _: &Faults) -> Option<GatherInput> {
        let file = self.folder.file(self.next)?;
        self.next += 1;
        Some(file_of(file.keys(), file.path(), robots_dir::read))
    }
}
