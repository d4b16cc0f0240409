//! Folders for stores.

use tempfile::TempDir;

/// A folder in memory, where the system has one: tests of what a store holds need not wait for the
/// disk at each of its changes.
pub fn in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}
