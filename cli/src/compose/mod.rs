//! `robotsieve write`: a robots.txt from intentions.

pub mod args;
mod document;

use std::io;
use std::path::Path;

use robotsieve::{Profile, text_of};
use robotsieve_owners::write::{CannotBuild, Changes};

use crate::error::{Failure, Status};
use crate::read::output::refuse_inputs;
use crate::read::{robots_file, small_input, stdin};
use crate::write::file::print_or_write;
use crate::write::{stderr, stdout, unified};
use args::WriteArgs;
use document::{Document, Wrong};

/// How many faults are told one by one.
const MOST_FAULTS: usize = 20;

/// Prints the file, or compares one with it.
pub fn run(args: &WriteArgs) -> Result<Status, Failure> {
    stdin::at_most_once(args.check.iter().chain([&args.intentions]))?;
    let inputs = [&args.intentions].into_iter().chain(&args.known.files);
    refuse_inputs(args.output.output.as_deref(), inputs)?;
    let known = args.known.read()?;
    let text = read(&args.intentions)?;
    let name = robots_file::shown(&args.intentions);
    let document = match Document::read(&text) {
        Ok(document) => document,
        Err(Wrong { line, message }) => {
            stderr::error(&format_args!("{name}:{line}: {message}"));
            return Ok(Status::Usage);
        }
    };
    let built = match document.intentions.build(&known) {
        Ok(built) => built,
        Err(wrong) => return Ok(say(&name, &document, &wrong)),
    };
    let Some(check) = &args.check else {
        built.notes().iter().for_each(|note| stderr::note(note));
        return print_or_write(args.output.output.as_deref(), built.text());
    };
    let old = robots_file::text(check)?;
    let changes = Changes::between(&old, built.text().as_bytes(), &known);
    if changes.sentences.is_empty() {
        return Ok(Status::Done);
    }
    let shown = robots_file::shown(check);
    let old = text_of(&old, &Profile::RFC9309);
    // In UTF-16 it may have the same text.
    if *old != *built.text().as_bytes() {
        stdout::print(unified::diff(&shown, &old, built.text().as_bytes()))?;
    }
    for sentence in &changes.sentences {
        stderr::note(&format_args!("{shown}: {sentence}"));
    }
    Ok(Status::No)
}

/// Says why there is no file, with the line of each fault.
fn say(name: &str, document: &Document<'_>, wrong: &CannotBuild) -> Status {
    let faults = wrong.faults();
    for fault in faults.iter().take(MOST_FAULTS) {
        let message = &fault.message;
        match document.line(&fault.place) {
            Some(line) => stderr::error(&format_args!("{name}:{line}: {message}")),
            None => stderr::error(&format_args!("{name}: {message}")),
        }
    }
    if let Some(more) = faults.len().checked_sub(MOST_FAULTS + 1) {
        stderr::error(&format_args!("{name}: {} more places are wrong", more + 1));
    }
    let lines = wrong.numbered();
    if !lines.is_empty() {
        stderr::note(&"the file, which is not written:");
        lines.lines().for_each(|line| stderr::note(&line));
    }
    if wrong.is_unproven() { Status::No } else { Status::Usage }
}

/// The text of a file of intentions.
///
/// # Errors
/// Returns an error if it cannot be read, is longer than 64 MiB, or is not UTF-8.
fn read(path: &Path) -> Result<String, Failure> {
    const TOO_LONG: &str = "it is longer than 64 MiB, which no file of intentions is";
    let read = small_input(path, TOO_LONG).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
    });
    read.map_err(|cause| {
        let is_missing = cause.kind() == io::ErrorKind::NotFound;
        let action = format!("cannot read the intentions {}", stdin::source(path));
        let failure = Failure::io(action, cause);
        if is_missing {
            failure.advise("check the path, or use '-' for standard input")
        } else {
            failure
        }
    })
}
