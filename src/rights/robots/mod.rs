//! What a robots.txt says of rights, for one crawler.
//!
//! ```text
//! records ─▶ lines with their groups ─▶ those of the crawler ─▶ paths and what they state ─▶ rights
//!            lines                      scope                   usage, signals, licences     compiled
//! ```

pub(super) mod compiled;
mod licences;
pub(super) mod lines;
mod said;
mod scope;
mod signals;
mod usage;
