//! The arguments of `robotsieve replay`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::options::ProgressOption;

/// Check recorded decisions again
///
/// Reads records that 'robotsieve explain --record' wrote, one a line, from files
/// or standard input, plain or compressed with gzip or zstd. Decides each again and
/// prints a line for each record with a change:
///   RECORDS:LINE, a tab, what changed, a tab, the decision then and now
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    override_usage = "robotsieve replay [OPTIONS] [RECORDS]...",
    after_help = "\
Examples:
  robotsieve explain --record robots.txt FooBot /x >> decisions.jsonl
  robotsieve replay decisions.jsonl
  robotsieve replay --robots robots-new.txt decisions.jsonl
  robotsieve replay --robots-dir robots/ decisions.jsonl.gz

What changed:
  verdict    the verdict is different
  rule       the verdict is the same, but another rule decides, or a rule
             decides only then or only now, or the recorded target or span is
             wrong; with a store: or something else is in force for the site
  file       the robots.txt is different, but the record holds: the same rule
             gives the same verdict, perhaps on another line
  missing    the robots.txt cannot be read, or --robots-dir has none for the
             host
  malformed  the line is not a record; after one of more than 16 MiB nothing
             more of its file is read

The summary on standard error is one line of names and numbers: records, then
hold (including those whose file changed), verdict, rule, file, missing and
malformed.

Exit status:
  0  all records hold
  1  some do not: verdict or rule
  2  wrong usage, or a line is malformed
  3  a robots.txt or an input could not be read
If several apply, the first of 2, 3, 1 is used. All records that are read are
checked anyway."
)]
pub struct ReplayArgs {
    /// Decide by this robots.txt: a file, an http(s) URL, or '-'
    ///
    /// Without it, --robots-dir and --store, the robots.txt is read from the
    /// path in the record, which may be a store.
    #[arg(long, value_name = "FILE", verbatim_doc_comment, conflicts_with = "robots_dir")]
    pub robots: Option<PathBuf>,

    /// A folder of robots.txt files, each named after its host
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub robots_dir: Option<PathBuf>,

    /// A store of fetched robots.txt files
    ///
    /// Decide by what it says now of the site of each URL.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["robots", "robots_dir"])]
    pub store: Option<PathBuf>,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// Files of records, read in this order; none, or '-', is standard input
    #[arg(value_name = "RECORDS", value_hint = ValueHint::FilePath)]
    pub inputs: Vec<OsString>,
}
