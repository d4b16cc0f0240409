//! Stores as WARC files: `docs/formats.md` describes them.

mod export;
mod http;
mod import;
mod reader;
mod state;

pub use export::export;
pub use import::import;
pub use reader::{Next, Reader};

/// The version of the JSON in metadata records, which `docs/formats.md` describes.
const STATE_VERSION: u64 = 1;
