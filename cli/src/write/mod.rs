//! What the commands write: standard output, standard error, files, and text that is safe to show.

pub mod bytes;
pub mod file;
pub mod logs;
pub mod markdown;
pub mod progress;
pub mod report;
pub mod sarif;
pub mod screen;
#[cfg(unix)]
pub mod signals;
pub mod stderr;
pub mod stdout;
pub mod terminal;
pub mod unified;
pub mod workflow;
