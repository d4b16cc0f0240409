//! What is printed of a response in an archive.

pub use robotsieve_report::{
    RecordedDocument as Document, RecordedPage as Page, RightsRecord as Row,
};
use robotsieve_rights::{Purpose, Ruling};

use super::args::Only;

/// Returns true if a row is of a document of those that are asked for: read as a whole, with this ruling.
pub fn is_of(row: &Row, only: Only, purpose: Purpose) -> bool {
    let ruling = row.rights.ruling(purpose);
    let is_wanted = match only {
        Only::Allowed => ruling == Ruling::Allow,
        Only::NotDisallowed => ruling != Ruling::Disallow,
    };
    is_wanted && row.status == 200 && row.page == Page::Read
}

/// About the bytes of memory that a row takes.
#[cfg(feature = "parquet")]
pub fn weight(row: &Row) -> usize {
    2048 + 128 * (row.rights.statements().len() + row.rights.licences().len())
}

/// What was printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Printed {
    pub responses: u64,
    /// Those among them that were asked for.
    pub rows: u64,
    /// Revisits whose body is not here.
    pub without_body: u64,
}
