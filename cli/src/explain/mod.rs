//! `robotsieve explain`: shows why a URL is allowed or not.

mod answer;
pub mod args;
pub mod shown;
pub mod text;

use std::ffi::OsString;
use std::ops::Range;

use robotsieve::explain::compare_profiles;
use robotsieve::{Crawler, Profile, Reason, Robots};
use robotsieve_client::outcome::ContentHash;
use robotsieve_client::report::{FoundSite, KnownSites};
use robotsieve_report::recorded::DecisionRecord;
use robotsieve_report::{Asked, ExplainReason, ExplainReport, ExplainVerdict};

use crate::error::{Failure, Status};
use crate::options::Agent;
use crate::read::policy::{Operator, note_known};
use crate::read::robots_file::{Given, lines};
use crate::read::urls::{self, Governed, Tally};
use crate::read::{stores, web};
use crate::write::stdout::Stdout;
use answer::Answer;
use args::{ExplainArgs, ExplainFormat};
use text::FileLines;

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
        // 'replay' would have to be told of them, and a store has only what is known now.
        let told = args.as_of.map(|_| "--as-of").or(args.answers.given());
        if let Some(option) = told.filter(|_| args.record) {
            return Err(Failure::Usage(format!(
                "{option} is not for --record, because 'replay' decides by what a store says now"
            )));
        }
        let (store, answers) = (stores::read_only(&args.policy.robots)?, args.answers);
        let meaning = move |profile: &Profile| answers.protocol(profile);
        let sites = KnownSites::new(store, args.as_of, meaning);
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
    let sha256 = ContentHash::of(&bytes).to_string();
    let file = File { bytes: &bytes, sha256, answer, read: Vec::new() };
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
    /// Its operator, if that reads the one file otherwise.
    operator: Option<Operator>,
    /// The site that the one file is for, if that is known.
    governed: Governed,
    explained: u64,
    tally: Tally,
    out: Stdout,
}

/// Where robots.txt files come from.
enum Source<'e> {
    /// One for all URLs.
    File(File<'e>),
    /// The one of the URL's site.
    Store(KnownSites),
}

/// A robots.txt.
struct File<'e> {
    /// The file, or what stands for an answer.
    bytes: &'e [u8],
    sha256: String,
    /// What its URL answered in the place of a file.
    answer: Option<web::Answer>,
    /// As each profile to explain in reads it, with its lines if they may be shown.
    read: Vec<(Robots<'e>, Vec<Range<usize>>)>,
}

impl<'e> Explainer<'e> {
    fn new(args: &'e ExplainArgs, mut source: Source<'e>) -> Result<Explainer<'e>, Failure> {
        let agent = args.policy.agent();
        let profile = args.policy.profile();
        let crawler = agent.crawler(&profile)?;
        if let Source::File(file) = &source {
            note_known(&crawler, &Robots::parse(file.bytes, &profile), file.answer.as_ref());
        }
        let mut profiles = vec![(args.policy.profile.name(), profile)];
        if args.all_profiles {
            let others = Profile::NAMED.iter().filter(|(_, other)| *other != profile);
            for (_, other) in others {
                agent.check(other)?;
            }
            profiles = Profile::NAMED.to_vec();
        }
        if let Source::File(file) = &mut source {
            let read = |(_, profile): &(_, Profile)| {
                let robots = Robots::parse(file.bytes, profile);
                let is_shown = args.format == ExplainFormat::Text;
                let extent = if is_shown { robots.extent() } else { 0..0 };
                (robots, lines(file.bytes, extent))
            };
            file.read = profiles.iter().map(read).collect();
        }
        let mut tally = Tally::default();
        tally.needs_host = matches!(source, Source::Store(_));
        let out = Stdout::new();
        let operator = match &source {
            Source::File(file) => {
                Operator::of(&crawler, file.bytes, &profile, file.answer.as_ref())
            }
            Source::Store(_) => None,
        };
        let governed = Governed::by(&args.policy.robots);
        Ok(Explainer {
            args,
            source,
            agent,
            crawler,
            profiles,
            operator,
            governed,
            explained: 0,
            tally,
            out,
        })
    }

    fn run(mut self, urls: &[OsString]) -> Result<Status, Failure> {
        let too_long = urls::each(urls, self.args.progress.progress, |url| self.explain(url))?;
        self.tally.add_too_long(too_long);
        Ok(self.tally.status())
    }

    fn explain(&mut self, url: &[u8]) -> Result<(), Failure> {
        if self.args.record {
            return self.record(url);
        }
        let mut found = Vec::new();
        if let Source::Store(sites) = &mut self.source {
            let look_up = |(_, profile): &(_, Profile)| sites.find(url, profile);
            found = self.profiles.iter().map(look_up).collect::<Result<_, _>>()?;
        }
        let elsewhere = self.governed.elsewhere(url);
        let answer = match &self.source {
            Source::File(_) if elsewhere.is_some() => self.by_nobody(url, elsewhere.as_deref()),
            Source::File(file) => match &file.answer {
                None => self.by_file(file, url),
                Some(instead) => self.by_answer(file, instead, url),
            },
            Source::Store(_) => self.by_sites(&found, url),
        };
        if let Some(operator) = &self.operator
            && let [why] = answer.explanations()
        {
            match why.verdict {
                ExplainVerdict::Allow => operator.note(url, true),
                ExplainVerdict::Disallow => operator.note(url, false),
                _ => {}
            }
        }
        self.count(url, |verdict| answer.explanations().iter().any(|why| why.verdict == verdict));
        if !self.out.has_reader() {
            return Ok(());
        }
        let out = match self.args.format {
            ExplainFormat::Text => {
                let question = text::Question {
                    args: self.args,
                    agent: &self.agent,
                    profiles: &self.profiles,
                    is_first: self.explained == 1,
                };
                text::render(&question, url, &answer, self.files(&found))
            }
            ExplainFormat::Json | ExplainFormat::Jsonl => answer.to_json(),
        };
        self.out.print(out)
    }

    /// The lines of the file that was asked in each profile.
    fn files<'f>(&'f self, found: &'f [FoundSite]) -> Vec<FileLines<'f>> {
        match &self.source {
            Source::File(File { bytes, read, .. }) => {
                read.iter().map(|(_, lines)| FileLines { bytes, lines: lines.into() }).collect()
            }
            Source::Store(_) => {
                let files = self.profiles.iter().zip(found).map(|((_, profile), found)| {
                    let bytes = found.file();
                    let extent = Robots::parse(bytes, profile).extent();
                    FileLines { bytes, lines: lines(bytes, extent).into() }
                });
                files.collect()
            }
        }
    }

    /// Counts a URL by its verdicts.
    fn count(&mut self, url: &[u8], has: impl Fn(ExplainVerdict) -> bool) {
        if has(ExplainVerdict::Invalid) {
            self.tally.add_invalid(url);
        } else if has(ExplainVerdict::Disallow) {
            self.tally.disallowed += 1;
        } else if has(ExplainVerdict::Unknown) {
            self.tally.unknown += 1;
        }
        self.explained += 1;
    }

    fn asked<'q>(&'q self, url: &'q [u8]) -> Asked<'q> {
        Asked {
            robots: Some(self.args.policy.robots.as_os_str().as_encoded_bytes()),
            agent: self.agent.text.as_encoded_bytes().into(),
            user_agent: self.agent.is_header,
            crawler: &self.crawler,
            url,
        }
    }

    /// The answer made of one report for each profile, without a comparison of the profiles.
    fn uncompared(&self, asked: &Asked<'_>, mut reports: Vec<ExplainReport>) -> Answer {
        match reports.pop() {
            Some(report) if !self.args.all_profiles => Answer::One(Box::new(report)),
            last => {
                reports.extend(last);
                Answer::All(Box::new(asked.uncompared(reports)))
            }
        }
    }

    /// The answer where the file is not that of the URL's site.
    fn by_nobody(&self, url: &[u8], why: Option<&str>) -> Answer {
        let asked = self.asked(url);
        let (verdict, reason) = (ExplainVerdict::Unknown, ExplainReason::UnknownSite);
        let answered = |(name, _): &(&'static str, Profile)| {
            asked.answered(Some(name), verdict, reason, why.unwrap_or_default())
        };
        let reports = self.profiles.iter().map(answered).collect();
        self.uncompared(&asked, reports)
    }

    /// The answer of the rules of one file.
    fn by_file(&self, file: &File<'_>, url: &[u8]) -> Answer {
        match &file.read[..] {
            [(robots, _)] => Answer::One(Box::new(self.by_rules(robots, &self.profiles[0], url))),
            _ => self.by_all(file.bytes, url),
        }
    }

    /// The answer of the rules of one file in all profiles.
    fn by_all(&self, file: &[u8], url: &[u8]) -> Answer {
        let compared = compare_profiles(file, &self.crawler, url);
        Answer::All(Box::new(self.asked(url).compared(&compared)))
    }

    /// The answer of a file's rules in one profile.
    fn by_rules(
        &self,
        robots: &Robots<'_>,
        (name, _): &(&'static str, Profile),
        url: &[u8],
    ) -> ExplainReport {
        let asked = self.asked(url);
        let why = robots.explain(&self.crawler, url);
        why.map_or_else(|_| asked.invalid(Some(name)), |why| asked.explained(&why))
    }

    /// What stands for a site without rules, in one profile.
    fn by_stand_in(
        &self,
        robots: &Robots<'_>,
        (name, _): &(&'static str, Profile),
        decider: &str,
        url: &[u8],
    ) -> ExplainReport {
        let asked = self.asked(url);
        let name = Some(*name);
        match robots.explain(&self.crawler, url) {
            Err(_) => asked.invalid(name),
            Ok(why) if matches!(why.decision().reason, Reason::RobotsTxt) => {
                let sentence = format!("robots.txt itself may always be fetched; else {decider}");
                asked.answered(name, ExplainVerdict::Allow, ExplainReason::RobotsTxt, sentence)
            }
            Ok(why) => asked.answered(name, why.verdict.into(), ExplainReason::Site, decider),
        }
    }

    /// The answer where a URL answered this in the place of a file, for which these rules stand.
    fn by_answer(&self, stand_in: &File<'_>, answer: &web::Answer, url: &[u8]) -> Answer {
        let decider = answer.to_string();
        let reports = self.profiles.iter().zip(&stand_in.read).map(|(profile, (robots, _))| {
            let mut report = self.by_stand_in(robots, profile, &decider, url);
            report.answer = Some(answer.cause.clone());
            report
        });
        self.uncompared(&self.asked(url), reports.collect())
    }

    /// The answer of what applies to the URL's site in each profile.
    fn by_sites(&self, found: &[FoundSite], url: &[u8]) -> Answer {
        let asked = self.asked(url);
        let mut answer = match found {
            [FoundSite::Site(first), ..] if found.iter().all(|found| found.has_rules_of(first)) => {
                match &self.profiles[..] {
                    [profile] => {
                        let robots = Robots::parse(first.file(), &profile.1);
                        Answer::One(Box::new(self.by_rules(&robots, profile, url)))
                    }
                    _ => self.by_all(first.file(), url),
                }
            }
            _ => {
                let reports = self.profiles.iter().zip(found).map(|(profile, found)| match found {
                    FoundSite::Invalid => {
                        let sentence = "with a store a URL is scheme://host/path";
                        let (verdict, reason) =
                            (ExplainVerdict::Invalid, ExplainReason::InvalidUrl);
                        asked.answered(Some(profile.0), verdict, reason, sentence)
                    }
                    FoundSite::Unknown(why) => {
                        let (verdict, reason) =
                            (ExplainVerdict::Unknown, ExplainReason::UnknownSite);
                        asked.answered(Some(profile.0), verdict, reason, why)
                    }
                    FoundSite::Site(site) if site.has_rules() => {
                        self.by_rules(&Robots::parse(site.file(), &profile.1), profile, url)
                    }
                    FoundSite::Site(site) => {
                        let robots = Robots::parse(site.file(), &profile.1);
                        self.by_stand_in(&robots, profile, &site.policy(), url)
                    }
                });
                self.uncompared(&asked, reports.collect())
            }
        };
        for (report, found) in answer.explanations_mut().iter_mut().zip(found) {
            if let FoundSite::Site(site) = found {
                report.site = Some(site.report());
            }
        }
        answer
    }

    /// Prints a decision record for each profile.
    fn record(&mut self, url: &[u8]) -> Result<(), Failure> {
        let mut out = Vec::new();
        let mut verdicts = Vec::new();
        for (at, profile) in self.profiles.iter().enumerate() {
            let found = match &mut self.source {
                Source::File(_) => None,
                Source::Store(sites) => Some(sites.find(url, &profile.1)?),
            };
            let (why, sha256) = match (&self.source, &found) {
                (Source::File(file), _) => {
                    (file.read[at].0.explain(&self.crawler, url), file.sha256.clone())
                }
                (Source::Store(_), found) => {
                    let (file, sha256) = found.as_ref().map(|it| (it.file(), it.sha256())).unzip();
                    let robots = Robots::parse(file.unwrap_or_default(), &profile.1);
                    (robots.explain(&self.crawler, url), sha256.unwrap_or_default())
                }
            };
            let why = why.ok();
            let mut record =
                DecisionRecord::new(&self.asked(url), profile.0, &sha256, why.as_ref());
            if let Some(found) = &found {
                record = record.of_site(found.holds());
            }
            verdicts.push(record.verdict.clone());
            serde_json::to_writer(&mut out, &record).expect("a vector has room for any text");
            out.push(b'\n');
        }
        self.count(url, |verdict| verdicts.iter().any(|found| *found == verdict.as_str()));
        if self.out.has_reader() { self.out.print(out) } else { Ok(()) }
    }
}
