//! `robotsieve dot`: draws the automaton of a policy.

use clap::Args;
use robotsieve::{Config, LimitHit, Robots};

use crate::error::{Failure, Status};
use crate::options::ProgressOption;
use crate::read::policy::PolicyArgs;
use crate::read::robots_file;
use crate::write::{progress, stdout};

/// Draw the automaton that decides for a crawler
///
/// Prints it in Graphviz's DOT language. A policy that exceeds the budget of the
/// automaton is decided by another engine and cannot be drawn; the message names
/// the limit and how to raise it.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve dot [OPTIONS] ROBOTS AGENT
       robotsieve dot [OPTIONS] --user-agent HEADER ROBOTS",
    after_help = "\
Examples:
  robotsieve dot robots.txt FooBot | dot -Tsvg > policy.svg
  robotsieve dot --user-agent 'Mozilla/5.0 (compatible; FooBot/2.1)' robots.txt
  robotsieve dot --states 1000000 --work 10000000000 robots.txt FooBot > x.dot

Exit status:
  0  drawn
  2  wrong usage
  3  a file could not be read, or the policy exceeds the budget"
)]
pub struct DotArgs {
    #[command(flatten)]
    policy: PolicyArgs,

    /// The most states to build [default: grows with the rules]
    #[arg(long, value_name = "N")]
    #[arg(long_help = "The most states to build [default: grows with the rules].\n\
        This option or --work also lifts the limits on table and pattern bytes")]
    states: Option<u32>,

    /// The most units of work to spend [default: grows with the rules]
    #[arg(long, value_name = "N")]
    work: Option<u64>,

    #[command(flatten)]
    progress: ProgressOption,
}

/// Compiles the policy and prints its automaton.
pub fn run(args: &DotArgs) -> Result<Status, Failure> {
    args.policy.nothing_follows()?;
    let file = args.policy.read()?.bytes;
    let robots = Robots::parse_with(&file, &args.policy.profile(), &config(args));
    robots_file::note_cut(&args.policy.robots, &file, &robots);
    let policy = robots.policy(&args.policy.crawler()?);
    progress::with_spinner(args.progress.progress, "compiling", || policy.compile());
    let drawing = policy.to_dot().ok_or_else(|| over_budget(args, policy.limit_hit()))?;
    stdout::print(drawing)
}

/// The default budget, raised by the options.
///
/// Either option means that the automaton is wanted whatever its size, so the limits that have no
/// option are lifted too; states and work bound them.
fn config(args: &DotArgs) -> Config {
    let mut config = Config::default();
    let limits = &mut config.limits;
    limits.states = args.states.or(limits.states);
    limits.work = args.work.or(limits.work);
    if args.states.is_some() || args.work.is_some() {
        limits.table_bytes = usize::MAX;
        limits.pattern_bytes = usize::MAX;
        limits.inner_stars = usize::MAX;
    }
    config
}

fn over_budget(args: &DotArgs, hit: Option<LimitHit>) -> Failure {
    let (agent, robots) = (args.policy.agent(), &args.policy.robots);
    let policy = format!("the policy of '{}' in '{}'", agent.text.display(), robots.display());
    let Some(hit) = hit else {
        return Failure::Limit(format!("{policy} is not an automaton: there is nothing to draw"));
    };
    Failure::Limit(format!(
        "{policy} exceeds the budget of the automaton, {hit}: raise it with --states N and --work \
         N, for example --states 1000000 --work 10000000000"
    ))
}
