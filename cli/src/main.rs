//! The command `robotsieve`: which URLs does a robots.txt allow?
//!
//! Five subcommands, each in a module of its own: [`check`] judges a few URLs and answers
//! by its exit status, [`filter`] sieves millions of them, [`pack`] compiles the files of many
//! hosts into one, [`dot`] draws what decides, [`lint`] says what is wrong with a file. All
//! decisions are the library's; here is only what surrounds them: arguments, files, lines,
//! hosts, formats.

mod args;
mod check;
mod dot;
mod error;
mod filter;
mod hosts;
mod lint;
mod mapped;
mod pack;
mod robots_dir;
mod robots_file;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Check(args) => check::run(&args),
        Command::Filter(args) => filter::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Dot(args) => dot::run(&args),
        Command::Lint(args) => lint::run(&args),
    };
    match outcome {
        Ok(status) => status.into(),
        Err(failure) => {
            error::say(&failure);
            failure.status().into()
        }
    }
}
