//! An explanation for people: the relevant lines of the file, underlined, then the URL.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, Title};
use robotsieve::explain::{
    AgentLine, Explanation, GroupChoice, MatchedRule, NamedCrawlers, Piece, PieceKind, Selection,
    Standing,
};
use robotsieve::{GroupMatch, Reason, Robots, RulePrecedence, Verdict};

use super::header::of_header;
use super::shown::{Shown, short};
use super::site::Site;
use super::{Answer, Answers, Explainer, Said, Source};
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

/// Renders an explanation, with an empty line before all but the first. Profiles of which the same
/// is to be said share one block.
pub(super) fn render(explainer: &Explainer<'_>, url: &[u8], answers: &Answers<'_>) -> Vec<u8> {
    let renderer =
        if has_color(explainer.args.color.color) { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::from(if explainer.explained > 1 { "\n" } else { "" });
    let text = |profiles: &str, answer: &Answer<'_>, said: &Said<'_>, detail| {
        let mut groups = Vec::new();
        of_answer(explainer, url, profiles, answer, said, detail, &mut groups);
        renderer.render(&groups)
    };
    let of_site = |said: &Said<'_>| said.site.map(|site| renderer.render(&[of_site(site)]));
    // What the store knows, once if it is the same in all profiles.
    let mut sites = answers.said.iter().map(of_site);
    let site = sites.next().flatten().filter(|first| sites.all(|it| it.as_ref() == Some(first)));
    let is_shared = site.is_some();
    if let Some(site) = site {
        out.push_str(&site);
        out.push('\n');
    }
    let mut blocks: Vec<Block<'_, '_>> = Vec::new();
    for said in &answers.said {
        let site = if is_shared { None } else { of_site(said) };
        let before = site.map(|site| site + "\n").unwrap_or_default();
        let shared = before.clone() + &text("", &said.answer, said, Detail::Shared);
        let whole = before.clone() + &text("", &said.answer, said, Detail::Whole);
        match blocks.iter_mut().find(|block| block.shared == shared) {
            Some(block) => {
                block.profiles.push(said.profile);
                block.is_whole &= block.whole == whole;
            }
            None => {
                let profiles = vec![said.profile];
                blocks.push(Block { profiles, before, said, shared, whole, is_whole: true });
            }
        }
    }
    let is_one = blocks.len() == 1;
    for Block { profiles, before, said, is_whole, .. } in &blocks {
        let profiles = match &profiles[..] {
            [profile] => format!("profile {profile}"),
            _ if is_one => "all profiles".to_owned(),
            [others @ .., last] => format!("profiles {} and {last}", others.join(", ")),
            [] => String::new(),
        };
        let detail = if *is_whole { Detail::Whole } else { Detail::Shared };
        out.push_str(before);
        out.push_str(&text(&profiles, &said.answer, said, detail));
        out.push_str("\n\n");
    }
    let compared = match &answers.compared {
        Some(compared) => Some(compared.to_string()),
        None if explainer.args.all_profiles => Some(without_comparison(answers)),
        None => None,
    };
    if let Some(compared) = compared {
        let title = Level::NOTE.with_name("profiles").primary_title(compared);
        out.push_str(&renderer.render(&[Group::with_title(title)]));
        out.push('\n');
    } else {
        out.pop();
    }
    out.into_bytes()
}

/// Adds the groups that explain an answer.
fn of_answer<'t>(
    explainer: &Explainer<'_>,
    url: &[u8],
    profiles: &str,
    answer: &Answer<'_>,
    said: &Said<'_>,
    detail: Detail,
    groups: &mut Vec<Group<'t>>,
) {
    let agent = explainer.agent.text.as_encoded_bytes();
    let title = || format!("{}, {} ({profiles})", short(agent), short(url));
    let plain = |level: Level<'t>, title: String, message: String| {
        level.primary_title(title).element(Level::NOTE.message(message))
    };
    groups.push(match answer {
        Answer::Rules(file, why) => {
            let name = match said.site {
                Some(site) => site.file_name(),
                None => robots_file::shown(&explainer.args.policy.robots),
            };
            let file = File { bytes: file, name: short(name.as_bytes()) };
            let title = level(why.verdict).primary_title(title());
            groups.push(of_file(&file, why, title, detail));
            groups.extend(explainer.agent.is_header.then(|| of_header(agent, why)));
            groups.push(of_url(url, why));
            return;
        }
        Answer::Site(verdict, what) => plain(level(*verdict), title(), what.clone()),
        Answer::RobotsTxt(what) => {
            let message = format!("robots.txt itself may always be fetched; else {what}");
            plain(level(Verdict::Allow), title(), message)
        }
        Answer::Unknown(why) => {
            plain(Level::WARNING.with_name("unknown"), title(), (*why).to_owned())
        }
        Answer::Invalid => {
            let title = format!("{} in {profiles}", short(url));
            let message = match explainer.source {
                Source::File(_) => "a URL is scheme://host/path, or a path that starts with '/'",
                Source::Store(_) => "with a store a URL is scheme://host/path",
            };
            plain(Level::ERROR.with_name("invalid"), title, message.to_owned())
        }
    });
}

/// What the store knows of a site.
fn of_site<'t>(site: &Site) -> Group<'t> {
    let (origin, notes) = site.sentences();
    let title = Level::NOTE.with_name("site").primary_title(short(origin.as_bytes()));
    notes
        .into_iter()
        .fold(Group::with_title(title), |group, note| group.element(Level::NOTE.message(note)))
}

/// The verdicts of profiles that do not go by the same rules.
fn without_comparison(answers: &Answers<'_>) -> String {
    let mut by_verdict: Vec<(&str, Vec<&str>)> = Vec::new();
    for said in &answers.said {
        let verdict = said.answer.words().0;
        match by_verdict.iter_mut().find(|(other, _)| *other == verdict) {
            Some((_, profiles)) => profiles.push(said.profile),
            None => by_verdict.push((verdict, vec![said.profile])),
        }
    }
    if let [(verdict, _)] = &by_verdict[..] {
        return format!("All profiles say {verdict}.");
    }
    let sentence = |(verdict, profiles): &(&str, Vec<&str>)| match &profiles[..] {
        [profile] => format!("{profile} says {verdict}"),
        [others @ .., last] => format!("{} and {last} say {verdict}", others.join(", ")),
        [] => String::new(),
    };
    let sentences: Vec<_> = by_verdict.iter().map(sentence).collect();
    format!("{}: not the same policy applies in all of them.", sentences.join("; "))
}

/// The heading of a verdict.
pub fn level<'t>(verdict: Verdict) -> Level<'t> {
    match verdict {
        Verdict::Allow => Level::NOTE.with_name("allow"),
        Verdict::Disallow => Level::ERROR.with_name("disallow"),
    }
}

/// A robots.txt to show lines of.
pub struct File<'f> {
    pub bytes: &'f [u8],
    pub name: String,
}

/// An answer that holds for some profiles.
struct Block<'b, 'e> {
    profiles: Vec<&'static str>,
    /// What the store knows, if that was not said before.
    before: String,
    said: &'b Said<'e>,
    /// The text without what may differ between them, and with it, for the first.
    shared: String,
    whole: String,
    /// Whether all of them have the same whole text.
    is_whole: bool,
}

/// How much to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// All there is to say about a profile.
    Whole,
    /// Without the numbers of rules and the precedence of each, which differ between profiles that
    /// otherwise read a file alike.
    Shared,
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

/// The lines of a file that lead to a verdict, with what decides underlined.
pub fn of_file<'t>(
    file: &File<'_>,
    why: &Explanation<'_>,
    title: Title<'t>,
    detail: Detail,
) -> Group<'t> {
    let mut group = Group::with_title(title);
    let (agents, others) = agent_remarks(why);
    let (rules, unlisted) = rule_remarks(why, detail);
    let remarks: Vec<Remark> = agents.into_iter().chain(rules).collect();
    if !remarks.is_empty() {
        group = group.element(snippet_of_file(file, why, remarks));
    }
    let notes = others.into_iter().chain(unlisted);
    for note in notes.chain([reason(why, detail)]).chain(otherwise(why)).chain(cut(why)) {
        group = group.element(Level::NOTE.message(note));
    }
    group
}

/// The user-agent lines that name the crawler or everybody, and notes about the others.
fn agent_remarks(why: &Explanation<'_>) -> (Vec<Remark>, Vec<String>) {
    let mut remarks: Vec<Remark> = Vec::new();
    let mut counts: BTreeMap<Standing, usize> = BTreeMap::new();
    let (mut others, mut nobody) = (Listed::default(), Listed::default());
    let mut unlisted = 0;
    for line in &why.selection.lines {
        let label = match line.standing {
            Standing::Unrelated => {
                let is_nobody = line.names == NamedCrawlers::Nobody;
                if is_nobody { &mut nobody } else { &mut others }.add(line);
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
    let mut notes = Vec::new();
    if unlisted > 0 {
        notes.push(format!("{} that could apply are not shown", lines(unlisted)));
    }
    let compared = Selection::NAMES_COMPARED;
    let is_compared = why.crawler.iter().nth(compared).is_none();
    notes.extend(others.note(&if is_compared {
        "for other crawlers".to_owned()
    } else {
        format!("that none of the first {compared} names finds")
    }));
    notes.extend(nobody.note("for nobody (no product token)"));
    (remarks, notes)
}

/// User-agent lines of which only the first are shown, without their text.
#[derive(Default)]
struct Listed {
    shown: Vec<String>,
    count: usize,
}

impl Listed {
    fn add(&mut self, line: &AgentLine<'_>) {
        self.count += 1;
        if self.shown.len() < LINES {
            let value = if line.value.is_empty() { "''".to_owned() } else { short(line.value) };
            self.shown.push(format!("{value} ({})", line.line));
        }
    }

    fn note(&self, what: &str) -> Option<String> {
        let more = if self.count > self.shown.len() { ", …" } else { "" };
        let note = || format!("{} {what}: {}{more}", lines(self.count), self.shown.join(", "));
        (self.count > 0).then(note)
    }
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
    let is_name = name.is_some_and(|name| name.eq_ignore_ascii_case(token));
    let name = short(name.unwrap_or_default());
    match why.profile.group_match {
        _ if is_name => format!("this group: its token is the name '{name}'"),
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
fn rule_remarks(why: &Explanation<'_>, detail: Detail) -> (Vec<Remark>, Option<String>) {
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
        let label = |what: &str| match detail {
            Detail::Whole => format!("{what}: {}", precedence(rule, why)),
            Detail::Shared => what.to_owned(),
        };
        if why.winner().is_some_and(|winner| winner.line == rule.line) {
            winner_remarks(rule, why, &label("decides"), &mut remarks);
            continue;
        }
        let is_next = runner_up == Some(rule.line);
        let label = label(if is_next { "runner-up" } else { "also matches" });
        remarks.push(Remark::new(AnnotationKind::Context, rule.value_span.clone(), label));
    }
    let mut others: Vec<u32> = why.matches.iter().map(|rule| rule.line).collect();
    others.retain(|line| !seen.contains(line));
    others.sort_unstable();
    others.dedup();
    let (more, unlisted) = (others.len(), why.match_count > why.matches.len());
    let note = (more > 0).then(|| {
        let least = if unlisted { "at least " } else { "" };
        let (s, verb) = if more == 1 { ("", "es") } else { ("s", "") };
        format!("{least}{more} more rule{s} of the group match{verb}")
    });
    (remarks, note)
}

fn precedence(rule: &MatchedRule<'_>, why: &Explanation<'_>) -> String {
    match why.profile.rule_precedence {
        RulePrecedence::AnyDisallow => "any Disallow that matches decides".to_owned(),
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

fn reason(why: &Explanation<'_>, detail: Detail) -> String {
    let count = why.rule_count();
    let mut groups: Vec<u32> = why.selection.chosen().map(|line| line.group).collect();
    groups.dedup();
    let (group, has) = if groups.len() > 1 { ("groups", "have") } else { ("group", "has") };
    match why.decision().reason {
        Reason::Rule(rule) if detail == Detail::Shared => format!("line {} decides", rule.line),
        Reason::Rule(rule) => format!(
            "line {} decides, out of {count} rule{} in the {group} for {}",
            rule.line,
            if count == 1 { "" } else { "s" },
            match why.selection.choice {
                GroupChoice::Everybody => "everybody",
                _ => "the crawler",
            }
        ),
        Reason::NoGroup => "no group applies to this crawler: everything is allowed".to_owned(),
        Reason::NoMatch if count == 0 => {
            format!("the {group} {has} no rules: everything is allowed")
        }
        Reason::NoMatch if detail == Detail::Shared => {
            format!("no rule of the {group} matches: what no rule disallows is allowed")
        }
        Reason::NoMatch if count == 1 => format!(
            "the only rule of the {group} does not match: what no rule disallows is allowed"
        ),
        Reason::NoMatch => format!(
            "none of the {count} rules of the {group} matches: what no rule disallows is allowed"
        ),
        Reason::EmptyRule { line } => {
            format!("the rule on line {line} is empty and restricts nothing: everything is allowed")
        }
        Reason::RobotsTxt => "robots.txt itself may always be fetched (RFC 9309 §2.2.2)".to_owned(),
        _ => "the rules are unknown".to_owned(),
    }
}

/// What the other rules say. Not what the file would say without the winner's line: without it,
/// the groups before and after it may be one.
fn otherwise(why: &Explanation<'_>) -> Option<String> {
    let verdict = why.verdict_otherwise?;
    if why.winner().is_none() {
        return Some(format!("by the rules alone the verdict would be {verdict}"));
    }
    let still = if verdict == why.verdict { "still " } else { "" };
    Some(match why.runner_up() {
        Some(rule) => {
            format!("by the other rules the verdict would {still}be {verdict}: line {}", rule.line)
        }
        None => format!("by the other rules the verdict would {still}be {verdict}: none matches"),
    })
}

/// What the size limit kept from being read.
fn cut(why: &Explanation<'_>) -> Option<String> {
    let cut = why.cut.as_ref()?;
    let (from, limit) = (cut.line, cut.limit);
    let by = match cut.winner {
        Some(line) => format!("line {line} would decide"),
        None => "no rule would decide".to_owned(),
    };
    let whole = if cut.matters {
        format!("in the whole file {by}: {}", cut.verdict)
    } else {
        "they would not change this answer".to_owned()
    };
    Some(format!(
        "line {from} and all after it are ignored, since only whole lines within {limit} bytes are \
         read; {whole}"
    ))
}

/// The lines of the file with remarks, and the lines around them.
fn snippet_of_file<'t>(
    file: &File<'_>,
    why: &Explanation<'_>,
    remarks: Vec<Remark>,
) -> Snippet<'t, annotate_snippets::Annotation<'t>> {
    let extent = Robots::parse(file.bytes, &why.profile).extent();
    let lines = robots_file::lines(file.bytes, extent);
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
            let text = Shown::of(&file.bytes[line.clone()]);
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
    Snippet::source(source).line_start(first + 1).path(file.name.clone()).annotations(annotations)
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
