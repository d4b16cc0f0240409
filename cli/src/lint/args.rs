//! The arguments of `robotsieve lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use robotsieve_lint::Selector;

use crate::options::{ColorOption, ProfileOption, ProgressOption, values};

/// Find mistakes in robots.txt files, and lines without effect
///
/// Finds rules that never match or never win (decided by automata, not by
/// heuristics), groups that no crawler obeys, misspelt fields, fields that nobody
/// reads, and other things that cost a site. docs/lint has a page for each code.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve lint [OPTIONS] ROBOTS...",
    after_help = "\
Examples:
  robotsieve lint robots.txt
  robotsieve lint --fail-on warning --format github sites/*/robots.txt
  robotsieve lint --format sarif robots.txt > robots.sarif
  robotsieve lint --diff robots.txt
  robotsieve lint --select RS4 --ignore redundant-rule robots.txt
  robotsieve lint --write-baseline known.json robots.txt
  robotsieve lint --baseline known.json robots.txt
  curl -s https://example.com/robots.txt | robotsieve lint -

Severities:
  error    one or more rules are lost
  warning  some crawlers probably read it differently from what was meant
  note     it does not say what it seems to say, or it says nothing

The summary on standard error is one line of names and numbers: files, errors,
warnings and notes.

Exit status:
  0  no finding has the severity of --fail-on or a higher one
  1  a finding has
  2  wrong usage
  3  a file could not be read (the others were linted) or written"
)]
pub struct LintArgs {
    #[command(flatten)]
    pub profile: ProfileOption,

    /// Use all four profiles
    ///
    /// A finding names those in which it holds.
    #[arg(long, conflicts_with = "profile", verbatim_doc_comment)]
    pub all_profiles: bool,

    /// What to print: text, jsonl, sarif or github
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LintFormat::Text)]
    #[arg(hide_possible_values = true, long_help = values::<LintFormat>("What to print"))]
    pub format: LintFormat,

    /// Report only these codes, as in RS403,never-wins,RS2
    ///
    /// Numbers, names, or the start of numbers: RS4 and RS4xx are all from
    /// RS400 to RS499, ALL is all. Of --select and --ignore the one that says
    /// more of a number decides; if both say the same, --ignore.
    #[arg(long, value_name = "CODES", value_delimiter = ',', verbatim_doc_comment)]
    pub select: Vec<Selector>,

    /// Do not report these codes
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub ignore: Vec<Selector>,

    /// Report only findings that are not in this file
    ///
    /// --write-baseline makes it. A finding is known by the file's path as
    /// given, its code and the text of its line, so lines may move.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub baseline: Option<PathBuf>,

    /// Write the findings to this file, for --baseline; print none
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub write_baseline: Option<PathBuf>,

    /// Fail from this severity on: note, warning, error or never
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = FailOn::Error)]
    #[arg(hide_possible_values = true)]
    #[arg(long_help = values::<FailOn>("The findings that make the exit status 1"))]
    pub fail_on: FailOn,

    /// Apply fixes that change no verdict and no pace; '=all': all fixes
    ///
    /// A fix is proven before it is offered: 'lint' says what each does to
    /// verdicts, and none blocks or opens a whole site. Whether fixes are
    /// safe together is proven before they are applied. Codes that are not
    /// reported are not fixed.
    #[arg(long, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true)]
    #[arg(hide_possible_values = true)]
    #[arg(default_missing_value = "unchanging", verbatim_doc_comment)]
    #[arg(conflicts_with_all = ["baseline", "write_baseline"])]
    pub fix: Option<Fixes>,

    /// Show what --fix would change, as a unified diff, and change nothing
    #[arg(long, conflicts_with_all = ["baseline", "write_baseline", "format"])]
    pub diff: bool,

    /// The Content-Type header that the files are served with
    #[arg(long, value_name = "TYPE")]
    pub content_type: Option<String>,

    /// The most findings to show of a code in a file; 0 is all
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub max_per_code: usize,

    #[command(flatten)]
    pub color: ColorOption,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// robots.txt files or their http(s) URLs; '-' is standard input
    #[arg(value_name = "ROBOTS", required = true)]
    pub files: Vec<PathBuf>,
}

/// What `lint` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// For people: the lines concerned
    Text,
    /// A JSON document for each file, on one line
    #[value(alias = "json")]
    Jsonl,
    /// One SARIF 2.1.0 document, for code review tools
    Sarif,
    /// Workflow commands that GitHub shows next to the lines
    Github,
}

/// Which fixes are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fixes {
    /// Those that change no verdict and no pace
    Unchanging,
    /// All; the others change verdicts as their findings say
    All,
}

/// The lowest severity that makes the exit status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// All findings
    Note,
    /// Warnings and errors
    Warning,
    /// Errors
    Error,
    /// None: the exit status is 0 whatever is found
    Never,
}
