//! The arguments of `robotsieve store`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueHint};

use crate::fetch::args::Answers;
use crate::options::{AgentOption, Agents, ProfileOption, ProgressOption, Threads, output_parser};

/// Inspect and convert stores of fetched robots.txt files
#[derive(Debug, Subcommand)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve store COMMAND",
    after_help = "\
Examples:
  robotsieve store stat robots.store
  robotsieve store get robots.store https://example.com/
  robotsieve store export robots.store --robots-dir robots/
  robotsieve store import robots.store --robots-dir robots/
  robotsieve store export robots.store --warc robots.warc.gz
  robotsieve store prune robots.store --older-than 90days

Exit status:
  0  done
  1  get: nothing is known about the origin, or it has no file to print (--body)
  2  wrong usage
  3  something could not be read or written, or verify found damage"
)]
pub enum StoreCommand {
    /// Print statistics about a store
    #[command(after_help = STATUS, override_usage = "robotsieve store stat [OPTIONS] STORE")]
    Stat(StoreArgs),
    Get(GetArgs),
    Export(ExportArgs),
    Import(ImportArgs),
    Prune(PruneArgs),
    Compact(CompactArgs),
    /// Read all of a store and check it for damage
    ///
    /// Others may read and write it meanwhile: then it is checked as it was at the
    /// beginning, and its unused pages are not.
    #[command(
        verbatim_doc_comment,
        override_usage = "robotsieve store verify [OPTIONS] STORE",
        after_help = "\
Exit status:
  0  the store is undamaged
  2  wrong usage
  3  it is damaged, or could not be read"
    )]
    Verify(StoreArgs),
}

const STATUS: &str = "\
Exit status:
  0  done
  2  wrong usage
  3  the store could not be read or written";

/// The arguments of `stat` and `verify`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct StoreArgs {
    #[command(flatten)]
    pub progress: ProgressOption,

    /// The store
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
}

/// Return unused space in a store to the file system
///
/// Nobody else may have the store open, except with --to.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = STATUS,
    override_usage = "robotsieve store compact [OPTIONS] STORE"
)]
pub struct CompactArgs {
    #[command(flatten)]
    pub to: To,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The store
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
}

/// Where to write a store anew.
#[derive(Args, Debug)]
pub struct To {
    /// Write the result to this new file and leave the store as it is
    ///
    /// This needs no room on the disk of the store. If that is full, write to
    /// another one, and then move the file to the place of the store.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, verbatim_doc_comment)]
    pub to: Option<PathBuf>,
}

/// Print what is known about one origin
///
/// With --agent or --user-agent also how fast that crawler may go: crawl_delay
/// and request_rate, if rules are in force that say so.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve store get [OPTIONS] STORE URL",
    after_help = "\
Exit status:
  0  printed
  1  nothing is known about the origin, or it has no file to print (--body)
  2  wrong usage
  3  the store could not be read"
)]
pub struct GetArgs {
    /// Print the robots.txt instead, byte for byte
    #[arg(long)]
    pub body: bool,

    #[command(flatten)]
    pub agent: AgentOption,

    #[command(flatten)]
    pub profile: ProfileOption,

    /// The store
    #[arg(value_name = "STORE")]
    pub store: PathBuf,

    /// The origin, or any URL on it
    #[arg(value_name = "URL")]
    pub url: OsString,

    // Last, because its heading would go on.
    #[command(flatten)]
    pub answers: Answers,
}

/// Write a store to a WARC file, a folder or a pack
///
/// A WARC file has everything that is known of each origin: 'import' makes the same
/// store of it.
///
/// A folder or a pack has what is in force for each site.
///
/// The folder has robots.txt files named HOST or HOST:PORT. A site without a
/// robots.txt becomes an empty file. A site that is unreachable becomes a file with
/// the rules that then apply. If several schemes have the same host and port, the
/// file has what https says, or else http. What http or ftp say, if it is something
/// else, goes to the folders DIR/http and DIR/ftp. A pack keeps them apart.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    group(ArgGroup::new("to").args(["warc", "robots_dir", "pack"]).required(true)),
    override_usage = "\
robotsieve store export --warc FILE [OPTIONS] STORE
       robotsieve store export --robots-dir DIR [OPTIONS] STORE
       robotsieve store export --pack FILE --agent NAME [OPTIONS] STORE",
    after_help = "\
Examples:
  robotsieve store export robots.store --warc robots.warc.gz
  robotsieve store export robots.store --robots-dir robots/
  robotsieve store export robots.store --pack robots.pack --agent FooBot

Exit status:
  0  every site was exported
  2  wrong usage
  3  something could not be read or written, or a site was left out"
)]
pub struct ExportArgs {
    /// WARC, plain or compressed
    ///
    /// The file to write, with everything that is known of each origin. If
    /// its name ends in '.gz', each record is compressed.
    #[arg(long, value_name = "FILE", verbatim_doc_comment, value_hint = ValueHint::FilePath)]
    #[arg(value_parser = output_parser())]
    pub warc: Option<PathBuf>,

    /// A folder of robots.txt files, each named after its host
    ///
    /// The folder to write, as 'filter --robots-dir' reads it.
    #[arg(long, value_name = "DIR", verbatim_doc_comment, value_hint = ValueHint::DirPath)]
    pub robots_dir: Option<PathBuf>,

    /// A pack of compiled policies
    ///
    /// The pack to write, as 'filter --pack' reads it.
    #[arg(long, value_name = "FILE", verbatim_doc_comment, requires = "crawlers")]
    #[arg(value_parser = output_parser())]
    pub pack: Option<PathBuf>,

    #[command(flatten)]
    pub agents: Agents,

    /// Keep the rules in the pack, so that jsonl can name the deciding one
    #[arg(long)]
    pub keep_rules: bool,

    #[command(flatten)]
    pub profile: ProfileOption,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The store
    #[arg(value_name = "STORE")]
    pub store: PathBuf,

    // Last, because its heading would go on.
    #[command(flatten)]
    pub answers: Answers,
}

/// Put WARC files or a folder of robots.txt files into a store
///
/// A WARC file is one of 'store export', or one of another crawler or an archive:
/// then its answers for robots.txt files count as if they had been fetched at the
/// time of the record, with their redirects and revisits, as far as the files or
/// the store have what they lead to. What the store knows from a later time stays.
///
/// A file of a folder, or of a folder in it, counts as fetched when it was last
/// modified. It is for http and https, as in 'pack --robots-dir', unless one of
/// the folders DIR/http, DIR/https and DIR/ftp has one for that scheme. It
/// replaces what the store has for its host, even if that is newer.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    group(ArgGroup::new("from").args(["warc", "robots_dir"]).required(true)),
    override_usage = "\
robotsieve store import STORE --warc FILE...
       robotsieve store import --robots-dir DIR [OPTIONS] STORE",
    after_help = "\
Examples:
  robotsieve store import robots.store --warc robots.warc.gz
  robotsieve store import robots.store --warc robotstxt/*.warc.gz

Exit status:
  0  everything was imported
  2  wrong usage
  3  something could not be read or written; what could be read was imported"
)]
pub struct ImportArgs {
    /// WARC, plain or compressed
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath)]
    #[arg(long_help = "WARC files, plain or compressed with gzip or zstd; '-' is standard\n\
        input. Give the store before the files, or another option behind them")]
    pub warc: Vec<OsString>,

    /// A folder of robots.txt files, each named after its host
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub robots_dir: Option<PathBuf>,

    #[command(flatten)]
    pub threads: Threads,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The store; it is created if missing
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
}

/// Forget origins that were not asked for a long time
///
/// Bodies that no origin uses any more are removed as well. On a full disk this
/// goes in small steps, each of which uses the room that the last one made.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve store prune --older-than AGE [OPTIONS] STORE",
    after_help = STATUS
)]
pub struct PruneArgs {
    /// Forget what was not asked for this long: '30days', '12h', ...
    #[arg(long, value_name = "AGE")]
    pub older_than: humantime::Duration,

    #[command(flatten)]
    pub to: To,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The store
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
}
