//! The command `robotsieve`: which URLs does a robots.txt allow?
//!
//! Each subcommand has a module of its own: [`check`] judges a few URLs and answers by its exit
//! status, [`filter`] sieves millions of them, [`fetch`] asks sites and [`store`] looks into what
//! it kept, [`explain`] says why and [`replay`] whether that still holds, [`diff`] compares what two files mean, [`records`] prints what is neither a
//! user-agent line nor a rule, [`lint`] says what is wrong with
//! a file, [`pack`] compiles the files of many hosts into one, [`dot`] draws
//! what decides; [`completions`] and [`man`] are for packagers. All decisions are the library's;
//! here is only what surrounds them: arguments, files, lines, hosts, formats.

mod args;
mod check;
mod completions;
mod diff;
mod dot;
mod error;
mod explain;
mod fetch;
mod filter;
mod lint;
mod man;
mod pack;
mod read;
mod records;
mod replay;
mod store;
mod write;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Check(args) => check::run(&args),
        Command::Filter(args) => filter::run(&args),
        Command::Fetch(args) => fetch::run(&args),
        Command::Store(command) => store::run(&command),
        Command::Pack(args) => pack::run(&args),
        Command::Dot(args) => dot::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Records(args) => records::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    match outcome {
        Ok(status) => status.into(),
        Err(failure) => {
            error::say(&failure);
            failure.status().into()
        }
    }
}
