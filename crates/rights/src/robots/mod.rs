//! What a robots.txt says of rights, for one crawler.
//!
//! ```text
//! records ─▶ lines with their groups ─▶ those of the crawler ─▶ paths and what they state ─▶ rights
//!            lines                      scope, selection        usage, signals, licences     compiled
//! ```

pub(crate) mod compiled;
mod licences;
pub(crate) mod lines;
mod said;
mod scope;
pub(crate) mod selection;
mod signals;
mod usage;
