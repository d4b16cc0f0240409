//! The arguments of `robotsieve pack`.

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum, ValueHint, value_parser};

use robotsieve::Profile;
use robotsieve_captures::packs::Judging;
use robotsieve_client::outcome::AsOf;

use crate::options::{Agents, ProfileOption, ProgressOption, Threads, as_of, output_parser};

/// Compile the robots.txt of many hosts into one file
///
/// Makes a pack, the file that 'filter --pack' reads. A pack is made once and used
/// in place: opening it costs nothing, any number of processes share it, and only
/// the policies that are needed are read. Equal files and equal policies are stored
/// once. The pack replaces PATH when it is complete.
///
/// Any number of sources are read together. Of several answers of one site the
/// newest that is usable counts; redirects are followed to what the sources have.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "\
robotsieve pack --from SOURCE... --agent NAME [OPTIONS] -o PATH
       robotsieve pack update PACK --from SOURCE...
       robotsieve pack merge PACK... -o PATH
       robotsieve pack list PACK
       robotsieve pack stat PACK
       robotsieve pack verify PACK",
    group(
        ArgGroup::new("source")
            .args(["from", "robots_dir", "list", "store", "jsonl", "parquet", "warc"])
            .required(true)
            .multiple(true)
    ),
    after_help = "\
Examples:
  robotsieve pack --robots-dir robots/ --agent FooBot -o robots.pack
  robotsieve pack --list hosts.tsv --agent GPTBot --agent CCBot -o ai.pack
  robotsieve pack --warc crawl/*.warc.gz --agent FooBot --shards 64 -o packs/
  robotsieve pack update robots.pack --from tonight.jsonl.gz
  robotsieve pack merge monday.pack tuesday.pack -o week.pack
  robotsieve pack list robots.pack
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

    #[command(flatten)]
    pub sources: Sources,

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

    /// Keep what each file says of rights, for 'filter --purpose'
    #[arg(long)]
    #[arg(long_help = "Keep what each file says of rights, for 'filter --purpose' and the\n\
        library: the Content-Usage, Content-Signal and License lines that are\n\
        for the crawlers of the pack")]
    pub rights: bool,

    #[command(flatten)]
    pub writing: Writing,
}

/// What packs are made from.
#[derive(Args, Debug, Default)]
pub struct Sources {
    /// Sources of any kind; the kind is found by what is in them
    #[arg(long, value_name = "SOURCE", num_args = 1.., value_hint = ValueHint::AnyPath)]
    #[arg(long_help = "Sources of any kind: a folder, a list, a store, lines of JSON, Parquet\n\
        or WARC; the kind is found by what is in them")]
    pub from: Vec<OsString>,

    /// A folder of robots.txt files, each named after its host
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(long_help = "A folder of robots.txt files, each named after its host: HOST,\n\
        HOST.txt or HOST:PORT, for http and https ('filter --robots-dir' takes\n\
        it for ftp, too). Subfolders are searched too and have no meaning,\n\
        except that DIR/http and DIR/ftp are for that scheme")]
    pub robots_dir: Vec<PathBuf>,

    /// A list of hosts and robots.txt files; '-' is standard input
    #[arg(long, value_name = "FILE")]
    #[arg(long_help = "A list of sites and robots.txt files: lines of HOST, HOST:PORT (for\n\
        http and https) or URL, a tab, and the path of the file; '-' is\n\
        standard input")]
    pub list: Vec<PathBuf>,

    /// A store of fetched robots.txt files
    #[arg(long, value_name = "FILE")]
    pub store: Vec<PathBuf>,

    /// Answers as lines of JSON, plain or compressed
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[arg(long_help = "Answers as lines of JSON, plain or compressed with gzip or zstd; '-'\n\
        is standard input. Members: 'url', 'status', 'body' or 'body_base64',\n\
        and if known 'time' (seconds since 1970, or like 2026-11-20T12:00:00Z)\n\
        and 'location' (of a redirect)")]
    pub jsonl: Vec<OsString>,

    /// Answers in Parquet files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[arg(long_help = "Answers in Parquet files, with columns named as the members of\n\
        --jsonl; needs a robotsieve built with '--features parquet'")]
    pub parquet: Vec<OsString>,

    /// WARC, plain or compressed
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[arg(long_help = "Answers in WARC files, plain or compressed with gzip or zstd; '-' is\n\
        standard input")]
    pub warc: Vec<OsString>,

    /// Judge by what was in force at this time
    #[arg(long, value_name = "TIME|capture", value_parser = as_of)]
    #[arg(long_help = "Judge by what was in force at this time: how long a site has been\n\
        unreachable is counted up to then, and later captures are left out.\n\
        TIME is like 2026-11-20T12:00:00Z, 2026-11-20 or 7days (ago), or\n\
        'capture': of each site, the time of its newest capture [default:\n\
        capture; now for what a store knows]")]
    pub as_of: Option<AsOf>,

    /// Take a 5xx for the answer that there is no robots.txt
    #[arg(long, hide_short_help = true)]
    #[arg(long_help = "Take a 5xx for the answer that there is no robots.txt: for archives of\n\
        sites that are known to answer so for pages that do not exist.\n\
        Everything is then allowed")]
    pub errors_allow: bool,
}

impl Sources {
    /// How the answers are judged.
    pub fn judging(&self, profile: &Profile) -> Judging {
        let mut judging = Judging::of(profile, self.as_of);
        for protocol in [&mut judging.protocol, &mut judging.of_stores.0] {
            protocol.errors_mean_absent |= self.errors_allow;
        }
        judging
    }
}

/// `--shards`.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Shards {
    /// Write a folder of this many packs, which opens as one
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=4096))]
    #[arg(long_help = "Write a folder of this many packs, which opens as one. Each site is in\n\
        the pack that the hash of its host names, as 'pmod(xxhash64(host), N)'\n\
        in Spark")]
    pub shards: Option<u32>,
}

/// How a pack is written, and where.
#[derive(Args, Debug)]
pub struct Writing {
    #[command(flatten)]
    pub shards: Shards,

    #[command(flatten)]
    pub seed: Seed,

    #[command(flatten)]
    pub threads: Threads,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The pack to write; with --shards a folder
    #[arg(short, long, value_name = "PATH", value_parser = output_parser(), value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// `--seed`.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Seed {
    /// The seed of the hash in the pack, to make the same bytes again
    #[arg(long, value_name = "N")]
    #[arg(long_help = "The seed of the hash in the pack. The same sources and the same seed\n\
        make the same bytes; 'pack stat' prints the seed of a pack. Take one\n\
        that those who choose the hosts do not know, or they can choose them\n\
        so that the pack is slow, or is refused [default: a random one]")]
    seed: Option<u64>,
}

impl Seed {
    /// The seed that was given, or a random one.
    pub fn get(self) -> u64 {
        // The keys are random.
        self.seed.unwrap_or_else(|| RandomState::new().hash_one(0))
    }
}

#[derive(Debug, Subcommand)]
pub enum PackCommand {
    Update(UpdateArgs),
    Merge(MergeArgs),
    List(ListArgs),
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
  3  it is damaged, or could not be read, or an update of it was cut short"
    )]
    Verify(OnePack),
}

/// The pack that `stat`, `verify` and `update` are about.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct OnePack {
    #[command(flatten)]
    pub progress: ProgressOption,

    /// The pack, or a folder of shards
    #[arg(value_name = "PACK")]
    pub pack: PathBuf,
}

/// Add what sources say to a pack
///
/// Writes only what changed, at the end of the file. Whoever has the pack open
/// sees it as it was. After an update that was interrupted the pack is as before;
/// of a folder of shards each file is as before, or updated. The same update
/// again drops what is left of it, and does the rest: it writes a new file. A
/// file that was updated eight times is written anew. If another update of the
/// pack is under way, this one ends with exit status 3 and has changed nothing:
/// PACK.lock is locked.
///
/// What the pack knows from a later time stays. A site that the sources do not
/// have stays, too. What has no time counts as newer than what the pack has.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve pack update [OPTIONS] PACK --from SOURCE...",
    group(
        ArgGroup::new("source")
            .args(["from", "robots_dir", "list", "store", "jsonl", "parquet", "warc"])
            .required(true)
            .multiple(true)
    ),
    after_help = "\
Examples:
  robotsieve pack update robots.pack --from tonight.jsonl.gz
  robotsieve pack update packs/ --warc new/*.warc.gz

Exit status:
  0  done
  2  wrong usage
  3  something could not be read or written; the pack has what could be read"
)]
pub struct UpdateArgs {
    #[command(flatten)]
    pub sources: Sources,

    #[command(flatten)]
    pub threads: Threads,

    #[command(flatten)]
    pub of: OnePack,
}

/// Write several packs into one
///
/// What several packs have for a site is its history, as in 'pack update': the
/// newest answer that says something counts, of equally new ones that of the later
/// pack, and a failure after an answer counts as the profile says. Packs do not
/// tell why all is disallowed, so 'disallow-all' counts as a failure. Redirects are
/// not followed: packs do not keep them. The packs must have the same profile and
/// crawlers. With one pack this writes it anew, in shards if --shards is given.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve pack merge [OPTIONS] PACK... -o PATH",
    after_help = "\
Examples:
  robotsieve pack merge monday.pack tuesday.pack -o week.pack
  robotsieve pack merge packs/ -o one.pack
  robotsieve pack merge one.pack --shards 64 -o packs/

Exit status:
  0  done
  2  wrong usage
  3  a pack could not be read or written"
)]
pub struct MergeArgs {
    #[command(flatten)]
    pub writing: Writing,

    /// The packs, or folders of shards
    #[arg(value_name = "PACK", required = true)]
    pub packs: Vec<PathBuf>,
}

/// Print what a pack has, one site a line
///
/// Prints origin, outcome (rules, allow-all, disallow-all, unknown), the time of
/// the answer, and for each crawler its pace.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve pack list [OPTIONS] PACK",
    after_help = "\
Exit status:
  0  printed
  2  wrong usage
  3  the pack could not be read"
)]
pub struct ListArgs {
    /// What to print
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ListFormat::Tsv)]
    pub format: ListFormat,

    /// The pack, or a folder of shards
    #[arg(value_name = "PACK")]
    pub pack: PathBuf,
}

/// The formats of `list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// Lines with tabs
    Tsv,
    /// Lines of JSON
    Jsonl,
}
