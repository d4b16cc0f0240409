//! What a store knows of sites, as documents and in sentences.

mod document;
#[cfg(feature = "store")]
mod known;

pub use document::{policy, rfc3339, site, site_told};
#[cfg(feature = "store")]
pub use known::{FoundSite, KnownSite, KnownSites};
