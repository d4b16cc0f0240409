//! The bytes of an input, which several threads read at different places.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use same_file::Handle;

use super::member::{self, Codec};
use crate::read::stdin;

/// How many bytes of a stream are read at once.
const BLOCK_BYTES: usize = 1 << 20;

/// An input: a file, or a stream that can be read only once.
pub struct Source {
    pub path: Arc<Path>,
    /// How it is compressed; `None` if it is not.
    pub codec: Option<Codec>,
    bytes: Bytes,
    is_over: AtomicBool,
}

enum Bytes {
    File(File, u64),
    Stream(Mutex<Window>),
}

/// The part of a stream that may still be needed.
struct Window {
    stream: Box<dyn Read + Send>,
    blocks: VecDeque<Vec<u8>>,
    /// Where the first block begins.
    start: u64,
    /// Where the last one ends.
    end: u64,
    is_over: bool,
}

impl Source {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened or read.
    pub fn open(name: &OsStr) -> io::Result<Source> {
        let (path, bytes) = if stdin::is_meant(name) {
            (Path::new("standard input"), Bytes::stream(stdin::open()?))
        } else {
            let path = Path::new(name);
            let file = File::open(path)?;
            stdin::refuse_output(|| Handle::from_file(file.try_clone()?))?;
            let found = file.metadata()?;
            let bytes = match found.is_file() {
                true => Bytes::File(file, found.len()),
                // A pipe, for instance.
                false => Bytes::stream(file),
            };
            (path, bytes)
        };
        let mut source =
            Source { path: path.into(), codec: None, bytes, is_over: AtomicBool::new(false) };
        source.codec = member::codec(&source)?;
        Ok(source)
    }

    /// Its length, if that is known.
    pub fn len(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::File(_, len) => Some(*len),
            Bytes::Stream(_) => None,
        }
    }

    /// Whether it was read to its end, or as far as possible.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub fn set_over(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Reads from a place. Returns the number of bytes: 0 at the end.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or not any more ([`Source::release`]).
    pub fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        match &self.bytes {
            Bytes::File(file, _) => read_at(file, at, out),
            Bytes::Stream(window) => {
                window.lock().unwrap_or_else(PoisonError::into_inner).read_at(at, out)
            }
        }
    }

    /// The first byte that can still be read.
    pub fn first(&self) -> u64 {
        match &self.bytes {
            Bytes::File(..) => 0,
            Bytes::Stream(window) => window.lock().unwrap_or_else(PoisonError::into_inner).start,
        }
    }

    /// Says that nobody needs what comes before this place.
    pub fn release(&self, below: u64) {
        if let Bytes::Stream(window) = &self.bytes {
            window.lock().unwrap_or_else(PoisonError::into_inner).release(below);
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, at: u64, out: &mut [u8]) -> io::Result<usize> {
    use std::os::unix::fs::FileExt;

    loop {
        match file.read_at(out, at) {
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

#[cfg(not(unix))]
fn read_at(file: &File, at: u64, out: &mut [u8]) -> io::Result<usize> {
    use std::io::{Seek, SeekFrom};

    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut file = file;
    file.seek(SeekFrom::Start(at))?;
    file.read(out)
}

impl Bytes {
    fn stream(stream: impl Read + Send + 'static) -> Bytes {
        Bytes::Stream(Mutex::new(Window {
            stream: Box::new(stream),
            blocks: VecDeque::new(),
            start: 0,
            end: 0,
            is_over: false,
        }))
    }
}

impl Window {
    fn read_at(&mut self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        if at < self.start {
            return Err(io::Error::other("it can be read only once"));
        }
        while self.end <= at && !self.is_over {
            let mut block = Vec::with_capacity(BLOCK_BYTES);
            let read = self.stream.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut block)?;
            self.is_over = read < BLOCK_BYTES;
            self.end += read as u64;
            self.blocks.push_back(block);
        }
        // All blocks but the last are full, so this divides exactly.
        let from_start = usize::try_from(at - self.start).unwrap_or(usize::MAX);
        let block = self.blocks.get(from_start / BLOCK_BYTES);
        let rest =
            block.and_then(|block| block.get(from_start % BLOCK_BYTES..)).unwrap_or_default();
        let len = rest.len().min(out.len());
        out[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn release(&mut self, below: u64) {
        while self.start + BLOCK_BYTES as u64 <= below && self.blocks.pop_front().is_some() {
            self.start += BLOCK_BYTES as u64;
        }
    }
}
