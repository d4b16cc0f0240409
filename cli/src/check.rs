//! `robotsieve check`: judges a few URLs.

use std::sync::Arc;

use crate::sitemap::SiteUrls;
use clap::Args;
use robotsieve::{Profile, Robots, Verdict};
use robotsieve_report::tally::Tally as OfSitemap;
use robotsieve_shown::grouped;

use crate::error::{Failure, Status};
use crate::options::When;
use crate::read::policy::{Operator, OperatorsNote, PolicyArgs, Urls, note_known};
use crate::read::robots_file;
use crate::read::stdin;
use crate::read::urls::{self, Governed, Tally};
use crate::sitemap::{self, SITEMAP, SiteOption, SitemapOption, Sitemaps};
use crate::write::bytes::{self, shown};
use crate::write::report::Report;
use crate::write::stdout::{self, Stdout};

/// Check whether a crawler may fetch a few URLs
///
/// Prints VERDICT, a tab and the URL for each URL, in the order given. VERDICT is
/// allow, disallow or invalid; or unknown, if ROBOTS is a URL and the URL is of
/// another site, about which that robots.txt says nothing. The exit status is
/// the answer for all of them. Control characters in a URL are printed as \n,
/// \x1b and so on.
///
/// With --sitemap it prints how many of the sitemap's URLs the crawler may fetch,
/// and for each rule that forbids some, how many, with examples.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve check [--profile PROFILE] ROBOTS AGENT URL...
       robotsieve check [--profile PROFILE] --user-agent HEADER ROBOTS URL...
       robotsieve check [OPTIONS] --sitemap FILE|URL ROBOTS AGENT",
    mut_arg("rest", |arg| {
        arg.required_unless_present_any(["agent", "user_agent", SITEMAP]).conflicts_with(SITEMAP)
    }),
    after_help = "\
Examples:
  robotsieve check robots.txt FooBot https://example.com/ /private/x
  robotsieve check robots.txt googlebot-news,googlebot /news/
  robotsieve check --user-agent 'Mozilla/5.0 (FooBot/2.1)' robots.txt /x
  robotsieve check robots.txt FooBot - < urls.txt
  robotsieve check robots.txt Googlebot --sitemap sitemap.xml
  robotsieve check https://example.com Googlebot --sitemap robots
  robotsieve check -- robots.txt -bot /        # after '--' nothing is an option

Exit status:
  0  every URL is allowed
  1  some URL is disallowed or unknown
  2  wrong usage, or some URL is invalid: not scheme://host/path, and not a path
     that starts with '/' (with --profile google no URL is invalid); or no URL
     of a sitemap is of the site
  3  a file could not be read, or a part of a sitemap"
)]
pub struct CheckArgs {
    #[command(flatten)]
    policy: PolicyArgs,

    #[command(flatten)]
    sitemap: SitemapOption,

    #[command(flatten)]
    site: SiteOption,

    #[command(flatten)]
    urls: Urls,
}

/// Judges the URLs and prints a line for each.
pub fn run(args: &CheckArgs) -> Result<Status, Failure> {
    if args.sitemap.is_given() {
        return check_sitemaps(args);
    }
    // clap does not: it requires nothing that conflicts with what is given.
    if args.site.site.is_some() {
        let message = "--site is for the URLs of a sitemap: give one with --sitemap FILE|URL";
        return Err(Failure::Usage(message.into()));
    }
    let urls = args.policy.urls(&args.urls)?;
    urls::not_where_robots_is(&urls, &args.policy.robots)?;
    let given = args.policy.read()?;
    let file = &given.bytes;
    let robots = Robots::parse(file, &args.policy.profile());
    robots_file::note_cut(&args.policy.robots, file, &robots);
    let crawler = args.policy.crawler()?;
    note_known(&crawler, &robots, given.answer.as_ref());
    let policy = robots.policy(&crawler);
    let operator = Operator::of(&crawler, file, robots.profile(), given.answer.as_ref());
    let (mut out, mut tally) = (Stdout::new(), Tally::default());
    let governed = Governed::by(&args.policy.robots);
    // A program that asks line by line needs no progress bar; `filter` is for millions of URLs.
    let too_long = urls::each(&urls, When::Never, |url| {
        let verdict = match policy.target(url) {
            _ if governed.is_elsewhere(url) => {
                tally.unknown += 1;
                "unknown"
            }
            Ok(target) => {
                let verdict = policy.verdict(&target);
                operator.iter().for_each(|it| it.note(url, verdict.is_allow()));
                tally.disallowed += u64::from(verdict == Verdict::Disallow);
                verdict.as_str()
            }
            Err(_) => {
                tally.add_invalid(url);
                "invalid"
            }
        };
        // In one write, so that it is out before the next URL is read.
        let line = [verdict.as_bytes(), b"\t", &bytes::on_one_line(url), b"\n"].concat();
        out.print(line)
    })?;
    tally.add_too_long(too_long);
    Ok(tally.status())
}

/// Judges the URLs of sitemaps, and prints how many get which verdict, and by which rules.
fn check_sitemaps(args: &CheckArgs) -> Result<Status, Failure> {
    let path = &args.policy.robots;
    args.policy.nothing_follows()?;
    let names = args.sitemap.names.iter().map(|name| name.as_os_str());
    stdin::at_most_once(names.chain([path.as_os_str()]))?;
    let profile = args.policy.profile();
    let crawler = args.policy.crawler()?;
    let given = args.policy.read()?;
    let (file, cause) = (&given.bytes, given.cause());
    let robots = Robots::parse(file, &profile);
    robots_file::note_cut(path, file, &robots);
    let names = args.sitemap.resolved(&robots, path)?;
    let google = profile == Profile::GOOGLE;
    let mut split = sitemap::site_urls(&args.site, path.as_os_str(), &names.all, google)?;
    note_known(&crawler, &robots, given.answer.as_ref());
    if given.answer.is_none() {
        let crawlers = std::slice::from_ref(&crawler);
        OperatorsNote::of(crawlers, &profile).look(file, &"this robots.txt");
    }
    let policy = robots.policy(&crawler);
    let report = Arc::new(Report::new(When::Auto, &names.all));
    let mut sitemaps = Sitemaps::new(names, Arc::clone(&report));
    let mut judged = [(policy, OfSitemap::new(Verdict::Disallow, cause))];
    sitemap::judge(&mut sitemaps, &mut split, &mut judged);
    let [(_, tally)] = judged;
    let status = report.end();
    if status == Status::Done {
        sitemap::require_any(&split)?;
    }
    if split.here > 0 {
        stdout::print(told(args, &split, &tally))?;
    }
    Ok(match status {
        Status::Done if tally.disallowed > 0 => Status::No,
        status => status,
    })
}

/// What is said of a sitemap.
fn told(args: &CheckArgs, split: &SiteUrls, tally: &OfSitemap) -> String {
    let mut text = split.lines().join("\n  ") + "\n";
    let agent = args.policy.agent();
    let agent = shown(agent.text.as_encoded_bytes());
    let (allowed, all) = (grouped(tally.allowed), grouped(tally.allowed + tally.disallowed));
    text += &match tally.disallowed {
        0 => format!("{agent} may fetch all {all}\n"),
        n => format!("{agent} may fetch {allowed} of {all}, and not {}:\n", grouped(n)),
    };
    for by in tally.by() {
        text += &format!("  {}  {}\n", by.shown(), by.counted());
    }
    text
}
