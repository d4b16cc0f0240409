//! `robotsieve pack`: compiles the robots.txt files of many hosts into one file.

pub mod args;
mod inspect;
pub mod make;
mod merge;
mod output;
mod shards;
pub mod sources;
mod update;

use crate::error::{Failure, Status};
use args::{PackArgs, PackCommand};

pub use make::of_store;

/// Makes a pack, or does something with packs.
pub fn run(args: &PackArgs) -> Result<Status, Failure> {
    match &args.command {
        None => make::build(args),
        Some(PackCommand::Update(args)) => update::run(args),
        Some(PackCommand::Merge(args)) => merge::run(args),
        Some(PackCommand::List(args)) => inspect::list(args),
        Some(PackCommand::Stat(args)) => inspect::stat(&args.pack, args.progress.progress),
        Some(PackCommand::Verify(args)) => inspect::verify(&args.pack, args.progress.progress),
    }
}
