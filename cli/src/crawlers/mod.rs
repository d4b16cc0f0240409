//! `robotsieve crawlers`: the known crawlers that a robots.txt lets in, and where.

pub mod args;
mod list;
mod markdown;
mod text;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use crate::sitemap::SiteUrls;
use robotsieve::{Config, Policy, Profile, Robots, Verdict};
use robotsieve_known::internals::read_part;
use robotsieve_owners::reach::{Reach, ReachReport};
use robotsieve_report::tally::Tally;

use crate::error::{Failure, Status};
use crate::known::{Known, KnownCrawler};
use crate::options::When;
use crate::read::robots_file::{self, Given};
use crate::read::{stdin, urls};
use crate::sitemap::{self, Sitemaps};
use crate::write::bytes;
use crate::write::report::Report;
use crate::write::stdout::{self, Stdout};
use args::{CrawlersArgs, Format};

/// More URLs than this are for other commands: each is a column.
const MAX_URLS: usize = 100;

/// How much memory the policies of all classes may take while a sitemap is read.
const POLICY_BYTES: usize = 512 << 20;

/// Prints the table or the list.
pub fn run(args: &CrawlersArgs) -> Result<Status, Failure> {
    let wrong = match (args.format, args.list) {
        (Format::Toml, false) => Some("--format toml needs --list: it prints what is known"),
        (Format::Markdown, true) => Some("--list has no --format markdown: use text, json or toml"),
        _ => None,
    };
    if let Some(wrong) = wrong {
        return Err(Failure::Usage(wrong.to_owned()));
    }
    let known = args.known.read()?;
    let (names, urls): (Vec<OsString>, Vec<OsString>) =
        args.rest.iter().cloned().partition(|text| is_name(text));
    let named = names.iter().map(|name| by_name(&known, name)).collect::<Result<Vec<_>, _>>()?;
    let purposes = &args.purpose.purposes;
    let is_meant = |crawler: &&KnownCrawler| {
        (purposes.is_empty() || args.purpose.has(crawler.purpose))
            && (named.is_empty() || named.iter().any(|one| one.token == crawler.token))
    };
    let crawlers: Vec<&KnownCrawler> = known.iter().filter(is_meant).collect();
    if crawlers.is_empty() {
        let message = if known.iter().next().is_none() {
            "the files of --crawlers have no crawler, and 'replace = true' leaves the built-in ones \
             out: add an entry, or remove that line"
        } else if named.is_empty() {
            "no crawler is known of these purposes: leave --purpose out to see all"
        } else {
            "none of the crawlers that were named has one of these purposes: leave --purpose out"
        };
        return Err(Failure::Usage(message.to_owned()));
    }
    let mut out = io::BufWriter::new(Stdout::new());
    let (printed, status) = match &args.robots {
        None => (list::print(&crawlers, args.format, &mut out), Status::Done),
        Some(robots) => {
            let asked = AskedCrawlers { crawlers, is_named: !named.is_empty(), urls };
            table(args, robots, &known, &asked, &mut out)?
        }
    };
    printed.and_then(|()| out.flush()).map_err(stdout::failed)?;
    Ok(status)
}

/// Returns true if an argument can be no URL and no path.
fn is_name(text: &OsStr) -> bool {
    let text = text.as_encoded_bytes();
    text != b"-" && !text.starts_with(b"/") && memchr::memmem::find(text, b"://").is_none()
}

/// The known crawler that an argument names.
///
/// # Errors
/// Returns an error if there is none, with the one that was probably meant.
fn by_name<'k>(known: &'k Known, name: &OsStr) -> Result<&'k KnownCrawler, Failure> {
    let found = name.to_str().and_then(|name| known.by_name(name));
    found.ok_or_else(|| {
        let bytes = name.as_encoded_bytes();
        let question = known.misspelt(bytes);
        Failure::Usage(question.unwrap_or_else(|| {
            let name = bytes::shown(bytes);
            format!(
                "'{name}' is no known crawler, nor a URL (scheme://host/path) or a path that starts \
                 with '/': --list prints those that are known, --crawlers FILE adds some, and \
                 'robotsieve check' takes any name"
            )
        }))
    })
}

/// What is asked about.
struct AskedCrawlers<'k> {
    crawlers: Vec<&'k KnownCrawler>,
    /// True if they were named one by one.
    is_named: bool,
    urls: Vec<OsString>,
}

fn table(
    args: &CrawlersArgs,
    robots: &Path,
    known: &Known,
    asked: &AskedCrawlers<'_>,
    out: &mut impl Write,
) -> Result<(io::Result<()>, Status), Failure> {
    let AskedCrawlers { crawlers, is_named, urls } = asked;
    urls::not_where_robots_is(urls, robots)?;
    let on_stdin = urls::are_on_stdin(urls).then_some(OsStr::new("-"));
    let sitemaps = args.sitemap.names.iter().map(OsString::as_os_str);
    stdin::at_most_once(sitemaps.chain([robots.as_os_str()]).chain(on_stdin))?;
    let profile = args.profile.get();
    let given = robots_file::given_for(robots, &[profile], known)?;
    let file = &given.bytes;
    robots_file::note_cut(robots, file, &Robots::parse(file, &profile));
    let mut pages: Vec<Vec<u8>> = Vec::new();
    let too_long = urls::each(urls, When::Never, |url| {
        if pages.len() == MAX_URLS {
            return Err(Failure::Usage(format!(
                "more than {MAX_URLS} URLs: 'robotsieve filter' judges any number for the crawlers \
                 that you name"
            )));
        }
        pages.push(url.to_vec());
        Ok(())
    })?;
    if too_long > 0 {
        return Err(Failure::Usage("a line is too long to be a URL: leave it out".to_owned()));
    }
    let mut reach = Reach::of(file, &profile)
        .crawlers(crawlers.iter().copied())
        .pages(pages)
        .named(robots.as_os_str().as_encoded_bytes());
    if args.profile.by_operators() {
        reach = reach.by_operators();
    }
    if let Some(answer) = &given.answer {
        reach = reach.answered(&*answer.cause);
    }
    let mut report = reach.report().map_err(|wrong| Failure::Usage(wrong.to_string()))?;
    let mut status = Status::Done;
    if args.sitemap.is_given() {
        // In this profile more URLs have a host that is not clear.
        let google = Profile::GOOGLE.name();
        let google = report.crawlers.iter().any(|crawler| crawler.profile == google);
        let names = args.sitemap.resolved(&Robots::parse(file, &profile), robots)?;
        let split = sitemap::site_urls(&args.site, robots.as_os_str(), &names.all, google)?;
        let errors = Arc::new(Report::new(When::Auto, &names.all));
        let sitemaps = Sitemaps::new(names, Arc::clone(&errors));
        let split = judge_sitemaps(&given, &profile, crawlers, &mut report, sitemaps, split)?;
        status = errors.end();
        if status == Status::Done {
            sitemap::require_any(&split)?;
        }
    }
    let printed = match args.format {
        Format::Json => serde_json::to_writer(&mut *out, &report)
            .map_err(Into::into)
            .and_then(|()| writeln!(out)),
        Format::Markdown => markdown::print(&report, out),
        Format::Text | Format::Toml => text::print(&report, *is_named, out),
    };
    Ok((printed, status))
}

/// Judges the URLs of sitemaps that are of the site, for all policies in one pass.
///
/// # Errors
/// Returns an error if the policies take too much memory at once.
fn judge_sitemaps(
    given: &Given,
    profile: &Profile,
    crawlers: &[&KnownCrawler],
    report: &mut ReachReport,
    mut sitemaps: Sitemaps,
    mut split: SiteUrls,
) -> Result<SiteUrls, Failure> {
    let mut config = Config::default();
    let share = POLICY_BYTES / report.policies.len().max(1);
    config.limits.table_bytes = config.limits.table_bytes.min(share);
    let mut policies: Vec<(Policy, Tally)> = Vec::new();
    let mut bytes = 0;
    for first in report.first_crawlers() {
        // Parsed anew: a parsed file keeps every policy that it was asked for.
        let own = report.crawlers[first].profile.and_then(Profile::named);
        let (own, file) = match &own {
            Some(own) if own != profile => (own, read_part(&given.bytes)),
            _ => (profile, &given.bytes[..]),
        };
        let policy = crawlers[first].policy(&Robots::parse_with(file, own, &config));
        bytes += policy.memory_usage().total_bytes();
        if bytes > POLICY_BYTES {
            return Err(Failure::Limit(format!(
                "the rules of these crawlers take more than {} MiB at once: choose fewer crawlers \
                 with --purpose",
                POLICY_BYTES >> 20
            )));
        }
        policies.push((policy, Tally::new(Verdict::Disallow, given.cause())));
    }
    sitemap::judge(&mut sitemaps, &mut split, &mut policies);
    let tallies: Vec<Tally> = policies.into_iter().map(|(_, tally)| tally).collect();
    report.add_sitemap(split.report(), &tallies);
    Ok(split)
}
