//! `robotsieve explain`: shows why a URL is allowed or not.

pub mod args;
mod header;
mod json;
pub mod record;
mod shown;
mod text;

use robotsieve::explain::{Explanation, ProfileComparison, compare_profiles};
use robotsieve::{Crawler, InvalidUrl, Profile, Robots};

use crate::error::{Failure, Status};
use crate::options::Agent;
use crate::read::urls::{self, Tally};
use crate::write::stdout::Stdout;
use args::{ExplainArgs, ExplainFormat};
use record::{Record, Source, sha256};

/// Explains the verdicts for some URLs, in one profile or in all of them.
pub fn run(args: &ExplainArgs) -> Result<Status, Failure> {
    let urls = args.policy.urls(&args.urls)?;
    urls::not_where_robots_is(&urls, &args.policy.robots)?;
    if args.format == ExplainFormat::Json && (urls.len() > 1 || urls::are_on_stdin(&urls)) {
        return Err(Failure::Usage(
            "--format json prints one document, for one URL: use --format jsonl for several URLs"
                .into(),
        ));
    }
    let file = args.policy.read()?;
    let mut explainer = Explainer::new(args, &file)?;
    let too_long = urls::each(&urls, args.progress.progress, |url| explainer.explain(url))?;
    explainer.tally.add_too_long(too_long);
    Ok(explainer.tally.status())
}

/// What all URLs have in common, and how many had which verdict.
struct Explainer<'e> {
    args: &'e ExplainArgs,
    file: &'e [u8],
    sha256: String,
    agent: Agent,
    crawler: Crawler,
    robots: Robots<'e>,
    /// The name of the profile of `robots`.
    profile: &'static str,
    explained: u64,
    tally: Tally,
    out: Stdout,
}

/// The explanation of one URL.
enum Answers<'e> {
    One(&'static str, Box<Result<Explanation<'e>, InvalidUrl>>),
    All(Box<ProfileComparison<'e>>),
}

impl<'e> Answers<'e> {
    /// The explanations with the names of their profiles.
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
    fn new(args: &'e ExplainArgs, file: &'e [u8]) -> Result<Explainer<'e>, Failure> {
        let agent = args.policy.agent();
        let profile = args.policy.profile();
        let crawler = agent.crawler(&profile)?;
        if args.all_profiles {
            let others = Profile::NAMED.iter().filter(|(_, other)| *other != profile);
            for (_, other) in others {
                agent.crawler(other)?;
            }
        }
        Ok(Explainer {
            args,
            file,
            sha256: sha256(file),
            crawler,
            agent,
            robots: Robots::parse(file, &profile),
            profile: args.policy.profile.name(),
            explained: 0,
            tally: Tally::default(),
            out: Stdout::new(),
        })
    }

    fn explain(&mut self, url: &[u8]) -> Result<(), Failure> {
        let answers = if self.args.all_profiles {
            Answers::All(Box::new(compare_profiles(self.file, &self.crawler, url)))
        } else {
            Answers::One(self.profile, Box::new(self.robots.explain(&self.crawler, url)))
        };
        let verdicts = || answers.explanations().map(|(_, why)| why.as_ref().map(|w| w.verdict));
        if verdicts().any(|verdict| verdict.is_err()) {
            self.tally.add_invalid(url);
        } else if verdicts().any(|verdict| verdict.is_ok_and(|verdict| !verdict.is_allow())) {
            self.tally.disallowed += 1;
        }
        self.explained += 1;
        if !self.out.has_reader() {
            return Ok(());
        }
        let out = if self.args.record {
            self.records(url, &answers)
        } else {
            match self.args.format {
                ExplainFormat::Text => text::render(self, url, &answers),
                ExplainFormat::Json | ExplainFormat::Jsonl => json::render(self, url, &answers),
            }
        };
        self.out.print(out)
    }

    fn records(&self, url: &[u8], answers: &Answers<'_>) -> Vec<u8> {
        let source = Source { path: &self.args.policy.robots, sha256: &self.sha256 };
        let mut out = Vec::new();
        for (name, why) in answers.explanations() {
            let record = Record::new(&source, &self.agent, url, name, why);
            serde_json::to_writer(&mut out, &record).expect("a vector has room for any text");
            out.push(b'\n');
        }
        out
    }
}
