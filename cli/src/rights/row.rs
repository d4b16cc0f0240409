//! What is printed of a response in an archive.

use robotsieve_client::outcome::ContentHash;
use robotsieve_report::RightsBasis;
pub use robotsieve_report::{
    RecordedDocument as Document, RecordedPage as Page, RightsRecord as Record,
};
use robotsieve_rights::{Purpose, Ruling};
use serde_json::Value;

use super::args::Only;

/// What is known of a response, with its basis.
pub struct Row {
    pub record: Record,
    pub basis: RightsBasis,
    /// The basis as a line of JSON.
    pub line: String,
}

/// The bytes before the rest of a line with a basis, around its digest.
pub const BEFORE_DIGEST: &str = "{\"digest\":\"";
pub const AFTER_DIGEST: &str = "\",";

impl Row {
    /// # Errors
    /// Returns an error if the basis cannot be written as JSON.
    pub fn new(mut record: Record, basis: RightsBasis) -> Result<Row, String> {
        let text = serde_json::to_string(&basis).map_err(|cause| cause.to_string())?;
        record.basis = digest(text.as_bytes());
        let line = format!("{BEFORE_DIGEST}{}{AFTER_DIGEST}{}\n", record.basis, &text[1..]);
        Ok(Row { record, basis, line })
    }

    /// The record with the members of its basis.
    ///
    /// # Errors
    /// Returns an error if they cannot be written as JSON.
    pub fn merged(&self) -> Result<Value, String> {
        let value = serde_json::to_value(&self.record).and_then(|mut value| {
            let basis = serde_json::to_value(&self.basis)?;
            if let (Value::Object(members), Value::Object(basis)) = (&mut value, basis) {
                members.extend(basis);
            }
            Ok(value)
        });
        value.map_err(|cause| cause.to_string())
    }
}

/// The digest by which records name their basis: the first 20 hex digits of the SHA-256 of its JSON without the
/// member `digest`.
pub fn digest(basis: &[u8]) -> String {
    let mut digest = ContentHash::of(basis).to_string();
    digest.truncate(20);
    digest
}

/// Returns true if a row is of a document of those that are asked for: read as a whole, with this ruling.
pub fn is_of(row: &Record, only: Only, purpose: Purpose) -> bool {
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
    2048 + 128 * (row.record.rights.statements().len() + row.record.rights.licences().len())
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
