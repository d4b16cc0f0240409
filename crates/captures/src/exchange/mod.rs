//! Stores as WARC files, and WARC files in stores: our own, which say everything, and those of other
//! crawlers. And stores as folders of robots.txt files.

mod error;
mod export;
mod folder;
mod import;
mod scratch;

pub use error::ExchangeError;
pub use export::export;
pub use folder::{HostText, HostTexts, InForce, fetched};
pub use import::{Import, Imported};
