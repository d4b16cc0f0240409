//! An explanation for people: the relevant lines of the file, underlined, then the URL.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use memchr::memchr2;
use robotsieve::explain::{
    AgentLine, Explanation, GroupChoice, MatchedRule, NamedCrawlers, Piece, PieceKind, Standing,
};
use robotsieve::{GroupMatch, Reason, Robots, RulePrecedence, Verdict};

use super::header::of_header;
use super::shown::{Shown, short};
use super::{Answers, Explainer};
use crate::read::robots_file;
use crate::write::stdout::has_color;

/// The most user-agent lines and rules of each kind to show; the others are counted.
const LINES: usize = 8;

/// The most stars of a rule to label with what they match.
const STARS: usize = 4;

/// The most parts of a rule or changes of a URL to underline.
const PARTS: usize = 64;

/// How many lines of context to show around a relevant line.
const CONTEXT: usize = 2;

/// Renders an explanation, with an empty line before all but the first.
pub fn render(explainer: &Explainer<'_>, url: &[u8], answers: &Answers<'_>) -> Vec<u8> {
    let renderer =
        if has_color(explainer.args.color.color) { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::from(if explainer.explained > 1 { "\n" } else { "" });
    for (profile, why) in answers.explanations() {
        if let Ok(why) = why {
            let agent = &explainer.agent;
            let header = agent.is_header.then(|| of_header(agent.text.as_encoded_bytes(), why));
            let file = of_file(explainer, url, profile, why);
            let groups: Vec<_> =
                [Some(file), header, Some(of_url(url, why))].into_iter().flatten().collect();
            out.push_str(&renderer.render(&groups));
        } else {
            let title = format!("{} in profile {profile}", short(url));
            let level = Level::ERROR.with_name("invalid");
            let message = "a URL is scheme://host/path, or a path that starts with '/'";
            let group = level.primary_title(title).element(Level::NOTE.message(message));
            out.push_str(&renderer.render(&[group]));
        }
        out.push_str("\n\n");
    }
    if let Some(compared) = answers.comparison() {
        let title = Level::NOTE.with_name("profiles").primary_title(compared.to_string());
        out.push_str(&renderer.render(&[Group::with_title(title)]));
        out.push('\n');
    } else {
        out.pop();
    }
    out.into_bytes()
}

/// A label on some bytes of the file.
struct Remark {
    kind: AnnotationKind,
    span: Range<usize>,
    label: Option<String>,
}

impl Remark {
    fn new(kind: AnnotationKind, span: Range<usize>, label: String) -> Remark {
        Remark { kind, span, label: Some(label) }
    }
}

fn of_file<'t>(
    explainer: &Explainer<'_>,
    url: &[u8],
    profile: &str,
    why: &Explanation<'_>,
) -> Group<'t> {
    let agent = short(explainer.agent.text.as_encoded_bytes());
    let title = format!("{agent}, {} (profile {profile})", short(url));
    let level = match why.verdict {
        Verdict::Allow => Level::NOTE.with_name("allow"),
        Verdict::Disallow => Level::ERROR.with_name("disallow"),
    };
    let mut group = Group::with_title(level.primary_title(title));
    let (agents, others) = agent_remarks(why);
    let (rules, unlisted) = rule_remarks(why);
    let remarks: Vec<Remark> = agents.into_iter().chain(rules).collect();
    if !remarks.is_empty() {
        group = group.element(snippet_of_file(explainer, why, remarks));
    }
    for note in [others, unlisted, Some(reason(why)), otherwise(why)].into_iter().flatten() {
        group = group.element(Level::NOTE.message(note));
    }
    group
}

/// The user-agent lines that name the crawler or everybody, and a note about the others.
fn agent_remarks(why: &Explanation<'_>) -> (Vec<Remark>, Option<String>) {
    let mut remarks: Vec<Remark> = Vec::new();
    let mut counts: BTreeMap<Standing, usize> = BTreeMap::new();
    let mut unrelated: Vec<String> = Vec::new();
    let mut unrelated_count = 0;
    let mut unlisted = 0;
    for line in &why.selection.lines {
        let label = match line.standing {
            Standing::Unrelated => {
                unrelated_count += 1;
                if unrelated.len() < LINES {
                    unrelated.push(format!("{} ({})", short(line.value), line.line));
                }
                continue;
            }
            Standing::InChosenGroup => continue,
            Standing::Chosen => chosen(line, why),
            Standing::EverybodyElse => "not this group: another group names the crawler".to_owned(),
            Standing::LaterName => {
                let name = line.found_by.and_then(|number| why.crawler.iter().nth(number));
                let name = short(name.unwrap_or_default());
                format!("not this group: a name before '{name}' has a group")
            }
            Standing::ShorterToken => "not this group: a longer token matches".to_owned(),
            _ => "not this group: the first one is used".to_owned(),
        };
        let count = counts.entry(line.standing).or_default();
        *count += 1;
        if *count > LINES {
            unlisted += 1;
            continue;
        }
        remarks.push(Remark::new(AnnotationKind::Context, line.value_span.clone(), label));
    }
    let mut note = String::new();
    if unlisted > 0 {
        let _ = write!(note, "{} that name the crawler are not shown", lines(unlisted));
    }
    if unrelated_count > 0 {
        let before = if note.is_empty() { "" } else { "; " };
        let _ = write!(note, "{before}{} for other crawlers: ", lines(unrelated_count));
        note.push_str(&unrelated.join(", "));
        if unrelated_count > unrelated.len() {
            note.push_str(", …");
        }
    }
    (remarks, (!note.is_empty()).then_some(note))
}

fn lines(count: usize) -> String {
    format!("{count} user-agent line{}", if count == 1 { "" } else { "s" })
}

/// Why the group of this line was chosen.
fn chosen(line: &AgentLine<'_>, why: &Explanation<'_>) -> String {
    let NamedCrawlers::Token(token) = line.names else {
        return "this group: no other group names the crawler".to_owned();
    };
    let name = line.found_by.and_then(|number| why.crawler.iter().nth(number));
    let name = short(name.unwrap_or_default());
    match why.profile.group_match {
        GroupMatch::Equal => format!("this group: its token is the name '{name}'"),
        GroupMatch::LongestPrefix => {
            format!("this group: '{}' is the longest token that starts '{name}'", short(token))
        }
        GroupMatch::FirstSubstring => {
            format!("this group: '{}' is the first token found in '{name}'", short(token))
        }
        _ => format!("this group: its token '{}' fits '{name}'", short(token)),
    }
}

/// The rules that match, and a note about those that are not shown.
fn rule_remarks(why: &Explanation<'_>) -> (Vec<Remark>, Option<String>) {
    let mut remarks = Vec::new();
    let runner_up = why.runner_up().map(|rule| rule.line);
    let mut seen: Vec<u32> = Vec::new();
    for rule in &why.matches {
        // A second pattern of the same line would show the same line again.
        if seen.contains(&rule.line) {
            continue;
        }
        if seen.len() == LINES {
            break;
        }
        seen.push(rule.line);
        let precedence = precedence(rule, why);
        if why.winner().is_some_and(|winner| winner.line == rule.line) {
            winner_remarks(rule, why, &format!("decides: {precedence}"), &mut remarks);
            continue;
        }
        let label = if runner_up == Some(rule.line) {
            format!("runner-up: {precedence}")
        } else {
            format!("also matches: {precedence}")
        };
        remarks.push(Remark::new(AnnotationKind::Context, rule.value_span.clone(), label));
    }
    let more = why.match_count.saturating_sub(seen.len());
    let note = (more > 0 && seen.len() == LINES).then(|| {
        format!("{more} more rule{} of the group match", if more == 1 { "" } else { "s" })
    });
    (remarks, note)
}

fn precedence(rule: &MatchedRule<'_>, why: &Explanation<'_>) -> String {
    match why.profile.rule_precedence {
        RulePrecedence::AnyDisallow => format!("any {} that matches decides", rule.verdict),
        _ if rule.precedence == 1 => "1 byte".to_owned(),
        _ => format!("{} bytes", rule.precedence),
    }
}

/// Labels the parts of the winner.
fn winner_remarks(
    rule: &MatchedRule<'_>,
    why: &Explanation<'_>,
    label: &str,
    remarks: &mut Vec<Remark>,
) {
    let parts: Vec<&Piece> =
        rule.pieces.iter().filter(|piece| !piece.file_span.is_empty()).take(PARTS).collect();
    let stars = parts.iter().filter(|piece| piece.kind == PieceKind::Star).count();
    let last = parts.iter().rposition(|piece| piece.kind != PieceKind::Star);
    let labelled = last.unwrap_or(parts.len().saturating_sub(1));
    for (at, piece) in parts.iter().enumerate() {
        let is_star = piece.kind == PieceKind::Star;
        let kind = if is_star { AnnotationKind::Context } else { AnnotationKind::Primary };
        let taken = &why.target.bytes[piece.target_span.clone()];
        let star = (is_star && stars <= STARS).then(|| match taken {
            [] => "matches nothing".to_owned(),
            taken => format!("matches '{}'", short(taken)),
        });
        let label = match star {
            Some(star) if at == labelled => Some(format!("{label}; {star}")),
            Some(star) => Some(star),
            None if at == labelled => Some(label.to_owned()),
            None => None,
        };
        remarks.push(Remark { kind, span: piece.file_span.clone(), label });
    }
}

fn reason(why: &Explanation<'_>) -> String {
    let count = why.rule_count();
    match why.decision().reason {
        Reason::Rule(rule) => format!(
            "line {} decides, out of {count} rule{} in {}",
            rule.line,
            if count == 1 { "" } else { "s" },
            match why.selection.choice {
                GroupChoice::Everybody => "the group for everybody",
                _ => "the crawler's group",
            }
        ),
        Reason::NoGroup => "no group applies to this crawler: everything is allowed".to_owned(),
        Reason::NoMatch if count == 0 => "the group has no rules: everything is allowed".to_owned(),
        Reason::NoMatch if count == 1 => {
            "the only rule of the group does not match: what no rule disallows is allowed"
                .to_owned()
        }
        Reason::NoMatch => format!(
            "none of the {count} rules of the group matches: what no rule disallows is allowed"
        ),
        Reason::EmptyRule { line } => {
            format!("the rule on line {line} is empty and restricts nothing: everything is allowed")
        }
        Reason::RobotsTxt => "robots.txt itself may always be fetched (RFC 9309 §2.2.2)".to_owned(),
        _ => "the rules are unknown".to_owned(),
    }
}

fn otherwise(why: &Explanation<'_>) -> Option<String> {
    let verdict = why.verdict_otherwise?;
    let Some(winner) = why.winner() else {
        return Some(format!("by the rules alone the verdict would be {verdict}"));
    };
    let by = match why.runner_up() {
        Some(rule) => format!("by line {}", rule.line),
        None => "since no other rule matches".to_owned(),
    };
    let still = if verdict == why.verdict { "still " } else { "" };
    Some(format!("without line {} the verdict would {still}be {verdict}, {by}", winner.line))
}

/// The lines of the file with remarks, and the lines around them.
fn snippet_of_file<'t>(
    explainer: &Explainer<'_>,
    why: &Explanation<'_>,
    remarks: Vec<Remark>,
) -> Snippet<'t, annotate_snippets::Annotation<'t>> {
    let extent = Robots::parse(explainer.file, &why.profile).extent();
    let lines = line_spans(explainer.file, extent);
    let line_of = |at: usize| lines.partition_point(|line| line.start <= at).saturating_sub(1);
    let mut matters: Vec<usize> = remarks.iter().map(|remark| line_of(remark.span.start)).collect();
    matters.sort_unstable();
    matters.dedup();
    let (first, last) = (matters[0], matters[matters.len() - 1]);
    let mut source = String::new();
    // For each line, where it starts in the source, and its text.
    let mut shown: BTreeMap<usize, (usize, Shown)> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate().take(last + 1).skip(first) {
        let next = matters.partition_point(|line| *line < number);
        let is_near = |line: &usize| line.abs_diff(number) <= CONTEXT;
        let before = next.checked_sub(1).map(|before| &matters[before]);
        if matters.get(next).is_some_and(is_near) || before.is_some_and(is_near) {
            let text = Shown::of(&explainer.file[line.clone()]);
            let at = source.len();
            source.push_str(&text.text);
            shown.insert(number, (at, text));
        }
        source.push('\n');
    }
    let annotations: Vec<_> = remarks
        .into_iter()
        .filter_map(|remark| {
            let line = line_of(remark.span.start);
            let (at, text) = shown.get(&line)?;
            let from = lines[line].start;
            let span = text.span(remark.span.start - from..remark.span.end - from);
            Some(remark.kind.span(at + span.start..at + span.end).label(remark.label))
        })
        .collect();
    let path = short(robots_file::shown(&explainer.args.policy.robots).as_bytes());
    Snippet::source(source).line_start(first + 1).path(path).annotations(annotations)
}

/// The lines of a file without their line ends, as the library counts them.
fn line_spans(file: &[u8], extent: Range<usize>) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut at = extent.start;
    while at < extent.end {
        let left = &file[at..extent.end];
        let len = memchr2(b'\n', b'\r', left).unwrap_or(left.len());
        lines.push(at..at + len);
        at += len + if left[len..].starts_with(b"\r\n") { 2 } else { 1 };
    }
    lines
}

/// The URL: what is changed before it is compared, and what the parts of the winner match.
fn of_url<'t>(url: &[u8], why: &Explanation<'_>) -> Group<'t> {
    let target = &why.target;
    let is_as_given = target.changes.is_empty() && !target.slash_implied;
    let title = format!("compared as '{}'", short(&target.bytes));
    let mut group = Group::with_title(Level::NOTE.secondary_title(title));
    if !is_as_given {
        group = group.element(snippet_of_changes(url, why));
    }
    let Some(winner) = why.winner() else {
        if is_as_given {
            let shown = Shown::of(url);
            let span = shown.span(target.url_span.clone());
            let annotation = AnnotationKind::Primary.span(span);
            group = group.element(Snippet::source(shown.text).path("URL").annotation(annotation));
        }
        return group;
    };
    let (bytes, name) = if is_as_given { (url, "URL") } else { (&target.bytes[..], "as compared") };
    let shown = Shown::of(bytes);
    let parts = winner.pieces.iter().filter(|piece| !piece.target_span.is_empty()).take(PARTS);
    let annotations: Vec<_> = parts
        .map(|piece| {
            let span = if is_as_given {
                target.in_url(piece.target_span.clone())
            } else {
                piece.target_span.clone()
            };
            let kind = match piece.kind {
                PieceKind::Star => AnnotationKind::Context,
                _ => AnnotationKind::Primary,
            };
            kind.span(shown.span(span))
        })
        .collect();
    group.element(Snippet::source(shown.text).path(name).annotations(annotations))
}

fn snippet_of_changes<'t>(
    url: &[u8],
    why: &Explanation<'_>,
) -> Snippet<'t, annotate_snippets::Annotation<'t>> {
    let target = &why.target;
    let shown = Shown::of(url);
    // Adjacent changes are merged.
    let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    if target.slash_implied {
        changes.push((target.url_span.start..target.url_span.start, 0..1));
    }
    for change in &target.changes {
        match changes.last_mut() {
            Some((url, target)) if url.end == change.url_span.start => {
                url.end = change.url_span.end;
                target.end = change.target_span.end;
            }
            _ => changes.push((change.url_span.clone(), change.target_span.clone())),
        }
    }
    let annotations: Vec<_> = changes
        .into_iter()
        .take(PARTS)
        .enumerate()
        .map(|(at, (from, to))| {
            let label = (at < LINES).then(|| format!("'{}'", short(&target.bytes[to])));
            AnnotationKind::Context.span(shown.span(from)).label(label)
        })
        .collect();
    Snippet::source(shown.text).path("URL").annotations(annotations)
}
