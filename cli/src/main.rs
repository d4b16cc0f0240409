//! The command `robotsieve`: which URLs does a robots.txt allow?
//!
//! Each command has a module of its own:
//!
//! - [`check`] judges a few URLs and answers with its exit status, [`filter`] judges millions.
//! - [`explain`] shows why a URL is allowed or not, [`replay`] checks whether recorded decisions
//!   still hold, [`diff`] compares what two files mean.
//! - [`lint`] finds mistakes in a file, [`test`] holds it to what is expected of it, [`records`]
//!   prints its other records, [`rights`] says what a URL may be used for, [`dot`] draws the automaton that decides.
//! - [`compose`] is `robotsieve write`, which writes a file from what a site wants.
//! - [`crawlers`] shows what known crawlers may read, [`block`] shuts them out, [`audit`] finds
//!   those in access logs that fetch what is forbidden.
//! - [`fetch`] downloads robots.txt files into a store, [`store`] inspects and converts stores,
//!   [`pack`] compiles the files of many hosts into one.
//! - [`schema`] describes what others print; [`completions`] and [`man`] are for packagers.
//!
//! The library makes all decisions. The commands deal with what surrounds them: arguments
//! ([`command_line`], [`options`]), what is read ([`read`], [`sitemap`]) and what is written
//! ([`write`]).

#![cfg_attr(not(feature = "network"), allow(dead_code, unused_imports, reason = "of fetching"))]

mod closed;
mod command_line;
mod error;
mod known;
#[cfg(not(feature = "network"))]
mod no_network;
mod options;
#[cfg(feature = "network")]
mod page;
mod read;
mod sitemap;
mod turns;
mod write;

mod audit;
mod block;
mod check;
mod completions;
mod compose;
mod crawlers;
mod diff;
mod dot;
mod enforce;
mod explain;
mod fetch;
mod filter;
mod lint;
mod man;
mod pack;
mod records;
mod replay;
mod rights;
mod schema;
mod store;
mod test;

#[cfg(test)]
mod vocabulary;

use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;

use clap::CommandFactory;
use command_line::{Cli, Command};
#[cfg(not(feature = "network"))]
use no_network as page;
use read::packs;
use write::stderr;

fn main() -> ExitCode {
    // A file that may not grow any more is a write that fails, not the end of the program.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(libc::SIGXFSZ, Arc::default());
    let command = match command_line::parse() {
        Ok(command) => command,
        Err(code) => return code,
    };
    let outcome = match command {
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Filter(args) => filter::run(&args),
        Command::Fetch(args) => fetch::run(&args),
        Command::Store(command) => store::run(&command),
        Command::Pack(args) => pack::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Records(args) => records::run(&args),
        Command::Rights(args) => rights::run(args),
        Command::Diff(args) => diff::run(&args),
        Command::Crawlers(args) => crawlers::run(&args),
        Command::Block(args) => block::run(&args),
        Command::Enforce(args) => enforce::run(&args),
        Command::Write(args) => compose::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Page(args) => page::run(&args),
        Command::Dot(args) => dot::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command()),
    };
    match outcome {
        Ok(status) if packs::was_cut_short() => status.max(error::Status::Failed).into(),
        Ok(status) => status.into(),
        Err(failure) => {
            stderr::error(&failure);
            failure.status().into()
        }
    }
}
