//! `robotsieve check`: judges a few URLs.

use clap::Args;
use robotsieve::{Robots, Verdict};

use crate::error::{Failure, Status};
use crate::options::{PolicyArgs, Urls, When};
use crate::read::robots_file;
use crate::read::urls::{self, Tally};
use crate::write::bytes;
use crate::write::stdout::Stdout;

/// Check whether a crawler may fetch a few URLs
///
/// Prints VERDICT, a tab and the URL for each URL, in the order given. VERDICT is
/// allow, disallow or invalid. The exit status is the answer for all of them.
/// Control characters in a URL are printed as \n, \x1b and so on.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve check [--profile PROFILE] ROBOTS AGENT URL...
       robotsieve check [--profile PROFILE] --user-agent HEADER ROBOTS URL...",
    after_help = "\
Examples:
  robotsieve check robots.txt FooBot https://example.com/ /private/x
  robotsieve check robots.txt googlebot-news,googlebot /news/
  robotsieve check --user-agent 'Mozilla/5.0 (FooBot/2.1)' robots.txt /x
  robotsieve check robots.txt FooBot - < urls.txt
  robotsieve check -- robots.txt -bot /        # after '--' nothing is an option

Exit status:
  0  every URL is allowed
  1  some URL is disallowed
  2  wrong usage, or some URL is invalid: not scheme://host/path, and not a path
     that starts with '/' (with --profile google no URL is invalid)
  3  a file could not be read"
)]
pub struct CheckArgs {
    #[command(flatten)]
    policy: PolicyArgs,

    #[command(flatten)]
    urls: Urls,
}

/// Judges the URLs and prints a line for each.
pub fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let urls = args.policy.urls(&args.urls)?;
    urls::not_where_robots_is(&urls, &args.policy.robots)?;
    let file = args.policy.read()?;
    let robots = Robots::parse(&file, &args.policy.profile());
    robots_file::note_cut(&args.policy.robots, &file, &robots);
    let policy = robots.policy(&args.policy.crawler()?);
    let (mut out, mut tally) = (Stdout::new(), Tally::default());
    // A program that asks line by line needs no progress bar; `filter` is for millions of URLs.
    let too_long = urls::each(&urls, When::Never, |url| {
        let verdict = match policy.target(url) {
            Ok(target) => {
                let verdict = policy.verdict(&target);
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
