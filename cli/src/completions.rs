//! `robotsieve completions`: what a shell needs to complete the command line.

use clap::CommandFactory;
use clap_complete::generate;

use crate::args::{Cli, CompletionsArgs};
use crate::error::{Failure, Status};
use crate::write::stdout;

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<Status, Failure> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "robotsieve", &mut script);
    stdout::print(script)
}
