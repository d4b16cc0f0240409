//! The file: created, opened, compacted, verified.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use redb::{
    Builder, Database, DatabaseError, ReadOnlyDatabase, ReadTransaction, ReadableDatabase,
    TableError, WriteTransaction,
};

use super::bodies::{Compression, DICTIONARY, Decompression};
use super::error::{Fault, StoreError};
use super::format::{
    BODIES, COMPRESSION_DICTIONARY, HEADER, NUMBERS, ORIGINS, SCHEMA, SCHEMA_VERSION,
};
use super::guard::guarded;
use super::snapshot::Snapshot;

/// How much memory a store uses for pages of the file, unless told otherwise: 64 MiB.
pub(super) const CACHE_BYTES: usize = 64 << 20;

/// The first bytes of a redb file.
const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";

/// An open file. Fields are dropped in this order: what reads the database before the database.
pub(super) struct StoreFile {
    pub(super) path: Arc<Path>,
    /// The database as of the last commit. Single reads share it, so that none has to begin a
    /// transaction and open three tables.
    latest: RwLock<Arc<Snapshot>>,
    /// Used only within write transactions, of which there is one at a time.
    compression: Mutex<Compression>,
    decompression: Arc<Decompression>,
    database: Closing,
}

/// A database, opened for reading and writing or for reading.
enum Access {
    Full(Database),
    ReadOnly(ReadOnlyDatabase),
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
                Ok(there) if there.is_file() && there.len() == 0 => {
                    create(&fs::canonicalize(path)?, cache_bytes, true)?
                }
                Ok(_) => open(path, cache_bytes)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    create(path, cache_bytes, false)?
                }
                Err(error) => return Err(error.into()),
            };
            StoreFile::new(path, Access::Full(database))
        })
        .map_err(|fault| fault.at(path))
    }

    pub(super) fn open_read_only(path: &Path, cache_bytes: usize) -> Result<StoreFile, StoreError> {
        guarded(|| {
            check_magic(path)?;
            let database = builder(cache_bytes).open_read_only(path)?;
            StoreFile::new(path, Access::ReadOnly(database))
        })
        .map_err(|fault| fault.at(path))
    }

    fn new(path: &Path, database: Access) -> Result<StoreFile, Fault> {
        let database = Closing(Some(database));
        let transaction = database.access().read()?;
        let dictionary = read_header(&transaction)?;
        let decompression = Arc::new(Decompression::new(&dictionary)?);
        let path = Arc::from(path);
        let snapshot = Snapshot::begin(&transaction, &decompression, &path)?;
        let latest = RwLock::new(Arc::new(snapshot));
        let compression = Mutex::new(Compression::new(&dictionary)?);
        Ok(StoreFile { path, latest, compression, decompression, database })
    }

    /// The database as of the last commit.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.latest.read().unwrap_or_else(PoisonError::into_inner))
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
        let Access::Full(database) = self.database.access() else { return Err(Fault::ReadOnly) };
        guarded(|| {
            let mut transaction = database.begin_write()?;
            // Each commit saves the state of the allocator, so that opening the file after a
            // crash need not read all its pages.
            transaction.set_quick_repair(true);
            let result = changes(&transaction)?;
            transaction.commit()?;
            // The snapshot begins under the lock, so that an earlier one never replaces a later
            // one.
            let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
            let begun =
                Snapshot::begin(&self.database.access().read()?, &self.decompression, &self.path)?;
            let before = std::mem::replace(&mut *latest, Arc::new(begun));
            drop(latest);
            drop(before);
            Ok(result)
        })
    }

    pub(super) fn compact(path: &Path) -> Result<u64, StoreError> {
        guarded(|| {
            let mut database = open(path, CACHE_BYTES)?;
            read_header(&database.begin_read()?)?;
            database.compact()?;
            drop(database);
            Ok(fs::metadata(path)?.len())
        })
        .map_err(|fault| fault.at(path))
    }

    pub(super) fn verify(path: &Path) -> Result<(), StoreError> {
        guarded(|| {
            let mut database = open(path, CACHE_BYTES)?;
            if !database.check_integrity()? {
                return Err(Fault::damaged(
                    "some pages were corrupt; those that could be repaired have been",
                ));
            }
            StoreFile::new(path, Access::Full(database))?.snapshot().verify()
        })
        .map_err(|fault| fault.at(path))
    }
}

/// A database that is closed when it is dropped. On a damaged file redb may panic then.
struct Closing(Option<Access>);

impl Drop for Closing {
    fn drop(&mut self) {
        let database = self.0.take();
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
            Access::ReadOnly(database) => database.begin_read()?,
        })
    }
}

fn builder(cache_bytes: usize) -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(cache_bytes);
    builder
}

/// Opens an existing database.
fn open(path: &Path, cache_bytes: usize) -> Result<Database, Fault> {
    check_magic(path)?;
    // Opening for writing changes the file, so check first that it is a store.
    match builder(cache_bytes).open_read_only(path) {
        Ok(database) => drop(read_header(&database.begin_read()?)?),
        // Compacting was interrupted. Opening for writing repairs that.
        Err(DatabaseError::RepairAborted) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(builder(cache_bytes).open(path)?)
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

/// Creates an empty store under a temporary name and then renames it: if the process is killed,
/// there is a complete store at the path or none.
fn create(path: &Path, cache_bytes: usize, replaces_empty: bool) -> Result<Database, Fault> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut named = tempfile::Builder::new();
    named.prefix(".robotsieve-store-");
    // The permissions of any new file, not only the user's own.
    #[cfg(unix)]
    named.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let (file, beside) = named.tempfile_in(folder)?.into_parts();
    let database = builder(cache_bytes).create_file(file)?;
    let transaction = database.begin_write()?;
    {
        let mut header = transaction.open_table(HEADER)?;
        header.insert(SCHEMA, &SCHEMA_VERSION.to_le_bytes()[..])?;
        let checksum = crc32fast::hash(DICTIONARY).to_le_bytes();
        header.insert(COMPRESSION_DICTIONARY, &[&checksum[..], DICTIONARY].concat()[..])?;
        transaction.open_table(ORIGINS)?;
        transaction.open_table(BODIES)?;
        transaction.open_table(NUMBERS)?;
    }
    let mut transaction = transaction;
    transaction.set_quick_repair(true);
    transaction.commit()?;
    let named = if replaces_empty { beside.persist(path) } else { beside.persist_noclobber(path) };
    match named {
        Ok(()) => {}
        // Another process has created it in the meantime.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            drop(database);
            return open(path, cache_bytes);
        }
        Err(error) => return Err(error.error.into()),
    }
    // The name is durable once the folder is written. Where folders cannot be opened, it is
    // durable anyway.
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
    Ok(database)
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
