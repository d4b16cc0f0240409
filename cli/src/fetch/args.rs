//! The arguments of `robotsieve fetch`, and those of fetching that `filter` shares.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint, value_parser};

use crate::options::{ProfileOption, ProgressOption, SEND_USER_AGENT_HELP};

/// Fetch the robots.txt of many sites and keep the outcomes
///
/// Reads origins, or URLs (their origins are used), one a line, from files or
/// standard input, plain or compressed with gzip or zstd. Asks each origin once,
/// over http, https or ftp, and prints a line for each outcome as it arrives:
/// CONDITION, a tab, the origin, a tab, the size in bytes, a tab, and where
/// redirects led or what went wrong.
///
/// Origins that are in the store and not yet due are not asked again, so an
/// interrupted run continues where it stopped.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve fetch --send-user-agent HEADER [OPTIONS] [INPUT]...",
    after_help = "\
Examples:
  robotsieve fetch --send-user-agent 'FooBot/2.1 (+https://foo.example/bot)' \\
      --store robots.store urls.txt
  echo https://example.com/ |
      robotsieve fetch --send-user-agent 'FooBot/2.1 (+https://foo.example/bot)'

Conditions:
  parsed, empty, html, truncated   there is a robots.txt, and what it is like
  absent                           there is none: everything is allowed
  unreachable                      it could not be fetched: --profile says what
                                   follows

The summary on standard error is one line of names and numbers: origins,
fetched, the conditions, then held (in the store and not due), invalid, seconds
and fetched_per_second.

Exit status:
  0  done, whatever the outcomes
  2  wrong usage
  3  something could not be read or written"
)]
pub struct FetchArgs {
    // The old spelling is unambiguous here: the command knows no crawlers.
    #[arg(
        long, value_name = "HEADER", alias = "user-agent", help = SEND_USER_AGENT_HELP,
        long_help = format!("{SEND_USER_AGENT_HELP}. It should name the\ncrawler and a page about it")
    )]
    pub send_user_agent: String,

    /// A store of fetched robots.txt files
    ///
    /// The outcomes are kept in it. It is created if missing.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub store: Option<PathBuf>,

    /// Also ask origins that are not yet due
    #[arg(long)]
    pub again: bool,

    #[command(flatten)]
    pub profile: ProfileOption,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// Files of origins or URLs; none, or '-', is standard input
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    pub inputs: Vec<OsString>,

    // Last, because its heading would go on.
    #[command(flatten)]
    pub fetching: Fetching,
}

/// How robots.txt files are fetched.
#[derive(Args, Debug)]
#[command(next_help_heading = FETCHING)]
pub struct Fetching {
    /// The most requests at the same time [default: 256]
    ///
    /// Each takes up to two open files. The limit of open files is raised as
    /// far as the system lets it; if that is not enough, fewer requests run,
    /// and a note says so. [default: 256]
    #[arg(long, value_name = "N", allow_negative_numbers = true, verbatim_doc_comment,
        value_parser = value_parser!(u16).range(1..=16_384))]
    pub parallel: Option<u16>,

    /// Seconds until a silent site counts as unreachable
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true,
        value_parser = value_parser!(u32).range(1..=3_600))]
    pub timeout: u32,

    /// Allow private, loopback and other addresses that are not public
    #[arg(long)]
    pub allow_private: bool,
}

/// The heading of the options of fetching.
pub const FETCHING: &str = "Options of fetching";

impl Fetching {
    /// How many requests may run at the same time.
    pub fn parallel(&self) -> u16 {
        self.parallel.unwrap_or(256)
    }
}
