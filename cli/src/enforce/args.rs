//! The arguments of `robotsieve enforce`.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use robotsieve_owners::enforce::{Approximate, Server};

use crate::audit::ranges::RangesOption;
use crate::known::{KnownOption, PurposeOption};
use crate::options::{OutputOption, ProfileOption, list, values};

/// Print server configuration that refuses what a robots.txt forbids
///
/// robotsieve proves the configuration before it prints it: for each crawler it
/// refuses the URLs that the file forbids, in every spelling and as the server
/// resolves their paths, and no others. Where a server cannot say that, nothing is
/// printed, and a message names a URL.
///
/// Refuses them to the crawlers that the file names, by their User-Agent headers,
/// or only to those of --purpose and --crawler. /robots.txt stays open. A name that
/// browsers or apps of people send is left out, and a message says so.
///
/// Without --profile each known crawler reads the file as its operator does:
/// Google's in profile google, all others in rfc9309.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve enforce [OPTIONS] --server SERVER ROBOTS",
    after_help = "\
Examples:
  robotsieve enforce --server nginx -o /etc/nginx/robots-refused.conf robots.txt
  robotsieve enforce --server caddy --known --status 429 robots.txt
  robotsieve enforce --server apache --purpose ai-training robots.txt
  robotsieve enforce --server haproxy --log-only robots.txt
  robotsieve enforce --server nginx --known --crawl-delay robots.txt
  robotsieve enforce --server nginx --ranges googlebot.json robots.txt

The first lines of what is printed say where it belongs. It is for one state of
the file: print it again when the file or the known crawlers change.

A header is only a claim: who sends that of a browser is not refused. What still
comes through is shown by 'robotsieve audit', and with --ranges who sent the
name of a crawler from an address that is in no list given for it.

Exit status:
  0  printed, and proven
  1  not proven, or the server cannot say it, so nothing was printed
  2  wrong usage
  3  a file could not be read"
)]
pub struct EnforceArgs {
    /// The server to write for
    #[arg(long, value_name = "SERVER", value_parser = parser(), hide_possible_values = true)]
    #[arg(long_help = SERVER_HELP.as_str())]
    pub server: Server,

    /// Also for the known crawlers that the file leaves to the group of '*'
    #[arg(long = "known")]
    pub also_known: bool,

    #[command(flatten)]
    pub purpose: PurposeOption,

    /// Also this crawler, known or not, by its product token
    ///
    /// Repeat the option for several. A name that no known crawler has, and
    /// that looks like a misspelt one, is refused unless ROBOTS has it.
    #[arg(verbatim_doc_comment)]
    #[arg(id = "crawler", long = "crawler", value_name = "TOKEN")]
    pub crawlers: Vec<String>,

    /// Not for this crawler, by its product token; repeat it for several
    #[arg(long, value_name = "TOKEN")]
    pub except: Vec<String>,

    /// The status of a refusal: 403, 429, 451, or 444 to close the connection
    #[arg(long, value_name = "STATUS", default_value_t = 403)]
    pub status: u16,

    /// Refuse nothing: mark what would be refused, so that it can be logged
    #[arg(long)]
    pub log_only: bool,

    /// If the server cannot say it exactly, be stricter or looser
    #[arg(long, value_name = "DIRECTION", value_enum, hide_possible_values = true)]
    #[arg(long_help = values::<Direction>(
        "If the server cannot say it exactly, be stricter or looser"
    ))]
    pub approximate: Option<Direction>,

    /// Look only at URLs as they were sent, not also at resolved paths
    ///
    /// A server resolves /x/../private to /private, and so do most of those
    /// behind a proxy. Without this option both forms count.
    #[arg(verbatim_doc_comment)]
    #[arg(long)]
    pub as_sent: bool,

    /// Also limit crawlers to the pace that Crawl-delay asks for
    ///
    /// For nginx and HAProxy. What comes faster is answered 429. A few
    /// requests may come at once.
    #[arg(verbatim_doc_comment)]
    #[arg(long)]
    pub crawl_delay: bool,

    /// Verify crawlers by the addresses that operators publish: a file or URL
    ///
    /// For nginx, Caddy, Apache and HAProxy. A file or URL as 'audit
    /// --ranges' takes it, but for one crawler, all of whose addresses are in
    /// it ('googlebot.json', 'GPTBot=FILE'). Whoever sends its name from
    /// another address is refused everything but /robots.txt, if the name
    /// stands at the beginning of the header, after 'compatible' or with a
    /// version: elsewhere it may be anybody's. Repeat the option for several
    /// crawlers.
    #[arg(long, value_name = "FILE", verbatim_doc_comment, value_hint = ValueHint::FilePath)]
    pub ranges: Vec<RangesOption>,

    /// The beginning of the names in it, for several sites on a server
    #[arg(long, value_name = "NAME", default_value = "robots")]
    pub name: String,

    #[command(flatten)]
    pub known: KnownOption,

    #[command(flatten)]
    pub output: OutputOption,

    #[command(flatten)]
    pub profile: ProfileOption,

    /// The robots.txt: a file, an http(s) URL, or '-'
    #[arg(value_name = "ROBOTS")]
    pub robots: PathBuf,
}

/// In which direction a configuration may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// It may refuse more than the file forbids
    Stricter,
    /// It may refuse less than the file forbids
    Looser,
}

impl From<Direction> for Approximate {
    fn from(direction: Direction) -> Approximate {
        match direction {
            Direction::Stricter => Approximate::Stricter,
            Direction::Looser => Approximate::Looser,
        }
    }
}

fn possible_values() -> impl Iterator<Item = PossibleValue> {
    Server::all().map(|server| PossibleValue::new(server.as_str()).help(server.about()))
}

fn parser() -> impl TypedValueParser<Value = Server> {
    PossibleValuesParser::new(possible_values()).try_map(|name| name.parse::<Server>())
}

static SERVER_HELP: LazyLock<String> =
    LazyLock::new(|| list("The server to write for", &possible_values().collect::<Vec<_>>()));
