//! The bytes of an input, which several threads read at different places.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::codec::{Codec, beginning, codec};
use super::form::Form;

/// The number of bytes of a stream that are read at once.
const BLOCK_BYTES: usize = 1 << 20;

/// An input: a file, a stream that can be read only once, or bytes in memory. It is plain, or
/// compressed with gzip or zstd, as its first bytes say. An ARC file is one as well.
pub struct WarcInput {
    pub(super) path: Arc<Path>,
    /// How it is compressed; `None` if it is not.
    pub(super) codec: Option<Codec>,
    /// The form of its records.
    pub(super) form: Form,
    bytes: Bytes,
    is_over: AtomicBool,
}

enum Bytes {
    File(File, u64),
    Stream(Mutex<Window>),
    Memory(Box<dyn AsRef<[u8]> + Send + Sync>),
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

impl WarcInput {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened or read, if its dictionary is damaged, or if it is a ZIP file,
    /// as WACZ files are.
    pub fn open(path: &Path) -> io::Result<WarcInput> {
        WarcInput::file(path, File::open(path)?)
    }

    /// A file, with the name for messages. What is not a regular file, such as a pipe, is read as a
    /// stream.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or if its dictionary is damaged.
    pub fn file(name: impl AsRef<Path>, file: File) -> io::Result<WarcInput> {
        let found = file.metadata()?;
        match found.is_file() {
            true => WarcInput::new(name.as_ref(), Bytes::File(file, found.len())),
            false => WarcInput::stream(name, file),
        }
    }

    /// A stream, with the name for messages. Of what was read, some 20 MB stay in memory, in which
    /// records are searched behind damage.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or if its dictionary is damaged.
    pub fn stream(
        name: impl AsRef<Path>,
        stream: impl Read + Send + 'static,
    ) -> io::Result<WarcInput> {
        let window = Window {
            stream: Box::new(stream),
            blocks: VecDeque::new(),
            start: 0,
            end: 0,
            is_over: false,
        };
        WarcInput::new(name.as_ref(), Bytes::Stream(Mutex::new(window)))
    }

    /// Bytes in memory, with the name for messages.
    ///
    /// # Errors
    /// Returns an error if its dictionary is damaged.
    pub fn memory(
        name: impl AsRef<Path>,
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> io::Result<WarcInput> {
        WarcInput::new(name.as_ref(), Bytes::Memory(Box::new(bytes)))
    }

    /// The same input with another name for messages.
    #[must_use]
    pub fn with_name(mut self, name: impl AsRef<Path>) -> WarcInput {
        self.path = name.as_ref().into();
        self
    }

    fn new(path: &Path, bytes: Bytes) -> io::Result<WarcInput> {
        let mut source = WarcInput {
            path: path.into(),
            codec: None,
            form: Form::Warc,
            bytes,
            is_over: AtomicBool::new(false),
        };
        source.codec = codec(|at, out| source.read_at(at, out))?;
        let beginning = beginning(source.codec.as_ref(), |at, out| source.read_at(at, out), 16)?;
        source.form = Form::of(&beginning)?;
        Ok(source)
    }

    /// Its length, if that is known.
    pub(super) fn len(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::File(_, len) => Some(*len),
            Bytes::Memory(bytes) => Some((**bytes).as_ref().len() as u64),
            Bytes::Stream(_) => None,
        }
    }

    /// Returns true if it was read to its end, or as far as possible.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(super) fn set_over(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Reads from a place. Returns the number of bytes: 0 at the end.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or not any more ([`WarcInput::release`]).
    pub(super) fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        match &self.bytes {
            Bytes::File(file, _) => read_at(file, at, out),
            Bytes::Memory(bytes) => {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                let rest = (**bytes).as_ref().get(at..).unwrap_or_default();
                let len = rest.len().min(out.len());
                out[..len].copy_from_slice(&rest[..len]);
                Ok(len)
            }
            Bytes::Stream(window) => {
                window.lock().unwrap_or_else(PoisonError::into_inner).read_at(at, out)
            }
        }
    }

    /// The first byte that can still be read.
    pub(super) fn first(&self) -> u64 {
        match &self.bytes {
            Bytes::File(..) | Bytes::Memory(_) => 0,
            Bytes::Stream(window) => window.lock().unwrap_or_else(PoisonError::into_inner).start,
        }
    }

    /// Says that nobody needs what comes before this place.
    pub(super) fn release(&self, below: u64) {
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
