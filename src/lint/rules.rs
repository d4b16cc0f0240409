//! Findings about rules: those without effect, those over the automaton's budget, and those that
//! block everything.

use crate::automaton::LimitHit;
use crate::lint::dead::{Dead, Fate, dead_rules};
use crate::lint::obeyed::Policies;
use crate::lint::{Code, Subject, shown};
use crate::policy::Policy;
use crate::policy::decision::Rule;
use crate::read::crawler::Crawler;
use crate::read::parse::Field;
use crate::verdict::Verdict;

/// Returns the lines of rules that were left undecided.
pub(super) fn find(subject: &mut Subject<'_>) -> Vec<u32> {
    let Policies { all: policies, left_out } = subject.obeyed.policies(&subject.robots);
    blocks_everything(subject);
    over_budget(subject, &policies);
    let groups = subject.robots.group_count() as u32;
    let lines = |group: u32| subject.robots.groups().rule_lines(group);
    let undecided = left_out.into_iter().flat_map(lines).filter(|(_, is_empty)| !is_empty);
    let undecided = undecided.map(|(line, _)| line).collect();
    let rules =
        (0..groups).map(|group| subject.robots.groups().rule_lines(group).count() as u32).collect();
    let group_of = |line| subject.robots.groups().group_of_line(line);
    let found = dead_rules(&policies, &subject.profile, group_of, rules, undecided);
    for dead in &found.dead {
        dead_rule(subject, dead);
    }
    found.undecided
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
            (Code::NeverMatches, message, "", "begin it with '/'; '/' alone matches every URL")
        }
        Fate::NeverWins => {
            let (message, help) = if dead.causes.is_empty() {
                (format!("{rule} never decides, as /robots.txt is always allowed"), "remove it")
            } else {
                let wins = if dead.causes.len() == 1 { "wins" } else { "win" };
                (
                    format!("{rule} never decides, as {others} {wins} wherever it matches"),
                    "remove it, or make it longer than the rules that win",
                )
            };
            (Code::NeverWins, message, "this rule wins", help)
        }
        Fate::Redundant if dead.causes.is_empty() => {
            let message = match record.field {
                Field::Allow => format!("{rule} allows only what is allowed without it"),
                _ => format!("{rule} changes no verdict"),
            };
            (Code::RedundantRule, message, "", "remove it")
        }
        Fate::Redundant => {
            let message = format!("{rule} changes no verdict beside {others}");
            (Code::RedundantRule, message, "this rule gives the same verdicts", "remove it")
        }
        Fate::Duplicate => {
            let message = format!("{rule} repeats {others}");
            (Code::DuplicateRule, message, "the same rule is here", "remove it")
        }
    };
    let related: Vec<_> = dead.causes.iter().map(|line| subject.related(*line, note)).collect();
    subject.add(code, dead.line, span, message).help(help).related(related);
}

fn name(field: Field) -> &'static str {
    match field {
        Field::Allow => "Allow",
        _ => "Disallow",
    }
}

/// Adds one finding for each policy, on the first line of its first group.
fn over_budget(subject: &mut Subject<'_>, policies: &[Policy]) {
    for policy in policies {
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
        subject.add(Code::OverBudget, line, span, message).help(smaller(policy, limit, stars));
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

/// Looks only at the rules for `*`: blocking a single crawler is a decision, blocking all of them
/// is often an oversight.
fn blocks_everything(subject: &mut Subject<'_>) {
    // A crawler without a name gets them.
    let policy = subject.robots.policy(&Crawler::names([""; 0]));
    // From highest to lowest precedence.
    for rule in policy.rules() {
        let can_match = match rule.pattern().first() {
            Some(first) => *first == b'/' || *first == b'*' && subject.profile.wildcards,
            None => !rule.is_anchored(),
        };
        match rule.verdict {
            Verdict::Allow if can_match => return,
            Verdict::Allow => {}
            Verdict::Disallow => {
                let is_all = matches!(rule.pattern(), b"/" | b"") && !rule.is_anchored();
                if !is_all || !can_match {
                    continue;
                }
                let message =
                    "this blocks the whole site for every crawler without a group of its own";
                let (line, span) = (rule.line, subject.value_span(rule.line));
                subject
                    .add(Code::BlocksEverything, line, span, message)
                    .help("write an empty 'Disallow:' if crawlers should visit the site");
                return;
            }
        }
    }
}
