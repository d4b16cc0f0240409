//! An open store, shared by all its handles.

use std::sync::Arc;

use super::file::StoreFile;
use super::writer::Queue;

/// An open store. Fields are dropped in this order: first the queue, which finishes all its
/// writes, then the file.
#[derive(Debug)]
pub(super) struct Open {
    /// `None` if the store is open for reading.
    pub(super) queue: Option<Queue>,
    pub(super) file: Arc<StoreFile>,
}
