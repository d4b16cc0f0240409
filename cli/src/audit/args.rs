//! The arguments of `robotsieve audit`.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use robotsieve_client::Timestamp;
use robotsieve_owners::audit::{LogFormat, Whose};

use super::ranges::RangesOption;
use crate::error::Failure;
use crate::known::{KnownOption, PurposeOption};
use crate::options::{Format, ProfileOption, ProgressOption, Threads, list, rfc3339, values};

/// Find crawlers in access logs that fetch what is forbidden
///
/// Reads access logs of web servers, plain or compressed with gzip or zstd, and
/// judges each request of a crawler by the robots.txt. Prints for each crawler, by
/// purpose: its requests, those that the file forbids, when the first and the last
/// one was made, how often it asked for /robots.txt, and the rules it broke, with
/// paths.
///
/// Crawlers are found by their User-Agent headers: those that robotsieve knows, and
/// others whose header has a name that the robots.txt has too, or that has a word
/// ending in 'bot', or 'crawler', 'spider' or '+http' in it. Other clients are
/// counted, not judged.
/// Anybody can send any header: only --ranges tells real crawlers from others that
/// use their names.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve audit [OPTIONS] ROBOTS LOG...
       robotsieve audit [OPTIONS] --robots DATE=FILE... LOG...",
    after_help = "\
Examples:
  robotsieve audit robots.txt /var/log/nginx/access.log*
  zcat access.log.*.gz | robotsieve audit robots.txt -
  robotsieve audit --robots old.txt --robots 2026-11-01=new.txt access.log
  robotsieve audit --ranges googlebot.json --ranges GPTBot=openai.json \\
      robots.txt access.log
  robotsieve audit --ranges https://openai.com/gptbot.json robots.txt access.log
  robotsieve audit --list robots.txt access.log > offending.log
  robotsieve audit --addresses offenders --crawler GPTBot robots.txt access.log
  tail -f access.log | robotsieve audit --list --log-format combined \\
      robots.txt -
  robotsieve audit --format-string '$request_uri $status \"$http_user_agent\"' \\
      robots.txt access.log

A robots.txt is for one host. If a log has several, choose one with --host.

docs/audit.md describes the formats and the JSON.

Exit status:
  0  no crawler made a forbidden request
  1  some crawler did, or somebody with its name
  2  wrong usage
  3  a file could not be read, the URL of the robots.txt gave none, or the
     format of a log could not be told"
)]
pub struct AuditArgs {
    #[command(flatten)]
    pub profile: ProfileOption,

    /// Decide by this robots.txt: a file, an http(s) URL, or '-'
    ///
    /// Instead of ROBOTS. With DATE=FILE, the file is what the site had from
    /// that time on, like 2026-11-20 (midnight in UTC) or
    /// 2026-11-20T12:00:00Z; repeat the option for each version. A request
    /// is judged by the one that was in force. What was requested before the
    /// first date is judged by the first file, and counted.
    #[arg(long = "robots", id = "robots_versions", value_name = "FILE", verbatim_doc_comment)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub robots: Vec<OsString>,

    /// Only requests for this host, if the log names hosts
    ///
    /// Without its port. Repeat the option for several names of one site.
    /// Lines that name no host are taken.
    #[arg(long, value_name = "HOST", verbatim_doc_comment)]
    pub host: Vec<String>,

    /// The format of the logs [default: told by their first lines]
    #[arg(long, value_name = "FORMAT", value_parser = format(), hide_possible_values = true)]
    #[arg(long_help = FORMATS.as_str())]
    pub log_format: Option<LogFormat>,

    /// The format of the logs, as the server's configuration has it
    ///
    /// With the variables of nginx's log_format ($request, $http_user_agent)
    /// or the directives of Apache's LogFormat (%r, %{User-Agent}i).
    #[arg(long, value_name = "STRING", verbatim_doc_comment, conflicts_with = "log_format")]
    pub format_string: Option<String>,

    /// Verify crawlers by the addresses that operators publish: a file or URL
    ///
    /// JSON as Google, Microsoft and OpenAI publish it. The crawler is the
    /// name of the file ('googlebot.json'), or stands before it
    /// ('Googlebot=FILE'). An operator's name is for all its crawlers
    /// ('Google=FILE'), and 'common-crawlers.json' is known to be Google's.
    /// Repeat the option for several files, and give all that an operator
    /// publishes for a crawler: the report lists the addresses that sent
    /// its name and are in none of those given for it.
    #[arg(long, value_name = "FILE", verbatim_doc_comment, value_hint = ValueHint::FilePath)]
    pub ranges: Vec<RangesOption>,

    #[command(flatten)]
    pub purpose: PurposeOption,

    /// Also this crawler, known or not, by its product token
    ///
    /// Repeat the option for several. They are added to those of --purpose;
    /// without --purpose, they are the only ones.
    /// A name that no known crawler has, and that looks like a misspelt one,
    /// is refused unless the robots.txt has it.
    #[arg(verbatim_doc_comment)]
    #[arg(id = "crawler", long = "crawler", value_name = "TOKEN")]
    pub crawlers: Vec<String>,

    #[command(flatten)]
    pub known: KnownOption,

    /// Print the lines of forbidden requests, and no report
    ///
    /// As they are in the logs. Lines from 'tail -f' are listed as they
    /// arrive if --log-format or --format-string gives their format;
    /// otherwise it is told from the first 256 KiB, which have to arrive
    /// first. Control characters are escaped if standard output is a
    /// terminal.
    #[arg(long = "list", id = "list_lines", verbatim_doc_comment)]
    #[arg(conflicts_with_all = ["format", "json"])]
    pub list: bool,

    /// Print addresses for a firewall, one a line, and no report
    #[arg(long, value_name = "WHOSE", value_enum, hide_possible_values = true)]
    #[arg(conflicts_with_all = ["format", "json", "list_lines"])]
    #[arg(long_help = ADDRESSES.as_str())]
    pub addresses: Option<WhoseAddresses>,

    /// What to print: text or json
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    #[arg(hide_possible_values = true, long_help = values::<Format>("What to print"))]
    pub format: Format,

    /// The same as --format json; 'fetch' has it for jsonl, so the help does
    /// not name it
    #[arg(long, hide = true, conflicts_with = "format")]
    pub json: bool,

    #[command(flatten)]
    pub threads: Threads,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The robots.txt: a file, an http(s) URL, or '-'; not with --robots
    #[arg(value_name = "ROBOTS", required_unless_present = "robots_versions")]
    first: Option<OsString>,

    /// Access logs; '-' is standard input
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    rest: Vec<OsString>,
}

/// Which addresses are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhoseAddresses {
    /// Those that made forbidden requests in a crawler's name
    Offenders,
    /// With --ranges: a crawler's name, in no list given for it
    Impostors,
}

impl From<WhoseAddresses> for Whose {
    fn from(whose: WhoseAddresses) -> Whose {
        match whose {
            WhoseAddresses::Offenders => Whose::Offenders,
            WhoseAddresses::Impostors => Whose::Impostors,
        }
    }
}

static ADDRESSES: LazyLock<String> = LazyLock::new(|| {
    values::<WhoseAddresses>("Print addresses for a firewall, one a line, and no report")
        + "\n\nLeft out, and told: addresses from which others sent requests too,\n\
           because people may be behind them, and those of private networks"
});

fn formats() -> impl Iterator<Item = PossibleValue> {
    LogFormat::named().map(|format| PossibleValue::new(format.as_str()).help(format.about()))
}

fn format() -> impl TypedValueParser<Value = LogFormat> {
    PossibleValuesParser::new(formats())
        .try_map(|name| LogFormat::of_name(&name).ok_or("it is no name of a format"))
}

static FORMATS: LazyLock<String> = LazyLock::new(|| {
    let formats: Vec<PossibleValue> = formats().collect();
    list("The format of the logs [default: told by their first lines]", &formats)
});

/// A robots.txt, and from when on it was the site's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// `None`: from the beginning.
    pub from: Option<Timestamp>,
    pub path: PathBuf,
}

impl AuditArgs {
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// The files, in the order of time.
    ///
    /// # Errors
    /// Returns an error if two files begin at the same time.
    pub fn versions(&self) -> Result<Vec<Version>, Failure> {
        if self.robots.is_empty() {
            let path = self.first.clone().unwrap_or_default().into();
            return Ok(vec![Version { from: None, path }]);
        }
        let mut versions = self.robots.iter().map(version).collect::<Result<Vec<_>, _>>()?;
        versions.sort_by_key(|version| version.from);
        if let Some(pair) = versions.windows(2).find(|pair| pair[0].from == pair[1].from) {
            return Err(Failure::Usage(format!(
                "'{}' and '{}' are for the same time: give each --robots its own DATE=FILE",
                pair[0].path.display(),
                pair[1].path.display()
            )));
        }
        Ok(versions)
    }

    /// The logs.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn logs(&self) -> Result<Vec<OsString>, Failure> {
        let first = self.first.iter().filter(|_| !self.robots.is_empty());
        let logs: Vec<OsString> = first.chain(&self.rest).cloned().collect();
        if logs.is_empty() {
            let message =
                "no LOG was given: the arguments are ROBOTS LOG..., and '-' is standard input";
            return Err(Failure::Usage(message.into()));
        }
        let mut seen = HashSet::new();
        for log in &logs {
            // What is no file is told when it is opened.
            if let Ok(path) = fs::canonicalize(log)
                && path.is_file()
                && !seen.insert(path)
            {
                return Err(Failure::Usage(format!(
                    "log '{}' was given twice, and its requests would count twice: give it once",
                    log.display()
                )));
            }
        }
        Ok(logs)
    }
}

/// Reads `FILE` or `DATE=FILE`.
fn version(text: &OsString) -> Result<Version, Failure> {
    let undated = || Version { from: None, path: text.into() };
    let Some((date, path)) = text.to_str().and_then(|text| text.split_once('=')) else {
        return Ok(undated());
    };
    match rfc3339(date) {
        Some(from) => Ok(Version { from: Some(from), path: path.into() }),
        None if date.starts_with(|c: char| c.is_ascii_digit()) => Err(Failure::Usage(format!(
            "'{date}' is not a date: --robots takes FILE or DATE=FILE, as 2026-11-20=FILE or \
             2026-11-20T12:00:00Z=FILE ('./{date}=…' is a file)"
        ))),
        None => Ok(undated()),
    }
}
