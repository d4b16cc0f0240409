//! What may be done with a page: one by one, and in columns.

mod ahead;
mod captures;
mod columns;
mod compiled;
mod files;
mod headers;
mod reader;
mod report;
mod said;
mod table;

pub use columns::Doubtful;
pub use reader::RightsReader;
pub use report::{PurposeReport, RightsReport};
pub use said::{Rights, RightsLicence, RightsStatement};
pub use table::RightsColumns;
