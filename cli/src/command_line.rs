//! The command line as a whole. Each command's arguments are beside the command.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};

use crate::audit::args::AuditArgs;
use crate::block::args::BlockArgs;
use crate::check::CheckArgs;
use crate::completions::CompletionsArgs;
use crate::compose::args::WriteArgs;
use crate::crawlers::args::CrawlersArgs;
use crate::diff::args::DiffArgs;
use crate::dot::DotArgs;
use crate::enforce::args::EnforceArgs;
use crate::error::Status;
use crate::explain::args::ExplainArgs;
use crate::fetch::args::FetchArgs;
use crate::filter::args::FilterArgs;
use crate::lint::args::LintArgs;
use crate::man::ManArgs;
use crate::pack::args::PackArgs;
use crate::page::PageArgs;
use crate::records::args::RecordsArgs;
use crate::replay::args::ReplayArgs;
use crate::rights::args::RightsArgs;
use crate::schema::SchemaArgs;
use crate::store::args::StoreCommand;
use crate::test::args::TestArgs;
use crate::write::bytes::harmless;
use crate::write::{stderr, stdout};

/// Which URLs does a robots.txt allow?
///
/// Compiles the rules for a crawler into one small automaton, in one of four exact
/// profiles: RFC 9309 (the default), the open-source parser of Googlebot, Google's
/// classic specification, and the standard of 1994.
#[derive(Debug, Parser)]
#[command(
    name = "robotsieve",
    version,
    verbatim_doc_comment,
    arg_required_else_help = true,
    subcommand_required = true,
    override_usage = "robotsieve [OPTIONS] COMMAND",
    after_help = "\
Examples:
  robotsieve check robots.txt GPTBot https://example.com/private/
  robotsieve explain robots.txt GPTBot https://example.com/private/
  robotsieve filter --robots-dir robots/ --agent FooBot urls.gz > allowed.txt
  robotsieve fetch --send-user-agent 'FooBot/2.1 (+https://foo.example/bot)' \\
      --store robots.store urls.txt
  robotsieve store stat robots.store
  robotsieve pack --robots-dir robots/ --agent FooBot -o robots.pack
  robotsieve lint robots.txt
  robotsieve records robots.txt
  robotsieve rights --agent GPTBot --robots robots.txt https://example.com/news/
  robotsieve diff old.txt new.txt
  robotsieve crawlers robots.txt
  robotsieve block --purpose ai-training -o new.txt robots.txt
  robotsieve enforce --server nginx -o refused.conf robots.txt
  robotsieve write -o robots.txt robots.toml
  robotsieve test robots.txt robots.expect
  robotsieve replay decisions.jsonl
  robotsieve audit robots.txt access.log
  robotsieve dot robots.txt FooBot | dot -Tsvg > policy.svg

Wherever a file is read, '-' is standard input:
  curl -s https://example.com/robots.txt | robotsieve check - GPTBot /private/

Exit status:
  0  done; the answer is yes, or nothing was found
  1  the answer is no, or something was found
  2  wrong usage, or an invalid URL
  3  something could not be read, written, fetched or done

'robotsieve help COMMAND' explains a command, with examples."
)]
pub struct Cli {
    /// Print errors only: no notes, no summary, no progress
    #[arg(short, long, global = true, display_order = 900)]
    quiet: bool,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(CheckArgs),
    Explain(ExplainArgs),
    Filter(FilterArgs),
    Fetch(FetchArgs),
    #[command(subcommand)]
    Store(StoreCommand),
    Pack(PackArgs),
    Lint(LintArgs),
    Records(RecordsArgs),
    Rights(RightsArgs),
    Diff(DiffArgs),
    Crawlers(CrawlersArgs),
    Block(BlockArgs),
    Enforce(EnforceArgs),
    Write(WriteArgs),
    Replay(ReplayArgs),
    Audit(AuditArgs),
    Test(TestArgs),
    Page(PageArgs),
    Dot(DotArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Reads the command line. `Err` if there is nothing left to do: help was printed, or an error.
pub fn parse() -> Result<Command, ExitCode> {
    match Cli::try_parse() {
        Ok(cli) => {
            stderr::set_quiet(cli.quiet);
            Ok(cli.command)
        }
        Err(error) if error.use_stderr() => {
            let text = error.render().to_string();
            match text.strip_prefix("error: ") {
                Some(text) => {
                    let text = reworded(text.trim_end(), advice(&error));
                    let shown = |c| if c == '\n' { c } else { harmless(c) };
                    let text: String = text.chars().map(shown).collect();
                    stderr::plain(&format_args!("robotsieve: {text}"));
                }
                // The help of a command that was called without arguments.
                None => stderr::plain(&text.trim_end()),
            }
            Err(Status::Usage.into())
        }
        Err(error) => Err(match stdout::print(error.render().to_string()) {
            Ok(status) => status.into(),
            Err(failure) => {
                stderr::error(&failure);
                failure.status().into()
            }
        }),
    }
}

/// An error of the parser with what is wrong on its first line, and with better advice if there is
/// any.
fn reworded(text: &str, advice: Option<String>) -> String {
    let mut lines = text.lines().peekable();
    let mut reworded = lines.next().unwrap_or_default().to_owned();
    // A list of arguments is indented below the first line.
    while reworded.ends_with([':', ','])
        && let Some(line) = lines.next_if(|line| line.starts_with("  "))
    {
        reworded.push(' ');
        reworded.push_str(line.trim());
        if lines.peek().is_some_and(|next| next.starts_with("  ")) {
            reworded.push(',');
        }
    }
    if let Some(advice) = &advice {
        reworded.push_str("; ");
        reworded.push_str(advice);
    }
    let mut was_empty = false;
    for line in lines.filter(|line| advice.is_none() || !line.starts_with("  tip:")) {
        if !(was_empty && line.is_empty()) {
            reworded.push('\n');
            reworded.push_str(line);
        }
        was_empty = line.is_empty();
    }
    reworded
}

/// What to do about an error of the parser that does not say it.
fn advice(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let of_command = |name| {
        let usage = error.get(ContextKind::Usage).map(ToString::to_string);
        usage.is_some_and(|usage| usage.contains(&format!("robotsieve {name} ")))
    };
    match error.kind() {
        ErrorKind::MissingRequiredArgument
            if matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::Strings(missing))
                if missing.iter().any(|name| name == "<URL>...")) =>
        {
            Some("a crawler and a URL follow the file: robots.txt Googlebot /private".to_owned())
        }
        ErrorKind::InvalidSubcommand => {
            let value = text(ContextKind::InvalidSubcommand)?;
            let is_path = value.contains(['.', '/']);
            is_path.then(|| format!("a command comes first: robotsieve lint {value}"))
        }
        ErrorKind::UnknownArgument
            if of_command("block") && !text(ContextKind::InvalidArg)?.starts_with('-') =>
        {
            Some("--crawler TOKEN or --purpose PURPOSE names crawlers".to_owned())
        }
        ErrorKind::UnknownArgument
            if of_command("rights") && !text(ContextKind::InvalidArg)?.starts_with('-') =>
        {
            Some("--robots FILE names the robots.txt, --agent NAME the crawler".to_owned())
        }
        ErrorKind::InvalidValue if text(ContextKind::InvalidArg)?.starts_with("--format") => {
            let value = text(ContextKind::InvalidValue)?;
            let is_path = value.contains(['.', '/']);
            is_path.then(|| format!("a format is expected, not a path: redirect with > {value}"))
        }
        ErrorKind::UnknownArgument
            if text(ContextKind::InvalidArg)
                .is_some_and(|arg| ["-o", "--output"].contains(&arg)) =>
        {
            Some("the command prints to standard output: redirect it with > FILE".to_owned())
        }
        ErrorKind::UnknownArgument
            if text(ContextKind::InvalidArg)? == "--path" && of_command("records") =>
        {
            Some("'robotsieve rights URL' says what may be done with a page".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn command_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn crawlers_keep_the_order_of_both_options() {
        let line =
            "robotsieve filter --robots r --user-agent h1 --agent a,b --user-agent=h2 --agent=";
        let Command::Filter(args) = Cli::parse_from(line.split(' ')).command else {
            panic!("another command")
        };
        let got: Vec<_> =
            args.agents.0.iter().map(|a| (a.text.to_str().unwrap(), a.is_header)).collect();
        assert_eq!(got, [("h1", true), ("a,b", false), ("h2", true), ("", false)]);
    }
}
