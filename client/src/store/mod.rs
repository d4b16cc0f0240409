//! What is known of each origin, and the bodies of robots.txt files, in one file that lasts.
//!
//! ```
//! use robotsieve_client::Timestamp;
//! use robotsieve_client::outcome::{ContentHash, Copy, Known, Outcome};
//! use robotsieve_client::store::Store;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("robots.store");
//! let store = Store::open(&path)?;
//! let body = b"User-agent: *\nDisallow: /private/\n";
//! let known = Known {
//!     attempted: Timestamp(1_800_000_000),
//!     last: Outcome::Present,
//!     copy: Some(Copy {
//!         content: ContentHash::of(body),
//!         len: body.len() as u32,
//!         at: Timestamp(1_800_000_000),
//!         lifetime: 86_400,
//!         final_url: None,
//!         etag: None,
//!         last_modified: None,
//!         is_truncated: false,
//!         is_blank: false,
//!         looks_like_html: false,
//!     }),
//!     unreachable_since: None,
//!     failures: 0,
//!     retry_after: None,
//!     site_answered: None,
//!     errors_mean_absent: false,
//! };
//! store.put("https://example.com", &known, Some(body))?;
//! // From here on it is there, whatever happens to the process.
//! assert_eq!(store.get_with_body("https://example.com")?, Some((known, Some(body.to_vec()))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The file
//!
//! A [redb](https://docs.rs/redb) database of four tables:
//!
//! | table | key | value |
//! |---|---|---|
//! | `header` | name | `schema`: the version; `dictionary`: what bodies are compressed with |
//! | `origins` | [`Origin::key`](robotsieve::Origin::key) | what is known; a body by its number |
//! | `bodies` | number | hash, length, the body compressed |
//! | `numbers` | the first half of a body's hash | its number |
//!
//! Bodies are numbered as they come, so they fill their pages one after another; origins refer
//! to them in two or three bytes instead of 32. A body is there once, however many origins
//! serve it. One that no origin refers to any more stays until [`Store::prune`], which looks
//! for such bodies; counting references would make each change of an origin write to the
//! bodies' table too.
//!
//! Records have a checksum, bodies are compared with their hash when they are read: a damaged
//! file gives errors or makes origins unknown, but it never tells of an origin what was not
//! put there.

//!
//! What redb does on a damaged file may end in a panic. It is caught and told as
//! [`Fault::Damaged`], which needs a program whose panics unwind; the panic's message goes where
//! panics' messages go.
//!
//! # Costs
//!
//! Measured on four cores of a shared machine, by `benches/store.rs`, with a million origins and
//! 406,803 different bodies: put by [`Store::put_many`] in 50 s; a file of 304 bytes for each
//! origin after [`Store::compact`], which takes 8 s, and 539 before; opened in 6 ms, after an
//! unclean end in 8 ms; an origin with its body, 773 bytes on average, in 7 to 9 µs, in 5 with a
//! cache that holds the whole file.
//! [`Store::put`] waits for the disk twice, 4 to 6 ms here; 64 threads put 6,000 to 10,000
//! origins a second.

mod bodies;
mod error;
mod file;
mod reader;
mod record;
mod sweep;
mod writer;

use std::path::Path;
use std::sync::Arc;

pub use error::{Fault, StoreError};
pub use reader::{Iter, Reader, Stat, WithBody};
pub use sweep::Pruned;

use crate::Timestamp;
use crate::outcome::{ContentHash, Known};
use file::StoreFile;
use writer::{Change, Queue};

/// The version of the tables and their rows that this library reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// The largest body that a store takes: 64 MiB.
pub const MAX_BODY_BYTES: usize = 64 << 20;

/// So much memory a store takes for pages of the file, unless told otherwise: 64 MiB.
const CACHE_BYTES: usize = 64 << 20;

/// A file that keeps what is known of origins.
///
/// It is cheap to clone; all clones and their [`Reader`]s are one store, which all threads may
/// use at once. The file is closed when the last of them is gone. As long as a store is open
/// for writing, no other can be opened on the file, in this process or another.
#[derive(Clone, Debug)]
pub struct Store {
    open: Arc<Open>,
}

/// An open store. Its fields go in this order: the queue ends when all is written, then the
/// file is closed.
#[derive(Debug)]
struct Open {
    queue: Option<Queue>,
    file: Arc<StoreFile>,
}

impl Store {
    /// Opens the store in a file, or makes one where there is no file or an empty one.
    ///
    /// After an unclean end it takes no longer: each change that was acknowledged is complete
    /// in the file.
    ///
    /// # Errors
    /// [`Fault::NotAStore`], [`Fault::Schema`] and [`Fault::InUse`], with the file left as it
    /// is; [`Fault::Damaged`]; [`Fault::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        Store::open_with_cache(path, CACHE_BYTES)
    }

    /// [`Store::open`], with so many bytes of memory for pages of the file; otherwise 64 MiB.
    /// Pages that are not there are read from the file, so from the system's cache at best.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_with_cache(
        path: impl AsRef<Path>,
        cache_bytes: usize,
    ) -> Result<Store, StoreError> {
        let file = Arc::new(StoreFile::open_or_create(path.as_ref(), cache_bytes)?);
        let queue = Queue::start(Arc::clone(&file)).map_err(|fault| fault.at(path.as_ref()))?;
        Ok(Store { open: Arc::new(Open { queue: Some(queue), file }) })
    }

    /// Opens a store for reading only, as other processes may do at the same time.
    ///
    /// # Errors
    /// As [`Store::open`], but a file must be there; [`Fault::InUse`] while it is open for
    /// writing; writing gives [`Fault::ReadOnly`].
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        let file = Arc::new(StoreFile::open_read_only(path.as_ref(), CACHE_BYTES)?);
        Ok(Store { open: Arc::new(Open { queue: None, file }) })
    }

    /// The store as it is now, for many questions: later changes do not show in it.
    ///
    /// As long as there is a reader, the file keeps what it sees, and grows by what is changed.
    pub fn reader(&self) -> Reader {
        Reader::new(self.open.file.snapshot(), Arc::clone(&self.open))
    }

    /// What is known of an origin, by its [key](robotsieve::Origin::key).
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::Io`].
    pub fn get(&self, origin: &str) -> Result<Option<Known>, StoreError> {
        self.open.file.snapshot().get(origin)
    }

    /// What is known of an origin, and the body of its copy if one is held.
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::Io`].
    pub fn get_with_body(&self, origin: &str) -> Result<Option<WithBody>, StoreError> {
        self.open.file.snapshot().get_with_body(origin)
    }

    /// A body, by its hash.
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::Io`].
    pub fn body(&self, content: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.open.file.snapshot().body(content)
    }

    /// Keeps what is known of an origin instead of what was, with the body of its copy; `None`
    /// for a body that is in the store.
    ///
    /// It returns when all is in the file for good. Calls from several threads share the waits
    /// for the disk. For callers that must not wait there is [`Store::put_async`], for very
    /// many origins at a time [`Store::put_many`].
    ///
    /// # Errors
    /// [`Fault::NoBody`], [`Fault::OtherBody`] and [`Fault::TooLarge`] where the body is not
    /// what `known` needs; [`Fault::ReadOnly`]; [`Fault::Damaged`], [`Fault::Io`] and
    /// [`Fault::Closed`].
    pub fn put(&self, origin: &str, known: &Known, body: Option<&[u8]>) -> Result<(), StoreError> {
        let change = self.change(origin, known, body)?;
        self.queue()?.write_blocking(change).map(drop)
    }

    /// [`Store::put`] for tasks, of any runtime. A future that is dropped before its end leaves
    /// open whether the change is made; it is never made in part.
    ///
    /// # Errors
    /// As [`Store::put`].
    pub async fn put_async(
        &self,
        origin: &str,
        known: &Known,
        body: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        let change = self.change(origin, known, body)?;
        self.queue()?.write(change).await.map(drop)
    }

    /// [`Store::put`] for many origins, in large transactions; says how many they were.
    ///
    /// # Errors
    /// As [`Store::put`]. What was put before the error, but for the last 16,384 origins at
    /// most, is in the store.
    pub fn put_many<K: AsRef<str>, B: AsRef<[u8]>>(
        &self,
        origins: impl IntoIterator<Item = (K, Known, Option<B>)>,
    ) -> Result<u64, StoreError> {
        self.queue()?;
        writer::put_many(&self.open.file, origins)
    }

    /// Forgets an origin; says whether it was known.
    ///
    /// # Errors
    /// [`Fault::ReadOnly`], [`Fault::Damaged`], [`Fault::Io`] and [`Fault::Closed`].
    pub fn remove(&self, origin: &str) -> Result<bool, StoreError> {
        self.queue()?.write_blocking(Change::Remove { origin: origin.into() })
    }

    /// Forgets the origins that were not attempted since, and all bodies that no origin refers
    /// to any more.
    ///
    /// The room in the file is used again; [`Store::compact`] gives it back. It reads the whole
    /// table of origins: about a second for a million.
    ///
    /// # Errors
    /// [`Fault::ReadOnly`], [`Fault::Damaged`], [`Fault::Io`].
    pub fn prune(&self, older_than: Timestamp) -> Result<Pruned, StoreError> {
        self.queue()?;
        sweep::prune(&self.open.file, older_than)
    }

    /// All origins in the order of their keys, as they are now.
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::Io`].
    pub fn iter(&self) -> Result<Iter, StoreError> {
        self.reader().iter()
    }

    /// Figures of what is in the store. It reads all origins and all bodies' lengths.
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::Io`].
    pub fn stat(&self) -> Result<Stat, StoreError> {
        self.open.file.snapshot().stat()
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.open.file.path
    }

    /// Gives the room in a file that is not in use back to the system; says how many bytes the
    /// file has then.
    ///
    /// # Errors
    /// As [`Store::open`], but a file must be there.
    pub fn compact(path: impl AsRef<Path>) -> Result<u64, StoreError> {
        StoreFile::compact(path.as_ref())
    }

    /// Reads every byte of a file that is not in use: whether all pages, records and bodies are
    /// as they were written, and refer to each other as they should.
    ///
    /// # Errors
    /// [`Fault::Damaged`] for the first damage; as [`Store::open`], but a file must be there.
    pub fn verify(path: impl AsRef<Path>) -> Result<(), StoreError> {
        StoreFile::verify(path.as_ref())
    }

    fn queue(&self) -> Result<&Queue, StoreError> {
        self.open.queue.as_ref().ok_or_else(|| Fault::ReadOnly.at(&self.open.file.path))
    }

    fn change(
        &self,
        origin: &str,
        known: &Known,
        body: Option<&[u8]>,
    ) -> Result<Change, StoreError> {
        writer::check_body(known, body).map_err(|fault| fault.at(&self.open.file.path))?;
        Ok(Change::Put {
            origin: origin.into(),
            known: Box::new(known.clone()),
            body: body.map(Vec::from),
        })
    }
}
