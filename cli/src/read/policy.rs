//! The arguments that name one policy: `[--profile PROFILE] ROBOTS AGENT`, where an option may
//! stand in for AGENT.

use std::cell::Cell;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use robotsieve::{Crawler, Policy, Profile, Robots};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Operators};

use super::robots_file;
use super::web::{Answer, Given};
use crate::error::Failure;
use crate::known::Known;
use crate::options::{AGENT, Agent, AgentOption, ProfileOption, USER_AGENT};
use crate::write::bytes::shown;
use crate::write::stderr;

/// One policy: a robots.txt, a crawler and a profile.
#[derive(Args, Debug)]
pub struct PolicyArgs {
    #[command(flatten)]
    pub profile: ProfileOption,

    #[command(flatten)]
    option: AgentOption,

    /// The robots.txt: a file, an http(s) URL, or '-'
    #[arg(value_name = "ROBOTS")]
    pub robots: PathBuf,

    /// The crawler, as for --agent; leave it out with either option
    #[arg(value_name = "AGENT", required_unless_present_any = [AGENT, USER_AGENT])]
    first: Option<OsString>,
}

/// URLs that follow a policy's arguments.
///
/// Without AGENT the argument in its place is the first URL, so clap requires a URL only where
/// AGENT is given; [`PolicyArgs::urls`] requires one in either case.
#[derive(Args, Debug)]
pub struct Urls {
    /// URLs, or paths that start with '/'; '-' reads standard input
    #[arg(value_name = "URL", required_unless_present_any = [AGENT, USER_AGENT])]
    #[arg(long_help = "URLs, or paths that start with '/'. A single '-' reads them from\n\
        standard input, one a line; a CR at the end of a line is dropped, and\n\
        empty lines are skipped")]
    rest: Vec<OsString>,
}

impl PolicyArgs {
    /// The profile.
    pub fn profile(&self) -> Profile {
        self.profile.get()
    }

    /// The crawler as given.
    pub fn agent(&self) -> Agent {
        match (&self.option.0, &self.first) {
            (Some(agent), _) => agent.clone(),
            (None, first) => Agent { text: first.clone().unwrap_or_default(), is_header: false },
        }
    }

    /// The crawler.
    ///
    /// # Errors
    /// As [`Agent::crawler`].
    pub fn crawler(&self) -> Result<Crawler, Failure> {
        self.agent().crawler(&self.profile())
    }

    /// Checks that AGENT was not left out, so that a URL took its place.
    fn has_agent(&self) -> Result<(), Failure> {
        let given = self.first.as_ref().filter(|_| self.option.0.is_none());
        let text = given.map(|agent| agent.to_string_lossy()).unwrap_or_default();
        if text.starts_with('/') || text.contains("://") {
            return Err(Failure::Usage(format!(
                "AGENT is missing: '{text}' is a URL; name the crawler before it, as in \
                 ROBOTS AGENT {text}"
            )));
        }
        Ok(())
    }

    /// Checks that no AGENT was given beside an option that names the crawler, for commands in
    /// which nothing follows AGENT.
    ///
    /// # Errors
    /// Returns an error if both are there.
    pub fn nothing_follows(&self) -> Result<(), Failure> {
        self.has_agent()?;
        match (&self.option.0, &self.first) {
            (Some(agent), Some(first)) => Err(Failure::Usage(format!(
                "unexpected argument '{}': {} names the crawler, so leave AGENT out",
                first.display(),
                option_name(agent)
            ))),
            _ => Ok(()),
        }
    }

    /// The URLs that follow AGENT, or ROBOTS if there is no AGENT.
    ///
    /// # Errors
    /// Returns an error if there is no URL, or if one stands in the place of AGENT.
    pub fn urls(&self, urls: &Urls) -> Result<Vec<OsString>, Failure> {
        self.has_agent()?;
        let Some(agent) = &self.option.0 else { return Ok(urls.rest.clone()) };
        let urls: Vec<OsString> = self.first.iter().chain(&urls.rest).cloned().collect();
        if urls.is_empty() {
            return Err(Failure::Usage(format!(
                "no URL was given: with {} the arguments are ROBOTS URL...",
                option_name(agent)
            )));
        }
        Ok(urls)
    }

    /// Reads the robots.txt. What a URL answers in the place of a file is noted.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, with a hint if the arguments look swapped.
    pub fn read(&self) -> Result<Given, Failure> {
        let given = self.ask(&[self.profile()])?;
        given.note();
        Ok(given)
    }

    /// [`PolicyArgs::read`] for several profiles, and for commands that say themselves what a URL
    /// answered.
    ///
    /// # Errors
    /// Returns an error in the same cases, and if the answer of a URL means different things in
    /// the profiles.
    pub fn ask(&self, profiles: &[Profile]) -> Result<Given, Failure> {
        // Crawlers that are asked for by their names alone obey the group of `*`.
        let asked = robots_file::asked(&self.robots, profiles, &Known::default());
        asked.map_err(|failure| match self.likely_mistake() {
            Some(advice) => failure.advise(advice),
            None => failure,
        })
    }

    /// What may be wrong if ROBOTS cannot be read.
    fn likely_mistake(&self) -> Option<String> {
        let is_file = |text: &OsString| Path::new(text).is_file();
        match (&self.option.0, &self.first) {
            (None, Some(agent)) if is_file(agent) => Some(format!(
                "'{}' is a file: did you mean ROBOTS AGENT, in this order?",
                agent.display()
            )),
            (Some(agent), _) if is_file(&agent.text) => Some(format!(
                "'{}' is a file: {option} takes the crawler as its value, as in '{option} {} \
                 ROBOTS'",
                agent.text.display(),
                if agent.is_header { "HEADER" } else { "NAME" },
                option = option_name(agent),
            )),
            _ => None,
        }
    }
}

/// Notes that a file says something else to a known crawler than to the product token that was asked
/// for. An answer in the place of the file says the same to all.
pub fn note_known(crawler: &Crawler, robots: &Robots<'_>, answer: Option<&Answer>) {
    let note = Known::built_in().note(crawler, robots).filter(|_| answer.is_none());
    note.iter().for_each(|note| stderr::note(note));
}

/// A known crawler that is asked for by its token, and whose operator reads files in another profile than the
/// one asked for.
pub struct Operator {
    known: &'static KnownCrawler,
    profile: Profile,
    policy: Policy,
    is_told: Cell<bool>,
}

impl Operator {
    /// An answer in the place of the file says the same to all.
    pub fn of(
        crawler: &Crawler,
        file: &[u8],
        profile: &Profile,
        answer: Option<&Answer>,
    ) -> Option<Operator> {
        let known = KnownCrawlers::built_in().of_crawler(crawler).filter(|_| answer.is_none())?;
        let policy = known.operators_policy(file, profile)?;
        Some(Operator { known, profile: known.profile?, policy, is_told: Cell::new(false) })
    }

    /// Notes on standard error that the operator decides otherwise, for the first such URL.
    pub fn note(&self, url: &[u8], is_allowed: bool) {
        let differs = |allowed: bool| allowed != is_allowed;
        if self.is_told.get() || !self.policy.is_allowed(url).is_ok_and(differs) {
            return;
        }
        self.is_told.set(true);
        let profile = self.profile.name().unwrap_or_default();
        stderr::note(&format_args!(
            "{} of {} reads robots.txt in profile {profile}, where it {} '{}'{}",
            self.known.name,
            self.known.operator,
            if is_allowed { "may not fetch" } else { "may fetch" },
            shown(url),
            self.known.way_to_ask(profile),
        ));
    }
}

/// Known crawlers that are asked for by their tokens, and whose operators read files in another profile than the
/// one asked for: for many files, of which the first that has other rules for them is told.
pub struct OperatorsNote {
    crawlers: Vec<&'static KnownCrawler>,
    profile: Profile,
    is_told: AtomicBool,
}

impl OperatorsNote {
    pub fn of(crawlers: &[Crawler], profile: &Profile) -> OperatorsNote {
        let known = crawlers.iter().filter_map(|it| KnownCrawlers::built_in().of_crawler(it));
        let known = known.filter(|it| it.profile.is_some_and(|own| own != *profile)).collect();
        OperatorsNote { crawlers: known, profile: *profile, is_told: AtomicBool::new(false) }
    }

    /// Notes on standard error that a file has other rules for them, once.
    #[inline]
    pub fn look(&self, file: &[u8], name: &dyn Display) {
        if self.is_open() {
            self.compare(file, name);
        }
    }

    /// True if a file that has other rules for them would be told.
    #[inline]
    pub fn is_open(&self) -> bool {
        !self.crawlers.is_empty() && !self.is_told.load(Ordering::Relaxed)
    }

    /// Notes on standard error that a pack does not show whether files have other rules for them.
    pub fn tell_of_pack(&self) {
        let note = Operators::note_of_pack(self.crawlers.iter().copied(), &self.profile);
        note.iter().for_each(|note| stderr::note(note));
    }

    #[cold]
    fn compare(&self, file: &[u8], name: &dyn Display) {
        let known = || self.crawlers.iter().copied();
        let asked = Robots::parse(file, &self.profile);
        let operators = Operators::of(file, &self.profile, known());
        let Some(note) = operators.note_of_asked(known(), &asked, &name.to_string()) else {
            return;
        };
        if !self.is_told.swap(true, Ordering::Relaxed) {
            stderr::note(&note);
        }
    }
}

fn option_name(agent: &Agent) -> &'static str {
    if agent.is_header { "--user-agent" } else { "--agent" }
}
