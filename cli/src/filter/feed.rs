//! The input in chunks, the buffers that hold them, and the crawlers to judge for.

use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};

use robotsieve::TargetForm;

use crate::read::inputs::{CHUNK_BYTES, Inputs};
use crate::sitemap::{Names, Sitemaps};

/// What is read: first the inputs, then the sitemaps.
pub struct Feed {
    pub inputs: Inputs,
    pub sitemaps: Sitemaps,
}

impl Feed {
    /// The next lines, in this buffer. `None` at the end of all.
    pub fn next(&mut self, mut lines: Vec<u8>) -> Option<Chunk> {
        if self.inputs.fill(&mut lines) {
            return Some(Chunk { lines, is_beginning: self.inputs.is_beginning() });
        }
        let is_filled = self.sitemaps.fill(&mut lines, CHUNK_BYTES);
        is_filled.then_some(Chunk { lines, is_beginning: false })
    }
}

/// Lines that are judged together, each with its line feed.
pub struct Chunk {
    pub lines: Vec<u8>,
    /// True if it is the beginning of one line, which is too long to be a URL.
    pub is_beginning: bool,
}

/// Where workers get chunks: one after the other reads the next.
pub struct Chunks(Mutex<Numbered>);

struct Numbered {
    /// How many chunks were taken.
    taken: u64,
    from: Source,
}

/// Where chunks come from.
pub enum Source {
    Feed(Box<Feed>),
    /// Another stage.
    Stage(Receiver<Chunk>),
    /// There are no more.
    Ended,
}

impl Chunks {
    pub fn new(from: Source) -> Chunks {
        Chunks(Mutex::new(Numbered { taken: 0, from }))
    }

    /// The next chunk and its number, counted from 0. `None` at the end of all.
    pub fn next(&self, buffers: &Buffers) -> Option<(u64, Chunk)> {
        let mut chunks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = match &mut chunks.from {
            Source::Feed(feed) => feed.next(buffers.take()),
            Source::Stage(chunks) => chunks.recv().ok(),
            Source::Ended => None,
        };
        let Some(chunk) = next else {
            chunks.from = Source::Ended;
            return None;
        };
        let number = chunks.taken;
        chunks.taken += 1;
        Some((number, chunk))
    }
}

/// Buffers for chunks and output, reused so that chunks do not need fresh pages. There are at most
/// as many as chunks on their way.
#[derive(Default)]
pub struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// A buffer with arbitrary contents.
    pub fn take(&self) -> Vec<u8> {
        let buffer = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        buffer.unwrap_or_default()
    }

    pub fn give(&self, buffer: Vec<u8>) {
        // The memory of a very long line is not kept.
        if buffer.capacity() <= 4 * CHUNK_BYTES {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        }
    }
}

/// The crawlers to judge for, and how to read URLs.
pub struct Asked {
    /// The crawlers' names in the output.
    pub agents: Vec<Vec<u8>>,
    pub target_form: TargetForm,
    /// The sitemaps to read.
    pub sitemaps: Names,
}
