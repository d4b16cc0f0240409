//! `robotsieve explain`: shows why a URL is allowed or not.

pub mod args;
mod header;
mod json;
pub mod record;
pub mod shown;
mod site;
pub mod text;

use std::ffi::OsString;

use robotsieve::explain::{Explanation, ProfileComparison, compare_profiles};
use robotsieve::{Crawler, InvalidUrl, Profile, Reason, Robots, Verdict};

use crate::error::{Failure, Status};
use crate::options::Agent;
use crate::read::robots_file::Given;
use crate::read::urls::{self, Tally};
use crate::read::{stores, web};
use crate::write::stdout::Stdout;
use args::{ExplainArgs, ExplainFormat};
use record::{Record, sha256};
use site::{Found, Site, Sites};

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
    if stores::is_store(&args.policy.robots) {
        if args.record {
            return Err(Failure::Usage(
                "--record is for a robots.txt file, which 'replay' can read again: 'robotsieve \
                 store get --body STORE URL' prints the one of a site"
                    .into(),
            ));
        }
        let sites = Sites::new(stores::read_only(&args.policy.robots)?, args.as_of, args.answers);
        return Explainer::new(args, Source::Store(sites))?.run(&urls);
    }
    if let Some(option) = args.as_of.map(|_| "--as-of").or(args.answers.given()) {
        return Err(Failure::Usage(format!(
            "{option} is for a store, and '{}' is none",
            args.policy.robots.display()
        )));
    }
    if args.record && web::url(&args.policy.robots).is_some() {
        return Err(Failure::Usage(
            "--record is for a file, which 'replay' can read again: download it first ('curl -o \
             robots.txt URL')"
                .into(),
        ));
    }
    let Given { bytes, answer } = if args.all_profiles {
        let all: Vec<Profile> = Profile::NAMED.iter().map(|(_, profile)| *profile).collect();
        args.policy.ask(&all)?
    } else {
        args.policy.ask(&[args.policy.profile()])?
    };
    let file = File { bytes: &bytes, sha256: sha256(&bytes), answer };
    Explainer::new(args, Source::File(file))?.run(&urls)
}

/// What all URLs have in common, and how many had which verdict.
struct Explainer<'e> {
    args: &'e ExplainArgs,
    source: Source<'e>,
    agent: Agent,
    crawler: Crawler,
    /// The profiles to explain in, with their names.
    profiles: Vec<(&'static str, Profile)>,
    explained: u64,
    tally: Tally,
    out: Stdout,
}

/// Where robots.txt files come from.
enum Source<'e> {
    /// One for all URLs.
    File(File<'e>),
    /// The one of the URL's site.
    Store(Sites),
}

/// A robots.txt.
struct File<'e> {
    /// The file, or what stands for an answer.
    bytes: &'e [u8],
    sha256: String,
    /// What its URL answered in the place of a file.
    answer: Option<web::Answer>,
}

/// What there is to say about one URL.
struct Answers<'a> {
    /// For each profile.
    said: Vec<Said<'a>>,
    /// With `--all-profiles`, if the same rules apply in all of them.
    compared: Option<Box<ProfileComparison<'a>>>,
}

/// What there is to say in one profile.
struct Said<'a> {
    profile: &'static str,
    /// What the store knows.
    site: Option<&'a Site>,
    answer: Answer<'a>,
}

enum Answer<'a> {
    /// The rules of a robots.txt decide, which is this.
    Rules(&'a [u8], Box<Explanation<'a>>),
    /// Something else decides for the whole site: this.
    Site(Verdict, String),
    /// So it would, but this URL is that of robots.txt, which is always allowed.
    RobotsTxt(String),
    /// Nothing decides, because of this.
    Unknown(&'a str),
    Invalid,
}

impl<'a> Answer<'a> {
    fn of_rules(file: &'a [u8], why: Result<Explanation<'a>, InvalidUrl>) -> Answer<'a> {
        why.map_or(Answer::Invalid, |why| Answer::Rules(file, Box::new(why)))
    }

    /// The same if the rules stand for this, which decides for the whole site.
    fn of_site(self, decider: impl FnOnce() -> String) -> Answer<'a> {
        match self {
            Answer::Rules(_, why) => match why.decision().reason {
                Reason::RobotsTxt => Answer::RobotsTxt(decider()),
                _ => Answer::Site(why.verdict, decider()),
            },
            answer => answer,
        }
    }

    /// The verdict as a word, and the reason as one.
    fn words(&self) -> (&'static str, &'static str) {
        match self {
            Answer::Rules(_, why) => (why.verdict.as_str(), why.decision().reason.as_str()),
            Answer::Site(verdict, _) => (verdict.as_str(), "site"),
            Answer::RobotsTxt(_) => (Verdict::Allow.as_str(), "robots-txt"),
            Answer::Unknown(_) => ("unknown", "unknown-site"),
            Answer::Invalid => ("invalid", "invalid-url"),
        }
    }
}

impl<'e> Explainer<'e> {
    fn new(args: &'e ExplainArgs, source: Source<'e>) -> Result<Explainer<'e>, Failure> {
        let agent = args.policy.agent();
        let profile = args.policy.profile();
        let crawler = agent.crawler(&profile)?;
        let mut profiles = vec![(args.policy.profile.name(), profile)];
        if args.all_profiles {
            let others = Profile::NAMED.iter().filter(|(_, other)| *other != profile);
            for (_, other) in others {
                agent.crawler(other)?;
            }
            profiles = Profile::NAMED.to_vec();
        }
        let mut tally = Tally::default();
        tally.needs_host = matches!(source, Source::Store(_));
        let out = Stdout::new();
        Ok(Explainer { args, source, agent, crawler, profiles, explained: 0, tally, out })
    }

    fn run(mut self, urls: &[OsString]) -> Result<Status, Failure> {
        let too_long = urls::each(urls, self.args.progress.progress, |url| self.explain(url))?;
        self.tally.add_too_long(too_long);
        Ok(self.tally.status())
    }

    fn explain(&mut self, url: &[u8]) -> Result<(), Failure> {
        let found;
        let answers = match &mut self.source {
            Source::File(file) => {
                let (bytes, answer) = (file.bytes, file.answer.clone());
                match answer {
                    None => self.by_file(bytes, url),
                    Some(answer) => self.by_answer(bytes, &answer, url),
                }
            }
            Source::Store(sites) => {
                let look_up = |(_, profile): &(_, Profile)| sites.find(url, profile);
                found = self.profiles.iter().map(look_up).collect::<Result<Vec<_>, _>>()?;
                self.by_sites(&found, url)
            }
        };
        let has = |word| answers.said.iter().any(|said| said.answer.words().0 == word);
        if has("invalid") {
            self.tally.add_invalid(url);
        } else if has("disallow") {
            self.tally.disallowed += 1;
        } else if has("unknown") {
            self.tally.unknown += 1;
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

    /// The answers of the rules of one file.
    fn by_file<'a>(&self, file: &'a [u8], url: &[u8]) -> Answers<'a> {
        let said = |profile, why| Said { profile, site: None, answer: Answer::of_rules(file, why) };
        if self.args.all_profiles {
            let compared = compare_profiles(file, &self.crawler, url);
            let explanations = compared.explanations.iter().cloned();
            let said = explanations.map(|(name, why)| said(name, why)).collect();
            return Answers { said, compared: Some(Box::new(compared)) };
        }
        let explain = |(name, profile): &(&'static str, Profile)| {
            said(name, Robots::parse(file, profile).explain(&self.crawler, url))
        };
        Answers { said: self.profiles.iter().map(explain).collect(), compared: None }
    }

    /// The answers where a URL answered this in the place of a file, for which these rules stand.
    fn by_answer<'a>(&self, stand_in: &'a [u8], answer: &web::Answer, url: &[u8]) -> Answers<'a> {
        let said = self.profiles.iter().map(|(profile, rules)| {
            let why = Robots::parse(stand_in, rules).explain(&self.crawler, url);
            let decides = Answer::of_rules(stand_in, why).of_site(|| answer.to_string());
            Said { profile, site: None, answer: decides }
        });
        Answers { said: said.collect(), compared: None }
    }

    /// The answers of what applies to the URL's site in each profile.
    fn by_sites<'a>(&self, found: &'a [Found], url: &[u8]) -> Answers<'a> {
        let rules = |found: &'a Found| match found {
            Found::Site(site) if site.has_rules() => Some(site),
            _ => None,
        };
        if let Some(first) = found.first().and_then(rules)
            && found.iter().all(|found| rules(found).is_some_and(|site| site.is_same_file(first)))
        {
            let mut answers = self.by_file(first.file(), url);
            for (said, found) in answers.said.iter_mut().zip(found) {
                said.site = rules(found);
            }
            return answers;
        }
        let said = self.profiles.iter().zip(found).map(|((name, profile), found)| {
            let (site, answer) = match found {
                Found::Invalid => (None, Answer::Invalid),
                Found::Unknown(why) => (None, Answer::Unknown(why)),
                Found::Site(site) => {
                    let why = Robots::parse(site.file(), profile).explain(&self.crawler, url);
                    (
                        Some(site),
                        match Answer::of_rules(site.file(), why) {
                            answer if site.has_rules() => answer,
                            answer => answer.of_site(|| site.policy()),
                        },
                    )
                }
            };
            Said { profile: name, site, answer }
        });
        Answers { said: said.collect(), compared: None }
    }

    fn records(&self, url: &[u8], answers: &Answers<'_>) -> Vec<u8> {
        let Source::File(file) = &self.source else { return Vec::new() };
        let source = record::Source { path: &self.args.policy.robots, sha256: &file.sha256 };
        let mut out = Vec::new();
        for said in &answers.said {
            let why = match &said.answer {
                Answer::Rules(_, why) => Some(&**why),
                _ => None,
            };
            let record = Record::new(&source, &self.agent, url, said.profile, why);
            serde_json::to_writer(&mut out, &record).expect("a vector has room for any text");
            out.push(b'\n');
        }
        out
    }
}
