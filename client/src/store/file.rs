//! The file: made, opened, compacted, verified.

use std::any::Any;
use std::fs::{self, File};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use redb::{
    Builder, Database, DatabaseError, ReadOnlyDatabase, ReadTransaction, ReadableDatabase,
    TableDefinition, TableError, WriteTransaction,
};

use super::bodies::{Compression, DICTIONARY, Decompression};
use super::reader::Snapshot;
use super::{Fault, SCHEMA_VERSION, StoreError};

/// What holds of the whole file, by name.
const HEADER: TableDefinition<&str, &[u8]> = TableDefinition::new("header");
/// The version of all tables but this one: four bytes, the lowest first.
const SCHEMA: &str = "schema";
/// The dictionary of the bodies, behind its CRC-32.
const COMPRESSION_DICTIONARY: &str = "dictionary";

/// An origin's record, by its key: bytes, as redb panics on a damaged text.
pub(super) const ORIGINS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("origins");
/// A body's row, by its number.
pub(super) const BODIES: TableDefinition<u64, &[u8]> = TableDefinition::new("bodies");
/// A body's number, by the first half of its hash: two bodies with the same half do not turn
/// up, and if they did, both would be there.
pub(super) const NUMBERS: TableDefinition<u128, u64> = TableDefinition::new("numbers");

/// With what a redb file begins.
const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";

/// An open file. Its fields go in this order: what reads the database goes before it.
pub(super) struct StoreFile {
    pub(super) path: Arc<Path>,
    /// The database as it was committed last. All that ask once share it, so that nobody pays
    /// for a transaction and the roots of three tables.
    latest: RwLock<Arc<Snapshot>>,
    /// Used within transactions only, of which there is one at a time.
    compression: Mutex<Compression>,
    decompression: Arc<Decompression>,
    database: Closing,
}

/// A database as it was opened.
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
                // Not a device or a pipe, which has no length either; and behind a link, what it
                // leads to: the link stays.
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

    /// The database as it was committed last.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.latest.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What makes rows of bodies.
    pub(super) fn compression(&self) -> MutexGuard<'_, Compression> {
        self.compression.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes changes, all or none; when this returns they are in the file for good, and seen by
    /// all that ask from then on.
    pub(super) fn write<T>(
        &self,
        changes: impl FnOnce(&WriteTransaction) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Access::Full(database) = self.database.access() else { return Err(Fault::ReadOnly) };
        guarded(|| {
            let mut transaction = database.begin_write()?;
            // The file can be opened at once after any end: the state of its allocator goes
            // with each commit, instead of being found by reading all pages.
            transaction.set_quick_repair(true);
            let result = changes(&transaction)?;
            transaction.commit()?;
            // Begun under the lock: a later commit cannot be followed by an earlier snapshot.
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
            let mut database = open(path, super::CACHE_BYTES)?;
            read_header(&database.begin_read()?)?;
            database.compact()?;
            drop(database);
            Ok(fs::metadata(path)?.len())
        })
        .map_err(|fault| fault.at(path))
    }

    pub(super) fn verify(path: &Path) -> Result<(), StoreError> {
        guarded(|| {
            let mut database = open(path, super::CACHE_BYTES)?;
            if !database.check_integrity()? {
                return Err(Fault::damaged(
                    "pages were not as they were written; what could be \
                                           repaired is",
                ));
            }
            StoreFile::new(path, Access::Full(database))?.snapshot().verify()
        })
        .map_err(|fault| fault.at(path))
    }
}

/// A database, which closes it when it is dropped. What redb does then on a damaged file may
/// end in a panic.
struct Closing(Option<Access>);

impl Drop for Closing {
    fn drop(&mut self) {
        let database = self.0.take();
        // All that was acknowledged is in the file.
        guarded(|| {
            drop(database);
            Ok(())
        })
        .ok();
    }
}

impl Closing {
    fn access(&self) -> &Access {
        self.0.as_ref().expect("it is taken when it is dropped")
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

/// A database that is there.
fn open(path: &Path, cache_bytes: usize) -> Result<Database, Fault> {
    check_magic(path)?;
    // Opening for writing changes the file: first it is seen whether it is a store.
    match builder(cache_bytes).open_read_only(path) {
        Ok(database) => drop(read_header(&database.begin_read()?)?),
        // Compacting was cut off, which opening for writing mends.
        Err(DatabaseError::RepairAborted) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(builder(cache_bytes).open(path)?)
}

/// Refuses a file that redb would not know, or would find damaged, as what it is.
fn check_magic(path: &Path) -> Result<(), Fault> {
    let kind = fs::metadata(path)?.file_type();
    // To open a pipe would wait for whoever writes to it. A folder says of itself what it is.
    if !kind.is_file() && !kind.is_dir() {
        return Err(Fault::NotAStore);
    }
    let mut begin = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    if begin == MAGIC { Ok(()) } else { Err(Fault::NotAStore) }
}

/// Makes an empty store beside the path, then gives it its name: whenever the process ends,
/// there is a whole store of that name or none.
fn create(path: &Path, cache_bytes: usize, is_empty_there: bool) -> Result<Database, Fault> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut named = tempfile::Builder::new();
    named.prefix(".robotsieve-store-");
    // As any new file's, not only the user's own.
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
    let named = if is_empty_there { beside.persist(path) } else { beside.persist_noclobber(path) };
    match named {
        Ok(()) => {}
        // Another process was faster.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            drop(database);
            return open(path, cache_bytes);
        }
        Err(error) => return Err(error.error.into()),
    }
    // The name lasts when the folder is written; where folders are no files, it does anyway.
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
    Ok(database)
}

/// Checks the version, and gets the dictionary.
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
        .ok_or_else(|| Fault::damaged("its dictionary is not as it was written"))
}

/// What redb does on a damaged file may end in a panic: an error here.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    // What a panic leaves behind is the database's own, which knows of it.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Fault::Damaged(said(&*panic))))
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("the database gave up").into()
}
