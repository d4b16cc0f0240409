//! A store that nobody closed, or that may not be written, opened for reading: repairs go to
//! memory, and the file stays as it is.
//!
//! redb opens such a file only to repair it in place, under a lock that keeps writers out. Here a
//! writer may come at any time, so this reads the header itself: a reader holds the locks of the
//! last two commits, by their numbers, so that a writer keeps their pages, and the numbers tell if a
//! writer came meanwhile. A lock of our own would be better founded, but would make writers wait for
//! readers; a copy of the file would cost its size. The header's layout is part of redb's file
//! format, of which the version is fixed (`~4.4`), and `store_kill` and `store_shared` fail if it
//! changes.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::backends::FileBackend;
use redb::{BackendError, Builder, Database, StorageBackend};

use super::error::Fault;

/// Pages of the file that were changed in memory have this size and alignment.
const BLOCK: u64 = 4096;

/// The bytes of redb's header, which its writers change under a lock (redb's `docs/design.md`,
/// "Lock bytes" and "Database super-header").
const HEADER_BYTES: usize = 320;
const GOD_BYTE: usize = 9;
const RECOVERY_REQUIRED: u8 = 2;
/// The places of the numbers of transactions in the two commit slots.
const TRANSACTION_IDS: [usize; 2] = [64 + 104, 64 + 128 + 104];
/// Bytes far behind the end of the file, which processes lock to tell each other what they do.
const LOCK_BASE: u64 = 1 << 62;
const SHARED_READER_BYTE: u64 = LOCK_BASE + 2;
const FIRST_TRANSACTION_BYTE: u64 = LOCK_BASE + 1024;

/// The last commits, as the header has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commits {
    ids: [u64; 2],
    /// True if somebody has the file open for writing, or did not close it.
    pub(super) is_unclean: bool,
}

/// A database that reads from a file and keeps all changes in memory.
pub(super) struct Overlay {
    pub(super) database: Database,
    /// As of when the file was opened.
    pub(super) commits: Commits,
    /// Ends all use of the file: closing the database then costs nothing and changes nothing.
    pub(super) end: Arc<AtomicBool>,
}

/// Reads the header of a file, in whole.
pub(super) fn commits(path: &Path) -> Result<Commits, Fault> {
    let file = FileBackend::new(File::open(path)?)?;
    let header = locked_header(&file, |_| Ok(()))?;
    file.close()?;
    Ok(Commits::of(&header))
}

/// Opens a file without asking whether somebody is writing to it. From now on a writer keeps
/// everything that origins and bodies of the last commits need, and nothing else: if
/// [`commits`] change while the database opens, what it found means nothing.
pub(super) fn open(path: &Path, builder: &Builder) -> Result<Overlay, Fault> {
    let file = FileBackend::new(File::open(path)?)?;
    let is_shared = |range: u64| {
        let bound = Bound::Included(range);
        match file.try_lock_shared_range(bound, bound) {
            Ok(is_shared) => Ok(is_shared),
            // Without such locks a writer locks the whole file.
            Err(BackendError::Unsupported) => {
                match file.try_lock_shared_range(Bound::Unbounded, Bound::Unbounded) {
                    Err(BackendError::Unsupported) => Ok(true),
                    answer => answer,
                }
            }
            Err(error) => Err(error),
        }
    };
    if !is_shared(SHARED_READER_BYTE).map_err(io::Error::from)? {
        return Err(Fault::InUse);
    }
    let header = locked_header(&file, |header| {
        for id in Commits::of(header).ids {
            let byte = FIRST_TRANSACTION_BYTE.checked_add(id).filter(|byte| *byte < 1 << 63);
            let byte = byte.ok_or_else(|| Fault::damaged("the number of a commit is too large"))?;
            is_shared(byte).map_err(io::Error::from)?;
        }
        Ok(())
    })?;
    let commits = Commits::of(&header);
    let len = file.len()?;
    let end = Arc::new(AtomicBool::new(false));
    let changed = Changed { len, file_len: len, blocks: HashMap::new() };
    let backend = Backend { file, changed: Mutex::new(changed), end: Arc::clone(&end) };
    // Read once: a writer may change it.
    backend.write(0, &header)?;
    let database = builder.create_with_backend(backend)?;
    Ok(Overlay { database, commits, end })
}

/// The header, while no writer can change it, and what has to be done before one can.
fn locked_header(
    file: &FileBackend,
    meanwhile: impl FnOnce(&[u8; HEADER_BYTES]) -> Result<(), Fault>,
) -> Result<[u8; HEADER_BYTES], Fault> {
    let (from, to) = (Bound::Included(0), Bound::Excluded(HEADER_BYTES as u64));
    let is_locked = match file.lock_shared_range(from, to) {
        Ok(()) => true,
        Err(BackendError::Unsupported) => false,
        Err(error) => return Err(io::Error::from(error).into()),
    };
    let mut header = [0; HEADER_BYTES];
    let read = file.read(0, &mut header).map_err(|cause| match cause.kind() {
        io::ErrorKind::UnexpectedEof => Fault::damaged("the header is cut off"),
        _ => cause.into(),
    });
    let done = read.and_then(|()| meanwhile(&header));
    if is_locked {
        file.unlock_range(from, to).map_err(io::Error::from)?;
    }
    done.map(|()| header)
}

impl Commits {
    fn of(header: &[u8; HEADER_BYTES]) -> Commits {
        let id = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("8 bytes"));
        Commits {
            ids: TRANSACTION_IDS.map(id),
            is_unclean: header[GOD_BYTE] & RECOVERY_REQUIRED != 0,
        }
    }

    /// True if there was no commit in between.
    pub(super) fn is_same(&self, other: &Commits) -> bool {
        self.ids == other.ids
    }
}

/// A file whose changes stay in memory.
#[derive(Debug)]
struct Backend {
    file: FileBackend,
    changed: Mutex<Changed>,
    end: Arc<AtomicBool>,
}

struct Changed {
    len: u64,
    /// The length of the file that still counts. Between its end and `len` all is zero.
    file_len: u64,
    /// Blocks of [`BLOCK`] bytes, by their number.
    blocks: HashMap<u64, Box<[u8]>>,
}

impl std::fmt::Debug for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Changed")
            .field("len", &self.len)
            .field("blocks", &self.blocks.len())
            .finish_non_exhaustive()
    }
}

/// The parts of a range of bytes that lie in one block each: the block, where in it the part
/// begins, and the part's place in the range.
fn parts(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == len {
            return None;
        }
        let at = offset + done as u64;
        let in_block = (at % BLOCK) as usize;
        let part = done..len.min(done + BLOCK as usize - in_block);
        done = part.end;
        Some((at / BLOCK, in_block, part))
    })
}

impl Backend {
    fn changed(&self) -> io::Result<MutexGuard<'_, Changed>> {
        if self.end.load(Ordering::Acquire) {
            return Err(io::Error::other("the store is closed"));
        }
        Ok(self.changed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads from the file alone.
    fn read_file(&self, file_len: u64, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let in_file = file_len.saturating_sub(offset).min(out.len() as u64) as usize;
        self.file.read(offset, &mut out[..in_file])?;
        out[in_file..].fill(0);
        Ok(())
    }
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        Ok(self.changed()?.len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let changed = self.changed()?;
        let is_within = offset.checked_add(out.len() as u64).is_some_and(|end| end <= changed.len);
        if !is_within {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let file_len = changed.file_len;
        let found: Vec<_> = parts(offset, out.len())
            .filter_map(|(number, from, part)| {
                let block = changed.blocks.get(&number)?;
                Some((part.clone(), block[from..from + part.len()].to_vec()))
            })
            .collect();
        // Other threads read meanwhile.
        drop(changed);
        self.read_file(file_len, offset, out)?;
        for (part, bytes) in found {
            out[part].copy_from_slice(&bytes);
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut changed = self.changed()?;
        if len < changed.len {
            changed.blocks.retain(|number, _| number * BLOCK < len);
            if let Some(last) = changed.blocks.get_mut(&(len / BLOCK)) {
                last[(len % BLOCK) as usize..].fill(0);
            }
            changed.file_len = changed.file_len.min(len);
        }
        changed.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.changed().map(drop)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut changed = self.changed()?;
        let file_len = changed.file_len;
        for (number, from, part) in parts(offset, data.len()) {
            let block = match changed.blocks.entry(number) {
                std::collections::hash_map::Entry::Occupied(block) => block.into_mut(),
                std::collections::hash_map::Entry::Vacant(block) => {
                    let mut bytes = vec![0; BLOCK as usize].into_boxed_slice();
                    self.read_file(file_len, number * BLOCK, &mut bytes)?;
                    block.insert(bytes)
                }
            };
            block[from..from + part.len()].copy_from_slice(&data[part]);
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    // The file is locked already, for reading. What is in memory has no other user.

    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn try_lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn query_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(false)
    }
}
