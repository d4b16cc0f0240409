//! What a site says about the use of its content, by `Content-Usage` and `Content-Signal`.
//!
//! All of this follows drafts and changes with them, which is why it is behind the feature
//! `drafts`: see [`records`](crate::records#drafts).

mod dictionary;
mod usage;
mod values;

pub use usage::{Ambiguity, Source, Statement, Usage, Use};
pub use values::{ContentSignal, ContentUsage, LabelledPreference, Preference};
pub(super) use values::{content_signal, content_usage};
