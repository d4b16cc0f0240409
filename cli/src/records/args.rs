//! The arguments of `robotsieve records`.

use std::path::PathBuf;

use clap::Args;

use crate::options::{Agents, Format, ProfileOption, values};

/// Print sitemaps, crawl delays and all other records
///
/// Prints every record that is neither a user-agent line nor a rule: sitemaps,
/// crawl delays, request rates, visit times, hosts, clean-param, licences,
/// noindex, Content-Signal, Content-Usage and unknown fields: each with its line,
/// its value, and what is wrong with it. Records of the whole file come first, then
/// those of each group.
///
/// 'robotsieve rights' says what may be done with the content of a URL.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve records [OPTIONS] ROBOTS",
    after_help = "\
Examples:
  robotsieve records robots.txt
  robotsieve records --agent GPTBot robots.txt
  robotsieve records --base https://example.com/ --format json robots.txt

docs/records.md describes the JSON.

Exit status:
  0  printed, whatever is wrong with the records
  2  wrong usage
  3  a file could not be read"
)]
pub struct RecordsArgs {
    #[command(flatten)]
    pub agents: Agents,

    #[command(flatten)]
    pub profile: ProfileOption,

    /// The URL of the robots.txt, to resolve sitemaps that are not absolute
    #[arg(long, value_name = "URL")]
    pub base: Option<url::Url>,

    /// What to print: text or json
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    #[arg(hide_possible_values = true, long_help = values::<Format>("What to print"))]
    pub format: Format,

    /// The robots.txt: a file, an http(s) URL, or '-'
    #[arg(value_name = "ROBOTS")]
    pub robots: PathBuf,
}
