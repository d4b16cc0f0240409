//! The errors of a store, and the way out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{error, fmt, io};

use redb::{
    CommitError, CompactionError, DatabaseError, StorageError, TableError, TransactionError,
};

use super::format::{MAX_BODY_BYTES, SCHEMA_VERSION};
use crate::outcome::ContentHash;

/// An error in opening, reading or writing a store: the file and the [`Fault`].
#[derive(Clone, Debug)]
pub struct StoreError {
    path: Arc<Path>,
    fault: Fault,
}

/// A fault of a store, or of a value to be stored.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The file is not a store.
    NotAStore,
    /// The file was written by an incompatible version of this library.
    Schema {
        /// The version of the file's tables. This library reads [`SCHEMA_VERSION`].
        found: u32,
    },
    /// The file is open in this process or another.
    InUse,
    /// The store is open for reading only.
    ReadOnly,
    /// The file was changed or cut off by something else.
    Damaged(String),
    /// The file could not be read or written.
    Io(Arc<io::Error>),
    /// The state has a [copy](crate::outcome::OriginState::copy) whose body was not passed and is
    /// not in the store.
    NoBody(ContentHash),
    /// The body that was passed is not that of the state's
    /// [copy](crate::outcome::OriginState::copy).
    OtherBody(ContentHash),
    /// The body is larger than [`MAX_BODY_BYTES`].
    TooLarge(usize),
    /// A write failed for this reason, and the file could not be opened for writing again. What
    /// was acknowledged is in the file, and reading goes on if the file can be read. Each later
    /// change tries to open it once more. A [`Reader`](super::Reader) from before the failed write
    /// ends with this error too.
    Closed(Arc<Fault>),
}

impl StoreError {
    /// The store's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The fault.
    #[must_use]
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// True if the file could not be written for want of room: the disk is full, or a quota or a
    /// limit of the file's size is reached. Changes can be made again once there is room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.fault.is_full()
    }

    /// True if the file is at fault, and not the value that was to be stored. Another change would
    /// then most likely fail as well, so a run that stores what it fetches should stop.
    #[must_use]
    pub fn is_of_file(&self) -> bool {
        !matches!(self.fault, Fault::NoBody(_) | Fault::OtherBody(_) | Fault::TooLarge(_))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.fault)
    }
}

impl error::Error for StoreError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.fault.source()
    }
}

impl error::Error for Fault {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Fault::Io(cause) => Some(cause),
            Fault::Closed(cause) => Some(cause),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotAStore => f.write_str("the file is not a robotsieve store"),
            Fault::Schema { found } => write!(
                f,
                "the store has version {found} but this program reads version \
                 {SCHEMA_VERSION}; use the program that wrote it, or another file"
            ),
            Fault::InUse => f.write_str(
                "the store is in use by another process, or by another part of this one; close \
                 it there first",
            ),
            Fault::ReadOnly => f.write_str("the store is open for reading only"),
            Fault::Damaged(what) => write!(
                f,
                "the store is damaged ({what}); start a new one, everything in it can be fetched \
                 again"
            ),
            Fault::Io(cause) if self.is_full() => write!(
                f,
                "{cause}; 'robotsieve store prune' makes room in the store, and with --to FILE writes \
                 it to another disk"
            ),
            Fault::Io(cause) => cause.fmt(f),
            Fault::NoBody(hash) => write!(f, "the body {hash} is not in the store"),
            Fault::OtherBody(hash) => write!(f, "the body does not have the hash {hash}"),
            Fault::TooLarge(len) => write!(
                f,
                "a body of {len} bytes is larger than the {MAX_BODY_BYTES} that a store accepts"
            ),
            Fault::Closed(cause) => {
                write!(f, "the store is closed after an error ({cause})")
            }
        }
    }
}

impl Fault {
    pub(super) fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull, WriteZero};
        match self {
            Fault::Io(cause) => {
                matches!(cause.kind(), FileTooLarge | QuotaExceeded | StorageFull | WriteZero)
            }
            Fault::Closed(cause) => cause.is_full(),
            _ => false,
        }
    }

    /// Damage, described in these words.
    pub(super) fn damaged(what: impl Into<String>) -> Fault {
        Fault::Damaged(what.into())
    }

    /// The error for this file.
    pub(super) fn at(self, path: impl Into<PathOf>) -> StoreError {
        StoreError { path: path.into().0, fault: self }
    }
}

/// A path, from a shared one or a borrowed one.
pub(super) struct PathOf(Arc<Path>);

impl From<&Arc<Path>> for PathOf {
    fn from(path: &Arc<Path>) -> PathOf {
        PathOf(Arc::clone(path))
    }
}

impl From<&Path> for PathOf {
    fn from(path: &Path) -> PathOf {
        PathOf(Arc::from(PathBuf::from(path)))
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Io(Arc::new(error))
    }
}

impl From<StorageError> for Fault {
    fn from(error: StorageError) -> Fault {
        match error {
            // The file ends too early, or its header is invalid.
            StorageError::Io(cause)
                if matches!(
                    cause.kind(),
                    io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData
                ) =>
            {
                Fault::Damaged(cause.to_string())
            }
            StorageError::Io(cause) => cause.into(),
            StorageError::Corrupted(what) => Fault::Damaged(what),
            // The database was opened again after a failed write.
            StorageError::DatabaseClosed => {
                Fault::Closed(Arc::new(io::Error::other("the file was closed").into()))
            }
            other => Fault::Io(Arc::new(io::Error::other(other))),
        }
    }
}

impl From<DatabaseError> for Fault {
    fn from(error: DatabaseError) -> Fault {
        match error {
            DatabaseError::DatabaseAlreadyOpen | DatabaseError::TransactionInProgress => {
                Fault::InUse
            }
            // Only repairs that nobody else is making may be left undone.
            DatabaseError::RepairAborted => Fault::InUse,
            DatabaseError::Storage(error) => error.into(),
            other => Fault::Damaged(other.to_string()),
        }
    }
}

impl From<TransactionError> for Fault {
    fn from(error: TransactionError) -> Fault {
        match error {
            TransactionError::Storage(error) => error.into(),
            other => Fault::Io(Arc::new(io::Error::other(other))),
        }
    }
}

impl From<TableError> for Fault {
    fn from(error: TableError) -> Fault {
        match error {
            TableError::Storage(error) => error.into(),
            // All tables are created with the store.
            other => Fault::Damaged(other.to_string()),
        }
    }
}

impl From<CommitError> for Fault {
    fn from(error: CommitError) -> Fault {
        match error {
            CommitError::Storage(error) => error.into(),
            other => Fault::Io(Arc::new(io::Error::other(other))),
        }
    }
}

impl From<CompactionError> for Fault {
    fn from(error: CompactionError) -> Fault {
        match error {
            CompactionError::Storage(error) => error.into(),
            CompactionError::TransactionInProgress => Fault::InUse,
            other => Fault::Io(Arc::new(io::Error::other(other))),
        }
    }
}
