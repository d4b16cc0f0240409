//! The command line as a whole: options mean the same in all commands, and docs/commands.md lists
//! them all.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

use crate::command_line::Cli;

/// The whole command line, with all global options and names in place.
fn whole() -> Command {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    whole
}

/// Each command that can be called, with the words that call it.
fn commands(whole: &Command) -> Vec<(String, Command)> {
    let mut commands = Vec::new();
    for command in whole.get_subcommands() {
        let name = command.get_name().to_owned();
        commands.push((name.clone(), command.clone()));
        for second in command.get_subcommands().filter(|second| second.get_name() != "help") {
            commands.push((format!("{name} {}", second.get_name()), second.clone()));
        }
    }
    commands
}

/// The options and arguments in the help, without `--help`.
fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_shown = |arg: &&Arg| !arg.is_hide_set() && arg.get_id() != "help";
    command.get_arguments().filter(is_shown)
}

/// `--profile <PROFILE>`, `-q, --quiet`, `<ROBOTS>`.
fn spelling(arg: &Arg) -> String {
    let value = arg.get_value_names().map(|names| names[0].to_string());
    let takes_value = arg.get_action().takes_values();
    match (arg.get_long(), value.filter(|_| takes_value)) {
        (None, value) => value.unwrap_or_default(),
        (Some(long), value) => {
            let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
            format!("{short}--{long}{}", value.map(|value| format!(" {value}")).unwrap_or_default())
        }
    }
}

/// docs/commands.md has a line for each command, with what its help begins with.
#[test]
fn the_page_lists_every_command() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/commands.md");
    let page = fs::read_to_string(page).unwrap();
    let lines = page.lines().filter(|line| line.starts_with("| `") && line.contains("` | "));
    let listed: Vec<&str> = lines.take_while(|line| !line.starts_with("| `--")).collect();
    let whole = whole();
    let line = |(name, command): (String, Command)| {
        format!("| `{name}` | {} |", command.get_about().map(ToString::to_string).unwrap())
    };
    let wanted: Vec<String> = commands(&whole).into_iter().map(line).collect();
    assert_eq!(listed, wanted);
}

/// An option that several commands have has the same value and the same help in all of them.
#[test]
fn options_mean_the_same_everywhere() {
    // The help names the values, or what is written; a purpose is one of URLs, or of crawlers; what
    // more is said with --verbose depends on the command.
    const DIFFER: [&str; 4] = ["format", "output", "purpose", "verbose"];
    let whole = whole();
    let mut seen: BTreeMap<String, (String, String, String)> = BTreeMap::new();
    for (name, command) in commands(&whole) {
        for arg in shown(&command).filter(|arg| arg.get_long().is_some()) {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let id = arg.get_id().to_string();
            let (other, other_help, other_name) = seen
                .entry(id.clone())
                .or_insert_with(|| (spelling(arg), help.clone(), name.clone()));
            assert_eq!(&spelling(arg), other, "{id} in {name} and {other_name}");
            if !DIFFER.contains(&id.as_str()) {
                assert_eq!(&help, other_help, "--{id} in {name} and {other_name}");
            }
        }
    }
}

/// The names of values say what kind of value it is.
#[test]
fn values_have_the_right_names() {
    let whole = whole();
    for (name, command) in commands(&whole) {
        for arg in shown(&command) {
            let wanted: &[&str] = match arg.get_long().unwrap_or_default() {
                "agent" => &["NAME"],
                "user-agent" | "send-user-agent" => &["HEADER"],
                "format" => &["FORMAT"],
                "output" => &["PATH"],
                "robots-dir" => &["DIR"],
                "color" | "progress" => &["WHEN"],
                "profile" => &["PROFILE"],
                _ => continue,
            };
            let value = arg.get_value_names().unwrap()[0].as_str();
            assert!(wanted.contains(&value), "{name} --{} {value}", arg.get_id());
        }
        // Formats have no other name, and no option that is a path takes one.
        let format = command.get_arguments().find(|arg| arg.get_id() == "format");
        for value in format.iter().flat_map(|arg| arg.get_possible_values()) {
            let known = [
                "text", "json", "jsonl", "tsv", "urls", "denied", "sarif", "github", "markdown",
                "toml", "junit", "parquet",
            ];
            assert!(known.contains(&value.get_name()), "{name} --format {}", value.get_name());
        }
    }
}

/// All help fits into 80 columns, and what is printed by `-h` into 120.
#[test]
fn help_fits_the_screen() {
    let whole = whole();
    let all = commands(&whole).into_iter().chain([("".to_owned(), whole.clone())]);
    for (name, mut command) in all {
        for (help, width) in
            [(command.render_long_help().to_string(), 80), (command.render_help().to_string(), 120)]
        {
            for line in help.lines() {
                assert!(line.chars().count() <= width, "help of {name}: {line}");
            }
        }
    }
}
