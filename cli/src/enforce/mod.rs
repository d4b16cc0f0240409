//! `robotsieve enforce`: server configuration that refuses what a robots.txt forbids.

pub mod args;

use robotsieve::Robots;
use robotsieve_known::Operators;
use robotsieve_owners::enforce::{self, CannotEnforce, Options};

use crate::audit::ranges::{self, RangesOption};
use crate::error::{Failure, Status};
use crate::known::refused_name;
use crate::read::output::refuse_inputs;
use crate::read::robots_file;
use crate::write::file::print_or_write;
use crate::write::stderr;
use args::EnforceArgs;

/// Prints the configuration.
pub fn run(args: &EnforceArgs) -> Result<Status, Failure> {
    if args.also_known && !(args.purpose.purposes.is_empty() && args.crawlers.is_empty()) {
        return Err(Failure::Usage(
            "--known is for all known crawlers, --purpose and --crawler are for some: leave --known out, or the others"
                .into(),
        ));
    }
    let inputs = [&*args.robots].into_iter().chain(args.known.files.iter().map(|path| &**path));
    let inputs = inputs.chain(args.ranges.iter().map(RangesOption::place));
    refuse_inputs(args.output.output.as_deref(), inputs)?;
    let known = args.known.read()?;
    let mut options = Options::new(args.server);
    options.choice.known = args.also_known;
    options.choice.purposes.clone_from(&args.purpose.purposes);
    options.choice.crawlers.clone_from(&args.crawlers);
    options.choice.except.clone_from(&args.except);
    options.status = args.status;
    options.log_only = args.log_only;
    options.as_sent = args.as_sent;
    options.approximate = args.approximate.map(Into::into);
    options.name.clone_from(&args.name);
    options.crawl_delay = args.crawl_delay;
    for option in &args.ranges {
        options.add_ranges(ranges::of_one(option, &known)?);
    }
    options.check().map_err(Failure::Usage)?;
    let file = robots_file::rules(&args.robots)?;
    let robots = Robots::parse(&file, &args.profile.get());
    let operators = match args.profile.by_operators() {
        true => Operators::of(&file, robots.profile(), known.iter()),
        false => Operators::default(),
    };
    match enforce::configuration_by_operators(&robots, &operators, &known, &options) {
        Ok(written) => {
            written.notes.iter().for_each(|note| stderr::note(note));
            print_or_write(args.output.output.as_deref(), written.text)
        }
        Err(CannotEnforce::DidYouMean(question)) => Err(refused_name(question)),
        Err(wrong) => {
            let way_out = match wrong {
                CannotEnforce::Nothing { ref notes, .. }
                    if notes.iter().any(|note| note.contains("--known")) =>
                {
                    ""
                }
                CannotEnforce::Nothing { .. } => "; --known and --crawler choose others",
                CannotEnforce::Differs { .. } => {
                    "; --approximate stricter or looser prints what comes near"
                }
                _ => "",
            };
            stderr::error(&format_args!("nothing is printed: {wrong}{way_out}"));
            Ok(Status::No)
        }
    }
}
