//! The options that several commands share. Each is defined once, here, and flattened into the
//! arguments of every command that takes it, so it has one spelling, one meaning and one help text.

mod crawlers;
mod instant;
mod output;
mod policy;
mod profile;
mod screen;
mod size;
mod threads;

use clap::ValueEnum;
use clap::builder::PossibleValue;

pub use crawlers::{Agent, Agents, SEND_USER_AGENT_HELP, crawler_names, is_refused};
pub use instant::{as_of, is_before, rfc3339};
pub use output::parser as output_parser;
pub use policy::{AgentOption, PolicyArgs, Urls};
pub use profile::{ProfileOption, ProfilesOption};
pub use screen::{ColorOption, ProgressOption, When};
pub use size::Size;
pub use threads::Threads;

/// The long help of an option with a fixed set of values, which lists what they mean. clap's own list
/// is hidden: it would be in the summary that `-h` prints, too.
pub fn values<V: ValueEnum>(help: &str) -> String {
    let values = V::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    list(help, &values.collect::<Vec<_>>())
}

fn list(help: &str, values: &[PossibleValue]) -> String {
    let width = values.iter().map(|value| value.get_name().len()).max().unwrap_or(0) + 1;
    let lines = values.iter().map(|value| {
        let about = value.get_help().map(ToString::to_string).unwrap_or_default();
        format!("\n- {:width$} {about}", format!("{}:", value.get_name()))
    });
    help.to_owned() + ":" + &lines.collect::<String>()
}

/// The formats of commands that print for people or for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
}
