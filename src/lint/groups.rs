//! Findings about groups: one by one, and beside each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::lint::{Code, Severity, Subject, shown};

pub(super) fn find(subject: &mut Subject<'_>) {
    let reached = subject.obeyed.reached();
    let mut agents: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (line, _, group) in subject.robots.groups().agent_lines() {
        agents.entry(group).or_default().push(line);
    }
    for (group, lines) in agents {
        let rules: Vec<(u32, bool)> = subject.robots.groups().rule_lines(group).collect();
        if !reached.contains(&group) {
            unreachable(subject, group, &lines, rules.len());
        }
        if rules.is_empty() {
            without_rules(subject, &lines);
        }
        let has_value = rules.iter().any(|(_, is_empty)| !is_empty);
        for (line, _) in rules.iter().filter(|(_, is_empty)| *is_empty && has_value) {
            let Some(record) = subject.record(*line) else { continue };
            let span = subject.record_span(record);
            let message =
                "the rule has no value, so it does nothing beside the group's other rules";
            subject.add(Code::EmptyRule, *line, span, message).help("remove it");
        }
    }
}

fn without_rules(subject: &mut Subject<'_>, lines: &[u32]) {
    // Other groups may have rules for the same crawlers.
    let (mut ruled, mut free) = (0, Vec::new());
    let values: BTreeSet<&[u8]> = lines
        .iter()
        .map(|line| subject.record(*line).map(|record| record.value).unwrap_or_default())
        .collect();
    for value in values {
        if subject.obeyed.have_rules(value) {
            ruled += 1;
        } else {
            free.push(format!("'{}'", shown(value)));
        }
    }
    let (severity, message, help) = if ruled == 0 {
        (
            Severity::Warning,
            "the group has no rules, so its crawlers may fetch everything".to_owned(),
            "add rules, or an empty 'Disallow:' to say that everything is allowed",
        )
    } else if free.is_empty() {
        (
            Severity::Note,
            "the group has no rules, so its crawlers obey those of other groups".to_owned(),
            "remove the group, or add rules to it",
        )
    } else {
        (
            Severity::Warning,
            format!("the group has no rules, so {} may fetch everything", listed(&free)),
            "add rules, or an empty 'Disallow:' to say that everything is allowed",
        )
    };
    let span = subject.value_span(lines[0]);
    subject.add(Code::GroupWithoutRules, lines[0], span, message).severity(severity).help(help);
}

/// A list for a message; a long one is cut off.
fn listed(names: &[String]) -> String {
    const LEN: usize = 5;
    let shown = names[..names.len().min(LEN)].join(", ");
    match names.len().saturating_sub(LEN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn unreachable(subject: &mut Subject<'_>, group: u32, lines: &[u32], rules: usize) {
    let first = lines[0];
    let value = subject.record(first).map(|record| record.value).unwrap_or_default();
    let mut message = format!("no crawler obeys the group of '{}'", shown(value));
    match rules {
        0 => {}
        1 => message.push_str(", so its rule is lost"),
        rules => message.push_str(&format!(", so its {rules} rules are lost")),
    }
    // The groups that its crawlers obey instead; some of them will do.
    const RELATED: usize = 4;
    let mut instead = BTreeSet::new();
    for line in lines {
        let value = subject.record(*line).map(|record| record.value).unwrap_or_default();
        let others = subject.obeyed.by(value).iter().filter(|other| **other != group);
        instead.extend(others.take(RELATED));
    }
    let severity = if rules == 0 { Severity::Note } else { Severity::Warning };
    let groups = subject.robots.groups();
    let lines = instead.into_iter().take(RELATED).flat_map(|other| groups.agents(other));
    let lines: Vec<u32> = lines.map(|agent| agent.line).take(RELATED).collect();
    let related: Vec<_> =
        lines.iter().map(|line| subject.related(*line, "this group is obeyed instead")).collect();
    let span = subject.value_span(first);
    subject.add(Code::UnreachableGroup, first, span, message).severity(severity).related(related);
}
