//! Stores as WARC files: `docs/formats.md` describes them.

mod export;
mod import;

pub use export::export;
pub use import::{Imported, import};
