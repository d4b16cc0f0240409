//! The arguments of `robotsieve write`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::known::KnownOption;
use crate::options::OutputOption;

/// Write a robots.txt from what you want of crawlers
///
/// INTENTIONS is a file of TOML, or of JSON with the same fields:
///
///   sitemap = "https://shop.example/sitemap.xml"
///   expect = ["allow Googlebot /", "disallow * /cart"]
///
///   [[groups]]
///   crawlers = "@ai-training"      # all known crawlers of this purpose
///   disallow = "/"
///
///   [[groups]]
///   crawlers = ["@search", "FooBot"]
///   disallow = ["/cart", "/*?sort="]
///
///   [[groups]]
///   crawlers = "*"                 # all that no group is for
///   disallow = ["/cart", "/search"]
///
/// Prints the shortest plain file that says so, after it has proven that the
/// profiles read it as it is meant: the longest rule that matches decides, for
/// each crawler of a group, for '*' and for all other known crawlers, over all
/// URLs. If that cannot be proven, or an expectation does not hold, nothing is
/// printed, and a message says where and why.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve write [OPTIONS] INTENTIONS
       robotsieve write [OPTIONS] --check ROBOTS INTENTIONS",
    after_help = "\
Examples:
  robotsieve write -o public/robots.txt robots.toml
  robotsieve write --check public/robots.txt robots.toml
  robotsieve write --check https://shop.example/robots.txt robots.toml
  echo '{\"groups\": [{\"crawlers\": \"*\", \"disallow\": \"/cart\"}]}' | \\
      robotsieve write -

Fields of the file:
  groups    what crawlers may do
  sitemap, license, host, comment
            other records and lines of the file
  expect    expectations, as 'robotsieve test' takes them
  profiles  where the file must mean this: rfc9309, google, google-classic or
            original-1994 [default: all but original-1994]

Fields of a group:
  crawlers  product tokens, '@PURPOSE', '@all' or '*'; the surest name counts
  allow, disallow
            patterns, with '*' and a final '$' as in a robots.txt
  allow_path, disallow_path
            beginnings of paths that stand for themselves
  crawl_delay, content_signal, content_usage, license, comment, other
            other records and lines of the group

Each field takes a text or a list of texts, but for crawl_delay, a number.
docs/writing.md describes them.

Exit status:
  0  printed, and proven; with --check, the file is what would be written
  1  not proven, or an expectation does not hold; with --check, it differs
  2  wrong usage, or something in INTENTIONS is wrong
  3  a file could not be read"
)]
pub struct WriteArgs {
    /// Compare a robots.txt, FILE, URL or '-', with what would be written
    ///
    /// Prints the difference instead of the file. Notes say which crawlers
    /// have been added to the known ones since, or left them, and for whom
    /// rules changed.
    #[arg(long, value_name = "ROBOTS", value_hint = ValueHint::FilePath, verbatim_doc_comment)]
    #[arg(conflicts_with = "output")]
    pub check: Option<PathBuf>,

    #[command(flatten)]
    pub output: OutputOption,

    #[command(flatten)]
    pub known: KnownOption,

    /// What you want of crawlers: a file of TOML or JSON, or '-'
    #[arg(value_name = "INTENTIONS", value_hint = ValueHint::FilePath)]
    pub intentions: PathBuf,
}
