//! `robotsieve schema`: prints the JSON Schema of what other commands print.

use clap::{Args, ValueEnum};

use crate::error::{Failure, Status};
use crate::write::stdout;

/// Print the JSON Schema of reports, fetch --json or rights --warc
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  robotsieve schema > report.schema.json
  robotsieve schema fetch > fetch.schema.json
  robotsieve schema rights > rights.schema.json

Exit status:
  0  done
  2  wrong usage, or this robotsieve was built without the schema of the reports"
)]
pub struct SchemaArgs {
    /// The documents that the schema describes
    #[arg(value_enum, value_name = "DOCUMENTS", default_value = "reports")]
    documents: Documents,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Documents {
    /// Reports of all kinds, as --format json prints them
    Reports,
    /// A line of fetch --json
    Fetch,
    /// A line of rights --warc
    Rights,
}

pub fn run(args: &SchemaArgs) -> Result<Status, Failure> {
    match args.documents {
        Documents::Reports => reports(),
        Documents::Fetch => stdout::print(include_str!("fetch.json")),
        Documents::Rights => stdout::print(include_str!("rights.json")),
    }
}

#[cfg(feature = "schema")]
fn reports() -> Result<Status, Failure> {
    stdout::print(format!("{:#}\n", robotsieve_owners::schema::schema()))
}

#[cfg(not(feature = "schema"))]
fn reports() -> Result<Status, Failure> {
    Err(Failure::Usage(
        "cannot print the schema of the reports: this robotsieve was built without it; 'cargo install \
         robotsieve-cli --features schema' builds one with it, and each release has report.schema.json"
            .to_owned(),
    ))
}
