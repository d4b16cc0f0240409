//! `docs/commands.md`, generated from the definitions of the command line.
//!
//! `UPDATE_DOCS=1 cargo test -p robotsieve-cli commands_page` writes it; without the variable the
//! test compares it.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

use crate::command_line::Cli;

const HEAD: &str = "\
# Commands

Every command with its arguments, options, exit statuses and examples, as `robotsieve help COMMAND`
prints them. This page is generated from the definitions of the command line: edit those, then run
`UPDATE_DOCS=1 cargo test -p robotsieve-cli commands_page`.

";

const VOCABULARY: &str = "\
## Vocabulary

An option has the same meaning in every command that has it.

";

const AFTER_VOCABULARY: &str = "
`check`, `explain` and `dot` are about one crawler. It is the argument AGENT, or else `--agent` or
`--user-agent`; then there is no AGENT. Other commands take these two options any number of times,
and keep the order of the command line.

In the formats, `json` is one JSON document, and `jsonl` is one JSON object a line.

Wherever a robots.txt, URLs, records or a list are read, `-` is standard input; `./-` is a file. Packs,
stores and files of `--crawlers` are files only.

## Exit status

| Status | Meaning |
|---|---|
| 0 | done; the answer is yes, or nothing was found |
| 1 | the answer is no, or something was found |
| 2 | wrong usage, or an invalid URL |
| 3 | something could not be read, written, fetched or done |

Every error starts with `robotsieve: ` on standard error and says on the same line what is wrong;
errors of the command line also show the usage.
";

/// The options that the page explains in full once, as all commands that have them say the same.
fn detailed(commands: &[(String, Command)]) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for arg in commands.iter().flat_map(|(_, command)| shown(command)) {
        if arg.get_long().is_some() {
            let mut text = String::new();
            add_arg(arg, &mut text);
            texts.entry(arg.get_id().to_string()).or_default().push(text);
        }
    }
    texts.retain(|_, texts| texts.len() > 1 && texts.iter().all(|text| *text == texts[0]));
    texts.into_iter().map(|(id, mut texts)| (id, texts.remove(0))).collect()
}

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

/// The options of several commands: their help and the commands.
fn vocabulary(commands: &[(String, Command)]) -> BTreeMap<String, (String, Vec<&str>)> {
    let mut options: BTreeMap<String, (String, Vec<&str>)> = BTreeMap::new();
    for (name, command) in commands {
        for arg in shown(command).filter(|arg| arg.get_long().is_some()) {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            // What differs from command to command is left out.
            let help = match arg.get_long() {
                Some("format") => "What to print".to_owned(),
                Some("output") => "Where to write".to_owned(),
                Some("list") if !arg.get_action().takes_values() => {
                    "Print a list of what the command is about".to_owned()
                }
                _ => help,
            };
            let (_, names) = options.entry(spelling(arg)).or_insert_with(|| (help, Vec::new()));
            names.push(name);
        }
    }
    options.retain(|_, (_, names)| names.len() > 1);
    options
}

fn page() -> String {
    let whole = whole();
    let commands = commands(&whole);
    let mut page = HEAD.to_owned();
    page.push_str("| Command | |\n|---|---|\n");
    for (name, command) in &commands {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, "| [`{name}`](#{}) | {} |", name.replace(' ', "-"), cell(&about));
    }
    page.push('\n');
    page.push_str(VOCABULARY);
    page.push_str("| Option | Meaning | Commands |\n|---|---|---|\n");
    for (option, (help, names)) in vocabulary(&commands) {
        let names = if names.len() == commands.len() {
            "all".to_owned()
        } else {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let _ = writeln!(page, "| `{option}` | {} | {names} |", cell(&help));
    }
    page.push_str("\nIn detail:\n\n");
    let detailed = detailed(&commands);
    page.extend(detailed.values().map(String::as_str));
    page.push_str(AFTER_VOCABULARY);
    for (name, command) in commands {
        let heading = if name.contains(' ') { "###" } else { "##" };
        let _ = write!(page, "\n{heading} {name}\n\n");
        add_command(&name, command, &detailed, &mut page);
    }
    page
}

/// The text of a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*")
}

/// The help of a command, in sections.
fn add_command(
    name: &str,
    mut command: Command,
    detailed: &BTreeMap<String, String>,
    page: &mut String,
) {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    for (number, paragraph) in about.split("\n\n").enumerate() {
        let end = if number == 0 { "." } else { "" };
        let (text, block) = paragraph.split_once("\n  ").unwrap_or((paragraph, ""));
        let _ = write!(page, "{}{end}\n\n", prose(text));
        if !block.is_empty() {
            let _ = write!(page, "```text\n{block}\n```\n\n");
        }
    }
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").lines().map(str::trim);
    let usage = usage.map(|line| line.replace("  ", " ")).collect::<Vec<_>>().join("\n");
    let usage = if usage.starts_with("robotsieve") { usage } else { format!("robotsieve {name}") };
    let _ = write!(page, "```text\n{usage}\n```\n\n");
    let is_detailed = |arg: &&Arg| detailed.contains_key(arg.get_id().as_str());
    shown(&command).filter(|arg| !is_detailed(arg)).for_each(|arg| add_arg(arg, page));
    let shared: Vec<String> =
        shown(&command).filter(is_detailed).map(|arg| format!("`{}`", spelling(arg))).collect();
    if !shared.is_empty() {
        let _ = writeln!(page, "- as [above](#vocabulary): {}", shared.join(", "));
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    for paragraph in after.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        let (first, rest) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
        page.push('\n');
        if !rest.starts_with("  ") {
            // A paragraph, perhaps with an indented last line.
            let (text, block) = paragraph.split_once("\n  ").unwrap_or((paragraph, ""));
            let _ = writeln!(page, "{}", prose(text));
            if !block.is_empty() {
                let _ = write!(page, "\n```text\n{block}\n```\n");
            }
            continue;
        }
        let indented: Vec<&str> = rest.lines().take_while(|line| line.starts_with("  ")).collect();
        let language = if first == "Examples:" { "sh" } else { "text" };
        let _ = write!(page, "{first}\n\n```{language}\n");
        for line in &indented {
            let _ = writeln!(page, "{}", line.strip_prefix("  ").unwrap_or(line));
        }
        page.push_str("```\n");
        let others: Vec<&str> = rest.lines().skip(indented.len()).collect();
        if !others.is_empty() {
            let _ = write!(page, "\n{}\n", prose(&others.join("\n")));
        }
    }
}

/// A list item for an argument or option.
fn add_arg(arg: &Arg, page: &mut String) {
    let help = arg.get_long_help().or(arg.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let default = match arg.get_default_values() {
        [default] if arg.get_action().takes_values() => {
            format!(" [default: {}]", default.to_string_lossy())
        }
        _ => String::new(),
    };
    let mut lines = Vec::new();
    let mut is_list = false;
    for line in help.lines() {
        match line.strip_prefix("- ").and_then(|item| item.split_once(':')) {
            Some((value, about)) => {
                is_list = true;
                lines.push(format!("  - `{value}`: {}", prose(about.trim())));
            }
            None if line.is_empty() => lines.push(String::new()),
            None => lines.push(format!("  {}", prose(line))),
        }
    }
    if let Some(first) = lines.first_mut() {
        let (colon, text) = match first.strip_suffix(':') {
            Some(text) if is_list => (":", text.to_owned()),
            _ => ("", first.clone()),
        };
        *first = format!("{text}{default}{colon}");
        if colon.is_empty() {
            // Then the default belongs to the end of the first paragraph.
            *first = text;
            let end = lines.iter().position(String::is_empty).unwrap_or(lines.len());
            lines[end - 1].push_str(&default);
        }
    }
    let _ = writeln!(page, "- `{}`:\n{}", spelling(arg), lines.join("\n"));
}

/// Text as Markdown: options and quoted commands become code.
fn prose(text: &str) -> String {
    let text = &linked(text);
    let mut out = String::new();
    let mut is_code = false;
    for (number, part) in text.split('\'').enumerate() {
        // 'robotsieve pack' is code, unlike the apostrophe of "scheme's".
        let before = text.split('\'').take(number).last().unwrap_or(" ");
        let starts = !is_code && (before.is_empty() || before.ends_with([' ', '(', '\n']));
        if number > 0 {
            if is_code {
                out.push('`');
                is_code = false;
            } else if starts {
                out.push('`');
                is_code = true;
            } else {
                out.push('\'');
            }
        }
        if is_code { out.push_str(part) } else { out.push_str(&options(part)) }
    }
    out
}

/// Turns the names of pages into links.
fn linked(text: &str) -> String {
    let mut text = text.replace("docs/lint has", "[docs/lint](lint/README.md) has");
    for page in ["explain", "diff", "records", "audit", "testing"] {
        text = text.replace(&format!("docs/{page}.md"), &format!("[docs/{page}.md]({page}.md)"));
    }
    text
}

/// Puts `--option`s in backticks, and escapes what Markdown would take for markup.
fn options(text: &str) -> String {
    let word = |word: &str| {
        let start = word.find("--").filter(|at| word[at + 2..].starts_with(char::is_alphabetic));
        let Some(start) = start else {
            return word.replace('*', "\\*").replace('<', "&lt;");
        };
        let len = word[start..].find(|c: char| !c.is_ascii_alphabetic() && c != '-');
        let end = len.map_or(word.len(), |len| start + len);
        format!("{}`{}`{}", &word[..start], &word[start..end], &word[end..])
    };
    text.split_inclusive([' ', '\n']).map(word).collect()
}

#[test]
fn commands_page_is_generated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/commands.md");
    let page = page();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, page).unwrap();
        return;
    }
    let there = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let differs = there.lines().zip(page.lines()).position(|(there, page)| there != page);
    assert!(
        there == page,
        "docs/commands.md is out of date (line {}): run 'UPDATE_DOCS=1 cargo test -p \
         robotsieve-cli commands_page' to write it",
        differs.map_or_else(|| page.lines().count(), |at| at + 1)
    );
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
