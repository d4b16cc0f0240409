//! The arguments of `robotsieve diff`.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use crate::known::KnownOption;
use crate::options::{Agents, ProfileOption, ProgressOption, values};

/// Compare what two robots.txt files mean, not their lines
///
/// Compares the automata of both files for every crawler that either file names,
/// and '*' for all others, and prints the shortest paths whose verdict flips, with
/// the rules that decided, each for another pair of rules. Then come the sitemaps,
/// crawl delays, content signals and other records that changed. Files with
/// different text and the same meaning are no change.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve diff [OPTIONS] OLD NEW",
    after_help = "\
Examples:
  robotsieve diff old.txt new.txt
  robotsieve diff --agent GPTBot --agent CCBot old.txt new.txt
  robotsieve diff --urls urls.txt.gz --format json old.txt new.txt
  robotsieve diff old.txt new.txt && echo 'nothing to review'
  robotsieve diff --format markdown old.txt new.txt >> $GITHUB_STEP_SUMMARY

When equality is not proven:
  Rules with too many wildcards for an automaton, and automata too large to
  compare state by state, are compared by paths made from the rules of both
  files. A path that flips is a change. If none flips, the last line says 'no
  change found, not proven': the files may still differ, and the exit status
  is 1.

Known crawlers:
  A name that is one of them is looked up as that crawler does it: Applebot
  obeys the group of Googlebot if none names it, and AdsBot-Google ignores that
  of '*'. Those that no file names are compared, too, and listed if something
  else changes for them. Unless --profile is given, they read the files as their
  operators do. 'markdown' and 'github' begin with what changes for their
  purposes. With --agent or --user-agent, a crawler is looked up by its name
  alone.

docs/diff.md describes the JSON.

Exit status:
  0  no change, proven for every crawler that was compared
  1  some path flips or some other record changed, or it is not proven that no
     path flips
  2  wrong usage
  3  a file could not be read"
)]
pub struct DiffArgs {
    #[command(flatten)]
    pub agents: Agents,

    #[command(flatten)]
    pub profile: ProfileOption,

    /// Also print the URLs in this file whose verdict flips
    ///
    /// '-' is standard input. One URL or path a line, plain or compressed
    /// with gzip or zstd. Repeat the option for several files. Invalid URLs
    /// are skipped, and counted on standard error.
    #[arg(long, value_name = "FILE", verbatim_doc_comment, value_hint = ValueHint::FilePath)]
    pub urls: Vec<OsString>,

    /// How many changes of a kind to print
    ///
    /// For each set of crawlers: so many paths in each direction, and so
    /// many removed and added records of each kind. If more were found,
    /// the output says so [default: 5, and 100 records with --format json]
    #[arg(long, value_name = "N", verbatim_doc_comment)]
    pub limit: Option<NonZeroUsize>,

    /// What to print: text, json, markdown or github
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = DiffFormat::Text)]
    #[arg(hide_possible_values = true, long_help = values::<DiffFormat>("What to print"))]
    pub format: DiffFormat,

    #[command(flatten)]
    pub known: KnownOption,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The old robots.txt: a file, an http(s) URL, or '-'
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The new robots.txt: a file, an http(s) URL, or '-'
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
}

/// What `diff` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// A comment for a pull request, the risks first
    Markdown,
    /// Workflow commands that GitHub shows next to the lines
    Github,
}
