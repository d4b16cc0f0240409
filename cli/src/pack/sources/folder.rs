//! A folder of robots.txt files.

use std::path::Path;

use robotsieve_client::packs::GatherInput;

use super::source::{CaptureSource, Faults, file_of};
use crate::error::Failure;
use crate::read::robots_dir::{self, Tree};
use crate::write::stderr;

/// The files of a folder and its subfolders, in the order of their hosts.
pub struct Folder {
    tree: Tree,
    next: usize,
}

impl Folder {
    /// Lists the folder.
    ///
    /// # Errors
    /// Returns an error if it cannot be listed.
    pub fn open(path: &Path) -> Result<Folder, Failure> {
        let tree = robots_dir::walk(path)?;
        tree.warnings.iter().for_each(|warning| stderr::note(warning));
        if tree.ignored_count > 0 {
            let names: Vec<String> =
                tree.ignored.iter().map(|path| format!("'{}'", path.display())).collect();
            let more = if tree.ignored_count > names.len() as u64 { ", ..." } else { "" };
            stderr::note(&format_args!(
                "ignored {} of '{}' whose names are no hosts, or which are no files: {}{more}",
                tree.ignored_count,
                path.display(),
                names.join(", "),
            ));
        }
        Ok(Folder { tree, next: 0 })
    }
}

impl CaptureSource for Folder {
    fn next(&mut self, _: &Faults) -> Option<GatherInput> {
        let (keys, path) = self.tree.file(self.next)?;
        self.next += 1;
        Some(file_of(keys, path))
    }
}
