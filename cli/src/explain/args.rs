//! The arguments of `robotsieve explain`.

use clap::{Args, ValueEnum};
use robotsieve_client::outcome::AsOf;

use crate::fetch::args::Answers;
use crate::options::{ColorOption, ProgressOption, as_of, values};
use crate::read::policy::{PolicyArgs, Urls};

/// Explain why URLs are allowed or not, rule by rule
///
/// Shows the relevant lines of the file with the matching parts underlined, then
/// the URL as it was compared.
///
/// ROBOTS may also be a store of fetched files: then the URL's site chooses the
/// robots.txt. What the store knows of it comes first: when it was fetched and
/// from where, whether it was cut or has expired, or what holds instead of rules.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    mut_args(|arg| match arg.get_id().as_str() {
        "robots" => {
            arg.help("The robots.txt (a file, a URL or '-'), or a store of fetched files")
        }
        _ => arg,
    }),
    override_usage = "\
robotsieve explain [OPTIONS] ROBOTS AGENT URL...
       robotsieve explain [OPTIONS] --user-agent HEADER ROBOTS URL...",
    after_help = "\
Examples:
  robotsieve explain robots.txt GPTBot https://example.com/private/
  robotsieve explain --all-profiles robots.txt FooBot '/news/?a=%7E'
  robotsieve explain --user-agent 'Mozilla/5.0 (FooBot/2.1)' robots.txt /x
  robotsieve explain robots.store FooBot https://example.com/private/
  robotsieve explain --format json robots.txt FooBot /x | jq .matches
  robotsieve explain --record robots.txt FooBot - < urls.txt >> decisions.jsonl

docs/explain.md describes the JSON and the records.

Exit status:
  0  every URL is allowed (with --all-profiles: in all of them)
  1  some URL is disallowed (with --all-profiles: in at least one of them), or
     the store knows nothing about its site
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

    /// Judge by what was in force at this time
    ///
    /// With a store: the rulings as they are at TIME, which is like
    /// 2026-11-20T12:00:00Z or 2026-11-20, or 7days (ago) or +12h (from now).
    /// What held before a site was last asked is unknown. With 'capture' the
    /// site is judged as of the time when it was last asked.
    #[arg(
        long,
        value_name = "TIME|capture",
        value_parser = as_of,
        allow_hyphen_values = true,
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub as_of: Option<AsOf>,

    /// What to print: text, json or jsonl
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ExplainFormat::Text)]
    #[arg(hide_possible_values = true, long_help = values::<ExplainFormat>("What to print"))]
    pub format: ExplainFormat,

    /// Print decision records as JSON lines, for 'robotsieve replay'
    ///
    /// A record has the verdict, profile, crawler, URL and target, the rule
    /// with its line and byte span, the path of the robots.txt and its
    /// SHA-256, and the version of robotsieve; with a store also what is in
    /// force for the site.
    #[arg(long, conflicts_with = "format", verbatim_doc_comment)]
    pub record: bool,

    #[command(flatten)]
    pub color: ColorOption,

    #[command(flatten)]
    pub progress: ProgressOption,

    #[command(flatten)]
    pub urls: Urls,

    // Last, because its heading would go on.
    #[command(flatten)]
    pub answers: Answers,
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
