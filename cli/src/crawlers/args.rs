//! The arguments of `robotsieve crawlers`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::known::{KnownOption, PurposeOption};
use crate::options::{ProfileOption, values};
use crate::sitemap::{SITEMAP, SiteOption, SitemapOption};

/// Show which known crawlers a robots.txt lets in, and where
///
/// For each purpose, such as AI training, a line says how many crawlers are shut
/// out of the whole site, how many may read a part of it, and how many may read
/// everything. Then come the different answers, each with all crawlers that get
/// it: the rules that keep them out, the lines that name them, and the verdicts on
/// some pages: the URLs given, or '/' and short paths on which the crawlers
/// differ. All of it is found by the automata of the rules: "everything" and
/// "nothing" are proven.
///
/// With NAMEs, only these crawlers: their product tokens, or the names that --list
/// prints.
///
/// With --sitemap it also shows how many of the sitemap's URLs each may read, and
/// which rules forbid the others.
///
/// Without --profile each known crawler reads the file as its operator does:
/// Google's in profile google, all others in rfc9309.
///
/// The crawlers are built in; --crawlers adds others, and --list prints them all
/// (with their sources: --list --format json or toml).
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve crawlers [OPTIONS] ROBOTS [NAME|URL]...
       robotsieve crawlers [OPTIONS] --list",
    after_help = "\
Examples:
  robotsieve crawlers robots.txt
  robotsieve crawlers robots.txt PerplexityBot Googlebot /products/1
  robotsieve crawlers --purpose ai-training --purpose ai-assistants robots.txt
  robotsieve crawlers --purpose search robots.txt /products/1 '/cart?id=1'
  robotsieve crawlers --format markdown robots.txt > crawlers.md
  robotsieve crawlers robots.txt --sitemap https://example.com/sitemap.xml
  robotsieve crawlers --list --purpose archive
  robotsieve crawlers --list --format toml > mine.toml

How it reads:
  nothing                         the whole site is forbidden
  all but /private/ (line 5)      a part is forbidden, by these rules
  nothing but /public/ (line 7)   the whole site is forbidden, but for what
                                  these rules allow
  everything                      no path is forbidden

robots.txt itself does not count: whoever obeys it has to read it.

Exit status:
  0  printed, whatever the crawlers may read
  2  wrong usage, or an invalid URL, or a NAME that is not known, or no URL of a
     sitemap is of the site
  3  a file could not be read, or a part of a sitemap"
)]
pub struct CrawlersArgs {
    /// Print what is known of the crawlers, for no robots.txt
    #[arg(id = "list_known", long = "list", conflicts_with_all = ["robots", "rest", SITEMAP])]
    pub list: bool,

    #[command(flatten)]
    pub purpose: PurposeOption,

    #[command(flatten)]
    pub known: KnownOption,

    #[command(flatten)]
    pub profile: ProfileOption,

    #[command(flatten)]
    pub sitemap: SitemapOption,

    #[command(flatten)]
    pub site: SiteOption,

    /// What to print: text, json, markdown, or toml (with --list)
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    #[arg(hide_possible_values = true, long_help = values::<Format>("What to print"))]
    pub format: Format,

    /// The robots.txt: a file, an http(s) URL, or '-'
    #[arg(value_name = "ROBOTS", required_unless_present = "list_known")]
    pub robots: Option<PathBuf>,

    /// Known crawlers, and URLs or paths; '-' reads URLs from standard input
    #[arg(value_name = "NAME|URL")]
    pub rest: Vec<OsString>,
}

/// What `crawlers` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// Tables for a web page or a comment; not with --list
    Markdown,
    /// A file for --crawlers; only with --list
    Toml,
}
