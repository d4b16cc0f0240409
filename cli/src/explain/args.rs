//! The arguments of `robotsieve explain`.

use clap::{Args, ValueEnum};

use crate::options::{ColorOption, PolicyArgs, ProgressOption, Urls, values};

/// Explain why URLs are allowed or not, rule by rule
///
/// Shows the relevant lines of the file with the matching parts underlined, then
/// the URL as it was compared.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve explain [OPTIONS] ROBOTS AGENT URL...
       robotsieve explain [OPTIONS] --user-agent HEADER ROBOTS URL...",
    after_help = "\
Examples:
  robotsieve explain robots.txt GPTBot https://example.com/private/
  robotsieve explain --all-profiles robots.txt FooBot '/news/?a=%7E'
  robotsieve explain --user-agent 'Mozilla/5.0 (FooBot/2.1)' robots.txt /x
  robotsieve explain --format json robots.txt FooBot /x | jq .explanations
  robotsieve explain --record robots.txt FooBot - < urls.txt >> decisions.jsonl

docs/explain.md describes the JSON and the records.

Exit status:
  0  every URL is allowed (with --all-profiles: in all of them)
  1  some URL is disallowed (with --all-profiles: in at least one of them)
  2  wrong usage, or some URL is invalid: not scheme://host/path, and not a path
     that starts with '/' (with --profile google no URL is invalid)
  3  a file could not be read"
)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub policy: PolicyArgs,

    /// Use all four profiles
    ///
    /// Explains the URL in each of them, and says why they differ.
    #[arg(long, conflicts_with = "profile", verbatim_doc_comment)]
    pub all_profiles: bool,

    /// What to print: text, json or jsonl
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ExplainFormat::Text)]
    #[arg(hide_possible_values = true, long_help = values::<ExplainFormat>("What to print"))]
    pub format: ExplainFormat,

    /// Print decision records as JSON lines, for 'robotsieve replay'
    ///
    /// A record has the verdict, profile, crawler, URL and target, the rule
    /// with its line and byte span, the path of the robots.txt and its
    /// SHA-256, and the version of robotsieve.
    #[arg(long, conflicts_with = "format", verbatim_doc_comment)]
    pub record: bool,

    #[command(flatten)]
    pub color: ColorOption,

    #[command(flatten)]
    pub progress: ProgressOption,

    #[command(flatten)]
    pub urls: Urls,
}

/// What `explain` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    /// For people
    Text,
    /// One JSON document, for one URL
    Json,
    /// A JSON object for each URL
    Jsonl,
}
