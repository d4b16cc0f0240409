//! The arguments of `robotsieve block`.

use std::path::PathBuf;

use clap::Args;

use crate::known::{KnownOption, PurposeOption};
use crate::options::OutputOption;

/// Print the groups that shut crawlers out of a whole site
///
/// Shuts out the known crawlers of a purpose, such as AI training, or those named
/// with --crawler. Without ROBOTS it prints groups to paste. With ROBOTS it prints
/// the whole file with the crawlers shut out: they are taken out of the groups
/// that name them, and new groups shut them out. Those that the file shuts out
/// already stay where they are.
///
/// The result is proven before it is printed, by the automata of all four
/// profiles: each of the crawlers may read nothing, and for '*', for every other
/// crawler that the file names and for every other known crawler nothing changes.
/// If that cannot be proven, nothing is printed, and a message says why.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve block [OPTIONS] --purpose PURPOSE [ROBOTS]
       robotsieve block [OPTIONS] --crawler TOKEN [ROBOTS]",
    after_help = "\
Examples:
  robotsieve block --purpose ai-training
  robotsieve block --purpose ai-training -o new.txt robots.txt
  robotsieve block --crawler GPTBot --crawler CCBot -o new.txt robots.txt
  robotsieve diff robots.txt new.txt

robots.txt only asks: a note on standard error names the crawlers that, by
what their operators say, do not obey it. 'robotsieve crawlers --list' prints
the known crawlers and their purposes.

In the two older profiles a group for FooBot is also for FooBot-News, or for
any crawler with FooBot in its name: with --verbose notes say which crawlers
that concerns. Profile google reads no digits in a name, which a note says.

A purpose leaves alone what ROBOTS lets in by name, in a group that forbids
nothing; --crawler shuts that out too, and a note says so.

The new groups stand at the end, and at the beginning if the file is longer
than crawlers need read.

Exit status:
  0  printed, and proven
  1  not proven, or ROBOTS is no text of a robots.txt; so nothing was printed
  2  wrong usage, or a name that seems to be misspelt
  3  a file could not be read"
)]
pub struct BlockArgs {
    #[command(flatten)]
    pub purpose: PurposeOption,

    /// Also this crawler, known or not, by its product token
    ///
    /// Repeat the option for several. A name that no known crawler has, and
    /// that looks like a misspelt one, is refused unless ROBOTS has it.
    #[arg(verbatim_doc_comment)]
    #[arg(id = "crawler", long = "crawler", value_name = "TOKEN")]
    pub crawlers: Vec<String>,

    #[command(flatten)]
    pub known: KnownOption,

    #[command(flatten)]
    pub output: OutputOption,

    /// Also say what is not proven, or changes besides, in older profiles
    #[arg(short, long)]
    pub verbose: bool,

    /// The robots.txt to edit: a file, an http(s) URL, or '-'
    #[arg(value_name = "ROBOTS")]
    pub robots: Option<PathBuf>,
}
