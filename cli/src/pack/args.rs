//! The arguments of `robotsieve pack`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueHint};

use crate::options::{Agents, ProfileOption, ProgressOption, Threads, output_parser};

/// Compile the robots.txt of many hosts into one file
///
/// Makes a pack, the file that 'filter --pack' reads. A pack is made once and used
/// in place: opening it costs nothing, any number of processes share it, and only
/// the policies that are needed are read. Equal files and equal policies are stored
/// once. The pack replaces PATH when it is complete.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "\
robotsieve pack --robots-dir DIR --agent NAME [OPTIONS] -o PATH
       robotsieve pack --list FILE --agent NAME [OPTIONS] -o PATH
       robotsieve pack stat PACK
       robotsieve pack verify PACK",
    group(
        ArgGroup::new("action").args(["robots_dir", "list", "verify", "stat"]).required(true)
    ),
    after_help = "\
Examples:
  robotsieve pack --robots-dir robots/ --agent FooBot -o robots.pack
  robotsieve pack --list hosts.tsv --agent GPTBot --agent CCBot -o ai.pack
  robotsieve pack stat robots.pack
  robotsieve pack verify robots.pack

Exit status:
  0  done
  2  wrong usage
  3  something could not be read or written, or verify found damage; a pack is
     made of what could be read"
)]
pub struct PackArgs {
    #[command(subcommand)]
    pub command: Option<PackCommand>,

    /// A folder of robots.txt files, each named after its host
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub robots_dir: Option<PathBuf>,

    /// A list of hosts and robots.txt files; '-' is standard input
    #[arg(long, value_name = "FILE")]
    #[arg(long_help = "A list of hosts and robots.txt files: lines of HOST or HOST:PORT, a\n\
        tab, and the path of the file; '-' is standard input")]
    pub list: Option<PathBuf>,

    #[command(flatten)]
    pub agents: Agents,

    #[command(flatten)]
    pub profile: ProfileOption,

    /// Keep the rules in the pack, so that jsonl can name the deciding one
    #[arg(long)]
    #[arg(long_help = "Keep the rules in the pack, so that jsonl can name the deciding one;\n\
        about doubles the size")]
    pub keep_rules: bool,

    /// Keep the sitemaps of each file in the pack, for the library
    #[arg(long)]
    pub keep_sitemaps: bool,

    #[command(flatten)]
    pub threads: Threads,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The pack to write
    #[arg(short, long, value_name = "PATH", value_parser = output_parser(), value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    // The spellings before the commands 'stat' and 'verify'.
    #[arg(long, value_name = "PACK", hide = true, conflicts_with_all = ["output", "crawlers"])]
    pub verify: Option<PathBuf>,

    #[arg(long, value_name = "PACK", hide = true, conflicts_with_all = ["output", "crawlers"])]
    pub stat: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum PackCommand {
    /// Print statistics about a pack
    #[command(
        override_usage = "robotsieve pack stat [OPTIONS] PACK",
        after_help = "\
Exit status:
  0  printed
  2  wrong usage
  3  the pack could not be read"
    )]
    Stat(OnePack),
    /// Read all of a pack and check it for damage
    #[command(
        override_usage = "robotsieve pack verify [OPTIONS] PACK",
        after_help = "\
Exit status:
  0  the pack is undamaged
  2  wrong usage
  3  it is damaged, or could not be read"
    )]
    Verify(OnePack),
}

/// The arguments of `stat` and `verify`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct OnePack {
    #[command(flatten)]
    pub progress: ProgressOption,

    /// The pack
    #[arg(value_name = "PACK")]
    pub pack: PathBuf,
}
