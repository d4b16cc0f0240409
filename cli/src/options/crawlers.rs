//! `--agent` and `--user-agent`: the crawlers that verdicts are for.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, FromArgMatches, value_parser};
use robotsieve::{Crawler, NameError, Profile};
use robotsieve_known::misspelt;
use robotsieve_report::recorded::{check_names, refuses_names};

use crate::error::Failure;
use crate::write::bytes::shown;
use crate::write::stderr;

pub(super) const AGENT_HELP: &str = "A crawler, by its product token";

pub(super) const AGENT_LONG_HELP: &str = "\
A crawler, by its product token: the name that robots.txt files use
for it, such as GPTBot. List several names of one crawler from most to
least specific, separated by commas: googlebot-news,googlebot. A name
that no group can match, such as GPTBot/1.0, is an error, or a warning
with --profile google. A name may be empty";

pub(super) const USER_AGENT_HELP: &str = "A crawler, by its whole User-Agent header";

/// For the two commands that fetch; the option is optional in one of them.
pub const SEND_USER_AGENT_HELP: &str = "The User-Agent header to send with requests";

/// A crawler as the command line names it.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Names separated by commas, or a header.
    pub text: OsString,
    /// Whether `text` is a whole User-Agent header.
    pub is_header: bool,
}

impl Agent {
    /// Warns of names that no group can match in this profile.
    ///
    /// # Errors
    /// Returns an error if there are such names, except in profile `google`, which takes names
    /// as given.
    pub fn check(&self, profile: &Profile) -> Result<(), Failure> {
        if self.is_header {
            return Ok(());
        }
        if let Err(wrong) = check_names(self.text.as_encoded_bytes(), profile) {
            // Commands have named profiles only.
            let message = wrong_name(&wrong, profile.name().unwrap_or_default());
            if refuses_names(profile) {
                return Err(Failure::Usage(message));
            }
            stderr::note(&message);
        }
        Ok(())
    }

    /// The crawler, for a policy in this profile. Warns of names that no group can match, and of those
    /// that are one slip of the pen away from a known crawler's.
    ///
    /// # Errors
    /// As [`Agent::check`].
    pub fn crawler(&self, profile: &Profile) -> Result<Crawler, Failure> {
        let text = self.text.as_encoded_bytes();
        self.check(profile)?;
        if !self.is_header {
            let names = || text.split(|byte| *byte == b',');
            // Most commands have no file yet, or many.
            if !stderr::is_quiet() {
                names().filter_map(misspelt).for_each(|question| stderr::note(&question));
            }
            return Ok(Crawler::names(names()));
        }
        let crawler = Crawler::from_user_agent(text);
        if crawler.iter().next().is_none() {
            stderr::note(&format_args!(
                "no crawler is named in the User-Agent header '{}', so the group of '*' decides",
                shown(text)
            ));
        }
        Ok(crawler)
    }
}

/// What is wrong with a name, and the way out.
fn wrong_name(wrong: &NameError, profile: &str) -> String {
    let name = shown(wrong.name());
    let meant = wrong.probably_meant();
    // The product token of a line with this name, or a name within it.
    let is_token = meant.is_some_and(|meant| wrong.name().trim_ascii().starts_with(meant));
    let meant = meant.map(shown);
    if wrong.is_header() {
        let or = meant.map_or_else(String::new, |meant| format!(", or name the crawler '{meant}'"));
        return format!(
            "'{name}' looks like a User-Agent header, not a name: give it with --user-agent{or}"
        );
    }
    let advice = match meant {
        Some(meant) if wrong.is_evident() => {
            format!("did you mean '{meant}'? A whole header goes to --user-agent")
        }
        Some(meant) if is_token => format!("a line with it names '{meant}'"),
        Some(meant) => format!("did you mean '{meant}'?"),
        None => "name the crawler by the product token that robots.txt files use for it".to_owned(),
    };
    format!(
        "'{name}' is not a product token, so no group can name it in profile {profile}: {advice}"
    )
}

/// The crawlers given with `--agent` and `--user-agent`, in the order of the command line.
///
/// The implementation is by hand because a derived struct keeps the order only within each
/// option.
#[derive(Clone, Debug)]
pub struct Agents(pub Vec<Agent>);

impl Agents {
    /// The crawlers, of which there must be at least one.
    ///
    /// # Errors
    /// Returns an error if no crawler was given.
    pub fn required(&self) -> Result<&[Agent], Failure> {
        if self.0.is_empty() { Err(no_crawler()) } else { Ok(&self.0) }
    }

    /// The crawlers, for policies in this profile, of which there may be none.
    ///
    /// # Errors
    /// As [`Agent::crawler`].
    pub fn crawlers(&self, profile: &Profile) -> Result<Vec<Crawler>, Failure> {
        self.0.iter().map(|agent| agent.crawler(profile)).collect()
    }
}

pub const AGENT: &str = "agent";
pub const USER_AGENT: &str = "user_agent";

/// The two options, which commands take once or any number of times.
pub(super) fn options(action: ArgAction) -> [Arg; 2] {
    let option = |id, value_name| {
        let parser = value_parser!(OsString);
        Arg::new(id).value_name(value_name).action(action.clone()).value_parser(parser)
    };
    [
        option(AGENT, "NAME").long("agent").help(AGENT_HELP).long_help(AGENT_LONG_HELP),
        option(USER_AGENT, "HEADER").long("user-agent").help(USER_AGENT_HELP),
    ]
}

impl Args for Agents {
    fn augment_args(command: clap::Command) -> clap::Command {
        let [agent, user_agent] = options(ArgAction::Append);
        command
            .arg(
                agent.long_help(format!(
                    "{AGENT_LONG_HELP}.\n\nRepeat the option for several crawlers"
                )),
            )
            .arg(user_agent)
            .group(ArgGroup::new("crawlers").args([AGENT, USER_AGENT]).multiple(true))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Agents::augment_args(command)
    }
}

impl FromArgMatches for Agents {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Agents, clap::Error> {
        let mut agents = Vec::new();
        for (id, is_header) in [(AGENT, false), (USER_AGENT, true)] {
            let places = matches.indices_of(id).into_iter().flatten();
            let texts = matches.get_many::<OsString>(id).into_iter().flatten();
            let agent = |text: &OsString| Agent { text: text.clone(), is_header };
            agents.extend(places.zip(texts.map(agent)));
        }
        agents.sort_by_key(|(place, _)| *place);
        Ok(Agents(agents.into_iter().map(|(_, agent)| agent).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Agents::from_arg_matches(matches)?;
        Ok(())
    }
}

fn no_crawler() -> Failure {
    let message = "no crawler was given: name one with --agent NAME, or give its header with \
                   --user-agent HEADER";
    Failure::Usage(message.into())
}

/// `--agent` or `--user-agent`, once.
#[derive(Clone, Debug)]
pub struct AgentOption(pub Option<Agent>);

impl AgentOption {
    /// The crawler.
    ///
    /// # Errors
    /// Returns an error if none was given.
    pub fn required(&self) -> Result<&Agent, Failure> {
        self.0.as_ref().ok_or_else(no_crawler)
    }
}

impl Args for AgentOption {
    fn augment_args(command: clap::Command) -> clap::Command {
        let group = ArgGroup::new("crawler").args([AGENT, USER_AGENT]);
        command.args(options(ArgAction::Set)).group(group)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        AgentOption::augment_args(command)
    }
}

impl FromArgMatches for AgentOption {
    fn from_arg_matches(matches: &ArgMatches) -> Result<AgentOption, clap::Error> {
        Ok(AgentOption(Agents::from_arg_matches(matches)?.0.pop()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = AgentOption::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A crawler's names, as `--agent` takes them.
pub fn crawler_names(crawler: &Crawler) -> String {
    let names: Vec<_> = crawler.iter().map(String::from_utf8_lossy).collect();
    names.join(",")
}
