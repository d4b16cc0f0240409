//! Where tests put files that need no disk.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// The file system in memory that Linux has, if more than 4 GiB are free there: to make a file on a disk costs a multiple
/// of all else.
pub fn memory() -> Option<&'static Path> {
    const MEMORY: &str = "/dev/shm";
    static IS_ROOMY: LazyLock<bool> = LazyLock::new(|| {
        let free = Command::new("df").args(["-Pk", MEMORY]).output();
        let free = free.map_or_else(|_| Vec::new(), |told| told.stdout);
        let free = String::from_utf8_lossy(&free).into_owned();
        let free = free.lines().nth(1).and_then(|line| line.split_whitespace().nth(3));
        free.is_some_and(|kilobytes| kilobytes.parse::<u64>().is_ok_and(|free| free > 4 << 20))
    });
    IS_ROOMY.then(|| Path::new(MEMORY))
}
