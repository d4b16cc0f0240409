//! Room on the disk that is kept for the day on which it is full.
//!
//! A store without free space in its file can remove nothing while the disk is full: redb writes each
//! page anew before it gives the old one back. So some blocks beyond the end of the file belong to it,
//! where the system can do that, and [`prune`](super::sweep) gives them back first. The file grows into
//! them, too; after each growth they are asked for anew.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Enough for steps that remove row after row.
#[cfg(target_os = "linux")]
const BYTES: u64 = 1 << 20;

/// The room beyond the end of a file.
pub(super) struct Reserve {
    /// `None` if nothing is kept.
    file: Option<File>,
    /// The length of the file for which it was asked for last.
    len: AtomicU64,
    is_released: AtomicBool,
}

impl Reserve {
    /// For no file.
    pub(super) fn none() -> Reserve {
        Reserve { file: None, len: AtomicU64::new(0), is_released: AtomicBool::new(true) }
    }

    /// For the file of a store. Dropping it keeps the room.
    pub(super) fn of(path: &Path) -> Reserve {
        let file = File::options().write(true).open(path).ok();
        let (len, is_released) = (AtomicU64::new(u64::MAX), AtomicBool::new(false));
        let reserve = Reserve { file, len, is_released };
        reserve.keep();
        reserve
    }

    /// Asks for room, if the file has another length than before. Without any, the store works as well.
    pub(super) fn keep(&self) {
        let Some(file) = &self.file else { return };
        let Ok(len) = file.metadata().map(|found| found.len()) else { return };
        if !self.is_released.load(Ordering::SeqCst) && self.len.swap(len, Ordering::SeqCst) != len {
            allocate(file, len);
        }
    }

    /// If the disk has less room than the file takes, gives back to it what is kept, and returns true.
    /// Nobody may write to the file meanwhile.
    pub(super) fn release_if_full(&self) -> bool {
        let Some(file) = &self.file else { return false };
        let Ok(len) = file.metadata().map(|found| found.len()) else { return false };
        if room(file).is_none_or(|room| room >= len) {
            return false;
        }
        self.is_released.store(true, Ordering::SeqCst);
        // If it cannot be given back, the next write says what is wrong.
        let _ = file.set_len(len);
        true
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        // The database may have been cut when it was closed.
        self.is_released.store(false, Ordering::SeqCst);
        self.len.store(u64::MAX, Ordering::SeqCst);
        self.keep();
    }
}

#[cfg(target_os = "linux")]
fn allocate(file: &File, len: u64) {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::process::{Resource, getrlimit};
    // The system would end the program with a signal, as if the file had grown.
    let limit = getrlimit(Resource::Fsize).current;
    if limit.is_none_or(|limit| len + BYTES <= limit) {
        // Not all file systems can.
        let _ = fallocate(file, FallocateFlags::KEEP_SIZE, len, BYTES);
    }
}

/// The bytes that the disk of a file has room for.
#[cfg(target_os = "linux")]
fn room(file: &File) -> Option<u64> {
    let disk = rustix::fs::fstatvfs(file).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(target_os = "linux"))]
fn room(_: &File) -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn allocate(_: &File, _: u64) {}
