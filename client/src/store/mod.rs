//! The knowledge of each origin, and the bodies of robots.txt files, in one durable file.
//!
//! ```
//! use robotsieve_client::Timestamp;
//! use robotsieve_client::outcome::{CachedCopy, OriginState};
//! use robotsieve_client::store::Store;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("robots.store");
//! let store = Store::open(&path)?;
//! let body = b"User-agent: *\nDisallow: /private/\n";
//! let state = OriginState::present(CachedCopy::new(body, Timestamp(1_800_000_000)));
//! store.put("https://example.com", &state, Some(body))?;
//! // The change is on disk now, whatever happens to the process.
//! assert_eq!(store.get_with_body("https://example.com")?, Some((state, Some(body.to_vec()))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The file
//!
//! A [redb](https://docs.rs/redb) database with these tables:
//!
//! | table | key | value |
//! |---|---|---|
//! | `header` | name | `schema`: the version; `dictionary`: what bodies are compressed with |
//! | `origins` | [`Origin::key`](robotsieve::Origin::key) | the state; its body by number |
//! | `files` | URL | hash of the body, and the state of another file of a site; there once one was kept |
//! | `bodies` | number | hash, length, the compressed body |
//! | `numbers` | the first half of a body's hash | its number |
//!
//! Bodies are numbered in the order they arrive, so they fill their pages one after another, and
//! origins refer to them in two or three bytes instead of 32. A body is stored once, however many
//! origins serve it. A body that no origin refers to any more stays until [`Store::prune`]
//! searches for such bodies. Reference counts would find them sooner, but every change of an
//! origin would have to write to the table of bodies as well.
//!
//! Records have checksums, and bodies are compared with their hash when they are read. So a
//! damaged file leads to errors or to origins that seem unknown, but never to an answer that was
//! not put there.
//!
//! On a damaged file redb may panic. The panic is caught and returned as [`Fault::Damaged`], which
//! requires a program that unwinds on panics. The panic hook does not get it.
//!
//! # Several processes
//!
//! One process at a time has a store open for writing ([`Store::open`]), and any number for reading
//! ([`Store::open_read_only`]), also while it is written. A reader sees the store as it was when it
//! was opened. The writer keeps the pages that readers need, so its file grows while they are open;
//! it never waits for them, except for the moment in which one reads the header of the file.
//! [`Store::compact`] needs the file for itself.
//!
//! This is redb's *single writer* mode, in which processes lock single bytes far behind the end of
//! the file. Where the system or the file system has no such locks, a writer excludes readers, as
//! [`Fault::InUse`] tells.
//!
//! A process that is killed leaves a file that says it is open. Readers then repair it in memory and
//! do not change it, so this works on a disk that cannot be written; the next writer repairs the
//! file itself. A store gets its name when it is complete: on Linux nothing is left beside it if
//! creation is interrupted, elsewhere a file that the next creation removes.
//!
//! # Errors
//!
//! A write that fails is undone as a whole, and returns [`Fault::Io`]; [`StoreError::is_full`] tells
//! whether there was no room. Everything acknowledged before stays. The store opens its file again
//! by itself, so reads go on and later changes are made as soon as they can be. Only if the file
//! cannot be opened for writing again are changes refused with [`Fault::Closed`], until a later one
//! finds that it can. A [`Reader`] from before the error has to be replaced by a new one.
//!
//! # Costs
//!
//! Measured by `benches/store.rs` on four cores of a shared machine, with a million origins and
//! 406,803 distinct bodies:
//!
//! | what | cost |
//! |---|---|
//! | put all by [`Store::put_many`] | 42 s |
//! | size | 539 bytes an origin, 305 after [`Store::compact`], which takes 6 s |
//! | open | 0.8 ms, also if the process was killed before |
//! | read an origin with its body, 773 bytes on average | 7 to 9 µs; 5 µs if the cache holds the whole file |
//! | [`Store::put`] of one origin, which waits for the disk twice | 4 to 6 ms |
//! | the same from 64 threads | 6,000 to 10,000 origins a second |

mod bodies;
mod copy;
mod error;
#[cfg(test)]
mod failing;
mod file;
mod format;
mod guard;
mod open;
mod overlay;
mod reader;
mod record;
mod reserve;
mod snapshot;
mod sweep;
mod unnamed;
mod writer;

use std::path::Path;
use std::sync::Arc;

pub use error::{Fault, StoreError};
pub use format::{MAGIC, MAX_BODY_BYTES, SCHEMA_VERSION};
pub use reader::{Iter, Reader};
use snapshot::Snapshot;
pub use snapshot::{Stat, StateWithBody};
pub use sweep::Pruned;

use crate::outcome::{ContentHash, OriginState};
use crate::time::Timestamp;
use file::{CACHE_BYTES, StoreFile};
use open::Open;
use writer::{Change, Queue};

/// A file that keeps the states of origins, and the bodies of their robots.txt files.
///
/// Clones are cheap, and any number of threads may use them at once. All clones and their
/// [`Reader`]s are one open store; the file is closed when the last of them is dropped. While a
/// store is open for writing, neither this process nor another can open its file for writing.
#[derive(Clone, Debug)]
pub struct Store {
    open: Arc<Open>,
}

impl Store {
    /// Opens a store for reading and writing. If the file does not exist or is empty, creates the
    /// store.
    ///
    /// Opening is just as fast after a crash: every acknowledged change is complete in the file.
    ///
    /// # Errors
    /// Returns an error if the file is [not a store](Fault::NotAStore), has [another
    /// version](Fault::Schema) or is [in use](Fault::InUse), in which cases it is left unchanged;
    /// or if it is [damaged](Fault::Damaged) or [cannot be read or written](Fault::Io).
    pub fn open(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        Store::open_with_cache(path, CACHE_BYTES)
    }

    /// Like [`Store::open`], with `cache_bytes` of memory for pages of the file instead of 64 MiB.
    /// Other pages are read from the file, which at best means from the system's cache.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Store::open`].
    pub fn open_with_cache(
        path: impl AsRef<Path>,
        cache_bytes: usize,
    ) -> Result<Store, StoreError> {
        let file = Arc::new(StoreFile::open_or_create(path.as_ref(), cache_bytes)?);
        let queue = Queue::start(Arc::clone(&file)).map_err(|fault| fault.at(path.as_ref()))?;
        Ok(Store { open: Arc::new(Open { queue: Some(queue), file }) })
    }

    /// Opens an existing store for reading, as it is now: later changes do not show. Any number of
    /// processes may do so, also while one writes. The file is not changed, whatever state its last
    /// writer left it in, and need not be writable. Changes to the store fail with
    /// [`Fault::ReadOnly`].
    ///
    /// While it is open, a writer cannot use the space again that it frees. So open a store that
    /// is written all the time again and again, rather than once.
    ///
    /// After a crash that interrupted [`Store::compact`], this reads all pages in use.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Store::open`], and if the file does not exist. The
    /// store is [in use](Fault::InUse) only if writers exclude readers, where files cannot be locked
    /// in part.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        let file = Arc::new(StoreFile::open_read_only(path.as_ref(), CACHE_BYTES)?);
        Ok(Store { open: Arc::new(Open { queue: None, file }) })
    }

    /// The store as it is now. Later changes do not show in the reader.
    ///
    /// While a reader exists, the file keeps everything that it can see, and so grows with each
    /// change.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::new(self.open.file.snapshot(), Arc::clone(&self.open))
    }

    /// The state of an origin, by its [key](robotsieve::Origin::key); `None` if it is not in the
    /// store.
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](Fault::Damaged) or [cannot be read](Fault::Io).
    pub fn get(&self, origin: &str) -> Result<Option<OriginState>, StoreError> {
        self.open.file.read(|snapshot| snapshot.get(origin))
    }

    /// The state of an origin, and the body of its copy if it has one.
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](Fault::Damaged) or [cannot be read](Fault::Io).
    pub fn get_with_body(&self, origin: &str) -> Result<Option<StateWithBody>, StoreError> {
        self.open.file.read(|snapshot| snapshot.get_with_body(origin))
    }

    /// The body with this hash.
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](Fault::Damaged) or [cannot be read](Fault::Io).
    pub fn body(&self, content: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.open.file.read(|snapshot| snapshot.body(content))
    }

    /// The state of another file of a site, such as `/.well-known/tdmrep.json`, by its URL, and the body
    /// of its copy if it has one. `None` if it is not in the store.
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](Fault::Damaged) or [cannot be read](Fault::Io).
    pub fn file(&self, url: &str) -> Result<Option<StateWithBody>, StoreError> {
        self.open.file.read(|snapshot| snapshot.file(url))
    }

    /// Like [`Store::put_async`], for another file of a site, by its URL. Files are kept apart from
    /// origins: [`Store::iter`] does not return them.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Store::put`].
    pub async fn put_file(
        &self,
        url: &str,
        state: &OriginState,
        body: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        writer::check_body(state, body).map_err(|fault| fault.at(&self.open.file.path))?;
        let (state, body) = (Box::new(state.clone()), body.map(Vec::from));
        let change = Change::PutFile { url: url.into(), state, body };
        self.queue()?.write(change).await.map(drop)
    }

    /// Stores the state of an origin in place of the one before, with the body of its copy. Pass
    /// `None` if the body is in the store already.
    ///
    /// Blocks until the change is durable. Calls from several threads share the waits for the
    /// disk. Use [`Store::put_async`] in asynchronous code, and [`Store::put_many`] for a great
    /// many origins.
    ///
    /// # Errors
    /// Returns an error if the state's body is [missing](Fault::NoBody), [another
    /// one](Fault::OtherBody) or [too large](Fault::TooLarge); if the store is [open for
    /// reading](Fault::ReadOnly), [damaged](Fault::Damaged) or [closed after an
    /// error](Fault::Closed); or if the file [cannot be written](Fault::Io), for example because
    /// the [disk is full](StoreError::is_full).
    pub fn put(
        &self,
        origin: &str,
        state: &OriginState,
        body: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        let change = self.change(origin, state, body)?;
        self.queue()?.write_blocking(change).map(drop)
    }

    /// Like [`Store::put`], for asynchronous code on any runtime. If the future is dropped before
    /// it is ready, the change is made completely or not at all.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Store::put`].
    pub async fn put_async(
        &self,
        origin: &str,
        state: &OriginState,
        body: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        let change = self.change(origin, state, body)?;
        self.queue()?.write(change).await.map(drop)
    }

    /// Like [`Store::put`], for many origins in large transactions. Returns how many there were.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Store::put`]. The origins before the error are
    /// then in the store, except for the last 16,384 at most.
    pub fn put_many<K: AsRef<str>, B: AsRef<[u8]>>(
        &self,
        origins: impl IntoIterator<Item = (K, OriginState, Option<B>)>,
    ) -> Result<u64, StoreError> {
        self.queue()?;
        writer::put_many(&self.open.file, origins)
    }

    /// Removes an origin. Returns whether it was in the store.
    ///
    /// # Errors
    /// Returns an error if the store is [open for reading](Fault::ReadOnly),
    /// [damaged](Fault::Damaged) or [closed after an error](Fault::Closed), or if the file [cannot
    /// be written](Fault::Io).
    pub fn remove(&self, origin: &str) -> Result<bool, StoreError> {
        self.queue()?.write_blocking(Change::Remove { origin: origin.into() })
    }

    /// Removes the origins and other files whose last attempt is older than this, and all bodies that
    /// none of them refers to any more.
    ///
    /// Later changes reuse the free space in the file; [`Store::compact`] returns it to the
    /// system. Pruning reads the whole table of origins, which takes about a second for a
    /// million.
    ///
    /// All is removed in one transaction. If the disk has no room for that, it is removed in small ones,
    /// which reuse what the one before has freed. Even that fails on a full disk if nothing in the file
    /// is free: use [`Store::copy_to`] then.
    ///
    /// # Errors
    /// Returns an error if the store is [open for reading](Fault::ReadOnly) or
    /// [damaged](Fault::Damaged), or if the file [cannot be written](Fault::Io).
    pub fn prune(&self, older_than: Timestamp) -> Result<Pruned, StoreError> {
        self.queue()?;
        sweep::prune(&self.open.file, older_than)
    }

    /// Writes a new store to a file that does not exist, with what [`Store::prune`] would leave, and
    /// without free space. `Timestamp(0)` leaves all. The file gets its name when it is complete.
    ///
    /// This needs no room where the store is, and changes nothing there: it is the way out of a disk
    /// that is full.
    ///
    /// # Errors
    /// Returns an error if the store is [damaged](Fault::Damaged) or [cannot be read](Fault::Io), or if
    /// the new file exists or cannot be written.
    pub fn copy_to(
        &self,
        path: impl AsRef<Path>,
        older_than: Timestamp,
    ) -> Result<Pruned, StoreError> {
        copy::copy(&self.open.file, path.as_ref(), older_than)
    }

    /// All origins and their states as they are now, in the order of the origins' keys. If damage
    /// hides some, the last item is an error.
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](Fault::Damaged) or [cannot be read](Fault::Io).
    pub fn iter(&self) -> Result<Iter, StoreError> {
        self.reader().iter()
    }

    /// Counts what is in the store. This reads all origins and the lengths of all bodies.
    ///
    /// # Errors
    /// Returns an error if the file is [damaged](Fault::Damaged) or [cannot be read](Fault::Io).
    pub fn stat(&self) -> Result<Stat, StoreError> {
        self.open.file.read(Snapshot::stat)
    }

    /// Closes the store, if this is its last handle, when all its changes are made. Returns false
    /// if a clone, a [`Reader`] or a sieve still holds it: then the last one of them closes it.
    ///
    /// Dropping the last handle does the same. This tells whether another process, or
    /// [`Store::compact`], can have the file now.
    ///
    /// ```
    /// # use robotsieve_client::store::Store;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("robots.store");
    /// let store = Store::open(&path)?;
    /// let clone = store.clone();
    /// assert!(!store.close());
    /// assert!(clone.close());
    /// Store::compact(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(self) -> bool {
        Arc::into_inner(self.open).is_some()
    }

    /// The path of the store's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.open.file.path
    }

    /// Returns the free space in a store's file to the system. Nobody may have the file open, for
    /// reading or writing.
    /// Returns the size of the file afterwards, in bytes.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Store::open`], and if the file does not exist.
    pub fn compact(path: impl AsRef<Path>) -> Result<u64, StoreError> {
        StoreFile::compact(path.as_ref())
    }

    /// Reads every byte of a store's file, and checks that all pages, records and bodies are as
    /// they were written and refer to each other correctly. Changes nothing.
    ///
    /// While somebody has the file open for writing, this checks the origins, the bodies and the
    /// index as of now, but not the pages that nobody uses.
    ///
    /// # Errors
    /// Returns [`Fault::Damaged`] for the first damage. Also returns an error in the same cases
    /// as [`Store::open`], and if the file does not exist.
    pub fn verify(path: impl AsRef<Path>) -> Result<(), StoreError> {
        StoreFile::verify(path.as_ref())
    }

    fn queue(&self) -> Result<&Queue, StoreError> {
        self.open.queue.as_ref().ok_or_else(|| Fault::ReadOnly.at(&self.open.file.path))
    }

    fn change(
        &self,
        origin: &str,
        state: &OriginState,
        body: Option<&[u8]>,
    ) -> Result<Change, StoreError> {
        writer::check_body(state, body).map_err(|fault| fault.at(&self.open.file.path))?;
        Ok(Change::Put {
            origin: origin.into(),
            state: Box::new(state.clone()),
            body: body.map(Vec::from),
        })
    }
}
