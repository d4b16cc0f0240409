//! `robotsieve dot`: the automaton of a policy, drawn.

use robotsieve::{Config, LimitHit, Robots};

use crate::args::{DotArgs, OnePolicy};
use crate::error::{Failure, Status};
use crate::read::robots_file;
use crate::write::stdout;

/// Compiles the policy and prints its automaton as Graphviz DOT.
pub fn run(args: &DotArgs) -> Result<Status, Failure> {
    let file = robots_file::read(&args.of.robots)?;
    let robots = Robots::parse_with(&file, &args.of.profile, &config(args));
    let policy = robots.policy(&args.of.crawler());
    policy.compile();
    let drawing = policy.to_dot().ok_or_else(|| over_budget(args, policy.limit_hit()))?;
    stdout::print(drawing)
}

/// The default budget, raised as the options say.
///
/// Who sets either option wants to see the automaton whatever its size, so the limits that
/// have no option of their own, table and pattern bytes, are lifted too: states and work
/// bound them.
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
    let OnePolicy { agent, robots, .. } = &args.of;
    let policy = format!("the policy of '{}' in '{}'", agent.display(), robots.display());
    let Some(hit) = hit else {
        return Failure::Usage(format!("{policy} is no DFA, so there is nothing to draw"));
    };
    Failure::Usage(format!(
        "{policy} is over the budget of the DFA: {hit}. Raise the budget with --states N and \
         --work N (either lifts the limits on table and pattern bytes too), for example \
         --states 1000000 --work 10000000000"
    ))
}
