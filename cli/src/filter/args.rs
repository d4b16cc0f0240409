//! The arguments of `robotsieve filter`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum, ValueHint};
use robotsieve_client::outcome::AsOf;
use robotsieve_rights::Purpose;

use crate::error::Failure;
use crate::fetch::args::{FETCHING, Fetching, MEANING, Meaning};
use crate::options::{
    Agents, ProfileOption, ProgressOption, SEND_USER_AGENT_HELP, Size, Threads, as_of, values,
};
use crate::read::inputs;
use crate::sitemap::SitemapOption;

/// Judge URLs by the million, by the robots.txt of their hosts
///
/// Reads URLs, one a line, from files or standard input, plain or compressed with
/// gzip or zstd (detected by the first bytes). Prints those that are allowed, in
/// the order of the input, or what --format says. Lines that are not UTF-8 are
/// passed through unchanged. A CR at the end of a line is dropped, and
/// empty lines are skipped.
///
/// Memory is bounded: it grows with the number of hosts whose robots.txt was
/// read, not with the number of URLs, and with a pack not even with that.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve filter --robots FILE --agent NAME [OPTIONS] [INPUT]...
       robotsieve filter --robots-dir DIR --agent NAME [OPTIONS] [INPUT]...
       robotsieve filter --pack FILE [OPTIONS] [INPUT]...
       robotsieve filter --store FILE --agent NAME [OPTIONS] [INPUT]...",
    mut_args(|arg| match arg.get_id().as_str() {
        "buffer" => arg.requires("fetch"),
        _ if arg.get_help_heading() == Some(FETCHING) => arg.requires("fetch"),
        _ if arg.get_help_heading() == Some(MEANING) => arg.requires("store"),
        _ => arg,
    }),
    group(ArgGroup::new("source").args(["robots", "robots_dir", "pack", "store"]).required(true)),
    after_help = "\
Examples:
  robotsieve filter --robots robots.txt --agent FooBot urls.txt > allowed.txt
  robotsieve filter --robots-dir robots/ --agent FooBot urls-*.gz > allowed.txt
  robotsieve filter --robots-dir robots/ --missing allow --format tsv \\
      --agent googlebot-news,googlebot --agent FooBot urls.txt.zst
  robotsieve filter --pack robots.pack urls.txt > allowed.txt
  robotsieve filter --robots robots.txt --agent Googlebot --format denied \\
      --sitemap https://example.com/sitemap.xml
  robotsieve filter --store robots.store --agent FooBot urls.txt > allowed.txt
  robotsieve filter --store robots.store --fetch urls.txt \\
      --user-agent 'FooBot/2.1 (+https://foo.example/bot)' > allowed.txt

Verdicts:
  allow     the crawler may fetch the URL
  disallow  it may not
  unknown   the host has no robots.txt, or nothing is known about it, or the URL
            is not of http, https or ftp, for which alone there is a robots.txt
            (--missing replaces all three); or the file cannot be read
  invalid   not a URL, or a URL without a usable host where hosts matter. With
            --profile google nothing is invalid; a URL without a host is unknown
unknown and invalid appear only in tsv, jsonl and the summary.

A line of jsonl; line and rule are present if a rule decided, and url_base64 is
added if the URL is not UTF-8:
  {\"url\":\"/\",\"verdicts\":[{\"agent\":\"a\",\"verdict\":\"allow\",\"line\":2,\"rule\":\"/\"}]}
why is present if no current robots.txt decided: missing and unreadable are
reasons of unknown, or what --missing says; with --store there are absent,
denied, copy_while_unreachable, unreachable_recently, unreachable_without_copy,
unreachable_too_long, never_asked and override. A URL after --robots gives some
of these too.
With --purpose, by has the lines that decided, in the place of line and rule:
  {\"agent\":\"a\",\"verdict\":\"disallow\",\"by\":[\"robots.txt:3\"]}

The summary on standard error is one line of names and numbers: urls, then the
verdicts allowed, disallowed, unknown and invalid (each URL counts once for each
crawler), then hosts (distinct ones of http, https and ftp; a port other than
the scheme's default makes another host; exact up to three million, estimated
within 0.5 % beyond that), seconds and urls_per_second. With several crawlers,
crawlers and verdicts (crawlers times urls) follow urls. With --fetch, fetched
and local_faults (sites that could not be asked because of a fault on this side;
their URLs are unknown) follow hosts.

A line of more than 1 MiB is no URL: it is reported and counted as invalid, in
every profile, and tsv and jsonl print its first 1,024 bytes. With --fetch,
sites are asked while earlier URLs wait for theirs, and no more input waits than
--buffer says. If the run is stopped, the output ends before the first URL whose
site was not asked; 'robotsieve help fetch' says when that is, and how signals
end it.

Exit status:
  0  done, whatever the verdicts; also if standard output closes early, unless
     --fetch then leaves sites unasked
  2  wrong usage
  3  something could not be read or written, or sites could not be asked because
     of a fault on this side; the rest was judged and printed"
)]
pub struct FilterArgs {
    /// Decide by this robots.txt: a file, an http(s) URL, or '-'
    ///
    /// It judges every URL, whatever its host. A path that starts with '/' is
    /// a URL too.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub robots: Option<PathBuf>,

    /// A folder of robots.txt files, each named after its host
    ///
    /// The file for the default port of the URL's scheme is HOST or HOST.txt
    /// (http, https and ftp share it), for another port HOST:PORT or
    /// HOST:PORT.txt. Upper and lower case, Unicode and Punycode, all
    /// spellings of an address, and a name with or without a dot at its end
    /// are the same host. The folder is listed once, without subfolders; a
    /// file is read when the first URL of its host comes up. (A pack of the
    /// folder has its subfolders too, and ftp from DIR/ftp alone.)
    #[arg(long, value_name = "DIR", verbatim_doc_comment, value_hint = ValueHint::DirPath)]
    pub robots_dir: Option<PathBuf>,

    /// A pack of compiled policies
    ///
    /// A file, or a folder of shards; 'robotsieve pack' makes them. A pack is
    /// for the crawlers and the profile it was made for, and has http and
    /// https apart. Without --agent all of its crawlers are judged for. jsonl
    /// has lines and rules if the pack was made with --keep-rules. No program
    /// may change or cut the file while it is in use. 'robotsieve pack
    /// update' does neither.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub pack: Option<PathBuf>,

    /// A store of fetched robots.txt files
    ///
    /// 'robotsieve fetch' makes stores. A site is judged by what is known
    /// when its first URL comes up: its rules, or what follows if it has none
    /// or is unreachable. Answers that have expired are still used, unless
    /// --fetch is given.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub store: Option<PathBuf>,

    /// Judge by what was in force at this time
    ///
    /// With --store: the rulings of the store as they are at TIME, which is
    /// like 2026-11-20T12:00:00Z or 2026-11-20, or 7days (ago) or +12h (from
    /// now). A store keeps the latest outcome of each site: what held before
    /// a site was last asked is unknown. With 'capture' each site is judged
    /// as of the time when it was last asked: for a store made of archives.
    #[arg(
        long,
        value_name = "TIME|capture",
        value_parser = as_of,
        allow_hyphen_values = true,
        requires = "store",
        conflicts_with = "fetch",
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub as_of: Option<AsOf>,

    /// Fetch what is missing from the store or has expired
    ///
    /// It also asks where a failure is long due for another try.
    #[arg(long, requires = "store", verbatim_doc_comment)]
    pub fetch: bool,

    #[arg(
        long, value_name = "HEADER", requires = "fetch",
        help = SEND_USER_AGENT_HELP,
        long_help = format!("{SEND_USER_AGENT_HELP} [default: the first\n--user-agent]")
    )]
    pub send_user_agent: Option<String>,

    /// How much input may wait for sites
    ///
    /// Input is read on and its sites are asked while earlier URLs wait for
    /// theirs; output keeps the order of the input. Together with what is
    /// kept about sites that are being asked, no more than this waits.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64MiB",
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub buffer: Size,

    #[command(flatten)]
    pub agents: Agents,

    #[command(flatten)]
    pub profile: ProfileOption,

    /// What the URLs are for: index, snippet, ai-input or ai-train
    ///
    /// Judges by the Content-Usage and Content-Signal lines of --robots,
    /// --robots-dir, or a --pack made with --rights, in place of Allow and
    /// Disallow. What they do not mention is unknown: silence is no
    /// permission. jsonl names the lines that decided.
    #[arg(
        long,
        value_name = "PURPOSE",
        value_parser = purpose,
        conflicts_with = "store",
        verbatim_doc_comment
    )]
    pub purpose: Option<Purpose>,

    /// What to print: urls, denied, tsv or jsonl
    #[arg(
        long, value_name = "FORMAT", value_enum,
        default_value_t = FilterFormat::Urls, hide_possible_values = true,
        long_help = values::<FilterFormat>("What to print")
    )]
    pub format: FilterFormat,

    /// End each line of --format tsv with a tab and what decided
    ///
    /// rules is a current robots.txt, whole_site an answer that holds for the
    /// whole site, in a pack; all else are the names of why in jsonl, which
    /// has them anyway. Empty if the URL is invalid.
    #[arg(long, conflicts_with = "purpose", verbatim_doc_comment)]
    pub why: bool,

    /// The verdict if there is no robots.txt: unknown, allow or disallow
    #[arg(
        long, value_name = "VERDICT", value_enum, default_value_t = Missing::Unknown,
        hide_possible_values = true,
        long_help = values::<Missing>("The verdict if there is no robots.txt for the host")
    )]
    pub missing: Missing,

    #[command(flatten)]
    pub sitemap: SitemapOption,

    #[command(flatten)]
    pub threads: Threads,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// Files of URLs, read in this order; '-' is standard input
    ///
    /// Without any, and without --sitemap, standard input is read. Sitemaps
    /// are read after them.
    #[arg(value_name = "INPUT", verbatim_doc_comment, value_hint = ValueHint::FilePath)]
    pub inputs: Vec<OsString>,

    // Last, because their headings would go on.
    #[command(flatten)]
    pub meaning: Meaning,

    #[command(flatten)]
    pub fetching: Fetching,
}

/// A purpose that robots.txt speaks of. Without one it is crawling.
fn purpose(text: &str) -> Result<Purpose, String> {
    let named = Purpose::ALL.iter().find(|purpose| purpose.as_str() == text);
    let of_file = named.filter(|purpose| !matches!(purpose, Purpose::Crawl | Purpose::AiIndex));
    of_file
        .copied()
        .ok_or_else(|| "one of index, snippet, ai-input and ai-train is expected".into())
}

impl FilterArgs {
    /// The files of URLs to read.
    pub fn inputs(&self) -> Vec<OsString> {
        if self.sitemap.is_given() { self.inputs.clone() } else { inputs::named(&self.inputs) }
    }

    /// Checks that no option for stores is given without one, which clap does not: it requires
    /// nothing that conflicts with what is given, and sources conflict.
    ///
    /// # Errors
    /// Returns an error that names the option.
    pub fn check_source(&self) -> Result<(), Failure> {
        if self.store.is_some() {
            return Ok(());
        }
        let given = [
            self.fetch.then_some("--fetch"),
            self.as_of.map(|_| "--as-of"),
            self.meaning.overrides.as_ref().map(|_| "--overrides"),
            self.meaning.answers.given(),
        ];
        given.into_iter().flatten().next().map_or(Ok(()), |option| {
            Err(Failure::Usage(format!(
                "{option} is for a store: give one with --store FILE in place of --robots, \
                 --robots-dir or --pack"
            )))
        })
    }

    /// The User-Agent header to send with requests.
    ///
    /// # Errors
    /// Returns an error if none was given.
    pub fn header_to_send(&self) -> Result<String, Failure> {
        let given = self.agents.0.iter().find(|agent| agent.is_header);
        let given = given.map(|agent| agent.text.to_string_lossy().into_owned());
        self.send_user_agent.clone().or(given).ok_or_else(|| {
            Failure::Usage(
                "--fetch needs a User-Agent header to send: give it with --send-user-agent \
                 HEADER, or give the crawler with --user-agent HEADER"
                    .into(),
            )
        })
    }
}

/// What `filter` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FilterFormat {
    /// The allowed URLs, for one crawler
    Urls,
    /// The disallowed URLs, for one crawler
    Denied,
    /// A verdict for each crawler and the URL, separated by tabs
    Tsv,
    /// A JSON object for each URL: url and verdicts
    Jsonl,
}

impl FilterFormat {
    pub fn as_str(self) -> &'static str {
        match self {
            FilterFormat::Urls => "urls",
            FilterFormat::Denied => "denied",
            FilterFormat::Tsv => "tsv",
            FilterFormat::Jsonl => "jsonl",
        }
    }
}

/// The verdict for URLs whose host has no robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Missing {
    /// Neither allowed nor disallowed
    Unknown,
    /// As if the host had no robots.txt (404)
    Allow,
    /// As if its robots.txt could not be fetched
    Disallow,
}
