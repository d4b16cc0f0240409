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
    /// Replaces the contents of `chunk` with whole lines; returns `false` at the end of all.
    pub fn fill(&mut self, chunk: &mut Vec<u8>) -> bool {
        self.inputs.fill(chunk) || self.sitemaps.fill(chunk, CHUNK_BYTES)
    }
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
    Stage(Receiver<Vec<u8>>),
    /// There are no more.
    Ended,
}

impl Chunks {
    pub fn new(from: Source) -> Chunks {
        Chunks(Mutex::new(Numbered { taken: 0, from }))
    }

    /// The next chunk and its number, counted from 0. `None` at the end of all.
    pub fn next(&self, buffers: &Buffers) -> Option<(u64, Vec<u8>)> {
        let mut chunks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = match &mut chunks.from {
            Source::Feed(feed) => {
                let mut lines = buffers.take();
                feed.fill(&mut lines).then_some(lines)
            }
            Source::Stage(chunks) => chunks.recv().ok(),
            Source::Ended => None,
        };
        let Some(lines) = lines else {
            chunks.from = Source::Ended;
            return None;
        };
        let number = chunks.taken;
        chunks.taken += 1;
        Some((number, lines))
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
