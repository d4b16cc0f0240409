//! The arguments of `robotsieve fetch`, and those of fetching that `filter` shares.

use std::ffi::OsString;
use std::net::{AddrParseError, IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum, ValueHint, value_parser};
use robotsieve::Profile;
use robotsieve_client::network::IpNetwork;
use robotsieve_client::outcome::Protocol;
use robotsieve_client::sieve::Overrides;

use super::metrics::MetricsFile;
use crate::error::Failure;
use crate::options::{ProfileOption, ProgressOption, SEND_USER_AGENT_HELP, Size, values};
use crate::read::overrides;
use crate::write::{logs, stderr};

/// Fetch the robots.txt of many sites and keep the outcomes
///
/// Reads origins, or URLs (their origins are used), one a line, from files or
/// standard input, plain or compressed with gzip or zstd. Asks each origin once,
/// over http, https or ftp, and prints a line for each outcome as it arrives:
/// CONDITION, a tab, the origin, a tab, the size in bytes, a tab, and where
/// redirects led or what went wrong.
///
/// Origins that are in the store and not yet due are not asked again, so an
/// interrupted run continues where it stopped.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve fetch --send-user-agent HEADER [OPTIONS] [INPUT]...",
    after_help = "\
Examples:
  robotsieve fetch --send-user-agent 'FooBot/2.1 (+https://foo.example/bot)' \\
      --store robots.store urls.txt
  echo https://example.com/ |
      robotsieve fetch --send-user-agent 'FooBot/2.1 (+https://foo.example/bot)'

Conditions:
  parsed, empty, html, truncated   there is a robots.txt, and what it is like
  absent                           there is none: everything is allowed
  unreachable                      it could not be fetched: --profile says what
                                   follows

The summary on standard error is one line of names and numbers: origins,
fetched, the conditions, then not_due (in the store, and not to be asked again
yet), overridden (never asked, because of --overrides; only jsonl has a line for
them), invalid, local_faults (sites that could not be asked because of a fault
on this side), unasked (of what was read, left when the run was stopped),
seconds and fetched_per_second.

Faults on this side (no network, no open files, no name server, a full disk) say
nothing about a site: they are neither printed nor stored, and told once. A
site that fails before any other has answered counts as one of them: see
--canary. The run stops if 180 of the last 200 sites could not be asked, if the
store cannot be written, or if nothing ever answers (20 failures or more at the
end, or about 200 before). Until the first answer sites are asked in random
order, and those that fail are asked again after it.

Exit status:
  0  done, whatever the outcomes
  2  wrong usage
  3  something could not be read or written, or a fault on this side kept sites
     from being asked, or stopped the run
After Ctrl-C (SIGINT) or SIGTERM the program prints its summary and ends by that
signal, which a shell shows as 130 or 143; what was in flight is left unasked. A
second signal ends it at once."
)]
pub struct FetchArgs {
    #[arg(
        long, value_name = "HEADER", help = SEND_USER_AGENT_HELP,
        long_help = format!("{SEND_USER_AGENT_HELP}. It should name the\ncrawler and a page about it")
    )]
    pub send_user_agent: String,

    /// A store of fetched robots.txt files
    ///
    /// The outcomes are kept in it. It is created if missing.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub store: Option<PathBuf>,

    /// What to print: tsv or jsonl
    #[arg(
        long, value_name = "FORMAT", value_enum, default_value_t = FetchFormat::Tsv,
        hide_possible_values = true, long_help = values::<FetchFormat>("What to print")
    )]
    pub format: FetchFormat,

    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Also ask origins that are not yet due
    #[arg(long)]
    pub again: bool,

    #[command(flatten)]
    pub profile: ProfileOption,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// Files of origins or URLs; none, or '-', is standard input
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    pub inputs: Vec<OsString>,

    // Last, because their headings would go on.
    #[command(flatten)]
    pub meaning: Meaning,

    #[command(flatten)]
    pub fetching: Fetching,
}

impl FetchArgs {
    /// Whether to print JSON.
    pub fn prints_json(&self) -> bool {
        self.json || self.format == FetchFormat::Jsonl
    }
}

/// What `fetch` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FetchFormat {
    /// Condition, origin, size, and the final URL or the failure
    Tsv,
    /// A JSON object for each origin: everything known about it
    Jsonl,
}

/// What the answers of sites mean, where it is not as the profile says.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = MEANING)]
pub struct Answers {
    /// What 401 and 403 mean: allow or disallow [default: allow]
    #[arg(
        long,
        value_name = "VERDICT",
        value_enum,
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub denied: Option<Verdict>,

    /// What 429 means: allow, or wait as for 5xx [default: the profile's]
    #[arg(
        long,
        value_name = "MEANING",
        value_enum,
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub too_many_requests: Option<TooMany>,

    /// Take a 5xx for the answer that there is no robots.txt
    ///
    /// For sites that are known to answer so for pages that do not exist, and
    /// for archives of them, by way of a store. Everything is then allowed.
    #[arg(long, hide_short_help = true, verbatim_doc_comment)]
    pub errors_allow: bool,

    /// Failures in a row that an unreachable site needs [default: 5]
    ///
    /// After so many failures, which span the days of --unreachable-days, a
    /// site counts as unreachable for long: the profile says what follows.
    /// N is 2 to 1000.
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true,
        verbatim_doc_comment, value_parser = value_parser!(u32).range(2..=1_000))]
    pub unreachable_failures: Option<u32>,

    /// Days that an unreachable site's failures must span [default: 30]
    ///
    /// DAYS is 1 to 3650.
    #[arg(long, value_name = "DAYS", allow_negative_numbers = true, hide_short_help = true,
        value_parser = value_parser!(u32).range(1..=3_650))]
    pub unreachable_days: Option<u32>,
}

/// The same, and the sites whose answer is given.
#[derive(Args, Debug)]
#[command(next_help_heading = MEANING)]
pub struct Meaning {
    #[command(flatten)]
    pub answers: Answers,

    /// Sites whose answer you give, which are never asked
    ///
    /// A line of FILE is a site, white space, and 'allow', 'disallow' or the
    /// path of a robots.txt, relative to the folder of FILE. A site is an
    /// origin (https://e.com), or a host for http and https (e.com:8080).
    /// Empty lines and lines that begin with '#' are skipped.
    #[arg(long, value_name = "FILE", hide_short_help = true, verbatim_doc_comment)]
    pub overrides: Option<PathBuf>,
}

/// The heading of the options of what answers mean.
pub const MEANING: &str = "What answers mean";

/// Whether an answer allows everything or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Verdict {
    Allow,
    Disallow,
}

/// What 429 means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TooMany {
    Allow,
    Wait,
}

impl Answers {
    /// The first option that was given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--denied", self.denied.is_some()),
            ("--too-many-requests", self.too_many_requests.is_some()),
            ("--errors-allow", self.errors_allow),
            ("--unreachable-failures", self.unreachable_failures.is_some()),
            ("--unreachable-days", self.unreachable_days.is_some()),
        ];
        given.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// The protocol of a profile, changed by the options.
    pub fn protocol(&self, profile: &Profile) -> Protocol {
        let mut protocol = Protocol::of(profile);
        if let Some(verdict) = self.denied {
            protocol.denial_disallows = verdict == Verdict::Disallow;
        }
        if let Some(meaning) = self.too_many_requests {
            protocol.too_many_requests_is_error = meaning == TooMany::Wait;
        }
        protocol.errors_mean_absent |= self.errors_allow;
        if let Some(failures) = self.unreachable_failures {
            protocol.min_failures = failures;
        }
        if let Some(days) = self.unreachable_days {
            protocol.unreachable_limit = DAY * days;
        }
        protocol
    }
}

impl Meaning {
    /// The sites whose answer is given.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or a line of it is wrong, and if `--metrics` would replace a file
    /// that it names.
    pub fn overrides(&self, metrics: Option<&Path>) -> Result<Overrides, Failure> {
        let Some(path) = &self.overrides else { return Ok(Overrides::new()) };
        overrides::read(path, |file| {
            metrics.map_or(Ok(()), |metrics| MetricsFile::refuse_inputs(metrics, [file]))
        })
    }
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How robots.txt files are fetched.
#[derive(Args, Debug)]
#[command(next_help_heading = FETCHING)]
pub struct Fetching {
    /// The most requests at the same time [default: 256]
    ///
    /// Each takes a few open files. The limit of open files is raised as
    /// far as the system lets it; if that is not enough, fewer requests run,
    /// and a note says so. N is 1 to 16384.
    #[arg(long, value_name = "N", allow_negative_numbers = true, verbatim_doc_comment,
        value_parser = value_parser!(u16).range(1..=16_384))]
    pub parallel: Option<u16>,

    /// The most seconds that one attempt may take
    ///
    /// From the look-up of the name to the end of the last redirect's answer.
    /// A connection is given up after 10 seconds anyway, and a server that
    /// sends nothing after 15. SECONDS is 1 to 3600.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true,
        verbatim_doc_comment, value_parser = value_parser!(u32).range(1..=3_600))]
    pub timeout: u32,

    /// Allow private, loopback and other addresses that are not public
    #[arg(long)]
    pub allow_private: bool,

    /// Allow the addresses of a network, such as 10.1.0.0/16
    ///
    /// Repeat the option for several networks.
    #[arg(long, value_name = "NETWORK", hide_short_help = true, verbatim_doc_comment)]
    pub allow_network: Vec<IpNetwork>,

    /// Refuse the addresses of a network, also if they are public
    ///
    /// Repeat the option for several networks.
    #[arg(long, value_name = "NETWORK", hide_short_help = true, verbatim_doc_comment)]
    pub deny_network: Vec<IpNetwork>,

    /// The most requests to one host at the same time; 0: no limit
    ///
    /// N is 0 to 1000.
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true,
        hide_short_help = true, value_parser = value_parser!(u16).range(0..=1_000))]
    pub max_per_host: u16,

    /// The most requests to one IP address at the same time; 0: no limit
    ///
    /// N is 0 to 1000.
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true,
        hide_short_help = true, value_parser = value_parser!(u16).range(0..=1_000))]
    pub max_per_address: u16,

    /// The least time between two requests to a host or an address
    ///
    /// DURATION is like 100ms, 2s or 1min; '0s' is none.
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "100ms",
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub delay: humantime::Duration,

    /// How often a failed attempt is repeated within the run
    ///
    /// It waits 1, 2, 4 ... seconds in between, less up to a half at random,
    /// or as long as Retry-After says, up to a minute. By default there are
    /// none: a dead site costs one deadline, and the next run asks it again.
    /// N is 0 to 10.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true,
        hide_short_help = true, verbatim_doc_comment,
        value_parser = value_parser!(u8).range(0..=10))]
    pub retries: u8,

    /// A further port that redirects may lead to
    ///
    /// Beside 80, 443 and the origin's own. A redirect to another port makes
    /// the site unreachable. Repeat the option for several ports. With
    /// --allow-private and without this option, all ports are allowed.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, hide_short_help = true,
        verbatim_doc_comment, value_parser = value_parser!(u16).range(1..))]
    pub redirect_port: Vec<u16>,

    /// How many redirects are followed
    ///
    /// N is 0 to 20.
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true,
        hide_short_help = true, value_parser = value_parser!(u8).range(0..=20))]
    pub max_redirects: u8,

    /// How much of a robots.txt is read
    ///
    /// What is beyond it is cut off after the last whole line, and the file
    /// counts as truncated. It holds for the bytes sent and for the bytes
    /// after decompression. SIZE is like 500000, 512KiB or 1MiB.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "1MiB",
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub max_size: Size,

    /// A header to send with each request, as in 'From: bot@foo.example'
    ///
    /// All sites get it. No redirect carries it to another host or port, or
    /// from https to http, unless it is From, Accept, Accept-Language or the
    /// like. Repeat the option for several headers.
    #[arg(long, value_name = "HEADER", hide_short_help = true, verbatim_doc_comment)]
    pub header: Vec<String>,

    /// A header to send to one host alone: a password, a cookie
    ///
    /// HOST is like e.com, or e.com:8080 for a port that is neither 80 nor
    /// 443. HEADER is like 'Authorization: Basic dXNlcjpwdw=='. Where a
    /// redirect leads to the host, it is sent over https only. Repeat the
    /// option for several headers.
    #[arg(long, value_names = ["HOST", "HEADER"], num_args = 2, hide_short_help = true,
        verbatim_doc_comment)]
    pub header_for: Vec<String>,

    /// Send all requests through this proxy
    ///
    /// URL is http://, https://, socks5:// or socks5h://, with an optional
    /// USER:PASSWORD@ and port. With socks5h the proxy resolves names. One
    /// that refuses to connect (CONNECT) for http URLs gets them whole, and
    /// resolves their names again. Then the proxy must refuse private
    /// addresses itself. FTP is not fetched through a proxy.
    #[arg(long, value_name = "URL", hide_short_help = true, verbatim_doc_comment)]
    pub proxy: Option<String>,

    /// Look names up at this name server, or as the system does
    ///
    /// SERVER is an address, with a port if it is not 53. Repeat the option
    /// for several servers. 'system' calls the system's own look-up, which is
    /// slower if names are silent. By default the system's name servers are
    /// asked, those of /etc/resolv.conf, after /etc/hosts.
    #[arg(long, value_name = "SERVER", hide_short_help = true, verbatim_doc_comment)]
    pub dns: Vec<Resolver>,

    /// An address and port that answer as long as the network here works
    ///
    /// If a site fails before any has answered, the fault may be here, and
    /// nothing is concluded about the site, unless one of these accepts a
    /// connection. Nothing is sent over it. Not asked through a proxy.
    #[arg(long, value_name = "ADDRESS:PORT", hide_short_help = true, verbatim_doc_comment)]
    pub canary: Vec<SocketAddr>,

    /// Connect from this address of the machine
    ///
    /// Give one IPv4 and one IPv6 address to use both families.
    #[arg(long, value_name = "ADDRESS", hide_short_help = true, verbatim_doc_comment)]
    pub source_address: Vec<IpAddr>,

    /// Trust the certificate authorities in a PEM file, too
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub ca_file: Option<PathBuf>,

    /// Fetch robots.txt files also where the certificate is not valid
    ///
    /// Anybody on the way can then say what a site allows. It holds for
    /// robots.txt alone. No --header that may have a password in it is sent
    /// there. The line of the site ends with a tab and what is wrong.
    #[arg(long, hide_short_help = true, verbatim_doc_comment)]
    pub accept_invalid_certificates: bool,

    /// Write metrics to a file, in Prometheus' text format
    ///
    /// It is replaced every five seconds and at the end, each time as a
    /// whole: node_exporter's collector for text files can read it.
    #[arg(long, value_name = "FILE", hide_short_help = true, verbatim_doc_comment)]
    pub metrics: Option<PathBuf>,

    /// Log what is done with each site; twice: and how
    ///
    /// Logs go to standard error. Without the option the variable RUST_LOG
    /// says what to log, as in robotsieve=debug.
    #[arg(short, long, action = ArgAction::Count, verbatim_doc_comment)]
    pub verbose: u8,

    /// What messages and logs on standard error are: text or json
    ///
    /// With json each is an object on a line of its own with time, level
    /// (error, warn, info, debug, trace) and message; logs have a target
    /// and more fields. There is no progress bar then.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text,
        hide_possible_values = true, hide_short_help = true, verbatim_doc_comment)]
    pub message_format: MessageFormat,
}

/// How messages and logs are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    Text,
    Json,
}

/// Who looks names up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolver {
    System,
    Server(SocketAddr),
}

impl FromStr for Resolver {
    type Err = String;

    fn from_str(text: &str) -> Result<Resolver, String> {
        if text == "system" {
            return Ok(Resolver::System);
        }
        let server = text.parse().or_else(|_| text.parse().map(|ip: IpAddr| (ip, 53).into()));
        server.map(Resolver::Server).map_err(|_: AddrParseError| {
            "a name server is an address, perhaps with a port: 9.9.9.9, [::1]:5353; or 'system'"
                .to_owned()
        })
    }
}

/// The heading of the options of fetching.
pub const FETCHING: &str = "Options of fetching";

impl Fetching {
    /// Starts logs, and makes them and all messages what they are to be.
    ///
    /// # Errors
    /// Returns an error if `RUST_LOG` is not a list of levels and targets.
    pub fn start_messages(&self) -> Result<(), Failure> {
        if self.message_format == MessageFormat::Json {
            stderr::set_json();
        }
        logs::start(self.verbose)
    }

    /// Refuses a `--metrics` that would replace one of the files that are read, or the store. What the file of
    /// `--overrides` names, [`Meaning::overrides`] refuses.
    ///
    /// # Errors
    /// Returns an error if it would.
    pub fn refuse_metrics_over(
        &self,
        inputs: &[OsString],
        store: Option<&Path>,
        meaning: &Meaning,
    ) -> Result<(), Failure> {
        let Some(metrics) = &self.metrics else { return Ok(()) };
        let files = [store, meaning.overrides.as_deref(), self.ca_file.as_deref()];
        let files = files.into_iter().flatten().map(Path::as_os_str);
        MetricsFile::refuse_inputs(metrics, inputs.iter().map(OsString::as_os_str).chain(files))
    }

    /// How many requests may run at the same time.
    pub fn parallel(&self) -> u16 {
        self.parallel.unwrap_or(256)
    }
}
