//! The options that several commands share. Each is defined once, here, and flattened into the
//! arguments of every command that takes it, so it has one spelling, one meaning and one help text.

mod crawlers;
mod instant;
mod output;
mod profile;
mod screen;
mod size;
mod threads;
mod values;

use clap::ValueEnum;

pub use crawlers::{
    AGENT, Agent, AgentOption, Agents, SEND_USER_AGENT_HELP, USER_AGENT, crawler_names,
};
pub use instant::{Instant, as_of};
pub use output::{OutputOption, parser as output_parser};
pub use profile::{ProfileOption, ProfilesOption};
pub use robotsieve_captures::rfc3339;
pub use screen::{ColorOption, ProgressOption, When};
pub use size::Size;
pub use threads::Threads;
pub use values::{list, values};

/// The formats of commands that print for people or for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
}
