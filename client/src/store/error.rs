//! What goes wrong with a store, and the way out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{error, fmt, io};

use redb::{
    CommitError, CompactionError, DatabaseError, StorageError, TableError, TransactionError,
};

use super::SCHEMA_VERSION;
use crate::outcome::ContentHash;

/// Why a store could not be opened, read or written: which file, and what is wrong.
#[derive(Clone, Debug)]
pub struct StoreError {
    path: Arc<Path>,
    fault: Fault,
}

/// What is wrong with a store, or with what is to be put into it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The file is something else.
    NotAStore,
    /// The file was made by another version of this library.
    Schema {
        /// The version of the file's tables; this library knows one.
        found: u32,
    },
    /// A process has the file open; this one may be it.
    InUse,
    /// A store that is opened for reading was not closed by the process that wrote it.
    NotClosed,
    /// The store is open for reading.
    ReadOnly,
    /// The file is not as it was written.
    Damaged(String),
    /// The file could not be read or written.
    Io(Arc<io::Error>),
    /// [`Known::copy`](crate::outcome::Known::copy) tells of a body that was neither given nor
    /// is in the store.
    NoBody(ContentHash),
    /// The body that was given is not the one that
    /// [`Known::copy`](crate::outcome::Known::copy) tells of.
    OtherBody(ContentHash),
    /// The body is larger than [`MAX_BODY_BYTES`](super::MAX_BODY_BYTES).
    TooLarge(usize),
    /// The thread that writes has ended, by an error that was told before.
    Closed,
}

impl StoreError {
    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.fault)
    }
}

impl error::Error for StoreError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.fault {
            Fault::Io(cause) => Some(cause),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotAStore => f.write_str("the file is no store of robotsieve"),
            Fault::Schema { found } => write!(
                f,
                "the store is of version {found}, this program knows version {SCHEMA_VERSION}: \
                 use the program that made it, or another file"
            ),
            Fault::InUse => f.write_str(
                "the store is in use: another process, or another part of this one, has it open",
            ),
            Fault::NotClosed => f.write_str(
                "the store was not closed by the program that wrote it: open it for writing once",
            ),
            Fault::ReadOnly => f.write_str("the store is open for reading only"),
            Fault::Damaged(what) => write!(
                f,
                "the store is damaged, {what}: begin a new one, all in it can be fetched again"
            ),
            Fault::Io(cause) => cause.fmt(f),
            Fault::NoBody(hash) => write!(f, "the body {hash} is not in the store"),
            Fault::OtherBody(hash) => write!(f, "the body is not {hash}, as was said"),
            Fault::TooLarge(len) => write!(
                f,
                "a body of {len} bytes is more than the {} that a store takes",
                super::MAX_BODY_BYTES
            ),
            Fault::Closed => f.write_str("the store takes no more after an error"),
        }
    }
}

impl Fault {
    /// Damage, in these words.
    pub(super) fn damaged(what: impl Into<String>) -> Fault {
        Fault::Damaged(what.into())
    }

    /// The error about this file.
    pub(super) fn at(self, path: impl Into<PathOf>) -> StoreError {
        StoreError { path: path.into().0, fault: self }
    }
}

/// A path in any of the forms in which one is at hand.
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
            // The end of the file where there should be more, or a header that is none.
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
            DatabaseError::RepairAborted => Fault::NotClosed,
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
            // All tables are made when the store is.
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
            other => Fault::Io(Arc::new(io::Error::other(other))),
        }
    }
}
