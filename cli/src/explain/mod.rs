//! `robotsieve explain`: why a URL is allowed or not.

mod json;
mod shown;
mod text;

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, Write};

use robotsieve::{
    Crawler, Explanation, InvalidUrl, Profile, ProfileComparison, Robots, explain_profiles,
};

use crate::args::{Agent, ExplainArgs, Format};
use crate::error::{Failure, Status, say};
use crate::record::{Record, Source, sha256};
use crate::robots_file;

/// Explains the verdicts on some URLs, in one profile or in all.
pub fn run(args: &ExplainArgs) -> Result<Status, Failure> {
    let file = robots_file::read(&args.of.robots)?;
    let mut explainer = Explainer::new(args, &file);
    if args.urls == [OsStr::new("-")] {
        for line in io::stdin().lock().split(b'\n') {
            let line = line.map_err(|cause| Failure::io("cannot read standard input", cause))?;
            let url = line.strip_suffix(b"\r").unwrap_or(&line);
            if !url.is_empty() {
                explainer.explain(url)?;
            }
        }
    } else {
        for url in args.urls.iter().map(OsString::as_os_str) {
            explainer.explain(url.as_encoded_bytes())?;
        }
    }
    Ok(explainer.status())
}

/// What holds for all URLs, and how they fared.
struct Explainer<'e> {
    args: &'e ExplainArgs,
    file: &'e [u8],
    sha256: String,
    agent: Agent,
    crawler: Crawler,
    robots: Robots<'e>,
    /// The name of its profile.
    profile: &'static str,
    explained: u64,
    disallowed: u64,
    invalid: u64,
    /// Whether anybody still reads what is printed.
    heard: bool,
}

/// One URL, explained.
enum Answers<'e> {
    One(&'static str, Box<Result<Explanation<'e>, InvalidUrl>>),
    All(Box<ProfileComparison<'e>>),
}

impl<'e> Answers<'e> {
    /// By the names of their profiles.
    fn explanations(
        &self,
    ) -> impl Iterator<Item = (&'static str, &Result<Explanation<'e>, InvalidUrl>)> {
        let (one, all) = match self {
            Answers::One(name, why) => (Some((*name, &**why)), None),
            Answers::All(compared) => (None, Some(compared)),
        };
        let all = all.into_iter().flat_map(|compared| &compared.explanations);
        one.into_iter().chain(all.map(|(name, why)| (*name, why)))
    }

    fn comparison(&self) -> Option<&ProfileComparison<'e>> {
        match self {
            Answers::One(..) => None,
            Answers::All(compared) => Some(compared),
        }
    }
}

impl<'e> Explainer<'e> {
    fn new(args: &'e ExplainArgs, file: &'e [u8]) -> Explainer<'e> {
        let agent = args.of.agent();
        let profile = args.of.profile;
        // The option takes no others.
        let name = Profile::NAMED.iter().find(|(_, named)| *named == profile);
        Explainer {
            args,
            file,
            sha256: sha256(file),
            crawler: agent.crawler(),
            agent,
            robots: Robots::parse(file, &profile),
            profile: name.map_or("rfc9309", |(name, _)| name),
            explained: 0,
            disallowed: 0,
            invalid: 0,
            heard: true,
        }
    }

    fn explain(&mut self, url: &[u8]) -> Result<(), Failure> {
        let answers = if self.args.all_profiles {
            Answers::All(Box::new(explain_profiles(self.file, &self.crawler, url)))
        } else {
            Answers::One(self.profile, Box::new(self.robots.explain(&self.crawler, url)))
        };
        let verdicts = || answers.explanations().map(|(_, why)| why.as_ref().map(|w| w.verdict));
        if verdicts().any(|verdict| verdict.is_err()) {
            self.invalid += 1;
        } else if verdicts().any(|verdict| verdict.is_ok_and(|verdict| !verdict.is_allow())) {
            self.disallowed += 1;
        }
        self.explained += 1;
        if !self.heard {
            return Ok(());
        }
        let out = if self.args.record {
            self.records(url, &answers)
        } else {
            match self.args.format {
                Format::Text => text::render(self, url, &answers),
                Format::Json => json::render(self, url, &answers),
            }
        };
        match io::stdout().lock().write_all(&out) {
            // The exit status is an answer too.
            Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => self.heard = false,
            written => {
                written.map_err(|cause| Failure::io("cannot write to standard output", cause))?;
            }
        }
        Ok(())
    }

    fn records(&self, url: &[u8], answers: &Answers<'_>) -> Vec<u8> {
        let source = Source { path: &self.args.of.robots, sha256: &self.sha256 };
        let mut out = Vec::new();
        for (name, why) in answers.explanations() {
            let record = Record::new(&source, &self.agent, url, name, why);
            serde_json::to_writer(&mut out, &record).expect("a vector has room for any text");
            out.push(b'\n');
        }
        out
    }

    /// As of `check`, over all profiles that were asked for.
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
