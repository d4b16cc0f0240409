//! Stores as WARC files, and WARC files in stores: our own, which say everything, and those of other
//! crawlers.

mod error;
mod export;
mod import;
mod scratch;

pub use error::ExchangeError;
pub use export::export;
pub use import::{Import, Imported};
