//! Findings about groups: one by one, and beside each other.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use robotsieve::internals::{
    GroupRule, Joint, Names, PolicyInternals as _, RobotsInternals as _, joints,
};
use robotsieve::{Reason, Record, Rule, Verdict};

use crate::shown::{listed, quoted, shown};
use crate::subject::Subject;
use crate::{Code, Related, Severity, site};

pub(super) fn find(subject: &mut Subject<'_>) {
    loses_rules(subject);
    let found = subject.found.iter().enumerate();
    let nobody = found.filter(|(_, draft)| draft.finding.code == Code::NamesNobody);
    // The findings about user-agent lines that name nobody, by line.
    let nobody = nobody.map(|(number, draft)| (draft.finding.line, number)).collect();
    let reached = subject.obeyed.reached();
    let mut agents: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (line, _, group) in subject.robots.groups().agent_lines() {
        agents.entry(group).or_default().push(line);
    }
    for (group, lines) in agents {
        let rules: Vec<(u32, bool)> = subject.robots.groups().rule_lines(group).collect();
        if !reached.contains(&group) {
            unreachable(subject, &nobody, group, &lines, rules.len());
        }
        if rules.is_empty() {
            without_rules(subject, group, &lines);
        } else {
            joined(subject, group, &lines);
        }
        let has_value = rules.iter().any(|(_, is_empty)| !is_empty);
        for (line, _) in rules.iter().filter(|(_, is_empty)| *is_empty && has_value) {
            let Some(record) = subject.record(*line) else { continue };
            let span = subject.record_span(record);
            let message =
                "the rule has no value, so it does nothing beside the group's other rules";
            let whole = subject.line_span(span.start);
            subject.add(Code::EmptyRule, *line, span, message).propose(
                "remove the line",
                whole,
                "",
            );
        }
    }
}

/// Groups for named crawlers that forbid something, and leave out what the group of `*` forbids.
fn loses_rules(subject: &mut Subject<'_>) {
    /// Files with more rules are not looked at.
    const RULES: usize = 1_000;
    let Some(everybody) = subject.policies.of(subject.obeyed.everybody()).cloned() else { return };
    // Then the other groups are there to open the site.
    if site::blocking(&everybody, subject).is_some() {
        return;
    }
    let paths: Vec<Vec<u8>> = everybody
        .rules()
        .filter(|rule| rule.verdict == Verdict::Disallow && rule.pattern().first() == Some(&b'/'))
        .map(|rule| rule.pattern().iter().copied().filter(|byte| *byte != b'*').collect())
        .collect();
    let paths: Vec<Vec<u8>> = match paths.len() {
        0 | RULES.. => return,
        _ => {
            let is_forbidden = |path: &Vec<u8>| {
                subject
                    .decide(&everybody, path)
                    .is_some_and(|decision| !decision.verdict.is_allow())
            };
            paths.into_iter().filter(is_forbidden).collect()
        }
    };
    let mut told = HashSet::new();
    let lines: Vec<_> = subject.robots.groups().agent_lines().collect();
    for (line, span, _) in lines {
        let value = &subject.file[span.clone()];
        let Names::Token(token) = Names::of(value, &subject.profile) else { continue };
        let Some(policy) = subject.policies.of(subject.obeyed.by(value)).cloned() else { continue };
        // Crawlers with the same rules are told once.
        if token.is_empty() || !told.insert(policy.address()) {
            continue;
        }
        let forbids =
            |rule: Rule<'_>| rule.verdict == Verdict::Disallow && !rule.pattern().is_empty();
        // A group that forbids nothing opens the site, and means to.
        if policy.is_same(&everybody) || !policy.rules().any(forbids) {
            continue;
        }
        let decisions: Option<Vec<_>> =
            paths.iter().map(|path| Some((path, subject.decide(&policy, path)?))).collect();
        let Some(decisions) = decisions else { return };
        // What a rule of its own allows is meant to be allowed.
        let lost = decisions
            .into_iter()
            .filter(|(_, decision)| matches!(decision.reason, Reason::NoMatch))
            .map(|(path, _)| path);
        let lost: Vec<&Vec<u8>> = lost.collect();
        let Some(example) = lost.iter().min_by_key(|path| path.len()) else { continue };
        let star = everybody.group().next().map(|(line, _)| line);
        let related: Vec<_> = star
            .iter()
            .map(|line| subject.related(*line, "these rules do not hold for it"))
            .collect();
        let message = format!(
            "'{}' does not obey the group of '*': it may fetch '{}'{}",
            shown(token),
            shown(example),
            match lost.len() {
                1 => String::new(),
                n => format!(" and others, {n} of {} rules", paths.len()),
            },
        );
        subject
            .add(Code::LosesRules, line, span, message)
            .related(related)
            .help("if these rules shall hold for it too, repeat them in its group");
    }
}

/// User-agent lines that join a group after another record, which ends no group.
fn joined(subject: &mut Subject<'_>, group: u32, lines: &[u32]) {
    let joints: Vec<Joint<'_>> = joints(&subject.records, lines).collect();
    if joints.is_empty() {
        return;
    }
    let rules = subject.robots.groups().rules(group);
    let forbids = |rule: &GroupRule| rule.verdict == Verdict::Disallow && !rule.is_empty();
    let forbids = rules.iter().any(forbids);
    let mut rules = JoinedRules { group, forbids, shut_out: HashMap::new() };
    let ats = joints.iter().map(|joint| joint.at);
    let ends: Vec<usize> = [0].into_iter().chain(ats).chain([lines.len()]).collect();
    for (number, joint) in joints.iter().enumerate() {
        let parts = [number, number + 1].map(|part| &lines[ends[part]..ends[part + 1]]);
        join(subject, &mut rules, parts, &joint.last);
    }
}

/// The rules of a group that others join.
struct JoinedRules {
    group: u32,
    /// True if they forbid anything.
    forbids: bool,
    /// Whether they shut the crawlers of a policy out, by its address. Most have the same.
    shut_out: HashMap<usize, bool>,
}

impl JoinedRules {
    /// Returns true if they shut out the crawler with this value of a user-agent line.
    fn shut_out(&mut self, subject: &Subject<'_>, value: &[u8]) -> bool {
        let Some(policy) = subject.policies.of(subject.obeyed.by(value)) else { return false };
        let group = self.group;
        *self.shut_out.entry(policy.address()).or_insert_with(|| {
            site::blocking(policy, subject).is_some_and(|(rule, has_exceptions)| {
                let of = subject.robots.groups().group_of_line(rule.line);
                of == Some(group) && !has_exceptions
            })
        })
    }
}

/// The user-agent lines `theirs` join the group of the user-agent lines `own`, after the record `last`.
fn join(
    subject: &mut Subject<'_>,
    rules: &mut JoinedRules,
    [own, theirs]: [&[u32]; 2],
    last: &Record<'_>,
) {
    let values = own.iter().filter_map(|line| subject.record(*line)).map(|record| record.value);
    let mine: BTreeSet<&[u8]> = values.collect();
    let shut_out = quoted(mine.iter().copied().filter(|value| rules.shut_out(subject, value)));
    let all = quoted(mine.iter().copied());
    let line = theirs[0];
    let (severity, message) = if !shut_out.is_empty() {
        (
            Severity::Error,
            format!("this joins the group of {all}, so the rules below shut {shut_out} out"),
        )
    } else {
        (
            // What seems to be allowed to them is forbidden.
            if rules.forbids { Severity::Error } else { Severity::Note },
            format!("this joins the group of {all}, so the rules below hold for {all} too"),
        )
    };
    let field = if last.name.eq_ignore_ascii_case(b"content-usage") {
        "by RFC 9309, 'Content-Usage' does not end a group; by its own draft it does".to_owned()
    } else {
        format!("'{}' does not end a group", shown(last.name))
    };
    let ends = Related { line: last.line, span: subject.record_span(last), message: field };
    let span = subject.value_span(line);
    // Right below its user-agent lines: in the 1994 standard a blank line would end the group.
    let agent = subject.value_span(own[own.len() - 1]).end;
    let at = subject.line_span(agent).end;
    let rule = format!("Disallow:{}", subject.line_end(agent));
    subject
        .add(Code::JoinedGroups, line, span, message)
        .severity(severity)
        .related([ends])
        .help(
            "if the rules are meant for all of them, put the user-agent lines one below the other; \
             if not, give the first group a rule of its own: an empty 'Disallow:' forbids nothing",
        )
        .propose(format!("give {all} a group with an empty 'Disallow:'"), at..at, rule);
}

fn without_rules(subject: &mut Subject<'_>, group: u32, lines: &[u32]) {
    let last = lines[lines.len() - 1];
    let next = subject.robots.groups().agents(group + 1).first().map(|next| next.line);
    let at = subject.records.partition_point(|record| record.line <= last);
    // Without any record, what the group was to say is gone.
    let is_empty = subject.records.get(at).is_none_or(|record| Some(record.line) == next);
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
    subject
        .add(Code::GroupWithoutRules, lines[0], span, message)
        .severity(severity)
        .loses(is_empty && free.iter().any(|value| value != "'*'"))
        .help(help);
}

fn unreachable(
    subject: &mut Subject<'_>,
    nobody: &HashMap<u32, usize>,
    group: u32,
    lines: &[u32],
    rules: usize,
) {
    let first = lines[0];
    let value = subject.record(first).map(|record| record.value).unwrap_or_default();
    let lost = match rules {
        0 => String::new(),
        1 => ", so its rule is lost".to_owned(),
        rules => format!(", so its {rules} rules are lost"),
    };
    // Where its lines name nobody, that is what is wrong.
    if lines.iter().all(|line| nobody.contains_key(line)) {
        subject.found[nobody[&first]].finding.message.push_str(&lost);
        return;
    }
    let message = format!("no crawler obeys the group of '{}'{lost}", shown(value));
    // The groups that its crawlers obey instead; some of them will do.
    const RELATED: usize = 4;
    let mut instead = BTreeSet::new();
    for line in lines {
        let value = subject.record(*line).map(|record| record.value).unwrap_or_default();
        let others = subject.obeyed.by(value).iter().filter(|other| **other != group);
        instead.extend(others.take(RELATED));
    }
    let severity = if rules == 0 { Severity::Note } else { Code::UnreachableGroup.severity() };
    let groups = subject.robots.groups();
    let lines = instead.into_iter().take(RELATED).flat_map(|other| groups.agents(other));
    let lines: Vec<u32> = lines.map(|agent| agent.line).take(RELATED).collect();
    let related: Vec<_> =
        lines.iter().map(|line| subject.related(*line, "this group is obeyed instead")).collect();
    let span = subject.value_span(first);
    subject.add(Code::UnreachableGroup, first, span, message).severity(severity).related(related);
}
