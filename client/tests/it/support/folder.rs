//! Folders for stores.

use robotsieve_corpora::memory;
use tempfile::TempDir;

/// A folder in memory, where there is room: tests of what a store holds need not wait for the disk at each of its
/// changes.
pub fn in_memory() -> TempDir {
    let folder = memory().map(tempfile::tempdir_in).and_then(Result::ok);
    folder.unwrap_or_else(|| tempfile::tempdir().expect("a folder"))
}
