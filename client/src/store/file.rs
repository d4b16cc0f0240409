//! The file: created, opened, compacted, verified.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use redb::{
    Builder, ConcurrencyMode, Database, DatabaseError, ReadOnlyDatabase, ReadTransaction,
    ReadableDatabase, ReadableTable, StorageError, TableError, WriteTransaction,
};

use super::bodies::{Compression, DICTIONARY, Decompression};
use super::error::{Fault, StoreError};
use super::format::{
    BODIES, COMPRESSION_DICTIONARY, HEADER, MAGIC, NUMBERS, ORIGINS, SCHEMA, SCHEMA_VERSION,
};
use super::guard::guarded;
use super::overlay::{self, Overlay};
use super::reserve::Reserve;
use super::snapshot::Snapshot;
use super::unnamed::Unnamed;

/// The memory that a store uses for pages of the file, unless told otherwise: 64 MiB.
pub(super) const CACHE_BYTES: usize = 64 << 20;

/// Opens the database again, for reading and writing.
type Reopen = Box<dyn Fn() -> Result<Database, Fault> + Send + Sync>;

/// An open file. Fields are dropped in this order: what reads the database before the database.
pub(super) struct StoreFile {
    pub(super) path: Arc<Path>,
    /// The database as of the last commit. Single reads share it, so that none has to begin a
    /// transaction and open three tables.
    latest: RwLock<Arc<Snapshot>>,
    /// Used only within write transactions, of which there is one at a time.
    compression: Mutex<Compression>,
    decompression: Arc<Decompression>,
    /// Locked for reading while it is used, and for writing while it is replaced. Locked before
    /// `latest`.
    database: RwLock<Handle>,
    /// `None` if the store is open for reading.
    reopen: Option<Reopen>,
    /// The number of transactions that have changed the store, and of some that failed to.
    changes: AtomicU64,
    /// Dropped when the database is closed.
    reserve: Reserve,
}

/// A database that can be replaced.
struct Handle {
    /// `None` if it could not be opened again.
    database: Option<Closing>,
    /// The number of times that it was replaced.
    replaced: u64,
    /// The failed write after which it could not be opened for writing again. The next write tries
    /// it once more.
    closed: Option<Arc<Fault>>,
}

/// A database, opened in one of three ways.
enum Access {
    /// For reading and writing.
    Full(Database),
    /// For reading, while another process may write.
    Shared(ReadOnlyDatabase),
    /// For reading, from a file that nobody closed.
    Overlay(Overlay),
}

impl std::fmt::Debug for StoreFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl StoreFile {
    pub(super) fn open_or_create(path: &Path, cache_bytes: usize) -> Result<StoreFile, StoreError> {
        guarded(|| {
            let database = match fs::metadata(path) {
                // Only a regular file: devices and pipes have no length either. If the path is a
                // link, its target is replaced and the link stays.
                Ok(there) if there.is_file() && there.len() == 0 => match fs::canonicalize(path) {
                    Ok(target) => create(&target, cache_bytes)?,
                    // Another process is just putting a store in its place.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        create(path, cache_bytes)?
                    }
                    Err(error) => return Err(error.into()),
                },
                Ok(_) => open(path, cache_bytes)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, cache_bytes)?,
                Err(error) => return Err(error.into()),
            };
            // The program may change its working directory.
            let absolute = std::path::absolute(path)?;
            let reserve = Reserve::of(&absolute);
            let reopen = Box::new(move || open(&absolute, cache_bytes));
            let file = StoreFile::new(path, Access::Full(database), Some(reopen))?;
            Ok(StoreFile { reserve, ..file })
        })
        .map_err(|fault| fault.at(path))
    }

    pub(super) fn open_read_only(path: &Path, cache_bytes: usize) -> Result<StoreFile, StoreError> {
        guarded(|| {
            check_magic(path)?;
            StoreFile::new(path, open_for_reading(path, cache_bytes)?, None)
        })
        .map_err(|fault| fault.at(path))
    }

    /// A store on something else than a file, for tests.
    #[cfg(test)]
    pub(super) fn on_backend(
        path: &Path,
        open: impl Fn() -> Result<Database, Fault> + Send + Sync + 'static,
    ) -> Result<StoreFile, Fault> {
        let database = open()?;
        if database.begin_read()?.open_table(HEADER).is_err() {
            fill(&database)?;
        }
        StoreFile::new(path, Access::Full(database), Some(Box::new(open)))
    }

    fn new(path: &Path, database: Access, reopen: Option<Reopen>) -> Result<StoreFile, Fault> {
        let database = Closing(Some(database));
        let transaction = database.access().read()?;
        let dictionary = read_header(&transaction)?;
        let decompression = Arc::new(Decompression::new(&dictionary)?);
        let path = Arc::from(path);
        let snapshot = Snapshot::begin(&transaction, &decompression, &path)?;
        let latest = RwLock::new(Arc::new(snapshot));
        let compression = Mutex::new(Compression::new(&dictionary)?);
        let database = Handle { database: Some(database), replaced: 0, closed: None };
        let database = RwLock::new(database);
        let changes = AtomicU64::new(0);
        let reserve = Reserve::none();
        Ok(StoreFile {
            path,
            latest,
            compression,
            decompression,
            database,
            reopen,
            changes,
            reserve,
        })
    }

    /// The database as of the last commit.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.latest.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads from the database as of the last commit. If it was closed after a failed write in
    /// the meantime, reads from the one that took its place.
    pub(super) fn read<T>(
        &self,
        read: impl Fn(&Snapshot) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let snapshot = self.snapshot();
        let answer = read(&snapshot);
        if answer.as_ref().is_err_and(|error| matches!(error.fault(), Fault::Closed(_))) {
            let now = self.snapshot();
            if !Arc::ptr_eq(&snapshot, &now) {
                return read(&now);
            }
        }
        answer
    }

    /// A number that is another one whenever the store has been changed. Within a change it stays.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Compresses bodies into rows.
    pub(super) fn compression(&self) -> MutexGuard<'_, Compression> {
        self.compression.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes all changes or none. When this returns, they are durable and every later read sees
    /// them.
    pub(super) fn write<T>(
        &self,
        changes: impl FnOnce(&WriteTransaction) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut handle = self.database.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(cause) = handle.closed.clone() {
            let replaced = handle.replaced;
            drop(handle);
            self.replace(replaced, &cause);
            handle = self.database.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(cause) = &handle.closed {
                return Err(Fault::Closed(Arc::clone(cause)));
            }
        }
        let Some(Access::Full(database)) = handle.database.as_ref().map(Closing::access) else {
            return Err(Fault::ReadOnly);
        };
        let result = guarded(|| {
            let mut transaction = database.begin_write()?;
            // Each commit saves the state of the allocator, so that opening the file after a
            // crash need not read all its pages.
            transaction.set_quick_repair(true);
            let result = changes(&transaction)?;
            // Before another transaction can begin.
            self.changes.fetch_add(1, Ordering::SeqCst);
            transaction.commit()?;
            // The snapshot begins under the lock, so that an earlier one never replaces a later
            // one.
            let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
            let transaction = database.begin_read()?;
            let begun = Snapshot::begin(&transaction, &self.decompression, &self.path)?.counted();
            let before = std::mem::replace(&mut *latest, Arc::new(begun));
            drop(latest);
            drop(before);
            self.reserve.keep();
            Ok(result)
        });
        let replaced = handle.replaced;
        drop(handle);
        if let Err(cause @ Fault::Io(_)) = &result {
            self.replace(replaced, cause);
        }
        result
    }

    /// If the disk has less room than the file takes, gives back to it what is kept for that, and returns
    /// true.
    pub(super) fn use_reserve(&self) -> bool {
        // Nobody writes.
        let _handle = self.database.write().unwrap_or_else(PoisonError::into_inner);
        self.reserve.release_if_full()
    }

    /// Opens the database again after a failed write: redb neither reads nor writes any more
    /// then. The file is as of the last commit, and later writes work once there is room.
    fn replace(&self, replaced: u64, cause: &Fault) {
        let Some(reopen) = &self.reopen else { return };
        let mut handle = self.database.write().unwrap_or_else(PoisonError::into_inner);
        // Several writes may fail at once.
        if handle.replaced != replaced {
            return;
        }
        handle.replaced += 1;
        // Readers wait for the new one.
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        handle.database = None;
        let begin = |access: Access| {
            let database = Closing(Some(access));
            let transaction = database.access().read()?;
            let snapshot = Snapshot::begin(&transaction, &self.decompression, &self.path)?;
            Ok((database, snapshot))
        };
        handle.closed = None;
        let opened = guarded(|| begin(Access::Full(reopen()?))).or_else(|_| {
            handle.closed = Some(Arc::new(cause.clone()));
            guarded(|| begin(open_for_reading(&self.path, CACHE_BYTES)?))
        });
        if let Ok((database, snapshot)) = opened {
            handle.database = Some(database);
            *latest = Arc::new(snapshot);
        }
    }

    pub(super) fn compact(path: &Path) -> Result<u64, StoreError> {
        guarded(|| {
            let mut database = open(path, CACHE_BYTES)?;
            read_header(&database.begin_read()?)?;
            database.compact()?;
            drop(database);
            drop(Reserve::of(path));
            Ok(fs::metadata(path)?.len())
        })
        .map_err(|fault| fault.at(path))
    }

    pub(super) fn verify(path: &Path) -> Result<(), StoreError> {
        guarded(|| {
            check_magic(path)?;
            let before = overlay::commits(path)?;
            // While somebody writes, only what origins and bodies need stays in place.
            if before.is_unclean
                && let Some(shared) = open_shared(path, CACHE_BYTES)?
            {
                return StoreFile::new(path, shared, None)?.snapshot().verify();
            }
            let checked = guarded(|| {
                let mut overlay = overlay::open(path, &exclusive(CACHE_BYTES))?;
                let is_sound = overlay.database.check_integrity()?;
                if !is_sound {
                    return Err(Fault::damaged("some pages are corrupt"));
                }
                StoreFile::new(path, Access::Overlay(overlay), None)?.snapshot().verify()
            });
            match checked {
                // Somebody has begun to write in the meantime.
                Err(Fault::Damaged(_)) if !overlay::commits(path)?.is_same(&before) => {
                    let file = open_for_reading(path, CACHE_BYTES)?;
                    StoreFile::new(path, file, None)?.snapshot().verify()
                }
                checked => checked,
            }
        })
        .map_err(|fault| fault.at(path))
    }
}

/// A database that is closed when it is dropped. On a damaged file redb may panic then.
struct Closing(Option<Access>);

impl Drop for Closing {
    fn drop(&mut self) {
        let database = self.0.take();
        if let Some(Access::Overlay(overlay)) = &database {
            overlay.end.store(true, Ordering::Release);
        }
        // Whatever happens here, everything that was acknowledged is in the file.
        guarded(|| {
            drop(database);
            Ok(())
        })
        .ok();
    }
}

impl Closing {
    fn access(&self) -> &Access {
        self.0.as_ref().expect("it is taken only on drop")
    }
}

impl Access {
    fn read(&self) -> Result<ReadTransaction, Fault> {
        Ok(match self {
            Access::Full(database) => database.begin_read()?,
            Access::Shared(database) => database.begin_read()?,
            Access::Overlay(overlay) => overlay.database.begin_read()?,
        })
    }
}

/// Opens files that nobody else uses at the same time.
fn exclusive(cache_bytes: usize) -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(cache_bytes);
    builder
}

/// Opens files that one process writes while others read them. Where the system or the file
/// system cannot lock parts of a file, a writer excludes readers instead.
fn shared<T>(
    cache_bytes: usize,
    open: impl Fn(&Builder) -> Result<T, DatabaseError>,
) -> Result<T, DatabaseError> {
    let mut builder = exclusive(cache_bytes);
    builder.set_concurrency_mode(ConcurrencyMode::SingleWriter);
    match open(&builder) {
        Err(DatabaseError::Storage(StorageError::Unsupported)) => open(&exclusive(cache_bytes)),
        opened => opened,
    }
}

/// Opens a database for reading, while another process may write. Returns `None` if nobody
/// writes but the last writer did not close it.
fn open_shared(path: &Path, cache_bytes: usize) -> Result<Option<Access>, Fault> {
    match shared(cache_bytes, |builder| builder.open_read_only(path)) {
        Ok(database) => Ok(Some(Access::Shared(database))),
        Err(DatabaseError::RepairAborted) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The number of times that [`open_for_reading`] begins again because a writer came and went.
const OPENINGS: usize = 100;

/// Opens an existing database for reading, whatever its writers do or did.
fn open_for_reading(path: &Path, cache_bytes: usize) -> Result<Access, Fault> {
    for _ in 0..OPENINGS {
        if let Some(shared) = open_shared(path, cache_bytes)? {
            return Ok(shared);
        }
        let opened = guarded(|| overlay::open(path, &exclusive(cache_bytes)));
        let now = overlay::commits(path)?;
        match opened {
            Ok(overlay) if overlay.commits.is_same(&now) => return Ok(Access::Overlay(overlay)),
            Ok(overlay) => drop(Closing(Some(Access::Overlay(overlay)))),
            Err(fault) if overlay::commits(path)?.is_same(&now) => return Err(fault),
            Err(_) => {}
        }
    }
    Err(Fault::InUse)
}

/// Opens an existing database for reading and writing.
fn open(path: &Path, cache_bytes: usize) -> Result<Database, Fault> {
    check_magic(path)?;
    // Opening for writing changes the file, so check first that it is a store.
    let found = Closing(Some(open_for_reading(path, cache_bytes)?));
    read_header(&found.access().read()?)?;
    drop(found);
    Ok(shared(cache_bytes, |builder| builder.open(path))?)
}

/// Refuses a file that is not a redb database, which redb would report as damaged.
fn check_magic(path: &Path) -> Result<(), Fault> {
    let kind = fs::metadata(path)?.file_type();
    // Opening a pipe would block until somebody writes to it. Opening a folder fails with a
    // clear error.
    if !kind.is_file() && !kind.is_dir() {
        return Err(Fault::NotAStore);
    }
    let mut begin = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    if begin == MAGIC { Ok(()) } else { Err(Fault::NotAStore) }
}

/// Creates an empty store in a file without a name, and then names it: if the process is killed,
/// there is a complete store at the path or none, and nothing beside it.
fn create(path: &Path, cache_bytes: usize) -> Result<Database, Fault> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let unnamed = Unnamed::in_folder(folder)?;
    let database = initialize(unnamed.file()?, cache_bytes)?;
    if !unnamed.name(path)? {
        // Another process has created it in the meantime.
        drop(database);
        return open(path, cache_bytes);
    }
    // The name is durable once the folder is written. Where folders cannot be opened, it is
    // durable anyway.
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
    Ok(database)
}

/// Makes an empty file a store without origins.
fn initialize(file: File, cache_bytes: usize) -> Result<Database, Fault> {
    let create = |builder: &Builder| builder.create_file(file.try_clone()?);
    let database = shared(cache_bytes, create)?;
    fill(&database)?;
    Ok(database)
}

/// Makes the tables of an empty store.
fn fill(database: &Database) -> Result<(), Fault> {
    let mut transaction = database.begin_write()?;
    {
        let mut header = transaction.open_table(HEADER)?;
        header.insert(SCHEMA, &SCHEMA_VERSION.to_le_bytes()[..])?;
        let checksum = crc32fast::hash(DICTIONARY).to_le_bytes();
        header.insert(COMPRESSION_DICTIONARY, &[&checksum[..], DICTIONARY].concat()[..])?;
        transaction.open_table(ORIGINS)?;
        transaction.open_table(BODIES)?;
        transaction.open_table(NUMBERS)?;
    }
    transaction.set_quick_repair(true);
    transaction.commit()?;
    Ok(())
}

/// Checks the version, and returns the dictionary.
fn read_header(transaction: &ReadTransaction) -> Result<Vec<u8>, Fault> {
    let header = match transaction.open_table(HEADER) {
        Err(TableError::Storage(error)) => return Err(error.into()),
        Err(_) => return Err(Fault::NotAStore),
        Ok(header) => header,
    };
    let schema = header.get(SCHEMA)?.ok_or(Fault::NotAStore)?;
    let schema = schema.value().try_into().map_err(|_| Fault::NotAStore)?;
    match u32::from_le_bytes(schema) {
        SCHEMA_VERSION => {}
        found => return Err(Fault::Schema { found }),
    }
    let row = header.get(COMPRESSION_DICTIONARY)?;
    row.as_ref()
        .and_then(|row| row.value().split_first_chunk())
        .filter(|(checksum, dictionary)| **checksum == crc32fast::hash(dictionary).to_le_bytes())
        .map(|(_, dictionary)| dictionary.to_vec())
        .ok_or_else(|| Fault::damaged("its dictionary is corrupt"))
}
