//! The fields that are neither user-agent lines nor rules: their kinds, and their values.
//!
//! A value is read here from its bytes alone. Which crawlers it is for is decided in
//! [`records`](robotsieve::records), which knows groups.

mod error;
mod kind;
mod pace;
mod preferences;
mod typed;
mod values;

pub use error::InvalidValue;
pub use kind::Kind;
pub use pace::Pace;
pub(crate) use pace::PaceKey;
pub use preferences::Preferences;
pub use typed::typed;
pub use typed::{License, Sitemap, Value};
pub use values::{CleanParam, Host, RequestRate, TimeWindow};
