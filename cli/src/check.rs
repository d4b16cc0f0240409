//! `robotsieve check`: a few URLs, answered by the exit status.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, Write};

use robotsieve::{InvalidUrl, Policy, Robots, Verdict};

use crate::args::CheckArgs;
use crate::error::{Failure, Status, say};
use crate::robots_file;

/// Judges the URLs and prints one line for each.
pub fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let file = robots_file::read(&args.of.robots)?;
    let robots = Robots::parse(&file, &args.of.profile);
    let mut answers = Answers::new(robots.policy(&args.of.crawler()));
    if args.urls == [OsStr::new("-")] {
        for line in io::stdin().lock().split(b'\n') {
            let line = line.map_err(|cause| Failure::io("cannot read standard input", cause))?;
            let url = line.strip_suffix(b"\r").unwrap_or(&line);
            if !url.is_empty() {
                answers.add(url)?;
            }
        }
    } else {
        for url in args.urls.iter().map(OsString::as_os_str) {
            answers.add(url.as_encoded_bytes())?;
        }
    }
    Ok(answers.status())
}

struct Answers {
    policy: Policy,
    disallowed: u64,
    invalid: u64,
    /// Whether anybody still reads what is printed.
    heard: bool,
}

impl Answers {
    fn new(policy: Policy) -> Answers {
        Answers { policy, disallowed: 0, invalid: 0, heard: true }
    }

    fn add(&mut self, url: &[u8]) -> Result<(), Failure> {
        let verdict = match self.policy.target(url) {
            Ok(target) => {
                let verdict = self.policy.verdict(&target);
                self.disallowed += u64::from(verdict == Verdict::Disallow);
                verdict.as_str()
            }
            Err(InvalidUrl { .. }) => {
                self.invalid += 1;
                "invalid"
            }
        };
        if !self.heard {
            return Ok(());
        }
        // Standard output writes whole lines, so each answer is out before the next URL is
        // read: a program may ask line by line.
        let line = [verdict.as_bytes(), b"\t", url, b"\n"].concat();
        match io::stdout().lock().write_all(&line) {
            // The exit status is an answer too: find it, though nobody reads the lines.
            Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => self.heard = false,
            written => {
                return written
                    .map_err(|cause| Failure::io("cannot write to standard output", cause));
            }
        }
        Ok(())
    }

    fn status(&self) -> Status {
        if self.invalid > 0 {
            say(&format_args!(
                "{} of the URLs: neither scheme://authority… nor a path that begins with '/' \
                 (marked 'invalid'); with --profile google no URL is invalid",
                self.invalid
            ));
            Status::Usage
        } else if self.disallowed > 0 {
            Status::Disallowed
        } else {
            Status::Done
        }
    }
}
