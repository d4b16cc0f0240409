//! The command line: what may be given, and the help that teaches it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::thread;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{
    Arg, ArgAction, ArgGroup, ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum,
    value_parser,
};
use robotsieve::{Crawler, Profile};

use crate::error::Failure;

/// Which URLs does a robots.txt allow?
///
/// Decides by one small automaton per crawler, in four exact profiles: RFC 9309 (the
/// default), the open-source parser of Googlebot, Google's classic specification, and the
/// standard of 1994.
#[derive(Debug, Parser)]
#[command(
    name = "robotsieve",
    version,
    verbatim_doc_comment,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "\
Examples:
  robotsieve check robots.txt GPTBot https://example.com/private/
  robotsieve explain robots.txt GPTBot https://example.com/private/
  robotsieve filter --robots-dir robots/ --agent FooBot urls.txt.gz > allowed.txt
  robotsieve fetch --user-agent 'FooBot/2.1 (+http://foo.example/)' --store robots.store urls.txt
  robotsieve store stat robots.store
  robotsieve pack --robots-dir robots/ --agent FooBot -o robots.pack
  robotsieve lint robots.txt
  robotsieve records robots.txt
  robotsieve diff old.txt new.txt
  robotsieve replay decisions.jsonl
  robotsieve dot robots.txt FooBot | dot -Tsvg > policy.svg

Where a file is read '-' is standard input:
  curl -s https://example.com/robots.txt | robotsieve check - GPTBot /private/

Exit status:
  0  done; of a question: yes, or nothing found
  1  of a question: no, or something found
  2  wrong usage
  3  a file cannot be read or written

'robotsieve help COMMAND' says more of each command, with examples."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(CheckArgs),
    Explain(ExplainArgs),
    Filter(FilterArgs),
    Fetch(FetchArgs),
    #[command(
        subcommand,
        verbatim_doc_comment,
        arg_required_else_help = true,
        after_help = "\
Examples:
  robotsieve store stat robots.store
  robotsieve store get robots.store https://example.com/
  robotsieve store export robots.store --robots-dir robots/
  robotsieve store import robots.store --robots-dir robots/
  robotsieve store prune robots.store --older-than 90days

Exit status:
  0  done
  1  get: nothing is known of the origin
  2  wrong usage
  3  something cannot be read or written, or verify found damage"
    )]
    Store(StoreCommand),
    Pack(PackArgs),
    Lint(LintArgs),
    Records(RecordsArgs),
    Diff(DiffArgs),
    Replay(ReplayArgs),
    Dot(DotArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// One policy: a file, a crawler, and how they are read.
#[derive(Args, Debug)]
pub struct OnePolicy {
    #[arg(
        long, value_name = "PROFILE", default_value = "rfc9309", value_parser = profile_parser(),
        help = PROFILE_HELP, long_help = PROFILE_LONG_HELP
    )]
    pub profile: Profile,

    /// AGENT is a whole User-Agent header, not names
    #[arg(long)]
    pub user_agent: bool,

    /// The robots.txt file; '-': standard input
    #[arg(value_name = "ROBOTS")]
    pub robots: PathBuf,

    /// One crawler: its names from most to least specific, separated by commas
    ///
    /// Names are taken as given: spaces belong to a name, and an empty name is one too.
    #[arg(value_name = "AGENT")]
    pub agent: OsString,
}

impl OnePolicy {
    /// Who asks.
    pub fn crawler(&self) -> Crawler {
        self.agent().crawler()
    }

    /// Who asks, as given.
    pub fn agent(&self) -> Agent {
        Agent { text: self.agent.clone(), is_header: self.user_agent }
    }
}

/// Judge a few URLs: the answer is the exit status.
///
/// Prints VERDICT, a tab and the URL for each URL, in the order given. VERDICT is allow,
/// disallow or invalid.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    after_help = "\
Examples:
  robotsieve check robots.txt FooBot https://example.com/ /private/x
  robotsieve check robots.txt googlebot-news,googlebot /news/
  robotsieve check --user-agent robots.txt 'Mozilla/5.0 (compatible; FooBot/2.1)' /
  robotsieve check robots.txt FooBot - < urls.txt
  robotsieve check -- robots.txt -bot /        # after -- a '-' begins no option

Exit status:
  0  all URLs are allowed
  1  some URL is disallowed
  2  wrong usage, or some URL is invalid: neither scheme://authority… nor a path that
     begins with '/' (in the profile google no URL is invalid, not even the empty one)
  3  a file cannot be read"
)]
pub struct CheckArgs {
    #[command(flatten)]
    pub of: OnePolicy,

    /// URLs, or paths that begin with '/'; '-' alone: read them from standard input
    ///
    /// From standard input one a line; a CR at the end of a line is dropped and empty lines
    /// are skipped.
    #[arg(value_name = "URL", required = true, verbatim_doc_comment)]
    pub urls: Vec<OsString>,
}

/// Sieve URLs by the million, each judged by its host's robots.txt or all by one.
///
/// Reads URLs, one a line, from files or standard input, plain, gzip or zstd (told by
/// their first bytes). Writes those that are allowed, in the order of the input, or what
/// --format says. Lines are bytes: what is not UTF-8 goes through unchanged. A CR at the
/// end of a line is dropped, empty lines are skipped.
///
/// Memory is bounded: it grows with the number of hosts, not with the number of URLs.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve filter (--robots FILE | --robots-dir DIR) --agent NAMES [--agent NAMES]...
                         [--user-agent HEADER]... [OPTIONS] [INPUT]...
       robotsieve filter --pack FILE [--agent NAMES]... [--user-agent HEADER]...
                         [OPTIONS] [INPUT]...
       robotsieve filter --store FILE [--fetch] --agent NAMES [--agent NAMES]...
                         [--user-agent HEADER]... [OPTIONS] [INPUT]...",
    group(ArgGroup::new("source").args(["robots", "robots_dir", "pack", "store"]).required(true)),
    after_help = "\
Examples:
  robotsieve filter --robots robots.txt --agent FooBot urls.txt > allowed.txt
  robotsieve filter --robots-dir robots/ --agent FooBot urls-*.gz > allowed.txt
  robotsieve filter --robots-dir robots/ --missing allow --agent googlebot-news,googlebot \\
      --user-agent 'FooBot/2.1 (+http://foo.example/)' --format tsv urls.txt.zst
  robotsieve filter --pack robots.pack urls.txt > allowed.txt
  robotsieve filter --store robots.store --agent FooBot urls.txt > allowed.txt
  robotsieve filter --store robots.store --fetch --user-agent 'FooBot/2.1 (+http://foo.example/)' \\
      urls.txt > allowed.txt

Verdicts:
  allow, disallow
  unknown  no file for the URL's host, or with --store nothing known of it (--missing replaces
           this), or the file cannot be read (--missing does not replace that)
  invalid  not a URL, or with judgement by host a URL without a usable host. In the profile
           google nothing is invalid; a URL without a host is unknown there, whatever
           --missing says
The last two show in tsv, jsonl and the summary only.

A jsonl line; line and rule are there where a rule decided, and url_base64 is added where the
URL is not UTF-8:
  {\"url\":\"/x\",\"verdicts\":[{\"agent\":\"FooBot\",\"verdict\":\"disallow\",\"line\":2,\"rule\":\"/\"}]}

The summary on standard error is one line of names and numbers: urls, then (each URL counted
once per crawler) allowed, disallowed, unknown and invalid, then hosts (distinct ones; a port
other than the scheme's own makes another host), seconds and urls_per_second. With several
crawlers it has crawlers and verdicts (their product with urls) behind urls.

Exit status:
  0  done, whatever the verdicts, or the reader of standard output went away
  2  wrong usage
  3  something cannot be read or written; what could be was written"
)]
pub struct FilterArgs {
    /// One robots.txt that judges every URL, whatever its host; '-': standard input
    ///
    /// A bare path is a URL too.
    #[arg(long, value_name = "FILE")]
    pub robots: Option<PathBuf>,

    /// A folder of robots.txt files, each named like the host that it is for
    ///
    /// HOST or else HOST.txt for the default port of the URL's scheme (http and https share
    /// the file), HOST:PORT or else HOST:PORT.txt for another port. Upper and lower case,
    /// Unicode and Punycode are the same host. The folder is listed once; a file is read
    /// when the first URL of its host comes.
    #[arg(long, value_name = "DIR", verbatim_doc_comment)]
    pub robots_dir: Option<PathBuf>,

    /// A pack of compiled policies, made by 'robotsieve pack'; used where it lies
    ///
    /// It holds policies for the crawlers and the profile for which it was made: without
    /// --agent all of its crawlers are asked for. Lines and rules of jsonl are there if it
    /// was made with --keep-rules. Nobody may write to the file meanwhile.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub pack: Option<PathBuf>,

    /// A store of fetched robots.txt, made by 'robotsieve fetch'; each scheme by itself
    ///
    /// A site is judged by what holds when its first URL comes: its rules, or what follows from
    /// having none or from being unreachable. An answer that has expired goes on to serve, unless
    /// --fetch is given.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub store: Option<PathBuf>,

    /// Fetch what is not in the store, or is there and has expired
    #[arg(long, requires = "store")]
    pub fetch: bool,

    /// The User-Agent header that requests carry [default: the first --user-agent]
    #[arg(long, value_name = "HEADER", requires = "fetch")]
    pub fetch_as: Option<String>,

    #[command(flatten)]
    pub fetching: Fetching,

    #[command(flatten)]
    pub agents: Agents,

    #[arg(
        long, value_name = "PROFILE", value_parser = profile_parser(),
        help = PROFILE_OR_PACK_HELP, long_help = PROFILE_LONG_HELP
    )]
    pub profile: Option<Profile>,

    /// What is printed
    #[arg(
        long = "format", visible_alias = "output", value_name = "FORMAT", value_enum,
        default_value_t = Output::Urls
    )]
    pub output: Output,

    /// The verdict where there is no file for the host
    #[arg(long, value_name = "VERDICT", value_enum, default_value_t = Missing::Unknown)]
    pub missing: Missing,

    /// How many threads judge; one more reads and one more writes [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Whether standard error shows a progress bar; auto: on a terminal, after a second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,

    /// Files of URLs, read one after another; none, or '-': standard input
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<OsString>,
}

impl FilterArgs {
    /// The header that requests carry.
    pub fn fetch_header(&self) -> Result<String, Failure> {
        let given = self.agents.0.iter().find(|agent| agent.is_header);
        let given = given.map(|agent| agent.text.to_string_lossy().into_owned());
        self.fetch_as.clone().or(given).ok_or_else(|| {
            Failure::Usage(
                "requests need a User-Agent header: give it with --fetch-as HEADER, or the \
                 crawler with --user-agent HEADER"
                    .into(),
            )
        })
    }

    /// How many threads judge.
    pub fn threads(&self) -> usize {
        threads(self.threads)
    }
}

fn threads(given: Option<u16>) -> usize {
    given.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// How robots.txt files are asked for.
#[derive(Args, Debug)]
pub struct Fetching {
    /// Requests that go on at a time
    #[arg(long, value_name = "N", default_value_t = 256,
        value_parser = value_parser!(u16).range(1..=16_384))]
    pub parallel: u16,

    /// Seconds until a site that has not answered counts as unreachable
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
        value_parser = value_parser!(u32).range(1..=3_600))]
    pub timeout: u32,

    /// Allow addresses that are not public: private, loopback, link-local and the like
    #[arg(long)]
    pub allow_private: bool,
}

/// Fetch the robots.txt of many sites, and keep what came of it.
///
/// Reads origins, or URLs of which the origin counts, one a line, from files or standard input,
/// plain, gzip or zstd. Asks each origin once, over http, https or ftp, and writes a line for
/// each outcome as it comes: CONDITION, a tab, the origin, a tab, bytes, a tab, and where
/// redirects led or what went wrong.
///
/// What is in the store and not yet due again is not asked for: a run that was ended goes on
/// where it was.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    after_help = "\
Examples:
  robotsieve fetch --user-agent 'FooBot/2.1 (+http://foo.example/)' --store robots.store urls.txt
  echo https://example.com/ | robotsieve fetch --user-agent 'FooBot/2.1 (+http://foo.example/)'

Conditions:
  parsed, empty, html, truncated   there is a robots.txt, and what it is like
  absent                           there is none: everything is allowed
  unreachable                      it cannot be had: what follows depends on --profile

The summary on standard error is one line of names and numbers: origins, fetched, the
conditions, then held (in the store and not due), invalid, seconds and fetched_per_second.

Exit status:
  0  done, whatever came of it
  2  wrong usage
  3  something cannot be read or written"
)]
pub struct FetchArgs {
    /// The User-Agent header that requests carry: name the crawler, and where to read about it
    #[arg(long = "user-agent", value_name = "HEADER")]
    pub header: String,

    /// Keep outcomes in this file; it is made if it is not there
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,

    /// Ask again for what is not yet due
    #[arg(long)]
    pub again: bool,

    #[arg(
        long, value_name = "PROFILE", default_value = "rfc9309", value_parser = profile_parser(),
        help = "Whose rules say what a fetch means", long_help = PROFILE_LONG_HELP
    )]
    pub profile: Profile,

    #[command(flatten)]
    pub fetching: Fetching,

    /// Whether standard error shows a progress bar; auto: on a terminal, after a second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,

    /// Files of origins or URLs; none, or '-': standard input
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<OsString>,
}

/// Look into a store of fetched robots.txt, and move things in and out of it.
#[derive(Debug, Subcommand)]
#[command(verbatim_doc_comment)]
pub enum StoreCommand {
    /// Tell what is in a store
    Stat {
        /// The store
        #[arg(value_name = "STORE")]
        store: PathBuf,
    },
    Get(GetArgs),
    Export(ExportArgs),
    Import(ImportArgs),
    Prune(PruneArgs),
    /// Give the room that a store does not use back to the system
    Compact {
        /// The store; nobody may have it open
        #[arg(value_name = "STORE")]
        store: PathBuf,
    },
    /// Read all of a store and check it
    Verify {
        /// The store; nobody may have it open
        #[arg(value_name = "STORE")]
        store: PathBuf,
    },
}

/// Tell what is known of one origin.
///
/// Exit status 1 where nothing is.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, arg_required_else_help = true)]
pub struct GetArgs {
    /// Print the robots.txt instead, byte for byte
    #[arg(long)]
    pub body: bool,

    #[arg(
        long, value_name = "PROFILE", default_value = "rfc9309", value_parser = profile_parser(),
        help = "Whose rules say what a fetch means", long_help = PROFILE_LONG_HELP
    )]
    pub profile: Profile,

    /// The store
    #[arg(value_name = "STORE")]
    pub store: PathBuf,

    /// The origin, or a URL of it
    #[arg(value_name = "URL")]
    pub url: OsString,
}

/// Write what holds for each site into a folder of robots.txt files, or into a pack.
///
/// A site without robots.txt becomes an empty file; one that cannot be reached becomes what
/// follows from that. Of several schemes with the same host and port https counts, then http.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    group(ArgGroup::new("to").args(["robots_dir", "pack"]).required(true)),
    after_help = "\
Examples:
  robotsieve store export robots.store --robots-dir robots/
  robotsieve store export robots.store --pack robots.pack --agent FooBot"
)]
pub struct ExportArgs {
    /// A folder of files named HOST or HOST:PORT, as 'filter --robots-dir' reads it
    #[arg(long, value_name = "DIR")]
    pub robots_dir: Option<PathBuf>,

    /// A pack, as 'filter --pack' uses it
    #[arg(long, value_name = "FILE", requires = "crawlers")]
    pub pack: Option<PathBuf>,

    #[command(flatten)]
    pub agents: Agents,

    /// Keep the rules in the pack too, so that jsonl can tell which one decided
    #[arg(long, requires = "pack")]
    pub keep_rules: bool,

    #[arg(
        long, value_name = "PROFILE", default_value = "rfc9309", value_parser = profile_parser(),
        help = PROFILE_HELP, long_help = PROFILE_LONG_HELP
    )]
    pub profile: Profile,

    /// The store
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
}

/// Put a folder of robots.txt files into a store, as fetched when they were last written to.
///
/// A file is for http and https, as in 'filter --robots-dir'. It takes the place of what the
/// store has of its host, even if that is newer.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, arg_required_else_help = true)]
pub struct ImportArgs {
    /// The folder: a file is named like the host that it is for
    #[arg(long, value_name = "DIR")]
    pub robots_dir: PathBuf,

    /// The store; it is made if it is not there
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
}

/// Forget origins that have not been asked for long, and bodies that nobody needs any more.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct PruneArgs {
    /// Not asked for so long: as in '30days', '12h' or '1month 3days'
    #[arg(long, value_name = "AGE")]
    pub older_than: humantime::Duration,

    /// The store
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
}

/// Compile the robots.txt files of many hosts into one file, for 'filter --pack'.
///
/// A pack is written once and used where it lies: opening it costs nothing, many processes
/// share it, and only what is asked for is read. Equal files and equal policies are stored
/// once. It replaces FILE when it is complete, not before.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve pack (--robots-dir DIR | --list FILE) --agent NAMES [--agent NAMES]...
                       [--user-agent HEADER]... [OPTIONS] -o FILE
       robotsieve pack (--verify | --stat) FILE",
    group(
        ArgGroup::new("action").args(["robots_dir", "list", "verify", "stat"]).required(true)
    ),
    after_help = "\
Examples:
  robotsieve pack --robots-dir robots/ --agent FooBot -o robots.pack
  robotsieve pack --list hosts.tsv --agent GPTBot --agent CCBot --keep-rules -o ai.pack
  robotsieve pack --verify robots.pack
  robotsieve pack --stat robots.pack

Exit status:
  0  done
  2  wrong usage
  3  something cannot be read or written, or --verify found damage; a pack is written of
     what could be read"
)]
pub struct PackArgs {
    /// A folder of robots.txt files, each named like the host that it is for, as for 'filter'
    #[arg(long, value_name = "DIR")]
    pub robots_dir: Option<PathBuf>,

    /// A list of hosts: lines of HOST or HOST:PORT, a tab, and the path of its robots.txt;
    /// '-': standard input
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,

    #[command(flatten)]
    pub agents: Agents,

    #[arg(
        long, value_name = "PROFILE", default_value = "rfc9309", value_parser = profile_parser(),
        help = PROFILE_HELP, long_help = PROFILE_LONG_HELP
    )]
    pub profile: Profile,

    /// Keep the rules too, so that jsonl can tell which one decided; about twice the size
    #[arg(long)]
    pub keep_rules: bool,

    /// How many threads compile [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Whether standard error shows a progress bar; auto: on a terminal, after a second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,

    /// The pack to write
    #[arg(short, long = "output", value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Read all of a pack and check it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "crawlers"])]
    pub verify: Option<PathBuf>,

    /// Tell what is in a pack
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "crawlers"])]
    pub stat: Option<PathBuf>,
}

impl PackArgs {
    /// How many threads compile.
    pub fn threads(&self) -> usize {
        threads(self.threads)
    }
}

/// Draw the automaton that decides for a crawler, as Graphviz DOT.
///
/// A policy that is over the budget of the automaton is decided by another engine and
/// cannot be drawn: the message says which limit was hit.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    after_help = "\
Examples:
  robotsieve dot robots.txt FooBot | dot -Tsvg > policy.svg
  robotsieve dot --user-agent robots.txt 'Mozilla/5.0 (compatible; FooBot/2.1)'
  robotsieve dot --states 1000000 --work 10000000000 robots.txt FooBot > large.dot

Exit status:
  0  drawn
  2  wrong usage, or the policy is over the budget
  3  a file cannot be read"
)]
pub struct DotArgs {
    #[command(flatten)]
    pub of: OnePolicy,

    /// States at most [default: in proportion to the rules]
    ///
    /// This or --work lifts the limits on table and pattern bytes too.
    #[arg(long, value_name = "N")]
    pub states: Option<u32>,

    /// Units of work at most while it is built [default: in proportion to the rules]
    #[arg(long, value_name = "N")]
    pub work: Option<u64>,
}

/// Say why URLs are allowed or not: which group, which rules match, which one decides.
///
/// Shows the lines of the file that matter with the matching parts underlined, then the URL
/// as it was compared. Colour on a terminal only, and not where NO_COLOR is set.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    after_help = "\
Examples:
  robotsieve explain robots.txt GPTBot https://example.com/private/
  robotsieve explain --all-profiles robots.txt googlebot-news,googlebot '/news/?a=%7E'
  robotsieve explain --user-agent robots.txt 'Mozilla/5.0 (compatible; FooBot/2.1)' /
  robotsieve explain --format json robots.txt FooBot /x | jq '.explanations[0].matches'
  robotsieve explain --record robots.txt FooBot - < urls.txt >> decisions.jsonl

docs/explain.md says what is in the JSON and in a record.

Exit status:
  0  all URLs are allowed; with --all-profiles: in all of them
  1  some URL is disallowed; with --all-profiles: in some of them
  2  wrong usage, or some URL is invalid: neither scheme://authority… nor a path that begins
     with '/' (in the profile google no URL is invalid)
  3  a file cannot be read"
)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub of: OnePolicy,

    /// Explain in all four profiles, and say what makes them differ
    #[arg(long, conflicts_with = "profile")]
    pub all_profiles: bool,

    /// What is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Print decision records instead, lines of JSON, for 'robotsieve replay'
    ///
    /// A record has verdict, profile, crawler, URL, target, rule with line and byte span, the
    /// path of the robots.txt and its SHA-256, and the version of this tool.
    #[arg(long, conflicts_with = "format", verbatim_doc_comment)]
    pub record: bool,

    /// Whether standard error shows a progress bar; auto: on a terminal, after a second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,

    /// URLs, or paths that begin with '/'; '-' alone: read them from standard input
    ///
    /// As for 'check': one a line.
    #[arg(value_name = "URL", required = true, verbatim_doc_comment)]
    pub urls: Vec<OsString>,
}

/// Check decision records again: which of them no longer hold?
///
/// Reads records that 'robotsieve explain --record' wrote, one a line, from files or standard
/// input, plain, gzip or zstd. Asks each question again and writes a line for each record of
/// which something changed:
///   RECORDS:LINE, a tab, what changed, a tab, how it was and how it is
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  robotsieve explain --record robots.txt FooBot https://example.com/x >> decisions.jsonl
  robotsieve replay decisions.jsonl
  robotsieve replay --robots robots-new.txt decisions.jsonl
  robotsieve replay --robots-dir robots/ decisions.jsonl.gz

What changed:
  verdict    the verdict is another one
  rule       the verdict is the same, but another rule decides, or none, or one did not before,
             or the record's target or span is not that of the decision
  file       the robots.txt is another one, but the record holds: the same verdict by the same
             rule, if perhaps on another line
  missing    the robots.txt cannot be read, or --robots-dir has none for the URL's host
  malformed  the line is no record

The summary on standard error is one line of names and numbers: records, then hold (those of
which the file changed included), verdict, rule, file, missing and malformed.

Exit status:
  0  all records hold
  1  some do not: verdict or rule
  2  wrong usage, or a line is malformed
  3  a robots.txt or an input cannot be read
Of several the first of 2, 3, 1. All records are read, whatever some of them are."
)]
pub struct ReplayArgs {
    /// Ask this robots.txt, not those that the records name; '-': standard input
    #[arg(long, value_name = "FILE", conflicts_with = "robots_dir")]
    pub robots: Option<PathBuf>,

    /// Ask the file of the URL's host in this folder, as for 'filter'
    #[arg(long, value_name = "DIR")]
    pub robots_dir: Option<PathBuf>,

    /// Whether standard error shows a progress bar; auto: on a terminal, after a second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,

    /// Files of records, read one after another; none, or '-': standard input
    #[arg(value_name = "RECORDS")]
    pub inputs: Vec<OsString>,
}

/// Compare two robots.txt: not their lines but what they mean.
///
/// For every crawler that either file names, and '*' for all others, decides by the automata of
/// both files whether they allow the same, and prints the shortest paths that flip, with the
/// rules that decided: at most five in each direction, each by another pair of rules. Files with
/// different text and the same meaning are no change.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve diff [--profile PROFILE] [--agent NAMES]... [--user-agent HEADER]...
                       [--urls FILE]... [OPTIONS] OLD NEW",
    after_help = "\
Examples:
  robotsieve diff old.txt new.txt
  robotsieve diff --agent GPTBot --agent googlebot-news,googlebot old.txt new.txt
  robotsieve diff --urls urls.txt.gz --format json old.txt new.txt
  robotsieve diff old.txt new.txt && echo 'nothing to review'

What is not proven:
  Rules with so many stars that they have no automaton within its limits, or automata too large
  to be walked in step, are compared by paths made from the rules of both files. If one of them
  flips that is a change. If none does the last line says 'no change found, not proven': that is
  not equality, and the exit status is 1.

The JSON is one object, described in docs/diff.md.

Exit status:
  0  no change: proven for every crawler that was compared
  1  some path flips, or it is not proven that none does
  2  wrong usage
  3  a file cannot be read"
)]
pub struct DiffArgs {
    #[arg(
        long, value_name = "PROFILE", default_value = "rfc9309", value_parser = profile_parser(),
        help = PROFILE_HELP, long_help = PROFILE_LONG_HELP
    )]
    pub profile: Profile,

    #[command(flatten)]
    pub agents: Agents,

    /// Print the URLs of this file that flip, too; '-': standard input
    ///
    /// One URL or path a line, plain, gzip or zstd, as 'filter' reads them. May be given
    /// several times. What is no URL is passed over and counted on standard error.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub urls: Vec<OsString>,

    /// What is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Whether standard error shows a progress bar; auto: on a terminal, after a second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,

    /// The robots.txt as it was; '-': standard input
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The robots.txt as it is to be; '-': standard input
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
}

/// Print the records that are neither user-agent lines nor rules, with what they mean.
///
/// Sitemaps, crawl delays, request rates, visit times, hosts, parameters without meaning, noindex,
/// Content-Signal, Content-Usage and unknown fields: for each its line, its value, and what is
/// wrong with it. Records of the file come first, then those of each group.
///
/// With --path also what the file says about training, search and inference with what is there.
/// That follows drafts: draft-ietf-aipref-attach-05 and -vocab-08, and contentsignals.org.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve records [--profile PROFILE] [--agent NAMES]... [--user-agent HEADER]...
                          [--path PATH]... [--base URL] [--format FORMAT] ROBOTS",
    after_help = "\
Examples:
  robotsieve records robots.txt
  robotsieve records --agent GPTBot --path /news/ robots.txt
  robotsieve records --base https://example.com/robots.txt --format json robots.txt

The JSON is one object, described in docs/records.md.

Exit status:
  0  printed, whatever is wrong with the records
  2  wrong usage
  3  a file cannot be read"
)]
pub struct RecordsArgs {
    #[arg(
        long, value_name = "PROFILE", default_value = "rfc9309", value_parser = profile_parser(),
        help = PROFILE_HELP, long_help = PROFILE_LONG_HELP
    )]
    pub profile: Profile,

    #[command(flatten)]
    pub agents: Agents,

    /// Say how the content at this path or URL may be used, for each --agent, or for any
    ///
    /// May be given several times.
    #[arg(long, value_name = "PATH", verbatim_doc_comment)]
    pub path: Vec<OsString>,

    /// The URL of the robots.txt: sitemaps that are not absolute are resolved against it
    #[arg(long, value_name = "URL")]
    pub base: Option<url::Url>,

    /// What is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// The robots.txt file; '-': standard input
    #[arg(value_name = "ROBOTS")]
    pub robots: PathBuf,
}

/// Print what a shell needs to complete the command line.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    after_help = "\
Examples:
  robotsieve completions bash > ~/.local/share/bash-completion/completions/robotsieve
  robotsieve completions zsh > ~/.zfunc/_robotsieve        # a folder of $fpath
  robotsieve completions fish > ~/.config/fish/completions/robotsieve.fish
  robotsieve completions elvish >> ~/.config/elvish/rc.elv
  robotsieve completions powershell >> $PROFILE

Exit status:
  0  printed
  2  wrong usage
  3  standard output cannot be written"
)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Print a manual page, or write all of them into a folder.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  robotsieve man | man -l -
  robotsieve man filter | man -l -
  robotsieve man store get | man -l -
  robotsieve man --output ~/.local/share/man/man1

Exit status:
  0  done
  2  wrong usage
  3  a page cannot be written"
)]
pub struct ManArgs {
    /// Write the pages of all commands into this folder, which is made if need be
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    pub output: Option<PathBuf>,

    /// The command that the page is about [default: robotsieve as a whole]
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// For whom something is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Say what is wrong with robots.txt files, and what in them has no effect.
///
/// Finds rules that can never match or never win (decided by automata, not by guessing),
/// groups that no crawler obeys, misspelt fields, fields that nobody reads, and whatever
/// else costs a site. docs/lint has a page for each code.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    after_help = "\
Examples:
  robotsieve lint robots.txt
  robotsieve lint --deny warning --format github sites/*/robots.txt
  robotsieve lint --format sarif robots.txt > robots.sarif
  curl -s https://example.com/robots.txt | robotsieve lint --content-type text/plain -

Severities:
  error    a rule, or more, is lost
  warning  some crawlers read it otherwise than it was probably meant
  note     it does not say what it seems to, or says nothing

Exit status:
  0  no finding is denied
  1  a finding is of the severity --deny, or above it
  2  wrong usage
  3  a file cannot be read; the others are linted all the same"
)]
pub struct LintArgs {
    #[arg(
        long, value_name = "PROFILE", default_value = "rfc9309", value_parser = profile_parser(),
        help = PROFILE_HELP, long_help = PROFILE_LONG_HELP
    )]
    pub profile: Profile,

    /// Lint in all profiles: a finding names those in which it holds
    #[arg(long, conflicts_with = "profile")]
    pub all_profiles: bool,

    /// What is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LintFormat::Text)]
    pub format: LintFormat,

    /// The severity from which on a finding makes the exit status 1
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Deny::Error)]
    pub deny: Deny,

    /// The Content-Type header with which the files are served
    #[arg(long, value_name = "TYPE")]
    pub content_type: Option<String>,

    /// In the format text: so many findings of a code in a file are shown; 0: all
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub max_per_code: usize,

    /// Whether standard error shows a progress bar; auto: on a terminal, after a second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,

    /// robots.txt files; '-': standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// What `lint` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// For people: the lines concerned, in colour on a terminal
    #[value(alias = "human")]
    Text,
    /// A JSON object for each finding, one a line
    Jsonl,
    /// One SARIF 2.1.0 log, for code-review tools
    Sarif,
    /// Workflow commands that GitHub shows beside the lines
    Github,
}

/// From which severity on findings are denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    /// All findings
    Note,
    /// Warnings and errors
    Warning,
    /// Errors
    Error,
    /// None: the exit status is 0 whatever is found
    Never,
}

/// What `filter` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// The allowed URLs; for one crawler
    Urls,
    /// The disallowed URLs; for one crawler
    Denied,
    /// One verdict per crawler in the order given, then the URL, separated by tabs
    Tsv,
    /// JSON objects: url, verdicts (agent, verdict; line and rule if a rule decided)
    Jsonl,
}

/// The verdict where no file is for the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Missing {
    /// Neither allowed nor disallowed
    Unknown,
    /// As a robots.txt that does not exist (404)
    Allow,
    /// As a robots.txt that could not be fetched
    Disallow,
}

/// When a progress bar is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    /// If standard error is a terminal and it takes more than a second
    Auto,
    /// From the start, wherever standard error goes
    Always,
    /// Not at all
    Never,
}

/// A crawler as it was given.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Names or a header.
    pub text: OsString,
    /// Whether `text` is a whole User-Agent header.
    pub is_header: bool,
}

impl Agent {
    /// The crawler that is meant.
    pub fn crawler(&self) -> Crawler {
        Agent::crawler_of(self.text.as_encoded_bytes(), self.is_header)
    }

    /// The crawler that is meant by names or by a header.
    pub fn crawler_of(text: &[u8], is_header: bool) -> Crawler {
        if is_header {
            Crawler::from_user_agent(text)
        } else {
            Crawler::names(text.split(|byte| *byte == b','))
        }
    }
}

/// The crawlers of `filter` and `pack`: the values of two options in the order of the command line.
///
/// Written by hand because a derived struct keeps an order only within each option.
#[derive(Clone, Debug)]
pub struct Agents(pub Vec<Agent>);

impl Agents {
    /// At least one.
    ///
    /// # Errors
    /// None was given.
    pub fn required(&self) -> Result<&[Agent], Failure> {
        if self.0.is_empty() {
            let message = "no crawler is given: name it with --agent NAMES, or give its header \
                           with --user-agent HEADER";
            return Err(Failure::Usage(message.into()));
        }
        Ok(&self.0)
    }
}

const AGENT: &str = "agent";
const USER_AGENT: &str = "user_agent";

impl Args for Agents {
    fn augment_args(command: clap::Command) -> clap::Command {
        let option = |id, value_name| {
            let parser = value_parser!(OsString);
            Arg::new(id).value_name(value_name).action(ArgAction::Append).value_parser(parser)
        };
        command
            .arg(
                option(AGENT, "NAMES")
                    .long("agent")
                    .help("One crawler: its names from most to least specific, with commas")
                    .long_help(
                        "One crawler: its names from most to least specific, with commas\n\n\
                         May be given several times, for several crawlers. Names are taken as \
                         given: spaces\nbelong to a name, and an empty name is one too.",
                    ),
            )
            .arg(
                option(USER_AGENT, "HEADER")
                    .long("user-agent")
                    .help("One more crawler, given as a whole User-Agent header"),
            )
            .group(ArgGroup::new("crawlers").args([AGENT, USER_AGENT]).multiple(true))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Agents::augment_args(command)
    }
}

impl FromArgMatches for Agents {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Agents, clap::Error> {
        let mut agents = Vec::new();
        for (id, is_header) in [(AGENT, false), (USER_AGENT, true)] {
            let places = matches.indices_of(id).into_iter().flatten();
            let texts = matches.get_many::<OsString>(id).into_iter().flatten();
            let agent = |text: &OsString| Agent { text: text.clone(), is_header };
            agents.extend(places.zip(texts.map(agent)));
        }
        agents.sort_by_key(|(place, _)| *place);
        Ok(Agents(agents.into_iter().map(|(_, agent)| agent).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Agents::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The name of a profile that [`Profile`]'s options took.
pub fn profile_name(profile: &Profile) -> &'static str {
    let named = Profile::NAMED.iter().find(|(_, named)| named == profile);
    named.map_or("rfc9309", |(name, _)| name)
}

/// A crawler's names, as --agent takes them.
pub fn crawler_names(crawler: &Crawler) -> String {
    let names: Vec<_> = crawler.iter().map(String::from_utf8_lossy).collect();
    names.join(",")
}

const PROFILE_HELP: &str = "Whose reading of robots.txt decides";

const PROFILE_OR_PACK_HELP: &str =
    "Whose reading of robots.txt decides [default: rfc9309, or the pack's]";

const PROFILE_LONG_HELP: &str = "\
Whose reading of robots.txt decides:
- rfc9309: RFC 9309, for any crawler today
- google: google/robotstxt, the open-source parser of Googlebot, quirks included
- google-classic: Google's written specification from before RFC 9309
- original-1994: \"A Standard for Robot Exclusion\", 1994";

fn profile_parser() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::NAMED.iter().map(|(name, _)| *name))
        .try_map(|name| Profile::named(&name).ok_or("no such profile"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn crawlers_keep_the_order_of_both_options() {
        let line =
            "robotsieve filter --robots r --user-agent h1 --agent a,b --user-agent=h2 --agent=";
        let Command::Filter(args) = Cli::parse_from(line.split(' ')).command else {
            panic!("another command")
        };
        let got: Vec<_> =
            args.agents.0.iter().map(|a| (a.text.to_str().unwrap(), a.is_header)).collect();
        assert_eq!(got, [("h1", true), ("a,b", false), ("h2", true), ("", false)]);
    }
}
