//! What the commands write: standard output, standard error, and bytes made fit for either.

pub mod bytes;
pub mod progress;
pub mod report;
pub mod stdout;
