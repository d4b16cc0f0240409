//! The input in chunks, the buffers that hold them, and the crawlers to judge for.

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
