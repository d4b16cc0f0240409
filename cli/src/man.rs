//! `robotsieve man`: prints manual pages, generated from the help.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::error::{Failure, Status};
use crate::options::output_parser;
use crate::write::stdout;

/// Print a manual page, or write all of them
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    override_usage = "\
robotsieve man [COMMAND]...
       robotsieve man --output PATH",
    after_help = "\
Examples:
  robotsieve man | man -l -
  robotsieve man filter | man -l -
  robotsieve man store get | man -l -
  robotsieve man --output ~/.local/share/man/man1

Exit status:
  0  done
  2  wrong usage
  3  a page could not be written"
)]
pub struct ManArgs {
    /// Write the pages of all commands into this folder
    #[arg(short, long, value_name = "PATH", conflicts_with = "command", value_parser = output_parser(), value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,

    /// The command to print the page of [default: robotsieve]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

/// Prints one page of a whole command line, or writes all of them.
pub fn run(args: &ManArgs, whole: Command) -> Result<Status, Failure> {
    let pages = pages(whole);
    match &args.output {
        Some(folder) => write_all(folder, pages),
        None => print(&args.command, &pages),
    }
}

/// Prints the page of the command that these words name.
fn print(words: &[String], pages: &[NamedPage]) -> Result<Status, Failure> {
    let wanted = [&["robotsieve".to_owned()], words].concat().join("-");
    let Some((_, page)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let names = pages.iter().filter_map(|(name, _)| name.strip_prefix("robotsieve-"));
        let names: Vec<String> = names.map(|name| name.replace('-', " ")).collect();
        return Err(Failure::Usage(format!(
            "there is no command '{}': the commands are {}",
            words.join(" "),
            names.join(", ")
        )));
    };
    stdout::print(page)
}

fn write_all(folder: &Path, pages: Vec<NamedPage>) -> Result<Status, Failure> {
    let failed = |path: &Path, cause: io::Error| {
        Failure::io(format!("cannot write manual page '{}'", path.display()), cause)
    };
    fs::create_dir_all(folder).map_err(|cause| failed(folder, cause))?;
    for (name, page) in pages {
        let path = folder.join(format!("{name}.1"));
        fs::write(&path, page).map_err(|cause| failed(&path, cause))?;
    }
    Ok(Status::Done)
}

/// A page and its name.
type NamedPage = (String, Vec<u8>);

/// All pages: the whole command's, then those of its commands, and of theirs.
fn pages(whole: Command) -> Vec<NamedPage> {
    // The page of 'help' would say nothing.
    let mut whole = whole.disable_help_subcommand(true);
    // Makes the names and usages of commands start with 'robotsieve'.
    whole.build();
    let mut pages = Vec::new();
    add_pages(whole, "robotsieve", &mut pages);
    pages
}

fn add_pages(command: Command, name: &str, pages: &mut Vec<NamedPage>) {
    let named = command.clone().display_name(name).version(env!("CARGO_PKG_VERSION"));
    let named = named.mut_args(with_list);
    pages.push((name.to_owned(), page(named)));
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        add_pages(sub.clone(), &format!("{name}-{}", sub.get_name()), pages);
    }
}

/// Leaves a list of values that is part of the help to the generator, which would make one paragraph
/// of its lines.
fn with_list(arg: Arg) -> Arg {
    let help = arg.get_long_help().map(ToString::to_string).unwrap_or_default();
    match help.split_once(":\n- ") {
        Some((help, _)) => arg.long_help(help.to_owned()).hide_possible_values(false),
        None => arg,
    }
}

fn page(command: Command) -> Vec<u8> {
    let mut page = Vec::new();
    write_page(command, &mut page).expect("a vector has room for any text");
    page
}

fn write_page(command: Command, page: &mut Vec<u8>) -> io::Result<()> {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_commands = command.has_subcommands();
    // Otherwise the footer would name the command without 'robotsieve'.
    let man = Man::new(command).source(concat!("robotsieve ", env!("CARGO_PKG_VERSION")));
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if has_commands {
        man.render_subcommands_section(page)?;
    }
    sections(&after).to_writer(page)?;
    man.render_version_section(page)
}

/// The text that follows the options in the help, split into sections with their lines unchanged. A
/// heading is the first line of a paragraph that ends with a colon if the next one is indented.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    for paragraph in text.split("\n\n") {
        let (first, rest) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
        let heading = first.strip_suffix(':').filter(|_| rest.starts_with("  "));
        let lines = match heading {
            Some(heading) => {
                roff.control("SH", [heading.to_uppercase().as_str()]);
                rest
            }
            None => {
                roff.control("PP", []);
                paragraph
            }
        };
        roff.control("nf", []);
        for line in lines.lines() {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        roff.control("fi", []);
    }
    roff
}
