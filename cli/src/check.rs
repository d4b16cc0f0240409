//! `robotsieve check`: a few URLs, answered by the exit status.

use robotsieve::{Robots, Verdict};

use crate::args::{CheckArgs, Progress};
use crate::error::{Failure, Status};
use crate::read::robots_file;
use crate::read::urls::{self, Tally};
use crate::write::stdout::Stdout;

/// Judges the URLs and prints one line for each.
pub fn run(args: &CheckArgs) -> Result<Status, Failure> {
    urls::not_where_robots_is(&args.urls, &args.of.robots)?;
    let file = robots_file::read(&args.of.robots)?;
    let policy = Robots::parse(&file, &args.of.profile).policy(&args.of.crawler());
    let (mut out, mut tally) = (Stdout::new(), Tally::default());
    // Who waits for answers, line by line, needs no bar; for millions there is `filter`.
    urls::each(&args.urls, Progress::Never, |url| {
        let verdict = match policy.target(url) {
            Ok(target) => {
                let verdict = policy.verdict(&target);
                tally.disallowed += u64::from(verdict == Verdict::Disallow);
                verdict.as_str()
            }
            Err(_) => {
                tally.invalid += 1;
                "invalid"
            }
        };
        // At once, so that it is out before the next URL is read.
        let line = [verdict.as_bytes(), b"\t", url, b"\n"].concat();
        out.print(line)
    })?;
    Ok(tally.status())
}
