//! `--agent` and `--user-agent`: the crawlers that verdicts are for.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, FromArgMatches, value_parser};
use robotsieve::Crawler;

use crate::error::Failure;

pub(super) const AGENT_HELP: &str = "A crawler, by its product token";

pub(super) const AGENT_LONG_HELP: &str = "\
A crawler, by its product token: the name that robots.txt files use
for it, such as GPTBot. List several names of one crawler from most to
least specific, separated by commas: googlebot-news,googlebot. Names
are used as given: spaces belong to a name, and a name may be empty";

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
    /// The crawler.
    pub fn crawler(&self) -> Crawler {
        Agent::crawler_of(self.text.as_encoded_bytes(), self.is_header)
    }

    /// The crawler with these names, or with this header.
    pub fn crawler_of(text: &[u8], is_header: bool) -> Crawler {
        if is_header {
            Crawler::from_user_agent(text)
        } else {
            Crawler::names(text.split(|byte| *byte == b','))
        }
    }
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
        if self.0.is_empty() {
            let message = "no crawler was given: name one with --agent NAME, or give its header \
                           with --user-agent HEADER";
            return Err(Failure::Usage(message.into()));
        }
        Ok(&self.0)
    }
}

pub(super) const AGENT: &str = "agent";
pub(super) const USER_AGENT: &str = "user_agent";

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

/// A crawler's names, as `--agent` takes them.
pub fn crawler_names(crawler: &Crawler) -> String {
    let names: Vec<_> = crawler.iter().map(String::from_utf8_lossy).collect();
    names.join(",")
}
