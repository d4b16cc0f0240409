//! Findings about rules: those without effect, and those over the automaton's budget.

use robotsieve::internals::RobotsInternals as _;
use robotsieve::{Field, LimitHit, Policy, Rule};

use crate::dead::{Dead, DeadRules, Fate, dead_rules};
use crate::obeyed::Policies;
use crate::shown::shown;
use crate::subject::Subject;
use crate::{Code, Severity};

/// The file's rules without effect.
pub(super) fn dead(subject: &Subject<'_>) -> DeadRules {
    let Policies { all, left_out, .. } = &subject.policies;
    let groups = subject.robots.groups();
    let rules = |group: u32| groups.rule_lines(group);
    let undecided = left_out.iter().copied().flat_map(rules).filter(|(_, is_empty)| !is_empty);
    let undecided = undecided.map(|(line, _)| line).collect();
    // Those that are empty count too little: they may be removed as well.
    let ruled = |group| rules(group).filter(|(_, is_empty)| !is_empty).count() as u32;
    let counts = (0..groups.count()).map(ruled).collect();
    let group_of = |line| groups.group_of_line(line);
    dead_rules(all, &subject.profile, group_of, counts, undecided)
}

pub(super) fn find(subject: &mut Subject<'_>, dead: &DeadRules) {
    over_budget(subject);
    for dead in &dead.dead {
        dead_rule(subject, dead);
    }
}

fn dead_rule(subject: &mut Subject<'_>, dead: &Dead) {
    let Some(record) = subject.record(dead.line).copied() else { return };
    let rule = format!("'{}: {}'", name(record.field), shown(record.value));
    let span = record.value_span();
    let named = |line: &u32| {
        let other = subject.record(*line)?;
        Some(format!("'{}: {}' on line {line}", name(other.field), shown(other.value)))
    };
    let others: Vec<String> = dead.causes.iter().filter_map(named).collect();
    let others = others.join(", ");
    let (code, message, note, help) = match dead.fate {
        Fate::NeverMatches => {
            // RS405 reports it already, and says what to write.
            if !matches!(record.value.first(), None | Some(b'/' | b'*' | b'$')) {
                return;
            }
            let message = format!("no URL can match {rule}");
            (Code::NeverMatches, message, "", Some("a rule that matches begins with '/'"))
        }
        Fate::NeverWins => {
            let (message, help) = if dead.causes.is_empty() {
                (format!("{rule} never decides, as /robots.txt is always allowed"), None)
            } else {
                let wins = if dead.causes.len() == 1 { "wins" } else { "win" };
                (format!("{rule} never decides, as {others} {wins} wherever it matches"), None)
            };
            (Code::NeverWins, message, "this rule wins", help)
        }
        Fate::Outranked => {
            let message =
                format!("{rule} changes no verdict: where it could, {others} outranks it");
            (Code::NeverWins, message, "this rule outranks it", None)
        }
        Fate::Redundant if dead.causes.is_empty() => {
            let message = match record.field {
                Field::Allow => format!("{rule} allows only what is allowed without it"),
                _ => format!("{rule} changes no verdict"),
            };
            (Code::RedundantRule, message, "", None)
        }
        Fate::Redundant => {
            let message = format!("{rule} changes no verdict beside {others}");
            (Code::RedundantRule, message, "this rule gives the same verdicts", None)
        }
        Fate::Duplicate => {
            let message = format!("{rule} repeats {others}");
            (Code::DuplicateRule, message, "the same rule is here", None)
        }
    };
    let related: Vec<_> = dead.causes.iter().map(|line| subject.related(*line, note)).collect();
    let line = subject.line_span(span.start);
    let draft = subject.add(code, dead.line, span, message).related(related);
    if let Some(help) = help {
        draft.help(help);
    } else if dead.stays {
        draft.help("it ends its group, so without it the next group would begin here: leave its value empty");
    }
    // Nobody forbids /robots.txt.
    if dead.fate == Fate::NeverWins && dead.causes.is_empty() {
        draft.severity(Severity::Warning);
    }
    if dead.fate != Fate::NeverMatches && !dead.ends_group {
        draft.propose("remove the line", line, "");
    }
}

fn name(field: Field) -> &'static str {
    match field {
        Field::Allow => "Allow",
        _ => "Disallow",
    }
}

/// Adds one finding for each policy, on the first line of its first group.
fn over_budget(subject: &mut Subject<'_>) {
    for policy in subject.policies.all.clone() {
        policy.compile();
        let Some(limit) = policy.limit_hit() else { continue };
        let Some(line) = policy.group().next().map(|(line, _)| line) else { continue };
        let stars = policy.rules().map(|rule| memchr::memchr_iter(b'*', rule.pattern()).count());
        let stars = if subject.profile.wildcards { stars.sum() } else { 0 };
        let message = format!(
            "the group's {} rules with {stars} stars do not fit a small automaton: {limit}",
            policy.rule_count(),
        );
        let span = subject.value_span(line);
        subject.add(Code::OverBudget, line, span, message).help(smaller(&policy, limit, stars));
    }
}

/// How to make the automaton of a policy smaller.
fn smaller(policy: &Policy, limit: LimitHit, stars: usize) -> &'static str {
    let long = matches!(limit, LimitHit::TableBytes(_) | LimitHit::PatternBytes(_));
    let begin =
        |rule: &Rule<'_>| rule.pattern().starts_with(b"/*") || rule.pattern().starts_with(b"*");
    match (stars, long) {
        (0, _) => "use fewer rules, or shorter ones: '/shop/' covers all paths that begin with it",
        (_, true) => "use fewer stars, and fewer rules or shorter ones",
        _ if policy.rules().filter(begin).count() > 1 => {
            "use fewer stars: '/*' at the start of many rules costs most"
        }
        _ => "use fewer stars: several in one rule cost most",
    }
}
