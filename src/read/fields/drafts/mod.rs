//! The values of `Content-Usage` and `Content-Signal`.
//!
//! They follow drafts and change with them, which is why they are behind the feature `drafts`:
//! see [`records`](crate::records#drafts).

mod dictionary;
mod values;

pub use values::{ContentSignal, ContentUsage, LabelledPreference, Preference};
pub(super) use values::{content_signal, content_usage};
