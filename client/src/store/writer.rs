//! Changes to a store: one thread makes them, many in one transaction.

use std::iter;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use async_channel::{Receiver, Sender};
use redb::{ReadableTable, Table, WriteTransaction};

use super::bodies::Row;
use super::error::{Fault, StoreError};
use super::file::StoreFile;
use super::format::{BODIES, FILES, MAX_BODY_BYTES, NUMBERS, ORIGINS, half_hash};
use super::record::{Record, encode_file};
use crate::outcome::{ContentHash, OriginState};

/// The number of changes that may wait besides those being made. After that callers wait.
const QUEUE_LEN: usize = 256;
/// The number of origins that [`put_many`] puts into one transaction.
const MANY: usize = 1 << 14;
/// The bytes of bodies that [`put_many`] puts into one transaction, give or take the last body.
const MANY_BYTES: usize = 64 << 20;

/// One change to one origin, or to another file of a site.
#[derive(Debug)]
pub(super) enum Change {
    Put { origin: String, state: Box<OriginState>, body: Option<Vec<u8>> },
    PutFile { url: String, state: Box<OriginState>, body: Option<Vec<u8>> },
    Remove { origin: String },
}

/// A change, and a channel for its result: when the change is durable, whether the origin was in
/// the store before.
#[derive(Debug)]
struct Request {
    change: Change,
    done: Sender<Result<bool, Fault>>,
}

/// The queue of the writing thread. Dropping it waits until all changes are made.
#[derive(Debug)]
pub(super) struct Queue {
    requests: Sender<Request>,
    thread: Option<JoinHandle<()>>,
    file: Arc<StoreFile>,
}

impl Queue {
    /// Starts the thread.
    pub(super) fn start(file: Arc<StoreFile>) -> Result<Queue, Fault> {
        let (requests, received) = async_channel::bounded(QUEUE_LEN);
        let writer = Arc::clone(&file);
        let thread = thread::Builder::new()
            .name("robotsieve-store".into())
            .spawn(move || run(&writer, &received))?;
        Ok(Queue { requests, thread: Some(thread), file })
    }

    /// Queues a change and blocks until it is made.
    pub(super) fn write_blocking(&self, change: Change) -> Result<bool, StoreError> {
        let (done, result) = async_channel::bounded(1);
        self.requests
            .send_blocking(Request { change, done })
            .ok()
            .and_then(|()| result.recv_blocking().ok())
            .unwrap_or_else(ended)
            .map_err(|fault| fault.at(&self.file.path))
    }

    /// Queues a change and waits until it is made.
    pub(super) async fn write(&self, change: Change) -> Result<bool, StoreError> {
        let (done, result) = async_channel::bounded(1);
        let result = match self.requests.send(Request { change, done }).await {
            Ok(()) => result.recv().await.unwrap_or_else(|_| ended()),
            Err(_) => ended(),
        };
        result.map_err(|fault| fault.at(&self.file.path))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.requests.close();
        if let Some(thread) = self.thread.take() {
            // `StoreFile::write` catches panics, so this does not fail.
            thread.join().ok();
        }
    }
}

/// The result of a change that the thread did not make. It makes all changes before it ends.
fn ended() -> Result<bool, Fault> {
    Err(Fault::Closed(Arc::new(std::io::Error::other("the writing thread has ended").into())))
}

/// Makes changes until the queue is closed and empty. All changes that are waiting go into one
/// transaction.
fn run(file: &StoreFile, requests: &Receiver<Request>) {
    while let Ok(first) = requests.recv_blocking() {
        let waiting = iter::from_fn(|| requests.try_recv().ok()).take(QUEUE_LEN);
        let batch: Vec<Request> = iter::once(first).chain(waiting).collect();
        let results = file.write(|transaction| {
            let mut tables = Tables::open(transaction, file)?;
            batch.iter().map(|request| tables.make(&request.change)).collect()
        });
        let results: Vec<Result<bool, Fault>> = match results {
            Ok(results) => results,
            Err(fault) => vec![Err(fault); batch.len()],
        };
        for (request, result) in batch.into_iter().zip(results) {
            // The caller may have stopped waiting.
            request.done.try_send(result).ok();
        }
    }
}

/// Puts many origins, in large transactions.
pub(super) fn put_many<K: AsRef<str>, B: AsRef<[u8]>>(
    file: &StoreFile,
    origins: impl IntoIterator<Item = (K, OriginState, Option<B>)>,
) -> Result<u64, StoreError> {
    let mut origins = origins.into_iter();
    let mut count = 0;
    let mut batch = Vec::new();
    loop {
        let mut bytes = 0;
        batch.clear();
        while batch.len() < MANY && bytes < MANY_BYTES {
            let Some((origin, state, body)) = origins.next() else { break };
            bytes += body.as_ref().map_or(0, |body| body.as_ref().len());
            batch.push((origin, state, body));
        }
        if batch.is_empty() {
            return Ok(count);
        }
        file.write(|transaction| {
            let mut tables = Tables::open(transaction, file)?;
            for (origin, state, body) in &batch {
                let body = body.as_ref().map(B::as_ref);
                check_body(state, body)?;
                tables.put(origin.as_ref(), state, body)??;
            }
            Ok(())
        })
        .map_err(|fault| fault.at(&file.path))?;
        count += batch.len() as u64;
    }
}

/// Puts other files of sites, a transaction each: few sites have some.
pub(super) fn put_files(
    file: &StoreFile,
    files: impl IntoIterator<Item = (String, OriginState, Option<Vec<u8>>)>,
) -> Result<(), StoreError> {
    for (url, state, body) in files {
        check_body(&state, body.as_deref()).map_err(|fault| fault.at(&file.path))?;
        let change = Change::PutFile { url, state: Box::new(state), body };
        file.write(|transaction| Tables::open(transaction, file)?.make(&change)?.map(drop))
            .map_err(|fault| fault.at(&file.path))?;
    }
    Ok(())
}

/// Checks that a body is that of the state's copy.
pub(super) fn check_body(state: &OriginState, body: Option<&[u8]>) -> Result<(), Fault> {
    let Some(body) = body else { return Ok(()) };
    if body.len() > MAX_BODY_BYTES {
        return Err(Fault::TooLarge(body.len()));
    }
    let content = ContentHash::of(body);
    match &state.copy {
        Some(copy) if copy.content == content && copy.len as usize == body.len() => Ok(()),
        _ => Err(Fault::OtherBody(state.copy.as_ref().map_or(content, |copy| copy.content))),
    }
}

/// The tables of a transaction.
struct Tables<'t> {
    origins: Table<'t, &'static [u8], &'static [u8]>,
    bodies: Table<'t, u64, &'static [u8]>,
    numbers: Table<'t, u128, u64>,
    /// The number of the next body.
    next: u64,
    transaction: &'t WriteTransaction,
    file: &'t StoreFile,
}

impl<'t> Tables<'t> {
    fn open(transaction: &'t WriteTransaction, file: &'t StoreFile) -> Result<Tables<'t>, Fault> {
        let bodies = transaction.open_table(BODIES)?;
        let next = bodies.last()?.map_or(0, |(last, _)| last.value().saturating_add(1));
        Ok(Tables {
            origins: transaction.open_table(ORIGINS)?,
            bodies,
            numbers: transaction.open_table(NUMBERS)?,
            next,
            transaction,
            file,
        })
    }

    /// Makes a change. The outer error fails the whole transaction. The inner one concerns this
    /// change alone, which is then not made.
    fn make(&mut self, change: &Change) -> Result<Result<bool, Fault>, Fault> {
        match change {
            Change::Put { origin, state, body } => self.put(origin, state, body.as_deref()),
            Change::PutFile { url, state, body } => self.put_file(url, state, body.as_deref()),
            Change::Remove { origin } => Ok(Ok(self.origins.remove(origin.as_bytes())?.is_some())),
        }
    }

    fn put(
        &mut self,
        origin: &str,
        state: &OriginState,
        body: Option<&[u8]>,
    ) -> Result<Result<bool, Fault>, Fault> {
        Ok(match self.number_of(state, body)? {
            Ok(number) => {
                let row = Record::of(state, number).encode(origin);
                Ok(self.origins.insert(origin.as_bytes(), &row[..])?.is_some())
            }
            Err(fault) => Err(fault),
        })
    }

    /// The table of files is made with the first one.
    fn put_file(
        &mut self,
        url: &str,
        state: &OriginState,
        body: Option<&[u8]>,
    ) -> Result<Result<bool, Fault>, Fault> {
        Ok(match self.number_of(state, body)? {
            Ok(number) => {
                let row = encode_file(url, state, number);
                let mut files = self.transaction.open_table(FILES)?;
                Ok(files.insert(url.as_bytes(), &row[..])?.is_some())
            }
            Err(fault) => Err(fault),
        })
    }

    /// The number of the body of a state's copy, if it has one. The inner error says that the body is
    /// missing.
    fn number_of(
        &mut self,
        state: &OriginState,
        body: Option<&[u8]>,
    ) -> Result<Result<Option<u64>, Fault>, Fault> {
        let Some(copy) = &state.copy else { return Ok(Ok(None)) };
        let number = self.number(copy.content, body)?;
        Ok(number.map(Some).ok_or(Fault::NoBody(copy.content)))
    }

    /// The number of a body, which is added if it is missing or damaged. Returns `None` if it
    /// would have to be added and was not passed.
    fn number(&mut self, content: ContentHash, body: Option<&[u8]>) -> Result<Option<u64>, Fault> {
        let found = self.numbers.get(half_hash(&content))?.map(|number| number.value());
        if let Some(number) = found
            && let Some(row) = self.bodies.get(number)?
            && Row::decode(number, row.value()).is_ok_and(|row| row.hash == content)
        {
            return Ok(Some(number));
        }
        let Some(body) = body else { return Ok(None) };
        let number = self.next;
        let mut compression = self.file.compression();
        self.bodies.insert(number, compression.row(number, content, body)?)?;
        self.numbers.insert(half_hash(&content), number)?;
        self.next = number
            .checked_add(1)
            .ok_or_else(|| Fault::damaged("the number of a body is too large"))?;
        Ok(Some(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::CachedCopy;
    use crate::store::file::CACHE_BYTES;
    use crate::time::Timestamp;

    /// A program that does not know of files prunes their bodies, and gives their numbers to others.
    #[test]
    fn files_whose_bodies_are_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        let file = StoreFile::open_or_create(&path, CACHE_BYTES).expect("a store");
        let state = |body: &[u8]| OriginState::present(CachedCopy::new(body, Timestamp(7)));
        let (url, body) = ("https://e.com/a.xml", b"licence");
        let put = || put_files(&file, [(url.to_owned(), state(body), Some(body.to_vec()))]);
        let found = || file.snapshot().file(url).expect("an answer");
        put().expect("puts");
        assert_eq!(found(), Some((state(body), Some(body.to_vec()))));
        let prune = |transaction: &WriteTransaction| {
            transaction.open_table(BODIES)?.retain(|_, _| false)?;
            transaction.open_table(NUMBERS)?.retain(|_, _| false)?;
            Ok(())
        };
        file.write(prune).expect("prunes");
        assert_eq!(found(), None);
        assert_eq!(file.snapshot().stat().expect("figures").files, 1);
        put_many(&file, [("https://b.com", state(b"robots"), Some(b"robots"))]).expect("puts");
        assert_eq!(found(), None);
        file.snapshot().verify().expect("no damage");
        put().expect("puts");
        assert_eq!(found(), Some((state(body), Some(body.to_vec()))));
    }
}
