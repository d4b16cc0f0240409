//! `robotsieve block`: the groups that shut crawlers out, alone or in a file.

pub mod args;

use std::fs;

use robotsieve_owners::block::{self, Block, CannotBlock};

use crate::error::{Failure, Status};
use crate::known::refused_name;
use crate::read::output::refuse_inputs;
use crate::read::robots_file;
use crate::write::file::print_or_write;
use crate::write::stderr;
use args::BlockArgs;

/// Prints the groups or the edited file.
pub fn run(args: &BlockArgs) -> Result<Status, Failure> {
    // ROBOTS may be edited in its place.
    refuse_inputs(args.output.output.as_deref(), &args.known.files)?;
    let known = args.known.read()?;
    let mut block = Block::new(&known);
    args.purpose.purposes.iter().for_each(|purpose| block.add_purpose(*purpose));
    for token in &args.crawlers {
        let added = block.add_crawler(token);
        added.map_err(|wrong| Failure::Usage(format!("--crawler {wrong}")))?;
    }
    if block.is_empty() {
        let message = if args.purpose.purposes.is_empty() {
            "no crawler was named: give --purpose PURPOSE or --crawler TOKEN"
        } else {
            "no crawler is known of these purposes: name some with --crawler TOKEN"
        };
        return Err(Failure::Usage(message.to_owned()));
    }
    if let (None, Some(output)) = (&args.robots, &args.output.output)
        && output.is_file()
        && fs::read(output).is_ok_and(|file| !block::has_nothing_else(&file))
    {
        let name = output.display();
        return Err(Failure::Usage(format!(
            "'{name}' has other records, and would have the new groups alone: give the file to edit \
             too, as in '-o {name} {name}', or another name"
        )));
    }
    let old = match &args.robots {
        None => Vec::new(),
        Some(robots) => robots_file::text(robots)?,
    };
    match block.edit(&old) {
        Ok(edited) => {
            let of_profiles = edited.profile_notes.iter().filter(|_| args.verbose);
            edited.notes.iter().chain(of_profiles).for_each(|note| stderr::note(note));
            print_or_write(args.output.output.as_deref(), edited.file)
        }
        Err(CannotBlock::Unproven(wrong)) => {
            let what = if args.robots.is_some() { "the edited file" } else { "the groups" };
            stderr::error(&format_args!(
                "nothing is printed, since {what} would not do what was asked for: {wrong}; mend the \
                 file there, or name other crawlers"
            ));
            Ok(Status::No)
        }
        Err(CannotBlock::DidYouMean(question)) => {
            Err(refused_name(format_args!("--crawler: {question}")))
        }
        Err(wrong) => {
            let advice = match wrong {
                CannotBlock::Html => ": give the file or the URL of the robots.txt",
                _ => "",
            };
            stderr::error(&format_args!("nothing is printed, since {wrong}{advice}"));
            Ok(Status::No)
        }
    }
}
