//! The arguments of `robotsieve rights`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use robotsieve_rights::{Purpose, TagReading, Vocabulary};

use crate::options::{AgentOption, Instant, ProfileOption, ProgressOption, Threads, values};

/// Print whether a URL may be crawled, indexed, used and trained on
///
/// Says for each purpose (crawl, index, snippet, ai-input, ai-train) whether it is
/// allowed, disallowed or unknown, with the line, the header field or the element
/// that decided; then licences, conditions, limits, and anything unusual.
///
/// Reads what is given: Allow, Disallow, Content-Usage, Content-Signal and License
/// of robots.txt; Content-Usage, Content-Signal, X-Robots-Tag, Robots-Tag, tdm-*
/// and Link of the response's header; meta, link and script of its page;
/// tdmrep.json and RSL documents. The most restrictive statement wins, and silence
/// is never permission. Nothing is fetched, except robots.txt if you give its URL.
///
/// These texts are drafts and conventions: see docs/rights.md. This is not legal
/// advice.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve rights [OPTIONS] (--agent NAME | --user-agent HEADER) URL
       robotsieve rights [OPTIONS] --agent NAME --warc FILE...
       robotsieve rights --verify RECORDS --warc FILE...",
    after_help = "\
Examples:
  robotsieve rights --agent GPTBot --robots robots.txt https://example.com/news/
  curl -s -D headers.txt -o page.html https://example.com/news/
  robotsieve rights --agent CCBot --robots https://example.com/robots.txt \\
      --headers headers.txt --html page.html https://example.com/news/
  robotsieve rights --agent CCBot --file /.well-known/tdmrep.json=tdmrep.json \\
      --file https://example.com/license.xml=license.xml --robots robots.txt \\
      --format json https://example.com/news/
  robotsieve rights --agent CCBot --warc crawl-*.warc.gz > rights.jsonl
  robotsieve rights --agent CCBot --warc crawl-*.warc.gz --only allowed \\
      --purpose ai-train > allowed.jsonl
  robotsieve rights --verify allowed.jsonl --warc crawl-*.warc.gz

docs/rights.md describes the JSON.

Exit status:
  0  printed, whatever the rights are; with --verify: all records agree
  1  with --verify: a record differs, or its response is not in the archives
  2  wrong usage, an invalid URL, or a header file that is none
  3  something could not be read or printed; of --warc the rest was printed"
)]
pub struct RightsArgs {
    #[command(flatten)]
    pub agent: AgentOption,

    /// Decide by this robots.txt: a file, an http(s) URL, or '-'
    ///
    /// Without it crawling is unknown.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub robots: Option<PathBuf>,

    /// The header of the response: a file with 'Name: value' lines, or '-'
    ///
    /// As 'curl -D FILE' or 'curl -I' writes it. If it holds several
    /// responses (redirects), the last one counts.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub headers: Option<PathBuf>,

    /// The page: a file with HTML, or '-'
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// The image, video or PDF itself, whose XMP counts: a file, or '-'
    #[arg(long, value_name = "FILE", conflicts_with = "html")]
    pub xmp: Option<PathBuf>,

    /// FILE is the body found at ADDRESS
    ///
    /// ADDRESS is /.well-known/tdmrep.json, or the URL of an RSL document.
    /// Repeat the option for several files.
    #[arg(long, value_name = "ADDRESS=FILE", verbatim_doc_comment)]
    pub file: Vec<OsString>,

    /// Whose reading of robots tags counts: generic, google, bing, yandex or
    /// amazon
    ///
    /// generic: the rules that do not depend on one search engine.
    #[arg(long, value_name = "NAME", value_parser = reading)]
    #[arg(default_value_t = TagReading::Generic, verbatim_doc_comment)]
    pub reading: TagReading,

    /// Draft version of the Content-Usage vocabulary: 01 to 08
    ///
    /// The drafts of draft-ietf-aipref-vocab. By default the newest.
    #[arg(long, value_name = "VERSION", value_parser = vocabulary, verbatim_doc_comment)]
    pub vocabulary: Option<Vocabulary>,

    /// The time to compare 'unavailable_after' with
    ///
    /// Like 2026-11-20T12:00:00Z or 2026-11-20, or 7days (ago) or +12h (from
    /// now). By default now.
    #[arg(long, value_name = "TIME", verbatim_doc_comment)]
    pub now: Option<Instant>,

    /// WARC, plain or compressed
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["robots", "headers", "html", "xmp", "file", "url"]
    )]
    #[arg(long_help = "WARC files, plain or compressed with gzip or zstd: print the rights of\n\
        each response in them, in their order. What counts are the robots.txt\n\
        files, the headers, the pages, the XMP of images and PDF files, the\n\
        tdmrep.json files and the RSL documents that the files themselves\n\
        have: nothing else is read")]
    pub warc: Vec<OsString>,

    /// With --warc, print only documents that are allowed, or not-disallowed
    ///
    /// Of the purpose that --purpose names: responses of status 200 whose
    /// page was read as a whole. 'allowed': somebody said yes, nobody said
    /// no, and nothing that could have said no was left unread.
    /// 'not-disallowed' adds those of which nothing is known: silence is no
    /// permission.
    #[arg(long, value_name = "WHICH", value_enum, hide_possible_values = true)]
    #[arg(requires = "purpose", verbatim_doc_comment)]
    pub only: Option<Only>,

    /// The purpose that --only asks about: ai-train, ai-input, index, ...
    #[arg(long, value_name = "PURPOSE", value_parser = purpose, requires = "only")]
    pub purpose: Option<Purpose>,

    /// With --warc, which captures of robots.txt and of other documents
    /// count: page or newest
    ///
    /// 'page': those that were in force when the page was fetched. 'newest':
    /// what the archives have last, whenever the page was fetched.
    #[arg(long = "as-of", value_name = "WHICH", value_enum, default_value = "page")]
    #[arg(hide_possible_values = true, verbatim_doc_comment)]
    pub as_of_documents: AsOfDocuments,

    /// With --warc, add what owners refused after a page was fetched
    ///
    /// In a later robots.txt, tdmrep.json or licence. Never what they granted
    /// since.
    #[arg(long, requires = "warc", verbatim_doc_comment)]
    pub and_later_refusals: bool,

    /// Compare these records, which --warc printed, with what the archives
    /// say
    ///
    /// A file with lines of JSON. Each record is looked up in the archives by
    /// its place, and judged again with the settings that it names: the
    /// crawler, the profile, the reading, the vocabulary and the time.
    #[arg(long, value_name = "RECORDS", requires = "warc", verbatim_doc_comment)]
    #[arg(conflicts_with_all = ["only", "format", "crawler", "now", "reading", "vocabulary", "profile"])]
    #[arg(conflicts_with_all = ["as_of_documents", "and_later_refusals", "purpose"])]
    #[arg(value_hint = ValueHint::FilePath)]
    pub verify: Option<PathBuf>,

    #[command(flatten)]
    pub profile: ProfileOption,

    /// What to print: text or json; with --warc jsonl or parquet
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    #[arg(long_help = values::<RightsFormat>("What to print [default: text; with --warc jsonl]"))]
    pub format: Option<RightsFormat>,

    #[command(flatten)]
    pub threads: Threads,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The URL
    #[arg(value_name = "URL", required_unless_present = "warc")]
    pub url: Option<OsString>,
}

impl RightsArgs {
    /// The vocabulary of Content-Usage.
    pub fn vocabulary(&self) -> Vocabulary {
        self.vocabulary.unwrap_or_default()
    }
}

/// The documents that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Only {
    /// Those that somebody allows, and nobody disallows
    Allowed,
    /// Those that nobody disallows
    NotDisallowed,
}

/// The captures of documents that count for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AsOfDocuments {
    /// Those in force when the page was fetched
    Page,
    /// The newest
    Newest,
}

/// The forms in which rights are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RightsFormat {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// With --warc: a line of JSON for each response
    Jsonl,
    /// With --warc: Parquet, if built with '--features parquet'
    Parquet,
}

fn reading(text: &str) -> Result<TagReading, String> {
    text.parse()
        .map_err(|_| "one of generic, google, bing, yandex and amazon is expected".to_owned())
}

fn purpose(text: &str) -> Result<Purpose, String> {
    let named = Purpose::ALL.iter().find(|purpose| purpose.as_str() == text);
    let all: Vec<&str> = Purpose::ALL.iter().map(|purpose| purpose.as_str()).collect();
    named.copied().ok_or_else(|| format!("one of {} is expected", all.join(", ")))
}

fn vocabulary(text: &str) -> Result<Vocabulary, String> {
    let number = text.strip_prefix("aipref-vocab-").unwrap_or(text);
    number.parse().map_err(|_| "a draft from 01 to 08 is expected".to_owned())
}
