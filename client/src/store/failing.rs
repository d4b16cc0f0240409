//! Tests on a disk that fails at any one of its operations.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use redb::{Builder, Database, StorageBackend};

use super::error::Fault;
use super::file::StoreFile;
use super::open::Open;
use super::writer::Queue;
use super::{Store, StoreError};
use crate::outcome::{CachedCopy, OriginState};
use crate::time::Timestamp;

/// The bytes on the disk, and the operations that will fail.
#[derive(Debug, Default)]
struct Disk {
    bytes: Mutex<Vec<u8>>,
    /// The number of writing operations that succeed before the others fail.
    left: AtomicU64,
    /// True if a write that fails writes half.
    tears: bool,
    kind: Option<io::ErrorKind>,
}

#[derive(Debug)]
struct Backend(Arc<Disk>);

impl Disk {
    fn change(
        &self,
        whole: impl FnOnce(&mut Vec<u8>),
        half: impl FnOnce(&mut Vec<u8>),
    ) -> io::Result<()> {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let less = |left: u64| left.checked_sub(1);
        match self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less) {
            Ok(_) => whole(&mut bytes),
            Err(_) => {
                if self.tears {
                    half(&mut bytes);
                }
                return Err(self.kind.expect("a kind").into());
            }
        }
        Ok(())
    }

    fn open(self: &Arc<Disk>) -> Result<Database, Fault> {
        Ok(Builder::new().create_with_backend(Backend(Arc::clone(self)))?)
    }

    fn store(self: &Arc<Disk>) -> Store {
        let disk = Arc::clone(self);
        let file = StoreFile::on_backend(Path::new("disk"), move || disk.open());
        let file = Arc::new(file.expect("a store"));
        let queue = Queue::start(Arc::clone(&file)).expect("a thread");
        Store { open: Arc::new(Open { queue: Some(queue), file }) }
    }
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner).len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let from = bytes.get(offset as usize..offset as usize + out.len());
        out.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.change(|bytes| bytes.resize(len as usize, 0), |_| ())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.change(|_| (), |_| ())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let offset = offset as usize;
        let put = |bytes: &mut Vec<u8>, len: usize| {
            if let Some(place) = bytes.get_mut(offset..offset + len) {
                place.copy_from_slice(&data[..len]);
            }
        };
        self.0.change(|bytes| put(bytes, data.len()), |bytes| put(bytes, data.len() / 2))
    }
}

fn put(store: &Store, number: u64) -> Result<(), StoreError> {
    let body = format!("User-agent: *\nDisallow: /{number}\n").repeat(200);
    let state = OriginState::present(CachedCopy::new(body.as_bytes(), Timestamp(number)));
    store.put(&format!("https://{number}.example"), &state, Some(body.as_bytes()))
}

fn holds(store: &Store, count: u64) {
    for number in 0..count {
        let found = store.get_with_body(&format!("https://{number}.example")).expect("reads");
        assert_eq!(found.map(|(state, _)| state.attempted.0), Some(number));
    }
    store.open.file.snapshot().verify().expect("no damage");
}

#[test]
fn a_disk_may_fail_at_any_operation() {
    for (tears, kind) in [
        (false, io::ErrorKind::StorageFull),
        (true, io::ErrorKind::StorageFull),
        (true, io::ErrorKind::Other),
    ] {
        for operations in (0..60).chain((60..400).step_by(23)) {
            let disk =
                Disk { left: AtomicU64::new(u64::MAX), tears, kind: Some(kind), ..Disk::default() };
            let disk = Arc::new(disk);
            let store = disk.store();
            disk.left.store(operations, Ordering::SeqCst);
            let mut acknowledged = 0;
            let error = loop {
                match put(&store, acknowledged) {
                    Ok(()) => acknowledged += 1,
                    Err(error) => break error,
                }
            };
            assert!(error.is_of_file(), "{error}");
            assert_eq!(error.is_full(), kind == io::ErrorKind::StorageFull, "{error:?}");
            // Until now nothing could be written at all, so the file could not be opened again.
            let error = put(&store, acknowledged).expect_err("it still fails");
            assert_eq!(error.is_full(), kind == io::ErrorKind::StorageFull, "{error:?}");
            // What a process finds that opens the file after a crash at this moment.
            let bytes = disk.bytes.lock().expect("bytes").clone();
            let left = AtomicU64::new(u64::MAX);
            let crashed = Arc::new(Disk { bytes: Mutex::new(bytes), left, ..Disk::default() });
            holds(&crashed.store(), acknowledged);
            // There is room again, and the same store goes on.
            disk.left.store(u64::MAX, Ordering::SeqCst);
            put(&store, acknowledged).expect("there is room");
            holds(&store, acknowledged + 1);
        }
    }
}
